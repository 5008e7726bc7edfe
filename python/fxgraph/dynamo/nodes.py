# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a node of an ATen graph is, and why PyTorch must run it."""

import operator

import torch

from . import strides
from ..importer import dtypes, graph

TENSOR_DTYPES = frozenset(dtypes.TORCH_TO_MLIR) - {torch.complex32}
# Parameters of random ops that say how much they draw: nothing at these values.
DRAWS_NOTHING = {"dropout_p": 0.0}

# No tag of PyTorch's and no schema says so.
ADDRESSING = frozenset({torch.ops.aten.as_strided, torch.ops.aten.as_strided_copy, torch.ops.aten.as_strided_scatter})
# What PyTorch's libraries compute several times faster than any form of it here.
LIBRARY_OPS = frozenset({torch.ops.aten._fft_r2c, torch.ops.aten._fft_c2r, torch.ops.aten._fft_c2c})


def is_call(node):
    return node.op == "call_function"


def is_item(node):
    """True for a piece of what an op returns: it goes with the op."""
    return is_call(node) and node.target is operator.getitem and isinstance(node.args[0], torch.fx.Node)


def tensors_of(value):
    return [item for item in graph.flatten(value) if isinstance(item, torch.Tensor)]


def is_number(node):
    """True for a size or another number that Python computes with."""
    return is_call(node) and isinstance(node.meta.get("val"), (int, float, bool, torch.SymInt, torch.SymFloat, torch.SymBool))


def is_check(node):
    """True for an assertion of PyTorch's about sizes, elements or metadata."""
    return is_call(node) and node.meta.get("val") is None and name_of(node).startswith(("aten._assert_", "aten.sym_constrain_"))


def is_op(node):
    """True for what counts as an op."""
    return is_call(node) and not is_item(node) and not is_number(node) and not is_check(node)


def name_of(node):
    return graph.callable_key(node.target)


def is_view(node):
    """True if the result shares storage with the first argument, which is a tensor."""
    if not is_call(node) or not isinstance(node.meta.get("val"), torch.Tensor):
        return False
    if is_item(node):
        return is_view_op(node.args[0])
    return is_view_op(node)


def is_view_op(node):
    return isinstance(node.target, torch._ops.OpOverload) and node.target.is_view


def viewed(node):
    """The node that a view is of."""
    return viewed(node.args[0]) if is_item(node) else node.args[0]


def root_of(node):
    """The node whose result a tensor is a view of, or the node itself."""
    while is_view(node):
        node = viewed(node)
    return node


def _argument(node, name):
    """The value of a schema's argument in a call."""
    for position, argument in enumerate(node.target._schema.arguments):
        if argument.name == name:
            by_position = position < len(node.args) and not argument.kwarg_only
            return node.args[position] if by_position else node.kwargs.get(name, argument.default_value)
    return None


def addresses_memory(node):
    """True for an op that takes elements by their place in the storage, not in the tensor."""
    return is_call(node) and isinstance(node.target, torch._ops.OpOverload) and node.target.overloadpacket in ADDRESSING


def draws(node):
    """True for an op that advances PyTorch's random generator."""
    if not isinstance(node.target, torch._ops.OpOverload) or torch.Tag.nondeterministic_seeded not in node.target.tags:
        return False
    return not any(_argument(node, name) == value for name, value in DRAWS_NOTHING.items())


def has_effect(node):
    """True if the node must keep its place among the others that have an effect.

    A random op, a write, an assertion, and whatever PyTorch does not define itself (collectives, custom ops).
    """
    if not is_call(node) or is_item(node):
        return False
    if isinstance(node.target, torch._ops.HigherOrderOperator):
        return True
    if not isinstance(node.target, torch._ops.OpOverload):
        return False
    return (draws(node) or node.target._schema.is_mutable or node.target.namespace not in ("aten", "prims") or node.is_impure()
            or node.meta.get("val") is None)


def writes(node):
    return is_call(node) and isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable


def _wrong_tensor(tensor, device):
    """Why a compiled function can neither take nor make a tensor, or None."""
    if type(tensor) is not torch._subclasses.FakeTensor:
        return f"a tensor of the class {type(tensor).__name__}"
    if tensor.layout is not torch.strided:
        return f"a tensor of layout {tensor.layout}"
    if tensor.is_quantized or tensor.dtype not in TENSOR_DTYPES:
        return f"a tensor of {tensor.dtype}"
    if tensor.device != device:
        return f"a tensor on {tensor.device} in a graph for {device}"
    if tensor.is_neg():
        return "a tensor whose elements stand with the other sign in memory"
    return None


def why_not(node, device, sizes):
    """Why PyTorch must run an op, as far as the node alone tells; None if it may be compiled."""
    if isinstance(node.target, torch._ops.HigherOrderOperator):
        if graph.callable_key(node.target) not in graph.SPECIAL:
            return "a higher-order operator without a form in the dialect"
    elif not isinstance(node.target, torch._ops.OpOverload):
        return "not an ATen op"
    elif draws(node):
        return "it draws from PyTorch's random generator"
    elif node.target._schema.is_mutable:
        return "it writes its arguments"
    if getattr(node.target, "overloadpacket", None) in LIBRARY_OPS:
        return "PyTorch's library computes it faster"
    if addresses_memory(node):
        return "it takes elements by their place in memory"
    if node.meta.get("unbacked_bindings"):
        return "the size of its result depends on the data"
    value = node.meta.get("val")
    if not tensors_of(value):
        return "it has no result that is a tensor"
    for tensor in tensors_of([value, *(argument.meta.get("val") for argument in node.all_input_nodes)]):
        wrong = _wrong_tensor(tensor, device)
        if wrong:
            return wrong
    if any(strides.differ(tensor) and not sizes.tell(tensor.stride()) for tensor in tensors_of(value)):
        return "the strides of its result depend on the data"
    return None

