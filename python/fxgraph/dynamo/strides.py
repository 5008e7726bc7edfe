# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results with the strides that PyTorch promises.

A compiled function returns row-major tensors. Where the fake tensor of the trace has other
strides (channels last, permuted, padded, expanded) and PyTorch sees the result, it is copied.
"""

import torch
from torch.fx.experimental.symbolic_shapes import statically_known_true


def row_major(shape):
    strides, step = [], 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step = step * (extent if statically_known_true(extent >= 1) else torch.sym_max(extent, 1))
    return strides


def differ(fake):
    """True if a row-major tensor may not have a fake tensor's strides."""
    return any(not statically_known_true(have == want) for have, want in zip(row_major(fake.shape), fake.stride()))


def restride(result, strides):
    """The tensor with other strides: as it is where no element moves, else a copy."""
    shape = result.shape
    if result.numel() == 0 or all(n == 1 or have == want for n, have, want in zip(shape, result.stride(), strides)):
        return result.as_strided(shape, strides)
    source = result
    for dim, (extent, stride) in enumerate(zip(shape, strides)):
        if stride == 0 and extent > 1:
            source = source.narrow(dim, 0, 1)  # an expanded extent: every element is the first
    copy = torch.empty_strided(source.shape, strides, dtype=result.dtype, device=result.device)
    return copy.copy_(source).as_strided(shape, strides)


def restride_by(function):
    """restride with strides that a function computes from sizes."""
    def restride_by_sizes(result, *sizes):
        return restride(result, function(*sizes))
    return restride_by_sizes
