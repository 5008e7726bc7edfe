# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strides as importer and exporter speak of them: what a tensor's memory should look like.

None            contiguous
a list          these numbers
{order = [..]}  dense, of symbolic extents: its dims from the outermost in memory to the innermost
"any"           not known, or of no matter
"""

import torch

ANY = "any"


def holds(condition):
    """True if a condition on sizes is known to hold."""
    from torch.fx.experimental.symbolic_shapes import statically_known_true
    return statically_known_true(condition)


def _contiguous_strides(shape):
    strides, product = [], 1
    for extent in reversed(shape):
        strides.append(product)
        product = product * extent
    return strides[::-1]


def _ordered_strides(shape, order):
    strides = _contiguous_strides([shape[dim] for dim in order])
    return [strides[order.index(dim)] for dim in range(len(shape))]


def has_strides(tensor, wanted):
    """True if a tensor is known to lie as wanted; strides of dims of one element say nothing."""
    if wanted == ANY or not isinstance(tensor, torch.Tensor) or tensor.layout is not torch.strided:
        return True
    shape = tensor.shape
    if any(holds(extent == 0) for extent in shape):
        return True
    if wanted is None:
        wanted = _contiguous_strides(shape)
    elif isinstance(wanted, dict):
        wanted = _ordered_strides(shape, wanted["order"])
    return all(holds(extent == 1) or holds(mine == other) for extent, mine, other in zip(shape, tensor.stride(), wanted, strict=True))


def dense_order(shape, strides):
    """The dims of a dense tensor from the outermost in memory to the innermost; None if it is not (known to be) dense."""
    hints = [stride if isinstance(stride, int) else stride.node.hint for stride in strides]
    if None in hints:
        return None  # extents that values decide
    order = sorted(range(len(shape)), key=lambda d: (-hints[d], holds(shape[d] == 1), d))
    expected = _ordered_strides(shape, order)
    dense = all(holds(extent == 1) or holds(mine == other) for extent, mine, other in zip(shape, strides, expected))
    return order if dense else None


def wanted_strides(tensor):
    """The strides of a tensor as `restride` takes them."""
    try:
        if tensor.layout is not torch.strided:
            return ANY
        shape, strides = tensor.shape, tensor.stride()
        if has_strides(tensor, None):
            return None
    except (NotImplementedError, RuntimeError):
        return ANY  # wrappers that have none
    if all(isinstance(number, int) for number in (*shape, *strides)):
        return list(strides)
    order = dense_order(shape, strides)
    return ANY if order is None else {"order": order}
