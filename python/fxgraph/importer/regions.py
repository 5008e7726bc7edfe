# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Subgraphs of higher-order operators as regions.

A region is isolated: what it needs it takes as arguments. While one is imported
nothing is known of the graph around it, no constant, no size, no storage.
"""

import contextlib

import torch

from . import ir, symbols
from .graph import Unsupported, flatten
from .tracker import Storage, Tensor


@contextlib.contextmanager
def _inside(importer):
    """The list that receives the ops of a region."""
    graph, known = importer.graph, importer.symbols
    outer = graph.ops, importer.constants, known.values, known.sources, known.elements, importer.loc, importer.node, importer.env
    graph.ops, importer.constants, known.values, known.sources, known.elements = [], {}, {}, [], {}
    try:
        yield graph.ops
    finally:
        graph.ops, importer.constants, known.values, known.sources, known.elements, importer.loc, importer.node, importer.env = outer


class Operands:
    """What a region takes: tensors and symbolic sizes are operands of its op, Python's numbers are known inside."""

    def __init__(self, importer, inputs):
        self.values = []
        for item in inputs:
            if isinstance(item, Tensor):
                self.values.append(item.read())
            elif isinstance(item, torch.SymInt) and symbols.as_int(item) is None:
                self.values.append(importer.symbols.materialize(item))
            elif not isinstance(item, (bool, int, float, type(None))):
                raise Unsupported(f"a graph that takes a {type(item).__name__} is not modelled")


def build(importer, module, inputs, finish):
    """The region of a subgraph that takes `inputs`: tensors, of which the fakes tell the types, sizes and numbers.

    `finish` makes the yielded values of what the graph returns. Raises Unsupported if the graph writes what it takes, or holds
    an op that is not modelled.
    """
    from .handlers.higher_order import inline
    unknown = len(importer.unknown)
    with _inside(importer) as ops:
        arguments, placed = [], []
        for item in inputs:
            if isinstance(item, Tensor):
                # In storage of its own: the tensor outside is another value.
                fake = importer.replay.adopt(item.fake)
                value = ir.Value(importer.graph.unique_name("arg"), importer.type_of(fake))
                importer.symbols.add_source(fake, value)
                item = importer.register(importer.fresh(value, fake))
            elif isinstance(item, torch.SymInt) and symbols.as_int(item) is None:
                value = ir.Value(importer.graph.unique_name("size"), ir.INDEX)
                importer.symbols.define(item, value)
            else:
                placed.append(item)
                continue
            arguments.append(value)
            placed.append(item)
        result = inline(importer, module, placed)
        for item in placed:
            if isinstance(item, Tensor) and version(item):
                raise Unsupported("a graph that writes what it takes is not modelled")
        if len(importer.unknown) > unknown:
            raise Unsupported(f"its graph holds {importer.unknown[-1].target}: {importer.unknown[-1].reason}")
        importer.emit_raw("fxgraph.yield", finish(result), [])
    return ir.Region(arguments, ops)


def version(tensor):
    tensor.storage.settle()
    return tensor.storage.version


def yielded(importer, types):
    """The `finish` of a graph whose results are tensors of these types."""
    def finish(result):
        items = list(flatten(result))
        if len(items) != len(types) or not all(isinstance(item, Tensor) for item in items):
            raise Unsupported("a graph with results that are no tensors is not modelled")
        values = [item.read() for item in items]
        for value, type_ in zip(values, types):
            if value.type.dtype != type_.dtype or value.type.rank != type_.rank or value.type.device != type_.device:
                raise Unsupported(f"a graph that gives a {value.type} in the place of a {type_} is not modelled")
        return values
    return finish


def predicate(importer):
    """The `finish` of a condition: one bool of rank 0."""
    def finish(result):
        result = symbols.plain(result[0] if isinstance(result, (list, tuple)) and len(result) == 1 else result)
        if isinstance(result, bool):
            return [importer.constant(result, "i1")]
        return [scalar_bool(importer, result)]
    return finish


def scalar_bool(importer, condition):
    """A tensor of one element or a SymBool as a rank-0 bool."""
    value = importer.symbols.number(condition) if isinstance(condition, torch.SymBool) else importer.value(condition)
    if value.type.rank:
        value = importer.emit_reshape(value, value.type.with_dims(()), shape=())
    return importer.cast(value, "i1")


def results(importer, fakes, values):
    """The tensors of a region op's results."""
    tensors = []
    for fake, value in zip(fakes, values, strict=True):
        importer.symbols.add_source(fake, value)
        tensors.append(importer.fresh(value, fake))
    return tensors


def slice_of(importer, tensor):
    """A tensor such as a step of a loop over `tensor` sees: never read, its fake alone counts."""
    fake = importer.replay.call(lambda t: torch.select(t, 0, 0), [tensor.fake], {})
    return Tensor(Storage(None, fake), (), fake)
