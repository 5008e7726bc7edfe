# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indexing: getitem and setitem in all forms, index, index_put and relatives."""

import operator

import torch

from ...errors import ImportFailure
from .. import dtypes, ir, promote, symbols
from ..graph import NOT_DONE, Unsupported, by_op, special
from ..tracker import Step, Tensor
from . import decompose
from .views import select_view, simple_view, slice_view


@special("operator.getitem", "Tensor.__getitem__")
def getitem(importer, call):
    """A tuple's item, or a tensor's basic and advanced indexing."""
    source, key = call.args
    if not isinstance(source, Tensor):
        if isinstance(source, (list, tuple, dict)) and not isinstance(key, torch.SymInt):
            if isinstance(source, (list, tuple)) and isinstance(key, int) and not -len(source) <= key < len(source):
                raise ImportFailure(f"node {call.node.name} ({call.key}) at {importer.where(call.node)}: expected an item of the {len(source)} "
                                    f"that {call.node.args[0]} has but got {key}")
            return source[key]
        return importer.fold_python(call)
    return index_tensor(importer, source, key, call.fake)


def normalize_key(source, key):
    """The key as a list with one entry for each dimension of the source or None."""
    items = list(key) if isinstance(key, tuple) else [key]
    if isinstance(key, list):
        items = [key]
    consumed = sum(1 for k in items if k is not None and k is not Ellipsis and not is_mask(k)) + sum(k.fake.dim() for k in items if is_mask(k))
    missing = source.fake.dim() - consumed
    if any(k is Ellipsis for k in items):
        at = next(i for i, k in enumerate(items) if k is Ellipsis)
        items[at:at + 1] = [slice(None)] * missing
    else:
        items += [slice(None)] * missing
    return items


def is_mask(k):
    return isinstance(k, Tensor) and k.fake.dtype in (torch.bool, torch.uint8)


def basic_views(importer, source, items):
    """Applies ints, slices and None one by one; index tensors are left for later.

    Returns (view, [(dim, index tensor)]).
    """
    view, dim, advanced = source, 0, []
    for item in items:
        if item is None:
            fake = importer.fake_call(torch.unsqueeze, [view, dim], {})
            view = simple_view(importer, view, "unsqueeze", fake, dim=dim)
            dim += 1
        elif isinstance(item, slice):
            if item.start is None and item.stop is None and item.step in (None, 1):
                dim += 1
                continue
            view = slice_view(importer, view, dim, item.start, item.stop, item.step)
            dim += 1
        elif isinstance(item, bool):
            raise Unsupported("indexing by a bool is not modelled")
        elif isinstance(item, (int, torch.SymInt)):
            view = select_view(importer, view, dim, item)
        elif isinstance(item, (Tensor, list)):
            advanced.append((dim, item))
            dim += 1
        else:
            raise Unsupported(f"indexing by {type(item).__name__} is not modelled")
    return view, advanced


def index_value(importer, index):
    """An index tensor's value; a list of ints is a constant."""
    if isinstance(index, list):
        data = torch.tensor(index)
        if data.dtype is torch.bool or not dtypes.fits_in_constant(data):
            raise Unsupported("indexing by this list is not modelled")
        type_ = ir.TensorType("i64", data.shape)
        return importer.emit_raw("fxgraph.constant", [], [type_], [("value", dtypes.tensor_literal(data.long(), type_))])[0]
    if is_mask(index):
        raise Unsupported("indexing by a mask has a data-dependent shape")
    return wide_index(importer, index)


def wide_index(importer, index):
    """An index tensor's value as i32 or i64."""
    value = importer.value(index)
    return value if value.type.dtype in ("i32", "i64") else importer.cast(value, "i64")


def index_tensor(importer, source, key, fake):
    items = normalize_key(source, key)
    if any(is_mask(i) for i in items):
        raise Unsupported("indexing by a mask has a data-dependent shape")
    view, advanced = basic_views(importer, source, ints_as_indices(importer, items))
    if not advanced:
        if view is source:
            # x[...] and x[:] are new views of everything.
            return source.view(Step(lambda v: v, lambda base, new: new), source.read(), fake)
        return view
    value = importer.value(view)
    indices = [index_value(importer, i) for _, i in advanced]
    result, = importer.emit("index", [value, indices], [importer.type_of(fake)], dims=[d for d, _ in advanced])
    return importer.fresh(result, fake)


def ints_as_indices(importer, items):
    """Beside index tensors an int is itself one, of rank 0: it counts where PyTorch asks if they are adjacent."""
    def as_index(item):
        if isinstance(item, bool) or not isinstance(item, (int, torch.SymInt)):
            return item
        with importer.fake_mode:
            fake = torch.empty((), dtype=torch.int64)
        value = importer.symbols.number(item) if isinstance(item, torch.SymInt) else importer.constant(item, "i64")
        return importer.fresh(value, fake)

    return list(map(as_index, items)) if any(isinstance(i, (Tensor, list)) for i in items) else items


@special("operator.setitem", "Tensor.__setitem__")
def setitem(importer, call):
    """x[key] = value: a write through the view x[key]."""
    destination, key, value = call.args
    if not isinstance(destination, Tensor):
        raise Unsupported("setitem on a list is not modelled")
    items = normalize_key(destination, key)
    if any(is_mask(i) for i in items):
        return mask_write(importer, destination, items, value)
    view, advanced = basic_views(importer, destination, ints_as_indices(importer, items))
    if not advanced:
        importer.assign(view, source_value(importer, value, view))
        return None
    base = importer.value(view)
    indices = [index_value(importer, i) for _, i in advanced]
    dims = [d for d, _ in advanced]
    values = values_operand(importer, value, base.type.dtype)
    # index_put has the values broadcast to the indexed shape.
    result, = importer.emit("index_put", [base, indices, values], [base.type], dims=dims, accumulate=False)
    importer.write(view, result)
    return None


def source_value(importer, value, destination):
    """Value to write: tensors drop leading extents of 1, numbers become constants."""
    dtype = importer.type_of(destination.fake).dtype
    if isinstance(value, Tensor):
        result = importer.value(value)
        extra = result.type.rank - destination.fake.dim()
        if extra > 0:
            type_ = result.type.with_dims(result.type.dims[extra:])
            result = importer.emit_reshape(result, type_)
        return result
    return values_operand(importer, value, dtype)


def values_operand(importer, value, dtype):
    if isinstance(value, Tensor):
        return importer.cast(importer.value(value), dtype)
    return promote.scalar(importer, value, dtype)


def mask_write(importer, destination, items, value):
    """x[mask] = number, or a tensor of one element: where."""
    mask = items[0]
    full = isinstance(value, (bool, int, float, torch.SymInt, torch.SymFloat)) or isinstance(value, Tensor) and value.fake.dim() == 0
    if not is_mask(mask) or not full or any(i != slice(None) for i in items[1:]):
        raise Unsupported("a write through a mask is not modelled")
    base = importer.value(destination)
    condition = importer.cast(importer.value(mask), "i1")
    missing = base.type.rank - condition.type.rank
    if missing:
        shape = list(mask.fake.shape) + [1] * missing
        condition = importer.emit_reshape(condition, condition.type.with_dims(list(condition.type.dims) + [1] * missing), shape=shape)
    filler = values_operand(importer, value, base.type.dtype)
    result, = importer.emit("where", [condition, filler, base], [base.type])
    importer.write(destination, result)
    return None


def split_indices(importer, indices):
    """[None, i, j] -> (index values, dims)."""
    values, dims = [], []
    for dim, index in enumerate(indices):
        if index is None:
            continue
        values.append(index_value(importer, index))
        dims.append(dim)
    return values, dims


@by_op("index")
def index(importer, call):
    values, dims = split_indices(importer, call.bound["indices"])
    result, = importer.emit("index", [importer.value(call.bound["input"]), values], [importer.type_of(call.fake)], dims=dims)
    return importer.fresh(result, call.fake)


@by_op("index_put")
def index_put(importer, call):
    base = importer.value(call.bound["input"])
    indices = call.bound["indices"]
    if len(indices) == 1 and is_mask(indices[0]) and not call.bound.get("accumulate"):
        value = call.bound["values"]
        if isinstance(value, Tensor) and value.fake.dim() == 0:
            copy = importer.fresh(base, call.fake)
            mask_write(importer, copy, [indices[0]] + [slice(None)] * (base.type.rank - indices[0].fake.dim()), value)
            return copy
    values, dims = split_indices(importer, indices)
    source = importer.cast(importer.value(call.bound["values"]), base.type.dtype)
    result, = importer.emit("index_put", [base, values, source], [base.type], dims=dims, accumulate=call.bound.get("accumulate"))
    return importer.fresh(result, call.fake)


@by_op("unsafe_index")
def unsafe_index(importer, call):
    """What a capture takes on trust is checked here: only passes that know the indices make the unsafe ops."""
    return index(importer, call)


@by_op("unsafe_index_put")
def unsafe_index_put(importer, call):
    return index_put(importer, call)


def dim_arguments(call, names):
    return dict(zip(names, call.args)) | call.kwargs


@special("aten.index_add.default", "torch.index_add", "Tensor.index_add")
def index_add(importer, call):
    """index_add along a dim = index_put that accumulates at the dim."""
    given = dim_arguments(call, ("input", "dim", "index", "source"))
    result = put_along(importer, call, given, given["source"], True) if given.get("alpha", 1) == 1 else NOT_DONE
    return by_parts(importer, call, torch.ops.aten.index_add.default) if result is NOT_DONE else result


@special("aten.index_copy.default", "torch.index_copy", "Tensor.index_copy")
def index_copy(importer, call):
    given = dim_arguments(call, ("input", "dim", "index", "source"))
    result = put_along(importer, call, given, given["source"], False)
    return by_parts(importer, call, torch.ops.aten.index_copy.default) if result is NOT_DONE else result


def by_parts(importer, call, overload):
    """What the forms here do not take: scales, and operands of one element without a dim for it."""
    def function(*args, **kwargs):
        given = dict(zip(("input", "dim", "index", "source"), args)) | kwargs
        first = given.pop("input") if "input" in given else given.pop("self")
        return decompose.OWN[overload](first, given.pop("dim"), given.pop("index"), given.pop("source"), **given)

    return decompose.lower_traced(importer, call, function)


def put_along(importer, call, given, source, accumulate):
    base = importer.value(given.get("input", given.get("self")))
    if base.type.rank == 0 or given["index"].fake.dim() != 1 or source.fake.dim() != base.type.rank:
        return NOT_DONE
    dim = given["dim"] % base.type.rank
    values = importer.cast(importer.value(source), base.type.dtype)
    result, = importer.emit("index_put", [base, [index_value(importer, given["index"])], values], [base.type],
                            dims=[dim], accumulate=accumulate)
    return importer.fresh(result, call.fake)


@special("aten.index_fill.int_Scalar", "torch.index_fill", "Tensor.index_fill")
def index_fill(importer, call):
    given = dim_arguments(call, ("input", "dim", "index", "value"))
    base = importer.value(given.get("input", given.get("self")))
    if base.type.rank == 0 or given["index"].fake.dim() != 1:
        return NOT_DONE
    filler = values_operand(importer, given["value"], base.type.dtype)
    result, = importer.emit("index_put", [base, [index_value(importer, given["index"])], filler], [base.type],
                            dims=[given["dim"] % base.type.rank], accumulate=False)
    return importer.fresh(result, call.fake)


@by_op("scatter", "scatter_add", "scatter_reduce")
def scatter(importer, call):
    call.bound["index"] = scatter_index(importer, call)
    dtype = importer.value(call.bound["input"]).type.dtype
    source = call.bound["src"]
    if not isinstance(source, Tensor):
        return scatter_value(importer, call)
    call.bound["src"] = importer.cast(importer.value(source), dtype)
    return NOT_DONE


@special("aten.scatter.value", "torch.scatter", "Tensor.scatter")
def scatter_value_aten(importer, call):
    """scatter of a number; of a tensor, the table's op."""
    if "value" not in call.kwargs and (len(call.args) < 4 or isinstance(call.args[3], Tensor)) or "reduce" in call.kwargs:
        return NOT_DONE
    call.bound = dict(zip(("input", "dim", "index", "src"), call.args)) | {("src" if k == "value" else k): v for k, v in call.kwargs.items()}
    return scatter_value(importer, call)


def scatter_value(importer, call):
    """scatter of one number: src is full of it, in the index's shape."""
    base, index = importer.value(call.bound.get("input", call.bound.get("self"))), scatter_index(importer, call)
    filler = values_operand(importer, call.bound["src"], base.type.dtype)
    type_ = importer.type_of(index.fake).with_dtype(base.type.dtype)
    source = importer.expand_to(filler, type_)
    result, = importer.emit("scatter", [base, importer.value(index), source], [base.type], dim=call.bound["dim"])
    return importer.fresh(result, call.fake)


def scatter_index(importer, call):
    """The index as a tensor again: scatter_value reads its shape."""
    index = call.bound["index"]
    value = wide_index(importer, index)
    return index if value is importer.value(index) else importer.fresh(value, index.fake)


@by_op("gather", "index_select")
def gather(importer, call):
    call.bound["index"] = wide_index(importer, call.bound["index"])
    return NOT_DONE


@by_op("embedding")
def embedding(importer, call):
    if call.take("_mn") is not None:
        raise Unsupported("embedding with max_norm writes its weight")
    for name in ("_p", "_s", "_nt", "_sparse"):
        call.take(name)
    call.bound["indices"] = wide_index(importer, call.bound["indices"])
    return NOT_DONE


@special("torch.nn.functional.embedding_bag")
def embedding_bag(importer, call):
    """Bags of one size, given as the rows of a matrix: an embedding, then a reduction of each row."""
    names = ("input", "weight", "offsets", "max_norm", "norm_type", "scale_grad_by_freq", "mode", "sparse", "per_sample_weights",
             "include_last_offset", "padding_idx")
    given = dict(zip(names, call.args)) | call.kwargs
    if given["input"].fake.dim() != 2:
        return decompose.lower(importer, call)
    if given.get("max_norm") is not None:
        raise Unsupported("embedding_bag with max_norm writes its weight")
    return reduce_bags(importer, given["weight"], wide_index(importer, given["input"]), given["input"].fake, given.get("mode", "mean"),
                       given.get("per_sample_weights"), given.get("padding_idx"), call.fake)


def distance(indices, offsets):
    """The distance of offsets that are a range over all indices, or None."""
    if offsets.op != "call_function" or offsets.kwargs.get("step", 1) != 1 or str(offsets.target) != "aten.arange.start_step":
        return None
    start, end, step = (*offsets.args, 1)[:3]
    return step if start == 0 and isinstance(step, int) and end == symbols.as_int(indices.fake.numel()) else None


@special("aten.embedding_bag.default", "aten.embedding_bag.padding_idx")
def embedding_bag_aten(importer, call):
    """As torch.nn.functional.embedding_bag makes it of a matrix: flat, with offsets at equal distances."""
    names = [a.name for a in call.target._schema.arguments]
    given = dict(zip(names, call.args)) | call.kwargs
    step = distance(given["indices"], call.node.args[2])
    if step is None or given["indices"].fake.dim() != 1 or given.get("include_last_offset"):
        return decompose.lower(importer, call)
    if any(user.target is not operator.getitem or user.args[1] != 0 and user.users for user in call.node.users):
        raise Unsupported("what embedding_bag returns for its backward is not modelled")
    rows = importer.fake_call(torch.reshape, [given["indices"], (-1, step)], {})
    indices = importer.emit_reshape(wide_index(importer, given["indices"]), importer.type_of(rows), shape=rows.shape)
    weights = given.get("per_sample_weights")
    if weights is not None:
        matrix = importer.fake_call(torch.reshape, [weights, (-1, step)], {})
        weights = importer.fresh(importer.emit_reshape(importer.value(weights), importer.type_of(matrix), shape=matrix.shape), matrix)
    mode = ("sum", "mean", "max")[given.get("mode", 0)]
    bags = reduce_bags(importer, given["weight"], indices, rows, mode, weights, given.get("padding_idx"), call.fake[0])
    return [bags, None, None, None]  # the others have no users


def reduce_bags(importer, weight, indices, rows, mode, weights, padding, fake):
    """[bags, width] of the table's rows that the matrix of indices names, each row of it reduced."""
    if padding is not None and padding != -1:
        raise Unsupported("embedding_bag with a padding index is not modelled")
    if symbols.as_int(rows.shape[1]) in (0, None):
        raise Unsupported("empty bags, or bags of unknown size, are not modelled")
    table = importer.value(weight)
    wide = importer.fake_call(torch.nn.functional.embedding, [rows, weight], {})
    value, = importer.emit("embedding", [table, indices], [importer.type_of(wide)])
    if weights is not None:
        shape = [*rows.shape, 1]
        column = importer.value(weights)
        column = importer.emit_reshape(column, column.type.with_dims([*column.type.dims, 1]), shape=shape)
        value, = importer.emit("mul", [value, column], [value.type])
    op = {"sum": "sum", "mean": "mean", "max": "amax"}[mode]
    return importer.fresh(importer.emit(op, [value], [importer.type_of(fake)], dims=[1], keepdim=False)[0], fake)
