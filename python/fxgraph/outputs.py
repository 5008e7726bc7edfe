# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch's function returns, from the results of the graph's function.

`Module.outputs` has an entry for each of PyTorch's flat outputs:

    number k           result k, a tensor
    (type, k)          result k as a Python number: ("int", k), ("float", k), ("bool", k)
    ("complex", k)     result k, a tensor of real and imaginary parts, as a complex one
    ("python", value)  a value that does not depend on the inputs
    None               None

`Outputs` is the list of them for a captured module, with what the exporter needs
to give back tensors that lie in memory as the captured function's do.
"""

import math

NUMBERS = {"int": int, "float": float, "bool": bool}


def result_of(entry):
    """Number of the function's result that an entry is made of, or None."""
    if isinstance(entry, tuple):
        return entry[1] if entry[0] in NUMBERS or entry[0] == "complex" else None
    return entry


def as_complex(pair):
    """A tensor of real and imaginary parts as a complex one: a view where its strides allow that."""
    import torch  # which this module does without
    if pair.stride(-1) != 1 or pair.storage_offset() % 2 or any(stride % 2 for stride in pair.stride()[:-1]):
        pair = pair.clone(memory_format=torch.contiguous_format)
    return torch.view_as_complex(pair)


def restore(entries, results):
    """PyTorch's flat outputs; `results` is indexed by the results' numbers."""
    flat = []
    for entry in entries:
        if isinstance(entry, tuple):
            kind, value = entry
            flat.append(NUMBERS[kind](results[value]) if kind in NUMBERS else as_complex(results[value]) if kind == "complex" else value)
        else:
            flat.append(None if entry is None else results[entry])
    return flat


class Outputs(list):
    """The entries; `capture` is the Capture of an imported function."""

    capture = None


class Capture:
    """How the tensors of a captured function lie in memory.

    mode     the FakeTensorMode of the capture, in which sizes and strides are
    inputs   {argument's name: fake tensor}
    layouts  for each flat output its Layout, None for what is no tensor
    """

    def __init__(self, mode, inputs, layouts):
        self.mode, self.inputs, self.layouts = mode, inputs, layouts

    def fake(self, recorder, name):
        """A fake tensor like an argument, in a storage of its own; None where the argument is none of the capture's."""
        known = self.inputs.get(name)
        return known if known is None else recorder.empty(known.shape, known.stride(), known.dtype, known.device)


class Layout:
    """One output of a captured function.

    shape, strides, offset, dtype, byte_offset   in its storage
    is_conj, is_neg   it has the conjugates, or the negatives, of what is there
    wanted    the strides as the exporter takes them
    storage   equal for outputs that share memory
    identity  equal for outputs that are one object
    argument  the name of the argument whose memory it is, or None
    view      the node of an fx.Graph that makes it of arguments (placeholders by name), if there is one
    """

    __slots__ = ("shape", "strides", "offset", "dtype", "is_conj", "is_neg", "byte_offset", "wanted", "storage", "identity", "argument", "view")

    def __init__(self, fake, wanted, storage, identity, argument, view):
        self.shape, self.strides, self.offset, self.dtype = tuple(fake.shape), tuple(fake.stride()), fake.storage_offset(), fake.dtype
        self.is_conj, self.is_neg = fake.is_conj(), fake.is_neg()
        self.byte_offset = self.offset * fake.element_size()
        self.wanted, self.storage, self.identity, self.argument, self.view = wanted, storage, identity, argument, view

    @property
    def is_static(self):
        return all(isinstance(number, int) for number in (*self.shape, *self.strides, self.offset))

    @property
    def is_dense(self):
        """True if the elements are known to lie in memory without gaps, each once."""
        return self.wanted is None or isinstance(self.wanted, dict)

    def covers(self, other):
        """True if the memory of another output is known to be a part of this one's, which begins where the storage does and has no gaps
        (what is repeated in it, by a stride of 0, is there once)."""
        from .strides import dense_order, holds  # needs torch, which this module does without

        once = [(extent, stride) for extent, stride in zip(self.shape, self.strides) if not holds(stride == 0)]
        shape, strides = [extent for extent, _ in once], [stride for _, stride in once]
        if self.dtype != other.dtype or self.offset != 0 or dense_order(shape, strides) is None:
            return False
        reach = sum((extent - 1) * stride for extent, stride in zip(other.shape, other.strides)) + 1
        return holds(other.offset + reach <= math.prod(shape)) and (self.is_dense or all(holds(extent > 0) for extent in self.shape))
