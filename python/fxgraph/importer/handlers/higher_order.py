# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Higher-order operators: calls with graphs among their arguments.

Wrappers (checkpoint, modes, autograd functions, shared regions) are inlined. A
`cond` whose branches only compute becomes both of them and a `where` for each
result, which is what PyTorch makes of it under vmap; `map` and `scan` over few
steps are unrolled: every target runs that, and passes see through it. Where that
cannot be, and for `while_loop`, the graphs are regions of an op of that name.
With `importer.regions` they always are. All others stay whole, with their graphs.
"""

import torch
import torch.fx

from .. import dtypes, ir, regions, symbols, table
from ..graph import NOT_DONE, Unsupported, flatten, special
from ..tracker import Tensor
from . import complex

# An unrolled loop has at most this many nodes.
MAX_UNROLLED = 4096


def inline(importer, module, inputs):
    """Imports a subgraph in place; its outputs."""
    outer_node, outer_loc, env = importer.node, importer.loc, importer.env
    importer.env = dict(env)
    placeholders = iter(inputs)
    result = None
    try:
        for node in module.graph.nodes:
            importer.node, importer.loc = node, importer.location(node)
            if node.op == "placeholder":
                importer.env[node] = next(placeholders)
            elif node.op == "get_attr":
                importer.env[node] = attribute(importer, module, node)
            elif node.op == "output":
                result = importer.lookup(node.args[0])
            else:
                importer.env[node] = importer.call(module, node)
    finally:
        importer.node, importer.loc, importer.env = outer_node, outer_loc, env
    return result


def attribute(importer, module, node):
    """What a get_attr in a subgraph names; a small tensor is a literal."""
    value = importer.leaf(module, node)
    if not isinstance(value, torch.Tensor):
        return value
    if not dtypes.has_data(value):
        raise Unsupported("what it computes with is made outside of it")
    if complex.holds_pair(value):
        return complex.literal(importer, value)
    if not dtypes.fits_in_constant(value):
        raise Unsupported("a big constant in a subgraph is not modelled")
    fake = importer.replay.adopt(value)
    type_ = importer.type_of(fake)
    literal, = importer.emit_raw("fxgraph.constant", [], [type_], [("value", dtypes.tensor_literal(value, type_))])
    return importer.fresh(literal, fake)


@special("higher_order.wrap", "higher_order.wrap_with_set_grad_enabled", "higher_order.wrap_with_autocast",
         "higher_order.wrap_activation_checkpoint", "higher_order.tag_activation_checkpoint", "higher_order.invoke_subgraph",
         "higher_order.strict_mode")
def wrapped(importer, call):
    """A region under another mode, or one that is shared: its ops are part of the graph."""
    position = next((i for i, a in enumerate(call.args) if isinstance(a, torch.fx.GraphModule)), None)
    if position is None:
        raise Unsupported("expected a graph among the arguments")
    inputs = call.args[position + 1:]
    if call.key == "higher_order.invoke_subgraph":
        inputs = inputs[1:]  # after its name
    elif call.key == "higher_order.strict_mode":
        inputs = inputs[0]
    if call.key != "higher_order.wrap_with_autocast":
        return inline(importer, call.args[position], inputs)
    importer.autocast.enter(*call.args[:3])
    try:
        return inline(importer, call.args[position], inputs)
    finally:
        importer.autocast.exit()


@special("higher_order.autograd_function_apply")
def autograd_function(importer, call):
    """The forward part; its graph returns (outputs, what the backward part needs)."""
    forward, _, *inputs = call.args
    result = inline(importer, forward, inputs)
    if not isinstance(result, (list, tuple)) or len(result) != 2:
        raise Unsupported("expected a pair from the forward graph")
    return result[0]


def first_of(importer, call, *forms):
    """The first form that is possible; what another one has emitted is taken back."""
    reasons = []
    for form in forms:
        state = importer.checkpoint()
        try:
            return form(importer, call)
        except Unsupported as error:
            importer.rollback(state)
            reasons.append(str(error))
    raise Unsupported("; ".join(dict.fromkeys(reasons)))


@special("higher_order.cond")
def cond(importer, call):
    """One of two graphs."""
    given = arguments_of_cond(call)
    predicate, operands = symbols.plain(given["pred"]), given.get("operands", ())
    if isinstance(predicate, bool):
        return inline(importer, given["then"] if predicate else given["other"], operands)
    return first_of(importer, call, *([] if importer.regions else [cond_as_where]), cond_as_regions)


def arguments_of_cond(call):
    return dict(zip(("pred", "then", "other", "operands"), call.args)) | call.kwargs


def cond_as_where(importer, call):
    """where(predicate, then, else), if the branches can both run."""
    given = arguments_of_cond(call)
    operands = given.get("operands", ())
    before, versions = len(importer.graph.ops), [(s, s.version) for s in storages(operands)]
    branches = [inline(importer, given[name], operands) for name in ("then", "other")]
    check_total(importer.graph.ops[before:])
    if any(storage.version != version for storage, version in versions):
        raise Unsupported("a branch that writes is not modelled")
    return choose(importer, regions.scalar_bool(importer, given["pred"]), *branches, call.fake)


def cond_as_regions(importer, call):
    given = arguments_of_cond(call)
    operands = list(given.get("operands", ()))
    fakes = [item for item in flatten(call.fake)]
    types = tensor_types(importer, fakes)
    condition = regions.scalar_bool(importer, given["pred"])
    values = [condition, *regions.Operands(importer, operands).values]
    branches = [regions.build(importer, given[name], operands, regions.yielded(importer, types)) for name in ("then", "other")]
    tensors = regions.results(importer, fakes, importer.emit_raw("fxgraph.cond", values, types, regions=branches))
    return list(tensors) if isinstance(call.fake, (list, tuple)) else tensors[0]


def tensor_types(importer, fakes):
    if not all(isinstance(fake, torch.Tensor) for fake in fakes):
        raise Unsupported("graphs with results that are no tensors are not modelled")
    return [importer.type_of(fake) for fake in fakes]


@special("higher_order.invoke_quant", "higher_order.invoke_quant_packed")
def invoke_quant(importer, call):
    """A graph that stays together, with what it says of its quantization."""
    body, *operands = call.args
    options = call.kwargs.get("quant_options")
    fakes = list(flatten(call.fake))
    types = tensor_types(importer, fakes)
    attributes = [("packed", ir.attr_bool(call.key.endswith("_packed"))),
                  ("codegen_low_precision", ir.attr_bool(options is None or options.codegen_low_precision))]
    if call.kwargs.get("scheme") is not None:
        attributes.append(("scheme", ir.attr_str(call.kwargs["scheme"])))
    region = regions.build(importer, body, operands, regions.yielded(importer, types))
    results = importer.emit_raw("fxgraph.invoke_quant", regions.Operands(importer, operands).values, types, attributes, regions=[region])
    tensors = regions.results(importer, fakes, results)
    return list(tensors) if isinstance(call.fake, (list, tuple)) else tensors[0]


@special("higher_order.while_loop")
def while_loop(importer, call):
    given = dict(zip(("cond_fn", "body_fn", "carried_inputs", "additional_inputs"), call.args)) | call.kwargs
    carried, additional = list(given["carried_inputs"]), list(given.get("additional_inputs", ()))
    if not all(isinstance(item, Tensor) for item in carried):
        raise Unsupported("a loop that carries numbers is not modelled")
    fakes = list(call.fake)
    types = tensor_types(importer, fakes)
    values = [regions.Operands(importer, items).values for items in (carried, additional)]
    condition = regions.build(importer, given["cond_fn"], carried + additional, regions.predicate(importer))
    body = regions.build(importer, given["body_fn"], carried + additional, regions.yielded(importer, types))
    results = importer.emit_raw("fxgraph.while_loop", values[0] + values[1], types,
                                [("operandSegmentSizes", ir.attr_i32_array(map(len, values)))], regions=[condition, body])
    return regions.results(importer, fakes, results)


def storages(value):
    found = [item.storage for item in flatten(value) if isinstance(item, Tensor)]
    for storage in found:
        storage.settle()
    return found


def check_total(ops):
    """Raises Unsupported if running one of the ops needlessly could be noticed."""
    for op in ops:
        integer = any(isinstance(v.type, ir.TensorType) and not ir.is_float(v.type.dtype) for v in op.results)
        info = table.load_table().get(op.name.removeprefix("fxgraph."))
        if op.regions or op.name == "fxgraph.auto_functionalized":
            raise Unsupported(f"a branch with {op.name}, which must not run unless it is taken")
        if info is not None and (info.effects or info.fails_on == "values" or info.fails_on == "integers" and integer):
            raise Unsupported(f"a branch with {op.name}, which must not run unless it is taken")
        if any(v.type == ir.INDEX for v in op.operands):
            raise Unsupported("a branch with symbolic sizes is not modelled")


def choose(importer, condition, then, other, fake):
    """The structure of the branches with a where for each tensor."""
    if isinstance(fake, (list, tuple)):
        if not isinstance(then, (list, tuple)) or not isinstance(other, (list, tuple)) or not len(then) == len(other) == len(fake):
            raise Unsupported("branches of different structures are not modelled")
        return [choose(importer, condition, a, b, f) for a, b, f in zip(then, other, fake)]
    if not isinstance(then, Tensor) or not isinstance(other, Tensor):
        if isinstance(then, Tensor) or isinstance(other, Tensor) or then != other:
            raise Unsupported("branches with different numbers are not modelled")
        return then
    if complex.is_pair(then) and complex.is_pair(other):
        return complex.of_value(importer, choose(importer, condition, complex.pair_of(then), complex.pair_of(other), complex.real_fake(importer, fake)), fake)
    values = [importer.value(then), importer.value(other)]
    if values[0].type != values[1].type:
        raise Unsupported("branches with results of different types are not modelled")
    result, = importer.emit("where", [condition, *values], [values[0].type])
    return importer.fresh(result, fake)


@special("higher_order.map_impl")
def map_(importer, call):
    """A graph on each slice along the leading dimension."""
    return first_of(importer, call, *([] if importer.regions else [unrolled_map]), map_as_region)


def unrolled_map(importer, call):
    body, rows, constants = call.args
    steps = trip_count(body, rows)
    results = []
    for step in range(steps):
        results.append(inline(importer, body, [*slices(importer, rows, step), *constants]))
    return stacked(importer, results, call.fake)


def map_as_region(importer, call):
    body, rows, constants = call.args
    return loop_over_slices(importer, call, "fxgraph.map", body, (), rows, constants)


@special("higher_order.scan")
def scan(importer, call):
    """A step maps (carry, x) to (carry, y)."""
    return first_of(importer, call, *([] if importer.regions else [unrolled_scan]), scan_as_region)


def unrolled_scan(importer, call):
    body, carry, rows, *constants = call.args
    constants = constants[0] if constants else ()
    steps = trip_count(body, rows)
    carry, results = list(carry), []
    for step in range(steps):
        out = list(inline(importer, body, [*carry, *slices(importer, rows, step), *constants]))
        carry, rest = out[:len(carry)], out[len(carry):]
        results.append(rest)
    ends = [importer.fresh(importer.value(c), f) for c, f in zip(carry, call.fake)]
    return [*ends, *stacked(importer, results, call.fake[len(carry):])]


def scan_as_region(importer, call):
    body, carry, rows, *constants = call.args
    return loop_over_slices(importer, call, "fxgraph.scan", body, carry, rows, constants[0] if constants else ())


def loop_over_slices(importer, call, name, body, carry, rows, constants):
    if not all(isinstance(item, Tensor) for item in [*carry, *rows]):
        raise Unsupported("a loop over numbers is not modelled")
    if not rows or any(row.fake.dim() == 0 for row in rows):
        raise Unsupported("a loop without slices is not modelled")
    fakes = list(call.fake)
    types = tensor_types(importer, fakes)
    groups = [regions.Operands(importer, items).values for items in ([carry] if name == "fxgraph.scan" else []) + [rows, constants]]
    inner = types[:len(carry)] + [type_.with_dims(type_.dims[1:]) for type_ in types[len(carry):]]
    region = regions.build(importer, body, [*carry, *(regions.slice_of(importer, row) for row in rows), *constants],
                           regions.yielded(importer, inner))
    results = importer.emit_raw(name, sum(groups, []), types, [("operandSegmentSizes", ir.attr_i32_array(map(len, groups)))],
                                regions=[region])
    return regions.results(importer, fakes, results)


def trip_count(body, rows):
    """The number of steps, if it is known and the unrolled loop is not too long."""
    steps = symbols.as_int(rows[0].fake.shape[0]) if rows and isinstance(rows[0], Tensor) and rows[0].fake.dim() else None
    if steps is None:
        raise Unsupported("a loop over a symbolic extent is not modelled")
    if steps == 0 or steps * len(body.graph.nodes) > MAX_UNROLLED:
        raise Unsupported(f"a loop of {steps} steps is not unrolled")
    return steps


def slices(importer, rows, step):
    from .views import select_view
    return [select_view(importer, row, 0, step) for row in rows]


def stacked(importer, results, fakes):
    """The i-th results of all steps as one tensor each."""
    tensors = []
    for column, fake in zip(zip(*results), fakes):
        if not all(isinstance(item, Tensor) for item in column):
            raise Unsupported("a loop with results that are no tensors is not modelled")
        value, = importer.emit("stack", [[importer.value(t) for t in column]], [importer.type_of(fake)], dim=0)
        tensors.append(importer.fresh(value, fake))
    return tensors


@special("higher_order.flex_attention")
def flex_attention(importer, call):
    """PyTorch's own definition of it in plain ops, which runs it uncompiled."""
    from torch._higher_order_ops.flex_attention import math_attention
    from .decompose import lower_traced
    if len(call.args) != 9 or call.kwargs:
        return NOT_DONE
    return lower_traced(importer, call, math_attention)


@special("higher_order.flex_attention_backward")
def flex_attention_backward(importer, call):
    from torch._higher_order_ops.flex_attention import sdpa_dense_backward
    from .decompose import lower_traced
    return lower_traced(importer, call, sdpa_dense_backward)
