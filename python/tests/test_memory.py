# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where arguments lie in memory: strides with gaps, offsets, views of other dtypes; and calls of one object with what they wrote."""

import pytest
import torch
from torch.fx import symbolic_trace

import fxgraph
from fxgraph.testing.diff import compare
from fxgraph.testing.export import Run, difference

WAYS = ("fx", "torch", "aten")
ENGINES = ("to_fx", "ref", "cpu")


def at(offset, shape=(2, 6), strides=(6, 1)):
    """Ascending numbers in a larger memory, from this place on."""
    return torch.arange(40.0).as_strided(shape, strides, offset)


def imported(function, x, way):
    return fxgraph.from_fx(symbolic_trace(function), [x]) if way == "fx" else fxgraph.capture(function, x, level=way)


def made(module, engine):
    return module.to_fx() if engine == "to_fx" else module.compile(engine)


def check_twice(function, call, fresh):
    """A call, and one with what the first has written: results, arguments, strides and shared memory are eager's."""
    mine, theirs = fresh(), fresh()
    for _ in range(2):
        # Both are copied before the next call writes the arguments.
        got, want = (Run(f, [x], {}) for f, x in ((call, mine), (function, theirs)))
        assert difference(got.snapshot(), want.snapshot()) is None


def reshaped(x):
    transposed, part, row = x.t(), x[1:], x[0]
    transposed.unsqueeze_(0)
    part.t_()
    row.as_strided_((2, 2), (1, 2))
    return transposed, part, row, x.mul_(2)


def in_other_dtypes(x):
    halves, wide, ints, rest = x.view(torch.int16), x[:, 2:].view(torch.int64), x.view(torch.int32)[1:], x.view(torch.int16)[:, 3:]
    for view in (halves, wide, ints, rest):
        view.t_()
    return halves, wide, ints, rest


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("captured", (0, 8))
def test_results_are_views_wherever_the_argument_begins(captured, way, engine):
    """The reshaped row is by an offset that hangs on the capture: see below."""
    def function(x):
        transposed, part = x.t(), x[1:]
        transposed.unsqueeze_(0)
        part.t_()
        return transposed, part, x.mul_(2)

    for f in (function, in_other_dtypes):
        call = made(imported(f, at(captured), way), engine)
        for offset in (0, 2, 8):
            check_twice(f, call, lambda: at(offset))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("way", WAYS)
def test_strides_after_a_change_in_place(way, engine):
    """as_strided counts from the beginning of the memory: the argument begins where the captured one does."""
    for offset in (0, 8):
        function = reshaped if offset == 0 else lambda x: (x.t().as_strided((2, 3), (1, 2), 9), x.as_strided((2,), (1,)) + 0)
        call = made(imported(function, at(offset), way), engine)
        check_twice(function, call, lambda: at(offset))


def test_memory_before_the_argument_is_not_read():
    """What lies outside of the argument's own elements is left to PyTorch."""
    def function(x):
        return x.as_strided((2,), (1,), 4) + 0

    for way in WAYS:
        module = imported(function, at(8), way)
        assert [op.target.split(".")[-1 if way == "fx" else 1] for op in module.unknown_ops] == ["as_strided"]


def copying(x):
    row = x.reshape(-1)
    row.add_(1)
    flat = x.t().contiguous()
    flat.mul_(2)
    return x, row, flat


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("strides", [(6, 1), (1, 2), (16, 2), (7, 1)], ids=str)
def test_whether_a_call_copies_hangs_on_strides(strides, way, engine):
    """x.reshape(-1) is x where its elements lie one behind the other, and a copy where they do not."""
    def fresh():
        return at(3, (2, 6), strides)

    call = made(imported(copying, fresh(), way), engine)
    mine, theirs = fresh(), fresh()
    for _ in range(2):
        for got, want in zip(call(mine), copying(theirs), strict=True):
            assert compare(got, want) is None
        assert compare(mine, theirs) is None


def smaller(x):
    y = x.t().clone()
    y.resize_as_(x[0])
    z = x * 1
    z.t_()
    z.resize_(3, 2)
    return y, z, z.as_strided((2,), (3,)) + 0


@pytest.mark.filterwarnings("ignore:non-inplace resize")
@pytest.mark.parametrize("way", ("fx", "aten"))  # Dynamo does not trace it
def test_resize_leaves_nothing_behind(way):
    """The twin of resize_as_ that is tried is no part of the graph."""
    module = imported(smaller, at(0), way)
    assert not module.unknown_ops and "opaque" not in module.asm
    for engine in ENGINES:
        for got, want in zip(made(module, engine)(at(0)), smaller(at(0)), strict=True):
            assert compare(got, want) is None


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("way", WAYS)
def test_a_view_without_elements_before_all_others(way, engine):
    def function(x):
        y = x * 2
        return y[:0], y[1:], y[1:].t()

    check_twice(function, made(imported(function, at(0), way), engine), lambda: at(0))


SCATTERED = [
    lambda x: (x[1:], torch.zeros(2), (2,), (1,), 8), lambda x: (x[0, 0], torch.zeros(2), (2,), (2,)), lambda x: (x.t(), torch.zeros(2), (2,), (2,), 1),
    lambda x: (x, torch.zeros(2), (2,), (2,), 1), lambda x: (x, torch.zeros(0), (0,), (2,), 1)]


@pytest.mark.filterwarnings("ignore:fxgraph")
@pytest.mark.parametrize("number", range(len(SCATTERED)))
def test_as_strided_scatter_beyond_the_elements(number):
    """Places in memory that are no elements of the tensor are left to PyTorch."""
    def function(x):
        return torch.as_strided_scatter(*SCATTERED[number](x))

    module = imported(function, torch.arange(12.0).view(2, 6), "fx")
    assert bool(module.unknown_ops) == (number < 3)
    x = torch.arange(12.0).view(2, 6)
    for engine in ENGINES[:1] if module.unknown_ops else ENGINES:
        got, = torch.utils._pytree.tree_leaves(made(module, engine)(x))
        assert compare(got, function(x)) is None


@pytest.mark.parametrize("function, make", [
    (lambda e: (torch.ge(e.unfold(0, 2, 1), e), e.unfold(0, 2, 1) + 1), lambda: at(0, (2, 2), (1, 0))),
    (lambda e: (torch.maximum(e.unfold(0, 2, 1), e), e.t() * e), lambda: at(0, (2, 1), (1, 4))),
    (lambda e: (e + e[:1], e.t() + e[0], e * 2), lambda: at(0, (3, 3), (1, 1)))], ids=["repeated", "broadcast", "overlapping"])
@pytest.mark.parametrize("level", ["torch", "aten"])
def test_results_whose_order_of_dims_is_the_kernels(function, make, level):
    """Of operands with equal strides PyTorch's fakes choose another order than its kernels."""
    call = fxgraph.capture(function, make(), level=level).to_fx()
    assert difference(Run(call, [make()], {}).snapshot(), Run(function, [make()], {}).snapshot()) is None
