# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inductor's side of comparisons: the graphs of a function before and behind autodiff, and Inductor's passes on them."""

import copy
import operator

import torch
from torch._dynamo.utils import counters
from torch._inductor import config
from torch._inductor.fx_passes.joint_graph import joint_graph_passes
from torch._inductor.fx_passes.post_grad import post_grad_passes, view_to_reshape
from torch._inductor.fx_passes.pre_grad import pre_grad_passes
from torch._inductor.virtualized import V

import fxgraph


def dynamo_graph(function, inputs, dynamic=None):
    """(FX graph, its arguments) as Dynamo hands them to a backend: the weights of a module are arguments too.

    The function runs once on `inputs`; what it writes to them is in the arguments.
    """
    found = []

    def backend(graph, arguments):
        found.append((graph, arguments))
        return graph.forward

    torch._dynamo.reset()  # What it has compiled before would not come here.
    with torch.no_grad():
        torch.compile(function, backend=backend, fullgraph=True, dynamic=dynamic)(*inputs)
    return found[0]


def both_graphs(function, inputs):
    """((FX graph, arguments) for Inductor, (fxgraph.Module, inputs) for our passes) of one capture by Dynamo.

    Neither side's tensors have been written to, and what one of them writes the other does not see.
    """
    own = [x.clone() for x in inputs]
    graph, arguments = dynamo_graph(function, own)
    places = {id(x): place for place, x in enumerate(own)}
    taken = [inputs[places[id(x)]] if id(x) in places else x for x in arguments]
    module = fxgraph.from_fx(graph, taken)
    values = [x.clone() for x in taken if not isinstance(x, torch.nn.Parameter)]
    return (graph, [x if isinstance(x, torch.nn.Parameter) else x.clone() for x in taken]), (module, values)


def run_pre_grad(graph, arguments, options, **settings):
    """(graph, counters) of Inductor's pre_grad_passes with `options` as its pre_grad_fusion_options.

    `settings` are more of its configuration. The passes change the graph they are given; what they raise is theirs.
    """
    counters.clear()
    with config.patch(pre_grad_fusion_options=options, post_grad_fusion_options={}, **settings), torch.no_grad():
        changed = pre_grad_passes(graph, arguments)
    return changed, dict(counters["inductor"])


def inference_graph(function, inputs, dynamic=None):
    """(ATen graph, its arguments) as AOTAutograd hands them to Inductor for inference: functional, with Inductor's
    decompositions, metadata on the nodes; the weights of a module are arguments.
    """
    from torch._dynamo.backends.common import aot_autograd
    from torch._inductor.decomposition import select_decomp_table
    found = []

    def compiler(graph, fakes):
        def run(*arguments):
            found.append((graph, [x.clone() if isinstance(x, torch.Tensor) else x for x in arguments]))
            return graph.forward(*arguments)
        return run

    torch._dynamo.reset()
    backend = aot_autograd(fw_compiler=compiler, inference_compiler=compiler, decompositions=select_decomp_table())
    with torch.no_grad(), config.patch(freezing=False):
        torch.compile(function, backend=backend, fullgraph=True, dynamic=dynamic)(*inputs)
    return found[0]


def _fake_mode(graph):
    for node in graph.graph.nodes:
        value = node.meta.get("val")
        if isinstance(value, torch._subclasses.FakeTensor):
            return value.fake_mode
    return None


def run_inference_passes(graph, level, options=None, **settings):
    """(graph, counters) of Inductor's passes of `level`, "joint" or "post", on an ATen graph for inference.

    `options` are its post_grad_fusion_options, `settings` more of its configuration. The graph given stays as it is.
    """
    graph = copy.deepcopy(graph)
    counters.clear()
    with config.patch(post_grad_fusion_options=options or {}, pre_grad_fusion_options={}, **settings), torch.no_grad(), \
            V.set_fake_mode(_fake_mode(graph)):
        if level == "joint":
            joint_graph_passes(graph)
        else:
            view_to_reshape(graph)
            post_grad_passes(graph, is_inference=True)
    return graph, dict(counters["inductor"])


def count_ops(graph):
    """Calls in an FX graph, but for those that take one of several results."""
    return sum(node.op == "call_function" and node.target is not operator.getitem for node in graph.graph.nodes)
