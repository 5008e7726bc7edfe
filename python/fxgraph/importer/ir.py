# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph under construction, and its text in MLIR's generic form.

The printer is typed: every attribute goes through one of the attr_* functions,
so that the text is what MLIR's parser reads back bit for bit (floats by
shortest round-trip decimal, non-finite ones and big constants in hex).
"""

import math
import re
import struct

from ..errors import ImportFailure, utf8

INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1
DYNAMIC = INT64_MIN  # ShapedType::kDynamic: "next of the sizes operands"

FLOAT_TYPES = ("f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU")
INT_TYPES = ("ui8", "i8", "i16", "i32", "i64")
BITS = {"i1": 1, "ui8": 8, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "f16": 16, "bf16": 16, "f32": 32, "f64": 64}


def is_float(dtype):
    return dtype in FLOAT_TYPES


class TensorType:
    """dtype (an MLIR element type), dims (int, or str symbol, or None), device."""

    __slots__ = ("dtype", "dims", "device")

    def __init__(self, dtype, dims, device=None):
        self.dtype, self.dims, self.device = dtype, tuple(dims), device

    @property
    def rank(self):
        return len(self.dims)

    def with_dtype(self, dtype):
        return TensorType(dtype, self.dims, self.device)

    def with_dims(self, dims):
        return TensorType(self.dtype, dims, self.device)

    def is_static(self):
        return all(isinstance(d, int) for d in self.dims)

    def __eq__(self, other):
        return isinstance(other, TensorType) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))

    def __str__(self):
        extents = "".join(f"{d}x" if isinstance(d, int) else "?x" for d in self.dims)
        dynamic = [d for d in self.dims if not isinstance(d, int)]
        parts = []
        if any(d is not None for d in dynamic):
            parts.append("dims = [" + ", ".join(d or "?" for d in dynamic) + "]")
        if self.device:
            parts.append(f"device = {attr_str(self.device)}")
        meta = f", #fxgraph.meta<{', '.join(parts)}>" if parts else ""
        return f"tensor<{extents}{self.dtype}{meta}>"


class IndexType:
    def __str__(self):
        return "index"

    def __eq__(self, other):
        return isinstance(other, IndexType)

    def __hash__(self):
        return hash("index")


INDEX = IndexType()
# arith.cmpi's numbers for signed comparisons.
CMPI_PREDICATES = {"eq": 0, "ne": 1, "lt": 2, "le": 3, "gt": 4, "ge": 5}


class Value:
    """An SSA value: a name and a type; dead if its op was taken back."""

    __slots__ = ("name", "type", "is_argument", "dead")

    def __init__(self, name, type_, is_argument=False):
        self.name, self.type, self.is_argument, self.dead = name, type_, is_argument, False

    def __repr__(self):
        return f"{self.name} : {self.type}"


# Attributes --------------------------------------------------------------


def attr_i64(value):
    if not INT64_MIN <= value <= INT64_MAX:
        raise OverflowError(f"expected a 64-bit integer but got {value}")
    return f"{int(value)} : i64"


def float_literal(value):
    """Decimal literal of a finite double that MLIR's lexer accepts and that round-trips."""
    text = repr(float(value))
    mantissa, _, exponent = text.partition("e")
    if "." not in mantissa:
        mantissa += ".0"
    return mantissa + (f"e{exponent}" if exponent else "")


def attr_f64(value):
    value = float(value)
    if math.isfinite(value):
        return f"{float_literal(value)} : f64"
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X} : f64"


def attr_bool(value):
    return "true" if value else "false"


def attr_str(value):
    out = []
    for byte in utf8(value, "names and texts", ImportFailure):
        char = chr(byte)
        if char in '"\\' or not 32 <= byte < 127:
            out.append(f"\\{byte:02X}")
        else:
            out.append(char)
    return '"' + "".join(out) + '"'


def attr_i64_array(values):
    for value in values:
        if not INT64_MIN <= value <= INT64_MAX:
            raise OverflowError(f"expected 64-bit integers but got {value}")
    if not values:
        return "array<i64>"
    return "array<i64: " + ", ".join(str(int(v)) for v in values) + ">"


def attr_f64_array(values):
    return "array<f64: " + ", ".join(attr_f64(v).removesuffix(" : f64") for v in values) + ">" if values else "array<f64>"


def attr_i32_array(values):
    return "array<i32: " + ", ".join(str(int(v)) for v in values) + ">" if values else "array<i32>"


def attr_key(key):
    return key if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_$.]*", key) else attr_str(key)


def attr_dict(entries):
    return "{" + ", ".join(f"{attr_key(k)} = {v}" for k, v in entries) + "}"


def dense_scalar(value, dtype):
    """dense<value> of a rank-0 tensor of f64, i64, i1 … (the value is exact)."""
    type_ = TensorType(dtype, ())
    if dtype == "i1":
        return f"dense<{attr_bool(value)}> : {type_}"
    if is_float(dtype):
        value = float(value)
        if not math.isfinite(value):
            return dense_hex(_pack_float(value, dtype), type_)
        return f"dense<{float_literal(value)}> : {type_}"
    return f"dense<{int(value)}> : {type_}"


def _pack_float(value, dtype):
    if dtype == "f64":
        return struct.pack("<d", value)
    if dtype == "f32":
        return struct.pack("<f", value)
    if dtype == "f16":
        return struct.pack("<e", value)
    if dtype == "bf16":
        return struct.pack("<f", value)[2:]
    raise ValueError(f"no literal for a non-finite {dtype}")


def dense_hex(data, type_):
    """dense<"0x…">: raw little-endian elements."""
    return f'dense<"0x{data.hex().upper()}"> : {type_}'


# Ops ---------------------------------------------------------------------


class Region:
    """One block: its arguments and ops, the yield last."""

    __slots__ = ("arguments", "ops")

    def __init__(self, arguments, ops):
        self.arguments, self.ops = arguments, ops

    def __str__(self):
        arguments = ", ".join(f"{v.name}: {v.type}" for v in self.arguments)
        return "{\n" + (f"^bb0({arguments}):\n" if arguments else "") + "\n".join(map(str, self.ops)) + "\n}"


class Op:
    __slots__ = ("name", "operands", "results", "properties", "attrs", "loc", "regions")

    def __init__(self, name, operands, results, properties, attrs, loc, regions=()):
        self.name, self.operands, self.results = name, operands, results
        self.properties, self.attrs, self.loc, self.regions = properties, attrs, loc, regions

    def __str__(self):
        results = ""
        if self.results:
            first = self.results[0].name
            if len(self.results) == 1:
                results = f"{first} = "
            else:
                results = f"{first[: -len('#0')]}:{len(self.results)} = "
        operands = ", ".join(v.name for v in self.operands)
        props = f" <{attr_dict(self.properties)}>" if self.properties else ""
        regions = f" ({', '.join(map(str, self.regions))})" if self.regions else ""
        attrs = f" {attr_dict(self.attrs)}" if self.attrs else ""
        ins = ", ".join(str(v.type) for v in self.operands)
        outs = ", ".join(str(v.type) for v in self.results)
        if len(self.results) != 1:
            outs = f"({outs})"
        return f'{results}"{self.name}"({operands}){props}{regions}{attrs} : ({ins}) -> {outs} {self.loc}'


class Argument:
    __slots__ = ("value", "kind", "name", "loc", "memory_order")

    def __init__(self, value, kind, name, loc, memory_order=None):
        self.value, self.kind, self.name, self.loc, self.memory_order = value, kind, name, loc, memory_order

    def __str__(self):
        order = f", fxgraph.memory_order = array<i64: {', '.join(map(str, self.memory_order))}>" if self.memory_order else ""
        return (f"{self.value.name}: {self.value.type} "
                f"{{fxgraph.kind = {attr_str(self.kind)}, fxgraph.name = {attr_str(self.name)}{order}}} {self.loc}")


class Graph:
    """One func.func: arguments, ops in order, returned values."""

    def __init__(self, name="main", level="torch"):
        self.name, self.level = name, level
        self.arguments, self.ops, self.returns = [], [], []
        self.return_loc = "loc(unknown)"
        self._names = {}    # in order of appearance
        self._numbers = {}  # stem -> last number tried

    def unique_name(self, hint):
        """An SSA name from a node's name, unique within the function."""
        stem = re.sub(r"[^A-Za-z0-9_]", "_", hint or "v") or "v"
        if stem[0].isdigit():
            stem = "_" + stem
        name, n = stem, self._numbers.get(stem, 0)
        while name in self._names:
            n += 1
            name = f"{stem}_{n}"
        self._numbers[stem] = n
        self._names[name] = None
        return "%" + name

    def add_argument(self, type_, kind, name, loc, memory_order=None):
        value = Value(self.unique_name(name.replace(".", "_")), type_, is_argument=True)
        self.arguments.append(Argument(value, kind, name, loc, memory_order))
        return value

    def add_op(self, name, operands, result_types, properties=(), attrs=(), loc="loc(unknown)", hint=None, regions=()):
        stem = self.unique_name(hint or name.rpartition(".")[2]) if result_types else None
        if len(result_types) == 1:
            results = [Value(stem, result_types[0])]
        else:
            results = [Value(f"{stem}#{i}", t) for i, t in enumerate(result_types)]
        op = Op(name, list(operands), results, list(properties), list(attrs), loc, regions)
        self.ops.append(op)
        return results

    def checkpoint(self):
        return len(self.ops), len(self._names)

    def rollback(self, state):
        """Takes back what came after a checkpoint. Numbers are not used again."""
        count, names = state
        for op in self.ops[count:]:
            for value in op.results:
                value.dead = True
        del self.ops[count:]
        truncate(self._names, names)

    def __str__(self):
        args = ", ".join(map(str, self.arguments))
        outs = ", ".join(str(v.type) for v in self.returns)
        lines = [f"  func.func @{self.name}({args}) -> ({outs}) attributes {{fxgraph.level = {attr_str(self.level)}}} {{"]
        lines += [f"    {op}" for op in self.ops]
        names = ", ".join(v.name for v in self.returns)
        lines.append(f'    "func.return"({names}) : ({outs}) -> () {self.return_loc}')
        lines.append("  } loc(unknown)")
        return "\n".join(lines)


def truncate(entries, count):
    """Drops the youngest entries of a dict until `count` are left."""
    while len(entries) > count:
        entries.popitem()


def module_text(graphs):
    return "module {\n" + "\n".join(str(g) for g in graphs) + "\n} loc(unknown)\n"


def location(file=None, line=0, column=0, name=None):
    """loc("file":line:column) and/or a name around it."""
    inner = f"{attr_str(file)}:{line}:{column}" if file else None
    if name and inner:
        return f"loc({attr_str(name)}({inner}))"
    if name:
        return f"loc({attr_str(name)})"
    return f"loc({inner})" if inner else "loc(unknown)"
