# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Symbolic sizes: names for extents, and index arithmetic for size operands.

A SymInt's expression is all there is to it: nodes that compute with sizes are
not imported one by one, an expression becomes ops where an op needs it. A
plain symbol gets a name (s0, s1, … in order of appearance); so does any other
expression (e0, e1, …), so that equal expressions are seen to be equal.
"""

import fractions

import sympy
import torch
from torch.utils._sympy.functions import FloorDiv, Max, Min
from torch.utils._sympy.printers import PythonPrinter

from . import ir
from .bounds import as_bound
from ..errors import ImportFailure

COMPARISONS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}

# A quotient that Python rounds, in integers.
ROUNDED = {"CeilToInt": lambda a, b: -FloorDiv(-a, b), "FloorToInt": FloorDiv,
           "TruncToInt": lambda a, b: Max(FloorDiv(a, b), Min(-FloorDiv(-a, b), sympy.Integer(0)))}

# What PyTorch calls functions of the bits of two sizes, and the dialect does.
BITWISE = {"bitwise_and": "andi", "bitwise_or": "ori", "bitwise_xor": "xori"}

# Python's math functions that ops are named like.
MATH = {"sqrt", "exp", "log", "log2", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"}


def expression(value):
    """sympy expression of an int or SymInt."""
    if isinstance(value, torch.SymInt):
        return sympy.sympify(value.node.expr)
    return sympy.Integer(int(value))


def as_int(value):
    """The number, or None if it is symbolic (guards are not specialised)."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    if isinstance(value, torch.SymInt):
        known = value.node.maybe_as_int()
        if known is not None:
            return int(known)
        expr = value.node.expr
        return int(expr) if getattr(expr, "is_number", False) else None
    return None


def plain(value):
    """A symbolic number whose expression is a number, as that number."""
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        expr = value.node.expr
        if isinstance(value, torch.SymBool):
            return bool(expr) if expr in (sympy.true, sympy.false) else value
        if getattr(expr, "is_number", False):
            return int(expr) if isinstance(value, torch.SymInt) else float(expr)
    return value


def quotient_of(number):
    """The integers whose quotient a number is, if Python computes it exactly or as one quotient (`2.0 * n`, `0.25 * n`, `n / m`); None of others."""
    if type(number).__name__ == "IntTrueDiv":
        return number.args
    if number.is_Mul and len(number.args) == 2 and number.args[0].is_Float and type(number.args[1]).__name__ == "ToFloat":
        factor = fractions.Fraction(float(number.args[0]))
        # Of such a factor and any size that there is the product is a double.
        if max(abs(factor.numerator), factor.denominator) <= 2 ** 10:
            return factor.numerator * number.args[1].args[0], sympy.Integer(factor.denominator)
    return None


class Symbols:
    def __init__(self, importer):
        self.importer = importer
        self.names = {}      # expression -> name
        self.by_name = {}    # name -> expression
        self.values = {}     # expression -> index value
        self.elements = {}   # symbol -> rank-0 tensor whose element it is
        self.bools = set()   # those of bool tensors
        self.sources = []    # (expression, tensor value, dim) of the arguments
        self.counts = {"s": 0, "u": 0, "e": 0}

    def dim(self, size):
        """int, or the name of a symbolic extent."""
        known = as_int(size)
        return known if known is not None else self.extent(expression(size))

    def extent(self, expr):
        """int, or the name of an extent's expression."""
        if expr.is_Integer:
            return int(expr)
        if expr not in self.names:
            prefix = "e"
            if expr.is_Symbol:
                prefix = "u" if str(expr).startswith(("u", "zuf")) else "s"
            name = f"{prefix}{self.counts[prefix]}"
            self.counts[prefix] += 1
            self.names[expr] = name
            self.by_name[name] = expr
        return self.names[expr]

    def add_source(self, fake, value):
        """Records where the extents of an argument, or of an opaque op's result, can be read."""
        for dim, size in enumerate(fake.shape):
            if as_int(size) is None:
                self.sources.append((expression(size), value, dim))

    def define(self, size, value):
        """The index value that holds a symbol (results of opaque ops, index arguments)."""
        if as_int(size) is None:
            self.values.setdefault(expression(size), value)

    def define_element(self, number, value):
        """The rank-0 tensor (f64 or i64) whose element the symbol of a number is; none if PyTorch knows the number."""
        for symbol in number.node.expr.free_symbols:
            self.elements[symbol] = value
            if isinstance(number, torch.SymBool):
                self.bools.add(symbol)

    def of_elements(self, size):
        """True if a size is computed from elements of tensors."""
        return any(symbol in self.elements for symbol in expression(size).free_symbols)

    def available(self, expr):
        """True if the symbols of an expression are extents of arguments or defined."""
        return all(symbol in self.values or any(symbol in source.free_symbols for source, _, _ in self.sources)
                   for symbol in expr.free_symbols)

    def extent_name(self, value, dim):
        name = next(argument.name for argument in self.importer.graph.arguments if argument.value is value)
        return f"{name}.shape[{dim}]"

    def named(self, condition):
        """The condition as Python text in which extents are those of the arguments."""
        arguments = {argument.value: argument.name for argument in self.importer.graph.arguments}
        names = {}
        for expr, value, dim in self.sources:
            if expr.is_Symbol and value in arguments:
                names.setdefault(expr, sympy.Symbol(f"{arguments[value]}.shape[{dim}]", integer=True))
        return PythonPrinter().doprint(condition.xreplace(names))

    def of_inputs(self, expr):
        """True if an expression has no symbols but those in the extents of arguments."""
        known = set().union(*(source.free_symbols for source, value, _ in self.sources if value.is_argument))
        return expr.free_symbols <= known

    def materialize(self, size):
        """An index value for an int, a SymInt or a symbol's name."""
        if isinstance(size, str):
            return self.build(self.by_name[size])
        return self.build(expression(size))

    def build(self, expr):
        known = self.values.get(expr)
        if known is None:
            known = self.compute(expr)
            self.values[expr] = known
        return known

    def compute(self, expr):
        from .graph import Unsupported
        importer = self.importer
        if expr.is_Integer:
            return importer.emit_raw("arith.constant", [], [ir.INDEX], [("value", f"{int(expr)} : index")], hint="c")[0]
        for source, value, dim in self.sources:
            if source == expr:
                return importer.emit_raw("fxgraph.sym_size", [value], [ir.INDEX], [("dim", ir.attr_i64(dim))], hint="size")[0]
        if expr.is_Symbol:
            # An argument may hold a multiple of it only: size floordiv factor.
            for source, value, dim in self.sources:
                factor = sympy.simplify(source / expr)
                if factor.is_Integer and factor > 1:
                    size = self.build(source)
                    return self.binary("arith.divsi", size, self.build(factor))
            if expr in self.elements:
                return self.size_of_element(expr)
            raise Unsupported(f"no argument has an extent from which the symbolic size {expr} is known")
        return self.compose(expr)

    def compose(self, expr):
        """An index value of an expression from those of its parts."""
        from .graph import Unsupported
        kind = type(expr).__name__
        if expr.is_Add or expr.is_Mul:
            if any(arg.is_Rational and not arg.is_Integer for arg in expr.args):
                raise Unsupported(f"the size {expr} is not integer arithmetic")
            args = sorted(expr.args, key=sympy.default_sort_key)
            if expr.is_Add:
                # Terms with a factor of -1 are subtracted.
                positive = [a for a in args if not a.could_extract_minus_sign()]
                negative = [-a for a in args if a.could_extract_minus_sign()]
                result = self.build(positive[0]) if positive else self.build(sympy.Integer(0))
                for arg in positive[1:]:
                    result = self.binary("arith.addi", result, self.build(arg))
                for arg in negative:
                    result = self.binary("arith.subi", result, self.build(arg))
                return result
            result = self.build(args[0])
            for arg in args[1:]:
                result = self.binary("arith.muli", result, self.build(arg))
            return result
        if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
            base = self.build(expr.base)
            result = base
            for _ in range(int(expr.exp) - 1):
                result = self.binary("arith.muli", result, base)
            return result
        table = {"FloorDiv": "arith.floordivsi", "CleanDiv": "arith.divsi", "Mod": "arith.remsi", "PythonMod": "arith.remsi",
                 "Max": "arith.maxsi", "Min": "arith.minsi", **{f"BitwiseFn_{name}": f"arith.{op}" for name, op in BITWISE.items()}}
        if kind in table and (len(expr.args) == 2 or kind in ("Max", "Min")):
            result = self.build(expr.args[0])
            for arg in expr.args[1:]:
                result = self.binary(table[kind], result, self.build(arg))
            return result
        if kind == "Abs":
            return self.build(Max(expr.args[0], -expr.args[0]))
        quotient = quotient_of(expr.args[0]) if kind in ROUNDED else None
        if quotient is not None:
            return self.build(ROUNDED[kind](*quotient))
        raise Unsupported(f"the size {expr} has no index arithmetic")

    def relation(self, comparison, lhs, rhs):
        predicate = ir.CMPI_PREDICATES[comparison]
        return self.importer.emit_raw("arith.cmpi", [lhs, rhs], ["i1"], [("predicate", f"{predicate} : i64")])[0]

    def condition(self, expr):
        """An i1 value of a relation of sizes, or of some that are joined."""
        from .graph import Unsupported
        importer = self.importer
        if expr in (sympy.true, sympy.false):
            return importer.emit_raw("arith.constant", [], ["i1"], [("value", "true" if expr is sympy.true else "false")])[0]
        if getattr(expr, "rel_op", None) in COMPARISONS:
            if not all(part.is_integer for part in sympy.preorder_traversal(expr) if part is not expr):
                bound = as_bound(expr)
                if bound is not None:
                    return self.condition(bound)
            return self.relation(COMPARISONS[expr.rel_op], self.build(expr.lhs), self.build(expr.rhs))
        kind = type(expr).__name__
        if kind in ("And", "Or"):
            result = self.condition(expr.args[0])
            for arg in expr.args[1:]:
                result = importer.emit_raw("arith.andi" if kind == "And" else "arith.ori", [result, self.condition(arg)], ["i1"])[0]
            return result
        if kind == "Not":
            # By De Morgan's rules down to the relations, each of which has an opposite.
            inner, = expr.args
            if type(inner).__name__ in ("And", "Or"):
                opposite = sympy.Or if type(inner).__name__ == "And" else sympy.And
                return self.condition(opposite(*map(sympy.Not, inner.args)))
        raise Unsupported(f"the condition {expr} is no relation of sizes")

    def check_computed_extents(self):
        """Asserts that an argument's extent is what it is in others: `2 * n` beside one of n."""
        from .graph import Unsupported
        importer = self.importer
        for expr, value, dim in list(self.sources):
            others = set().union(*(source.free_symbols for source, *at in self.sources if at != [value, dim]))
            if expr.is_Symbol or not expr.free_symbols & others and not expr.is_Mul:
                continue  # of a symbol that it alone has, n + 1 is any number; 2 * n is an even one
            text = f"expected {self.extent_name(value, dim)} == {self.named(expr)}, as when the model was captured, but got other sizes"
            try:
                wanted = self.compose(expr)
            except Unsupported as error:
                raise ImportFailure(f"{text}: the sizes cannot be compared: {error}") from None
            size = importer.emit_raw("fxgraph.sym_size", [value], [ir.INDEX], [("dim", ir.attr_i64(dim))], hint="size")[0]
            importer.assert_condition(self.relation("eq", size, wanted), text)

    def size_of_element(self, symbol):
        """An element as a size: the dialect has no op from tensors to index."""
        from .graph import UnknownOp
        importer, target = self.importer, "aten.item.default"
        importer.unknown.append(UnknownOp(target, importer.node.name, "a size that is an element of a tensor is not modelled",
                                          importer.where(importer.node)))
        args = ir.attr_dict([("args", "[" + ir.attr_str("%0") + "]")])
        return importer.emit_raw("fxgraph.opaque", [self.elements[symbol]], [ir.INDEX], [("target", ir.attr_str(target)), ("args", args)],
                                 hint="size")[0]

    # -- ranges -------------------------------------------------------------

    def holds(self, condition):
        """True if a relation of sizes is known from the symbols' ranges and guards."""
        from torch.fx.experimental.symbolic_shapes import statically_known_true
        if condition in (sympy.true, sympy.false):
            return condition is sympy.true
        env = self.importer.fake_mode.shape_env
        return env is not None and statically_known_true(env.create_symboolnode(condition))

    def holds_for_bools(self, condition):
        """True if a condition on nothing but elements of bool tensors is known."""
        expr = condition.node.expr
        return all(symbol in self.bools for symbol in expr.free_symbols) and self.holds(expr)

    def wrapped(self, position, extent):
        """Expression of an index that counts from the end where it is negative."""
        at, size = expression(position), expression(extent)
        if self.holds(sympy.Ge(at, 0)):
            return at
        if self.holds(sympy.Lt(at, 0)):
            return at + size
        return at + size * Min(Max(-at, sympy.Integer(0)), sympy.Integer(1))

    def clamped_range(self, start, end, extent):
        """(start, length) as expressions, with Python's rules for a slice's bounds."""
        size = expression(extent)

        def clamp(position):
            at = self.wrapped(position, extent)
            if not self.holds(sympy.Ge(at, 0)):
                at = Max(at, sympy.Integer(0))
            return at if self.holds(sympy.Le(at, size)) else Min(at, size)

        first = sympy.Integer(0) if start is None else clamp(start)
        last = size if end is None or as_int(end) == ir.INT64_MAX else clamp(end)
        length = last - first
        return first, length if self.holds(sympy.Ge(length, 0)) else Max(length, sympy.Integer(0))

    # -- as tensors ---------------------------------------------------------

    def number(self, value):
        """A rank-0 tensor (i64, f64 or i1) of a SymInt, SymFloat or SymBool, for ops on tensors.

        A symbol is the number of elements of a tensor of that extent: a sum of
        ones. So the dialect needs no op from index to tensor, and every target
        runs it.
        """
        return self.number_of(sympy.sympify(value.node.expr))

    def number_of(self, expr):
        known = self.values.get(("number", expr))
        if known is None:
            known = self.compute_number(expr)
            self.values[("number", expr)] = known
        return known

    def compute_number(self, expr):
        from .graph import Unsupported
        importer, scalar = self.importer, ir.TensorType("i64", ())
        if expr.is_Integer:
            return importer.constant(int(expr), "i64")
        if expr.is_Float or expr.is_Rational:
            return importer.constant(float(expr), "f64")
        if expr in self.elements:
            return self.elements[expr]
        if expr.is_Symbol:
            size = self.build(expr)
            ones, = importer.emit_raw("fxgraph.full", [size], [ir.TensorType("i64", (self.name(expr),))], [("value", ir.attr_f64(1.0))], hint="ones")
            return importer.emit("sum", [ones], [scalar], dims=None, keepdim=False, hint="number")[0]
        kind = type(expr).__name__
        args = expr.args
        if expr.is_Add or expr.is_Mul:
            result = self.number_of(args[0])
            for arg in args[1:]:
                result = self.arithmetic("add" if expr.is_Add else "mul", result, self.number_of(arg))
            return result
        if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
            return self.arithmetic("pow", self.number_of(expr.base), self.number_of(expr.exp))
        if kind in ("FloorDiv", "CleanDiv"):
            return self.arithmetic("div", self.number_of(args[0]), self.number_of(args[1]), rounding_mode="floor")
        if kind.removeprefix("BitwiseFn_") in BITWISE:
            return self.arithmetic(kind.removeprefix("BitwiseFn_"), self.number_of(args[0]), self.number_of(args[1]))
        if kind in ("Mod", "PythonMod"):
            return self.arithmetic("remainder", self.number_of(args[0]), self.number_of(args[1]))
        if kind == "ToFloat":
            return importer.cast(self.number_of(args[0]), "f64")
        if kind in ("IntTrueDiv", "FloatTrueDiv"):
            return self.arithmetic("div", *[importer.cast(self.number_of(a), "f64") for a in args])
        if kind in ("FloatPow", "PowByNatural"):
            return self.arithmetic("pow", self.number_of(args[0]), self.number_of(args[1]))
        if kind.removeprefix("OpaqueUnaryFn_") in MATH:
            value = importer.cast(self.number_of(args[0]), "f64")
            return importer.emit(kind.removeprefix("OpaqueUnaryFn_"), [value], [value.type])[0]
        if kind in ("Max", "Min"):
            result = self.number_of(args[0])
            for arg in args[1:]:
                result = self.arithmetic("maximum" if kind == "Max" else "minimum", result, self.number_of(arg))
            return result
        quotient = quotient_of(args[0]) if kind in ROUNDED else None
        if quotient is not None:
            return self.number_of(ROUNDED[kind](*quotient))
        if kind == "Abs":
            value = self.number_of(args[0])
            return importer.emit("abs", [value], [value.type])[0]
        if kind == "Piecewise" and len(args) == 2 and args[1].cond == sympy.true:
            # What a bool is as an integer.
            then, condition = args[0]
            return self.choose(self.number_of(condition), self.number_of(then), self.number_of(args[1].expr))
        if expr in (sympy.true, sympy.false):
            return importer.constant(bool(expr), "i1")
        if getattr(expr, "rel_op", None) in COMPARISONS:
            return self.compare(COMPARISONS[expr.rel_op], *[self.number_of(a) for a in args])
        if kind in ("And", "Or"):
            result = self.number_of(args[0])
            for arg in args[1:]:
                result = self.compare(f"logical_{kind.lower()}", result, self.number_of(arg))
            return result
        if kind == "Not":
            return importer.emit("logical_not", [self.number_of(args[0])], [ir.TensorType("i1", ())])[0]
        raise Unsupported(f"the number {expr} is not modelled as a tensor")

    def choose(self, condition, then, otherwise):
        """One of two rank-0 tensors."""
        dtype = "f64" if "f64" in (then.type.dtype, otherwise.type.dtype) else "i64"
        then, otherwise = [self.importer.cast(v, dtype) for v in (then, otherwise)]
        return self.importer.emit("where", [condition, then, otherwise], [then.type])[0]

    def compare(self, op, lhs, rhs):
        """A rank-0 bool of two rank-0 tensors."""
        dtype = "f64" if "f64" in (lhs.type.dtype, rhs.type.dtype) else lhs.type.dtype
        return self.importer.emit(op, [self.importer.cast(v, dtype) for v in (lhs, rhs)], [ir.TensorType("i1", ())])[0]

    def name(self, expr):
        """Name of a symbol, given if it has none yet."""
        if expr not in self.names:
            self.names[expr] = f"s{self.counts['s']}"
            self.counts["s"] += 1
            self.by_name[self.names[expr]] = expr
        return self.names[expr]

    def arithmetic(self, op, lhs, rhs, **attrs):
        """A binary op on rank-0 tensors; f64 if either is."""
        importer = self.importer
        dtype = "f64" if "f64" in (lhs.type.dtype, rhs.type.dtype) else "i64"
        operands = [importer.cast(v, dtype) for v in (lhs, rhs)]
        return importer.emit(op, operands, [ir.TensorType(dtype, ())], **attrs)[0]

    def binary(self, name, lhs, rhs):
        flags = [("overflowFlags", "#arith.overflow<none>")] if name in ("arith.addi", "arith.subi", "arith.muli") else []
        return self.importer.emit_raw(name, [lhs, rhs], [ir.INDEX], flags, hint="size")[0]
