# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that no signature of the op table tells how to call, each with the reason.

A handler takes an op's types and its operands and attributes by name; None is
what is absent, and NotImplemented leaves the op to the table.
"""

import torch

from ..errors import FxGraphError
from ..importer.ir import DYNAMIC
from .callables import aten, call, is_tensor, known, torch_dtype

HANDLERS = {}


def handles(*names):
    def wrap(function):
        HANDLERS.update(dict.fromkeys(names, function))
        return function
    return wrap


# ATen compares a tensor with a number in this order alone.
SWAPPED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def _compare(name):
    def compare(types, input, other):
        return NotImplemented if is_tensor(input) else call(getattr(aten, SWAPPED[name]).Scalar, other, input)
    return compare


for _name in SWAPPED:
    HANDLERS[_name] = _compare(_name)


@handles("clamp")
def clamp(types, input, min, max):
    """ATen wants a bound."""
    return input if min is None and max is None else NotImplemented


@handles("view")
def view(types, input, sizes, shape):
    """Values have no strides: a view of them may need a copy."""
    sizes = iter(sizes)
    return call(aten.reshape.default, input, [next(sizes) if extent == DYNAMIC else extent for extent in shape])


@handles("view_dtype")
def view_dtype(types, input):
    """Values have no strides: PyTorch sees other bytes only of elements that lie side by side."""
    return call(aten.view.dtype, aten.contiguous.default(input), torch_dtype(types[0]))


@handles("scaled_dot_product_attention")
def scaled_dot_product_attention(types, query, key, value, attn_mask, is_causal, scale):
    """Masks broadcast; PyTorch's fused kernels ask for their last two dims."""
    fake = None if attn_mask is None else known(attn_mask)
    if attn_mask is None or fake is not None and fake.dim() >= 2:
        return NotImplemented
    mask = call(aten.atleast_2d.default, attn_mask)
    return call(aten.scaled_dot_product_attention.default, query, key, value, mask, 0.0, is_causal, scale=scale)


@handles("narrow")
def narrow(types, input, start, length, dim):
    """The signature is a slice's: the op is a slice whose bounds are computed."""
    return call(aten.narrow.default, input, dim, start, length)


@handles("prod")
def prod(types, input, dims, keepdim):
    """ATen multiplies along one dimension or all of them, and keeps none of the latter."""
    if not dims:
        result = call(aten.prod.default, input)
        return call(aten.reshape.default, result, list(types[0].shape)) if keepdim else result
    for dim in dims:
        input = call(aten.prod.dim_int, input, dim, True)
    return input if keepdim else call(aten.squeeze.dims, input, dims)


def _index(function):
    """ATen's list of indices has None for the dimensions between."""
    return lambda types, input, indices, dims: call(function, input, _index_list(indices, dims))


def _index_put(function):
    """As _index."""
    return lambda types, input, indices, values, dims, accumulate: call(function, input, _index_list(indices, dims), values, accumulate)


HANDLERS |= {"index": _index(aten.index.Tensor), "unsafe_index": _index(aten._unsafe_index.Tensor),
             "index_put": _index_put(aten.index_put.default), "unsafe_index_put": _index_put(aten._unsafe_index_put.default)}


def _index_list(indices, dims):
    at = dict(zip(dims, indices))
    return [at.get(d) for d in range(max(dims, default=-1) + 1)]


@handles("convolution")
def convolution(types, input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    """Without a batch dimension only the functions by rank take the input."""
    rank = len(stride)
    if len(types[0].shape) != rank + 1:
        return NotImplemented
    if transposed:
        function = {1: aten.conv_transpose1d.default, 2: aten.conv_transpose2d.input, 3: aten.conv_transpose3d.input}[rank]
        return call(function, input, weight, bias, stride, padding, output_padding, groups, dilation)
    function = {1: aten.conv1d, 2: aten.conv2d, 3: aten.conv3d}[rank].default
    return call(function, input, weight, bias, stride, padding, dilation, groups)


@handles("arange")
def arange(types, size, start, step):
    """The op's extent is given, and start + i * step is exact in f64 or i64; ATen rounds both and computes the extent."""
    dtype = torch_dtype(types[0])
    wide, of = (torch.float64, float) if dtype.is_floating_point else (torch.int64, int)
    positions = call(aten.arange.default, types[0].shape[0] if size is None else size, dtype=wide)
    values = call(aten.add.Tensor, call(aten.mul.Tensor, positions, of(step)), of(start))
    return call(torch.ops.prims.convert_element_type.default, values, dtype)


@handles("exponential")
def exponential(types, sizes, rate):
    """ATen draws into the shape of a tensor."""
    sizes = iter(sizes)
    shape = [next(sizes) if extent is None else extent for extent in types[0].shape]
    return call(aten.exponential.default, call(aten.empty.memory_format, shape, dtype=torch_dtype(types[0])), rate)


@handles("bernoulli")
def bernoulli(types, sizes, p):
    """As exponential."""
    sizes = iter(sizes)
    shape = [next(sizes) if extent is None else extent for extent in types[0].shape]
    return call(aten.bernoulli.p, call(aten.empty.memory_format, shape, dtype=torch.bool), p)


@handles("randperm")
def randperm(types, sizes):
    """ATen's argument is the number, not a shape."""
    return call(aten.randperm.default, sizes[0] if sizes else types[0].shape[0])


@handles("inductor_seed")
def inductor_seed(types):
    """On the default device, as all that is created."""
    from torch._inductor import inductor_prims
    return call(inductor_prims.seed, torch.get_default_device())


@handles("inductor_seeds")
def inductor_seeds(types):
    """The number is the extent; the device as of inductor_seed."""
    from torch._inductor import inductor_prims
    return call(inductor_prims.seeds, types[0].shape[0], torch.get_default_device())


@handles("assert_tensor_metadata")
def assert_tensor_metadata(types, input, expected):
    """ATen's arguments are parts of the type."""
    return call(aten._assert_tensor_metadata.default, input, None, None, torch_dtype(expected.type))


@handles("assert_scalar")
def assert_scalar(types, condition, message):
    return call(aten._assert_scalar.default, condition, message)


@handles("device_put")
def device_put(types, input, non_blocking):
    """The device stands in the result's type, unless it is the module's: then the other one is what the input has, and the
    module's is the accelerator or, without one, the CPU."""
    device = types[0].device
    if device is None:
        accelerator = torch.accelerator.current_accelerator()
        device = "cpu" if accelerator is None else accelerator.type
    return call(torch.ops.prims.device_put.default, input, torch.device(device), non_blocking)


# Ops that passes make: PyTorch has them as two calls.


def _swap(value, dim0=-1, dim1=-2):
    return call(aten.transpose.int, value, dim0, dim1)


@handles("relu_nan_to_num")
def relu_nan_to_num(types, input, nan, posinf):
    return call(aten.nan_to_num.default, call(aten.relu.default, input), nan, posinf)


@handles("linear_transpose")
def linear_transpose(types, input, weight, bias):
    return _swap(call(aten.linear.default, input, weight, bias))


@handles("transpose_linear")
def transpose_linear(types, input, weight, bias):
    return call(aten.linear.default, _swap(input), weight, bias)


@handles("transpose_matmul")
def transpose_matmul(types, input, other, trans_input, trans_other):
    return call(aten.matmul.default, _swap(input) if trans_input else input, _swap(other) if trans_other else other)


@handles("mm_plus_mm")
def mm_plus_mm(types, mat1, mat2, mat3, mat4):
    return call(aten.add.Tensor, call(aten.mm.default, mat1, mat2), call(aten.mm.default, mat3, mat4))


@handles("addmm_activation")
def addmm_activation(types, input, mat1, mat2, beta, alpha, use_gelu, approximate):
    """ATen's gelu depends on the device: that of a CPU is exact, that of a GPU goes by tanh."""
    if not use_gelu:
        return NotImplemented
    return call(aten.gelu.default, call(aten.addmm.default, input, mat1, mat2, beta=beta, alpha=alpha), approximate=approximate)


@handles("int_mm_mul")
def int_mm_mul(types, mat1, mat2, scale):
    return call(aten.mul.Tensor, call(aten._int_mm.default, mat1, mat2), scale)


# The op's activation to the library's. For NaN the library's relu, hardsigmoid and hardtanh give numbers: those stay ATen's.
LIBRARY_ACTIVATIONS = {"none": "none", "sigmoid": "sigmoid", "tanh": "tanh", "silu": "swish", "hardswish": "hardswish", "leaky_relu": "leaky_relu",
                       "gelu": "gelu"}


def _in_library(tensors):
    """True if the CPU library of this PyTorch has products of such tensors: of no empty ones, and not of every float."""
    fakes = [known(tensor) for tensor in tensors if tensor is not None]
    if not torch._C._has_mkldnn or any(fake is None or fake.device.type != "cpu" for fake in fakes):
        return False
    supported = {torch.float32: True, torch.bfloat16: torch.ops.mkldnn._is_mkldnn_bf16_supported(), torch.float16: torch.ops.mkldnn._is_mkldnn_fp16_supported()}
    return supported.get(fakes[0].dtype, False) and all(isinstance(extent, int) and extent > 0 for fake in fakes for extent in fake.shape)


def _post_ops(product, other, binary, attr, scalars, algorithm):
    """ATen's ops behind a product."""
    if other is not None:
        product = call({"add": aten.add.Tensor, "sub": aten.sub.Tensor, "mul": aten.mul.Tensor}[binary], product, other)
    if attr == "none":
        return product
    if attr == "gelu":
        return call(aten.gelu.default, product, approximate=algorithm)
    name = "clamp" if attr == "hardtanh" else attr
    return call(getattr(aten, name).default, product, *scalars)


@handles("linear_pointwise")
def linear_pointwise(types, input, weight, bias, other, binary, attr, scalars, algorithm):
    """The library has a product with another tensor, or with an activation, but none with both, and names them its own way.

    With a weight of f16 it clamps what the rounding made infinite: such a weight is widened for the product instead.
    """
    if known(weight).dtype != known(input).dtype:
        weight = call(torch.ops.prims.convert_element_type.default, weight, known(input).dtype)
    if not _in_library([input, weight, bias, other]):
        return _post_ops(call(aten.linear.default, input, weight, bias), other, binary, attr, scalars, algorithm)
    if other is not None and types[0].shape == tuple(known(other).shape):
        product = call(torch.ops.mkldnn._linear_pointwise.binary, input, other, weight, bias, binary)
        return _post_ops(product, None, "none", attr, scalars, algorithm)
    own = other is None and attr in LIBRARY_ACTIVATIONS
    product = call(torch.ops.mkldnn._linear_pointwise.default, input, weight, bias, LIBRARY_ACTIVATIONS[attr] if own else "none",
                   scalars if own else [], algorithm if own and attr == "gelu" else "")
    return product if own else _post_ops(product, other, binary, attr, scalars, algorithm)


@handles("convolution_pointwise")
def convolution_pointwise(types, input, weight, bias, other, stride, padding, dilation, transposed, output_padding, groups, binary, attr, scalars, algorithm):
    """As linear_pointwise, and behind another tensor there is but relu; the library wants a batch, and transposed convolutions are ATen's."""
    same = other is None or types[0].shape == tuple(known(other).shape)
    if not _in_library([input, weight, bias, other]) or known(input).dim() != known(weight).dim() or transposed or not same:
        product = call(aten.convolution.default, input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
        return _post_ops(product, other, binary, attr, scalars, algorithm)
    if other is not None:
        product = call(torch.ops.mkldnn._convolution_pointwise.binary, input, other, weight, bias, padding, stride, dilation, groups, binary, 1.0, None, [], None)
        return _post_ops(product, None, "none", attr, scalars, algorithm)
    own = attr in LIBRARY_ACTIVATIONS
    name, numbers, variant = (LIBRARY_ACTIVATIONS[attr], scalars, algorithm if attr == "gelu" else "") if own else ("none", [], "")
    product = call(torch.ops.mkldnn._convolution_pointwise.default, input, weight, bias, padding, stride, dilation, groups, name, numbers, variant)
    return product if own else _post_ops(product, None, "none", attr, scalars, algorithm)


@handles("qlinear_pointwise")
def qlinear_pointwise(types, input, weight, weight_scales, weight_zero_points, bias, other, input_scale, input_zero_point, **attributes):
    product = call(aten.linear.default, *_dequantized(input, input_scale, input_zero_point, weight, weight_scales, weight_zero_points), bias)
    return _quantized(types[0], product, other, **attributes)


@handles("qconv_pointwise")
def qconv_pointwise(types, input, weight, weight_scales, weight_zero_points, bias, other, input_scale, input_zero_point, stride, padding, dilation,
                    groups, **attributes):
    operands = _dequantized(input, input_scale, input_zero_point, weight, weight_scales, weight_zero_points)
    product = call(aten.convolution.default, *operands, bias, stride, padding, dilation, False, [0] * len(stride), groups)
    return _quantized(types[0], product, other, **attributes)


def _range(dtype):
    """The least and the largest 8-bit integer."""
    return (0, 255) if dtype == torch.uint8 else (-128, 127)


def _dequantized(input, input_scale, input_zero_point, weight, weight_scales, weight_zero_points):
    """The two operands in f32. The library's own product of integers wants weights that it has packed when the graph was made."""
    from torch.ao.quantization.fx import _decomposed  # noqa: F401: defines the ops
    ops, dtype = torch.ops.quantized_decomposed, known(input).dtype
    return (call(ops.dequantize_per_tensor.default, input, input_scale, input_zero_point, *_range(dtype), dtype),
            call(ops.dequantize_per_channel.default, weight, weight_scales, weight_zero_points, 0, -128, 127, torch.int8))


def _quantized(type_, product, other, binary, other_scale, other_zero_point, attr, scalars, algorithm, output_scale, output_zero_point):
    """What stands behind the product, and the result's dtype."""
    ops = torch.ops.quantized_decomposed
    if other is not None:
        dtype = known(other).dtype
        other = call(ops.dequantize_per_tensor.default, other, other_scale, other_zero_point, *_range(dtype), dtype) if not dtype.is_floating_point \
            else call(torch.ops.prims.convert_element_type.default, other, torch.float32)
    value, dtype = _post_ops(product, other, binary, attr, scalars, algorithm), torch_dtype(type_)
    if dtype.is_floating_point:
        return value if dtype == torch.float32 else call(torch.ops.prims.convert_element_type.default, value, dtype)
    return call(ops.quantize_per_tensor.default, value, output_scale, output_zero_point, *_range(dtype), dtype)


@handles("weight_int4pack_mm")
def weight_int4pack_mm(types, input, weight, scales_and_zeros, group_size, layout):
    """The library reads weights as the CPU's vectors are."""
    from ..importer.handlers.packed import int4_layout
    if layout != int4_layout():
        raise FxGraphError(f"expected weights of 4 bits packed for this CPU ({int4_layout()}) but got {layout}")
    return call(aten._weight_int4pack_mm_for_cpu.default, input, weight, group_size, scales_and_zeros)


def _gathered(shard, gather_dim, group_size, group_name):
    c10d = torch.ops._c10d_functional
    whole = call(c10d.wait_tensor.default, call(c10d.all_gather_into_tensor.default, shard, group_size, group_name))
    return whole if gather_dim == 0 else call(aten.cat.default, _parts(whole, group_size, 0), gather_dim)


def _parts(value, count, dim):
    parts = call(aten.chunk.default, value, count, dim)
    return [parts[i] for i in range(count)]


def _on_gpu(value):
    """True where PyTorch has the products that are computed piece by piece: on GPUs."""
    fake = known(value)
    return fake is not None and fake.device.type == "cuda"


@handles("fused_all_gather_matmul")
def fused_all_gather_matmul(types, shard, weights, gather_dim, group_size, group_name, return_a):
    """The collective and the products, where PyTorch has no such op (on CPUs)."""
    import torch.distributed._symmetric_memory  # noqa: F401: defines the op
    gather_dim %= known(shard).dim()
    if _on_gpu(shard):
        whole, products = call(torch.ops.symm_mem.fused_all_gather_matmul.default, shard, weights, gather_dim, group_name, return_A=return_a)
        products = [products[i] for i in range(len(weights))]
    else:
        whole = _gathered(shard, gather_dim, group_size, group_name)
        products = [call(aten.matmul.default, whole, weight) for weight in weights]
    return [whole, *products] if return_a else products


@handles("fused_matmul_reduce_scatter")
def fused_matmul_reduce_scatter(types, input, weight, reduce_op, scatter_dim, group_size, group_name):
    import torch.distributed._symmetric_memory  # noqa: F401: defines the op
    scatter_dim %= known(input).dim()
    if _on_gpu(input) and reduce_op in ("sum", "avg"):
        return call(torch.ops.symm_mem.fused_matmul_reduce_scatter.default, input, weight, reduce_op, scatter_dim, group_name)
    c10d, product = torch.ops._c10d_functional, call(aten.matmul.default, input, weight)
    if scatter_dim != 0:
        product = call(aten.cat.default, _parts(product, group_size, scatter_dim))
    return call(c10d.wait_tensor.default, call(c10d.reduce_scatter_tensor.default, product, reduce_op, group_size, group_name))


def _rows_product(matrix, weight, scale_a, scale_b, bias, dtype, use_fast_accum):
    """The scaled product of a tensor's rows, in its shape."""
    shape = known(matrix).shape
    rows = matrix if len(shape) == 2 else call(aten.reshape.default, matrix, [-1, shape[-1]])
    product = call(aten._scaled_mm.default, rows, _by_columns(weight), scale_a, scale_b, bias, None, dtype, use_fast_accum)
    return product if len(shape) == 2 else call(aten.reshape.default, product, [*shape[:-1], known(weight).shape[-1]])


def _by_columns(weight):
    """The right factor as GPUs want it in memory."""
    if known(weight).stride(0) == 1:
        return weight
    return call(aten.t.default, call(aten.clone.default, call(aten.t.default, weight), memory_format=torch.contiguous_format))


def _scales_of(rows, scale):
    """A scale of each row in the shape of the rows, as the fused ops want it."""
    return scale if known(scale).numel() == 1 else call(aten.reshape.default, scale, [*rows, 1])


@handles("fused_all_gather_scaled_matmul")
def fused_all_gather_scaled_matmul(types, shard, weights, scale_a, weight_scales, biases, gather_dim, group_size, group_name, use_fast_accum, return_a):
    import torch.distributed._symmetric_memory  # noqa: F401: defines the op
    gather_dim %= known(shard).dim()
    count = len(weights)
    biases, results = list(biases) or [None] * count, [torch_dtype(type_) for type_ in types[-count:]]
    if _on_gpu(shard):
        rows = list(known(shard).shape[:-1])
        rows[gather_dim] *= group_size
        whole, products = call(torch.ops.symm_mem.fused_all_gather_scaled_matmul.default, shard, [_by_columns(w) for w in weights], _scales_of(rows, scale_a), list(weight_scales),
                               gather_dim, group_name, biases, [None] * count, results, [use_fast_accum] * count)
        products = [products[i] for i in range(count)]
    else:
        whole = _gathered(shard, gather_dim, group_size, group_name)
        products = [_rows_product(whole, weight, scale_a, scale_b, bias, dtype, use_fast_accum)
                    for weight, scale_b, bias, dtype in zip(weights, weight_scales, biases, results)]
    return [whole, *products] if return_a else products


@handles("fused_scaled_matmul_reduce_scatter")
def fused_scaled_matmul_reduce_scatter(types, input, weight, scale_a, scale_b, bias, reduce_op, scatter_dim, group_size, group_name, use_fast_accum):
    import torch.distributed._symmetric_memory  # noqa: F401: defines the op
    scatter_dim %= known(input).dim()
    dtype = torch_dtype(types[0])
    # Of a third dimension or more PyTorch divides another one than it scatters.
    if _on_gpu(input) and reduce_op in ("sum", "avg") and scatter_dim <= 1:
        shape = [*known(input).shape[:-1], known(weight).shape[-1]]
        return call(torch.ops.symm_mem.fused_scaled_matmul_reduce_scatter.default, input, _by_columns(weight), _scales_of(known(input).shape[:-1], scale_a), scale_b, reduce_op,
                    scatter_dim, scatter_dim, group_name, shape, bias, None, dtype, use_fast_accum)
    c10d = torch.ops._c10d_functional
    product = _rows_product(input, weight, scale_a, scale_b, bias, dtype, use_fast_accum)
    if scatter_dim != 0:
        product = call(aten.cat.default, _parts(product, group_size, scatter_dim))
    return call(c10d.wait_tensor.default, call(c10d.reduce_scatter_tensor.default, product, reduce_op, group_size, group_name))


@handles("grouped_mm")
def grouped_mm(types, inputs, weights, biases):
    products = zip(inputs, weights, biases or [None] * len(inputs))
    return [call(aten.mm.default, x, w) if b is None else call(aten.addmm.default, b, x, w) for x, w, b in products]


@handles("dot_compress")
def dot_compress(types, input, weight):
    return call(aten.matmul.default, input, call(aten.matmul.default, _swap(input, 1, 2), weight))


@handles("lce")
def lce(types, input, weight, bias):
    return _swap(call(aten.linear.default, _swap(input, 1, 2), weight, bias), 1, 2)
