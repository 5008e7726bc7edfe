# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices on the CPU: few rows, few columns, ragged panels, operands along either dimension, of every dtype."""
import random

import pytest
import torch

import fxgraph

DTYPES = [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.int32, torch.int8]
ROWS = [1, 2, 3, 4, 5, 8, 12, 13, 31, 64]
COLUMNS = [1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 32, 33, 40, 48, 49, 70]
DEPTHS = [1, 2, 3, 15, 16, 17, 31, 32, 48, 100, 259, 530]


def make(shape, dtype, along, generator):
    """A tensor whose last two dimensions lie in this order of memory."""
    shape = list(shape)
    if along == "columns":
        shape[-1], shape[-2] = shape[-2], shape[-1]
    if dtype.is_floating_point:
        tensor = torch.randn(shape, generator=generator).to(dtype)
    else:
        tensor = torch.randint(-9, 9, shape, generator=generator).to(dtype)
    return tensor


def check(function, *arguments):
    executable = fxgraph.capture(function, *arguments, level="aten").compile("cpu")
    expected, got = function(*arguments), torch.as_tensor(executable(*arguments)[0])
    assert got.dtype == expected.dtype
    if expected.dtype.is_floating_point:
        exact = function(*[a.double() for a in arguments])
        scale = float(exact.abs().max().clamp_min(1)) if exact.numel() else 1.0
        limit = {torch.float64: 1e-13, torch.float32: 2e-6, torch.float16: 2e-3, torch.bfloat16: 1e-2}[expected.dtype] * scale
        torch.testing.assert_close(got.double(), exact, rtol=0, atol=limit)
    else:
        assert torch.equal(got, expected)


@pytest.mark.parametrize("number", range(40))
def test_drawn(number):
    chooser, generator = random.Random(number), torch.Generator().manual_seed(number)
    m, n, k = chooser.choice(ROWS), chooser.choice(COLUMNS), chooser.choice(DEPTHS)
    dtype = chooser.choice(DTYPES + [torch.float32] * 4)
    batch = chooser.choice([[], [], [3]])
    left, right = chooser.choice(["rows", "rows", "columns"]), chooser.choice(["rows", "columns"])
    x, w = make([*batch, m, k], dtype, left, generator), make([*batch, k, n], dtype, right, generator)

    def function(x, w):
        return (x.transpose(-1, -2) if left == "columns" else x) @ (w.transpose(-1, -2) if right == "columns" else w)
    check(function, x, w)


@pytest.mark.parametrize("rows", [2, 4, 7, 40])
def test_not_finite(rows):
    """What a vector has beyond the last column or the end of the depth is no part of a sum."""
    x, w = torch.randn(rows, 37), torch.randn(35, 37)
    w[34, 36], w[3, 5], x[1, 0] = float("inf"), float("nan"), float("-inf")
    expected = x @ w.t()
    got = torch.as_tensor(fxgraph.capture(lambda x, w: x @ w.t(), x, w, level="aten").run([x, w], target="cpu")[0])
    torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4, equal_nan=True)
    assert expected.isfinite().any() and not expected.isfinite().all()


@pytest.mark.parametrize("shape", [(0, 16, 8), (4, 0, 8), (4, 16, 0)])
def test_nothing(shape):
    m, k, n = shape
    check(lambda x, w: x @ w.t(), torch.randn(m, k), torch.randn(n, k))


def test_threads():
    """Ranges of rows and of columns."""
    for m, n in [(4, 6000), (6000, 4), (700, 700)]:
        x, w = torch.randn(m, 64), torch.randn(n, 64)
        executable = fxgraph.capture(torch.nn.functional.linear, x, w, level="aten").compile("cpu", threads=2)
        torch.testing.assert_close(torch.as_tensor(executable(x, w)[0]), x @ w.t(), rtol=1e-4, atol=1e-4)
