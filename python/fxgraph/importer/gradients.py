# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients that PyTorch has kernels for and no definitions: of interpolations, grids, distances, margins, bags.

Entries of decompositions.py's table. Where a kernel adds a gradient to no element, nothing is added here: a product with 0
would let what is NaN in one place reach others.
"""

import itertools
import math

import torch

from .decompositions import _acc, _max_pool_backward, aten, bags_of, decomposition

# -- interpolation ---------------------------------------------------------------

# The free parameter of cubic convolution.
CUBIC = -0.75


def _cubic(t):
    """Weights of the four neighbours of a place that lies t behind the second."""
    far, near = 1 + t, 1 - t
    return [((CUBIC * far - 5 * CUBIC) * far + 8 * CUBIC) * far - 4 * CUBIC, ((CUBIC + 2) * t - (CUBIC + 3)) * t * t + 1,
            ((CUBIC + 2) * near - (CUBIC + 3)) * near * near + 1, ((CUBIC * (2 - t) - 5 * CUBIC) * (2 - t) + 8 * CUBIC) * (2 - t) - 4 * CUBIC]


def _cubic_slopes(t):
    """Derivatives of these weights."""
    far, near, last = 1 + t, 1 - t, 2 - t
    return [(3 * CUBIC * far - 10 * CUBIC) * far + 8 * CUBIC, (3 * (CUBIC + 2) * t - 2 * (CUBIC + 3)) * t,
            -(3 * (CUBIC + 2) * near - 2 * (CUBIC + 3)) * near, -((3 * CUBIC * last - 10 * CUBIC) * last + 8 * CUBIC)]


def _taps(extent, length, align_corners, scale, cubic, dtype, device):
    """Of each of `length` elements of the result: the elements along `extent` that it is made of, and their weights."""
    places = torch.arange(length, dtype=dtype, device=device)
    if align_corners:
        step = (extent - 1) / (length - 1) if length > 1 else 0.0
    else:
        step = 1 / scale if scale else extent / length
    step = torch.scalar_tensor(step, dtype=dtype, device=device)
    at = places * step if align_corners else (places + 0.5) * step - 0.5
    if cubic:
        first = at.floor()
        return [((first.to(torch.int64) + i - 1).clamp(0, extent - 1), weight) for i, weight in enumerate(_cubic(at - first))]
    if length == extent:
        at = places
    at = at.clamp(min=0)
    first = at.floor().clamp(max=extent - 1)
    later = (at - first).clamp(0, 1)
    index = first.to(torch.int64)
    return [(index, 1 - later), (index if length == extent else (index + 1).clamp(max=extent - 1), later)]


def _nearest_backward(grad, output_size, input_size, scales, middle):
    """Where the forward pass reads: at the beginning of an element or in its middle. PyTorch counts in float32, from the scale if there is one."""
    result = grad.to(_acc(grad.dtype))
    for axis, (extent, length) in enumerate(zip(input_size[2:], output_size)):
        if not isinstance(extent, int) or not isinstance(length, int):
            raise NotImplementedError("the gradient of an interpolation to a symbolic extent is not modelled")
        dim, scale = axis + 2, scales[axis] if axis < len(scales) else None
        places = torch.arange(length, dtype=torch.float32, device=grad.device)
        step = torch.scalar_tensor(1 / scale if scale else extent / length, dtype=torch.float32, device=grad.device)
        source = ((places + 0.5 if middle else places) * step).floor().to(torch.int64).clamp(max=extent - 1)
        if length in (extent, 2 * extent) and not middle:
            source = torch.arange(length, device=grad.device) // (length // extent)
        shape = list(result.shape)
        shape[dim] = extent
        result = result.new_zeros(shape).index_add(dim, source, result)
    return result.to(grad.dtype)


@decomposition(aten.upsample_nearest1d_backward.default, aten.upsample_nearest2d_backward.default, aten.upsample_nearest3d_backward.default)
def upsample_nearest_backward(grad, output_size, input_size, *scales):
    return _nearest_backward(grad, output_size, input_size, scales, middle=False)


@decomposition(aten._upsample_nearest_exact1d_backward.default, aten._upsample_nearest_exact2d_backward.default,
               aten._upsample_nearest_exact3d_backward.default)
def upsample_nearest_exact_backward(grad, output_size, input_size, *scales):
    return _nearest_backward(grad, output_size, input_size, scales, middle=True)


def _upsample_backward(grad, output_size, input_size, align_corners, scales, cubic):
    sizes = (*output_size, *input_size[2:])
    if not all(isinstance(n, int) for n in sizes):
        raise NotImplementedError("the gradient of an interpolation to a symbolic extent is not modelled")
    result = grad.to(_acc(grad.dtype))
    if cubic and list(output_size) == list(input_size[2:]):
        return grad.clone()
    for axis, (extent, length) in enumerate(zip(input_size[2:], output_size)):
        dim, scale = axis + 2, scales[axis] if axis < len(scales) else None
        shape = list(result.shape)
        shape[dim] = extent
        total = result.new_zeros(shape)
        for index, weight in _taps(extent, length, align_corners, scale, cubic, result.dtype, result.device):
            total = total.index_add(dim, index, result * weight.reshape(-1, *[1] * (result.dim() - 1 - dim)))
        result = total
    return result.to(grad.dtype)


@decomposition(aten.upsample_linear1d_backward.default, aten.upsample_bilinear2d_backward.default, aten.upsample_trilinear3d_backward.default)
def upsample_linear_backward(grad, output_size, input_size, align_corners, *scales):
    return _upsample_backward(grad, output_size, input_size, align_corners, scales, cubic=False)


@decomposition(aten.upsample_bicubic2d_backward.default)
def upsample_bicubic_backward(grad, output_size, input_size, align_corners, *scales):
    return _upsample_backward(grad, output_size, input_size, align_corners, scales, cubic=True)


# -- grids -------------------------------------------------------------------------

BILINEAR, NEAREST, BICUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)


def _padded(at, size, padding, align_corners):
    """Places within an image for those beyond it, and the derivative."""
    slope = torch.ones_like(at)
    if padding == ZEROS:
        return at, slope
    if padding == REFLECTION:
        low, span = (0, size - 1) if align_corners else (-0.5, size)
        if span == 0:
            at, slope = torch.zeros_like(at), torch.zeros_like(at)
        else:
            at = at - low
            slope = torch.where(at < 0, -1.0, slope)
            at = at.abs()
            extra, odd = torch.fmod(at, span), torch.fmod((at / span).floor(), 2) != 0
            at, slope = torch.where(odd, span - extra + low, extra + low), torch.where(odd, -slope, slope)
    slope = torch.where((at > 0) & (at < size - 1), slope, 0.0)
    # What is no number is the first place, as C++ compares.
    return torch.where(at > 0, at, 0.0).clamp(max=size - 1), slope


def _grid_taps(coordinate, size, mode, padding, align_corners):
    """For each coordinate in [-1, 1] the elements along a dim that it is made of: [(index, which are inside, weight, its derivative)]"""
    factor = (size - 1) / 2 if align_corners else size / 2
    at = (coordinate + 1) * factor if align_corners else ((coordinate + 1) * size - 1) / 2
    if mode != BICUBIC:
        at, slope = _padded(at, size, padding, align_corners)
    if mode == NEAREST:
        at = at.round()
        places = [(at, torch.ones_like(at), torch.zeros_like(at))]
    elif mode == BILINEAR:
        first = at.floor()
        places = [(first, first + 1 - at, -factor * slope), (first + 1, at - first, factor * slope)]
    else:
        first = at.floor()
        weights = zip(_cubic(at - first), _cubic_slopes(at - first))
        places = [(_padded(first + i - 1, size, padding, align_corners)[0], weight, factor * slope) for i, (weight, slope) in enumerate(weights)]
    taps = []
    for place, weight, slope in places:
        inside = (place >= 0) & (place < size)
        taps.append((torch.where(inside, place, 0.0).to(torch.int64), inside, weight, slope))
    return taps


def _grid_points(x, grid, mode, padding, align_corners):
    """Over all elements that a sample is made of: their number in the image, which are inside, [(weight, derivative) of each dim]"""
    rank = grid.shape[-1]
    if x.dtype in (torch.float16, torch.bfloat16):
        raise NotImplementedError("places that are rounded to 16 bits between the steps are not modelled")
    if not all(isinstance(n, int) for n in x.shape[2:]) or 0 in x.shape:
        raise NotImplementedError("grids over extents that vary or are 0")
    # The first coordinate is that of the last dim.
    axes = [_grid_taps(grid[..., rank - 1 - d].flatten(1), x.shape[2 + d], mode, padding, align_corners) for d in range(rank)]
    for taps in itertools.product(*axes):
        number, inside = 0, True
        for extent, tap in zip(x.shape[2:], taps):
            number, inside = number * extent + tap[0], tap[1] & inside
        yield number, inside, [tap[2:] for tap in taps]


def _grid_sampler_backward(grad, x, grid, mode, padding, align_corners, output_mask):
    channels, image, flat = x.shape[1], x.flatten(2), grad.flatten(2)
    total = torch.zeros_like(image)
    slopes = [torch.zeros_like(grid[..., 0].flatten(1)) for _ in range(grid.shape[-1])]
    for number, inside, axes in _grid_points(x, grid, mode, padding, align_corners):
        number, inside = number.unsqueeze(1).expand(-1, channels, -1), inside.unsqueeze(1)
        if output_mask[0]:
            weight = math.prod((weight for weight, _ in axes), start=1.0)
            total = total.scatter_add(2, number, torch.where(inside, flat * weight.unsqueeze(1), 0.0))
        if mode != NEAREST:
            of_weight = torch.where(inside, image.gather(2, number) * flat, 0.0).sum(1)
            for d in range(len(axes)):
                slopes[d] = slopes[d] + math.prod((pair[1] if other == d else pair[0] for other, pair in enumerate(axes)), start=of_weight)
    return total.reshape(x.shape) if output_mask[0] else None, torch.stack(slopes[::-1], -1).reshape(grid.shape)


@decomposition(aten.grid_sampler_2d_backward.default)
def grid_sampler_2d_backward(grad, x, grid, interpolation_mode, padding_mode, align_corners, output_mask):
    return _grid_sampler_backward(grad, x, grid, interpolation_mode, padding_mode, align_corners, output_mask)


@decomposition(aten.grid_sampler_3d_backward.default)
def grid_sampler_3d_backward(grad, x, grid, interpolation_mode, padding_mode, align_corners, output_mask):
    return _grid_sampler_backward(grad, x, grid, interpolation_mode, padding_mode, align_corners, output_mask)


@decomposition(aten.grid_sampler_3d.default)
def grid_sampler_3d(x, grid, interpolation_mode, padding_mode, align_corners):
    image, total = x.flatten(2), None
    for number, inside, axes in _grid_points(x, grid, interpolation_mode, padding_mode, align_corners):
        weight = math.prod((weight for weight, _ in axes), start=1.0)
        part = image.gather(2, number.unsqueeze(1).expand(-1, x.shape[1], -1)) * weight.unsqueeze(1)
        part = torch.where(inside.unsqueeze(1), part, 0.0)
        total = part if total is None else total + part
    return total.reshape(*x.shape[:2], *grid.shape[1:-1])


# -- distances -----------------------------------------------------------------------


def _of_distance(difference, grad, distance, p):
    """What an element's difference gets of the gradient of a p-norm."""
    if p == 0:
        return torch.zeros_like(difference)
    if p == 1:
        return grad * difference.sign()
    magnitude = difference.abs()
    if p == math.inf:
        # 1 where it is the largest, else 0; also of differences that are not much smaller than the largest.
        return grad * difference.sign() * (1 - (magnitude - distance).abs().ceil().clamp(max=1))
    if p == 2:
        result = grad * difference / distance
    elif p < 2:
        result = difference.sign() * magnitude ** (p - 1) * grad / distance ** (p - 1)
        if p < 1:
            result = torch.where(difference == 0, 0.0, result)
    else:
        result = difference * magnitude ** (p - 2) * grad / distance ** (p - 1)
    return torch.where(distance == 0, 0.0, result)


@decomposition(aten._cdist_backward.default)
def cdist_backward(grad, x1, x2, p, distance):
    if 0 in (*grad.shape, x1.shape[-1]):
        return torch.zeros_like(x1)
    difference = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    return _of_distance(difference, grad.unsqueeze(-1), distance.unsqueeze(-1), p).sum(-2)


@decomposition(aten._pdist_backward.default)
def pdist_backward(grad, x, p, distance):
    count = x.shape[0]
    if not isinstance(count, int):
        raise NotImplementedError("pairs of a number of rows that varies")
    pairs = torch.tensor([(i, j) for i in range(count) for j in range(i + 1, count)], dtype=torch.int64, device=x.device).reshape(-1, 2)
    first, second = pairs[:, 0], pairs[:, 1]
    of = _of_distance(x.index_select(0, first) - x.index_select(0, second), grad.unsqueeze(-1), distance.unsqueeze(-1), p)
    return torch.zeros_like(x).index_add(0, first, of).index_add(0, second, -of)


# -- margins -------------------------------------------------------------------------


def _per_class(grad, x, reduction):
    """The gradient of each sample's mean over the classes, as a column."""
    samples, classes = x.shape
    return grad.reshape(-1, 1) * (1.0 / (samples * classes if reduction == 1 else classes))


@decomposition(aten.multi_margin_loss_backward.default)
def multi_margin_loss_backward(grad, x, target, p, margin, weight=None, reduction=1):
    if 0 in x.shape:
        raise NotImplementedError("margins without elements")
    rows, target = x.reshape(-1, x.shape[-1]), target.reshape(-1, 1)
    z = margin - rows.gather(1, target) + rows
    of = _per_class(grad, rows, reduction)
    of = of * (1 if p == 1 else 2 * z)
    if weight is not None:
        of = of * weight.index_select(0, target.reshape(-1)).unsqueeze(1)
    classes = torch.arange(rows.shape[1], device=x.device)
    of = torch.where((z > 0) & (classes != target), of, 0.0)
    return torch.where(classes == target, -of.sum(1, keepdim=True), of).reshape(x.shape).to(x.dtype)


@decomposition(aten.multilabel_margin_loss_backward.default)
def multilabel_margin_loss_backward(grad, x, target, reduction, is_target):
    if 0 in x.shape:
        raise NotImplementedError("margins without elements")
    rows, target, is_target = (t.reshape(-1, x.shape[-1]) for t in (x, target, is_target))
    listed = (target < 0).to(torch.int64).cumsum(1) == 0  # up to the first that is negative
    index = torch.where(listed, target, 0)
    z = 1 - rows.gather(1, index).unsqueeze(2) + rows.unsqueeze(1)  # [samples, targets, classes]
    counts = listed.unsqueeze(2) & (is_target == 0).unsqueeze(1) & (z > 0)
    of = torch.where(counts, _per_class(grad, rows, reduction).unsqueeze(2), 0.0)
    return of.sum(1).scatter_add(1, index, -of.sum(2)).reshape(x.shape).to(x.dtype)


# -- places, bags, weights --------------------------------------------------------------


@decomposition(aten.fractional_max_pool2d_backward.default)
def fractional_max_pool2d_backward(grad, x, kernel_size, output_size, indices):
    return _max_pool_backward(grad, x, 2, indices)


@decomposition(aten.fractional_max_pool3d_backward.default)
def fractional_max_pool3d_backward(grad, x, kernel_size, output_size, indices):
    return _max_pool_backward(grad, x, 3, indices)


def _bags(grad, indices, offsets):
    count, length = grad.shape[0], indices.shape[0]
    if not isinstance(count, int) or not isinstance(length, int) or count == 0:
        raise NotImplementedError("the gradient of bags whose number varies is not modelled")
    return bags_of(offsets, count, length)


@decomposition(aten._embedding_bag_backward.default)
def embedding_bag_backward(grad, indices, offsets, offset2bag, bag_size, maximum_indices, num_weights, scale_grad_by_freq, mode, sparse,
                           per_sample_weights, padding_idx=-1):
    if sparse:
        raise NotImplementedError("a gradient that is a sparse tensor is not modelled")
    if scale_grad_by_freq and mode != 2:
        raise NotImplementedError("which frequencies PyTorch's kernel scales by hangs on its order of the indices")
    bags, wide = _bags(grad, indices, offsets), grad.to(_acc(grad.dtype))
    total = wide.new_zeros(num_weights, grad.shape[1])
    if mode == 2:  # to the row that each element of a bag is of; an empty bag names row 0
        sizes = torch.zeros(grad.shape[0], dtype=torch.int64, device=indices.device).index_add(0, bags, (indices != padding_idx).to(torch.int64))
        wide = torch.where((sizes > 0).unsqueeze(1), wide, 0.0)
        return total.scatter_add(0, maximum_indices.to(torch.int64), wide).to(grad.dtype)
    rows = wide.index_select(0, bags)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.to(rows.dtype).unsqueeze(1)
    if mode == 1:
        rows = rows / bag_size.index_select(0, bags).to(rows.dtype).unsqueeze(1)
    rows = rows.masked_fill((indices == padding_idx).unsqueeze(1), 0)
    return total.index_add(0, indices, rows).to(grad.dtype)


@decomposition(aten._embedding_bag_per_sample_weights_backward.default)
def embedding_bag_per_sample_weights_backward(grad, weight, indices, offsets, offset2bag, mode, padding_idx=-1):
    bags, dtype = _bags(grad, indices, offsets), _acc(grad.dtype)
    products = grad.to(dtype).index_select(0, bags) * weight.to(dtype).index_select(0, indices)
    return torch.where(indices == padding_idx, 0.0, products.sum(1)).to(grad.dtype)


@decomposition(aten.masked_scatter_backward.default)
def masked_scatter_backward(grad, mask, sizes):
    """The chosen elements of the gradient one behind the other, then zeros."""
    count = math.prod(sizes)
    if not isinstance(count, int):
        raise NotImplementedError("a number of elements that varies")
    grad, mask = torch.broadcast_tensors(grad, mask)
    mask = mask.reshape(-1)
    place = torch.where(mask, mask.to(torch.int64).cumsum(0) - 1, count)
    return grad.new_zeros(count + 1).scatter(0, place.clamp(max=count), grad.reshape(-1)).narrow(0, 0, count).reshape(list(sizes))


@decomposition(aten.rrelu_with_noise_backward.default)
def rrelu_with_noise_backward(grad, x, noise, lower, upper, training, self_is_result):
    if training:
        return grad * noise
    return aten.leaky_relu_backward.default(grad, x, (lower + upper) / 2, self_is_result)


@decomposition(aten._weight_norm_interface_backward.default)
def weight_norm_interface_backward(grad, v, g, norms, dim):
    dims = [d for d in range(v.dim()) if d != dim % v.dim()]
    wide, v_wide, g_wide = (t.to(norms.dtype) for t in (grad, v, g))
    along = (wide * v_wide).sum(dims, keepdim=True)
    return (g_wide / norms * (wide - v_wide * along / (norms * norms))).to(v.dtype), (along / norms).to(g.dtype)
