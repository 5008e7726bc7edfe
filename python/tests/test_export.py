# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""to_fx against eager: values, strides, shared memory, writes; before and after the pre-grad pipeline."""

import pytest
import torch
import torch.nn.functional as F

import fxgraph
from fxgraph.testing.export import check_export

LEVELS = pytest.mark.parametrize("level", ["torch", "aten"])


def t(*shape):
    return torch.arange(float(torch.Size(shape).numel())).reshape(shape) / 3 - 1


def named(*functions):
    return pytest.mark.parametrize("function", functions, ids=lambda f: f.__name__)


def arguments(function, shape=(2, 2)):
    return [t(*shape) + 7 * i for i in range(function.__code__.co_argcount)]


# Ops without tensor operands ---------------------------------------------------


def randint(x):
    return x + torch.randint(0, 100, (2,))


def randperm(x):
    return x[:, torch.randperm(2)], torch.randn(3), torch.bernoulli(torch.full((3,), 0.5))


def normal_fill(x):
    return torch.empty(2, 2).normal_(1, 2) + x, torch.rand(2)


@LEVELS
@named(randint, randperm, normal_fill)
def test_draws_are_drawn_at_each_call(function, level):
    module, wrong = check_export(function, [t(2, 2)], level)
    assert not wrong, wrong
    gm = module.to_fx()
    calls = {tuple(gm(t(2, 2))[0].flatten().tolist()) for _ in range(20)}
    assert len(calls) > 1


@LEVELS
def test_created_tensors_are_of_the_call(level):
    """A result that no argument has a part in is not the same memory at each call."""
    gm = fxgraph.capture(lambda x: (torch.ones(2), torch.tensor([1.0, 2.0]), torch.arange(3), x + 1), t(2), level=level).to_fx()
    first = gm(t(2))
    for result in first[:3]:
        result.zero_()
    assert [r.tolist() for r in gm(t(2))[:3]] == [[1, 1], [1, 2], [0, 1, 2]]


@torch.library.custom_op("fxgraph_test::fill", mutates_args={"out"})
def fill(out: torch.Tensor, value: torch.Tensor) -> None:
    out.copy_(value * 2)


@fill.register_fake
def _(out, value):
    return None


@torch.library.custom_op("fxgraph_test::dense", mutates_args=())
def dense(x: torch.Tensor) -> torch.Tensor:
    """An op that sees strides and needs rows one after the other."""
    assert x.is_contiguous(), f"expected a contiguous tensor but got strides {x.stride()}"
    return x * 2


@dense.register_fake
def _(x):
    return torch.empty_like(x)


@torch.library.custom_op("fxgraph_test::strides", mutates_args=())
def strides(x: torch.Tensor) -> torch.Tensor:
    return torch.tensor(x.stride(), dtype=torch.int64)


@strides.register_fake
def _(x):
    return torch.empty(x.dim(), dtype=torch.int64)


def opaque_write(a):
    out = torch.empty(2, 2)
    torch.ops.fxgraph_test.fill(out, a)
    return out * 2


def opaque_writes_in_order(a):
    out = torch.zeros(2, 2)
    before = out + 1
    torch.ops.fxgraph_test.fill(out, a)
    first = out * 1
    torch.ops.fxgraph_test.fill(out, first)
    return before, first, out


def opaque_write_through_view(a):
    out = torch.zeros(3, 2)
    torch.ops.fxgraph_test.fill(out[1:], a)
    return out, out[0]


def opaque_write_to_argument(a, b):
    torch.ops.fxgraph_test.fill(a, b)
    torch.ops.fxgraph_test.fill(b[0], a[1])
    return a + b


def opaque_write_is_seen_by_view(a):
    out = a.clone()
    row = out[1]
    torch.ops.fxgraph_test.fill(out, a)
    return row + 0, row


@LEVELS
@named(opaque_write, opaque_writes_in_order, opaque_write_through_view, opaque_write_to_argument, opaque_write_is_seen_by_view)
def test_writes_of_opaque_ops(function, level):
    module, wrong = check_export(function, arguments(function), level)
    assert module.unknown_ops and not wrong, wrong


def test_a_gradient_leaves_the_process_as_it_was():
    """The calls that set up functorch's interpreters are in the graph; nothing runs them while it is made."""
    try:
        module = fxgraph.capture(lambda x: torch.func.grad(lambda y: (y * y).sum())(x), t(3), level="torch")
    except fxgraph.ImportFailure as error:
        pytest.skip(f"this PyTorch does not capture it: {error}")
    module.to_fx()
    assert torch._C._functorch.maybe_current_level() is None
    assert torch.equal(torch.func.grad(lambda y: (y * y).sum())(t(3)), 2 * t(3))


# Final writes --------------------------------------------------------------------


def swap(a, b):
    old = a.clone()
    a.copy_(b)
    b.copy_(old)


def rotate(a, b, c):
    old = a.clone()
    a.copy_(b)
    b.copy_(c)
    c.copy_(old)


def transposed(a):
    a.copy_(a.t() * 1.0)


def shifted(a):
    a[1:] = a[:-1].clone()


def old_rows(a):
    first, second = a.diagonal().split(1)
    both = torch.cat([first, second])
    a.add_(1)
    return both


def old_view(a):
    old = a[0] * 1.0
    a.mul_(3)
    return old, a[1]


def crossed(a, b):
    x, y = (a + b).t() * 1.0, a * 1.0
    a.copy_(x)
    b.copy_(y)
    return y


@LEVELS
@named(swap, rotate, transposed, shifted, old_rows, old_view, crossed)
def test_writes_come_after_all_reads(function, level):
    _, wrong = check_export(function, arguments(function), level)
    assert not wrong, wrong


class Cache(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("old", torch.zeros(2, 2))
        self.register_buffer("new", torch.ones(2, 2))

    def forward(self, x):
        self.old.copy_(self.new)
        self.new.copy_(x * 1.0)
        return self.old, self.new[0]


@LEVELS
def test_writes_of_buffers(level):
    _, wrong = check_export(Cache(), [t(2, 2)], level)
    assert not wrong, wrong


# Memory ------------------------------------------------------------------------


def returned_argument(a):
    return a, a.view(-1), a[0], a.t()


def returned_written_argument(a):
    a.mul_(3)
    return a, a[1:], a.t().reshape(-1), (a + 1).t()


def written_through_returned_view(a):
    row = a[1]
    row.add_(1)
    return row, row.unsqueeze(0)


def twice(a):
    b = a + 1
    return b, b, b[0], b.t()


def siblings(a):
    b = a + 1
    return b[0], b[1], b.view(-1)[1:3]


def two_of_one_value(a):
    return (a + 1)[0], (a + 1)[0], (a + 1).t()


def written_and_viewed(a):
    b = a + 1
    row = b[0]
    b.mul_(2)
    return b, row


def empty_and_copy(a):
    b = torch.empty(2, 2)
    b.copy_(a.t())
    return b.as_strided((4,), (1,), 0) + 0, b


def expanded(a):
    b = a[0] + 1
    return b.expand(3, 2), b


def copied_by_reshape(a):
    return a.t().reshape(-1), a.t().contiguous(), a.t().clone(), a.contiguous()


def channels_last(a):
    b = a.view(1, 2, 2, 1).expand(1, 2, 2, 2)
    return b.contiguous(memory_format=torch.channels_last), (b * 2).to(memory_format=torch.channels_last), b.clone(memory_format=torch.channels_last)


def empty_strided(a):
    b = torch.empty_strided((2, 2), (1, 2))
    b.copy_(a)
    return b


def diagonal(a):
    return a.diagonal(), (a + 1).diagonal()


def as_bits(a):
    b = a + 1
    return b.view(torch.int32), b


def unchanged(a):
    return a.to(torch.float32), a.contiguous(), F.dropout(a, 0.5, False), a.expand(2, 2)


def inplace_shape(a):
    return a.detach(), a.squeeze(), a.unsqueeze(0)


@LEVELS
@named(returned_argument, returned_written_argument, written_through_returned_view, twice, siblings, two_of_one_value, written_and_viewed,
       empty_and_copy, expanded, copied_by_reshape, channels_last, empty_strided, diagonal, as_bits, unchanged, inplace_shape)
def test_memory_of_results(function, level):
    _, wrong = check_export(function, arguments(function), level)
    assert not wrong, wrong


@LEVELS
def test_views_of_arguments_with_other_strides(level):
    """What is a view at the call is what the call's own strides say."""
    def function(a):
        a.add_(1)
        return a.t(), a.reshape(-1), a[0]

    _, wrong = check_export(function, [t(2, 3)], level, other_inputs=[[t(3, 2).t()]])
    assert not wrong, wrong


@LEVELS
def test_memory_of_results_with_symbolic_extents(level):
    def function(a):
        a.mul_(2)
        b = a + 1
        return a, a[1:], b, b.t(), b[0], (a * b).t().contiguous()

    _, wrong = check_export(function, [t(4, 3)], level, dynamic_shapes={"a": {0: torch.export.Dim("n", min=3)}}, other_inputs=[[t(7, 3)]])
    assert not wrong, wrong


# Opaque users ------------------------------------------------------------------


def needs_dense(a):
    return torch.ops.fxgraph_test.dense(a.t().contiguous()), torch.ops.fxgraph_test.dense(a.t().clone(memory_format=torch.contiguous_format))


def sees_strides(a):
    return [torch.ops.fxgraph_test.strides(x) for x in (a.t(), a.t().contiguous(), a[:, :1], a[0].expand(3, 2), a + 1, a.t() + 1)]


def copied_before(a):
    b = torch.empty(2, 2)
    b.copy_(a.t())
    return torch.ops.fxgraph_test.dense(b), torch.ops.fxgraph_test.strides(b)


def empty_then_strided(a):
    b = torch.empty_strided((2, 2), (1, 2)).copy_(a)
    return torch.ops.fxgraph_test.strides(b), b.as_strided((4,), (1,)) * 1


@LEVELS
@named(needs_dense, sees_strides, copied_before, empty_then_strided)
def test_strides_that_opaque_ops_see(function, level):
    module, wrong = check_export(function, arguments(function), level)
    assert module.unknown_ops and not wrong, wrong


@LEVELS
def test_strides_after_a_fusion(level):
    """Linears of one input become one, whose pieces lie apart in memory."""
    class Heads(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.heads = torch.nn.ModuleList(torch.nn.Linear(4, 3) for _ in range(3))

        def forward(self, x):
            a, b, c = [head(x) for head in self.heads]
            return torch.ops.fxgraph_test.dense(a), torch.ops.fxgraph_test.strides(b), c, b

    fuse = "builtin.module(func.func(fxgraph-normalize,fxgraph-group-fuse-parallel-linear))"
    module, wrong = check_export(Heads(), [torch.randn(5, 4)], level, pipelines=(None, fuse, "fxgraph-pre-grad"))
    assert not wrong, wrong
    assert module.op_counts()["fxgraph.linear"] == 1


def test_strides_are_in_the_text():
    """Only where they are not those of a contiguous tensor."""
    plain = fxgraph.capture(lambda x: torch.ops.fxgraph_test.dense(x), t(2, 3), level="aten")
    turned = fxgraph.capture(lambda x: torch.ops.fxgraph_test.strides(x.t()), t(2, 3), level="aten")
    assert "strides = " not in plain.asm
    assert "strides = [[1 : i64, 3 : i64]]" in turned.asm


def test_a_graph_without_a_capture(tmp_path):
    """What was loaded as text knows its own types: its values are right."""
    module = fxgraph.capture(old_view, t(2, 2), level="aten")
    module.save(tmp_path / "m.mlir")
    x, y = t(2, 2), t(2, 2)
    for got, want in zip(fxgraph.load(tmp_path / "m.mlir").to_fx()(x), old_view(y), strict=True):
        assert torch.equal(got, want)
    assert torch.equal(x, y)
