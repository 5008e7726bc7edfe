# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pointwise ops with quirks: clamp, div, where, casts, dropout."""

import torch

from .. import ir, promote, symbols, table
from ..graph import NOT_DONE, Unsupported, by_op, special
from ..tracker import Step, Tensor
from .creation import drawn_order, placed
from .views import identity_view


def wanted_type(importer, call):
    return importer.type_of(call.fake)


@by_op("clamp")
def clamp(importer, call):
    low, high = call.bound.get("min"), call.bound.get("max")
    source = call.bound["input"]
    type_ = wanted_type(importer, call)
    if type_.dtype.startswith("complex"):
        raise Unsupported("complex numbers are not modelled")
    is_float = ir.is_float(importer.value(source).type.dtype)
    # The op's bounds are doubles; of integers that have none there are constants.
    operands = [isinstance(bound, (Tensor, torch.SymInt, torch.SymFloat)) or isinstance(bound, int) and int(float(bound)) != bound for bound in (low, high)]
    if any(operands) and (is_float or "hardtanh" not in call.key):
        value = importer.cast(importer.value(source), type_.dtype)
        shape = source.fake
        for bound, name in ((low, "maximum"), (high, "minimum")):
            if bound is None:
                continue
            operands = promote.agree(importer, [value, bound], type_.dtype)
            shape = torch.broadcast_shapes(shape if isinstance(shape, torch.Size) else shape.shape,
                                           bound.fake.shape if isinstance(bound, Tensor) else ())
            dims = [importer.symbols.dim(s) for s in shape]
            value, = importer.emit(name, operands, [ir.TensorType(type_.dtype, dims, type_.device)])
        return importer.fresh(value, call.fake)
    for number in (low, high):
        if isinstance(number, complex):
            raise Unsupported("complex numbers are not modelled")
    if "hardtanh" in call.key and not is_float:
        # hardtanh truncates its bounds to the integers' dtype.
        call.bound["min"], call.bound["max"] = int(low), int(high)
        return NOT_DONE
    call.bound["input"] = importer.cast(importer.value(source), type_.dtype)
    return NOT_DONE


@by_op("nan_to_num")
def nan_to_num(importer, call):
    if call.bound.get("nan") is None:
        call.bound["nan"] = 0.0
    return NOT_DONE


@by_op("quantize_per_tensor", "dequantize_per_tensor")
def quantize(importer, call):
    """The meta says the dtype; scale, zero point and range must be numbers."""
    attrs = {a["name"]: call.bound[a["name"]] for a in call.op.attrs}
    if not all(isinstance(v, (int, float)) for v in attrs.values()):
        raise Unsupported("a quantization parameter is not a constant")
    attrs["scale"] = float(attrs["scale"])
    result, = importer.emit(call.op.name, [importer.value(call.bound["input"])], [wanted_type(importer, call)], **attrs)
    return importer.fresh(result, call.fake)


@by_op("div")
def div(importer, call):
    if "floor_divide" in call.key or "floordiv" in call.key:
        call.bound["rounding_mode"] = "floor"
    if call.key in REVERSED_QUOTIENTS and not isinstance(call.bound["input"], Tensor):
        return scaled_reciprocal(importer, call)
    if call.bound.get("rounding_mode") is None:
        return binary(importer, call, "int_to_float")
    return NOT_DONE


@by_op("pow")
def power(importer, call):
    """A negative power of integers: PyTorch refuses it of a number, and takes it of a tensor."""
    if isinstance(call.bound["other"], int) and call.bound["other"] < 0:
        importer.check_accepted(call)
    return NOT_DONE


# Names under which Python calls Tensor.__rtruediv__: it multiplies by the reciprocal, where other quotients divide.
REVERSED_QUOTIENTS = ("operator.truediv", "Tensor.__rtruediv__", "Tensor.__rdiv__")


def scaled_reciprocal(importer, call):
    """number / tensor: Tensor.__rtruediv__ is `self.reciprocal() * number`, which rounds twice and overflows near 0."""
    wanted = wanted_type(importer, call)
    value = importer.cast(importer.value(call.bound["other"]), wanted.dtype)
    inverse, = importer.emit("reciprocal", [value], [value.type])
    operands = promote.agree(importer, [inverse, call.bound["input"]], wanted.dtype)
    result, = importer.emit("mul", operands, [wanted])
    return importer.fresh(result, call.fake)


def binary(importer, call, kind):
    """A binary op under another promotion than the table's."""
    names = [o["name"] for o in call.op.operands]
    items = [call.bound[n] for n in names]
    dtype = promote.common_dtype(kind, items)
    operands = promote.agree(importer, items, dtype)
    attrs = {a["name"]: call.bound.get(a["name"]) for a in call.op.attrs}
    wanted = wanted_type(importer, call)
    result, = importer.emit(call.op.name, operands, [wanted.with_dtype(dtype)], **attrs)
    return importer.fresh(importer.cast(result, wanted.dtype), call.fake)


@by_op("add", "sub")
def add(importer, call):
    alpha = call.bound.get("alpha", 1)
    if isinstance(alpha, (complex, torch.SymInt, torch.SymFloat)):
        raise Unsupported("alpha is not a constant real number")
    return NOT_DONE


@by_op("where")
def where(importer, call):
    if "masked_fill" not in call.key:
        return NOT_DONE
    # masked_fill keeps the dtype of what it fills.
    source, value = call.bound["other"], call.bound["input"]
    dtype = importer.value(source).type.dtype
    if not isinstance(value, (Tensor, bool, int, float, torch.SymInt, torch.SymFloat)):
        raise Unsupported("the fill value is not a real number")
    if isinstance(value, (float, torch.SymFloat)) and not ir.is_float(dtype):
        raise Unsupported("a float fill value for integers")
    value, source = promote.agree(importer, [value, source], dtype)
    condition = importer.cast(importer.value(call.bound["condition"]), "i1")
    result, = importer.emit("where", [condition, value, source], [wanted_type(importer, call)])
    return importer.fresh(result, call.fake)


# Casts that copy even if there is nothing to cast.
COPYING_CASTS = ("prims.convert_element_type.default", "aten._to_copy.default", "quantized_decomposed.convert_element_type.no_fuse")


@by_op("convert_element_type")
def convert(importer, call):
    return cast_to_meta(importer, call, call.bound["input"])


@special("aten.to.device", "aten.to.dtype_layout", "aten.to.other", "aten.to.prim_Device", "Tensor.to", "Tensor.type",
         "Tensor.cpu", "Tensor.cuda", "Tensor.short", "Tensor.char", "Tensor.byte", "prims.device_put.default",
         "quantized_decomposed.convert_element_type.no_fuse")
def to(importer, call):
    """x.to(dtype), x.to(device), x.to(other), …: the meta says what comes out."""
    if not isinstance(call.fake, torch.Tensor):
        return NOT_DONE
    return cast_to_meta(importer, call, call.args[0])


def cast_to_meta(importer, call, source):
    if isinstance(source, (bool, int, float)):
        # PyTorch's decompositions cast numbers, too.
        dtype = wanted_type(importer, call).dtype
        return importer.fresh(importer.constant(promote._exact(source, dtype), dtype), call.fake)
    value = importer.value(source)
    dtype = wanted_type(importer, call).dtype
    if source.fake.device != call.fake.device:
        # The meta names the device, which a type only does where it is not the module's.
        moved = importer.emit("device_put", [value], [importer.type_of(call.fake).with_dtype(value.type.dtype)])[0]
        return importer.fresh(importer.cast(moved, dtype), call.fake)
    copy = call.kwargs.get("copy") is True or call.bound.get("_copy") is True or call.key in COPYING_CASTS
    if value.type.dtype != dtype:
        return importer.fresh(importer.cast(value, dtype), call.fake)
    if copy or not importer.aliases(call, source):
        return importer.fresh(importer.emit("clone", [value], [value.type])[0], call.fake)
    return source.view(Step(lambda v: v, lambda base, new: new), value, call.fake)


@by_op("dropout")
def dropout(importer, call):
    training = call.bound.get("training", True)
    if not isinstance(training, bool):
        raise Unsupported("training is not a constant")
    if training and not ir.is_float(importer.value(call.bound["input"]).type.dtype):
        raise Unsupported("dropout of integers is not modelled")
    probability = call.bound.get("p", 0.5)
    if not training or not isinstance(probability, float):
        return NOT_DONE
    mask = importer.replay.probe(torch.empty_like, [call.bound["input"].fake], {})
    order = drawn_order(mask)
    if order is None:
        return NOT_DONE
    value = importer.value(call.bound["input"])
    value, = importer.emit("permute", [value], [value.type.with_dims([value.type.dims[d] for d in order])], dims=order)
    dropped, = importer.emit("dropout", [value], [value.type], p=probability, training=True)
    return importer.fresh(placed(importer, dropped, order), call.fake)


@special("torch.nn.functional.alpha_dropout", "torch.nn.functional.feature_alpha_dropout", "torch.nn.functional.dropout1d",
         "torch.nn.functional.dropout2d", "torch.nn.functional.dropout3d", "aten.feature_dropout.default", "aten.alpha_dropout.default")
def other_dropout(importer, call):
    """The identity outside of training; otherwise its draws are not modelled."""
    training = call.args[2] if len(call.args) > 2 else call.kwargs.get("training", call.key == "torch.nn.functional.dropout1d"
                                                                       or call.key.endswith(("dropout2d", "dropout3d")))
    if training is not False:
        return NOT_DONE
    return identity_view(importer, call)


@special("aten.log_sigmoid_forward.default")
def log_sigmoid_forward(importer, call):
    only_first(importer, call)
    return first_of(importer, call, table.load_table()["log_sigmoid"], {"input": call.args[0]})


def only_first(importer, call):
    """Unsupported if a result other than the first is used."""
    import operator
    for user in call.node.users:
        if user.op == "call_function" and user.target is operator.getitem and (user.args[1] == 0 or not user.users):
            continue
        raise Unsupported("a result other than the first is used")


def first_of(importer, call, op, bound):
    """Lowers a many-result call to a one-result op; the other results are None."""
    from ..graph import Call
    inner = Call(call.node, call.key, call.target, call.args, call.kwargs, call.fake[0])
    inner.op, inner.bound, inner.given = op, bound, set(bound)
    result = importer.lower_op(inner)
    return [result] + [None] * (len(call.fake) - 1)


@special("aten.item.default", "Tensor.item", "aten._local_scalar_dense.default", "Tensor.tolist")
def item(importer, call):
    """A number that the capture has specialised on; else the op stays whole."""
    value = symbols.plain(call.fake)
    return value if isinstance(value, (bool, int, float)) else NOT_DONE
