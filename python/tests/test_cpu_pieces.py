# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors on the CPU that pieces are written into and read from in turn, as recurrent cells do it; products that read copies."""
import random
import warnings

import pytest
import torch
from torch import nn

import fxgraph


def check(function, *arguments, tolerance=1e-5):
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        executable = fxgraph.capture(function, *arguments, level="aten").compile("cpu")
        expected = torch.utils._pytree.tree_leaves(function(*[a.clone() for a in arguments]))
        got = executable(*arguments)
    assert len(got) == len(expected)
    for x, y in zip(got, expected):
        x = torch.as_tensor(x)
        assert x.dtype == y.dtype
        torch.testing.assert_close(x, y, rtol=tolerance, atol=tolerance, equal_nan=True)


class Pieces(nn.Module):
    """A drawn chain of writes into parts of a tensor, then reads of parts; some read in between, some return all of it."""

    def __init__(self, number):
        super().__init__()
        draw = random.Random(number)
        self.shape = [draw.choice([1, 3, 4, 5, 8]) for _ in range(draw.choice([1, 2, 2, 3]))]
        self.writes = [(draw.choice(["write", "write", "select", "halve", "every other"]), *self.range(draw)) for _ in range(draw.randint(1, 6))]
        self.reads = [(draw.choice(["slice", "slice", "select"]), *self.range(draw)) for _ in range(draw.randint(1, 4))]
        self.whole, self.between = draw.random() < 0.25, draw.random() < 0.3

    def range(self, draw):
        dim = draw.randrange(len(self.shape))
        start = draw.randint(0, self.shape[dim])
        return dim, start, draw.randint(start, self.shape[dim])

    def read(self, x, kind, dim, start, end):
        return torch.cos(x.select(dim, min(start, self.shape[dim] - 1)) if kind == "select" else x.narrow(dim, start, end - start))

    def forward(self, x, y):
        x, results = x * 2, []
        for kind, dim, start, end in self.writes:
            piece = x.narrow(dim, start, end - start)
            if kind == "write":
                piece.copy_(torch.sin(piece) + y.narrow(dim, start, end - start))
            elif kind == "halve":
                piece.mul_(0.5)
            elif kind == "select":
                x.select(dim, min(start, self.shape[dim] - 1)).add_(1)
            else:
                x[(slice(None),) * dim + (slice(start, end, 2),)] = 3.0
            if self.between and not results:
                results.append(self.read(x, *self.reads[0]))
        results += [self.read(x, *read) for read in self.reads]
        return results + [x] if self.whole else results


@pytest.mark.parametrize("number", range(60))
def test_drawn(number):
    model, generator = Pieces(number), torch.Generator().manual_seed(number)
    check(model, *[torch.randn(model.shape, generator=generator) for _ in range(2)])


@pytest.mark.parametrize("kind, batch", [(nn.LSTM, 1), (nn.LSTM, 3), (nn.LSTM, 9), (nn.GRU, 2), (nn.RNN, 5)])
def test_recurrent(kind, batch):
    torch.manual_seed(batch)
    check(kind(7, 24, 2, batch_first=True).eval(), torch.randn(batch, 6, 7))


def test_not_finite_gates():
    x = torch.randn(3, 4, 7)
    x[0, 1, 2], x[1, 0, 0], x[2, 3, 6] = float("nan"), float("inf"), float("-inf")
    check(nn.LSTM(7, 24, batch_first=True).eval(), x)


@pytest.mark.parametrize("rows", [1, 4, 13])
@pytest.mark.parametrize("columns", [1, 8, 37])
@pytest.mark.parametrize("spelling", ["shared right", "shared left", "both", "none lies along it", "permuted"])
def test_copies_in_products(spelling, rows, columns):
    """One matrix for a batch, operands of one column that are spread along the depth, and permuted ones behind contiguous()."""
    shapes, function = {
        "shared right": ([(3, rows, 19), (columns, 19)], lambda x, w: torch.bmm(x, w.t().expand(3, -1, -1))),
        "shared left": ([(rows, 19), (3, 19, columns)], lambda x, w: torch.bmm(x.expand(3, -1, -1), w)),
        "both": ([(rows, 1), (1, columns)], lambda x, w: torch.bmm(x.expand(3, rows, 19), w.expand(3, 19, columns))),
        "none lies along it": ([(rows, 19, 3), (19, columns, 3)], lambda x, w: torch.bmm(x.permute(2, 0, 1).expand(3, -1, -1), w.permute(2, 0, 1).expand(3, -1, -1))),
        "permuted": ([(2, rows, 3, 16), (2, columns, 3, 16)], lambda x, w: torch.matmul(x.transpose(1, 2).expand(2, 3, rows, 16), w.permute(0, 2, 3, 1).expand(2, 3, 16, columns))),
    }[spelling]
    generator = torch.Generator().manual_seed(rows * 100 + columns)
    check(function, *[torch.randn(shape, generator=generator) for shape in shapes])
