# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Discrete Fourier transforms of pairs of real numbers, by the factors of the length (Cooley and Tukey).

A transform of length a * b is b transforms of length a, a factor for each element, and a transforms of length b. Those of factors
up to RADIX are products with the matrix of the transform, so that a length n costs n times the sum of its factors. Half of what real numbers are
transformed to, and what is transformed to real numbers, is the other half's conjugate and not computed.
"""

import math

import torch

from .complex_numbers import FORMULAS, NoFormula, Number, product

# Matrices up to this size; longer primes have no factors.
RADIX = 64
# Longer transforms would need tables as long as themselves at every stage: PyTorch's libraries compute them.
LONGEST = 1 << 14


def _factor(length):
    """The factor of at most RADIX to transform by first: of the fewest that make the length up, those of the least sum; 1 if there are none."""
    def best(rest, largest):  # (how many, their sum, the largest)
        if rest <= largest:
            return 1, rest, rest
        choices = [(count + 1, total + radix, radix) for radix in range(largest, 1, -1) if rest % radix == 0
                   for count, total, _ in [best(rest // radix, radix)] if count < math.inf]
        return min(choices, default=(math.inf, math.inf, 1))
    return best(length, RADIX)[2]


def _roots(rows, columns, order, sign, like):
    """exp(sign * 2 pi i * row * column / order): of whole numbers below the order, in double precision."""
    angles = torch.arange(order, device=like.device).to(torch.float64) * (sign * 2 * math.pi / order)
    roots = Number(angles.cos().to(like.dtype), angles.sin().to(like.dtype))
    if rows == 1 or columns == 1:
        return roots.each(lambda part: part[:1].expand(rows, columns))
    # Each root is computed once: functions of doubles take longer than all else of a short transform.
    powers = torch.outer(torch.arange(rows, device=like.device), torch.arange(columns, device=like.device)) % order
    return roots.each(lambda part: part[powers])


def _direct(x, sign, count=None):
    """The first `count` elements of the transform along a last dim that has no factors: one product of real matrices, [real | imag] with
    [[c, s], [-s, c]]."""
    length = x.real.shape[-1]
    count = length if count is None else count
    roots = _roots(length, count, length, sign, x.real)
    matrix, rows = torch.cat([roots.real, roots.imag], 1), x.real
    if isinstance(x.imag, torch.Tensor):
        matrix = torch.cat([matrix, torch.cat([-roots.imag, roots.real], 1)])
        rows = torch.cat([x.real, x.imag], -1)
    return Number(*torch.matmul(rows, matrix).split(count, -1))


def _factors(length):
    radix = _factor(length)
    if radix == 1 and length > 1:
        raise NoFormula(f"a transform whose length has a prime factor above {RADIX}")
    return radix, length // radix


def _mirrored(x, count, dims):
    """What `count` elements from the second on along the first of `dims` are the conjugates of but for the sign: backwards along all of them."""
    return x.each(lambda part: part.narrow(dims[0], 1, count).flip(dims)) if count else None


def _joined(x, other, dim):
    """`x`, then the conjugate of `other`, if there is one."""
    return x if other is None else Number(torch.cat([x.real, other.real], dim), torch.cat([x.imag, -other.imag], dim))


def _last(x, sign, half=False):
    """The transform along the last dim; the imaginary part may be the number 0. The first half of the elements, and one, if `half`."""
    length = x.real.shape[-1]
    radix, rest = _factors(length)
    count = length // 2 + 1 if half else length
    if rest == 1:
        return _direct(x, sign, count)
    # Element rest * j + k of the input, j + radix * k of the result. Of real numbers half of the j are the others' conjugates.
    real = not isinstance(x.imag, torch.Tensor)
    rows = radix // 2 + 1 if real else radix
    x = _direct(_each(x, lambda part: part.unflatten(-1, (radix, rest)).transpose(-1, -2)), sign, rows)
    x = product(x, _roots(rest, rows, length, sign, x.real))
    x = _last(x.each(lambda part: part.transpose(-1, -2)), sign)
    if real:
        x = _joined(x, _mirrored(x, radix - rows, (-2, -1)), -2)
    return x.each(lambda part: part.transpose(-1, -2).flatten(-2).narrow(-1, 0, count))


def _to_real(x, length, sign):
    """The transform of a length along the last dim, of which the first half and one are given and the others are their conjugates."""
    radix, rest = _factors(length)
    half = length // 2 + 1
    if rest == 1:
        roots = _roots(half, length, length, sign, x.real)
        # All but the first, and the one in the middle, stand for two.
        weights = torch.full((half, 1), 2.0, dtype=x.real.dtype, device=x.real.device)
        row = torch.arange(half, device=x.real.device).unsqueeze(1)
        weights = torch.where((row == 0) | (2 * row == length), 1.0, weights)
        return torch.matmul(torch.cat([x.real, x.imag], -1), torch.cat([roots.real * weights, -roots.imag * weights]))
    # Element rest * j + k of the input, j + radix * k of the result; those of k > rest / 2 would be conjugates again.
    x = _joined(x, _mirrored(x, length - half, (-1,)), -1)
    x = x.each(lambda part: part.unflatten(-1, (radix, rest)).narrow(-1, 0, rest // 2 + 1).transpose(-1, -2))
    x = _direct(x, sign)
    x = product(x, _roots(rest // 2 + 1, radix, length, sign, x.real))
    return _to_real(x.each(lambda part: part.transpose(-1, -2)), rest, sign).transpose(-1, -2).flatten(-2)


def _each(x, function):
    return Number(*(function(part) if isinstance(part, torch.Tensor) else part for part in (x.real, x.imag)))


def _check(length):
    if not isinstance(length, int):
        raise NoFormula("a transform of a length that varies")
    if not 0 < length <= LONGEST:
        raise NoFormula(f"a transform of a length above {LONGEST}")


def _along(x, dim, sign, half=False):
    _check(x.real.shape[dim])
    return _last(_each(x, lambda part: part.movedim(dim, -1)), sign, half).each(lambda part: part.movedim(-1, dim))


def _scaled(x, normalization, lengths):
    """Normalization: 0 none, 1 by the root of the number of elements, 2 by the number."""
    count = math.prod(lengths)
    scale = {0: 1.0, 1: 1 / math.sqrt(count), 2: 1 / count}[normalization]
    return x if scale == 1.0 else _each(x, lambda part: part * scale)


def _c2c(dtype, x, dim, normalization, forward):
    x = Number.of(x, dtype)
    x = Number(*x.tensors())
    for each in dim:
        x = _along(x, each, -1 if forward else 1)
    return _scaled(x, normalization, [x.real.shape[d] for d in dim])


def _r2c(dtype, x, dim, normalization, onesided):
    x, lengths = Number(x.to(dtype), 0.0), [x.shape[d] for d in dim]
    # The dim that keeps half of its elements first: less is left for the others.
    for each in reversed(dim):
        x = _along(x, each, -1, onesided and each == dim[-1])
    return _scaled(x, normalization, lengths)


def _c2r(dtype, x, dim, normalization, last_dim_size):
    x, last = Number.of(x, dtype), dim[-1]
    x = Number(*x.tensors())
    for each in dim[:-1]:
        x = _along(x, each, 1)
    _check(last_dim_size)
    half = last_dim_size // 2 + 1
    x = x.each(lambda part: part.narrow(last, 0, half).movedim(last, -1))
    # What has no partner counts as real.
    alone = torch.arange(half, device=x.real.device)
    alone = (alone == 0) | (2 * alone == last_dim_size)
    x = Number(x.real, torch.where(alone, torch.zeros_like(x.imag), x.imag))
    result = _to_real(x, last_dim_size, 1).movedim(-1, last)
    return _scaled(Number(result, 0.0), normalization, [result.shape[d] for d in dim]).real


FORMULAS |= {"_fft_c2c": _c2c, "_fft_r2c": _r2c, "_fft_c2r": _c2r}
