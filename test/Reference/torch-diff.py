# REQUIRES: torch
# RUN: %torch_python %s --ops-json=%lib_dir/../include/fxgraph/Dialect/IR/FxGraphOps.json
"""Compares every op's evaluator with PyTorch eager on the CPU.

Each case is a function of one op in generic form: its inputs, its attributes, the
PyTorch call that it models and how close the results must be. The declared result
types come from PyTorch's results, so that type inference is compared as well. All
functions go through one run of fx-run; then the results are compared here. A case
whose PyTorch call raises must fail in fx-run too (or be refused by the verifier,
for which such cases have dynamic shapes).

Every op of the dialect must have a case.
"""
import argparse
import itertools
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import time
import warnings

import torch
import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

NAN, INF = float("nan"), float("inf")
f64, f32, f16, bf16 = torch.float64, torch.float32, torch.float16, torch.bfloat16
i64, i32, i16, i8, u8, b1 = torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool
FLOATS, INTS = [f32, f64, f16, bf16], [i64, i32, i16, i8, u8]
NAMES = {f64: "f64", f32: "f32", f16: "f16", bf16: "bf16", i64: "i64", i32: "i32", i16: "i16", i8: "i8", u8: "ui8", b1: "i1",
         torch.float8_e4m3fn: "f8E4M3FN", torch.float8_e5m2: "f8E5M2"}
SPECIALS = [0.0, -0.0, NAN, INF, -INF, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -3.0, 6.0, 1e-30, -1e-30, 1e30, 88.5, -88.5, 20.5, 1e-3]

# How close: (relative, absolute) per dtype.
EXACT = "exact"
ONE_ULP = {f64: (3e-16, 0), f32: (1.3e-7, 2e-45), f16: (1e-3, 6e-8), bf16: (8e-3, 1e-40)}
FUNCTION = {f64: (1e-13, 1e-300), f32: (1e-6, 1e-37), f16: (2e-3, 1e-7), bf16: (1.6e-2, 1e-37)}
SUMS = {f64: (1e-12, 1e-13), f32: (1e-5, 1e-5), f16: (4e-3, 4e-3), bf16: (2e-2, 2e-2)}

cases = []
generator = torch.Generator().manual_seed(7)


def randn(*shape, dtype=f32):
    if dtype == b1:
        return torch.randint(0, 2, shape, generator=generator).to(b1)
    if not dtype.is_floating_point:
        return torch.randint(0 if dtype == u8 else -5, 6, shape, generator=generator).to(dtype)
    return torch.randn(shape, generator=generator, dtype=f64).to(dtype)


def special(dtype, extra=()):
    """A vector of special and ordinary numbers; long enough for vectorised loops."""
    if dtype == b1:
        return torch.tensor([True, False] * 20)
    if not dtype.is_floating_point:
        info = torch.iinfo(dtype)
        values = [0, 1, 2, 3, 5, 7, info.max, info.min, info.max - 1] + ([] if dtype == u8 else [-1, -2, -3, -7])
        return torch.tensor((values * 4)[:40], dtype=dtype)
    return torch.cat([torch.tensor(SPECIALS + list(extra), dtype=f64), torch.randn(40, generator=generator, dtype=f64) * 3]).to(dtype)


def pairs(dtype):
    """All pairs of special values."""
    values = special(dtype)[:22] if dtype.is_floating_point else special(dtype)[:13]
    return values.repeat_interleave(len(values)), values.repeat(len(values))


class Case:
    def __init__(self, op, inputs, call, attrs=None, tol=EXACT, results=1, segments=None, dynamic=False, operands=None, signs=True):
        self.op, self.inputs, self.call, self.attrs = op, inputs, call, attrs or {}
        self.tol, self.segments, self.dynamic, self.signs = tol, segments, dynamic, signs
        self.operands = operands
        self.name = f"c{len(cases)}_{op}"
        try:
            self.expected = call(*[x.clone() if isinstance(x, torch.Tensor) else x for x in inputs if x is not None])
        except (RuntimeError, IndexError, ValueError, ZeroDivisionError, NotImplementedError, TypeError) as error:
            self.expected, self.error = None, str(error)
        if isinstance(self.expected, torch.Tensor):
            self.expected = (self.expected,)
        self.result_count = results
        cases.append(self)


def case(op, inputs, call, **kwargs):
    return Case(op, list(inputs), call, **kwargs)


def literal(value):
    """A Python number as a rank-0 constant: a wrapped number."""
    if isinstance(value, bool):
        return f"dense<{str(value).lower()}> : tensor<i1>"
    if isinstance(value, int):
        return f"dense<{value}> : tensor<i64>"
    return f"dense<{float_text(value)}> : tensor<f64>"


def float_text(value):
    if math.isnan(value) or math.isinf(value):
        return hex(struct.unpack("<Q", struct.pack("<d", value))[0])
    text = repr(float(value))
    return text if "." in text else text.replace("e", ".0e")


def attribute(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value} : i64"
    if isinstance(value, float):
        return f"{float_text(value)} : f64"
    if isinstance(value, (list, tuple)):
        return "array<i64: " + ", ".join(map(str, value)) + ">" if value else "array<i64>"
    if isinstance(value, torch.dtype):
        return NAMES[value]
    return '"' + str(value) + '"'


def type_of(tensor, dynamic):
    extents = "".join(("?" if dynamic else str(n)) + "x" for n in tensor.shape)
    return f"tensor<{extents}{NAMES[tensor.dtype]}>"


def function_text(c):
    body, names, types, arguments = "", [], [], []
    for i, x in enumerate(c.inputs):
        if x is None:
            continue
        if isinstance(x, torch.Tensor):
            arguments.append(f"%a{i}: {type_of(x, c.dynamic)}")
            types.append(type_of(x, c.dynamic))
        else:
            body += f"  %a{i} = fxgraph.constant {literal(x)}\n"
            types.append(literal(x).split(" : ")[1])
        names.append(f"%a{i}")
    attrs = [f"{k} = {attribute(v)}" for k, v in c.attrs.items() if v is not None]
    if c.segments:
        attrs.append("operandSegmentSizes = array<i32: " + ", ".join(map(str, c.segments)) + ">")
    attrs = " <{" + ", ".join(attrs) + "}>" if attrs else ""
    if c.expected is not None:
        results = [type_of(t, c.dynamic) for t in c.expected]
    else:
        results = c.error_results
    results_text = ", ".join(results)
    count = len(results)
    left = f"%r:{count} = " if count > 1 else "%r = " if count else ""
    returned = ", ".join(f"%r#{i}" for i in range(count)) if count > 1 else "%r" if count else ""
    operands = ", ".join(names)
    body += f'  {left}"fxgraph.{c.op}"({operands}){attrs} : ({", ".join(types)}) -> ({results_text})\n'
    body += f"  return {returned}{' : ' if count else ''}{results_text}\n"
    return f"func.func @{c.name}({', '.join(arguments)}) -> ({results_text}) {{\n{body}}}\n"


def raises(op, inputs, call, results, **kwargs):
    """A case that PyTorch refuses; shapes are dynamic, so that the verifier lets it through."""
    c = Case(op, list(inputs), call, dynamic=True, **kwargs)
    assert c.expected is None, f"{op}: PyTorch accepts {inputs}"
    c.error_results = [f"tensor<{'?x' * rank}{NAMES[dtype]}>" for rank, dtype in results]
    return c


def both(op, inputs, call, **kwargs):
    """Static and dynamic shapes."""
    case(op, inputs, call, **kwargs)
    case(op, inputs, call, dynamic=True, **kwargs)


# ===----------------------------------------------------------------------===#
# Pointwise
# ===----------------------------------------------------------------------===#

def pointwise():
    functions = dict(
        tanh=torch.tanh, sigmoid=torch.sigmoid, silu=F.silu, exp=torch.exp, exp2=torch.exp2, expm1=torch.expm1, log=torch.log, log1p=torch.log1p,
        log2=torch.log2, log10=torch.log10, sqrt=torch.sqrt, rsqrt=torch.rsqrt, reciprocal=torch.reciprocal, sin=torch.sin, cos=torch.cos,
        tan=torch.tan, asin=torch.asin, acos=torch.acos, atan=torch.atan, asinh=torch.asinh, acosh=torch.acosh, atanh=torch.atanh, sinh=torch.sinh, cosh=torch.cosh, erf=torch.erf, erfc=torch.erfc, angle=torch.angle,
        log_sigmoid=F.logsigmoid, hardsigmoid=F.hardsigmoid, hardswish=F.hardswish, mish=F.mish)
    # Where large arguments lose all digits of the result, PyTorch's vectorised
    # functions differ from libm: 1e30 is left out.
    periodic = {"sin", "cos", "tan"}
    for name, function in functions.items():
        for dtype in FLOATS:
            x = special(dtype, [0.999, -0.999, 1e-5, -1e-5, 1e-6])
            if name in periodic:
                x = x[(x.abs() < 1e6) | ~x.isfinite()]
            # The two tails of a function that subtracts: compare absolutely.
            tol = dict(FUNCTION)
            if name in ("log_sigmoid", "silu", "mish", "hardswish", "sigmoid", "tan", "sin", "cos", "erf"):
                tol = {k: (v[0], max(v[1], {f64: 1e-15, f32: 3e-7, f16: 1e-3, bf16: 4e-3}[k])) for k, v in tol.items()}
            both(name, [x], function, tol=tol)
        case(name, [randn(0, 3)], function, tol=FUNCTION)
        case(name, [randn()], function, tol=FUNCTION)
    near_zero = {k: (v[0], max(v[1], {f64: 1e-15, f32: 3e-7, f16: 1e-3, bf16: 4e-3}[k])) for k, v in FUNCTION.items()}
    for dtype in FLOATS:
        x = special(dtype)
        for approximate in ("none", "tanh"):
            # PyTorch's CPU kernel approximates erf by a formula that is NaN at infinity.
            x = special(dtype) if approximate == "tanh" else special(dtype)[~special(dtype).isinf()]
            case("gelu", [x], lambda x, a=approximate: F.gelu(x, approximate=a), attrs=dict(approximate=approximate),
                 tol={**near_zero, f32: (1e-6, 2e-6)})
        for beta, threshold in ((1.0, 20.0), (2.0, 5.0), (0.5, 20.0)):
            case("softplus", [x], lambda x, b=beta, t=threshold: F.softplus(x, b, t), attrs=dict(beta=beta, threshold=threshold), tol=near_zero)
        for alpha, scale, input_scale in ((1.0, 1.0, 1.0), (1.6732632423543772, 1.0507009873554805, 1.0), (0.5, 2.0, 0.25)):
            case("elu", [x], lambda x, a=(alpha, scale, input_scale): torch.ops.aten.elu(x, *a),
                 attrs=dict(alpha=alpha, scale=scale, input_scale=input_scale), tol=near_zero)
        for slope in (0.01, 0.2, -0.5):
            case("leaky_relu", [x], lambda x, s=slope: F.leaky_relu(x, s), attrs=dict(negative_slope=slope), tol=ONE_ULP)
    exact = dict(relu=torch.relu, neg=torch.neg, abs=torch.abs, sign=torch.sign, ceil=torch.ceil, floor=torch.floor, round=torch.round,
                 trunc=torch.trunc, nan_to_num=torch.nan_to_num, detach=torch.detach, clone=torch.clone, contiguous=torch.Tensor.contiguous)
    for name, function in exact.items():
        for dtype in FLOATS + INTS:
            case(name, [special(dtype)], function)
    for name in ("relu", "neg", "abs", "ceil", "floor", "round", "trunc"):
        raises(name, [special(b1)], exact[name], [(1, b1)])
    for name in ("sign", "nan_to_num", "detach", "clone"):
        case(name, [special(b1)], exact[name])
    for dtype in FLOATS:
        for kwargs in (dict(nan=1.5), dict(nan=0.0, posinf=2.0), dict(nan=-1.0, posinf=INF, neginf=-3.25)):
            case("nan_to_num", [special(dtype)], lambda x, k=kwargs: torch.nan_to_num(x, **k), attrs=kwargs)
        for low, high in ((-1.0, 2.0), (None, 0.1), (0.1, None), (3.0, -3.0), (NAN, 1.0), (-INF, INF), (0.0, None)):
            case("clamp", [special(dtype)], lambda x, l=low, h=high: torch.clamp(x, l, h), attrs=dict(min=low, max=high), signs=False)
    for dtype in INTS:
        for low, high in ((1, 3), (None, 2), (2, None), (5, 1)):
            case("clamp", [special(dtype)], lambda x, l=low, h=high: torch.clamp(x, l, h),
                 attrs=dict(min=None if low is None else float(low), max=None if high is None else float(high)))
    for dtype in INTS + [b1]:
        case("bitwise_not", [special(dtype)], torch.bitwise_not)
    for name in ("isnan", "isinf", "isfinite", "signbit", "logical_not"):
        for dtype in FLOATS + INTS + [b1]:
            case(name, [special(dtype)], getattr(torch, name))
    for source in FLOATS + INTS + [b1]:
        for target in FLOATS + INTS + [b1]:
            x = special(source)
            if source.is_floating_point and not target.is_floating_point and target != b1:
                # Out of range is undefined in C++, and so in PyTorch.
                x = x[x.isfinite() & (x.abs() < 100) & ((x > -1) if target == u8 else (x > -100))]
            case("convert_element_type", [x], lambda x, t=target: x.to(t))
    case("convert_element_type", [torch.tensor([2**53 + 1, 2**60 + 2**36 + 1, -(2**62) - 12345], dtype=i64)], lambda x: x.to(f32))
    case("convert_element_type", [torch.tensor([1.0 + 1 / 256 + 2**-40, 65519.999999], dtype=f64)], lambda x: x.to(bf16))
    for target in (torch.float8_e4m3fn, torch.float8_e5m2):
        x = torch.tensor([0.0, -0.0, 1.0, 1.06, 1.0625, 1.07, -3.3, 0.001, 0.002, 240.0, 440.0, 448.0, 1e-9], dtype=f32)
        case("convert_element_type", [x], lambda x, t=target: x.to(t))
        case("convert_element_type", [x.to(target)], lambda x: x.to(f32))
    case("dropout", [special(f32)], lambda x: F.dropout(x, 0.5, training=False), attrs=dict(p=0.5, training=False))
    case("dropout", [special(f32)], lambda x: F.dropout(x, 0.0, training=True), attrs=dict(p=0.0))
    case("dropout", [special(f32)], lambda x: F.dropout(x, 1.0, training=True), attrs=dict(p=1.0))


def binary():
    arithmetic = dict(add=torch.add, sub=torch.sub, mul=torch.mul, maximum=torch.maximum, minimum=torch.minimum)
    shapes = [((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2, 2)), ((2, 2), ()), ((0, 3), (1, 3)), ((4, 1, 2), (3, 1)), ((1,), (0,))]
    for name, function in arithmetic.items():
        zero_signs = name not in ("maximum", "minimum")
        for dtype in FLOATS + INTS:
            case(name, pairs(dtype), function, signs=zero_signs)
        for a, b in shapes:
            both(name, [randn(*a), randn(*b)], function)
            case(name, [randn(*a, dtype=i32), randn(*b, dtype=i32)], function)
        if name != "sub":
            case(name, [torch.tensor([False, False, True, True]), torch.tensor([False, True, False, True])], function)
        else:
            raises(name, [special(b1), special(b1)], function, [(1, b1)])
        raises(name, [randn(2), randn(3)], function, [(1, f32)])
        raises(name, [randn(2, 2), randn(3, 2)], function, [(2, f32)])
    for alpha in (2.0, -0.3, 0.0):
        for dtype in FLOATS:
            a, b = pairs(dtype)
            # PyTorch's vector loops fuse the multiply-add: one ulp, and none of the overflow.
            finite = (a.abs() < 1e20) & (b.abs() < 1e20)
            a, b = a[finite], b[finite]
            # (And its CPU kernels round alpha to the dtype: see Pointwise.cpp.)
            tol = {**FUNCTION, bf16: (1.6e-2, 0.3), f16: (2e-3, 0.03)}
            case("add", [a, b], lambda a, b, k=alpha: torch.add(a, b, alpha=k), attrs=dict(alpha=alpha), tol=tol, signs=False)
            case("sub", [a, b], lambda a, b, k=alpha: torch.sub(a, b, alpha=k), attrs=dict(alpha=alpha), tol=tol, signs=False)
    for dtype in INTS:
        case("add", pairs(dtype), lambda a, b: torch.add(a, b, alpha=3), attrs=dict(alpha=3.0))
        case("sub", pairs(dtype), lambda a, b: torch.sub(a, b, alpha=3), attrs=dict(alpha=3.0))
        raises("add", pairs(dtype), lambda a, b: torch.add(a, b, alpha=1.5), [(1, dtype)], attrs=dict(alpha=1.5))
    for dtype in FLOATS:
        x = special(dtype)
        for nan, posinf in ((0.0, None), (-2.0, 3.0), (NAN, INF), (1.5, -1.0)):
            attrs = {k: v for k, v in (("nan", nan), ("posinf", posinf)) if v is not None}
            both("relu_nan_to_num", [x], lambda x, n=nan, p=posinf: torch.nan_to_num(torch.relu(x), n, p), attrs=attrs, signs=False)
    quantized = torch.ops.quantized_decomposed
    for dtype, low, high in ((i8, -128, 127), (u8, 0, 255), (i16, -32768, 32767), (i32, -1000, 1000), (i8, 3, -3)):
        for scale, zero in ((1.0, 0), (0.37, -3), (-0.1, 5), (1e-6, 100), (1e30, 7)):
            attrs = dict(scale=scale, zero_point=zero, quant_min=low, quant_max=high)
            arguments = (scale, zero, low, high, dtype)
            for source in (f32, f16, bf16):
                x = special(source, (0.185, 0.555, 2.5, 3.5, 1e4))
                both("quantize_per_tensor", [x[~x.isnan()]], lambda x, a=arguments: quantized.quantize_per_tensor.default(x, *a), attrs=attrs)
            for target in FLOATS:
                both("dequantize_per_tensor", [special(dtype)], lambda x, a=arguments, t=target: quantized.dequantize_per_tensor.default(x, *a, out_dtype=t), attrs=attrs,
                     tol={**ONE_ULP, bf16: (1.6e-2, 3e-2), f16: (4e-3, 4e-3)} if target in (f16, bf16) else EXACT)
    # Wrapped numbers. (bf16 and f16: PyTorch's CPU kernels round the number to the
    # dtype first, but for x * v and x / v; its GPU kernels and ours do not.)
    for value in (0.1, 3, -2.5, 0, NAN, INF):
        for dtype in FLOATS:
            x = special(dtype)
            narrow = dtype in (bf16, f16)
            for name, function in arithmetic.items():
                if name in ("maximum", "minimum"):
                    case(name, [x, value], lambda x, v=value, f=function: f(x, torch.tensor(v, dtype=f64 if isinstance(v, float) else i64)), signs=False)
                    continue
                rounded = {bf16: (1.6e-2, 2e-3), f16: (2e-3, 3e-4)}
                case(name, [x, value], lambda x, v, f=function: f(x, v), tol=rounded if narrow and name != "mul" else EXACT)
                tol = rounded if narrow else EXACT
                case(name, [value, x], lambda v, x, f=function: f(torch.tensor(v, dtype=f64 if isinstance(v, float) else i64), x), tol=tol)
            case("div", [x, value], torch.div)
        if isinstance(value, int):
            for dtype in INTS:
                for name in ("add", "sub", "mul"):
                    case(name, [special(dtype), value], arithmetic[name])
    case("add", [special(u8), 300], torch.add)
    case("lt", [special(u8), 300], torch.lt)
    for dtype in FLOATS:
        a, b = pairs(dtype)
        case("div", [a, b], torch.div)
        for mode in ("trunc", "floor"):
            case("div", [a, b], lambda a, b, m=mode: torch.div(a, b, rounding_mode=m), attrs=dict(rounding_mode=mode))
        x, y = torch.tensor([7.0, -7.0, 7.0, -7.0, 1.0, 0.3, 0.9, 1e6]).to(dtype), torch.tensor([2.0, 2.0, -2.0, -2.0, 0.1, 0.1, 0.3, 0.1]).to(dtype)
        for mode in ("trunc", "floor"):
            case("div", [x, y], lambda a, b, m=mode: torch.div(a, b, rounding_mode=m), attrs=dict(rounding_mode=mode))
        for name in ("remainder", "fmod"):
            finite = b.isfinite() & (b != 0) & a.isfinite() & ((a.abs() < 1e20) | (b.abs() > 1e20))
            case(name, [a[finite], b[finite]], getattr(torch, name), tol=ONE_ULP)
            case(name, [x, y], getattr(torch, name), tol=ONE_ULP)
            case(name, [special(dtype), 2.5], lambda a, b, f=getattr(torch, name): f(a, b), tol=ONE_ULP)
            case(name, [torch.tensor([NAN, 1.0, INF, -1.0, 5.0, -5.0]).to(dtype), torch.tensor([1.0, NAN, 2.0, 0.0, INF, INF]).to(dtype)], getattr(torch, name))
        case("pow", [a, b], torch.pow, tol=FUNCTION)
        for exponent in (2, 3, 0.5, -1, -2, 0, 1, -0.5, 2.0, 0.0, 1.7):
            case("pow", [special(dtype), exponent], torch.pow, tol=FUNCTION)
            case("pow", [special(dtype), torch.tensor(exponent, dtype=dtype)], torch.pow, tol=FUNCTION)
        case("pow", [2.0, special(dtype)], torch.pow, tol=FUNCTION)
        case("atan2", [a, b], torch.atan2, tol=FUNCTION)
        case("copysign", [a, b], torch.copysign)
        if dtype != f16:  # not implemented there
            case("nextafter", [a, b], torch.nextafter)
            case("nextafter", [torch.tensor([0.0, -0.0, INF, -INF, 1.0, NAN]).to(dtype), torch.tensor(0.5).to(dtype)], torch.nextafter)
        for name in ("fmax", "fmin"):
            case(name, [a, b], getattr(torch, name), signs=False)
            case(name, [b, torch.full_like(b, NAN)], getattr(torch, name), signs=False)
    for dtype in INTS:
        a, b = pairs(dtype)
        keep = (b != 0) & ~((a == torch.iinfo(dtype).min) & (b == -1) if dtype != u8 else torch.zeros_like(a, dtype=b1))
        for mode in ("trunc", "floor"):
            case("div", [a[keep], b[keep]], lambda a, b, m=mode: torch.div(a, b, rounding_mode=m), attrs=dict(rounding_mode=mode))
            raises("div", [a, b], lambda a, b, m=mode: torch.div(a, b, rounding_mode=m), [(1, dtype)], attrs=dict(rounding_mode=mode))
        for name in ("remainder", "fmod"):
            case(name, [a[keep], b[keep]], getattr(torch, name))
            raises(name, [a, b], getattr(torch, name), [(1, dtype)])
        base, exponent = special(dtype)[:12], torch.tensor([0, 1, 2, 3, 4, 5] * 2, dtype=dtype)
        case("pow", [base, exponent], torch.pow)
        case("pow", [base, 3], torch.pow)
        if dtype != u8:
            case("pow", [torch.tensor([1, -1, -1, 2, -3], dtype=dtype), torch.tensor([-1, -2, -3, -1, -2], dtype=dtype)], torch.pow)
            case("pow", [base, torch.tensor(-1, dtype=dtype)], torch.pow)
            case("pow", [torch.tensor([1, -1, 0, 2], dtype=dtype), torch.tensor(-3, dtype=dtype)], torch.pow)
        case("gcd", [a, b], torch.gcd)
        case("gcd", [special(dtype)[:12], torch.tensor(12, dtype=dtype)], torch.gcd)
    case("div", [torch.tensor([], dtype=i32), torch.tensor([0], dtype=i32)], lambda a, b: torch.div(a, b, rounding_mode="floor"), attrs=dict(rounding_mode="floor"))
    for name in ("eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor"):
        function = getattr(torch, name)
        for dtype in FLOATS + INTS + [b1]:
            case(name, pairs(dtype) if dtype != b1 else [special(b1), special(b1).flip(0)], function)
        both(name, [randn(2, 1), randn(3)], function)
        if not name.startswith("logical"):
            for dtype in FLOATS:
                case(name, [torch.tensor([0.1, 0.3, 2.5, NAN]).to(dtype), 0.1], function)
                case(name, [special(dtype), 3], function)
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        for dtype in INTS:
            case(name, pairs(dtype), getattr(torch, name))
        case(name, [special(b1), special(b1).flip(0)], getattr(torch, name))
        case(name, [special(i32), 6], getattr(torch, name))
    for name in ("fmax", "fmin"):
        for dtype in INTS:
            case(name, pairs(dtype), getattr(torch, name))
    for name in ("bitwise_left_shift", "bitwise_right_shift"):
        for dtype in INTS:
            values = special(dtype)
            for distance in (0, 1, 3, 7, 8, 15, 31, 63, 100):
                case(name, [values, torch.full_like(values, distance)], getattr(torch, name))
            if dtype != u8:
                case(name, [values, torch.full_like(values, -1)], getattr(torch, name))
            case(name, [values, 2], getattr(torch, name))
    # Rounded once, as the sum in f64 of products that are exact there. (PyTorch's eager form rounds those of 32 bits.)
    for dtype in (bf16, f16, f32):
        a, b = pairs(dtype)
        for c in (a.flip(0), -(a.double() * b.double()).to(dtype)):
            case("fma", [a, b, c], lambda a, b, c: (a.double() * b.double() + c.double()).float().to(a.dtype), tol=ONE_ULP)
    case("fma", [*pairs(f64), torch.tensor(0.0, dtype=f64)], torch.ops.prims.fma)
    case("fma", [torch.tensor([1 + 2.0**-27], dtype=f64)] * 2 + [torch.tensor([-1 - 2.0**-26], dtype=f64)], lambda a, b, c: torch.tensor([2.0**-54], dtype=f64))
    both("fma", [randn(3, 1), randn(2), randn(1, 1)], lambda a, b, c: (a.double() * b.double() + c.double()).float(), tol=ONE_ULP)
    for dtype in INTS + [b1]:
        x = special(dtype)
        case("fma", [x, x.flip(0), x.roll(1)], torch.ops.prims.fma)
    for dtype in FLOATS + INTS + [b1]:
        x = special(dtype)
        case("where", [torch.arange(len(x)) % 3 != 0, x, x.flip(0)], torch.where)
    both("where", [torch.tensor([[True], [False]]), randn(3), randn(2, 1)], torch.where)
    case("where", [torch.tensor(True), randn(3), randn(2, 1)], torch.where)
    for dtype in FLOATS:
        case("where", [torch.tensor([True, False]), 0.1, randn(2, dtype=dtype)], lambda c, a, b: torch.where(c, a, b))
        case("where", [torch.tensor([True, False]), randn(2, dtype=dtype), -INF], lambda c, a, b: torch.where(c, a, b))


# ===----------------------------------------------------------------------===#
# Views, split and cat
# ===----------------------------------------------------------------------===#

def views():
    for dtype in (f32, bf16, i64, b1, u8):
        x = randn(2, 3, 4, dtype=dtype)
        for shape in ([6, 4], [-1], [2, -1, 2], [24], [4, 3, 2], [1, 24, 1]):
            for op in ("reshape", "view"):
                case(op, [x], lambda x, s=shape: x.reshape(s), attrs=dict(shape=shape))
        case("permute", [x], lambda x: x.permute(2, 0, 1), attrs=dict(dims=[2, 0, 1]))
    x = randn(2, 3, 4)
    both("reshape", [x], lambda x: x.reshape(4, 6), attrs=dict(shape=[4, 6]))
    both("reshape", [randn(0, 3)], lambda x: x.reshape(3, 0), attrs=dict(shape=[3, 0]))
    case("reshape", [randn()], lambda x: x.reshape(1, 1), attrs=dict(shape=[1, 1]))
    case("reshape", [randn(1)], lambda x: x.reshape(()), attrs=dict(shape=[]))
    raises("reshape", [x], lambda x: x.reshape(5, 5), [(2, f32)], attrs=dict(shape=[5, 5]))
    raises("reshape", [x], lambda x: x.reshape(-1, 5), [(2, f32)], attrs=dict(shape=[-1, 5]))
    raises("reshape", [randn(0, 3)], lambda x: x.reshape(-1, 0), [(2, f32)], attrs=dict(shape=[-1, 0]))
    for dims in ([0, 1, 2], [2, 1, 0], [-1, 0, 1], [1, -1, -3]):
        both("permute", [x], lambda x, d=dims: x.permute(d), attrs=dict(dims=dims))
    case("permute", [randn()], lambda x: x.permute(()), attrs=dict(dims=[]))
    for a, b in ((0, 1), (-1, -2), (0, -1), (1, 1)):
        both("transpose", [x], lambda x, a=a, b=b: x.transpose(a, b), attrs=dict(dim0=a, dim1=b))
    case("transpose", [randn()], lambda x: x.transpose(0, -1), attrs=dict(dim0=0, dim1=-1))
    for start, end in ((0, -1), (1, 2), (0, 1), (-2, -1), (1, 1)):
        both("flatten", [x], lambda x, s=start, e=end: x.flatten(s, e), attrs=dict(start_dim=start, end_dim=end))
    case("flatten", [randn()], lambda x: x.flatten(), attrs=dict())
    case("flatten", [randn(2, 0, 3)], lambda x: x.flatten(), attrs=dict())
    for dim, sizes in ((0, [2, 1]), (2, [2, 2]), (-1, [2, -1]), (1, [3]), (-1, [-1, 4, 1])):
        both("unflatten", [x], lambda x, d=dim, s=sizes: x.unflatten(d, s), attrs=dict(dim=dim, sizes=sizes))
    raises("unflatten", [x], lambda x: x.unflatten(1, [2, 2]), [(4, f32)], attrs=dict(dim=1, sizes=[2, 2]))
    y = randn(1, 3, 1, 2)
    for dims in (None, [0], [-2], [0, 2], [1], []):
        case("squeeze", [y], lambda x, d=dims: x.squeeze() if d is None else x.squeeze(d), attrs=dict(dims=dims))
    case("squeeze", [randn()], lambda x: x.squeeze(0), attrs=dict(dims=[0]))
    for dim in (0, 1, 3, -1, -2, -4):
        both("unsqueeze", [x], lambda x, d=dim: x.unsqueeze(d), attrs=dict(dim=dim))
    for source, shape in (((1, 3), [2, 3]), ((3,), [2, 3]), ((1,), [4]), ((2, 1), [2, -1]), ((), [2, 2]), ((1, 1), [0, 3]), ((2, 1, 3), [4, 2, 5, 3])):
        both("expand", [randn(*source)], lambda x, s=shape: x.expand(s), attrs=dict(shape=shape))
    raises("expand", [randn(2, 3)], lambda x: x.expand(4, 3), [(2, f32)], attrs=dict(shape=[4, 3]))
    for source, repeats in (((2, 3), [2, 1]), ((2, 3), [1, 2]), ((3,), [2, 2]), ((2, 3), [2, 3]), ((2,), [0]), ((), [3]), ((2, 2), [1, 1, 1])):
        both("repeat", [randn(*source)], lambda x, r=repeats: x.repeat(r), attrs=dict(repeats=repeats))
    z = randn(4, 5)
    for dim, start, end, step in ((0, 1, 3, 1), (1, -3, -1, 1), (1, 0, 99, 2), (0, -99, 99, 3), (-1, 3, 1, 1), (0, 5, 9, 1), (1, 1, 2**63 - 1, 3)):
        both("slice", [z], lambda x, a=(dim, start, end, step): torch.ops.aten.slice.Tensor(x, *a), attrs=dict(dim=dim, start=start, end=end, step=step))
    for dim, index in ((0, 0), (0, -1), (1, 4), (-1, -5)):
        both("select", [z], lambda x, d=dim, i=index: x.select(d, i), attrs=dict(dim=dim, index=index))
    raises("select", [z], lambda x: x.select(0, 4), [(1, f32)], attrs=dict(dim=0, index=4))
    for dims in ([0], [-1], [0, 1], []):
        both("flip", [z], lambda x, d=dims: x.flip(d), attrs=dict(dims=dims))
    case("flip", [randn(0, 2)], lambda x: x.flip([0]), attrs=dict(dims=[0]))
    for shifts, dims in (([1], [0]), ([-2], [1]), ([7, 1], [0, -1]), ([3], []), ([-13], []), ([1, 1], [0, 0])):
        both("roll", [z], lambda x, s=shifts, d=dims: x.roll(s, d), attrs=dict(shifts=shifts, dims=dims))
    case("roll", [randn(0, 2)], lambda x: x.roll([1], [0]), attrs=dict(shifts=[1], dims=[0]))
    for pad, value in (([1, 2], 0.0), ([1, 0, 0, 2], 1.5), ([-1, 2], 3.0), ([-2, -1, -1, 1], 0.0), ([0, 0], 9.0), ([-5, 3], NAN), ([2, -2, 0, -4], INF)):
        both("constant_pad_nd", [z], lambda x, p=pad, v=value: torch.constant_pad_nd(x, p, v), attrs=dict(pad=pad, value=value))
    case("constant_pad_nd", [randn(3, dtype=i32)], lambda x: torch.constant_pad_nd(x, [1, 1], 7), attrs=dict(pad=[1, 1], value=7.0))
    raises("constant_pad_nd", [z], lambda x: torch.constant_pad_nd(x, [-3, -3], 0), [(2, f32)], attrs=dict(pad=[-3, -3]))
    for diagonal in (0, 1, -1, 5, -5):
        for shape in ((3, 4), (4, 3), (2, 3, 3), (0, 3)):
            both("triu", [randn(*shape)], lambda x, d=diagonal: x.triu(d), attrs=dict(diagonal=diagonal))
            both("tril", [randn(*shape)], lambda x, d=diagonal: x.tril(d), attrs=dict(diagonal=diagonal))
    case("tril", [torch.ones(3, 3, dtype=b1)], lambda x: x.tril(), attrs=dict())
    for dim, start, end, step, shape in ((0, 1, 3, 1, (2, 5)), (1, 0, 99, 2, (4, 3)), (-1, -2, 2**63 - 1, 1, (4, 2)), (0, 3, 1, 1, (0, 5))):
        both("slice_scatter", [z, randn(*shape)], lambda x, s, a=(dim, start, end, step): torch.slice_scatter(x, s, *a),
             attrs=dict(dim=dim, start=start, end=end, step=step))
    raises("slice_scatter", [z, randn(3, 5)], lambda x, s: torch.slice_scatter(x, s, 0, 1, 3), [(2, f32)], attrs=dict(dim=0, start=1, end=3))
    for dim, index, shape in ((0, 1, (5,)), (-1, -2, (4,))):
        both("select_scatter", [z, randn(*shape)], lambda x, s, a=(dim, index): torch.select_scatter(x, s, *a), attrs=dict(dim=dim, index=index))


def split_cat():
    for dtype in (f32, bf16, i64, b1):
        x = randn(10, 3, dtype=dtype)
        for size, dim in ((4, 0), (10, 0), (3, 0), (99, 0), (1, 1), (2, -1)):
            case("split", [x], lambda x, s=size, d=dim: x.split(s, d), attrs=dict(split_size=size, dim=dim))
        for chunks, dim in ((4, 0), (6, 0), (1, 0), (3, 1), (99, -2)):
            case("chunk", [x], lambda x, c=chunks, d=dim: x.chunk(c, d), attrs=dict(chunks=chunks, dim=dim))
        for sizes, dim in (([3, 0, 7], 0), ([1, 2], -1), ([10], 0)):
            case("split_with_sizes", [x], lambda x, s=sizes, d=dim: x.split_with_sizes(s, d), attrs=dict(split_sizes=sizes, dim=dim))
        for dim in (0, -1):
            case("unbind", [x], lambda x, d=dim: x.unbind(d), attrs=dict(dim=dim))
        for dim in (0, 1, -1):
            y = randn(10, 3, dtype=dtype)
            case("cat", [x, y, x], lambda *t, d=dim: torch.cat(t, d), attrs=dict(dim=dim))
        for dim in (0, 1, 2, -1, -3):
            case("stack", [x, randn(10, 3, dtype=dtype)], lambda *t, d=dim: torch.stack(t, d), attrs=dict(dim=dim))
    case("split", [randn(0, 3)], lambda x: x.split(2, 0), attrs=dict(split_size=2, dim=0))
    case("chunk", [randn(0, 3)], lambda x: x.chunk(4, 0), attrs=dict(chunks=4, dim=0))
    raises("split_with_sizes", [randn(4, 3)], lambda x: x.split_with_sizes([1, 2], 0), [(2, f32), (2, f32)], attrs=dict(split_sizes=[1, 2], dim=0))
    both("cat", [randn(2, 3), randn(0, 3), randn(1, 3)], lambda *t: torch.cat(t, 0), attrs=dict(dim=0))
    case("cat", [randn(0), randn(1, 2, 3)], lambda *t: torch.cat(t, -2), attrs=dict(dim=-2))
    case("cat", [randn(0), randn(0)], lambda *t: torch.cat(t, 0), attrs=dict(dim=0))
    case("cat", [randn(2)], lambda *t: torch.cat(t, 0), attrs=dict(dim=0))
    raises("cat", [randn(2, 3), randn(2, 4)], lambda *t: torch.cat(t, 0), [(2, f32)], attrs=dict(dim=0))
    case("stack", [randn(), randn()], lambda *t: torch.stack(t, 0), attrs=dict(dim=0))
    case("stack", [randn(0, 2)], lambda *t: torch.stack(t, -1), attrs=dict(dim=-1))
    raises("stack", [randn(2), randn(3)], lambda *t: torch.stack(t, 0), [(2, f32)], attrs=dict(dim=0))


# ===----------------------------------------------------------------------===#
# Contraction
# ===----------------------------------------------------------------------===#

def contraction():
    for dtype in FLOATS + [i64]:
        r = lambda *s: randn(*s, dtype=dtype)
        for a, b in (((3, 4), (4, 5)), ((4,), (4,)), ((4,), (4, 5)), ((3, 4), (4,)), ((2, 3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)), ((2, 1, 3, 4), (3, 4, 2)),
                     ((4,), (2, 4, 3)), ((2, 3, 4), (4,)), ((0, 3), (3, 2)), ((2, 0), (0, 3)), ((1, 2, 3), (5, 3, 2))):
            both("matmul", [r(*a), r(*b)], torch.matmul, tol=SUMS)
        both("mm", [r(3, 4), r(4, 2)], torch.mm, tol=SUMS)
        case("mm", [r(2, 0), r(0, 3)], torch.mm, tol=SUMS)
        both("bmm", [r(2, 3, 4), r(2, 4, 5)], torch.bmm, tol=SUMS)
        for beta, alpha in ((1, 1), (0, 1), (2, 3), (1, 0), (0, 0)):
            attrs = dict(beta=float(beta), alpha=float(alpha))
            for bias in ((3, 5), (5,), (1, 5), (3, 1), ()):
                case("addmm", [r(*bias), r(3, 4), r(4, 5)], lambda c, a, b, k=(beta, alpha): torch.addmm(c, a, b, beta=k[0], alpha=k[1]), attrs=attrs, tol=SUMS)
            case("baddbmm", [r(2, 3, 5), r(2, 3, 4), r(2, 4, 5)], lambda c, a, b, k=(beta, alpha): torch.baddbmm(c, a, b, beta=k[0], alpha=k[1]), attrs=attrs, tol=SUMS)
            case("baddbmm", [r(5), r(2, 3, 4), r(2, 4, 5)], lambda c, a, b, k=(beta, alpha): torch.baddbmm(c, a, b, beta=k[0], alpha=k[1]), attrs=attrs, tol=SUMS)
        case("addmm", [r(5), r(3, 0), r(0, 5)], torch.addmm, tol=SUMS)
    for beta, alpha in ((1.6, 2.7), (0.5, 1.0), (-1.2, 1.0)):
        case("addmm", [randn(5, dtype=i64), randn(3, 4, dtype=i64), randn(4, 5, dtype=i64)], lambda c, a, b, k=(beta, alpha): torch.addmm(c, a, b, beta=k[0], alpha=k[1]),
             attrs=dict(beta=beta, alpha=alpha))
    for dtype in FLOATS:
        r = lambda *s: randn(*s, dtype=dtype)
        case("addmm", [torch.full((5,), NAN, dtype=dtype), r(3, 4), r(4, 5)], lambda c, a, b: torch.addmm(c, a, b, beta=0), attrs=dict(beta=0.0), tol=SUMS)
        case("baddbmm", [torch.full((5,), NAN, dtype=dtype), r(2, 3, 4), r(2, 4, 5)], lambda c, a, b: torch.baddbmm(c, a, b, beta=0), attrs=dict(beta=0.0), tol=SUMS)
        case("matmul", [torch.tensor([[NAN, 1.0], [INF, 2.0], [1.0, 0.0]], dtype=dtype), torch.tensor([[1.0, 0.0], [0.0, 1.0]], dtype=dtype)], torch.matmul, tol=SUMS)
        for shape in ((4,), (3, 4), (2, 3, 4), (2, 2, 3, 4), (0, 4)):
            both("linear", [r(*shape), r(5, 4), r(5)], F.linear, tol=SUMS)
            case("linear", [r(*shape), r(5, 4)], F.linear, tol=SUMS)
            case("linear", [r(*shape), r(4)], F.linear, tol=SUMS)
        case("linear", [r(3, 4), r(0, 4), r(0)], F.linear, tol=SUMS)
        case("linear_transpose", [r(2, 3, 4), r(5, 4), r(5)], lambda *t: F.linear(*t).transpose(-1, -2), tol=SUMS)
        case("linear_transpose", [r(3, 4), r(5, 4)], lambda *t: F.linear(*t).transpose(-1, -2), tol=SUMS)
        case("transpose_linear", [r(2, 4, 3), r(5, 4), r(5)], lambda x, *t: F.linear(x.transpose(-1, -2), *t), tol=SUMS)
        for ti, to in itertools.product((False, True), repeat=2):
            a, b = r(2, 3, 4), r(2, 4, 5)
            case("transpose_matmul", [a.transpose(-1, -2).contiguous() if ti else a, b.transpose(-1, -2).contiguous() if to else b],
                 lambda a, b, ti=ti, to=to: torch.matmul(a.transpose(-1, -2) if ti else a, b.transpose(-1, -2) if to else b),
                 attrs=dict(trans_input=ti, trans_other=to), tol=SUMS)
        case("mm_plus_mm", [r(3, 4), r(4, 5), r(3, 2), r(2, 5)], lambda a, b, c, d: a @ b + c @ d, tol=SUMS)
        for gelu in (False, True):
            case("addmm_activation", [r(5), r(3, 4), r(4, 5)], lambda c, a, b, g=gelu: torch._addmm_activation(c, a, b, beta=0.5, alpha=2.0, use_gelu=g),
                 attrs=dict(beta=0.5, alpha=2.0, use_gelu=gelu), tol=SUMS)
        case("addmm_activation", [r(5), r(3, 4), r(4, 5)], lambda c, a, b: F.gelu(torch.addmm(c, a, b), approximate="tanh"), attrs=dict(use_gelu=True, approximate="tanh"), tol=SUMS)
        case("addmm_activation", [torch.full((5,), NAN, dtype=dtype), r(3, 4), r(4, 5)], torch._addmm_activation, tol=SUMS)
        case("grouped_mm", [r(2, 3), r(4, 5), r(3, 6), r(5, 2)], lambda x, y, v, w: (x @ v, y @ w), segments=(2, 2, 0), results=2, tol=SUMS)
        case("grouped_mm", [r(2, 3), r(0, 5), r(3, 6), r(5, 2), r(6), r(1, 1)], lambda x, y, v, w, b, c: (torch.addmm(b, x, v), torch.addmm(c, y, w)),
             segments=(2, 2, 2), results=2, tol=SUMS)
        for scale in ((1, 5), (3, 1), (3, 5)):
            case("int_mm_mul", [special(i8).repeat(6)[:210].reshape(3, 70), special(i8).repeat(9)[:350].reshape(70, 5), r(*scale)], lambda a, b, s: (a.to(i32) @ b.to(i32)) * s)
        for m, k, n, out in ((3, 70, 5, torch.float32), (4, 16, 3, torch.bfloat16), (1, 16, 1, torch.float16)):
            a, b = r(m, k).to(torch.float8_e4m3fn), r(k, n).to(torch.float8_e5m2)
            scaled = lambda a, b, s, t, *bias, o=out: torch._scaled_mm(a, b, s, t, *bias, out_dtype=o)  # noqa: E731
            case("scaled_mm", [a, b, torch.tensor(0.5), torch.tensor([0.25])], scaled, tol=SUMS)
            case("scaled_mm", [a, b, r(m, 1).float(), r(1, n).float(), r(n).to(out)], scaled, tol=SUMS)
        for m, k, n in ((3, 70, 5), (17, 8, 16), (2, 0, 3), (0, 4, 3)):
            both("int_mm", [special(i8).repeat(m * k // 40 + 1)[:m * k].reshape(m, k), special(i8).repeat(k * n // 40 + 1)[:k * n].reshape(k, n)], torch._int_mm)
        for b, f, d, k in ((2, 3, 4, 5), (1, 1, 1, 1), (0, 3, 4, 5), (2, 0, 4, 5), (2, 3, 0, 5), (2, 3, 4, 0)):
            both("dot_compress", [r(b, f, d), r(f, k)], lambda x, w: x @ (x.transpose(1, 2) @ w), tol=SUMS)
            case("lce", [r(b, f, d), r(k, f)], lambda x, w: F.linear(x.transpose(1, 2), w).transpose(1, 2), tol=SUMS)
            both("lce", [r(b, f, d), r(k, f), r(k)], lambda x, w, c: F.linear(x.transpose(1, 2), w, c).transpose(1, 2), tol=SUMS)
        for equation, shapes in (("ij,jk->ik", ((2, 3), (3, 4))), ("bij,bjk->bik", ((2, 3, 4), (2, 4, 2))), ("ii->i", ((3, 3),)), ("ii", ((3, 3),)),
                                 ("i,j->ij", ((2,), (3,))), ("...ij,...jk->...ik", ((2, 1, 2, 3), (4, 3, 2))), ("ij->", ((2, 3),)), ("bhid,bhjd->bhij", ((1, 2, 3, 4), (1, 2, 5, 4))),
                                 ("ab,bc,cd->ad", ((2, 3), (3, 2), (2, 4))), ("ij,ij->j", ((2, 3), (1, 3))), ("ba", ((2, 3),)), ("i...->...", ((2, 3),))):
            case("einsum", [r(*s) for s in shapes], lambda *t, e=equation: torch.einsum(e, *t), attrs=dict(equation=equation), tol=SUMS)
        q, k, v = r(2, 3, 4, 8), r(2, 3, 5, 8), r(2, 3, 5, 6)
        sdpa = F.scaled_dot_product_attention
        case("scaled_dot_product_attention", [q, k, v], sdpa, segments=None, tol=SUMS)
        case("scaled_dot_product_attention", [q, k, v], lambda *t: sdpa(*t, scale=0.3), attrs=dict(scale=0.3), tol=SUMS)
        case("scaled_dot_product_attention", [r(2, 4, 8), r(2, 4, 8), r(2, 4, 8)], lambda *t: sdpa(*t, is_causal=True), attrs=dict(is_causal=True), tol=SUMS)
        mask = torch.tensor([[True, False, True, True, False]] * 3 + [[False] * 5])
        case("scaled_dot_product_attention", [q, k, v, mask], sdpa, tol=SUMS)
        additive = r(4, 5)
        case("scaled_dot_product_attention", [q, k, v, additive], sdpa, tol=SUMS)
    raises("mm", [randn(2, 3), randn(4, 5)], torch.mm, [(2, f32)])
    raises("matmul", [randn(2, 3, 4), randn(3, 4, 5)], torch.matmul, [(3, f32)])
    raises("addmm", [randn(7), randn(3, 4), randn(4, 5)], torch.addmm, [(2, f32)])


# ===----------------------------------------------------------------------===#
# Convolution, normalisation, pooling
# ===----------------------------------------------------------------------===#

def conv_norm():
    for dtype in FLOATS:
        r = lambda *s: randn(*s, dtype=dtype)
        for n, function in ((1, F.conv1d), (2, F.conv2d), (3, F.conv3d)):
            for stride, padding, dilation, groups, bias, batched in ((1, 0, 1, 1, True, True), (2, 1, 1, 1, False, True), (1, 2, 2, 2, True, True), (3, 1, 1, 4, True, False)):
                spatial = [7, 6, 5][:n]
                x = r(*([2] if batched else []), 4, *spatial)
                w, b = r(8, 4 // groups, *[3, 2, 1][:n]), r(8) if bias else None
                attrs = dict(stride=[stride] * n, padding=[padding] * n, dilation=[dilation] * n, groups=groups)
                call = lambda x, w, b=None, f=function, a=(stride, padding, dilation, groups): f(x, w, b, *a)
                both(f"conv{n}d", [x, w, b], call, attrs=attrs, tol=SUMS)
                if batched:
                    case("convolution", [x, w, b], call, attrs=dict(attrs, output_padding=[0] * n), tol=SUMS)
        for n, function in ((1, F.conv_transpose1d), (2, F.conv_transpose2d), (3, F.conv_transpose3d)):
            for stride, padding, output_padding, dilation, groups in ((1, 0, 0, 1, 1), (2, 1, 1, 1, 2), (3, 0, 2, 2, 1)):
                x, w, b = r(2, 4, *[4, 3, 2][:n]), r(4, 3, *[3, 2, 2][:n]), r(3 * groups)
                case("convolution", [x, w, b], lambda x, w, b, f=function, a=(stride, padding, output_padding, groups, dilation): f(x, w, b, *a),
                     attrs=dict(stride=[stride] * n, padding=[padding] * n, dilation=[dilation] * n, groups=groups, transposed=True,
                                output_padding=[output_padding] * n), tol={**SUMS, f16: (2e-2, 2e-2)})
        for shape in ((2, 3), (4, 3, 2), (2, 3, 4, 5)):
            x, mean, var, weight, bias = r(*shape), r(3), r(3).abs() + 0.5, r(3), r(3)
            both("batch_norm", [x, mean, var, weight, bias], lambda x, m, v, w, b: F.batch_norm(x, m, v, w, b, eps=1e-3), attrs=dict(eps=1e-3), segments=[1, 1, 1, 1, 1], tol=SUMS)
            case("batch_norm", [x, mean, var], lambda x, m, v: F.batch_norm(x, m, v), segments=[1, 1, 1, 0, 0], tol=SUMS)
            case("batch_norm", [x, weight, bias], lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), attrs=dict(training=True), segments=[1, 0, 0, 1, 1], tol=SUMS)
        for normalized in ([4], [3, 4]):
            x = r(2, 3, 4)
            w, b = r(*normalized), r(*normalized)
            both("layer_norm", [x, w, b], lambda x, w, b, n=normalized: F.layer_norm(x, n, w, b, 1e-3), attrs=dict(normalized_shape=normalized, eps=1e-3), segments=[1, 1, 1], tol=SUMS)
            case("layer_norm", [x, w], lambda x, w, n=normalized: F.layer_norm(x, n, w), attrs=dict(normalized_shape=normalized), segments=[1, 1, 0], tol=SUMS)
            case("layer_norm", [x], lambda x, n=normalized: F.layer_norm(x, n), attrs=dict(normalized_shape=normalized), segments=[1, 0, 0], tol=SUMS)
            case("native_layer_norm", [x, w, b], lambda x, w, b, n=normalized: torch.native_layer_norm(x, n, w, b, 1e-5), attrs=dict(normalized_shape=normalized), segments=[1, 1, 1], tol=SUMS, results=3)
            case("rms_norm", [x, w], lambda x, w, n=normalized: F.rms_norm(x, n, w, 1e-3), attrs=dict(normalized_shape=normalized, eps=1e-3), tol=SUMS)
            case("rms_norm", [x], lambda x, n=normalized: F.rms_norm(x, n), attrs=dict(normalized_shape=normalized), tol=SUMS)
        case("layer_norm", [torch.tensor([[NAN, 1.0, 2.0], [5.0, 5.0, 5.0]], dtype=dtype)], lambda x: F.layer_norm(x, [3]), attrs=dict(normalized_shape=[3]), segments=[1, 0, 0], tol=SUMS)
        for shape, groups in (((2, 6), 3), ((2, 6, 4), 2), ((1, 6, 2, 3), 6), ((2, 6, 3), 1)):
            case("group_norm", [r(*shape), r(6), r(6)], lambda x, w, b, g=groups: F.group_norm(x, g, w, b), attrs=dict(num_groups=groups), segments=[1, 1, 1], tol=SUMS)
            case("group_norm", [r(*shape)], lambda x, g=groups: F.group_norm(x, g), attrs=dict(num_groups=groups), segments=[1, 0, 0], tol=SUMS)
        x = r(2, 3, 7, 8)
        for kernel, stride, padding, dilation, ceil in (((3, 2), (2, 2), (1, 1), (1, 1), False), ((2, 2), (2, 2), (0, 0), (2, 1), True), ((3, 3), (3, 3), (1, 1), (1, 1), True)):
            both("max_pool2d", [x], lambda x, a=(kernel, stride, padding, dilation, ceil): F.max_pool2d(x, *a),
                 attrs=dict(kernel_size=kernel, stride=stride, padding=padding, dilation=dilation, ceil_mode=ceil))
            for include, divisor in ((True, None), (False, None), (True, 5)):
                case("avg_pool2d", [x], lambda x, a=(kernel, stride, padding, ceil, include, divisor): F.avg_pool2d(x, *a),
                     attrs=dict(kernel_size=kernel, stride=stride, padding=padding, ceil_mode=ceil, count_include_pad=include, divisor_override=divisor), tol=SUMS)
        y = x[0].clone()
        y[0, 1, 1], y[1, 2, 3] = NAN, INF
        case("max_pool2d", [y], lambda x: F.max_pool2d(x, 2, 2), attrs=dict(kernel_size=[2, 2], stride=[2, 2], padding=[0, 0], dilation=[1, 1]))
        for size in ((1, 1), (3, 5), (7, 8), (10, 2)):
            case("adaptive_avg_pool2d", [x], lambda x, s=size: F.adaptive_avg_pool2d(x, s), attrs=dict(output_size=size), tol=SUMS)
    # Zeros of the padding times what is not finite are NaN (f64: oneDNN's convolutions leave the padding out, some of them); a
    # transposed convolution has no products with it.
    for n, function in ((1, F.conv1d), (2, F.conv2d), (3, F.conv3d)):
        for number, transposed in itertools.product((INF, NAN), (False, True)):
            x, w = randn(2, 3, *[4, 3, 2][:n], dtype=f64), randn(3, 3, *[3, 2, 2][:n], dtype=f64)
            w[(0, 0, *[0] * n)] = number
            call = getattr(F, f"conv_transpose{n}d") if transposed else function
            case("convolution", [x, w], lambda x, w, f=call: f(x, w, None, 2, 1), tol=SUMS,
                 attrs=dict(stride=[2] * n, padding=[1] * n, dilation=[1] * n, transposed=transposed, output_padding=[0] * n))
    for dtype in (bf16, f16):
        # PyTorch's mixed mode: f32 parameters beside a narrow input.
        x = randn(2, 3, 4, dtype=dtype)
        case("layer_norm", [x, randn(4), randn(4)], lambda x, w, b: F.layer_norm(x, [4], w, b), attrs=dict(normalized_shape=[4]), segments=[1, 1, 1], tol=SUMS)
        case("batch_norm", [x, randn(3), randn(3).abs() + 0.5, randn(3), randn(3)], lambda x, *t: F.batch_norm(x, *t), segments=[1, 1, 1, 1, 1], tol=SUMS)


# ===----------------------------------------------------------------------===#
# Reductions
# ===----------------------------------------------------------------------===#

def reductions():
    dim_lists = ([0], [-1], [0, 2], [1, -1, 0], None, [])
    for dtype in FLOATS + INTS + [b1]:
        x = randn(2, 3, 4, dtype=dtype)
        for dims, keepdim in itertools.product(dim_lists, (False, True)):
            attrs = dict(dims=dims, keepdim=keepdim)
            d = list(range(3)) if dims is None else dims
            both("sum", [x], lambda x, d=d, k=keepdim: x.sum(d, keepdim=k), attrs=attrs, tol=SUMS)
            if dtype.is_floating_point:
                case("mean", [x], lambda x, d=d, k=keepdim: x.mean(d, keepdim=k), attrs=attrs, tol=SUMS)
                case("logsumexp", [x], lambda x, d=d or [0, 1, 2], k=keepdim: x.logsumexp(d, keepdim=k), attrs=attrs, tol=SUMS)
                for correction in (0.0, 1.0, 2.0):
                    case("var", [x], lambda x, d=d, k=keepdim, c=correction: torch.var(x, d, correction=int(c), keepdim=k), attrs=dict(attrs, correction=correction), tol=SUMS)
                for order in (2.0, 1.0, 0.0, INF, -INF, 3.0, 0.5, -1.0):
                    case("vector_norm", [x], lambda x, d=dims or None, k=keepdim, o=order: torch.linalg.vector_norm(x, o, d, keepdim=k), attrs=dict(attrs, ord=order), tol=SUMS)
            both("amax", [x], lambda x, d=d, k=keepdim: x.amax(d, keepdim=k), attrs=attrs)
            case("amin", [x], lambda x, d=d, k=keepdim: x.amin(d, keepdim=k), attrs=attrs)
            if dims is None or len(dims) == 1:
                one = lambda f: (lambda x, k=keepdim: f(x)) if dims is None else (lambda x, k=keepdim: f(x, dims[0], k))
                if dims is not None or not keepdim:
                    case("prod", [x], one(torch.prod), attrs=attrs, tol=SUMS)
            case("any", [x], lambda x, d=d or None, k=keepdim: torch.any(x, d, keepdim=k), attrs=attrs)
            case("all", [x], lambda x, d=d or None, k=keepdim: torch.all(x, d, keepdim=k), attrs=attrs)
        for dim, keepdim in itertools.product((0, 1, -1, None), (False, True)):
            if dtype != b1:
                case("argmax", [x], lambda x, d=dim, k=keepdim: x.argmax(d, k), attrs=dict(dim=dim, keepdim=keepdim))
                case("argmin", [x], lambda x, d=dim, k=keepdim: x.argmin(d, k), attrs=dict(dim=dim, keepdim=keepdim))
            if dim is not None:
                both("max_dim", [x], lambda x, d=dim, k=keepdim: tuple(x.max(d, k)), attrs=dict(dim=dim, keepdim=keepdim), results=2)
                case("min_dim", [x], lambda x, d=dim, k=keepdim: tuple(x.min(d, k)), attrs=dict(dim=dim, keepdim=keepdim), results=2)
        for dim in (0, 1, -1):
            case("cumsum", [x], lambda x, d=dim: x.cumsum(d), attrs=dict(dim=dim), tol=SUMS)
            case("cumprod", [x], lambda x, d=dim: x.cumprod(d), attrs=dict(dim=dim), tol=SUMS)
            for descending in (False, True):
                case("sort", [x], lambda x, d=dim, k=descending: tuple(torch.sort(x, dim=d, descending=k, stable=True)), attrs=dict(dim=dim, descending=descending), results=2)
        if dtype != b1:
            # Distinct elements: PyTorch does not say which of equal ones it returns.
            distinct = torch.randperm(24, generator=generator).reshape(2, 3, 4).to(dtype)
            for k, dim, largest in ((2, -1, True), (1, 0, False), (3, 1, True), (0, 2, True), (4, 2, False)):
                case("topk", [distinct], lambda x, k=k, d=dim, l=largest: tuple(x.topk(k, d, l)), attrs=dict(k=k, dim=dim, largest=largest), results=2)
    for dtype in FLOATS:
        x = torch.tensor([[1.0, NAN, 3.0, NAN], [-INF, -INF, -INF, -INF], [INF, 1.0, -INF, 2.0], [0.0, -0.0, 0.0, -1.0], [-INF, 2.0, 1.0, 0.5]]).to(dtype)
        for name in ("softmax", "log_softmax"):
            for dim in (0, -1):
                both(name, [x], lambda x, d=dim, f=getattr(torch, name): f(x, d), attrs=dict(dim=dim), tol=SUMS)
            case(name, [randn(2, 3, 4, dtype=dtype)], lambda x, f=getattr(torch, name): f(x, 1), attrs=dict(dim=1), tol=SUMS)
            case(name, [randn(2, 0, dtype=dtype)], lambda x, f=getattr(torch, name): f(x, 1), attrs=dict(dim=1), tol=SUMS)
            case(name, [randn(dtype=dtype)], lambda x, f=getattr(torch, name): f(x, 0), attrs=dict(dim=0), tol=SUMS)
        for dims in ([1], [0], None):
            d = [0, 1] if dims is None else dims
            attrs = dict(dims=dims)
            for name, function in dict(sum=torch.sum, mean=torch.mean, amax=torch.amax, amin=torch.amin, logsumexp=torch.logsumexp, any=torch.any, all=torch.all).items():
                case(name, [x], lambda x, d=d, f=function: f(x, d), attrs=attrs, tol=SUMS, signs=False)
            case("var", [x], lambda x, d=d: torch.var(x, d), attrs=attrs, tol=SUMS)
        for name, function in dict(argmax=torch.argmax, argmin=torch.argmin).items():
            case(name, [x], lambda x, f=function: f(x, 1), attrs=dict(dim=1))
        case("max_dim", [x], lambda x: tuple(x.max(1)), attrs=dict(dim=1), results=2)
        case("min_dim", [x], lambda x: tuple(x.min(1)), attrs=dict(dim=1), results=2)
        for descending in (False, True):
            case("sort", [x], lambda x, k=descending: tuple(torch.sort(x, dim=1, descending=k, stable=True)), attrs=dict(dim=1, descending=descending), results=2, signs=False)
        case("cumsum", [x], lambda x: x.cumsum(1), attrs=dict(dim=1), tol=SUMS)
        case("topk", [torch.tensor([1.0, NAN, 3.0, -INF]).to(dtype)], lambda x: tuple(x.topk(3)), attrs=dict(k=3), results=2)
        for name, function in dict(sum=torch.sum, mean=torch.mean, any=torch.any, all=torch.all).items():
            case(name, [randn(2, 0, dtype=dtype)], lambda x, f=function: f(x, 1), attrs=dict(dims=[1]))
        case("prod", [randn(2, 0, dtype=dtype)], lambda x: x.prod(1), attrs=dict(dims=[1]))
        case("var", [randn(2, 0, dtype=dtype)], lambda x: x.var(1), attrs=dict(dims=[1]))
        case("var", [randn(2, 1, dtype=dtype)], lambda x: x.var(1), attrs=dict(dims=[1]))
        case("logsumexp", [randn(2, 0, dtype=dtype)], lambda x: x.logsumexp(1), attrs=dict(dims=[1]))
        case("vector_norm", [randn(2, 0, dtype=dtype)], lambda x: torch.linalg.vector_norm(x, 2, 1), attrs=dict(dims=[1]))
        for name, function in dict(sum=torch.sum, amax=torch.amax, prod=torch.prod).items():
            case(name, [randn(dtype=dtype)], lambda x, f=function: f(x, 0), attrs=dict(dims=[0]))
        case("cumsum", [randn(dtype=dtype)], lambda x: x.cumsum(0), attrs=dict(dim=0))
        case("argmax", [randn(dtype=dtype)], lambda x: x.argmax(0), attrs=dict(dim=0))
        case("sort", [randn(dtype=dtype)], lambda x: tuple(torch.sort(x, 0)), attrs=dict(dim=0), results=2)
    for name in ("amax", "amin"):
        raises(name, [randn(2, 0)], lambda x, f=getattr(torch, name): f(x, 1), [(1, f32)], attrs=dict(dims=[1]))
    for name in ("argmax", "argmin"):
        raises(name, [randn(2, 0)], lambda x, f=getattr(torch, name): f(x, 1), [(1, i64)], attrs=dict(dim=1))
    raises("max_dim", [randn(2, 0)], lambda x: tuple(x.max(1)), [(1, f32), (1, i64)], attrs=dict(dim=1))
    raises("topk", [randn(2, 3)], lambda x: tuple(x.topk(4)), [(2, f32), (2, i64)], attrs=dict(k=4))
    case("sum", [torch.full((2,), 3, dtype=b1)], torch.sum, attrs=dict())
    case("sum", [torch.tensor([2**62, 2**62, 5], dtype=i64)], torch.sum, attrs=dict())


# ===----------------------------------------------------------------------===#
# Indexing, creation
# ===----------------------------------------------------------------------===#

def indexing():
    t = lambda *v, dtype=i64: torch.tensor(v, dtype=dtype)
    for dtype in (f32, bf16, i64, b1):
        x = randn(3, 4, 5, dtype=dtype)
        case("index", [x, t(2, 0, -1)], lambda x, i: x[i], attrs=dict(dims=[0]), )
        case("index", [x, t(2, 0, -1)], lambda x, i: x[:, :, i], attrs=dict(dims=[2]))
        case("index", [x, t(2, 0), t(1, -1)], lambda x, i, j: x[i, j], attrs=dict(dims=[0, 1]))
        case("index", [x, t(2, 0), t(1, -1)], lambda x, i, j: x[i, :, j], attrs=dict(dims=[0, 2]))
        case("index", [x, t([2, 0], [1, 1]), t(1, -1)], lambda x, i, j: x[:, i, j], attrs=dict(dims=[1, 2]))
        case("index", [x, t([1], [0]), t(1, -1, 0), t(2)], lambda x, i, j, k: x[i, j, k], attrs=dict(dims=[0, 1, 2]))
        case("index", [x, torch.tensor(1)], lambda x, i: x[i], attrs=dict(dims=[0]))
        case("index", [x, torch.empty(0, dtype=i64)], lambda x, i: x[:, i], attrs=dict(dims=[1]))
        case("index", [x, t(1, 2, dtype=i32)], lambda x, i: x[i], attrs=dict(dims=[0]))
        for accumulate in (False, True):
            put = lambda x, *a, k=accumulate: torch.index_put(x, a[:-1], a[-1], accumulate=k)
            case("index_put", [x, t(2, 0), randn(2, 4, 5, dtype=dtype)], put, attrs=dict(dims=[0], accumulate=accumulate), segments=None, operands=3)
            case("index_put", [x, t(2, 0), t(1, 3), randn(5, dtype=dtype)], put, attrs=dict(dims=[0, 1], accumulate=accumulate))
        case("index_put", [x, t(1, 1), randn(2, 4, 5, dtype=dtype)], lambda x, i, v: torch.index_put(x, (i,), v, accumulate=True), attrs=dict(dims=[0], accumulate=True))
        for dim, index in ((0, t(2, 0, 2)), (1, t(3)), (-1, torch.empty(0, dtype=i64)), (0, torch.tensor(1))):
            both("index_select", [x, index], lambda x, i, d=dim: torch.index_select(x, d, i), attrs=dict(dim=dim))
        for dim, index in ((0, t([[0, 2], [1, 1]], [[2, 2], [0, 0]])), (2, t([[0, 4]])), (-1, torch.empty(0, dtype=i64))):
            case("gather", [x, index], lambda x, i, d=dim: torch.gather(x, d, i), attrs=dict(dim=dim))
        case("scatter", [x, t([[0, 2], [1, 1]]), randn(1, 2, 2, dtype=dtype)], lambda x, i, s: torch.scatter(x, 0, i, s), attrs=dict(dim=0))
        case("scatter", [x, t([[0], [3]]), randn(2, 2, 3, dtype=dtype)], lambda x, i, s: torch.scatter(x, -1, i, s), attrs=dict(dim=-1))
        case("scatter_add", [x, t([[0, 2], [1, 1]], [[0, 0], [1, 0]]), randn(2, 2, 2, dtype=dtype)], lambda x, i, s: torch.scatter_add(x, 0, i, s), attrs=dict(dim=0), tol=SUMS)
        for reduce in ("sum", "prod", "mean", "amax", "amin") if dtype != b1 else ("sum", "prod", "amax", "amin"):
            for include_self in (False, True):
                reduced = lambda x, i, s, r=reduce, k=include_self: torch.scatter_reduce(x, 1, i, s, r, include_self=k)
                case("scatter_reduce", [x, t([[0, 2], [1, 1], [0, 0]]).expand(2, 3, 2), randn(2, 3, 4, dtype=dtype)], reduced,
                     attrs=dict(dim=1, reduce=reduce, include_self=include_self), tol=SUMS)
        w = randn(4, 3, dtype=dtype)
        for index in (t(0, 3, 3), t([1, 2], [0, 0]), torch.tensor(2), torch.empty(0, 2, dtype=i64), t(1, 0, dtype=i32)):
            both("embedding", [w, index], lambda w, i: w[i.long()] if w.dtype == b1 else F.embedding(i, w))
    case("gather", [randn(), torch.tensor(0)], lambda x, i: torch.gather(x, 0, i), attrs=dict(dim=0))
    x = randn(3, 4)
    for bad in (t(3), t(-4)):
        raises("index", [x, bad], lambda x, i: x[i], [(2, f32)], attrs=dict(dims=[0]))
    for bad in (t(3), t(-1)):
        raises("index_select", [x, bad], lambda x, i: torch.index_select(x, 0, i), [(2, f32)], attrs=dict(dim=0))
        raises("embedding", [x, bad], lambda w, i: F.embedding(i, w), [(2, f32)])
    raises("gather", [x, t([0, 3])], lambda x, i: torch.gather(x, 0, i), [(2, f32)], attrs=dict(dim=0))
    raises("scatter", [x, t([0, 3]), randn(1, 2)], lambda x, i, s: torch.scatter(x, 0, i, s), [(2, f32)], attrs=dict(dim=0))
    values = torch.tensor([1.0, NAN, -0.0, INF, 3.0])
    for reduce in ("amax", "amin", "mean"):
        for index in (t(0, 0, 1, 1, 2), t(2, 1, 2, 1, 0)):
            case("scatter_reduce", [torch.tensor([2.0, NAN, -1.0, 5.0]), index, values], lambda x, i, s, r=reduce: torch.scatter_reduce(x, 0, i, s, r),
                 attrs=dict(dim=0, reduce=reduce))
    raises("scatter_reduce", [x, t([0, 3]), randn(1, 2)], lambda x, i, s: torch.scatter_reduce(x, 0, i, s, "amax"), [(2, f32)], attrs=dict(dim=0, reduce="amax"))
    raises("scatter_add", [x, t([0, -1]), randn(1, 2)], lambda x, i, s: torch.scatter_add(x, 0, i, s), [(2, f32)], attrs=dict(dim=0))


def creation():
    for dtype in FLOATS + INTS + [b1]:
        for value in (0.0, 1.0, 2.5, 100.0):
            case("full", [], lambda d=dtype, v=value: torch.full((2, 3), v if d.is_floating_point or d == b1 else int(v), dtype=d), attrs=dict(value=value))
    for value in (NAN, INF, -0.0):
        case("full", [], lambda v=value: torch.full((2,), v), attrs=dict(value=value))
    for dtype in (f32, f64, i64, i32):
        for start, end, step in ((0, 5, 1), (2, 10, 3), (5, 0, -2), (3, 3, 1)):
            case("arange", [], lambda d=dtype, a=(start, end, step): torch.arange(*a, dtype=d), attrs=dict(start=float(start), step=float(step)))
    case("arange", [], lambda: torch.arange(0.5, 3.0, 0.25), attrs=dict(start=0.5, step=0.25))


# Ops whose tests are elsewhere, with the reason.
ELSEWHERE = {
    "opaque": "cannot be run by definition (InterpreterTest)",
    "b2b_gemm": "a region (Integration/CPU/fused-ops.mlir, Transforms/Matmul/inductor-counts.py)",
    "rand": "another stream than PyTorch's (InterpreterTest)",
    "exponential": "another stream than PyTorch's (random.mlir)",
    "randn": "another stream than PyTorch's (random.mlir)",
    **{name: "regions and calls on copies (python/tests/test_higher_order.py, test_auto_functionalized.py)"
       for name in ("cond", "while_loop", "map", "scan", "yield", "auto_functionalized", "invoke_quant")},
    **{name: "dtypes, NaN and strange sizes with the importer (python/tests/cases.py)"
       for name in ("view_dtype", "device_put", "unsafe_index", "unsafe_index_put", "prepare_softmax_online", "inductor_lookup_seed",
                    "dequantize_per_channel", "cvt_e8m0_rceil")},
    **{name: "products of a CPU library (python/tests/test_packed.py)" 
       for name in ("linear_pointwise", "convolution_pointwise", "weight_int8pack_mm", "weight_int4pack_mm", "qlinear_pointwise", "qconv_pointwise")},
    **{name: "draws (Transforms/JointGraph/replace-random.py)"
       for name in ("inductor_seed", "inductor_seeds", "inductor_random", "inductor_randint")},
    **{name: "draws (Integration/Torch/random-numbers.py)" for name in ("bernoulli", "randint", "randperm")},
    "constant": "an operand of the cases with numbers here",
    "copy_": "no result (InterpreterTest, run.mlir)",
    "sym_size": "a result of type index (sizes.mlir)",
    "narrow": "operands of type index (Integration/CPU/narrow.mlir, python/tests/test_symbolic.py)",
    "assert_tensor_metadata": "no result (sizes.mlir)",
    "assert_scalar": "no result (sizes.mlir)",
    **{name: "a group of processes (grid.mlir; beside gloo: python/tests/test_collectives.py)"
       for name in ("all_reduce", "all_reduce_coalesced", "all_gather_into_tensor", "reduce_scatter_tensor", "wait_tensor",
                    "all_gather_into_tensor_coalesced", "all_to_all_single", "broadcast", "reduce_scatter_tensor_coalesced",
                    "fused_all_gather_matmul", "fused_matmul_reduce_scatter", "fused_all_gather_scaled_matmul", "fused_scaled_matmul_reduce_scatter")},
}


def close(actual, expected, tol, signs):
    """An error text, or None."""
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        return f"{actual.dtype} {tuple(actual.shape)} instead of {expected.dtype} {tuple(expected.shape)}"
    if not expected.is_floating_point():
        differ = actual != expected
        a, e = actual, expected
    else:
        a, e = actual.to(f64), expected.to(f64)
        same = (a == e) | (a.isnan() & e.isnan())
        if tol == EXACT:
            if signs:
                same &= (a.signbit() == e.signbit()) | a.isnan()
        else:
            rtol, atol = tol[expected.dtype] if expected.dtype in tol else (0, 0)
            same |= ((a - e).abs() <= atol + rtol * e.abs()) & a.isfinite() & e.isfinite()
        differ = ~same
    if not differ.any():
        return None
    index = tuple(differ.nonzero()[0].tolist())
    return f"{int(differ.sum())} of {differ.numel()} differ, at {index}: {a[index].item()} instead of {e[index].item()}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ops-json", help="records of the dialect: every op must have a case")
    parser.add_argument("--only", help="ops whose name contains this")
    parser.add_argument("--fx-run", default="fx-run")
    parser.add_argument("--keep", help="folder for the generated files")
    args = parser.parse_args()
    start = time.time()
    warnings.simplefilter("ignore")  # var over too few elements
    torch.manual_seed(0)
    for group in (pointwise, binary, views, split_cat, contraction, conv_norm, reductions, indexing, creation):
        group()
    accepted = [c for c in cases if c.expected is not None or hasattr(c, "error_results")]
    bad = [c for c in cases if c not in accepted] if len(accepted) != len(cases) else []
    if bad:
        for c in bad:
            print(f"FAIL {c.name}: PyTorch refuses the case: {c.error.splitlines()[0]}")
        return 1
    missing = []
    if args.ops_json:
        with open(args.ops_json) as file:
            records = json.load(file)
        ops = {records[name]["opName"] for name in records["!instanceof"]["FxGraph_Op"]}
        missing = sorted(ops - {c.op for c in cases} - set(ELSEWHERE))
        for op in missing:
            print(f"FAIL {op}: has no case")
    selected = [c for c in cases if not args.only or args.only in c.op]

    with tempfile.TemporaryDirectory() as folder:
        folder = args.keep or folder
        os.makedirs(folder, exist_ok=True)
        model, inputs, outputs = (os.path.join(folder, n) for n in ("cases.mlir", "inputs.safetensors", "outputs.safetensors"))
        with open(model, "w") as file:
            file.writelines(function_text(c) for c in selected)
        tensors = {}
        for c in selected:
            position = 0
            for x in c.inputs:
                if isinstance(x, torch.Tensor):
                    tensors[f"{c.name}/arg{position}"] = x.contiguous().clone()
                    position += 1
        save_file(tensors, inputs)
        done = subprocess.run([args.fx_run, model, "--entry=*", "--keep-going", f"--inputs={inputs}", "-o", outputs],
                              stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if not os.path.exists(outputs):
            print(done.stderr[:4000])
            print("FAIL: fx-run wrote no results")
            return 1
        results = load_file(outputs)

    failures = 0
    for c in selected:
        names = [f"{c.name}/out{i}" for i in range(len(c.expected) if c.expected is not None else 1)]
        what = f"{c.name} {c.attrs} {[(str(x.dtype)[6:], tuple(x.shape)) if isinstance(x, torch.Tensor) else x for x in c.inputs]}{' dynamic' if c.dynamic else ''}"
        if c.expected is None:
            if names[0] in results:
                failures += 1
                print(f"FAIL {what}: runs, but PyTorch refuses it: {c.error.splitlines()[0]}")
            continue
        for name, expected in zip(names, c.expected):
            if name not in results:
                failures += 1
                print(f"FAIL {what}: does not run")
                break
            text = close(results[name], expected.contiguous(), c.tol, c.signs)
            if text:
                failures += 1
                print(f"FAIL {what}: {text}")
                break
    if failures:
        print(done.stderr[:3000])
    refused = sum(c.expected is None for c in selected)
    print(f"{len(selected)} cases of {len({c.op for c in selected})} ops ({refused} of them errors), {failures} failures, {time.time() - start:.1f} s")
    return 1 if failures or missing else 0


if __name__ == "__main__":
    sys.exit(main())
