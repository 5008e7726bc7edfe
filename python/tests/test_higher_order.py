# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Higher-order operators: what is inlined, what becomes a where, what is unrolled, what becomes regions, what stays whole."""

import pytest
import torch
from conftest import assert_all_run, assert_all_verify
from functorch.experimental.control_flow import map as control_map
from torch import nn
from torch._higher_order_ops import scan, while_loop
from torch._higher_order_ops.flex_attention import create_fw_bw_graph
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.utils.checkpoint import checkpoint

import fxgraph
from fxgraph.testing.batch import Batch
from fxgraph.testing.functions import compare_once

LEVELS = pytest.mark.parametrize("level", ["torch", "aten"])
TEXTS, BATCH = [], Batch()
LINEAR = nn.Linear(4, 4)


def inputs():
    torch.manual_seed(0)
    return [torch.randn(4, 4), -torch.rand(4, 4), torch.rand(4, 4)]


def branches(x):
    return torch.cond(x.sum() > 0, lambda v: (v.sin(), v + 1), lambda v: (v.cos(), v * 2), (x,))


def nested_branches(x):
    return torch.cond(x.sum() > 0, lambda v: torch.cond(v[0, 0] > 0.5, lambda w: w + 1, lambda w: w - 1, (v,)), lambda v: LINEAR(v), (x,))


def branches_of_other_values(x):
    """The branch that is not taken may divide by zero or overflow."""
    return torch.cond(x.sum() > 0, lambda v: (v / (v - v)).exp(), lambda v: v.sqrt(), (x,)) + 1


def written_before(x):
    """Branches see what was written through a view before."""
    y = x.clone()
    row = y[1]
    y.add_(1)
    return torch.cond(x[0, 0] > 0, lambda v: v * 2, lambda v: v - 1, (row,)), y


def checkpointed(x):
    return checkpoint(lambda v: torch.relu(LINEAR(v)).add_(1), x, use_reentrant=False) + 1


@torch.compiler.nested_compile_region
def region(x, k):
    return x * 2 + k


def shared_region(x):
    return region(x, 1) + region(x * 3, 1)


def no_grad_region(x):
    with torch.no_grad():
        y = x * 2
    return y + 1


def mapped(x):
    return control_map(lambda v, y: v.sin() + y, x, x[0] + 1)


def scanned(x):
    return scan(lambda carry, v: (carry + v, carry * v), x[0], x, dim=0)


def scanned_backwards(x):
    return scan(lambda carry, v: (carry * 0.5 + v, carry - v), x[0], x, dim=0, reverse=True)


def attention(x):
    q = x.reshape(1, 1, 4, 4).expand(1, 2, 4, 4)
    return flex_attention(q, q, q + 1, score_mod=lambda score, b, h, i, j: score + (i - j) * 0.5)


def masked_attention(x):
    q = x.reshape(1, 1, 4, 4).expand(1, 2, 4, 4)
    mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, 4, 4, device="cpu")
    return flex_attention(q, q, q + 1, block_mask=mask)


MODELLED = [branches, nested_branches, branches_of_other_values, written_before, checkpointed, shared_region, no_grad_region, mapped, scanned,
            scanned_backwards, attention, masked_attention]


@LEVELS
@pytest.mark.parametrize("function", MODELLED, ids=lambda f: f.__name__)
def test_modelled(function, level):
    module = fxgraph.capture(function, inputs()[0], level=level)
    assert not module.unknown_ops
    TEXTS.append(module.asm)
    for x in inputs():
        wrong = compare_once(module, function, (x,), BATCH)
        assert not wrong, wrong


@pytest.mark.parametrize("scored", [False, True])
def test_gradient_of_attention(scored):
    """As a graph behind autodiff calls it, with and without a function of the scores and a mask that leaves a row nothing."""
    def score(value, b, h, i, j):
        return value * 1.5 + (i - j) if scored else value

    mask = create_block_mask(lambda b, h, i, j: i > j, None, None, 6, 6, device="cpu").as_tuple()
    query, key, value, grad = torch.randn(4, 2, 2, 6, 4)
    options = (mask, 0.5, {})
    out, logsumexp, _ = torch.ops.higher_order.flex_attention(query, key, value, score, *options)
    numbers = (torch.zeros((), requires_grad=True), *(torch.zeros((), dtype=torch.int) for _ in range(4)))
    joint = create_fw_bw_graph(score, numbers, ())[1]

    def function(query, key, value, out, logsumexp, grad):
        return torch.ops.higher_order.flex_attention_backward(query, key, value, out, logsumexp, grad, None, score, joint, *options, (), ())[:3]

    given = (query, key, value, out, logsumexp, grad)
    graph, want = make_fx(function)(*given), function(*given)
    assert any("flex_attention_backward" in str(node.target) for node in graph.graph.nodes)
    module = fxgraph.from_fx(graph, given)
    assert not module.unknown_ops
    for got in (module.run(given), module.run(given, target="cpu"), module.to_fx()(*given)):
        torch.testing.assert_close(list(got), list(want), rtol=1e-4, atol=1e-5)


class Autograd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2, x + 1

    @staticmethod
    def backward(ctx, a, b):
        return a + b


@LEVELS
def test_autograd_functions(level):
    def function(x):
        a, b = Autograd.apply(x)
        return a * b

    module = fxgraph.capture(function, torch.randn(3, 4, requires_grad=True), level=level)
    assert not module.unknown_ops
    assert not compare_once(module, function, (torch.randn(3, 4),))


# What may fail or be noticed when it runs needlessly is not run: branches and loops are regions.


def indexed(x):
    return torch.cond(x.sum() > 0, lambda v: v[torch.tensor([0, 3])], lambda v: v[:2] * 2, (x,))


def drawn(x):
    return torch.cond(x.sum() > 0, lambda v: v * 0 + torch.rand(4, 4) * 0, lambda v: v * 2, (x,))


def divided(x):
    return torch.cond(x.sum() > 0, lambda v: v.long() // (v.long() + 7), lambda v: v.long(), (x,))


def branch_in_a_branch(x):
    """The outer one could be a where, the inner one divides by zero unless it is taken."""
    return torch.cond(x.sum() > 0, lambda v: v * 2, lambda v: torch.cond(v.sum() < 0, lambda w: w * (7 // w.sum().floor().long()), lambda w: w + 1, (v,)), (x,))


def looped(x):
    return while_loop(lambda i, v: i < 5, lambda i, v: (i + 1, v * 2 + i), (torch.tensor(0), x))


def looped_until(x):
    """The number of steps hangs on the values; a tensor and a weight that the graphs close over."""
    bound = x.abs().sum() + 10
    return while_loop(lambda i, v: v.abs().sum() < bound, lambda i, v: (i + 1, v.abs() + LINEAR(v).abs() + 0.1), (torch.tensor(0), x))


def loop_in_loop(x):
    def inner(row, v):
        return while_loop(lambda j, w: j < 3, lambda j, w: (j + 1, w + row), (torch.tensor(0), v))

    return while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, inner(i * 1.5, v)[1]), (torch.tensor(0), x))


def loop_with_a_branch(x):
    return while_loop(lambda i, v: i < 3,
                      lambda i, v: (i + 1, torch.cond(i > 1, lambda w: w + 1 + torch.rand(4, 4) * 0, lambda w: w * 2, (v,))),
                      (torch.tensor(0), x))


def long_scan(x):
    return scan(lambda carry, v: (carry + v, carry * v), x.sum(), x.reshape(-1).repeat(400), dim=0)


def given_back(x):
    """What is yielded is what was taken, in another order."""
    return while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b.clone(), a.clone()), (torch.tensor(0), x, x + 1))


def on_views(x):
    """Of views, and of a tensor that is written before and afterwards."""
    y = x.clone()
    y[0].mul_(3)
    row = y[0]
    _, z = while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, v.sin() + row), (torch.tensor(0), x[1].clone()))
    y.add_(1)
    return z, y


REGIONS = {indexed: "cond", branch_in_a_branch: "cond", drawn: "cond", divided: "cond", looped: "while_loop", looped_until: "while_loop", loop_in_loop: "while_loop",
           loop_with_a_branch: "while_loop", long_scan: "scan", given_back: "while_loop", on_views: "while_loop"}


def check_both_ways(module, function):
    """The interpreter, and FX again."""
    for x in inputs():
        assert not compare_once(module, function, (x,), BATCH)
        want = function(x)
        for got, expected in zip(module.to_fx()(x), want if isinstance(want, tuple) else (want,), strict=True):
            torch.testing.assert_close(got, expected)


@LEVELS
@pytest.mark.parametrize("function", REGIONS, ids=lambda f: f.__name__)
def test_regions(function, level, tmp_path):
    module = fxgraph.capture(function, inputs()[0], level=level)
    assert not module.unknown_ops
    assert module.op_counts()[f"fxgraph.{REGIONS[function]}"] >= 1
    TEXTS.append(module.asm)
    check_both_ways(module, function)
    # The graphs are part of the text.
    module.save(tmp_path / "graph.mlir")
    again = fxgraph.load(tmp_path / "graph.mlir")
    again.weights.update(module.weights)
    module.run_passes("fxgraph-pre-grad", verify=True)
    check_both_ways(module, function)
    for got, expected in zip(again.to_fx()(*inputs()[:1]), module.to_fx()(*inputs()[:1]), strict=True):
        torch.testing.assert_close(got, expected)


@pytest.mark.parametrize("function", [indexed, branch_in_a_branch, divided, looped, looped_until, loop_in_loop, given_back, on_views],
                         ids=lambda f: f.__name__)
def test_regions_on_a_gpu(function):
    module = fxgraph.capture(function, inputs()[0], level="aten")
    assert module.op_counts()[f"fxgraph.{REGIONS[function]}"] >= 1
    for x in inputs():
        want = function(x)
        for got, expected in zip(module.run([x], target="gpu-emulator"), want if isinstance(want, tuple) else (want,), strict=True):
            torch.testing.assert_close(torch.as_tensor(got), expected)


def test_what_draws_is_refused_on_a_gpu():
    with pytest.raises(fxgraph.FxGraphError, match="fxgraph.cond has no GPU form: its regions write, draw, assert or communicate"):
        fxgraph.capture(drawn, inputs()[0], level="aten").compile("gpu-emulator")


@LEVELS
@pytest.mark.parametrize("function, op", [(branches, "cond"), (mapped, "map"), (scanned, "scan"), (scanned_backwards, "scan")],
                         ids=lambda value: getattr(value, "__name__", value))
def test_regions_where_they_are_asked_for(function, op, level):
    """And as while loops."""
    module = fxgraph.capture(function, inputs()[0], level=level, regions=True)
    assert module.op_counts()[f"fxgraph.{op}"] == 1
    TEXTS.append(module.asm)
    check_both_ways(module, function)
    passes = ("fxgraph-mutation-decompose-map-to-while-loop", "fxgraph-mutation-decompose-scan-to-while-loop")
    module.run_passes(f"builtin.module(func.func({','.join(passes)}))", verify=True)
    assert op == "cond" or module.op_counts()["fxgraph.while_loop"] == 1
    check_both_ways(module, function)


def test_regions_of_dynamic_shapes():
    """Extents are operands' or symbols; without a step the results have no slices."""
    from torch.export import Dim

    def function(x, y):
        return scan(lambda carry, v: (carry + v, carry * v.shape[0] - v), y, x, dim=0)

    n, s = Dim("n", min=2, max=64), Dim("s", min=2, max=64)
    module = fxgraph.capture(function, torch.randn(5, 3), torch.randn(3), level="aten", dynamic_shapes=({0: n, 1: s}, {0: s}))
    assert module.op_counts()["fxgraph.scan"] == 1 and not module.unknown_ops
    for run in range(2):
        for steps, extent in ((5, 3), (2, 7)):
            x, y = torch.randn(steps, extent), torch.randn(extent)
            for got, expected in zip(module.run([x, y], target="ref"), function(x, y), strict=True):
                torch.testing.assert_close(torch.as_tensor(got), expected)
        module.run_passes("builtin.module(func.func(fxgraph-mutation-decompose-scan-to-while-loop))")


def branch_of_sizes(x):
    return torch.cond(x.sum() > 0, lambda v: (v.long() // (v.shape[0] + v.long().abs())).float() + v.shape[0],
                      lambda v: v * 2 + torch.rand_like(v) * 0, (x,))


def branch_by_a_size(x):
    return torch.cond(x.shape[0] > 4, lambda v: v[torch.tensor([0, 1])], lambda v: v[torch.tensor([1, 0])], (x * 2,))


def as_many_steps(x):
    return while_loop(lambda i, v: i < v.shape[0], lambda i, v: (i + 1, v + torch.ones(v.shape[0])), (torch.tensor(0), x))


def rows(x):
    return control_map(lambda v, y: (v * y.shape[0] + y).cumsum(0), x[:, None] * torch.ones(3), x.sum() * torch.ones(3))


@LEVELS
@pytest.mark.parametrize("function", [branch_of_sizes, branch_by_a_size, as_many_steps, rows], ids=lambda f: f.__name__)
def test_regions_of_symbolic_sizes(function, level):
    module = fxgraph.capture(function, torch.randn(5), level=level, dynamic_shapes=({0: torch.export.Dim("n", min=2, max=64)},))
    assert not module.unknown_ops
    TEXTS.append(module.asm)
    again = module.to_fx()
    for size in (5, 3, 9):
        for x in (torch.rand(size), -torch.rand(size)):
            want = function(x)
            want = want if isinstance(want, tuple) else (want,)
            for results in (module.run([x], target="ref"), module.run([x], target="cpu"), again(x)):
                for got, expected in zip(results, want, strict=True):
                    torch.testing.assert_close(torch.as_tensor(got), expected)


# The negative twins: graphs that a region cannot hold.


@torch.library.custom_op("fxgraph_test::halved", mutates_args=())
def halved(x: torch.Tensor) -> torch.Tensor:
    return x / 2


@halved.register_fake
def _(x):
    return torch.empty_like(x)


def with_an_unknown_op(x):
    return while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, halved(v)), (torch.tensor(0), x))


def counted_by_a_number(x):
    return while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, v * 2), (0, x))


WHOLE = {with_an_unknown_op: ("higher_order.while_loop", "its graph holds fxgraph_test.halved.default"),
         counted_by_a_number: ("higher_order.while_loop", "a loop that carries numbers is not modelled")}


@LEVELS
@pytest.mark.parametrize("function", WHOLE, ids=lambda f: f.__name__)
def test_whole(function, level):
    """One opaque op with the reason, and FX again: its graphs come back with it."""
    target, reason = WHOLE[function]
    module = fxgraph.capture(function, inputs()[0], level=level)
    unknown, = module.unknown_ops
    assert unknown.target == target and reason in unknown.reason
    assert module.op_counts()["fxgraph.opaque"] == 1
    TEXTS.append(module.asm)
    module.run_passes("fxgraph-pre-grad")
    again = module.to_fx()
    for x in inputs():
        want = function(x)
        for got, expected in zip(again(x), want if isinstance(want, tuple) else (want,), strict=True):
            torch.testing.assert_close(torch.as_tensor(got), torch.as_tensor(expected))


def test_whole_from_a_file(tmp_path):
    """The graphs belong to the module that was imported."""
    module = fxgraph.capture(with_an_unknown_op, inputs()[0], level="aten")
    path = tmp_path / "loop.mlir"
    module.save(path)
    with pytest.raises(fxgraph.FxGraphError, match="expected the graphs of higher_order.while_loop"):
        fxgraph.load(path).to_fx()


def test_all_verify():
    assert_all_verify(TEXTS)


@torch.library.custom_op("fxgraph_tests::noted", mutates_args=())
def noted(x: torch.Tensor) -> torch.Tensor:
    NOTES.append(x.sum().item())
    return x * 2


NOTES = []
noted.register_fake(torch.empty_like)
torch.library._register_effectful_op("fxgraph_tests::noted", torch._higher_order_ops.effects._EffectType.ORDERED)


class Noting(nn.Module):
    def forward(self, x):
        first = noted(x)
        return noted(first + 1) * first


class Inverted(nn.Module):
    def forward(self, x):
        return torch.inverse(x) + 1


@pytest.mark.parametrize("model", [Noting, Inverted])
def test_effect_tokens(model):
    """run_decompositions orders effects by tokens, which are inputs and results of the program and not of the import."""
    x = 3 * torch.eye(2)
    program = torch.export.export(model(), (x,)).run_decompositions()
    text = str(program)
    assert "with_effects" in text
    module = fxgraph.from_exported(program)
    assert str(program) == text, "the program is the caller's"
    assert module.inputs == ["x"] and len(module.outputs) == 1
    for _ in range(2):
        NOTES.clear()
        want = [model()(x), *NOTES]
        NOTES.clear()
        got = [*module.to_fx()(x), *NOTES]
        torch.testing.assert_close(got[0], want[0])
        assert got[1:] == want[1:]
        module.run_passes("fxgraph-post-grad")
    if model is Inverted:
        with pytest.raises(RuntimeError, match="singular"):
            module.to_fx()(torch.zeros(2, 2))


def test_no_effect_tokens():
    """The negative twin: a program without them is imported as it is, with all its inputs and results."""
    module = fxgraph.from_exported(torch.export.export(nn.Linear(2, 3), (torch.ones(1, 2),)).run_decompositions())
    assert module.inputs == ["input"] and len(module.outputs) == 1 and not module.unknown_ops


def test_all_run():
    assert_all_run(BATCH, ("ref", "cpu"))


def quantized_region(scheme="nf4", low_precision=True):
    """A function with a region of a quantization scheme, as torch.compile traces it."""
    from torch._higher_order_ops import InvokeQuant
    invoke = InvokeQuant(codegen_low_precision=low_precision)

    def inner(a, b):
        return a * b + 1

    def function(x, y):
        return invoke(inner, x, y, scheme=scheme) @ x

    return function


def quantized_graphs(function, *args):
    """What Dynamo hands to a backend, and the graph of autodiff behind it."""
    from torch._dynamo.backends.common import aot_autograd
    graphs = []

    def compiler(gm, _):
        graphs.append(gm)
        return gm

    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(function, backend=aot_autograd(fw_compiler=compiler), fullgraph=True)(*args)
    return graphs


@pytest.mark.parametrize("scheme, low_precision", [("nf4", True), (None, False)])
def test_invoke_quant_as_dynamo_has_it(scheme, low_precision):
    """What it is told is the result of a call in the graph."""
    x, y, _ = inputs()
    function = quantized_region(scheme, low_precision)
    module = fxgraph.capture(function, x, y, level="torch")
    assert not module.unknown_ops and module.op_counts()["fxgraph.invoke_quant"] == 1
    assert ("nf4" in module.asm) == (scheme is not None) and ("codegen_low_precision = false" in module.asm) != low_precision
    for values in (module.run([x, y]), module.run([x, y], target="cpu"), module.to_fx()(x, y)):
        torch.testing.assert_close(list(values), [function(x, y)], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("scheme, low_precision", [("nf4", True), (None, False)])
def test_invoke_quant(scheme, low_precision):
    x, y, _ = inputs()
    function = quantized_region(scheme, low_precision)
    graph, = quantized_graphs(function, x, y)
    module = fxgraph.from_fx(graph, [x, y])
    assert not module.unknown_ops and module.op_counts()["fxgraph.invoke_quant"] == 1 and "packed = true" in module.asm
    assert ("nf4" in module.asm) == (scheme is not None) and ("codegen_low_precision = false" in module.asm) != low_precision
    expected = function(x, y)
    packed = module.to_fx()
    assert [str(n.target) for n in packed.graph.nodes if "invoke_quant" in str(n.target)] == ["invoke_quant_packed"]
    module.run_passes("fxgraph-jointgraph-canonicalize-quant-mapping")
    assert "packed true" not in module.asm and "packed = true" not in module.asm
    plain = module.to_fx()
    assert [str(n.target) for n in plain.graph.nodes if "invoke_quant" in str(n.target)] == ["invoke_quant"]
    again = fxgraph.from_fx(plain, [x, y])
    assert again.op_counts() == module.op_counts()
    for values in (module.run([x, y]), module.run([x, y], target="cpu"), plain(x, y), packed(x, y)):
        torch.testing.assert_close(list(values), [expected], rtol=1e-5, atol=1e-5)
