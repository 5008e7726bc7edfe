# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of a call that PyTorch gives as an argument, as a view of one, or as one tensor twice."""

import torch
import torch.fx


class _AsStrided:
    """A view of an argument that no calls are known to make: right for arguments that lie in memory as the captured one did."""

    def __init__(self, layout, fake):
        self.shape, self.strides, self.offset = layout.shape, layout.strides, layout.offset - fake.storage_offset()
        self.source = tuple(fake.stride())

    def __call__(self, argument):
        if argument.stride() != self.source:
            raise RuntimeError(f"expected strides {self.source} but got {argument.stride()}")
        return argument.as_strided(self.shape, self.strides, argument.storage_offset() + self.offset)


def _can_be_made(layout, fake):
    return layout.view is not None or layout.is_static and all(isinstance(number, int) for number in (*fake.stride(), fake.storage_offset()))


def _maker(layout, fake):
    """The function that makes a result of its argument: the captured calls."""
    if layout.view is None:
        return _AsStrided(layout, fake)
    graph, made = torch.fx.Graph(), {}
    argument = graph.placeholder("argument")

    def copy(node):
        if node not in made:
            made[node] = argument if node.op == "placeholder" else graph.node_copy(node, copy)
        return made[node]

    graph.output(copy(layout.view))
    return torch.fx.GraphModule({}, graph).forward


class Sharing:
    """What is done to the flat outputs after a run, which gave each result memory of its own.

    capture   of the outputs
    names     of the inputs, in order
    weights   {name: tensor}
    """

    def __init__(self, capture, names, weights):
        layouts = {i: layout for i, layout in enumerate(capture.layouts) if layout is not None}
        first = {}  # identity -> number of the output that has it first
        self.repeated = [(i, first[layout.identity]) for i, layout in layouts.items() if first.setdefault(layout.identity, i) != i]
        self.views = []  # (output, number of the input or None, weight or None, how it is made)
        for i in first.values():
            layout, name = layouts[i], layouts[i].argument
            if (name in names or name in weights) and _can_be_made(layout, capture.inputs[name]):
                at = names.index(name) if name in names else None
                self.views.append((i, at, weights[name] if at is None else None, _maker(layout, capture.inputs[name])))

    def __bool__(self):
        return bool(self.views or self.repeated)

    def apply(self, flat, inputs):
        """Puts the shared tensors in the place of the flat outputs that are equal to them."""
        with torch.no_grad():
            for i, at, weight, make in self.views:
                try:
                    flat[i] = make(weight if at is None else inputs[at])
                except RuntimeError:
                    pass  # of an argument with other strides than the captured one, of which PyTorch has no such view
        for i, same in self.repeated:
            flat[i] = flat[same]
        return flat
