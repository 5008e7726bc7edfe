# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch dtypes and MLIR element types, literals of tensors."""

import torch
from torch._subclasses.fake_tensor import FakeTensor

from . import ir
from ..errors import ImportFailure

TORCH_TO_MLIR = {
    torch.bool: "i1", torch.uint8: "ui8", torch.int8: "i8", torch.int16: "i16",
    torch.int32: "i32", torch.int64: "i64", torch.float16: "f16",
    torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64",
    torch.complex64: "complex<f32>", torch.complex128: "complex<f64>",
    torch.complex32: "complex<f16>",
}
for _name, _mlir in (("float8_e4m3fn", "f8E4M3FN"), ("float8_e5m2", "f8E5M2"),
                     ("float8_e4m3fnuz", "f8E4M3FNUZ"), ("float8_e5m2fnuz", "f8E5M2FNUZ"),
                     ("float8_e8m0fnu", "f8E8M0FNU"), ("uint16", "ui16"), ("uint32", "ui32"), ("uint64", "ui64")):
    if hasattr(torch, _name):
        TORCH_TO_MLIR[getattr(torch, _name)] = _mlir
MLIR_TO_TORCH = {v: k for k, v in TORCH_TO_MLIR.items()}

# Constants of more bytes than this stay arguments of the graph.
MAX_CONSTANT_BYTES = 256


def mlir_dtype(dtype):
    try:
        return TORCH_TO_MLIR[dtype]
    except KeyError:
        from ..errors import ImportFailure
        raise ImportFailure(f"expected a dtype with an MLIR element type but got {dtype}") from None


def fits_in_constant(tensor):
    return (tensor.layout is torch.strided and not tensor.dtype.is_complex
            and tensor.numel() * tensor.element_size() <= MAX_CONSTANT_BYTES)


def has_data(tensor):
    """False for what only stands for a tensor: PyTorch's tracing may leave it where a constant should be."""
    return not isinstance(tensor, FakeTensor) and not torch._C._functorch.is_functorch_wrapped_tensor(tensor)


def tensor_literal(tensor, type_):
    """The dense literal of a small tensor, exact in every bit."""
    if not has_data(tensor):
        raise ImportFailure(f"expected a constant with elements but got {type(tensor).__name__}: PyTorch traces a value of this call as a constant")
    data = tensor.detach().cpu().contiguous()
    if data.numel() == 0:
        return f"dense<> : {type_}"
    if data.dtype is torch.bool:
        flat = [ir.attr_bool(v) for v in data.flatten().tolist()]
        return f"dense<{_nest(flat, data.shape)}> : {type_}"
    if not data.dtype.is_floating_point:
        return f"dense<{_nest([str(v) for v in data.flatten().tolist()], data.shape)}> : {type_}"
    if data.dtype in (torch.float32, torch.float64) and bool(torch.isfinite(data).all()):
        flat = [ir.float_literal(v) for v in data.flatten().tolist()]
        return f"dense<{_nest(flat, data.shape)}> : {type_}"
    raw = bytes(data.flatten().view(torch.uint8).tolist())
    return ir.dense_hex(raw, type_)


def _nest(flat, shape):
    if not shape:
        return flat[0]
    if len(shape) == 1:
        return "[" + ", ".join(flat) + "]"
    step = len(flat) // shape[0]
    return "[" + ", ".join(_nest(flat[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])) + "]"
