# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a trace assumed of sizes is checked when the graph runs: the right value or a refusal, on every engine."""

import math

import pytest
import sympy
import torch
from torch.export import Dim

import fxgraph


def branch(x):
    return x * 2 if x.shape[0] > 3 else x * 3


def quotient(x):
    return x * 2 if x.shape[0] // 2 == 2 else x * 3


def parity(x):
    return x * 2 if x.shape[0] % 2 == 0 else x * 3


def turns(x):
    for i in range(x.shape[0] // 2):
        x = x + i
    return x


def either(x):
    return x * 2 if x.shape[0] > 9 or 2 * x.shape[1] < 3 * x.shape[0] else x * 3


def unequal(x):
    return x * 2 if x.shape[0] != x.shape[1] else x * 3


def stated(x):
    assert x.shape[0] > 2
    torch._check(x.shape[0] < 100)
    torch._check_is_size(x.shape[0])
    return x * 2


def halves(x):
    a, b = x.vsplit(2)
    return a + b


def among(x):
    return x * 2 if x.shape[0] not in (3, 5) else x * 3


def near(x):
    return x * 2 if abs(x.shape[0] - 4) < 2 and max(x.shape[0], 3) < 6 else x * 3


def rounded(x):
    return x * 2 if math.ceil(x.shape[0] / 3) == 2 else x * 3


def cut(x):
    return x * 2 if int(x.shape[0] / 2) == 2 else x * 3


def joined(x):
    return x * 2 if (x.shape[0] < 3) | (x.shape[0] % 4 == 0) else x * 3


def odd(x):
    return x * 2 if x.shape[0] & 1 else x * 3


def power_of_two(x):
    return x * 2 if x.shape[0] & x.shape[0] - 1 == 0 else x * 3


def bits(x):
    return x * 2 if (x.shape[0] | 1) == 5 and (x.shape[0] ^ 4) < 2 else x * 3


def half(x):
    return x * 2 if x.shape[0] / 2 > 1.5 else x * 3


def scaled(x):
    return x * 2 if round(x.shape[0] * 0.5) == 2 else x * 3


def third(x):
    return x * 2 if 10 / x.shape[0] < 2.1 and 1 - x.shape[0] / 3 > -1 else x * 3


def root(x):
    return x * 2 if x.shape[0] ** 0.5 != 2 else x * 3


def behind(x):
    return x[5:] * 2


def window(x):
    return torch.cat([x[:3], x[3:7]])


def squeezed(x):
    return x.narrow(0, 0, x.shape[0] // 4).squeeze(0) * 2


def squeezed_in_place(x):
    return x.narrow(0, 0, x.shape[0] // 4).clone().squeeze_() * 2


def plain(x):
    return torch.softmax(x @ x.t(), 0).reshape(-1) * x.shape[0]


# name -> (function, numbers of rows for which the graph of an example of 4 rows holds)
MODELS = {f.__name__: (f, rows) for f, rows in (
    (branch, (4, 5, 6, 200)), (quotient, (4, 5)), (parity, (2, 4, 6, 200)), (turns, (4, 5)), (either, (3, 4, 5, 6)),
    (unequal, (2, 4, 5, 6, 200)), (stated, (3, 4, 5, 6)), (halves, (2, 4, 6, 200)),
    (among, (2, 4, 6, 200)), (near, (3, 4, 5)), (rounded, (4, 5, 6)), (cut, (4, 5)), (joined, (2, 4, 200)),
    (odd, (2, 4, 6, 200)), (power_of_two, (2, 4)), (bits, (4, 5)), (half, (4, 5, 6, 200)), (scaled, (3, 4, 5)), (third, (2, 3, 4)), (root, (4,)),
    (behind, (2, 3, 4)), (window, (3, 4, 5, 6)),
    (squeezed, (4, 5, 6)), (squeezed_in_place, (4, 5, 6)), (plain, (2, 3, 4, 5, 6, 200)))}


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def check(module, function, rows):
    engines = [lambda x: module.run([x])[0], module.compile("cpu"), module.compile("gpu-emulator"), module.to_fx()]
    for n in (2, 3, 4, 5, 6, 200):
        x = torch.randn(n, 3)
        for engine in engines:
            if n in rows:
                result = engine(x)
                # Sums of a softmax are added up in another order.
                torch.testing.assert_close(result[0] if isinstance(result, (tuple, list)) else result, function(x), rtol=1e-5, atol=1e-5)
            else:
                with pytest.raises((fxgraph.FxGraphError, RuntimeError), match=r"expected .*x\.shape\[0\].*|Runtime assertion failed.*x\.shape\[0\]"):
                    engine(x)


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("name", MODELS)
def test_other_sizes(name, level):
    function, rows = MODELS[name]
    if function is window and level == "aten":
        pytest.skip("PyTorch takes the extent for the example's")
    sizes = {0: Dim.DYNAMIC, 1: Dim.DYNAMIC} if function in (either, unequal) else {0: Dim.DYNAMIC}
    module = fxgraph.capture(Module(function), torch.randn(4, 3), level=level, dynamic_shapes={"x": sizes})
    assert ("assert_scalar" in module.asm) == (function is not plain)
    check(module, function, rows)


@pytest.mark.parametrize("name", ["branch", "parity", "unequal", "stated", "among", "near", "rounded", "cut", "joined", "odd",
                                  "power_of_two", "bits", "half", "scaled", "root"])
def test_saved_program(name, tmp_path):
    """A saved program keeps its conditions as text."""
    function, rows = MODELS[name]
    sizes = {0: Dim.DYNAMIC, 1: Dim.DYNAMIC} if function is unequal else {0: Dim.DYNAMIC}
    torch.export.save(torch.export.export(Module(function), (torch.randn(4, 3),), dynamic_shapes={"x": sizes}), tmp_path / "m.pt2")
    check(fxgraph.load(str(tmp_path / "m.pt2")), function, rows)


class Variadic(torch.nn.Module):
    def forward(self, *a):
        return a[0] * 2 if a[0].shape[0] > 3 else a[1]


class Nested(torch.nn.Module):
    def forward(self, xs, *, d):
        return xs[0] * 2 if xs[0].shape[0] > d["k"].shape[0] else xs[1]


@pytest.mark.parametrize("model, args, kwargs, sizes", [
    (Variadic(), (torch.randn(4, 3), torch.randn(4, 3)), {}, (({0: Dim.DYNAMIC}, {0: Dim.DYNAMIC}),)),
    (Nested(), ([torch.randn(4, 3), torch.randn(4, 3)],), {"d": {"k": torch.randn(3)}},
     {"xs": [{0: Dim.DYNAMIC}, {0: Dim.DYNAMIC}], "d": {"k": {0: Dim.DYNAMIC}}})])
def test_saved_structures(model, args, kwargs, sizes, tmp_path):
    """Conditions name what is in lists, dictionaries and variadic parameters."""
    torch.export.save(torch.export.export(model, args, kwargs, dynamic_shapes=sizes), tmp_path / "m.pt2")
    module = fxgraph.load(str(tmp_path / "m.pt2"))
    others = [torch.randn(3)] if kwargs else []
    for n in (4, 9):
        x = torch.randn(n, 3)
        torch.testing.assert_close(module.run([x, torch.randn(n, 3), *others])[0], x * 2)
    with pytest.raises(fxgraph.FxGraphError, match=r"expected .*shape\[0\]"):
        module.run([torch.randn(3, 3), torch.randn(3, 3), *others])


@pytest.mark.parametrize("source", ["L['x'].size()[0] > (1).__class__", "print(1)", "L['y'].size()[0] > 3", "L['x'].size()[0] >"])
def test_strange_condition(source):
    """A file may say anything: what is no condition is not run."""
    program = torch.export.export(Module(branch), (torch.randn(4, 3),), dynamic_shapes={"x": {0: Dim.DYNAMIC}})
    shape_env(program.graph.nodes).guards.clear()
    program._guards_code = [source]
    with pytest.raises(fxgraph.FxGraphError, match="expected a condition on the sizes of inputs but got"):
        fxgraph.from_exported(program)


def shape_env(nodes):
    return next(node.meta["val"].fake_mode.shape_env for node in nodes if "val" in node.meta)


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_bounds(level):
    """PyTorch decides by a declared bound without a guard."""
    def function(x):
        return x * 2 if x.shape[0] < 1000 else x * 3
    module = fxgraph.capture(Module(function), torch.randn(4, 3), level=level, dynamic_shapes={"x": {0: Dim("n", min=3, max=100)}})
    check(module, function, (3, 4, 5, 6))


def test_membership():
    """Of sizes that are joined by `or`, as Dynamo asks for a list's elements."""
    def function(x):
        return x * 2 if x.shape[0] in (3, 4, 200) else x * 3
    module = fxgraph.capture(Module(function), torch.randn(4, 3), level="torch", dynamic_shapes={"x": {0: Dim.DYNAMIC}})
    check(module, function, (3, 4, 200))


class Pair(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, y):
        return self.function(x, y)


def difference(x, y):
    for i in range(y.shape[0] - x.shape[0]):
        x = x + 1 + i
    return x


def doubled(x, y):
    return x.sum(0) + y.sum(0)


def pair_engines(module):
    return [lambda x, y: module.run([x, y])[0], lambda x, y: module.compile("cpu")(x, y)[0], lambda x, y: module.to_fx()(x, y)]


@pytest.mark.parametrize("level", ["torch", "aten", "saved"])
@pytest.mark.parametrize("function,sizes,wanted", [
    (difference, (Dim.DYNAMIC, Dim.DYNAMIC), lambda n: n + 1),
    (doubled, (Dim("n", min=2, max=300), 2 * Dim("n", min=2, max=300)), lambda n: 2 * n)])
def test_computed_extent(function, sizes, wanted, level, tmp_path):
    """An extent that the trace found to be computed from another, or that torch.export.Dim states so."""
    example, shapes = (torch.randn(4, 3), torch.randn(wanted(4), 3)), {"x": {0: sizes[0]}, "y": {0: sizes[1]}}
    if level == "saved":
        torch.export.save(torch.export.export(Pair(function), example, dynamic_shapes=shapes), tmp_path / "m.pt2")
        module = fxgraph.load(str(tmp_path / "m.pt2"))
    else:
        module = fxgraph.capture(Pair(function), *example, level=level, dynamic_shapes=shapes)
    engines = pair_engines(module)
    for n in (2, 3, 4, 7):
        for m in (n, n + 1, n + 2, 2 * n, 2 * n + 1):
            x, y = torch.randn(n, 3), torch.randn(m, 3)
            for engine in engines:
                if m == wanted(n):
                    result = engine(x, y)
                    torch.testing.assert_close(result[0] if isinstance(result, (tuple, list)) else result, function(x, y))
                else:
                    with pytest.raises((fxgraph.FxGraphError, RuntimeError), match=r"shape\[0\]"):
                        engine(x, y)



def test_operators_rules():
    """What an operator's own rules ask when Dynamo runs it on fakes is no condition of the model's."""
    def function(x):
        return torch.cdist(x, x + 9) + x[x.shape[0] // 2].sum()
    module = fxgraph.capture(Module(function), torch.randn(4, 3), level="torch", dynamic_shapes={"x": {0: Dim.DYNAMIC}})
    assert "assert_scalar" not in module.asm
    check(module, function, (2, 3, 4, 5, 6, 200))


def test_place():
    module = fxgraph.capture(Module(branch), torch.randn(4, 3), dynamic_shapes={"x": {0: Dim.DYNAMIC}})
    with pytest.raises(fxgraph.FxGraphError, match=r"expected x\.shape\[0\] > 3, as when the model was captured at test_guards\.py:\d+, but got other sizes"):
        module.run([torch.randn(2, 3)])


@pytest.mark.parametrize("condition, holds", [
    (lambda n: math.log2(n) > 2, lambda n: n > 4), (lambda n: math.sqrt(n) <= 2, lambda n: n <= 4), (lambda n: float(n) < 4.5, lambda n: n < 4.5),
    (lambda n: math.exp(3 - float(n)) > 0.2, lambda n: n == 4), (lambda n: math.tanh(n / 5) < 0.77, lambda n: n < 6), (lambda n: n * 1.1 == 4.4, lambda n: n == 4),
    (lambda n: n / 3 > 4 / 3, lambda n: n > 4)])
def test_functions_of_a_size(condition, holds):
    """Of a size that grows, or falls, with it: Python's floats, at every size."""
    def function(x):
        return x * 2 if condition(x.shape[0]) else x * 3
    module = fxgraph.capture(Module(function), torch.randn(4, 3), level="torch", dynamic_shapes={"x": {0: Dim.DYNAMIC}})
    check(module, function, [n for n in (2, 3, 4, 5, 6, 200) if holds(n) == holds(4)])


@pytest.mark.parametrize("text, sizes", [("n / 2 <= 2.5", range(1, 6)), ("log(n) > 3", range(21, 99)), ("2.0 * n - 3 >= 4", range(4, 99)),
                                         ("-0.1 * n > -0.3", range(1, 3)), ("0.1 * n > 0.3", range(3, 99)), ("n ** 2.0 == 9.0", [3])])
def test_bounds_of_a_size(text, sizes):
    """Rounding as of floats: 0.1 * 3 is above 0.3."""
    from fxgraph.importer.bounds import as_bound
    from torch.utils._sympy.functions import FloatPow, IntTrueDiv, OpaqueUnaryFn_log, ToFloat
    n = sympy.Symbol("n", integer=True, positive=True)
    scope = {"n": n, "ToFloat": ToFloat, "FloatPow": FloatPow, "IntTrueDiv": IntTrueDiv, "log": OpaqueUnaryFn_log, "sympy": sympy}
    expressions = {"n / 2 <= 2.5": "IntTrueDiv(n, 2) <= 2.5", "log(n) > 3": "log(ToFloat(n)) > 3", "2.0 * n - 3 >= 4": "2.0 * ToFloat(n) - 3.0 >= 4",
                   "-0.1 * n > -0.3": "-0.1 * ToFloat(n) > -0.3", "0.1 * n > 0.3": "0.1 * ToFloat(n) > 0.3",
                   "n ** 2.0 == 9.0": "sympy.Eq(FloatPow(ToFloat(n), sympy.Float(2.0)), sympy.Float(9.0))"}
    bound = as_bound(eval(expressions[text], scope))
    assert [size for size in range(1, 99) if bound.subs(n, size) == sympy.true] == list(sizes)
    assert [size for size in range(1, 99) if eval(text, {"n": size, "log": math.log})] == list(sizes)


@pytest.mark.parametrize("condition", [lambda n, m: math.sin(n) < 0, lambda n, m: n / m > 1.1, lambda n, m: n * 0.5 - n * n < 1])
def test_condition_without_arithmetic(condition):
    """Neither integers nor something that grows or falls with one size."""
    def function(x):
        return x * 2 if condition(*x.shape) else x * 3
    with pytest.raises(fxgraph.FxGraphError, match=r"the model hangs on .*x\.shape\[0\].* at test_guards\.py:\d+, which is not checked when the graph runs"):
        fxgraph.capture(Module(function), torch.randn(4, 3), level="torch", dynamic_shapes={"x": {0: Dim.DYNAMIC, 1: Dim.DYNAMIC}})


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_equal_sizes(level):
    """A trace under which two extents are one symbol: other pairs are refused, by what to_fx makes too."""
    class Equal(torch.nn.Module):
        def forward(self, x, y):
            return x * 2 if x.shape[0] == y.shape[1] else x * 3
    sizes = {"x": {0: Dim.AUTO}, "y": {1: Dim.AUTO}}
    module = fxgraph.capture(Equal(), torch.randn(4, 3), torch.randn(2, 4), level=level, dynamic_shapes=sizes)
    engines = [lambda *args: module.run(list(args)), module.compile("cpu"), module.to_fx()]
    for rows, columns in ((4, 4), (7, 7), (7, 4)):
        x, y = torch.randn(rows, 3), torch.randn(2, columns)
        for engine in engines:
            if rows == columns:
                torch.testing.assert_close(torch.utils._pytree.tree_leaves(engine(x, y))[0], x * 2)
            else:
                with pytest.raises((fxgraph.FxGraphError, RuntimeError), match="expected"):
                    engine(x, y)


def one_row(x):
    return x.narrow(0, 0, x.shape[0] // 2 - 1)


# PyTorch takes what has one row in the example for what has one.
SHAPES = [
    lambda x: x * one_row(x).unflatten(0, (1, -1)).size(0), lambda x: x[0] * one_row(x).view(1, -1).size(1), lambda x: (one_row(x) + x[:1]).size(0) * x,
    lambda x: one_row(x).reshape(1, -1).clone(), lambda x: one_row(x).contiguous() * x.size(0), lambda x: one_row(x).unsqueeze(0).flatten(0, 1) + 1]
# The same conditions decide strides alone, or what is so at all sizes.
STRIDES = [
    lambda x: one_row(x).clone(), lambda x: (x[:1] + one_row(x)).size(0) * x, lambda x: one_row(x).t().exp(), lambda x: torch.maximum(one_row(x), x[:1]),
    lambda x: torch.where(one_row(x) > 0, one_row(x), x[:1]), lambda x: torch.cat([one_row(x), x]).sum(0)]


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("function", SHAPES)
def test_shapes_of_a_size_of_one(function, level):
    """A shape that PyTorch's rules make of a computed size that is 1 holds only as it is: that is checked."""
    module = fxgraph.capture(Module(function), torch.randn(4, 3), level=level, dynamic_shapes={"x": {0: Dim.DYNAMIC}})
    assert module.asm.count("fxgraph.assert_scalar") == 1
    check(module, function, (4, 5))


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("function", STRIDES)
def test_strides_of_a_size_of_one(function, level):
    module = fxgraph.capture(Module(function), torch.randn(4, 3), level=level, dynamic_shapes={"x": {0: Dim.DYNAMIC}})
    assert "assert_scalar" not in module.asm
    for n in (4, 5, 6, 9, 200):
        x = torch.randn(n, 3)
        for result in (module.run([x])[0], module.to_fx()(x)):
            torch.testing.assert_close(result[0] if isinstance(result, (tuple, list)) else result, function(x))
