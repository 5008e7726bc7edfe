# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is not a tensor op: sizes, attributes, modes, asserts, Python's own functions."""

import sympy
import torch

from .. import dtypes
from ...errors import ImportFailure
from ..graph import NOT_DONE, Unsupported, special
from ..tracker import Tensor
from .views import identity_view


@special("Tensor.size", "aten.sym_size.int", "aten.size.int", "aten.sym_size.default", "aten.size.default")
def size(importer, call):
    """Sizes come from the meta; an op is made where one is used."""
    source = call.args[0]
    dim = call.args[1] if len(call.args) > 1 else call.kwargs.get("dim")
    shape = source.fake.shape
    return shape if dim is None else shape[dim]


@special("Tensor.dim", "Tensor.ndimension")
def dim(importer, call):
    return call.args[0].fake.dim()


@special("Tensor.numel", "aten.sym_numel.default", "torch.numel", "aten.numel.default", "Tensor.nelement")
def numel(importer, call):
    return call.args[0].fake.numel()


@special("Tensor.stride", "aten.sym_stride.int", "Tensor.storage_offset", "aten.sym_storage_offset.default", "Tensor.element_size",
         "Tensor.is_contiguous", "Tensor.is_floating_point", "torch.is_floating_point", "torch.is_tensor", "Tensor.is_complex",
         "torch.is_complex", "Tensor.get_device", "torch.is_grad_enabled", "torch.is_autocast_enabled")
def property_(importer, call):
    """Facts about a tensor's meta."""
    if call.fake is not None and not isinstance(call.fake, torch.Tensor):
        return call.fake
    return importer.fake_call(call.target, call.args, call.kwargs)


@special("builtins.getattr")
def getattr_(importer, call):
    source, name = call.args[:2]
    if not isinstance(source, Tensor):
        return getattr(source, name, *call.args[2:])
    if name in ("T", "mT"):
        rank = source.fake.dim()
        if rank < 2:
            return identity_view(importer, call)
        from .views import simple_view
        if name == "T":
            return simple_view(importer, source, "permute", call.fake, dims=list(reversed(range(rank))))
        return simple_view(importer, source, "transpose", call.fake, dim0=-2, dim1=-1)
    if name == "data":
        return source
    value = getattr(source.fake, name)
    if isinstance(value, torch.Tensor):
        raise Unsupported(f"the attribute {name} of a tensor is not modelled")
    return value


@special("builtins.len")
def len_(importer, call):
    source = call.args[0]
    return source.fake.shape[0] if isinstance(source, Tensor) else len(source)


IGNORED = (
    "torch._C._log_api_usage_once", "torch._C._set_grad_enabled", "torch.set_grad_enabled", "torch._C.set_grad_enabled",
    "torch._functorch.predispatch.lazy_load_decompositions", "torch.autograd.graph.disable_saved_tensors_hooks",
    "torch._C._autograd._saved_tensors_hooks_disable", "torch._C._autograd._saved_tensors_hooks_enable")


@special(*IGNORED, "Tensor.retain_grad")
def ignored(importer, call):
    """No effect on the values of an inference graph."""
    return None


AUTOCAST = ("torch.amp.autocast_mode._enter_autocast", "torch.amp.autocast_mode._exit_autocast", "torch.amp._enter_autocast",
            "torch.amp._exit_autocast")
# What a call of invoke_quant is told, which Dynamo makes in a call of its own.
OPTIONS = ("torch._higher_order_ops._invoke_quant.InvokeQuant",)
# Calls that Dynamo gives no meta.
WITHOUT_META = frozenset(IGNORED + AUTOCAST + OPTIONS)


@special(*OPTIONS)
def options(importer, call):
    return call.target(*call.args, **call.kwargs)


@special(*AUTOCAST)
def autocast(importer, call):
    """The calls up to the region's end are imported with PyTorch's casts (importer/autocast.py)."""
    if call.key.endswith("_enter_autocast"):
        importer.autocast.enter(*call.args[:3])
    else:
        importer.autocast.exit()
    return None


@special("aten._assert_tensor_metadata.default")
def assert_tensor_metadata(importer, call):
    names = [a.name for a in call.target._schema.arguments]
    given = dict(zip(names, call.args)) | call.kwargs
    if given.get("dtype") is None or given["a"].fake.dtype == given["dtype"] and given["dtype"].is_complex:
        return None  # of a complex tensor, whose parts are what runs, it is known here
    value = importer.value(given["a"])
    wanted = value.type.with_dtype(dtypes.mlir_dtype(given["dtype"]))
    if wanted.dtype != value.type.dtype:
        return NOT_DONE
    importer.emit_raw("fxgraph.assert_tensor_metadata", [value], [], [("expected", str(wanted))])
    return None


@special("aten._has_compatible_shallow_copy_type.default")
def data_assignment(importer, call):
    """All that a trace keeps of `x.data = y`."""
    raise ImportFailure(f"node {call.node.name} at {importer.where(call.node)}: an assignment to x.data is not modelled")


@special("aten._assert_scalar.default", "aten.sym_constrain_range_for_size.default", "aten.sym_constrain_range.default",
         "torch._check", "torch._check_is_size", "torch._assert", "torch.sym_constrain_range_for_size")
def assert_scalar(importer, call):
    """Dropped where it is about plain numbers that hold, or says of a bool's element that it is 0 or 1; of the inputs' sizes
    it is an op; the rest is kept whole."""
    first = call.args[0] if call.args else None
    if isinstance(first, (bool, int)) and first:
        return None
    if isinstance(first, torch.SymInt) and importer.symbols.of_inputs(first.node.expr) and importer.symbols.holds(sympy.Ge(first.node.expr, 0)):
        return NOT_DONE if any(bound is not None for bound in (*call.args[1:], *call.kwargs.values())) else None
    if not isinstance(first, torch.SymBool):
        return NOT_DONE
    condition = first.node.expr
    if importer.symbols.holds_for_bools(first):
        return None
    if importer.symbols.of_inputs(condition):
        importer.assert_scalar(condition, f"expected {importer.symbols.named(condition)} but got other sizes")
        return None
    return NOT_DONE


@special("aten.promote_types.default", "torch.promote_types")
def promote_types(importer, call):
    return torch.promote_types(*call.args)


@special("torch.sym_max", "torch.sym_min", "torch.sym_int", "torch.sym_float", "torch.sym_not", "torch.sym_ite", "torch.sym_sum")
def sym(importer, call):
    return call.fake if call.fake is not None else call.target(*call.args, **call.kwargs)


@special("Tensor.item", "aten.item.default", "aten._local_scalar_dense.default")
def item(importer, call):
    """The element as a number: what is computed with the call's symbol is computed with the element."""
    if not isinstance(call.fake, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return NOT_DONE
    value = importer.value(call.args[0])
    if value.type.rank:
        value = importer.emit_reshape(value, value.type.with_dims(()))
    importer.symbols.define_element(call.fake, importer.cast(value, "f64" if isinstance(call.fake, torch.SymFloat) else "i64"))
    return call.fake


@special("builtins.int", "builtins.float", "builtins.bool")
def number(importer, call):
    value = call.args[0]
    if isinstance(value, Tensor):
        return NOT_DONE
    return call.target(value)

