# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes that hold only as a trace's sizes were.

PyTorch's rules for shapes ask whether a size that is computed from others is 1 (`x[:n // 2 - 1]` of four rows), and go on with
what holds then: the result of `view(1, -1)` is the operand, that of a sum as long as the other operand. Most of
these conditions decide strides alone and are none here (guards.py). Which decide a shape the call tells: it runs on tensors
without data at sizes that break the condition, and if its result is of another shape than the trace says, the condition is
checked when the graph runs.
"""

import itertools

import sympy
import torch

from . import symbols
from .replay import flatten

# Sizes that are tried for a symbol lie at most so far from the example's.
REACH = 16
# For so many sizes that break a condition a call is tried.
SAMPLES = 3


class Assumptions:
    """The conditions on sizes that are not checked so far, with sizes that break each of them."""

    def __init__(self, importer=None, conditions=(), checked=(), ranges=None):
        self.importer, self.open, self.checked, self.ranges = importer, [], list(checked), ranges
        if not conditions:
            return
        self.example = {symbols.expression(size): sympy.Integer(size.node.hint) for tensor, *_ in importer.arguments for size in tensor.fake.shape
                        if isinstance(size, torch.SymInt) and symbols.expression(size).is_Symbol and size.node.hint is not None}
        self.keep(conditions)

    def keep(self, conditions):
        """Those of the conditions that can be broken while all that is checked holds."""
        # What follows from a size of 1 is checked as that.
        conditions = sorted(conditions, key=lambda condition: condition.rhs != 1)
        self.open = [(condition, sizes) for condition in conditions for sizes in itertools.islice(self.breaking(condition), SAMPLES)]

    def breaking(self, condition):
        for step in (*range(1, REACH + 1), *range(-1, -REACH - 1, -1)):
            for symbol in sorted(condition.free_symbols & self.example.keys(), key=str):
                sizes = {**self.example, symbol: self.example[symbol] + step}
                if sizes[symbol] < max(2, self.ranges[symbol].lower) or sizes[symbol] > self.ranges[symbol].upper:
                    continue
                if _holds(condition, sizes) is False and all(_holds(known, sizes) for known in self.checked):
                    yield sizes

    def before(self, args, kwargs):
        """A call's operands as they are before it, at the example's sizes and at those that break a condition."""
        if not self.open:
            return []
        fakes = self.importer.fakes(args), self.importer.fakes(kwargs)
        if not any(isinstance(item, torch.SymInt) or isinstance(item, torch.Tensor) and any(isinstance(n, torch.SymInt) for n in item.shape)
                   for item in flatten(fakes)):
            return []
        return [_at(fakes, sizes) for sizes in (self.example, *(sizes for _, sizes in self.open))]

    def check(self, call, operands):
        """Asserts the conditions without which a call that was made has a result of another shape than its fake."""
        if not operands or call.target is None or call.key.startswith("higher_order.") or not _as_at(call, operands[0], self.example):
            return  # what the call gives without data says nothing
        for (condition, sizes), given in zip(list(self.open), operands[1:]):
            if condition in self.checked or not all(_holds(known, sizes) for known in self.checked) or _as_at(call, given, sizes) is not False:
                continue
            self.checked.append(condition)
            self.importer.assert_scalar(condition, f"expected {self.importer.symbols.named(condition)}, as when the model was captured, but got other "
                                        f"sizes: {call.key} would give another shape")
        if any(condition in self.checked for condition, _ in self.open):
            self.keep(dict.fromkeys(condition for condition, _ in self.open if condition not in self.checked))


def _value(expr, sizes):
    """An expression at certain sizes; None where they do not tell it, or it divides by 0."""
    try:
        return expr.xreplace(sizes)
    except ZeroDivisionError:
        return None


def _holds(condition, sizes):
    """True or False; None where that is not known."""
    value = _value(condition, sizes)
    return bool(value) if value in (sympy.true, sympy.false) else None


class _Unknown(Exception):
    """A size that the sizes of arguments do not tell."""


def _number(size, sizes):
    value = _value(symbols.expression(size), sizes)
    if value is None or not value.is_Integer:
        raise _Unknown
    return int(value)


def _at(value, sizes):
    """Operands at certain sizes, tensors without data; None where those are not known."""
    tensors = {}

    def of(item):
        if isinstance(item, (list, tuple)) and not isinstance(item, torch.Size):
            return type(item)(map(of, item)) if type(item) in (list, tuple) else [of(part) for part in item]
        if isinstance(item, torch.Size):
            return [of(part) for part in item]
        if isinstance(item, dict):
            return {key: of(part) for key, part in item.items()}
        if isinstance(item, slice):
            return slice(of(item.start), of(item.stop), of(item.step))
        if isinstance(item, torch.SymInt):
            return _number(item, sizes)
        if isinstance(item, (torch.SymFloat, torch.SymBool)):
            raise _Unknown
        if not isinstance(item, torch.Tensor):
            return item
        if id(item) not in tensors:
            if item.layout is not torch.strided:
                raise _Unknown
            shape, strides = ([_number(n, sizes) for n in numbers] for numbers in (item.shape, item.stride()))
            if min([0, *shape, *strides]) < 0:
                raise _Unknown
            tensors[id(item)] = torch.empty_strided(shape, strides, dtype=item.dtype, device="meta")
        return tensors[id(item)]

    try:
        return of(value)
    except _Unknown:
        return None


def _as_at(call, operands, sizes):
    """True if a call's result has the shapes that its fake says for the sizes, False if it has others, None if that is not known."""
    if operands is None:
        return None
    try:
        with torch.inference_mode(False), torch.no_grad():
            got = list(flatten(call.target(*operands[0], **operands[1])))
        want = list(flatten(call.fake))
        if len(got) != len(want):
            return False
        return all(list(g.shape) == [_number(n, sizes) for n in w.shape] if isinstance(w, torch.Tensor) else
                   not isinstance(w, torch.SymInt) or g == _number(w, sizes) for g, w in zip(got, want))
    except Exception:  # noqa: BLE001: whatever PyTorch or the callable raises for tensors without data
        return None
