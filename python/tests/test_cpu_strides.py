# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of any strides on the CPU: permuted, with gaps, repeated, read and written; a graph that was captured with others."""

import random

import pytest
import torch

import fxgraph

SIDES = (1, 2, 3, 15, 16, 17, 33, 64)


def draw_strided(draw, shape, dtype, repeats=True):
    """A tensor of that shape: its dimensions in some order of memory, some with gaps or repeated."""
    order = draw.sample(range(len(shape)), len(shape))
    steps = [draw.choice((1, 1, 1, 2)) for _ in order]
    margins = [draw.choice((0, 0, 3)) for _ in order]
    repeated = [repeats and draw.random() < 0.1 for _ in order]
    memory = [1 if again else shape[dim] * step + margin for dim, step, margin, again in zip(order, steps, margins, repeated)]
    base = torch.randint(0, 2 if dtype == torch.bool else 100, memory).to(dtype)
    kept = base[tuple(slice(0, 1) if again else slice(margin, None, step) for step, margin, again in zip(steps, margins, repeated))]
    return kept.expand([shape[dim] for dim in order]).permute([order.index(dim) for dim in range(len(shape))])


def flipped(x):
    return x.flip(0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int8, torch.bool], ids=str)
def test_read(dtype):
    draw = random.Random(str(dtype))
    for rank in (1, 2, 3, 4):
        for _ in range(3):
            shape = [draw.choice(SIDES[:5] if rank == 4 else SIDES) for _ in range(rank)]
            compiled = fxgraph.capture(flipped, draw_strided(draw, shape, dtype), level="aten").compile("cpu", threads=1)
            for _ in range(8):
                x = draw_strided(draw, shape, dtype)
                assert torch.equal(compiled(x)[0], x.flip(0)), (shape, x.stride())


@pytest.mark.parametrize("dtype", [torch.float32, torch.int16, torch.int64], ids=str)
def test_written(dtype):
    """What lies between the elements stays."""
    def doubled(x):
        return x.mul_(2)

    draw = random.Random(str(dtype))
    for shape in ((17, 33), (64, 48), (3, 20, 18), (2, 16, 1, 16)):
        compiled = fxgraph.capture(doubled, draw_strided(draw, shape, dtype, False), level="aten").compile("cpu", threads=1)
        for _ in range(6):
            x = draw_strided(draw, shape, dtype, False)
            whole = torch.as_strided(x, (x.untyped_storage().size() // x.element_size(),), (1,), 0)
            before, expected = x.clone(), whole.clone()
            torch.as_strided(expected, x.shape, x.stride(), x.storage_offset()).mul_(2)
            compiled(x)
            assert torch.equal(x, before * 2) and torch.equal(whole, expected), (shape, x.stride())


@pytest.mark.parametrize("function", [lambda x: x.sum(0), lambda x: x.mean(1), lambda x: x.softmax(1), lambda x: x.relu() + x.t()[:1].t()],
                         ids=["sum", "mean", "softmax", "broadcast"])
def test_captured_in_another_order(function):
    """The captured order of memory is no condition: row-major, permuted and cut arguments give eager's values."""
    torch.manual_seed(0)
    for captured in (torch.randn(70, 45), torch.randn(45, 70).t()):
        compiled = fxgraph.capture(function, captured, level="aten").compile("cpu", threads=1)
        for x in (captured, torch.randn(70, 45), torch.randn(45, 70).t(), torch.randn(90, 141)[:45, 1::2].t(), torch.randn(70, 1).expand(70, 45)):
            torch.testing.assert_close(compiled(x)[0], function(x))


@pytest.mark.parametrize("captured", [torch.zeros(4, 6), torch.zeros(6, 4).t()], ids=["row-major", "permuted"])
def test_other_extents_are_refused(captured):
    compiled = fxgraph.capture(flipped, captured, level="aten").compile("cpu", threads=1)
    with pytest.raises(fxgraph.FxGraphError, match="expected extent 4 in dim 0 but got 6"):
        compiled(torch.zeros(4, 6).t())
