# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's names of keyword arguments: axis, keepdims, x, a, x1, x2."""

import pytest
import torch

import fxgraph

X, Y = torch.tensor([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]]), torch.tensor([[2.0, 2.0, -2.0], [1.0, 0.0, 3.0]])

# The first four are those of PyTorch's own test of numpy_compat_normalization.
FUNCTIONS = {
    "stack axis": lambda x, y: torch.stack([x, y], axis=1),
    "mul x2": lambda x, y: torch.mul(x, x2=y),
    "max keepdims": lambda x, y: torch.max(x, dim=1, keepdims=True)[0],
    "dropout x": lambda x, y: torch.dropout(x=x, p=0.5, train=False),
    "cat axis": lambda x, y: torch.cat([x, y], axis=-1),
    "concat axis": lambda x, y: torch.concat(tensors=[x, y], axis=-1),
    "mul x1 x2": lambda x, y: torch.mul(x1=x, x2=y),
    "sub x2 alpha": lambda x, y: torch.sub(x, x2=y, alpha=2),
    "maximum x1 x2": lambda x, y: torch.maximum(x1=x, x2=y),
    "sin x": lambda x, y: torch.sin(x=x),
    "abs a": lambda x, y: torch.abs(a=x),
    "sum axis keepdims": lambda x, y: torch.sum(x, axis=0, keepdims=True),
    "mean axes": lambda x, y: torch.mean(x, axis=(0, 1), keepdims=True),
    "amax axes": lambda x, y: torch.amax(x, axis=(0, 1), keepdims=True),
    "argmax axis": lambda x, y: torch.argmax(x, axis=1, keepdims=True),
    "method sum axis": lambda x, y: x.sum(axis=1, keepdims=True),
    "method max axis": lambda x, y: x.max(axis=1)[1],
    "softmax axis": lambda x, y: torch.softmax(x, axis=1),
    "squeeze axis": lambda x, y: torch.squeeze(x.unsqueeze(1), axis=1),
    "unsqueeze axis": lambda x, y: torch.unsqueeze(x, axis=1),
    "chunk axis": lambda x, y: torch.chunk(x, 3, axis=1)[1],
    "unbind axis": lambda x, y: torch.unbind(x, axis=1)[1],
    "cumsum axis": lambda x, y: torch.cumsum(x, axis=1),
    "select axis": lambda x, y: torch.select(x, axis=1, index=2),
    "var axis keepdims": lambda x, y: torch.var(x, axis=1, keepdims=True),
    "vector_norm axis": lambda x, y: torch.linalg.vector_norm(x, axis=1),
    "logsumexp axis keepdims": lambda x, y: torch.logsumexp(x, axis=1, keepdims=True),
    "sort axis": lambda x, y: torch.sort(x, axis=1)[0],
    "topk axis": lambda x, y: torch.topk(x, 2, axis=1)[0],
    "gather axis": lambda x, y: torch.gather(x, axis=1, index=torch.zeros(2, 1, dtype=torch.int64)),
    "any axis keepdims": lambda x, y: torch.any(x > 0, axis=1, keepdims=True),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_names(name):
    expected = FUNCTIONS[name](X, Y)
    graph = fxgraph.capture(FUNCTIONS[name], X, Y, level="torch", strict=True)
    torch.testing.assert_close(torch.as_tensor(graph.run([X, Y], target="ref")[0]), expected, check_dtype=True)


def traced(target, args, kwargs):
    """A graph that calls `target`, which need not accept it."""
    graph = torch.fx.Graph()
    x, y = graph.placeholder("x"), graph.placeholder("y")
    graph.output(graph.call_function(target, args(x, y), kwargs(x, y)))
    return torch.fx.GraphModule(torch.nn.Module(), graph)


def with_values(module, values):
    """Example values for nodes that cannot be run."""
    for node, value in zip(module.graph.nodes, values):
        node.meta["val"] = value
    return module


@pytest.mark.parametrize("target, args, kwargs, names", [
    (torch.sum, lambda x, y: (x,), lambda x, y: {"dim": 0, "axis": 1}, "dim and axis"),
    (torch.sum, lambda x, y: (x,), lambda x, y: {"dim": 0, "keepdim": True, "keepdims": False}, "keepdim and keepdims"),
    (torch.mul, lambda x, y: (x,), lambda x, y: {"other": y, "x2": x}, "other and x2"),
    (torch.sin, lambda x, y: (), lambda x, y: {"input": x, "x": y}, "input and x"),
    (torch.linalg.vector_norm, lambda x, y: (x,), lambda x, y: {"dim": 0, "axis": 1}, "dim and axis"),
])
def test_both_names_are_an_error(target, args, kwargs, names):
    module = with_values(traced(target, args, kwargs), [X, Y, X])
    with pytest.raises(fxgraph.ImportFailure, match=f"expected one of {names} but got both"):
        fxgraph.from_fx(module, [X, Y])
