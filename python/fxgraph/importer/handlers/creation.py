# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Creation: full, arange, random draws, constants."""

import math

import torch

from .. import dtypes, ir, promote, symbols
from ..draws import FILLED
from ..graph import NOT_DONE, Unsupported, by_op, flatten, special
from ..tracker import Tensor


def one_fill(key):
    """1 for ones, ones_like, new_ones; else 0."""
    return 1.0 if "ones" in key else 0.0


def emit_full(importer, fake, value, dims=None):
    """full of a number with the type of a meta."""
    type_ = importer.type_of(fake)
    if type_.dtype.startswith("complex") or isinstance(value, complex):
        raise Unsupported("complex constants are not modelled")
    value = symbols.plain(value)
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return importer.expand_to(promote.scalar(importer, value, type_.dtype), type_)
    if isinstance(value, int) and int(float(value)) != value:
        # Beyond 2^53: exact as a constant, broadcast to the shape.
        scalar = importer.constant(value, "i64")
        scalar = importer.cast(scalar, type_.dtype)
        return importer.expand_to(scalar, type_) if type_.rank else scalar
    sizes, _ = importer.sizes([d for d in fake.shape if symbols.as_int(d) is None])
    flat = [*sizes]
    properties = [("value", ir.attr_f64(float(value)))]
    return importer.emit_raw("fxgraph.full", flat, [type_], properties)[0]


@by_op("full")
def full(importer, call):
    value = call.bound.get("value")
    if "value" not in call.bound:
        value = one_fill(call.key)
    if isinstance(value, Tensor):
        scalar = importer.cast(importer.value(value), importer.type_of(call.fake).dtype)
        return importer.fresh(importer.expand_to(scalar, importer.type_of(call.fake)), call.fake)
    return importer.fresh(emit_full(importer, call.fake, value), call.fake)


@special("aten.empty.memory_format", "torch.empty", "aten.empty_like.default", "torch.empty_like", "aten.new_empty.default",
         "Tensor.new_empty", "aten.empty_strided.default", "aten.new_empty_strided.default", "aten.empty_permuted.default")
def empty(importer, call):
    """Uninitialised memory: any values will do, zeros are some."""
    return importer.fresh(emit_full(importer, call.fake, 0.0), call.fake)


@special("aten.new_full.default", "Tensor.new_full")
def new_full(importer, call):
    value = call.args[2] if len(call.args) > 2 else call.kwargs["fill_value"]
    if isinstance(value, Tensor):
        return NOT_DONE
    return importer.fresh(emit_full(importer, call.fake, value), call.fake)


def is_exact(number):
    """True for a number that is a double; big odd integers are none."""
    return not isinstance(number, int) or int(float(number)) == number


def count(importer, fake, start, step):
    """start + i * step of a meta's type."""
    type_, whole = importer.type_of(fake), not fake.dtype.is_floating_point
    sizes, _ = importer.sizes([d for d in fake.shape if symbols.as_int(d) is None])
    varies = isinstance(start, torch.SymInt) and symbols.as_int(start) is None
    offset, factor = None, None
    if whole and (varies or not is_exact(start) or not is_exact(step)):
        # The op has doubles. Integers are exact: from 0 on, and the start is added.
        start, offset = 0, importer.symbols.number(start) if varies else importer.constant(int(start), "i64")
    if whole and not is_exact(step):
        step, factor = 1, importer.constant(step, "i64")
    numbers = []
    for value in (start, step):
        known = value if isinstance(value, float) else (None if isinstance(value, Tensor) else symbols.as_int(value))
        if known is None:
            raise Unsupported("arange with a symbolic step, or a symbolic start in floating point, is not modelled")
        # PyTorch counts in the result's dtype: a fraction of a start or step is cut off there.
        numbers.append(float(int(known) if whole else known))
    result, = importer.emit("arange", [sizes[0] if sizes else None], [type_], start=numbers[0], step=numbers[1])
    for name, operand in (("mul", factor), ("add", offset)):
        if operand is not None:
            result, = importer.emit(name, [result, importer.cast(operand, type_.dtype)], [type_])
    return importer.fresh(result, fake)


@by_op("arange")
def arange(importer, call):
    bound = call.bound
    if "_args" in bound:
        names = {1: ("_end",), 2: ("start", "_end"), 3: ("start", "_end", "step")}
        positional = call.take("_args")
        bound.update(zip(names[len(positional)], positional))
    return count(importer, call.fake, bound.get("start", 0), bound.get("step", 1))


@special("prims.inductor_force_stride_order.default")
def force_stride_order(importer, call):
    """The same elements in memory of other strides, which the result's fake has: values say nothing of them."""
    value = importer.value(call.args[0])
    return importer.fresh(importer.emit("clone", [value], [value.type])[0], call.fake)


@special("prims.iota.default")
def iota(importer, call):
    start, step = call.kwargs["start"], call.kwargs["step"]
    return count(importer, call.fake, start, step)


# The element type that an op draws, where it has one of its own: PyTorch converts what it has drawn.
DRAWN = {"bool": "i1", "int": "i64"}


@by_op("rand", "randn", "exponential", "bernoulli", "randint", "randperm")
def random(importer, call):
    if call.bound.get("_generator") is not None:
        raise Unsupported("a draw from a generator is not modelled")
    attrs = {a["name"]: call.bound.get(a["name"]) for a in call.op.attrs}
    if not all(value is None or isinstance(value, (int, float)) for value in attrs.values()):
        raise Unsupported("a parameter of the distribution is not a constant")
    type_ = importer.type_of(call.fake)
    drawn = type_.with_dtype(DRAWN.get(call.op.results[0]["type"], type_.dtype))

    def draw(shape, dims):
        sizes, _ = importer.sizes([n for n in shape if symbols.as_int(n) is None])
        return importer.emit(call.op.name, [sizes], [drawn.with_dims(dims)], **attrs)[0]

    # In place it is the memory of what is written.
    order = drawn_order(call.fake if call.written is None else call.written.fake)
    if order is None:
        result = draw(call.fake.shape, drawn.dims)
    else:
        shape, dims = [call.fake.shape[d] for d in order], [drawn.dims[d] for d in order]
        count = math.prod(shape) if all(isinstance(n, int) for n in dims) else 0
        if call.op.name == "randn" and count >= FILLED:
            result = importer.emit_reshape(one_by_one(importer, drawn, count), drawn.with_dims(dims))
        else:
            result = draw(shape, dims)
        result = placed(importer, result, order)
    return importer.fresh(importer.cast(result, type_.dtype), call.fake)


def drawn_order(fake):
    """The order of dims in which PyTorch draws the elements of a tensor, which is that of memory; None for row-major."""
    hints = [stride if isinstance(stride, int) else stride.node.hint for stride in fake.stride()]
    if None in hints:
        return None  # of extents that values decide
    order = sorted(range(len(hints)), key=lambda d: -hints[d])
    told = [d for d in order if symbols.as_int(fake.shape[d]) != 1]
    return None if told == sorted(told) else order


def placed(importer, value, order):
    """What was drawn as a row-major tensor of the dims in this order."""
    inverse = sorted(range(len(order)), key=order.__getitem__)
    return importer.emit("permute", [value], [value.type.with_dims([value.type.dims[d] for d in inverse])], dims=inverse)[0]


def one_by_one(importer, type_, count):
    """`count` normal numbers as PyTorch draws them one by one: the cosine and the sine of each pair, of which the second is kept for the next draw."""
    type_ = type_.with_dims([count])
    kept = 0
    for op in importer.graph.ops:
        dims = op.results[0].type.dims if op.name == "fxgraph.randn" else ()
        if op.name == "fxgraph.randn" and all(isinstance(n, int) for n in dims):
            kept ^= math.prod(dims) < FILLED and math.prod(dims) % 2

    def emit(name, *operands, like=None, **attrs):
        return importer.emit(name, list(operands), [like or operands[0].type], **attrs)[0]

    parts = [emit("randn", [], like=type_.with_dims([1]))] if kept else []
    pairs = (count - kept) // 2
    wide = type_.with_dtype("f64").with_dims([pairs])
    uniform = emit("rand", [], like=wide.with_dims([pairs, 2]))
    first, second = (emit("select", uniform, like=wide, dim=1, index=i) for i in range(2))
    radius = emit("sqrt", emit("mul", emit("log1p", emit("neg", second)), importer.constant(-2.0, "f64")))
    angle = emit("mul", first, importer.constant(2 * math.pi, "f64"))
    waves = [emit("mul", radius, emit(wave, angle)) for wave in ("cos", "sin")]
    both = importer.emit_reshape(emit("stack", waves, like=uniform.type, dim=1), wide.with_dims([2 * pairs]))
    parts.append(importer.cast(both, type_.dtype))
    if (count - kept) % 2:
        parts.append(emit("randn", [], like=type_.with_dims([1])))
    return parts[0] if len(parts) == 1 else emit("cat", parts, like=type_, dim=0)


@by_op("inductor_seed", "inductor_seeds", "inductor_random", "inductor_randint")
def seeded(importer, call):
    """Draws by a seed; the device and the number of seeds are parts of the type."""
    if call.bound.get("_align_dtype") is not None:
        raise Unsupported("a draw aligned to another dtype is not modelled")
    operands = []
    if "seed" in call.bound:
        sizes, _ = importer.sizes([d for d in call.fake.shape if symbols.as_int(d) is None])
        operands = [importer.value(call.bound["seed"]), sizes]
    attrs = {a["name"]: call.bound.get(a["name"]) for a in call.op.attrs}
    if not all(isinstance(value, (int, str)) for value in attrs.values()):
        raise Unsupported("a parameter of the distribution is not a constant")
    result, = importer.emit(call.op.name, operands, [importer.type_of(call.fake)], **attrs)
    return importer.fresh(result, call.fake)


# Methods that fill a tensor with draws: ATen's functional twins, which are no methods.
FILLS = {"exponential_": "exponential", "uniform_": "uniform", "normal_": "normal_functional", "log_normal_": "log_normal", "geometric_": "geometric",
         "cauchy_": "cauchy", "random_": "random"}


@special(*(f"Tensor.{name}" for name in FILLS), "aten.normal_.default")
def fill(importer, call):
    if not call.args or not isinstance(call.args[0], Tensor):
        raise Unsupported("expected a tensor to write to")
    packet = getattr(torch.ops.aten, FILLS[call.key.split(".")[1]])
    overload = "default"
    if packet is torch.ops.aten.random:
        bounds = len(call.args) - 1 + len(call.kwargs.keys() & {"from", "to"})
        overload = ("default", "to", "from")[bounds]
    twin = getattr(packet, overload)
    # Positional: a keyword may be one of Python's own (`from`).
    args, kwargs = list(call.args), dict(call.kwargs)
    for argument in twin._schema.arguments[len(args):]:
        if not argument.kwarg_only:
            args.append(kwargs.pop(argument.name) if argument.name in kwargs else argument.default_value)
    return importer.write_result(call, call.args[0], f"aten.{packet.__name__}.{overload}", twin, args, kwargs)


@special("Tensor.bernoulli_")
def bernoulli_(importer, call):
    """Of one probability for all."""
    p = call.args[1] if len(call.args) > 1 else call.kwargs.get("p", 0.5)
    if not isinstance(call.args[0], Tensor) or not isinstance(p, (int, float)):
        return NOT_DONE
    kwargs = {key: value for key, value in call.kwargs.items() if key != "p"}
    return importer.write_result(call, call.args[0], "aten.bernoulli.p", torch.ops.aten.bernoulli.p, [call.args[0], float(p)], kwargs)


@special("torch.tensor", "torch._refs.tensor", "torch.as_tensor", "aten.scalar_tensor.default", "torch.scalar_tensor",
         "prims.scalar_tensor.default")
def tensor(importer, call):
    """A literal of Python numbers, or a copy of a tensor."""
    data = call.args[0] if call.args else call.kwargs.get("data", call.kwargs.get("s"))
    if isinstance(data, Tensor):
        value = importer.cast(importer.value(data), importer.type_of(call.fake).dtype)
        if call.key == "torch.as_tensor" and value is importer.value(data):
            return data
        return importer.fresh(importer.emit("clone", [value], [value.type])[0], call.fake)
    type_ = importer.type_of(call.fake)
    if any(isinstance(symbols.plain(item), (torch.SymInt, torch.SymFloat, torch.SymBool)) for item in flatten(data)):
        return importer.fresh(stacked_numbers(importer, data, type_), call.fake)
    try:
        literal = torch.tensor(data, dtype=call.fake.dtype)
    except (TypeError, ValueError, RuntimeError):
        raise Unsupported("expected Python numbers") from None
    if not dtypes.fits_in_constant(literal):
        raise Unsupported("a literal of this size is not modelled")
    result, = importer.emit_raw("fxgraph.constant", [], [type_], [("value", dtypes.tensor_literal(literal, ir.TensorType(type_.dtype, type_.dims)))])
    return importer.fresh(result, call.fake)


def stacked_numbers(importer, data, type_):
    """Numbers, some of them symbolic, as the tensor that torch.tensor makes of them."""
    if any(isinstance(item, Tensor) for item in flatten(data)):
        raise Unsupported("a tensor among numbers is not modelled")
    values = [promote.scalar(importer, item, type_.dtype) for item in flatten(data)]
    if not type_.rank:
        return values[0]
    flat, = importer.emit("stack", [values], [type_.with_dims([len(values)])], dim=0)
    return flat if type_.rank == 1 else importer.emit_reshape(flat, type_)


@special("aten.eye.default", "aten.eye.m", "torch.eye")
def eye(importer, call):
    """eye = (row index == column index)."""
    fake = call.fake
    if fake.dim() != 2 or any(symbols.as_int(d) is None for d in fake.shape):
        return NOT_DONE
    rows, columns = (int(d) for d in fake.shape)
    i, = importer.emit("arange", [None], [ir.TensorType("i64", (rows,))], start=0.0, step=1.0)
    j, = importer.emit("arange", [None], [ir.TensorType("i64", (columns,))], start=0.0, step=1.0)
    i, = importer.emit("reshape", [i, []], [ir.TensorType("i64", (rows, 1))], shape=[rows, 1])
    same, = importer.emit("eq", [i, j], [ir.TensorType("i1", (rows, columns))])
    return importer.fresh(importer.cast(same, importer.type_of(fake).dtype), fake)
