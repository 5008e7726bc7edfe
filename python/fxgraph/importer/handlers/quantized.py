# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantization by parameters that are tensors: what PyTorch defines it by, in Python.

The dialect has an op for one scale and zero point that are numbers. With tensors of them the formulas are those of
torch.ao.quantization, traced where no element decides what they do; the forms that read an element are written here.
"""

import torch

from ..decompositions import refusing
from ..graph import Unsupported, by_op, special
from ..tracker import Tensor
from .decompose import lower_traced
from .pointwise import wanted_type

# The kernels that do not read elements, by name: PyTorch's functions.
TRACED = {name: name for name in (
    "quantize_per_channel", "quantize_per_token", "dequantize_per_token", "dequantize_per_channel_group",
    "choose_qparams_per_token", "fake_quant_per_channel")}
TRACED["choose_qparams_per_token_asymmetric"] = "_choose_qparams_per_token_asymmetric_impl"


def _decomposed():
    """The module that registers the ops when it is first asked for."""
    from torch.ao.quantization.fx import _decomposed
    return _decomposed


@special(*(f"quantized_decomposed.{name}.default" for name in TRACED))
def per_channel(importer, call):
    return lower_traced(importer, call, getattr(_decomposed(), TRACED[call.key.split(".")[1]]))


def _quantize_groups(x, scales, zero_points, quant_min, quant_max, dtype, group_size=128):
    if group_size > x.shape[-1] and scales.shape[-1] == 1:
        group_size = x.shape[-1]
    groups = refusing(x, x.isnan()).reshape(-1, group_size)
    numbers = (groups * (1.0 / scales.reshape(-1, 1)) + zero_points.reshape(-1, 1)).round()
    return numbers.clamp(quant_min, quant_max).to(dtype).reshape(x.shape)


@special("quantized_decomposed.quantize_per_channel_group.default")
def quantize_per_channel_group(importer, call):
    return lower_traced(importer, call, _quantize_groups)


@by_op("dequantize_per_channel")
def dequantize_per_channel(importer, call):
    """One scale, and one zero point if any, for each index; zero points that are floats are arithmetic."""
    attrs = {a["name"]: call.bound[a["name"]] for a in call.op.attrs}
    if not all(isinstance(v, int) for v in attrs.values()):
        raise Unsupported("a quantization parameter is not a constant")
    zero_points = call.bound.get("zero_points")
    if zero_points is not None and zero_points.fake.is_floating_point():
        return lower_traced(importer, call, _decomposed().dequantize_per_channel)
    operands = [importer.value(call.bound["input"]), importer.value(call.bound["scales"]), None if zero_points is None else importer.value(zero_points)]
    result, = importer.emit(call.op.name, operands, [wanted_type(importer, call)], **attrs)
    return importer.fresh(result, call.fake)


def _number(importer, tensor, what):
    if not isinstance(tensor, Tensor) or tensor.fake.numel() != 1:
        raise Unsupported(f"expected a {what} of one element")
    return tensor


def _quantize(x, scale, zero_point, quant_min, quant_max, dtype):
    """One divided by the scale in f64, as Python does it, then all in f32."""
    x = x.to(torch.float32)
    inverse = (1.0 / scale.reshape(()).to(torch.float64)).to(torch.float32)
    shifted = (x * inverse).round() + zero_point.reshape(()).to(torch.float32)
    return torch.minimum(torch.maximum(shifted, _bound(quant_min)), _bound(quant_max)).to(dtype)


def _bound(number):
    return number.reshape(()).to(torch.float32) if isinstance(number, torch.Tensor) else torch.full((), number, dtype=torch.float32)


def _dequantize(x, scale, zero_point, quant_min, quant_max, dtype, out_dtype=None):
    """Numbers meet 16-bit tensors in f32; each step rounds to the result's dtype."""
    out = torch.float32 if out_dtype is None else out_dtype
    wide = torch.float64 if out == torch.float64 else torch.float32
    shifted = (x.to(out).to(wide) - zero_point.reshape(()).to(wide)).to(out)
    return (shifted.to(wide) * scale.reshape(()).to(wide)).to(out)


@special("quantized_decomposed.quantize_per_tensor.tensor", "quantized_decomposed.quantize_per_tensor.tensor2",
         "quantized_decomposed.dequantize_per_tensor.tensor", "quantized_decomposed.dequantize_per_tensor.tensor2")
def per_tensor(importer, call):
    for number, what in zip(call.args[1:3], ("scale", "zero point")):
        _number(importer, number, what)
    return lower_traced(importer, call, _dequantize if ".dequantize" in call.key else _quantize)


def _range_of(x, eps):
    """The smallest and the largest element, 0 among them, in the input's dtype, and the smallest scale, which is f32."""
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise NotImplementedError  # as PyTorch
    low, high = (extreme.reshape(1) for extreme in torch.aminmax(x))
    return low.clamp(max=0), high.clamp(min=0), torch.full((1,), eps, dtype=torch.float32, device=x.device)


def _choose_affine(x, quant_min, quant_max, eps, _):
    low, high, least = _range_of(x, eps)
    scale = torch.maximum(((high - low) / float(quant_max - quant_min)).to(torch.float32), least)
    zero_point = quant_min - torch.round(low.to(torch.float32) / scale).to(torch.int32)
    return scale.to(torch.float64), zero_point.clamp(quant_min, quant_max).to(torch.int64)


def _choose_symmetric(x, quant_min, quant_max, eps, dtype):
    low, high, least = _range_of(x, eps)
    scale = torch.maximum((torch.maximum(-low, high) / (float(quant_max - quant_min) / 2)).to(torch.float32), least)
    middle = 128 if dtype in (torch.uint8, torch.quint8) else 0
    return scale.to(torch.float64), torch.full((1,), middle, dtype=torch.int64, device=x.device)


@special("quantized_decomposed.choose_qparams.tensor", "quantized_decomposed.choose_qparams_symmetric.tensor")
def choose_qparams(importer, call):
    """PyTorch's function reads the extremes to see that there are any, which is so of every tensor that has an element."""
    return lower_traced(importer, call, _choose_symmetric if "symmetric" in call.key else _choose_affine)
