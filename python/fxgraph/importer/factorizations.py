# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Determinants, by elimination with the largest pivot of each column, as LAPACK's getrf has them.

Entries of decompositions.py's table. Each step is some ops of the graph, so that the extent must be known and is bounded.
"""

import math

import torch

from .decompositions import aten, decomposition

# Rows of a matrix: a step takes a dozen ops.
MOST_ROWS = 64


def _factors(x):
    """Of [..., n, n]: L below the diagonal and U above of each matrix, as [batch, n, n], and with which row each one changed places, counted
    from 0, as [batch, n]. Of contiguous ones PyTorch factorises the transposed, which lie as LAPACK has them."""
    count = math.prod(x.shape[:-2])
    matrices = (x.mT if x.is_contiguous() else x).reshape(count, *x.shape[-2:])
    size = matrices.shape[-1]
    if not isinstance(size, int) or size > MOST_ROWS or not x.dtype.is_floating_point:
        raise NotImplementedError(f"elimination of more than {MOST_ROWS} rows, or of complex numbers")
    rows = torch.arange(size, device=x.device)
    places = []
    for step in range(size):
        place = matrices[:, step:, step].abs().argmax(1) + step
        places.append(place)
        chosen = matrices.gather(1, place.reshape(-1, 1, 1).expand(matrices.shape[0], 1, size))
        is_chosen = (rows == place.unsqueeze(1)).unsqueeze(-1)
        swapped = torch.where(is_chosen, matrices[:, step:step + 1], matrices)
        above = torch.cat([swapped[:, :step], chosen], 1)
        below, pivot = swapped[:, step + 1:], chosen[:, :, step:step + 1]
        # Below a pivot of 0 there are zeros alone.
        column = below[:, :, step:step + 1]
        factors = torch.where(pivot == 0, column, column / pivot)
        below = torch.cat([below[:, :, :step], factors, below[:, :, step + 1:] - factors * chosen[:, :, step + 1:]], 2)
        matrices = torch.cat([above, below], 1)
    return matrices, torch.stack(places, 1) if places else rows.expand(count, 0)


def _determinant(x):
    """The factors, the diagonal of U, and 1 or -1 by the rows that changed places."""
    size = x.shape[-1]
    factors, places = _factors(x)
    swaps = places != torch.arange(size, device=x.device)
    sign = torch.where(swaps.sum(1) % 2 == 1, -1.0, 1.0).to(x.dtype)
    return factors, places, factors.diagonal(dim1=1, dim2=2), sign


def _whole(x, factors, places):
    return factors.reshape(x.shape), (places + 1).to(torch.int32).reshape(x.shape[:-1])


@decomposition(aten._linalg_det.default)
def det(x):
    factors, places, diagonal, sign = _determinant(x)
    return (diagonal.prod(1) * sign).reshape(x.shape[:-2]), *_whole(x, factors, places)


@decomposition(aten._linalg_slogdet.default)
def slogdet(x):
    factors, places, diagonal, sign = _determinant(x)
    total, sign = diagonal.abs().log().sum(1), sign * diagonal.sign().prod(1)
    return sign.reshape(x.shape[:-2]), total.reshape(x.shape[:-2]), *_whole(x, factors, places)
