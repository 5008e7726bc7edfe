# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each op of the dialect as a call of torch.ops: the op table's signatures, read backwards.

An op's first overload of torch.ops that takes what the op has is called:
operands, attributes and what the result's type says stand where the signature
has their names. Called on tensors it computes, called on FX proxies it records.
What a signature cannot say is in `handlers.py`.
"""

import contextvars
import functools
import importlib
import operator
import struct

import torch

from ..errors import FxGraphError
from ..importer import promote
from ..importer.dtypes import MLIR_TO_TORCH
from ..importer.ir import DYNAMIC
from ..importer.table import MISSING, load_table

aten = torch.ops.aten
# Modules that register the ops of a namespace of torch.ops.
REGISTERED_BY = {"quantized_decomposed": "torch.ao.quantization.fx._decomposed"}
# Owners of signatures that are not namespaces of torch.ops.
FUNCTIONS = ("torch", "Tensor", "operator", "builtins")
# What records the calls while to_fx makes a graph; None while a graph is computed.
RECORDER = contextvars.ContextVar("recorder", default=None)


# Whether ops are called in place where `fxgraph-mutation-reinplace` has marked them, and what the op that is called now may overwrite.
REINPLACE = contextvars.ContextVar("reinplace", default=False)
OVERWRITTEN = contextvars.ContextVar("overwritten", default=())


def call(function, *args, **kwargs):
    """A call now, or each time the recorded graph runs; in place, if it may overwrite its first argument."""
    recorder, overwritten = RECORDER.get(), OVERWRITTEN.get()
    first = args[0] if overwritten and args else None
    written = list(first) if isinstance(first, (list, tuple)) else [first]
    twin = in_place(function) if overwritten and len(written) == len(overwritten) and all(map(operator.is_, written, overwritten)) else None
    result = recorder.call(twin or function, args, kwargs) if recorder else (twin or function)(*args, **kwargs)
    return result if twin is None else first


@functools.lru_cache(maxsize=None)
def in_place(function):
    """The overload that writes to the first argument what this one returns; None if there is none."""
    if not isinstance(function, torch._ops.OpOverload):
        return None
    name = {"_unsafe_index_put": "index_put"}.get(function._opname, function._opname)
    twin = getattr(getattr(getattr(torch.ops, function.namespace), name + "_", None), function._overloadname, None)
    return twin if twin is not None and [a.name for a in twin._schema.arguments if a.is_write] == [twin._schema.arguments[0].name] else None


def literal(tensor):
    """A tensor that is part of the graph."""
    recorder = RECORDER.get()
    return recorder.constant(tensor) if recorder else tensor


def known(value):
    """The tensor, or the fake one that tells what a recorded value is; None where that is not known."""
    recorder = RECORDER.get()
    return recorder.fake(value) if recorder else value


def torch_dtype(type_):
    try:
        return MLIR_TO_TORCH[type_.dtype]
    except KeyError:
        raise FxGraphError(f"expected an element type of PyTorch but got {type_.dtype}") from None


def number(value):
    """A float that is a whole number, as PyTorch users write it."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def number_of(value, dtype):
    """A number that has no say in the dtype: of integers an integer in their range, which those of 64 bits wrap to, as -1 of uint8 does
    in PyTorch; the ends of the range stand for larger ones."""
    if dtype.is_floating_point or dtype.is_complex:
        return number(value)
    if dtype is torch.bool:
        return bool(value)
    limits = torch.iinfo(dtype)
    if not min(-2**63, limits.min) <= value <= max(2**63 - 1, limits.max):
        return limits.min if value < 0 else limits.max
    return (int(value) - limits.min) % 2**limits.bits + limits.min


def is_tensor(value):
    return isinstance(value, (torch.Tensor, torch.fx.Proxy))


class Unfit(Exception):
    """The overload does not take what the op has."""


class OpCall:
    """What an op has, by name: operands (tensors; Python numbers where they are wrapped numbers), attributes, types."""

    def __init__(self, op, operands, operand_types=None):
        self.info = load_table()[op.name.removeprefix("fxgraph.")]
        self.types, self.operand_types = op.types, operand_types
        attrs = {spec["name"]: op.attrs.get(spec["name"], spec.get("default")) for spec in self.info.attrs}
        if self.info.reduction and not attrs["dims"]:
            attrs["dims"] = None  # all of them, as in ODS
        self.attrs, self.operands = attrs, self._named(op, operands)
        self.needed = {name for name, value in self.operands.items() if value is not None and not (isinstance(value, list) and not value)}
        self.needed -= {spec["name"] for spec in self.info.operands if spec["type"] == "index" and spec["arity"] == "variadic"}  # of a shape
        self.needed |= {spec["name"] for spec in self.info.attrs if attrs[spec["name"]] != spec.get("default")}

    def _named(self, op, operands):
        """{name: operand}, a list where there is any number, None for one that is absent."""
        specs = self.info.operands
        counts = op.attrs.get("operandSegmentSizes")
        if counts is None:
            counts = [1 if spec["arity"] == "single" else len(operands) - len(specs) + 1 for spec in specs]
        named, rest = {}, iter(operands)
        for spec, count in zip(specs, counts):
            items = [next(rest) for _ in range(count)]
            named[spec["name"]] = items if spec["arity"] == "variadic" else items[0] if items else None
        return named

    def values(self):
        """Operands and attributes by name."""
        return self.operands | self.attrs

    def extents(self, static):
        """A shape with the sizes in the place of its unknown extents."""
        sizes = iter(self.operands.get("sizes", ()))
        return [next(sizes) if extent in (None, DYNAMIC) else extent for extent in static]

    def dtype(self):
        return torch_dtype(self.types[0])

    def first(self):
        return self.operands[self.info.operands[0]["name"]]

    def rank(self):
        """The rank of operand 0."""
        return len(self.operand_types[0].shape) if self.operand_types else self.first().dim()

    def with_tensors(self):
        """The same with tensors in the place of numbers, of the dtype in which PyTorch computes."""
        kinds = {spec["name"]: spec["type"] for spec in self.info.operands}
        for name, value in self.operands.items():
            if isinstance(value, (bool, int, float)) and kinds[name] != "index":
                self.operands[name] = literal(torch.tensor(value, dtype=torch.bool if kinds[name] == "bool" else self.dtype()))
        return self


class Overload:
    """An overload of torch.ops and what of an op each of its arguments is."""

    def __init__(self, function, params):
        self.function, self.name = function, function._schema.name.rpartition(":")[2]
        positional, named = iter([p for p in params if not p.keyword_only]), {p.name: p for p in params if p.keyword_only}
        self.arguments = []  # (the schema's argument, its type, the signature's parameter)
        for argument in function._schema.arguments:
            param = named.get(argument.name) or next(positional, None)
            if param is not None:
                self.arguments.append((argument, str(argument.type), param))
        self.takes = {param.target for _, _, param in self.arguments}

    def bind(self, op):
        """(args, kwargs) for an OpCall, without what PyTorch has as a default at the end; raises Unfit."""
        if not op.needed <= self.takes:
            raise Unfit
        args, kwargs, length = [], {}, 0
        for argument, kind, param in self.arguments:
            value = self._value(op, argument, kind, param)
            is_default = argument.has_default_value() and _is_plain(value) and value == argument.default_value
            if not argument.kwarg_only:
                args.append(value)
                length = length if is_default else len(args)
            elif not is_default:
                kwargs[argument.name] = value
        return args[:length], kwargs

    def _value(self, op, argument, kind, param):
        target = param.target
        if target in op.operands:
            return self._operand(op.operands[target], kind)
        if target in op.attrs:
            return self._attribute(op, op.attrs[target], argument, kind)
        if target == "_result_dtype":
            return op.dtype()
        if target == "_input_dtype":
            return torch_dtype(op.operand_types[0]) if op.operand_types else op.first().dtype
        if target == "_size":
            return op.extents(op.types[0].shape)
        if argument.has_default_value():
            return argument.default_value
        if param.default is MISSING:
            raise Unfit
        return param.default

    def _operand(self, value, kind):
        if value is None and not kind.startswith("Optional"):
            raise Unfit
        if "number" in kind and is_tensor(value):
            raise Unfit
        if kind == "Tensor" and not is_tensor(value) and not torch._C._should_allow_numbers_as_tensors(self.name):
            raise Unfit
        return value

    @staticmethod
    def _attribute(op, value, argument, kind):
        if value is None:
            if kind.startswith("Optional"):
                return None
            if argument.has_default_value():
                return argument.default_value
            if op.info.reduction and kind == "List[int]":
                return list(range(op.rank()))
            raise Unfit
        if isinstance(value, list) != ("List" in kind):
            raise Unfit
        if isinstance(value, list):
            return op.extents(value)
        return number_of(value, op.dtype()) if "number" in kind else value


def _is_plain(value):
    """True for what Python compares by itself."""
    if isinstance(value, list):
        return all(isinstance(item, int) for item in value)
    return value is None or isinstance(value, (bool, int, float, str))


def _find(key):
    """The function of an overload's key; None if this PyTorch has none."""
    namespace, name, overload = key.split(".")
    registered_by = "torch._inductor.inductor_prims" if name.startswith("inductor_") else REGISTERED_BY.get(namespace)
    if registered_by:
        importlib.import_module(registered_by)
    return getattr(getattr(getattr(torch.ops, namespace), name, None), overload, None)


@functools.lru_cache(maxsize=None)
def overloads(name):
    """The overloads of torch.ops that compute an op of the table, in ODS's order."""
    keys = [(s.key, s.params) for s in load_table()[name].signatures if s.key.partition(".")[0] not in FUNCTIONS]
    return [Overload(function, params) for function, params in ((_find(key), params) for key, params in keys) if function is not None]


def compute(op):
    """The result of an OpCall, by the first overload that takes what it has."""
    for overload in overloads(op.info.name):
        try:
            args, kwargs = overload.bind(op)
        except Unfit:
            continue
        return call(overload.function, *args, **kwargs)
    if any(isinstance(value, (bool, int, float)) for value in op.operands.values()):
        return compute(op.with_tensors())
    raise FxGraphError(f"expected an op that PyTorch has but got fxgraph.{op.info.name}")


def has_wrapped_numbers(info):
    """True for an op whose operands may be Python numbers: those that PyTorch promotes together."""
    return info.promotion in promote.KINDS and len(info.operands) > 1


# How the numbers lie that may be Python's.
SCALARS = {"f64": "<d", "i64": "<q", "i1": "<?"}


def dense_tensor(literal):
    """The tensor of a dense literal."""
    dtype, shape = torch_dtype(literal.type), list(literal.type.shape)
    if not literal.raw:
        return torch.empty(shape, dtype=dtype)
    flat = torch.frombuffer(bytearray(literal.raw), dtype=torch.uint8).clone().view(dtype)
    return flat.expand(shape).clone() if flat.numel() == 1 and shape else flat.reshape(shape)


def scalar_of(literal):
    """The Python number of a rank-0 f64/i64/i1 literal, else None."""
    if literal.type.shape or literal.type.dtype not in SCALARS:
        return None
    return struct.unpack(SCALARS[literal.type.dtype], literal.raw)[0]  # not by a tensor, which a tracing would see
