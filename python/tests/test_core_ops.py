# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ATen ops that PyTorch tags `core`: imported without an opaque op, and right in the interpreter and on the CPU."""

import os

import pytest
import torch
from core_cases import OPAQUE, UNINITIALIZED, core_overloads, imported, samples

from fxgraph.importer import table
from fxgraph.testing import diff
from fxgraph.testing.batch import Batch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SEED = 0  # of a run that names none


@pytest.mark.parametrize("key", sorted(set(core_overloads()) - set(OPAQUE)))
def test_core_op(key):
    modules, reason = imported(key)
    assert reason is None
    batch = Batch()
    for module, tensors, target, call in modules:
        if key in UNINITIALIZED:
            continue
        torch.manual_seed(SEED)
        want, after = diff.eager(target, *call)
        loose = any(t.dtype in (torch.bfloat16, torch.float16) for t in tensors)
        batch.add(f"{key} {call}", module, {**module.weights, **dict(zip(module.inputs, tensors))}, want,
                  {n: after[id(t)] for n, t in zip(module.inputs, tensors)}, *(2 * [2e-2 if loose else None]))
    # All cases of an op of the dialect are compiled in test/Integration/CPU/ops.py.
    targets = ("ref",) if key in table.signatures_by_key() else ("ref", "cpu")
    for target in targets:
        assert not batch.run(target)


@pytest.mark.parametrize("key", sorted(UNINITIALIZED))
def test_uninitialized(key):
    """The values are open, shape and dtype are not."""
    for module, tensors, target, (args, kwargs) in imported(key)[0]:
        want = target(*args, **kwargs)
        for target in ("ref", "cpu"):
            got, = module.run(dict(zip(module.inputs, tensors)), target)
            assert (got.shape, got.dtype) == (want.shape, want.dtype)


@pytest.mark.parametrize("key", OPAQUE)
def test_opaque(key):
    """The exceptions are needed: an op that has a form belongs to the others."""
    assert key in core_overloads() and not samples(key)
    args = {"aten.nonzero.default": (torch.tensor([0, 1, 0]),)}[key]
    module, _ = diff.import_call(core_overloads()[key], args)
    assert [op.target for op in module.unknown_ops] == [key]


def test_share():
    """At least 98 of 100, as the page on the operators says."""
    ops = core_overloads()
    mapped = len(ops) - len(OPAQUE)
    assert mapped >= 0.98 * len(ops)
    with open(os.path.join(ROOT, "docs", "Conformance", "operators.md"), encoding="utf-8") as page:
        assert f"{mapped} of {len(ops)} ops" in page.read()
