# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex tensors as pairs: real tensors with one more dim, of the real and the imaginary part.

The dialect has no complex numbers. A complex tensor is a view of its pair, as in PyTorch's memory; the chain's last step says so.
Arguments, results and weights of the function are pairs, too: the module holds `view_as_real` of a complex weight, takes that of a
complex input, and `Module.outputs` says which results are complex. What is computed of such tensors is computed of their
pairs, by PyTorch's own formulas for the CPU (`complex_numbers.py`), and `view_as_real`, `real`, `imag`, `abs` and `angle` are real
again. The complex value itself, an opaque `aten.view_as_complex` of the pair, is made where something reads it that has no form for pairs;
what that gives is a pair again.
"""

import contextlib
import math

import torch

from .. import dtypes, ir, opaque
from .. import fourier  # noqa: F401 (its formulas)
from ..complex_numbers import FORMULAS, PARTWISE, NoFormula, Number, partwise, reversed_quotient
from ..graph import NOT_DONE, Call, Unsupported, callable_key, flatten, first_named, storage_of
from ..tracker import Step, Tensor
from . import decompose
from .pointwise import REVERSED_QUOTIENTS
from .views import reshape_view

aten = torch.ops.aten


class ComplexStep(Step):
    """The view of a pair as complex numbers. `pair`: the pair's fake."""

    __slots__ = ("pair",)

    def __init__(self, importer, pair, fake):
        before, after = importer.type_of(pair), importer.type_of(fake)
        super().__init__(lambda value: opaque.emit_op(importer, "aten.view_as_complex.default", [value], after),
                         lambda base, new: opaque.emit_op(importer, "aten.view_as_real.default", [new], before))
        self.pair = pair


def is_complex(value):
    return isinstance(value, Tensor) and value.fake.dtype.is_complex


def pair_of(tensor):
    """The real tensor that a complex one is a view of."""
    if not tensor.chain or not isinstance(tensor.chain[-1], ComplexStep):
        raise Unsupported("a complex tensor that the function does not make itself is not modelled")
    return Tensor(tensor.storage, tensor.chain[:-1], tensor.chain[-1].pair)


def fits_pair(tensor):
    """True for a complex tensor that can be a pair; a weight that is conjugated lazily cannot."""
    return tensor.dtype in (torch.complex64, torch.complex128) and tensor.layout is torch.strided


def holds_pair(tensor):
    """True for a complex weight, which the module holds as its pair."""
    return fits_pair(tensor) and dtypes.has_data(tensor) and not tensor.is_conj()


def as_complex(importer, pair, fake):
    """The complex tensor of a pair."""
    return pair.view(ComplexStep(importer, pair.fake, fake), None, fake)


def real_fake(importer, fake):
    """The pair's fake, in the memory of the complex one."""
    fake = importer.replay.probe(torch.conj, [fake], {}) if fake.is_conj() else fake
    return importer.replay.probe(torch.view_as_real, [fake], {})


# The reason that gives way to that of the definition, which names the op that lacks.
NO_FORM = "it has no form for pairs of real numbers"
# Arguments that the result's meta says.
IMPLIED = ("dtype", "layout", "device", "pin_memory", "memory_format", "non_blocking", "copy", "requires_grad")
SET_ITEM = ("operator.setitem", "Tensor.__setitem__")
# The formulas below have one name each; the table's second names are of callables that are ops, of reals.
SECOND_NAMES = {
    "truediv": "div", "true_divide": "div", "divide": "div", "multiply": "mul", "subtract": "sub", "negative": "neg", "absolute": "abs", "pos": "positive",
    "concat": "cat", "concatenate": "cat", "radd": "add", "rmul": "mul", "ger": "outer", "linalg_matmul": "matmul",
    "special_exp2": "exp2", "not_equal": "ne", "lift_fresh_copy": "clone", "lift_fresh": "alias"}
# Views of the same elements in the same order; the result's fake says the shape.
SHAPES = frozenset({"view", "reshape", "flatten", "unflatten", "unsqueeze", "squeeze", "_unsafe_view", "view_as", "reshape_as", "ravel", "contiguous",
                    "detach", "alias", "resolve_conj", "resolve_neg"})
ORDERS = frozenset({"permute", "transpose", "t", "movedim", "moveaxis", "swapaxes", "swapdims", "mT", "T", "numpy_T"})
DRAWS = {"rand": torch.rand, "rand_like": torch.rand, "randn": torch.randn, "randn_like": torch.randn}
PIECES = frozenset({"select", "slice", "narrow", "split", "chunk", "unbind", "split_with_sizes"})


def name_of(call):
    if call.key == "builtins.getattr":
        return call.args[1]
    name = call.key.split(".")[1] if call.key.startswith(("aten.", "prims.")) else call.key.rpartition(".")[2]
    if call.key.endswith("functional.unfold"):
        return "im2col"  # Tensor.unfold is another function
    name = name[2:-2] if name.startswith("__") and name.endswith("__") else name
    return SECOND_NAMES.get(name, name)


def is_pair(value):
    return is_complex(value) and bool(value.chain) and isinstance(value.chain[-1], ComplexStep)


def lower(importer, call):
    """A call that takes or makes complex tensors, on their pairs; NOT_DONE of others, and where it has no form for them."""
    operands = [item for item in flatten([call.args, call.kwargs]) if isinstance(item, Tensor)]
    name = name_of(call) if "." in call.key else call.key
    if name == "view_as_complex" and operands and not is_complex(operands[0]):
        return as_complex(importer, operands[0], call.fake)
    made = [item for item in flatten(call.fake) if isinstance(item, torch.Tensor)]
    if not any(map(is_complex, operands)) and not any(item.dtype.is_complex for item in made):
        return NOT_DONE
    if not all(is_pair(o) for o in operands if is_complex(o)) or any(t.dtype == torch.complex32 for t in [o.fake for o in operands] + made):
        return NOT_DONE
    if not made and call.key not in SET_ITEM or call.key.startswith("higher_order.") or call.key == "operator.getitem" and not isinstance(call.args[0], Tensor):
        return NOT_DONE
    result = lower_complex(importer, call, name)
    if result is NOT_DONE and not any(map(is_complex, operands)):
        return NOT_DONE  # of real tensors, by its parts
    if result is NOT_DONE and is_composite(call.target):
        return decompose.lower_traced(importer, call, call.target)
    if result is NOT_DONE:
        raise Unsupported(NO_FORM)  # what the dialect's own ops make of complex elements is not known
    return result


def is_composite(target):
    """True for an op that PyTorch defines by others, and that neither draws nor writes."""
    return isinstance(target, torch._ops.OpOverload) and decompose.is_pure(target) and \
        target.has_kernel_for_dispatch_key(torch._C.DispatchKey.CompositeImplicitAutograd)


def lower_complex(importer, call, name):
    if call.key in SET_ITEM:
        return set_item(importer, call)
    if call.kwargs.get("out") is not None:
        return lower_out(importer, call)
    is_mutable = isinstance(call.target, torch._ops.OpOverload) and call.target._schema.is_mutable
    if is_mutable or name.endswith("_") or call.key.startswith("operator.i") and name not in FORMULAS:
        return lower_in_place(importer, call)
    return lower_pure(importer, call, name)


def set_item(importer, call):
    """z[index] = value: the same elements of the pair."""
    target, index, value = call.args
    if not is_complex(target):
        return NOT_DONE
    if isinstance(index, Tensor) and index.fake.dtype == torch.bool and not (isinstance(value, Tensor) and value.fake.dim()):
        def chosen(dtype, mask, value, target):
            mask = mask.reshape([*mask.shape, *[1] * (target.tensors()[0].dim() - mask.dim())])
            return FORMULAS["where"](dtype, mask, value, target)

        result = by_formula(importer, Call(call.node, call.key, None, [index, value, target], {}, target.fake), chosen)
        importer.assign(pair_of(target), pair_of(result).read())
        return None
    if not is_complex(value):
        fake = importer.fake_call(lambda t, v: torch.as_tensor(v).to(t.dtype) + torch.empty((), dtype=t.dtype, device=t.device), [target, value], {})
        value = by_formula(importer, Call(call.node, call.key, None, [value], {}, fake), lambda dtype, x: Number.of(x, dtype))
    apply(importer, call, call.target, [pair_of(target), pair_index(index), pair_of(value)], call.key)
    return None


def pair_index(index):
    index = index if isinstance(index, tuple) else (index,)
    return (*index, slice(None)) if any(i is Ellipsis for i in index) else index


def lower_out(importer, call):
    out = call.kwargs["out"]
    if not is_pair(out) or opaque.overlaps_itself(out.fake):
        return NOT_DONE
    key, function, kwargs = importer.functional_out(call)
    result = lower(importer, Call(call.node, key, function, list(call.args), dict(kwargs), importer.fake_call(function, call.args, kwargs)))
    if not is_pair(result):
        return NOT_DONE
    importer.assign(pair_of(out), pair_of(result).read())
    return out


def lower_in_place(importer, call):
    """z.mul_(w), z *= w, z.copy_(w): the pair is written."""
    target, twin = call.args[0] if call.args else None, importer.functional_target(call)
    if not is_complex(target) or call.kwargs.get("out") is not None:
        return NOT_DONE
    if name_of(call) == "copy_" and is_complex(call.args[1]):
        result = call.args[1]
    elif name_of(call) in ("copy_", "fill_", "zero_"):
        result = by_formula(importer, Call(call.node, call.key, None, call.args, {}, call.fake), FORMULAS[name_of(call)[:-1]])
    else:
        if twin is None or twin[1] is None:
            return NOT_DONE
        key, function, kwargs = first_named(*twin, call.kwargs)
        result = lower(importer, Call(call.node, key, function, list(call.args), dict(kwargs), importer.fake_call(function, call.args, kwargs)))
    if not is_pair(result):
        return NOT_DONE
    importer.assign(pair_of(target), pair_of(result).read())
    return target


def lower_pure(importer, call, name):
    source = call.args[0] if call.args else None
    if call.fake is not None and any(isinstance(o, Tensor) and o.fake is call.fake for o in call.args):
        return next(o for o in call.args if isinstance(o, Tensor) and o.fake is call.fake)
    if is_complex(source):
        view = lower_view(importer, call, name, source)
        if view is not NOT_DONE:
            return view
    if name == "view" and isinstance(source, Tensor) and len(call.args) == 2 and call.fake.dtype == call.args[1]:
        pair = real_fake(importer, call.fake)
        if source.fake.dtype != pair.dtype:
            source = apply(importer, call, aten.view.dtype, [source, pair.dtype])
        return as_complex(importer, reshape_view(importer, source, pair), call.fake)
    if name == "div" and call.key in REVERSED_QUOTIENTS and not isinstance(source, Tensor):
        return by_formula(importer, call, reversed_quotient)
    if name in ("rpow", "rtruediv", "rdiv"):
        return by_formula(importer, call, (lambda dtype, x, y: FORMULAS["pow"](dtype, y, x)) if name == "rpow" else
                          (lambda dtype, x, y: reversed_quotient(dtype, y, x)))
    if name in ("tensor", "as_tensor", "scalar_tensor") and not any(isinstance(item, Tensor) for item in flatten([call.args, call.kwargs])):
        return literal(importer, torch.tensor(next(iter([*call.args, *call.kwargs.values()])), dtype=call.fake.dtype))
    if name in DRAWS:
        return draw(importer, call, DRAWS[name])
    if name in FORMULAS:
        return by_formula(importer, call, FORMULAS[name])
    if name in PARTWISE and callable(call.target):
        return by_formula(importer, call, partwise(name, call.target))
    return NOT_DONE


def draw(importer, call, function):
    """Draws of both parts, as PyTorch's on the CPU: of normal ones each has half the variance."""
    if call.kwargs.get("generator") is not None:
        raise Unsupported("a draw from a generator is not modelled")
    pair = real_fake(importer, call.fake)
    drawn = apply(importer, call, function, [list(pair.shape)], kwargs={"dtype": pair.dtype, "device": pair.device})
    if function is torch.randn:
        drawn = apply(importer, call, aten.mul.Scalar, [drawn, math.sqrt(0.5)])
    return of_value(importer, drawn, call.fake)


def lower_view(importer, call, name, source):
    """A call that makes a view of a complex tensor, or has the same elements; NOT_DONE of others."""
    pair, rank = pair_of(source), source.fake.dim()
    if name == "view_as_real":
        return Tensor(pair.storage, pair.chain, call.fake)
    if name in ("real", "imag"):
        return apply(importer, call, aten.select.int, [pair, rank, int(name == "imag")])
    if name in ("conj", "_conj"):
        flipped = Step(lambda value: conjugate(importer, value), lambda base, new: conjugate(importer, new))
        return wrap(importer, call, pair.view(flipped, None, real_fake(importer, call.fake)), call.fake)
    if name == "view" and len(call.args) == 2 and isinstance(call.args[1], torch.dtype):
        parts = torch.empty(0, dtype=source.fake.dtype).real.dtype
        flat = reshape_view(importer, pair, importer.replay.probe(torch.Tensor.view, [source.fake, parts], {}))
        return flat if call.args[1] == parts else apply(importer, call, aten.view.dtype, [flat, call.args[1]])
    if name in ("adjoint", "mH", "H", "matrix_H"):
        turned = lower_view(importer, inner_call(importer, call, aten.transpose.int, [source, -2, -1]), "transpose", source)
        return lower_view(importer, inner_call(importer, call, aten._conj.default, [turned]), "_conj", turned)
    if not isinstance(call.fake, (torch.Tensor, list, tuple)) or any(not f.dtype.is_complex for f in flatten(call.fake) if isinstance(f, torch.Tensor)):
        return NOT_DONE
    if name in SHAPES:
        return wrap(importer, call, reshape_view(importer, pair, real_fake(importer, call.fake)), call.fake)
    if name in ("expand", "expand_as", "broadcast_to"):
        return wrap(importer, call, apply(importer, call, aten.expand.default, [pair, list(real_fake(importer, call.fake).shape)]), call.fake)
    if name in ORDERS and callable(call.target):
        marked = torch.empty(tuple(range(2, 2 + rank)), device="meta")
        turned = getattr(marked, name) if call.key == "builtins.getattr" else call.target(marked, *call.args[1:], **call.kwargs)
        dims = [extent - 2 for extent in turned.shape]
        return wrap(importer, call, apply(importer, call, aten.permute.default, [pair, [*dims, rank]]), call.fake)
    if name == "clone":
        return wrap(importer, call, apply(importer, call, aten.clone.default, [pair]), call.fake)
    if call.key == "operator.getitem":
        return wrap(importer, call, apply(importer, call, call.target, [pair, pair_index(call.args[1])], "operator.getitem"), call.fake)
    if name in PIECES and callable(call.target):
        args, kwargs, place = list(call.args[1:]), dict(call.kwargs), 0 if name in ("select", "slice", "narrow", "unbind") else 1
        if "dim" in kwargs:
            kwargs["dim"] %= rank
        elif len(args) > place:
            args[place] %= rank
        return wrap(importer, call, apply(importer, call, call.target, [pair, *args], call.key, kwargs), call.fake)
    if name == "as_strided" and callable(call.target) and not call.kwargs:
        size, strides, *offset = call.args[1:]
        offset = [2 * number for number in offset if number is not None]
        return wrap(importer, call, apply(importer, call, aten.as_strided.default, [pair, [*size, 2], [*(2 * s for s in strides), 1], *offset]), call.fake)
    if rank and name in ("diagonal", "unfold") and callable(call.target) and not call.kwargs:
        # The dim that they add comes last, behind that of the parts.
        args = list(call.args[1:])
        if name == "unfold":
            args[0] %= rank
        else:
            args = [*args, *(0, 0, 1)[len(args):]]
            args[1:] = [dim % rank for dim in args[1:]]
        view = apply(importer, call, aten.unfold.default if name == "unfold" else aten.diagonal.default, [pair, *args])
        dims = view.fake.dim()
        return wrap(importer, call, apply(importer, call, aten.permute.default, [view, [*range(dims - 2), dims - 1, dims - 2]]), call.fake)
    return NOT_DONE


def apply(importer, call, target, args, key=None, kwargs=None):
    """Another call in the place of this one, on real tensors."""
    kwargs = kwargs or {}
    inner = Call(call.node, key or callable_key(target), target, args, kwargs, importer.fake_call(target, args, kwargs))
    return importer.settle(inner, importer.lower(inner), inner.fake)


def wrap(importer, call, result, fake):
    """Complex tensors of pairs. PyTorch's fakes tell which are views and which are copies."""
    if isinstance(fake, (list, tuple)):
        return [wrap(importer, call, r, f) for r, f in zip(result, fake, strict=True)]
    known, _ = importer.by_storage.get(storage_of(fake), (None, None))
    pair = Tensor(result.storage, result.chain, real_fake(importer, fake))
    if call.ran and known is None and result.storage.known:
        pair = importer.fresh(pair.read(), pair.fake)
    return as_complex(importer, pair, fake)


def conjugate(importer, value):
    """A pair with the other sign of the imaginary part."""
    signs = torch.tensor([1.0, -1.0], dtype=torch.float64 if value.type.dtype == "f64" else torch.float32)
    type_ = ir.TensorType(value.type.dtype, (2,))
    constant, = importer.emit_raw("fxgraph.constant", [], [type_], [("value", dtypes.tensor_literal(signs, type_))])
    return importer.emit("mul", [value, constant], [value.type])[0]


class _Held:
    """Stands in a call's arguments for the i-th tensor of a trace."""

    def __init__(self, index, is_pair):
        self.index, self.is_pair = index, is_pair


def inner_call(importer, call, target, args):
    """Another call in the place of this one."""
    return Call(call.node, callable_key(target), target, args, {}, importer.fake_call(target, args, {}))


def of_value(importer, pair, fake):
    """The complex tensor of a pair that is in memory of its own."""
    return as_complex(importer, importer.fresh(pair.read(), real_fake(importer, fake)), fake)


def copy_of(importer, tensor, fake):
    """A complex tensor in memory of its own."""
    return of_value(importer, pair_of(tensor), fake)


def literal(importer, tensor):
    """A small complex tensor as a constant."""
    fake = importer.replay.adopt(tensor)
    pair, parts = real_fake(importer, fake), torch.view_as_real(tensor.resolve_conj())
    if not dtypes.fits_in_constant(parts):
        raise Unsupported("a literal of this size is not modelled")
    type_ = importer.type_of(pair)
    value, = importer.emit_raw("fxgraph.constant", [], [type_], [("value", dtypes.tensor_literal(parts, ir.TensorType(type_.dtype, type_.dims)))])
    return as_complex(importer, importer.fresh(value, pair), fake)


def number_in(importer, tensor):
    """A complex tensor of an op without a form for pairs, as the view of its pair."""
    value, fake = tensor.read(), tensor.fake
    if fake.is_conj():
        value = opaque.emit_op(importer, "aten.resolve_conj.default", [value], value.type)
    pair = real_fake(importer, fake)
    value = opaque.emit_op(importer, "aten.view_as_real.default", [value], importer.type_of(pair))
    return as_complex(importer, importer.fresh(value, pair), fake)


def by_formula(importer, call, formula):
    """What a formula computes."""
    fake = call.fake
    if not isinstance(fake, torch.Tensor):
        return NOT_DONE
    tensors = []

    def hold(value):
        if isinstance(value, Tensor):
            tensors.append(pair_of(value) if is_complex(value) else value)
            return _Held(len(tensors) - 1, is_complex(value))
        if isinstance(value, (list, tuple)):
            return type(value)(map(hold, value)) if type(value) in (list, tuple) else [hold(v) for v in value]
        return value

    args, kwargs = list(call.args), {name: value for name, value in call.kwargs.items() if value is not None}
    # What is positional in the formulas, under its names in PyTorch's functions.
    if "input" in kwargs or "self" in kwargs:
        args.insert(0, kwargs.pop("input", None) if "input" in kwargs else kwargs.pop("self"))
    for name in IMPLIED:
        kwargs.pop(name, None)
    for name in ("other", "exponent", "mat2", "vec2", "tensors"):
        if name in kwargs:
            args.append(kwargs.pop(name))
    args, kwargs = hold(args), {name: hold(value) for name, value in kwargs.items()}

    def compute(*metas):
        def put(value):
            if isinstance(value, _Held):
                meta = metas[value.index]
                return Number(meta[..., 0], meta[..., 1]) if value.is_pair else meta
            return type(value)(map(put, value)) if type(value) in (list, tuple) else value

        dtype = torch.empty(0, dtype=fake.dtype).real.dtype if fake.dtype.is_complex or fake.dtype.is_floating_point else None
        if dtype is None:
            dtype = next(metas[v.index].dtype for v in [*args, *kwargs.values()] if isinstance(v, _Held) and v.is_pair)
        with contextlib.nullcontext() if fake.device.type == "cpu" else torch.device(fake.device):
            result = formula(dtype, *put(args), **{name: put(value) for name, value in kwargs.items()})
        if not isinstance(result, Number):
            return result
        if not any(isinstance(part, torch.Tensor) for part in (result.real, result.imag)):
            result = Number(*(torch.full((), part, dtype=dtype, device=fake.device) for part in (result.real, result.imag)))
        real, imag = result.tensors()
        if not fake.dtype.is_complex:
            return ((real != 0) | (imag != 0)) if fake.dtype == torch.bool else real.to(fake.dtype)
        return torch.stack((real.expand(fake.shape), imag.expand(fake.shape)), -1)

    def checked(*metas):
        try:
            return compute(*metas)
        except NoFormula as error:
            reasons.append(str(error))
            raise

    reasons = []
    inner = Call(call.node, call.key, checked, tensors, {}, None)
    try:
        result = decompose.lower_traced(importer, inner, checked)
    except Unsupported as error:
        raise Unsupported(reasons[0] if reasons else str(error)) from None
    wanted = real_fake(importer, fake) if fake.dtype.is_complex else fake
    if not isinstance(result, Tensor) or importer.type_of(result.fake) != importer.type_of(wanted):
        raise Unsupported("its formula has another result")
    made = importer.fresh(result.read(), wanted)
    return as_complex(importer, made, fake) if fake.dtype.is_complex else made
