# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views and other data movement: shapes, axes, slices, splits, pads."""

import torch

from .. import ir, symbols
from ..graph import NOT_DONE, Unsupported, by_op, special
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
        dtype = call.bound["shape"][0]
        if dtype == call.bound["input"].fake.dtype:
            return call.bound["input"]
        raise Unsupported("a view as another dtype is not modelled")
    return lower_shaped(importer, call)


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
    source = call.bound["input"]
    wanted = importer.type_of(call.fake)
    before = importer.value(source)
    value = importer.emit_reshape(before, wanted, shape=call.fake.shape)
    step = Step(lambda v: importer.emit_reshape(v, wanted), lambda base, new: importer.emit_reshape(new, before.type))
    return source.view(step, value, call.fake)


@by_op("permute")
def permute(importer, call):
    rank = rank_of(call.bound["input"])
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


@by_op("squeeze")
def squeeze(importer, call):
    dims = call.bound.get("dims")
    if isinstance(dims, int):
        dims = [dims]
    if dims is None and not all(isinstance(d, int) for d in importer.type_of(call.bound["input"].fake).dims):
        return reshape_result(importer, call)
    call.bound["dims"] = None if dims is None else list(dims)
    return NOT_DONE


def slice_bounds(tensor, dim, start, end):
    """start and end as constants; the whole extent where they are provably that."""
    size = tensor.fake.shape[positive(dim, rank_of(tensor))]
    known_start = 0 if start is None else symbols.as_int(start)
    known_end = ir.INT64_MAX if end is None else symbols.as_int(end)
    if known_end is None and isinstance(end, torch.SymInt) and symbols.expression(end) == symbols.expression(size):
        known_end = ir.INT64_MAX
    if known_start is None or known_end is None:
        raise Unsupported("a slice with a symbolic bound is not modelled")
    return known_start, known_end


@by_op("slice")
def slice_(importer, call):
    bound = call.bound
    source = bound["input"]
    if "_length" in bound:
        length, start = call.take("_length"), symbols.as_int(bound["start"]) if not isinstance(bound["start"], Tensor) else None
        if start is None:
            raise Unsupported("narrow with a start that is not a constant is not modelled")
        if start < 0:
            extent = static_extent(source, bound["dim"])
            if extent is None:
                raise Unsupported("narrow from the end of a symbolic extent is not modelled")
            start += extent
        size = source.fake.shape[positive(bound["dim"], rank_of(source))]
        if isinstance(length, torch.SymInt) and start == 0 and symbols.expression(length) == symbols.expression(size):
            end = ir.INT64_MAX
        elif symbols.as_int(length) is not None:
            end = start + symbols.as_int(length)
        else:
            raise Unsupported("narrow to a symbolic length is not modelled")
        bound["start"], bound["end"], bound["step"] = start, end, 1
        return NOT_DONE
    bound["start"], bound["end"] = slice_bounds(source, bound.get("dim") or 0, bound.get("start"), bound.get("end"))
    return NOT_DONE


@by_op("slice_scatter")
def slice_scatter(importer, call):
    bound = call.bound
    bound["start"], bound["end"] = slice_bounds(bound["input"], bound.get("dim") or 0, bound.get("start"), bound.get("end"))
    return with_input_dtype(call, importer, "src")


@by_op("select_scatter")
def select_scatter(importer, call):
    return with_input_dtype(call, importer, "src")


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
    call.bound["repeats"] = [1] * (rank - len(repeats)) + repeats
    return NOT_DONE


@by_op("roll")
def roll(importer, call):
    for name in ("shifts", "dims"):
        value = call.bound.get(name)
        value = [] if value is None else ([value] if isinstance(value, int) else list(value))
        call.bound[name] = value
    return NOT_DONE


@by_op("flip")
def flip(importer, call):
    if isinstance(call.bound["dims"], int):
        call.bound["dims"] = [call.bound["dims"]]
    return NOT_DONE


@by_op("constant_pad_nd")
def pad(importer, call):
    mode = call.take("_mode", "constant")
    if mode != "constant":
        raise Unsupported(f"pad with mode {mode!r} is not modelled")
    call.bound["value"] = 0.0 if call.bound.get("value") is None else call.bound["value"]
    return NOT_DONE


@by_op("split")
def split(importer, call):
    size = call.bound["split_size"]
    if isinstance(size, (list, tuple)):
        call.bound["split_sizes"] = list(call.take("split_size"))
        from .. import table
        call.op = table.load_table()["split_with_sizes"]
        return importer.general(call)
    return split_like(importer, call)


@by_op("split_with_sizes", "chunk", "unbind")
def split_like(importer, call):
    if call.op.name != "split_with_sizes" and static_extent(call.bound["input"], call.bound.get("dim") or 0) is None:
        raise Unsupported(f"{call.op.name} along a symbolic extent is not modelled")
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
    return identity_view(importer, call)


@special("aten.atleast_1d.default", "torch.atleast_1d", "torch.functional.atleast_1d")
def atleast_1d(importer, call):
    source = call.args[0]
    if not isinstance(source, Tensor):
        return NOT_DONE
    if rank_of(source) >= 1:
        return source
    call.bound = {"input": source}
    return reshape_result(importer, call)


@special("Tensor.unsafe_chunk", "Tensor.unsafe_split", "aten.unsafe_split.Tensor", "aten.unsafe_chunk.default",
         "torch.unsafe_split", "torch.unsafe_chunk")
def unsafe_split(importer, call):
    """As split and chunk, with fresh results."""
    name = "chunk" if "chunk" in call.key else "split"
    from .. import table
    signature = next(s for s in table.load_table()[name].signatures if s.key == f"Tensor.{name}")
    bound = signature.bind(call.args, call.kwargs)
    if bound is None:
        return NOT_DONE
    call.op, call.bound = table.load_table()[name], {k: v for k, (v, _) in bound.items()}
    results = importer.lower_op(call)
    return [importer.fresh(t.read(), t.fake) for t in results]
