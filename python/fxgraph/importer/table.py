# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The op table: which PyTorch callable is which op, and how arguments bind.

`op_table.json` is made from the ODS by utils/gen-op-table.py. Each overload is
a Python-like signature, for example

    torch.split(tensor: input, split_size_or_sections: split_size, dim=0)

whose annotation, where there is one, is the op's name for the parameter.
Parameters that map to a name with a leading underscore are not part of the op:
a handler consumes them, or their value must be harmless (see HARMLESS).
"""

import ast
import functools
import json
import os

TABLE_PATH = os.path.join(os.path.dirname(__file__), "op_table.json")

# Parameters outside of an op's meaning: any value gives the same result values.
HARMLESS = frozenset({
    "_cudnn", "_cudnn_enabled", "_nb", "_pm", "_sparse", "_sg", "_stacklevel", "_path", "_l", "_layout",
    "_pin", "_implicit", "_m", "_mf", "_memory_format", "_dev", "_device", "_inplace", "_copy", "_stable",
    "_padding_idx", "_scale_grad", "_requires_grad", "_out",
})
# NumPy spellings that PyTorch accepts for keyword arguments.
SYNONYMS = {"axis": "dim", "axis0": "dim0", "axis1": "dim1", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}
MISSING = object()


class Param:
    __slots__ = ("name", "target", "default", "keyword_only", "variadic")

    def __init__(self, name, target, default, keyword_only, variadic):
        self.name, self.target, self.default = name, target, default
        self.keyword_only, self.variadic = keyword_only, variadic


class Signature:
    """One overload: the callable's key and its parameters."""

    __slots__ = ("key", "op", "params", "text")

    def __init__(self, op, text):
        head, _, rest = text.partition("(")
        self.key, self.op, self.text = head.strip(), op, text
        args = ast.parse(f"def f({rest}: pass").body[0].args
        self.params = []

        def target(arg):
            return ast.unparse(arg.annotation) if arg.annotation else arg.arg

        positional = args.posonlyargs + args.args
        defaults = [MISSING] * (len(positional) - len(args.defaults)) + [ast.literal_eval(d) for d in args.defaults]
        for arg, default in zip(positional, defaults):
            self.params.append(Param(arg.arg, target(arg), default, False, False))
        if args.vararg:
            self.params.append(Param(args.vararg.arg, target(args.vararg), (), False, True))
        for arg, default in zip(args.kwonlyargs, args.kw_defaults):
            self.params.append(Param(arg.arg, target(arg), MISSING if default is None else ast.literal_eval(default), True, False))

    def bind(self, args, kwargs):
        """{op's parameter name: (value, given)}; None if the arguments do not fit."""
        bound, kwargs = {}, dict(kwargs)
        position = 0
        for param in self.params:
            if param.variadic:
                rest = args[position:]
                position = len(args)
                if len(rest) == 1 and isinstance(rest[0], (list, tuple)):
                    rest = rest[0]
                name = param.name if param.name in kwargs else ("size" if "size" in kwargs and not rest else None)
                if name:
                    rest = kwargs.pop(name)
                bound[param.target] = (list(rest), True)
                continue
            if not param.keyword_only and position < len(args):
                bound[param.target] = (args[position], True)
                position += 1
                continue
            names = [param.name] + [k for k, v in SYNONYMS.items() if v == param.name]
            name = next((n for n in names if n in kwargs), None)
            if name:
                bound[param.target] = (kwargs.pop(name), True)
            elif param.default is not MISSING:
                bound[param.target] = (param.default, False)
            else:
                return None
        if position < len(args) or kwargs:
            return None
        return bound


class OpInfo:
    """An op of the table: operands, attributes, results, and the fields that FxGraphBase.td describes."""

    __slots__ = ("name", "operands", "attrs", "results", "promotion", "inverse", "reduction", "effects", "fails_on", "aliases", "segments",
                 "same_type", "signatures")

    def __init__(self, name, record):
        self.name = name
        self.operands, self.attrs, self.results = record["operands"], record["attrs"], record["results"]
        self.promotion, self.inverse = record["promotion"], record.get("inverse")
        self.reduction, self.aliases = record.get("reduction", False), record.get("aliases", ())
        self.effects, self.fails_on = record.get("effects", False), record.get("fails_on")
        self.segments = record.get("segments", False)
        self.same_type = record.get("same_type", False)
        self.signatures = [Signature(name, text) for text in record["overloads"]]


@functools.lru_cache(maxsize=None)
def load_table():
    """{op name: OpInfo}, in the table's order."""
    with open(TABLE_PATH, encoding="utf-8") as stream:
        return {name: OpInfo(name, record) for name, record in json.load(stream).items()}


@functools.lru_cache(maxsize=None)
def signatures_by_key():
    """{callable's key: [Signature]}, in the table's order."""
    index = {}
    for op in load_table().values():
        for signature in op.signatures:
            index.setdefault(signature.key, []).append(signature)
    return index
