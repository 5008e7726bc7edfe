# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, softmax, sorting: dtype arguments, dims, named tuples."""

import sympy

from .. import dtypes, ir, symbols, table
from ..graph import NOT_DONE, Unsupported, by_op, special
from ..tracker import Tensor
from .views import emit_narrow, positive


def apply_dtype(importer, call):
    """`dtype=`: PyTorch casts the input first."""
    dtype = call.take("_dtype")
    if dtype is not None:
        call.bound["input"] = importer.cast(importer.value(call.bound["input"]), dtypes.mlir_dtype(dtype))


def normalize_dims(call):
    dims = call.bound.get("dims")
    if isinstance(dims, int):
        dims = [dims]
    if isinstance(dims, Tensor):
        raise Unsupported("a dimension that is a tensor's element")
    call.bound["dims"] = list(dims) if dims else None


@by_op("sum", "mean", "prod", "vector_norm")
def reduce_with_dtype(importer, call):
    apply_dtype(importer, call)
    normalize_dims(call)
    return NOT_DONE


@by_op("amax", "amin", "any", "all")
def reduce(importer, call):
    normalize_dims(call)
    return NOT_DONE


@by_op("logsumexp")
def logsumexp(importer, call):
    normalize_dims(call)
    call.bound["input"] = importer.cast(importer.value(call.bound["input"]), importer.type_of(call.fake).dtype)
    return NOT_DONE


def correction_of(call):
    """The divisor's correction from `unbiased`, `correction` and the bool in the dims' place."""
    dims, unbiased = call.bound.get("dims"), call.take("_unbiased")
    if isinstance(dims, bool):
        call.bound["dims"], unbiased = None, dims
    if unbiased is not None:
        return 1.0 if unbiased else 0.0
    correction = call.bound.get("correction")
    return 1.0 if correction is None else correction


@by_op("var")
def var(importer, call):
    call.bound["correction"] = correction_of(call)
    normalize_dims(call)
    return NOT_DONE


# The dialect has no std: its calls are bound by signatures of var, which it is the root of.
STD_SIGNATURES = {
    "aten.std.correction": "aten.var.correction", "aten.std.dim": "aten.var.dim", "torch.std": "torch.var",
    "Tensor.std": "Tensor.var", "aten.std.default": "aten.var.dim", "aten.var.default": "aten.var.dim"}


def emit_std(importer, value, result, **attributes):
    """sqrt(var); floats of 16 bits are rounded once, as in PyTorch."""
    narrow = result.dtype in ("f16", "bf16")
    if narrow:
        value, result = importer.cast(value, "f32"), result.with_dtype("f32")
    variance, = importer.emit("var", [value], [result], **attributes)
    return importer.emit("sqrt", [variance], [result])[0]


@special("aten.std.correction", "aten.std.dim", "torch.std", "Tensor.std")
def std(importer, call):
    op = table.load_table()["var"]
    signature = next(s for s in op.signatures if s.key == STD_SIGNATURES[call.key])
    bound = signature.bind(call.args, call.kwargs)
    if bound is None:
        return NOT_DONE
    call.op, call.bound = op, {k: v for k, (v, _) in bound.items()}
    if not isinstance(call.bound["input"], Tensor):
        return NOT_DONE
    correction = correction_of(call)
    normalize_dims(call)
    value, type = importer.value(call.bound["input"]), importer.type_of(call.fake)
    result = emit_std(importer, value, type, dims=call.bound["dims"], keepdim=call.bound.get("keepdim"), correction=correction)
    return importer.fresh(importer.cast(result, type.dtype), call.fake)


@special("aten.var_mean.correction", "torch.var_mean", "aten.std_mean.correction", "torch.std_mean", "aten.var_mean.dim", "aten.std_mean.dim")
def var_mean(importer, call):
    op = table.load_table()["var"]
    key = "torch.var" if call.key.startswith("torch.") else "aten.var." + call.key.rpartition(".")[2]
    bound = next(s for s in op.signatures if s.key == key).bind(call.args, call.kwargs)
    if bound is None or not isinstance(bound["input"][0], Tensor):
        return NOT_DONE
    call.bound = {k: v for k, (v, _) in bound.items()}
    correction = correction_of(call)
    normalize_dims(call)
    value, dims, keepdim = importer.value(call.bound["input"]), call.bound["dims"], call.bound.get("keepdim")
    types = [importer.type_of(f) for f in call.fake]
    attributes = {"dims": dims, "keepdim": keepdim, "correction": correction}
    if "std" in call.key:
        spread = importer.cast(emit_std(importer, value, types[0], **attributes), types[0].dtype)
    else:
        spread, = importer.emit("var", [value], [types[0]], **attributes)
    mean, = importer.emit("mean", [value], [types[1]], dims=dims, keepdim=keepdim)
    return [importer.fresh(spread, call.fake[0]), importer.fresh(mean, call.fake[1])]


@by_op("softmax", "log_softmax")
def softmax(importer, call):
    value = importer.value(call.bound["input"])
    dtype = call.take("_dtype")
    target = dtypes.mlir_dtype(dtype) if dtype is not None else importer.type_of(call.fake).dtype
    call.take("_half_to_float")
    dim = call.bound.get("dim")
    if dim is None:
        # F.softmax without a dim: PyTorch's old rule.
        dim = 0 if value.type.rank in (0, 1, 3) else 1
    result, = importer.emit(call.op.name, [importer.cast(value, target)], [value.type.with_dtype(target)], dim=dim)
    return importer.fresh(importer.cast(result, importer.type_of(call.fake).dtype), call.fake)


@by_op("cumsum", "cumprod")
def cumulative(importer, call):
    apply_dtype(importer, call)
    return NOT_DONE


@by_op("topk")
def topk(importer, call):
    """Of a k that only the run tells, the first of all in order: the op's is a number."""
    if symbols.as_int(call.bound["k"]) is not None:
        return NOT_DONE
    source = importer.value(call.bound["input"])
    if not source.type.dims:
        raise Unsupported("k of a scalar is not a constant")
    dim, length = positive(call.bound["dim"], len(source.type.dims)), symbols.expression(call.bound["k"])
    sorted_ = importer.emit("sort", [source], [source.type, source.type.with_dtype("i64")], dim=dim, descending=bool(call.bound["largest"]))
    return [importer.fresh(emit_narrow(importer, value, dim, sympy.Integer(0), length), fake) for value, fake in zip(sorted_, call.fake, strict=True)]


@by_op("sort")
def sort(importer, call):
    call.take("_stable")
    return NOT_DONE


@special("aten.argsort.default", "torch.argsort", "Tensor.argsort", "aten.argsort.stable")
def argsort(importer, call):
    op = table.load_table()["sort"]
    key = "aten.sort.stable" if call.key == "aten.argsort.stable" else "torch.sort"
    bound = next(s for s in op.signatures if s.key == key).bind(call.args, call.kwargs)
    if bound is None:
        return NOT_DONE
    bound = {k: v for k, (v, _) in bound.items()}
    value = importer.value(bound["input"])
    _, indices = importer.emit("sort", [value], [value.type, value.type.with_dtype("i64")], dim=bound["dim"], descending=bound["descending"])
    return importer.fresh(indices, call.fake)


@special("torch.linalg.vector_norm", "torch.norm", "torch.functional.norm", "Tensor.norm", "aten.norm.ScalarOpt_dim", "aten.norm.Scalar",
         "torch.linalg.norm")
def norm(importer, call):
    """Vector norms; matrix norms stay opaque."""
    names = ("x", "ord", "dim", "keepdim") if "linalg" in call.key else ("input", "p", "dim", "keepdim")
    given = dict(zip(names, call.args)) | call.kwargs
    if given.get("dtype") is not None or given.get("out") is not None:
        return NOT_DONE
    source = given.get(names[0], given.get("input", given.get("self", given.get("A"))))
    order = given.get(names[1], 2)
    if call.key == "torch.linalg.norm" and (given.get("dim") is not None and not isinstance(given["dim"], int)
                                            or source.fake.dim() > 1 and given.get("ord") is not None):
        return NOT_DONE
    if order is None or order == "fro":
        order = 2
    if not isinstance(order, (int, float)):
        return NOT_DONE
    dims = given.get("dim")
    dims = [dims] if isinstance(dims, int) else (list(dims) if dims else None)
    value = importer.value(source)
    if not ir.is_float(value.type.dtype):
        raise Unsupported("a norm of integers is not modelled")
    result, = importer.emit("vector_norm", [value], [importer.type_of(call.fake)], ord=float(order), dims=dims,
                            keepdim=given.get("keepdim", False))
    return importer.fresh(result, call.fake)
