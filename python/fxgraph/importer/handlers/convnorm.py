# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolution, pooling, normalisation: int-or-list arguments, padding names, running statistics."""

import torch

from .. import decompositions, dtypes, symbols, table
from ..graph import NOT_DONE, Unsupported, by_op, special
from . import decompose
from .creation import emit_full
from .pointwise import first_of, only_first


def expand_list(value, n):
    """An int or a list of one or n ints as n ints."""
    if isinstance(value, (int, torch.SymInt)):
        return [value] * n
    value = list(value)
    return value * n if len(value) == 1 else value


@by_op("conv1d", "conv2d", "conv3d")
def conv(importer, call):
    n = int(call.op.name[4])
    bound = call.bound
    for name in ("stride", "dilation"):
        bound[name] = expand_list(bound[name], n)
    padding = bound["padding"]
    if padding == "valid":
        padding = 0
    if padding == "same":
        kernel = [int(k) for k in bound["weight"].fake.shape[2:]]
        total = [d * (k - 1) for d, k in zip(bound["dilation"], kernel)]
        padding = [t // 2 for t in total]
        if any(t % 2 for t in total):
            # The odd element goes to the right: an explicit pad.
            pad = []
            for t in reversed(total):
                pad += [0, t % 2]
            source = importer.value(bound["input"])
            rank = source.type.rank
            dims = [d if i < rank - n or not isinstance(d, int) else d + total[i - rank + n] % 2 for i, d in enumerate(source.type.dims)]
            bound["input"], = importer.emit("constant_pad_nd", [source], [source.type.with_dims(dims)], pad=pad, value=0.0)
    bound["padding"] = expand_list(padding, n)
    return NOT_DONE


@by_op("convolution")
def convolution(importer, call):
    bound = call.bound
    n = bound["weight"].fake.dim() - 2
    for name in ("stride", "padding", "dilation", "output_padding"):
        bound[name] = expand_list(bound[name], n)
    if "transposed" not in bound:
        bound["transposed"] = True
    return NOT_DONE


@by_op("batch_norm")
def batch_norm(importer, call):
    """In training the statistics are the batch's; their running means are written."""
    bound = call.bound
    training, momentum = bound.get("training", False), bound.get("momentum")
    for name in ("momentum", "eps"):
        if bound.get(name) is not None and not isinstance(bound[name], (int, float)):
            raise Unsupported(f"{name} is not a constant")
    if not isinstance(training, bool):
        raise Unsupported("training is not a constant")
    if bound["input"].fake.dim() < 2:
        raise Unsupported("batch_norm of a tensor without channels is not modelled")
    mean, variance = bound.get("running_mean"), bound.get("running_var")
    if not training:
        if mean is None or variance is None:
            raise Unsupported("expected running statistics in eval mode")
        return NOT_DONE
    bound["running_mean"] = bound["running_var"] = None
    result = importer.general(call)
    update_running(importer, bound["input"], mean, variance, momentum)
    return result


def update_running(importer, source, mean, variance, momentum):
    """running = (1 - momentum) * running + momentum * batch, the variance unbiased; of a batch without elements they stay."""
    count = symbols.expression(source.fake.numel())
    if mean is None and variance is None or count == 0:
        return
    if momentum is None:
        raise Unsupported("a cumulative average of the statistics is not modelled")
    value = importer.value(source)
    filled = None
    if count.free_symbols:
        # As a relation of sizes it is always true: a trace takes them for positive, where its graph may run on none.
        filled = importer.symbols.compare("ge", importer.symbols.number_of(count), importer.constant(1, "i64"))
    dims = [i for i in range(value.type.rank) if i != 1]
    for running, op, attrs in ((mean, "mean", {}), (variance, "var", {"correction": 1.0})):
        if running is None:
            continue
        old = running.read()
        stats_type = value.type.with_dims(value.type.dims[1:2])
        batch, = importer.emit(op, [value], [stats_type], dims=dims, keepdim=False, **attrs)
        batch = importer.cast(batch, old.type.dtype)
        kept, = importer.emit("mul", [old, importer.constant(1.0 - momentum, "f64")], [old.type])
        added, = importer.emit("mul", [batch, importer.constant(float(momentum), "f64")], [old.type])
        new, = importer.emit("add", [kept, added], [old.type])
        if filled is not None:
            new, = importer.emit("where", [filled, new, old], [old.type])
        running.write(new)


def with_statistics(importer, call, source, training, eps, bound):
    """The op's result, and for the gradient the batch's mean and the inverse of its deviation: empty outside of training."""
    result, mean, inverse = first_of(importer, call, table.load_table()["batch_norm"],
                                     {"input": source, "training": training, "eps": eps, **bound})
    types = [importer.type_of(fake) for fake in call.fake[1:]]
    if not training:
        return [result, *(importer.fresh(emit_full(importer, fake, 0.0), fake) for fake in call.fake[1:])]
    value = importer.cast(importer.value(source), types[0].dtype)
    dims = [d for d in range(value.type.rank) if d != 1]
    mean, = importer.emit("mean", [value], [types[0]], dims=dims, keepdim=False)
    variance, = importer.emit("var", [value], [types[1]], dims=dims, keepdim=False, correction=0.0)
    shifted, = importer.emit("add", [variance, importer.constant(float(eps), "f64")], [types[1]])
    inverse, = importer.emit("rsqrt", [shifted], [types[1]])
    return [result, importer.fresh(mean, call.fake[1]), importer.fresh(inverse, call.fake[2])]


@special("aten._native_batch_norm_legit_no_training.default")
def native_batch_norm_eval(importer, call):
    source, weight, bias, mean, variance, momentum, eps = call.args
    return with_statistics(importer, call, source, False, eps, {
        "running_mean": mean, "running_var": variance, "weight": weight, "bias": bias, "momentum": momentum})


@special("aten._native_batch_norm_legit.default", "aten.native_batch_norm.default")
def native_batch_norm(importer, call):
    source, weight, bias, mean, variance, training, momentum, eps = call.args
    return with_statistics(importer, call, source, training, eps, {
        "running_mean": mean, "running_var": variance, "weight": weight, "bias": bias, "momentum": momentum})


@special("aten._native_batch_norm_legit.no_stats")
def native_batch_norm_no_stats(importer, call):
    """Of the batch alone (instance norm comes to this)."""
    source, weight, bias, training, momentum, eps = call.args
    return with_statistics(importer, call, source, training, eps, {"weight": weight, "bias": bias, "momentum": momentum})


@by_op("layer_norm", "rms_norm", "native_layer_norm")
def layer_norm(importer, call):
    shape = call.bound["normalized_shape"]
    call.bound["normalized_shape"] = [shape] if isinstance(shape, int) else list(shape)
    return NOT_DONE


@special("aten.native_group_norm.default", "torch.native_group_norm")
def native_group_norm(importer, call):
    only_first(importer, call)
    source, weight, bias, _, _, _, groups, eps = call.args
    return first_of(importer, call, table.load_table()["group_norm"], {
        "input": source, "weight": weight, "bias": bias, "num_groups": groups, "eps": eps})


def pool_arguments(call, n=2):
    bound = call.bound
    bound["kernel_size"] = expand_list(bound["kernel_size"], n)
    stride = bound.get("stride")
    bound["stride"] = list(bound["kernel_size"]) if stride is None or stride in ([], ()) else expand_list(stride, n)
    bound["padding"] = expand_list(bound["padding"], n)


@by_op("max_pool2d")
def max_pool2d(importer, call):
    if call.take("_ri"):
        return decompose.lower(importer, call)
    pool_arguments(call)
    call.bound["dilation"] = expand_list(call.bound["dilation"], 2)
    return NOT_DONE


@special("aten.max_pool2d_with_indices.default", "torch._C._nn.max_pool2d_with_indices")
def max_pool2d_with_indices(importer, call):
    try:
        only_first(importer, call)
    except Unsupported:
        return decompose.lower_traced(importer, call, decompositions.max_pool2d_with_indices)
    names = ("input", "kernel_size", "stride", "padding", "dilation", "ceil_mode")
    bound = {"stride": None, "padding": 0, "dilation": 1, "ceil_mode": False} | dict(zip(names, call.args)) | call.kwargs
    return first_of(importer, call, table.load_table()["max_pool2d"], bound)


@by_op("avg_pool2d")
def avg_pool2d(importer, call):
    pool_arguments(call)
    return NOT_DONE


@by_op("adaptive_avg_pool2d")
def adaptive_avg_pool2d(importer, call):
    size = call.bound["output_size"]
    size = [size, size] if isinstance(size, int) or size is None else list(size)
    size = size * 2 if len(size) == 1 else size
    extents = call.bound["input"].fake.shape[-2:]
    size = [e if s is None else s for s, e in zip(size, extents)]
    if any(symbols.as_int(s) is None for s in size):
        raise Unsupported("an output size that is symbolic is not modelled")
    call.bound["output_size"] = size
    return NOT_DONE


def attention_by_formula(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    """What PyTorch computes on a CPU where attention drops weights."""
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        attn_mask = torch.zeros_like(attn_mask, dtype=query.dtype).masked_fill(attn_mask.logical_not(), float("-inf"))
    return torch.ops.aten._scaled_dot_product_attention_math.default(query, key, value, attn_mask, dropout_p, is_causal, None, scale=scale,
                                                                    enable_gqa=enable_gqa)[0]


@by_op("scaled_dot_product_attention")
def attention(importer, call):
    if call.take("_dropout_p"):
        return decompose.lower_traced(importer, call, attention_by_formula)
    if call.take("_enable_gqa"):
        for name in ("key", "value"):
            call.bound[name] = repeat_heads(importer, call.bound["query"], call.bound[name])
    mask = call.bound.get("attn_mask")
    if mask is not None:
        value = importer.value(mask)
        if value.type.dtype != "i1":
            call.bound["attn_mask"] = importer.cast(value, importer.type_of(call.fake).dtype)
    return NOT_DONE


def repeat_heads(importer, query, tensor):
    """Each head of keys or values for the group of query heads that shares it."""
    heads, groups = symbols.as_int(query.fake.shape[-3]), symbols.as_int(tensor.fake.shape[-3])
    if heads is None or groups is None or groups == 0 or heads % groups:
        raise Unsupported("grouped-query attention with these heads is not modelled")
    value = importer.value(tensor)
    if heads == groups:
        return value
    shape = list(tensor.fake.shape)
    one = shape[:-2] + [1] + shape[-2:]
    many = shape[:-2] + [heads // groups] + shape[-2:]
    flat = shape[:-3] + [heads] + shape[-2:]

    def typed(extents):
        return value.type.with_dims([importer.symbols.dim(e) for e in extents])

    value, = importer.emit("unsqueeze", [value], [typed(one)], dim=-3)
    sizes, static = importer.sizes(many)
    value, = importer.emit("expand", [value, sizes], [typed(many)], shape=static)
    return importer.emit_reshape(value, typed(flat), shape=flat)


@special("aten.adaptive_avg_pool1d.default", "torch.adaptive_avg_pool1d", "torch.nn.functional.adaptive_avg_pool1d", "aten.avg_pool1d.default",
         "torch.avg_pool1d", "torch._C._nn.avg_pool1d", "aten.max_pool1d.default", "torch.max_pool1d", "torch.nn.functional.max_pool1d")
def pool1d(importer, call):
    """Pooling of one dimension: of two, the first of extent 1."""
    names = {"adaptive": ("input", "output_size"), "avg": ("input", "kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"),
             "max": ("input", "kernel_size", "stride", "padding", "dilation", "ceil_mode")}
    kind = next(k for k in names if f"{k}_" in call.key)
    given = dict(zip(names[kind], call.args)) | call.kwargs
    source = given.pop("input", given.pop("self", None))
    if given.pop("return_indices", False):
        return NOT_DONE
    pairs = {"kernel_size": 1, "stride": 1, "padding": 0, "dilation": 1, "output_size": 1}
    flat = {}
    for name, value in given.items():
        if name in pairs and value not in (None, [], ()):
            value = [pairs[name], value if isinstance(value, int) else value[0]]
        flat[name] = value
    if kind != "adaptive":
        flat.setdefault("padding", 0)
        flat.setdefault("ceil_mode", False)
        if kind == "max":
            flat.setdefault("dilation", 1)
    from .indexing import simple_view
    wide = importer.fake_call(torch.unsqueeze, [source, -2], {})
    image = simple_view(importer, source, "unsqueeze", wide, dim=-2)
    from ..graph import Call
    op = table.load_table()[{"adaptive": "adaptive_avg_pool2d", "avg": "avg_pool2d", "max": "max_pool2d"}[kind]]
    with torch.no_grad(), importer.fake_mode:
        result = call.fake.unsqueeze(-2)
    inner = Call(call.node, call.key, None, [], {}, result)
    inner.op, inner.bound, inner.given = op, {"input": image, **flat}, set()
    pooled = importer.lower_op(inner)
    value, = importer.emit("squeeze", [pooled.read()], [importer.type_of(call.fake)], dims=[-2])
    return importer.fresh(value, call.fake)


@special("aten._scaled_dot_product_flash_attention_for_cpu.default", "aten._scaled_dot_product_efficient_attention.default",
         "aten._scaled_dot_product_flash_attention.default", "aten._scaled_dot_product_cudnn_attention.default",
         "aten._scaled_dot_product_fused_attention_overrideable.default")
def fused_attention(importer, call):
    """The kernels that attention decomposes into, if only the result is used."""
    only_first(importer, call)
    names = [a.name for a in call.target._schema.arguments if not a.kwarg_only]
    given = dict(zip(names, call.args)) | call.kwargs
    if given.get("dropout_p"):
        raise Unsupported("attention with dropout is not modelled")
    return first_of(importer, call, table.load_table()["scaled_dot_product_attention"], {
        "query": given["query"], "key": given["key"], "value": given["value"],
        "attn_mask": given.get("attn_mask", given.get("attn_bias")), "is_causal": given.get("is_causal", False),
        "scale": given.get("scale")})


@by_op("einsum")
def einsum(importer, call):
    call.take("_path")
    tensors = call.bound["tensors"]
    equation = call.bound["equation"]
    if not isinstance(equation, str):
        raise Unsupported("einsum in the sublist form is not modelled")
    if call.fake.dtype is torch.bool:
        raise Unsupported("einsum of bools is not modelled")
    operands = [importer.value(tensor) for tensor in tensors]
    dtype = dtypes.mlir_dtype(call.fake.dtype)
    if any(value.type.dtype != dtype for value in operands) and not call.fake.dtype.is_floating_point:
        # PyTorch's sum over a dimension that one operand alone has is i64, and what comes after it too.
        if len(operands) > 2:
            raise Unsupported("einsum of more than two tensors of small integers or bools is not modelled")
        operands = [importer.cast(value, dtype) for value in operands]
    call.bound["tensors"] = operands
    return NOT_DONE


@by_op("linear", "matmul", "mm", "bmm", "addmm", "baddbmm")
def contraction(importer, call):
    if any(isinstance(call.bound.get(n), (torch.SymFloat, torch.SymInt)) for n in ("alpha", "beta")):
        raise Unsupported("alpha or beta is symbolic")
    if call.op.name in ("addmm", "baddbmm") and isinstance(call.fake, torch.Tensor) and not call.fake.dtype.is_floating_point:
        # PyTorch truncates both to the integers' dtype.
        for name in ("alpha", "beta"):
            call.bound[name] = int(call.bound[name])
    return NOT_DONE


@by_op("addmm_activation")
def addmm_activation(importer, call):
    """The gelu of a GPU goes by tanh."""
    if call.bound.get("use_gelu") and call.fake.device.type not in ("cpu", "meta"):
        call.bound["approximate"] = "tanh"
    return contraction(importer, call)
