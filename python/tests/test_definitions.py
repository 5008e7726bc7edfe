# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call that its handler refuses becomes what PyTorch defines it by, or stays whole for the handler's reason."""

import pytest
import torch

import fxgraph
from fxgraph.importer.handlers import decompose
from fxgraph.testing import diff
from fxgraph.testing.batch import Batch

aten = torch.ops.aten
NORM = (torch.randn(2, 6, 3, 4), torch.randn(6), torch.randn(6), 2, 6, 12, 3, 1e-5)
ATTENTION = (torch.randn(2, 3, 5, 4), torch.randn(2, 3, 7, 4), torch.randn(2, 3, 7, 4))


def check(target, args, level="torch"):
    module, tensors = diff.import_call(target, args, {}, level)
    assert not module.unknown_ops
    batch = Batch()
    want, _ = diff.eager(target, args, {})
    batch.add(str(target), module, {**module.weights, **dict(zip(module.inputs, tensors))}, want)
    for target in ("ref", "cpu"):
        assert not batch.run(target)


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("target, args", [
    (aten.native_group_norm.default, NORM), (torch.native_group_norm, NORM), (aten._scaled_dot_product_flash_attention_for_cpu.default, ATTENTION),
    (aten.log_sigmoid_forward.default, (torch.randn(5),)),
    (aten._native_batch_norm_legit_functional.default, (torch.randn(4, 3), torch.randn(3), torch.randn(3), torch.randn(3), torch.rand(3), True, 0.1, 1e-5))])
def test_all_results(target, args, level):
    check(target, args, level)


@pytest.fixture
def definition(monkeypatch):
    """Replaces what native_group_norm is defined by."""
    def replace(function):
        monkeypatch.setitem(decompose.definitions(), aten.native_group_norm.default, function)
        module, _ = diff.import_call(aten.native_group_norm.default, NORM)
        return module

    return replace


def assert_refused(module):
    """Nothing of the trial is left, and the reason is the handler's."""
    assert [op.reason for op in module.unknown_ops] == ["a result other than the first is used"]
    assert module.op_counts() == {"fxgraph.opaque": 1}


def test_reason_and_rollback(definition):
    assert_refused(definition(lambda x, *rest: (torch.linalg.pinv(x + 1), x, x)))


def test_definition_with_another_result(definition):
    """As PyTorch's of attention, which has the weights where the kernel has their sums."""
    assert_refused(definition(lambda x, *rest: (x * 2, x[0, :, 0, 0], x + 1)))


def test_definition_that_draws_or_writes(definition):
    assert_refused(definition(lambda x, *rest: (torch.rand_like(x), x[:, :3, 0, 0] + 1, x[:, :3, 0, 0] + 2)))
    assert_refused(definition(lambda x, *rest: (x.mul_(2), x[:, :3, 0, 0] + 1, x[:, :3, 0, 0] + 2)))


def test_draws_are_not_tried_again():
    """A handler that refuses a draw leaves it whole."""
    module, _ = diff.import_call(aten._scaled_dot_product_flash_attention_for_cpu.default, (*ATTENTION, 0.5))
    assert [op.reason for op in module.unknown_ops] == ["a result other than the first is used"]


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_shapes_that_change_within_a_call(level):
    """stft makes a view of its window in place: a trial that fails takes that back, and the call stays whole."""
    module = fxgraph.capture(lambda x: torch.stft(x, 67, window=torch.ones(67), return_complex=True).abs(), torch.randn(99), level=level)
    assert module.unknown_ops[0].reason.startswith("its decomposition has aten._fft_r2c.default")
    x = torch.randn(99)
    torch.testing.assert_close(module.to_fx()(x)[0], torch.stft(x, 67, window=torch.ones(67), return_complex=True).abs())
