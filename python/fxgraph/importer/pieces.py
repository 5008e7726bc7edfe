# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Splits along symbolic extents whose pieces are not the same rule for all of them.

How many pieces `x.split(2)` and `x.unbind()` give, and how long those of `x.tensor_split(2)`
are, hangs on the extent; a traced graph has the pieces of the example's. PyTorch
traces them under a guard that its own graph checks at each call. A module has no
guards: such a graph would be silently wrong at other sizes, so it is refused, as
torch.export refuses it of a named Dim. `vsplit` and its like by a number take the extents that it
divides: that is checked when the graph runs.
"""

import sympy

from torch.utils._sympy.functions import Mod

from . import symbols
from ..errors import ImportFailure
from .tracker import Tensor

# Dimension that a function divides evenly, of tensors of rank 2 or more.
EVEN = {"hsplit": 1, "vsplit": 0, "dsplit": 2}
# Functions whose number of results a size decides.
NAMES = ("split", "chunk", "tensor_split", "unbind")
ARGUMENTS = ("split_size", "split_size_or_sections", "chunks", "indices_or_sections", "sections")


def lengths(name, number, extent):
    """Those of the pieces that PyTorch cuts an extent into."""
    if name == "unbind":
        return [1] * extent
    if name == "tensor_split":
        length, longer = divmod(extent, number)
        return [length + (i < longer) for i in range(number)]
    if name == "chunk":
        if extent == 0:
            return [0] * number
        number = -(-extent // number)
    return [min(number, extent - start) for start in range(0, extent, number)] if extent and number else [extent]


def _samples(env, free):
    """Values of symbols: each by itself from its least one on and far from it, the others at their least."""
    ranges = {symbol: env.var_to_range.get(symbol) for symbol in free}
    least = {symbol: sympy.Integer(max(range_.lower, 0)) if range_ else sympy.Integer(2) for symbol, range_ in ranges.items()}
    for symbol, range_ in ranges.items():
        start = int(least[symbol])
        for value in (*range(start, start + 10), *range(10 * start + 10, 10 * start + 14), 1000 * start + 1):
            if range_ is None or value <= range_.upper:
                yield {**least, symbol: sympy.Integer(value)}
        if range_ is not None and range_.upper.is_Integer:
            yield {**least, symbol: range_.upper}


def _check_even(importer, call, dim):
    """Asserts that the number of pieces divides a symbolic extent."""
    number = call.args[1] if len(call.args) > 1 else next((call.kwargs[key] for key in ARGUMENTS if key in call.kwargs), None)
    if not isinstance(number, int) or not isinstance(call.args[0], Tensor):
        return
    shape = call.args[0].fake.shape
    condition = sympy.Eq(Mod(symbols.expression(shape[min(dim, len(shape) - 1)]), number), 0)
    if condition.free_symbols:
        importer.assert_scalar(condition, f"expected {importer.symbols.named(condition)} but got other sizes")


def check(importer, call):
    """Raises ImportFailure if a call's pieces are others at another extent."""
    name = (call.key.split(".")[1] if call.key.startswith("aten.") else call.key.rpartition(".")[2]).removeprefix("unsafe_")
    if name in EVEN:
        return _check_even(importer, call, EVEN[name])
    if name not in NAMES or not isinstance(call.fake, (list, tuple)) or not call.args or not isinstance(call.args[0], Tensor):
        return
    parameters = list(call.args[1:])
    number = 1 if name == "unbind" else parameters.pop(0) if parameters else next((call.kwargs[key] for key in ARGUMENTS if key in call.kwargs), None)
    dim = parameters[0] if parameters else call.kwargs.get("dim", call.kwargs.get("axis", 0))
    if number is None or isinstance(number, (list, tuple, Tensor)):
        return  # the lengths are given
    extent, given = symbols.expression(call.args[0].fake.shape[dim]), symbols.expression(number)
    pieces = [symbols.expression(1 if name == "unbind" else piece.shape[dim]) for piece in call.fake]
    free = sorted(set().union(*(expr.free_symbols for expr in (extent, given, *pieces))), key=str)
    for values in _samples(importer.fake_mode.shape_env, free):
        at, by, *here = [int(expr.xreplace(values)) for expr in (extent, given, *pieces)]
        expected = lengths(name, by, at)
        if at >= 0 and here != expected:
            raise ImportFailure(
                f"node {call.node.name} ({call.key}) at {importer.where(call.node)}: expected pieces that are the same rule for all sizes but got "
                f"{len(pieces)} of length {', '.join(map(str, pieces))}, which for an extent of {at} would have to be {', '.join(map(str, expected))}: "
                f"bound the size (torch.export.Dim) or make it constant")
