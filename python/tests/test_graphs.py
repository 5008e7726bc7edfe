# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""from_fx on graphs of every tracing: of real tensors, joined of two, without metas, with modules and asserts; dynamic shapes."""

import copy

import pytest
import torch
import torch.nn as nn
import torch.utils._pytree as pytree
from torch._higher_order_ops.map import map as map_rows
from torch.fx.experimental.proxy_tensor import make_fx

import fxgraph
from fxgraph.errors import ImportFailure
from fxgraph.testing import diff
from fxgraph.testing.functions import compare_once, run_module

X = torch.arange(24.0).reshape(4, 6) / 7 - 1


def assert_same(module, function, args):
    got, _ = run_module(module, copy.deepcopy(args))
    want = pytree.tree_leaves(function(*copy.deepcopy(args)))
    assert len(got) == len(want)
    for g, w in zip(got, want):
        assert not diff.compare(g, w), module.asm


def plain(x):
    return torch.relu(x) + torch.ones(4, 6)


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_make_fx(mode):
    traced = make_fx(plain, tracing_mode=mode)(X)
    assert_same(fxgraph.from_fx(traced), plain, [X])
    assert_same(fxgraph.from_fx(traced, [X]), plain, [X])


def piece_of_nothing(x):
    return x[:, 1:3][:0].split(1)[0] * 2, x[:0, 1].chunk(2)[0]


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_empty_views_behind_the_start(mode):
    """Views of no elements that are read from a tuple: their memory ends before it begins."""
    traced = make_fx(piece_of_nothing, tracing_mode=mode)(X)
    assert_same(fxgraph.from_fx(traced, [X]), piece_of_nothing, [X])


def appended(graph, root, traced, mapping):
    """Copies a traced graph's calls behind another's; its result."""
    placeholders = [n for n in traced.graph.nodes if n.op == "placeholder"]
    for node, value in zip(placeholders, mapping):
        if value is None:
            graph.node_copy(node)
    env = {n: v if v is not None else next(m for m in reversed(graph.nodes) if m.name == n.name) for n, v in zip(placeholders, mapping)}
    for node in traced.graph.nodes:
        if node.op == "output":
            return env[node.args[0]]
        if node.op != "placeholder":
            if node.op == "get_attr":
                setattr(root, node.target, getattr(traced, node.target))
            env[node] = graph.node_copy(node, lambda n: env[n])


@pytest.mark.parametrize("mode", ["real", "fake"])
def test_a_view_of_no_elements_behind_others(mode):
    """Its offset is that of an element which is not there."""
    index = torch.empty(0, dtype=torch.int64)
    traced = make_fx(lambda index: torch.unravel_index(index, (10, 3, 5)), tracing_mode=mode)(index)
    assert_same(fxgraph.from_fx(traced, [index]), lambda index: torch.unravel_index(index, (10, 3, 5)), [index])


def test_joined_of_two_tracings():
    first, second = (make_fx(f, tracing_mode="fake")(X) for f in (plain, lambda y: y.t() * 2))
    graph, root = torch.fx.Graph(), nn.Module()
    graph.output(appended(graph, root, second, [appended(graph, root, first, [None])]))
    assert_same(fxgraph.from_fx(torch.fx.GraphModule(root, graph)), lambda x: plain(x).t() * 2, [X])


def test_symbols_of_two_tracings_are_refused():
    def symbolic(function, *args):
        return make_fx(function, tracing_mode="symbolic")(*args)

    first, second = symbolic(torch.relu, X), symbolic(torch.sigmoid, torch.ones(3, 5))
    sizes = [n.meta["val"].shape[0] for traced in (first, second) for n in traced.graph.nodes if n.op == "placeholder" and "val" in n.meta
             and isinstance(n.meta["val"], torch.Tensor)]
    graph, root = torch.fx.Graph(), nn.Module()
    for i, size in enumerate(sizes):
        node = graph.placeholder(f"x{i}")
        node.meta["val"] = next(n for n in (first, second)[i].graph.nodes if n.op == "placeholder" and "val" in n.meta
                                and isinstance(n.meta["val"], torch.Tensor)).meta["val"]
    graph.output(tuple(graph.nodes))
    with pytest.raises(ImportFailure, match="one tracing but got those of two"):
        fxgraph.from_fx(torch.fx.GraphModule(root, graph))


def branches(x):
    return torch.cond(x.sum() > 0, lambda a: a * 2, lambda a: a.relu() - 1, (x,))


def rows(x):
    return map_rows(lambda r: r * 2 + 1, x)


@pytest.mark.parametrize("bodies", [True, False], ids=["bodies", "all"])
@pytest.mark.parametrize("function", [branches, rows], ids=lambda f: f.__name__)
def test_graphs_without_metas(function, bodies):
    traced = make_fx(function)(X)
    for module in traced.modules():
        if isinstance(module, torch.fx.GraphModule) and not (bodies and module is traced):
            for node in module.graph.nodes:
                node.meta.clear()
    for x in (X, -X):
        assert_same(fxgraph.from_fx(traced, () if bodies else [X]), function, [x])


MODULES = {
    "conv_transpose1d": (nn.ConvTranspose1d(2, 3, 3, stride=2, output_padding=1), torch.rand(1, 2, 5)),
    "conv_transpose2d": (nn.ConvTranspose2d(2, 3, 3, stride=2), torch.rand(1, 2, 5, 5)),
    "instance_norm": (nn.InstanceNorm2d(2, affine=True), torch.rand(1, 2, 5, 5)),
    "instance_norm_statistics": (nn.InstanceNorm1d(2, track_running_stats=True), torch.rand(2, 2, 5)),
    "batch_norm": (nn.BatchNorm2d(2), torch.rand(3, 2, 5, 5)),
    "lstm": (nn.LSTM(3, 4), torch.rand(5, 2, 3)),
    "encoder": (nn.TransformerEncoderLayer(6, 2, 8, batch_first=True).eval(), torch.rand(2, 3, 6)),
    "embedding_bag": (nn.EmbeddingBag(5, 3), torch.tensor([[0, 1], [1, 2]])),
}


@pytest.mark.parametrize("name", MODULES)
def test_symbolic_trace_of_modules(name):
    """Also of modules that ask for the rank, which a symbolic trace does not know; buffers after the call too."""
    module, x = MODULES[name]
    model = nn.Sequential(copy.deepcopy(module))
    imported = fxgraph.from_fx(torch.fx.symbolic_trace(model), [x])
    assert not imported.unknown_ops
    assert compare_once(imported, model, [x]) is None


def rolled(x):
    return torch.roll(x, x.shape[0] - 1, 0)


def asserted(x):
    torch._assert(x.shape[0] == 4, "four rows")
    return x * 2


def element(x):
    return x * x.sum().item()


def sizes(x):
    n = x.size(0)
    return x.view(n * 2, -1), x * x.size().numel()


@pytest.mark.parametrize("function", [rolled, asserted, element, sizes], ids=lambda f: f.__name__)
def test_symbolic_trace(function):
    assert_same(fxgraph.from_fx(torch.fx.symbolic_trace(function), [X]), function, [X])


def asserts(value):
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    graph.call_function(torch._assert, (value(graph, x), "message"))
    graph.output(graph.call_function(torch.neg, (x,)))
    return torch.fx.GraphModule(nn.Module(), graph)


def test_asserts():
    assert not fxgraph.from_fx(asserts(lambda graph, x: True), [X]).unknown_ops
    kept = fxgraph.from_fx(asserts(lambda graph, x: graph.call_function(torch.any, (x,))), [X])
    assert [op.target for op in kept.unknown_ops] == ["torch._assert"]


def test_values_that_python_reads_are_refused():
    with pytest.raises(ImportFailure, match="does not run on the example inputs"):
        fxgraph.from_fx(torch.fx.symbolic_trace(lambda x: x * x.flatten().tolist()[0]), [X])


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("model, x", [(nn.ConvTranspose2d(2, 2, 2), torch.rand(2, 2, 4, 4)), (nn.Conv1d(4, 3, 3), torch.rand(2, 4, 8))])
def test_dynamic_batch_of_convolutions(model, x, level):
    """Libraries choose their algorithm by the batch; that bounds nothing."""
    batch = torch.export.Dim("b", min=2, max=64)
    module = fxgraph.capture(model, x, level=level, dynamic_shapes=({0: batch},))
    for n in (2, 40):
        assert compare_once(module, model, [torch.rand(n, *x.shape[1:])]) is None
