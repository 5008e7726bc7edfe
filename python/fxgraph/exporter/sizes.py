# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Symbolic numbers of a capture as values of the recorded graph."""

import sympy
import torch
from torch.utils._sympy.interp import sympy_interp
from torch.utils._sympy.reference import PythonReferenceAnalysis

from .callables import aten


class Sizes:
    """Numbers that the extents of the arguments tell: a symbol is an argument's extent."""

    def __init__(self, recorder, arguments):
        self.known, self.places = {}, {}
        for argument in arguments:
            fake = recorder.fake(argument)
            for dim, extent in enumerate(fake.shape if isinstance(fake, torch.Tensor) else ()):
                if isinstance(extent, torch.SymInt) and extent.node.expr.is_Symbol:
                    self.places.setdefault(extent.node.expr, (argument, dim))

    def tell(self, layout):
        """True if the arguments tell the numbers of a layout."""
        numbers = [number.node.expr for number in (*layout.shape, *layout.strides, layout.offset) if isinstance(number, torch.SymInt)]
        return all(expr.free_symbols <= set(self.places) for expr in numbers)

    def value(self, number):
        """The number, or what computes it."""
        if not isinstance(number, torch.SymInt):
            return number
        expr = sympy.sympify(number.node.expr)
        if expr.is_Integer:
            return int(expr)
        if expr not in self.known:
            for symbol in expr.free_symbols - set(self.known):
                self.known[symbol] = aten.sym_size.int(*self.places[symbol])
            if not expr.is_Symbol:
                self.known[expr] = sympy_interp(PythonReferenceAnalysis, {symbol: self.known[symbol] for symbol in expr.free_symbols}, expr)
        return self.known[expr]

    def geometry(self, layout):
        """(shape, strides, offset)"""
        return list(map(self.value, layout.shape)), list(map(self.value, layout.strides)), self.value(layout.offset)
