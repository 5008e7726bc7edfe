# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers that are read from tensors, `x.item()`: as operands, as results, as sizes; extents that an op's values decide."""

import math
import warnings

import pytest
import torch
import torch.utils._pytree as pytree
from conftest import assert_all_verify
from torch import nn

import fxgraph
from fxgraph.testing.functions import run_module

LEVELS = pytest.mark.parametrize("level", ["torch", "aten"])
TEXTS = []
t = torch.tensor


def module_of(function):
    """torch.export records the source lines of `forward` alone."""
    class Model(nn.Module):
        def forward(self, *args):
            return function(*args)

    return Model()


def captured(function, args, level):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch._dynamo.reset()
        module = fxgraph.capture(module_of(function), *[a.clone() for a in args], level=level)
    TEXTS.append(module.asm)
    return module


def assert_same(got, want):
    """The same leaves, their Python types too."""
    assert len(got) == len(want)
    for g, w in zip(got, want):
        assert type(g) is type(w), f"expected {w!r} but got {g!r}"
        if isinstance(w, torch.Tensor):
            torch.testing.assert_close(g, w)
        else:
            assert g == w or math.isclose(g, w, rel_tol=1e-6)


def assert_agrees(function, module, args, targets):
    inputs = [a.clone() for a in args]
    want = pytree.tree_leaves(function(*inputs))
    assert_same(run_module(module, args)[0], want)
    for target in targets:
        given = [a.clone() for a in args]
        assert_same(module.run(given, target=target), want)
        assert_same(given, inputs)


def scale(x, y):
    return y * x.item() + 1, x.item()


def compute(x, y):
    a, b = x.item(), y.argmax().item()
    return y * (a * 2 + b), a * b, abs(a) + 0.5, a > 2, y + math.sqrt(a * a), math.tanh(a) * math.cos(a), b - 7


def written_after(x, y):
    n = x.item()
    x += 1
    return y * n, x


def of_a_computed_tensor(x, y):
    return y * y.abs().amax().item() + x


CASES = [
    (scale, [t(2.5), t([1.0, -2.0])], [[t(-3.0), t([0.5, 1.0])]]),
    (scale, [t([[0.1]], dtype=torch.bfloat16), t([1.0, -2.0], dtype=torch.bfloat16)], [[t([[3.0]], dtype=torch.bfloat16), t([7.0, 1.0], dtype=torch.bfloat16)]]),
    # A number of another kind than the tensor decides the dtype.
    (scale, [t(0.1, dtype=torch.float64), t([1, 5])], [[t(2.0, dtype=torch.float64), t([-1, 3])]]),
    # Below zero and beyond any extent: the element is not taken for a size.
    (scale, [t(3), t([1.0, -2.0])], [[t(-3), t([0.5, 1.0])], [t(2**40), t([0.5, 1.0])]]),
    (compute, [t(2.5), t([1.0, 4.0])], [[t(-3.0), t([0.5, -1.0])]]),
    (written_after, [t(2.5), t([1.0, -2.0])], [[t(-3.0), t([0.5, 1.0])]]),
    (of_a_computed_tensor, [t(1.0), t([1.0, -2.0])], [[t(1.0), t([0.5, 9.0])]]),
    (lambda x: x.any().item(), [t([True, False])], [[t([False, False])]]),
]


@LEVELS
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0].__name__}-{str(c[1][0].dtype)[6:]}")
def test_elements(case, level):
    function, args, others = case
    if function is compute and level == "aten":
        pytest.skip("torch.export refuses abs() of a number that it does not know")
    module = captured(function, args, level)
    assert not module.unknown_ops, module.unknown_ops
    for values in [args, *others]:
        assert_agrees(function, module, values, ("ref", "cpu"))


def sized(x, y):
    n = x.item()
    torch._check(n >= 0)
    torch._check(n < 100)
    return torch.zeros(n) + y.sum(), y * n, n + 1


@LEVELS
def test_an_element_as_a_size(level):
    """The dialect has no op from tensors to sizes: that alone and the checks are opaque."""
    args = [t(3), t([1.0, -2.0])]
    module = captured(sized, args, level)
    assert {u.target for u in module.unknown_ops} == {"aten.item.default", "aten._assert_scalar.default"}
    assert "a size that is an element of a tensor is not modelled" in [u.reason for u in module.unknown_ops]
    for n in (3, 0, 17):
        assert_agrees(sized, module, [t(n), args[1]], ())
    with pytest.raises(RuntimeError, match="Runtime assertion failed for expression u0 >= 0"):
        run_module(module, [t(-1), args[1]])


@LEVELS
def test_an_opaque_op_of_a_number(level):
    """The number is an operand: the graph does not lose where it is from."""
    def function(x, y):
        return torch.nn.functional.elu(y, alpha=x.item())

    module = captured(function, [t(2.5), t([1.0, -2.0])], level)
    assert [u.reason for u in module.unknown_ops] == ["alpha is not a constant real number"]
    assert '{number = "%1"}' in module.asm and "python" not in module.asm
    for value in (2.5, -1.0):
        assert_agrees(function, module, [t(value), t([1.0, -2.0])], ())
        assert torch.equal(module.to_fx()(t(value), t([1.0, -2.0]))[0], function(t(value), t([1.0, -2.0])))


def masked(x):
    y = x[x > 0]
    return y * 2 + y.shape[0], torch.ones(y.shape[0], 2), y.shape[0]


@LEVELS
def test_an_extent_that_values_decide(level):
    """It is read from the opaque op's result."""
    module = captured(masked, [t([1.0, -2.0, 3.0])], level)
    assert "sym_size" in module.asm and not any("is known" in u.reason for u in module.unknown_ops)
    for x in (t([1.0, -2.0, 3.0]), t([-1.0, -2.0, -3.0])):
        assert_agrees(masked, module, [x], ())


def test_a_number_without_a_form():
    """One error that names the number, not an op that lost its operand."""
    def function(x, y):
        return y * round(x.item(), 2)

    with pytest.raises(fxgraph.ImportFailure, match=r"^node mul \(operator.mul\) at .*test_elements.py:\d+: the number RoundDecimal\(zuf0, 2\) is not"):
        captured(function, [t(2.5), t([1.0, -2.0])], "torch")
    with pytest.raises(fxgraph.ImportFailure, match=r"^a result that is a number: the number RoundDecimal\(zuf0, 2\) is not"):
        captured(lambda x: round(x.item(), 2), [t(2.5)], "torch")


def test_all_verify():
    assert_all_verify(TEXTS)
