# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tensors are filled with by `uniform_`, `normal_`, `random_` and their like: functions of the dialect's draws.

They are PyTorch's numbers on the CPU: the same draws in the order of memory, and of each what PyTorch's C++ makes of it, which it computes in
float64. Other devices draw in other ways. Entries of decompositions.py's table, which raise NotImplementedError with the reason where they have no form.
"""

import math

import torch

from .decompositions import aten, decomposition, refusing

# Row-major tensors of so many elements and more are filled with normal numbers in groups of sixteen, all others one by one.
FILLED = 16
# Integers up to 2 ** digits are exact.
DIGITS = {torch.float64: 53, torch.float32: 24, torch.float16: 11, torch.bfloat16: 8}
# One more than the largest number that random_() draws, which it takes from 32 bits of the generator, or 64, as torch.randint does of these.
ALL = {**{dtype: 2 ** digits + 1 for dtype, digits in DIGITS.items()}, torch.uint8: 256, torch.int8: 128, torch.int16: 32768, torch.bool: 2}


def _check(x, generator, accepted=True, wanted=""):
    if generator is not None:
        raise NotImplementedError("a draw from a generator is not modelled")
    if x.device.type != "cpu":
        raise NotImplementedError(f"on {x.device.type} it makes other numbers of its draws than on the CPU")
    if x.is_complex() or not accepted:
        raise NotImplementedError(f"expected {wanted or 'a tensor of real numbers'}")


def _counted(x):
    if not all(isinstance(n, int) for n in (*x.shape, *x.stride())):
        raise NotImplementedError("normal numbers drawn one by one for a symbolic extent are not modelled")
    return x.numel()


def _one_by_one(x):
    """Normal numbers of float64 in the place of a tensor's elements, drawn one by one in the order of memory."""
    count, double = _counted(x), {"dtype": torch.float64, "device": x.device}
    if count < FILLED:
        flat = torch.randn(count, **double)
    else:
        # Of a tensor that is not row-major PyTorch draws them so.
        flat = torch.randn_like(torch.empty(count // 2, 2, **double).t()).t().reshape(-1)
        if count % 2:
            flat = torch.cat([flat, torch.randn(1, **double)])
    order = sorted(range(x.dim()), key=lambda d: -x.stride(d))
    inverse = sorted(range(x.dim()), key=order.__getitem__)
    return flat.reshape([x.shape[d] for d in order]).permute(inverse)


@decomposition(aten.uniform.default)
def uniform(x, low=0.0, high=1.0, *, generator=None):
    _check(x, generator, low <= high, f"from <= to but got {low} and {high}")
    if low == 0 and high == 1:
        return torch.rand_like(x)
    if x.dtype not in (torch.float32, torch.float64):
        raise NotImplementedError(f"what it rounds of {x.dtype} is not modelled")
    low, high = (torch.scalar_tensor(bound, dtype=x.dtype, device=x.device) for bound in (low, high))
    return (torch.rand_like(x).double() * (high - low).double() + low.double()).to(x.dtype)


@decomposition(aten.normal_functional.default)
def normal(x, mean=0.0, std=1.0, *, generator=None):
    _check(x, generator, x.is_floating_point() and std >= 0, f"a tensor of floats and std >= 0 but got {x.dtype} and {std}")
    filled = x.is_contiguous()
    if filled and mean == 0 and std == 1:
        return torch.randn_like(x)
    if not filled or isinstance(x.numel(), int) and x.numel() < FILLED:
        return (_one_by_one(x) * std + mean).to(x.dtype)
    if x.dtype not in (torch.float32, torch.float64):
        raise NotImplementedError(f"what it rounds of {x.dtype} is not modelled")
    factor, offset = (torch.scalar_tensor(number, dtype=x.dtype, device=x.device).double() for number in (std, mean))
    return (torch.randn_like(x).double() * factor + offset).to(x.dtype)


@decomposition(aten.log_normal.default)
def log_normal(x, mean=1.0, std=2.0, *, generator=None):
    _check(x, generator, x.is_floating_point() and std > 0, f"a tensor of floats and std > 0 but got {x.dtype} and {std}")
    return (_one_by_one(x) * std + mean).exp().to(x.dtype)


@decomposition(aten.geometric.default)
def geometric(x, p, *, generator=None):
    _check(x, generator, 0 < p < 1 and x.dtype != torch.bool, f"0 < p < 1 and a tensor of numbers but got {p} and {x.dtype}")
    return (torch.rand_like(x, dtype=torch.float64).log() / math.log1p(-p)).ceil().to(x.dtype)


@decomposition(aten.cauchy.default)
def cauchy(x, median=0.0, sigma=1.0, *, generator=None):
    _check(x, generator, x.is_floating_point() and sigma > 0, f"a tensor of floats and sigma > 0 but got {x.dtype} and {sigma}")
    return (median + sigma * torch.tan(math.pi * (torch.rand_like(x, dtype=torch.float64) - 0.5))).to(x.dtype)


def _integers(x, low, high):
    return torch.randint_like(x, low, high, dtype=torch.int64).to(x.dtype)


@decomposition(aten.random.default)
def random_all(x, *, generator=None):
    _check(x, generator, x.dtype in ALL, f"a tensor of floats or of integers of 16 bits at most, which random_() draws as randint does, but got {x.dtype}")
    return _integers(x, 0, ALL[x.dtype])


@decomposition(getattr(aten.random, "from"))
def random_from(x, low, high, *, generator=None):
    if high is None:
        raise NotImplementedError("random_ without an upper bound is not modelled")
    if x.dtype in DIGITS:
        first, last = -2 ** DIGITS[x.dtype], 2 ** DIGITS[x.dtype]
    else:
        first, last = (0, 1) if x.dtype == torch.bool else (torch.iinfo(x.dtype).min, torch.iinfo(x.dtype).max)
    _check(x, generator, first <= low < high <= last + 1, f"bounds that {x.dtype} has, the lower one first, but got {low} and {high}")
    return _integers(x, low, high)


@decomposition(aten.random.to)
def random_to(x, high, *, generator=None):
    return random_from(x, 0, high, generator=generator)


@decomposition(aten.normal.float_float)
def normal_numbers(mean, std, size, *, generator=None, dtype=None, layout=None, device=None, pin_memory=None):
    return normal(torch.empty(size, dtype=dtype, layout=layout, device=device), mean, std, generator=generator)


@decomposition(aten.normal.Tensor_float)
def normal_around(mean, std=1.0, *, generator=None):
    return normal(torch.empty_like(mean, memory_format=torch.contiguous_format), 0.0, std, generator=generator) + mean


def _scales(std):
    return refusing(std, ~(std >= 0))


@decomposition(aten.normal.float_Tensor)
def normal_scaled(mean, std, *, generator=None):
    return normal(torch.empty_like(std, memory_format=torch.contiguous_format), 0.0, 1.0, generator=generator) * _scales(std) + mean


@decomposition(aten.normal.Tensor_Tensor)
def normal_around_scaled(mean, std, *, generator=None):
    shape = torch.broadcast_shapes(mean.shape, std.shape)
    drawn = normal(torch.empty(shape, dtype=mean.dtype, device=mean.device), 0.0, 1.0, generator=generator)
    return (drawn * _scales(std)).to(mean.dtype) + mean
