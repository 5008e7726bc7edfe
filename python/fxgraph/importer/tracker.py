# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functionalisation: tensors as views of versioned storages.

A tensor is a storage and a chain of view steps from the storage's base value.
Reading a tensor gives its SSA value; if its storage was written since, the
chain is replayed on the current base. Writing a tensor runs the chain's
inverses (slice_scatter, select_scatter, inverse permute, reshape) from the
tensor back to the base and gives the storage a new base value, so that the
base and all sibling views see the write. Cost: one op for each step of the
chain, at the reads and writes that need it.
"""


class Storage:
    """What PyTorch tensors share. `base` is the SSA value of the whole, `fake` its tensor; `known` once a fake's storage stands for it."""

    __slots__ = ("base", "version", "argument", "cache", "fake", "history", "known", "released")

    def __init__(self, base, fake, argument=None):
        self.base, self.fake, self.version, self.argument = base, fake, 0, argument
        self.cache, self.history, self.known, self.released = {(): base}, [], False, False

    def settle(self):
        """Takes back the writes whose ops were taken back."""
        while self.base.dead:
            self.base, self.version = self.history.pop()
            self.cache = {(): self.base}

    def release(self):
        """Its memory was given back: what was written is not there any more, and is read nowhere before it is written again."""
        if self.argument is not None:
            self.history.append((self.base, self.version))
            self.base = self.argument
        self.cache, self.released = {(): self.base}, True

    def cached(self, chain):
        """The value of a view chain, if it is known and its op was not taken back."""
        value = self.cache.get(chain)
        return None if value is None or value.dead else value


class Tensor:
    """A view of a storage; `fake` carries shape, dtype and strides."""

    __slots__ = ("storage", "chain", "fake")

    def __init__(self, storage, chain, fake):
        self.storage, self.chain, self.fake = storage, chain, fake

    def read(self):
        """The SSA value now."""
        storage = self.storage
        storage.settle()
        if storage.released:
            from .graph import Unsupported
            raise Unsupported("it is read after its memory was given back (resize_storage_bytes_)")
        at, value = len(self.chain), storage.cached(self.chain)
        while value is None:
            at -= 1
            value = storage.cached(self.chain[:at])
        for i in range(at, len(self.chain)):
            value = self.chain[i].replay(value)
            storage.cache[self.chain[: i + 1]] = value
        return value

    def view(self, step, value, fake):
        """The tensor that `step` makes of this one; `value` is its SSA value now."""
        chain = self.chain + (step,)
        self.storage.cache[chain] = value
        return Tensor(self.storage, chain, fake)

    def write(self, value):
        """Makes `value` the tensor's content, seen through every alias."""
        prefixes = [Tensor(self.storage, self.chain[:i], None).read() for i in range(len(self.chain))]
        current = value
        for step, before in zip(reversed(self.chain), reversed(prefixes)):
            current = step.scatter(before, current)
        storage = self.storage
        storage.history.append((storage.base, storage.version))
        storage.base = current
        storage.version += 1
        storage.cache, storage.released = {(): current, self.chain: value}, False


class Step:
    """One view step: how to make it again, and how to write back through it.

    `overlaps`: elements may share memory. Written as a whole, the last of them
    counts; a part of it cannot be written so (`Importer.write`).
    """

    __slots__ = ("replay", "scatter", "overlaps")

    def __init__(self, replay, scatter, overlaps=False):
        self.replay, self.scatter, self.overlaps = replay, scatter, overlaps
