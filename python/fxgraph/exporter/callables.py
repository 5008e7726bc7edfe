# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each op of the dialect as calls of torch.ops.

A function here takes the op's operands (tensors; Python numbers where the
operand is a wrapped number), its attributes by name and the result types, and
returns the result or a list of them. Called on tensors it computes, called on
FX proxies it records: one table serves both. A call that need not have a tensor
among its arguments goes through `call`, a tensor that is made here through
`literal`: a proxy records neither by itself.
"""

import contextvars

import torch

from ..errors import FxGraphError
from ..importer.dtypes import MLIR_TO_TORCH

aten = torch.ops.aten
INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)
OPS = {}


def op(*names):
    def wrap(function):
        for name in names:
            OPS["fxgraph." + name] = function
        return function
    return wrap


def torch_dtype(type_):
    try:
        return MLIR_TO_TORCH[type_.dtype]
    except KeyError:
        raise FxGraphError(f"expected an element type of PyTorch but got {type_.dtype}") from None


def number(value):
    """A float that is a whole number, as PyTorch users write it."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


# One operand, no attributes, the ATen op of the same name.
for _name in """tanh sigmoid silu exp exp2 expm1 log log1p log2 log10 sqrt rsqrt reciprocal sin cos tan asin acos atan sinh cosh erf
                log_sigmoid hardsigmoid hardswish mish relu neg abs sign ceil floor round trunc bitwise_not detach isnan isinf isfinite
                logical_not""".split():
    OPS["fxgraph." + _name] = (lambda f: lambda types, x: f(x))(getattr(aten, _name).default)


# What records the calls while to_fx makes a graph; None while a graph is computed.
RECORDER = contextvars.ContextVar("recorder", default=None)


def call(function, *args, **kwargs):
    """A call now, or each time the recorded graph runs."""
    recorder = RECORDER.get()
    return recorder.call(function, args, kwargs) if recorder else function(*args, **kwargs)


def literal(tensor):
    """A tensor that is part of the graph."""
    recorder = RECORDER.get()
    return recorder.constant(tensor) if recorder else tensor


def known(value):
    """The tensor, or the fake one that tells what a recorded value is; None where that is not known."""
    recorder = RECORDER.get()
    return recorder.fake(value) if recorder else value


def _is_tensor(x):
    return isinstance(x, (torch.Tensor, torch.fx.Proxy))


def _tensor(x, dtype):
    return x if _is_tensor(x) else literal(torch.tensor(x, dtype=dtype))


# Of a number and a tensor, in this order: the overloads in which the number stays one and has no say in the dtype.
_NUMBER_FIRST = {
    "mul": aten.mul.Tensor, "pow": aten.pow.Scalar, "remainder": aten.remainder.Scalar_Tensor, "bitwise_and": aten.bitwise_and.Scalar_Tensor,
    "bitwise_or": aten.bitwise_or.Scalar_Tensor, "bitwise_xor": aten.bitwise_xor.Scalar_Tensor}
_SWAPPED = {"eq": aten.eq, "ne": aten.ne, "lt": aten.gt, "le": aten.ge, "gt": aten.lt, "ge": aten.le}


def _binary(name):
    packet = getattr(aten, name)

    def call_(types, x, y):
        if _is_tensor(x):
            return packet(x, y)
        return _SWAPPED[name].Scalar(y, x) if name in _SWAPPED else _NUMBER_FIRST[name](x, y)
    return call_


for _name in (*_NUMBER_FIRST, *_SWAPPED):
    OPS["fxgraph." + _name] = _binary(_name)


def _of_tensors(name, dtype_of):
    """A binary op that PyTorch has of two tensors only; a number becomes one of the dtype in which it is exact."""
    packet = getattr(aten, name)

    def call_(types, x, y):
        dtype = dtype_of(types[0])
        return packet(_tensor(x, dtype), _tensor(y, dtype))
    return call_


for _name in "maximum minimum atan2 fmod".split():
    OPS["fxgraph." + _name] = _of_tensors(_name, torch_dtype)
for _name in "logical_and logical_or logical_xor".split():
    OPS["fxgraph." + _name] = _of_tensors(_name, lambda type_: None)


@op("add")
def add_(types, x, y, alpha=1.0):
    return _arithmetic(torch.add, aten.add.Tensor, x, y, alpha)


@op("sub")
def sub(types, x, y, alpha=1.0):
    return _arithmetic(torch.sub, aten.sub.Tensor, x, y, alpha)


def _arithmetic(function, overload, x, y, alpha):
    factor = {} if alpha == 1 else {"alpha": number(alpha)}
    return (function if _is_tensor(x) else overload)(x, y, **factor)


@op("div")
def div(types, x, y, rounding_mode=None):
    if not _is_tensor(x):
        return aten.div.Tensor(x, y) if rounding_mode is None else aten.div.Tensor_mode(x, y, rounding_mode=rounding_mode)
    return torch.div(x, y, rounding_mode=rounding_mode)


@op("where")
def where(types, condition, x, y):
    dtype = torch_dtype(types[0])
    return aten.where.self(condition, _tensor(x, dtype), _tensor(y, dtype))


@op("gelu")
def gelu(types, x, approximate="none"):
    return aten.gelu.default(x, approximate=approximate)


@op("softplus")
def softplus(types, x, beta=1.0, threshold=20.0):
    return aten.softplus.default(x, beta, threshold)


@op("elu")
def elu(types, x, alpha=1.0, scale=1.0, input_scale=1.0):
    return aten.elu.default(x, alpha, scale, input_scale)


@op("leaky_relu")
def leaky_relu(types, x, negative_slope=0.01):
    return aten.leaky_relu.default(x, negative_slope)


@op("clamp")
def clamp(types, x, min=None, max=None):
    if min is None and max is None:
        return x
    dtype = torch_dtype(types[0])
    return aten.clamp.default(x, *(None if bound is None else _bound(bound, dtype) for bound in (min, max)))


def _bound(value, dtype):
    """A bound that does not decide the dtype: of integers an integer in their range."""
    if dtype.is_floating_point:
        return number(value)
    limits = torch.iinfo(dtype)
    return limits.min if value <= limits.min else limits.max if value >= limits.max else int(value)


@op("nan_to_num")
def nan_to_num(types, x, nan=0.0, posinf=None, neginf=None):
    return aten.nan_to_num.default(x, nan, posinf, neginf)


@op("relu_nan_to_num")
def relu_nan_to_num(types, x, nan=0.0, posinf=None):
    return aten.nan_to_num.default(aten.relu.default(x), nan, posinf)


def _quantized_decomposed():
    """The namespace of quantized graphs' ops; importing the module registers them."""
    import torch.ao.quantization.fx._decomposed  # noqa: F401
    return torch.ops.quantized_decomposed


@op("quantize_per_tensor")
def quantize_per_tensor(types, x, scale, zero_point, quant_min, quant_max):
    return _quantized_decomposed().quantize_per_tensor.default(x, scale, zero_point, quant_min, quant_max, torch_dtype(types[0]))


@op("dequantize_per_tensor")
def dequantize_per_tensor(types, x, scale, zero_point, quant_min, quant_max):
    return _quantized_decomposed().dequantize_per_tensor.default(x, scale, zero_point, quant_min, quant_max, x.dtype, out_dtype=torch_dtype(types[0]))


@op("convert_element_type")
def convert_element_type(types, x):
    return torch.ops.prims.convert_element_type.default(x, torch_dtype(types[0]))


@op("dropout")
def dropout(types, x, p=0.5, training=True):
    return aten.dropout.default(x, p, training)


@op("clone")
def clone(types, x):
    return aten.clone.default(x)


@op("contiguous")
def contiguous(types, x):
    return aten.contiguous.default(x)


# Views -------------------------------------------------------------------


def _shape(static, sizes):
    sizes = iter(sizes)
    return [next(sizes) if s == INT64_MIN else s for s in static]


@op("reshape", "view")
def reshape(types, x, *sizes, shape):
    return aten.reshape.default(x, _shape(shape, sizes))


@op("expand")
def expand(types, x, *sizes, shape):
    return aten.expand.default(x, _shape(shape, sizes))


@op("flatten")
def flatten(types, x, start_dim=0, end_dim=-1):
    return aten.flatten.using_ints(x, start_dim, end_dim)


@op("unflatten")
def unflatten(types, x, dim, sizes):
    return aten.unflatten.int(x, dim, sizes)


@op("permute")
def permute(types, x, dims):
    return aten.permute.default(x, dims)


@op("transpose")
def transpose(types, x, dim0, dim1):
    return aten.transpose.int(x, dim0, dim1)


@op("squeeze")
def squeeze(types, x, dims=None):
    return aten.squeeze.default(x) if dims is None else aten.squeeze.dims(x, dims)


@op("unsqueeze")
def unsqueeze(types, x, dim):
    return aten.unsqueeze.default(x, dim)


@op("repeat")
def repeat(types, x, repeats):
    return aten.repeat.default(x, repeats)


@op("slice")
def slice_(types, x, dim=0, start=0, end=INT64_MAX, step=1):
    return aten.slice.Tensor(x, dim, start, end, step)


@op("select")
def select(types, x, dim, index):
    return aten.select.int(x, dim, index)


@op("flip")
def flip(types, x, dims):
    return aten.flip.default(x, dims)


@op("roll")
def roll(types, x, shifts, dims):
    return aten.roll.default(x, shifts, dims)


@op("constant_pad_nd")
def constant_pad_nd(types, x, pad, value=0.0):
    return aten.constant_pad_nd.default(x, pad, number(value))


@op("triu")
def triu(types, x, diagonal=0):
    return aten.triu.default(x, diagonal)


@op("tril")
def tril(types, x, diagonal=0):
    return aten.tril.default(x, diagonal)


@op("narrow")
def narrow(types, x, start, length, dim):
    return aten.narrow.default(x, dim, start, length)


@op("slice_scatter")
def slice_scatter(types, x, src, dim=0, start=0, end=INT64_MAX, step=1):
    return aten.slice_scatter.default(x, src, dim, start, end, step)


@op("select_scatter")
def select_scatter(types, x, src, dim, index):
    return aten.select_scatter.default(x, src, dim, index)


@op("split")
def split(types, x, split_size, dim=0):
    return aten.split.Tensor(x, split_size, dim)


@op("split_with_sizes")
def split_with_sizes(types, x, split_sizes, dim=0):
    return aten.split_with_sizes.default(x, split_sizes, dim)


@op("chunk")
def chunk(types, x, chunks, dim=0):
    return aten.chunk.default(x, chunks, dim)


@op("unbind")
def unbind(types, x, dim=0):
    return aten.unbind.int(x, dim)


@op("cat")
def cat(types, *tensors, dim=0):
    return aten.cat.default(list(tensors), dim)


@op("stack")
def stack(types, *tensors, dim=0):
    return aten.stack.default(list(tensors), dim)


# Products ----------------------------------------------------------------


@op("linear")
def linear(types, x, weight, bias=None):
    return aten.linear.default(x, weight, bias)


@op("matmul")
def matmul(types, x, y):
    return aten.matmul.default(x, y)


@op("mm")
def mm(types, x, y):
    return aten.mm.default(x, y)


@op("bmm")
def bmm(types, x, y):
    return aten.bmm.default(x, y)


@op("addmm")
def addmm(types, c, a, b, beta=1.0, alpha=1.0):
    return aten.addmm.default(c, a, b, beta=number(beta), alpha=number(alpha))


@op("baddbmm")
def baddbmm(types, c, a, b, beta=1.0, alpha=1.0):
    return aten.baddbmm.default(c, a, b, beta=number(beta), alpha=number(alpha))


@op("einsum")
def einsum(types, *tensors, equation):
    return aten.einsum.default(equation, list(tensors))


@op("scaled_dot_product_attention")
def attention(types, q, k, v, mask=None, is_causal=False, scale=None):
    return aten.scaled_dot_product_attention.default(q, k, v, mask, 0.0, is_causal, scale=scale)


@op("linear_transpose")
def linear_transpose(types, x, weight, bias=None):
    return aten.transpose.int(aten.linear.default(x, weight, bias), -1, -2)


@op("transpose_linear")
def transpose_linear(types, x, weight, bias=None):
    return aten.linear.default(aten.transpose.int(x, -1, -2), weight, bias)


@op("transpose_matmul")
def transpose_matmul(types, x, y, trans_input=False, trans_other=False):
    x = aten.transpose.int(x, -1, -2) if trans_input else x
    y = aten.transpose.int(y, -1, -2) if trans_other else y
    return aten.matmul.default(x, y)


@op("mm_plus_mm")
def mm_plus_mm(types, a, b, c, d):
    return aten.add.Tensor(aten.mm.default(a, b), aten.mm.default(c, d))


@op("dot_compress")
def dot_compress(types, x, weight):
    return aten.matmul.default(x, aten.matmul.default(aten.transpose.int(x, 1, 2), weight))


@op("lce")
def lce(types, x, weight, bias=None):
    return aten.transpose.int(aten.linear.default(aten.transpose.int(x, 1, 2), weight, bias), 1, 2)


# Convolution, pooling, normalisation --------------------------------------


@op("conv1d", "conv2d", "conv3d")
def conv(types, x, weight, bias=None, *, stride, padding, dilation, groups=1):
    name = {1: aten.conv1d, 2: aten.conv2d, 3: aten.conv3d}[len(stride)]
    return name.default(x, weight, bias, stride, padding, dilation, groups)


@op("convolution")
def convolution(types, x, weight, bias=None, *, stride, padding, dilation, transposed=False, output_padding, groups=1):
    if len(types[0].shape) == len(stride) + 1:
        # No batch dimension: only the functions by rank take that.
        if transposed:
            name = {1: aten.conv_transpose1d.default, 2: aten.conv_transpose2d.input, 3: aten.conv_transpose3d.input}[len(stride)]
            return name(x, weight, bias, stride, padding, output_padding, groups, dilation)
        return conv(types, x, weight, bias, stride=stride, padding=padding, dilation=dilation, groups=groups)
    return aten.convolution.default(x, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


@op("batch_norm")
def batch_norm(types, x, mean=None, variance=None, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    return aten.batch_norm.default(x, weight, bias, mean, variance, training, momentum, eps, False)


@op("layer_norm")
def layer_norm(types, x, weight=None, bias=None, *, normalized_shape, eps=1e-5):
    return aten.layer_norm.default(x, normalized_shape, weight, bias, eps)


@op("native_layer_norm")
def native_layer_norm(types, x, weight=None, bias=None, *, normalized_shape, eps=1e-5):
    return aten.native_layer_norm.default(x, normalized_shape, weight, bias, eps)


@op("rms_norm")
def rms_norm(types, x, weight=None, *, normalized_shape, eps=None):
    return aten.rms_norm.default(x, normalized_shape, weight, eps)


@op("group_norm")
def group_norm(types, x, weight=None, bias=None, *, num_groups, eps=1e-5):
    return aten.group_norm.default(x, num_groups, weight, bias, eps)


@op("max_pool2d")
def max_pool2d(types, x, kernel_size, stride, padding, dilation, ceil_mode=False):
    return aten.max_pool2d.default(x, kernel_size, stride, padding, dilation, ceil_mode)


@op("avg_pool2d")
def avg_pool2d(types, x, kernel_size, stride, padding, ceil_mode=False, count_include_pad=True, divisor_override=None):
    return aten.avg_pool2d.default(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@op("adaptive_avg_pool2d")
def adaptive_avg_pool2d(types, x, output_size):
    return aten.adaptive_avg_pool2d.default(x, output_size)


# Reductions --------------------------------------------------------------


def _dims(x, dims):
    return dims or None


@op("sum")
def sum_(types, x, dims=None, keepdim=False):
    return aten.sum.dim_IntList(x, _dims(x, dims), keepdim)


@op("mean")
def mean(types, x, dims=None, keepdim=False):
    return aten.mean.dim(x, _dims(x, dims), keepdim)


@op("amax")
def amax(types, x, dims=None, keepdim=False):
    return aten.amax.default(x, dims or [], keepdim)


@op("amin")
def amin(types, x, dims=None, keepdim=False):
    return aten.amin.default(x, dims or [], keepdim)


@op("prod")
def prod(types, x, dims=None, keepdim=False):
    if not dims:
        result = aten.prod.default(x)
        return aten.reshape.default(result, list(types[0].shape)) if keepdim else result
    for dim in dims:
        x = aten.prod.dim_int(x, dim, True)
    return x if keepdim else aten.squeeze.dims(x, dims)


def _bool_reduction(packet):
    def call(types, x, dims=None, keepdim=False):
        if dims:
            result = packet.dims(x, dims, keepdim)
        elif keepdim:
            result = aten.reshape.default(packet.default(x), list(types[0].shape))
        else:
            result = packet.default(x)
        return torch.ops.prims.convert_element_type.default(result, torch_dtype(types[0]))
    return call


OPS["fxgraph.any"], OPS["fxgraph.all"] = _bool_reduction(aten.any), _bool_reduction(aten.all)


@op("var")
def var(types, x, dims=None, keepdim=False, correction=1.0):
    return aten.var.correction(x, _dims(x, dims), correction=correction, keepdim=keepdim)


@op("logsumexp")
def logsumexp(types, x, dims=None, keepdim=False):
    return aten.logsumexp.default(x, dims or list(range(len(types[0].shape) if keepdim else _rank(x))), keepdim)


def _rank(x):
    return x.dim()


@op("vector_norm")
def vector_norm(types, x, ord=2.0, dims=None, keepdim=False):
    return aten.linalg_vector_norm.default(x, ord, _dims(x, dims), keepdim)


@op("argmax")
def argmax(types, x, dim=None, keepdim=False):
    return aten.argmax.default(x, dim, keepdim)


@op("argmin")
def argmin(types, x, dim=None, keepdim=False):
    return aten.argmin.default(x, dim, keepdim)


@op("max_dim")
def max_dim(types, x, dim, keepdim=False):
    return aten.max.dim(x, dim, keepdim)


@op("min_dim")
def min_dim(types, x, dim, keepdim=False):
    return aten.min.dim(x, dim, keepdim)


@op("softmax")
def softmax(types, x, dim):
    return aten.softmax.int(x, dim)


@op("log_softmax")
def log_softmax(types, x, dim):
    return aten.log_softmax.int(x, dim)


@op("cumsum")
def cumsum(types, x, dim):
    return aten.cumsum.default(x, dim)


@op("cumprod")
def cumprod(types, x, dim):
    return aten.cumprod.default(x, dim)


@op("topk")
def topk(types, x, k, dim=-1, largest=True, sorted=True):
    return aten.topk.default(x, k, dim, largest, sorted)


@op("sort")
def sort(types, x, dim=-1, descending=False):
    return aten.sort.stable(x, stable=True, dim=dim, descending=descending)


# Indexing ----------------------------------------------------------------


def _index_list(indices, dims):
    at = dict(zip(dims, indices))
    return [_index(at[d]) if d in at else None for d in range(max(dims, default=-1) + 1)]


def _index(x):
    return x if _is_tensor(x) else literal(torch.tensor(x))


@op("index")
def index(types, x, *indices, dims):
    # uint8 and bool tensors would be masks.
    return aten.index.Tensor(x, _index_list(indices, dims))


@op("index_put")
def index_put(types, x, *rest, dims, accumulate=False):
    return aten.index_put.default(x, _index_list(rest[:-1], dims), _tensor(rest[-1], torch_dtype(types[0])), accumulate)


@op("index_select")
def index_select(types, x, index_, dim):
    return aten.index_select.default(x, dim, _index(index_))


@op("gather")
def gather(types, x, index_, dim):
    return aten.gather.default(x, dim, _index(index_))


@op("scatter")
def scatter(types, x, index_, src, dim):
    return aten.scatter.src(x, dim, _index(index_), src)


@op("scatter_add")
def scatter_add(types, x, index_, src, dim):
    return aten.scatter_add.default(x, dim, _index(index_), src)


@op("embedding")
def embedding(types, weight, indices):
    return aten.embedding.default(weight, _index(indices))


# Creation ----------------------------------------------------------------


def _result_shape(type_, sizes):
    sizes = iter(sizes)
    return [next(sizes) if s is None else s for s in type_.shape]


@op("full")
def full(types, *sizes, value):
    dtype = torch_dtype(types[0])
    fill = bool(value) if dtype is torch.bool else (value if dtype.is_floating_point else int(value))
    return call(aten.full.default, _result_shape(types[0], sizes), fill, dtype=dtype)


@op("arange")
def arange(types, *sizes, start=0.0, step=1.0):
    dtype = torch_dtype(types[0])
    count = _result_shape(types[0], sizes)[0]
    if dtype.is_floating_point:
        positions = call(aten.arange.default, count, dtype=torch.float64)
        return torch.ops.prims.convert_element_type.default(aten.add.Tensor(aten.mul.Tensor(positions, step), start), dtype)
    positions = call(aten.arange.default, count, dtype=torch.int64)
    return torch.ops.prims.convert_element_type.default(aten.add.Tensor(aten.mul.Tensor(positions, int(step)), int(start)), dtype)


@op("rand")
def rand(types, *sizes):
    return call(aten.rand.default, _result_shape(types[0], sizes), dtype=torch_dtype(types[0]))


@op("randn")
def randn(types, *sizes):
    return call(aten.randn.default, _result_shape(types[0], sizes), dtype=torch_dtype(types[0]))


@op("exponential")
def exponential(types, *sizes, rate=1.0):
    return call(aten.exponential.default, call(aten.empty.memory_format, _result_shape(types[0], sizes), dtype=torch_dtype(types[0])), rate)


@op("sym_size")
def sym_size(types, x, dim):
    return aten.sym_size.int(x, dim)


@op("assert_tensor_metadata")
def assert_tensor_metadata(types, x, expected):
    return aten._assert_tensor_metadata.default(x, None, None, torch_dtype(expected.type))


def dense_tensor(literal):
    """The tensor of a dense literal."""
    dtype, shape = torch_dtype(literal.type), list(literal.type.shape)
    if not literal.raw:
        return torch.empty(shape, dtype=dtype)
    flat = torch.frombuffer(bytearray(literal.raw), dtype=torch.uint8).clone().view(dtype)
    return flat.expand(shape).clone() if flat.numel() == 1 and shape else flat.reshape(shape)


def scalar_of(literal):
    """The Python number of a rank-0 f64/i64/i1 literal, else None."""
    if literal.type.shape or literal.type.dtype not in ("f64", "i64", "i1"):
        return None
    return dense_tensor(literal).item()
