# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of torch.testing._internal's op_db as import tests (utils/opinfo-diff.py)."""

import random
import sys
import types
import unittest
import warnings

import torch

from . import diff
from ..errors import ImportFailure

# Not functions of tensors alone, or results that are not determined.
SKIPPED = frozenset({
    "empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted", "rand_like", "randn_like",
    "randint_like", "bernoulli", "multinomial", "normal", "uniform", "nn.functional.dropout", "nn.functional.feature_alpha_dropout",
    "randn", "randint", "rand", "nn.functional.alpha_dropout", "nn.functional.dropout2d", "nn.functional.dropout3d",
    "nn.functional.rrelu", "exponential", "cauchy", "log_normal", "geometric", "resize_", "resize_as_", "svd_lowrank", "pca_lowrank",
    "to_sparse", "nonzero", "unique", "unique_consecutive", "view_as_complex", "view_as_real", "tensor_split_", "item", "tolist"})
# The order of equal elements is open.
TIES = frozenset({"sort", "argsort", "topk", "msort", "kthvalue"})


def _let_import():
    """Lets PyTorch's lists of samples be imported."""
    try:
        import expecttest  # noqa: F401
    except ImportError:
        # Only its TestCase is named when the module loads.
        stub = types.ModuleType("expecttest")
        stub.TestCase = unittest.TestCase
        sys.modules["expecttest"] = stub


def module_db():
    """PyTorch's list of modules with samples."""
    _let_import()
    from torch.testing._internal.common_modules import module_db as found
    return found


def _op_db():
    """PyTorch's list of operators with samples."""
    _let_import()
    from torch.testing._internal.common_methods_invocations import op_db
    return op_db


def supported_operators(names=(), everything=False):
    """OpInfos of the names, or of all callables that the importer knows, or all."""
    op_db = _op_db()
    from fxgraph.importer import graph, table
    known = set(table.signatures_by_key()) | set(graph.SPECIAL)
    for info in op_db:
        if names:
            if info.name in names:
                yield info
            continue
        if info.name in SKIPPED:
            continue
        if everything:
            yield info
            continue
        keys = {f"torch.{info.name}", f"Tensor.{info.name}", f"operator.{info.name.strip('_')}"}
        if keys & known or f"aten.{info.name}.default" in known or f"torch.{info.name}" in known:
            yield info


def run_operator(info, dtypes, limit, batch=None, level="torch"):
    """{"same", "opaque", "failed", "asm"} of an operator's samples."""
    outcome = {"same": [], "opaque": [], "failed": [], "asm": [], "batch": batch}
    for dtype in dtypes:
        if not info.supports_dtype(dtype, "cpu"):
            continue
        torch.manual_seed(0)
        random.seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            samples = list(info.sample_inputs("cpu", dtype, requires_grad=False))
            if len(samples) > limit:
                step = len(samples) / limit
                samples = [samples[int(i * step)] for i in range(limit)]
            for sample in samples:
                run_sample(info, dtype, sample, outcome, level)
    return outcome


def run_sample(info, dtype, sample, outcome, level="torch"):
    args, kwargs = (sample.input, *sample.args), sample.kwargs
    target = info.op
    if getattr(target, "__name__", "") == "<lambda>" and hasattr(torch.Tensor, info.name.strip()):
        target = info.name
    if info.name in TIES and dtype not in (torch.float32, torch.float64):
        return
    label = f"{str(dtype)[6:]} {sample.summary() if hasattr(sample, 'summary') else sample}"[:160]
    try:
        diff.eager(target, args, kwargs)
    except Exception:
        return  # eager refuses the sample
    try:
        module, tensors = diff.import_call(target, args, kwargs, level)
    except ImportFailure as error:
        if "does not run on the example inputs" in str(error):
            return  # PyTorch itself cannot trace it
        outcome["failed"].append(f"import {label}: {error}")
        return
    except Exception as error:
        outcome["failed"].append(f"import {label}: {type(error).__name__}: {error}")
        return
    outcome["asm"].append(module.asm)
    if module.unknown_ops:
        outcome["opaque"].append(f"{module.unknown_ops[0].target}: {module.unknown_ops[0].reason}")
        return
    tolerance = {torch.bfloat16: (2e-2, 2e-2), torch.float16: (5e-3, 5e-3)}.get(dtype, (None, None))
    try:
        wrong = diff.check_module(module, tensors, target, args, kwargs, *tolerance)
        if not wrong and outcome["batch"] is not None:
            want, after = diff.eager(target, args, kwargs)
            outcome["batch"].add(f"{info.name} {label}", module, {**module.weights, **dict(zip(module.inputs, tensors))}, want,
                                 {n: after[id(t)] for n, t in zip(module.inputs, tensors)}, *tolerance)
    except Exception as error:
        wrong = f"{type(error).__name__}: {str(error)[:200]}"
    if wrong:
        outcome["failed"].append(f"{label}: {wrong}")
    else:
        outcome["same"].append(label)
