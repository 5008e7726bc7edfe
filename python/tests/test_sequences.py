# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers, attention modules and bags of embeddings, which are ops of the dialect after PyTorch's own definitions."""

import operator
import warnings

import pytest
import torch
from conftest import assert_all_run, assert_all_verify
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

import fxgraph
from fxgraph.testing.batch import Batch
from fxgraph.testing.functions import compare_once

LEVELS = pytest.mark.parametrize("level", ["torch", "aten"])
TEXTS, BATCH = [], Batch()
r = torch.randn


class Attention(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.inner = nn.MultiheadAttention(8, 2, **options)

    def forward(self, a, b):
        return self.inner(a, b, b), self.inner(a, a, a, need_weights=False)[0]


INDICES = torch.tensor([[0, 2, 8], [1, 1, 3], [4, 0, 0], [7, 6, 5]])
MODELLED = {
    "lstm": (lambda: nn.LSTM(6, 5, 2, batch_first=True), (r(3, 4, 6),)),
    "lstm_projected": (lambda: nn.LSTM(6, 5, bidirectional=True, proj_size=3), (r(4, 3, 6),)),
    "lstm_with_state": (lambda: nn.LSTM(6, 5), (r(4, 3, 6), (r(1, 3, 5), r(1, 3, 5)))),
    "gru": (lambda: nn.GRU(6, 5, 2, bidirectional=True), (r(3, 2, 6),)),
    "rnn": (lambda: nn.RNN(6, 5, nonlinearity="relu"), (r(4, 6),)),
    "lstm_cell": (lambda: nn.LSTMCell(6, 5), (r(3, 6),)),
    "gru_cell": (lambda: nn.GRUCell(6, 5, bias=False), (r(3, 6),)),
    "rnn_cell": (lambda: nn.RNNCell(6, 5), (r(3, 6),)),
    "attention": (lambda: Attention(batch_first=True), (r(2, 4, 8), r(2, 5, 8))),
    "attention_bias_kv": (lambda: Attention(add_bias_kv=True, add_zero_attn=True), (r(4, 2, 8), r(5, 2, 8))),
    "bags_sum": (lambda: nn.EmbeddingBag(9, 4, mode="sum"), (INDICES,)),
    "bags_of_one": (lambda: nn.EmbeddingBag(9, 4, mode="sum"), (INDICES[:, :1],)),
    "bags_mean": (lambda: nn.EmbeddingBag(9, 4, mode="mean"), (INDICES,)),
    "bags_of_sizes": (lambda: nn.EmbeddingBag(9, 4), (INDICES.view(-1), torch.tensor([0, 4, 5]))),
    "bags_max_of_sizes": (lambda: nn.EmbeddingBag(9, 4, mode="max"), (INDICES.view(-1), torch.tensor([0, 4, 4]))),
    "bags_with_padding": (lambda: nn.EmbeddingBag(9, 4, padding_idx=0), (INDICES,)),
    "bags_max": (lambda: nn.EmbeddingBag(9, 4, mode="max"), (INDICES,)),
    "bags_weighted": (lambda: nn.EmbeddingBag(9, 4, mode="sum"), (INDICES, None, torch.rand(4, 3))),
    "margin_loss": (lambda: nn.MarginRankingLoss(0.5), (r(4), r(4), r(4).sign())),
    "poisson_loss": (lambda: nn.PoissonNLLLoss(full=False), (r(4), r(4).abs())),
}


@LEVELS
@pytest.mark.parametrize("name", MODELLED)
def test_modelled(name, level):
    make, args = MODELLED[name]
    torch.manual_seed(0)
    model = make().eval()
    module = fxgraph.capture(model, *args, level=level)
    assert not module.unknown_ops
    TEXTS.append(module.asm)
    wrong = compare_once(module, model, args, BATCH)
    assert not wrong, wrong


def test_capture_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fxgraph.capture(nn.GRU(6, 5).eval(), r(3, 2, 6))


# What stays whole, and why.
WHOLE = {
    "long_lstm": (lambda: nn.LSTM(4, 3), (r(600, 1, 4),), "many steps"),
}


@LEVELS
@pytest.mark.parametrize("name", WHOLE)
def test_whole(name, level):
    make, args, reason = WHOLE[name]
    model = make().eval()
    module = fxgraph.capture(model, *args, level=level)
    unknown, = module.unknown_ops
    assert reason in unknown.reason
    assert not compare_once(module, model, args)


@pytest.mark.parametrize("numbers, dtype", [((2.1, -2.9, -1.0), torch.int64), ((0.1, -7.9, -4.0), torch.int64), ((-2.5, 3.2, 1.5), torch.int32),
                                            ((0.5, 3, 0.5), torch.bfloat16), ((-3, 4), torch.int8)])
def test_ranges_count_in_their_dtype(numbers, dtype):
    """Integers cut the fractions off before they count."""
    module = fxgraph.capture(lambda x: torch.arange(*numbers, dtype=dtype) + x, torch.zeros((), dtype=dtype))
    for target in ("ref", "cpu"):
        assert torch.equal(module.run([torch.zeros((), dtype=dtype)], target)[0], torch.arange(*numbers, dtype=dtype))


def test_all_verify():
    assert_all_verify(TEXTS)


def test_all_run():
    assert_all_run(BATCH, ("ref", "cpu"))


def graph_on_gpu(target, arguments, results):
    """A graph of one call whose tensors are on a GPU."""
    graph, mode = torch.fx.Graph(), FakeTensorMode()

    def enter(value):
        if isinstance(value, list):
            return [enter(v) for v in value]
        if value is None:
            return None
        node = graph.placeholder(f"x{len(graph.nodes)}")
        with mode:
            node.meta["val"] = torch.empty(value.shape, device="cuda")
        return node

    call = graph.call_function(target, tuple(enter(a) for a in arguments))
    with mode:
        fakes = [torch.empty(r.shape, device="cuda") for r in results]
    call.meta["val"] = tuple(fakes) if len(fakes) > 1 else fakes[0]
    graph.output(call)
    return torch.fx.GraphModule({}, graph)


@pytest.mark.parametrize("bias", [True, False])
def test_cells_on_gpu(bias):
    """On CUDA the cells are fused kernels, which have no meaning on other devices: what they compute is the CPU's."""
    aten = torch.ops.aten
    x, h, c = r(3, 6), r(3, 5), r(3, 5)
    for cell, gates, state in ((aten.lstm_cell.default, 4, [h, c]), (aten.gru_cell.default, 3, h)):
        weights = [r(gates * 5, 6), r(gates * 5, 5)] + ([r(gates * 5), r(gates * 5)] if bias else [])
        want = cell(x, state, *weights)
        want = list(want) if isinstance(want, tuple) else [want]
        module = fxgraph.from_fx(graph_on_gpu(cell, [x, state, *weights], want), strict=True)
        got = module.run([x, *(state if isinstance(state, list) else [state]), *weights])
        for g, w in zip(got if isinstance(got, (list, tuple)) else [got], want, strict=True):
            torch.testing.assert_close(g, w, rtol=1e-5, atol=1e-6)
        # The kernel itself, as in graphs that PyTorch has decomposed.
        fused = aten._thnn_fused_lstm_cell.default if gates == 4 else aten._thnn_fused_gru_cell.default
        products = [x @ weights[0].T, h @ weights[1].T]
        operands = [*products, c if gates == 4 else h, *weights[2:]]
        saved = torch.empty(3, (4 if gates == 4 else 5) * 5)
        module = fxgraph.from_fx(graph_on_gpu(fused, operands, [*want, saved]), strict=True)
        for g, w in zip(module.run(operands)[:-1], want, strict=True):
            torch.testing.assert_close(g, w, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("kernel", ["flash_attention", "efficient_attention", "cudnn_attention", "fused_attention_overrideable"])
def test_attention_kernels_of_gpu(kernel, causal):
    """What attention is in graphs that PyTorch has decomposed for a GPU: its first result, where nothing else is used."""
    target = getattr(torch.ops.aten, f"_scaled_dot_product_{kernel}").default
    q, k, v, mask = r(2, 3, 5, 8), r(2, 3, 7, 8), r(2, 3, 7, 8), r(5, 7)
    masks = [] if kernel == "flash_attention" or causal else [mask]
    for bias in (None, *masks):
        sums = [True] if kernel in ("efficient_attention", "cudnn_attention") else []
        arguments = [q, k, v, *([] if kernel == "flash_attention" else [bias]), *sums, 0.0, causal]
        graph, want = torch.fx.Graph(), torch.nn.functional.scaled_dot_product_attention(q, k, v, bias, 0.0, causal)
        with FakeTensorMode():
            enter = lambda a: graph.placeholder(f"x{len(graph.nodes)}") if isinstance(a, torch.Tensor) else a  # noqa: E731
            nodes = [enter(a) for a in arguments]
            for node, a in zip(nodes, arguments):
                if isinstance(a, torch.Tensor):
                    node.meta["val"] = torch.empty(a.shape, device="cuda")
            call = graph.call_function(target, tuple(nodes))
            call.meta["val"] = (torch.empty(want.shape, device="cuda"), *[None] * (len(target._schema.returns) - 1))
            first = graph.call_function(operator.getitem, (call, 0))
            first.meta["val"] = call.meta["val"][0]
        graph.output(first)
        module = fxgraph.from_fx(torch.fx.GraphModule({}, graph), strict=True)
        got = module.run([a for a in arguments if isinstance(a, torch.Tensor)])
        torch.testing.assert_close(got[0] if isinstance(got, list) else got, want, rtol=1e-5, atol=1e-6)
