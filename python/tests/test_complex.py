# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex tensors as pairs of real ones: on the targets and back in PyTorch, against eager."""

import itertools
import math

import pytest
import torch

import fxgraph

TARGETS = ("ref", "cpu", "gpu-emulator")


def check(function, *inputs, level="torch", targets=TARGETS, unknown=()):
    """Values, and what is left in the inputs."""
    module = fxgraph.capture(function, *[x.clone() for x in inputs], level=level)
    assert [op.target.split(".")[1] for op in module.unknown_ops] == list(unknown)
    after = [x.clone() for x in inputs]
    want = function(*after)
    engines = [lambda *xs, t=t: module.run(list(xs), t) for t in targets if not unknown] + [module.to_fx()]
    for engine in engines:
        given = [x.clone() for x in inputs]
        got = engine(*given)
        for g, w in zip(torch.utils._pytree.tree_leaves(got), torch.utils._pytree.tree_leaves(want), strict=True):
            torch.testing.assert_close(g, w, equal_nan=True)
        for g, w in zip(given, after, strict=True):
            torch.testing.assert_close(g, w, equal_nan=True)
    return module


class Attention(torch.nn.Module):
    """Rotary embeddings as in Llama's own code, with the angles as a buffer or as a plain attribute."""

    def __init__(self, is_buffer, dim=16, heads=2, length=8):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (torch.nn.Linear(dim, dim, bias=False) for _ in range(4))
        frequencies = 1.0 / (10000 ** (torch.arange(0, dim // heads, 2).float() / (dim // heads)))
        angles = torch.outer(torch.arange(length).float(), frequencies)
        if is_buffer:
            self.register_buffer("freqs_cis", torch.polar(torch.ones_like(angles), angles))
        else:
            self.freqs_cis = torch.polar(torch.ones_like(angles), angles)

    def rotated(self, x, freqs):
        pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        freqs = freqs.view(*[extent if d in (1, pairs.ndim - 1) else 1 for d, extent in enumerate(pairs.shape)])
        return torch.view_as_real(pairs * freqs).flatten(3).type_as(x)

    def forward(self, x):
        batch, length, _ = x.shape
        freqs = self.freqs_cis[2:2 + length]
        q, k, v = (layer(x).view(batch, length, self.heads, -1) for layer in (self.q, self.k, self.v))
        q, k, v = (part.transpose(1, 2) for part in (self.rotated(q, freqs), self.rotated(k, freqs), v))
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o(y.transpose(1, 2).reshape(batch, length, -1))


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("is_buffer", [True, False])
def test_rotary_embeddings(is_buffer, level):
    model, x = Attention(is_buffer).eval(), torch.randn(2, 4, 16)
    with torch.no_grad():
        module = check(model, x, level=level)
    held, = (value for name, value in module.weights.items() if "freqs_cis" in name)
    assert held.data_ptr() == model.freqs_cis.data_ptr() and held.shape == (8, 4, 2)


def arithmetic(x, y):
    a, b = torch.view_as_complex(x), torch.view_as_complex(y)
    made = [a + b, a - b, a * b, a / b, -a, a.conj(), a * 2.5, 2 - a, a * (1 + 2j), a / 3, 1 / b, b.reciprocal(), torch.add(a, b, alpha=2),
            a * x[..., 0], x[..., 1] - a, a.sum(0), a.mean(), a.sum((0, 1), keepdim=True), torch.cat([a, b]), torch.stack([a, b], -1),
            torch.polar(x[..., 0], x[..., 1]), torch.complex(y[..., 0], y[..., 1]), a.clone()]
    return [torch.view_as_real(z.resolve_conj()) for z in made] + [a.real, b.imag, a.abs(), b.angle(), torch.abs(a * b)]


def views(x):
    a = torch.view_as_complex(x)
    made = [a.t(), a[0], a[..., 1], a[:, 1:], a[-1:, None], a.reshape(-1), a.unsqueeze(0).expand(2, -1, -1), a.permute(1, 0), a.flatten(),
            a.chunk(2, 0)[1], a.unbind(-1)[2], a.select(-1, 0), a.narrow(1, 0, 2), a.transpose(0, -1), a.view(2, 2, 3), a.contiguous(), a.T]
    return [torch.view_as_real(z) * 1 for z in made]


def aliases(x):
    z = torch.view_as_complex(x)
    pairs = torch.view_as_real(z)
    pairs.add_(1)
    z.mul_(2)
    z *= 1 + 1j
    turned = z.conj()
    z.imag.zero_()
    z.real.add_(1)
    z[0].copy_(z[1])
    return torch.view_as_real(turned.resolve_conj()) * 1, pairs * 1


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("function, inputs", [(arithmetic, 2), (views, 1), (aliases, 1)])
def test_pairs(function, inputs, level):
    check(function, *[torch.randn(4, 3, 2) for _ in range(inputs)], level=level)


def test_double():
    check(arithmetic, *[torch.randn(4, 3, 2, dtype=torch.float64) for _ in range(2)], targets=("ref", "cpu"))


def test_special_values():
    """Zeros, infinities and NaN as PyTorch's formulas make them: an infinite part may make the other one NaN."""
    numbers = torch.tensor(list(itertools.product([0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan, 1e30, 1e-30], repeat=2)))
    x, y = (t.contiguous() for t in (numbers.unsqueeze(1).expand(-1, len(numbers), -1), numbers.unsqueeze(0).expand(len(numbers), -1, -1)))

    def function(x, y):
        a, b = torch.view_as_complex(x), torch.view_as_complex(y)
        return [torch.view_as_real(z) for z in (a * b, a + b, a - b, 1 / b, b.reciprocal(), a * 2.0, a / 2.0)] + [a.abs(), a.angle()]

    check(function, x, y, targets=("ref", "cpu"))


def test_dynamic():
    def function(x):
        z = torch.view_as_complex(x.reshape(x.shape[0], -1, 2))
        return torch.view_as_real(z * z.sum(0)).flatten(1)
    module = fxgraph.capture(function, torch.randn(3, 4), level="aten", dynamic_shapes=({0: torch.export.Dim.DYNAMIC},))
    assert not module.unknown_ops
    for rows in (3, 5):
        x = torch.randn(rows, 4)
        torch.testing.assert_close(module.run([x], "cpu")[0], function(x))


def test_what_stays_whole():
    """Functions without a form for pairs, and complex arguments: named, and right in PyTorch."""
    x = torch.randn(3, 2)
    check(lambda x: torch.view_as_real(torch.view_as_complex(x).exp()), x, unknown=["exp", "view_as_real"])
    check(lambda z: torch.view_as_real(z * 2), torch.view_as_complex(x), unknown=["mul", "view_as_real"])
    module = fxgraph.capture(lambda x: torch.view_as_complex(x) * 2, x)
    assert torch.equal(torch.utils._pytree.tree_leaves(module.to_fx()(x))[0], torch.view_as_complex(x) * 2)
    with pytest.raises(fxgraph.FxGraphError, match="complex"):
        module.run([x], "cpu")
