# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views and other data movement: shapes, axes, slices, splits, pads."""

import sympy
import torch
from torch._prims_common import is_contiguous_or_false
from torch.utils._sympy.functions import Max

from .. import ir, opaque, symbols, table
from ..graph import NOT_DONE, Call, Unsupported, by_op, special
from ..pieces import EVEN
from . import decompose
from ..tracker import Step, Tensor


def rank_of(tensor):
    return tensor.fake.dim()


def positive(dim, rank):
    """A dim counted from 0."""
    return dim % max(rank, 1)


def static_extent(tensor, dim):
    """The extent of a dim if it is a number, else None."""
    return symbols.as_int(tensor.fake.shape[positive(dim, rank_of(tensor))])


def shape_argument(importer, call, name="shape"):
    """(sizes, static shape) of a shape parameter or of the `_other` tensor."""
    other = call.take("_other")
    if other is not None:
        shape = list(other.fake.shape)
    else:
        shape = call.bound[name]
        if isinstance(shape, (int, torch.SymInt)):
            shape = [shape]
    if any(isinstance(s, torch.dtype) for s in shape):
        raise Unsupported("a view as another dtype is not modelled")
    return importer.sizes(shape)


def lower_shaped(importer, call, attrs_name="shape"):
    sizes, static = shape_argument(importer, call)
    source = call.bound["input"]
    value = importer.value(source)
    wanted = importer.type_of(call.fake)
    results = importer.emit(call.op.name, [value, sizes], [wanted], shape=static)
    return importer.wrap(call, [value, sizes], results, [wanted], [call.fake], {"shape": static})


@by_op("reshape", "view")
def reshape(importer, call):
    if call.bound.get("shape") is not None and len(call.bound["shape"]) == 1 and isinstance(call.bound["shape"][0], torch.dtype):
        call.op = table.load_table()["view_dtype"]
        return view_dtype(importer, call)
    return lower_shaped(importer, call)


@by_op("view_dtype")
def view_dtype(importer, call):
    """The meta says the dtype, which is one of two parameters of one name."""
    source, wanted = call.bound["input"], importer.type_of(call.fake)
    value = importer.value(source)
    if value.type.dtype == wanted.dtype:
        return source
    if any(dtype.startswith("complex") for dtype in (value.type.dtype, wanted.dtype)):
        raise Unsupported("a view as complex numbers, or of them, is not modelled")
    results = importer.emit("view_dtype", [value], [wanted])
    return importer.wrap(call, [value], results, [wanted], [call.fake], {})


@by_op("expand")
def expand(importer, call):
    return lower_shaped(importer, call)


@by_op("unflatten")
def unflatten(importer, call):
    if any(symbols.as_int(s) is None for s in call.bound["sizes"]):
        return reshape_result(importer, call)
    return NOT_DONE


def reshape_result(importer, call):
    """A view that is a plain reshape to the meta's shape."""
    return reshape_view(importer, call.bound["input"], call.fake)


def reshape_view(importer, source, fake):
    """The view of a tensor's elements in a meta's shape."""
    wanted = importer.type_of(fake)
    before = importer.value(source)
    value = importer.emit_reshape(before, wanted, shape=fake.shape)
    step = Step(lambda v: importer.emit_reshape(v, wanted), lambda base, new: importer.emit_reshape(new, before.type))
    return source.view(step, value, fake)


@by_op("permute")
def permute(importer, call):
    rank = rank_of(call.bound["input"])
    if rank == 0:
        return identity_view(importer, call)
    if "_source" in call.bound:
        source, destination = call.take("_source"), call.take("_destination")
        source = [source] if isinstance(source, int) else list(source)
        destination = [destination] if isinstance(destination, int) else list(destination)
        order = [None] * rank
        for s, d in zip(source, destination):
            order[positive(d, rank)] = positive(s, rank)
        rest = iter(i for i in range(rank) if i not in order)
        call.bound["dims"] = [next(rest) if o is None else o for o in order]
    elif "dims" not in call.bound:
        call.bound["dims"] = list(reversed(range(rank)))
    return NOT_DONE


@by_op("transpose")
def transpose(importer, call):
    if "dim0" not in call.bound:
        rank = rank_of(call.bound["input"])
        matrix = call.key.rpartition(".")[2] in ("mT", "mH") or ".mT." in call.key or ".mH." in call.key
        if rank < 2:
            return identity_view(importer, call)
        call.bound["dim0"], call.bound["dim1"] = (-2, -1) if matrix else (0, 1)
    if rank_of(call.bound["input"]) == 0:
        return identity_view(importer, call)
    return NOT_DONE


def identity_view(importer, call):
    """A view of everything, in the same order: the same SSA value."""
    source = call.bound["input"] if call.bound else call.args[0]
    return source.view(Step(lambda v: v, lambda base, new: new), source.read(), call.fake)


def dropped(shape, squeezed):
    """The symbolic extents that a squeezed shape has no more: the trace found them to be 1."""
    left = list(map(symbols.expression, squeezed))
    for size in map(symbols.expression, shape):
        if left and left[0] == size:
            left.pop(0)
        elif not size.is_number:
            yield size


@by_op("squeeze")
def squeeze(importer, call):
    dims, shape = call.bound.get("dims"), call.bound["input"].fake.shape
    if isinstance(dims, int):
        dims = [dims]
    candidates = shape if dims is None else [shape[positive(d, len(shape))] for d in dims if len(shape)]
    if None in map(symbols.as_int, candidates):
        for size in dropped(shape, call.fake.shape):
            importer.assert_scalar(sympy.Eq(size, 1), f"expected {importer.symbols.named(size)} to be 1, as when the model was captured, but got "
                                   "other sizes: squeeze would keep the dimension")
        return reshape_result(importer, call)
    call.bound["dims"] = None if dims is None else list(dims)
    return NOT_DONE


def extent_of(tensor, dim):
    """The extent of a dim, an int or a SymInt."""
    if rank_of(tensor) == 0:
        raise Unsupported("a slice of a scalar is not modelled")
    return tensor.fake.shape[positive(dim, rank_of(tensor))]


def constant_bounds(tensor, dim, start, end):
    """start and end as constants, None if one is symbolic; the whole extent where they are provably that."""
    if isinstance(start, Tensor) or isinstance(end, Tensor):
        raise Unsupported("a slice with a bound that is a tensor is not modelled")
    known_start = 0 if start is None else symbols.as_int(start)
    known_end = ir.INT64_MAX if end is None else symbols.as_int(end)
    if known_end is None and symbols.expression(end) == symbols.expression(extent_of(tensor, dim)):
        known_end = ir.INT64_MAX
    return None if known_start is None or known_end is None else (known_start, known_end)


def slice_view(importer, source, dim, start, end, step, fake=None):
    """source[start:end:step] along a dim, as Python clamps the bounds."""
    dim = positive(dim, rank_of(source))
    step = symbols.as_int(1 if step is None else step)
    if step is None:
        raise Unsupported("a slice with a symbolic step is not modelled")
    if fake is None:
        fake = importer.fake_call(torch.ops.aten.slice.Tensor, [source, dim, start, end, step], {})
    known = constant_bounds(source, dim, start, end)
    if known is not None:
        return simple_view(importer, source, "slice", fake, dim=dim, start=known[0], end=known[1], step=step)
    first, length = importer.symbols.clamped_range(start, end, extent_of(source, dim))
    if step == 1:
        # PyTorch's own expression, which its guards made simple; a fresh symbol is this length.
        wanted = symbols.expression(fake.shape[dim])
        if not importer.symbols.available(wanted):
            importer.symbols.define(fake.shape[dim], importer.symbols.build(length))
        return narrow_view(importer, source, dim, first, wanted, fake)
    # The steps over a narrow: the type in between is only known here.
    whole = narrow_view(importer, source, dim, first, length, source.fake)
    return simple_view(importer, whole, "slice", fake, dim=dim, start=0, end=ir.INT64_MAX, step=step)


def simple_view(importer, source, op_name, fake, **attrs):
    """A one-operand view op on a tensor."""
    value = importer.value(source)
    type_ = importer.type_of(fake)
    results = importer.emit(op_name, [value], [type_], **attrs)
    step = importer.view_step(op_name, [value], results, attrs, 0)
    return source.view(step, results[0], fake)


def emit_narrow(importer, value, dim, start, length):
    """`length` indices of a value's dim from `start` on: expressions, in range."""
    dims = list(value.type.dims)
    dims[dim] = importer.symbols.extent(length)
    bounds = [importer.symbols.build(e) for e in (start, length)]
    return importer.emit("narrow", [value, *bounds], [value.type.with_dims(dims)], dim=dim)[0]


def emit_narrow_scatter(importer, base, new, dim, start, length, extent):
    """`base` with the indices that a narrow takes replaced by `new`."""
    stop = start + length
    pieces = [] if start == 0 else [emit_narrow(importer, base, dim, sympy.Integer(0), start)]
    pieces.append(new)
    if stop != extent:
        pieces.append(emit_narrow(importer, base, dim, stop, extent - stop))
    return importer.emit("cat", [pieces], [base.type], dim=dim)[0]


def narrow_view(importer, source, dim, start, length, fake):
    """The view of `length` indices from `start` on, both sympy expressions in range."""
    extent = symbols.expression(extent_of(source, dim))
    step = Step(lambda value: emit_narrow(importer, value, dim, start, length),
                lambda base, new: emit_narrow_scatter(importer, base, new, dim, start, length, extent))
    return source.view(step, emit_narrow(importer, importer.value(source), dim, start, length), fake)


def select_view(importer, source, dim, index, fake=None):
    """source[index] along a dim; a symbolic index is a narrow to one element."""
    dim = positive(dim, rank_of(source))
    if fake is None:
        fake = importer.fake_call(torch.select, [source, dim, index], {})
    known = symbols.as_int(index)
    if known is not None:
        return simple_view(importer, source, "select", fake, dim=dim, index=known)
    start = importer.symbols.wrapped(index, extent_of(source, dim))
    one = importer.fake_call(torch.unsqueeze, [fake, dim], {})
    return reshape_view(importer, narrow_view(importer, source, dim, start, sympy.Integer(1), one), fake)


@by_op("slice")
def slice_(importer, call):
    bound = call.bound
    source, dim = bound["input"], bound.get("dim") or 0
    if "_length" not in bound:
        return slice_view(importer, source, dim, bound.get("start"), bound.get("end"), bound.get("step"), call.fake)
    length, start = call.take("_length"), bound["start"]
    if isinstance(start, Tensor):
        raise Unsupported("narrow with a start that is a tensor is not modelled")
    extent, dim = extent_of(source, dim), positive(dim, rank_of(source))
    numbers = [symbols.as_int(n) for n in (start, length)]
    if None not in numbers and (numbers[0] >= 0 or symbols.as_int(extent) is not None):
        first = numbers[0] + (symbols.as_int(extent) if numbers[0] < 0 else 0)
        return slice_view(importer, source, dim, first, first + numbers[1], 1, call.fake)
    if numbers[0] == 0 and symbols.expression(length) == symbols.expression(extent):
        return slice_view(importer, source, dim, None, None, 1, call.fake)
    return narrow_view(importer, source, dim, importer.symbols.wrapped(start, extent), symbols.expression(length), call.fake)


@by_op("select")
def select(importer, call):
    if isinstance(call.bound["index"], Tensor):
        raise Unsupported("select with an index that is a tensor is not modelled")
    return select_view(importer, call.bound["input"], call.bound["dim"], call.bound["index"], call.fake)


@by_op("slice_scatter")
def slice_scatter(importer, call):
    bound = call.bound
    source, dim = bound["input"], bound.get("dim") or 0
    known = constant_bounds(source, dim, bound.get("start"), bound.get("end"))
    if known is None:
        return write_into_view(importer, call, lambda copy: slice_view(importer, copy, dim, bound.get("start"), bound.get("end"), bound.get("step")))
    bound["start"], bound["end"] = known
    return with_input_dtype(call, importer, "src")


@by_op("select_scatter")
def select_scatter(importer, call):
    index = call.bound["index"]
    if not isinstance(index, Tensor) and symbols.as_int(index) is None:
        return write_into_view(importer, call, lambda copy: select_view(importer, copy, call.bound["dim"], index))
    return with_input_dtype(call, importer, "src")


def write_into_view(importer, call, view):
    """A copy of the input whose view has the values of src."""
    copy = importer.fresh(importer.value(call.bound["input"]), call.fake)
    importer.assign(view(copy), importer.value(call.bound["src"]))
    return copy


def with_input_dtype(call, importer, *names):
    """Casts operands to the input's dtype (PyTorch writes them into a copy of it)."""
    dtype = importer.value(call.bound["input"]).type.dtype
    for name in names:
        call.bound[name] = importer.cast(importer.value(call.bound[name]), dtype)
    return NOT_DONE


@by_op("repeat")
def repeat(importer, call):
    repeats = call.bound["repeats"]
    repeats = [repeats] if isinstance(repeats, int) else list(repeats)
    rank = rank_of(call.bound["input"])
    repeats = call.bound["repeats"] = [1] * (rank - len(repeats)) + repeats
    if None in map(symbols.as_int, repeats):
        return symbolic_repeat(importer, call, repeats)
    return NOT_DONE


def symbolic_repeat(importer, call, repeats):
    """[d0, d1] by [r0, r1] is [1, d0, 1, d1] expanded to [r0, d0, r1, d1], then reshaped."""
    shape = [1] * (len(repeats) - rank_of(call.bound["input"])) + list(call.bound["input"].fake.shape)
    single = [n for extent in shape for n in (1, extent)]
    paired = [n for times, extent in zip(repeats, shape) for n in (times, extent)]
    value = importer.value(call.bound["input"])
    value = importer.emit_reshape(value, value.type.with_dims(map(importer.symbols.dim, single)), shape=single)
    value = importer.expand_to(value, value.type.with_dims(map(importer.symbols.dim, paired)))
    return importer.fresh(importer.emit_reshape(value, importer.type_of(call.fake), shape=call.fake.shape), call.fake)


@by_op("roll")
def roll(importer, call):
    for name in ("shifts", "dims"):
        value = call.bound.get(name)
        value = [] if value is None else ([value] if isinstance(value, (int, torch.SymInt)) else list(value))
        call.bound[name] = value
    if None in map(symbols.as_int, call.bound["shifts"]):
        return symbolic_roll(importer, call)
    return NOT_DONE


def symbolic_roll(importer, call):
    """The last elements along a dim, then the others, if the shift is known to lie within the extent."""
    source, shifts, dims = call.bound["input"], call.bound["shifts"], call.bound["dims"]
    if not dims:
        raise Unsupported("a roll of all elements by a symbolic shift is not modelled")
    value = importer.value(source)
    for shift, dim in zip(shifts, dims):
        dim = positive(dim, rank_of(source))
        by, extent = symbols.expression(shift), symbols.expression(extent_of(source, dim))
        if not importer.symbols.holds(sympy.Ge(by, 0)) or not importer.symbols.holds(sympy.Le(by, extent)):
            raise Unsupported("a roll by a symbolic shift that may be more than the extent is not modelled")
        pieces = [emit_narrow(importer, value, dim, extent - by, by), emit_narrow(importer, value, dim, sympy.Integer(0), extent - by)]
        value, = importer.emit("cat", [pieces], [value.type], dim=dim)
    return importer.fresh(value, call.fake)


@by_op("flip")
def flip(importer, call):
    if isinstance(call.bound["dims"], int):
        call.bound["dims"] = [call.bound["dims"]]
    return NOT_DONE


@by_op("constant_pad_nd")
def pad(importer, call):
    mode = call.take("_mode", "constant")
    if mode != "constant":
        return decompose.lower(importer, call)
    call.bound["value"] = 0.0 if call.bound.get("value") is None else call.bound["value"]
    if None in map(symbols.as_int, call.bound["pad"]):
        return symbolic_pad(importer, call)
    return NOT_DONE


def symbolic_pad(importer, call):
    """What is left of the input after crops, written into a tensor full of the value."""
    from .creation import emit_full
    source, amounts, rank = call.bound["input"], call.bound["pad"], rank_of(call.bound["input"])
    zero = sympy.Integer(0)
    inner, place = importer.fresh(importer.value(source), source.fake), []
    for i in range(0, len(amounts), 2):
        dim = rank - 1 - i // 2
        pads = [symbols.expression(a) for a in amounts[i:i + 2]]
        crops = [zero if importer.symbols.holds(sympy.Ge(p, 0)) else Max(-p, zero) for p in pads]
        length = symbols.expression(source.fake.shape[dim]) - crops[0] - crops[1]
        if crops != [zero, zero]:
            inner = narrow_view(importer, inner, dim, crops[0], length, source.fake)
        if pads != [zero, zero]:
            place.append((dim, pads[0] + crops[0], length))
    result = importer.fresh(emit_full(importer, call.fake, call.bound["value"]), call.fake)
    view = result
    for dim, start, length in place:
        view = narrow_view(importer, view, dim, start, length, call.fake)
    view.write(importer.value(inner))
    return result


@by_op("split")
def split(importer, call):
    size = call.bound["split_size"]
    if isinstance(size, (list, tuple)):
        call.bound["split_sizes"] = list(call.take("split_size"))
        from .. import table
        call.op = table.load_table()["split_with_sizes"]
        return importer.lower_op(call)
    return split_like(importer, call)


@by_op("split_with_sizes", "chunk")
def split_like(importer, call):
    """Along a symbolic extent each piece is a narrow of its own."""
    source, dim = call.bound["input"], positive(call.bound.get("dim") or 0, rank_of(call.bound["input"]))
    if not isinstance(call.fake, (list, tuple)) or rank_of(source) == 0:
        return NOT_DONE
    extents = [f.shape[dim] for f in call.fake]
    if None not in map(symbols.as_int, [*extents, source.fake.shape[dim]]):
        return NOT_DONE
    start, pieces = sympy.Integer(0), []
    for extent, fake in zip(extents, call.fake):
        length = symbols.expression(extent)
        pieces.append(narrow_view(importer, source, dim, start, length, fake))
        start += length
    if not importer.aliases(call, source):
        return [importer.fresh(piece.read(), piece.fake) for piece in pieces]
    return pieces


@special(*(key for name in EVEN for key in (f"torch.{name}", f"Tensor.{name}", f"aten.{name}.int", f"aten.{name}.array")))
def split_evenly(importer, call):
    """vsplit and its like of a symbolic extent into a number of pieces, about which PyTorch's code asks: narrows of the extents that it found."""
    source, name = call.args[0], call.key.split(".")[1]
    given = [*call.args[1:], *call.kwargs.values()]
    if not isinstance(source, Tensor) or not isinstance(call.fake, (list, tuple)) or source.fake.dim() == 0 or isinstance(given[0], (list, tuple)):
        return decompose.lower(importer, call)
    dim = min(EVEN[name], source.fake.dim() - 1)
    if symbols.as_int(source.fake.shape[dim]) is not None:
        return decompose.lower(importer, call)
    start, made = sympy.Integer(0), []
    for fake in call.fake:
        length = symbols.expression(fake.shape[dim])
        made.append(narrow_view(importer, source, dim, start, length, fake))
        start += length
    return made


@by_op("unbind")
def unbind(importer, call):
    if static_extent(call.bound["input"], call.bound.get("dim") or 0) is None:
        raise Unsupported("unbind along a symbolic extent is not modelled")
    return NOT_DONE


@by_op("cat", "stack")
def cat(importer, call):
    tensors = call.bound["tensors"]
    if not tensors or not all(isinstance(t, Tensor) for t in tensors):
        raise Unsupported("expected a list of tensors")
    return NOT_DONE


def stack_like(name, promote_rank, dim_of):
    """hstack, vstack, dstack: at least promote_rank dimensions, then cat."""
    def lower(importer, call):
        tensors = call.args[0] if call.args else call.kwargs["tensors"]
        values = []
        for tensor in tensors:
            value = importer.value(tensor)
            shape = list(tensor.fake.shape)
            new = promote_rank(shape)
            if len(new) != len(shape):
                value = importer.emit_reshape(value, importer.type_of(tensor.fake.new_empty(new)), shape=new)
            values.append(importer.cast(value, importer.type_of(call.fake).dtype))
        result, = importer.emit("cat", [values], [importer.type_of(call.fake)], dim=dim_of(len(new)))
        return importer.fresh(result, call.fake)
    return special(f"aten.{name}.default", f"torch.{name}")(lower)


stack_like("hstack", lambda s: s or [1], lambda rank: 0 if rank == 1 else 1)
stack_like("vstack", lambda s: [1] * (2 - len(s)) + s, lambda rank: 0)
stack_like("dstack", lambda s: ([1] * (2 - len(s)) + s + [1]) if len(s) < 3 else s, lambda rank: 2)


@special("aten.alias.default", "aten.lift_fresh.default", "aten.lift.default", "prims.view_of.default",
         "Tensor.view_as_self", "aten.resolve_conj.default", "aten.resolve_neg.default",
         "torch.resolve_conj", "torch.resolve_neg", "Tensor.resolve_conj", "Tensor.resolve_neg")
def alias(importer, call):
    source = call.args[0]
    if "resolve" in call.key and (source.fake.is_conj() or source.fake.is_neg()):
        # The conjugate that was lazy so far: the same numbers in storage of their own.
        return importer.fresh(importer.emit("clone", [importer.value(source)], [importer.value(source).type])[0], call.fake)
    return identity_view(importer, call)


@by_op("clone")
def clone(importer, call):
    """Laid out like its operand, or row-major where that is asked for (and a copy then: `contiguous` of what is no row-major tensor)."""
    source = call.bound["input"]
    value = importer.value(source)
    lays_out = call.bound.get("_m") is torch.contiguous_format and not is_contiguous_or_false(source.fake)
    return importer.fresh(importer.emit("contiguous" if lays_out else "clone", [value], [value.type])[0], call.fake)


@special("torch.as_strided", "Tensor.as_strided", "aten.as_strided.default", "aten.as_strided_copy.default", "torch.as_strided_copy")
def as_strided(importer, call):
    """A view of the storage, whatever the strides of the operand's value are here."""
    source = call.args[0]
    if not call.ran or source.storage.fake.dtype != source.fake.dtype:
        raise Unsupported("strides of a storage that is not known")
    viewed = importer.fake_call(torch.as_strided, [source, *call.args[1:]], call.kwargs)
    return opaque.strided_view(importer, source.storage, viewed)


@special(*(f"{owner}.atleast_{n}d{overload}" for n in (1, 2, 3)
           for owner, overload in (("aten", ".default"), ("torch", ""), ("torch.functional", ""))))
def atleast(importer, call):
    source = call.args[0]
    if not isinstance(source, Tensor):
        return NOT_DONE
    if rank_of(source) == call.fake.dim():
        return source
    call.bound = {"input": source}
    return reshape_result(importer, call)


@special(*(f"{owner}.unsafe_{name}" for owner in ("Tensor", "torch") for name in ("chunk", "split", "split_with_sizes")),
         "aten.unsafe_chunk.default", "aten.unsafe_split.Tensor", "aten.unsafe_split_with_sizes.default")
def unsafe_split(importer, call):
    """As split and chunk: only autograd, and so the schema, takes the results for tensors of their own."""
    name = call.key.split(".")[1].removeprefix("unsafe_")
    op = table.load_table()[name]
    signature = next(s for s in op.signatures if s.key == f"Tensor.{name}")
    bound = signature.bind(call.args, call.kwargs)
    if bound is None:
        return NOT_DONE
    safe = Call(call.node, signature.key, getattr(torch.Tensor, name), call.args, call.kwargs, call.fake, call.ran)
    safe.op, safe.bound = op, {k: v for k, (v, _) in bound.items()}
    return importer.lower_op(safe)
