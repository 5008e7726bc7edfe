# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transposed convolutions read nothing between and around the elements of the input: an infinite or NaN weight is no product there."""
import math
import random

import pytest
import torch

import fxgraph

EXTENTS, KERNEL = [4, 3, 2], [3, 2, 3]
# stride, padding, output_padding, dilation, groups, with a bias
SETTINGS = {
    "plain": (1, 0, 0, 1, 1, True),
    "padded": (1, 2, 0, 2, 1, True),
    "strided": (2, 1, 1, 1, 1, False),
    "groups": (3, 1, 2, 1, 2, True),
    "dilated": (2, 2, 1, 2, 2, False),
    "apart": (4, 0, 3, 1, 2, True),
}


def make(dims, transposed, setting, dtype=torch.float32):
    """(function, its arguments): a convolution with a non-finite weight in every fifth place."""
    stride, padding, output_padding, dilation, groups, bias = SETTINGS[setting]
    generator = torch.Generator().manual_seed(dims)
    x = torch.randn([2, 4, *EXTENTS[:dims]], generator=generator)
    weight = torch.randn([4, 3, *KERNEL[:dims]] if transposed else [6, 4 // groups, *KERNEL[:dims]], generator=generator)
    weight.flatten()[::15], weight.flatten()[5::15], weight.flatten()[10::15] = math.inf, -math.inf, math.nan
    arguments = [x, weight] + ([torch.randn(3 * groups if transposed else 6, generator=generator)] if bias else [])

    def function(x, weight, bias=None):
        return torch.ops.aten.convolution(x, weight, bias, [stride] * dims, [padding] * dims, [dilation] * dims, transposed,
                                          [output_padding if transposed else 0] * dims, groups)
    return function, [a.to(dtype) for a in arguments]


def check(function, arguments, targets=("ref", "cpu", "gpu-emulator"), **limits):
    expected = function(*arguments)
    module = fxgraph.capture(function, *arguments, level="aten")
    for target in targets:
        got = torch.as_tensor(module.run(arguments, target=target)[0])
        torch.testing.assert_close(got, expected, equal_nan=True, msg=lambda text, t=target: f"{t}: {text}", **limits)
    return expected


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_weights_that_are_not_finite(dims, setting):
    expected = check(*make(dims, True, setting), rtol=1e-4, atol=1e-5)
    assert not expected.isfinite().all()
    if setting == "apart":
        assert expected.isfinite().any()


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16], ids=str)
def test_other_dtypes(dtype):
    check(*make(2, True, "strided", dtype), rtol=2e-2 if dtype is torch.bfloat16 else 1e-9, atol=1e-2 if dtype is torch.bfloat16 else 1e-9)


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_inputs_that_are_not_finite(dims):
    function, (x, weight, *rest) = make(dims, True, "groups")
    x.flatten()[::7] = math.inf
    check(function, [x, weight.nan_to_num(1.0, 2.0, -3.0), *rest], rtol=1e-4, atol=1e-5)


def draw(number):
    """(function, its arguments) of a transposed convolution whose dimensions have strides, kernels and paddings of their own."""
    chooser, generator = random.Random(number), torch.Generator().manual_seed(number)
    dims = chooser.choice([1, 2, 2, 3])
    groups, channels, results = chooser.choice([(1, 4, 3), (2, 4, 3), (4, 4, 1), (3, 3, 2), (1, 1, 5)])
    while True:
        stride, kernel, dilation = ([chooser.choice(of) for _ in range(dims)] for of in ([1, 2, 2, 3, 5], [1, 2, 3, 4, 7], [1, 1, 1, 2]))
        padding = [chooser.randrange(0, d * (k - 1) + 2) for d, k in zip(dilation, kernel)]
        output_padding = [chooser.randrange(0, max(s, d)) for s, d in zip(stride, dilation)]
        extents = [chooser.randrange(1, 8) for _ in range(dims)]
        if all((n - 1) * s - 2 * p + d * (k - 1) + o >= 0
               for n, s, p, d, k, o in zip(extents, stride, padding, dilation, kernel, output_padding)):
            break
    arguments = [torch.randn([chooser.choice([1, 2]), channels, *extents], generator=generator),
                 torch.randn([channels, results, *kernel], generator=generator), torch.randn(results * groups, generator=generator)]
    arguments[1].flatten()[number % 7::11] = math.inf
    return lambda x, w, b: torch.ops.aten.convolution(x, w, b, stride, padding, dilation, True, output_padding, groups), arguments


@pytest.mark.parametrize("number", range(12))
def test_drawn(number):
    with torch.backends.mkldnn.flags(enabled=False):  # oneDNN makes NaN of some places that nothing reaches.
        check(*draw(number), targets=("cpu", "gpu-emulator") if number < 4 else ("cpu",), rtol=1e-4, atol=1e-5)


def test_padding_of_others_is_zeros():
    """The padding of a convolution that is not transposed takes part, as in PyTorch's own kernel: zero times infinity is NaN."""
    function, (x, weight, *rest) = make(2, False, "padded")
    weight.fill_(1.0)[0, 0, 0, 0] = math.inf
    with torch.backends.mkldnn.flags(enabled=False):
        expected = check(function, [x, weight, *rest], targets=("ref", "cpu"), rtol=1e-4, atol=1e-5)
    assert expected.isnan().any()


def test_extents_known_when_run():
    """Also those of the kernel."""
    text = """
func.func @main(%x: tensor<?x4x?x?xf32, #fxgraph.meta<dims = [s0, s1, s2]>>, %w: tensor<4x3x?x2xf32, #fxgraph.meta<dims = [s3]>>)
    -> tensor<?x3x?x?xf32, #fxgraph.meta<dims = [s0, ?, ?]>> {
  %r = fxgraph.convolution %x, %w stride [2, 1] padding [1, 0] dilation [1, 2] transposed true output_padding [1, 0] :
    (tensor<?x4x?x?xf32, #fxgraph.meta<dims = [s0, s1, s2]>>, tensor<4x3x?x2xf32, #fxgraph.meta<dims = [s3]>>) -> tensor<?x3x?x?xf32, #fxgraph.meta<dims = [s0, ?, ?]>>
  return %r : tensor<?x3x?x?xf32, #fxgraph.meta<dims = [s0, ?, ?]>>
}"""
    executable = fxgraph.Module(text).compile("cpu")
    for batch, height, width, kernel in [(2, 3, 4, 3), (1, 1, 5, 2), (0, 3, 3, 3)]:
        x, weight = torch.randn(batch, 4, height, width), torch.randn(4, 3, kernel, 2)
        weight[0, 1, 0, 0] = math.inf
        expected = torch.ops.aten.convolution(x, weight, None, [2, 1], [1, 0], [1, 2], True, [1, 0], 1)
        torch.testing.assert_close(torch.as_tensor(executable(x, weight)[0]), expected, rtol=1e-4, atol=1e-5, equal_nan=True)
