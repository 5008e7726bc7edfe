# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of a call that PyTorch gives as an argument, as a view of one, in memory of other results, or as one tensor twice."""

import torch
import torch.fx

from ..exporter import memory
from ..outputs import as_complex


def _reads_argument_alone(view):
    """Whether calls make the view of one argument, without sizes of another."""
    found, ahead = set(), [view]
    while ahead:
        node = ahead.pop()
        if node.op == "placeholder":
            found.add(node)
        ahead += node.all_input_nodes
    return len(found) == 1


def _can_be_made(layout, fake):
    if layout.view is not None:
        return _reads_argument_alone(layout.view)
    return layout.is_static and all(isinstance(number, int) for number in (*fake.stride(), fake.storage_offset()))


class _View:
    """How a result is made of its argument.

    source  the argument's strides in the capture; None where sizes are among them
    make    the captured calls, or None: memory alone says what the view is
    """

    def __init__(self, layout, fake):
        strides = tuple(fake.stride())
        self.source = strides if all(isinstance(number, int) for number in strides) else None
        self.calls = layout.view is not None
        # Without calls, right for arguments that lie in memory as the captured one did.
        self.make = _calls(layout) if self.calls else lambda argument: memory.shown(memory.view_of(argument, fake, layout), layout)

    def of(self, argument):
        """The view; None of a number, and where PyTorch has no such view of an argument with other strides than the captured one."""
        if not isinstance(argument, torch.Tensor):
            return None
        if argument.stride() == self.source:
            return self.make(argument)
        if not self.calls:
            return None
        try:
            return self.make(argument)
        except RuntimeError as error:
            if "view size is not compatible" in str(error):
                return None
            raise


def _calls(layout):
    """The captured calls as a function of the argument."""
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
                weight = weights[name] if at is None else None
                if weight is not None and capture.inputs[name].dtype.is_complex and not weight.is_complex():
                    weight = as_complex(weight)
                self.views.append((i, at, weight, _View(layout, capture.inputs[name])))
        self.groups = []  # ([outputs], [layouts]): the outputs whose memory is one, but no argument's
        own = {}
        for i in first.values():
            if layouts[i].argument is None:
                own.setdefault(layouts[i].storage, []).append(i)
        for members in own.values():
            if len(members) > 1 and all(layouts[i].is_static for i in members):
                self.groups.append((members, [layouts[i] for i in members]))

    def __bool__(self):
        return bool(self.views or self.repeated or self.groups)

    def apply(self, flat, inputs):
        """Puts the shared tensors in the place of the flat outputs that are equal to them."""
        with torch.no_grad():
            for i, at, weight, view in self.views:
                made = view.of(weight if at is None else inputs[at])
                flat[i] = flat[i] if made is None else made
            for members, layouts in self.groups:
                values = [memory.stored(flat[i], layout) for i, layout in zip(members, layouts)]
                for i, tensor, layout in zip(members, memory.share_bits(values, layouts), layouts, strict=True):
                    flat[i] = memory.shown(tensor, layout)
        for i, same in self.repeated:
            flat[i] = flat[same]
        return flat
