# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Symbolic sizes at a call: computed from the sizes of the graph's inputs."""

import math

import torch
from torch.utils._sympy.printers import PythonPrinter

from . import nodes
from ..importer import symbols


class InputSizes:
    """Where the symbols of a graph's sizes are in its inputs; `numbers` has those that are numbers of the graph, also computed ones."""

    def __init__(self, gm):
        self.places = {}  # symbol -> (placeholder, dim; None where the placeholder is the size)
        self.numbers = {}  # symbol -> node
        for node in gm.graph.find_nodes(op="placeholder"):
            value = node.meta.get("val")
            for dim, size in [(None, value)] if isinstance(value, torch.SymInt) else enumerate(getattr(value, "shape", ())):
                expr = symbols.expression(size)
                if expr.is_Symbol:
                    self.places.setdefault(expr, (node, dim))

        for node in gm.graph.nodes:
            value = node.meta.get("val")
            if isinstance(value, torch.SymInt) and symbols.expression(value).is_Symbol:
                self.numbers.setdefault(symbols.expression(value), node)

    def numbers_of(self, node):
        """The nodes of the symbols that a size is computed from, or the size itself where they are not numbers of the graph."""
        free = symbols.expression(node.meta["val"]).free_symbols
        if all(symbol in self.numbers for symbol in free):
            return [self.numbers[symbol] for symbol in sorted(free, key=str)]
        return [node]

    def tell(self, numbers):
        """True if the inputs tell all symbols of some sizes."""
        return all(symbol in self.places for number in numbers for symbol in symbols.expression(number).free_symbols)

    def reader(self, numbers):
        """([(placeholder, dim)], function of what is there -> the values of some sizes as a tuple)."""
        exprs = [symbols.expression(number) for number in numbers]
        free = sorted(set().union(*(expr.free_symbols for expr in exprs)), key=str)
        text = f"lambda {', '.join(map(str, free))}: ({''.join(PythonPrinter().doprint(expr) + ', ' for expr in exprs)})"
        return [self.places[symbol] for symbol in free], eval(text, {"math": math})  # the text of expressions, nothing of the user's


def emit_read(graph, place, env=lambda node: node):
    """The node of a size that is in an input; `env` maps the input's node to one of the graph."""
    node, dim = place
    if dim is None:
        return env(node)
    size = graph.call_function(torch.ops.aten.sym_size.int, (env(node), dim))
    size.meta = {"val": node.meta["val"].shape[dim]}
    return size


def read_from_inputs(gm):
    """Sizes of tensors that the graph computes, as far as the inputs tell them, are read there.

    They wait for nothing then: a size would part the ops that make the tensor from those that use the size.
    """
    sizes = InputSizes(gm)
    for node in list(gm.graph.nodes):
        value = node.meta.get("val")
        if not nodes.is_number(node) or not isinstance(value, torch.SymInt) or not sizes.tell([value]):
            continue
        if all(argument.op == "placeholder" or nodes.is_number(argument) for argument in node.all_input_nodes):
            continue
        places, function = sizes.reader([value])
        with gm.graph.inserting_before(node):
            def read(*values, function=function):
                return function(*values)[0]
            new = gm.graph.call_function(read, tuple(emit_read(gm.graph, place) for place in places))
        new.meta = {"val": value}
        node.replace_all_uses_with(new)
        gm.graph.erase_node(node)
