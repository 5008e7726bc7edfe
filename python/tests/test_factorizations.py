# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Determinants and interpolation with antialiasing, which become ops of the dialect, against eager."""

import pytest
import torch
import torch.nn.functional as F

import fxgraph

LEVELS = ["torch", "aten"]


def check(function, *inputs, level, **tolerance):
    module = fxgraph.capture(function, *inputs, level=level)
    assert "fxgraph.opaque" not in module.asm
    want = function(*inputs)
    want = want if isinstance(want, tuple) else (want,)
    engines = [module.run(list(inputs)), module.to_fx()(*inputs)]
    if level == "aten":  # what both levels become is one
        engines.append(module.run(list(inputs), "cpu"))
    for got in engines:
        for g, w in zip(got, want, strict=True):
            torch.testing.assert_close(g, w, equal_nan=True, **tolerance)


def matrices(*shape, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape))).to(dtype)


SINGULAR = torch.tensor([[1.0, 2, 3], [2, 4, 6], [0, 1, 5]], dtype=torch.float64)
SPECIAL = [matrices(1, 1), matrices(3, 3), matrices(2, 5, 5), matrices(0, 3, 3), matrices(0, 0), matrices(2, 0, 0), matrices(2, 3, 7, 7), SINGULAR,
           torch.zeros(2, 2, dtype=torch.float64), torch.eye(4, dtype=torch.float64)[[2, 0, 1, 3]], matrices(4, 4).t(), matrices(6, 6, dtype=torch.float32)]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("x", SPECIAL, ids=lambda x: "x".join(map(str, x.shape)))
def test_determinants(level, x):
    tolerance = {"rtol": 1e-4, "atol": 1e-5} if x.dtype is torch.float32 else {"rtol": 1e-9, "atol": 1e-12}
    for function in (torch.det, torch.linalg.det, torch.linalg.slogdet, torch.logdet):
        if x is SINGULAR and "log" in function.__name__:
            continue  # the logarithm of what is left by rounding
        check(function, x, level=level, **tolerance)


@pytest.mark.parametrize("level", LEVELS)
def test_determinants_that_are_not_finite(level):
    x = matrices(4, 3, 3)
    x[0, 1, 1], x[1, 0, 2], x[2] = float("nan"), float("inf"), 0
    module = fxgraph.capture(torch.linalg.det, x, level=level)
    for (got,) in (module.run([x]), module.run([x], "cpu"), module.to_fx()(x)):
        want = torch.linalg.det(x)
        assert got[0].isnan() and want[0].isnan() and not got[1].isfinite() and not want[1].isfinite()
        torch.testing.assert_close(got[2:], want[2:])


def test_factors():
    """What a gradient asks for."""
    for x in (matrices(3, 5, 5), matrices(4, 4).t(), torch.eye(3, dtype=torch.float64)[[1, 2, 0]]):
        def function(x):
            _, factors, places = torch.ops.aten._linalg_det(x)
            sign, _, again, _ = torch.ops.aten._linalg_slogdet(x)
            return factors * 1, places + 0, sign, again * 1
        check(function, x, level="aten", rtol=1e-9, atol=1e-12)


def test_factors_stay_whole():
    """Large matrices, complex ones and the factors themselves are PyTorch's."""
    for function, x in ((torch.linalg.det, matrices(65, 65)), (torch.linalg.det, torch.randn(3, 3, dtype=torch.complex64)),
                        (torch.linalg.lu_factor, matrices(3, 3))):
        module = fxgraph.capture(function, x)
        assert "fxgraph.opaque" in module.asm
        want = function(x)
        for got, w in zip(module.to_fx()(x), want if isinstance(want, tuple) else (want,), strict=True):
            torch.testing.assert_close(got, w)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("size", [(3, 4), (9, 20), (1, 1), (7, 2)], ids=str)
def test_antialiased_interpolation(level, mode, align, size):
    for dtype, tolerance in ((torch.float32, {"rtol": 1e-5, "atol": 1e-5}), (torch.float64, {"rtol": 1e-12, "atol": 1e-12})):
        check(lambda x: F.interpolate(x, size=size, mode=mode, align_corners=align, antialias=True), matrices(2, 3, 7, 11, dtype=dtype), level=level, **tolerance)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("scale", [0.4, (0.7, 1.9), (3.0, 0.25)], ids=str)
def test_antialiased_scales(level, scale):
    """An infinity stays in its window."""
    x = matrices(1, 2, 12, 9)
    x[0, 0, 3, 4], x[0, 1, 0, 0] = float("inf"), float("nan")
    for recompute in (False, True):
        check(lambda x: F.interpolate(x, scale_factor=scale, mode="bilinear", antialias=True, recompute_scale_factor=recompute), x, level=level, rtol=1e-12, atol=1e-12)


def test_wide_filters_stay_whole():
    x = matrices(1, 1, 400, 4)
    module = fxgraph.capture(lambda x: F.interpolate(x, size=(1, 4), mode="bicubic", antialias=True), x)
    assert "fxgraph.opaque" in module.asm
    torch.testing.assert_close(module.to_fx()(x)[0], F.interpolate(x, size=(1, 4), mode="bicubic", antialias=True))
