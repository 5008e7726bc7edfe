# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ATen ops as simpler ones, where PyTorch has no decomposition (or one into ops of its own that compute nothing simpler).

`TABLE` has {overload: function}, as torch._decomp.decomposition_table. A function takes
the overload's arguments, returns what it returns and computes what eager computes on
the CPU, NaN included (which of equal elements an index names is as open as there); it raises NotImplementedError
where it has no form, which leaves the call whole.
"""

import ctypes
import math

import torch

aten = torch.ops.aten
TABLE = {}


def decomposition(*overloads):
    def wrap(function):
        TABLE.update({overload: function for overload in overloads})
        return function
    return wrap


def _acc(dtype):
    """The dtype in which PyTorch sums on the CPU."""
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype


def _each(value, rank, otherwise=()):
    """A number for each of the dimensions: PyTorch takes one for all, and none where there is another rule."""
    value = list(value) if isinstance(value, (list, tuple)) else [value]
    value = value or list(otherwise)
    return value * rank if len(value) == 1 else value


def refusing(x, wrong):
    """x; a run fails where an element of `wrong` is true. Of one whole the second is asked for: an index that there is not."""
    return x.unsqueeze(0).index_select(0, wrong.any().to(torch.int64).reshape(1)).squeeze(0)


# -- views ----------------------------------------------------------------------


def _diagonal(rows, columns, offset):
    """(start, end, step) of a diagonal in a row-major matrix: its elements are columns + 1 apart."""
    length = max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))
    start = offset if offset >= 0 else -offset * columns
    return (start, start + (length - 1) * (columns + 1) + 1, columns + 1) if length else (0, 0, 1)


@decomposition(aten.diagonal.default)
def diagonal(x, offset=0, dim1=0, dim2=1):
    x = x.movedim((dim1, dim2), (-2, -1))
    rows, columns = x.shape[-2:]
    return x.reshape(*x.shape[:-2], rows * columns)[..., slice(*_diagonal(rows, columns, offset))]


@decomposition(aten.diagonal_scatter.default)
def diagonal_scatter(x, src, offset=0, dim1=0, dim2=1):
    moved = x.movedim((dim1, dim2), (-2, -1))
    rows, columns = moved.shape[-2:]
    flat = moved.reshape(*moved.shape[:-2], rows * columns)
    flat = flat.slice_scatter(src.to(x.dtype), -1, *_diagonal(rows, columns, offset))
    return flat.reshape(moved.shape).movedim((-2, -1), (dim1, dim2))


@decomposition(aten.unfold.default)
def unfold(x, dimension, size, step):
    if x.dim() == 0:
        x = x.reshape(1)
        return x[:size]
    dim = dimension % x.dim()
    count = (x.shape[dim] - size) // step + 1
    starts = torch.arange(count, device=x.device) * step
    index = (starts.unsqueeze(1) + torch.arange(size, device=x.device)).reshape(-1)
    return x.index_select(dim, index).unflatten(dim, (count, size)).movedim(dim + 1, -1)


def _copies():
    """view_copy and its like are the view, copied."""
    def copied(view):
        def decomposed(*args, **kwargs):
            made = view(*args, **kwargs)
            return made.clone() if isinstance(made, torch.Tensor) else [piece.clone() for piece in made]
        return decomposed

    for name in sorted({schema.name for schema in torch._C._jit_get_all_schemas() if schema.name.startswith("aten::")}):
        name = name.removeprefix("aten::")
        packet, view = getattr(aten, name, None), getattr(aten, name.removesuffix("_copy"), None)
        if not name.endswith("_copy") or packet is None or view is None:
            continue
        for overload in set(packet.overloads()) & set(view.overloads()):
            if any(result.alias_info is not None for result in getattr(view, overload)._schema.returns):
                decomposition(getattr(packet, overload))(copied(getattr(view, overload)))


_copies()


@decomposition(aten.as_strided_scatter.default)
def as_strided_scatter(x, src, size, stride, storage_offset=None):
    """Of a tensor that lies in memory as its elements are numbered; places beyond it are no elements of the result."""
    numbers = [*x.shape, *size, *stride, storage_offset or 0]
    if not all(isinstance(n, int) for n in numbers) or not x.is_contiguous() or x.storage_offset() != 0:
        raise NotImplementedError
    reach = (storage_offset or 0) + sum((extent - 1) * step for extent, step in zip(size, stride))
    if 0 not in size and reach >= x.numel():
        raise NotImplementedError
    spread = 0
    for step, extent in sorted(zip(stride, size)) if 0 not in size else ():
        if extent > 1 and step <= spread:
            raise NotImplementedError("which of the numbers that are written to one place stays is not specified")
        spread += (extent - 1) * step
    places = torch.full((), storage_offset or 0, dtype=torch.int64, device=x.device)
    for extent, step in zip(size, stride):
        places = places.unsqueeze(-1) + torch.arange(extent, device=x.device) * step
    return x.reshape(-1).index_put((places.reshape(-1),), src.to(x.dtype).reshape(-1)).reshape(x.shape)


@decomposition(aten._efficientzerotensor.default)
def efficient_zero_tensor(size, *, dtype=None, layout=None, device=None, pin_memory=None):
    """What a derivative is where nothing was differentiated."""
    return torch.zeros(size, dtype=dtype, device=device)


# -- order -----------------------------------------------------------------------


@decomposition(aten.mode.default)
def mode(x, dim=-1, keepdim=False):
    """The end of the longest run of equal elements in order, of the first among equals. A NaN equals none; eager's choice hangs on its place."""
    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64, device=x.device)
    size = x.shape[dim]
    if not isinstance(size, int) or size == 0:
        raise NotImplementedError
    dim %= x.dim()
    values, indices = x.sort(dim=dim, stable=True)
    places = torch.arange(size, device=x.device).reshape([-1 if d == dim else 1 for d in range(x.dim())])
    differs = values.narrow(dim, 1, size - 1) != values.narrow(dim, 0, size - 1)
    begins = torch.cat([torch.ones_like(values.narrow(dim, 0, 1), dtype=torch.bool), differs], dim)
    lengths = places - torch.where(begins, places, 0).cummax(dim).values
    at = lengths.argmax(dim, keepdim=True)
    values, indices = values.gather(dim, at), indices.gather(dim, at)
    return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))


@decomposition(aten.histc.default)
def histc(x, bins=100, min=0, max=0):
    """Ends that are equal are those of the elements."""
    if x.numel() == 0 or not x.dtype.is_floating_point:
        raise NotImplementedError
    x = x.reshape(-1)
    low, high = (torch.full((), end, dtype=x.dtype, device=x.device) for end in (min, max))
    if min == max:
        low, high = x.amin(), x.amax()
        low, high = torch.where(low == high, low - 1, low), torch.where(low == high, high + 1, high)
    inside = (x >= low) & (x <= high)
    at = torch.where(inside, (x - low) * bins / (high - low), 0).to(torch.int64).clamp(max=bins - 1)
    return torch.zeros(bins, dtype=x.dtype, device=x.device).scatter_add(0, at, inside.to(x.dtype))


@decomposition(aten.nonzero_static.default)
def nonzero_static(x, *, size, fill_value=-1):
    if x.dim() == 0 or not all(isinstance(n, int) for n in (size, *x.shape)) or x.numel() == 0:
        raise NotImplementedError
    found = x.reshape(-1) != 0
    rank = found.cumsum(0) - 1
    # What there is no place for is written behind the end.
    to = torch.where(found & (rank < size), rank, size)
    places = torch.arange(x.numel(), device=x.device)
    listed = torch.full((size + 1,), -1, dtype=torch.int64, device=x.device).scatter(0, to, places).narrow(0, 0, size)
    columns = []
    for extent in reversed(x.shape):
        columns.append(listed % extent)
        listed = torch.div(listed, extent, rounding_mode="floor")
    filled = (torch.arange(size, device=x.device) < found.sum()).unsqueeze(1)
    return torch.where(filled, torch.stack(columns[::-1], 1), fill_value)


@decomposition(aten.kthvalue.default)
def kthvalue(x, k, dim=-1, keepdim=False):
    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64, device=x.device)
    values, indices = x.sort(dim=dim, stable=True)
    values, indices = values.narrow(dim, k - 1, 1), indices.narrow(dim, k - 1, 1)
    return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))


def _median(x, dim, keepdim, ignore_nan):
    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64, device=x.device)
    size = x.shape[dim]
    if size == 0:
        raise NotImplementedError
    values, indices = x.sort(dim=dim, stable=True)  # NaN comes last, the first of them first
    if x.dtype.is_floating_point:
        nans = x.isnan().sum(dim, keepdim=True)
        numbers = size - nans
        at = ((numbers - 1).clamp(min=0) // 2) if ignore_nan else torch.where(nans > 0, numbers, (size - 1) // 2)
        values, indices = values.gather(dim, at), indices.gather(dim, at)
    else:
        values, indices = values.narrow(dim, (size - 1) // 2, 1), indices.narrow(dim, (size - 1) // 2, 1)
    return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))


@decomposition(aten.median.dim)
def median_dim(x, dim, keepdim=False):
    return _median(x, dim, keepdim, ignore_nan=False)


@decomposition(aten.nanmedian.dim)
def nanmedian_dim(x, dim, keepdim=False):
    return _median(x, dim, keepdim, ignore_nan=True)


@decomposition(aten.median.default)
def median(x):
    return _median(x.reshape(-1), 0, False, ignore_nan=False)[0]


@decomposition(aten.nanmedian.default)
def nanmedian(x):
    return _median(x.reshape(-1), 0, False, ignore_nan=True)[0]


def _search(sequence, values, out_int32, right, sorter=None):
    """Where values [..., m] would stand in sorted sequences [..., n]: the number of elements before each."""
    if sorter is not None:
        sequence = sequence.gather(-1, sorter)
    dtype = torch.promote_types(sequence.dtype, values.dtype)
    sequence, values = sequence.to(dtype).unsqueeze(-2), values.to(dtype).unsqueeze(-1)
    # NaN stands after all others: it is before nothing.
    before = ~(sequence > values) if right else ~(sequence >= values)
    return before.sum(-1).to(torch.int32 if out_int32 else torch.int64)


@decomposition(aten.searchsorted.Tensor)
def searchsorted(sequence, values, *, out_int32=False, right=False, side=None, sorter=None):
    right = right or side == "right"
    if sequence.dim() == 1:
        return _search(sequence, values.reshape(-1), out_int32, right, sorter).reshape(values.shape)
    return _search(sequence, values, out_int32, right, sorter)


@decomposition(aten.bucketize.Tensor)
def bucketize(values, boundaries, *, out_int32=False, right=False):
    return _search(boundaries, values.reshape(-1), out_int32, right).reshape(values.shape)


def _number(value):
    """A number as PyTorch's overloads for numbers take it."""
    return torch.scalar_tensor(value, dtype=torch.get_default_dtype() if isinstance(value, float) else torch.int64)


@decomposition(aten.searchsorted.Scalar)
def searchsorted_number(sequence, value, **options):
    return searchsorted(sequence, _number(value), **options)


@decomposition(aten.bucketize.Scalar)
def bucketize_number(value, boundaries, **options):
    return bucketize(_number(value), boundaries, **options)


@decomposition(aten.floor_divide.Scalar)
def floor_divide_number(x, number):
    return torch.floor_divide(x, number)


def _scan(state, dim, join):
    """Inclusive scan of tensors alike: in log2(n) steps, each of which joins what is 1, 2, 4, … earlier. join(earlier, later)."""
    size = state[0].shape[dim]
    if not isinstance(size, int):
        raise NotImplementedError
    distance = 1
    while distance < size:
        earlier = [tensor.narrow(dim, 0, size - distance) for tensor in state]
        later = [tensor.narrow(dim, distance, size - distance) for tensor in state]
        state = [torch.cat([tensor.narrow(dim, 0, distance), joined], dim) for tensor, joined in zip(state, join(earlier, later), strict=True)]
        distance *= 2
    return state


def _running_extremum(x, dim, wins):
    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64, device=x.device)
    shape = [-1 if d == dim % x.dim() else 1 for d in range(x.dim())]
    at = torch.arange(x.shape[dim], device=x.device).reshape(shape).expand(x.shape)

    def join(earlier, later):
        # The last of equal elements; NaN, once it is there, for good.
        takes = wins(later[0], earlier[0])
        if x.dtype.is_floating_point:
            takes = later[0].isnan() | (takes & ~earlier[0].isnan())
        return [torch.where(takes, new, old) for new, old in zip(later, earlier)]

    values, indices = _scan([x, at], dim, join)
    return values.clone() if values is x else values, indices.clone() if indices is at else indices


@decomposition(aten.cummax.default)
def cummax(x, dim):
    return _running_extremum(x, dim, torch.ge)


@decomposition(aten.cummin.default)
def cummin(x, dim):
    return _running_extremum(x, dim, torch.le)


# Running sums of so many complex exponentials are written out.
LOGARITHMS = 16


@decomposition(aten.logcumsumexp.default)
def logcumsumexp(x, dim):
    if x.dim() == 0:
        return x.clone()
    if x.is_complex():
        # One after the other, as in eager: the order decides how many turns the angle makes.
        if not isinstance(x.shape[dim], int) or not 0 < x.shape[dim] <= LOGARITHMS:
            raise NotImplementedError
        sums = list(x.unbind(dim))
        for i in range(1, len(sums)):
            sums[i] = torch.logaddexp(sums[i], sums[i - 1])
        return torch.stack(sums, dim)
    # PyTorch accumulates in float64.
    return _scan([x.to(torch.float64)], dim, lambda earlier, later: [torch.logaddexp(earlier[0], later[0])])[0].to(x.dtype)


# -- Fourier transforms (fourier.py) ------------------------------------------------


@decomposition(aten.fft_fftfreq.default)
def fft_fftfreq(n, d=1.0, *, dtype=None, device=None, **_):
    at = torch.arange(n, dtype=dtype or torch.get_default_dtype(), device=device)
    return torch.where(at >= (n + 1) // 2, at - n, at) * (1.0 / (n * d) if n else 1.0)


@decomposition(aten.fft_rfftfreq.default)
def fft_rfftfreq(n, d=1.0, *, dtype=None, device=None, **_):
    if n == 0:
        raise NotImplementedError("PyTorch divides by 0")
    return torch.arange(n // 2 + 1, dtype=dtype or torch.get_default_dtype(), device=device) * (1.0 / (n * d))


# -- the fast paths of nn.MultiheadAttention and nn.TransformerEncoderLayer ---------


def _masked_softmax(scores, mask, mask_type):
    if mask is None:
        return torch.softmax(scores, -1)
    if mask_type == 1:  # of keys: batch x keys
        mask = mask[:, None, None, :]
    return torch.softmax(scores.masked_fill(mask.to(torch.bool), -math.inf), -1)


@decomposition(aten._native_multi_head_attention.default)
def native_multi_head_attention(query, key, value, embed_dim, num_head, qkv_weight, qkv_bias, proj_weight, proj_bias, mask=None, need_weights=True,
                                average_attn_weights=True, mask_type=None):
    parts = zip((query, key, value), qkv_weight.chunk(3), qkv_bias.chunk(3), strict=True)
    if query is key is value:
        parts = torch.nn.functional.linear(query, qkv_weight, qkv_bias).chunk(3, -1)
    else:
        parts = [torch.nn.functional.linear(*part) for part in parts]
    q, k, v = (part.unflatten(-1, (num_head, -1)).transpose(1, 2) for part in parts)
    weights = _masked_softmax((q / math.sqrt(embed_dim // num_head)) @ k.transpose(-1, -2), mask, mask_type)
    result = torch.nn.functional.linear((weights @ v).transpose(1, 2).flatten(2), proj_weight, proj_bias)
    if not need_weights:
        return result, None
    return result, weights.mean(1) if average_attn_weights else weights


@decomposition(aten._transformer_encoder_layer_fwd.default)
def transformer_encoder_layer_fwd(src, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, use_gelu, norm_first, eps, norm_weight_1,
                                  norm_bias_1, norm_weight_2, norm_bias_2, ffn_weight_1, ffn_bias_1, ffn_weight_2, ffn_bias_2, mask=None, mask_type=None):
    def norm(x, weight, bias):
        return torch.nn.functional.layer_norm(x, (embed_dim,), weight, bias, eps)

    def attention(x):
        return native_multi_head_attention(x, x, x, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, mask, False, True, mask_type)[0]

    def ffn(x):
        x = torch.nn.functional.linear(x, ffn_weight_1, ffn_bias_1)
        x = torch.nn.functional.gelu(x) if use_gelu else torch.relu(x)
        return torch.nn.functional.linear(x, ffn_weight_2, ffn_bias_2)

    if norm_first:
        x = src + attention(norm(src, norm_weight_1, norm_bias_1))
        return x + ffn(norm(x, norm_weight_2, norm_bias_2))
    x = norm(src + attention(src), norm_weight_1, norm_bias_1)
    return norm(x + ffn(x), norm_weight_2, norm_bias_2)


# -- writes by index ---------------------------------------------------------------


@decomposition(aten.scatter.reduce)
def scatter_reduce(x, dim, index, src, *, reduce):
    return torch.scatter_reduce(x, dim, index, src, {"add": "sum", "multiply": "prod"}[reduce])


def _along(x, dim, index, source):
    """The operands of a write along a dim with a dim for each number: PyTorch takes those of one element without."""
    index = index.reshape(-1)
    x = x.reshape(1) if x.dim() == 0 else x
    return x, dim % x.dim(), index, source.reshape(1) if source.dim() == 0 else source


# What importer/handlers/indexing.py has no form for.
@decomposition(aten.index_add.default)
def index_add(x, dim, index, source, *, alpha=1):
    flat, dim, index, source = _along(x, dim, index, source)
    # PyTorch multiplies in the dtype of the two.
    source = source if alpha == 1 else source * torch.scalar_tensor(alpha, dtype=source.dtype, device=x.device)
    return aten.index_put.default(flat, [*[None] * dim, index], source, True).reshape(x.shape)


@decomposition(aten.index_copy.default)
def index_copy(x, dim, index, source):
    flat, dim, index, source = _along(x, dim, index, source)
    return aten.index_put.default(flat, [*[None] * dim, index], source).reshape(x.shape)


@decomposition(aten.index_reduce.default)
def index_reduce(x, dim, index, source, reduce, *, include_self=True):
    flat, dim, index, source = _along(x, dim, index, source)
    shape = [-1 if d == dim else 1 for d in range(flat.dim())]
    index = index.to(torch.int64).reshape(shape).expand(source.shape)
    return torch.scatter_reduce(flat, dim, index, source, reduce, include_self=include_self).reshape(x.shape)


@decomposition(aten.masked_scatter.default)
def masked_scatter(x, mask, source):
    x, mask = torch.broadcast_tensors(x, mask)
    # The n-th true element takes the n-th of the source.
    at = (mask.reshape(-1).to(torch.int64).cumsum(0) - 1).clamp(min=0)
    if source.numel() == 0:
        raise NotImplementedError
    return torch.where(mask, source.reshape(-1).index_select(0, at).reshape(x.shape), x)


@decomposition(aten.take.default)
def take(x, index):
    return aten.index.Tensor(x.reshape(-1), [index.reshape(-1)]).reshape(index.shape)


@decomposition(aten.put.default)
def put(x, index, source, accumulate=False):
    return x.reshape(-1).index_put((index.reshape(-1),), source.reshape(-1), accumulate).reshape(x.shape)


# -- pooling ----------------------------------------------------------------------


def _pool_depth(x, pool, depth):
    """A pool of two dimensions over the depth of [..., D, H, W]."""
    shape = x.shape
    flat = x.reshape(-1, shape[-3], shape[-2] * shape[-1])
    pooled = pool(flat, *depth)
    return pooled.reshape(*shape[:-3], pooled.shape[-2], shape[-2], shape[-1])


def _pool_plane(x, pool, arguments):
    shape = x.shape
    pooled = pool(x.reshape(-1, *shape[-2:]), *arguments)
    return pooled.reshape(*shape[:-2], *pooled.shape[-2:])


@decomposition(aten.grid_sampler_2d.default)
def grid_sampler_2d(x, grid, interpolation_mode, padding_mode, align_corners):
    """PyTorch's, with places and weights once for all channels. Its own computes them for each, for kernels of Triton."""
    from torch._decomp.decompositions import _grid_sampler_2d
    wide = _acc(x.dtype)
    return _grid_sampler_2d(x.to(wide), grid.to(wide), interpolation_mode, padding_mode, align_corners, _expand_grid=False).to(x.dtype)


@decomposition(aten.avg_pool3d.default)
def avg_pool3d(x, kernel_size, stride=(), padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    kernel, padding = _each(kernel_size, 3), _each(padding, 3)
    stride = _each(stride, 3, kernel)
    if 0 in x.shape or not x.dtype.is_floating_point:
        raise NotImplementedError  # integers are rounded once
    accumulated = x.to(_acc(x.dtype))
    # The number of elements of a window is the product of its extents' numbers.
    plane = _pool_plane(accumulated, aten.avg_pool2d.default, (kernel[1:], stride[1:], padding[1:], ceil_mode, count_include_pad,
                                                               kernel[1] * kernel[2] if divisor_override else None))
    pooled = _pool_depth(plane, aten.avg_pool2d.default, ([kernel[0], 1], [stride[0], 1], [padding[0], 0], ceil_mode, count_include_pad,
                                                          kernel[0] if divisor_override else None))
    if divisor_override:
        pooled = pooled * (kernel[0] * kernel[1] * kernel[2] / divisor_override)
    return pooled.to(x.dtype)


def max_pool2d_with_indices(x, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    """Where the indices are used, too: else max_pool2d is an op. The first of equal elements, but the last NaN."""
    kernel, padding, dilation = _each(kernel_size, 2), _each(padding, 2), _each(dilation, 2)
    stride = _each(stride, 2, kernel)
    out = aten.max_pool2d.default(x, kernel, stride, padding, dilation, ceil_mode).shape[-2:]
    places, inside, firsts = [], [], []
    for axis in (0, 1):
        extent = x.shape[axis - 2]
        place = _window_places(out[axis], kernel[axis], stride[axis], padding[axis], dilation[axis], x.device)
        places.append(place.clamp(0, extent - 1))
        inside.append((place >= 0) & (place < extent))
        firsts.append(_first_places(place))
    return _max_of_windows(x, *places, *inside, firsts[0].unsqueeze(1) * x.shape[-1] + firsts[1])


def _window_places(out, kernel, stride, padding, dilation, device):
    """[windows, elements of a window] along a dim, also beyond its ends."""
    starts = torch.arange(out, device=device) * stride - padding
    return starts.unsqueeze(1) + torch.arange(kernel, device=device) * dilation


def _first_places(places):
    """Of each window the first that is not before the beginning: what PyTorch calls the maximum's place where there is no element."""
    return torch.where(places < 0, torch.iinfo(torch.int64).max, places).amin(1)


def _max_of_windows(x, rows, columns, row_inside, column_inside, first=None):
    """The maximum over windows rows [oh, kh] x columns [ow, kw] of an image [..., h, w], and its place in the image; `first` [oh, ow] of windows
    that hold no element."""
    real = x.dtype.is_floating_point
    windows = x.index_select(-2, rows.reshape(-1)).index_select(-1, columns.reshape(-1))
    windows = windows.reshape(*x.shape[:-2], *rows.shape, *columns.shape).transpose(-3, -2)  # [..., oh, ow, kh, kw]
    inside = (row_inside[:, None, :, None] & column_inside[None, :, None, :]).flatten(-2)
    windows = windows.flatten(-2).masked_fill(~inside, -math.inf if real else torch.iinfo(x.dtype).min)
    values, at = _maxima(windows, inside)
    places = (rows[:, None, :, None] * x.shape[-1] + columns[None, :, None, :]).flatten(-2).expand(windows.shape)
    if first is None:
        return values.squeeze(-1), places.gather(-1, at).squeeze(-1)
    found = places.gather(-1, at.clamp(max=windows.shape[-1] - 1)).squeeze(-1)
    return values.squeeze(-1), torch.where(inside.any(-1), found, first)


def _maxima(windows, inside):
    """Of each window [..., elements] the maximum and its number: the first of equal ones, but the last NaN."""
    values = windows.amax(-1, keepdim=True)
    order = torch.arange(windows.shape[-1], device=windows.device)
    at = torch.where(inside & (windows == values), order, windows.shape[-1]).amin(-1, keepdim=True)
    if windows.dtype.is_floating_point:
        nan = windows.isnan()
        last = torch.where(nan, order, -1).amax(-1, keepdim=True)
        at = torch.where(nan.any(-1, keepdim=True), last, at)
    return values, at


def _fractional_starts(sample, extent, windows, length):
    """Where windows of a length begin that a draw [...] spreads over an extent: [..., windows]. The last one ends with it."""
    if windows == 1:
        return torch.full((*sample.shape, 1), extent - length, dtype=torch.int64, device=sample.device)
    step = torch.scalar_tensor((extent - length) / (windows - 1), dtype=sample.dtype, device=sample.device)
    sample = sample.unsqueeze(-1)
    starts = ((torch.arange(windows - 1, device=sample.device).to(sample.dtype) + sample) * step).to(torch.int64) - (sample * step).to(torch.int64)
    return torch.cat([starts, torch.full_like(starts.narrow(-1, 0, 1), extent - length)], -1)


def _fractional_max_pool(x, kernel, output, samples):
    """samples [batch, channels, dims]: the draws of the dims."""
    rank = len(kernel)
    if not all(isinstance(n, int) for n in (*x.shape, *kernel, *output)) or 0 in (*x.shape, *output) or not x.dtype.is_floating_point:
        raise NotImplementedError("fractional windows of extents that vary or are 0, or of integers")
    image = x.reshape(*samples.shape[:2], -1)
    places = torch.zeros((), dtype=torch.int64, device=x.device)
    for d, (extent, length, windows) in enumerate(zip(x.shape[-rank:], kernel, output)):
        along = _fractional_starts(samples[..., d], extent, windows, length).unsqueeze(-1) + torch.arange(length, device=x.device)
        shape = [1] * (2 * rank)
        shape[d], shape[rank + d] = windows, length
        places = places * extent + along.reshape(*samples.shape[:2], *shape)
    places = places.flatten(2 + rank).flatten(2, -2)  # [batch, channels, windows, elements of a window]
    windows = image.gather(2, places.flatten(2)).reshape(places.shape)
    values, at = _maxima(windows, torch.ones_like(windows, dtype=torch.bool))
    shape = (*x.shape[:-rank], *output)
    return values.reshape(shape), places.gather(-1, at).reshape(shape)


@decomposition(aten.fractional_max_pool2d.default)
def fractional_max_pool2d(x, kernel_size, output_size, random_samples):
    return _fractional_max_pool(x, _each(kernel_size, 2), _each(output_size, 2), random_samples.flip(-1))  # the first draw is the last dim's


@decomposition(aten.fractional_max_pool3d.default)
def fractional_max_pool3d(x, kernel_size, output_size, random_samples):
    return _fractional_max_pool(x, _each(kernel_size, 3), _each(output_size, 3), random_samples)


@decomposition(aten.max_pool3d_with_indices.default)
def max_pool3d_with_indices(x, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    kernel, padding, dilation = _each(kernel_size, 3), _each(padding, 3), _each(dilation, 3)
    stride = _each(stride, 3, kernel)
    height, width = x.shape[-2:]
    shape = x.shape
    plane, inside = aten.max_pool2d_with_indices.default(x.reshape(-1, height, width), kernel[1:], stride[1:], padding[1:], dilation[1:], ceil_mode)
    out = plane.shape[-2:]
    plane = plane.reshape(*shape[:-2], *out)
    inside = inside.reshape(-1, shape[-3], out[0] * out[1])
    flat = plane.reshape(-1, shape[-3], out[0] * out[1])
    pooled, at = aten.max_pool2d_with_indices.default(flat, [kernel[0], 1], [stride[0], 1], [padding[0], 0], [dilation[0], 1], ceil_mode)
    # `at` counts rows of out[0] * out[1] elements; the same columns tell where in the plane.
    depth = at // (out[0] * out[1])
    first = [_first_places(_window_places(out[axis], *(option[axis + 1] for option in (kernel, stride, padding, dilation)), x.device)) for axis in (0, 1)]
    first = (first[0].unsqueeze(1) * width + first[1]).flatten()
    inside = torch.where(depth < shape[-3], inside.gather(1, depth.clamp(max=shape[-3] - 1)), first)
    indices = depth * (height * width) + inside
    final = (*shape[:-3], pooled.shape[-2], *out)
    return pooled.reshape(final), indices.reshape(final)


@decomposition(aten._adaptive_avg_pool3d.default)
def adaptive_avg_pool3d(x, output_size):
    accumulated = x.to(_acc(x.dtype))
    plane = _pool_plane(accumulated, aten._adaptive_avg_pool2d.default, (list(output_size[1:]),))
    shape = plane.shape
    pooled = aten._adaptive_avg_pool2d.default(plane.reshape(-1, shape[-3], shape[-2] * shape[-1]), [output_size[0], shape[-2] * shape[-1]])
    return pooled.reshape(*shape[:-3], output_size[0], *shape[-2:]).to(x.dtype)


def _windows(extent, pieces, device):
    """Positions [pieces, widest] of adaptive windows, and which of them are inside."""
    starts = [i * extent // pieces for i in range(pieces)]
    ends = [-(-(i + 1) * extent // pieces) for i in range(pieces)]
    widest = max(end - start for start, end in zip(starts, ends))
    steps = torch.arange(widest, device=device)
    first, last = torch.tensor(starts, device=device).unsqueeze(1), torch.tensor(ends, device=device).unsqueeze(1)
    places = first + steps
    return places.clamp(max=extent - 1), places < last


@decomposition(aten.adaptive_max_pool2d.default)
def adaptive_max_pool2d(x, output_size):
    height, width = x.shape[-2:]
    if not all(isinstance(n, int) for n in (height, width, *output_size)) or 0 in output_size:
        raise NotImplementedError
    rows, row_inside = _windows(height, output_size[0], x.device)
    columns, column_inside = _windows(width, output_size[1], x.device)
    return _max_of_windows(x, rows, columns, row_inside, column_inside)


@decomposition(aten.adaptive_max_pool3d.default)
def adaptive_max_pool3d(x, output_size):
    """As max_pool3d: the plane's windows, then their maxima over the depth."""
    depth, height, width = x.shape[-3:]
    if not all(isinstance(n, int) for n in (depth, height, width, *output_size)) or 0 in output_size:
        raise NotImplementedError
    (rows, row_inside), (columns, column_inside) = _windows(height, output_size[1], x.device), _windows(width, output_size[2], x.device)
    plane, inside = _max_of_windows(x, rows, columns, row_inside, column_inside)
    layers, layer_inside = _windows(depth, output_size[0], x.device)
    area = output_size[1] * output_size[2]
    single = torch.arange(area, device=x.device).unsqueeze(1)
    pooled, at = _max_of_windows(plane.flatten(-2), layers, single, layer_inside, torch.ones_like(single, dtype=torch.bool))
    layer = at // area
    indices = layer * (height * width) + inside.flatten(-2).gather(-2, layer)
    return pooled.unflatten(-1, list(output_size[1:])), indices.unflatten(-1, list(output_size[1:]))


def _collected(grad, dim, over, inside):
    """Along a dim, for each element the sum of what the windows `over` [extent, windows of an element] have that are `inside`.

    Not a product with zeros and ones: of those a NaN in one window reaches all elements.
    """
    parts = grad.index_select(dim, over.reshape(-1)).unflatten(dim, over.shape)  # dim < 0: the windows are at dim
    return parts.masked_fill(~inside.reshape(*inside.shape, *[1] * (-1 - dim)), 0).sum(dim)


def _avg_pool_backward(grad, x, n, kernel_size, stride, padding, count_include_pad, divisor_override):
    kernel, padding = _each(kernel_size, n), _each(padding, n)
    stride = _each(stride, n, kernel)
    shared = grad.to(_acc(x.dtype))
    if divisor_override:
        shared = shared / divisor_override
    else:
        sizes = 1
        for axis, (extent, out) in enumerate(zip(x.shape[-n:], grad.shape[-n:])):
            starts = torch.arange(out, device=x.device) * stride[axis] - padding[axis]
            ends = (starts + kernel[axis]).clamp(max=extent + padding[axis])
            size = ends - starts if count_include_pad else ends.clamp(max=extent) - starts.clamp(min=0)
            sizes = sizes * size.reshape(-1, *[1] * (n - 1 - axis))
        shared = shared / sizes.to(shared.dtype)
    for axis in range(n):
        places = torch.arange(x.shape[axis - n], device=x.device).unsqueeze(1)
        last = (places + padding[axis]) // stride[axis]
        over = last - torch.arange(-(-kernel[axis] // stride[axis]), device=x.device)
        out = grad.shape[axis - n]
        inside = (over >= 0) & (over < out) & (over * stride[axis] - padding[axis] + kernel[axis] > places)
        shared = _collected(shared, axis - n, over.clamp(0, out - 1), inside)
    return shared.to(x.dtype)


@decomposition(aten.avg_pool2d_backward.default)
def avg_pool2d_backward(grad, x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    return _avg_pool_backward(grad, x, 2, kernel_size, stride, padding, count_include_pad, divisor_override)


@decomposition(aten.avg_pool3d_backward.default)
def avg_pool3d_backward(grad, x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    return _avg_pool_backward(grad, x, 3, kernel_size, stride, padding, count_include_pad, divisor_override)


def _adaptive_avg_pool_backward(grad, x, n):
    extents, pieces = x.shape[-n:], grad.shape[-n:]
    if not all(isinstance(size, int) for size in (*extents, *pieces)):
        raise NotImplementedError
    shared = grad.to(_acc(x.dtype))
    for axis, (extent, out) in enumerate(zip(extents, pieces)):
        sizes = [-(-(i + 1) * extent // out) - i * extent // out for i in range(out)]
        shared = shared / torch.tensor(sizes, device=x.device).to(shared.dtype).reshape(-1, *[1] * (n - 1 - axis))
    for axis, (extent, out) in enumerate(zip(extents, pieces)):
        # The windows over an element are an adaptive window of the windows.
        shared = _collected(shared, axis - n, *_windows(out, extent, x.device))
    return shared.to(x.dtype)


@decomposition(aten._adaptive_avg_pool2d_backward.default)
def adaptive_avg_pool2d_backward(grad, x):
    return _adaptive_avg_pool_backward(grad, x, 2)


@decomposition(aten._adaptive_avg_pool3d_backward.default)
def adaptive_avg_pool3d_backward(grad, x):
    return _adaptive_avg_pool_backward(grad, x, 3)


def _max_pool_backward(grad, x, n, indices):
    """Each gradient goes where its maximum was, which `indices` count in the image."""
    flat = torch.zeros_like(x).flatten(-n)
    return flat.scatter_add(-1, indices.flatten(-n), grad.flatten(-n)).reshape(x.shape)


@decomposition(aten.max_pool2d_with_indices_backward.default)
def max_pool2d_with_indices_backward(grad, x, kernel_size, stride, padding, dilation, ceil_mode, indices):
    return _max_pool_backward(grad, x, 2, indices)


@decomposition(aten.max_pool3d_with_indices_backward.default)
def max_pool3d_with_indices_backward(grad, x, kernel_size, stride, padding, dilation, ceil_mode, indices):
    return _max_pool_backward(grad, x, 3, indices)


@decomposition(aten.adaptive_max_pool2d_backward.default)
def adaptive_max_pool2d_backward(grad, x, indices):
    return _max_pool_backward(grad, x, 2, indices)


@decomposition(aten.adaptive_max_pool3d_backward.default)
def adaptive_max_pool3d_backward(grad, x, indices):
    return _max_pool_backward(grad, x, 3, indices)


@decomposition(aten.replication_pad1d_backward.default, aten.replication_pad2d_backward.default, aten.replication_pad3d_backward.default)
def replication_pad_backward(grad, x, padding):
    """Each gradient is added where its element came from; what a negative pad crops has none."""
    for pair in range(len(padding) // 2):
        dim, (left, right) = -1 - pair, padding[2 * pair:2 * pair + 2]
        extent, length = x.shape[dim], grad.shape[dim]
        shape = list(grad.shape)
        shape[dim] = extent
        source = (torch.arange(length, device=x.device) - left).clamp(0, extent - 1)
        grad = grad.new_zeros(shape).index_add(dim, source, grad)
    return grad


# -- products ----------------------------------------------------------------------


@decomposition(aten.addbmm.default)
def addbmm(x, batch1, batch2, *, beta=1, alpha=1):
    if not batch1.dtype.is_floating_point:
        beta, alpha = int(beta), int(alpha)
    if isinstance(batch1.shape[0], int) and 0 < batch1.shape[0] <= 32:
        # One after the other, each rounded to the dtype, as the kernel does.
        for i in range(batch1.shape[0]):
            x = torch.addmm(x, batch1[i], batch2[i], beta=1 if i else beta, alpha=alpha)
        return x
    product = (batch1 @ batch2).sum(0, dtype=batch1.dtype)
    product = product if alpha == 1 else product * alpha
    # beta = 0 leaves x out, whatever it is.
    return product if beta == 0 else product + (x if beta == 1 else x * beta)


@decomposition(aten.conv_tbc.default)
def conv_tbc(x, weight, bias, pad=0):
    result = aten.convolution.default(x.permute(1, 2, 0), weight.permute(2, 1, 0), bias, [1], [pad], [1], False, [0], 1)
    return result.permute(2, 0, 1)


@decomposition(aten._trilinear.default)
def trilinear(a, b, c, expand1, expand2, expand3, sumdim, unroll_dim=1):
    def expanded(tensor, dims):
        for dim in sorted(dims):
            tensor = tensor.unsqueeze(dim)
        return tensor

    product = expanded(a, expand1) * expanded(b, expand2) * expanded(c, expand3)
    return product.sum(list(sumdim), dtype=product.dtype) if sumdim else product


@decomposition(aten._cdist_forward.default)
def cdist_forward(x1, x2, p, compute_mode):
    difference = (x1.unsqueeze(-2) - x2.unsqueeze(-3)).abs()
    return _norm(difference, p)


@decomposition(aten._pdist_forward.default)
def pdist_forward(x, p=2.0):
    count = x.shape[0]
    if not isinstance(count, int):
        raise NotImplementedError
    pairs = torch.tensor([(i, j) for i in range(count) for j in range(i + 1, count)], dtype=torch.int64, device=x.device).reshape(-1, 2)
    return _norm((x.index_select(0, pairs[:, 0]) - x.index_select(0, pairs[:, 1])).abs(), p)


def _norm(x, p):
    """Of the last dimension, of elements >= 0."""
    if p == 0:
        return (x != 0).to(x.dtype).sum(-1)
    if x.shape[-1] == 0:
        return x.sum(-1)
    if p == math.inf:
        return x.amax(-1)
    if p == 1:
        return x.sum(-1)
    return (x * x).sum(-1).sqrt() if p == 2 else (x ** p).sum(-1) ** (1 / p)


@decomposition(aten.convolution_backward.default)
def convolution_backward(grad, x, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, output_mask):
    rank = x.dim() - 2
    stride, padding, dilation, output_padding = (_each(v, rank) for v in (stride, padding, dilation, output_padding))
    zero = [0] * rank
    grad_x = grad_weight = grad_bias = None
    if output_mask[0]:
        if transposed:
            grad_x = aten.convolution.default(grad, weight, None, stride, padding, dilation, False, zero, groups)
        else:
            # What the strides of the forward convolution leave over at the end.
            left = [x.shape[2 + d] - ((grad.shape[2 + d] - 1) * stride[d] - 2 * padding[d] + dilation[d] * (weight.shape[2 + d] - 1) + 1)
                    for d in range(rank)]
            grad_x = aten.convolution.default(grad, weight, None, stride, padding, dilation, True, left, groups)
    if output_mask[1]:
        # Correlates what was slid over with what the kernel's positions gave, each of a batch by itself.
        image, other = (grad, x) if transposed else (x, grad)

        def grouped(tensor):
            """[groups, channels of a group, batch, ...]"""
            return tensor.unflatten(1, (groups, tensor.shape[1] // groups)).movedim(0, 2)

        image, other = grouped(image), grouped(other)
        # One convolution: groups side by side as channels, channels as batch.
        image = image.movedim(0, 1).flatten(1, 2)  # [image channels, groups * batch, ...]
        other = other.flatten(0, 1)  # [groups * other channels, batch, ...]
        result = aten.convolution.default(image, other, None, dilation, padding, stride, False, zero, groups)
        for d in range(rank):
            result = result.narrow(2 + d, 0, weight.shape[2 + d])
        # [image channels, groups * other channels, ...] -> [groups * other channels, image channels, ...]
        grad_weight = result.transpose(0, 1).reshape(weight.shape)
    if output_mask[2]:
        grad_bias = grad.sum([0, *range(2, grad.dim())])
    return grad_x, grad_weight, grad_bias


def _attention_scores(query, key, is_causal, attn_mask, scale):
    """What softmax is taken of, in the dtype in which PyTorch accumulates."""
    scores = query @ key.transpose(-2, -1) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        rows, columns = (torch.arange(n, device=query.device) for n in scores.shape[-2:])
        scores = scores.masked_fill(columns > rows.unsqueeze(1), -math.inf)
    if attn_mask is None:
        return scores
    return scores.masked_fill(~attn_mask, -math.inf) if attn_mask.dtype == torch.bool else scores + attn_mask


@decomposition(aten._scaled_dot_product_flash_attention_for_cpu.default)
def flash_attention(query, key, value, dropout_p=0.0, is_causal=False, *, attn_mask=None, scale=None):
    """The result, and for the gradient the logarithm of what softmax divides by."""
    if dropout_p:
        raise NotImplementedError
    dtype = _acc(query.dtype)
    scores = _attention_scores(query.to(dtype), key.to(dtype), is_causal, attn_mask, scale)
    total = torch.logsumexp(scores, -1)
    # Of a row that is masked as a whole nothing is left.
    total = torch.where(total == -math.inf, 0.0, total)
    weights = (scores - total.unsqueeze(-1)).exp()
    return (weights @ value.to(dtype)).to(query.dtype), total


@decomposition(aten._scaled_dot_product_flash_attention_for_cpu_backward.default)
def flash_attention_backward(grad, query, key, value, out, logsumexp, dropout_p, is_causal, *, attn_mask=None, scale=None):
    if dropout_p:
        raise NotImplementedError
    dtype = _acc(query.dtype)
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    grad, wide_query, wide_key, wide_value, out = (t.to(dtype) for t in (grad, query, key, value, out))
    scores = _attention_scores(wide_query, wide_key, is_causal, attn_mask, scale)
    weights = torch.where((logsumexp == -math.inf).unsqueeze(-1), 0.0, (scores - logsumexp.unsqueeze(-1)).exp())
    # The derivative of softmax: the weights times what each differs from their mean.
    of_scores = weights * (grad @ wide_value.transpose(-2, -1) - (grad * out).sum(-1, keepdim=True)) * factor
    return (of_scores @ wide_key).to(query.dtype), (of_scores.transpose(-2, -1) @ wide_query).to(key.dtype), \
        (weights.transpose(-2, -1) @ grad).to(value.dtype)


@decomposition(aten._int_mm.default)
def int_mm(x, y):
    return x.to(torch.int32) @ y.to(torch.int32)


# -- embeddings ---------------------------------------------------------------------


def bags_of(offsets, count, length):
    """The bag of each of `length` indices; the first begins at 0."""
    return _search(offsets[:count].to(torch.int64), torch.arange(length, device=offsets.device), False, True) - 1


@decomposition(aten._embedding_bag_forward_only.default, aten._embedding_bag.default)
def embedding_bag(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None,
                  include_last_offset=False, padding_idx=-1):
    """The results that only the gradient needs are PyTorch's: it leaves some of them empty or 0."""
    count, length = offsets.shape[0] - (1 if include_last_offset else 0), indices.shape[0]
    if not isinstance(count, int) or not isinstance(length, int):
        raise NotImplementedError
    dtype = _acc(weight.dtype)
    bags = bags_of(offsets, count, length)
    rows = weight.index_select(0, indices).to(dtype)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1).to(dtype)
    counted = torch.ones_like(bags)
    if padding_idx >= 0:
        counted = (indices != padding_idx).to(torch.int64)
        rows = rows.masked_fill((indices == padding_idx).unsqueeze(1), -math.inf if mode == 2 else 0)
    sizes = torch.zeros(count, dtype=torch.int64, device=indices.device).index_add(0, bags, counted)
    empty = torch.zeros((count, weight.shape[1]), dtype=dtype, device=weight.device)
    if mode == 2:
        bag_of_row = bags.unsqueeze(1).expand(rows.shape)
        largest = torch.scatter_reduce(empty, 0, bag_of_row, rows, "amax", include_self=False)
        total = torch.where((sizes > 0).unsqueeze(1), largest, empty)
        # The first row of a bag that has its maximum, as a row of the weight.
        places = torch.arange(length, device=indices.device).unsqueeze(1).expand(rows.shape)
        places = torch.where(rows == largest.index_select(0, bags), places, length)
        first = torch.scatter_reduce(torch.full_like(empty, length, dtype=torch.int64), 0, bag_of_row, places, "amin")
        named = torch.cat([indices, indices.new_zeros(1)]).index_select(0, first.reshape(-1)).reshape(first.shape)
        winners = torch.where((sizes > 0).unsqueeze(1), named, 0).to(offsets.dtype)
    else:
        total = empty.index_add(0, bags, rows)
    if mode == 1:
        total = total / sizes.clamp(min=1).unsqueeze(1)
    told = mode > 0 or padding_idx >= 0 or weight.dtype not in (torch.float32, torch.float16, torch.bfloat16)
    sizes = sizes.to(offsets.dtype) if mode > 0 else torch.zeros_like(sizes, dtype=offsets.dtype)
    return total.to(weight.dtype), bags.to(offsets.dtype) if told else offsets.new_zeros(0), sizes, winners if mode == 2 else sizes.clone()


# -- quantisation ---------------------------------------------------------------------


def _dequantized(number, zero_point, scale, lowest, highest):
    inside = (number >= lowest) & (number <= highest)
    return (number.clamp(lowest, highest) - zero_point).to(torch.float32) * scale, inside


@decomposition(aten.fake_quantize_per_tensor_affine_cachemask.default)
def fake_quantize_per_tensor(x, scale, zero_point, quant_min, quant_max):
    scale = torch.full((), scale, device=x.device)
    number = (x.to(_acc(x.dtype)) * (1.0 / scale)).round() + zero_point
    number = torch.where(number.isnan(), quant_min, number)  # as C++'s fmax
    result, inside = _dequantized(number, zero_point, scale, quant_min, quant_max)
    return result.to(x.dtype), inside & ~x.isnan()


@decomposition(aten.fake_quantize_per_channel_affine_cachemask.default)
def fake_quantize_per_channel(x, scale, zero_point, axis, quant_min, quant_max):
    if axis < 0:
        raise NotImplementedError("PyTorch takes no negative axis")
    shape = [-1 if d == axis else 1 for d in range(x.dim())]
    scale, zero_point = scale.reshape(shape), zero_point.reshape(shape)
    number = x.to(_acc(x.dtype)) * (1.0 / scale)
    # A zero point that is no integer moves what is rounded.
    number = (number + zero_point).round() if zero_point.is_floating_point() else number.round() + zero_point
    # What no integer of 64 bits holds becomes the lowest of them.
    counted = number.abs() < 2.0 ** 63
    result, inside = _dequantized(torch.where(counted, number, quant_min), zero_point, scale, quant_min, quant_max)
    return result.to(x.dtype), inside & counted


# -- random -----------------------------------------------------------------------------


@decomposition(aten.bernoulli.default)
def bernoulli(p, *, generator=None):
    """A draw for each probability, in the dtype in which PyTorch compares the two."""
    if generator is not None:
        raise NotImplementedError
    p = refusing(p, ~((p >= 0) & (p <= 1)))
    return (torch.rand(p.shape, dtype=p.dtype if p.dtype == torch.float64 else torch.float32, device=p.device) < p).to(p.dtype)


@decomposition(aten.rrelu_with_noise_functional.default)
def rrelu_with_noise_functional(x, noise, lower=0.125, upper=1 / 3, training=False, generator=None):
    if training:
        raise NotImplementedError("it draws as many numbers as elements are negative")
    return aten.leaky_relu(x, (lower + upper) / 2), noise.clone()


@decomposition(aten.native_dropout.default)
def native_dropout(x, p, train):
    if 0 in x.shape:
        raise NotImplementedError  # of no elements PyTorch's mask has the dtype of the input
    if train is False:
        return x.clone(), torch.ones_like(x, dtype=torch.bool)
    mask = torch.empty_like(x, dtype=torch.bool).bernoulli_(1.0 - p)  # in the order of memory, as PyTorch's
    # C++ rounds the number to the dtype.
    return x * mask * torch.scalar_tensor(0.0 if p == 1 else 1.0 / (1.0 - p), dtype=x.dtype, device=x.device), mask


# -- numbers ---------------------------------------------------------------------------


@decomposition(aten.hypot.default)
def hypot(x, y):
    """Of the larger one and the quotient: neither square overflows."""
    dtype = torch.result_type(x, y)
    wide = dtype if dtype == torch.float64 else torch.float32
    x, y = x.to(dtype).to(wide).abs(), y.to(dtype).to(wide).abs()
    largest, smallest = torch.maximum(x, y), torch.minimum(x, y)
    if wide == torch.float32:
        exact = (x.to(torch.float64) ** 2 + y.to(torch.float64) ** 2).sqrt()
    else:
        exact = torch.where(largest == 0, largest, largest * (1 + (smallest / largest) ** 2).sqrt())
    # Infinity wins over NaN.
    return torch.where(torch.isinf(x) | torch.isinf(y), math.inf, exact).to(dtype)


@decomposition(aten.lcm.default)
def lcm(x, y):
    """0 of 0 and anything. Of 8 and 16 bits C++ makes an int, whose absolute value is cut to the dtype."""
    dtype = x.dtype
    if dtype in (torch.int8, torch.int16):
        x, y = x.to(torch.int32), y.to(torch.int32)
    divisor = torch.gcd(x, y)
    return torch.where(divisor == 0, divisor, torch.div(x, torch.where(divisor == 0, 1, divisor), rounding_mode="trunc") * y).abs().to(dtype)


@decomposition(aten.round.decimals)
def round_decimals(x, *, decimals=0):
    if not x.dtype.is_floating_point:
        raise NotImplementedError
    if decimals == 0:
        return x.round()
    power = 10.0 ** abs(decimals)
    wide = x.to(_acc(x.dtype))
    return ((wide * power).round() / power if decimals >= 0 else (wide / power).round() * power).to(x.dtype)


@decomposition(aten.frexp.Tensor)
def frexp(x):
    """x = mantissa * 2^exponent with a mantissa of at least 1/2 and below 1; itself and 0 for 0, infinities and NaN."""
    wide = x.to(torch.float64)
    plain = (wide == 0) | ~wide.isfinite()
    magnitude = wide.abs()
    # Where powers of two, or their inverses, leave the doubles.
    shift = torch.where(magnitude < 2.0 ** -500, 600, torch.where(magnitude > 2.0 ** 500, -600, 0))
    scaled = torch.where(plain, 1.0, wide * torch.exp2(shift.to(torch.float64)))
    exponent = scaled.abs().log2().floor() + 1
    # The logarithm may be rounded across an integer.
    mantissa = scaled * torch.exp2(-exponent)
    above, below = mantissa.abs() >= 1, mantissa.abs() < 0.5
    exponent = exponent + above.to(torch.float64) - below.to(torch.float64)
    mantissa = torch.where(above, mantissa * 0.5, torch.where(below, mantissa * 2, mantissa))
    return torch.where(plain, wide, mantissa).to(x.dtype), torch.where(plain, 0, exponent - shift).to(torch.int32)


@decomposition(aten.ldexp.Tensor)
def ldexp(x, other):
    """C++'s function where the exponents are integers, which it takes as 32 bits: no power of two that overflows."""
    if not x.is_floating_point() or other.is_floating_point() or other.is_complex():
        # An exponent without dims is no narrower than the other operand.
        power = torch.pow(2.0, other.to(torch.float64) if x.dtype == torch.float64 and other.dim() == 0 and other.is_floating_point() else other)
        return (x * power).to(torch.result_type(x, other) if other.is_floating_point() else power.dtype)
    if other.dtype == torch.bool:
        raise NotImplementedError("PyTorch has no exponents that are bools")
    exponent, wide = other.to(torch.int32).to(torch.float64), x.to(torch.float64)
    if x.dtype != torch.float64:
        return (wide * torch.exp2(exponent.clamp(-600, 600))).to(x.dtype)
    exponent = exponent.clamp(-2200, 2200)
    third = (exponent / 3).trunc()
    return wide * torch.exp2(third) * torch.exp2(third) * torch.exp2(exponent - 2 * third)


def _polynomial(x, coefficients):
    """coefficients[0] x^n + … + coefficients[n]"""
    result = torch.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        result = result * x + coefficient
    return result


def _of_reals(function):
    """Computed in the default dtype for integers, in float32 for 16-bit floats, as PyTorch's kernels do."""
    def decomposed(x):
        to = x.dtype if x.dtype.is_floating_point else torch.get_default_dtype()
        return function(x.to(_acc(to))).to(to)
    return decomposed


@decomposition(aten.erfinv.default)
@_of_reals
def erfinv(y):
    """Rational approximations and two steps of Newton's (calc_erfinv in ATen/native/Math.h)."""
    magnitude = y.abs()
    z = y * y
    central = y * _polynomial(z, (-0.140543331, 0.914624893, -1.645349621, 0.886226899)) / \
        _polynomial(z, (0.012229801, -0.329097515, 1.442710462, -2.118377725, 1.0))
    z = (-((1.0 - magnitude) / 2.0).log()).sqrt()
    outer = _polynomial(z, (1.641345311, 3.429567803, -1.624906493, -1.970840454)) / _polynomial(z, (1.637067800, 3.543889200, 1.0)) * y.sign()
    x = torch.where(magnitude <= 0.7, central, outer)
    for _ in range(2):
        x = x - (torch.erf(x) - y) / (2.0 / math.sqrt(math.pi) * (-x * x).exp())
    x = torch.where(magnitude == 1, y * math.inf, x)
    return torch.where(magnitude > 1, math.nan, x)


def _log_gamma(x):
    """Of x >= 0.5: Lanczos' approximation, g = 7."""
    coefficients = (676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
                    -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7)
    x = x - 1.0
    total = torch.full_like(x, 0.99999999999980993)
    for i, coefficient in enumerate(coefficients):
        total = total + coefficient / (x + (i + 1))
    t = x + 7.5
    return 0.5 * math.log(2 * math.pi) + (x + 0.5) * t.log() - t + total.log()


@decomposition(aten.lgamma.default)
@_of_reals
def lgamma(x):
    wide = x.to(torch.float64)
    small = wide < 0.5
    direct = _log_gamma(torch.where(small, 1.0 - wide, wide))
    # Gamma(x) Gamma(1 - x) = pi / sin(pi x)
    reflected = math.log(math.pi) - (math.pi * (wide - wide.floor())).sin().abs().log() - direct
    result = torch.where(small, reflected, direct)
    result = torch.where((wide <= 0) & (wide == wide.floor()) | wide.isinf(), math.inf, result)
    return result.to(x.dtype)


@decomposition(aten.digamma.default)
@_of_reals
def digamma(x):
    wide = x.to(torch.float64)
    negative = wide < 0
    z = torch.where(negative, 1.0 - wide, wide)
    result = torch.zeros_like(z)
    for _ in range(10):  # up to where the series is exact
        step = z < 10
        result = torch.where(step, result - 1.0 / z, result)
        z = torch.where(step, z + 1.0, z)
    square = 1.0 / (z * z)
    series = square * _polynomial(square, (1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12))
    result = result + z.log() - 0.5 / z - series
    fraction = wide - wide.trunc()
    result = torch.where(negative, result - math.pi / torch.tan(math.pi * fraction), result)
    result = torch.where(negative & (fraction == 0), math.nan, result)
    result = torch.where(wide == 0, -1.0 / wide, result)  # infinity of the other sign
    return result.to(x.dtype)


@decomposition(aten.polygamma.default)
def polygamma(n, x):
    """The first two; those beyond are sums over as many numbers as values tell."""
    if n == 0:
        return digamma(x)
    if n != 1:
        raise NotImplementedError("derivatives of digamma beyond the first are sums of a length that values decide")
    return trigamma(x)


@_of_reals
def trigamma(x):
    wide = x.to(torch.float64)
    mirrored = wide < 0.5
    z = torch.where(mirrored, 1.0 - wide, wide)
    result = torch.zeros_like(z)
    for _ in range(10):  # up to where the series is exact
        step = z < 10
        result = torch.where(step, result + 1.0 / (z * z), result)
        z = torch.where(step, z + 1.0, z)
    square = 1.0 / (z * z)
    series = _polynomial(square, (7 / 6, -691 / 2730, 5 / 66, -1 / 30, 1 / 42, -1 / 30, 1 / 6))
    result = result + 1.0 / z + square / 2 + series * square / z
    # The sum of both sides is (pi / sin(pi x)) ** 2; at poles PyTorch's is what rounding makes of the sine.
    sine = (x * math.pi).sin().to(torch.float64)
    return torch.where(mirrored, (math.pi / sine) ** 2 - result, result).to(x.dtype)


def _bessel(x, order, scaled):
    """I_order(x), divided by e^|x| where it is scaled: power series below 15, asymptotic series beyond, both in float64."""
    wide = x.abs().to(torch.float64)
    quarter = torch.where(wide < 15, wide, 0.0) ** 2 / 4
    term = total = torch.ones_like(quarter)
    for k in range(1, 50):
        term = term * quarter / (k * (k + order))
        total = total + term
    if order:
        total = total * wide / 2
    large = torch.where(wide < 15, 15.0, wide)
    inverse = 1.0 / (8.0 * large)
    term = series = torch.ones_like(large)
    for k in range(1, 25):
        term = term * (((2 * k - 1) ** 2 - 4 * order) / k) * inverse
        series = series + term
    if scaled:
        result = torch.where(wide < 15, total * (-wide).exp(), series / (2 * math.pi * large).sqrt())
    else:
        result = torch.where(wide < 15, total, (large - 0.5 * (2 * math.pi * large).log()).exp() * series)
    return (torch.where(x < 0, -result, result) if order else result).to(x.dtype)


def _bessel_function(order, scaled):
    return _of_reals(lambda x: _bessel(x, order, scaled))


decomposition(aten.i0.default)(_bessel_function(0, scaled=False))
decomposition(aten.special_i0e.default)(_bessel_function(0, scaled=True))
decomposition(aten.special_i1.default)(_bessel_function(1, scaled=False))
decomposition(aten.special_i1e.default)(_bessel_function(1, scaled=True))


@decomposition(aten.tril_indices.default)
def tril_indices(row, col, offset=0, *, dtype=torch.int64, layout=None, device=None, pin_memory=None):
    places = [(i, j) for i in range(row) for j in range(min(col, max(0, i + offset + 1)))]
    return torch.tensor(places, dtype=dtype, device=device).reshape(-1, 2).t().contiguous()


@decomposition(aten.triu_indices.default)
def triu_indices(row, col, offset=0, *, dtype=torch.int64, layout=None, device=None, pin_memory=None):
    places = [(i, j) for i in range(row) for j in range(max(0, i + offset), col)]
    return torch.tensor(places, dtype=dtype, device=device).reshape(-1, 2).t().contiguous()


@decomposition(aten.range.step)
def range_step(start, end, step=1, *, dtype=None, layout=None, device=None, pin_memory=None):
    dtype = dtype or torch.get_default_dtype()
    if not dtype.is_floating_point:
        start, end, step = int(start), int(end), int(step)
    counted = ctypes.c_float if dtype in (torch.float16, torch.bfloat16) else ctypes.c_double  # C++'s arithmetic
    if dtype.is_floating_point:
        start, end, step = (counted(number).value for number in (start, end, step))
        count = math.floor(counted(counted(end - start).value / step).value) + 1
    else:
        count = math.floor((end - start) / step) + 1
    wide = torch.float64 if dtype.is_floating_point else torch.int64
    return (torch.arange(count, dtype=wide, device=device) * step + start).to(dtype)


# -- margins ----------------------------------------------------------------------


def _reduced_margins(z, counts, reduction, row):
    """The loss of [samples, ..., classes] margins, of those that count; of a single row that is no batch of one a number."""
    samples, classes = z.shape[0], z.shape[-1]
    z = torch.where(counts, z, 0.0)
    if reduction:
        return z.sum() / (samples * classes if reduction == 1 else classes)
    losses = z.reshape(samples, z.numel() // max(samples, 1)).sum(1) / classes
    return losses.reshape(()) if row else losses


@decomposition(aten.multi_margin_loss.default)
def multi_margin_loss(x, target, p=1, margin=1, weight=None, reduction=1):
    """Not PyTorch's definition: its kernel counts no margin that is NaN."""
    if 0 in x.shape and reduction:
        raise NotImplementedError("the loss of no samples is not specified")
    rows, labels = torch.atleast_2d(x), target.reshape(-1, 1)
    z = margin - rows.gather(1, labels) + rows
    counts = (torch.arange(rows.shape[1], device=x.device) != labels) & (z > 0)
    z = z if p == 1 else z * z
    if weight is not None:
        z = z * weight.reshape(-1)[labels]
    return _reduced_margins(z, counts, reduction, target.dim() == 0)


@decomposition(aten.multilabel_margin_loss_forward.default)
def multilabel_margin_loss_forward(x, target, reduction):
    """Not PyTorch's definition, which takes what follows the first label of -1 for labels of class 0."""
    if 0 in x.shape and reduction:
        raise NotImplementedError("the loss of no samples is not specified")
    rows, labels = torch.atleast_2d(x), torch.atleast_2d(target)
    listed = (labels < 0).to(torch.int64).cumsum(1) == 0
    labels = torch.where(listed, labels, 0)
    is_target = (listed.unsqueeze(2) & (labels.unsqueeze(2) == torch.arange(rows.shape[1], device=x.device))).any(1)
    z = 1 - rows.gather(1, labels).unsqueeze(2) + rows.unsqueeze(1)
    loss = _reduced_margins(z, listed.unsqueeze(2) & ~is_target.unsqueeze(1) & (z > 0), reduction, target.dim() < 2)
    return loss, is_target.to(x.dtype).reshape(target.shape)


# -- recurrent cells ------------------------------------------------------------
# What lstm_cell and gru_cell are on CUDA: one kernel behind the two products (RNN.cu). The last result is what the backward
# pass reads.


def _with_bias(gates, bias):
    return gates if bias is None else gates + bias


@decomposition(aten._thnn_fused_lstm_cell.default)
def fused_lstm_cell(input_gates, hidden_gates, cx, input_bias=None, hidden_bias=None):
    gates = _with_bias(input_gates, input_bias) + _with_bias(hidden_gates, hidden_bias)
    i, f, g, o = gates.chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    cy = f * cx + i * g
    return o * cy.tanh(), cy, torch.cat([i, f, g, o], 1)


@decomposition(aten._thnn_fused_gru_cell.default)
def fused_gru_cell(input_gates, hidden_gates, hx, input_bias=None, hidden_bias=None):
    input_r, input_z, input_n = _with_bias(input_gates, input_bias).chunk(3, 1)
    hidden_r, hidden_z, hidden_n = _with_bias(hidden_gates, hidden_bias).chunk(3, 1)
    r, z = (input_r + hidden_r).sigmoid(), (input_z + hidden_z).sigmoid()
    n = (input_n + r * hidden_n).tanh()
    return n + z * (hx - n), torch.cat([r, z, n, hx, hidden_n], 1)
