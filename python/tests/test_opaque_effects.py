# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What schemas say of ops that the dialect does not model, and what passes make of it."""

import re

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import fxgraph

LIBRARY = torch.library.Library("fxgraph_effects", "DEF")
LIBRARY.define("twice(Tensor x, int n=2) -> Tensor")
LIBRARY.define("rows(Tensor(a) x) -> Tensor(a)")
LIBRARY.define("noise(Tensor x) -> Tensor", tags=(torch.Tag.nondeterministic_seeded,))
LIBRARY.define("add_into(Tensor x, Tensor(a!) out) -> Tensor(a!)")
LIBRARY.define("logged(Tensor x) -> Tensor")
LIBRARY.define("reduced(Tensor x, str group_name) -> Tensor")
LIBRARY.define("either(Tensor x) -> Tensor")
LIBRARY.define("quiet(Tensor x) -> ()")
LIBRARY.impl("twice", lambda x, n=2: x * n, "CompositeExplicitAutograd")
LIBRARY.impl("rows", lambda x: x.view(x.shape), "CompositeExplicitAutograd")
LIBRARY.impl("noise", lambda x: x + torch.rand_like(x), "CompositeExplicitAutograd")
LIBRARY.impl("add_into", lambda x, out: out.add_(x), "CompositeExplicitAutograd")
LIBRARY.impl("logged", lambda x: x + 1, "CompositeExplicitAutograd")
LIBRARY.impl("reduced", lambda x, group_name: x + 1, "CompositeExplicitAutograd")
LIBRARY.impl("either", lambda x: x if x.shape[0] == 1 else x.sin(), "CompositeImplicitAutograd")
LIBRARY.impl("quiet", lambda x: None, "CompositeExplicitAutograd")
OPS = torch.ops.fxgraph_effects


@pytest.fixture(scope="module", autouse=True)
def effectful():
    """One op has an effect that its schema does not show."""
    from torch._higher_order_ops.effects import _EffectType, _register_effectful_op
    handle = _register_effectful_op(OPS.logged.default, _EffectType.ORDERED)
    yield
    if handle is not None:
        handle.destroy()


def graph_of(function, *inputs):
    """The calls as they are: ops with effects have no functional form outside of a trace by AOTAutograd."""
    graph = torch.fx.symbolic_trace(function)
    return fxgraph.from_fx(graph, list(inputs))


def effects(module):
    """[what is said of each opaque op]"""
    lines = [line for line in module.asm.splitlines() if "fxgraph.opaque" in line]
    return [found.group(1) if (found := re.search(r'effects = "(\w+)"', line)) else None for line in lines]


@pytest.mark.parametrize("call, expected", [
    (lambda x: OPS.twice.default(x), "none"),
    (lambda x: OPS.rows.default(x), "operands"),
    (lambda x: OPS.noise.default(x), None),
    (lambda x: OPS.add_into.default(x, torch.ones(3, 4)), "operands"),
    (lambda x: OPS.logged.default(x), None),
    (lambda x: OPS.reduced.default(x, "0"), None),
    (lambda x: torch.ops.aten._unique2.default(x)[0], None),
    # Made of other ops, it may return what it was given, though its schema says nothing of that.
    (lambda x: OPS.either.default(x), "operands"),
], ids=["function", "view", "random", "writes", "effectful", "group", "sizes of data", "composite"])
def test_effects_of_schemas(call, expected):
    module = graph_of(call, torch.randn(3, 4))
    assert set(effects(module)) == {expected}, module.asm


def test_an_op_that_returns_nothing_has_effects():
    def function(x):
        OPS.quiet.default(x)
        return x + 1
    module = graph_of(function, torch.randn(3))
    module.run_passes("fxgraph-noop-cse,fxgraph-noop-remove,canonicalize")
    assert effects(module) == [None]


def test_a_function_without_schema_has_effects():
    def function(x):
        return torch.linalg.eigvalsh(x @ x.t())
    assert set(effects(graph_of(function, torch.randn(3, 3)))) <= {None}


def twice_twice(x):
    return OPS.twice.default(x, 3) + OPS.twice.default(x, 3), OPS.twice.default(x, 4)


def noise_twice(x):
    return OPS.noise.default(x) - OPS.noise.default(x), x + 1


def logged_twice(x):
    return OPS.logged.default(x) + OPS.logged.default(x), x + 1


def unused(x):
    OPS.twice.default(x)
    OPS.rows.default(x)
    OPS.noise.default(x)
    return x + 1, x + 2


@pytest.mark.parametrize("function, left", [(twice_twice, 2), (noise_twice, 2), (logged_twice, 2), (unused, 1)])
def test_what_is_computed_twice(function, left):
    """Functions of their operands once; what draws or has effects as often as it was."""
    x = torch.randn(4, 5)
    module = graph_of(function, x)
    module.run_passes("fxgraph-noop-cse,canonicalize")
    assert module.op_counts().get("fxgraph.opaque", 0) == left, module.asm
    torch.manual_seed(1)
    expected = function(x)
    torch.manual_seed(1)
    for actual, wanted in zip(module.to_fx()(x), expected):
        torch.testing.assert_close(actual, wanted, rtol=0, atol=0)


def test_views_and_writes_keep_their_values():
    """A view of an op by schema, computed twice, while another op writes a copy of it."""
    def function(x):
        a, b = OPS.rows.default(x), OPS.rows.default(x)
        y = OPS.add_into.default(a, torch.zeros_like(x) + b)
        return y * 2, a + b, OPS.add_into.default(x, torch.zeros_like(x) + b)
    x = torch.randn(4, 5)
    module = graph_of(function, x)
    module.run_passes("fxgraph-noop-cse,fxgraph-post-grad{mode=best is-inference=true}")
    for actual, wanted in zip(module.to_fx()(x), function(x)):
        torch.testing.assert_close(actual, wanted, rtol=0, atol=0)


def test_fma_is_rounded_once():
    import torch._inductor.inductor_prims  # noqa: F401: defines it
    x, y = torch.tensor([1 + 2.0**-12, 3.0]), torch.tensor([-1 - 2.0**-11, 1.0])
    module = fxgraph.from_fx(make_fx(lambda x, y: torch.ops.prims.fma(x, x, y))(x, y), [x, y])
    assert list(module.op_counts()) == ["fxgraph.fma"]
    for target in ("ref", "cpu"):
        assert torch.as_tensor(module.run([x, y], target=target)[0]).tolist() == [2.0**-24, 10.0]
