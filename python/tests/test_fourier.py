# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms as products with the matrices of their lengths' factors, against eager."""

import pytest
import torch

import fxgraph
from fxgraph.importer.fourier import _factor
from fxgraph.testing.export import check_export

fft = torch.fft
REAL = torch.randn(2, 4, 24, generator=torch.Generator().manual_seed(0))
COMPLEX = torch.complex(REAL, REAL.flip(2))
WINDOW = torch.hann_window(16)
FUNCTIONS = {
    "fft": (lambda x: fft.fft(x), COMPLEX), "fft of real": (lambda x: fft.fft(x), REAL), "ifft": (lambda x: fft.ifft(x, norm="ortho"), COMPLEX),
    "rfft": (lambda x: fft.rfft(x), REAL), "irfft": (lambda x: fft.irfft(x), COMPLEX), "irfft of an odd length": (lambda x: fft.irfft(x, n=15), COMPLEX),
    "hfft": (lambda x: fft.hfft(x), COMPLEX), "ihfft": (lambda x: (fft.ihfft(x), fft.ihfft2(x)), REAL), "fft2": (lambda x: fft.fft2(x), REAL),
    "rfft2": (lambda x: fft.rfft2(x, norm="forward"), REAL), "irfft2": (lambda x: fft.irfft2(x), COMPLEX), "fftn": (lambda x: fft.fftn(x, dim=(0, 2)), COMPLEX),
    "rfftn": (lambda x: fft.rfftn(x), REAL), "irfftn": (lambda x: fft.irfftn(x, s=(3, 5)), COMPLEX), "another dim": (lambda x: fft.fft(x, dim=1), REAL),
    "padded": (lambda x: fft.rfft(x, n=30), REAL), "cut": (lambda x: fft.fft(x, n=7), COMPLEX), "of integers": (lambda x: fft.fft(x), (REAL * 9).long()),
    "double": (lambda x: fft.fft(x), REAL.double()), "of one element": (lambda x: (fft.fft(x[..., :1]), fft.rfft(x[..., :1]), fft.irfft(x[..., :1], n=1)), REAL),
    "a prime": (lambda x: fft.rfft(x, n=61), REAL), "factors": (lambda x: fft.fft(x, n=4 * 5 * 61), REAL), "transposed": (lambda x: fft.fft(x.transpose(1, 2)), REAL),
    "conjugated": (lambda x: fft.fft(x.conj()), COMPLEX), "frequencies": (lambda x: x * fft.fftfreq(24, 0.1) + fft.rfftfreq(46), REAL),
    "shifted": (lambda x: fft.ifftshift(fft.fftshift(fft.fft(x)) * 2), REAL),
    "spectrogram": (lambda x: torch.stft(x[0], 16, 4, window=WINDOW, return_complex=True).abs(), REAL),
    "convolution": (lambda x: fft.irfft(fft.rfft(x, n=48) * fft.rfft(x.flip(0), n=48), n=48)[..., :24], REAL)}


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_transform(name, level):
    function, x = FUNCTIONS[name]
    module, wrong = check_export(function, [x], level)
    assert not wrong and not module.unknown_ops, (wrong, module.unknown_ops)
    want = torch.utils._pytree.tree_leaves(function(x))
    for target in ("ref", "cpu") if level == "torch" else ("ref",):
        for g, w in zip(module.run([x], target), want, strict=True):
            torch.testing.assert_close(g, w.resolve_conj(), rtol=1e-5, atol=1e-4)


def test_accuracy():
    """Of 4,000 elements no worse than a few roundings of the largest part."""
    x = torch.randn(2, 4000)
    got, = fxgraph.capture(lambda x: torch.fft.rfft(x), x).run([x], "cpu")
    want = torch.fft.rfft(x.double())
    assert (got - want).abs().max() < 1e-6 * want.abs().max()


@pytest.mark.parametrize("length, factors", [(1, [1]), (61, [61]), (64, [64]), (67, [1]), (128, [16, 8]), (1000, [40, 25]), (4096, [64, 64]), (1 << 14, [32, 32, 16]), (2 * 127, [1])])
def test_factors(length, factors):
    """As few as there can be, of the least sum; none where a prime is too large."""
    found = []
    while length > 1 or not found:
        found.append(_factor(length))
        if found[-1] == 1:
            break
        length //= found[-1]
    assert found == factors


@pytest.mark.parametrize("length", [2, 63, 128, 210, 244, 1220, 2048])
@pytest.mark.parametrize("rows", [1, 3])
def test_lengths(length, rows):
    x = torch.randn(rows, length, generator=torch.Generator().manual_seed(length), dtype=torch.float64)
    for function in (lambda x: torch.view_as_real(fft.rfft(x)), lambda x: torch.view_as_real(fft.ifft(torch.complex(x, x.flip(1)))), lambda x: fft.irfft(torch.complex(x, x.flip(1)), n=length)):
        got, = fxgraph.capture(function, x, level="aten").run([x], "cpu")
        torch.testing.assert_close(got, function(x), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("length", [16, 63, 128, 244])
def test_halves(length):
    """What has no partner among conjugates counts as real, whatever its imaginary part; every part of the rest is read."""
    half = length // 2 + 1
    x = torch.randn(2, half, generator=torch.Generator().manual_seed(length), dtype=torch.float64)
    y = x.flip(1).clone()
    y[0, 0] = 1e6
    if length % 2 == 0:
        y[1, -1] = -1e6
    for parts in ((x, y), (torch.eye(half, dtype=torch.float64), torch.zeros(half, half, dtype=torch.float64)), (torch.zeros(half, half, dtype=torch.float64), torch.eye(half, dtype=torch.float64))):
        got, = fxgraph.capture(lambda x, y: fft.irfft(torch.complex(x, y), n=length), *parts, level="aten").run(list(parts), "cpu")
        torch.testing.assert_close(got, fft.irfft(torch.complex(*parts), n=length), rtol=1e-11, atol=1e-12)
    rows = torch.eye(length, dtype=torch.float64)
    got, = fxgraph.capture(lambda x: torch.view_as_real(fft.rfft(x)), rows, level="aten").run([rows], "cpu")
    torch.testing.assert_close(got, torch.view_as_real(fft.rfft(rows)), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("function", [lambda x: fft.rfft(x, n=67), lambda x: fft.rfft(x, n=2 * 127), lambda x: fft.rfft(x, n=1 << 15), lambda x: fft.fft(x).abs()])
def test_what_stays_whole(function):
    """Large primes, very long transforms, lengths that vary."""
    dynamic = {"dynamic_shapes": ({2: torch.export.Dim.AUTO},)} if function(REAL).shape[-1] == REAL.shape[-1] else {}
    module, wrong = check_export(function, [REAL], "torch", other_inputs=[[REAL[..., :20]]] if dynamic else (), **dynamic)
    assert not wrong and len(module.unknown_ops) == 1, (wrong, module.unknown_ops)


def test_gpu():
    x = REAL[0]
    module = fxgraph.capture(lambda x: fft.irfft(fft.rfft(x) * 2, n=20).abs() + 1, x)
    torch.testing.assert_close(module.run([x], "gpu-emulator")[0], fft.irfft(fft.rfft(x) * 2, n=20).abs() + 1, rtol=1e-5, atol=1e-5)
