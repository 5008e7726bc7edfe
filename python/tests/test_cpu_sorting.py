# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorting, the largest few and the places of extrema on the CPU: every dtype, ties, NaN of both signs, zeros of both signs, short and long rows."""
import random

import pytest
import torch

import fxgraph

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]
SHAPES = [(7, 40), (3, 300), (2, 48, 3), (1, 1000), (5, 1), (1,), (2, 257)]


def make(dtype, shape, chooser, generator):
    if not dtype.is_floating_point:
        values = torch.randint(0 if dtype is torch.uint8 else -100, 100, shape, generator=generator)
        return (values * (16777217 if dtype in (torch.int32, torch.int64) and chooser.random() < 0.5 else 1)).to(dtype)
    tensor = torch.randn(shape, generator=generator)
    tensor = ((tensor * 4).round() if chooser.random() < 0.5 else tensor).to(dtype)
    if tensor.numel() > 8:
        special = [float("nan"), -float("nan"), float("inf"), -float("inf"), -0.0, 0.0]
        tensor.flatten()[1:7] = torch.tensor(special, dtype=dtype)
    return tensor


def check(function, x):
    """Equal to the bit, but for which NaN it is."""
    got = [torch.as_tensor(value) for value in fxgraph.capture(function, x, level="aten").run([x], target="cpu")]
    for g, e in zip(got, torch.utils._pytree.tree_leaves(function(x)), strict=True):
        assert g.dtype == e.dtype
        if e.dtype.is_floating_point:
            assert torch.equal(g.isnan(), e.isnan())
            g, e = torch.where(g.isnan(), 0, g), torch.where(e.isnan(), 0, e)
            assert torch.equal(torch.signbit(g), torch.signbit(e))
        assert torch.equal(g, e)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_drawn(dtype):
    for number in range(4):
        chooser, generator = random.Random(number), torch.Generator().manual_seed(number)
        shape, dim, descending = chooser.choice(SHAPES), chooser.choice([0, -1]), chooser.random() < 0.5
        x, extent = make(dtype, shape, chooser, generator), shape[dim]
        check(lambda x, d=dim, down=descending: torch.sort(x, dim=d, descending=down, stable=True), x)
        check(lambda x, d=dim: torch.max(x, dim=d), x)
        check(lambda x, d=dim: torch.argmin(x, dim=d), x)
        # Which of equal ones PyTorch takes is not said: here they are the first.
        few = chooser.choice([1, max(1, extent // 8), max(1, extent // 3), extent])
        got = fxgraph.capture(lambda x, k=few, d=dim, down=descending: torch.topk(x, k, dim=d, largest=down)[1], x, level="aten").run([x], target="cpu")
        expected = torch.sort(x, dim=dim, descending=descending, stable=True)[1].narrow(dim, 0, few)
        assert torch.equal(torch.as_tensor(got[0]), expected)


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64, torch.int64), ids=str)
def test_many_of_long_rows(dtype):
    """Keys of up to 32 bits, which are words with their places, and of 64, of which the last are as large as keys are."""
    for few in (10, 33, 1000):
        x = torch.randint(-1500, 1500, (2, 20000)).to(dtype)
        if dtype == torch.int64:
            x = torch.where(x > 1490, 2**63 - 1, torch.where(x < -1490, -2**63, x << 33))
        values, places = [torch.as_tensor(v) for v in fxgraph.capture(lambda x, k=few: torch.topk(x, k), x, level="aten").run([x], target="cpu")]
        assert torch.equal(values, torch.topk(x, few)[0]) and torch.equal(places, torch.sort(x, descending=True, stable=True)[1][:, :few])
        places = torch.as_tensor(fxgraph.capture(lambda x, k=few: torch.topk(x, k, largest=False), x, level="aten").run([x], target="cpu")[1])
        assert torch.equal(places, torch.sort(x, stable=True)[1][:, :few])


def test_nothing():
    check(lambda x: torch.sort(x, dim=-1), torch.randn(3, 0))
    check(lambda x: torch.max(x, dim=-1), torch.randn(0, 3))
    with pytest.raises(Exception, match="[Ee]xpected"):
        fxgraph.capture(lambda x: torch.max(x, dim=-1), torch.randn(3, 0), level="aten").run([torch.randn(3, 0)], target="cpu")
