# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of the way back: what `to_fx` of a captured function does, against eager.

Compared are values, dtypes, shapes, strides, which of the results, arguments and
buffers share memory or are one object, and all arguments and buffers afterwards.
"""

import copy
import warnings

import torch
import torch.utils._pytree as pytree

from .diff import compare

PIPELINES = (None, "fxgraph-pre-grad")


def duplicate(tensor):
    """A copy with the same strides."""
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype).copy_(tensor.detach())


def leaves(value):
    return pytree.tree_leaves(value, is_leaf=lambda x: x is None)


def _state(model):
    return {**dict(model.named_parameters()), **dict(model.named_buffers())} if isinstance(model, torch.nn.Module) else {}


def _sharing(tensors):
    """For each tensor the first one whose memory it shares, and the first that it is."""
    storages, objects = {}, {}
    found = []
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, torch.Tensor) or not tensor.numel():
            found.append(None)
        else:
            found.append((storages.setdefault(tensor.untyped_storage()._cdata, i), objects.setdefault(id(tensor), i)))
    return found


def _strides(tensor):
    """Strides that say something: of dims with more than one element."""
    return [(d, s) for d, (n, s) in enumerate(zip(tensor.shape, tensor.stride())) if n > 1] if tensor.numel() else []


class Run:
    """What a call gives and leaves behind."""

    def __init__(self, function, inputs, state, seed=0):
        torch.manual_seed(seed)
        with torch.no_grad():
            self.results = leaves(function(*inputs))
        self.after = {**{f"argument {i}": t for i, t in enumerate(inputs)}, **{f"weight {k}": t.detach() for k, t in state.items()}}
        self.sharing = _sharing([*inputs, *state.values(), *self.results])

    def snapshot(self):
        """Its tensors apart from others: a later run may write the same weights."""
        self.after = {key: tensor.clone() for key, tensor in self.after.items()}
        self.strides = [_strides(r) if isinstance(r, torch.Tensor) else None for r in self.results]
        self.results = [r.detach().clone() if isinstance(r, torch.Tensor) else r for r in self.results]
        return self


def _compare(got, want):
    """Tensors of float64 may have been computed in float32 before."""
    wide = isinstance(want, torch.Tensor) and want.dtype == torch.float64
    return compare(got, want, rtol=1.3e-6, atol=1e-5) if wide else compare(got, want)


def difference(got, want):
    """None, or how two runs differ."""
    if len(got.results) != len(want.results):
        return f"expected {len(want.results)} results but got {len(got.results)}"
    for i, (g, w) in enumerate(zip(got.results, want.results)):
        wrong = _compare(g, w) or (type(g) is not type(w) and not isinstance(w, torch.Tensor) and f"expected {w!r} but got {g!r}")
        if wrong:
            return f"result {i}: {wrong}"
        if got.strides[i] != want.strides[i]:
            return f"result {i}: expected strides {want.strides[i]} but got {got.strides[i]}"
    for name, value in want.after.items():
        wrong = _compare(got.after[name], value)
        if wrong:
            return f"{name} after the call: {wrong}"
    if got.sharing != want.sharing:
        return f"shared memory: expected {want.sharing} but got {got.sharing}"
    return None


def check_export(function, inputs, level="aten", pipelines=PIPELINES, other_inputs=(), **options):
    """(module, None or what is wrong) of a function's capture and its FX graph, as it is and after each of the pipelines."""
    import fxgraph
    model, eager = (copy.deepcopy(function) for _ in range(2)) if isinstance(function, torch.nn.Module) else (function, function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = fxgraph.capture(model, *map(duplicate, inputs), level=level, **options)
    saved = {key: tensor.detach().clone() for key, tensor in _state(model).items()}

    def reset():
        with torch.no_grad():
            for owner in (model, eager):
                for key, tensor in _state(owner).items():
                    tensor.copy_(saved[key])

    for pipeline in pipelines:
        if pipeline:
            module.run_passes(pipeline)
        gm = module.to_fx()
        for values in (inputs, *other_inputs):
            reset()
            got = Run(gm, list(map(duplicate, values)), _state(model)).snapshot()
            want = Run(eager, list(map(duplicate, values)), _state(eager)).snapshot()
            wrong = difference(got, want)
            if wrong:
                return module, f"{pipeline or 'as captured'}: {wrong}\n{gm.graph}"
    return module, None


def misleads(function, inputs, level, other_inputs=(), **options):
    """For the inputs and each of the other inputs: True if PyTorch's own graph of a function does something else than eager does, and so
    no import of it can be right.

    Dynamo is known for it: of a tensor whose shape changes in place it tells the size from before (`x.t_()`, then `x.shape[0]`).
    A program of torch.export's refuses extents that break a guard under which it was traced; Dynamo's graph leaves that to whoever calls it,
    so that for symbolic extents torch.export's is asked too.
    """
    from fxgraph.importer.capture import _dynamo_graph, one_error
    model, eager = (copy.deepcopy(function) for _ in range(2)) if isinstance(function, torch.nn.Module) else (function, function)
    with warnings.catch_warnings(), torch.no_grad(), one_error():
        warnings.simplefilter("ignore")
        graphs = []
        if level == "torch":
            graphs.append(_dynamo_graph(model, tuple(map(duplicate, inputs)), {}, options.get("dynamic_shapes"))[0])
        if level != "torch" or options.get("dynamic_shapes"):
            graphs.append(torch.export.export(model, tuple(map(duplicate, inputs)), **options).module())
        return [any(differs(graph, eager, values) for graph in graphs) for values in (inputs, *other_inputs)]


def differs(graph, eager, values, memory=False):
    """True if a graph of PyTorch's gives or leaves behind other tensors than eager, or fails; with `memory` also if its results have other
    strides or share other memory.

    A trace leaves out the `contiguous` of a second name whose shape it has from before the first one's changed in place. Of a graph that is
    all that an import is given such a one decides; a capture has the model's strides besides.
    """
    runs, states = [], []
    for function in (graph, eager):
        function = copy.deepcopy(function)  # it may write its weights
        # Dynamo puts the path to a weight before its name.
        states.append({name.removeprefix("L__self___"): tensor for name, tensor in _state(function).items()})
        try:
            runs.append(Run(function, list(map(duplicate, values)), {}).snapshot())
        except (AssertionError, IndexError, RuntimeError):
            return True
    (got, want), (state, after) = runs, states
    if memory and (got.strides != want.strides or got.sharing != want.sharing):
        return True
    pairs = zip([*got.results, *got.after.values()], [*want.results, *want.after.values()])
    return len(got.results) != len(want.results) or any(compare(a, b) for a, b in pairs) or any(
        compare(state[name], after[name]) for name in state.keys() & after.keys())
