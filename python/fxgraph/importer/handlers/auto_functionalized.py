# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of ops that write to operands, made functional by PyTorch: copies go in, the written copies come out.

They are `fxgraph.auto_functionalized`, which passes know more of than of an opaque op: what is copied, and which copies
could be spared. What they call is not modelled, so they are among the unknown ops too.
"""

import torch

from .. import ir, opaque, regions
from ..graph import UnknownOp, Unsupported, callable_key, special
from ..tracker import Tensor
from .views import slice_view


class _Encoder(opaque._Encoder):
    """The tree of a call, in which each tensor that is written is an operand of its own."""

    def __init__(self, importer, written):
        super().__init__(importer)
        self.copies, self.numbers = written, {}

    def encode(self, value):
        name = next((name for name, tensor in self.copies.items() if tensor is value), None)
        if name is None:
            return super().encode(value)
        self.numbers[name] = len(self.operands)
        self.operands.append(value.read())
        self.tensors.append(value)
        return ir.attr_str(f"%{self.numbers[name]}")


def emit(importer, call, target, kwargs, written, proper):
    """(values of the call's own results, {name: new value}) of a call that writes the tensors `written`, by name."""
    if not all(isinstance(item, torch.Tensor) for item in proper):
        raise Unsupported("a call that writes and gives results that are no tensors is not modelled")
    encoder = _Encoder(importer, written)
    tree = [("args", "[]"), ("kwargs", encoder.encode(kwargs))]
    strides = encoder.strides()
    if strides is not None:
        tree.append(("strides", strides))
    names = sorted(written, key=encoder.numbers.get)
    types = [importer.type_of(item) for item in proper] + [encoder.operands[encoder.numbers[name]].type for name in names]
    values = importer.emit_raw("fxgraph.auto_functionalized", encoder.operands, types, [
        ("target", ir.attr_str(target)), ("args", ir.attr_dict(tree)),
        ("mutated", ir.attr_i64_array([encoder.numbers[name] for name in names]))])
    importer.unknown.append(UnknownOp(target, importer.node.name, "an op that writes, called on copies", importer.where(importer.node)))
    return values[:len(proper)], dict(zip(names, values[len(proper):]))


def mutable_arguments(op):
    from torch._higher_order_ops.auto_functionalize import get_mutable_args
    if not isinstance(op, torch._ops.OpOverload):
        raise Unsupported("a higher-order operator that writes is not modelled")
    return get_mutable_args(op)


def copy_of(importer, tensor):
    """The tensor's value in storage of its own, with its strides."""
    return importer.fresh(importer.value(tensor), importer.replay.adopt(tensor.fake))


def own_results(call, count):
    """The fakes of what the called op returns: all but the last `count`, and no None for nothing."""
    proper = list(call.fake[:len(call.fake) - count])
    return [] if proper == [None] else proper


@special("higher_order.auto_functionalized")
def first_version(importer, call):
    """Tensors by the names of the op's arguments."""
    op, kwargs = call.args[0], dict(call.kwargs)
    names, _ = mutable_arguments(op)
    if any(isinstance(kwargs[name], (list, tuple)) for name in names):
        raise Unsupported("a list that is written is not modelled")
    written = {name: copy_of(importer, kwargs[name]) for name in names if isinstance(kwargs[name], Tensor)}
    proper = own_results(call, len(names))
    values, new = emit(importer, call, callable_key(op), kwargs | written, written, proper)
    changed = [importer.fresh(new[name], fake) if name in new else None for name, fake in zip(names, call.fake[len(call.fake) - len(names):])]
    return [*(regions.results(importer, proper, values) or [None]), *changed]


@special("higher_order.auto_functionalized_v2")
def second_version(importer, call):
    """Base tensors, and of each argument which view of which base it is."""
    from torch._higher_order_ops.auto_functionalize import (
        AliasViewInfo, AsStridedViewInfo, NotView, SliceViewInfo, read_view_information_from_args)
    op, kwargs = call.args[0], dict(call.kwargs)
    names, types = mutable_arguments(op)
    bases = kwargs.pop("_all_bases")
    if any(tag == torch.Tag.out for tag in op.tags) or any(f"_{name}_base_index" not in kwargs for name in names):
        raise Unsupported("lists that are written, and out=, are not modelled")
    views = {name: view for name, view in read_view_information_from_args(names, types, kwargs, bases).items() if view is not None}
    if len({view.base_index for view in views.values()}) < len(views):
        raise Unsupported("two operands that are written in the memory of one tensor are not modelled")
    copies = [copy_of(importer, base) if isinstance(base, Tensor) else None for base in bases]
    written = {}
    for name, view in views.items():
        base = copies[view.base_index]
        if isinstance(view, (AliasViewInfo, NotView)):
            written[name] = base
        elif isinstance(view, SliceViewInfo):
            written[name] = slice_view(importer, base, view.dim, view.start, view.end, 1)
        elif isinstance(view, AsStridedViewInfo):
            fake = importer.replay.call(torch.as_strided, [base.fake, view.size, view.stride, view.storage_offset], {})
            written[name] = opaque.strided_view(importer, base.storage, fake)
        else:
            raise Unsupported(f"a {type(view).__name__} is not modelled")
    proper = own_results(call, len(bases))
    absent = {name: None for name in names if name not in written}
    values, new = emit(importer, call, callable_key(op), kwargs | written | absent, written, proper)
    for name, value in new.items():
        written[name].write(value)
    changed = [None if copy is None else importer.fresh(copy.read(), fake) for copy, fake in zip(copies, call.fake[len(call.fake) - len(bases):])]
    return [*(regions.results(importer, proper, values) or [None]), *changed]


@special("higher_order.triton_kernel_wrapper_functional")
def triton_kernel(importer, call):
    """The launch of a kernel that is kept whole, by its number in PyTorch's table."""
    kwargs = dict(call.kwargs)
    names = kwargs.pop("tensors_to_clone")
    given = kwargs["kwargs"]
    written = {name: copy_of(importer, given[name]) for name in names}
    kwargs["kwargs"] = dict(given) | written
    _, new = emit(importer, call, "higher_order.triton_kernel_wrapper_mutation", kwargs, written, [])
    return {name: importer.fresh(new[name], call.fake[name]) for name in names}
