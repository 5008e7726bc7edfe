# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the results of a captured function lie in memory, for the way back to PyTorch."""

import torch
import torch.fx

from ..outputs import Capture, Layout
from ..strides import wanted_strides
from .tracker import Tensor


class _NoView(Exception):
    """A result that no calls of PyTorch's views make of the arguments."""


class _Views:
    """The calls that make views of arguments, as the source graph has them."""

    def __init__(self, importer):
        self.importer, self.owner = importer, {}
        for node, value in importer.env.items():
            if isinstance(value, Tensor):
                self.owner.setdefault(id(value), node)
        self.names = {argument.value: argument.name for argument in importer.graph.arguments}

    def graph(self, tensor):
        """A graph whose placeholders are arguments; None if there is none."""
        graph, made = torch.fx.Graph(), {}

        def copy(node):
            value = self.importer.env.get(node)
            # A call that writes its argument and returns it makes nothing.
            node = self.owner[id(value)] if isinstance(value, Tensor) else node
            if node not in made:
                made[node] = make(node, value)
            return made[node]

        def make(node, value):
            if node.op == "placeholder" or node.op == "get_attr":
                if not isinstance(value, Tensor) or value.storage is not tensor.storage or value.chain:
                    raise _NoView
                return graph.placeholder(self.names[value.storage.argument])
            from .graph import flatten
            tensors = [item for item in flatten(value) if isinstance(item, Tensor)]
            if node.op == "call_module" or any(item.storage is not tensor.storage for item in tensors):
                raise _NoView
            args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), copy)
            return graph.create_node(node.op, node.target, args, kwargs)

        try:
            graph.output(copy(self.owner[id(tensor)]))
        except (_NoView, KeyError):
            return None
        return graph


def describe(importer, results):
    """The Capture of an import whose flat results are these."""
    views, numbers, layouts = None, {}, []

    def number(thing):
        return numbers.setdefault(id(thing), len(numbers))

    for item in results:
        if not isinstance(item, Tensor) or item.fake.layout is not torch.strided:
            layouts.append(None)
            continue
        argument, view = item.storage.argument, None
        if argument is not None:
            views = views or _Views(importer)
            argument, view = views.names[argument], views.graph(item)
        layouts.append(Layout(item.fake, wanted_strides(item.fake), number(item.storage), number(item), argument, view))
    inputs = {argument.name: storage.fake for storage, argument in zip(importer.storages, tensor_arguments(importer))}
    return Capture(importer.fake_mode, inputs, layouts)


def tensor_arguments(importer):
    """The function's arguments that are tensors, in order."""
    by_value = {storage.argument for storage in importer.storages}
    return [argument for argument in importer.graph.arguments if argument.value in by_value]
