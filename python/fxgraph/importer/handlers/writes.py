# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes that have no functional twin of the same name: copy_, fill_, zero_."""

import math

import torch

from . import decompose
from ..graph import Call, Unsupported, special
from ..tracker import Tensor
from .indexing import source_value


def written(call):
    destination = call.args[0]
    if not isinstance(destination, Tensor):
        raise Unsupported("expected a tensor to write to")
    return destination


@special("aten.copy_.default", "Tensor.copy_", "prims.copy_to.default")
def copy_(importer, call):
    destination = written(call)
    source = call.args[1] if len(call.args) > 1 else call.kwargs.get("src", call.kwargs.get("other"))
    if isinstance(source, Tensor) and source.fake.device != destination.fake.device:
        raise Unsupported("a copy between devices is not modelled")
    importer.assign(destination, source_value(importer, source, destination))
    return destination


@special("fsdp.copy_.default")
def copy_of_shards(importer, call):
    """As copy_, but for what it returns."""
    copy_(importer, call)


@special("inductor.resize_storage_bytes_.default")
def resize_storage(importer, call):
    """Memory for a parameter that is gathered, and back: values know none. Without memory it keeps nothing that was written.

    So a parameter that is gathered, used and given back is the gathered value where it is used, and not written at the end
    (Inductor: remove_fsdp2_unsharded_param_graph_input_usage).
    """
    if call.args[1] == 0:
        written(call).storage.release()


@special("aten.copy.default")
def copy(importer, call):
    """copy(self, src): src with self's shape and dtype, in fresh storage."""
    destination, source = call.args[0], call.args[1]
    type_ = importer.type_of(destination.fake)
    value = importer.cast(importer.value(source), type_.dtype)
    if value.type.dims != type_.dims:
        return importer.fresh(importer.expand_to(value, type_), call.fake)
    if value is importer.value(source):
        value, = importer.emit("clone", [value], [value.type])
    return importer.fresh(value, call.fake)


@special("aten.fill_.Scalar", "aten.fill_.Tensor", "Tensor.fill_", "torch.fill_")
def fill_(importer, call):
    destination = written(call)
    value = call.args[1] if len(call.args) > 1 else call.kwargs["value"]
    fill(importer, destination, value)
    return destination


@special("aten.fill.Scalar", "aten.fill.Tensor")
def fill_functional(importer, call):
    copy = importer.fresh(importer.value(call.args[0]), call.fake)
    fill(importer, copy, call.args[1])
    return copy


@special("aten.zero_.default", "Tensor.zero_", "torch.zero_")
def zero_(importer, call):
    destination = written(call)
    fill(importer, destination, 0)
    return destination


@special("aten.fill_diagonal_.default", "Tensor.fill_diagonal_", "torch.fill_diagonal_")
def fill_diagonal_(importer, call):
    """Elements of the tensor in row order that are as far apart as those of its diagonal; where it wraps, all of them."""
    given = dict(zip(("fill_value", "wrap"), call.args[1:])) | call.kwargs
    destination, value, wrap = written(call), given["fill_value"], given.get("wrap", False)
    shape = destination.fake.shape
    if not all(isinstance(extent, int) for extent in shape) or not isinstance(value, (bool, int, float)):
        raise Unsupported("the diagonal of extents that vary, or a value that does")
    length = math.prod(shape)
    step = sum(math.prod(shape[dim + 1:]) for dim in range(len(shape)))
    end = length if wrap or len(shape) > 2 else min(shape) * shape[-1]
    places = range(0, min(end, length), step or 1)

    def filled(x):
        return x.reshape(-1).slice_scatter(x.new_full((len(places),), value), 0, places.start, places.stop, places.step).reshape(x.shape)

    result = decompose.lower_traced(importer, Call(call.node, call.key, None, [destination], {}, None), filled)
    importer.assign(destination, result.read())
    return destination


def fill(importer, destination, value):
    from .creation import emit_full
    type_ = importer.type_of(destination.fake)
    if isinstance(value, Tensor):
        scalar = importer.cast(importer.value(value), type_.dtype)
        importer.write(destination, importer.expand_to(scalar, type_), uniform=True)
    elif isinstance(value, (bool, int, float, torch.SymInt, torch.SymFloat, torch.SymBool)):
        importer.write(destination, emit_full(importer, destination.fake, value), uniform=True)
    else:
        raise Unsupported("the fill value is not a constant real number")

