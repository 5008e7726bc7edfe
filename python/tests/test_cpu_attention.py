# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention on the CPU: masks of every kind and form, causal, head by head where the scores are many, what is not finite, narrow dtypes."""
import math

import pytest
import torch
import torch.nn.functional as F

import fxgraph


def tensors(query, key, dtype=torch.float32, width=None):
    generator = torch.Generator().manual_seed(0)
    value = [*key[:-1], width or key[-1]]
    return [torch.randn(shape, generator=generator).to(dtype) for shape in (query, key, value)]


def check(function, arguments, limit=2e-5):
    got = torch.as_tensor(fxgraph.capture(function, *arguments, level="aten").run(arguments, target="cpu")[0])
    expected = function(*arguments)
    assert got.dtype == expected.dtype
    torch.testing.assert_close(got, expected, rtol=limit, atol=limit, equal_nan=True)
    return expected


SHAPES = {"small": ([2, 3, 7, 8], [2, 3, 5, 8]), "many scores": ([2, 4, 150, 16], [2, 4, 129, 16]), "one row": ([1, 4, 1, 32], [1, 4, 200, 32]),
          "rank 3": ([5, 33, 12], [5, 33, 12]), "rank 2": ([9, 8], [11, 8]), "many of rank 3": ([3, 300, 8], [3, 300, 8])}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("causal", [False, True], ids=["all", "causal"])
def test_shapes(shape, causal):
    query, key = SHAPES[shape]
    check(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal), tensors(query, key, width=key[-1] + 3 if not causal else None))
    if not causal:
        check(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, scale=-0.3), tensors(query, key))


@pytest.mark.parametrize("mask", [(7, 5), (2, 1, 7, 5), (2, 3, 1, 5), (1, 1, 7, 5)], ids=str)
def test_masks(mask):
    arguments = tensors([2, 3, 7, 8], [2, 3, 5, 8])
    seen = torch.rand(mask, generator=torch.Generator().manual_seed(1)) > 0.4
    seen[..., 0, :] = False  # Rows that see nothing give zeros.
    check(lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m), [*arguments, seen])
    check(lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m), [*arguments, torch.randn(mask)])
    many = tensors([2, 3, 140, 8], [2, 3, 200, 8])
    check(lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m), [*many, torch.randn(2, 1, 140, 200)])


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16], ids=str)
def test_dtypes(dtype):
    for query, key in (SHAPES["small"], SHAPES["many scores"]):
        check(lambda q, k, v: F.scaled_dot_product_attention(q, k, v), tensors(query, key, dtype), {torch.float64: 1e-12}.get(dtype, 2e-2))


def test_views():
    """Heads as a model makes them: permuted views, keys and values of fewer heads repeated."""
    def function(q, k, v):
        q, k, v = [t.view(2, 70, -1, 16).transpose(1, 2) for t in (q, k, v)]
        return F.scaled_dot_product_attention(q, *[t.repeat_interleave(2, 1) for t in (k, v)], is_causal=True).transpose(1, 2).reshape(2, 70, -1)
    check(function, [torch.randn(2, 70, 128), torch.randn(2, 70, 64), torch.randn(2, 70, 64)])


def test_not_finite():
    """One NaN in a key makes NaN of all rows, in a query of its own."""
    for query, key in (SHAPES["small"], SHAPES["many scores"]):
        for position in range(3):
            arguments = tensors(query, key)
            arguments[position][0, 1, 2, 3] = math.nan
            with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
                expected = check(lambda q, k, v: F.scaled_dot_product_attention(q, k, v), arguments)
            assert expected.isnan().any() and not expected.isnan().all()


def test_nothing():
    check(lambda q, k, v: F.scaled_dot_product_attention(q, k, v), tensors([0, 2, 4, 8], [0, 2, 4, 8]))
    check(lambda q, k, v: F.scaled_dot_product_attention(q, k, v), tensors([1, 2, 0, 8], [1, 2, 4, 8]))
