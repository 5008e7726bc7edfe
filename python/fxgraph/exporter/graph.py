# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs or records a graph in PyTorch.

`evaluate` computes a graph with torch, for tests of the importer and of the
passes. `to_fx` records the same calls as an fx.GraphModule, whose results lie
in memory as PyTorch's do.
"""

import contextvars
import importlib
import operator

import torch
import torch.fx

from ..errors import FxGraphError, utf8
from ..importer.ir import CMPI_PREDICATES
from ..importer.promote import unify
from ..importer.table import load_table
from ..walk import Type, TypeAttr, functions
from . import callables, control_flow, memory, results
from .callables import aten
from .handlers import HANDLERS
from .recorder import Recorder

INDEX_OPS = {
    "arith.addi": lambda a, b: a + b, "arith.subi": lambda a, b: a - b, "arith.muli": lambda a, b: a * b,
    "arith.divsi": lambda a, b: a // b, "arith.floordivsi": lambda a, b: a // b, "arith.remsi": lambda a, b: a % b,
    "arith.andi": lambda a, b: a & b, "arith.ori": lambda a, b: a | b, "arith.xori": lambda a, b: a ^ b,
    "arith.maxsi": lambda a, b: callables.call(torch.sym_max, a, b), "arith.minsi": lambda a, b: callables.call(torch.sym_min, a, b)}


# By arith.cmpi's predicate: comparisons of sizes, all signed.
COMPARISONS = {CMPI_PREDICATES[name]: getattr(operator, name) for name in CMPI_PREDICATES}


def _numbers(info, operands, literals, types):
    """The operands of an op that PyTorch promotes with literals as Python numbers, which have no say in the dtype.

    `types` are the operands'. A rank-0 f64 or i64 that is computed is a wrapped number too: PyTorch takes it for one only
    beside a tensor of a higher rank.
    """
    if all(literal is not None for literal in literals):
        return operands
    agreeing = [spec["type"] != "bool" for spec in info.operands]  # not the condition of where
    if types and all(not type_.shape for type_, agrees in zip(types, agreeing) if agrees):
        element = unify([_Scalar(type_.dtype) for type_, agrees in zip(types, agreeing) if agrees])
        cast = torch.ops.prims.convert_element_type.default
        operands = [cast(operand, callables.MLIR_TO_TORCH[element]) if agrees and element not in (None, type_.dtype) else operand
                    for operand, type_, agrees in zip(operands, types, agreeing)]
    return [operand if literal is None else literal for operand, literal in zip(operands, literals)]


class _Scalar:
    """A rank-0 type as the importer's promotion reads it."""

    rank = 0

    def __init__(self, dtype):
        self.dtype = dtype


def run_op(op, operands, literals, types=None):
    """Results of one op as a list."""
    if op.name in INDEX_OPS:
        return [INDEX_OPS[op.name](*operands)]
    if op.name == "arith.cmpi":
        return [COMPARISONS[op.attrs["predicate"]](*operands)]
    if op.name == "fxgraph.opaque":
        return run_opaque(op, operands, types)
    if op.name == "fxgraph.auto_functionalized":
        return run_opaque(op, operands, types, op.attrs["mutated"])
    if op.regions:
        return control_flow.run(op, operands)
    info = load_table().get(op.name.removeprefix("fxgraph."))
    if info is None:
        raise FxGraphError(f"expected an op that PyTorch has but got {op.name}")
    if callables.has_wrapped_numbers(info):
        operands = _numbers(info, operands, literals, types)
    bound, handler = callables.OpCall(op, operands, types), HANDLERS.get(info.name)
    marks = op.attrs.get("fxgraph.inplace") if callables.REINPLACE.get() else None
    if marks and info.name in SCATTERS:
        return [SCATTERS[info.name](**bound.values())]
    token = callables.OVERWRITTEN.set(tuple(operands[i] for i in marks or ()))
    try:
        result = NotImplemented if handler is None else handler(op.types, **bound.values())
        if result is NotImplemented:
            result = callables.compute(bound)
    finally:
        callables.OVERWRITTEN.reset(token)
    if [spec["arity"] for spec in info.results] == ["single"]:
        return [result]
    return [result[i] for i in range(len(op.types))]


def _slice_scatter(input, src, dim, start, end, step):
    aten.copy_.default(aten.slice.Tensor(input, dim, start, end, step), src)
    return input


def _select_scatter(input, src, dim, index):
    aten.copy_.default(aten.select.int(input, dim, index), src)
    return input


# Ops that are a write to a view of the operand where they may overwrite it.
SCATTERS = {"slice_scatter": _slice_scatter, "select_scatter": _select_scatter}


def _callable(target):
    """The function of an opaque op's key; a method's name is left."""
    owner, _, name = target.partition(".")
    if owner == "higher_order":
        return getattr(torch.ops.higher_order, name)
    if target.count(".") == 2 and owner != "torch":
        namespace, name, overload = target.split(".")
        return getattr(getattr(getattr(torch.ops, namespace), name), overload)
    module, _, name = target.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _invoke(target, args, kwargs):
    """The call of an opaque op, now or recorded."""
    if not target.startswith("Tensor."):
        return callables.call(_callable(target), *args, **kwargs)
    name, recorder = target[len("Tensor."):], callables.RECORDER.get()
    if recorder:
        return recorder.create_proxy("call_method", name, tuple(args), kwargs)
    return getattr(args[0], name)(*args[1:], **kwargs)


def run_opaque(op, operands, types=None, written=None):
    """The op that an opaque one names, with its argument tree, on copies of what it writes (default: as the tree says).

    `types` are the operands'.
    """
    target = op.attrs["target"]
    tree = op.attrs.get("args") or {}
    # What it sees of its operands' memory is what the captured one saw.
    strides = tree.get("strides") or [None] * len(operands)
    tensors = [isinstance(type_, Type) for type_ in types] if types else [isinstance(operand, torch.Tensor) for operand in operands]
    operands = [memory.restride(*pair) if is_tensor else pair[0] for *pair, is_tensor in zip(operands, strides, tensors)]

    def decode(value):
        if isinstance(value, str):
            if value.startswith("%%"):
                return value[1:]
            return operands[int(value[1:])] if value.startswith("%") else value
        if isinstance(value, list):
            return [decode(v) for v in value]
        if isinstance(value, TypeAttr):
            return callables.MLIR_TO_TORCH[value.type]
        if isinstance(value, dict):
            if set(value) == {"graph", "number"}:
                return subgraph(value["number"], target)
            if set(value) == {"number"}:
                return decode(value["number"]).item()
            if set(value) == {"python"}:
                return python_object(value["python"])
            if set(value) == {"slice"}:
                return slice(*[decode(v) for v in value["slice"]])
            return {k: decode(v) for k, v in value.items()}
        return value

    def pick(result):
        """The op's own results, from the structure that the call returns (of proxies, too)."""
        if tree.get("paths") is None:
            return [] if not op.types else list(result) if isinstance(result, (list, tuple)) else [result]
        picked = []
        for path in filter(None, tree["paths"].split(";")):
            item = result
            for i in path.split(","):
                item = item[int(i)]
            picked.append(item)
        return picked

    written = tree.get("writes") or [] if written is None else written
    for i in written if not callables.REINPLACE.get() or op.attrs.get("only_clone") is None else op.attrs["only_clone"]:
        operands[i] = memory.restride(callables.aten.clone.default(operands[i]), strides[i])
    result = _invoke(target, [decode(a) for a in tree.get("args", [])], {k: decode(v) for k, v in tree.get("kwargs", {}).items()})
    copies = [operands[i] for i in written]
    return copies if written and len(op.types) == len(copies) else pick(result) + copies


# The graphs that opaque higher-order ops call, by number.
SUBGRAPHS = contextvars.ContextVar("subgraphs", default=())


def subgraph(number, target):
    graphs = SUBGRAPHS.get()
    if number >= len(graphs):
        raise FxGraphError(f"expected the graphs of {target}, which only the module has that was imported from PyTorch")
    return graphs[number]


def python_object(text):
    """device, memory format, layout, operator, Ellipsis, complex number or long integer of its text."""
    if text == "Ellipsis":
        return Ellipsis
    if text.startswith("torch.ops."):
        found = torch.ops
        for name in text.split(".")[2:]:
            found = getattr(found, name)
        return found
    if text.startswith("torch."):
        return getattr(torch, text[len("torch."):])
    for make in (int, complex, torch.device):
        try:
            return make(text)
        except (ValueError, RuntimeError):
            continue
    raise FxGraphError(f"expected a Python object of PyTorch but got {text!r}")


class Block:
    """The run of a block: values, types and literals by name, the new values of written arguments."""

    def __init__(self, arguments, tensors):
        """`arguments` are (value, type) pairs."""
        self.values, self.types, self.literals, self.written = {}, {}, {}, {}
        for (value, type_), tensor in zip(arguments, tensors, strict=True):
            self.values[value], self.types[value] = tensor, type_

    def run(self, ops, names=None):
        """What the block ends with; `names` are those of the function's arguments."""
        recorder = callables.RECORDER.get()
        for op in ops:
            operands = [self.values[o] for o in op.operands]
            if op.name in ("func.return", "return", "fxgraph.yield"):
                return operands
            if op.name == "fxgraph.constant":
                literal = op.attrs["value"]
                self.literals[op.results[0]] = callables.scalar_of(literal)
                outputs = [callables.literal(callables.dense_tensor(literal))]
            elif op.name == "arith.constant":
                outputs = [op.attrs["value"]]
            elif op.name == "fxgraph.copy_":
                self.written[names[op.operands[0]]] = operands[1]
                outputs = []
            else:
                self.keep_written(_overwritten(op, operands))
                outputs = run_op(op, operands, [self.literals.get(o) for o in op.operands], [self.types[o] for o in op.operands])
            self.values.update(zip(op.results, outputs))
            self.types.update(zip(op.results, op.types))
            if recorder:
                for output, type_ in zip(outputs, op.types):
                    if isinstance(type_, Type):
                        recorder.assume(output, type_)
        raise FxGraphError("expected a return")


    def keep_written(self, overwritten):
        """Copies what arguments are to hold and an op is about to overwrite: they are written at the end, not where the graph says so."""
        for value in overwritten:
            for name, new in self.written.items():
                storages = [memory.storage_of(callables.RECORDER.get().fake(one)) for one in (value, new)]
                if None in storages or storages[0] == storages[1]:
                    self.written[name] = aten.clone.default(new)


def _overwritten(op, operands):
    """The operands that the op is about to overwrite."""
    if not callables.REINPLACE.get():
        return []
    if op.name == "fxgraph.auto_functionalized":
        copied = op.attrs.get("only_clone")
        return [] if copied is None else [operands[i] for i in op.attrs["mutated"] if i not in copied]
    return [operands[i] for i in op.attrs.get("fxgraph.inplace") or ()]


def _walk(function, arguments):
    """(results, {argument name: new value}) of a parsed function."""
    block = Block([(value, type_) for value, type_, _ in function.arguments], arguments)
    names = {value: attrs.get("fxgraph.name", f"arg{i}") for i, (value, _, attrs) in enumerate(function.arguments)}
    return block.run(function.ops, names), block.written


def _find(source, name):
    """The function of this name of a Module or of MLIR text."""
    from ..runtime.library import parse
    for function in functions(parse(utf8(source, "the text of a graph")) if isinstance(source, str) else source.handle):
        if function.name == name:
            return function
    raise FxGraphError(f"expected a function {name} but the module has none of this name")


def evaluate(asm, tensors, name="main", subgraphs=()):
    """(flat results, {written argument: value}) of a Module or of MLIR text.

    `tensors` is {argument's fxgraph.name: tensor}; `subgraphs` is the module's.
    """
    function = _find(asm, name)
    arguments = []
    for i, (_, _, attrs) in enumerate(function.arguments):
        key = attrs.get("fxgraph.name", f"arg{i}")
        if key not in tensors:
            raise FxGraphError(f"expected a tensor for the argument {key}")
        arguments.append(tensors[key])
    token = SUBGRAPHS.set(subgraphs)
    try:
        with torch.no_grad():
            return _walk(function, arguments)
    finally:
        SUBGRAPHS.reset(token)


def _assert_equal_sizes(function, arguments):
    """Records checks that extents which the signature calls by one name are equal: the graph was captured under that condition."""
    first = {}
    for (_, type_, _), (name, argument) in zip(function.arguments, arguments.items()):
        for dim, symbol in enumerate(type_.symbols if isinstance(type_, Type) else ()):
            if symbol is None:
                continue
            size = (name, dim, argument)
            if first.setdefault(symbol, size) is size:
                continue
            (known, at, other), aten = first[symbol], torch.ops.aten
            sizes = [callables.call(aten.sym_size.int, tensor, d) for tensor, d in ((other, at), (argument, dim))]
            callables.call(aten._assert_scalar.default, callables.call(operator.eq, *sizes),
                           f"expected {known}.shape[{at}] == {name}.shape[{dim}], as when the model was captured, but got other sizes")


def _is_complex(fake):
    return isinstance(fake, torch.Tensor) and fake.dtype.is_complex


def _as_captured(recorder, capture, key, value):
    """An argument as the captured function has it: a weight whose real and imaginary parts the module holds is complex there."""
    fake = capture and capture.inputs.get(key)
    return memory.as_complex(value) if _is_complex(fake) and not _is_complex(recorder.fake(value)) else value


def _pair_of(recorder, value):
    """What the graph's function takes of an argument: the real and imaginary parts of a complex one."""
    return aten.view_as_real.default(aten.resolve_conj.default(value)) if _is_complex(recorder.fake(value)) else value


def to_fx(module, name="main", inplace=False):
    """An fx.GraphModule of a Module: weights become attributes, inputs placeholders.

    Its results and what it writes are those of the captured function, also in their strides and in what shares memory with
    what, as far as the importer knows them (`outputs.py`). With `inplace` ops write where `fxgraph-mutation-reinplace` lets them.
    """
    function = _find(module, name)
    root = torch.nn.Module()
    graph = torch.fx.Graph()
    capture = getattr(module.outputs, "capture", None)
    recorder = Recorder(graph, root, capture and capture.mode)
    arguments = {}
    for i, (_, type_, attrs) in enumerate(function.arguments):
        key = attrs.get("fxgraph.name", f"arg{i}")
        plain = key.replace(".", "_")
        if key in module.weights:
            arguments[key] = recorder.attribute(plain, module.weights[key])
        else:
            arguments[key] = recorder.placeholder(plain if plain.isidentifier() else f"arg{i}", capture and capture.fake(recorder, key))
            if isinstance(type_, Type):
                recorder.assume(arguments[key], type_)
    token, graphs, reinplace = callables.RECORDER.set(recorder), SUBGRAPHS.set(module.subgraphs), callables.REINPLACE.set(inplace)
    try:
        _assert_equal_sizes(function, arguments)
        given = {key: value if str(getattr(type_, "dtype", "")).startswith("complex") else _pair_of(recorder, value)
                 for (_, type_, _), (key, value) in zip(function.arguments, arguments.items())}
        arguments = {key: _as_captured(recorder, capture, key, value) for key, value in arguments.items()}
        values, written = _walk(function, given.values())
        # What has been computed where the argument lies is there.
        written = {key: memory.as_complex(value) if _is_complex(recorder.fake(arguments[key])) else value
                   for key, value in written.items() if value is not given[key]}
        outputs = results.finish(recorder, module.outputs, arguments, values, written)
    finally:
        callables.RECORDER.reset(token)
        SUBGRAPHS.reset(graphs)
        callables.REINPLACE.reset(reinplace)
    graph.output(tuple(outputs))
    recorder.prune(value.node for value in (*arguments.values(), *given.values(), *values) if isinstance(value, torch.fx.Proxy))
    recorder.drop_unused_literals()
    return torch.fx.GraphModule(root, graph)
