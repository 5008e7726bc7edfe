# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values in the memory that PyTorch's tensors have: strides and shared storage."""

import torch

from ..strides import ANY, dense_order, has_strides, holds
from . import callables
from .callables import aten, literal


def storage_of(tensor):
    """What is equal for tensors that share memory; None if it is not known."""
    if not isinstance(tensor, torch.Tensor):
        return None
    try:
        return tensor.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):
        return None  # wrappers without a storage


def restride(value, wanted):
    """The value with the wanted strides: itself where it is known to have them, no copy at run time where it has them then."""
    fake = callables.known(value)
    if wanted == ANY or fake is not None and has_strides(fake, wanted):
        return value
    if wanted is None:
        return aten.contiguous.default(value)
    order = wanted["order"] if isinstance(wanted, dict) else None if fake is None else dense_order(fake.shape, wanted)
    if order is not None:
        return aten.permute.default(aten.contiguous.default(aten.permute.default(value, order)), [order.index(d) for d in range(len(order))])
    if fake is None or not _is_static(fake.shape):
        return value  # strides with gaps are only written of constant extents
    return share([value], [(tuple(fake.shape), wanted, 0)])[0]


def view_of(argument, captured, layout, value=lambda number: number):
    """The view of an argument that the layout describes, wherever in its storage the argument begins: `captured` is the argument in the capture,
    in whose storage the layout is. `value` is a number of the capture as one of here."""
    size, held = layout.dtype.itemsize, captured.dtype
    shape, strides = list(map(value, layout.shape)), list(map(value, layout.strides))
    distance = layout.byte_offset - captured.storage_offset() * held.itemsize
    if size != held.itemsize:
        # Of the elements from the one that it begins in, as one row, another number of elements.
        first, inside = distance // held.itemsize, distance % held.itemsize
        reach = inside + (sum((extent - 1) * stride for extent, stride in zip(layout.shape, layout.strides)) + 1) * size
        argument, distance = _behind(argument, [value(-(-reach // held.itemsize))], [1], value(first)), inside
    if held != layout.dtype:
        argument = aten.view.dtype(argument, layout.dtype)
    return _behind(argument, shape, strides, value(distance // size))


def stored(value, layout):
    """What is in memory of a value that is conjugated or negated when it is read."""
    value = aten.conj_physical.default(value) if layout.is_conj else value
    return aten.neg.default(value) if layout.is_neg else value


def shown(value, layout):
    """What is read of memory: its conjugates, or its negatives, lazily."""
    value = aten._conj.default(value) if layout.is_conj else value
    return aten._neg_view.default(value) if layout.is_neg else value


def as_complex(pair):
    """A tensor of real and imaginary parts as a complex one: a view where its strides are known to allow that."""
    fake = callables.known(pair)
    views = fake is not None and holds(fake.stride(-1) == 1) and all(holds(n % 2 == 0) for n in (*fake.stride()[:-1], fake.storage_offset()))
    return aten.view_as_complex.default(pair if views else aten.clone.default(pair, memory_format=torch.contiguous_format))


def _behind(tensor, shape, strides, distance):
    """A view by strides that begins so many elements behind the tensor's first."""
    if isinstance(distance, int) and distance == 0:
        return aten.as_strided.default(tensor, shape, strides)
    return aten.as_strided.default(tensor, shape, strides, aten.sym_storage_offset.default(tensor) + distance)


def _is_static(numbers):
    return all(isinstance(number, int) for number in numbers)


def _positions(geometry):
    """Where in memory the elements of (shape, strides, offset) are."""
    shape, strides, offset = geometry
    at = torch.full(shape, offset, dtype=torch.int64)
    for dim, (extent, stride) in enumerate(zip(shape, strides)):
        at += (torch.arange(extent) * stride).reshape([-1] + [1] * (len(shape) - dim - 1))
    return at.flatten()


def share(values, geometries, alignment=1):
    """The values as views of one new storage, each of its (shape, strides, offset); all are constants.

    Memory is gathered from the values, so that elements may lie in one place more than once. Offsets that are multiples of
    `alignment` stay that.
    """
    places = [_positions(geometry) for geometry in geometries]
    lowest = min((int(p.min()) for p in places if p.numel()), default=0)
    lowest -= lowest % alignment
    last = max((int(p.max()) for p in places if p.numel()), default=lowest - 1)
    sources, start = torch.zeros(last - lowest + 1, dtype=torch.int64), 0
    for place in places:
        sources[place - lowest] = torch.arange(start, start + place.numel())
        start += place.numel()
    flat = [aten.reshape.default(value, [-1]) for value in values]
    fake = callables.known(values[0])
    sources = literal(sources if fake is None else sources.to(fake.device))
    memory = aten.index_select.default(flat[0] if len(flat) == 1 else aten.cat.default(flat), 0, sources)
    # A view without elements may begin before all others.
    return [aten.as_strided.default(memory, list(shape), list(strides), offset - lowest if place.numel() else 0)
            for (shape, strides, offset), place in zip(geometries, places)]


def share_bits(values, layouts):
    """The values as views of one new storage as their layouts are, all of constants. Memory is the bits of the smallest of the dtypes, of
    which an element of another has several."""
    dtype = min((layout.dtype for layout in layouts), key=lambda dtype: dtype.itemsize)
    parts = [layout.dtype.itemsize // dtype.itemsize for layout in layouts]
    bits = [value if layout.dtype == dtype else aten.view.dtype(value if count == 1 else aten.unsqueeze.default(value, -1), dtype)
            for value, layout, count in zip(values, layouts, parts)]
    geometries = [(layout.shape, layout.strides, layout.offset) if count == 1 else
                  ((*layout.shape, count), (*(stride * count for stride in layout.strides), 1), layout.offset * count)
                  for layout, count in zip(layouts, parts)]
    bits = share(bits, geometries, max(parts))
    values = [value if layout.dtype == dtype else aten.view.dtype(value, layout.dtype) for value, layout in zip(bits, layouts)]
    return [value if count == 1 else aten.squeeze.dim(value, -1) for value, count in zip(values, parts)]


def place(values, layouts, sizes):
    """The values as views of one new storage as their layouts are, whose numbers `sizes` computes from the arguments."""
    whole = max((layout.dtype for layout in layouts), key=lambda dtype: dtype.itemsize)
    # A storage of one view begins where that does; of several it is what PyTorch's is.
    offsets = [0] if len(layouts) == 1 else [layout.offset for layout in layouts]
    reach = 0
    for layout, offset in zip(layouts, offsets):
        end = (offset + sum((_at_least(extent, 1) - 1) * stride for extent, stride in zip(layout.shape, layout.strides)) + 1) * layout.dtype.itemsize
        reach = _at_least(end, reach)
    base = aten.new_empty.default(values[0], [sizes.value(-(-reach // whole.itemsize))], dtype=whole)
    placed = []
    for value, layout, offset in zip(values, layouts, offsets):
        memory = base if layout.dtype == whole else aten.view.dtype(base, layout.dtype)
        shape, strides, _ = sizes.geometry(layout)
        offset = sizes.value(offset)
        once = list(shape)
        for dim, (extent, stride) in enumerate(zip(layout.shape, layout.strides)):
            if holds(stride == 0):  # what is repeated is written once
                once[dim] = 1 if holds(extent > 0) else sizes.value(torch.sym_min(extent, 1))
                value = aten.slice.Tensor(value, dim, 0, 1)
        aten.copy_.default(aten.as_strided.default(memory, once, strides, offset), value)
        placed.append(aten.as_strided.default(memory, shape, strides, offset))
    return placed


def _at_least(number, least):
    return number if holds(number >= least) else torch.sym_max(number, least)
