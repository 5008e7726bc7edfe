# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sample arguments for every op, under the op's own parameter names.

CASES[op] is a list of argument sets; each overload of the op is called with
each set that fits its signature. Values with a leading underscore belong to
parameters that are not part of the op (`_size`, `_dtype`, …). Tensors come from
a seed and include NaN, infinities, -0 and zero-size shapes.
"""

import math

import torch
import torch._inductor.inductor_prims  # noqa: F401: registers its prims

_generator = torch.Generator().manual_seed(11)


def f(*shape, dtype=torch.float32, low=-3.0, high=3.0):
    return (torch.rand(shape, generator=_generator) * (high - low) + low).to(dtype)


def i(*shape, low=-5, high=6, dtype=torch.int64):
    return torch.randint(low, high, shape, generator=_generator, dtype=torch.int64).to(dtype)


def b(*shape):
    return torch.rand(shape, generator=_generator) < 0.5


def special():
    return torch.tensor([math.nan, math.inf, -math.inf, -0.0, 0.0, 1.5, -2.5, 1e-40])


bf, h, d = torch.bfloat16, torch.float16, torch.float64
unary_float = [{"input": special()}, {"input": f(2, 3, dtype=bf)}, {"input": i(3)}, {"input": f(0, 2)}, {"input": f(dtype=d)}]
unary_any = [{"input": special()}, {"input": i(2, 3)}, {"input": f(0, 2)}, {"input": f(dtype=bf)}, {"input": i(4, low=0, dtype=torch.uint8)}]
binary = [
    {"input": f(2, 3), "other": f(3)}, {"input": special(), "other": special().flip(0)}, {"input": f(2, 1, 4), "other": f(3, 1)},
    {"input": f(2, 3), "other": 2}, {"input": f(2, 3), "other": 1.5}, {"input": i(4), "other": 2.5}, {"input": i(4), "other": 3},
    {"input": b(3), "other": i(3, low=1)}, {"input": f(2, dtype=bf), "other": f(2)}, {"input": f(2, dtype=bf), "other": f(dtype=torch.float32)},
    {"input": f(2, 3), "other": f(dtype=d)}, {"input": f(dtype=torch.float32), "other": f(dtype=d)}, {"input": i(4, dtype=torch.int32), "other": i()},
    {"input": f(0, 3), "other": f(3)}, {"input": f(3), "other": True}, {"input": i(3, low=1, dtype=torch.uint8), "other": 7}]
positive_other = [{k: (v.abs() + 1 if isinstance(v, torch.Tensor) and k == "other" and v.dtype != torch.bool else v) for k, v in c.items()} for c in binary]
int_binary = [{"input": i(2, 3), "other": i(3)}, {"input": b(2, 3), "other": b(3)}, {"input": i(4), "other": 3}, {"input": b(4), "other": True},
              {"input": 6, "other": i(4)},
              {"input": i(4, dtype=torch.int32), "other": i(4, dtype=torch.int16)}]
alpha = [{"input": f(2, 3), "other": f(3), "alpha": 2}, {"input": i(3), "other": i(3), "alpha": -3}, {"input": f(2, dtype=bf), "other": f(2, dtype=bf), "alpha": 0.5}]
reduce = [
    {"input": f(2, 3, 4)}, {"input": f(2, 3, 4), "dims": [1]}, {"input": f(2, 3, 4), "dims": [-1, 0], "keepdim": True}, {"input": special(), "dims": [0]},
    {"input": f(2, 3, 4), "dims": 1}, {"input": f(dtype=torch.float32)}, {"input": f(3, 5, dtype=d), "dims": [0], "keepdim": True}]
reduce_byte = [{"input": i(2, 3, low=0, high=3, dtype=torch.uint8), "dims": [0]}, {"input": i(4, low=0, high=2, dtype=torch.uint8)}]
reduce_int = [{"input": i(2, 3), "dims": [0]}, {"input": b(2, 3), "dims": [1]}, {"input": i(3, dtype=torch.int32)}]
with_dtype = [{"input": i(2, 3), "dims": [0], "_dtype": torch.float32}, {"input": f(2, 3), "dims": [1], "_dtype": torch.float64}, {"input": f(2, 3), "_dtype": d}]
empty_reduce = [{"input": f(0, 3), "dims": [0]}, {"input": f(0, 3)}]
along = [{"input": f(2, 3, 4), "dim": 1}, {"input": f(2, 3, 4), "dim": -1}, {"input": f(dtype=torch.float32), "dim": 0}, {"input": f(2, 0), "dim": 1},
         {"input": special(), "dim": -1}, {"input": f(2, 3, dtype=bf), "dim": 0}]
pool = [{"input": f(2, 3, 7, 8), "kernel_size": 3, "stride": 2, "padding": 1}, {"input": f(3, 7, 7), "kernel_size": [2, 3]},
        {"input": f(1, 2, 6, 5), "kernel_size": (2, 2), "stride": (2, 1), "ceil_mode": True}]
conv1 = [{"input": f(2, 4, 9), "weight": f(6, 2, 3), "bias": f(6), "stride": 2, "padding": 1, "groups": 2}, {"input": f(2, 3, 8), "weight": f(5, 3, 2), "dilation": [2]},
         {"input": f(3, 8), "weight": f(5, 3, 2)}]
conv2 = [{"input": f(2, 4, 9, 7), "weight": f(6, 2, 3, 2), "bias": f(6), "stride": [2, 1], "padding": [1, 0], "groups": 2},
         {"input": f(2, 3, 8, 8), "weight": f(5, 3, 3, 3), "dilation": 2}, {"input": f(0, 3, 8, 8), "weight": f(5, 3, 3, 3)}]
conv3 = [{"input": f(1, 2, 5, 4, 6), "weight": f(3, 2, 2, 2, 3), "bias": f(3), "stride": 1, "padding": 1}, {"input": f(1, 2, 5, 4, 6), "weight": f(3, 2, 2, 2, 3)}]
rsub = [{"input": f(3), "other": f(2, 3)}, {"input": 2, "other": f(3)}, {"input": 1.5, "other": i(3), "alpha": 2}, {"input": f(3), "other": f(3), "alpha": 2}]
conv_padding = [{"padding": "same"}, {"padding": "valid"}]
shape_like = {"_size": [2, 3], "value": 2.5, "_result_dtype": torch.float32}

_quant = {"scale": 0.37, "zero_point": -3}

CASES = {
    "add": binary + alpha, "sub": [c for c in binary if not any(isinstance(v, bool) or getattr(v, "dtype", 0) is torch.bool for v in c.values())] + alpha + rsub,
    "mul": binary, "div": positive_other + [{"input": i(5), "other": i(5, low=1), "rounding_mode": m} for m in ("floor", "trunc")]
    + [{"input": f(4), "other": f(4), "rounding_mode": "floor"}, {"input": special(), "other": 2, "rounding_mode": "trunc"}],
    "pow": [{"input": f(3, low=0.1), "other": f(3)}, {"input": f(3), "other": 2}, {"input": 2, "other": f(3)}, {"input": i(3), "other": i(3, low=0)},
            {"input": i(3), "other": 2.0}, {"input": special(), "other": 0.5}, {"input": f(2, 3, dtype=bf), "other": 3},
            {"input": torch.tensor([0, 1, -1, 2]), "other": torch.tensor(-1)}, {"input": torch.tensor([0, 1, -1, 2]), "other": torch.tensor([-3, -2, -2, -1])}],
    "maximum": [c for c in binary if isinstance(c["other"], torch.Tensor)], "minimum": [c for c in binary if isinstance(c["other"], torch.Tensor)],
    "remainder": positive_other[:8] + [{"input": i(5), "other": 3}, {"input": f(5), "other": -2.0}, {"input": 7, "other": i(4, low=1)}, {"input": -7.5, "other": i(4, low=1)}], "fmod": positive_other[:7],
    **{name: [c for c in binary if isinstance(c["other"], torch.Tensor)] for name in ("fmax", "fmin")},
    "copysign": binary,
    "nextafter": [{"input": special(), "other": special().flip(0)}, {"input": f(2, 3), "other": f(3)}, {"input": f(3, dtype=d), "other": f(2, 1, dtype=d)},
                  {"input": special().to(bf), "other": f(8, dtype=bf)}, {"input": special(), "other": torch.tensor(math.inf)}, {"input": f(0), "other": f(0)}],
    "gcd": [{"input": i(3, 4, low=-50, high=50), "other": i(4, low=-50, high=50)}, {"input": i(4, dtype=torch.int32), "other": i(3, 1, dtype=torch.int8)},
            {"input": i(4, low=0, high=200, dtype=torch.uint8), "other": i(4, low=0, high=200, dtype=torch.uint8)}, {"input": torch.tensor([0, 0, -6, 2 ** 62]), "other": torch.tensor([0, -4, 0, 2 ** 40 * 3])},
            {"input": torch.tensor([-128, -128, 6, -128], dtype=torch.int8), "other": torch.tensor([6, -128, -128, -1], dtype=torch.int8)}],
    "atan2": [c for c in binary if isinstance(c["other"], torch.Tensor)],
    "where": [{"condition": b(2, 3), "input": f(3), "other": f(2, 1)}, {"condition": b(3), "input": f(3), "other": 0.0}, {"condition": b(3), "input": 1, "other": f(3)},
              {"condition": b(3), "input": 1.5, "other": 2.5}, {"condition": b(2, 3), "input": -math.inf, "other": f(2, 3)},
              {"condition": b(3), "input": i(3, dtype=torch.int32), "other": f(3, dtype=bf)}, {"condition": b(3), "input": f(dtype=torch.float32), "other": f(2, 3)},
              {"condition": b(0), "input": 1, "other": i(0)}],
    "fma": [{"input": special(), "other": special().flip(0), "addend": special().roll(1)}, {"input": f(2, 3), "other": f(3), "addend": f(2, 1)},
            {"input": f(2, 3, dtype=bf), "other": f(3, dtype=bf), "addend": f(1, dtype=bf)}, {"input": i(4), "other": i(4), "addend": i(4)},
            {"input": f(3), "other": f(3, dtype=d), "addend": f(3)}, {"input": f(0), "other": f(0), "addend": f()}, {"input": b(3), "other": b(3), "addend": b(3)}],
    "clamp": [{"input": special(), "min": -1, "max": 1.0}, {"input": f(3), "min": 0.5}, {"input": f(3), "max": 0}, {"input": i(4), "min": 1, "max": 2},
              {"input": i(4), "min": 0.5, "max": 2.5}, {"input": f(2, 3), "min": f(3), "max": f(2, 1)}, {"input": f(3), "min": f(3)}, {"input": f(3), "max": f(3)},
              {"input": f(4), "min": 2.0, "max": -2.0}],
    "nan_to_num": [{"input": special()}, {"input": special(), "nan": 1.5, "posinf": 2.0, "neginf": -3.0}, {"input": f(2, dtype=bf), "nan": 0.0}, {"input": i(3)}],
    "gelu": [{"input": special()[2:]}, {"input": f(2, 3), "approximate": "tanh"}, {"input": f(2, dtype=bf), "approximate": "none"}],
    "softplus": [{"input": f(3)}, {"input": f(3), "beta": 2.0, "threshold": 1.0}], "elu": [{"input": special()}, {"input": f(3), "alpha": 0.5}],
    "leaky_relu": [{"input": special()}, {"input": f(3), "negative_slope": 0.3}],
    "dropout": [{"input": f(2, 3), "p": 0.3, "training": False}, {"input": f(0), "p": 0.5, "training": False}],
    "convert_element_type": [{"input": special()[3:], "_result_dtype": torch.int64, "_other": i(1, dtype=torch.int32)}, {"input": f(3), "_result_dtype": torch.float32, "_other": f(1)},
                             {"input": f(3), "_result_dtype": bf, "_other": f(1, dtype=h)}, {"input": i(3), "_result_dtype": torch.bool, "_other": b(1)},
                             {"input": f(2, 0, dtype=d), "_result_dtype": torch.float32, "_other": f(1)}],
    "view_dtype": [{"input": f(2, 3), "_result_dtype": torch.int32}, {"input": f(2, 3), "_result_dtype": torch.int16}, {"input": i(2, 4, dtype=torch.uint8), "_result_dtype": torch.int32},
                   {"input": f(0, 4, dtype=h), "_result_dtype": torch.int64}, {"input": f(3, dtype=bf), "_result_dtype": torch.float16}],
    "device_put": [{"input": f(2, 3), "_device": torch.device("cpu")}],
    "reshape": [{"input": f(2, 6), "_other": f(4, 3)}, {"input": f(0, 3), "_other": f(3, 0)}, {"input": f(4, 3).t(), "_other": f(2, 6)}, {"input": f(2, 6), "shape": [3, 4], "_other": f(4, 3)}, {"input": f(2, 6), "shape": [-1], "_other": f(12)}, {"input": f(0, 3), "shape": [3, 0], "_other": f(0)},
                {"input": f(1), "shape": [], "_other": f()}, {"input": f(4, 3).t(), "shape": [2, -1], "_other": f(2, 6)}],
    "view": [{"input": f(2, 6), "_other": f(4, 3)}, {"input": f(2, 6), "shape": [3, 4], "_other": f(4, 3)}, {"input": f(2, 6), "shape": [3, -1], "_other": f(12)}, {"input": f(0, 3), "shape": [3, 0], "_other": f(0)}],
    "flatten": [{"input": f(2, 3, 4)}, {"input": f(2, 3, 4), "start_dim": 1}, {"input": f(2, 3, 4, 5), "start_dim": -3, "end_dim": -2}, {"input": f(dtype=bf)}, {"input": f(0, 3)}],
    "unflatten": [{"input": f(2, 6), "dim": 1, "sizes": [2, 3]}, {"input": f(2, 6), "dim": -1, "sizes": [-1, 2]}],
    "permute": [{"input": f(2, 3)}, {"input": f(2, 3, 4), "_source": 0, "_destination": -1}, {"input": f(2, 3, 4), "_source": [0, 1], "_destination": [1, 2]},
                {"input": f(3)}, {"input": f(2, 3, 4), "dims": [2, 0, 1], "_source": 0, "_destination": -1}, {"input": f(2, 3, 4), "dims": [-1, -3, -2], "_source": [0, 1], "_destination": [1, 2]},
                {"input": f(0, 3), "dims": [1, 0], "_source": 1, "_destination": 0}],
    "transpose": [{"input": f(2, 3)}, {"input": f(4)}, {"input": f(2, 3, 4)}, {"input": f(2, 3), "dim0": 0, "dim1": 1}, {"input": f(3), "dim0": 0, "dim1": -1}, {"input": f(2, 3, 4), "dim0": -1, "dim1": -2}],
    "squeeze": [{"input": f(2, 1, 3, 1)}, {"input": f(2, 1, 3, 1), "dims": 1}, {"input": f(2, 1, 3, 1), "dims": [1, -1]}, {"input": f(2, 1), "dims": 0}, {"input": f(1, 0), "dims": -2}],
    "unsqueeze": [{"input": f(2, 3), "dim": 1}, {"input": f(2, 3), "dim": -1}, {"input": f(), "dim": 0}, {"input": f(2, 3), "dim": -3}],
    "expand": [{"input": f(1, 3), "_other": f(2, 3)}, {"input": f(3, 1), "_other": f(2, 3, 4)}, {"input": f(1, 3), "shape": [2, 3], "_other": f(2, 3)}, {"input": f(3, 1), "shape": [2, -1, 4], "_other": f(2, 3, 4)}, {"input": f(1), "shape": [0], "_other": f(0)},
               {"input": f(), "shape": [2], "_other": f(2)}],
    "repeat": [{"input": f(2, 3), "repeats": [2, 1]}, {"input": f(3), "repeats": [2, 3]}, {"input": f(2), "repeats": [0]}, {"input": f(2, 3), "repeats": [2]}],
    "slice": [{"input": f(5, 4), "dim": 0, "start": 1, "_length": 3}, {"input": f(5, 4), "dim": -1, "start": -3, "_length": 2}, {"input": f(5), "dim": 0, "start": 5, "_length": 0}, {"input": f(5, 4), "dim": 0, "start": 1, "end": 4, "step": 2, "_length": 2}, {"input": f(5, 4), "dim": -1, "start": -3, "end": -1, "_length": 2},
              {"input": f(5), "dim": 0, "start": 3, "end": 99, "_length": 0}, {"input": f(5), "dim": 0, "start": 4, "end": 1, "_length": 1}, {"input": f(2, 3)}],
    "select": [{"input": f(3, 4), "dim": 0, "index": 1}, {"input": f(3, 4), "dim": -1, "index": -2}],
    "flip": [{"input": f(2, 3), "dims": [0]}, {"input": f(2, 3), "dims": [-1, 0]}, {"input": f(2, 0), "dims": [1]}],
    "roll": [{"input": f(2, 5), "shifts": 2}, {"input": f(2, 5), "shifts": [-1, 3], "dims": [0, 1]}, {"input": f(2, 5), "shifts": 7, "dims": -1}, {"input": f(0), "shifts": 1, "dims": 0}],
    "constant_pad_nd": [{"input": f(2, 3), "pad": [1, 2]}, {"input": f(2, 3), "pad": [1, -1, 0, 2], "value": 2.5}, {"input": i(2, 3), "pad": [1, 0], "value": 7}, {"input": f(0, 2), "pad": [1, 1, 2, 0]}],
    "triu": [{"input": f(3, 4)}, {"input": f(2, 3, 3), "diagonal": -1}, {"input": b(4, 3), "diagonal": 1}], "tril": [{"input": f(3, 4)}, {"input": f(2, 3, 3), "diagonal": 2}, {"input": i(0, 3)}],
    "slice_scatter": [{"input": f(5, 3), "src": f(2, 3), "dim": 0, "start": 1, "end": 3}, {"input": f(2, 5), "src": f(2, 2), "dim": -1, "start": 0, "end": 4, "step": 2},
                      {"input": f(4), "src": f(4)}],
    "select_scatter": [{"input": f(3, 4), "src": f(4), "dim": 0, "index": -1}, {"input": f(3, 4), "src": f(3), "dim": 1, "index": 2}],
    "split": [{"input": f(7, 2), "split_size": 3}, {"input": f(2, 6), "split_size": 2, "dim": -1}, {"input": f(2, 6), "split_size": [1, 0, 5], "dim": 1}, {"input": f(0, 2), "split_size": 4}],
    "split_with_sizes": [{"input": f(6, 2), "split_sizes": [1, 5]}, {"input": f(2, 3), "split_sizes": [3, 0], "dim": -1}],
    "chunk": [{"input": f(10), "chunks": 4}, {"input": f(10), "chunks": 6}, {"input": f(2, 5), "chunks": 2, "dim": -1}, {"input": f(0, 3), "chunks": 2}],
    "unbind": [{"input": f(3, 2)}, {"input": f(2, 1), "dim": -1}, {"input": f(2, 3, 0), "dim": 1}],
    "cat": [{"tensors": [f(2, 3), f(1, 3)]}, {"tensors": [f(2, 3), f(2, 0), f(2, 1)], "dim": -1}, {"tensors": [f(2), i(3)]}, {"tensors": [f(0), f(2, 3)], "dim": 1}, {"tensors": [f(2, 1, dtype=bf)]}],
    "stack": [{"tensors": [f(2, 3), f(2, 3)], "dim": -1}, {"tensors": [f(2), i(2)]}, {"tensors": [f(0), f(0), f(0)], "dim": 1}],
    "linear": [{"input": f(2, 4), "weight": f(3, 4), "bias": f(3)}, {"input": f(4), "weight": f(3, 4)}, {"input": f(2, 5, 4), "weight": f(3, 4), "bias": f(3)},
               {"input": f(2, 4), "weight": f(4)}, {"input": f(0, 4), "weight": f(3, 4), "bias": f(3)}, {"input": f(2, 0), "weight": f(3, 0), "bias": f(3)}],
    "matmul": [{"input": f(4), "other": f(4)}, {"input": f(2, 4), "other": f(4)}, {"input": f(4), "other": f(4, 3)}, {"input": f(2, 1, 3, 4), "other": f(5, 4, 2)},
               {"input": i(2, 3), "other": i(3, 2)}, {"input": f(2, 0), "other": f(0, 3)}],
    "mm": [{"input": f(2, 3), "mat2": f(3, 4)}, {"input": f(2, 0), "mat2": f(0, 4)}], "bmm": [{"input": f(2, 3, 4), "mat2": f(2, 4, 1)}, {"input": f(0, 3, 4), "mat2": f(0, 4, 1)}],
    "addmm": [{"input": f(3), "mat1": f(2, 4), "mat2": f(4, 3)}, {"input": f(2, 1), "mat1": f(2, 4), "mat2": f(4, 3), "beta": 0.5, "alpha": 2},
              {"input": special()[:3], "mat1": f(2, 4), "mat2": f(4, 3), "beta": 0}],
    "addmm_activation": [{"input": f(3), "mat1": f(2, 4), "mat2": f(4, 3)}, {"input": f(3), "mat1": f(2, 4), "mat2": f(4, 3), "beta": 0.5, "alpha": 2},
                         {"input": f(3), "mat1": f(2, 4), "mat2": f(4, 3), "use_gelu": True}, {"input": f(3, dtype=bf), "mat1": f(2, 4, dtype=bf), "mat2": f(4, 3, dtype=bf), "use_gelu": True}],
    "weight_int8pack_mm": [{"input": f(4, 32, dtype=dtype), "weight": i(16, 32, low=-128, high=128, dtype=torch.int8), "scales": f(16, dtype=dtype, low=0.01, high=0.1)}
                           for dtype in (bf, torch.float32)],
    "scaled_mm": [{"input": f(3, 16).to(torch.float8_e4m3fn), "mat2": f(16, 5).to(torch.float8_e4m3fn), "scale_a": torch.tensor(0.5), "scale_b": torch.tensor([[2.0]]),
                   "_result_dtype": torch.float32, "use_fast_accum": True},
                  {"input": f(3, 16).to(torch.float8_e4m3fn), "mat2": f(16, 4).to(torch.float8_e5m2), "scale_a": f(3, 1), "scale_b": f(1, 4), "bias": f(4, dtype=bf),
                   "_result_dtype": bf},
                  {"input": f(2, 8).to(torch.float8_e5m2), "mat2": f(8, 3).to(torch.float8_e4m3fn), "scale_a": torch.tensor([2.0]), "scale_b": torch.tensor(0.25), "bias": f(3),
                   "_result_dtype": torch.float32}],
    "int_mm": [{"input": i(17, 8, low=-128, high=128, dtype=torch.int8), "mat2": i(8, 16, low=-128, high=128, dtype=torch.int8)}],
    "baddbmm": [{"input": f(2, 1, 3), "mat1": f(2, 2, 4), "mat2": f(2, 4, 3), "beta": 2, "alpha": -1.5},
                {"input": i(2, 1, 3), "mat1": i(2, 2, 4), "mat2": i(2, 4, 3), "beta": 0.6, "alpha": 1.7}],
    "einsum": [{"equation": "ij,jk->ik", "tensors": [f(2, 3), f(3, 4)]}, {"equation": "bij , bjk", "tensors": [f(2, 2, 3), f(2, 3, 2)]}, {"equation": "ii->i", "tensors": [f(3, 3)]},
               {"equation": "...i,i->...", "tensors": [f(2, 3, 4), f(4)]},
               # Sums of small integers are i64, products are not; both wrap at their own width.
               *({"equation": e, "tensors": [i(*shape, low=-120, high=121, dtype=dtype) for shape in shapes]}
                 for dtype in (torch.int8, torch.int32) for e, *shapes in (("ij->i", (3, 4)), ("ii->", (3, 3)), ("ij,k->i", (3, 4), (2,)),
                                                                             ("ij->ji", (3, 4)), ("ij,j->i", (3, 4), (4,)))),
               {"equation": "ij->j", "tensors": [b(3, 4)]}, {"equation": "ij->", "tensors": [i(3, 40, low=0, high=256, dtype=torch.uint8)]}],
    "scaled_dot_product_attention": [{"query": f(2, 3, 5, 4), "key": f(2, 3, 6, 4), "value": f(2, 3, 6, 2)}, {"query": f(2, 5, 4), "key": f(2, 5, 4), "value": f(2, 5, 4), "is_causal": True, "scale": 0.3},
                                     {"query": f(1, 5, 4), "key": f(1, 6, 4), "value": f(1, 6, 4), "attn_mask": torch.ones(5, 6, dtype=torch.bool).tril(1)},
                                     {"query": f(1, 5, 4), "key": f(1, 6, 4), "value": f(1, 6, 4), "attn_mask": f(5, 6)}],
    "conv1d": [dict(c, **p) for c in conv1 for p in [{}]] + [dict(input=f(2, 3, 8), weight=f(5, 3, k), **p) for p in conv_padding for k in (3, 4)],
    "conv2d": conv2 + [dict(input=f(2, 3, 8, 7), weight=f(5, 3, *k), dilation=dd, **p) for p in conv_padding for k, dd in (((3, 3), 1), ((2, 5), 1), ((2, 2), 3))],
    "conv3d": conv3 + [dict(input=f(1, 2, 5, 4, 6), weight=f(3, 2, 2, 2, 3), **p) for p in conv_padding],
    "convolution": [{"input": f(2, 4, 7), "weight": f(4, 3, 3)}, {"input": f(2, 4, 7), "weight": f(4, 3, 3), "bias": f(6), "stride": 2, "padding": 1, "output_padding": 1, "groups": 2},
                    {"input": f(2, 4, 5, 6), "weight": f(4, 3, 3, 2), "stride": [2, 1], "padding": [1, 0], "dilation": 2}, {"input": f(4, 5, 6), "weight": f(4, 3, 3, 2)},
                    {"input": f(1, 2, 3, 4, 3), "weight": f(2, 2, 2, 2, 2), "bias": f(2), "stride": [1, 2, 1], "output_padding": [0, 1, 0]},
                    {"input": f(2, 4, 5, 6), "weight": f(4, 3, 3, 2), "bias": f(6), "stride": [2, 1], "padding": [1, 0], "output_padding": [1, 0], "groups": 2, "dilation": [1, 1], "transposed": True},
                    {"input": f(2, 4, 7), "weight": f(4, 3, 3), "bias": None, "stride": [2], "padding": [1], "output_padding": [0], "groups": 1, "dilation": [1], "transposed": True},
                    {"input": f(1, 2, 3, 4, 3), "weight": f(2, 2, 2, 2, 2), "bias": f(2), "stride": [1, 2, 1], "padding": [0, 0, 0], "output_padding": [0, 1, 0], "groups": 1, "dilation": [1, 1, 1], "transposed": True},
                    {"input": f(2, 4, 5, 6), "weight": f(3, 2, 3, 2), "bias": None, "stride": [2, 1], "padding": [1, 0], "output_padding": [0, 0], "groups": 2, "dilation": [1, 2], "transposed": False}],
    "batch_norm": [{"input": f(4, 3), "running_mean": f(3), "running_var": f(3, low=0.5), "weight": f(3), "bias": f(3), "training": False, "momentum": 0.1, "eps": 1e-5},
                   {"input": f(2, 3, 4, 5), "running_mean": f(3), "running_var": f(3, low=0.5), "weight": None, "bias": None, "training": False, "momentum": 0.1, "eps": 1e-3},
                   {"input": f(4, 3, 2), "running_mean": f(3), "running_var": f(3, low=0.5), "weight": f(3), "bias": f(3), "training": True, "momentum": 0.3, "eps": 1e-5},
                   {"input": f(4, 3), "running_mean": None, "running_var": None, "weight": None, "bias": f(3), "training": True, "momentum": 0.1, "eps": 1e-5}],
    "layer_norm": [{"input": f(2, 3, 4), "normalized_shape": [4], "weight": f(4), "bias": f(4)}, {"input": f(2, 3, 4), "normalized_shape": [3, 4], "eps": 1e-3}, {"input": f(0, 4), "normalized_shape": [4]}],
    "native_layer_norm": [{"input": f(2, 3, 4), "normalized_shape": [4], "weight": f(4), "bias": f(4), "eps": 1e-5}, {"input": f(2, 3, 4), "normalized_shape": [3, 4], "weight": None, "bias": None, "eps": 1e-3}],
    "rms_norm": [{"input": f(2, 3, 4), "normalized_shape": [4], "weight": f(4)}, {"input": f(2, 3, 4), "normalized_shape": [3, 4], "eps": 1e-3}],
    "group_norm": [{"input": f(2, 6, 3), "num_groups": 2, "weight": f(6), "bias": f(6)}, {"input": f(2, 4), "num_groups": 4}],
    "max_pool2d": pool + [{"input": f(1, 1, 9, 9), "kernel_size": 3, "dilation": 2, "padding": 1}],
    "avg_pool2d": pool + [{"input": f(1, 1, 5, 5), "kernel_size": 2, "padding": 1, "count_include_pad": False}, {"input": f(1, 1, 5, 5), "kernel_size": 2, "divisor_override": 3}],
    "adaptive_avg_pool2d": [{"input": f(2, 3, 7, 5), "output_size": [3, 2]}, {"input": f(3, 7, 5), "output_size": 1}, {"input": f(2, 3, 7, 5), "output_size": [None, 4]}],
    "sum": reduce + reduce_int + with_dtype + empty_reduce, "mean": reduce + with_dtype + [{"input": f(0, 3), "dims": [0]}],
    "prod": [c for c in reduce + reduce_int + with_dtype + empty_reduce if not isinstance(c.get("dims"), list) or len(c["dims"]) == 1],
    "amax": reduce + reduce_int, "amin": reduce + reduce_int, "any": reduce + reduce_int + reduce_byte + empty_reduce, "all": reduce + reduce_int + reduce_byte + empty_reduce,
    "var": [dict(c, **e) for c in reduce for e in ({}, {"correction": 0}, {"_unbiased": False}, {"_unbiased": True})] + [{"input": f(2, 3), "dims": [0], "correction": 2.5}],
    "logsumexp": [c for c in reduce if "dims" in c], "vector_norm": [dict(c, ord=o) for c in reduce for o in (2, 1, math.inf, -math.inf, 0, 3.5)],
    "argmax": [{"input": f(2, 3)}, {"input": f(2, 3), "dim": 0}, {"input": f(2, 3), "dim": -1, "keepdim": True}, {"input": special()}], "argmin": [{"input": f(2, 3)}, {"input": i(2, 3), "dim": 1}],
    "max_dim": [{"input": f(2, 3), "dim": 0}, {"input": f(2, 3), "dim": -1, "keepdim": True}, {"input": special(), "dim": 0}], "min_dim": [{"input": f(2, 3), "dim": 0}, {"input": f(3, 2, dtype=bf), "dim": 1}],
    "softmax": [dict(c, _half_to_float=False) for c in along] + [{"input": f(2, 3), "dim": 1, "_dtype": d, "_half_to_float": False}, {"input": f(2, 3), "_half_to_float": False}, {"input": i(2, 3), "dim": 0, "_dtype": torch.float32, "_half_to_float": False},
                {"input": torch.full((2, 3), -math.inf), "dim": 1, "_half_to_float": False}],
    "prepare_softmax_online": [{"input": f(2, 3, 4), "dim": 1}, {"input": f(2, 3, dtype=d), "dim": -1}, {"input": special().reshape(2, 4), "dim": 0},
                               {"input": torch.full((2, 3), -math.inf), "dim": 1}],
    "log_softmax": [dict(c, _half_to_float=False) for c in along] + [{"input": f(2, 3, 2), "_half_to_float": False}],
    "cumsum": along + [{"input": i(2, 3, dtype=torch.int32), "dim": 1}, {"input": b(4), "dim": 0}, {"input": b(4), "dim": 0, "_dtype": bf}, {"input": i(3), "dim": 0, "_dtype": torch.int32}],
    "cumprod": along + [{"input": i(2, 3, dtype=torch.int32), "dim": 1}, {"input": f(3), "dim": 0, "_dtype": d}],
    "topk": [{"input": f(2, 5), "k": 2}, {"input": f(5, 2), "k": 3, "dim": 0, "largest": False}, {"input": f(4), "k": 0}],
    "sort": [{"input": f(2, 5), "_stable": True}, {"input": f(5, 2), "dim": 0, "descending": True, "_stable": True}, {"input": special()[:3], "_stable": True}],
    "index": [{"input": f(5, 4), "indices": [i(3, low=0, high=5)]}, {"input": f(5, 4), "indices": [None, i(2, 3, low=-4, high=4)]}, {"input": f(3, 4, 5), "indices": [i(2, low=0, high=3), None, i(2, low=0, high=5)]},
              {"input": f(3, 4), "indices": [i(2, 1, low=0, high=3), i(3, low=0, high=4)]}, {"input": f(3, 4), "indices": [i(2, low=0, high=3, dtype=torch.int32)]}],
    "index_put": [{"input": f(5, 4), "indices": [i(3, low=0, high=5)], "values": f(4), "accumulate": True}, {"input": f(5, 4), "indices": [None, torch.tensor([0, -1])], "values": f(5, 2)},
                  {"input": f(5), "indices": [torch.tensor([1, 3])], "values": f()}],
    "unsafe_index": [{"input": f(5, 4), "indices": [i(3, low=0, high=5)]}, {"input": f(3, 4, 5), "indices": [i(2, low=0, high=3), None, i(2, low=0, high=5)]}],
    "unsafe_index_put": [{"input": f(5, 4), "indices": [i(3, low=0, high=5)], "values": f(4), "accumulate": True}, {"input": f(5), "indices": [torch.tensor([1, 3])], "values": f()}],
    "index_select": [{"input": f(5, 4), "index": i(3, low=0, high=5), "dim": 0}, {"input": f(5, 4), "index": i(3, low=0, high=4, dtype=torch.int32), "dim": -1}],
    "gather": [{"input": f(3, 4), "index": i(2, 4, low=0, high=3), "dim": 0}, {"input": f(3, 4), "index": i(3, 2, low=0, high=4), "dim": -1}],
    "scatter": [{"input": f(3, 4), "index": torch.tensor([[0, 1, 2, 0]]), "src": f(2, 4), "dim": 0}, {"input": f(3, 4), "index": torch.tensor([[3], [0], [1]]), "src": f(3, 2), "dim": -1}],
    "scatter_reduce": [
        {"input": f(3, 4), "index": i(2, 4, low=0, high=3), "src": f(2, 4), "dim": 0, "reduce": "amax"},
        {"input": f(3, 4), "index": i(3, 2, low=0, high=4), "src": f(3, 2), "dim": 1, "reduce": "mean", "include_self": False},
        {"input": i(5), "index": i(4, low=0, high=5), "src": i(4), "dim": 0, "reduce": "prod"}],
    "scatter_add": [{"input": f(3, 4), "index": i(2, 4, low=0, high=3), "src": f(2, 4), "dim": 0}, {"input": f(3, 4), "index": i(3, 2, low=0, high=4), "src": f(3, 2), "dim": 1}],
    "embedding": [{"weight": f(7, 3), "indices": i(2, 4, low=0, high=7)}, {"weight": f(7, 3), "indices": i(0, low=0, high=7)}, {"weight": f(7, 3), "indices": i(3, low=0, high=7, dtype=torch.int32)}],
    "full": [{"_size": [2, 3], "_result_dtype": torch.float32, "_input": f(2, 2)}, {"_size": [0], "_result_dtype": torch.int64, "_input": f(0)}, {"_size": [], "_result_dtype": torch.bool, "_input": i(3)},
             {"value": 3, "_result_dtype": torch.float32}, {"value": -1.5},
             dict(shape_like, _input=f(2, 2)), dict(shape_like, _size=[0, 3], value=7, _result_dtype=torch.int64, _input=i(3)), dict(shape_like, _size=[], value=True, _result_dtype=torch.bool, _input=b(3)),
             dict(shape_like, _size=[2], value=math.inf, _result_dtype=bf, _input=f(2, dtype=bf)), {"_size": [2, 3], "value": -1, "_input": f(2, 0)}],
    "arange": [{"start": 2, "_end": 9}, {"start": -1.5, "_end": 2.0, "_result_dtype": torch.float32}, {"_end": 5, "_args": [5]}, {"start": 2, "_end": 9, "step": 3, "_args": [2, 9, 3]}, {"start": -1.5, "_end": 2.0, "step": 0.5, "_args": [1.0, 2.0]}, {"_end": 3, "_args": [3], "_result_dtype": torch.float32}, {"_end": 0, "_args": [0]}],
    "rand": [{"_size": [2, 3], "_input": f(2, 3)}], "randn": [{"_size": [2, 3], "_input": f(2, 3)}],
    "bernoulli": [{"_input": f(2, 3), "p": 0.3}, {"_input": i(4), "p": 1.0}], "randperm": [{"_n": 7}, {"_n": 0}],
    "randint": [{"_size": [2, 3], "_input": i(2, 3), "high": 9}, {"_size": [4], "_input": f(4), "low": -2, "high": 3}],
    "inductor_seed": [{"_device": torch.device("cpu")}], "inductor_seeds": [{"_count": 3, "_device": torch.device("cpu")}],
    "inductor_lookup_seed": [{"seeds": i(3), "index": 2}],
    "inductor_random": [{"_size": [2, 3], "seed": torch.tensor(7), "mode": "rand"}, {"_size": [0], "seed": torch.tensor(7), "mode": "randn"}],
    "inductor_randint": [{"_size": [2, 3], "seed": torch.tensor(7), "low": -2, "high": 9}],
    "exponential": [{"_input": f(2, 3)}, {"_input": f(2, 0, dtype=bf), "rate": 2.5}],
    "quantize_per_tensor": [dict(_quant, input=f(2, 3, low=-60, high=60), _result_dtype=torch.int8, quant_min=-128, quant_max=127),
                            dict(_quant, input=f(4, low=-9, dtype=bf), _result_dtype=torch.uint8, zero_point=7, quant_min=0, quant_max=255),
                            dict(_quant, input=torch.tensor([0.0, -0.0, 0.125, 0.375, -0.625, math.inf, -math.inf]), scale=0.25, _result_dtype=torch.int16, quant_min=-100, quant_max=100),
                            dict(_quant, input=f(0, 2, dtype=h), _result_dtype=torch.int32, quant_min=-5, quant_max=5)],
    "dequantize_per_channel": [
        {"input": i(3, 4, low=-128, high=128, dtype=torch.int8), "scales": f(3, low=0.01, high=0.2), "zero_points": i(3, low=-5, high=5), "axis": 0,
         "quant_min": -128, "quant_max": 127, "_input_dtype": torch.int8},
        {"input": i(2, 3, 2, low=0, high=256, dtype=torch.uint8), "scales": f(3, low=0.01, high=0.2, dtype=torch.float64),
         "zero_points": i(3, low=-100, high=100, dtype=torch.int8), "axis": 1, "quant_min": 0, "quant_max": 255, "_input_dtype": torch.uint8},
        {"input": i(3, 4, low=-128, high=128, dtype=torch.int8), "scales": f(4, low=0.01, high=0.2), "zero_points": None, "axis": 1,
         "quant_min": -128, "quant_max": 127, "_input_dtype": torch.int8, "_result_dtype": bf},
        # Differences wrap in int8.
        {"input": i(3, 4, low=-128, high=128, dtype=torch.int8), "scales": f(3, low=0.01, high=0.2), "zero_points": i(3, low=-100, high=100, dtype=torch.int8),
         "axis": 0, "quant_min": -128, "quant_max": 127, "_input_dtype": torch.int8}],
    "cvt_e8m0_rceil": [{"input": torch.cat([special(), torch.tensor([1e-40, 2.0 ** -127, 3.4e38, 2.0 ** 127, 1.5, 4.0, -6.0])])},
                       {"input": f(2, 3, dtype=bf)}, {"input": f(0, dtype=h)}],
    "dequantize_per_tensor": [dict(_quant, input=i(2, 3, low=-128, high=128, dtype=torch.int8), _input_dtype=torch.int8, quant_min=-128, quant_max=127),
                              dict(_quant, input=i(4, low=0, high=256, dtype=torch.uint8), _input_dtype=torch.uint8, quant_min=0, quant_max=255, zero_point=128),
                              dict(_quant, input=i(4, low=-2**31, high=2**31, dtype=torch.int32), _input_dtype=torch.int32, quant_min=-9, quant_max=9, _result_dtype=d),
                              dict(_quant, input=i(5, low=-90, high=90, dtype=torch.int16), _input_dtype=torch.int16, quant_min=-100, quant_max=100, _result_dtype=bf)],
    "clone": [{"input": f(2, 3)}, {"input": f(2, 3).t()}, {"input": f(0)}], "contiguous": [{"input": f(2, 3)}, {"input": f(2, 3).t()}],
    "sym_size": [{"input": f(2, 3), "dim": -1}],
}
for _name in "tanh sigmoid silu exp exp2 expm1 log log1p log2 log10 sqrt rsqrt reciprocal sin cos tan asin acos atan asinh acosh atanh sinh cosh erf erfc angle".split():
    CASES[_name] = unary_float
for _name in "log_sigmoid hardsigmoid hardswish mish silu".split():
    CASES[_name] = [c for c in unary_float if c["input"].is_floating_point()]
for _name in "relu neg abs sign ceil floor round trunc detach isnan isinf isfinite logical_not".split():
    CASES[_name] = unary_any
# NaNs with either sign: the bit says it, not the number.
CASES["signbit"] = [*unary_any, {"input": b(3)}, {"input": torch.tensor([-math.nan, math.nan, -0.0, 0.0]).copysign(torch.tensor([-1.0, 1, -1, 1]))},
                    {"input": torch.tensor([-math.nan, math.nan], dtype=h).copysign(torch.tensor([-1.0, 1], dtype=h))}, {"input": i(3, dtype=torch.int8)}]
CASES["bitwise_not"] = [{"input": i(2, 3)}, {"input": b(3)}, {"input": i(3, low=0, dtype=torch.uint8)}]
for _name in "eq ne lt le gt ge logical_and logical_or logical_xor".split():
    CASES[_name] = binary
for _name in "bitwise_and bitwise_or bitwise_xor".split():
    CASES[_name] = int_binary
for _name in "bitwise_left_shift bitwise_right_shift".split():
    CASES[_name] = [c for c in int_binary if all(getattr(v, "dtype", None) != torch.bool for v in c.values())]
# Ops that no PyTorch callable spells: constants, passes' products, effects.
NO_OVERLOADS = {"constant", "copy_", "opaque", "linear_transpose", "transpose_linear", "transpose_matmul", "mm_plus_mm", "assert_scalar", "assert_tensor_metadata",
                "relu_nan_to_num", "dot_compress", "lce", "narrow", "int_mm_mul", "grouped_mm", "b2b_gemm",
                "fused_all_gather_matmul", "fused_matmul_reduce_scatter", "fused_all_gather_scaled_matmul", "fused_scaled_matmul_reduce_scatter",
                # Calls with subgraphs are in test_higher_order.py, those on copies in test_auto_functionalized.py.
                "cond", "while_loop", "map", "scan", "yield", "auto_functionalized", "invoke_quant",
                # The library's own are in test_packed.py.
                "linear_pointwise", "convolution_pointwise", "qlinear_pointwise", "qconv_pointwise", "weight_int4pack_mm"}
# Ops that need processes beside this one: test_collectives.py.
COLLECTIVES = {"all_gather_into_tensor", "all_reduce", "all_reduce_coalesced", "reduce_scatter_tensor", "wait_tensor",
               "all_gather_into_tensor_coalesced", "all_to_all_single", "broadcast", "reduce_scatter_tensor_coalesced"}
