# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients that PyTorch has kernels for and no definitions: ours against eager, by themselves and in joint graphs on the targets."""

import itertools

import pytest
import torch
from torch._functorch.aot_autograd import aot_export_joint_simple
from torch.nn import functional as F

import fxgraph
from fxgraph.importer.decompositions import TABLE
from test_decompositions import check, with_nan

aten = torch.ops.aten
BOTH = [torch.float32, torch.float64]


def check_both(overload, grad, *args, **kwargs):
    """Also of gradients that are no numbers: they reach what eager lets them reach, and nothing else."""
    check(overload, grad, *args, **kwargs)
    check(overload, with_nan(grad.clone()), *args, **kwargs)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("scale", [None, 0.6, 1.7, 2.0])
@pytest.mark.parametrize("size", [[7, 9, 5], [4, 5, 3], [2, 10, 6], [8, 3, 11], [1, 1, 1]])
def test_upsample_nearest_backward(size, scale, dtype):
    extents, tolerance = [4, 5, 3], 1e-5 if dtype == torch.float32 else 1e-2
    if scale:
        size = [int(n * scale) for n in extents]
    for name, rank in itertools.product(("upsample_nearest{}d_backward", "_upsample_nearest_exact{}d_backward"), (1, 2, 3)):
        overload = getattr(aten, name.format(rank)).default
        check_both(overload, torch.randn(2, 3, *size[:rank], dtype=dtype), size[:rank], [2, 3, *extents[:rank]], *[scale] * rank, tolerance=tolerance)


@pytest.mark.parametrize("align_corners", [True, False])
@pytest.mark.parametrize("scale", [None, 0.6, 1.7])
@pytest.mark.parametrize("size", [[7, 9, 5], [4, 5, 3], [2, 10, 6], [4, 3, 11], [1, 1, 1]])
def test_upsample_linear_backward(size, scale, align_corners):
    extents = [4, 5, 3]
    if scale:
        size = [int(n * scale) for n in extents]
    for dtype, (rank, overload) in itertools.product(BOTH, ((1, aten.upsample_linear1d_backward), (2, aten.upsample_bilinear2d_backward),
                                                            (3, aten.upsample_trilinear3d_backward), (2, aten.upsample_bicubic2d_backward))):
        check_both(overload.default, torch.randn(2, 3, *size[:rank], dtype=dtype), size[:rank], [2, 3, *extents[:rank]], align_corners, *[scale] * rank,
                   tolerance=2e-5 if dtype == torch.float32 else 1e-9)


@pytest.mark.parametrize("align_corners", [True, False])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_grid_sampler(mode, padding, align_corners):
    """Within and beyond the image, at its corners, of images of one row. (Places that are no numbers crash PyTorch's kernel.)"""
    options = ["bilinear", "nearest", "bicubic"].index(mode), ["zeros", "border", "reflection"].index(padding), align_corners
    for shape, mask in itertools.product(((5, 6), (1, 4), (7, 1)), ([True, True], [False, True])):
        x, grid = torch.randn(2, 3, *shape, dtype=torch.float64), (torch.rand(2, 4, 5, 2, dtype=torch.float64) * 2 - 1) * 1.9
        grid[0, 0, 0, 0] = grid[1, 1, 1] = -1
        grid[1, 2, 1] = 1
        check(aten.grid_sampler_2d_backward.default, torch.randn(2, 3, 4, 5, dtype=torch.float64), x, grid, *options, mask, tolerance=1e-9)
    if mode == "bicubic":
        return
    for shape in ((5, 6, 3), (1, 4, 2)):
        x, grid = torch.randn(2, 3, *shape, dtype=torch.float64), (torch.rand(2, 4, 5, 2, 3, dtype=torch.float64) * 2 - 1) * 1.9
        grid[1, 1, 1] = -1
        check(aten.grid_sampler_3d.default, x, grid, *options, tolerance=1e-9)
        check(aten.grid_sampler_3d_backward.default, torch.randn(2, 3, 4, 5, 2, dtype=torch.float64), x, grid, *options, [True, True], tolerance=1e-9)


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, float("inf")])
def test_distances_backward(p):
    """Also of rows that are equal, or are so in one place; of none, and of rows without elements."""
    for dtype, batch in itertools.product(BOTH, ((2,), ())):
        tolerance = 2e-5 if dtype == torch.float32 else 1e-9
        x, y = torch.randn(*batch, 4, 3, dtype=dtype), torch.randn(*batch, 5, 3, dtype=dtype)
        y[..., 0, :], y[..., 1, 0] = x[..., 1, :], x[..., 0, 0]
        for a, b in ((x, y), (x[..., :0], y[..., :0]), (x[..., :0, :], y), (x, y.expand(0, *y.shape) if not batch else y)):
            distance = torch.cdist(a, b, p)
            check_both(aten._cdist_backward.default, torch.randn_like(distance), a, b, p, distance, tolerance=tolerance)
        x = torch.randn(5, 3, dtype=dtype)
        x[1], x[3, 0] = x[2], x[0, 0]
        distance = torch.pdist(x, p)
        check_both(aten._pdist_backward.default, torch.randn_like(distance), x, p, distance, tolerance=tolerance)


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("reduction", [0, 1, 2])
def test_margins_backward(reduction, single):
    x, target = torch.randn(4, 6), torch.tensor([0, 5, 2, 2])
    labels = torch.tensor([[0, 5, 2, -1, 3, -1], [-1] * 6, [1, 2, 3, 4, 5, 0], [3, 3, -1, 1, 1, 1]])
    if single:
        x, target, labels = x[0], target[0], labels[0]
    for p, weight, change in itertools.product((1, 2), (None, torch.rand(6)), (torch.clone, with_nan)):
        given = change(x.clone())
        grad = torch.randn_like(aten.multi_margin_loss(given, target, p, 0.7, weight, reduction))
        check(aten.multi_margin_loss_backward.default, grad, given, target, p, 0.7, weight, reduction)
        loss, is_target = aten.multilabel_margin_loss_forward(given, labels, reduction)
        check(aten.multilabel_margin_loss_backward.default, torch.randn_like(loss), given, labels, reduction, is_target)


def test_places_backward():
    for sizes, pool, backward in (((7, 6), aten.fractional_max_pool2d, aten.fractional_max_pool2d_backward),
                                  ((7, 6, 5), aten.fractional_max_pool3d, aten.fractional_max_pool3d_backward)):
        x, options = torch.randn(2, 3, *sizes), ([2, 3, 2][:len(sizes)], [4, 3, 2][:len(sizes)])
        values, indices = pool(x, *options, torch.rand(2, 3, len(sizes)))
        check_both(backward.default, torch.randn_like(values), x, *options, indices)
    for mask, sizes in itertools.product((torch.rand(3, 4) > 0.5, torch.zeros(3, 4, dtype=torch.bool), torch.ones(3, 4, dtype=torch.bool),
                                          torch.rand(4) > 0.5, torch.rand(3, 1) > 0.5), ([12], [3, 4], [4, 5, 1])):
        check_both(aten.masked_scatter_backward.default, torch.randn(3, 4), mask, sizes)
    x, noise = torch.randn(5, 6), torch.rand(5, 6)
    for training, is_result, lower in itertools.product((False, True), (False, True), (0.1, 0.3)):
        check_both(aten.rrelu_with_noise_backward.default, torch.randn_like(x), x, noise, lower, 0.3, training, is_result)


@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("padding", [-1, 2])
def test_bags_backward(padding, mode):
    """Bags that are empty, or hold padding alone; rows that stand in several."""
    weight, indices = torch.randn(7, 3), torch.tensor([1, 6, 0, 2, 2, 5, 1])
    for offsets, last in ((torch.tensor([0, 2, 2, 3, 5]), False), (torch.tensor([0, 3, 7]), True), (torch.tensor([0]), False)):
        for weights in (None, torch.randn(7)) if mode == 0 else (None,):
            result, bags, sizes, largest = aten._embedding_bag(weight, indices, offsets, False, mode, False, weights, last, padding)
            grad = torch.randn_like(result)
            check_both(aten._embedding_bag_backward.default, grad, indices, offsets, bags, sizes, largest, 7, False, mode, False, weights, padding)
            if weights is not None:
                check_both(aten._embedding_bag_per_sample_weights_backward.default, grad, weight, indices, offsets, bags, mode, padding)


@pytest.mark.parametrize("dim", [0, 2])
def test_weight_norm_backward(dim):
    v, g = torch.randn(4, 3, 2), torch.randn(*([4, 1, 1] if dim == 0 else [1, 1, 2]))
    weight, norms = aten._weight_norm_interface(v, g, dim)
    check(aten._weight_norm_interface_backward.default, torch.randn_like(weight), v, g, norms, dim)


JOINT = {
    "linear": (lambda x: F.interpolate(x[:, :, 0], size=7, mode="linear"), (2, 3, 4, 5)),
    "bilinear": (lambda x: F.interpolate(x, scale_factor=1.7, mode="bilinear"), (2, 3, 4, 5)),
    "bicubic": (lambda x: F.interpolate(x, size=(3, 9), mode="bicubic", align_corners=True), (2, 3, 4, 5)),
    "trilinear": (lambda x: F.interpolate(x, scale_factor=2, mode="trilinear"), (2, 3, 2, 3, 2)),
    "nearest-exact": (lambda x: F.interpolate(x, size=(3, 9), mode="nearest-exact"), (2, 3, 4, 5)),
    "grid_sample": (lambda x, grid: F.grid_sample(x, grid, align_corners=False), (2, 3, 4, 5), (2, 6, 3, 2)),
    "grid_sample of three dims": (lambda x, grid: F.grid_sample(x, grid, padding_mode="border", align_corners=True), (2, 1, 3, 4, 5), (2, 6, 3, 2, 3)),
    "cdist": (lambda x, y: torch.cdist(x, y, 3.0), (2, 4, 3), (2, 5, 3)),
    "pdist": (lambda x: torch.pdist(x, 1.0), (5, 3)),
    "multi_margin_loss": (lambda x: F.multi_margin_loss(x, torch.tensor([0, 5, 2, 2])), (4, 6)),
    "multilabel_margin_loss": (lambda x: F.multilabel_margin_loss(x, torch.tensor([[0, 5, -1, 1, 1, 2]] * 4)), (4, 6)),
    "embedding_bag": (lambda w, s: F.embedding_bag(torch.tensor([1, 6, 0, 2, 2]), w, torch.tensor([0, 2, 2]), per_sample_weights=s, mode="sum"), (7, 3), (5,)),
    "embedding_bag, mean": (lambda w: F.embedding_bag(torch.tensor([[1, 6, 0], [2, 2, 1]]), w, padding_idx=2), (7, 3)),
    "embedding_bag, max": (lambda w: F.embedding_bag(torch.tensor([[1, 6, 0], [2, 2, 1]]), w, mode="max"), (7, 3)),
    "put": (lambda x, y: x.put(torch.tensor([[-1, 0], [3, 3]]), y), (2, 3), (2, 2)),
    "put, one element": (lambda x, y: x.put(torch.tensor(0), y, accumulate=True), (), ()),
    "take": (lambda x: x.take(torch.tensor(-2)) * x.take(torch.tensor([[0, 5]])), (2, 3)),
    "index_add": (lambda x, y: x.index_add(0, torch.tensor(0), y, alpha=2), (), ()),
    "masked_scatter": (lambda x, y: x.masked_scatter(torch.tensor([True, False, True]), y), (4, 3), (12,)),
}


def joint(function, shapes):
    """The joint graph of a function, with PyTorch's own definitions alone, its inputs and what it returns."""
    inputs = [torch.randn(shape, requires_grad=True) for shape in shapes]
    graph = aot_export_joint_simple(lambda *xs: (function(*xs).clone(),), inputs, trace_joint=True)
    graph.graph.set_codegen(torch.fx.graph.CodeGen())
    graph.recompile()
    given = [x.detach() for x in inputs]
    given.append(torch.randn_like(function(*given)))
    return graph, given, torch.utils._pytree.tree_leaves(graph(*given))


@pytest.mark.parametrize("name", JOINT)
def test_joint_graphs(name):
    function, *shapes = JOINT[name]
    graph, given, want = joint(function, shapes)
    module = fxgraph.from_fx(graph, given)
    assert not module.unknown_ops, module.unknown_ops
    for pipeline in (None, "fxgraph-joint-graph", "fxgraph-post-grad"):
        if pipeline:
            module.run_passes(pipeline)
        for target in ("ref", "cpu"):
            for got, w in zip(module.run(given, target=target), want, strict=True):
                torch.testing.assert_close(got, w, rtol=1e-4, atol=1e-5)


def test_gradients_that_stay_whole():
    """What hangs on a symbolic extent says so and runs in PyTorch."""
    with pytest.raises(NotImplementedError, match="rounded to 16 bits"):
        TABLE[aten.grid_sampler_3d.default](torch.randn(1, 1, 2, 3, 4).bfloat16(), torch.zeros(1, 1, 1, 1, 3).bfloat16(), 0, 0, False)
    with pytest.raises(NotImplementedError, match="symbolic extent"):
        size = torch.fx.experimental.symbolic_shapes.ShapeEnv().create_unbacked_symint()
        TABLE[aten.upsample_linear1d_backward.default](torch.randn(1, 2, 4), [size], [1, 2, 4], False)
    for function, shape, name in (
            (lambda x: F.interpolate(x, size=(3, 9), mode="bilinear", antialias=True), (2, 3, 4, 5), "_upsample_bilinear2d_aa_backward"),
            (lambda w: F.embedding_bag(torch.tensor([[1, 1, 0]]), w, scale_grad_by_freq=True), (7, 3), "_embedding_bag_backward")):
        graph, given, want = joint(function, [shape])
        module = fxgraph.from_fx(graph, given)
        assert [op.target for op in module.unknown_ops if "backward" in op.target] == [f"aten.{name}.default"]
        for got, w in zip(module.to_fx()(*given), want, strict=True):
            torch.testing.assert_close(got, w)
