# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions under vmap, grad, vjp and jvp: from the outermost increment of functorch's nesting to its decrement.

Tensors inside lack their batch dimensions, and record what is computed of them. The region is run once on metas
under PyTorch's own interpreters and traced, which gives plain ATen ops on whole
tensors; these are imported in its place.
"""

import torch
import torch.autograd.forward_ad as forward_ad
import torch.fx

from ..graph import Unsupported, callable_key, flatten
from ..tracker import Tensor
from .decompose import decompositions

INCREMENTS = ("_vmap_increment_nesting", "_grad_increment_nesting", "_jvp_increment_nesting")
DECREMENTS = ("_vmap_decrement_nesting", "_grad_decrement_nesting", "_jvp_decrement_nesting")


def is_start(node):
    return node.op == "call_function" and callable_key(node.target).endswith(INCREMENTS)


def region_end(nodes, start):
    """Index of the node that closes the region, or None.

    That is the decrement, or what is differentiated later: the function that vjp returns, which jacrev calls under
    vmap, takes derivatives of the region's own values when the region is left.
    """
    depth, last = 0, start
    for i in range(start, len(nodes)):
        uses = [user for user in nodes[i].users if user.op == "call_function" and callable_key(user.target).endswith("._autograd_grad")]
        last = max([last, *(nodes.index(user, i) for user in uses)])
        if nodes[i].op == "call_function":
            key = callable_key(nodes[i].target)
            depth += key.endswith(INCREMENTS)
            depth -= key.endswith(DECREMENTS)
        if depth == 0 and i >= last:
            return i
    return None


def lower_region(importer, gm, nodes):
    """Imports the nodes of one region; the env has its results."""
    from torch.fx.experimental.proxy_tensor import make_fx
    from .higher_order import inline
    inside = set(nodes)
    outputs = [n for n in nodes if any(u not in inside for u in n.users)]
    inputs = []
    for node in nodes:
        for operand in node.all_input_nodes:
            if operand not in inside and operand not in inputs and isinstance(importer.env.get(operand), Tensor):
                inputs.append(operand)

    def function(*metas):
        env = dict(zip(inputs, metas))

        def put(argument):
            if isinstance(argument, torch.fx.Node):
                value = env[argument] if argument in env else importer.env[argument]
                if any(isinstance(v, Tensor) for v in flatten(value)):
                    raise Unsupported("a tuple of tensors from outside of a functorch region")
                return value
            return argument

        for node in nodes:
            if node.op == "get_attr":
                env[node] = importer.leaf(gm, node)
                continue
            args = torch.fx.node.map_aggregate(node.args, put)
            kwargs = torch.fx.node.map_aggregate(node.kwargs, put)
            if node.op == "call_method":
                env[node] = getattr(args[0], node.target)(*args[1:], **kwargs)
            elif node.op == "call_function":
                env[node] = node.target(*args, **kwargs)
            else:
                raise Unsupported(f"{node.op} in a functorch region")
        return [env[n] for n in outputs]

    fakes = [importer.env[n].fake for n in inputs]
    dual_level = forward_ad._current_level
    depth = torch._C._functorch.get_dynamic_layer_stack_depth()
    hooks = torch._C._autograd._saved_tensors_hooks_is_enabled()
    try:
        # As Dynamo's graph assumes: what a region does not differentiate needs no gradient.
        with torch.enable_grad(), importer.fake_mode, importer.autocast.active():
            traced = make_fx(function, decomposition_table=decompositions())(*fakes)
    except Unsupported:
        raise
    except Exception as error:
        raise Unsupported(f"a functorch region cannot be traced: {type(error).__name__}: {str(error).partition(chr(10))[0]}") from None
    finally:
        # A failed run must not leave the nesting raised, nor a level of forward derivatives.
        torch._C._functorch.pop_dynamic_layer_stack_and_undo_to_depth(depth)
        # What disables them for an inner transform may be in the region, and what enables them again behind it.
        if hooks:
            torch._C._autograd._saved_tensors_hooks_enable()
        while forward_ad._current_level > dual_level:
            forward_ad.exit_dual_level()
    with importer.autocast.suspended():
        results = inline(importer, traced, [importer.env[n] for n in inputs])
    for node, result in zip(outputs, results):
        importer.env[node] = result
