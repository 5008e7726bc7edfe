# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions of our own against eager: the functions themselves, and captured ones on the targets."""

import itertools
import random

import pytest
import torch

import fxgraph
from fxgraph.importer.decompositions import TABLE, max_pool2d_with_indices

aten = torch.ops.aten


def check(overload, *args, results=None, tolerance=1e-5, **kwargs):
    want, got = overload(*args, **kwargs), TABLE[overload](*args, **kwargs)
    want, got = (r if isinstance(r, (tuple, list)) else (r,) for r in (want, got))
    for w, g in itertools.islice(zip(want, got, strict=True), results):
        if w is None:
            assert g is None
            continue
        assert w.dtype == g.dtype and w.shape == g.shape
        torch.testing.assert_close(g, w, rtol=tolerance, atol=tolerance, equal_nan=True)


@pytest.mark.parametrize("seed", range(40))
def test_convolution_backward(seed):
    """Of every rank, with strides that leave a rest, groups, transposed."""
    draw = random.Random(seed)
    rank, groups, transposed = draw.choice((1, 2, 3)), draw.choice((1, 1, 2, 3)), seed % 2 == 1
    stride, padding, dilation = ([draw.choice(choice) for _ in range(rank)] for choice in ((1, 2, 3), (0, 1, 2), (1, 1, 2)))
    inner, outer = groups * draw.choice((1, 2)), groups * draw.choice((1, 2))
    kernel = [draw.choice((1, 2, 3)) for _ in range(rank)]
    output_padding = [draw.randrange(max(s, d)) if transposed else 0 for s, d in zip(stride, dilation)]
    extents = [draw.choice((6, 7, 8)) for _ in range(rank)]
    x = torch.randn(draw.choice((1, 2)), inner, *extents, dtype=torch.float64)
    weight = torch.randn(*((inner, outer // groups) if transposed else (outer, inner // groups)), *kernel, dtype=torch.float64)
    arguments = (stride, padding, dilation, transposed, output_padding, groups)
    try:
        grad = torch.randn_like(aten.convolution.default(x, weight, None, *arguments))
    except RuntimeError:
        pytest.skip("PyTorch refuses the sizes")
    for mask in ([True, True, True], [True, False, False], [False, True, False]):
        check(aten.convolution_backward.default, grad, x, weight, [outer], *arguments, mask, tolerance=1e-9)


def with_nan(grad):
    """What is no number reaches the elements of its window, and no others."""
    if grad.numel():
        grad.view(-1)[[0, -1]] = torch.tensor([float("nan"), float("inf")], dtype=grad.dtype)
    return grad


@pytest.mark.parametrize("rank", [2, 3])
@pytest.mark.parametrize("seed", range(20))
def test_avg_pool_backward(seed, rank):
    draw = random.Random(seed)
    kernel, stride = [draw.choice((1, 2, 3)) for _ in range(rank)], [draw.choice((1, 2, 3)) for _ in range(rank)]
    padding = [draw.randrange(k // 2 + 1) for k in kernel]
    options = (kernel, draw.choice((stride, [])), padding, draw.random() < 0.5, draw.random() < 0.5, draw.choice((None, 3)))
    pool, backward = {2: (aten.avg_pool2d, aten.avg_pool2d_backward), 3: (aten.avg_pool3d, aten.avg_pool3d_backward)}[rank]
    x = torch.randn(*([2] * draw.choice((1, 2))), *([4] * (rank - 2)), draw.choice((5, 6)), draw.choice((6, 7)), dtype=torch.float64)
    grad = torch.randn_like(pool.default(x, *options))
    check(backward.default, grad, x, *options, tolerance=1e-9)
    check(backward.default, with_nan(grad), x, *options, tolerance=1e-9)


@pytest.mark.parametrize("size", [[1, 1], [2, 3], [5, 7], [6, 4]])
def test_adaptive_avg_pool_backward(size):
    for change in (lambda grad: grad, with_nan):
        check(aten._adaptive_avg_pool2d_backward.default, change(torch.randn(2, 3, *size)), torch.randn(2, 3, 5, 7))
        check(aten._adaptive_avg_pool3d_backward.default, change(torch.randn(2, *size, 3)), torch.randn(2, 5, 7, 4))


def test_max_pool_backward():
    """An element that is the maximum of several windows has the sum."""
    for change in (lambda grad: grad, with_nan):
        x = torch.randint(0, 3, (2, 5, 7, 6)).float()
        options = ([3, 2, 2], [1, 2, 1], [1, 0, 1], [1, 1, 1], False)
        for pool, backward, arguments in ((aten.max_pool3d_with_indices, aten.max_pool3d_with_indices_backward, options),
                                          (aten.max_pool2d_with_indices, aten.max_pool2d_with_indices_backward, [o[1:] for o in options[:4]] + [True])):
            values, indices = pool.default(x, *arguments)
            check(backward.default, change(torch.randn_like(values)), x, *arguments, indices)
        for pool, backward, size in ((aten.adaptive_max_pool2d, aten.adaptive_max_pool2d_backward, [4, 4]),
                                     (aten.adaptive_max_pool3d, aten.adaptive_max_pool3d_backward, [2, 4, 4])):
            values, indices = pool.default(x, size)
            check(backward.default, change(torch.randn_like(values)), x, indices)


@pytest.mark.parametrize("padding", [[2, 1, 0, 3, 1, 1], [0, 0, 2, 2, 0, 1], [-1, 2, 1, -2, 0, 1], [0] * 6])
def test_replication_pad_backward(padding):
    for rank, overload in ((1, aten.replication_pad1d_backward), (2, aten.replication_pad2d_backward), (3, aten.replication_pad3d_backward)):
        x = torch.randn(2, 3, *[5, 6, 4][-rank:])
        for change in (lambda grad: grad, with_nan):
            grad = change(torch.randn_like(torch.nn.functional.pad(x, padding[:2 * rank], mode="replicate")))
            check(overload.default, grad, x, padding[:2 * rank])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_embedding_bag(dtype):
    weight, indices = torch.randn(7, 3, dtype=dtype), torch.tensor([1, 6, 0, 2, 2, 5])
    for offsets, last in ((torch.tensor([0, 2, 2, 4]), False), (torch.tensor([0, 3, 6]), True), (torch.tensor([0]), False)):
        for mode, padding in itertools.product((0, 1, 2), (-1, 2)):
            check(aten._embedding_bag.default, weight, indices, offsets, False, mode, False, None, last, padding, tolerance=2e-2 if dtype == torch.bfloat16 else 1e-5)
        check(aten._embedding_bag.default, weight, indices, offsets, False, 0, False, torch.randn(6, dtype=dtype), last, results=1,
              tolerance=2e-2 if dtype == torch.bfloat16 else 1e-5)


def test_order():
    """NaN is the largest; a median is NaN where one is, a nanmedian of nothing else too."""
    nan = float("nan")
    x = torch.tensor([[3.0, nan, 1.0, 2.0], [4.0, 1.0, 3.0, 2.0], [nan, nan, nan, nan], [1.0, nan, 5.0, nan]])
    for dim, keepdim in itertools.product((0, 1, -1), (False, True)):
        for overload in (aten.median.dim, aten.nanmedian.dim):
            check(overload, x, dim, keepdim, results=1)
            check(overload, torch.randint(0, 100, (5, 3)), dim, keepdim, results=1)
        check(aten.kthvalue.default, x, 3, dim, keepdim, results=1)
    for overload in (aten.median.default, aten.nanmedian.default):
        check(overload, x)
        check(overload, x[:2])
        check(overload, torch.tensor(2.5))
    values = torch.tensor([nan, -1.0, 0.0, 2.0, 3.5, float("inf"), 2.0])
    for boundaries, right in itertools.product((torch.tensor([0.0, 2.0, 2.0, 3.0]), torch.tensor([1, 2, 3]), torch.tensor([])), (False, True)):
        check(aten.bucketize.Tensor, values, boundaries, right=right)
        check(aten.searchsorted.Tensor, boundaries, values.reshape(7, 1), right=right, out_int32=True)


@pytest.mark.parametrize("overload", [aten.cummax.default, aten.cummin.default, aten.logcumsumexp.default])
def test_running(overload):
    """The index is that of the last of equal elements; NaN stays."""
    x = torch.randn(3, 7, 4)
    x[0, 2, 1], x[1, 0, 0], x[2, 3:5, 2] = float("nan"), float("-inf"), float("inf")
    for dim in (0, 1, -1):
        check(overload, x, dim)
        if overload is not aten.logcumsumexp.default:
            check(overload, torch.randint(0, 4, (9, 5)), dim)
    check(overload, torch.tensor(2.0), 0)


def test_running_logarithms():
    """To the bit: PyTorch accumulates in float64."""
    for dtype in (torch.float32, torch.bfloat16):
        check(aten.logcumsumexp.default, (torch.randn(5, 300) * 8).to(dtype), 1, tolerance=0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int32])
@pytest.mark.parametrize("overload", [aten.erfinv.default, aten.lgamma.default, aten.digamma.default, aten.i0.default, aten.special_i0e.default,
                                      aten.special_i1.default, aten.special_i1e.default])
def test_special_functions(overload, dtype):
    x = torch.cat([torch.randn(500) * 10, torch.linspace(-5, 5, 41),
                   torch.tensor([0.0, -0.0, 1, -1, 70, 1e-30, float("inf"), float("-inf"), float("nan")])])
    if not dtype.is_floating_point:
        x = x.nan_to_num(3, 3, 3)
    elif overload is aten.erfinv.default:
        x = torch.cat([x, torch.rand(500) * 2 - 1])
    check(overload, x.to(dtype), tolerance={torch.float64: 1e-8, torch.bfloat16: 2e-2}.get(dtype, 2e-5))


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int32])
def test_polygamma(dtype, level):
    """The derivative of digamma; those beyond stay whole."""
    x = torch.cat([torch.randn(200) * 9, torch.tensor([0.5, 0.49, 1.0, 9.99, 1e5, torch.inf, torch.nan])]).nan_to_num(3, 3, 3).to(dtype)
    x = x[x > 0] if not dtype.is_floating_point else x
    module = fxgraph.capture(lambda x: (torch.polygamma(1, x), torch.polygamma(0, x), x.digamma()), x, level=level)
    assert not module.unknown_ops
    tolerance = {torch.float64: 1e-9, torch.bfloat16: 2e-2}.get(dtype, 1e-4)
    for target in ("ref", "cpu"):
        for got, want in zip(module.run([x], target=target), (torch.polygamma(1, x), torch.polygamma(0, x), x.digamma()), strict=True):
            torch.testing.assert_close(got, want, rtol=tolerance, atol=tolerance, equal_nan=True)
    module = fxgraph.capture(lambda x: torch.polygamma(2, x), x, level=level)
    assert module.unknown_ops
    torch.testing.assert_close(module.to_fx()(x)[0], torch.polygamma(2, x), equal_nan=True)


@pytest.mark.parametrize("options", [(3, 2, 1), (2, [], 0, 1, True), ([2, 3], 1, [1, 1], 2), (2,)])
def test_max_pool_with_indices(options):
    """The first of equal elements, the last NaN."""
    x = torch.randn(2, 7, 8)
    x[0, 2:4, 1:3], x[1, 4:, 5:], x[1, :2, :2] = float("nan"), float("-inf"), 2.0
    want, got = aten.max_pool2d_with_indices.default(x, *options), max_pool2d_with_indices(x, *options)
    assert torch.equal(want[1], got[1])
    torch.testing.assert_close(want[0], got[0], equal_nan=True)


def test_writes_by_index():
    x, index = torch.randn(4, 3), torch.tensor([2, 0, 2])
    for reduce, include_self in itertools.product(("prod", "mean", "amax", "amin"), (False, True)):
        check(aten.index_reduce.default, x, 0, index, torch.randn(3, 3), reduce, include_self=include_self)
    for reduce in ("add", "multiply"):
        check(aten.scatter.reduce, x, 1, torch.tensor([[0, 2, 0], [1, 1, 1]]), torch.randn(2, 3), reduce=reduce)
    check(aten.masked_scatter.default, x, torch.tensor([True, False, True]), torch.randn(9))
    check(aten.masked_scatter.default, x[0], x > 0, torch.randn(12))
    for accumulate in (False, True):
        check(aten.put.default, x, torch.tensor([[0, -1], [5, 3]]), torch.randn(2, 2), accumulate)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_flash_attention(dtype):
    """The sums of the softmax, too, and the gradients."""
    forward, backward = aten._scaled_dot_product_flash_attention_for_cpu.default, aten._scaled_dot_product_flash_attention_for_cpu_backward.default
    tolerance = {torch.float64: 1e-12, torch.bfloat16: 2e-2}.get(dtype, 1e-5)
    for causal, mask, scale in ((False, None, None), (True, None, 0.3), (False, torch.randn(2, 1, 5, 7).to(dtype), None)):
        query, key, value = (torch.randn(2, 3, n, 4).to(dtype) for n in (5, 7, 7))
        check(forward, query, key, value, 0.0, causal, attn_mask=mask, scale=scale, tolerance=tolerance)
        out, total = forward(query, key, value, 0.0, causal, attn_mask=mask, scale=scale)
        check(backward, torch.randn_like(out), query, key, value, out, total, 0.0, causal, attn_mask=mask, scale=scale, tolerance=tolerance)
    with pytest.raises(NotImplementedError):
        TABLE[forward](query, key, value, 0.5)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_numbers(dtype):
    """Bit for bit, but for hypot of doubles: over the whole range of exponents."""
    x = torch.cat([torch.tensor([0.0, -0.0, 1, 0.5, -3.7, float("inf"), float("nan"), 1e-45, 3e38, 2.0 ** -126, 1 - 2.0 ** -24]),
                   torch.randn(500) * torch.exp2(torch.randint(-100, 100, (500,)))]).to(dtype)
    if dtype == torch.float64:
        x = torch.cat([x, torch.tensor([5e-324, 1.7e308, -2.0 ** -1074, 2.0 ** -1022], dtype=dtype)])
    check(aten.frexp.Tensor, x, tolerance=0)
    check(aten.hypot.default, x, x.flip(0), tolerance=4e-16 if dtype == torch.float64 else 0)
    for decimals in (0, 1, -1, 3):
        check(aten.round.decimals, x, decimals=decimals, tolerance=0)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.int64])
def test_sums_of_integers_keep_their_dtype(dtype):
    """sum() alone makes int64 of them."""
    ints = lambda *shape: torch.randint(0, 90, shape).to(dtype)  # noqa: E731
    check(aten._trilinear.default, ints(3, 4), ints(2, 4, 5), ints(3, 5), [1, 3], [0], [1, 2], [2, 3])
    check(aten.addbmm.default, ints(3, 5), ints(2, 3, 4), ints(2, 4, 5))
    xs = [ints(3, 4), ints(3, 5), ints(2, 4, 5)]
    got = fxgraph.capture(torch.nn.functional.bilinear, *xs, level="aten").run(xs)
    got = got[0] if isinstance(got, list) else got
    want = torch.nn.functional.bilinear(*xs)
    assert got.dtype == want.dtype and torch.equal(got, want)


def test_integers():
    x, y = torch.randint(-50, 50, (200,)), torch.randint(-50, 50, (200,))
    check(aten.lcm.default, x, y)
    check(aten.lcm.default, torch.tensor([0, 0, 4]), torch.tensor([0, 3, 0]))
    small = torch.randint(-128, 127, (3, 32), dtype=torch.int8)
    check(aten._int_mm.default, small.repeat(8, 1), small.t().repeat(1, 8))


def test_copies():
    """The value of the view."""
    x = torch.randn(2, 3, 4)
    for overload, args in ((aten.view_copy.default, ([6, 4],)), (aten.permute_copy.default, ([2, 0, 1],)), (aten.narrow_copy.default, (1, 1, 2)),
                           (aten.unbind_copy.int, (1,)), (aten.select_copy.int, (-1, 2)), (aten.slice_copy.Tensor, (2, 1, 4, 2)), (aten.t_copy.default, ()),
                           (aten.split_copy.Tensor, (2, 1)), (aten.split_with_sizes_copy.default, ([1, 2], 1)), (aten.as_strided_copy.default, ([2, 2], [3, 1], 1))):
        check(overload, x[0] if overload is aten.t_copy.default else x, *args)
    check(aten.as_strided_scatter.default, x, torch.randn(2, 2), [2, 2], [5, 2], 3)


def test_adaptive_max_pool3d():
    x = torch.randn(2, 3, 5, 6, 7)
    x[0, 0, :2, :3, :3], x[1, 2, 3, 4, 5] = 2.0, float("nan")
    for size in ([2, 3, 1], [1, 1, 1], [5, 6, 7], [3, 4, 5]):
        check(aten.adaptive_max_pool3d.default, x, size)


def test_others():
    check(aten.conv_tbc.default, torch.randn(5, 2, 3), torch.randn(3, 3, 4), torch.randn(4), 1)
    check(aten.fake_quantize_per_tensor_affine_cachemask.default, torch.randn(300) * 5, 0.037, 3, -8, 7, tolerance=0)
    for start, end, step in ((0, 5, 1), (1, 4, 0.5), (5, -1, -2)):
        check(aten.range.step, start, end, step)
    check(aten.fake_quantize_per_channel_affine_cachemask.default, torch.randn(3, 4) * 50, torch.tensor([0.1, 0.5, 1.0]), torch.tensor([0, 3, -4], dtype=torch.int32), 0, -8, 7)


CAPTURED = {
    "diagonal": (lambda x: x.diagonal(1, 0, 2) * 2, (3, 2, 4)),
    "diagonal_scatter": (lambda x: torch.diagonal_scatter(x, torch.ones(3), -1), (4, 3)),
    "unfold": (lambda x: x.unfold(1, 3, 2), (2, 8)),
    "kthvalue": (lambda x: x.kthvalue(2, 0), (5, 3)),
    "median": (lambda x: (x.median(), x.median(1), x.nanmedian(0)), (4, 5)),
    "bucketize": (lambda x: torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0])), (3, 4)),
    "cdist": (lambda x: torch.cdist(x, x + 1), (4, 3)),
    "pdist": (lambda x: torch.pdist(x), (4, 3)),
    "avg_pool3d": (lambda x: torch.nn.functional.avg_pool3d(x, 2, 1, 1), (1, 2, 4, 5, 3)),
    "max_pool3d": (lambda x: torch.nn.functional.max_pool3d(x, 2), (1, 2, 4, 5, 6)),
    "max_pool3d_with_indices": (lambda x: torch.nn.functional.max_pool3d(x, 2, return_indices=True), (1, 2, 4, 5, 6)),
    "max_pool2d_with_indices": (lambda x: torch.nn.functional.max_pool2d(x, 3, 2, 1, return_indices=True), (1, 2, 6, 7)),
    "adaptive_avg_pool3d": (lambda x: torch.nn.functional.adaptive_avg_pool3d(x, (2, 3, 1)), (1, 2, 4, 5, 3)),
    "adaptive_max_pool2d": (lambda x: torch.nn.functional.adaptive_max_pool2d(x, (2, 3)), (1, 2, 5, 7)),
    "embedding_bag": (lambda x: torch.nn.functional.embedding_bag(torch.tensor([1, 0, 2, 2]), x, torch.tensor([0, 1])), (4, 3)),
    "scatter_reduce": (lambda x: x.scatter_reduce(0, torch.tensor([[0, 2, 2], [2, 0, 2]]), x[1:], "amax", include_self=False), (3, 3)),
    "index_reduce": (lambda x: x.index_reduce(0, torch.tensor([1, 1]), x[1:], "mean"), (3, 4)),
    "masked_scatter": (lambda x: x.masked_scatter(x > 0, x * 2 + 1), (3, 4)),
    "put": (lambda x: x.put(torch.tensor([1, 5]), x[0, :2]), (3, 4)),
    "shifts": (lambda x: ((x * 100).to(torch.int32) << 3, (x * 1000).to(torch.int64) >> 2, 1 << (x * 3).to(torch.int64)), (3, 4)),
    "addbmm": (lambda x: torch.addbmm(x[0], x, x, beta=0.5, alpha=2), (2, 3, 3)),
    "pad": (lambda x: [torch.nn.functional.pad(x, (2, 1, 1, 2), mode=mode) for mode in ("reflect", "replicate", "circular")], (1, 2, 4, 5)),
    "interpolate": (lambda x: [torch.nn.functional.interpolate(x, size=(5, 3), mode=mode) for mode in ("nearest", "bilinear", "bicubic", "area")],
                    (1, 2, 4, 5)),
    "interpolate_3d": (lambda x: [torch.nn.functional.interpolate(x, scale_factor=1.5, mode=mode) for mode in ("nearest", "trilinear")],
                       (1, 2, 4, 5, 3)),
    "im2col": (lambda x: torch.nn.functional.fold(torch.nn.functional.unfold(x, 2, padding=1), (4, 5), 2, padding=1), (1, 2, 4, 5)),
    "cummax": (lambda x: torch.cummax(x, 1), (3, 5)),
    "cummin": (lambda x: torch.cummin(x, 0), (3, 5)),
    "logcumsumexp": (lambda x: torch.logcumsumexp(x, 1), (3, 5)),
    "lgamma": (lambda x: torch.lgamma(x), (3, 5)),
    "digamma": (lambda x: torch.digamma(x), (3, 5)),
    "erfinv": (lambda x: torch.erfinv(x.tanh()), (3, 5)),
    "i0": (lambda x: torch.i0(x), (3, 5)),
    "ldexp": (lambda x: torch.ldexp(x, torch.tensor([1, -2, 3])), (2, 3)),
}


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("name", CAPTURED)
def test_captured(name, level):
    function, shape = CAPTURED[name]
    example, x = torch.randn(shape), torch.randn(shape)
    module = fxgraph.capture(function, example, level=level)
    assert not module.unknown_ops
    want = function(x)
    want = list(torch.utils._pytree.tree_leaves(want))
    for target in ("ref", "cpu"):
        got = module.compile(target)(x)
        for g, w in zip(got, want, strict=True):
            assert g.dtype == w.dtype
            torch.testing.assert_close(g, w, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("function", [
    lambda x: torch.nn.functional.alpha_dropout(x, 0.5, True), lambda x: torch.nn.functional.dropout2d(x, 0.5, True),
    lambda x: torch.nn.functional.feature_alpha_dropout(x, 0.5, True), lambda x: torch.bernoulli(x, 0.5), torch.bernoulli,
    lambda x: (x.clone().bernoulli_(0.25), torch.randint(3, 9, (5,)), torch.randint_like(x, 4), torch.randperm(x.shape[1])),
    lambda x: (torch.randint(2 ** 40, (2, 3)), torch.randperm(7, dtype=torch.int32), torch.randint(-3, 3, (4,), dtype=torch.float64))])
def test_draws(function, level):
    """PyTorch's numbers, in its order."""
    module = fxgraph.capture(function, torch.rand(2, 4, 3), level=level)
    assert not module.unknown_ops
    x = torch.rand(2, 4, 3)
    for target in ("ref", "cpu"):
        torch.manual_seed(3)
        want = torch.utils._pytree.tree_leaves(function(x))
        for got, w in zip(module.compile(target, seed=3)(x), want, strict=True):
            torch.testing.assert_close(got, w, rtol=1e-6, atol=0)


@pytest.mark.parametrize("level, function", [
    ("torch", lambda x: torch.nn.functional.rrelu(x, training=True)), ("aten", lambda x: torch.nn.functional.rrelu(x, training=True)),
    ("torch", torch.poisson), ("aten", torch.poisson)])
def test_random_parts_without_a_form(function, level):
    """The call stays whole, also where its parts write in place with PyTorch's defaults."""
    module = fxgraph.capture(function, torch.rand(2, 4, 3), level=level)
    assert module.unknown_ops
    torch.manual_seed(3)
    want = torch.utils._pytree.tree_leaves(function(x := torch.rand(2, 4, 3)))
    torch.manual_seed(3)
    torch.rand(2, 4, 3)
    for got, w in zip(module.to_fx()(x), want, strict=True):
        assert torch.equal(got, w)


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_interpolation_of_bytes(level):
    """The nearest of them are some of them. The negative twins: other modes round in their own way, other integers PyTorch refuses."""
    interpolate = torch.nn.functional.interpolate
    for x in (torch.arange(40, dtype=torch.uint8).view(1, 2, 5, 4), torch.arange(40, dtype=torch.uint8).view(1, 2, 5, 2, 2), torch.arange(12, dtype=torch.uint8).view(2, 2, 3)):
        for options in ({"scale_factor": 1.7}, {"size": [3] * (x.dim() - 2), "mode": "nearest-exact"}, {"scale_factor": 2, "mode": "nearest"}):
            module = fxgraph.capture(lambda x: interpolate(x, **options), x, level=level)  # noqa: B023
            assert not module.unknown_ops
            for target in ("ref", "cpu"):
                assert torch.equal(module.run([x], target)[0], interpolate(x, **options))
    image = torch.arange(40, dtype=torch.uint8).view(1, 2, 5, 4)
    assert fxgraph.capture(lambda x: interpolate(x, scale_factor=2, mode="bilinear"), image, level=level).unknown_ops
    with pytest.raises(fxgraph.FxGraphError, match="PyTorch refuses"):
        fxgraph.capture(lambda x: interpolate(x, scale_factor=2), image.to(torch.int64), level=level)


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_rrelu_outside_of_training(level):
    """Nothing is drawn; the negative twin is above."""
    x = torch.tensor([1.0, -2.0, 0.0, float("nan"), float("-inf")])
    for function in (torch.nn.RReLU(0.1, 0.5).eval(), lambda x: torch.nn.functional.rrelu(x, lower=0.2), lambda x: torch.rrelu(x, 0.3, 0.3)):
        module = fxgraph.capture(function, x, level=level)
        assert not module.unknown_ops
        for target in ("ref", "cpu"):
            torch.testing.assert_close(module.run([x], target), [function(x)], equal_nan=True)
    check(aten.rrelu_with_noise_functional.default, x, x)
    with pytest.raises(NotImplementedError):
        TABLE[aten.rrelu_with_noise_functional.default](x, x, training=True)


@pytest.mark.parametrize("p, train", [(0.5, True), (0.3, None), (0.0, True), (1.0, True), (0.5, False)])
def test_native_dropout(p, train):
    """PyTorch's numbers, and a result of its own: PyTorch's fakes say otherwise."""
    def function(x):
        dropped, mask = torch.native_dropout(x, p, train)
        dropped.add_(1)
        return dropped, mask, x * 1

    x = torch.randn(3, 7)
    module = fxgraph.from_fx(torch.fx.symbolic_trace(function), [x.clone()])
    assert not module.unknown_ops
    for target in ("ref", "cpu"):
        torch.manual_seed(5)
        want = function(x.clone())
        for got, w in zip(module.compile(target, seed=5)(x.clone()), want, strict=True):
            torch.testing.assert_close(got, w, rtol=0, atol=0)


@pytest.mark.parametrize("seed", range(20))
def test_mode(seed):
    """Also of one element; the index is of an element that has the value. (Where NaNs are, eager's choice hangs on their places.)"""
    draw = random.Random(seed)
    dtype = draw.choice((torch.float32, torch.int64, torch.bool, torch.bfloat16, torch.float64))
    x = torch.randint(0, draw.choice((2, 4, 9)), (3, draw.choice((1, 2, 7, 30)), 2)).to(dtype)
    if x.is_floating_point() and seed % 2:
        x[x == 1] = draw.choice((-torch.inf, torch.inf))
    for dim, keepdim in ((1, False), (-2, True), (0, False)):
        check(aten.mode.default, x, dim, keepdim, results=1)
        values, indices = TABLE[aten.mode.default](x, dim, keepdim)
        values, indices = (values, indices) if keepdim else (values.unsqueeze(dim), indices.unsqueeze(dim))
        torch.testing.assert_close(x.gather(dim, indices), values, equal_nan=True, rtol=0, atol=0)
    check(aten.mode.default, x[0, 0, 0])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("options", [(5, -1, 1), (3, 0, 0), (1,), (7, -2.5, 10), (4, 2, 3)])
def test_histc(dtype, options):
    for x in (torch.randn(40, dtype=dtype), torch.full((3,), 2, dtype=dtype), torch.tensor([0, 1, 2, 3, 4, 10, -1], dtype=dtype).reshape(7, 1)):
        check(aten.histc.default, x, *options, tolerance=0)


@pytest.mark.parametrize("size, fill", [(0, -1), (3, -1), (7, 5), (40, -2)])
def test_nonzero_static(size, fill):
    for x in (torch.randint(0, 2, (2, 3, 4)), torch.zeros(5), torch.tensor([0.0, -0.0, torch.nan, 2]), torch.ones(2, 1, dtype=torch.bool)):
        check(aten.nonzero_static.default, x, size=size, fill_value=fill)


def _quantized():
    from torch.ao.quantization.fx import _decomposed  # noqa: F401
    q, x = torch.ops.quantized_decomposed, torch.tensor([[-9, -1.5, 0.5, 100], [2.5, 0.05, -0.15, 7], [torch.inf, -torch.inf, 0.0, -0.0]])
    scales, zeros, range_ = torch.tensor([0.1, 0.7, 3.0]), torch.tensor([3, -2, 0]), (-128, 127)
    ints = q.quantize_per_channel(x, scales, zeros, 0, *range_, torch.int8)
    scale, zero = torch.tensor([0.1]), torch.tensor(3)
    tokens = torch.tensor([[0.3], [0.2], [0.1]], dtype=torch.float64), torch.tensor([[1], [2], [3]])

    def by_groups(zero_points, to):
        return lambda i: q.dequantize_per_channel_group(i, torch.arange(1.0, 7).view(3, 2) / 7, zero_points, *range_, torch.int8, 2, to)

    def grouped(size):
        return lambda x, s, z: q.quantize_per_channel_group(x, s, z, -8, 7, torch.int8, size)

    def chosen(choose, *options):
        return lambda x: choose(x, *options)

    return {
        "quantize_per_channel": (lambda x: q.quantize_per_channel(x, scales, zeros, 0, *range_, torch.int8), x),
        "quantize_per_channel, last axis": (lambda x: q.quantize_per_channel(x, torch.ones(4) / 3, torch.tensor([0, 1, 2, 3]), 1, 0, 200, torch.uint8), x),
        "quantize_per_channel of bfloat16": (lambda x: q.quantize_per_channel(x, scales, zeros, 0, *range_, torch.int8), x.to(torch.bfloat16)),
        "dequantize_per_channel": (lambda i: q.dequantize_per_channel(i, scales, zeros, 0, *range_, torch.int8), ints),
        "dequantize_per_channel, no zero points": (lambda i: q.dequantize_per_channel(i, scales, None, 0, *range_, torch.int8), ints),
        "dequantize_per_channel, float zero points": (lambda i: q.dequantize_per_channel(i, scales, zeros / 2, 0, *range_, torch.int8), ints),
        "dequantize_per_channel to bfloat16": (
            lambda i: q.dequantize_per_channel(i, scales, zeros, 0, *range_, torch.int8, out_dtype=torch.bfloat16), ints),
        "quantize_per_tensor.tensor": (lambda x, s, z: q.quantize_per_tensor.tensor(x, s, z, *range_, torch.int8), x, scale, zero),
        "quantize_per_tensor.tensor of float64": (lambda x, s, z: q.quantize_per_tensor.tensor(x, s, z, *range_, torch.int8), x, scale.double(), zero),
        "quantize_per_tensor.tensor2": (
            lambda x, s, z: q.quantize_per_tensor.tensor2(x, s, z, torch.tensor(0), torch.tensor(255), torch.uint8), x, scale, zero),
        "dequantize_per_tensor.tensor": (lambda i, s, z: q.dequantize_per_tensor.tensor(i, s, z, *range_, torch.int8), ints, scale, zero),
        "dequantize_per_tensor.tensor to bfloat16": (
            lambda i, s, z: q.dequantize_per_tensor.tensor(i, s, z, *range_, torch.int8, out_dtype=torch.bfloat16), ints, scale, zero),
        "dequantize_per_tensor.tensor2": (
            lambda i, s, z: q.dequantize_per_tensor.tensor2(i, s, z, torch.tensor(-128), torch.tensor(127), torch.int8), ints, scale, zero),
        "quantize_per_token": (lambda x, s, z: q.quantize_per_token(x, s, z, *range_, torch.int8), x[:2].repeat(2, 1)[:3], *tokens),
        "dequantize_per_token": (lambda i, s, z: q.dequantize_per_token(i, s, z, *range_, torch.int8, torch.float32), ints, *tokens),
        **{f"dequantize_per_channel_group, {name}": (by_groups(zero, to), ints)
           for name, zero, to in (("f32", torch.arange(6).view(3, 2).int(), torch.float32), ("bf16", torch.ones(3, 2).int(), torch.bfloat16),
                                  ("no zero points", None, torch.float32))},
        **{f"quantize_per_channel_group, {name}": (grouped(size), given, torch.arange(1.0, 7).view(3, 2)[:, :count] / 7, torch.arange(6).view(3, 2)[:, :count].int())
           for name, given, size, count in (("f32", x, 2, 2), ("bf16", x.to(torch.bfloat16), 2, 2), ("one group", x, 128, 1))},
        **{f"choose_qparams of {name} to {to}": (chosen(choose, low, high, eps, to), given)
           for choose in (q.choose_qparams.tensor, q.choose_qparams_symmetric.tensor)
           for to, low, high in ((torch.int8, -128, 127), (torch.uint8, 0, 255))
           for name, given, eps in (("f32", x[:2], 1e-5), ("bf16", x[1:2].to(torch.bfloat16), 1e-5), ("f16", x[:2].half() + 11, 1e-5),
                                    ("negative", -x[0].abs() - 1, 1e-5), ("small", x[:2] * 1e-6, 1e-3), ("infinite", x, 1e-5))},
        "choose_qparams_per_token": (lambda x: q.choose_qparams_per_token(x, torch.int8), x[:2]),
        "choose_qparams_per_token_asymmetric": (lambda x: q.choose_qparams_per_token_asymmetric(x, torch.int8), x[:2])}


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("name", _quantized())
def test_quantization_by_tensors(name, level):
    function, *tensors = _quantized()[name]
    module = fxgraph.capture(function, *tensors, level=level)
    assert not module.unknown_ops, module.unknown_ops
    want = function(*tensors)
    want = want if isinstance(want, tuple) else (want,)
    for got in (module.run(tensors), module.run(tensors, target="cpu")):
        for g, w in zip(got, want, strict=True):
            assert g.dtype == w.dtype
            torch.testing.assert_close(g, w, rtol=0, atol=0, equal_nan=True)


ALONG = {
    "index_add": (lambda x, y: x.index_add(0, torch.tensor(0), y), (), ()), "index_add, one index": (lambda x, y: x.index_add(0, torch.tensor([0]), y, alpha=3), (), ()),
    "index_add, a row": (lambda x, y: x.index_add(1, torch.tensor(2), y, alpha=-1), (2, 4, 3), (2, 1, 3)),
    "index_add, rows": (lambda x, y: torch.index_add(input=x, dim=-2, index=torch.tensor([2, 0, 2], dtype=torch.int32), source=y, alpha=2), (2, 4, 3), (2, 3, 3)),
    "index_add_": (lambda x, y: x.clone().index_add_(0, torch.tensor(0), y), (), ()),
    "index_copy": (lambda x, y: x.index_copy(0, torch.tensor(0), y), (), ()), "index_copy, of a vector": (lambda x, y: x.index_copy(-1, torch.tensor(2), y), (4,), ()),
    "index_copy, a row": (lambda x, y: x.index_copy(1, torch.tensor(2), y), (2, 4), (2, 1)), "index_copy_": (lambda x, y: x.clone().index_copy_(0, torch.tensor([0]), y), (), ()),
    "index_reduce": (lambda x, y: x.index_reduce(0, torch.tensor(0), y, "prod"), (), ()),
    "index_reduce_": (lambda x, y: x.clone().index_reduce_(-1, torch.tensor([0]), y, "mean", include_self=False), (), ())}


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.int32])
@pytest.mark.parametrize("name", ALONG)
def test_writes_of_one_element(name, dtype, level):
    """PyTorch takes operands of one element without a dim for it."""
    function, *shapes = ALONG[name]
    given = [(torch.randn(shape) * 9).to(dtype) for shape in shapes]
    module = fxgraph.capture(function, *given, level=level)
    assert not module.unknown_ops, module.unknown_ops
    for got in (module.run(given)[0], module.run(given, target="cpu")[0], module.to_fx()(*given)[0]):
        assert got.shape == given[0].shape and got.dtype == dtype
        torch.testing.assert_close(got, function(*given))


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int32])
def test_ldexp(dtype, level):
    """The dtype of the first for integers, and no power of two that overflows; by floats it is a product with one."""
    x = torch.tensor([1e-4, 3, -2, 1e-7, torch.nan, -torch.inf, -0.0, 1]).to(dtype) if dtype.is_floating_point else torch.arange(8, dtype=dtype)
    if dtype in (torch.float32, torch.float64):
        x[:2] = torch.tensor([1e-38, 1e38])
    for exponents in (torch.tensor([200, -200, 17, 30, 3, -3, 5, 2 ** 32 + 1]), torch.tensor([20, -20, 17, 30, 3, -3, 5, 100], dtype=torch.int8),
                      torch.tensor(3), torch.tensor([20, -3, 17, 30, 3, -3, 5, 0.5])):
        module, want = fxgraph.capture(torch.ldexp, x, exponents, level=level), torch.ldexp(x, exponents)
        assert not module.unknown_ops
        for got in (module.run([x, exponents])[0], module.run([x, exponents], target="cpu")[0], module.to_fx()(x, exponents)[0]):
            assert got.dtype == want.dtype
            torch.testing.assert_close(got, want, rtol=1e-6, atol=0, equal_nan=True)


@pytest.mark.parametrize("seed", range(10))
def test_fractional_pools(seed):
    """Windows that a draw spreads; of equal numbers the first, of what is no number the last."""
    draw = random.Random(seed)
    for rank, overload in ((2, aten.fractional_max_pool2d.default), (3, aten.fractional_max_pool3d.default)):
        extents = [draw.randint(3, 8) for _ in range(rank)]
        kernel = [draw.randint(1, 2) for _ in range(rank)]
        output = [draw.randint(1, extent - length) for extent, length in zip(extents, kernel)]
        for batch, dtype in itertools.product(((2, 3), (3,)), (torch.float32, torch.float64)):
            x, samples = torch.randint(0, 3, (*batch, *extents)).to(dtype), torch.rand(*batch[:-1] or (1,), batch[-1], rank, dtype=dtype)
            check(overload, x, kernel, output, samples, tolerance=0)
            x.view(-1)[::7] = torch.nan
            check(overload, x, kernel, output, samples, tolerance=0)


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_fractional_modules(level):
    nn = torch.nn
    for model, shape in ((nn.FractionalMaxPool2d(3, output_size=(4, 3)), (2, 3, 9, 8)), (nn.FractionalMaxPool2d((2, 3), output_ratio=0.5, return_indices=True), (3, 9, 8)),
                         (nn.FractionalMaxPool3d(2, output_size=3, return_indices=True), (2, 3, 6, 5, 7))):
        x = torch.randn(shape)
        module = fxgraph.capture(model, x, level=level)
        assert not module.unknown_ops
        for target in ("ref", "cpu"):
            torch.manual_seed(4)
            want = torch.utils._pytree.tree_leaves(model(x))
            assert all(map(torch.equal, module.compile(target, seed=4)(x), want))
    with pytest.raises(fxgraph.ImportFailure, match="too large"):
        fxgraph.capture(nn.FractionalMaxPool2d(5, output_size=4), torch.randn(2, 3, 7, 8), level=level)


def test_windows_without_elements():
    """Their maximum is the lowest number, its place where the window would begin."""
    functional = torch.nn.functional
    for function, shape in ((lambda x: functional.max_pool2d(x, [2, 3], 3, [1, 0], [2, 1], return_indices=True), (1, 2, 1, 5)),
                            (lambda x: functional.max_pool2d(x, [2, 2], 1, [1, 1], [2, 2], return_indices=True), (2, 1, 1)),
                            (lambda x: functional.max_pool3d(x, [2, 1, 3], 3, [1, 0, 0], [2, 2, 1], return_indices=True), (1, 2, 1, 5, 5)),
                            (lambda x: functional.max_pool3d(x, 2, 1, 1, 2, return_indices=True), (2, 2, 1, 4))):
        x = torch.randn(shape)
        module = fxgraph.capture(function, x)
        assert not module.unknown_ops
        for got in (module.run([x]), module.run([x], target="cpu"), module.to_fx()(x)):
            assert all(map(torch.equal, got, function(x)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_fake_quantization(dtype):
    """Numbers that no integer holds, zero points between integers."""
    x = torch.cat([torch.randn(50) * 10, torch.tensor([torch.nan, torch.inf, -torch.inf, 1e20, -1e20, -0.0, 12.75, 3e18])]).to(dtype).reshape(2, 29)
    for scale, zero, low, high in ((0.1, 3, -128, 127), (1.7, 0, 0, 255), (3e-3, 16, 0, 255)):
        check(aten.fake_quantize_per_tensor_affine_cachemask.default, x, scale, zero, low, high, tolerance=0)
        for axis, zeros in itertools.product((0, 1), (torch.int32, torch.float32)):
            scales, zeros = torch.rand(x.shape[axis]) * scale + 1e-3, (torch.rand(x.shape[axis]) * 9).to(zeros)
            check(aten.fake_quantize_per_channel_affine_cachemask.default, x.float(), scales, zeros, axis, low, high, tolerance=1e-6)
    given = [x.float(), torch.tensor([0.1, 2]), torch.tensor([0.4, 7.5])]
    module = fxgraph.capture(lambda x, s, z: torch.fake_quantize_per_channel_affine(x, s, z, 0, 0, 99), *given)
    assert not module.unknown_ops
    for target in ("ref", "cpu"):
        torch.testing.assert_close(module.run(given, target=target)[0], torch.fake_quantize_per_channel_affine(*given, 0, 0, 99))


def test_places_that_are_written_twice():
    """Which number stays is not specified: PyTorch does it."""
    with pytest.raises(NotImplementedError, match="is not specified"):
        TABLE[aten.as_strided_scatter.default](torch.randn(4, 5), torch.randn(2, 3), [2, 3], [2, 2])
    for size, stride, offset in (([2, 3], [1, 2], 0), ([2, 3], [6, 1], 3), ([1, 3], [0, 1], 2), ([0, 3], [0, 0], None)):
        check(aten.as_strided_scatter.default, torch.randn(4, 5), torch.randn(size), size, stride, offset)


def test_ranges():
    """Of integers what is left of a step is cut off; 16-bit floats are counted in float32."""
    for options in ((-3, 4, 2.5), (5, 0, -1), (0.5, 3.2, 0.3), (0, 30, 1e-3), (1, 1, 1)):
        for dtype in (None, torch.float64, torch.float16, torch.bfloat16, *((torch.int64, torch.int32) if abs(options[2]) >= 1 else ())):
            check(aten.range.step, *options, dtype=dtype, tolerance=1e-9)
    check(aten.fft_fftfreq.default, 0, 0.5)


def test_groups_that_are_not_quantized():
    """What is no number is refused, as by PyTorch, on every engine, before and after the passes."""
    function, x, *parameters = _quantized()["quantize_per_channel_group, f32"]
    module, x = fxgraph.capture(function, x, *parameters), x.clone()
    x[1, 2] = torch.nan
    for pipeline in (None, "fxgraph-pre-grad", "fxgraph-post-grad"):
        if pipeline:
            module.run_passes(pipeline)
        for run in (function, module.to_fx(), lambda *xs: module.run(xs), lambda *xs: module.run(xs, target="cpu")):
            with pytest.raises((AssertionError, IndexError, fxgraph.FxGraphError)):
                run(x, *parameters)


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("largest", [True, False])
def test_topk_of_a_symbolic_k(largest, level):
    def function(x):
        return tuple(x.topk(min(3, x.shape[0]), 0, largest))

    module = fxgraph.capture(function, torch.randn(4, 3), level=level, dynamic_shapes=({0: torch.export.Dim.DYNAMIC},))
    assert not module.unknown_ops
    for n in (2, 3, 4, 9):
        x = torch.randperm(n * 3).reshape(n, 3).float()
        for got in (module.run([x]), module.run([x], target="cpu"), module.to_fx()(x)):
            assert all(map(torch.equal, got, function(x)))


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_vsplit_of_a_symbolic_extent(level):
    def function(x):
        first, second = x.vsplit(2)
        return first * 1, *x.hsplit([1, 2]), second

    module = fxgraph.capture(function, torch.randn(4, 6), level=level, dynamic_shapes=({0: torch.export.Dim.DYNAMIC},))
    assert not module.unknown_ops
    for n in (2, 4, 10):
        x = torch.randn(n, 6)
        for got in (module.run([x]), module.run([x], target="cpu"), module.to_fx()(x)):
            assert all(map(torch.equal, got, function(x)))
    with pytest.raises(fxgraph.FxGraphError, match="expected"):
        module.run([torch.randn(5, 6)])


# The fast paths of attention layers in eval mode -------------------------------------


def encoder_layer(**options):
    torch.manual_seed(0)
    return torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, **options).eval().requires_grad_(False)


ATTENTION = torch.nn.MultiheadAttention(8, 2, batch_first=True).eval().requires_grad_(False)
PADDING = torch.tensor([[False, False, True], [False, False, False]])
CAUSAL = torch.ones(3, 3).triu(1) > 0
FAST_PATHS = {
    "relu": encoder_layer(), "gelu": encoder_layer(activation="gelu"), "norm first": encoder_layer(norm_first=True),
    "padding": lambda x, layer=encoder_layer(): layer(x, src_key_padding_mask=PADDING), "causal": lambda x, layer=encoder_layer(): layer(x, src_mask=CAUSAL),
    "both": lambda x, layer=encoder_layer(): layer(x, src_mask=CAUSAL, src_key_padding_mask=PADDING),
    "attention": lambda x: ATTENTION(x, x, x), "without weights": lambda x: ATTENTION(x, x, x, need_weights=False),
    "weights of heads": lambda x: ATTENTION(x, x, x, average_attn_weights=False), "nothing to attend to": lambda x: ATTENTION(x, x, x, key_padding_mask=PADDING | True),
    "other keys": lambda x: aten._native_multi_head_attention.default(x, x + 1, x * 2, 8, 2, ATTENTION.in_proj_weight, ATTENTION.in_proj_bias,
                                                                      ATTENTION.out_proj.weight, ATTENTION.out_proj.bias)}


@pytest.mark.parametrize("name", FAST_PATHS)
def test_fast_paths_of_attention(name):
    function, x = FAST_PATHS[name], torch.randn(2, 3, 8)
    with torch.no_grad():
        module = fxgraph.capture(function, x)
        want = [value for value in torch.utils._pytree.tree_leaves(function(x)) if value is not None]
        assert not module.unknown_ops
        for target in ("ref", "cpu"):
            got = [value for value in module.run([x], target) if value is not None]
            for g, w in zip(got, want, strict=True):
                torch.testing.assert_close(g, w, rtol=1e-4, atol=1e-5, equal_nan=True)


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", ["dropout", "alpha_dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout"])
def test_dropout_in_place(name, training, level):
    """Its argument has another name than that of the call which makes a new tensor."""
    def function(x):
        y = x.clone()
        getattr(torch.nn.functional, name)(y, 0.3, training, inplace=True)
        return y + x

    x = torch.randn(4, 2, 3, 2, 2) if name == "dropout3d" else torch.randn(4, 2, 3, 2) if name == "dropout2d" else torch.randn(4, 2, 3)
    module = fxgraph.capture(function, x, level=level)
    assert not module.unknown_ops
    for target in ("ref", "cpu"):
        torch.manual_seed(3)
        assert torch.equal(module.compile(target, seed=3)(x)[0], function(x))


@pytest.mark.parametrize("seed", range(30))
def test_margins(seed):
    """Labels behind the first -1 count for nothing, nor do margins that are NaN; a single row that is no batch of one has a number."""
    torch.manual_seed(seed)
    samples, classes = 1 + seed % 3, 1 + seed % 5
    x = 2 * torch.randn(samples, classes)
    if seed % 2:
        x = with_nan(x)
    labels = torch.stack([torch.randperm(classes) for _ in range(samples)])
    labels[torch.rand(samples, classes) < 0.3] = -1
    target, weight = torch.randint(0, classes, (samples,)), torch.randn(classes) if seed % 3 else None
    for rows, given, listed in ((x, target, labels), (x[0], target[0], labels[0]), (x[0], target[:1], labels[0]), (x[:1], target[0], labels[:1])):
        for reduction in range(3):
            check(aten.multilabel_margin_loss_forward.default, rows, listed, reduction)
            for p in (1, 2):
                check(aten.multi_margin_loss.default, rows, given, p, 0.7, weight, reduction)


def test_margins_of_nothing():
    """Without a reduction there is none; what a sum or a mean of none is stays PyTorch's."""
    x, target = torch.randn(0, 3), torch.zeros(0, dtype=torch.int64)
    check(aten.multi_margin_loss.default, x, target, reduction=0)
    check(aten.multilabel_margin_loss_forward.default, x, torch.zeros(0, 3, dtype=torch.int64), 0)
    with pytest.raises(NotImplementedError):
        TABLE[aten.multi_margin_loss.default](x, target)
    with pytest.raises(NotImplementedError):
        TABLE[aten.multilabel_margin_loss_forward.default](x, torch.zeros(0, 3, dtype=torch.int64), 1)
