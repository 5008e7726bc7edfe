# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch's fakes tell the importer: in-place changes of shape, results that are operands, writes, sizes as values."""

import copy

import pytest
import torch
import torch.nn.functional as F
from conftest import assert_all_run, assert_all_verify
from torch.fx.experimental.proxy_tensor import make_fx

import fxgraph
from fxgraph.errors import ImportFailure
from fxgraph.testing.batch import Batch
from fxgraph.testing.functions import check_function, compare_once

TEXTS, BATCH = [], Batch()
LEVELS = ("torch", "aten")
N = torch.export.Dim("n", min=2, max=64)


def t(*shape):
    return torch.arange(float(torch.Size(shape).numel())).reshape(shape) / 3 - 1


# In-place changes of shape -------------------------------------------------


def transposed_view(x):
    v = x.view(3, 4)
    v.t_()
    return v * 1


def unsqueezed_copy(x):
    return x.clone().unsqueeze_(0) + 1


def write_after_transpose(x):
    v = x.view(3, 4)
    w = v[0]
    v.t_()
    v[0].add_(10)
    return v, w


def every_method(x):
    y = x.clone()
    y.detach_().requires_grad_(False)
    y = y.view(3, 4)
    y.transpose_(0, 1).swapaxes_(0, 1)
    y.unsqueeze_(0).unsqueeze_(-1)
    y.squeeze_(0).squeeze_().swapdims_(0, 1)
    y[1].mul_(3)
    return y


def view_of_a_view(x):
    v = x.view(2, 6, 1)
    v.squeeze_(-1)
    v.add_(1)
    w = v.unsqueeze_(0)
    w[0, 0] = 5
    return x * 1, w


def both_names(x):
    y = x.clone()
    z = y
    z.unsqueeze_(0)
    return y + 1, z * 2


def another_storage(x):
    y = x.clone()
    y.set_(x)
    y.add_(1)
    return y * 1


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("function", [transposed_view, unsqueezed_copy, write_after_transpose, every_method, view_of_a_view, both_names,
                                      another_storage], ids=lambda f: f.__name__)
def test_shape_in_place(function, level):
    check(function, [t(12)], level)


def strided(x):
    y = x.clone()
    y.as_strided_((2, 2), (1, 2), 1)
    y.mul_(2)
    return y


def test_strides_in_place():
    """The write has no op but PyTorch's."""
    for level in LEVELS:
        module = fxgraph.capture(strided, t(12), level=level)
        assert compare_once(module, strided, [t(12)]) is None


def strides_of_the_storage(x):
    v = x.view(3, 4)[::2]
    w = v.as_strided((2, 2), (5, 1), 1)
    w.add_(1)
    return x * 1, v * 2, w


def repeated_elements(x):
    y = x.clone()
    v, w = y.as_strided((2, 3, 1), (0, 2, 7), 1), y.as_strided((2, 0), (1, 1))
    y.mul_(2)
    return v * 1, w * 1, y.as_strided((), (), 3) + 1


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("function", [strides_of_the_storage, repeated_elements], ids=lambda f: f.__name__)
def test_strides_of_a_view(function, level):
    """They count in the storage, whatever strides the view's value has in the graph."""
    check(function, [t(12)], level)


def write_to_repeated(x):
    y = x.clone()
    y.set_(x.view(1, 12).expand(2, 12))
    y[0].add_(1)
    return y * 1


@pytest.mark.parametrize("level", LEVELS)
def test_write_to_a_part_of_repeated_elements(level):
    """It goes to all that lie in the same memory."""
    check(write_to_repeated, [t(12)], level)


def smaller(x):
    y = x.clone()
    y.resize_(2)
    y.add_(1)
    return y * 2


def out_of_nothing(x):
    y = torch.empty(0)
    torch.add(x, 1, out=y)
    y.mul_(2)
    return y


@pytest.mark.parametrize("function", [smaller, out_of_nothing], ids=lambda f: f.__name__)
def test_resize(function):
    assert check_function(function, [t(12)], "aten")[1] is None


def larger(x):
    y = x.clone()
    y.resize_(20)
    return y[:12]


def data_assignment(x):
    y = x.clone()
    y.data = x + 2
    return y * 1


@pytest.mark.parametrize("function", [larger, data_assignment], ids=lambda f: f.__name__)
def test_refused(function):
    for level in LEVELS:
        with pytest.raises(ImportFailure):
            fxgraph.capture(function, t(12), level=level)


def test_shape_of_an_argument_is_refused():
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    graph.call_method("unsqueeze_", (x, 0))
    graph.output(graph.call_function(torch.neg, (x,)))
    with pytest.raises(ImportFailure, match="argument x to keep its shape"):
        fxgraph.from_fx(torch.fx.GraphModule(torch.nn.Module(), graph), [t(3)])


# Results that are operands -------------------------------------------------


def dropout_of_nothing(x):
    y = F.dropout(x, 0.0, True)
    y.add_(1)
    return y * 2


def einsum_of_one(x):
    y = torch.einsum("i->i", x)
    y.add_(1)
    return y * 2


def contiguous_already(x):
    y = x.contiguous().reshape(3, 4).to(torch.float32)
    y[1] = 4
    return y


def no_change(x):
    for y in (torch.atleast_1d(x), x.expand(12), x.type_as(x), torch.nn.Identity()(x), F.pad(x, (0, 0)), x.view_as(x), x.movedim(0, 0)):
        y.add_(1)
    return x * 2


def unsafe_pieces(x):
    a, b = torch.unsafe_split(x, 6)
    a.add_(1)
    return b * 1


def copies(x):
    """The negative twin: what PyTorch copies is not written."""
    for y in (x.contiguous().clone(), x.to(torch.float32, copy=True), torch.einsum("i,->i", x, torch.tensor(1.0)), x.view(3, 4).t().reshape(-1),
              x.view(3, 4).t().contiguous(), torch.broadcast_to(x, (2, 12)).reshape(-1)):
        y.add_(1)
    return x * 2


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("function", [dropout_of_nothing, einsum_of_one, contiguous_already, no_change, unsafe_pieces, copies],
                         ids=lambda f: f.__name__)
def test_result_is_operand(function, level):
    check(function, [t(12)], level)


def test_unknown_write():
    """A write that neither a name nor a schema tells."""
    def renorm(x, i):
        F.embedding(i, x, max_norm=1.0)
        return x * 1

    for level in LEVELS:
        module, _ = check_function(renorm, [t(4, 3), torch.tensor([0, 3])], level)
        assert compare_once(module, renorm, [t(4, 3), torch.tensor([0, 3])]) is None


# Writes that an exported program lists ---------------------------------------


class Ring(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.zeros(1))
        self.register_buffer("cache", torch.arange(4.0))

    def forward(self, x):
        self.last.copy_(self.cache[-1:])
        self.cache.copy_(torch.cat([self.cache[1:], x]))
        return self.last + x


class Swap(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.zeros(2))
        self.register_buffer("b", torch.ones(2))
        self.register_buffer("square", torch.arange(4.0).view(2, 2))

    def forward(self, x):
        before = self.a.clone()
        self.a.copy_(self.b)
        self.b.copy_(before)
        self.square.copy_(self.square.t().clone())
        return x + self.a


class Handed(torch.nn.Module):
    """Returns what it has before it is replaced: results are views of weights that the program lists as written."""

    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.zeros(2, 2))
        self.register_buffer("kept", torch.arange(4.0).view(2, 2))
        self.w = torch.nn.Parameter(torch.arange(4.0).view(2, 2), requires_grad=False)

    def forward(self, x):
        self.a.copy_(self.w)
        self.w.copy_(self.a.t() + x)
        x.copy_(self.w)
        return self.a.t(), self.a[0], self.a, self.kept.t()


@pytest.mark.parametrize("model, x", [(Ring, t(1)), (Swap, t(2)), (Handed, t(2, 2))])
def test_listed_writes(model, x):
    program = torch.export.export(model(), (x,)).run_decompositions({})
    module = fxgraph.from_exported(program)
    assert compare_once(module, model(), [x], BATCH) is None
    eager, ours, module = model(), x.clone(), copy.deepcopy(module)  # the batch runs the other on its weights later
    for _ in range(2):  # What is written is there at the next call.
        torch.testing.assert_close(list(module.to_fx()(ours)), torch.utils._pytree.tree_leaves(eager(x)), rtol=0, atol=0)
    assert torch.equal(ours, x)


# Sizes as values -------------------------------------------------------------


def size_as_tensor(x):
    return x.sum(0) * torch.tensor(x.shape[0], dtype=torch.float32), torch.tensor([[1.0, x.shape[0] / 2]]) + x[:1, :2]


def size_as_scalar_tensor(x):
    return x.sum(0) * torch.scalar_tensor(x.shape[0])


def size_as_fill(x):
    y = x.clone()
    y.fill_(x.shape[0])
    y[0] = x.shape[0] * 2
    return torch.full((4,), x.shape[0] + 1), torch.full_like(x, x.shape[0]), x.new_full((2,), x.shape[0] // 2), y, x.masked_fill(x > 0, x.shape[0])


def size_as_bool(x):
    return x * torch.tensor(x.shape[0] > 5)


def size_as_shift(x):
    return torch.roll(x, x.shape[0] - 1, 0)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("function", [size_as_tensor, size_as_scalar_tensor, size_as_fill, size_as_bool, size_as_shift], ids=lambda f: f.__name__)
def test_size_as_value(function, level):
    check(function, [t(5, 4)], level, dynamic_shapes=({0: N},), other_args=[[t(9, 4)], [t(3, 4)]])


CASES = {
    "nearest": (lambda x: F.interpolate(x, scale_factor=2.0), {2: N}, [t(1, 2, h, 4) for h in (5, 8, 3)]),
    "bilinear": (lambda x: F.interpolate(x, scale_factor=1.5, mode="bilinear"), {2: N}, [t(1, 2, h, 4) for h in (5, 8, 3)]),
    "lstm": (torch.nn.LSTM(3, 4, batch_first=True).eval(), {0: N}, [t(b, 3, 3) for b in (4, 2, 7)]),
    "gru": (torch.nn.GRU(3, 4, bidirectional=True).eval(), {1: N}, [t(3, b, 3) for b in (4, 2, 7)]),
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", CASES)
def test_size_in_decomposition(name, level):
    """Right at other sizes than the example's: as ops, or as a call that stays whole."""
    function, shapes, inputs = CASES[name]
    module = fxgraph.capture(function, inputs[0], level=level, dynamic_shapes=(shapes,))
    for x in inputs:
        assert compare_once(module, function, [x]) is None


def check(function, args, level, **options):
    module, wrong = check_function(function, args, level, batch=BATCH, **options)
    TEXTS.append(module.asm)
    assert not wrong, f"{wrong}\n{module.asm}"


def second_name_of_what_turns(x):
    y = x * x.shape[0]
    same = F.dropout(y, 0.5, False)
    y.t_()
    return same.clone(), same.sum(0), same[:, :2] * 1, y


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("shapes", [None, ({0: N},)])
def test_changed_under_its_second_name(level, shapes):
    """The trace's own types of what is computed of it are those from before."""
    module = fxgraph.capture(second_name_of_what_turns, t(4, 3), level=level, dynamic_shapes=shapes)
    for rows in (4, 6) if shapes else (4,):
        want = second_name_of_what_turns(t(rows, 3))
        for got in (module.to_fx()(t(rows, 3)), module.run([t(rows, 3)]), module.run([t(rows, 3)], "cpu")):
            for g, w in zip(got, want, strict=True):
                torch.testing.assert_close(g, w)


@pytest.mark.parametrize("shapes", [None, ({0: N},)])
def test_contiguous_of_its_second_name(shapes):
    """torch.export leaves out the `contiguous` of what it takes for the old shape; Dynamo's graph has it."""
    def function(x):
        y = torch.maximum(x, x)
        F.dropout(y, 0.0, True).swapaxes_(0, -1)
        return F.relu(y, inplace=True).contiguous()

    module = fxgraph.capture(function, t(4, 2, 3), level="torch", dynamic_shapes=shapes)
    (got,), want = module.to_fx()(t(4, 2, 3)), function(t(4, 2, 3))
    assert torch.equal(got, want) and got.stride() == want.stride()
    with pytest.raises(ImportFailure, match=r"result 0 has strides \(8, 4, 1\) but got \(1, 3, 6\)"):
        fxgraph.capture(function, t(4, 2, 3), level="aten", dynamic_shapes=shapes)

    class Counting(torch.nn.Module):  # what it writes is as before
        def __init__(self):
            super().__init__()
            self.register_buffer("calls", torch.zeros(()))

        def forward(self, x):
            self.calls.add_(1)
            return second_name_of_what_turns(x)[:3]

    model = Counting()
    fxgraph.capture(model, t(4, 3), level="aten", dynamic_shapes=shapes)
    assert model.calls == 0


def pieces_of_what_turns(last):
    def function(x):
        y = x * 2
        same = torch.ops.aten.dropout(y, 0.0, True)
        y.t_()
        return same.split(1, 0)[last], y
    return function


def test_pieces_of_its_second_name():
    """The graph runs on [3, 2], which has more rows than the trace saw; a graph that takes a piece which is not there fails in PyTorch as well."""
    x = t(2, 3)
    traced = make_fx(pieces_of_what_turns(0), tracing_mode="fake", pre_dispatch=True)(x)
    want = traced(x)
    assert want[0].shape == (1, 2)
    module = fxgraph.from_fx(traced, [x])
    for results in (module.run([x]), module.run([x], "cpu"), module.to_fx()(x)):
        for got, eager in zip(results, want, strict=True):
            torch.testing.assert_close(got, eager)
    wide = t(3, 2)
    traced = make_fx(pieces_of_what_turns(2), tracing_mode="fake", pre_dispatch=True)(wide)
    with pytest.raises(IndexError):
        traced(wide)
    with pytest.raises(ImportFailure, match=r"node getitem_2 .*: expected an item of the 2 that split has but got 2"):
        fxgraph.from_fx(traced, [wide])


TABLE = torch.arange(4.0)


@torch._dynamo.assume_constant_result
def table():
    return TABLE


@pytest.mark.parametrize("level", LEVELS)
def test_returned_constant(level):
    """It is no literal, which would be a tensor of the graph's own; one that is only read is."""
    function = lambda x: (table(), table().view(2, 2), x + 1)  # noqa: E731
    results = fxgraph.capture(function, t(4), level=level).to_fx()(t(4))
    for got, want in zip(results, function(t(4)), strict=True):
        assert torch.equal(got, want)
    assert results[0].data_ptr() == results[1].data_ptr() == TABLE.data_ptr()
    assert not fxgraph.capture(lambda x: x + torch.tensor([1.0, 2.0, 3.0, 4.0]), t(4), level=level).weights


def test_all_verify():
    assert_all_verify(TEXTS)


def test_all_run():
    assert_all_run(BATCH, ("ref", "cpu"))
