# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strides as importer and exporter speak of them: what a tensor's memory should look like.

None            contiguous
a list          these numbers
{order = [..]}  dense, of symbolic extents: its dims from the outermost in memory to the innermost
"any"           not known, or of no matter
"""

import contextlib
import functools

import torch
from torch._prims_common import compute_elementwise_output_strides

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


def memory_order(tensor):
    """dense_order of a tensor of known extents that does not lie row-major; None of others."""
    if tensor.layout is not torch.strided or not all(isinstance(number, int) for number in (*tensor.shape, *tensor.stride())):
        return None
    return None if has_strides(tensor, None) else dense_order(tensor.shape, tensor.stride())


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


# Pointwise ops that PyTorch's fakes compute by other ops, and so lay out as the last of those does.
POINTWISE = (
    "copysign.Tensor", "floor_divide.default", "hardsigmoid_backward.default", "hardswish_backward.default", "hardtanh_backward.default",
    "logit_backward.default", "native_dropout_backward.default", "softplus_backward.default", "special_xlog1py.default", "xlogy.Tensor")
# Ops whose result is contiguous whatever their operands are, which fakes do not know.
CONTIGUOUS = (
    "huber_loss_backward.default", "isin.Tensor_Scalar", "isin.Tensor_Tensor", "mse_loss_backward.default", "normal.Tensor_Tensor",
    "normal.float_Tensor", "poisson.default", "pow.Scalar", "smooth_l1_loss_backward.default")
# The same of gradients, where they are the first of several results too.
CONTIGUOUS_GRADIENTS = ("_log_softmax_backward_data.default", "native_layer_norm_backward.default")


@functools.lru_cache(maxsize=None)
def _laid_out():
    """{overload: function of its tensors that gives the strides}"""
    def overloads(names):
        for name in names:
            packet, _, overload = name.partition(".")
            if overload in getattr(getattr(torch.ops.aten, packet, None), "overloads", list)():
                yield getattr(getattr(torch.ops.aten, packet), overload)

    def of_operands(tensors, shape):
        return compute_elementwise_output_strides(*(tensor.expand(shape) for tensor in tensors))

    return {**dict.fromkeys(overloads(POINTWISE), of_operands),
            **dict.fromkeys(overloads((*CONTIGUOUS, *CONTIGUOUS_GRADIENTS)), lambda tensors, shape: _contiguous_strides(shape))}


def _repeats(tensor):
    """True if elements of a tensor of known extents share memory."""
    if tensor.layout is not torch.strided or not all(isinstance(number, int) for number in (*tensor.shape, *tensor.stride())):
        return False
    reach = 1
    for stride, extent in sorted((stride, extent) for stride, extent in zip(tensor.stride(), tensor.shape) if extent > 1):
        if stride < reach:
            return True
        reach += stride * (extent - 1)
    return False


def _is_ambiguous(function, tensors, result):
    """True for a pointwise op on a CPU whose operands' elements share memory, or which repeats several or one beside others that do not lie row-major."""
    if not isinstance(function, torch._ops.OpOverload) or torch.Tag.pointwise not in function.tags or function._schema.is_mutable:
        return False
    if not isinstance(result, torch.Tensor) or not all(
            tensor.device.type == "cpu" and isinstance(tensor.numel(), int) and 0 < tensor.numel() <= MAX_COMPUTED for tensor in (*tensors, result)):
        return False
    if any(map(_repeats, tensors)):
        return True
    repeated = sum(tensor.shape != result.shape for tensor in tensors)
    return repeated > 1 or repeated == 1 and not all(has_strides(tensor, None) for tensor in tensors)


# Results of more elements are not computed for the sake of their strides.
MAX_COMPUTED = 2 ** 16


def _of_kernel(function, args, kwargs, tensors, shape):
    """The strides that the CPU's kernel gives, of ones: where an order of dims is as good as another it alone knows which it takes."""
    def ones(arg):
        reach = 1 + sum(stride * (extent - 1) for stride, extent in zip(arg.stride(), arg.shape))
        return torch.ones(reach, dtype=arg.dtype).as_strided(arg.shape, arg.stride())

    return function(*(ones(arg) if isinstance(arg, torch.Tensor) else arg for arg in args), **kwargs).stride()


@contextlib.contextmanager
def eager_strides(mode):
    """A block in which a FakeTensorMode gives results the strides that eager's have, where PyTorch's fakes have others.

    Not a mode of its own, which would take as long for each op as the fake one does.
    """
    dispatch = type(mode).dispatch

    def dispatch_as_eager(function, types, args=(), kwargs=None):
        del mode.dispatch  # An op that fakes compute by others has its own strides.
        try:
            result = dispatch(mode, function, types, args, kwargs)
        finally:
            mode.dispatch = dispatch_as_eager
        strides_of, tensors = _laid_out().get(function), [arg for arg in args if isinstance(arg, torch.Tensor)]
        if strides_of is None and _is_ambiguous(function, tensors, result):
            strides_of = functools.partial(_of_kernel, function, args, kwargs or {})
        if strides_of is None:
            return result
        # Of symbolic sizes it would take guards to compare them.
        if not all(isinstance(number, int) for tensor in tensors for number in (*tensor.shape, *tensor.stride())):
            return result
        first, *rest = result if isinstance(result, tuple) else (result,)
        if not isinstance(first, torch.Tensor):
            return result  # a gradient that is not asked for
        strides = tuple(strides_of(tensors, first.shape))
        if strides == first.stride():
            return result
        with mode:
            first = torch.empty_strided(first.shape, strides, dtype=first.dtype, device=first.device)
        return (first, *rest) if isinstance(result, tuple) else first

    if "dispatch" in vars(mode):  # in such a block
        yield
        return
    mode.dispatch = dispatch_as_eager
    try:
        yield
    finally:
        del mode.dispatch
