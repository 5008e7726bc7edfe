# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inductor's side of comparisons: Dynamo's graph of a function, and Inductor's pre-grad passes on it."""

import torch
from torch._dynamo.utils import counters
from torch._inductor import config
from torch._inductor.fx_passes.pre_grad import pre_grad_passes

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
