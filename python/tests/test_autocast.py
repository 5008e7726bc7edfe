# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions under autocast: what casts its operands, and what does not."""

import copy

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import fxgraph
from fxgraph.testing.export import Run, difference, duplicate

LEVELS = pytest.mark.parametrize("level", ["torch", "aten"])
X = torch.arange(16.0).reshape(4, 4).sin()
ONES = torch.ones(4)

# Of each of PyTorch's policies, by its name and by others, in one call and in several; and what no policy names.
CALLS = {
    "lower precision": lambda x: (x @ x.t(), F.linear(x, x, ONES), F.conv1d(x[None], x[:, :, None]), torch.einsum("ij,kj->ik", x, x.float())),
    "products": lambda x: (torch.baddbmm(x[None].float(), x[None], x[None]), torch.addbmm(x.float(), x[None], x[None]), torch.outer(x[0], x[1]),
                           F.scaled_dot_product_attention(x[None], x[None], x[None])),
    "float": lambda x: (x.prod(0), torch.trace(x), torch.cdist(x, x + 1), F.avg_pool3d(x[None, None], (1, 2, 2))),
    "losses": lambda x: (F.mse_loss(x, x * 2), F.l1_loss(x, x * 2, reduction="none"), F.smooth_l1_loss(x, x * 2), F.huber_loss(x, x * 2),
                         F.cross_entropy(x, torch.zeros(4, dtype=torch.long)), F.cosine_embedding_loss(x, x * 2, ONES),
                         F.binary_cross_entropy_with_logits(x, (x > 0).to(x.dtype)), F.triplet_margin_loss(x, x + 1, x - 1)),
    "padding": lambda x: (F.pad(x[None], (1, 1), mode="replicate"), F.pad(x[None], (1, 1), mode="reflect"), F.pad(x[None], (1, 1), mode="circular")),
    "widest": lambda x: (torch.cat([x, x.float()]), torch.stack([x, x.double()])),
    "none": lambda x: (x.softmax(-1), F.layer_norm(x, (4,)), x.sum(), x.exp() + x.float(), x[1:].t(), x.double() + 1),
    "made of products": lambda x: (torch.fft.fft(x.float()).abs(), F.normalize(x), torch.diff(x)),
    "double": lambda x: (x.double() * 2, torch.where(x > 0, x, x.double()), x.double().sum()),
    "in place": lambda x: (x.clone().add_(x @ x), x.clone().mul_(2), torch.zeros(4, 4).copy_(x @ x)),
}


def check(function, *inputs, level, tolerance=1e-6, **options):
    model = copy.deepcopy(function)
    module = fxgraph.capture(model, *inputs, level=level, **options)
    assert not module.unknown_ops, module.unknown_ops
    want = Run(function, list(map(duplicate, inputs)), {}).snapshot()
    for pipeline in (None, "fxgraph-pre-grad"):
        if pipeline:
            module.run_passes(pipeline)
        assert difference(Run(module.to_fx(), list(map(duplicate, inputs)), {}).snapshot(), want) is None
        for target in ("ref", "cpu"):
            for got, expected in zip(module.compile(target)(*inputs), want.results, strict=True):
                narrow = expected.dtype.itemsize < 4
                torch.testing.assert_close(got, expected, rtol=2e-2 if narrow else 1e-4, atol=2e-2 if narrow else 1e-4, check_stride=False)
    return module


@LEVELS
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", CALLS)
def test_policies(name, dtype, level):
    def function(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return CALLS[name](x)

    check(function, X.to(dtype), level=level)


@LEVELS
def test_half(level):
    def function(x):
        with torch.autocast("cpu", dtype=torch.float16):
            return x @ x.t(), F.mse_loss((x @ x).exp(), x)

    check(function, X, level=level)


@LEVELS
def test_nested(level):
    def function(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = x @ x.t()
            with torch.autocast("cpu", enabled=False):
                z = y.float() @ x
            with torch.autocast("cpu", dtype=torch.float16):
                w = y @ y
            return y, z, w, z @ z.t(), F.mse_loss(y, y * 2)

    check(function, X, level=level)


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.conv, self.norm = nn.Linear(4, 4), nn.Conv1d(4, 4, 1), nn.LayerNorm(4)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.norm(self.linear(x))
            return torch.cat([y, self.conv(y.t()[None])[0].t()], -1), F.mse_loss(y, y * 2)


@LEVELS
def test_layers_stay_whole(level):
    check(Layers().eval(), X, level=level)
    counts = fxgraph.capture(Layers(), X, level=level).op_counts()
    assert counts["fxgraph.linear"] == counts["fxgraph.conv1d"] == counts["fxgraph.layer_norm"] == 1, counts


@LEVELS
def test_symbolic_extents(level):
    def function(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return F.mse_loss(x @ x.t(), torch.zeros(x.shape[0], x.shape[0])), x.t() @ x

    module = fxgraph.capture(function, X, level=level, dynamic_shapes=({0: torch.export.Dim.DYNAMIC},))
    for rows in (4, 7):
        x = torch.arange(rows * 4.0).reshape(rows, 4).cos()
        for target in ("ref", "cpu"):
            for got, want in zip(module.compile(target)(x), function(x), strict=True):
                assert got.dtype == want.dtype
                torch.testing.assert_close(got, want, rtol=2e-2, atol=2e-2)


def test_branches():
    def function(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return torch.cond(x.sum() > 0, lambda x: (x @ x).float(), lambda x: F.mse_loss(x, x + 1) * x, (x,))

    for x in (X.abs(), -X.abs()):
        check(function, x, level="torch")


def test_transforms():
    def function(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return torch.func.vmap(lambda row: F.mse_loss(row @ X, row @ X * 2))(x), torch.func.grad(lambda x: (x @ x.t()).sum())(x)

    check(function, X, level="torch")


def test_around_the_import():
    """The state of the thread is that of the graph's calls."""
    def function(x):
        return x @ x.t(), F.mse_loss(x @ x, x)

    graph = torch.fx.symbolic_trace(function)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        module = fxgraph.from_fx(graph, [X])
        want = function(X)
    assert torch.is_autocast_cache_enabled() and not torch.is_autocast_enabled("cpu")
    for got, expected in zip(module.run([X]), want, strict=True):
        torch.testing.assert_close(got, expected, rtol=2e-2, atol=2e-2)
    plain = fxgraph.from_fx(graph, [X])
    assert plain.run([X])[0].dtype == torch.float32


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_drop_in(dtype):
    def model(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = x @ x.t()
        return y, F.mse_loss(y, x.to(y.dtype))

    def losses(x):
        return F.mse_loss(x, x * 2), x @ x.t(), x.prod(0)

    x = X.to(dtype)
    with torch.no_grad():
        for got, want in zip(torch.compile(model, backend="fxgraph")(x), model(x), strict=True):
            torch.testing.assert_close(got, want, rtol=2e-2, atol=2e-2)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            for got, want in zip(torch.compile(losses, backend="fxgraph")(x), losses(x), strict=True):
                torch.testing.assert_close(got, want, rtol=2e-2, atol=2e-2)
