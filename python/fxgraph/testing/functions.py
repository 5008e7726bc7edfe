# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of whole functions: capture, import, run the import, compare with eager."""

import copy
import warnings

import torch
import torch.utils._pytree as pytree

from . import diff
from ..outputs import restore


def run_module(module, inputs):
    """(flat outputs, {written name: value}) of an imported module on tensors."""
    from fxgraph.exporter import evaluate
    named = {**module.weights, **dict(zip(module.inputs, inputs))}
    results, written = evaluate(module.asm, {k: v.detach().clone() for k, v in named.items()}, subgraphs=module.subgraphs)
    return restore(module.outputs, results), written


def check_function(function, args, level, dynamic_shapes=None, other_args=None, batch=None):
    """(module, None or what differs): results and the inputs and buffers after the call.

    `other_args`: more argument lists to run the same import on (dynamic shapes).
    `batch`: a batch.Batch that gets each run too.
    """
    import fxgraph
    pristine = copy.deepcopy(function) if isinstance(function, torch.nn.Module) else function
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = fxgraph.capture(function, *copy.deepcopy(args), level=level, dynamic_shapes=dynamic_shapes)
    if module.unknown_ops:
        return module, f"opaque: {module.unknown_ops}"
    for values in [args, *(other_args or [])]:
        wrong = compare_once(module, pristine, values, batch)
        if wrong:
            return module, wrong
    return module, None


def compare_once(module, function, args, batch=None):
    model = copy.deepcopy(function) if isinstance(function, torch.nn.Module) else function
    eager_args = copy.deepcopy(args)
    with torch.no_grad():
        want = pytree.tree_leaves(model(*eager_args), is_leaf=lambda x: x is None)
    inputs = [t for t in pytree.tree_leaves(copy.deepcopy(args)) if isinstance(t, torch.Tensor)]
    got, written = run_module(module, inputs)
    after = dict(zip(module.inputs, (t for t in pytree.tree_leaves(eager_args) if isinstance(t, torch.Tensor))))
    before = dict(zip(module.inputs, inputs))
    if isinstance(model, torch.nn.Module):
        state = {**dict(model.named_buffers()), **dict(model.named_parameters())}
        after.update({k: v.detach() for k, v in state.items() if k in module.weights})
        before.update(module.weights)
    if batch is not None:
        batch.add(getattr(function, "__name__", type(function).__name__), module, {**module.weights, **dict(zip(module.inputs, inputs))},
                  [w for w in want if w is not None], after)
    if len(got) != len(want):
        return f"expected {len(want)} results but got {len(got)}"
    for i, (g, w) in enumerate(zip(got, want)):
        wrong = diff.compare(g, w)
        if wrong:
            return f"result {i}: {wrong}"
    for name, value in after.items():
        wrong = diff.compare(written.get(name, before[name]), value)
        if wrong:
            return f"{name} after the call: {wrong}"
    return None
