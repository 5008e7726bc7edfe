# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What run() gives back: numbers as numbers, None as None, the structure of the captured function."""

import dataclasses

import pytest
import torch
import torch.utils._pytree as pytree
from torch import nn

import fxgraph
from fxgraph.outputs import restore
from fxgraph.testing.functions import run_module

LEVELS = pytest.mark.parametrize("level", ["torch", "aten"])


@dataclasses.dataclass
class Pair:
    values: object
    count: object = None


pytree.register_dataclass(Pair)


def sizes(x):
    n = x.shape[0]
    return {"pair": Pair(x + 1, n), "more": (n * 0.5, n > 4, None, [2.5, n - 1, n * 2 == 10, n / 4], True, 7)}


def leaves(value):
    return pytree.tree_leaves(value, is_leaf=lambda x: x is None)


def assert_same(got, want):
    """The same leaves, their Python types too."""
    assert len(got) == len(want)
    for g, w in zip(got, want):
        assert type(g) is type(w), f"expected {w!r} but got {g!r}"
        assert torch.equal(g, w) if isinstance(w, torch.Tensor) else g == w


@LEVELS
@pytest.mark.parametrize("dynamic", [False, True])
def test_numbers_and_structure(level, dynamic):
    shapes = {"x": {0: torch.export.Dim("n", min=3)}} if dynamic else None
    module = fxgraph.capture(sizes, torch.randn(5), level=level, dynamic_shapes=shapes)
    assert not module.unknown_ops
    for n in (5, 4, 9) if dynamic else (5,):
        x = torch.randn(n)
        want = sizes(x)
        assert_same(run_module(module, [x])[0], leaves(want))
        for target in ("ref", "cpu"):
            assert_same(module.run([x], target=target), leaves(want))
            structured = module.run([x], target=target, structured=True)
            assert type(structured["pair"]) is Pair and structured["pair"].count == n
            assert pytree.tree_structure(structured) == pytree.tree_structure(want)


@LEVELS
def test_one_tensor(level):
    """A bare tensor has a structure too; flat outputs are always a list."""
    module = fxgraph.capture(lambda x: x * 2, torch.ones(3), level=level)
    assert torch.equal(module.run([torch.ones(3)], structured=True), torch.full((3,), 2.0))
    flat, = module.run([torch.ones(3)])
    assert torch.equal(flat, torch.full((3,), 2.0))


def test_a_rank_0_tensor_stays_a_tensor():
    """The negative twin of the numbers."""
    module = fxgraph.capture(lambda x: (x.sum(), x.shape[0]), torch.ones(3), level="torch", dynamic_shapes={"x": {0: torch.export.Dim("n")}})
    total, count = module.run([torch.ones(4)])
    assert isinstance(total, torch.Tensor) and total.dim() == 0 and type(count) is int and count == 4


def test_structure_of_an_fx_graph():
    class Model(nn.Module):
        def forward(self, x):
            return {"a": x + 1, "b": [x, (x * 2, 3)]}

    gm = torch.fx.symbolic_trace(Model())
    module = fxgraph.from_fx(gm, [torch.ones(2)])
    assert module.out_spec == pytree.tree_structure(Model()(torch.ones(2)))
    assert module.clone().out_spec == module.out_spec


def test_structure_survives_passes():
    module = fxgraph.capture(sizes, torch.randn(5), level="torch")
    module.run_passes("fxgraph-pre-grad")
    assert module.run([torch.zeros(5)], structured=True)["pair"].count == 5


def test_no_structure_is_an_error(tmp_path):
    module = fxgraph.capture(lambda x: x * 2, torch.ones(3), level="torch")
    path = tmp_path / "m.mlir"
    module.save(path)
    loaded = fxgraph.load(path)
    with pytest.raises(fxgraph.FxGraphError, match="expected a captured module for structured outputs"):
        loaded.run({"x": torch.ones(3)}, structured=True)


def test_restore():
    results = [torch.tensor(3), torch.tensor(0.5), torch.tensor(1), torch.tensor(True)]
    assert_same(restore([("int", 0), ("float", 1), 2, None, ("python", "a"), ("bool", 3), ("int", 0)], results),
                [3, 0.5, results[2], None, "a", True, 3])


# Plain functions at both levels.
LINEAR, NORM = nn.Linear(3, 20), nn.BatchNorm1d(20)


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize("target", ["ref", "cpu"])
def test_arguments_called_as_results_are(write, target):
    """fx-run stores results as out0, out1, … beside the written arguments."""
    def function(x, out0, out7):
        if write:
            out0.add_(x)
            out7.mul_(2)
        return out0 * 3, out7 - x

    module = fxgraph.capture(function, torch.ones(2), torch.ones(2), torch.ones(2))
    for outputs in (module.outputs, None):
        module.outputs = outputs
        mine, theirs = [[torch.full((2,), n) for n in (5.0, 3.0, 4.0)] for _ in range(2)]
        want = function(*theirs)
        for got, expected in zip([*module.run(mine, target), *mine], [*want, *theirs], strict=True):
            assert torch.equal(got, expected)


class Owner(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 30)

    def other(self, x, k=2):
        return self.inner(x) * k


def layers(x, *, scale=2.0):
    return NORM(LINEAR(x)) * scale


@LEVELS
def test_functions(level):
    import functools
    x = torch.randn(4, 3)
    for function, kwargs in [(layers, {}), (layers, {"scale": 3.0}), (functools.partial(layers, scale=4.0), {}), (Owner().other, {"k": 3}),
                             (lambda x: torch.relu(x), {}), (torch.relu, {}), (torch.nn.functional.gelu, {"approximate": "tanh"})]:
        NORM.eval()
        module = fxgraph.capture(function, x, level=level, **kwargs)
        got, _ = run_module(module, [x])
        with torch.no_grad():
            torch.testing.assert_close(got[0], function(x, **kwargs))


def test_weights_of_closures_keep_their_kinds():
    NORM.eval()
    module = fxgraph.capture(layers, torch.randn(4, 3), level="aten")
    assert {"LINEAR.weight", "LINEAR.bias", "NORM.running_mean"} <= set(module.weights)
    assert 'fxgraph.kind = "parameter", fxgraph.name = "LINEAR.weight"' in module.asm
    assert 'fxgraph.kind = "buffer", fxgraph.name = "NORM.running_mean"' in module.asm
    assert "self.inner.weight" in fxgraph.capture(Owner().other, torch.randn(4, 3), level="aten").weights


def test_dynamic_shapes_of_a_function():
    module = fxgraph.capture(layers, torch.randn(4, 3), level="aten", dynamic_shapes={"x": {0: torch.export.Dim("n")}, "scale": None}, scale=2.0)
    assert module.inputs == ["x"] and "dims = [s0]" in module.asm


def test_what_is_no_function():
    with pytest.raises(fxgraph.ImportFailure, match="cannot be captured at aten level"):
        fxgraph.capture(3, torch.ones(2), level="aten")


@LEVELS
def test_lazy_weights_are_refused(level):
    """Tracing would give them values of its own."""
    model = nn.Sequential(nn.LazyBatchNorm1d(), nn.Linear(5, 2)).eval()
    x = torch.randn(3, 5)
    with pytest.raises(fxgraph.ImportFailure, match="expected a model with initialised weights but 0.weight is lazy"):
        fxgraph.capture(model, x, level=level)
    model(x)
    with torch.no_grad():
        torch.testing.assert_close(run_module(fxgraph.capture(model, x, level=level), [x])[0][0], model(x))
