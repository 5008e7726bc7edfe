# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fxgraph.opaque: ops that the dialect does not model, with nothing lost.

`args` holds the argument tree: `{args = [...], kwargs = {...}}` in the caller's
order. A tensor or a symbolic size is an operand and stands as "%i"; another
string that starts with % gets a second one. A symbolic float or bool is an
operand as well, of rank 0: `{number = "%i"}`. None is `unit`, a dtype is a type
attribute, a slice is `{slice = [start, stop, step]}`, and other Python objects
(device, layout, memory format, Ellipsis) are `{python = "text"}`.

`effects` says what the callable's schema promises: nothing but results ("none"), writes of `writes` and
results that may be operands ("operands"); without it the op may do anything.

Of an op that writes, the new values of the written tensors follow the results
proper; `writes` lists the operands' numbers. Where operands do not lie contiguously in
memory, `strides` has an entry for each, as `strides.py` says.
"""

import math
import re

import torch
import torch.fx

from . import dtypes, ir, symbols
from ..strides import wanted_strides
from .replay import flatten, signature, storage_of
from .tracker import Step, Storage, Tensor


def target_name(call):
    if isinstance(call.target, torch._ops.OpOverload):
        return call.key
    return call.key


class _Encoder:
    """The argument tree of a call that writes the tensors `written`."""

    def __init__(self, importer, written=()):
        self.importer, self.written = importer, written
        self.operands, self.tensors, self.index = [], [], {}

    def number(self, tensor):
        """The operand that a tensor is; None if it is none yet.

        Beside a tensor that is written, equal values are one operand only if they are the same elements. An op that writes one
        of two tensors that share some elements sees that in the other: that cannot be said here.
        """
        from .graph import Unsupported
        value = tensor.read()
        if not self.written:
            return self.index.get(id(value))
        for at, other in enumerate(self.tensors):
            if other is None:
                continue
            if other.storage is not tensor.storage:
                if self.operands[at] is value and not any(t in self.written for t in (tensor, other)):
                    return at
            elif signature(tensor.fake) == signature(other.fake):
                return at
            elif any(t in self.written for t in (tensor, other)) and may_overlap(tensor.fake, other.fake):
                raise Unsupported("an op that writes a tensor and reads another one of (partly) the same elements is not modelled")
        return None

    def operand(self, value, tensor=None):
        at = self.index.get(id(value)) if tensor is None else self.number(tensor)
        if at is None:
            at = self.index[id(value)] = len(self.operands)
            self.operands.append(value)
            self.tensors.append(tensor)
        return ir.attr_str(f"%{at}")

    def encode(self, value):
        if isinstance(value, Tensor):
            return self.operand(value.read(), value)
        if value is None:
            return "unit"
        if isinstance(value, bool):
            return ir.attr_bool(value)
        if isinstance(value, int):
            return ir.attr_i64(value) if -(2**63) <= value < 2**63 else ir.attr_dict([("python", ir.attr_str(repr(value)))])
        if isinstance(value, float):
            return ir.attr_f64(value)
        if isinstance(value, str):
            return ir.attr_str("%" + value if value.startswith("%") else value)
        if isinstance(value, torch.SymInt):
            known = symbols.as_int(value)
            return ir.attr_i64(known) if known is not None else self.operand(self.importer.symbols.materialize(value))
        if isinstance(value, (torch.SymFloat, torch.SymBool)):
            return ir.attr_dict([("number", self.operand(self.importer.symbols.number(value)))])
        if isinstance(value, torch.dtype) and value in dtypes.TORCH_TO_MLIR:
            return dtypes.TORCH_TO_MLIR[value]
        if isinstance(value, (list, tuple)):
            return "[" + ", ".join(self.encode(v) for v in value) + "]"
        if isinstance(value, dict):
            return ir.attr_dict([(str(k), self.encode(v)) for k, v in value.items()])
        if isinstance(value, slice):
            return ir.attr_dict([("slice", self.encode([value.start, value.stop, value.step]))])
        if isinstance(value, torch.fx.GraphModule):
            graphs = self.importer.subgraphs
            number = next((i for i, known in enumerate(graphs) if known is value), len(graphs))
            if number == len(graphs):
                graphs.append(value)
            return ir.attr_dict([("graph", ir.attr_str(value.code.strip())), ("number", ir.attr_i64(number))])
        # Without addresses: the text is the same in every run.
        return ir.attr_dict([("python", ir.attr_str(re.sub(r" at 0x[0-9a-f]+", "", _python_text(value))))])

    def strides(self):
        """How the operands lie in memory; None if all are contiguous."""
        wanted = [None if tensor is None else wanted_strides(tensor.fake) for tensor in self.tensors]
        return self.encode(wanted) if any(entry is not None for entry in wanted) else None


def _python_text(value):
    """Operators by the name under which they are found again."""
    if isinstance(value, torch._ops.OpOverload):
        return f"torch.ops.{value.namespace}.{value._schema.name.split('::')[1]}.{value._overloadname}"
    if isinstance(value, torch._ops.HigherOrderOperator):
        return f"torch.ops.higher_order.{value.name()}"
    return str(value)


def _schema_arguments(call):
    """(schema argument, value) pairs of a torch.ops overload."""
    if not isinstance(call.target, torch._ops.OpOverload):
        return []
    pairs = []
    for i, arg in enumerate(call.target._schema.arguments):
        if not arg.kwarg_only and i < len(call.args):
            pairs.append((arg, call.args[i]))
        elif arg.name in call.kwargs:
            pairs.append((arg, call.kwargs[arg.name]))
    return pairs


def _written(call, seen):
    """Tensors that the call writes: `seen` on fakes, by its schema, or where neither tells by its name."""
    written = [tensor for tensor, _ in seen]

    def add(value):
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(item, Tensor) and item not in written:
                written.append(item)

    pairs = _schema_arguments(call)
    for arg, value in pairs:
        if arg.alias_info is not None and arg.alias_info.is_write:
            add(value)
    last = call.key.rpartition(".")[2]
    if not pairs and not call.ran:
        inplace = last.endswith("_") and not last.endswith("__") or last in ("setitem", "__setitem__")
        if call.args and (inplace or call.kwargs.get("inplace") is True):
            add(call.args[0])
        if call.kwargs.get("out") is not None:
            add(call.kwargs["out"])
    return written


# Ops of other processes: none is left out or done twice, whatever its schema says.
COMMUNICATION = ("c10d", "_c10d_functional", "_c10d_functional_autograd", "_dtensor", "symm_mem")
# Not a function of the operands, or with results whose sizes are.
IMPURE_TAGS = {torch.Tag.nondeterministic_seeded, torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}


def _touches_operands_only(overload):
    """True if an op reads its arguments, writes some at most, and does nothing else."""
    from torch._library.utils import is_impure
    from torch._higher_order_ops.effects import _get_effect
    schema = overload._schema
    # A mutable schema is impure to PyTorch; what it writes is known here.
    if schema.is_mutable:
        impure = overload in torch.fx.node._side_effectful_functions or _get_effect(overload) is not None
    else:
        impure = is_impure(overload)
    names = {arg.name for arg in schema.arguments}
    types = " ".join(str(arg.type) for arg in schema.arguments)
    return not (impure or IMPURE_TAGS.intersection(overload.tags) or overload.namespace in COMMUNICATION
                or names & {"group_name", "process_group", "group", "dep_token"}
                or any(text in types for text in ("Generator", "__torch__", "Stream", "Future"))
                or not schema.returns or any(str(result.type) not in ("Tensor", "List[Tensor]") for result in schema.returns))


def effects_of(overload, results=(), operands=(), writes=False):
    """What an overload does by its schema: "none", "operands", or None where that is not known or more.

    `results` and `operands` are the metas of a call, and `writes` whether it was seen to write: what they show counts as well.
    """
    if not isinstance(overload, torch._ops.OpOverload) or not _touches_operands_only(overload):
        return None
    if writes and not overload._schema.is_mutable:
        return None  # It says less than there is.
    if any(torch.fx.experimental.symbolic_shapes.free_unbacked_symbols(result) for result in results):
        return None
    schema = overload._schema
    places = {storage_of(operand) for operand in operands} - {None}
    # What is made of other ops may return an operand without a word.
    aliases = (any(arg.alias_info is not None for arg in (*schema.arguments, *schema.returns))
               or torch.Tag.maybe_aliasing_or_mutating in overload.tags
               or torch._C._dispatch_has_kernel_for_dispatch_key(overload.name(), "CompositeImplicitAutograd")
               or any(storage_of(result) in places for result in results))
    return "operands" if aliases else "none"


def _places(fake):
    """Where in memory each element of a tensor begins, in elements; None if that is not known (or much)."""
    numbers = [symbols.as_int(n) for n in (*fake.shape, *fake.stride(), fake.storage_offset())]
    if None in numbers or math.prod(fake.shape) > 1 << 20:
        return None
    places = [numbers[-1]]
    for extent, stride in zip(numbers[:fake.dim()], numbers[fake.dim():-1]):
        places = [place + i * stride for place in places for i in range(extent)]
    return places


def overlaps_itself(fake):
    """True if a tensor of constant extents has elements that lie in one place (windows of unfold)."""
    reach = 0
    for extent, stride in sorted(zip(fake.shape, fake.stride()), key=lambda dim: symbols.as_int(dim[1]) or 0):
        extent, stride = symbols.as_int(extent), symbols.as_int(stride)
        if extent is None or stride is None:
            return False
        if extent > 1 and stride <= reach:
            places = _places(fake)
            return places is None or len(set(places)) < len(places)
        reach += (extent - 1) * stride
    return False


def repeats_elements(fake):
    """True if elements of a tensor are one element of an expansion: PyTorch writes there nothing but equal values."""
    return fake.layout is torch.strided and any(symbols.as_int(extent) not in (0, 1) and symbols.as_int(stride) == 0
                                                for extent, stride in zip(fake.shape, fake.stride()))


def may_overlap(a, b):
    """False if two tensors of one storage are known to have no byte in common."""
    both = [_places(a), _places(b)]
    if None in both:
        return True
    first, second = ({place * fake.element_size() + byte for place in places for byte in range(fake.element_size())}
                     for fake, places in zip((a, b), both))
    return not first.isdisjoint(second)


def _result_paths(fake):
    """Where the op's results are in what the call returns, "0;1,0;1,1"; None for one value.

    Only tensors and sizes are results: None and numbers in the structure are not.
    """
    if not isinstance(fake, (list, tuple)):
        return None
    paths = []

    def visit(value, path):
        if isinstance(value, (list, tuple)):
            for i, item in enumerate(value):
                visit(item, path + [i])
        elif isinstance(value, torch.Tensor) or isinstance(value, torch.SymInt) and symbols.as_int(value) is None:
            paths.append(",".join(map(str, path)))

    visit(fake, [])
    return ";".join(paths)


def emit(importer, call, target, seen):
    """The opaque op; its results in the call's own structure."""
    from .handlers import complex
    written = _written(call, seen)
    encoder = _Encoder(importer, written)
    args = [("args", encoder.encode(list(call.args)))]
    if call.kwargs:
        args.append(("kwargs", encoder.encode(dict(call.kwargs))))
    if written:
        # Two that are the same elements are one operand, written once.
        written = list({encoder.number(t): t for t in written}.values())
        numbers = [encoder.number(t) for t in written]
        args.append(("writes", ir.attr_i64_array(numbers)))
    strides = encoder.strides()
    if strides is not None:
        args.append(("strides", strides))
    paths = _result_paths(call.fake)
    if paths is not None:
        args.append(("paths", ir.attr_str(paths)))
    types, slots = [], []
    for item in flatten(call.fake):
        if isinstance(item, torch.Tensor):
            slots.append(len(types))
            types.append(importer.type_of(item))
        elif isinstance(item, torch.SymInt) and symbols.as_int(item) is None:
            slots.append(len(types))
            types.append(ir.INDEX)
        else:
            slots.append(None)
    proper = len(types)
    types += [importer.type_of(t.fake) for t in written]
    attributes = [("target", ir.attr_str(target)), ("args", ir.attr_dict(args))]
    effects = effects_of(call.target, [item for item in flatten(call.fake) if isinstance(item, torch.Tensor)],
                         [tensor.fake for tensor in encoder.tensors if tensor is not None], bool(written))
    if effects is not None:
        attributes.append(("effects", ir.attr_str(effects)))
    results = importer.emit_raw("fxgraph.opaque", encoder.operands, types, attributes)
    for tensor, value in zip(written, results[proper:]):
        importer.write(tensor, value)
    sources = [t for t in encoder.tensors if t is not None]

    def tensor_result(item, value):
        """An operand that is returned, a view of one whose storage the meta shares, else a fresh tensor."""
        for source in sources:
            if item is source.fake:
                return source
        for source in sources:
            if storage_of(item) is not None and storage_of(item) == storage_of(source.fake):
                return _opaque_view(importer, call, source, value, item)
        made = Tensor(Storage(value, item), (), item)
        return complex.number_in(importer, made) if complex.fits_pair(item) else made

    def build(fake, at):
        if isinstance(fake, (list, tuple)):
            items = []
            for item in fake:
                item, at = build(item, at)
                items.append(item)
            return items, at
        if isinstance(fake, dict):
            items = {}
            for key, item in fake.items():
                items[key], at = build(item, at)
            return items, at
        slot = slots[at]
        if isinstance(fake, torch.Tensor):
            importer.symbols.add_source(fake, results[slot])
            return tensor_result(fake, results[slot]), at + 1
        if slot is not None:
            importer.symbols.define(fake, results[slot])
        return fake, at + 1

    name = call.key.split(".")[1] if isinstance(call.target, torch._ops.OpOverload) else call.key.rpartition(".")[2]
    if isinstance(call.fake, torch.Tensor) and len(written) == 1 and name.endswith("_"):
        return written[0]
    return build(call.fake, 0)[0]


def _opaque_view(importer, call, source, value, fake):
    """The tensor of a view that the dialect does not know."""
    step = _named_step(importer, call, source.fake, fake)
    if step is not None:
        return source.view(step, value, fake)
    if source.fake.dtype != fake.dtype or fake.is_conj() or fake.is_neg():
        return source.view(_refused_step(), value, fake)
    if source.storage.fake.dtype != fake.dtype:
        return source.view(_strided_step(importer, source.fake, fake), value, fake)
    return strided_view(importer, source.storage, fake, value)


def strided_view(importer, storage, fake, value=None):
    """A view of the storage itself: what may lie between is in its strides. `value` is its SSA value now, if there is one."""
    same = storage_of(storage.fake) == storage_of(fake) and storage.fake.dtype == fake.dtype and not fake.is_conj() and not fake.is_neg()
    step = _strided_step(importer, storage.fake, fake) if same else _refused_step()
    tensor = Tensor(storage, (step,), fake)
    if value is not None:
        storage.cache[(step,)] = value
    tensor.read()  # refused now where it cannot be read
    return tensor


def emit_op(importer, name, operands, type_, *rest):
    """An opaque op of tensors first and attributes after them."""
    tree = [ir.attr_str(f"%{i}") for i in range(len(operands))] + list(rest)
    attributes = [("target", ir.attr_str(name)), ("args", ir.attr_dict([("args", "[" + ", ".join(tree) + "]")]))]
    namespace, name, overload = name.split(".")
    effects = effects_of(getattr(getattr(getattr(torch.ops, namespace), name), overload))
    if effects is not None:
        attributes.append(("effects", ir.attr_str(effects)))
    return importer.emit_raw("fxgraph.opaque", operands, [type_], attributes)[0]


# Views between real and complex numbers: how to make one again, and its inverse.
INVERSES = {
    "view_as_real": ("aten.view_as_real.default", "aten.view_as_complex.default"),
    "view_as_complex": ("aten.view_as_complex.default", "aten.view_as_real.default"),
    "conj": ("aten.conj_physical.default", "aten.conj_physical.default"),
    "_conj": ("aten.conj_physical.default", "aten.conj_physical.default"),
    "_neg_view": ("aten.neg.default", "aten.neg.default")}


def _named_step(importer, call, source, fake):
    """The step of a view that more than strides make, or None."""
    name = call.key.split(".")[1]
    if call.key == "builtins.getattr":
        name = call.args[1]
    before, after = importer.type_of(source), importer.type_of(fake)
    if name in INVERSES:
        forth, back = INVERSES[name]
        return Step(lambda value: emit_op(importer, forth, [value], after),
                    lambda base, new: emit_op(importer, back, [new], before))
    if name in ("real", "imag") and source.is_complex():
        def part(value, which):
            return emit_op(importer, f"aten.{which}.default", [value], after)

        def scatter(base, new):
            parts = [new, part(base, "imag")] if name == "real" else [part(base, "real"), new]
            return emit_op(importer, "aten.complex.default", parts, before)

        return Step(lambda value: part(value, name), scatter)
    if name in ("view", "_view_dtype") and source.dtype != fake.dtype:
        # The same bits as another dtype, in both directions.
        forth, back = dtypes.mlir_dtype(fake.dtype), dtypes.mlir_dtype(source.dtype)
        return Step(lambda value: emit_op(importer, "aten.view.dtype", [value], after, forth),
                    lambda base, new: emit_op(importer, "aten.view.dtype", [new], before, back))
    return None


def _refused_step():
    """A view that cannot be made again: reads before the next write are all that is right."""
    def refuse(*_):
        from .graph import Unsupported
        raise Unsupported("a write that is seen through a view which is not modelled")

    return Step(refuse, refuse)


def _physical_order(fake):
    """The dims of a dense tensor from the outermost in memory to the innermost; None if it is not dense."""
    shape, strides = ([symbols.as_int(n) for n in numbers] for numbers in (fake.shape, fake.stride()))
    if None in shape or None in strides:
        return None
    order = sorted(range(len(shape)), key=lambda d: (-strides[d], shape[d] == 1, d))
    expected = 1
    for dim in reversed(order):
        if shape[dim] != 1 and strides[dim] != expected:
            return None
        expected *= shape[dim]
    return order


def _strided_step(importer, base, fake):
    """Any view without a change of dtype, as the indices that its elements have in memory.

    Only where the base is one dense tensor in memory and the view stays within it; a
    write that another view would have to see is refused.
    """
    order = _physical_order(base)
    numbers = [symbols.as_int(n) for n in (*fake.shape, *fake.stride(), fake.storage_offset(), base.storage_offset())]
    if order is None or None in numbers or base.is_conj() or base.is_neg():
        return _refused_step()
    size, stride, offset = numbers[:fake.dim()], numbers[fake.dim():-2], numbers[-2] - numbers[-1]
    last = offset + sum((n - 1) * s for n, s in zip(size, stride))
    if 0 not in size and not 0 <= offset <= last < base.numel():
        return _refused_step()
    inverse = [order.index(dim) for dim in range(len(order))]
    type_ = importer.type_of(fake)  # now: the fake may get another shape
    def permuted(value, dims):
        if dims == sorted(dims):
            return value
        type_ = value.type.with_dims([value.type.dims[d] for d in dims])
        return importer.emit("permute", [value], [type_], dims=dims)[0]

    def places():
        """The index in memory of each of the view's elements."""
        index, dims = importer.constant(offset, "i64"), [1] * len(size)
        for dim, (extent, step) in enumerate(zip(size, stride)):
            if step == 0 or extent == 1:
                continue  # no further place
            steps, = importer.emit("arange", [None], [ir.TensorType("i64", (extent,))], start=0.0, step=float(step))
            column = [extent if d == dim else 1 for d in range(len(size))]
            steps = importer.emit_reshape(steps, ir.TensorType("i64", column))
            dims[dim] = extent
            index, = importer.emit("add", [index, steps], [ir.TensorType("i64", dims)])
        return importer.expand_to(index, ir.TensorType("i64", size))

    def flat(value):
        memory = permuted(value, order)
        return importer.emit_reshape(memory, memory.type.with_dims([math.prod(memory.type.dims)]))

    def replay(value):
        return importer.emit("index", [flat(value), [places()]], [type_], dims=[0])[0]

    def scatter(value, new):
        memory = flat(value)
        memory, = importer.emit("index_put", [memory, [places()], new], [memory.type], dims=[0], accumulate=False)
        return permuted(importer.emit_reshape(memory, value.type.with_dims([value.type.dims[d] for d in order])), inverse)

    return Step(replay, scatter, overlaps_itself(fake))
