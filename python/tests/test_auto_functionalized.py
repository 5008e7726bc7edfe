# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of ops that write, which PyTorch has made functional: what they become, what passes make of them, FX again."""

import operator
from typing import List, Optional

import pytest
import torch

import fxgraph

MUTATION = "fxgraph-mutation-"


@torch.library.custom_op("fxgraph_test::add_into", mutates_args=("x",))
def add_into(x: torch.Tensor, y: torch.Tensor) -> None:
    x.add_(y)


@torch.library.custom_op("fxgraph_test::scale_both", mutates_args=("x", "y"))
def scale_both(x: torch.Tensor, y: torch.Tensor, factor: float) -> torch.Tensor:
    x.mul_(factor)
    y.sub_(x)
    return x.sum() + y.sum()


@scale_both.register_fake
def _(x, y, factor):
    return x.new_empty(())


@torch.library.custom_op("fxgraph_test::maybe_into", mutates_args=("x", "y"))
def maybe_into(x: torch.Tensor, y: Optional[torch.Tensor]) -> None:
    x.add_(1)
    if y is not None:
        y.add_(2)


@torch.library.custom_op("fxgraph_test::each_into", mutates_args=("xs",))
def each_into(xs: List[torch.Tensor]) -> None:
    for x in xs:
        x.add_(1)


def fill(x, y):
    z = x.clone()
    torch.ops.fxgraph_test.add_into(z, y)
    return z * 2


def row_of_a_base(x, y):
    """A view is written, and an argument."""
    z = x.clone()
    total = torch.ops.fxgraph_test.scale_both(z[0], y, 2.0)
    return z, total


def columns(x, y):
    """A view with gaps."""
    z = x.clone()
    torch.ops.fxgraph_test.add_into(z[:, 1:3], y[1:3])
    return z.sum(0)


def slice_of_rows(x, y):
    z = x.clone()
    torch.ops.fxgraph_test.add_into(z[1:], y)
    return z


def onto_itself(x, y):
    """One tensor is written and read."""
    z = x * 2
    torch.ops.fxgraph_test.add_into(z, z)
    return z


def without_the_second(x, y):
    z = x * 2
    torch.ops.fxgraph_test.maybe_into(z, None)
    return z + y


FUNCTIONS = [fill, row_of_a_base, columns, slice_of_rows, onto_itself, without_the_second]


class Model(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, y):
        return self.function(x, y)


def program(function):
    """The exported program in functional form."""
    return torch.export.export(Model(function), inputs()).run_decompositions()


def inputs():
    torch.manual_seed(3)
    return torch.randn(3, 4), torch.randn(4)


def check(module, function):
    x, y = inputs()
    wanted = (x.clone(), y.clone())
    want = function(*wanted)
    got = module.to_fx()(x, y)
    for value, expected in zip(got, want if isinstance(want, tuple) else (want,), strict=True):
        torch.testing.assert_close(value, expected)
    for value, expected in zip((x, y), wanted):
        torch.testing.assert_close(value, expected)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_second_version(function):
    module = fxgraph.from_exported(program(function))
    assert module.op_counts()["fxgraph.auto_functionalized"] == 1 and "fxgraph.opaque" not in module.op_counts()
    unknown, = module.unknown_ops
    assert unknown.target.startswith("fxgraph_test.") and unknown.reason == "an op that writes, called on copies"
    check(module, function)
    report = module.run_passes(f"builtin.module(func.func({MUTATION}reinplace,{MUTATION}decompose-auto-functionalized))", verify=True)
    # The call reads what it writes: a copy is needed.
    assert report.counters.get("missed_tensors_AUTO_FUNC", 0) == (function is onto_itself), module.asm
    assert "fxgraph.auto_functionalized" not in module.op_counts()
    check(module, function)


def functional(x, y):
    from torch._higher_order_ops.auto_functionalize import auto_functionalized
    total, new_x, new_y = auto_functionalized(torch.ops.fxgraph_test.scale_both.default, x=x[0] * 2, y=y, factor=0.5)
    return total, new_x, new_y + 1


def functional_without(x, y):
    from torch._higher_order_ops.auto_functionalize import auto_functionalized
    _, new_x, _ = auto_functionalized(torch.ops.fxgraph_test.maybe_into.default, x=x, y=None)
    return new_x * y


@pytest.mark.parametrize("function", [functional, functional_without], ids=lambda f: f.__name__)
def test_first_version(function):
    gm = torch.fx.experimental.proxy_tensor.make_fx(function, tracing_mode="fake")(*inputs())
    module = fxgraph.from_fx(gm)
    assert module.op_counts()["fxgraph.auto_functionalized"] == 1
    check(module, function)
    module.run_passes(f"builtin.module(func.func({MUTATION}reinplace,{MUTATION}decompose-auto-functionalized))", verify=True)
    check(module, function)


def test_kernels():
    """The launch of a Triton kernel, by its number in PyTorch's table."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    mode, graph = FakeTensorMode(), torch.fx.Graph()
    x, out = graph.placeholder("x"), graph.placeholder("out")
    launch = graph.call_function(torch.ops.higher_order.triton_kernel_wrapper_functional, (), {
        "kernel_idx": 0, "constant_args_idx": 0, "grid": [(8, 1, 1)], "tma_descriptor_metadata": {}, "kwargs": {"in_ptr": x, "out_ptr": out},
        "tensors_to_clone": ["out_ptr"]})
    result = graph.call_function(operator.getitem, (launch, "out_ptr"))
    graph.output((result,))
    for node in (x, out, result):
        node.meta["val"] = mode.from_tensor(torch.empty(8))
    launch.meta["val"] = {"out_ptr": mode.from_tensor(torch.empty(8))}
    module = fxgraph.from_fx(torch.fx.GraphModule(torch.nn.Module(), graph))
    assert 'fxgraph.auto_functionalized"(%x, %out)' in module.asm and "mutated = array<i64: 1>" in module.asm
    assert module.unknown_ops[0].target == "higher_order.triton_kernel_wrapper_mutation"
    module.run_passes(f"builtin.module(func.func({MUTATION}decompose-triton-kernel-wrapper))")
    assert module.op_counts() == {"fxgraph.clone": 1, "fxgraph.opaque": 1}


# What the record cannot say stays opaque, and runs.


def two_views_of_one_base(x, y):
    z = x.clone()
    torch.ops.fxgraph_test.scale_both(z[0], z[1], 2.0)
    return z + y


def a_list(x, y):
    z = x.clone()
    torch.ops.fxgraph_test.each_into([z, y])
    return z + y


@pytest.mark.parametrize("function, reason", [(two_views_of_one_base, "in the memory of one tensor"), (a_list, "lists that are written")],
                         ids=lambda value: getattr(value, "__name__", ""))
def test_opaque(function, reason):
    module = fxgraph.from_exported(program(function))
    unknown, = module.unknown_ops
    assert unknown.target == "higher_order.auto_functionalized_v2" and reason in unknown.reason
    check(module, function)
