# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interpolation with antialiasing: filters that grow with what is made smaller.

Entries of decompositions.py's table. Extents must be known, and each element of a filter is some ops.
"""

import math

import torch

from .decompositions import aten, decomposition

# Elements on both sides of a place that a filter of scale 1 takes in, and the filter.
ANTIALIASED = {"linear": (1, lambda x: (1 - x).clamp(min=0)),
               "cubic": (2, lambda x: torch.where(x < 1, (1.5 * x - 2.5) * x * x + 1, (((x - 5) * x + 8) * x - 4) * -0.5))}
# Elements for one of the result: each is some ops.
MOST_TAPS = 128


def _antialiased_taps(extent, length, align_corners, scale, kind, dtype, device):
    """For each tap its place, weight and whether it is one, of `length` results each (aten/src/ATen/native/cpu/UpSampleKernel.cpp)."""
    reach, weigh = ANTIALIASED[kind]
    if not isinstance(extent, int) or not isinstance(length, int):
        raise NotImplementedError("filters of extents that vary")
    if align_corners:
        step = (extent - 1) / (length - 1) if length > 1 else 0.0
    else:
        step = 1 / scale if scale else extent / length
    wide = max(step, 1.0)
    count = 2 * math.ceil(reach * wide) + 1
    if count > MOST_TAPS:
        raise NotImplementedError(f"filters of more than {MOST_TAPS} elements")
    number = lambda value: torch.scalar_tensor(value, dtype=dtype, device=device)  # noqa: E731
    center = (torch.arange(length, dtype=dtype, device=device) + 0.5) * number(step)
    support = number(reach) * number(wide)
    first = (center - support + 0.5).to(torch.int64).clamp(min=0)
    end = (center + support + 0.5).to(torch.int64).clamp(max=extent)
    taps = []
    for tap in range(count):
        place = first + tap
        distance = ((place.to(dtype) - center + 0.5) / number(wide)).abs()
        weight = torch.where(distance < reach, weigh(distance), 0.0)
        taps.append((place.clamp(max=extent - 1), weight, place < end))
    total = sum(torch.where(there, weight, 0.0) for _, weight, there in taps)
    return [(place, weight / total, there) for place, weight, there in taps]


def _antialiased(kind):
    def upsample(x, output_size, align_corners, scales_h=None, scales_w=None):
        if x.dtype not in (torch.float32, torch.float64):
            raise NotImplementedError("weights of bytes are whole numbers")
        # Along rows first, as the kernel does.
        for dim, length, scale in ((-1, output_size[1], scales_w), (-2, output_size[0], scales_h)):
            axis = x.dim() + dim
            shape = [-1 if d == axis else 1 for d in range(x.dim())]
            result = 0
            for place, weight, there in _antialiased_taps(x.shape[axis], length, align_corners, scale, kind, x.dtype, x.device):
                part = x.index_select(axis, place) * weight.reshape(shape)
                # No part of what is outside, which may be infinite.
                result = result + torch.where(there.reshape(shape), part, 0.0)
            x = result
        return x
    return upsample


decomposition(aten._upsample_bilinear2d_aa.default)(_antialiased("linear"))
decomposition(aten._upsample_bicubic2d_aa.default)(_antialiased("cubic"))
