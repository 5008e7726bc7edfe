# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditions on a size that are no arithmetic of integers, as bounds of the size: `math.log2(n) > 2`, `n / 2 <= 2.5`.

The dialect computes with sizes in integers. Where both sides of a comparison grow or fall with one size, it holds up to a
size, or from one on. Bisection finds that size, with PyTorch's own evaluation of the two sides: Python's floats, with their
rounding.
"""

import sympy

# Sizes at which conditions are evaluated: all that tensors have, and floats hold.
LEAST, GREATEST = 1, 2**53
# Functions that grow with their argument.
GROWING = frozenset({"ToFloat", "RoundToInt", "FloorToInt", "CeilToInt", "TruncToInt", *(
    f"OpaqueUnaryFn_{name}" for name in ("sqrt", "exp", "log", "log2", "atan", "tanh", "sinh", "asinh"))})
QUOTIENTS = frozenset({"IntTrueDiv", "FloatTrueDiv", "FloorDiv", "CleanDiv"})
POWERS = frozenset({"Pow", "FloatPow", "PowByNatural"})


def _is_size(expr):
    """True for a size, also as a float: no negative number."""
    return expr.is_Symbol or type(expr).__name__ == "ToFloat" and expr.args[0].is_Symbol


def _joined(directions):
    """The direction of what grows with each of its parts."""
    found = set(directions) - {0}
    return None if None in found or len(found) > 1 else found.pop() if found else 0


def direction(expr):
    """1 of what grows with its only size (or stays), -1 of what falls, 0 of a number, None if that is not known."""
    kind, args = type(expr).__name__, expr.args
    if expr.is_number:
        return 0
    if expr.is_Symbol:
        return 1
    if kind in GROWING:
        return direction(args[0])
    if expr.is_Add or kind in ("Max", "Min"):
        return _joined(map(direction, args))
    if expr.is_Mul:
        number, rest = expr.as_coeff_Mul()
        if number == 1:  # a float is no coefficient to sympy
            floats, others = [a for a in args if a.is_number], [a for a in args if not a.is_number]
            number, rest = sympy.Mul(*floats), others[0] if len(others) == 1 else expr
        along = None if rest == expr else direction(rest)
        return None if along is None else along if number > 0 else -along
    if kind in QUOTIENTS and args[1].is_number and args[1] > 0:
        return direction(args[0])
    if kind in QUOTIENTS and args[0].is_number and args[0] > 0 and _is_size(args[1]):
        return -1
    if kind in POWERS and _is_size(args[0]) and args[1].is_number:
        return 1 if args[1] > 0 else -1
    return None


def _holds(relation, symbol, size):
    return relation.xreplace({symbol: sympy.Integer(size)}) == sympy.true


def as_bound(relation):
    """A condition on integers that holds at the sizes at which a comparison with a size in it does; None where none is known."""
    if len(relation.free_symbols) != 1:
        return None
    if isinstance(relation, (sympy.Eq, sympy.Ne)):
        sides = [as_bound(kind(relation.lhs, relation.rhs)) for kind in (sympy.Le, sympy.Ge)]
        if None in sides:
            return None
        both = sympy.And(*sides)
        return both if isinstance(relation, sympy.Eq) else sympy.Not(both)
    falls = direction(relation.rhs)
    if _joined([direction(relation.lhs), None if falls is None else -falls]) is None:
        return None
    symbol, = relation.free_symbols
    low, high = LEAST, GREATEST
    first, last = (_holds(relation, symbol, size) for size in (low, high))
    if first == last:
        return sympy.true if first else sympy.false
    while high - low > 1:
        middle = (low + high) // 2
        if _holds(relation, symbol, middle) == first:
            low = middle
        else:
            high = middle
    return sympy.Le(symbol, low) if first else sympy.Ge(symbol, high)
