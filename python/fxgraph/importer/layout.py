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
    """One graph of the calls that make views of arguments, as the source graph has them."""

    def __init__(self, importer):
        self.importer, self.graph, self.made, self.owner = importer, torch.fx.Graph(), {}, {}
        moved = {id(fake) for fake in importer.moved}  # their nodes made other views than they are now
        for node, value in importer.env.items():
            if isinstance(value, Tensor) and id(value.fake) not in moved:
                self.owner.setdefault(id(value.fake), node)
        self.names = {argument.value: argument.name for argument in importer.graph.arguments}

    def node(self, tensor):
        """The node that makes a tensor; None if there is none. Placeholders are arguments by name."""
        try:
            return self._copy(self.owner[id(tensor.fake)], tensor.storage)
        except (_NoView, KeyError):
            return None

    def _copy(self, node, storage):
        value = self.importer.env[node]
        # A call that writes its argument and returns it makes nothing.
        node = self.owner[id(value.fake)] if isinstance(value, Tensor) else node
        if node not in self.made:
            self.made[node] = self._make(node, value, storage)
        return self.made[node]

    def _make(self, node, value, storage):
        from .graph import flatten, has_tensor
        from .handlers.complex import is_pair
        if storage is not None and any(item.storage is not storage for item in flatten(value) if isinstance(item, Tensor)):
            raise _NoView
        if node.op in ("placeholder", "get_attr") and isinstance(value, Tensor) and (not value.chain or is_pair(value) and len(value.chain) == 1):
            return self.graph.placeholder(self.names[value.storage.argument])
        if not has_tensor(value):
            storage = None  # a size may be another argument's
        elif storage is None:
            raise _NoView
        if node.op not in ("call_function", "call_method"):
            raise _NoView
        args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), lambda n: self._copy(n, storage))
        return self.graph.create_node(node.op, node.target, args, kwargs)


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
            argument, view = views.names[argument], views.node(item)
        layouts.append(Layout(item.fake, wanted_strides(item.fake), number(item.storage), number(item.fake), argument, view))
    # As PyTorch's function takes them: complex ones, which are pairs here, among them.
    fakes = {tensor.storage: tensor.fake for tensor, *_ in importer.arguments if tensor.fake.dtype.is_complex}
    inputs = {argument.name: fakes.get(storage, storage.fake) for storage, argument in zip(importer.storages, tensor_arguments(importer))}
    return Capture(importer.fake_mode, inputs, layouts)


def tensor_arguments(importer):
    """The function's arguments that are tensors, in order."""
    by_value = {storage.argument for storage in importer.storages}
    return [argument for argument in importer.graph.arguments if argument.value in by_value]
