# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""to_fx(inplace=True): in-place calls where fxgraph-mutation-reinplace lets them, with the results and written arguments of eager."""

import copy
import random

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import fxgraph

REINPLACE = "fxgraph-mutation-reinplace"


def exported(function, args):
    """(the graph with in-place calls, how many calls of it write)."""
    module = fxgraph.from_fx(make_fx(function)(*args), args)
    module.run_passes(REINPLACE)
    gm = module.to_fx(inplace=True)
    gm.graph.lint()
    plain = module.to_fx()
    written = {"plain": writes(plain), "inplace": writes(gm)}
    for graph in (plain, gm):
        ours, eager = copy.deepcopy(args), copy.deepcopy(args)
        actual, expected = graph(*ours), function(*eager)
        actual, expected = (value if isinstance(value, (tuple, list)) else (value,) for value in (actual, expected))
        torch.testing.assert_close(list(actual), list(expected), rtol=0, atol=0)
        torch.testing.assert_close(ours, eager, rtol=0, atol=0)  # what is written, and that nothing else is
    return gm, written


def writes(gm):
    return [str(node.target) for node in gm.graph.nodes if isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable]


X, V, I = torch.randn(4, 3), torch.randn(2, 3), torch.tensor([2, 0])


@pytest.mark.parametrize("function, wanted", [
    (lambda x, i, v: torch.index_put(torch.relu(x), (i,), v), ["aten.index_put_.default"]),
    (lambda x, i, v: torch.scatter(torch.relu(x), 0, i[:, None].expand(2, 3), v), ["aten.scatter_.src"]),
    (lambda x, i, v: torch.scatter_add(torch.relu(x), 0, i[:, None].expand(2, 3), v), ["aten.scatter_add_.default"]),
    (lambda x, i, v: torch.scatter_reduce(torch.relu(x), 0, i[:, None].expand(2, 3), v, "amax"), ["aten.scatter_reduce_.two"]),
    (lambda x, i, v: torch.slice_scatter(torch.relu(x), v, 0, 1, 3), ["aten.copy_.default"]),
    (lambda x, i, v: torch.select_scatter(torch.relu(x), v[0], 0, 1), ["aten.copy_.default"]),
    (lambda x, i, v: torch.ops.aten._unsafe_index_put(torch.relu(x), [i], v, True), ["aten.index_put_.default"])])
def test_updates_of_values(function, wanted):
    _, written = exported(function, [X, I, V])
    assert written == {"plain": [], "inplace": wanted}


def test_an_argument_that_is_written_at_the_end():
    def function(x, i, v):
        x.index_put_((i,), v)
        return torch.relu(x)

    gm, written = exported(function, [X.clone(), I, V])
    # The copy at the end is gone, too: the argument holds the value already.
    assert written == {"plain": ["aten.copy_.default"], "inplace": ["aten.index_put_.default"]}, gm.code


def test_what_is_read_later_is_not_overwritten():
    def read_later(x, i, v):
        y = torch.relu(x)
        return torch.index_put(y, (i,), v), y.sum()

    assert exported(read_later, [X, I, V])[1]["inplace"] == []

    def through_a_view(x, i, v):
        y = torch.relu(x)
        rows = y[1:3]
        return torch.index_put(y, (i,), v), rows * 2

    assert exported(through_a_view, [X, I, V])[1]["inplace"] == []
    assert exported(lambda x, i, v: torch.index_put(x, (i,), v), [X, I, V])[1]["inplace"] == []  # an argument that nobody writes
    assert exported(lambda x, i, v: torch.index_put(x.relu()[:1].expand(4, 3), (i,), v), [X, I, V])[1]["inplace"] == []


def test_without_the_pass_nothing_is_written():
    module = fxgraph.from_fx(make_fx(lambda x, i, v: torch.index_put(torch.relu(x), (i,), v))(X, I, V), [X, I, V])
    assert writes(module.to_fx(inplace=True)) == []


def random_program(seed):
    """Updates of a few values and views, some of which are read again or returned."""
    choose = random.Random(seed)
    steps = [(choose.randrange(6), choose.randrange(1000), choose.randrange(1000), choose.randrange(3)) for _ in range(choose.randrange(3, 9))]
    returned = choose.randrange(1, 4)

    def function(x, i, v):
        values = [torch.relu(x), torch.sin(x)]
        for kind, a, b, row in steps:
            base, other = values[a % len(values)], values[b % len(values)]
            if kind == 0:
                values.append(torch.index_put(base, (i,), v))
            elif kind == 1:
                values.append(torch.slice_scatter(base, other[:2], 0, row, row + 2) if row < 3 else base)
            elif kind == 2:
                values.append(torch.select_scatter(base, other[row], 0, row))
            elif kind == 3:
                values.append(base + other)
            elif kind == 4:
                part = torch.index_put(base[row:row + 2], (torch.tensor([0, 1]),), v)
                values.append(torch.slice_scatter(base, part, 0, row, row + 2))
            else:
                x.copy_(base)
        return tuple(values[-returned:])

    return function


@pytest.mark.parametrize("seeds", range(4))
def test_random_programs(seeds):
    written = 0
    for seed in range(25 * seeds, 25 * seeds + 25):
        written += len(exported(random_program(seed), [torch.randn(4, 3), I, V])[1]["inplace"])
    assert written > 10


def written_before(text, *tensors):
    """(the written arguments and results, the calls) of a graph in whose text an argument is written before an op overwrites what it is to hold."""
    module = fxgraph.Module(text)
    reference = [torch.as_tensor(value) for value in module.run(copy.deepcopy(list(tensors)), target="ref")]
    module.run_passes(REINPLACE)
    found = []
    for graph in (module.to_fx(), module.to_fx(inplace=True)):
        ours = copy.deepcopy(tensors)
        results = graph(*ours)
        found.append([*(results if isinstance(results, (tuple, list)) else [results]), *ours])
    torch.testing.assert_close(found[0], found[1], rtol=0, atol=0)
    torch.testing.assert_close(found[1][:len(reference)], reference, rtol=0, atol=0)
    return found[1], [str(node.target) for node in graph.graph.nodes if node.op == "call_function"]


HEAD = """func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %v: tensor<2xf32>) -> tensor<4xf32> {
  %0 = fxgraph.relu %x : tensor<4xf32>
"""


@pytest.mark.parametrize("between, is_copied", [
    ("", True),
    # A view of what is overwritten is as good as the whole.
    ("  %p = fxgraph.reshape %0 shape [2, 2] : tensor<4xf32> -> tensor<2x2xf32>\n  %w = fxgraph.reshape %p shape [4] : tensor<2x2xf32> -> tensor<4xf32>\n", True),
    # Memory of its own stays as it is.
    ("  %w = fxgraph.neg %0 : tensor<4xf32>\n", False)])
def test_what_an_argument_is_to_hold_is_kept(between, is_copied):
    written = "%w" if between else "%0"
    text = HEAD + between + f"""  fxgraph.copy_ {written} into %y : tensor<4xf32>, tensor<4xf32>
  %1 = fxgraph.slice_scatter %0, %v dim 0 from 1 to 3 : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}}"""
    x, y, v = torch.tensor([1.0, -2, 3, 4]), torch.zeros(4), torch.tensor([7.0, 8])
    found, calls = written_before(text, x, y, v)
    assert calls.count("aten.clone.default") == is_copied, calls
    kept = torch.relu(x) if is_copied else -torch.relu(x)
    assert found[2].tolist() == kept.tolist() and found[0].tolist() == [1, 7, 8, 4]


def test_an_argument_that_another_is_to_hold_is_kept():
    text = """func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %v: tensor<2xf32>) -> tensor<2xf32> {
  fxgraph.copy_ %x into %y : tensor<4xf32>, tensor<4xf32>
  %1 = fxgraph.slice_scatter %x, %v dim 0 from 1 to 3 : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
  fxgraph.copy_ %1 into %x : tensor<4xf32>, tensor<4xf32>
  return %v : tensor<2xf32>
}"""
    x, y, v = torch.tensor([1.0, -2, 3, 4]), torch.zeros(4), torch.tensor([7.0, 8])
    found, calls = written_before(text, x, y, v)
    assert found[2].tolist() == [1, -2, 3, 4] and found[1].tolist() == [1, 7, 8, 4]
    assert calls.count("aten.clone.default") == 1, calls
