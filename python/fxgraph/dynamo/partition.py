# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Splits an ATen graph into parts that are compiled and ops that PyTorch runs.

Every node gets a level: a compiled node has the highest level among its operands, and one
more than an operand that PyTorch computes; a node of PyTorch's has the highest level among
its operands and the nodes with an effect before it. The compiled nodes of a level are one part. A
part needs only results of lower levels, so that the parts are as large as they can be
without a cycle, in one walk over the graph. The call runs, level by level, the part and
then PyTorch's nodes in their old order.
"""

import collections
import operator

import torch
import torch.fx

from . import nodes, strides
from .sizes import InputSizes, emit_read
from ..importer import graph, symbols

# A part with fewer ops that compute is not worth a call, unless it is all there is.
MIN_OPS = 2
# What moves or names elements and computes none; views as well.
COPIES = frozenset({"aten.clone.default", "aten._unsafe_view.default", "aten.alias.default", "aten.lift_fresh_copy.default"})


def computes(node):
    return nodes.is_op(node) and not nodes.is_view_op(node) and nodes.name_of(node) not in COPIES


def replay_views(gm):
    """Makes views again from what they share memory with, in PyTorch, where the memory matters.

    That is for results of the graph that are views of an input, or of what another result is a view of, and
    for operands of as_strided. Compiled ops use the views before. Returns the new nodes.
    """
    copies = {}

    def replayed(node, root, user):
        if node is root:
            return node
        if node not in copies:
            source = replayed(node.args[0], root, user)
            with gm.graph.inserting_before(user):
                copies[node] = gm.graph.node_copy(node, lambda argument: source if argument is node.args[0] else argument)
        return copies[node]

    for user in [node for node in gm.graph.nodes if nodes.addresses_memory(node)]:
        user.replace_input_with(user.args[0], replayed(user.args[0], nodes.root_of(user.args[0]), user))
    output = next(iter(gm.graph.find_nodes(op="output")))
    results = dict.fromkeys(node for node in graph.flatten(output.args[0]) if isinstance(node, torch.fx.Node))
    sharing = collections.Counter(map(nodes.root_of, results))
    for node in results:
        root = nodes.root_of(node)
        if node is not root and node not in copies.values() and (sharing[root] > 1 or root.op == "placeholder"):
            output.replace_input_with(node, replayed(node, root, output))
    return set(copies.values())


def remove_unused(graph_):
    """Removes what has no users and no effect."""
    for node in reversed(graph_.nodes):
        if node.op in ("call_function", "get_attr") and not node.users and not nodes.has_effect(node):
            graph_.erase_node(node)


def operands(node, sizes):
    """The nodes whose results must be there before a compiled node runs: tensors, and symbols of sizes.

    Other numbers are computed again from them where they are used.
    """
    for argument in node.all_input_nodes:
        if not nodes.is_number(argument):
            yield argument
        elif isinstance(argument.meta["val"], torch.SymInt):
            yield from sizes.numbers_of(argument)
        elif isinstance(argument.meta["val"], (torch.SymFloat, torch.SymBool)):
            yield from operands(argument, sizes)


def size():
    """In the graph of a part: a size that the importer computes by its expression, the node's meta."""


def restrided(node, sizes, env):
    """A part's result with the strides that PyTorch promises."""
    fake = node.meta["val"]
    if not strides.differ(fake):
        return node
    wanted = tuple(map(symbols.as_int, fake.stride()))
    if None not in wanted:
        call = node.graph.call_function(strides.restride, (node, wanted))
    else:
        places, function = sizes.reader(fake.stride())
        call = node.graph.call_function(strides.restride_by(function), (node, *(emit_read(node.graph, p, env.get) for p in places)))
    call.meta = node.meta
    return call


class Part:
    """Nodes that are compiled together."""

    def __init__(self, members, sizes):
        self.members = members
        self.by_name = {node.name: node for node in members}  # the names that they have in graph_module, too
        inside = set(members)
        used = dict.fromkeys(operand for node in members for operand in operands(node, sizes) if operand not in inside)
        self.constants = [node for node in used if node.op == "get_attr"]
        self.inputs = [node for node in used if node.op != "get_attr"]
        self.results = [node for node in members if isinstance(node.meta["val"], torch.Tensor)
                        and any(user not in inside for user in node.users)]

    @property
    def key(self):
        return tuple(self.members), tuple(self.results)

    def ops(self):
        return [node for node in self.members if nodes.is_op(node)]

    def graph_module(self, owner):
        """The part as a graph of its own."""
        part, env = torch.fx.Graph(), {}

        def copied(node):
            if node not in env:  # a number
                of_elements = isinstance(node.meta["val"], (torch.SymFloat, torch.SymBool))
                env[node] = part.node_copy(node, copied) if of_elements else part.call_function(size)
                env[node].meta = node.meta
            return env[node]

        for node in self.inputs:
            env[node] = part.placeholder(node.name)
            env[node].meta = {"val": node.meta["val"]}
        for node in [*self.constants, *self.members]:
            env[node] = part.node_copy(node, copied)
        part.output(tuple(env[node] for node in self.results))
        return torch.fx.GraphModule(owner, part)


class Split:
    """The levels of a graph, given the nodes that PyTorch runs."""

    def __init__(self, gm, outside):
        self.gm, self.outside = gm, outside
        self.sizes = sizes = InputSizes(gm)
        self.levels = levels = {}
        by_level = collections.defaultdict(list)
        last_effect = -1
        for node in gm.graph.nodes:
            if self.is_compiled(node):
                levels[node] = max((levels[o] + (not self.is_compiled(o)) for o in operands(node, sizes)), default=0)
                by_level[levels[node]].append(node)
                continue
            levels[node] = max((levels[o] for o in node.all_input_nodes), default=-1)
            if nodes.has_effect(node):
                levels[node] = last_effect = max(levels[node], last_effect)
        self.parts = {level: Part(members, sizes) for level, members in sorted(by_level.items())}

    def is_compiled(self, node):
        if nodes.is_item(node):
            return self.is_compiled(node.args[0])
        return nodes.is_op(node) and node not in self.outside

    def not_worth_a_call(self):
        """Parts that are left to PyTorch: of views alone, or of one op beside others that PyTorch runs."""
        alone = len(self.parts) == 1 and not any(map(computes, self.outside))
        least = 1 if alone else MIN_OPS
        return [part for part in self.parts.values() if sum(map(computes, part.members)) < least]

    def assemble(self, functions):
        """The whole graph with a call for each part; `functions` has (function, the inputs that it takes) by level."""
        whole, env = torch.fx.Graph(), {}
        remaining = collections.defaultdict(list)
        for node in self.gm.graph.nodes:
            if node.op in ("placeholder", "get_attr"):
                env[node] = whole.node_copy(node)
            elif node.op != "output" and not self.is_compiled(node):
                remaining[self.levels[node]].append(node)
        for level in sorted({*remaining, *self.parts}):
            if level in self.parts:
                function, taken = functions[level]
                call = whole.call_function(function, tuple(env[node] for node in taken))
                for number, node in enumerate(self.parts[level].results):
                    env[node] = whole.call_function(operator.getitem, (call, number))
                    env[node].meta = node.meta
                    if not all(self.is_compiled(user) for user in node.users):
                        env[node] = restrided(env[node], self.sizes, env)
            for node in remaining[level]:
                env[node] = whole.node_copy(node, env.__getitem__)
        output = next(iter(self.gm.graph.find_nodes(op="output")))
        whole.node_copy(output, env.__getitem__)
        remove_unused(whole)
        return torch.fx.GraphModule(self.gm, whole)

