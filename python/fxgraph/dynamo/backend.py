# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The function that Dynamo hands each of its graphs to."""

import logging

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.exc import TorchDynamoException
from torch._functorch.aot_autograd import make_boxed_func

from . import tracing
from .compiler import compile_graph
from .nodes import is_call, name_of, tensors_of
from .options import Options
from .report import GraphStats, Left, record, say
from ..errors import FxGraphError
from ..importer.graph import flatten

GRADIENTS = "gradients of it may be asked for; torch.no_grad(), torch.inference_mode() and requires_grad_(False) say that they are not"


def fxgraph(gm, example_inputs, *, mode=None, options=None):
    """The backend of torch.compile(model, backend="fxgraph", options={…}); see options.Options."""
    options = Options.of(options, mode)
    if needs_gradients(gm, example_inputs):
        return run_whole(gm, options, GRADIENTS)

    traced = False

    def compiler(graph, _):
        nonlocal traced
        traced = True
        return compile_graph(graph, options)

    with tracing.kept():
        backend = aot_autograd(fw_compiler=in_pytorch, inference_compiler=compiler, decompositions=tracing.decompositions())
        try:
            return backend(gm, example_inputs)
        except (AssertionError, NotImplementedError, RuntimeError) as error:
            # What AOTAutograd has no functional form of, such as data of an input that is a computed tensor. Dynamo's own exceptions
            # tell it to trace again; the compiler's are errors.
            if traced or isinstance(error, TorchDynamoException):
                raise
            text = next(iter(str(error).splitlines()), "") or type(error).__name__
    return run_whole(gm, options, f"AOTAutograd cannot make it functional: {text}")


def in_pytorch(graph, _):
    """What AOTAutograd compiles a graph with that needs gradients after all."""
    return make_boxed_func(graph.forward)


def needs_gradients(gm, example_inputs):
    """True if a result of the graph, or what it writes, may be differentiated."""
    if not torch.is_grad_enabled() or not any(x.requires_grad for x in example_inputs if isinstance(x, torch.Tensor)):
        return False

    def asked(node):
        return any(tensor.requires_grad for tensor in tensors_of(node.meta.get("example_value")))

    output = next(iter(gm.graph.find_nodes(op="output")))
    return any(asked(node) for node in gm.graph.nodes if node.op.startswith("call_")) or any(
        asked(node) for node in flatten(output.args[0]) if isinstance(node, torch.fx.Node))


def run_whole(gm, options, reason):
    """A graph that PyTorch runs as it is."""
    if options.strict:
        raise FxGraphError(f"expected a graph to compile, as the option strict asks, but {reason}")
    say(logging.WARNING, f"PyTorch runs a whole graph: {reason}")
    left = tuple(Left(name_of(node), "", reason) for node in gm.graph.nodes if is_call(node))
    record(GraphStats(None, {}, left, 0, reason))
    return gm.forward
