# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tensors that do not lie row-major draw: PyTorch draws in the order of memory."""

import pytest
import torch
import torch.nn.functional as F
import torch.utils._pytree as pytree

import fxgraph

TENSORS = {
    "transposed": lambda: torch.randn(5, 4).t(), "small": lambda: torch.randn(4, 3).t(), "permuted": lambda: torch.randn(7, 6, 5).transpose(0, 2),
    "channels_last": lambda: torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last), "expanded": lambda: torch.randn(4, 1).expand(4, 6),
    "strided": lambda: torch.randn(4, 10)[:, ::2], "row_major": lambda: torch.randn(6, 1, 3).transpose(0, 1)}
DRAWS = {
    "rand_like": torch.rand_like, "randn_like": torch.randn_like, "randint_like": lambda x: torch.randint_like(x, 0, 100),
    "wide": lambda x: torch.randn_like(x.double()), "narrow": lambda x: torch.randn_like(x.bfloat16()).float(),
    "dropout": lambda x: F.dropout(x, 0.3, True), "dropout_": lambda x: F.dropout(x + 1, 0.3, True, inplace=True),
    "alpha_dropout": lambda x: F.alpha_dropout(x, 0.3, True), "native_dropout": lambda x: torch.native_dropout(x, 0.3, True)[0],
    "bernoulli": lambda x: torch.bernoulli(x.sigmoid()), "bernoulli_": lambda x: torch.empty_like(x).bernoulli_(0.3),
    "even_chances": lambda x: torch.empty_like(x).bernoulli_(),
    "exponential_": lambda x: torch.empty_like(x).exponential_(), "uniform_": lambda x: torch.empty_like(x).uniform_(-1.3, 2.7),
    "numbers": lambda x: torch.empty_like(x).uniform_(), "normal_": lambda x: torch.empty_like(x).normal_(0.5, 2.0),
    "standard": lambda x: torch.empty_like(x).normal_(), "log_normal_": lambda x: torch.empty_like(x).log_normal_(std=0.5),
    "geometric_": lambda x: torch.empty_like(x).geometric_(0.3), "integers": lambda x: torch.empty_like(x, dtype=torch.int64).geometric_(0.1),
    "cauchy_": lambda x: torch.empty_like(x).cauchy_(0.3, 1.7).atan(), "double": lambda x: torch.empty_like(x, dtype=torch.float64).normal_(0.5, 2.0),
    "around": lambda x: torch.normal(x, 0.5), "scaled": lambda x: torch.normal(0.5, x.abs()), "around_scaled": lambda x: torch.normal(x, x[:1].abs().double()),
    "contiguous": lambda x: torch.rand_like(x, memory_format=torch.contiguous_format)}


def check(function, *inputs, level, tolerance=1e-6):
    module = fxgraph.capture(function, *inputs, level=level)
    assert not module.unknown_ops, module.unknown_ops
    torch.manual_seed(7)
    want = function(*inputs)
    for target in ("ref", "cpu"):
        got, = module.compile(target, seed=7)(*inputs)
        torch.testing.assert_close(got, want, rtol=tolerance, atol=tolerance, check_stride=False)
    torch.manual_seed(7)
    got, = pytree.tree_leaves(module.to_fx()(*inputs))
    torch.testing.assert_close(got.squeeze(), want.squeeze(), rtol=tolerance, atol=tolerance, check_stride=True)
    return module


@pytest.mark.parametrize("draw", DRAWS)
def test_order_of_memory(draw):
    level = ("torch", "aten")[list(DRAWS).index(draw) % 2]
    for make in TENSORS.values():
        check(DRAWS[draw], make(), level=level)


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_views_that_are_filled(level):
    def fill(x):
        base = x * 0
        base.t().bernoulli_(0.4)
        base.t()[:, ::2].exponential_()
        base[:, 1::2].normal_(2.0, 0.5)  # row-major, but not filled in groups
        base.t()[1:3].log_normal_()
        base[3:].uniform_(3, 5)
        base[::2, 2].normal_()
        return base

    check(fill, torch.randn(5, 4), level=level)
    check(fill, torch.randn(9, 7), level=level)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.uint8, torch.int16, torch.bool])
def test_random_integers(dtype):
    """Not from torch level, where Dynamo does not take them."""
    check(lambda x: torch.zeros_like(x, dtype=dtype).random_(), torch.randn(5, 8).t(), level="aten")
    check(lambda x: torch.zeros_like(x, dtype=dtype).random_(2), torch.randn(5), level="aten")


CHECKED = {"bernoulli": torch.bernoulli, "scaled": lambda x: torch.normal(0.5, x), "around_scaled": lambda x: torch.normal(torch.ones(1), x)}


@pytest.mark.parametrize("draw", CHECKED)
def test_elements_that_are_refused(draw):
    """As by PyTorch, when it runs."""
    function = CHECKED[draw]
    module = check(function, torch.rand(5, 4), level="aten")
    check(function, torch.rand(0, 4), level="torch")
    for number in (-0.1, torch.nan):
        x = torch.rand(5, 4)
        x[2, 1] = number
        for run in (function, module.to_fx(), module.compile("ref"), module.compile("cpu")):
            with pytest.raises((RuntimeError, IndexError, fxgraph.FxGraphError)):
                run(x)


WHOLE = {
    "all_of_64_bits": (lambda x: torch.zeros_like(x, dtype=torch.int64).random_(), "random_.* draws as randint does, but got torch.int64"),
    "half": (lambda x: torch.empty_like(x, dtype=torch.float16).uniform_(1, 2), "what it rounds of torch.float16 is not modelled"),
    "narrow": (lambda x: torch.empty_like(x, dtype=torch.bfloat16).normal_(1, 2), "what it rounds of torch.bfloat16 is not modelled"),
    "bounds": (lambda x: torch.zeros_like(x, dtype=torch.float16).random_(5000), "bounds that torch.float16 has")}


@pytest.mark.parametrize("draw", WHOLE)
def test_stays_whole(draw):
    """With the reason, and PyTorch's numbers in PyTorch."""
    function, reason = WHOLE[draw]
    x = torch.randn(5, 8)
    with pytest.warns(UserWarning, match=reason):
        module = fxgraph.capture(function, x, level="aten")
    assert len(module.unknown_ops) == 1
    torch.manual_seed(7)
    want = function(x)
    torch.manual_seed(7)
    got, = pytree.tree_leaves(module.to_fx()(x))
    torch.testing.assert_close(got, want, rtol=0, atol=0)


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_second_number_of_a_pair_is_kept(level):
    """Between draws that fill, row-major, and those of one number after the other."""
    def draws(x):
        return torch.cat([torch.randn(3), torch.randn_like(x.t()).flatten(), torch.randn(5), torch.randn_like(x[:, :3].t()).flatten(), torch.randn(2),
                          torch.randn(33), torch.randn_like(x.t()).flatten(), torch.randn(1)])

    check(draws, torch.randn(7, 5), level=level)


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_symbolic_extents(level):
    def draw(x):
        return torch.rand_like(x.t()) + F.dropout(x.t(), 0.5, True)

    example, other = torch.randn(5, 4), torch.randn(9, 4)
    module = fxgraph.capture(draw, example, level=level, dynamic_shapes=({0: torch.export.Dim.DYNAMIC},))
    for x in (example, other):
        torch.manual_seed(7)
        want = draw(x)
        for target in ("ref", "cpu"):
            torch.testing.assert_close(module.compile(target, seed=7)(x)[0], want, check_stride=False)


def test_row_major_draws_are_one_op():
    for draw in ("rand_like", "randn_like", "dropout"):
        counts = fxgraph.capture(DRAWS[draw], torch.randn(5, 4), level="torch").op_counts()
        assert sum(counts.values()) == 1, counts


MASK = torch.ones(5, 5, dtype=torch.bool).tril()


@pytest.mark.parametrize("attend", [
    lambda q, k, v: F.scaled_dot_product_attention(q, k, v, dropout_p=0.3), lambda q, k, v: F.scaled_dot_product_attention(q, k, v, MASK, 0.3, scale=0.2),
    lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=0.3),
    lambda q, k, v: F.scaled_dot_product_attention(q, k, v, torch.where(MASK, 0.0, -torch.inf), 0.3),
    lambda q, k, v: F.scaled_dot_product_attention(torch.cat([q, q], 1), k, v, dropout_p=0.3, enable_gqa=True),
    lambda q, k, v: F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), dropout_p=0.3)])
@pytest.mark.parametrize("level", ["torch", "aten"])
def test_attention_that_drops_weights(attend, level):
    check(attend, *(torch.randn(2, 2, 5, 8) for _ in range(3)), level=level, tolerance=1e-5)
