# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Differential tests of the importer: one call, imported and run, against eager.

`import_call` builds the one-node FX graph of a call, imports it; `check` runs
the imported graph with torch (exporter.evaluate) on the same inputs and
compares results, dtypes, shapes and written inputs.
"""

import warnings

import torch
import torch.fx
import torch.utils._pytree as pytree

from ..outputs import restore

# Of what a call draws: that of the interpreter and the CPU back end where none is given, which then draw what eager draws.
SEED = 0
# Types of which equal tensors need no assert_close, which takes fifty times as long.
QUICK = (torch.float32, torch.float64, torch.int64, torch.int32, torch.bool)


def make_graph(target, args, kwargs):
    """(GraphModule of one call, its tensors). A str target is a method."""
    graph, tensors, nodes = torch.fx.Graph(), [], {}

    def placeholder(value):
        if not isinstance(value, torch.Tensor):
            return value
        if id(value) not in nodes:
            nodes[id(value)] = graph.placeholder(f"x{len(tensors)}")
            tensors.append(value)
        return nodes[id(value)]

    args, kwargs = pytree.tree_map(placeholder, (tuple(args), dict(kwargs)))
    if isinstance(target, str):
        call = graph.call_method(target, args, kwargs)
    else:
        call = graph.call_function(target, args, kwargs)
    graph.output(call)
    return torch.fx.GraphModule(torch.nn.Module(), graph), tensors


def import_call(target, args=(), kwargs=None, level="torch"):
    """(fxgraph.Module, tensors) of a call, or (level="aten") of the ATen ops that it dispatches to."""
    import fxgraph
    gm, tensors = make_graph(target, args, kwargs or {})
    if level == "aten":
        from torch.fx.experimental.proxy_tensor import make_fx
        with torch.no_grad():
            # Interpreted: the code of a graph cannot name every callable (lambdas).
            gm = make_fx(torch.fx.Interpreter(gm).run, tracing_mode="fake", pre_dispatch=True)(*tensors)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = fxgraph.from_fx(gm, tensors)
    return module, tensors


def eager(target, args, kwargs):
    """(flat results, argument tensors after the call) of the call on clones."""
    copies = {}

    def copy(value):
        if not isinstance(value, torch.Tensor):
            return value
        if id(value) not in copies:
            copies[id(value)] = value.detach().clone()
        return copies[id(value)]

    args, kwargs = pytree.tree_map(copy, (tuple(args), dict(kwargs or {})))
    torch.manual_seed(SEED)
    with torch.no_grad():
        if isinstance(target, str):
            result = getattr(args[0], target)(*args[1:], **kwargs)
        else:
            result = target(*args, **kwargs)
    return flat_results(result), copies


def flat_results(result):
    return [r for r in pytree.tree_leaves(result) if r is not None]


def compare(got, want, rtol=None, atol=None):
    """None, or how they differ."""
    if not isinstance(want, torch.Tensor):
        return None if got == want or got is want else f"expected {want!r} but got {got!r}"
    if not isinstance(got, torch.Tensor):
        return f"expected a tensor but got {type(got).__name__}"
    if got.dtype != want.dtype:
        return f"expected {want.dtype} but got {got.dtype}"
    if got.shape != want.shape:
        return f"expected shape {tuple(want.shape)} but got {tuple(got.shape)}"
    if want.dtype in QUICK and got.layout is want.layout is torch.strided and got.device == want.device and torch.equal(got, want):
        return None
    if want.dtype.itemsize == 1 and want.is_floating_point():
        rtol = atol = 0  # PyTorch compares no 8-bit floats but bit by bit
    try:
        torch.testing.assert_close(got, want, rtol=rtol, atol=atol, equal_nan=True, check_stride=False)
    except AssertionError as error:
        return str(error).splitlines()[0] + " " + " ".join(str(error).splitlines()[1:5])
    return None


def check(target, args=(), kwargs=None, rtol=None, atol=None):
    """(module, None or what is wrong) of a call that must not be opaque."""
    module, tensors = import_call(target, args, kwargs)
    if module.unknown_ops:
        return module, f"opaque: {module.unknown_ops[0].reason}"
    return module, check_module(module, tensors, target, args, kwargs, rtol, atol)


def parts(tensor):
    """What a graph takes of a tensor: the real and imaginary parts of a complex one."""
    return torch.view_as_real(tensor.resolve_conj()) if tensor.dtype in (torch.complex64, torch.complex128) else tensor


def check_module(module, tensors, target, args, kwargs=None, rtol=None, atol=None):
    from fxgraph.exporter import evaluate
    want, copies = eager(target, args, kwargs)
    named = dict(module.weights)
    named.update(zip(module.inputs, (parts(t.detach().clone()) for t in tensors)))
    torch.manual_seed(SEED)
    results, written = evaluate(module.asm, named)
    got = [value for value in restore(module.outputs, results) if value is not None]
    if len(got) != len(want):
        return f"expected {len(want)} results but got {len(got)}"
    for i, (g, w) in enumerate(zip(got, want)):
        wrong = compare(g, w, rtol, atol)
        if wrong:
            return f"result {i}: {wrong}"
    for name, tensor in zip(module.inputs, tensors):
        wrong = compare(written.get(name, parts(tensor)), parts(copies[id(tensor)]), rtol, atol)
        if wrong:
            return f"argument {name} after the call: {wrong}"
    return None
