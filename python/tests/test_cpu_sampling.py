# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""grid_sample on the CPU beside eager PyTorch: places and weights are computed once for all channels."""
import itertools

import pytest
import torch
import torch.nn.functional as F

import fxgraph

CASES = list(itertools.product(("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection"), (False, True)))


@pytest.mark.parametrize("mode,padding,corners", CASES)
def test_values(mode, padding, corners):
    torch.manual_seed(3)
    x, grid = torch.randn(2, 5, 7, 9), torch.rand(2, 6, 4, 2) * 3 - 1.5
    grid[0, 0, 0] = torch.tensor([-1.0, 1.0])
    module = fxgraph.capture(lambda x, grid: F.grid_sample(x, grid, mode, padding, align_corners=corners), x, grid, level="aten")
    assert "tensor<2x5x6x4x2x" not in module.asm, "the grid for each channel"
    expected = F.grid_sample(x, grid, mode, padding, align_corners=corners)
    for target in ("ref", "cpu"):
        torch.testing.assert_close(torch.as_tensor(module.run([x, grid], target=target)[0]), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype,tolerance", [(torch.float64, 1e-10), (torch.float32, 1e-4)])
def test_dtypes(dtype, tolerance):
    torch.manual_seed(4)
    x, grid = torch.randn(1, 3, 6, 5, dtype=dtype), torch.rand(1, 4, 4, 2, dtype=dtype) * 2 - 1
    module = fxgraph.capture(lambda x, grid: F.grid_sample(x, grid, align_corners=False), x, grid, level="aten")
    result, = module.compile("cpu")(x, grid)
    assert result.dtype == dtype
    torch.testing.assert_close(result, F.grid_sample(x, grid, align_corners=False), rtol=tolerance, atol=tolerance)


def test_a_nan_place():
    """What is no number is outside, as in eager: nothing is read there."""
    x, grid = torch.randn(1, 2, 4, 4), torch.zeros(1, 2, 2, 2)
    grid[0, 0, 0] = float("inf")
    module = fxgraph.capture(lambda x, grid: F.grid_sample(x, grid, "nearest", align_corners=False), x, grid, level="aten")
    result, = module.compile("cpu")(x, grid)
    torch.testing.assert_close(result, F.grid_sample(x, grid, "nearest", align_corners=False))
