# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops with regions: PyTorch's higher-order operators with the regions as graphs."""

import torch
import torch.fx

from ..errors import FxGraphError
from ..walk import Type
from . import callables
from .callables import aten, call
from .memory import storage_of


higher_order = torch.ops.higher_order
HANDLERS = {}


def handles(name):
    def wrap(function):
        HANDLERS[name] = function
        return function
    return wrap


def run(op, operands):
    """Results of an op with regions as a list."""
    if op.name == "fxgraph.b2b_gemm":
        return [_two_products(op, *operands)]
    if op.name == "fxgraph.invoke_quant":
        result = _invoke_quant(op, operands)
        return [result[i] for i in range(len(op.types))]
    if op.name not in HANDLERS:
        raise FxGraphError(f"expected an op with regions that PyTorch has but got {op.name}")
    segments, start, groups = op.attrs.get("operandSegmentSizes") or [1, len(operands) - 1], 0, []
    for size in segments:
        groups.append(operands[start:start + size])
        start += size
    result = HANDLERS[op.name](*groups, *op.regions)
    return [result[i] for i in range(len(op.types))]


def _two_products(op, a, b, c):
    """What passes make of two products and the ops between them, as those."""
    from .graph import Block
    body, = op.regions

    def between(inner):
        return Block(body.arguments, [inner]).run(body.ops)[0]

    if op.attrs["left"]:
        return call(aten.mm.default, between(call(aten.mm.default, a, b)), c)
    return call(aten.mm.default, a, between(call(aten.mm.default, b, c)))


@handles("fxgraph.cond")
def cond(predicate, operands, then, otherwise):
    return call(higher_order.cond, predicate[0], _graph(then), _graph(otherwise), tuple(operands))


def _invoke_quant(op, operands):
    """Plain, one result is no tuple; packed, all are one."""
    body, attrs = op.regions[0], op.attrs
    options = {} if attrs.get("scheme") is None else {"scheme": attrs["scheme"]}
    if attrs.get("packed"):
        return call(higher_order.invoke_quant_packed, _graph(body), *operands, **options)
    single = len(op.types) == 1
    result = call(higher_order.invoke_quant, _graph(body, is_single=single), *operands, **options)
    return [result] if single else result


@handles("fxgraph.while_loop")
def while_loop(carried, additional, condition, body):
    return call(higher_order.while_loop, _graph(condition, is_single=True), _graph(body), tuple(carried), tuple(additional))


@handles("fxgraph.map")
def map_(mapped, additional, body):
    return call(higher_order.map_impl, _graph(body), list(mapped), list(additional))


@handles("fxgraph.scan")
def scan(carried, scanned, additional, body):
    return call(higher_order.scan, _graph(body), list(carried), list(scanned), tuple(additional))


def _graph(region, is_single=False):
    """A region as a GraphModule, whose results share no memory with what it takes or with each other."""
    from .graph import Block
    from .recorder import Recorder
    outer = callables.RECORDER.get()
    root, graph = torch.nn.Module(), torch.fx.Graph()
    recorder = Recorder(graph, root, outer and outer.mode)
    placeholders = []
    for i, (_, type_) in enumerate(region.arguments):
        placeholders.append(recorder.placeholder(f"arg{i}", None))
        if isinstance(type_, Type):
            recorder.assume(placeholders[-1], type_)
    token = callables.RECORDER.set(recorder)
    try:
        yielded = Block(region.arguments, placeholders).run(region.ops)
        seen = {storage_of(recorder.fake(value)) for value in placeholders} - {None}
        nodes, outputs = {value.node for value in placeholders}, []
        for value in yielded:
            storage = storage_of(recorder.fake(value))
            if value.node in nodes or storage in seen:
                value = aten.clone.default(value)
                storage = storage_of(recorder.fake(value))
            nodes.add(value.node)
            seen |= {storage} - {None}
            outputs.append(value.node)
    finally:
        callables.RECORDER.reset(token)
    graph.output(outputs[0] if is_single else tuple(outputs))
    recorder.drop_unused_literals()
    return torch.fx.GraphModule(root, graph)
