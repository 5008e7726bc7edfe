# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The IR of a module as Python objects, as lib/Bindings/Python/Walk.cpp gives it."""

import re

from .errors import FxGraphError
from .runtime import native


class Type:
    """A tensor type: dtype, shape (None for a dynamic extent), encoding text."""

    __slots__ = ("dtype", "shape", "encoding")

    def __init__(self, dtype, shape, encoding=None):
        self.dtype, self.shape, self.encoding = dtype, shape, encoding

    @property
    def symbols(self):
        """For each dimension the name of its extent; None where it has none."""
        found = re.search(r"dims = \[([^\]]*)\]", self.encoding or "")
        names = iter(found[1].split(", ") if found else ())
        symbols = [next(names, "?") if extent is None else "?" for extent in self.shape]
        return [None if name == "?" else name for name in symbols]

    @property
    def device(self):
        """The device's name, None for the module's."""
        named = re.search(r'device = "([^"]*)"', self.encoding or "")
        return named and named[1]

    def __repr__(self):
        extents = "".join("?x" if extent is None else f"{extent}x" for extent in self.shape)
        return f"tensor<{extents}{self.dtype}>"


class Dense:
    """A dense literal: its type and the bytes of its elements; one element for a splat, a byte for each bool."""

    __slots__ = ("type", "raw")

    def __init__(self, type_, raw):
        self.type, self.raw = type_, raw


class TypeAttr:
    __slots__ = ("type",)

    def __init__(self, type_):
        self.type = type_


class Op:
    __slots__ = ("name", "operands", "results", "attrs", "types", "regions")

    def __init__(self, name, operands, results, attrs, types, regions=()):
        self.name, self.operands, self.results, self.attrs, self.types, self.regions = name, operands, results, attrs, types, regions


class Region:
    """arguments [(value, type)], ops; the last op is the yield."""

    __slots__ = ("arguments", "ops")

    def __init__(self, arguments, ops):
        self.arguments, self.ops = arguments, ops


class Function:
    """name, arguments [(value, type, {attribute: value})], ops; the last op is the return."""

    __slots__ = ("name", "arguments", "ops", "attrs")

    def __init__(self, name, arguments, ops, attrs):
        self.name, self.arguments, self.ops, self.attrs = name, arguments, ops, attrs


def _type(description):
    return Type(*description[1:]) if isinstance(description, tuple) else description


def _attribute(description):
    if isinstance(description, tuple):
        kind = description[0]
        if kind == "dense":
            return Dense(_type(description[1]), description[2])
        return TypeAttr(_type(description[1])) if kind == "type" else description[1]
    if isinstance(description, list):
        return [_attribute(item) for item in description]
    if isinstance(description, dict):
        return {key: _attribute(value) for key, value in description.items()}
    return description


def _ops(walked):
    return [Op(op, operands, results, {key: _attribute(value) for key, value in attrs.items()}, [_type(t) for t in types],
               [Region([(value, _type(type_)) for value, type_ in arguments], _ops(inner)) for arguments, inner in regions])
            for op, operands, results, attrs, types, regions in walked]


def functions(handle):
    """[Function] of a module of the library."""
    try:
        walked = handle.walk()
    except (ValueError, native().Error) as error:
        raise FxGraphError(str(error)) from None
    return [Function(name, [(value, _type(type_), _attribute(extra)) for value, type_, extra in arguments], _ops(ops), attrs)
            for name, arguments, ops, attrs in walked]
