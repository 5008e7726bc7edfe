# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls a function in eager mode and under the backend, and compares all that PyTorch promises."""

import copy

import torch
import torch.utils._pytree as pytree

import fxgraph.dynamo


def aliases(tensors):
    """Which of the tensors are one object, and which share memory, by the first of each."""
    ids, storages = [id(t) for t in tensors], [t.untyped_storage().data_ptr() if t.numel() else None for t in tensors]
    return [ids.index(i) for i in ids], [k if s is None else storages.index(s) for k, s in enumerate(storages)]


def assert_same_call(eager, compiled, args, rtol=None, atol=None):
    """Results, their dtypes, shapes, strides and aliases, and the arguments afterwards are the same."""
    want_args, got_args = copy.deepcopy(args), copy.deepcopy(args)
    torch.manual_seed(0)
    want = eager(*want_args)
    want_state = torch.random.get_rng_state()
    torch.manual_seed(0)
    got = compiled(*got_args)
    assert torch.equal(torch.random.get_rng_state(), want_state), "the random generator is in another state"
    want_flat, want_spec = pytree.tree_flatten((want, want_args))
    got_flat, got_spec = pytree.tree_flatten((got, got_args))
    assert got_spec == want_spec
    for w, g in zip(want_flat, got_flat):
        if not isinstance(w, torch.Tensor):
            assert type(g) is type(w) and g == w
            continue
        assert g.dtype == w.dtype and g.shape == w.shape and g.device == w.device
        assert g.stride() == w.stride(), f"expected strides {w.stride()} but got {g.stride()} for shape {tuple(w.shape)}"
        assert g.requires_grad == w.requires_grad and g.is_inference() == w.is_inference()
        if w.layout is torch.strided:
            torch.testing.assert_close(g, w, rtol=rtol, atol=atol, equal_nan=True)
    dense = [[t for t in flat if isinstance(t, torch.Tensor) and t.layout is torch.strided] for flat in (want_flat, got_flat)]
    assert aliases(dense[1]) == aliases(dense[0])
    return got


def check(function, *calls, grad=False, dynamic=None, fullgraph=True, **options):
    """Compiles a function for one call or more, as tuples of arguments, and gives the statistics of its graphs."""
    torch._dynamo.reset()
    fxgraph.dynamo.reset_stats()
    compiled = torch.compile(function, backend="fxgraph", dynamic=dynamic, fullgraph=fullgraph, options=options or None)
    with torch.set_grad_enabled(grad):
        for args in calls:
            assert_same_call(function, compiled, args)
    return fxgraph.dynamo.stats()


def left(stats):
    """The names of the ops that PyTorch runs."""
    return [op.op for graph in stats for op in graph.left]
