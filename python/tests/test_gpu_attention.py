# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in the GPU back end against PyTorch: what people call, and what they write by hand."""
import json
import math

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

import fxgraph

INF = math.inf


def kernels(module, tmp_path):
    """Names of the kernels and library calls of the module's launch plan."""
    module.save_artefact(str(tmp_path / "artefact"), form="gpu")
    plan = json.loads((tmp_path / "artefact" / "plan.json").read_text())
    return [step.get("name", step["op"]) for step in plan["steps"]]


def check(function, inputs, tmp_path, passes=None, level="aten"):
    """The values of the emulated kernels are eager's within rounding; returns the kernels' names."""
    with torch.no_grad():
        want = function(*inputs)
        module = fxgraph.capture(function, *inputs, level=level)
    if passes:
        module.run_passes(passes)
    got = module.run(list(inputs), target="gpu-emulator")[0]
    torch.testing.assert_close(got, want, rtol=2e-2, atol=2e-2, equal_nan=True)
    return kernels(module, tmp_path)


def tensors(heads=4, groups=4, queries=40, keys=40, width=32, dtype=torch.bfloat16):
    torch.manual_seed(0)
    return (torch.randn(2, heads, queries, width, dtype=dtype), torch.randn(2, groups, keys, width, dtype=dtype),
            torch.randn(2, groups, keys, width, dtype=dtype))


def rows_of(mask):
    """The mask with a row that hides all, and one that hides nothing."""
    mask[..., 0, :] = False if mask.dtype == torch.bool else -INF
    mask[..., 1, :] = True if mask.dtype == torch.bool else 0
    return mask


MASKS = {
    "scores": lambda: rows_of(torch.randn(40, 40, dtype=torch.bfloat16)),
    "batches": lambda: rows_of(torch.randn(2, 1, 40, 40, dtype=torch.bfloat16)),
    "heads": lambda: rows_of(torch.randn(2, 4, 40, 40, dtype=torch.bfloat16)),
    "keys": lambda: torch.where(torch.rand(2, 1, 1, 40) < 0.3, -INF, 0.0).to(torch.bfloat16),
    "lowest": lambda: torch.full((40, 40), torch.finfo(torch.bfloat16).min, dtype=torch.bfloat16).triu(1).flip(0),
    "bool": lambda: rows_of(torch.rand(40, 40) < 0.5),
    "bool_keys": lambda: torch.rand(2, 1, 1, 40) < 0.5,
    "expanded": lambda: (torch.rand(2, 1, 1, 40) < 0.5).expand(2, 4, 40, 40),
    "strided": lambda: rows_of(torch.randn(40, 80, dtype=torch.bfloat16))[:, ::2],
}


@pytest.mark.parametrize("name", MASKS)
def test_masks(name, tmp_path):
    names = check(lambda q, k, v, m: scaled_dot_product_attention(q, k, v, m), (*tensors(), MASKS[name]()), tmp_path)
    assert names == ["k0_scaled_dot_product_attention"]


@pytest.mark.parametrize("queries,keys", [(40, 40), (33, 70), (70, 33), (1, 50)])
def test_causal(queries, keys, tmp_path):
    names = check(lambda q, k, v: scaled_dot_product_attention(q, k, v, is_causal=True), tensors(queries=queries, keys=keys), tmp_path)
    assert names == ["k0_scaled_dot_product_attention"]


@pytest.mark.parametrize("queries", [1, 7, 40])
def test_grouped_heads(queries, tmp_path):
    """Nothing is repeated in memory, and what follows reads the result as it lies."""
    def function(q, k, v):
        return scaled_dot_product_attention(q, k, v, enable_gqa=True).transpose(1, 2).flatten(2)
    assert check(function, tensors(heads=8, groups=2, queries=queries), tmp_path) == ["k0_scaled_dot_product_attention"]


def test_repeated_heads_by_hand(tmp_path):
    def repeat(x, times):
        b, g, t, e = x.shape
        return x[:, :, None].expand(b, g, times, t, e).reshape(b, g * times, t, e)

    def function(q, k, v):
        return scaled_dot_product_attention(q, repeat(k, 3), repeat(v, 3), is_causal=True)
    assert check(function, tensors(heads=6, groups=2), tmp_path) == ["k0_scaled_dot_product_attention"]


def test_single_precision_is_not_rounded(tmp_path):
    """Tensor cores get f32 in two parts: errors are those of f32, not of tf32 (5e-4)."""
    def function(q, k, v, m):
        return scaled_dot_product_attention(q, k, v, m)
    inputs = (*tensors(dtype=torch.float32), MASKS["bool"]())
    names = check(function, inputs, tmp_path)
    assert names == ["k0_scaled_dot_product_attention"]
    got = fxgraph.capture(function, *inputs, level="aten").run(list(inputs), target="gpu-emulator")[0]
    torch.testing.assert_close(got, function(*inputs), rtol=1e-6, atol=1e-6)


def test_double_precision_is_decomposed(tmp_path):
    """The twin: f64 has no such parts."""
    def function(q, k, v):
        return scaled_dot_product_attention(q, k, v)
    names = check(function, tensors(dtype=torch.float64), tmp_path)
    assert not any("scaled_dot_product_attention" in name for name in names)


class Layer(torch.nn.Module):
    """The attention of a BERT layer, written out."""

    def __init__(self, width=64, heads=2):
        super().__init__()
        self.heads = heads
        self.project = torch.nn.ModuleList(torch.nn.Linear(width, width) for _ in range(4))

    def forward(self, x, mask):
        batch, length, width = x.shape
        q, k, v = (p(x).view(batch, length, self.heads, -1).transpose(1, 2) for p in self.project[:3])
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(width // self.heads)
        scores = scores + (1.0 - mask[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min
        context = torch.matmul(torch.softmax(scores, -1), v)
        return x + self.project[3](context.transpose(1, 2).reshape(batch, length, width))


@pytest.mark.parametrize("passes", ["fxgraph-joint-graph", "fxgraph-joint-graph,fxgraph-post-grad{mode=best}"])
def test_layer_by_hand(passes, tmp_path):
    torch.manual_seed(0)
    mask = torch.ones(2, 40, dtype=torch.int64)
    mask[1, 30:] = 0
    inputs = (torch.randn(2, 40, 64, dtype=torch.bfloat16), mask)
    names = check(Layer().to(torch.bfloat16).eval(), inputs, tmp_path, passes)
    assert sum("scaled_dot_product_attention" in name for name in names) == 1
    # The last product has what follows it.
    assert names.count("matmul") == 3 and "k4_addmm_add" in names and not any("softmax" in name for name in names)


def test_layer_as_it_is(tmp_path):
    """The twin: without the pass the products are the library's, but for the small one of queries and keys and the last one."""
    inputs = (torch.randn(2, 40, 64, dtype=torch.bfloat16), torch.ones(2, 40, dtype=torch.int64))
    names = check(Layer().to(torch.bfloat16).eval(), inputs, tmp_path)
    assert names.count("matmul") == 4 and {"k0_bmm", "k3_addmm_add"} <= set(names) and not any("scaled_dot_product_attention" in name for name in names)
