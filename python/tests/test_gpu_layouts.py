# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How results of a GPU's kernels lie in memory, in the emulator: as PyTorch's do where those are dense."""

import random

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import fxgraph


def dense(tensor):
    order = sorted(range(tensor.dim()), key=lambda d: (-tensor.stride(d), d))
    return tensor.permute(order).is_contiguous()


def run(function, *inputs, **settings):
    module = fxgraph.capture(function, *inputs, level="aten")
    results, expected = module.compile("gpu-emulator", **settings)(*inputs), function(*inputs)
    return results, list(expected) if isinstance(expected, tuple) else [expected]


class Chain(torch.nn.Module):
    """A random chain of views and pointwise ops, some of whose values are returned."""

    def __init__(self, seed):
        super().__init__()
        self.seed = seed

    def forward(self, x, y):
        draw = random.Random(self.seed)
        values = [x, y]
        for _ in range(draw.randint(2, 7)):
            value = draw.choice(values)
            kind = draw.choice(["permute", "transpose", "unary", "binary", "flatten", "unsqueeze", "clone", "contiguous", "product"])
            dims = list(range(value.dim()))
            draw.shuffle(dims)
            if kind == "permute":
                value = value.permute(dims)
            elif kind == "transpose" and value.dim() > 1:
                value = value.transpose(dims[0], dims[1] - value.dim())
            elif kind == "unary":
                value = draw.choice([torch.relu, torch.neg, torch.tanh])(value)
            elif kind == "binary":
                other = draw.choice([other for other in values if other.shape == value.shape])
                value = value + other if draw.random() < 0.5 else value * other.sum(-1, keepdim=True)
            elif kind == "flatten" and value.dim() > 1:
                value = value.flatten(0, 1)
            elif kind == "unsqueeze" and value.dim() < 5:
                value = value.unsqueeze(dims[0])
            elif kind == "clone":
                value = value.clone()
            elif kind == "contiguous":
                value = value.contiguous()
            elif kind == "product" and value.dim() > 1:
                value = value @ torch.ones(value.shape[-1], 3)
            values.append(value)
        results = [value for value in values[2:] if value is not x and value is not y]
        return tuple(draw.sample(results, min(len(results), 3)))


@pytest.mark.parametrize("seed", range(40))
def test_values_and_strides(seed):
    torch.manual_seed(seed)
    x, y = torch.randn(3, 5, 2), torch.randn(3, 5, 2)
    results, expected = run(Chain(seed), x, y)
    for result, value in zip(results, expected, strict=True):
        torch.testing.assert_close(result, value, rtol=1e-5, atol=1e-5)
        assert result.is_contiguous() or result.stride() == value.stride()


def test_view_of_product():
    x, weight = torch.randn(4, 8, 16), torch.randn(24, 16)
    [result], [expected] = run(lambda x, w: torch.nn.functional.linear(x, w).permute(0, 2, 1), x, weight)
    torch.testing.assert_close(result, expected)
    assert result.stride() == expected.stride() == (192, 1, 24)


def test_pointwise_keeps_order():
    x = torch.randn(6, 10)
    [result], [expected] = run(lambda x: torch.relu(x.t() * 2), x)
    torch.testing.assert_close(result, expected)
    assert result.stride() == expected.stride() == (1, 10)


def test_row_major_results():
    x = torch.randn(6, 10)
    [result], [expected] = run(lambda x: torch.relu(x.t()), x, row_major_results="true")
    torch.testing.assert_close(result, expected)
    assert result.is_contiguous() and not expected.is_contiguous()


@pytest.mark.parametrize("traced", (False, True))
def test_clone_of_a_format(traced):
    """A clone lies as its operand, or row-major where that is asked for, as `contiguous` is in a graph of ATen's ops."""
    x = torch.randn(6, 10)

    def function(x):
        return x.t().clone(), x.t().clone(memory_format=torch.contiguous_format), (x.t() * 2).contiguous(), x.clone(memory_format=torch.contiguous_format)

    module = fxgraph.from_fx(make_fx(function)(x), [x]) if traced else fxgraph.capture(function, x)
    assert module.op_counts()["fxgraph.contiguous"] == 2 and module.op_counts()["fxgraph.clone"] == 2
    results = module.compile("gpu-emulator")(x)
    for result, expected in zip(results, function(x), strict=True):
        assert torch.equal(result, expected) and result.stride() == expected.stride()
        assert result.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()


def test_part_of_memory_is_row_major():
    [result], [expected] = run(lambda x: (x.t() + 1)[:, ::2], torch.randn(6, 10))
    torch.testing.assert_close(result, expected)
    assert result.is_contiguous() and not dense(expected)


def test_arguments_are_read_where_they_lie():
    x, y = torch.randn(6, 10).t(), torch.randn(2, 3, 4, 5).permute(2, 0, 3, 1)
    module = fxgraph.capture(lambda x, y: (x * 2, y.sum(-1)), x, y, level="aten")
    assert module.asm.count("fxgraph.memory_order") == 2
    executable = module.compile("gpu-emulator")
    results, expected = executable(x, y), (x * 2, y.sum(-1))
    for result, value in zip(results, expected, strict=True):
        torch.testing.assert_close(result, value)
    assert results[0].stride() == expected[0].stride() == (1, 10)
    # Others are copied, as before.
    for other in (x.contiguous(), torch.randn(20, 6)[::2], torch.randn(1, 6).expand(10, 6)):
        torch.testing.assert_close(executable(other, y.contiguous())[0], other * 2)


def test_written_arguments_stay_row_major():
    def update(state, x):
        state.add_(x)
        return state * 2

    state, x = torch.zeros(3, 4).t(), torch.randn(4, 3)
    executable = fxgraph.capture(update, state.clone(), x, level="aten").compile("gpu-emulator")
    executable(state, x)
    torch.testing.assert_close(state, x)


@pytest.mark.parametrize("channels", (8, 13))
@pytest.mark.parametrize("dtype", (torch.float32, torch.bfloat16))
def test_channels_last(channels, dtype):
    torch.manual_seed(channels)
    model = torch.nn.Sequential(torch.nn.Conv2d(channels, 16, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(16, 8, 1))
    model = model.to(dtype).to(memory_format=torch.channels_last)
    x = torch.randn(2, channels, 6, 5, dtype=dtype).to(memory_format=torch.channels_last)
    [result] = fxgraph.capture(model, x, level="aten").compile("gpu-emulator")(x)
    expected = model(x)
    assert result.stride() == expected.stride() and expected.is_contiguous(memory_format=torch.channels_last)
    tolerance = 2e-2 if dtype == torch.bfloat16 else 1e-4
    torch.testing.assert_close(result, expected, rtol=tolerance, atol=tolerance)


def test_channels_last_3d_is_row_major():
    """What PyTorch's convolutions of volumes give depends on which library computes them; its fake tensors are contiguous."""
    model = torch.nn.Conv3d(3, 4, 3).to(memory_format=torch.channels_last_3d)
    x = torch.randn(2, 3, 5, 6, 4).to(memory_format=torch.channels_last_3d)
    [result] = fxgraph.capture(model, x, level="aten").compile("gpu-emulator")(x)
    expected = model(x)
    torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-4)
    assert result.is_contiguous()
