# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(model, backend="fxgraph"): what PyTorch promises of a compiled function."""

import collections
import logging
import threading

import pytest
import torch
import torch.nn.functional as F
from dynamo_cases import assert_same_call, check, left

import fxgraph
import fxgraph.dynamo
from fxgraph import FxGraphError

X = torch.randn(4, 6, generator=torch.Generator().manual_seed(7))


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    fxgraph.dynamo.reset_stats()


# -- results ------------------------------------------------------------------


def test_a_model_is_compiled_whole():
    model = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.LayerNorm(5), torch.nn.GELU(), torch.nn.Linear(5, 2))
    stats, = check(model, (X,))
    assert stats.compiled == {"aten.linear.default": 2, "aten.layer_norm.default": 1, "aten.gelu.default": 1}
    assert not stats.left and stats.calls == 1 and stats.share == 1.0 and stats.target == "cpu" and stats.whole is None


class Bert(torch.nn.Module):
    """A layer of BERT, its attention written out."""

    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads = heads
        self.project = torch.nn.ModuleList(torch.nn.Linear(width, width) for _ in range(4))
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(width) for _ in range(2))
        self.widen, self.narrow, self.drop = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width), torch.nn.Dropout(0.1)

    def weights(self, x, mask):
        q, k = (p(x).view(*x.shape[:2], self.heads, -1).permute(0, 2, 1, 3) for p in self.project[:2])
        return self.drop(torch.softmax(torch.matmul(q, k.transpose(-1, -2)) / q.shape[-1] ** 0.5 + mask, -1))

    def forward(self, x, mask):
        return self.rest(x, self.weights(x, mask))

    def rest(self, x, weights):
        v = self.project[2](x).view(*x.shape[:2], self.heads, -1).permute(0, 2, 1, 3)
        context = torch.matmul(weights, v).permute(0, 2, 1, 3).contiguous().view(x.shape)
        x = self.norms[0](x + self.drop(self.project[3](context)))
        return self.norms[1](x + self.drop(self.narrow(F.gelu(self.widen(x)))))


@pytest.fixture
def compiled_ops(monkeypatch):
    """How many of each op are compiled."""
    compiled = collections.Counter()
    compile_module = fxgraph.Module.compile

    def watched(module, *args, **kwargs):
        compiled.update(module.op_counts())
        return compile_module(module, *args, **kwargs)

    monkeypatch.setattr(fxgraph.Module, "compile", watched)
    return compiled


# Keys that are hidden by a number or by -inf, and a row that sees nothing: uniform weights, or NaN, as in eager mode.
MASKS = [torch.tensor([0.0, 0, 0, -1e4]), torch.tensor([0.0, -torch.inf, 0, 0]), torch.full((4,), torch.finfo(torch.float32).min),
         torch.full((4,), -torch.inf)]


@pytest.mark.parametrize("mask", MASKS, ids=["number", "inf", "row of numbers", "row of inf"])
def test_attention_is_fused_by_default(compiled_ops, mask):
    torch.manual_seed(0)
    check(Bert().eval(), (torch.randn(2, 4, 16), torch.stack([torch.zeros(4), mask]).view(2, 1, 1, 4)))
    assert compiled_ops["fxgraph.scaled_dot_product_attention"] == 1
    assert not compiled_ops["fxgraph.softmax"] and not compiled_ops["fxgraph.matmul"]
    assert compiled_ops["fxgraph.linear"] == 6 and compiled_ops["fxgraph.layer_norm"] == 2


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_attention_is_fused_in_16_bits(compiled_ops, dtype):
    """No further from what f64 gives than eager mode, which rounds more often, and as many bits."""
    torch.manual_seed(0)
    model, args = Bert().eval().to(dtype), (torch.randn(2, 4, 16, dtype=dtype), torch.zeros(2, 1, 1, 4, dtype=dtype))
    with torch.no_grad():
        got, eager = torch.compile(model, backend="fxgraph")(*args), model(*args)
        exact = model.double()(*(x.double() for x in args))
    assert compiled_ops["fxgraph.scaled_dot_product_attention"] == 1
    assert (got - exact).abs().max() <= (eager - exact).abs().max() + torch.finfo(dtype).eps * exact.abs().max()


class Watched(Bert):
    """The weights of the attention are a result too."""

    def forward(self, x, mask):
        weights = self.weights(x, mask)
        return self.rest(x, weights), weights


@pytest.mark.parametrize("model, options", [(Watched, {}), (Bert, {"pipeline": "fxgraph-pre-grad"})])
def test_attention_that_stays(compiled_ops, model, options):
    torch.manual_seed(0)
    check(model().eval(), (torch.randn(2, 4, 16), torch.zeros(2, 1, 1, 4)), **options)
    assert compiled_ops["fxgraph.softmax"] == 1 and not compiled_ops["fxgraph.scaled_dot_product_attention"]


def test_structures_numbers_and_none_are_returned():
    check(lambda x: {"a": (x + 1, None), "b": [x.shape[0], 2.5, "text", x.sum()]}, (X,))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int8, torch.uint8,
                                   torch.bool])
def test_dtypes(dtype):
    x = (X * 3).to(dtype)
    stats, = check(lambda x: (torch.cat([x, x])[1:], x == x.flip(0), torch.where(x > 0, x, 1)), (x,))
    assert not stats.left


def test_8_bit_floats():
    check(lambda x: (x.sin() * 2).to(torch.float8_e4m3fn).float().cos() + 1, (X,))


def test_rank_0():
    stats, = check(lambda x, y: (x + y, x * 2, (x > y).sum()), (torch.tensor(2.0), torch.tensor(3.0)))
    assert not stats.left


def test_zero_elements():
    for shape in ((0, 6), (4, 0)):
        check(lambda x: (x.relu() + 1, x.sum(), x.sum(0), torch.cat([x, x], 1)), (torch.randn(shape),))


def test_inputs_of_any_strides():
    stats = check(lambda x: (x @ x.t()).sin() + x.sum(), (X.t(),), (X[:, ::2],), (X[:1].expand(4, 6),), (X.t()[1:, 1:3],))
    assert not left(stats)


@pytest.mark.parametrize("name, function", [
    ("transposed", lambda x: (x * 2).t()),
    ("elementwise of a transposed tensor", lambda x: x.t() * 2),
    ("permuted", lambda x: x.view(2, 2, 6).permute(2, 0, 1).relu()),
    ("expanded", lambda x: (x[:, :1] + 1).expand(4, 5)),
    ("padded", lambda x: (x + 1)[:, :4]),
    ("stepped", lambda x: (x + 1)[:, ::2]),
    ("extents of 1", lambda x: (x[:1] * 2, x[:, :1].t() * 2, x[:1, :1] + 1))])
@pytest.mark.parametrize("dynamic", [False, True])
def test_strides_of_results(name, function, dynamic):
    stats, = check(function, (X,), dynamic=dynamic)
    assert stats.calls == 1 and not stats.left


@pytest.mark.parametrize("dynamic", [False, True])
def test_channels_last(dynamic):
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.MaxPool2d(2)).eval()
    images = [torch.randn(2, 3, n, n).to(memory_format=torch.channels_last) for n in (8, 10)]
    stats = check(model, (images[0],), (images[1],), dynamic=dynamic)
    assert not left(stats) and len(stats) == (1 if dynamic else 2)
    check(model, (images[0].contiguous(),))


# -- aliases --------------------------------------------------------------------


def test_a_result_that_is_an_argument_or_another_result():
    def f(x):
        y = x + 1
        return x, y, y, x.view(-1), (y * 2).relu()
    got = assert_same_call(f, torch.compile(f, backend="fxgraph"), (X,))
    assert got[1] is got[2]


def test_results_that_share_memory():
    def f(x):
        y = x.sin() + 1
        parts = y.split(2, dim=1)
        return y.t(), y, y[1:], y.view(-1)[3], parts[0], parts[2], torch.cat(parts, 1)
    stats, = check(f, (X,))
    assert not stats.left


def test_results_that_share_memory_with_an_argument():
    stats, = check(lambda x: (x[1:], x.t(), x.view(2, -1), x.sin() * 2), (X,))
    assert stats.compiled == {"aten.sin.default": 1, "aten.mul.Tensor": 1}


def test_a_view_that_is_used_before_it_is_returned_splits_nothing():
    def f(x):
        y = x.sin()
        v = y.view(-1)
        return y, v, (v * 2).cos(), (v + 1).t()
    stats, = check(f, (X,))
    assert stats.calls == 1 and not stats.left


def test_a_copy_does_not_share_memory():
    stats, = check(lambda x: (x.clone(), (x + 0), x.contiguous().clone().view(-1), x.to(torch.float32, copy=True)), (X,))
    assert stats.left == () or stats.calls <= 1


def test_memory_that_as_strided_addresses():
    """Its places are in the storage, which a view begins somewhere in: it runs in PyTorch, on that storage."""
    def f(x):
        y = x * 2 + 1
        return torch.as_strided(y[1:], (2, 3), (1, 6)).sin() + 1, torch.as_strided(y[1:].t(), (2, 3), (1, 6), 2), (y[1:] * 2).cos()
    stats, = check(f, (X,))
    assert left([stats]) == ["aten.as_strided.default"] * 2 and stats.compiled["aten.cos.default"] == 1


def test_nothing_but_views_is_left_to_pytorch(caplog):
    with caplog.at_level(logging.WARNING, "fxgraph.dynamo"):
        stats, = check(lambda x: (x.t(), x[0]), (X,))
    assert not stats.compiled and stats.calls == 0 and stats.target is None and not caplog.records


# -- writes ---------------------------------------------------------------------


def test_writes_to_an_argument():
    def f(x, y):
        x.add_(1)
        y[1:, 2] = x[0, 0]
        x.mul_(y.sum())
        return x.sin()
    check(f, (X, X * 2))


def test_writes_to_a_view_and_to_memory_that_arguments_share():
    def f(x):
        x[0].zero_()
        x.t()[1].add_(5)
        return x + 1
    check(f, (X,))

    def g(x, y):
        x.add_(1)
        return y * 2
    base = torch.arange(12.0)
    compiled = torch.compile(g, backend="fxgraph")
    assert torch.equal(compiled(base[:8], base[4:]), torch.cat([torch.arange(5.0, 9.0), torch.arange(8.0, 12.0)]) * 2)
    assert torch.equal(compiled(base[:4], base[4:8]), base[4:8] * 2)


def test_results_that_are_written_arguments():
    check(lambda x: (x.add_(1), x.t(), x * 2), (X,))


def test_a_transposed_argument_is_written_where_it_is():
    def f(x):
        x.copy_(x.sin() * 2)
        return x.sum()
    check(f, (X.t(),), (X[:, ::2],))


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("mean", torch.zeros(6))
        self.weight = torch.nn.Parameter(torch.ones(6))

    def forward(self, x):
        self.count += 1
        self.mean.lerp_(x.mean(0), 0.5)
        self.mean = self.mean * 1  # the attribute is another tensor now
        return (x - self.mean) * self.weight / self.count


def test_buffers_are_written():
    eager, model = Counter(), Counter()
    compiled = torch.compile(model, backend="fxgraph")
    with torch.no_grad():
        for step in range(3):
            torch.testing.assert_close(compiled(X + step), eager(X + step))
    assert model.count == 3
    torch.testing.assert_close(model.mean, eager.mean)


def test_batch_norm_in_training_mode():
    model = torch.nn.Sequential(torch.nn.Conv1d(6, 3, 1), torch.nn.BatchNorm1d(3), torch.nn.ReLU()).train()
    reference = torch.nn.Sequential(torch.nn.Conv1d(6, 3, 1), torch.nn.BatchNorm1d(3), torch.nn.ReLU()).train()
    reference.load_state_dict(model.state_dict())
    compiled = torch.compile(model, backend="fxgraph")
    x = torch.randn(5, 6, 7)
    with torch.no_grad():
        for _ in range(2):
            torch.testing.assert_close(compiled(x), reference(x))
    for name, value in reference.state_dict().items():
        torch.testing.assert_close(model.state_dict()[name], value)
    assert model[1].num_batches_tracked == 2


def test_weights_are_read_at_each_call():
    model = torch.nn.Linear(6, 2)
    compiled = torch.compile(model, backend="fxgraph")
    with torch.no_grad():
        compiled(X)
        model.weight.mul_(2)
        torch.testing.assert_close(compiled(X), model(X))
        model.load_state_dict(torch.nn.Linear(6, 2).state_dict())
        torch.testing.assert_close(compiled(X), model(X))


def test_tied_weights():
    model = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.ReLU(), torch.nn.Linear(6, 6))
    model[2].weight = model[0].weight
    stats, = check(model, (X,))
    assert not stats.left


VIEW_OR_OPERAND = {
    "einsum-permutes": lambda x: torch.einsum("ij->ji", x),
    "einsum-diagonal": lambda x: torch.einsum("ii->i", x),
    "einsum-nothing": lambda x: torch.einsum("...j->...j", x),
    "type_as": lambda x: x.type_as(x),
}


@pytest.mark.parametrize("make", VIEW_OR_OPERAND.values(), ids=VIEW_OR_OPERAND)
def test_a_composite_op_that_returns_its_operand_or_a_view_of_it(make):
    """Their schemas do not say so: writes to either are seen in the other."""
    def operand_is_written(x):
        y = make(x)
        x.add_(1)
        return y, y * 2

    def result_is_written(x):
        y = make(x)
        y.mul_(2)
        return y, x + 1

    for f in (make, operand_is_written, result_is_written):
        check(f, (torch.randn(4, 4),), (torch.randn(4, 4).t(),))


def test_an_einsum_of_two_operands_stays_whole():
    stats, = check(lambda x, y: torch.einsum("ij,kj->ik", x, y), (X, X))
    assert stats.compiled == {"aten.einsum.default": 1}


# -- gradients --------------------------------------------------------------------


def test_a_graph_that_needs_gradients_runs_in_pytorch(caplog):
    model = torch.nn.Linear(6, 2)
    compiled = torch.compile(model, backend="fxgraph")
    with caplog.at_level(logging.WARNING, "fxgraph.dynamo"):
        compiled(X).sum().backward()
    grad = model.weight.grad.clone()
    model.weight.grad = None
    model(X).sum().backward()
    torch.testing.assert_close(grad, model.weight.grad)
    stats, = fxgraph.dynamo.stats()
    assert stats.target is None and stats.share == 0.0 and "gradients" in stats.whole


def test_no_gradients_are_needed():
    model = torch.nn.Linear(6, 2)
    compiled = torch.compile(model, backend="fxgraph")
    for context in (torch.no_grad(), torch.inference_mode()):
        with context:
            y = compiled(X)
            assert not y.requires_grad and y.is_inference() == torch.is_inference_mode_enabled()
            torch.testing.assert_close(y, model(X))
    model.requires_grad_(False)
    compiled(X)
    assert all(stats.share == 1.0 for stats in fxgraph.dynamo.stats())


def test_gradients_are_disabled_inside():
    weight = torch.randn(6, 2, requires_grad=True)

    @torch.no_grad()
    def f(x):
        return (x @ weight).relu()

    stats, = check(f, (X,), grad=True)
    assert stats.share == 1.0


def test_a_buffer_takes_part_in_a_gradient():
    weight = torch.randn(6, requires_grad=True)

    def f(x):
        x.add_(weight)
        return x.detach() * 2

    stats, = check(f, (X,), grad=True)
    assert stats.whole


# -- what has no functional form ---------------------------------------------------


def test_an_input_whose_data_becomes_a_computed_tensor(caplog):
    """AOTAutograd gives up on it: the graph runs in PyTorch, and the option strict makes it an error."""
    def f(x, y):
        x.data = y * 2
        return x + 1

    def call(compiled):
        x, y = X.clone(), X * 3
        with torch.no_grad():
            return compiled(x, y), x
    with caplog.at_level(logging.WARNING, "fxgraph.dynamo"):
        got = call(torch.compile(f, backend="fxgraph"))
    torch.testing.assert_close(got, call(f))
    stats, = fxgraph.dynamo.stats()
    assert stats.target is None and stats.whole.startswith("AOTAutograd cannot make it functional: ") and stats.whole in caplog.text
    torch._dynamo.reset()
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="option strict"):
        call(torch.compile(f, backend="fxgraph", options={"strict": True}))


# -- sizes ----------------------------------------------------------------------


def test_one_graph_for_all_sizes():
    def f(x, n):
        y = x.view(-1, 2, 3).transpose(0, 1).reshape(2, -1)
        return y * x.shape[0] + n, x.new_zeros(x.shape[0], n), torch.cat([x, x])[: n + 1], x.shape[0] * n
    calls = [(torch.randn(n, 6), n + 1) for n in (4, 7, 3, 9)]
    stats = check(f, *calls, dynamic=True)
    assert len(stats) == 1 and not stats[0].left


def test_bounds_that_are_computed_from_sizes():
    def f(x, keep):
        y = (x * 2)[-keep:] if keep else x * 2
        return y / x.shape[0] + torch.true_divide(keep, 3), x[:, keep:2 * keep + 1].sum(1), x.new_ones(keep + x.shape[0], 2 * keep)
    stats = check(f, *[(torch.randn(n, 9), k) for n, k in ((4, 2), (7, 3), (5, 4))], dynamic=True)
    assert len(stats) == 1 and stats[0].calls == 1 and not stats[0].left


def test_sizes_become_dynamic_when_they_change():
    stats = check(lambda x: (x @ x.t()).softmax(-1), *[(torch.randn(n, 6),) for n in (4, 5, 8, 1, 0, 2)])
    assert 2 <= len(stats) <= 4 and not left(stats)  # 4; any; PyTorch has graphs of their own for the sizes 0 and 1


def test_a_size_that_a_guard_has_made_static():
    def f(x):
        return x + 1 if x.shape[0] > 5 else x.sin() * 2
    stats = check(f, *[(torch.randn(n, 6),) for n in (4, 5, 8, 9)], dynamic=True)
    assert len(stats) == 2


def test_python_numbers_that_change():
    stats = check(lambda x, a, n: (x * a + n).sin(), (X, 2.5, 3), (X, 3.5, 4), (X, -1.25, 7))
    assert not left(stats)


def test_sizes_that_depend_on_data():
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        def f(x):
            positive = (x.sin() * 2)[x > 0]
            return (positive * 2 + 1).exp(), positive.sum() * x.max().item()
        stats, = check(f, (X,), (X - 10,), (X + 10,))
    assert left([stats]) == ["aten.index.Tensor"] and stats.calls == 2


# -- graph breaks, exceptions, threads ----------------------------------------------


def test_graph_breaks():
    def f(x):
        y = x.sin() + 1
        torch._dynamo.graph_break()
        return y.cos() * 2
    stats = check(f, (X,), fullgraph=False)
    assert [graph.share for graph in stats] == [1.0, 1.0]
    with pytest.raises(torch._dynamo.exc.Unsupported):
        check(f, (X,), fullgraph=True)


def test_an_error_of_the_compiled_code_is_an_exception():
    def f(x, i):
        return x[i] * 2
    compiled = torch.compile(f, backend="fxgraph")
    assert torch.equal(compiled(X, torch.tensor([1, 3])), X[[1, 3]] * 2)
    with pytest.raises(FxGraphError, match=r"expected indices in \[-4, 3\]"):
        compiled(X, torch.tensor([1, 4]))
    assert torch.equal(compiled(X, torch.tensor([0])), X[[0]] * 2)


def test_an_error_of_a_compilation_leaves_the_process_usable():
    with pytest.raises(Exception, match="no-such-pass"):
        check(lambda x: x.sin() + 1, (X,), pipeline="no-such-pass")
    check(lambda x: x.sin() + 1, (X,))


def test_many_threads_call_and_compile():
    model = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.ReLU(), torch.nn.Linear(6, 3))
    compiled = torch.compile(model, backend="fxgraph", dynamic=True)
    wrong = []

    def work(seed):
        try:
            with torch.no_grad():
                for step in range(3):
                    x = torch.randn(2 + seed % 3 + step, 6)
                    torch.testing.assert_close(compiled(x), model(x))
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_guards_compile_again():
    def f(x):
        return x.relu() * 2
    stats = check(f, (X,), (X.double(),), (X.to(torch.int32),))
    assert len(stats) == 3 and not left(stats)


# -- autocast, other tensors -----------------------------------------------------------


def test_autocast():
    model = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.LayerNorm(4), torch.nn.Linear(4, 2))

    def f(x):
        with torch.autocast("cpu", torch.bfloat16):
            y = model(x)
        return y, x @ x.t()

    stats, = check(f, (X,))
    assert not stats.left
    compiled = torch.compile(model, backend="fxgraph")
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        got = compiled(X)
        assert got.dtype == torch.bfloat16
        torch.testing.assert_close(got, model(X))


def test_complex_numbers():
    """Of transforms PyTorch keeps the transform; arguments and results of a part may be complex."""
    stats, = check(lambda x: torch.fft.rfft(x.sin() * 2).abs().cos() + 1, (X,))
    assert set(left([stats])) == {"aten._fft_r2c.default"} and stats.calls == 2
    stats, = check(lambda x: torch.fft.irfft(torch.fft.rfft(x * 2 + 1) * 2j - 1), (X,))
    assert set(left([stats])) == {"aten._fft_r2c.default", "aten._fft_c2r.default"} and stats.calls == 2
    z = torch.complex(X, X + 1)
    check(lambda z, x: (z * x + 1j, (z.conj() * 2).exp(), z.t(), z.real + 1), (z, X))
    check(lambda z, x: (z * x + 1j).abs().sum(), (z.conj(), X))


def test_a_real_tensor_with_the_other_sign_in_memory():
    z = torch.complex(X, X + 1)
    check(lambda y: (y * 2).sin() + y, (z.conj().imag,))


def test_sparse_tensors_stay_in_pytorch():
    matrix = torch.eye(4).to_sparse()
    stats = check(lambda m, x: torch.sparse.mm(m, x.sin() * 2), (matrix, X), fullgraph=False)
    assert all("aten.sin.default" not in graph.compiled or graph.compiled["aten.sin.default"] == 1 for graph in stats)


def test_the_meta_device_stays_in_pytorch():
    compiled = torch.compile(lambda x: x.sin() + 1, backend="fxgraph")
    assert compiled(X.to("meta")).device.type == "meta"
    assert "a tensor on meta in a graph for cpu" in fxgraph.dynamo.stats()[0].left[0].reason


def test_higher_order_operators():
    from torch.utils.checkpoint import checkpoint

    def f(x):
        y = torch.cond(x.sum() > 0, lambda v: v.sin() + 1, lambda v: v.cos() - 1, (x * 2,))
        return checkpoint(lambda v: (v * 2).relu(), y, use_reentrant=False), torch.vmap(lambda row: row.sin() @ row)(x)

    stats, = check(f, (X,), (X - 10,))
    assert not stats.left

    def loop(x):
        return torch.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2), (torch.tensor(0), x.sin() + 1))

    stats, = check(loop, (X,))
    assert not stats.left and stats.compiled["higher_order.while_loop"] == 1


def test_lists_of_tensors():
    check(lambda x, y: (torch._foreach_mul([x, y], 2.0), x.sin() + 1), (X, X * 2))
    check(lambda tensors: [tensors[0].add_(1), tensors[1] * 2], ([X, X * 2],))
    check(lambda x, out: torch.add(x, 1, out=out) * 2, (X, X * 2))


def test_functional_calls_of_a_layer():
    def f(x, w):
        return F.scaled_dot_product_attention(x, x, x) + F.embedding(torch.tensor([0, 2]), w).sum()
    stats, = check(f, (torch.randn(2, 3, 4), X))
    assert "aten.scaled_dot_product_attention.default" in stats.compiled
