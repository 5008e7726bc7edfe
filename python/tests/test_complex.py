# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex tensors as pairs of real ones: on the targets and back in PyTorch, against eager."""

import copy
import itertools
import math

import pytest
import torch

import fxgraph
from fxgraph.testing.export import check_export

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

    def __init__(self, is_buffer, dim=16, heads=2, length=9):
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
    assert held.data_ptr() == model.freqs_cis.data_ptr() and held.shape == (9, 4, 2)


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


Z = torch.complex(*torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(0)))


def elementary(z):
    return (z.exp(), z.log(), z.sqrt(), z.rsqrt(), z.sin(), z.cos(), z.tan(), z.sinh(), z.cosh(), z.tanh(), z.atan(), z.atanh(), z.sigmoid(), z.sgn(),
            z.square(), z.log2(), z.log10(), z.log1p(), z.expm1(), z.exp2(), torch.nn.functional.silu(z))


def powers(z):
    return z**2, z**3, z**0.5, z**-1, torch.pow(z, -2), z**0, z**2.5, z**z, 2**z, z**(1 + 1j), z**torch.tensor(2.0), z.float_power(2)


def products(z):
    square = z @ z.t()
    return (square, z @ z.mH, torch.mm(z.conj(), z.t()), torch.matmul(z, z[0]), torch.nn.functional.linear(z, z, z[0, :3]), torch.einsum("ij,kj->ik", z, z.conj()),
            torch.outer(z[0], z[1]), torch.dot(z[0], z[1]), torch.vdot(z[0], z[1]), torch.bmm(z[None], z.t()[None]),
            torch.addmm(square, z, z.t(), beta=0.5, alpha=2j), torch.tensordot(z, z, ([1], [1])), torch.kron(z, z),
            torch.nn.functional.conv1d(z[None], z[None, :, :3].repeat(2, 1, 1), z[0, :2], padding=1))


def reductions(z):
    return (z.sum(), z.sum(1, True), z.mean(0), z.prod(), z.prod(0), z[:, :0].prod(1), z.cumsum(0), z.cumprod(1), z.norm(), torch.linalg.vector_norm(z, 1),
            z.var(), z.std(0), z.sum(dtype=torch.complex128), z.any(), (z == 0).all(), torch.diff(z))


def comparisons(z):
    return z == z, z != z * 2, z == 1, z.isnan(), z.isfinite(), z.isinf(), torch.isclose(z, z), z.isreal(), torch.logical_not(z), torch.logical_and(z, z)


def choices(z):
    mask = z.real > 0
    return (torch.where(mask, z, 0), torch.where(mask, z, z.conj()), torch.where(mask, z, z.real), torch.where(mask, 1j, z), z.masked_fill(mask, 1j),
            torch.cat([z, z.conj()]), torch.cat([z, z.real]), torch.stack([z, z], 1), torch.hstack([z, z]), z[torch.tensor([0, 2])], z.flip(0), z.roll(1, 0),
            z.gather(1, torch.tensor([[0], [1], [2]])), z.tril(), z.diagonal(), z.unfold(1, 2, 1), z.repeat(2, 1), torch.nn.functional.pad(z, (1, 1)),
            z.index_put((torch.tensor([0, 1]),), z[2]), torch.nn.functional.embedding(torch.tensor([0, 1]), z), torch.meshgrid(z[0], z[1], indexing="ij"))


def casts(z):
    return (z.to(torch.complex128), z.real.to(torch.complex64), z.real * 1j, z + torch.ones(4, dtype=torch.int64), torch.ones(4, dtype=torch.float64) * z,
            torch.zeros_like(z), torch.full_like(z, 2j), z.new_ones(3), torch.zeros(2, dtype=torch.complex64), torch.full((2,), 1j), torch.tensor([1j, 2]),
            z.view(torch.float32) * 1, z.real.contiguous().view(torch.complex64) * 1, z.mH * 1, z.H, z.to(torch.complex64))


def written(z):
    y = z * 1
    y.t_()
    y.mul_(1j)
    y[0] = 2
    y[..., 1] = y[..., 0] * 3
    y[y.real > 0] = 1j
    y.conj().imag.fill_(3)
    out = torch.empty(3, 4, dtype=torch.complex64)
    torch.mul(z, 2, out=out)
    z.add_(1).imag.zero_()
    return y, out


def chosen(z):
    return torch.cond(z.real.sum() > 0, lambda z: z * 2, lambda z: z.conj() * 1j, (z,))


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("function", [elementary, powers, products, reductions, comparisons, choices, casts, written, chosen], ids=lambda f: f.__name__)
def test_complex_arguments(function, level):
    """Arguments and results are complex: the graph has their pairs."""
    module = check(function, Z, level=level, targets=TARGETS if level == "aten" and function in (products, written) else ("ref", "cpu"))
    assert "complex<" not in module.asm


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("is_dynamic", [False, True])
@pytest.mark.parametrize("function", [
    lambda z: (z, z.conj(), z.real, z.imag, z[1:].t(), torch.view_as_real(z), z.conj().imag, z.conj()[0]),
    lambda z: (lambda y: (y, y.conj(), y.real, y.imag, y[1:].t(), torch.view_as_real(y), y.conj().imag, y.conj()[0]))(z * 2),
    lambda z: (z.mul_(2j), z.conj(), z.real)[1:],
    lambda z: (z * z.sum(0), z.t(), z[1:], z.exp(), z @ z.mH, torch.cat([z, z]), z.reshape(-1), (z * 2)[1:], (z * 2).conj())],
    ids=["of the argument", "of a result", "of what is written", "values"])
def test_memory_of_complex_results(function, level, is_dynamic):
    """Strides, shared memory and lazily conjugated views, as PyTorch has them."""
    options = {"dynamic_shapes": ({0: torch.export.Dim.DYNAMIC},), "other_inputs": [[torch.cat([Z, Z[:2]])]]} if is_dynamic else {}
    module, wrong = check_export(function, [Z], level, **options)
    assert not wrong and not module.unknown_ops, wrong


class Weights(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.randn(4, 4, dtype=torch.complex64))
        self.register_buffer("b", torch.randn(4, dtype=torch.complex64))

    def forward(self, x):
        self.b.mul_(2)
        return torch.nn.functional.linear(x, self.w, self.b), self.w[1:], self.w.conj(), self.b.real


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_complex_weights(level):
    """Read, written, and results that are views of them."""
    module, wrong = check_export(Weights(), [Z], level)
    assert not wrong and not module.unknown_ops, wrong
    model = Weights()
    with torch.no_grad():
        module, want = fxgraph.capture(model, Z, level=level), copy.deepcopy(model)
        for target in ("ref", "cpu"):
            for got, expected in zip(module.run([Z], target), want(Z), strict=True):
                torch.testing.assert_close(got, expected)
            torch.testing.assert_close(model.b, want.b)


def test_what_a_call_may_pass():
    """Conjugated lazily, of other strides, an array, a number; not numbers of another size or kind."""
    module = fxgraph.capture(lambda z: z.mul_(2), Z)
    for make in (lambda: Z.clone().conj(), lambda: Z.t().contiguous().t(), lambda: Z.repeat_interleave(2, 1)[:, ::2]):
        for call in (lambda x: module.run([x], "cpu"), module.to_fx()):
            given = make()
            call(given)
            torch.testing.assert_close(given, make() * 2)
    array = Z.numpy().copy()
    module.run([array], "cpu")
    torch.testing.assert_close(torch.as_tensor(array), Z * 2)
    module = fxgraph.capture(lambda z: z + 1, torch.tensor(1j))
    assert module.run([2j], "ref")[0].item() == 1 + 2j
    with pytest.raises(fxgraph.FxGraphError, match="expected dtype f32 but got f64"):
        module.run([torch.tensor(1j, dtype=torch.complex128)], "cpu")
    with pytest.raises(fxgraph.FxGraphError, match="expected rank 1 but got 0"):
        module.run([torch.tensor(1.0)], "cpu")


def test_other_entries(tmp_path):
    gm = torch.fx.symbolic_trace(lambda z: z * 2 + 1j)
    for z in (Z, Z.to(torch.complex128)):
        torch.testing.assert_close(fxgraph.from_fx(gm, [z]).run([z], "cpu")[0], z * 2 + 1j)
    program = torch.export.export(Weights(), (Z,))
    torch.export.save(program, tmp_path / "weights.pt2")
    for module in (fxgraph.from_exported(program), fxgraph.load(tmp_path / "weights.pt2")):
        assert not module.unknown_ops and [w.dtype for w in module.weights.values()] == [torch.float32] * 2
    with torch.no_grad():
        # Of the spectrum PyTorch computes the transforms.
        for function, x in ((lambda z: (z * z.conj()).sum(0).exp() + z, Z), (lambda x: torch.fft.irfft(torch.fft.rfft(x) * torch.fft.rfft(x).exp() * 2), Z.real)):
            torch.testing.assert_close(torch.compile(function, backend="fxgraph")(x), function(x))


def test_special_values_of_functions():
    """Zeros, infinities and the ends of the range where PyTorch's functions agree with themselves on vectors and alone."""
    numbers = torch.tensor([complex(a, b) for a in (0.0, 1.0, -2.5, 1e30, -1e-30) for b in (0.0, -0.0, 1.0, -3.0, 1e-20)])
    check(lambda z: (z.sqrt(), z.log(), z**2, z**0, z.reciprocal(), z.abs(), z.sgn(), z.tanh(), z == 0), numbers, targets=("ref", "cpu"))
    powers = torch.tensor([0j, 1 + 0j, 2 + 0j, 0.5 + 1j])
    check(lambda z, w: z[:, None] ** w, torch.tensor([1 + 0j, -1 + 0j, 1j, -2 + 1j]), powers, targets=("ref", "cpu"))


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("function", [
    lambda z: torch.rand(3, 4, dtype=z.dtype) + z, lambda z: torch.randn(20, dtype=torch.complex128), lambda z: (torch.rand_like(z), torch.randn_like(z)),
    lambda z: torch.randn_like(z.real, dtype=torch.complex64)])
def test_draws(function, level):
    """Both parts by the seed that eager draws by."""
    module = fxgraph.capture(function, Z, level=level)
    assert not module.unknown_ops
    for run in (lambda: module.run([Z], "ref"), lambda: module.run([Z], "cpu"), lambda: torch.utils._pytree.tree_leaves(module.to_fx()(Z))):
        torch.manual_seed(0)
        got = run()
        torch.manual_seed(0)
        for g, w in zip(got, torch.utils._pytree.tree_leaves(function(Z)), strict=True):
            torch.testing.assert_close(g, w)


def test_logarithm_of_running_sums():
    """The angle is eager's own, turns included; of many elements PyTorch computes it."""
    check(lambda z: (7 * z).logcumsumexp(0), torch.stack([Z[0], 3 * Z[0], -Z[1], Z[2], 1j * Z[2]]), targets=("ref", "cpu"))
    check(lambda z: z.logcumsumexp(0), torch.linspace(-1, 1, 40) * Z[0, 0], unknown=["logcumsumexp"])


def test_what_stays_whole():
    """Functions without a form for pairs, and complex numbers of 16-bit parts: named, and right in PyTorch."""
    check(lambda x: torch.view_as_real(torch.view_as_complex(x).asin()), torch.rand(3, 2) / 2, unknown=["asin"])
    check(lambda z: torch.linalg.det(z[:, :3]) * 2, Z, unknown=["_C"])
    check(lambda z: torch.fft.fft(z, n=67).abs(), Z, unknown=["_C"])  # a prime without factors
    module = fxgraph.capture(lambda z: z * 2, Z.to(torch.complex32))
    got, = module.to_fx()(Z.to(torch.complex32))
    assert module.unknown_ops and torch.equal(got.to(torch.complex64), (Z.to(torch.complex32) * 2).to(torch.complex64))
    with pytest.raises(fxgraph.FxGraphError, match="complex"):
        module.run([Z.to(torch.complex32)], "cpu")
