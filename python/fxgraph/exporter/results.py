# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The end of an exported graph: its results, in memory as PyTorch's are, and the writes to its arguments.

The order is: what must be read before anything is written, all writes, then the
results that are views of arguments, as PyTorch makes them.
"""

import torch

from ..outputs import result_of
from ..strides import ANY, has_strides, holds
from . import memory
from .callables import aten
from .sizes import Sizes


class _End:
    def __init__(self, recorder, arguments, written, inputs):
        self.recorder, self.arguments = recorder, arguments
        self.inputs = inputs  # their fake tensors in the capture
        self.written = {self.storage(arguments[key]) for key in written}
        # Memory that results of their own do not share: of arguments and literals.
        self.held = {memory.storage_of(fake) for node, fake in recorder.fakes.items() if node.op in ("placeholder", "get_attr")}
        self.done = {}  # identity of a captured output -> its value
        self.replayed = {}
        self.sizes = Sizes(recorder, arguments.values())

    def storage(self, value):
        return memory.storage_of(self.recorder.fake(value))

    def unwritten(self, value):
        """The value, or a copy of it if its memory is (or may be) written later."""
        storage = self.storage(value)
        return aten.clone.default(value) if self.written and (storage is None or storage in self.written) else value

    # -- results of their own -------------------------------------------------

    def own(self, members):
        """Outputs that share one storage, which nothing else does: [(layout, value)], each object once."""
        lazy = [i for i, (layout, value) in enumerate(members) if len(members) > 1 and (layout.is_conj or layout.is_neg)
                or not self.reads_as(value, layout)]
        members = [(layout, memory.stored(value, layout) if i in lazy else value) for i, (layout, value) in enumerate(members)]
        fakes = [self.recorder.fake(value) for _, value in members]
        taken = any(storage is not None and storage in self.held for storage in map(memory.storage_of, fakes))
        layouts = [layout for layout, _ in members]
        values = [value for _, value in members]
        if len(members) == 1:
            values = [self.one(values[0], layouts[0], taken)]
        elif taken or not self.alike(fakes, layouts):
            if all(layout.is_static for layout in layouts):
                values = memory.share_bits(values, layouts)
            elif all(map(self.sizes.tell, layouts)):
                values = self.views_of_whole(values, layouts, taken) or memory.place(values, layouts, self.sizes)
            else:
                values = [self.one(value, layout, taken) for layout, value in members]
        for i, (layout, value) in enumerate(zip(layouts, values)):
            self.held.add(self.storage(value))
            # Two views of the same elements are two objects; a view that changes nothing may be the tensor that it is given.
            value = aten.alias.default(value) if any(self.may_be(value, other) for other in values[:i]) else value
            self.done[layout.identity] = memory.shown(value, layout) if i in lazy else value

    def reads_as(self, value, layout):
        """True if a value is conjugated, or negated, where the captured one is."""
        fake = self.recorder.fake(value)
        return (fake is not None and fake.is_conj(), fake is not None and fake.is_neg()) == (layout.is_conj, layout.is_neg)

    def may_be(self, value, other):
        """True if two values may be one object."""
        fakes = self.recorder.fake(value), self.recorder.fake(other)
        return value is other or any(fake is None for fake in fakes) or memory.storage_of(fakes[0]) == memory.storage_of(fakes[1]) and \
            fakes[0].dtype == fakes[1].dtype and fakes[0].dim() == fakes[1].dim() and all(
                holds(mine == its) for mine, its in zip((*fakes[0].shape, *fakes[0].stride(), fakes[0].storage_offset()),
                                                        (*fakes[1].shape, *fakes[1].stride(), fakes[1].storage_offset())))

    def tells_strides(self, layout):
        """True if strides that have no name (`wanted_strides`) are what the arguments tell."""
        return layout.wanted == ANY and not layout.is_static and self.sizes.tell(layout)

    def alike(self, fakes, layouts):
        """True if tensors lie to one another as the captured ones do."""
        first, wanted = fakes[0], layouts[0]
        if any(memory.storage_of(fake) is None or memory.storage_of(fake) != memory.storage_of(first) for fake in fakes):
            return False
        return all((_has_geometry(fake, layout) if self.tells_strides(layout) else has_strides(fake, layout.wanted))
                   and holds(fake.storage_offset() * fake.element_size() - first.storage_offset() * first.element_size()
                             == layout.byte_offset - wanted.byte_offset)
                   for fake, layout in zip(fakes, layouts))

    def views_of_whole(self, values, layouts, taken):
        """The values as views by strides of the one of them that is all of the memory; or None."""
        whole = next((i for i, layout in enumerate(layouts) if all(map(layout.covers, layouts))), None)
        if whole is None:
            return None
        fake = self.recorder.fake(values[whole])
        first = fake is not None and holds(fake.storage_offset() == 0)
        base = self.one(values[whole], layouts[whole], taken or not first)
        return [base if i == whole else aten.as_strided.default(base, *self.sizes.geometry(layout)) for i, layout in enumerate(layouts)]

    def one(self, value, layout, taken):
        wanted, fake = layout.wanted, self.recorder.fake(value)
        lies_so = not taken and fake is not None and _has_geometry(fake, layout)
        if self.tells_strides(layout) and not lies_so:
            return memory.place([value], [layout], self.sizes)[0]
        if not taken:
            return memory.restride(self.unwritten(value), wanted)
        if wanted is None:
            return aten.clone.default(value, memory_format=torch.contiguous_format)
        return memory.restride(aten.clone.default(value), wanted)

    # -- results that are views of arguments ------------------------------------

    def is_of_argument(self, layout):
        return layout.argument in self.arguments and (layout.view is not None or self.sizes.tell(layout))

    def of_argument(self, layout):
        """The captured view of an argument; the argument itself where PyTorch returns that."""
        if layout.view is not None:
            return self.replay(layout.view)
        view = memory.view_of(self.arguments[layout.argument], self.inputs[layout.argument], layout, self.sizes.value)
        return memory.shown(view, layout)

    def replay(self, node):
        """The calls of a graph whose placeholders are arguments by name."""
        if node not in self.replayed:
            args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), self.replay)
            if node.op == "placeholder":
                self.replayed[node] = self.arguments[node.target]
            else:
                self.replayed[node] = self.recorder.create_proxy(node.op, node.target, args, kwargs)
        return self.replayed[node]


def _has_geometry(fake, layout):
    """True if a tensor is known to have the layout's strides, also those that have no name (`wanted_strides`)."""
    return all(holds(extent == 1) or holds(mine == other) for extent, mine, other in zip(layout.shape, fake.stride(), layout.strides, strict=True))


def finish(recorder, entries, arguments, values, written):
    """Records the end of the graph; the outputs. `written` is {argument's name: its new value}, complex where the argument is."""
    capture = getattr(entries, "capture", None)
    entries = range(len(values)) if entries is None else entries
    layouts = capture.layouts if capture else [None] * len(entries)
    end = _End(recorder, arguments, written, capture.inputs if capture else {})
    sources = {key: end.unwritten(value) for key, value in written.items()}
    outputs, groups = [None] * len(entries), {}
    for i, (entry, layout) in enumerate(zip(entries, layouts, strict=True)):
        number = result_of(entry)
        if number is None:
            outputs[i] = None if entry is None else entry[1]
        elif isinstance(entry, tuple) and entry[0] != "complex":
            outputs[i] = _python_number(recorder, values[number])
        elif layout is None:
            # Literals are made anew by each call, too.
            literal = isinstance(values[number], torch.fx.Proxy) and values[number].node.op == "get_attr" and \
                all(values[number] is not argument for argument in arguments.values())
            value = memory.as_complex(values[number]) if isinstance(entry, tuple) else values[number]
            outputs[i] = aten.clone.default(value) if literal else end.unwritten(value)
        elif not end.is_of_argument(layout) and layout.identity not in groups.get(layout.storage, ()):
            value = memory.as_complex(values[number]) if isinstance(entry, tuple) else values[number]
            groups.setdefault(layout.storage, {})[layout.identity] = layout, value
    for members in groups.values():
        end.own(list(members.values()))
    for key, value in sources.items():
        aten.copy_.default(arguments[key], value)
    for i, layout in enumerate(layouts):
        if layout is None:
            continue
        if layout.identity not in end.done:
            end.done[layout.identity] = end.of_argument(layout)
        outputs[i] = end.done[layout.identity]
    return [output.node if isinstance(output, torch.fx.Proxy) else output for output in outputs]


def _python_number(recorder, value):
    """A rank-0 tensor as the number that PyTorch returns; sizes are numbers."""
    fake = recorder.fake(value)
    return value.item() if isinstance(fake, torch.Tensor) else value
