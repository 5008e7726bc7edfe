# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex tensors as pairs: real tensors with one more dim, of the real and the imaginary part.

The dialect has no complex numbers. A complex tensor that the function makes itself (`view_as_complex`, `polar`, `complex`) is a
view of its pair, as in PyTorch's memory; the chain's last step says so. Weights that are complex are pairs, too: the module holds
`view_as_real` of them. Only arguments and results of the function are complex. What is computed of such tensors is computed of their
pairs, by PyTorch's own formulas for the CPU, and `view_as_real`, `real`, `imag`, `abs` and `angle` are real again. The complex
value itself, an opaque `aten.view_as_complex` of the pair, is made where something reads it that has no form for pairs.
"""

import torch

from .. import dtypes, ir, opaque
from ..graph import NOT_DONE, Call, Unsupported, flatten, first_named, storage_of
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
    """True for a complex weight, which the module holds as its pair."""
    return tensor.dtype in (torch.complex64, torch.complex128) and tensor.layout is torch.strided and dtypes.has_data(tensor) and not tensor.is_conj()


def as_complex(importer, pair, fake):
    """The complex tensor of a pair."""
    return pair.view(ComplexStep(importer, pair.fake, fake), None, fake)


def real_fake(importer, fake):
    """The pair's fake, in the memory of the complex one."""
    fake = importer.replay.probe(torch.conj, [fake], {}) if fake.is_conj() else fake
    return importer.replay.probe(torch.view_as_real, [fake], {})


class Number:
    """A complex number in parts, each a tensor or a Python number."""

    def __init__(self, real, imag):
        self.real, self.imag = real, imag

    @classmethod
    def of(cls, value, dtype):
        """A tensor or number as PyTorch converts it to the complex dtype with parts of `dtype`."""
        if isinstance(value, (int, float, complex)):
            return cls(float(value.real), float(value.imag))
        real, imag = (value.real, value.imag) if isinstance(value, cls) else (value, 0.0)
        return cls(*(part.to(dtype) if isinstance(part, torch.Tensor) else part for part in (real, imag)))

    def tensors(self):
        """The parts as tensors of one shape."""
        parts = self.real, self.imag
        like = next(part for part in parts if isinstance(part, torch.Tensor))
        return torch.broadcast_tensors(*(p if isinstance(p, torch.Tensor) else torch.full_like(like, p) for p in parts))

    def each(self, function):
        return Number(*map(function, self.tensors()))


def _product(x, y):
    return Number(x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real)


def _quotient(x, y):
    """By the larger part of the divisor, so that nothing overflows on the way."""
    a, b = x.real, x.imag
    if not any(isinstance(part, torch.Tensor) for part in (y.real, y.imag)):
        like = next(part for part in (a, b) if isinstance(part, torch.Tensor))
        y = Number(*(torch.full((), part, dtype=like.dtype, device=like.device) for part in (y.real, y.imag)))
    c, d = y.tensors()
    by_real, zero = c.abs() >= d.abs(), (c == 0) & (d == 0)
    ratio = torch.where(by_real, d / c, c / d)
    scale = 1 / torch.where(by_real, c + d * ratio, c * ratio + d)
    real = torch.where(by_real, a + b * ratio, a * ratio + b) * scale
    imag = torch.where(by_real, b - a * ratio, b * ratio - a) * scale
    return Number(torch.where(zero, a / c.abs(), real), torch.where(zero, b / c.abs(), imag))


def _binary(function):
    def compute(dtype, x, y):
        return function(Number.of(x, dtype), Number.of(y, dtype))
    return compute


def _sum_of(sign):
    """x + alpha * y. PyTorch multiplies by a complex alpha, also by 1: an infinite part of y makes the other one NaN."""
    def compute(dtype, x, y, alpha=1):
        x, y = Number.of(x, dtype), _product(Number.of(y, dtype), Number.of(alpha, dtype))
        return Number(x.real + sign * y.real, x.imag + sign * y.imag)
    return compute


def _reduction(function):
    def compute(dtype, x, dim=None, keepdim=False):
        rank = x.real.dim()
        dims = list(range(rank)) if dim is None or dim in ((), []) else [d % max(rank, 1) for d in ([dim] if isinstance(dim, int) else dim)]
        return x.each(lambda part: function(part, dims, keepdim))
    return compute


def _joined(function):
    def compute(dtype, tensors, dim=0):
        parts = [Number.of(tensor, dtype).tensors() for tensor in tensors]
        return Number(*(function(part, dim) for part in zip(*parts)))
    return compute


def _quotient_of(dtype, x, y, rounding_mode=None):
    if rounding_mode is not None:
        raise Unsupported("PyTorch has no rounded quotient of complex numbers")
    return _quotient(Number.of(x, dtype), Number.of(y, dtype))


_add, _sub = _sum_of(1), _sum_of(-1)
# Name -> function of the parts' dtype and the call's arguments, pairs of which are Numbers.
FORMULAS = {
    "complex": lambda dtype, real, imag: Number(real, imag),
    "polar": lambda dtype, abs, angle: Number(abs * angle.cos(), abs * angle.sin()),
    "abs": lambda dtype, x: torch.hypot(x.real, x.imag),
    "angle": lambda dtype, x: torch.atan2(x.imag, x.real),
    "neg": lambda dtype, x: x.each(torch.neg),
    "conj_physical": lambda dtype, x: Number(x.real, -x.imag),
    "add": _add, "sub": _sub, "mul": _binary(_product), "div": _quotient_of,
    "rsub": lambda dtype, x, y, alpha=1: _sub(dtype, y, x, alpha),
    "reciprocal": lambda dtype, x: _quotient(Number(1.0, 0.0), x),
    "sum": _reduction(torch.sum), "mean": _reduction(torch.mean),
    "cat": _joined(torch.cat), "stack": _joined(torch.stack),
}
SECOND_NAMES = {"truediv": "div", "true_divide": "div", "divide": "div", "multiply": "mul", "subtract": "sub", "negative": "neg", "absolute": "abs",
                "concat": "cat", "concatenate": "cat"}
# Views of the same elements in the same order; the result's fake says the shape.
SHAPES = frozenset({"view", "reshape", "flatten", "unflatten", "unsqueeze", "squeeze", "_unsafe_view", "view_as", "reshape_as", "ravel", "contiguous",
                    "detach", "alias", "resolve_conj", "resolve_neg"})
ORDERS = frozenset({"permute", "transpose", "t", "movedim", "moveaxis", "swapaxes", "swapdims", "mT", "T", "numpy_T"})
PIECES = frozenset({"select", "slice", "narrow", "split", "chunk", "unbind", "split_with_sizes"})


def name_of(call):
    if call.key == "builtins.getattr":
        return call.args[1]
    name = call.key.split(".")[1]
    return SECOND_NAMES.get(name, name)


def lower(importer, call):
    """A call that takes or makes complex tensors, on their pairs; NOT_DONE of others, and where it has no form for them."""
    operands = [item for item in flatten([call.args, call.kwargs]) if isinstance(item, Tensor)]
    name = name_of(call) if "." in call.key else call.key
    if name == "view_as_complex" and operands and not is_complex(operands[0]):
        return as_complex(importer, operands[0], call.fake)
    makes = name in ("complex", "polar") and isinstance(call.fake, torch.Tensor) and call.fake.dtype.is_complex
    if not makes and not any(map(is_complex, operands)):
        return NOT_DONE
    if any(is_complex(o) and not (o.chain and isinstance(o.chain[-1], ComplexStep)) for o in operands):
        return NOT_DONE
    if any(dtypes.mlir_dtype(o.fake.dtype) == "complex<f16>" for o in operands):
        return NOT_DONE
    return lower_in_place(importer, call) if isinstance(call.target, torch._ops.OpOverload) and call.target._schema.is_mutable or \
        call.key.split(".")[-1].endswith("_") or call.key.startswith("operator.i") else lower_pure(importer, call, name)


def lower_in_place(importer, call):
    """z.mul_(w), z *= w, z.copy_(w): the pair is written."""
    target, twin = call.args[0], importer.functional_target(call)
    if not is_complex(target) or call.kwargs.get("out") is not None:
        return NOT_DONE
    if name_of(call) == "copy_" and is_complex(call.args[1]):
        result = call.args[1]
    else:
        if twin is None or twin[1] is None:
            return NOT_DONE
        key, function, kwargs = first_named(*twin, call.kwargs)
        result = lower(importer, Call(call.node, key, function, list(call.args), dict(kwargs), importer.fake_call(function, call.args, kwargs)))
    if not is_complex(result):
        return NOT_DONE
    importer.assign(pair_of(target), pair_of(result).read())
    return target


def lower_pure(importer, call, name):
    source = call.args[0] if call.args else None
    if name == "div" and call.key in REVERSED_QUOTIENTS and not isinstance(source, Tensor):
        return by_formula(importer, call, lambda dtype, x, y: _product(_quotient(Number(1.0, 0.0), y), Number.of(x, dtype)))
    if name in FORMULAS:
        return by_formula(importer, call, FORMULAS[name])
    if not is_complex(source):
        return NOT_DONE
    pair, rank = pair_of(source), source.fake.dim()
    if name == "view_as_real":
        return Tensor(pair.storage, pair.chain, call.fake)
    if name in ("real", "imag"):
        return apply(importer, call, aten.select.int, [pair, rank, int(name == "imag")])
    if name in ("conj", "_conj"):
        flipped = Step(lambda value: conjugate(importer, value), lambda base, new: conjugate(importer, new))
        return wrap(importer, call, pair.view(flipped, None, real_fake(importer, call.fake)), call.fake)
    if name in SHAPES:
        return wrap(importer, call, reshape_view(importer, pair, real_fake(importer, call.fake)), call.fake)
    if name == "expand" or name == "expand_as":
        return wrap(importer, call, apply(importer, call, aten.expand.default, [pair, list(real_fake(importer, call.fake).shape)]), call.fake)
    if name in ORDERS and callable(call.target):
        marked = torch.empty(tuple(range(2, 2 + rank)), device="meta")
        turned = getattr(marked, name) if call.key == "builtins.getattr" else call.target(marked, *call.args[1:], **call.kwargs)
        dims = [extent - 2 for extent in turned.shape]
        return wrap(importer, call, apply(importer, call, aten.permute.default, [pair, [*dims, rank]]), call.fake)
    if name == "clone":
        return wrap(importer, call, apply(importer, call, aten.clone.default, [pair]), call.fake)
    if call.key == "operator.getitem":
        index = call.args[1] if isinstance(call.args[1], tuple) else (call.args[1],)
        index = (*index, slice(None)) if any(i is Ellipsis for i in index) else index
        return wrap(importer, call, apply(importer, call, call.target, [pair, index], "operator.getitem"), call.fake)
    if name in PIECES and callable(call.target):
        args, kwargs, place = list(call.args[1:]), dict(call.kwargs), 0 if name in ("select", "slice", "narrow", "unbind") else 1
        if "dim" in kwargs:
            kwargs["dim"] %= rank
        elif len(args) > place:
            args[place] %= rank
        return wrap(importer, call, apply(importer, call, call.target, [pair, *args], call.key, kwargs), call.fake)
    return NOT_DONE


def apply(importer, call, target, args, key=None, kwargs=None):
    """Another call in the place of this one, on real tensors."""
    from ..graph import callable_key
    kwargs = kwargs or {}
    inner = Call(call.node, key or callable_key(target), target, args, kwargs, importer.fake_call(target, args, kwargs))
    return importer.lower(inner)


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


def by_formula(importer, call, formula):
    fake = call.fake
    if not isinstance(fake, torch.Tensor):
        return NOT_DONE
    tensors = []

    def hold(value):
        if isinstance(value, Tensor):
            tensors.append(pair_of(value) if is_complex(value) else value)
            return _Held(len(tensors) - 1, is_complex(value))
        if isinstance(value, (list, tuple)):
            return [hold(v) for v in value]
        return value

    args, kwargs = hold(list(call.args)), {name: hold(value) for name, value in call.kwargs.items() if value is not None}
    if set(kwargs) - {"dim", "keepdim", "alpha", "tensors", "real", "imag", "abs", "angle", "rounding_mode"}:
        return NOT_DONE

    def compute(*metas):
        def put(value):
            if isinstance(value, _Held):
                meta = metas[value.index]
                return Number(meta[..., 0], meta[..., 1]) if value.is_pair else meta
            return [put(v) for v in value] if isinstance(value, list) else value

        dtype = torch.empty(0, dtype=fake.dtype).real.dtype
        result = formula(dtype, *put(args), **{name: put(value) for name, value in kwargs.items()})
        return torch.stack(result.tensors(), -1) if isinstance(result, Number) else result

    inner = Call(call.node, call.key, compute, tensors, {}, None)
    result = decompose.lower_traced(importer, inner, compute)
    if not fake.dtype.is_complex:
        return importer.fresh(result.read(), fake)
    return as_complex(importer, importer.fresh(result.read(), real_fake(importer, fake)), fake)
