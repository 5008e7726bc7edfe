# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functionalisation: writes, views and aliases against eager, at both levels."""

import random

import pytest
import torch
import torch.nn.functional as F
from conftest import assert_all_run, assert_all_verify

import fxgraph
from fxgraph.testing.batch import Batch
from fxgraph.testing.functions import check_function

TEXTS, BATCH = [], Batch()


def t(*shape):
    return torch.arange(float(torch.Size(shape).numel())).reshape(shape) / 3 - 1


def write_through_slice(x):
    y = x.clone()
    y[1:3].mul_(2)
    return y


def write_base_seen_by_view(x):
    y = x.clone()
    v = y[0]
    y.add_(1)
    return v, y


def write_view_seen_by_sibling(x):
    y = x.clone()
    a, b = y.view(-1), y.t()
    a[2:5] = 7.0
    return b + 0, y


def chain_of_views(x):
    y = x.clone()
    y.t()[1:].unsqueeze(0).select(0, 0)[:, 1].fill_(-3)
    return y


def write_to_input(x):
    x.add_(1)
    return x * 2


def write_to_view_of_input(x):
    x[:, 1].zero_()
    return x.sum()


def returns_written_input(x):
    x.mul_(3)
    return x


def returns_view_of_written_input(x):
    v = x[0]
    x.mul_(3)
    return v


def setitem_forms(x):
    y = x.clone()
    y[0] = 1
    y[..., -1] = x[..., 0]
    y[1:, :2] = torch.tensor([5.0, 6.0])
    y[-1, 0] = True
    return y


def setitem_mask(x):
    y = x.clone()
    y[y > 0.5] = -1.0
    return y


def setitem_index(x):
    y = x.clone()
    y[torch.tensor([0, 2])] = 9.0
    y[:, torch.tensor([1])] = x[:, :1]
    return y


def inplace_activation(x):
    y = F.relu(x, inplace=True)
    z = torch.sigmoid_(y.clone())
    return y + z, x


def augmented(x):
    y = x * 2
    z = y
    y += 1
    y -= x
    y *= 2
    y /= 3
    return y, z


def copy_and_masked_fill(x):
    y = torch.zeros_like(x)
    y.copy_(x[0])
    y.masked_fill_(x > 0, 5)
    return y


def index_writes(x):
    y = x.clone()
    y.index_add_(0, torch.tensor([0, 0]), x[:2])
    y.index_copy_(1, torch.tensor([1]), x[:, :1])
    y.index_fill_(0, torch.tensor([2]), 4.0)
    y.index_put_((torch.tensor([1]),), torch.tensor(2.0), accumulate=True)
    return y


def scatter_writes(x):
    y = x.clone()
    y.scatter_(1, torch.tensor([[0], [1], [2]]), 7.0)
    y.scatter_add_(0, torch.tensor([[0, 1, 2, 0]]), x[:1])
    return y


def split_then_write(x):
    y = x.clone()
    a, b = y.split(2, dim=1)
    b.neg_()
    a += b
    return y


def chunk_unbind_write(x):
    y = x.clone()
    y.chunk(2, 1)[1].add_(10)
    y.unbind(0)[1].mul_(-1)
    return y


def reshape_is_a_view(x):
    y = x.clone()
    y.reshape(-1)[0] = 5
    return y


def reshape_is_a_copy(x):
    y = x.clone()
    z = y.t().reshape(-1)
    z[0] = 5
    return y, z


def contiguous_aliases(x):
    y = x.clone()
    y.contiguous().add_(1)
    y.t().contiguous().add_(1)
    return y


def to_same_dtype_aliases(x):
    y = x.clone()
    y.to(torch.float32).add_(1)
    y.to(torch.float64).add_(1)
    return y


def detach_aliases(x):
    y = x.clone()
    y.detach().add_(1)
    return y


def dropout_aliases(x):
    y = x.clone()
    F.dropout(y, 0.5, False).add_(1)
    return y


def written_twice(x, z):
    a = torch.sin(x)
    x.copy_(z)
    return x + a


def swap(x, z):
    old = x.clone()
    x.copy_(z)
    z.copy_(old)
    return x - z


def old_view_kept(x):
    old = x[0].clone()
    x.zero_()
    return old


def out_argument(x):
    y = torch.empty_like(x)
    torch.add(x, 1, out=y)
    return y


def int_write(x):
    y = x.to(torch.int64)
    y += 2
    y //= 2
    return y


def half_precision_write(x):
    y = x.to(torch.bfloat16)
    y.add_(x)
    y.mul_(1.25)
    return y


def transposed_write(x):
    y = x.clone()
    y.permute(1, 0)[0] = torch.tensor([1.0, 2.0, 3.0])
    y.transpose(0, 1).mul_(2)
    y.flatten()[3] = 8
    y.squeeze().unsqueeze(-1).add_(1)
    return y


def narrow_step_write(x):
    y = x.clone()
    y[::2, 1::2] = 0
    y.narrow(1, 2, 2).sub_(1)
    return y


FUNCTIONS = [write_through_slice, write_base_seen_by_view, write_view_seen_by_sibling, chain_of_views, write_to_input, write_to_view_of_input,
             returns_written_input, returns_view_of_written_input, setitem_forms, setitem_mask, setitem_index, inplace_activation, augmented,
             copy_and_masked_fill, index_writes, scatter_writes, split_then_write, chunk_unbind_write, reshape_is_a_view, reshape_is_a_copy,
             contiguous_aliases, to_same_dtype_aliases, detach_aliases, dropout_aliases, written_twice, swap, old_view_kept, out_argument,
             int_write, half_precision_write, transposed_write, narrow_step_write]


def arguments(function):
    args = (t(3, 4),)
    if function.__code__.co_argcount == 2:
        args += (t(3, 4) * 5,)
    return args


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_function(function, level):
    module, wrong = check_function(function, arguments(function), level, batch=BATCH)
    TEXTS.append(module.asm)
    assert not wrong, f"{wrong}\n{module.asm}"


def programs(seed):
    """A random program of views and writes on a clone of the input and on the input."""
    rng = random.Random(seed)
    steps = []
    for _ in range(rng.randint(4, 9)):
        steps.append((rng.choice(["view", "view", "write", "write", "use"]), rng.random(), rng.random(), rng.randint(0, 9)))

    def program(x):
        tensors, uses = [x.clone(), x], []
        for kind, where, what, amount in steps:
            source = tensors[int(where * len(tensors))]
            if kind == "view":
                options = [lambda s: s.t() if s.dim() == 2 else s.unsqueeze(0), lambda s: s[1:] if s.size(0) > 1 else s.unsqueeze(0),
                           lambda s: s[..., 0] if s.dim() > 1 else s[::2], lambda s: s.detach(), lambda s: s.unsqueeze(-1),
                           lambda s: s.view(s.size(0), -1) if s.is_contiguous() and s.dim() > 1 else s[:1], lambda s: s.chunk(2, 0)[-1],
                           lambda s: s.transpose(0, -1), lambda s: s.reshape(-1)]
                tensors.append(options[int(what * len(options))](source))
            elif kind == "write":
                options = [lambda s: s.add_(amount), lambda s: s.mul_(0.5), lambda s: s.fill_(amount), lambda s: s.neg_(),
                           lambda s: s.__setitem__(0, amount), lambda s: s.clamp_(-1, amount)]
                options[int(what * len(options))](source)
            else:
                uses.append(source.sum() + amount)
        return tuple(tensors[2:5]) + tuple(uses) + (tensors[0] * 1,)

    return program


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_exponential_fills_its_tensor(level):
    """A draw that is written: one random op, whose value the view sees."""
    class Draw(torch.nn.Module):
        def forward(self, x):
            y = torch.empty_like(x)
            y[1:].exponential_(2.5)
            return x[1:] / y[1:]

    module = fxgraph.capture(Draw(), t(3, 4), level=level)
    assert not module.unknown_ops
    assert module.op_counts()["fxgraph.exponential"] == 1
    assert "rate = 2.5" in module.asm or "rate 2.5" in module.asm
    TEXTS.append(module.asm)


@pytest.mark.parametrize("seed", range(40))
def test_random_program(seed):
    module, wrong = check_function(programs(seed), (t(4, 3),), "aten", batch=BATCH)
    TEXTS.append(module.asm)
    assert not wrong, f"{wrong}\n{module.asm}"


@pytest.mark.parametrize("seed", range(6))
def test_random_program_dynamo(seed):
    module, wrong = check_function(programs(seed), (t(4, 3),), "torch", batch=BATCH)
    TEXTS.append(module.asm)
    assert not wrong, f"{wrong}\n{module.asm}"


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("history", torch.zeros(4), persistent=False)
        self.norm = torch.nn.BatchNorm1d(3)

    def forward(self, x):
        self.count += 1
        self.history[1:] = self.history[:-1].clone()
        self.history[0] = self.count
        return self.norm(x) * self.count


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("training", [False, True])
def test_buffers(level, training):
    model = Counter().train(training)
    module, wrong = check_function(model, (torch.randn(5, 3),), level, batch=BATCH)
    TEXTS.append(module.asm)
    assert not wrong, f"{wrong}\n{module.asm}"
    assert float(model.count) == 0, "the capture wrote the model's buffer"
    assert module.op_counts()["fxgraph.copy_"] == (2 + 3 * training)


def test_functionalised_decomposition():
    """An exported program whose signature lists the writes (after run_decompositions)."""
    ep = torch.export.export(Counter().train(), (torch.randn(5, 3),)).run_decompositions()
    module = fxgraph.from_exported(ep)
    assert module.op_counts()["fxgraph.copy_"] == 5
    assert len(module.outputs) == 1


def diagonals(x):
    x.t().fill_diagonal_(5, True)
    x[1:].fill_diagonal_(7)
    return x.clone().fill_diagonal_(fill_value=True), x * 1


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (7, 3), (1, 4), (2, 2, 2)])
def test_fill_diagonal(shape, level):
    for dtype in (torch.float32, torch.int64, torch.bool):
        function = diagonals if len(shape) == 2 else lambda x: x.fill_diagonal_(3)
        module, wrong = check_function(function, [t(*shape).to(dtype)], level, batch=BATCH)
        assert not wrong, f"{wrong}\n{module.asm}"


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_no_diagonal_to_fill(level):
    with pytest.raises(fxgraph.FxGraphError):
        fxgraph.capture(lambda x: x.fill_diagonal_(3), t(2, 3, 2), level=level)


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_results_do_not_alias(level):
    """H2: a result is no argument and no other result, unless PyTorch's is."""
    same = fxgraph.capture(lambda x: x, t(2), level=level)
    assert "fxgraph.clone" not in same.op_counts()
    twice = fxgraph.capture(lambda x: (x.clone(), x.clone()), t(2), level=level)
    assert twice.op_counts()["fxgraph.clone"] == 2
    def overwritten(x):
        y = torch.empty_like(x)
        y.copy_(x)
        return y
    assert fxgraph.capture(overwritten, t(2), level=level).op_counts()["fxgraph.clone"] == 1
    def two_copies(x):
        y = x + 1
        a, b = torch.empty_like(x), torch.empty_like(x)
        a.copy_(y)
        b.copy_(y)
        return a, b, y
    assert fxgraph.capture(two_copies, t(2), level=level).op_counts()["fxgraph.clone"] == 2


def nested_dtype(x):
    y = x.clone()
    y[1].view(torch.int32).add_(1)
    return y


def nested_diagonal(x):
    y = x.clone()
    y[:, 1:].diagonal().mul_(2)
    return y + 1, y


def nested_unfold(x):
    y = x.clone()
    y[0].unfold(0, 2, 2).add_(1)
    return y


def nested_strided(x):
    y = x.clone()
    y[1:].as_strided((2, 2), (1, 1)).copy_(torch.ones(2, 2))
    return y


def whole_dtype(x):
    y = x.clone()
    y.view(torch.int32).add_(1)
    return y


def complex_and_back(x):
    y = x.clone()
    torch.view_as_real(torch.view_as_complex(y.view(4, 3, 2))).add_(1)
    return y


def complex_product(x):
    y = x.clone()
    torch.view_as_complex(y.view(4, 3, 2)).mul_(2j)
    return y


def complex_parts(x):
    y = x.clone()
    z = torch.view_as_complex(y.view(4, 3, 2))
    z.real.add_(1)
    z[1:].imag.mul_(3)
    return y


def complex_parts_are_seen(x):
    y = x.clone()
    z = torch.view_as_complex(y.view(4, 3, 2))
    real, row = z.real, z.view(-1)[1:5]
    y.add_(1)
    row.mul_(1j)
    return real + 0, y


def conjugate(x):
    y = x.clone()
    z = torch.view_as_complex(y.view(4, 3, 2))
    w, v = z.conj(), z.conj().imag
    y.mul_(2)
    seen = v + 0
    w.add_(1 + 2j)
    v.sub_(1)
    return seen, y, torch.view_as_real(w.resolve_conj()) * 2


def resolved_conjugate(x):
    """resolve_conj of a conjugate is a tensor of its own."""
    y = x.clone()
    z = torch.view_as_complex(y.view(4, 3, 2))
    w = z.conj().resolve_conj()
    y.zero_()
    return torch.view_as_real(w) * 2, y


def diagonal_of_transposed(x):
    y = x.t().clone(memory_format=torch.preserve_format)
    y.diagonal().mul_(2)
    return y * 1


def expanded_by_nothing(x):
    y = x.clone()
    y[0].expand(1, 1, -1).add_(1)
    return y


# Their views are what other views make.
def complex_arcsine(x):
    """No op of the dialect reads the pairs, and what it reads is written before and afterwards."""
    y = x.clone()
    z = torch.view_as_complex(y.view(4, 3, 2))
    z.real.add_(1)
    w = z.asin()
    z.mul_(2)
    return y, torch.view_as_real(w) * 1


UNKNOWN = (complex_arcsine,)


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("function", [nested_dtype, nested_diagonal, nested_unfold, nested_strided, whole_dtype, complex_and_back, complex_product,
                                      complex_parts, complex_parts_are_seen, conjugate, resolved_conjugate, diagonal_of_transposed,
                                      expanded_by_nothing, complex_arcsine],
                         ids=lambda f: f.__name__)
def test_writes_through_views(function, level):
    """Of other dtypes and strides, and of what stays whole: as FX the graph computes what eager does."""
    x = torch.randn(4, 6)
    module = fxgraph.capture(function, x, level=level)
    assert bool(module.unknown_ops) == (function in UNKNOWN)
    want = function(x)
    for got, expected in zip(module.to_fx()(x), want if isinstance(want, tuple) else (want,), strict=True):
        assert torch.equal(got, expected)


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_write_through_repeated_view(level):
    """What eager refuses is no graph."""
    with pytest.raises((fxgraph.ImportFailure, RuntimeError)):
        fxgraph.capture(lambda x: x.clone()[:1].expand(3, 4).add_(1), torch.randn(2, 4), level=level)


def test_write_through_repeated_view_of_a_graph():
    gm = torch.fx.symbolic_trace(lambda x: x.clone()[:1].expand(3, 4).add_(1))
    with pytest.raises(fxgraph.ImportFailure, match="a write to a tensor that repeats elements is not modelled"):
        fxgraph.from_fx(gm, [torch.randn(2, 4)])


def repeated_as_a_whole(x):
    """Equal values may be written to repeated elements."""
    y = x.clone()
    zeros = y[:1].expand(2, 3, 4)
    zeros.zero_()
    y.t()[1].expand(5, 3).fill_(2)
    return y, zeros + 0


def repeated_in_part(x):
    y = x.clone()
    row = y[0].expand(2, 4)
    row[1].add_(1)
    row[0, 2:].mul_(3)
    y[1:].expand(2, 2, 4)[0] = x[:2]
    return y, row + 0


def windows_in_part(x):
    y = x[0].clone()
    windows = y.unfold(0, 2, 1)
    windows[1].add_(1)
    return y, windows * 1


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("function", [repeated_as_a_whole, repeated_in_part, windows_in_part], ids=lambda f: f.__name__)
def test_writes_through_views_that_repeat_elements(function, level):
    x = torch.randn(3, 4)
    module = fxgraph.capture(function, x, level=level)
    assert not module.unknown_ops or function is windows_in_part
    for results in (module.to_fx()(x), *(module.run([x], target) for target in ("ref", "cpu"))):
        for got, expected in zip(results, function(x), strict=True):
            assert torch.equal(got, expected)


def test_writes_through_repeats_of_symbolic_extents():
    """As a whole it is an op; a part is not modelled."""
    def whole(x, y):
        z = x.clone()
        z[:1].expand(y.shape[0], x.shape[1]).fill_(3)
        return z

    def part(x, y):
        z = x.clone()
        z[:1].expand(y.shape[0], x.shape[1])[1].add_(3)
        return z

    shapes = {"dynamic_shapes": ({1: torch.export.Dim.DYNAMIC}, {0: torch.export.Dim.DYNAMIC}), "level": "aten"}
    x, y = torch.randn(3, 4), torch.ones(5)
    module = fxgraph.capture(whole, x, y, **shapes)
    for x, y in ((x, y), (torch.randn(3, 7), torch.ones(2))):
        for target in ("ref", "cpu"):
            assert torch.equal(module.run([x, y], target)[0], whole(x, y))
        assert torch.equal(module.to_fx()(x, y)[0], whole(x, y))
    with pytest.raises(fxgraph.ImportFailure, match="not modelled"):
        fxgraph.capture(part, x, y, **shapes)


def write_first(x, y):
    return x.add_(1) * y


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_example_arguments_that_are_one(level):
    """Their graph is that of two tensors."""
    same = torch.ones(3)
    module = fxgraph.capture(write_first, same, same, level=level)
    assert torch.equal(same, torch.ones(3)) and module.inputs == ["x", "y"]
    for target in ("ref", "cpu"):
        x, y = torch.ones(3), torch.full((3,), 5.0)
        assert torch.equal(module.run([x, y], target=target)[0], torch.full((3,), 10.0)) and torch.equal(x, torch.full((3,), 2.0))


@pytest.mark.parametrize("make, shared", [
    (lambda m: (m[0], m[0]), True),
    (lambda m: (m[0], m.view(-1)[1:4]), True),
    (lambda m: (m[0], m[:1, :1].expand(1, 3)[0]), True),
    (lambda m: (m[:, 0], m.view(-1)[6:9]), True),
    (lambda m: (m[0].view(torch.int32).view(torch.float32), m[0, 2:].view(1).expand(3)), True),
    # Rows, columns that alternate, copies, nothing.
    (lambda m: (m[0], m[1]), False),
    (lambda m: (m[:, 0], m[:, 1]), False),
    (lambda m: (m[0], m[0].clone()), False),
    (lambda m: (m[:0, 0], m[:0, 0]), False)])
def test_arguments_that_share_memory(make, shared):
    x, y = make(torch.arange(9.0).view(3, 3))
    module = fxgraph.capture(write_first, x.clone(), y.clone(), level="torch")
    before = x.clone()
    if shared:
        with pytest.raises(fxgraph.FxGraphError, match="input 0 \\('x'\\): expected memory of its own, as the graph writes it, but it shares some with input 1 \\('y'\\)"):
            module.run([x, y])
        assert torch.equal(x, before)
    else:
        result, = module.run([x, y])
        assert torch.equal(x, before + 1) and torch.equal(result, x * y)


def test_shared_memory_that_nothing_writes():
    """The negative twin."""
    x = torch.ones(3)
    module = fxgraph.capture(lambda x, y: x * y, x, x, level="aten")
    assert torch.equal(module.run([x, x])[0], x) and torch.equal(module.run([x, x + 1])[0], x + 1)


def test_all_run():
    assert_all_run(BATCH)


def test_all_verify():
    assert_all_verify(TEXTS)


def gathered(*steps):
    """A graph of a parameter p whose memory comes and goes: the calls on (x, p, shard), in order."""
    import torch.distributed.fsdp._fully_shard._fsdp_collectives  # noqa: F401: defines fsdp.copy_
    import torch._inductor.lowering  # noqa: F401: defines inductor.resize_storage_bytes_
    graph = torch.fx.Graph()
    x, p, shard = (graph.placeholder(name) for name in ("x", "p", "shard"))
    whole = graph.call_function(torch.ops.aten.cat.default, ([shard, shard],))
    results = []
    for step in steps:
        if isinstance(step, int):
            graph.call_function(torch.ops.inductor.resize_storage_bytes_.default, (p, step))
        elif step == "copy":
            graph.call_function(torch.ops.fsdp.copy_.default, (p, whole))
        elif step == "view":
            results.append(graph.call_function(torch.ops.aten.mm.default, (x, graph.call_function(torch.ops.aten.permute.default, (p, [1, 0])))))
        else:
            results.append(graph.call_function(torch.ops.aten.mm.default, (x, p)))
    graph.output(tuple(results))
    args = [torch.randn(3, 4), torch.zeros(4, 4), torch.randn(2, 4)]
    return fxgraph.from_fx(torch.fx.GraphModule(torch.nn.Module(), graph), args), args


def test_parameters_that_are_gathered_and_given_back():
    """Inductor's remove_fsdp2_unsharded_param_graph_input_usage: where the parameter is used stands what was gathered."""
    module, args = gathered(64, "copy", "use", "view", 0)
    assert not module.unknown_ops
    counts = module.op_counts()
    assert counts["fxgraph.cat"] == 1 and "fxgraph.copy_" not in counts and "fxgraph.opaque" not in counts
    x, p, shard = args
    whole = torch.cat([shard, shard])
    results = module.run(args)
    torch.testing.assert_close(results, [x @ whole, x @ whole.T])
    assert torch.equal(p, torch.zeros(4, 4))


def test_parameters_that_keep_their_memory_are_written():
    module, args = gathered(64, "copy", "use")
    assert module.op_counts()["fxgraph.copy_"] == 1
    module.run(args)
    assert torch.equal(args[1], torch.cat([args[2], args[2]]))
    # Gathered again after it was given back, and kept.
    module, args = gathered(64, "copy", "use", 0, 64, "copy", "use")
    assert module.op_counts()["fxgraph.copy_"] == 1 and not module.unknown_ops


def test_reads_of_memory_that_was_given_back_are_refused():
    for steps in ((64, "copy", 0, "use"), (64, "copy", 0, "view"), (64, "copy", "use", 0, 64, "use")):
        with pytest.raises(fxgraph.FxGraphError, match="it is read after its memory was given back"):
            gathered(*steps)
