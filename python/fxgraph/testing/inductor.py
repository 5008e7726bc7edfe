# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inductor's side of comparisons: the graphs of a function before and behind autodiff, and Inductor's passes on them."""

import copy
import operator

import torch
import torch.utils._pytree as pytree
from torch._dynamo.utils import counters
from torch._functorch.compile_utils import fx_graph_cse
from torch._inductor import config
from torch._inductor.freezing import constant_fold, replace_node_with_constant
from torch._inductor.fx_passes.freezing_patterns import freezing_passes
from torch._inductor.fx_passes.joint_graph import joint_graph_passes
from torch._inductor.fx_passes.post_grad import post_grad_passes, view_to_reshape
from torch._inductor.fx_passes.pre_grad import pre_grad_passes
from torch._inductor.virtualized import V
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.overrides import TorchFunctionMode

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


def aten_graph(function, inputs):
    """The ATen graph of a function of tensors for inference, as Inductor gets it: functional (writes to inputs are copies at
    its end), with Inductor's decompositions, fake tensors on the nodes.
    """
    from torch._inductor.decomposition import select_decomp_table
    from torch.fx.experimental.proxy_tensor import make_fx
    with torch.no_grad():
        graph = make_fx(torch.func.functionalize(lambda *xs: function(*xs)), decomposition_table=select_decomp_table(), tracing_mode="fake",
                        _allow_non_fake_inputs=True)(*inputs)
    graph.graph.eliminate_dead_code()
    graph.recompile()
    return graph


class _Differentiable(TorchFunctionMode):
    """Calls that autograd has no formula for, by those that have one."""

    BATCH_NORMS = {torch.ops.aten.batch_norm.default, torch.ops.aten.native_batch_norm.default,
                   torch.ops.aten._native_batch_norm_legit_no_training.default}

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if function is torch.ops.prims.convert_element_type.default:
            return args[0].to(args[1], copy=True)
        if function in self.BATCH_NORMS:
            # What is counted during training is not trained, nor written here.
            args = tuple(x.detach().clone() if place in (3, 4) and x is not None else x for place, x in enumerate(args))
        return function(*args, **kwargs)


def training_graphs(function, inputs):
    """(joint graph of `function` and its gradient, [graph of the forward pass, of the backward pass]), ATen graphs with
    Inductor's decompositions; each graph's arguments are among its nodes' metadata alone.

    `function` takes and returns tensors, of which one floating-point input at least requires a gradient. Tensors that it holds
    are constants of the graphs.
    """
    from torch._functorch.aot_autograd import aot_export_joint_simple
    from torch._functorch.partitioners import min_cut_rematerialization_partition
    from torch._inductor.decomposition import select_decomp_table

    def differentiable(*arguments):
        with _Differentiable():
            return function(*arguments)
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    with torch._guards.tracing(torch._guards.TracingContext(mode)):
        joint = aot_export_joint_simple(differentiable, inputs, trace_joint=True, decompositions=select_decomp_table())
    results = pytree.tree_leaves(next(iter(reversed(joint.graph.nodes))).args[0][0])
    with config.patch(freezing=False):
        parts = min_cut_rematerialization_partition(copy.deepcopy(joint), None, num_fwd_outputs=len(results))
    joint.graph.set_codegen(torch.fx.graph.CodeGen())  # arguments one by one, no lists of them
    joint.recompile()
    return joint, list(parts)


def _fake_mode(graph):
    for node in graph.graph.nodes:
        value = node.meta.get("val")
        if isinstance(value, torch._subclasses.FakeTensor):
            return value.fake_mode
    return None


LEVELS = ("joint", "freezing", "post", "post-training")


def run_aten_passes(graph, level, options=None, weights=None, **settings):
    """(graph, counters) of Inductor's passes of `level`, one of LEVELS, on an ATen graph. The graph given stays as it is.

    `options` are its post_grad_fusion_options, `settings` more of its configuration. `weights` are {number of a placeholder:
    tensor}, for "freezing", behind which the graph has the other placeholders.
    """
    graph = copy.deepcopy(graph)
    counters.clear()
    with config.patch(post_grad_fusion_options=options or {}, pre_grad_fusion_options={}, **settings), torch.no_grad(), \
            V.set_fake_mode(_fake_mode(graph)):
        if level == "joint":
            joint_graph_passes(graph)
        elif level == "freezing":
            _freeze(graph, weights or {})
        else:
            view_to_reshape(graph)
            post_grad_passes(graph, is_inference=level == "post")
    graph.recompile()  # Fusions ask for it of the class of lazy graphs, not of this one.
    return graph, dict(counters["inductor"])


def _freeze(graph, weights):
    view_to_reshape(graph)
    for place, node in enumerate(graph.graph.find_nodes(op="placeholder")):
        if place in weights:
            replace_node_with_constant(graph, node, weights[place])
    graph.graph = fx_graph_cse(graph.graph)
    graph.recompile()
    freezing_passes(graph, [node.meta["val"] for node in graph.graph.find_nodes(op="placeholder")])
    constant_fold(graph)


def lower_calls(graph):
    """A graph of Inductor's passes whose calls of `cat_slice_cat`, which stand for two or three ops until they are lowered, are these ops.
    """
    aten = torch.ops.aten
    for node in list(graph.graph.nodes):
        if node.op != "call_function" or getattr(node.target, "__name__", "") != "cat_slice_cat":
            continue
        pieces, size, dim = node.kwargs.get("cat_input", node.args[0] if node.args else None), node.kwargs["size"], node.kwargs.get("dim", 1)
        with graph.graph.inserting_before(node):
            if 0 <= size <= pieces[0].meta["val"].shape[dim]:
                whole = graph.graph.call_function(aten.cat.default, ([*pieces, graph.graph.call_function(aten.slice.Tensor, (pieces[0], dim, 0, size))], dim))
            else:
                first = graph.graph.call_function(aten.cat.default, (pieces, dim))
                whole = graph.graph.call_function(aten.cat.default, ([first, graph.graph.call_function(aten.slice.Tensor, (first, dim, 0, size))], dim))
        node.replace_all_uses_with(whole)
        graph.graph.erase_node(node)
    graph.recompile()
    return graph


def count_ops(graph):
    """Calls in an FX graph, but for those that take one of several results."""
    return sum(node.op == "call_function" and node.target is not operator.getitem for node in graph.graph.nodes)
