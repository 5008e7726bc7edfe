# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a trace assumed of sizes that vary, as checks when the graph runs.

Tracing takes one way through a model: at `if x.shape[0] > 3` that of the example, and PyTorch notes the condition as
a guard. A graph that runs on its own has nobody else who checks it: each such condition becomes an
`fxgraph.assert_scalar` at the function's start.

Of PyTorch's guards only those count for which the model's own Python asks. The rest come from PyTorch's rules for shapes,
which ask whether a size is 1, or whether a tensor is contiguous, to choose strides, and from operators' C++, which makes
numbers of sizes (`x[n // 2]`): the dialect's ops have rules of their own for all sizes. Those of them that decide a shape
are checked where they do (assumptions.py).
"""

import ast
import functools
import math
import os
import re
import sys
import traceback

import sympy
import torch
import torch.utils._pytree as pytree
from torch.export.graph_signature import InputKind
from torch.fx.experimental.symbolic_shapes import sym_and, sym_or
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy

from ..errors import ImportFailure
from .assumptions import Assumptions
from .graph import Unsupported, meta_of

TORCH = os.path.dirname(torch.__file__)
# Where the frame that asks is PyTorch's, but asks for the model: Dynamo's variables, asserts, Python of layers.
ASKERS = tuple(os.path.join(TORCH, *parts) for parts in (
    ("_dynamo", "variables", ""), ("_dynamo", "symbolic_convert.py"), ("nn", ""), ("functional.py",), ("__init__.py",)))
# Where Dynamo runs a call of the graph on fakes.
RUNNER = os.path.join(TORCH, "_dynamo", "utils.py")
# Where PyTorch clamps the bounds of a slice: the extent of `x[5:]` is 0 or five less, and what follows is made of it.
CLAMPING = "_compute_slice_index"
# Sizes of 0 and 1 are special in every trace; PyTorch writes no condition for them.
LEAST = 2


def _asked(gm):
    """The conditions that calls of a graph take, and their opposites: `not (n == 5)` is a call that asks whether n is 5."""
    found = set()
    for node in gm.graph.nodes if gm is not None else ():
        for arg in node.all_input_nodes if node.op == "call_function" else ():
            value = arg.meta.get("example_value", arg.meta.get("val"))
            if isinstance(value, torch.SymBool):
                found |= {value.node.expr, sympy.Not(value.node.expr)}
    return found


def _decides(guard, asked):
    """True if the model asked for a guard's condition."""
    frame = guard.sloc.framework_loc
    file = frame.filename if isinstance(frame, traceback.FrameSummary) else str(frame or "")
    if file == RUNNER:  # of a call that asks, or of an operator's rules
        return guard.expr in asked or _made_a_number(guard.expr)
    if getattr(frame, "name", None) == CLAMPING:
        return True
    if "_VF." in (getattr(frame, "line", None) or ""):  # PyTorch's Python that calls an operator's C++, which asks
        return False
    if isinstance(guard.expr, sympy.Eq) and guard.expr.rhs.is_Float:  # a parameter that became a number: the graph has it
        return True
    return not file.startswith(TORCH + os.sep) or file.startswith(ASKERS)


def _made_a_number(condition):
    """True of `float(n) == 4.0`: the model's float of a size went where Dynamo takes numbers alone (`math.exp`)."""
    return isinstance(condition, sympy.Eq) and condition.rhs.is_Float and any(type(e).__name__ == "ToFloat" for e in sympy.preorder_traversal(condition.lhs))


def _place(guard):
    """` at file:line` of the model's source, or nothing."""
    frame, user = guard.sloc.framework_loc, guard.sloc.maybe_user_loc
    if isinstance(frame, traceback.FrameSummary) and not frame.filename.startswith(TORCH + os.sep):
        return f" at {os.path.basename(frame.filename)}:{frame.lineno}"
    found = re.search(r"# (\S+:\d+) in ", str(user or ""))
    return f" at {os.path.basename(found[1])}" if found else ""


def _conditions(env, asked):
    """(condition, place) of the guards that decide, without the replacements that a later guard brought."""
    for guard in env.guards:
        if _decides(guard, asked):
            for condition in sympy.And.make_args(env.replace(guard.expr)):
                yield condition, _place(guard)


class _Sizes:
    """What the source of a guard calls a tensor: its sizes are the fake's."""

    def __init__(self, fake):
        self.fake = fake

    def size(self):
        return self.fake.shape

    def stride(self):
        return self.fake.stride()

    def storage_offset(self):
        return self.fake.storage_offset()


class _Joined(ast.NodeTransformer):
    """`and`, `or`, `not` and `a < b < c` ask for plain bools; these are calls on symbolic ones."""

    @staticmethod
    def call(name, args):
        return ast.Call(ast.Name(name, ast.Load()), args, [])

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        return self.call("sym_and" if isinstance(node.op, ast.And) else "sym_or", node.values)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return self.call("sym_not", [node.operand]) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node):
        self.generic_visit(node)
        sides = [node.left, *node.comparators]
        return self.call("sym_and", [ast.Compare(a, [op], [b]) for a, op, b in zip(sides, node.ops, sides[1:])])


# What the text of a saved condition calls.
NAMES = {"torch": torch, "math": math, "abs": abs, "round": round, "sym_and": sym_and, "sym_or": sym_or, "sym_not": torch.sym_not,
         "min": lambda *args: functools.reduce(torch.sym_min, args), "max": lambda *args: functools.reduce(torch.sym_max, args)}
CALLS = re.compile(r"abs|round|min|max|math\.\w+|torch\.(sym_\w+|_sym_\w+)")
# What it consists of besides calls of these, and of the methods of _Sizes.
SYNTAX = (ast.Expression, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Subscript, ast.Constant, ast.Load, ast.cmpop, ast.boolop,
          ast.unaryop, ast.operator)


def _is_condition(node):
    """True if a syntax tree is comparisons and arithmetic of sizes: evaluating it runs no other code, whoever wrote the file."""
    if isinstance(node, ast.Call):
        is_size = isinstance(node.func, ast.Attribute) and node.func.attr in ("size", "stride", "storage_offset") and not node.args
        callee = _is_condition(node.func.value) if is_size else CALLS.fullmatch(ast.unparse(node.func))
        return bool(callee) and not node.keywords and all(map(_is_condition, node.args))
    if isinstance(node, ast.Name):
        return node.id == "L"
    return isinstance(node, SYNTAX) and all(map(_is_condition, ast.iter_child_nodes(node)))


def forward_arguments(ep):
    """{parameter of the model's forward: its example, with fakes for tensors} of an exported program."""
    kinds = {spec.arg.name: spec for spec in ep.graph_signature.input_specs}
    leaves = []
    for node in ep.graph.nodes:
        if node.op == "placeholder" and kinds[node.name].kind is InputKind.USER_INPUT:
            meta = meta_of(node)
            leaves.append(meta if meta is not None else getattr(kinds[node.name].arg, "value", None))
    args, kwargs = pytree.tree_unflatten(leaves, ep.call_spec.in_spec)
    names = ep.module_call_graph[0].signature.forward_arg_names or ()
    arguments = {**dict(zip(names, args)), **kwargs}
    # Those of a variadic parameter, a_0 and a_1, are entries of a.
    for name, value in zip(names, args):
        if match := re.fullmatch(r"(.+)_(\d+)", name):
            arguments.setdefault(match[1], {})[int(match[2])] = value
    return arguments


def _saved_conditions(importer, sources, inputs):
    """(condition, place) of the guards of a saved program: Python text over `L["x"].size()[0]`, without the place that asked,
    so that all of them count."""
    known = NAMES | {"L": pytree.tree_map(lambda value: _Sizes(value) if isinstance(value, torch.Tensor) else value, inputs())}
    for source in sources:
        try:
            tree = ast.parse(source.strip(), mode="eval")
            if not _is_condition(tree):
                raise ValueError("it is more than comparisons and arithmetic")
            tree = ast.fix_missing_locations(_Joined().visit(tree))
            with importer.replay.guarded():
                value = eval(compile(tree, "<guard>", "eval"), {"__builtins__": {}}, known)
        except Exception as error:
            raise ImportFailure(f"expected a condition on the sizes of inputs but got {source!r}: {error}") from error
        if isinstance(value, torch.SymBool):
            for condition in sympy.And.make_args(value.node.expr):
                yield condition, ""


def check_sizes(importer, gm=None, saved=(), inputs=None):
    """Asserts what the trace assumed of the sizes of the arguments; call it when all arguments are there.

    `gm`: the graph that Dynamo made; `saved`: the sources of a saved program's guards; inputs() gives what they name
    (forward_arguments).
    """
    env = importer.fake_mode.shape_env
    if env is None:
        return
    found = list(_saved_conditions(importer, saved, inputs) if saved and not env.guards else _conditions(env, _asked(gm)))
    ranges = {symbol: range_ for symbol, range_ in env.var_to_range.items()
              if symbol not in env.replacements and importer.symbols.available(symbol)}
    least = {symbol: ValueRanges(sympy.Integer(LEAST), int_oo) for symbol in ranges}
    found = [(condition, place) for condition, place in dict(reversed(found)).items()
             if condition.free_symbols and condition.free_symbols <= ranges.keys() and bound_sympy(condition, least).lower != sympy.true]
    # What bounds a size need not come from a guard: torch.export.Dim does, and PyTorch decides without a guard what the bounds tell.
    # The bounds that guards brought are checked with the guards that decide.
    guarded = {condition for guard in env.guards for condition in sympy.And.make_args(env.replace(guard.expr))}
    for symbol, range_ in ranges.items():
        known = [_bounds(condition, symbol) for condition in {*guarded, *(condition for condition, _ in found)}]
        if range_.lower > max([LEAST, *(lower for lower, _ in known)]):
            found.append((sympy.Ge(symbol, range_.lower), ""))
        if range_.upper < min([sys.maxsize // 2, *(upper for _, upper in known)]):
            found.append((sympy.Le(symbol, range_.upper), ""))
    for condition, place in found:
        text = importer.symbols.named(condition)
        try:
            importer.assert_scalar(condition, f"expected {text}, as when the model was captured{place}, but got other sizes")
        except Unsupported as error:
            raise ImportFailure(f"the model hangs on {text}{place}, which is not checked when the graph runs: {error}") from None
    importer.symbols.check_computed_extents()
    checked = [condition for condition, _ in found]
    equal = dict.fromkeys(condition for guard in env.guards for condition in sympy.And.make_args(env.replace(guard.expr)) if isinstance(condition, sympy.Eq)
                          and condition.free_symbols and condition.free_symbols <= ranges.keys() and condition not in checked)
    importer.assumptions = Assumptions(importer, list(equal), checked, ranges)


def _bounds(condition, symbol):
    """(least, greatest) of a size of which a condition `size < number` or the like holds."""
    if not condition.is_Relational or condition.lhs != symbol or not condition.rhs.is_Integer:
        return 0, sys.maxsize
    number = int(condition.rhs)
    return {">": (number + 1, sys.maxsize), ">=": (number, sys.maxsize), "<": (0, number - 1), "<=": (0, number)}.get(
        condition.rel_op, (0, sys.maxsize))
