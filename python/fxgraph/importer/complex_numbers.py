# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of complex numbers as functions of their real and imaginary parts, by PyTorch's own formulas for the CPU.

FORMULAS has functions of the parts' dtype and a call's arguments, in which complex tensors are Numbers. PARTWISE and BILINEAR name
functions of PyTorch that are computed of the parts by the function itself: those that choose, move or add elements, and those that are
linear in each of two operands.
"""

import math

import torch


class NoFormula(Exception):
    """This instance of a function is not computed of parts."""


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


def where(condition, x, y):
    return Number(*(torch.where(condition, *parts) for parts in zip(x.tensors(), y.tensors())))


def product(x, y):
    return Number(x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real)


def quotient(x, y):
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


def quotient_of(dtype, x, y, rounding_mode=None):
    if rounding_mode is not None:
        raise NoFormula("PyTorch has no rounded quotient of complex numbers")
    return quotient(Number.of(x, dtype), Number.of(y, dtype))


def reversed_quotient(dtype, x, y):
    """number / tensor: Tensor.__rtruediv__ is `self.reciprocal() * number`."""
    return product(quotient(Number(1.0, 0.0), y), Number.of(x, dtype))


def _binary(function):
    def compute(dtype, x, y):
        return function(Number.of(x, dtype), Number.of(y, dtype))
    return compute


def _unary(function):
    def compute(dtype, x):
        return function(Number(*Number.of(x, dtype).tensors()))
    return compute


def _sum_of(sign):
    """x + alpha * y. PyTorch multiplies by a complex alpha, also by 1: an infinite part of y makes the other one NaN."""
    def compute(dtype, x, y, alpha=1):
        x, y = Number.of(x, dtype), product(Number.of(y, dtype), Number.of(alpha, dtype))
        return Number(x.real + sign * y.real, x.imag + sign * y.imag)
    return compute


def _dims(rank, dim):
    """The dims of a reduction, of which none is all."""
    if dim is None or dim in ((), []):
        return list(range(rank))
    return [d % max(rank, 1) for d in ([dim] if isinstance(dim, int) else dim)]


def _reduction(function):
    def compute(dtype, x, dim=None, keepdim=False, **kwargs):
        x = Number.of(x, dtype)
        dims = _dims(x.tensors()[0].dim(), dim)
        return x.each(lambda part: function(part, dims, keepdim, **kwargs))
    return compute


def _joined(function):
    def compute(dtype, tensors, dim=0):
        parts = [Number.of(tensor, dtype).tensors() for tensor in tensors]
        return Number(*(function(part, dim) for part in zip(*parts)))
    return compute


def _equal(dtype, x, y):
    x, y = Number.of(x, dtype), Number.of(y, dtype)
    return (x.real == y.real) & torch.as_tensor(x.imag == y.imag)


def _bilinear(function):
    """A function that is linear in each of its first two operands."""
    def compute(dtype, x, y, *args, **kwargs):
        x, y = Number.of(x, dtype).tensors(), Number.of(y, dtype).tensors()
        parts = [[function(a, b, *args, **kwargs) for b in y] for a in x]
        return Number(parts[0][0] - parts[1][1], parts[0][1] + parts[1][0])
    return compute


def _linear(dtype, input, weight, bias=None):
    made = _bilinear(torch.nn.functional.linear)(dtype, input, weight)
    return made if bias is None else FORMULAS["add"](dtype, made, bias)


def _added_product(function):
    """beta * added + alpha * function(a, b)"""
    def compute(dtype, added, a, b, beta=1, alpha=1):
        made = product(_bilinear(function)(dtype, a, b), Number.of(alpha, dtype))
        if beta == 0:
            return made
        added = product(Number.of(added, dtype), Number.of(beta, dtype))
        return Number(added.real + made.real, added.imag + made.imag)
    return compute


def _conv(dtype, input, weight, bias=None, *args, **kwargs):
    """Of any rank, and transposed."""
    made = _bilinear(lambda x, w: torch.ops.aten.convolution.default(x, w, None, *args, **kwargs))(dtype, input, weight)
    if bias is None:
        return made
    shape = [1, -1] + [1] * (made.real.dim() - 2)
    return FORMULAS["add"](dtype, made, Number.of(bias, dtype).each(lambda part: part.reshape(shape)))


# -- functions of one number ------------------------------------------------


def conjugate(x):
    return Number(x.real, -x.imag)


def exp(x):
    scale = torch.exp(x.real)
    return Number(scale * torch.cos(x.imag), scale * torch.sin(x.imag))


def log(x):
    """Near 1 the logarithm of the distance from 0 is small, and what hypot rounds is not."""
    a, b = x.real.abs(), x.imag.abs()
    large, small = torch.maximum(a, b), torch.minimum(a, b)
    near = 0.5 * torch.log1p((large - 1) * (large + 1) + small * small)
    size = torch.hypot(x.real, x.imag)
    return Number(torch.where((size > 0.5) & (size < 2), near, torch.log(size)), torch.atan2(x.imag, x.real))


def _log_to(base):
    return lambda x: (lambda made: Number(made.real / math.log(base), made.imag / math.log(base)))(log(x))


def sqrt(x):
    a, b = x.real, x.imag
    root = torch.sqrt(a.abs() / 2 + torch.hypot(a / 2, b / 2))
    other = b.abs() / (2 * root)
    zero, infinite = root == 0, torch.isinf(b)
    real = torch.where(a >= 0, root, other)
    imag = torch.copysign(torch.where(a >= 0, other, root), b)
    real = torch.where(infinite, b.abs(), torch.where(zero, torch.zeros_like(a), real))
    return Number(real, torch.where(zero | infinite, b, imag))


def reciprocal(x):
    return quotient(Number(1.0, 0.0), x)


def _power(dtype, x, y):
    if isinstance(y, (int, float, complex)):
        known = {0: lambda x: Number(torch.ones_like(x.real), torch.zeros_like(x.real)), 1: lambda x: x, 2: lambda x: product(x, x),
                 3: lambda x: product(product(x, x), x), 0.5: sqrt, -0.5: lambda x: reciprocal(sqrt(x)), -1: reciprocal,
                 -2: lambda x: reciprocal(product(x, x))}.get(y)
        if known is not None:
            return known(Number(*Number.of(x, dtype).tensors()))
    x, y = Number.of(x, dtype), Number.of(y, dtype)
    if not isinstance(x.real, torch.Tensor):  # a number to the power of a tensor
        x = Number(*(torch.full((), part, dtype=dtype, device=y.tensors()[0].device) for part in (x.real, x.imag)))
    x = Number(*x.tensors())
    made, zero = exp(product(y, log(x))), (x.real == 0) & (x.imag == 0)
    # Of 0: 0 to the power of what has a positive real part, and 1 to that of 0.
    real, imag = (torch.as_tensor(part, dtype=dtype, device=x.real.device) for part in (y.real, y.imag))
    by_nothing, shape = (real == 0) & (imag == 0), made.real
    nothing = Number(torch.where(by_nothing, torch.ones_like(shape), torch.where(real > 0, torch.zeros_like(shape), shape)),
                     torch.where(by_nothing | (real > 0), torch.zeros_like(shape), made.imag))
    return where(zero.expand(shape.shape), nothing, made)


def tanh(x):
    """Where e^2x is large against 1 the quotient would be of two infinities."""
    a = x.real.clamp(-16, 16)
    sinh, cosh, sin, cos = torch.sinh(a), torch.cosh(a), torch.sin(x.imag), torch.cos(x.imag)
    below = sinh * sinh + cos * cos
    far = 4 * sin * cos * torch.exp(-2 * x.real.abs())
    outside = x.real.abs() > 16
    return Number(torch.where(outside, torch.sign(x.real), sinh * cosh / below), torch.where(outside, far, sin * cos / below))


def _turned(function):
    """f(i * x) / i, which makes sin of sinh and tan of tanh."""
    def compute(x):
        made = function(Number(-x.imag, x.real))
        return Number(made.imag, -made.real)
    return compute


def sinh(x):
    return Number(torch.sinh(x.real) * torch.cos(x.imag), torch.cosh(x.real) * torch.sin(x.imag))


def cosh(x):
    return Number(torch.cosh(x.real) * torch.cos(x.imag), torch.sinh(x.real) * torch.sin(x.imag))


def log1p(x):
    """Near 0 the logarithm of 1 + x is small against 1."""
    a, b = x.real, x.imag
    apart = a * (a + 2) + b * b
    near = 0.5 * torch.log1p(apart)
    return Number(torch.where(apart.abs() < 1, near, torch.log(torch.hypot(a + 1, b))), torch.atan2(b, a + 1))


def expm1(x):
    half = torch.sin(x.imag / 2)
    return Number(torch.expm1(x.real) * torch.cos(x.imag) - 2 * half * half, torch.exp(x.real) * torch.sin(x.imag))


def atanh(x):
    a, b = x.real.abs(), x.imag
    real = torch.log1p(4 * a / ((1 - a) * (1 - a) + b * b)) / 4
    return Number(torch.copysign(real, x.real), torch.atan2(2 * b, (1 - a) * (1 + a) - b * b) / 2)


def sigmoid(x):
    below = exp(Number(-x.real, -x.imag))
    return reciprocal(Number(below.real + 1, below.imag))


def _silu(x):
    return product(x, sigmoid(x))


def sign(x):
    size = torch.hypot(x.real, x.imag)
    return x.each(lambda part: torch.where(size == 0, torch.zeros_like(part), part / size))


# -- others ------------------------------------------------------------------


def _copy(dtype, target, source, non_blocking=False):
    source = Number.of(source, dtype)
    return Number(*(part.expand(target.tensors()[0].shape) for part in source.tensors()))


def _filled(like, dtype, value):
    value = Number.of(value, dtype)
    return Number(*(part.expand(like.shape) if isinstance(part, torch.Tensor) else torch.full_like(like, part, dtype=dtype)
                    for part in (value.real, value.imag)))


def _like(value):
    def compute(dtype, x, *_, **__):
        like = x.tensors()[0] if isinstance(x, Number) else x
        return _filled(like, dtype, value)
    return compute


def _full_like(dtype, x, fill_value, **_):
    return _filled(x.tensors()[0] if isinstance(x, Number) else x, dtype, fill_value)


def _new(value):
    """new_zeros(x, size), new_ones(x, size)"""
    return lambda dtype, x, size, **_: _filled(x.tensors()[0].new_empty(size), dtype, value)


def _made(value):
    """torch.zeros(size), torch.ones(size), of numbers or of one list of them."""
    def compute(dtype, *size):
        size = size[0] if len(size) == 1 and isinstance(size[0], (list, tuple)) else size
        return _filled(torch.empty(list(size), dtype=dtype), dtype, value)
    return compute


def _full(dtype, size, fill_value):
    return _filled(torch.empty(list(size), dtype=dtype), dtype, fill_value)


def _cast(dtype, x, *_, **__):
    return Number.of(x, dtype) if not isinstance(x, torch.Tensor) else Number(x.to(dtype), 0.0)


def _where(dtype, condition, x=None, y=None):
    if x is None or y is None:
        raise NoFormula("the places of what is not 0 are as many as values decide")
    x, y = (Number.of(value, dtype) for value in (x, y))
    return Number(*(torch.where(condition, *(torch.as_tensor(part, dtype=dtype, device=condition.device) for part in parts))
                    for parts in ((x.real, y.real), (x.imag, y.imag))))


def _close(dtype, x, y, rtol=1e-5, atol=1e-8, equal_nan=False):
    close = _equal(dtype, x, y)
    x, y = Number.of(x, dtype), Number.of(y, dtype)
    if equal_nan:
        close = close | FORMULAS["isnan"](dtype, x) & FORMULAS["isnan"](dtype, y)
    apart = torch.hypot(x.real - y.real, x.imag - y.imag)
    return close | torch.isfinite(apart) & (apart <= atol + (rtol * torch.hypot(y.real, y.imag)).abs())


def _variance(dtype, x, dim=None, *unbiased, keepdim=False, correction=1, **kwargs):
    if unbiased or isinstance(dim, bool) or "unbiased" in kwargs:
        raise NoFormula("an old spelling of a variance")
    dims = _dims(x.real.dim(), dim)
    return sum(torch.var(part, dims, correction=1 if correction is None else correction, keepdim=keepdim) for part in x.tensors())


def _norm(dtype, x, *args, **kwargs):
    return torch.linalg.vector_norm(torch.hypot(*x.tensors()), *args, **kwargs)


def _halves(x, dim):
    """The product along a dim, of the product of its halves."""
    parts = x.tensors()
    while (extent := parts[0].shape[dim]) > 1:
        half = extent // 2
        made = product(*(Number(*(part.narrow(dim, at, half) for part in parts)) for at in (0, half)))
        rest = [part.narrow(dim, 2 * half, extent - 2 * half) for part in parts]
        parts = [torch.cat([part, other], dim) for part, other in zip((made.real, made.imag), rest)] if extent % 2 else [made.real, made.imag]
    return parts


def _prod(dtype, x, dim=None, keepdim=False):
    x = Number.of(x, dtype)
    if dim is None:
        x, dim = x.each(lambda part: part.reshape(-1)), 0
    shape = list(x.tensors()[0].shape)
    if not shape:
        return x
    if shape[dim] == 0:
        del shape[dim]
        return Number(torch.ones(shape, dtype=dtype), 0.0).each(lambda part: part.unsqueeze(dim) if keepdim else part)
    return Number(*(part if keepdim else part.squeeze(dim) for part in _halves(x, dim)))


def _cumprod(dtype, x, dim):
    """In steps of 1, 2, 4, …, each element by the product of as many before it."""
    x = Number(*Number.of(x, dtype).tensors())
    extent, step = x.real.shape[dim] if x.real.dim() else 1, 1
    while step < extent:
        late, early = (Number(*(part.narrow(dim, at, extent - step) for part in (x.real, x.imag))) for at in (step, 0))
        made = product(late, early)
        x = Number(*(torch.cat([part.narrow(dim, 0, step), other], dim) for part, other in zip((x.real, x.imag), (made.real, made.imag))))
        step *= 2
    return x


def _logical(function):
    def compute(dtype, x, y):
        return function(*(_nonzero(v) if isinstance(v, Number) else v != 0 for v in (x, y)))
    return compute


def _any_of(test, join):
    return lambda dtype, x: join(*map(test, x.tensors()))


def _nonzero(x):
    return (x.real != 0) | (x.imag != 0)


_add, _sub = _sum_of(1), _sum_of(-1)
FORMULAS = {
    "complex": lambda dtype, real, imag: Number(real, imag),
    "polar": lambda dtype, abs, angle: Number(abs * angle.cos(), abs * angle.sin()),
    "abs": lambda dtype, x: torch.hypot(x.real, x.imag),
    "angle": lambda dtype, x: torch.atan2(x.imag, x.real),
    "neg": lambda dtype, x: x.each(torch.neg), "positive": lambda dtype, x: x,
    **dict.fromkeys(("conj_physical", "_conj_physical"), lambda dtype, x: conjugate(x)), "sgn": _unary(sign),
    "add": _add, "sub": _sub, "mul": _binary(product), "div": quotient_of, "pow": _power, "float_power": _power,
    "rsub": lambda dtype, x, y, alpha=1: _sub(dtype, y, x, alpha),
    "addcmul": lambda dtype, x, a, b, value=1: _add(dtype, x, product(product(Number.of(a, dtype), Number.of(b, dtype)), Number.of(value, dtype))),
    "addcdiv": lambda dtype, x, a, b, value=1: _add(dtype, x, quotient(product(Number.of(a, dtype), Number.of(value, dtype)), Number.of(b, dtype))),
    "lerp": lambda dtype, x, y, w: _add(dtype, x, product(Number.of(w, dtype), _sub(dtype, y, x))),
    "reciprocal": _unary(reciprocal), "square": _unary(lambda x: product(x, x)), "sqrt": _unary(sqrt),
    "rsqrt": _unary(lambda x: reciprocal(sqrt(x))),
    "exp": _unary(exp), "log": _unary(log), "log2": _unary(_log_to(2)), "log10": _unary(_log_to(10)),
    "log1p": _unary(log1p), "expm1": _unary(expm1), "atanh": _unary(atanh), "atan": _unary(_turned(atanh)),
    "exp2": _unary(lambda x: exp(Number(x.real * math.log(2), x.imag * math.log(2)))),
    "sinh": _unary(sinh), "cosh": _unary(cosh), "tanh": _unary(tanh), "sigmoid": _unary(sigmoid), "silu": _unary(_silu),
    "sin": _unary(_turned(sinh)), "tan": _unary(_turned(tanh)), "cos": _unary(lambda x: cosh(Number(-x.imag, x.real))),
    "sum": _reduction(torch.sum), "mean": _reduction(torch.mean), "nansum": _reduction(torch.nansum),
    "prod": _prod, "cumprod": _cumprod, "var": _variance, "std": lambda *args, **kwargs: torch.sqrt(_variance(*args, **kwargs)), "linalg_vector_norm": _norm, "vector_norm": _norm,
    "cat": _joined(torch.cat), "stack": _joined(torch.stack), "where": _where,
    "eq": _equal, "ne": lambda dtype, x, y: ~_equal(dtype, x, y),
    "isclose": _close, "isnan": _any_of(torch.isnan, torch.logical_or), "isinf": _any_of(torch.isinf, torch.logical_or),
    "isfinite": _any_of(torch.isfinite, torch.logical_and), "isreal": lambda dtype, x: x.imag == 0,
    "logical_and": _logical(torch.logical_and), "logical_or": _logical(torch.logical_or), "logical_xor": _logical(torch.logical_xor),
    "logical_not": lambda dtype, x: ~_nonzero(x),
    "any": lambda dtype, x, *args, **kwargs: torch.any(_nonzero(x), *args, **kwargs),
    "all": lambda dtype, x, *args, **kwargs: torch.all(_nonzero(x), *args, **kwargs),
    "count_nonzero": lambda dtype, x, *args, **kwargs: torch.count_nonzero(_nonzero(x), *args, **kwargs),
    "linear": _linear, "addmm": _added_product(torch.mm), "baddbmm": _added_product(torch.bmm), "addmv": _added_product(torch.mv),
    "addbmm": _added_product(lambda a, b: torch.bmm(a, b).sum(0)),
    "convolution": _conv, "vdot": lambda dtype, x, y: _bilinear(torch.dot)(dtype, conjugate(Number.of(x, dtype)), y),
    "copy": _copy, "fill": lambda dtype, x, value: _filled(x.tensors()[0], dtype, value), "zero": _like(0),
    "zeros_like": _like(0), "ones_like": _like(1), "full_like": _full_like, "new_zeros": _new(0), "new_ones": _new(1),
    "zeros": _made(0), "ones": _made(1), "full": _full, "eye": lambda dtype, *size: Number(torch.eye(*size, dtype=dtype), 0.0),
    "empty": _made(0), "empty_like": _like(0), "new_empty": _new(0), "empty_strided": lambda dtype, size, *_: _made(0)(dtype, size),
    "as_tensor": _cast, "tensor": _cast,
    "new_full": lambda dtype, x, size, fill_value, **_: _filled(x.tensors()[0].new_empty(size), dtype, fill_value),
    "to": _cast, "_to_copy": _cast, "type": _cast, "convert_element_type": _cast, "cfloat": _cast, "cdouble": _cast,
}
for _name, _function in {"mm": torch.mm, "bmm": torch.bmm, "mv": torch.mv, "dot": torch.dot, "matmul": torch.matmul, "outer": torch.outer,
                         "kron": torch.kron}.items():
    FORMULAS[_name] = _bilinear(_function)

# Names that choose, move and add elements: of the parts they are the function itself. The number is the place of a number that becomes an
# element, and its keyword.
PARTWISE = dict.fromkeys((
    "cumsum", "diff", "trace", "roll", "flip", "fliplr", "flipud", "rot90", "tril", "triu", "diag", "diag_embed", "gather", "take", "take_along_dim",
    "index_select", "index", "_unsafe_index", "index_add", "index_copy", "index_put", "_unsafe_index_put", "scatter_add", "select_scatter",
    "slice_scatter", "diagonal_scatter", "repeat", "tile", "repeat_interleave", "masked_scatter", "expand_copy", "block_diag",
    "nan_to_num", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "im2col",
    "embedding"))
PARTWISE |= {"masked_fill": (2, "value"), "index_fill": (3, "value"), "constant_pad_nd": (2, "value"), "pad": (3, "value"), "scatter": (3, "value")}


def partwise(name, function):
    """The formula of a function in PARTWISE; tensors of integers and bools are no elements but places."""
    def compute(dtype, *args, **kwargs):
        at = PARTWISE[name]
        sides = []
        for side in ("real", "imag"):
            def part(value, is_element=False):
                if isinstance(value, Number):
                    return value.tensors()[side == "imag"].to(dtype)
                if isinstance(value, torch.Tensor) and value.is_floating_point():
                    return value.to(dtype) if side == "real" else torch.zeros_like(value, dtype=dtype)
                if isinstance(value, torch.dtype):
                    return dtype
                if isinstance(value, (list, tuple)):
                    return type(value)(map(part, value))
                if is_element and isinstance(value, (int, float, complex)):
                    return float(getattr(value, side))
                if isinstance(value, complex):
                    raise NoFormula("a complex number that is no element")
                return value

            sides.append(function(*(part(value, at is not None and i == at[0]) for i, value in enumerate(args)),
                                  **{key: part(value, at is not None and key == at[1]) for key, value in kwargs.items()}))
        return Number(*sides)
    return compute
