# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far values may be from eager's in the differential runs against Inductor (test/Integration/Inductor)."""
import sys
from pathlib import Path

import pytest
import torch

FOLDER = Path(__file__).resolve().parents[2] / "test" / "Integration" / "Inductor"


@pytest.fixture(scope="module")
def differential():
    sys.path[:0] = [str(FOLDER), str(FOLDER / "Inputs")]
    try:
        import post_grad_differential
        yield post_grad_differential
    finally:
        del sys.path[:2]


def judge(differential, function, *inputs):
    graph = torch.fx.symbolic_trace(function)
    return differential.Judge(differential.eager(graph), list(inputs), 1e-5, differential.eager_rounded(graph))


def half_erf(x):
    return 0.5 * x * (1 + torch.erf(x))


def test_what_the_next_op_cancels_is_rounding(differential):
    # erf(-3.9002) is -1 + 3.5e-8, nearest to -1 + 6.0e-8; PyTorch's is that or -1, as the CPU's vectors have it.
    x = torch.tensor([-3.9002])
    values = [torch.zeros(1), torch.tensor([-0.5 * 3.9002 * 2 ** -24])]
    j = judge(differential, half_erf, x)
    assert j.expected[0].item() in [value.item() for value in values]
    if j.expected[0].item() == 0:
        assert j.measure()[0] == 0
    for value in values:
        assert j.verdict([value, x]) is None


def test_more_than_rounding_is_wrong(differential):
    x = torch.tensor([-3.9002])
    j = judge(differential, half_erf, x)
    assert "result 0: differs by" in j.verdict([torch.tensor([-1e-5]), x])
    # Nothing is cancelled.
    j = judge(differential, lambda x: torch.erf(x), x)
    assert "result 0: differs by" in j.verdict([torch.tensor([-1.0 + 1e-4]), x])


def test_zeros_and_views_are_not_moved(differential):
    x = torch.tensor([-1.0, 2.0])
    j = judge(differential, lambda x: torch.relu(x).view(2, 1).transpose(0, 1).log(), x)
    assert j.expected[0][0, 0] == -float("inf")
    assert max(j.measure_ops()) < 1e-6
