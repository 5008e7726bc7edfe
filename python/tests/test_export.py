# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""to_fx against eager: values, strides, shared memory, writes; before and after the pre-grad pipeline."""

import functools
import operator

import pytest
import torch
import torch.nn.functional as F
import torch.utils._pytree as pytree
from torch.fx.experimental.proxy_tensor import make_fx

import fxgraph
from fxgraph.strides import CONTIGUOUS, POINTWISE
from fxgraph.testing.diff import compare, eager, import_call
from fxgraph.testing.export import Run, check_export, difference, differs

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


@torch.library.custom_op("fxgraph_test::accumulate", mutates_args={"out"})
def accumulate(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    out.add_(x.sum())
    return x * 2


@accumulate.register_fake
def _(x, out):
    return torch.empty_like(x)


def opaque_op_reads_what_it_writes(a):
    b = a + 1
    return torch.ops.fxgraph_test.accumulate(b.detach(), b), b


def opaque_op_writes_one_of_equals(a):
    """Two tensors of one value in the graph: only one is written."""
    b = torch.empty_like(a).copy_(a[0])
    return torch.ops.fxgraph_test.accumulate(a[0].expand(2, 2), b), b, a


def opaque_op_writes_beside_what_it_reads(a):
    b = a + 1
    return torch.ops.fxgraph_test.accumulate(b[0], b[1]), b


def windows(a):
    """What is written lies in one place more than once."""
    b = torch.arange(4.0) + a[0, 0]
    w = b.unfold(0, 2, 1)
    w.mul_(2)
    w.clamp_(-1, 9)
    return b, w


@LEVELS
@named(opaque_op_reads_what_it_writes, opaque_op_writes_one_of_equals, opaque_op_writes_beside_what_it_reads, windows,
       opaque_write, opaque_writes_in_order, opaque_write_through_view, opaque_write_to_argument, opaque_write_is_seen_by_view)
def test_writes_of_opaque_ops(function, level):
    module, wrong = check_export(function, arguments(function), level)
    assert module.unknown_ops and not wrong, wrong


@LEVELS
def test_an_opaque_op_that_reads_some_of_what_it_writes(level):
    """The negative twin: that has no form in the graph."""
    def function(a):
        b = a.view(-1) + 1
        return torch.ops.fxgraph_test.accumulate(b[:3], b[1:]), b

    with pytest.raises(fxgraph.ImportFailure, match="an op that writes a tensor and reads another one of .partly. the same elements"):
        fxgraph.capture(function, t(2, 2), level=level)


TRANSFORMS = {
    "grad": lambda x, y: torch.func.grad(lambda v: (v * v * y).sum())(x),
    "grad_and_value": lambda x, y: torch.func.grad_and_value(lambda v: (v.exp() * y).sum())(x),
    "jvp": lambda x, y: torch.func.jvp(torch.sin, (x,), (y,)),
    "vmap of grad": lambda x, y: torch.func.vmap(torch.func.grad(lambda v, w: (v * v * w).sum()))(x, y),
    "grad of grad": lambda x, y: torch.func.grad(lambda v: torch.func.grad(lambda w: (w ** 3).sum())(v).sum())(x) + y,
    "no_grad inside": lambda x, y: torch.func.grad(lambda v: (v * v.detach() * y).sum())(x),
    "vjp": lambda x, y: torch.func.vjp(torch.sin, x)[1](y)[0],
    "vjp twice": lambda x, y: pulled_twice(x, y),
    "write before a vjp is applied": lambda x, y: written_between(x, y),
    "jacrev": lambda x, y: torch.func.jacrev(lambda v: v.sin() * v.sum())(x[0]),
    "jacrev of jacrev": lambda x, y: torch.func.jacrev(torch.func.jacrev(lambda v: (v ** 3).sum()))(x[0]),
    "hessian": lambda x, y: torch.func.hessian(lambda v: (v ** 3 * y[0]).sum())(x[0]),
    "vmap of jacrev": lambda x, y: torch.func.vmap(torch.func.jacrev(lambda v: v.sin() * v.sum()))(x),
    "gradients of samples": lambda x, y: torch.func.vmap(torch.func.grad(lambda w, v: called(w, v).square().sum()), (None, 0))(y, x),
    "models of an ensemble": lambda x, y: torch.func.vmap(called, (0, None))(torch.stack([y, y + 1]), x)}
LAYER = torch.nn.Linear(3, 2)


def called(weight, x):
    """A model's own weight, which Dynamo meets under the transforms, makes way for an argument."""
    return torch.func.functional_call(LAYER, {"weight": weight, "bias": torch.zeros(2)}, (x,))


def pulled_twice(x, y):
    (a, b), pull = torch.func.vjp(lambda v: (v.sin(), v * 3), x)
    first, = pull((y, y))
    second, = pull((torch.cumsum(first, 0), y * y))
    return first, second, a, b


def written_between(x, y):
    out, pull = torch.func.vjp(torch.sin, x)
    scale = y.clone()
    scale.mul_(out)
    return pull(scale)[0], out


@pytest.mark.parametrize("name", TRANSFORMS)
def test_functorch(name):
    """The regions under functorch's interpreters come out as plain ops, and the process is as it was."""
    function = TRANSFORMS[name]
    module, wrong = check_export(function, [t(2, 3), t(2, 3) / 4], "torch")
    assert not wrong and not module.unknown_ops, (wrong, module.unknown_ops)
    for target in ("ref", "cpu"):
        got, want = module.run([t(2, 3), t(2, 3) / 4], target=target), function(t(2, 3), t(2, 3) / 4)
        for g, w in zip(got, want if isinstance(want, tuple) else [want], strict=True):
            torch.testing.assert_close(g, w)
    assert torch._C._functorch.maybe_current_level() is None and torch._C._autograd._saved_tensors_hooks_is_enabled()
    assert torch.equal(torch.func.grad(lambda y: (y * y).sum())(t(3)), 2 * t(3))


@pytest.mark.parametrize("level, function", [
    ("aten", TRANSFORMS["grad"]), ("aten", TRANSFORMS["vjp"]), ("torch", lambda x, y: torch.func.linearize(torch.sin, x)[1](y))])
def test_functorch_refused(level, function):
    """What a trace has lost: torch.export's argument; what Dynamo does not trace."""
    with pytest.raises(fxgraph.ImportFailure, match="takes a value that the model computes|should not be traced"):
        fxgraph.capture(function, t(2, 3), t(2, 3), level=level)
    assert torch._C._functorch.maybe_current_level() is None and torch._C._autograd._saved_tensors_hooks_is_enabled()
    assert torch.equal(torch.func.grad(lambda y: (y * y).sum())(t(3)), 2 * t(3))


@pytest.mark.parametrize("function, unknown", [
    (lambda x, y: torch.func.vmap(torch.linalg.pinv)(x[None]), ["aten.linalg_pinv.atol_rtol_tensor"]),
    (lambda x, y: torch.func.vmap(lambda v, w: torch.fft.rfft(v, n=67).abs() * w[:1])(x, y), ["aten._fft_r2c.default"]),
    (lambda x, y: torch.func.grad(lambda v: torch.linalg.svdvals(v).sum())(x), ["aten._linalg_svd.default"])])
def test_functorch_around_unknown_ops(function, unknown):
    """Ops that stay whole take the tensors with their batch dims."""
    module, wrong = check_export(function, [t(2, 3), t(2, 3).cos()], "torch")
    assert not wrong and [op.target for op in module.unknown_ops] == unknown, (wrong, module.unknown_ops)


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


def strided_beyond_a_view(a):
    """as_strided takes the storage, not the view that it is called on."""
    b = a + 1
    b[1].mul_(2)
    return b[1:].as_strided((3,), (1,), 0) * 1, b[0].as_strided((2, 2), (1, 2))


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
       empty_and_copy, strided_beyond_a_view, expanded, copied_by_reshape, channels_last, empty_strided, diagonal, as_bits, unchanged, inplace_shape)
def test_memory_of_results(function, level):
    _, wrong = check_export(function, arguments(function), level)
    assert not wrong, wrong


def as_bits_of_an_argument(a):
    """Changed in place, a view has no call that makes it: it is one by strides."""
    same, wide, narrow = a.view(torch.int32), a.view(torch.int64), a[1:].view(torch.int16)
    return same.t_(), wide.t_(), narrow.t_(), a


@LEVELS
def test_bits_of_an_argument_in_another_order(level):
    _, wrong = check_export(as_bits_of_an_argument, [t(4, 2)], level)
    assert not wrong, wrong


def test_out_without_memory_lies_as_the_result():
    """… not contiguously, which is what fakes say of it. (Dynamo refuses such a call.)"""
    def function(a):
        b = a.t()
        return (torch.mul(b, 4, out=torch.empty(0)), torch.cat([b, b], out=torch.empty(0)), torch.sum(b, 0, out=torch.empty(0)),
                torch.ops.fxgraph_test.strides(torch.neg(b, out=torch.empty(0))))

    _, wrong = check_export(function, [t(4, 3)], "aten")
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


@LEVELS
def test_memory_of_views_with_symbolic_extents(level):
    """Views by strides where no call of PyTorch's makes them again: of arguments, of memory of their own that is written."""
    def function(a):
        b = a.clone().fill_(a.shape[0])
        c = a.t().diagonal()
        c.unsqueeze_(0)
        d = torch.full_like(a.t(), 2)
        return b.unflatten(0, (1, -1)), b[0], b[1:], a.view(-1), c.swapaxes(0, -1), d, d[:, -1]

    _, wrong = check_export(function, [t(4, 3)], level, dynamic_shapes={"a": {0: torch.export.Dim.DYNAMIC}}, other_inputs=[[t(5, 3)], [t(9, 3)]])
    assert not wrong, wrong


@LEVELS
def test_memory_of_bits_and_windows(level):
    """Views of one memory as two dtypes, of which elements lie in one place more than once."""
    def function(a):
        b = torch.empty(1, 3).copy_(a)
        windows = b.unfold(1, 2, 1)
        return windows, windows.view(torch.int32), b.unsqueeze(0)

    _, wrong = check_export(function, [t(3)], level)
    assert not wrong, wrong


@LEVELS
@pytest.mark.parametrize("numbers", [(0, 1, 2, 3), (0, 1), (0, 2), (1, 3)])
def test_memory_of_bits_of_other_sizes(numbers, level):
    """Views of one memory as dtypes of three sizes, of which the smallest begins in the middle of an element."""
    def function(a):
        b = torch.empty(2, 3, dtype=torch.float64).copy_(a * 2).t()
        row = b[1]
        row.add_(1)
        bits = b.t().view(torch.int16)
        views = row, bits[:, 3:], b.t().view(torch.float32), b.unsqueeze(0)
        return tuple(views[number] for number in numbers)

    _, wrong = check_export(function, [t(2, 3)], level)
    assert not wrong, wrong


@LEVELS
def test_memory_of_views_whose_whole_is_no_result(level):
    """Expansions and views with gaps of what lies in memory as a tensor of dynamic extents does, made of one number."""
    def function(a):
        b = torch.full_like(a, 2)
        c = torch.full_like(a.t(), a.shape[0])
        return b.expand(3, -1, -1), c[::2], torch.zeros_like(a).t()[1:].unsqueeze(1).expand(-1, 2, -1)

    _, wrong = check_export(function, [t(4, 3)], level, dynamic_shapes={"a": {0: torch.export.Dim.DYNAMIC}}, other_inputs=[[t(5, 3)], [t(9, 3)]])
    assert not wrong, wrong


@LEVELS
@pytest.mark.parametrize("function", [
    # of the importer's random programs: neither result is all of the memory
    lambda x: (lambda row: (row, row.view(-1)))((x + 1).split(1, 1)[0].transpose(0, 1)),
    lambda x: (lambda column: (column, column.expand(2, x.shape[0])))((x + 1).select(1, 0).neg_()),
    lambda x: (lambda half: (half, half[:, 1:], half[0]))((x * 2)[:, ::2]),
    # repeated, windows that share elements, pieces that may be empty, bits of other sizes, a hole between two
    lambda x: (lambda y: (y[:1].expand(x.shape[0], -1), y[1:, 1]))(x * 2),
    lambda x: (lambda y: (y[1:].unfold(0, 2, 1), y[:, 1:]))(x * 2),
    lambda x: (lambda y: (y[1:, 1:], y[: x.shape[0] // 4], y[x.shape[0] // 4:, :1]))(x * 2),
    lambda x: (lambda y: (y[1:].view(torch.int32), y.view(torch.int16)[:, 3:], y[:, ::2]))(x * 2),
    lambda x: (lambda y: (y[:1].t(), y[-1:, 1:]))(x * 2),
], ids=["row", "repeated column", "every second", "repeated", "windows", "empty", "bits", "ends"])
def test_memory_of_parts_with_symbolic_extents(level, function):
    """Results that share memory of which none of them is the whole."""
    _, wrong = check_export(function, [t(4, 3)], level, dynamic_shapes=({0: torch.export.Dim.DYNAMIC},),
                            other_inputs=[[t(5, 3)], [t(9, 3)]])
    assert not wrong, wrong


@LEVELS
def test_parts_of_memory_that_are_written_apart(level):
    """Of symbolic extents: two computed results share memory only where PyTorch's do."""
    def function(x):
        y = x * 2
        return y[1:], y[:-1].clone(), (x * 2)[1:, 1:]

    _, wrong = check_export(function, [t(4, 3)], level, dynamic_shapes=({0: torch.export.Dim.DYNAMIC},), other_inputs=[[t(9, 3)]])
    assert not wrong, wrong


def operands_of(overload, transposed):
    """For each tensor parameter without a default a matrix, one in row order and one in column order in turn; numbers."""
    arguments, tensors = [], 0
    for parameter in overload._schema.arguments:
        if parameter.kwarg_only or parameter.has_default_value():
            break
        if str(parameter.type) == "Tensor":
            arguments.append(t(3, 2).sigmoid().t() if tensors % 2 == transposed else t(2, 3).sigmoid())
            tensors += 1
        else:
            arguments.append({"bool": False, "int": 1}.get(str(parameter.type), 0.5))
    return arguments


@pytest.mark.parametrize("transposed", [0, 1])
@pytest.mark.parametrize("name", [*POINTWISE, *CONTIGUOUS])
def test_strides_of_fakes_are_eagers(name, transposed):
    """Of ops that PyTorch's own fakes lay out in another way, each way round."""
    if name == "isin.Tensor_Tensor" and transposed:
        pytest.skip("PyTorch takes the elements to be looked for in row order alone")
    overload = functools.reduce(getattr, name.split("."), torch.ops.aten)
    arguments = operands_of(overload, transposed)
    tensors = [x for x in arguments if isinstance(x, torch.Tensor)]

    def function(*given):
        given = iter(given)
        return overload(*(next(given) if isinstance(x, torch.Tensor) else x for x in arguments))

    _, wrong = check_export(function, tensors, "aten")
    assert not wrong, wrong


@LEVELS
def test_strides_of_gradients(level):
    """Contiguous, of whatever operands; the softmax's own are as its operands lie."""
    def function(grad, x):
        norm = torch.ops.aten.native_layer_norm_backward
        statistics = (x.mean(-1, True), x.var(-1, keepdim=True), torch.ones(3), torch.ones(3))
        return (torch.ops.aten._log_softmax_backward_data(grad, x, -1, x.dtype), torch.ops.aten._softmax_backward_data(grad, x, -1, x.dtype),
                *norm(grad, x, [3], *statistics, [True, True, True]), *norm(grad, x, [3], *statistics, [False, True, True])[1:])

    for arguments in ([t(3, 2).t(), t(3, 2).exp().t()], [t(2, 3), t(3, 2).exp().t()], [t(2, 3), t(2, 3).exp()]):
        _, wrong = check_export(function, arguments, level)
        assert not wrong, wrong


@LEVELS
def test_forced_strides(level):
    """The same elements, in memory of their own where it is another's order."""
    def function(x):
        forced = torch.ops.prims.inductor_force_stride_order(x, (1, 3))
        forced.add_(1)
        return forced, torch.ops.prims.inductor_force_stride_order(x * 2, (4, 1)), x + 1

    module, wrong = check_export(function, [t(3, 4)], level)
    assert not module.unknown_ops and not wrong, wrong


@LEVELS
def test_strides_of_functions_of_two_orders(level):
    def function(a, b):
        a = a.t()
        return torch.special.xlogy(a, b), torch.xlogy(b, a), a // b, b.copysign(a), torch.copysign(a, b.t()[:, :1].t()), torch.pow(2.0, a), torch.isin(a, b)

    _, wrong = check_export(function, [t(3, 2).exp(), t(2, 3).exp()], level)
    assert not wrong, wrong


@LEVELS
def test_views_that_change_nothing_are_objects(level):
    """… of their own, also where a pass leaves a call that returns what it is given."""
    def function(a):
        b = a * 3
        c = b.contiguous(memory_format=torch.preserve_format)
        b.unflatten(0, (3, 1)).clamp_(-1, 4)
        return c.transpose(0, -1), b.t(), c, b.view(-1)

    _, wrong = check_export(function, [t(3)], level)
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
def test_shared_memory_of_a_result_that_repeats(level):
    """Of symbolic extents: all of the memory is a result some of whose elements are there more than once."""
    def function(x):
        y = x + 1
        t = y.transpose(0, 1)
        return t.expand(2, *t.shape).unfold(0, 2, 1), t[0], x * 2

    module, wrong = check_export(function, [t(4, 3)], level, other_inputs=[[t(7, 3)], [t(2, 3)]],
                                 dynamic_shapes={"x": {0: torch.export.Dim.DYNAMIC}})
    assert not wrong, wrong


@LEVELS
def test_a_write_by_another_dtype_of_repeated_elements(level):
    """The bytes are read from a value that PyTorch has once for all elements."""
    def function(x):
        y = x.to(torch.float64)
        y.view(torch.int32).copy_(x[0, 0].to(torch.int32))
        return y, y.view(torch.int32)

    _, wrong = check_export(function, [t(2, 3)], level)
    assert not wrong, wrong


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


# Arguments of opaque ops ---------------------------------------------------------


class Filled(torch.nn.Module):
    """Ops that write, which functionalisation wraps: the operator is an argument."""

    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.zeros(2, 2))

    def forward(self, a):
        out = torch.zeros(2, 2)
        torch.ops.fxgraph_test.fill(out, a)
        torch.ops.fxgraph_test.fill(self.state[0], a[1])
        torch.ops.fxgraph_test.fill(a, out)
        return out * 2, self.state + 1


@pytest.mark.parametrize("table", [{}, None], ids=["functional", "core"])
def test_calls_on_copies(table):
    model, mine = Filled(), Filled()
    program = torch.export.export(mine, (t(2, 2),))
    program = program.run_decompositions() if table is None else program.run_decompositions(table)
    module = fxgraph.from_exported(program)
    assert module.op_counts()["fxgraph.auto_functionalized"] == 3 and "fxgraph.opaque" not in module.op_counts()
    for pipeline in (None, "fxgraph-pre-grad"):
        if pipeline:
            module.run_passes(pipeline)
        with torch.no_grad():
            model.state.zero_()
            module.weights["state"].zero_()
        want = Run(model, [t(2, 2)], {"state": model.state}).snapshot()
        got = Run(module.to_fx(), [t(2, 2)], {"state": module.weights["state"]}).snapshot()
        wrong = difference(got, want)
        assert not wrong, wrong


def test_wrappers_of_the_random_state():
    """The state is saved before a draw, and the draw is repeated with it."""
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    higher = torch.ops.higher_order
    saved = graph.call_function(higher.run_and_save_rng_state, (torch.ops.aten.rand_like.default, x))
    state, first = (graph.call_function(operator.getitem, (saved, i)) for i in (0, 1))
    second = graph.call_function(higher.run_with_rng_state, (state, torch.ops.aten.rand_like.default, x))
    graph.output((first, second))
    module = fxgraph.from_fx(torch.fx.GraphModule(torch.nn.Module(), graph), [t(3)])
    assert '{python = "torch.ops.aten.rand_like.default"}' in module.asm
    gm = module.to_fx()
    draws = [gm(t(3)) for _ in range(2)]
    assert all(torch.equal(first, second) for first, second in draws) and not torch.equal(draws[0][0], draws[1][0])


def sizes_in_lists(x):
    return torch.ones(2, x.shape[0]) @ x, x.new_zeros(x.shape[0] + 1, 2), torch.full((x.shape[0], 2), 7), torch.rand(x.shape[0], 2) * 0


def sizes_as_numbers(x):
    return x.index_fill(0, torch.tensor([1]), x.shape[0]), torch.empty(2).fill_(x.shape[0])


def sizes_of_opaque_ops(x):
    return x.as_strided((x.shape[0] - 1, 2), (3, 1)), F.pad(x[None], (0, 0, x.shape[0] - 1, 0), mode="circular"), x.cummax(0)[0][: x.shape[0] - 1]


def checked(x):
    torch._check(x.shape[0] > 1)
    torch._check(x.shape[0] * 2 != 7, lambda: "no such size")
    return x * x.shape[0]


@LEVELS
@named(sizes_in_lists, sizes_as_numbers, sizes_of_opaque_ops, checked)
def test_symbolic_sizes(function, level):
    shapes = {"x": {0: torch.export.Dim("n", min=3, max=50)}}
    _, wrong = check_export(function, [t(4, 3)], level, dynamic_shapes=shapes, other_inputs=[[t(3, 3)], [t(9, 3)]])
    assert not wrong, wrong


def checked_element(x):
    n = x[0].item()
    torch._check(n >= 0)
    torch._check(n < 100)
    return torch.zeros(n) + 1, n


def elements(x):
    return x[0].item(), x.sum().item() + 1, x * 2


@LEVELS
def test_numbers_stay_numbers(level):
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        for function, x in ((elements, torch.tensor([1.5, 2.0])), (elements, torch.tensor([3, 4])), (checked_element, torch.tensor([3, 4]))):
            _, wrong = check_export(function, [x], level)
            assert not wrong, wrong


def test_a_check_that_fails():
    """The negative twin: what the capture asserts is asserted by the graph."""
    gm = fxgraph.capture(checked_element, torch.tensor([3, 4]), level="aten").to_fx()
    with pytest.raises(RuntimeError, match="assertion failed"):
        gm(torch.tensor([-3, 4]))


# Numbers -------------------------------------------------------------------------

ARITHMETIC = [torch.add, torch.sub, torch.mul, torch.div, torch.pow, torch.remainder, torch.eq, torch.ne, torch.lt, torch.le, torch.gt, torch.ge,
              operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow, operator.and_,
              operator.or_, operator.xor, operator.lt, operator.ge, torch.fmod, torch.rsub, torch.true_divide, torch.floor_divide]
DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool]


@pytest.mark.parametrize("function", ARITHMETIC, ids=lambda f: f"{f.__module__.strip('_')}.{f.__name__}")
def test_numbers_have_no_say_in_the_dtype(function):
    """Of each rank and dtype, on either side of a number of each kind; one graph for each dtype."""
    tried = 0
    for dtype in DTYPES:
        tensors = [torch.tensor(3).to(dtype), torch.tensor([3, 1, 2]).to(dtype)]
        graph, wants, calls = torch.fx.Graph(), [], []
        inputs = [graph.placeholder(f"x{i}") for i in range(2)]
        for number in (2, 2.3, True):
            if "pow" in function.__name__ and dtype is torch.bool and number is True:
                continue  # a bool in eager, an integer on PyTorch's fake tensors
            for tensor, node in zip(tensors, inputs):
                for first in (True, False):
                    try:
                        wants.append(function(*((tensor, number) if first else (number, tensor))))
                    except (RuntimeError, TypeError):
                        continue
                    calls.append(graph.call_function(function, (node, number) if first else (number, node)))
        graph.output(tuple(calls))
        try:
            module = fxgraph.from_fx(torch.fx.GraphModule(torch.nn.Module(), graph), tensors)
        except fxgraph.ImportFailure:
            continue  # eager takes what fake tensors do not
        for got, want, call in zip(module.to_fx()(*tensors), wants, calls, strict=True):
            assert not (wrong := compare(got, want)), f"{dtype}, {call.args}: {wrong}"
            tried += 1
    assert tried >= 20


def filled_bytes(x):
    return torch.full((2,), -1, dtype=torch.uint8) & x, x.new_full((2,), -3), torch.full_like(x, -255), x.clone().fill_(-7)


def chosen_bytes(x):
    return x.masked_fill(x > 8, -1), F.threshold(x, 8, -1), x.index_fill(0, torch.tensor([0]), -9), x.clamp(min=-1), F.pad(x, (1, 1), value=250)


def counted_bytes(x):
    return torch.arange(-2, 2, dtype=torch.uint8).float(), torch.full((2,), -1, dtype=torch.uint8).float() + x


@LEVELS
@named(filled_bytes, chosen_bytes, counted_bytes)
def test_negative_numbers_wrap_to_bytes(function, level):
    x = torch.tensor([7, 255], dtype=torch.uint8)
    module, wrong = check_export(function, [x], level)
    assert not wrong, wrong
    for target in ("ref", "cpu", "gpu-emulator"):
        for got, want in zip(module.run([x], target=target), function(x)):
            assert torch.equal(torch.as_tensor(got), want), target


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int32, torch.int64])
@pytest.mark.parametrize("bounds", [(-2**63, None), (None, 2**63 - 1), (-2**63, 2**63 - 1), (0, None), (-2**31, 2**31 - 1), (1, 2), (None, 2**60)])
def test_integers_stay_integers_in_clamp(dtype, bounds):
    x = torch.tensor([0, 1, 2, 3, 127]).to(dtype)
    low, high = bounds
    try:
        (want,), _ = eager(torch.clamp, (x, low, high), {})
    except RuntimeError as error:
        pytest.skip(f"PyTorch refuses it: {error}")
    module, tensors = import_call(torch.clamp, (x, low, high))
    assert not (wrong := compare(module.to_fx()(*tensors)[0], want)), wrong


def by_extents_of_another(a, b):
    b.add_(1)
    return a.expand(b.shape[0], -1, -1).moveaxis(-1, 0), a.view(1, *a.shape).expand(b.size(0), -1, -1)


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_views_by_sizes_of_another_argument(level):
    """They are views of the one, also where the other is written."""
    shapes = ({0: torch.export.Dim.DYNAMIC},) * 2
    others = [[torch.randn(6, 3), torch.randn(7, 2)]]
    _, wrong = check_export(by_extents_of_another, [torch.randn(4, 3), torch.randn(5, 2)], level, other_inputs=others, dynamic_shapes=shapes)
    assert not wrong, wrong


# Where PyTorch's own graph is another ------------------------------------------


def turned_then_contiguous(x):
    y = x.sum(0)
    second = F.dropout(y, 0.0, True)
    y.swapaxes_(0, -1)
    return second.contiguous().expand(2, -1, -1)


def turned_before(x):
    y = x.sum(0)
    y.swapaxes_(0, -1)
    return F.dropout(y, 0.0, True).contiguous().expand(2, -1, -1)


def dense_second_name(x):
    y = x.narrow(1, 2, 1)
    second = F.dropout(y, 0.0, True)
    y.mul_(2)
    return second.contiguous().unsqueeze(0)


def dense_copy(x):
    return F.dropout(x.narrow(1, 2, 1).clone(), 0.0, True).contiguous().unsqueeze(0)


@pytest.mark.parametrize("function", [dense_second_name, dense_copy])
def test_memory_of_second_names(function):
    """torch.export takes the second name of a column for a dense tensor, of which `contiguous` is no copy; such a capture is refused by name."""
    x = t(2, 3)
    try:
        module = fxgraph.capture(function, x.clone(), level="aten")
    except fxgraph.FxGraphError as error:
        assert function is dense_second_name and "has a second name" in str(error)
        module = fxgraph.capture(function, x.clone(), level="torch")
    mine, models = pytree.tree_leaves(module.to_fx()(x.clone()))[0], function(x.clone())
    torch.testing.assert_close(mine, models)
    assert mine.stride()[1] == models.stride()[1]


def size_after_turn(x):
    y = x.sum(0).expand(2, -1)
    y.t_()
    return torch.scalar_tensor(y.size(0)) + x


def size_in_loop(x):
    y = x.sum(0).unsqueeze(0)
    y.squeeze_(0)
    return x + len([i for i in range(y.dim())])


def turned_value(x):
    y = x.sum(0).expand(2, -1)
    y.t_()
    return y * 2, torch.empty(2).fill_(y.sum()) + x[0, :2]


@pytest.mark.parametrize("function", [size_after_turn, size_in_loop, turned_value])
def test_sizes_that_change_in_place(function):
    """What Dynamo computes of sizes from before is refused by name; the graph of one that it sees, or does not ask for, is the model's."""
    x = t(3, 4)
    assert not torch.equal(torch.compile(size_after_turn, backend="eager")(x), size_after_turn(x))  # the reason
    try:
        module = fxgraph.capture(function, x, level="torch")
    except fxgraph.FxGraphError as error:
        assert function is not turned_value and "sizes of a tensor change in place" in str(error)
        return
    assert function is not size_after_turn
    for mine, models in zip(pytree.tree_leaves(module.to_fx()(x)), pytree.tree_leaves(function(x))):
        torch.testing.assert_close(mine, models)


@pytest.mark.parametrize("function, lies_so", [(turned_then_contiguous, False), (turned_before, True)])
def test_memory_of_traces(function, lies_so):
    """A trace with the second name's shape from before has no `contiguous`: its import does what it does, not what eager does."""
    inputs = [t(1, 2, 3)]
    traced = make_fx(function, tracing_mode="fake", pre_dispatch=True)(*inputs)
    assert not differs(traced, function, inputs)
    assert differs(traced, function, inputs, memory=True) is not lies_so
    imported = fxgraph.from_fx(traced, inputs).to_fx()
    got, graph, want = (Run(call, [inputs[0].clone()], {}).snapshot() for call in (imported, traced, function))
    assert difference(got, graph) is None
    assert (difference(got, want) is None) is lies_so
    assert differs(lambda x: function(x) + 1, function, inputs)
