# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs or records a graph in PyTorch.

`evaluate` computes a graph with torch, for tests of the importer and of the
passes. `to_fx` records the same calls as an fx.GraphModule.
"""

import contextvars
import itertools

import torch
import torch.fx

from ..errors import FxGraphError
from ..outputs import result_of
from ..walk import TypeAttr, functions
from . import callables

# Ops whose operands may be Python numbers (wrapped numbers).
NUMERIC = frozenset("fxgraph." + n for n in """add sub mul div pow maximum minimum remainder fmod atan2 eq ne lt le gt ge
    logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor where""".split())
INDEX_OPS = {
    "arith.addi": lambda a, b: a + b, "arith.subi": lambda a, b: a - b, "arith.muli": lambda a, b: a * b,
    "arith.divsi": lambda a, b: a // b, "arith.floordivsi": lambda a, b: a // b, "arith.remsi": lambda a, b: a % b,
    "arith.maxsi": max, "arith.minsi": min}


def _segments(op, operands):
    """Operands with None for the absent ones of AttrSizedOperandSegments."""
    sizes = op.attrs.get("operandSegmentSizes")
    if sizes is None:
        return operands
    result, at = [], 0
    for size in sizes:
        result.append(operands[at] if size else None)
        at += size
    return result


def run_op(op, operands, literals):
    """Results of one op as a list."""
    attrs = {k: v for k, v in op.attrs.items() if k != "operandSegmentSizes"}
    if op.name in INDEX_OPS:
        return [INDEX_OPS[op.name](*operands)]
    if op.name == "fxgraph.opaque":
        return run_opaque(op, operands)
    function = callables.OPS.get(op.name)
    if function is None:
        raise FxGraphError(f"expected an op that PyTorch has but got {op.name}")
    if op.name in NUMERIC:
        shapes = [None if lit is None else lit for lit in literals]
        others = [o for o, lit in zip(operands, shapes) if lit is None]
        if others or op.name != "fxgraph.where":
            operands = [o if lit is None or not others else lit for o, lit in zip(operands, shapes)]
    operands = _segments(op, operands)
    result = function(op.types, *operands, **attrs)
    if len(op.types) == 1 and not isinstance(result, (list, tuple)) and not op.name.endswith(("split", "chunk", "unbind", "split_with_sizes")):
        return [result]
    if len(op.types) == 0:
        return []
    return [result[i] for i in range(len(op.types))]


def run_opaque(op, operands):
    """The op that an opaque one names, with its argument tree."""
    target = op.attrs["target"]
    tree = op.attrs.get("args") or {}

    def decode(value):
        if isinstance(value, str):
            if value.startswith("%%"):
                return value[1:]
            return operands[int(value[1:])] if value.startswith("%") else value
        if isinstance(value, list):
            return [decode(v) for v in value]
        if isinstance(value, TypeAttr):
            return callables.MLIR_TO_TORCH[value.type]
        if isinstance(value, dict):
            if set(value) == {"graph", "number"}:
                return subgraph(value["number"], target)
            if set(value) == {"number"}:
                return decode(value["number"]).item()
            if set(value) == {"python"}:
                return python_object(value["python"])
            if set(value) == {"slice"}:
                return slice(*[decode(v) for v in value["slice"]])
            return {k: decode(v) for k, v in value.items()}
        return value

    args, kwargs = [decode(a) for a in tree.get("args", [])], {k: decode(v) for k, v in tree.get("kwargs", {}).items()}
    if target.startswith("higher_order."):
        operator = getattr(torch.ops.higher_order, target.partition(".")[2])

        def function(*positional, **named):
            # Proxies do not record these by themselves.
            record = callables.RECORDER.get()
            return record(operator, positional, named) if record else operator(*positional, **named)
    elif target.count(".") == 2 and not target.startswith(("torch.", "Tensor.")):
        namespace, name, overload = target.split(".")
        function = getattr(getattr(getattr(torch.ops, namespace), name), overload)
    elif target.startswith("Tensor."):
        # Looked up in the first argument: it may be a proxy.
        def function(first, *rest, **named):
            return getattr(first, target[len("Tensor."):])(*rest, **named)
    else:
        import importlib
        module, _, name = target.rpartition(".")
        function = importlib.import_module(module)
        function = getattr(function, name)

    def pick(result):
        """The op's own results, from the structure that the call returns (of proxies, too)."""
        if tree.get("paths") is None:
            return [] if not op.types else list(result) if isinstance(result, (list, tuple)) else [result]
        picked = []
        for path in filter(None, tree["paths"].split(";")):
            item = result
            for i in path.split(","):
                item = item[int(i)]
            picked.append(item)
        return picked

    writes = tree.get("writes") or []
    if writes:
        copies = [operands[i].clone() for i in writes]
        for i, copy in zip(writes, copies):
            operands[i] = copy
        args, kwargs = [decode(a) for a in tree.get("args", [])], {k: decode(v) for k, v in tree.get("kwargs", {}).items()}
        result = function(*args, **kwargs)
        if len(op.types) == len(copies):
            return copies
        return pick(result) + copies
    return pick(function(*args, **kwargs))


# The graphs that opaque higher-order ops call, by number.
SUBGRAPHS = contextvars.ContextVar("subgraphs", default=())


def subgraph(number, target):
    graphs = SUBGRAPHS.get()
    if number >= len(graphs):
        raise FxGraphError(f"expected the graphs of {target}, which only the module has that was imported from PyTorch")
    return graphs[number]


def python_object(text):
    """device, memory format, layout, Ellipsis, complex number or long integer of its text."""
    if text == "Ellipsis":
        return Ellipsis
    if text.startswith("torch."):
        return getattr(torch, text[len("torch."):])
    for make in (int, complex, torch.device):
        try:
            return make(text)
        except (ValueError, RuntimeError):
            continue
    raise FxGraphError(f"expected a Python object of PyTorch but got {text!r}")


def _walk(function, arguments):
    """(results, {argument name: new value}) of a parsed function."""
    values, literals, written = {}, {}, {}
    names = {}
    for i, ((value, _, attrs), tensor) in enumerate(zip(function.arguments, arguments)):
        values[value] = tensor
        names[value] = attrs.get("fxgraph.name", f"arg{i}")
    for op in function.ops:
        operands = [values[o] for o in op.operands]
        if op.name in ("func.return", "return"):
            return operands, written
        if op.name == "fxgraph.constant":
            literal = op.attrs["value"]
            literals[op.results[0]] = callables.scalar_of(literal)
            values[op.results[0]] = callables.dense_tensor(literal)
            continue
        if op.name == "arith.constant":
            values[op.results[0]] = op.attrs["value"]
            continue
        if op.name == "fxgraph.copy_":
            written[names[op.operands[0]]] = operands[1]
            continue
        results = run_op(op, operands, [literals.get(o) for o in op.operands])
        values.update(zip(op.results, results))
    raise FxGraphError("expected a return")


def _find(source, name):
    """The function of this name of a Module or of MLIR text."""
    from ..runtime.library import parse
    for function in functions(parse(source.encode()) if isinstance(source, str) else source.handle):
        if function.name == name:
            return function
    raise FxGraphError(f"expected a function {name} but the module has none of this name")


def evaluate(asm, tensors, name="main", subgraphs=()):
    """(flat results, {written argument: value}) of a Module or of MLIR text.

    `tensors` is {argument's fxgraph.name: tensor}; `subgraphs` is the module's.
    """
    function = _find(asm, name)
    arguments = []
    for i, (_, _, attrs) in enumerate(function.arguments):
        key = attrs.get("fxgraph.name", f"arg{i}")
        if key not in tensors:
            raise FxGraphError(f"expected a tensor for the argument {key}")
        arguments.append(tensors[key])
    token = SUBGRAPHS.set(subgraphs)
    try:
        with torch.no_grad():
            return _walk(function, arguments)
    finally:
        SUBGRAPHS.reset(token)


class _Tracer(torch.fx.proxy.GraphAppendingTracer):
    """Tensors among the arguments (created ones, literals) become attributes of `root`."""

    def __init__(self, graph, root):
        super().__init__(graph)
        self.root = root

    def constant(self, tensor):
        attribute = next(name for name in map("_constant{}".format, itertools.count()) if not hasattr(self.root, name))
        self.root.register_buffer(attribute, tensor)
        return self.graph.get_attr(attribute)

    def submodule(self, graph):
        name = next((n for n, known in self.root.named_children() if known is graph), None)
        if name is None:
            name = next(n for n in map("_graph{}".format, itertools.count()) if not hasattr(self.root, n))
            self.root.add_module(name, graph)
        return self.graph.get_attr(name)

    def create_arg(self, a):
        if isinstance(a, torch.Tensor):
            return self.constant(a)
        return self.submodule(a) if isinstance(a, torch.fx.GraphModule) else super().create_arg(a)


def to_fx(module, name="main"):
    """An fx.GraphModule of a Module: weights become attributes, inputs placeholders."""
    function = _find(module, name)
    root = torch.nn.Module()
    graph = torch.fx.Graph()
    tracer = _Tracer(graph, root)
    arguments, proxies = [], {}
    for i, (_, _, attrs) in enumerate(function.arguments):
        key = attrs.get("fxgraph.name", f"arg{i}")
        if key in module.weights:
            attribute = key.replace(".", "_")
            root.register_buffer(attribute, module.weights[key])
            node = graph.get_attr(attribute)
        else:
            node = graph.placeholder(key.replace(".", "_") if key.replace(".", "_").isidentifier() else f"arg{i}")
        proxies[key] = torch.fx.Proxy(node, tracer)
        arguments.append(proxies[key])
    token = callables.RECORDER.set(lambda function, args, kwargs: tracer.create_proxy("call_function", function, args, kwargs))
    graphs = SUBGRAPHS.set(module.subgraphs)
    try:
        results, written = _walk(function, arguments)
    finally:
        callables.RECORDER.reset(token)
        SUBGRAPHS.reset(graphs)
    for key, value in written.items():
        torch.ops.aten.copy_.default(proxies[key], value)
    outputs = []
    for entry in module.outputs if module.outputs is not None else range(len(results)):
        number = result_of(entry)
        item = results[number] if number is not None else entry[1] if entry is not None else None
        if isinstance(item, torch.Tensor):
            # A literal of its own for each call, as the graph would make it.
            item = torch.fx.Proxy(tracer.constant(item), tracer).clone()
        outputs.append(item.node if isinstance(item, torch.fx.Proxy) else item)
    graph.output(tuple(outputs))
    return torch.fx.GraphModule(root, graph)

