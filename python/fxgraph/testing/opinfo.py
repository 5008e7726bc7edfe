# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of torch.testing._internal's op_db as import tests (utils/opinfo-diff.py)."""

import math
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
    "empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted", "multinomial", "normal", "uniform",
    "nn.functional.feature_alpha_dropout", "nn.functional.alpha_dropout", "nn.functional.dropout3d", "nn.functional.rrelu", "cauchy",
    "log_normal", "geometric", "resize_", "resize_as_", "svd_lowrank", "pca_lowrank", "to_sparse", "nonzero", "unique",
    "unique_consecutive", "view_as_complex", "view_as_real", "tensor_split_", "item", "tolist"})
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


def operator_db():
    """PyTorch's list of operators with samples."""
    _let_import()
    from torch.testing._internal import common_methods_invocations as invocations
    # Calls that draw would draw by a seed of the list's; all engines draw by diff.SEED.
    invocations.wrapper_set_seed = lambda op, *args, **kwargs: op(*args, **kwargs)
    return invocations.op_db


def supported_operators(names=(), everything=False):
    """OpInfos of the names, or of all callables that the importer knows, or all."""
    op_db = operator_db()
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


def _convolved(_, weight, *__, **___):
    return math.prod(weight.shape[1:])


def _transposed(_, weight, *__, **___):
    return math.prod(weight.shape) // weight.shape[1]


def _sampled(x, *_, **__):
    # A place among n pixels, rounded three times, moves the result by twice the largest pixel for each pixel that it is off; at once, not
    # by chance of many.
    return 3 * (2 * max(x.shape[2:])) ** 2


# {operator: function of a call's arguments that gives the number of roundings in an element of the result}
ROUNDINGS = {
    "addbmm": lambda _, a, b, **__: a.shape[0] * a.shape[2] + 1,
    "baddbmm": lambda _, a, b, **__: a.shape[2] + 1,
    "matmul": lambda a, b, **__: a.shape[-1],
    "__rmatmul__": lambda b, a, **__: a.shape[-1],
    "mm": lambda a, b, **__: a.shape[-1],
    "bmm": lambda a, b, **__: a.shape[-1],
    "mv": lambda a, b, **__: a.shape[-1],
    "nn.functional.linear": lambda a, *_, **__: a.shape[-1] + 1,
    "addmm": lambda _, a, b, **__: a.shape[1] + 1,
    "addr": lambda *_, **__: 3,
    "cross": lambda *_, **__: 3,
    "linalg.cross": lambda *_, **__: 3,
    "nn.functional.bilinear": lambda a, b, weight, *_, **__: math.prod(weight.shape[1:]),
    "nn.functional.conv1d": _convolved,
    "nn.functional.conv_transpose1d": _transposed,
    "nn.functional.conv2d": _convolved,
    "nn.functional.conv_transpose2d": _transposed,
    "nn.functional.conv3d": _convolved,
    "nn.functional.conv_transpose3d": _transposed,
    "grid_sampler_2d": _sampled,
    "nn.functional.grid_sample": _sampled,
    # Less the mean, times the reciprocal deviation, times the weight, plus the bias.
    "nn.functional.instance_norm": lambda *_, **__: 4,
}


# An element of a transform is a sum of all elements.
ROUNDINGS |= dict.fromkeys((f"fft.{kind}fft{dims}" for kind in ("", "i", "r", "ir", "h", "ih") for dims in ("", "2", "n")), lambda x, *_, **__: x.numel())
POWERS = frozenset({"pow", "__rpow__", "float_power"})


def tolerances(name, dtype, args, kwargs, want):
    """(rtol, atol) for the results `want` of a call; None for those of assert_close.

    Those of a dtype are relative to an element, which may be the small difference of large parts: what was rounded are the parts. Elements
    of a result differ by chance, so that the parts are as large as the largest of them; n roundings by the unit u, of either sign, add
    up to sqrt(n) u of that. So far do two orders of summation differ, or kernels that keep the parts in float32 and ones that do not.
    """
    rtol, atol = {torch.bfloat16: (2e-2, 2e-2), torch.float16: (5e-3, 5e-3)}.get(dtype, (None, None))
    if name in POWERS and dtype.is_complex:
        # exp(y * log(x)): what y * log(x) is rounded by is how far the result is turned and scaled.
        x, y = args if name == "pow" else args[::-1]
        turned = (torch.as_tensor(y) * torch.as_tensor(x, dtype=dtype).log()).abs().nan_to_num(0, 0, 0)
        return 4 * torch.finfo(dtype).eps * max(1, turned.max().item() if turned.numel() else 0), 1e-5
    if name not in ROUNDINGS or not (dtype.is_floating_point or dtype.is_complex):
        return rtol, atol
    if rtol is None:
        rtol, atol = (1e-7, 1e-7) if dtype in (torch.float64, torch.complex128) else (1.3e-6, 1e-5)
    largest = max((tensor.nan_to_num(0, 0, 0).abs().max().item() for tensor in want if tensor.numel()), default=0)
    # A complex product is four real ones.
    count = (4 if dtype.is_complex else 1) * ROUNDINGS[name](*args, **kwargs)
    return rtol, max(atol, math.sqrt(count) * torch.finfo(dtype).eps / 2 * largest)


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
        want, after = diff.eager(target, args, kwargs)
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
    tolerance = tolerances(info.name, dtype, args, kwargs, want)
    try:
        wrong = diff.check_module(module, tensors, target, args, kwargs, *tolerance)
        if not wrong and outcome["batch"] is not None:
            outcome["batch"].add(f"{info.name} {label}", module, {**module.weights, **dict(zip(module.inputs, tensors))}, want,
                                 {n: after[id(t)] for n, t in zip(module.inputs, tensors)}, *tolerance)
    except Exception as error:
        wrong = f"{type(error).__name__}: {str(error)[:200]}"
    if wrong:
        outcome["failed"].append(f"{label}: {wrong}")
    else:
        outcome["same"].append(label)
