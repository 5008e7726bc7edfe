# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax and its kin on the CPU: the largest element is found without regard to NaN, which must come through all the same."""
import math

import pytest
import torch

import fxgraph

ROWS = [[1, 2, math.nan, 4], [math.inf, 1, 2, 3], [-math.inf] * 4, [math.nan] * 4, [-math.inf, math.nan, 0, 1], [math.inf, math.inf, 0, 0],
        [1, 2, 3, math.nan], [math.nan, 1, 2, 3], [1, 2, 3, 4]]
FUNCTIONS = {"softmax": lambda x: x.softmax(-1), "log_softmax": lambda x: x.log_softmax(-1), "logsumexp": lambda x: x.logsumexp(-1),
             "softmax of columns": lambda x: x.softmax(0), "amax": lambda x: x.amax(-1)}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_not_finite(name):
    function, x = FUNCTIONS[name], torch.tensor(ROWS).repeat(1, 9)
    for y in (x, x[:, :7].contiguous(), x.bfloat16()):
        got = torch.as_tensor(fxgraph.capture(function, y, level="aten").run([y], target="cpu")[0])
        limit = 1e-2 if y.dtype is torch.bfloat16 else 1e-5
        torch.testing.assert_close(got, function(y), equal_nan=True, rtol=limit, atol=limit / 10)
