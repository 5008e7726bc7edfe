# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Symbolic sizes: one import, many extents."""

import pytest
import torch
from torch import nn
from torch.utils import _pytree as pytree
from conftest import assert_all_run, assert_all_verify
from torch.export import Dim

import fxgraph
from fxgraph.testing.batch import Batch
from fxgraph.testing.functions import check_function

TEXTS, BATCH = [], Batch()


class Flatten(nn.Module):
    def forward(self, x):
        n, c, l = x.shape
        return x.reshape(n * l, c), x.view(n, -1), x.transpose(1, 2).reshape(n, l * c) + 1


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(8, 8)

    def forward(self, x):
        b, s, d = x.shape
        h = self.lin(x).view(b, s, 2, d // 2).transpose(1, 2)
        p = torch.softmax(h @ h.transpose(-1, -2), -1)
        return (p @ h).transpose(1, 2).reshape(b, s, d)


class Create(nn.Module):
    def forward(self, x):
        positions = torch.arange(x.shape[0])
        mask = torch.ones(x.shape[0], x.shape[0]).tril()
        return positions + 1, mask, torch.zeros(x.shape[0] + 2, 3), x.new_full((x.shape[0],), 2.0), torch.full_like(x, 0.5)


class Expand(nn.Module):
    def forward(self, x, y):
        return x.unsqueeze(1).expand(-1, y.shape[0], -1) * y, y[:, None].expand(y.shape[0], x.shape[0], x.shape[1])


class Sizes(nn.Module):
    def forward(self, x):
        return x.shape[0], x.shape[0] * 2 - 1, x.numel() // 4, x.sum()


class Write(nn.Module):
    def forward(self, x):
        y = x.clone()
        y[:, 0] = 1
        y.view(-1).mul_(2)
        x.add_(1)
        return y


class Cat(nn.Module):
    def forward(self, x):
        return torch.cat([x, x * 2, x[:1]], 0), torch.stack([x, x], 1), x[1:], x[-1], x.flip(0)


class Numbers(nn.Module):
    """Sizes as operands of tensor ops."""

    def forward(self, x):
        n = x.shape[0]
        return x / n, x.mean(0) * (n - 20), x.long() + n // 2, x > n, torch.full_like(x, 3.0) - 1 / n, x.mean(0) * (n * 0.5), torch.maximum(x, x) % n


def bounds_of_another(x, y):
    """Slices of one extent by another."""
    k = y.shape[0]
    return x[:, :k] * 2, x[:, k:], x[:, -k:], x[:, : x.shape[1] // 2], x[:, x.shape[1] // 2:]


def bounds_of_itself(x, y):
    n = x.shape[0]
    return (x[1:n - 1], x[n // 2:n], x[0:n:2], x[n // 3:n - 1:2], x[n - 1], x[n // 2, 1:], x.select(0, n - 2), x[-n // 2], x[:n], x[n // 2:][None],
            x[:n + 3], x[n - 1:n - 3], x[n // 2, None, ..., 0])


def pieces(x, y):
    n = x.shape[0]
    return (*torch.split(x, [n // 2, n - n // 2]), *x.chunk(2, 0), *torch.split(x, (n + 1) // 2), torch.narrow(x, 0, n // 2, 1),
            x.narrow(0, 1, n - 2), x.narrow(0, n - 2, 2), x.narrow(0, -1, 1), torch.ones(64, 64).tril()[:n, :y.shape[0]])


def writes_through_bounds(x, y):
    n = x.shape[0]
    z = x.clone()
    z[:n // 2] = 1
    z[n - 1] += 3
    z[1:n - 1, 0].mul_(2)
    z[n // 2:][:, 1:] = y[:n - n // 2, :3]
    z[::2] -= 1
    z[1:n - 1:2] = 7
    low, high = torch.split(z, [n // 2, n - n // 2])
    low.add_(high[:1])
    x[:n // 2].add_(1)
    return z, torch.slice_scatter(x, x[:n // 2] * 2, 0, 0, n // 2), torch.select_scatter(x, x[0], 0, n // 2)


def pads_and_repeats(x, y):
    n, k = x.shape[0], y.shape[0]
    pad = torch.nn.functional.pad
    return (pad(x, (0, 0, 0, k)), pad(x, (1, k, k - 2, 1), value=2.5), pad(x[:2], (k, 0), value=1.0), pad(x, (0, 0, n - k, 0)),
            pad(x, (0, 0, 0, 4 - k)), pad(x.long(), (0, k), value=3), x.repeat(k, 1), x.repeat(2, k, n), torch.tile(x, (n,)))


def squeezes(x):
    """No symbolic extent is 1."""
    y = x.clone()
    y.squeeze(-2).mul_(2)
    y.squeeze([0, 1])[1:].add_(1)
    return y.squeeze(0) + 1, y.squeeze(), y[:, :1].squeeze((0, 1))


def reshapes_in_place(x):
    """Dynamo's metas of earlier calls have the shape that later ones make of them."""
    y = torch.roll(x, x.shape[0] - 1, 0)
    z = y.swapaxes_(0, -1)
    seen = torch.full_like(z, z.shape[1])
    w = z.unsqueeze_(0).transpose_(1, 2)
    return seen, y * 1, w.shape[1], w.shape


N, S = Dim("n", min=3), Dim("s", min=2)
ANY = Dim.DYNAMIC
r = torch.randn
CASES = [
    (Flatten, (r(4, 3, 5),), ({0: N},), [(r(3, 3, 5),), (r(7, 3, 5),)]),
    (Flatten, (r(4, 3, 5),), ({0: N, 2: S},), [(r(6, 3, 6),)]),
    (Heads, (r(3, 5, 8),), ({0: N, 1: S},), [(r(4, 7, 8),)]),
    (Create, (r(4, 2),), ({0: N},), [(r(9, 2),), (r(3, 2),)]),
    (Expand, (r(3, 4), r(5, 4)), ({0: N}, {0: S}), [(r(4, 4), r(7, 4))]),
    (Sizes, (r(3, 4),), ({0: N},), [(r(8, 4),)]),
    (Write, (r(3, 4),), ({0: N},), [(r(6, 4),)]),
    (Numbers, (r(3, 4) * 9,), ({0: N},), [(r(30, 4) * 9,)]),
    (Cat, (r(3, 4),), ({0: N},), [(r(6, 4),)]),
    (lambda: bounds_of_another, (r(3, 9), r(5, 4)), {"x": {1: ANY}, "y": {0: ANY}}, [(r(3, 12), r(4, 4)), (r(3, 7), r(2, 4)), (r(3, 6), r(6, 4))]),
    (lambda: bounds_of_itself, (r(7, 4), r(5, 4)), {"x": {0: ANY}, "y": {0: ANY}}, [(r(12, 4), r(4, 4)), (r(4, 4), r(2, 4))]),
    (lambda: pieces, (r(7, 4), r(5, 4)), {"x": {0: ANY}, "y": {0: ANY}}, [(r(12, 4), r(4, 4)), (r(4, 4), r(2, 4))]),
    (lambda: writes_through_bounds, (r(7, 4), r(15, 4)), {"x": {0: ANY}, "y": {0: ANY}}, [(r(12, 4), r(14, 4)), (r(5, 4), r(12, 4))]),
    (lambda: squeezes, (r(7, 4),), ({0: ANY},), [(r(12, 4),), (r(4, 4),)]),
    (lambda: reshapes_in_place, (r(7, 4),), ({0: ANY},), [(r(12, 4),), (r(4, 4),)]),
    (lambda: pads_and_repeats, (r(7, 4), r(5, 4)), {"x": {0: ANY}, "y": {0: ANY}}, [(r(12, 4), r(4, 4)), (r(5, 4), r(3, 4))]),
]


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0].__name__ if isinstance(c[0], type) else c[0]().__name__)
def test_dynamic(case, level):
    make, args, shapes, others = case
    torch.manual_seed(0)
    module, wrong = check_function(make(), args, level, dynamic_shapes=shapes, other_args=others, batch=BATCH)
    TEXTS.append(module.asm)
    assert not wrong, f"{wrong}\n{module.asm}"
    assert "#fxgraph.meta<dims = [s0" in module.asm


@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0].__name__ if isinstance(c[0], type) else c[0]().__name__)
def test_on_a_gpu(case):
    """Code of a GPU is for sizes that are known: a call with others compiles, and finds again what was compiled."""
    make, args, shapes, others = case
    torch.manual_seed(0)
    function = make()
    compiled = fxgraph.capture(function, *args, level="aten", dynamic_shapes=shapes).compile("gpu-emulator")
    for inputs in (args, *others, args):
        own = [x.clone() for x in inputs]
        wanted = pytree.tree_leaves(function(*[x.clone() for x in inputs]))
        for got, value in zip(compiled(*own), wanted, strict=True):
            torch.testing.assert_close(torch.as_tensor(got), torch.as_tensor(value), equal_nan=True)


class Recurrent(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer(3, 5, batch_first=True)

    def forward(self, x):
        return self.layer(x)[0] * 2


def twice_as_large(mode):
    return lambda x: torch.nn.functional.interpolate(x, scale_factor=2.0, mode=mode) + 1


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("make, shape, dim", [
    (lambda: twice_as_large("nearest"), [1, 2, 4, 4], 2), (lambda: Recurrent(nn.LSTM), [4, 6, 3], 0), (lambda: Recurrent(nn.GRU), [4, 6, 3], 0),
    (lambda: twice_as_large("bilinear"), [1, 2, 4, 4], 2), (lambda: lambda x: x.clamp(2 - x.shape[0], x.shape[0] - 4), [5, 3], 0),
    (lambda: lambda x: (4 * x).long().clamp_min(x.shape[0] - 6), [5, 3], 0), (lambda: lambda x: x.clip(max=1 / x.shape[0]).bfloat16().clamp_max_(1 / x.shape[0]), [5, 3], 0),
    *((lambda mode=mode: twice_as_large(mode), [3, 2, 4, 4], 0) for mode in ("nearest", "nearest-exact", "bilinear", "bicubic", "area")),
    (lambda: lambda x: torch.nn.functional.interpolate(x, scale_factor=1.5), [1, 2, 4, 4], 2),
    (lambda: lambda x: torch.fft.rfft(x).abs(), [3, 8], 0)])
def test_definitions_at_other_extents(make, shape, dim, level):
    """What is defined by other ops is so for any extent of a batch."""
    function = make()
    module = fxgraph.capture(function, r(*shape), level=level, dynamic_shapes=({dim: ANY},))
    assert not module.unknown_ops
    exported = module.to_fx()
    for extent in (4, 7):
        x = r(*shape[:dim], extent, *shape[dim + 1:])
        with torch.no_grad():
            want = function(x)
        for got, in (exported(x), module.run([x], "ref"), module.run([x], "cpu")):
            torch.testing.assert_close(got, want)


def scaled(x):
    """A float of C++'s, which PyTorch's trace takes for a number."""
    return torch.nn.functional.scaled_dot_product_attention(x, x, x, scale=1 / x.shape[0])


def test_a_number_that_the_trace_made_of_a_size():
    """The torch-level graph still has the size, PyTorch's ATen graph a number, which is checked."""
    x, other = r(3, 4), r(5, 4)
    with pytest.warns(UserWarning, match="scale is not a constant"):
        exported = fxgraph.capture(scaled, x, dynamic_shapes=({0: ANY},)).to_fx()
    torch.testing.assert_close(exported(other)[0], scaled(other))
    module = fxgraph.capture(scaled, x, level="aten", dynamic_shapes=({0: ANY},))
    torch.testing.assert_close(module.run([x], "cpu")[0], scaled(x))
    for target in ("ref", "cpu"):
        with pytest.raises(fxgraph.FxGraphError, match=r"expected \(1 / x.shape\[0\]\) =="):
            module.run([other], target)


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("make, shape, dim", [(lambda: lambda x: torch.nn.functional.interpolate(x, scale_factor=1.3), [1, 2, 4, 4], 2),
                                              (lambda: lambda x: torch.nn.functional.leaky_relu(x, 1 / x.shape[0]), [4, 3], 0)])
def test_what_stays_whole_runs_at_other_extents(make, shape, dim, level):
    function = make()
    with pytest.warns(UserWarning, match="1 ops stay opaque"):
        module = fxgraph.capture(function, r(*shape), level=level, dynamic_shapes=({dim: ANY},))
    module.run_passes("fxgraph-pre-grad")
    exported = module.to_fx()
    for extent in (4, 7):
        x = r(*shape[:dim], extent, *shape[dim + 1:])
        with torch.no_grad():
            torch.testing.assert_close(exported(x)[0], function(x))


def test_same_extent_same_symbol():
    import fxgraph
    module = fxgraph.capture(lambda x, y: x + y, r(3, 4), r(3, 4), level="torch", dynamic_shapes={"x": {0: N}, "y": {0: N}})
    assert module.asm.count("dims = [s0]") >= 3 and "s1" not in module.asm


def test_a_size_that_no_tensor_has():
    """It becomes an index argument."""
    class Model(nn.Module):
        def forward(self, x, k):
            return x * k, torch.zeros(k, 2)

    import fxgraph
    from fxgraph.exporter import evaluate
    ep = torch.export.export(Model(), (r(3), 5), dynamic_shapes={"x": None, "k": Dim.DYNAMIC})
    module = fxgraph.from_exported(ep)
    TEXTS.append(module.asm)
    assert not module.unknown_ops and "index {fxgraph.kind" in module.asm
    x = r(3)
    for k in (4, 7):
        got, _ = evaluate(module.asm, {"x": x, "k": k})
        assert torch.equal(got[0], x * k) and got[1].shape == (k, 2)


def test_static_is_not_symbolic():
    """The negative twin: without dynamic shapes no symbol appears."""
    import fxgraph
    module = fxgraph.capture(Flatten(), r(4, 3, 5), level="torch")
    assert "fxgraph.meta" not in module.asm and "sym_size" not in module.asm


def test_constant_bounds_stay_slices():
    """The negative twin of the symbolic bounds: narrow is for those alone, also along a symbolic extent."""
    import fxgraph
    module = fxgraph.capture(lambda x: (x[1:3], x[-2:], x[0], x[:x.shape[0]]), r(5, 4), level="torch", dynamic_shapes={"x": {0: Dim("n", min=4)}})
    counts = module.op_counts()
    assert "fxgraph.narrow" not in counts and counts["fxgraph.slice"] == 3 and counts["fxgraph.select"] == 1


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("extent", [0, 1])
def test_examples_that_cannot_vary(extent, level):
    """What is asked to vary varies or is refused; what may vary is of the example's extent."""
    def function(pair, *, scale):
        return pair[0] + pair[1] * scale

    pair, scale = (torch.randn(3), torch.randn(extent, 3)), torch.randn(3)
    for hint in (Dim.DYNAMIC, Dim.DYNAMIC(max=9)):
        shapes = {"pair": (None, {0: hint}), "scale": None}
        with pytest.raises(fxgraph.ImportFailure, match=rf"at least 2 in dim 0 of \['pair'\]\[1\], which is to vary, but got {extent}"):
            fxgraph.capture(function, pair, scale=scale, level=level, dynamic_shapes=shapes)
        fxgraph.capture(function, (pair[0], torch.randn(2, 3)), scale=scale, level=level, dynamic_shapes=shapes)
    for hint in (Dim.AUTO, Dim.STATIC, None):
        module = fxgraph.capture(function, pair, scale=scale, level=level, dynamic_shapes={"pair": (None, {0: hint}), "scale": None})
        torch.testing.assert_close(module.run([*pair, scale])[0], function(pair, scale=scale))


def test_bounds_that_break_a_guard():
    """The graph holds for y no longer than x (PyTorch's own guard): beyond that the run fails, no value is made up."""
    import fxgraph
    module = fxgraph.capture(lambda x, y: x[:y.shape[0]], r(5, 4), r(3, 2), level="torch", dynamic_shapes={"x": {0: ANY}, "y": {0: ANY}})
    for target in ("ref", "cpu"):
        x = r(5, 4)
        assert torch.equal(module.run([x, r(4, 2)], target=target)[0], x[:4])
        with pytest.raises(fxgraph.ToolError, match=r"expected y\.shape\[0\] <= x\.shape\[0\]"):
            module.run([x, r(6, 2)], target=target)


PIECES = [lambda x: x.split(2)[1] * 1, lambda x: torch.unsafe_split(x, 2)[0] * 1, lambda x: x.chunk(3)[1] * 1, lambda x: x.tensor_split(2)[0] * 1,
          lambda x: x[1:].chunk(2)[0] * 1, lambda x: x[:x.shape[0] // 2].unbind(0)[1] * 1,
          lambda x: torch.stack(x[:x.shape[0] // 2].unbind()), lambda x: x.t()[:, :x.shape[0] // 2].unbind(dim=-1)[0] * 1]


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("number", range(len(PIECES)))
def test_pieces_of_the_example_are_refused(number, level):
    """At other extents there are more, or they have other lengths: no value is made up."""
    import fxgraph
    with pytest.raises(fxgraph.ImportFailure, match="expected pieces that are the same rule for all sizes but got 2"):
        fxgraph.capture(PIECES[number], r(5, 3) if number == 4 else r(4, 3), level=level, dynamic_shapes=({0: ANY},))


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_pieces_of_all_extents(level):
    import fxgraph

    def function(x):
        n = x.shape[0]
        return (x.chunk(2)[1] * 1, torch.cat([x, x]).tensor_split(2)[1] * 1, x.split((n + 1) // 2)[0] * 1, x.split(n)[0] * 1, x.split([2, n - 2])[0] * 1,
                x.split(2, 1)[1] * 1, x[1:].unbind(1)[2] * 1)

    module = fxgraph.capture(function, r(4, 3), level=level, dynamic_shapes=({0: ANY},))
    bounded = fxgraph.capture(lambda x: x.split(3)[1] * 1, r(6, 3), level=level, dynamic_shapes=({0: Dim("n", min=5, max=6)},))
    for run, captured, extents in ((function, module, (4, 7, 10)), (lambda x: (x.split(3)[1] * 1,), bounded, (5, 6))):
        for x in (r(n, 3) for n in extents):
            for got, want in zip(captured.run([x]), run(x), strict=True):
                assert torch.equal(got, want)


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_unsafe_pieces_see_writes(level):
    """The pieces lie in the tensor, whatever autograd takes them for, also where fakes do not tell their extents."""
    import fxgraph

    def function(x):
        y = x * 1
        n = x.shape[0]
        pieces = y.unsafe_chunk(2, 0)[1], torch.unsafe_split(y, (n + 1) // 2)[0], torch.unsafe_split_with_sizes(y, [1, n - 1])[1], y.unsafe_chunk(3, 1)[2]
        y[-2:].mul_(3)
        pieces[1].add_(1)
        return (*pieces, y)

    module = fxgraph.capture(function, r(4, 3), level=level, dynamic_shapes=({0: ANY},))
    TEXTS.append(module.asm)
    for n in (4, 7, 10):
        x = r(n, 3)
        for got, want in zip(module.run([x]), function(x), strict=True):
            assert torch.equal(got, want)


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_writes_of_one_element_of_the_same_rank(level):
    """Extents of one are repeated, also where the rank of what is written is that of a tensor of dynamic extents."""
    import fxgraph

    def function(x, y):
        x.copy_(torch.atleast_2d(torch.tensor(6)))
        y[1:] = y[:1] * 2
        z = x.clone()
        z.copy_(y)
        return torch.neg(y[:1]), z

    module = fxgraph.capture(function, r(4, 3), r(4, 3), level=level, dynamic_shapes=({0: ANY}, {0: ANY}))
    TEXTS.append(module.asm)
    for n in (4, 5, 9):
        want = [r(n, 3), r(n, 3)]
        got = [x.clone() for x in want]
        for one, other in zip(module.run(got), function(*want), strict=True):
            assert torch.equal(one, other)
        assert all(map(torch.equal, got, want))


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_result_that_a_write_has_made_unreadable(level):
    """A view by strides of an argument of symbolic extents cannot be made again after the write: the error names the view."""
    import fxgraph

    def written(x):
        view = x.as_strided((2, 2), (1, 2))
        x.t().add_(2)
        return view

    with pytest.raises(fxgraph.ImportFailure, match=r"node \w+ \(.*as_strided.*\) at .*: expected a result that can be returned: a write"):
        fxgraph.capture(written, r(4, 3), level=level, dynamic_shapes=({0: ANY},))
    module = fxgraph.capture(lambda x: (x.as_strided((2, 2), (1, 2)), x + 1), r(4, 3), level=level, dynamic_shapes=({0: ANY},))
    x = r(6, 3)
    assert torch.equal(module.to_fx()(x)[0], x.as_strided((2, 2), (1, 2)))


@pytest.mark.parametrize("squeeze", [torch.Tensor.squeeze_, torch.ops.aten.squeeze_.dim])
def test_nothing_to_squeeze_in_place(squeeze):
    """PyTorch's own call on such a fake reads sizes that it has freed."""
    from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext
    from fxgraph.importer.replay import Replay
    replay = Replay(ShapeEnv())
    dims = StatelessSymbolicContext(dynamic_sizes=[DimDynamic.DYNAMIC, DimDynamic.STATIC, DimDynamic.STATIC])
    like = replay.mode.from_tensor(r(4, 1, 3), symbolic_context=dims)
    with replay.running():
        fake = torch.empty(like.shape)
    extent = fake.shape[0]
    for dim, rank in ((0, 3), (1, 2), (-1, 2)):
        assert replay.call(squeeze, [fake, dim], {}) is fake
        assert fake.dim() == rank and fake.shape[0].node.expr == extent.node.expr


def test_all_verify():
    assert_all_verify(TEXTS)


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_sizes_that_a_model_does_not_take(level):
    """The error says which they are, and what PyTorch would have written; that is taken."""
    def bounded(x):
        return x + 1 if x.shape[0] > 5 else x

    x = torch.ones(8, 2)
    with pytest.raises(fxgraph.FxGraphError, match=r"Constraints violated \(n\): Not all values of n .* 6 <= .*; PyTorch suggests n = Dim\('n', min=6\)"):
        fxgraph.capture(bounded, x, level=level, dynamic_shapes=({0: Dim("n", min=4)},))
    with pytest.raises(fxgraph.FxGraphError, match="specialized it to be a constant"):
        fxgraph.capture(lambda x: x.view(8, 1, 2), x, level=level, dynamic_shapes=({0: Dim("n", min=4)},))
    assert check_function(bounded, [x], level, dynamic_shapes=({0: Dim("n", min=6)},), other_args=[[torch.ones(11, 2)]])[1] is None


@pytest.mark.parametrize("scale", [2.0, 0.25])
def test_decomposed_interpolation(scale):
    """A size by a number that a double has, as run_decompositions leaves it; the negative twin: by 1.7, of which Python rounds the product."""
    class Scaled(nn.Module):
        def __init__(self, scale):
            super().__init__()
            self.scale = scale

        def forward(self, x):
            return nn.functional.interpolate(x, scale_factor=(self.scale, 1.0), mode="bicubic")

    def program(scale):
        return torch.export.export(Scaled(scale), (torch.randn(1, 1, 8, 3),), dynamic_shapes=({2: Dim.DYNAMIC},)).run_decompositions()

    module = fxgraph.from_exported(program(scale))
    assert not module.unknown_ops
    for rows in (8, 13):
        x = torch.randn(1, 1, rows, 3)
        torch.testing.assert_close(module.run([x], "cpu"), [Scaled(scale)(x)], rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(list(module.to_fx()(x)), [Scaled(scale)(x)], rtol=1e-4, atol=1e-5)
    with pytest.raises(fxgraph.FxGraphError, match="no index arithmetic"):
        fxgraph.from_exported(program(1.7))


def test_all_run():
    assert_all_run(BATCH)


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_start_of_size(level):
    """Positions behind a cache: `arange` from a symbolic start; one in floating point rounds otherwise and stays whole."""
    class Positions(torch.nn.Module):
        def forward(self, x, past):
            n = past.shape[0]
            return x * torch.arange(n, n + x.shape[0]).unsqueeze(1), torch.arange(n, n + x.shape[0], dtype=torch.int32)
    shapes = {"x": {0: torch.export.Dim.DYNAMIC}, "past": {0: torch.export.Dim.DYNAMIC}}
    module = fxgraph.capture(Positions(), torch.randn(3, 2), torch.randn(5), level=level, dynamic_shapes=shapes)
    assert not module.unknown_ops
    for n, past in ((3, 5), (2, 9), (7, 2)):
        inputs = torch.randn(n, 2), torch.randn(past)
        wanted = Positions()(*inputs)
        for outs in (module.run(list(inputs)), module.compile("cpu")(*inputs), module.to_fx()(*inputs)):
            for got, want in zip(outs, wanted, strict=True):
                torch.testing.assert_close(got, want)

    class Floating(torch.nn.Module):
        def forward(self, x, past):
            return x * torch.arange(past.shape[0], past.shape[0] + x.shape[0], dtype=torch.float32).unsqueeze(1)
    with pytest.warns(UserWarning, match="a symbolic start in floating point, is not modelled"):
        fxgraph.capture(Floating(), torch.randn(3, 2), torch.randn(5), level=level, dynamic_shapes=shapes)


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_input_named_like_a_buffer(level):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("position_ids", torch.arange(4.0))

        def forward(self, position_ids):
            return self.position_ids * 2 - position_ids
    model, x = Model(), torch.randn(4)
    module = fxgraph.capture(model, x, level=level)
    assert len(module.inputs) == len(module.weights) == 1 and not set(module.inputs) & set(module.weights)
    for outs in (module.run([x]), module.compile("cpu")(x), module.to_fx()(x)):
        torch.testing.assert_close(outs[0], model(x))
