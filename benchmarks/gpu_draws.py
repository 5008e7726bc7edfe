# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random workloads for gpu_sweep.py: any of them is drawn again from its seed and number alone.

Extents are powers of two, multiples of eight, odd or prime; inputs are read as they are, permuted, at an odd offset (so
that no address is known to be aligned) or with a step; types are f32, f16 and bf16.
"""
import math
import random
from dataclasses import dataclass

import torch
import torch.nn.functional as F

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


@dataclass
class Workload:
    kind: str
    text: str
    function: object
    shapes: list      ## of the inputs
    dtype: torch.dtype
    scale: float = 1.0

    def inputs(self, device):
        generator = torch.Generator(device=device).manual_seed(len(self.text) + sum(map(sum, self.shapes)))
        return [(torch.randn(shape, generator=generator, device=device) * self.scale).to(self.dtype) for shape in self.shapes]


def is_prime(number):
    return number > 1 and all(number % divisor for divisor in range(2, math.isqrt(number) + 1))


class Draw:
    """One workload's choices. An input is a shape in memory and how the function reads it."""

    def __init__(self, seed, number, elements):
        self.random = random.Random(f"{seed}/{number}")
        self.elements = elements
        self.shapes, self.texts = [], []

    def choice(self, items):
        return self.random.choice(items)

    def between(self, low, high):
        """Uniform in the logarithm."""
        return int(round(math.exp(self.random.uniform(math.log(low), math.log(high)))))

    def snap(self, extent):
        """An extent near by, of one of the kinds that matter."""
        extent = max(1, extent)
        kind = self.choice(["power", "eight", "odd", "prime", "any"])
        if kind == "power":
            return 1 << max(0, extent.bit_length() - 1)
        if kind == "eight":
            return max(8, extent // 8 * 8)
        if kind == "odd":
            return extent | 1
        if kind == "prime":
            while not is_prime(extent) and extent > 2:
                extent -= 1
        return extent

    def shape(self, rank, elements):
        """Extents with about so many elements."""
        cuts = [self.random.random() + 0.15 for _ in range(rank)]
        return [self.snap(int(elements ** (cut / sum(cuts)))) for cut in cuts]

    def total(self, low=1 << 12):
        return self.between(min(low, self.elements), self.elements)

    def read(self, shape, views=True):
        """A new input that is read as a tensor of this shape: a function of all inputs."""
        position, rank = len(self.shapes), len(shape)
        view = self.choice(["plain", "plain", "plain", "permuted", "offset", "step"]) if views and rank else "plain"
        name = f"x{position}"
        if view == "permuted" and rank > 1:
            order = list(range(rank))
            while order == sorted(order):
                self.random.shuffle(order)
            memory = [0] * rank
            for to, source in enumerate(order):
                memory[source] = shape[to]
            self.shapes.append(memory)
            self.texts.append(f"{name}{memory}.permute({order})")
            return lambda xs: xs[position].permute(order)
        if view == "offset":
            dim, start = self.choice([rank - 1, rank - 1, self.random.randrange(rank)]), self.choice([1, 3, 5])
            memory = [extent + (start + self.choice([0, 2]) if axis == dim else 0) for axis, extent in enumerate(shape)]
            self.shapes.append(memory)
            self.texts.append(f"{name}{memory}.narrow({dim}, {start}, {shape[dim]})")
            return lambda xs: xs[position].narrow(dim, start, shape[dim])
        if view == "step":
            dim = self.random.randrange(rank)
            memory = [extent * 2 if axis == dim else extent for axis, extent in enumerate(shape)]
            cut = tuple(slice(None, None, 2) if axis == dim else slice(None) for axis in range(rank))
            self.shapes.append(memory)
            self.texts.append(f"{name}{memory}[::2 along {dim}]")
            return lambda xs: xs[position][cut]
        self.shapes.append(list(shape))
        self.texts.append(f"{name}{list(shape)}")
        return lambda xs: xs[position]

    def broadcast(self, shape):
        """An input that broadcasts to the shape."""
        kept = [extent if self.random.random() < 0.5 else 1 for extent in shape]
        return self.read(kept[self.random.randrange(len(kept)):] if self.random.random() < 0.5 else kept, views=False)

    unary = {
        "relu": torch.relu, "gelu": F.gelu, "tanh": torch.tanh, "sigmoid": torch.sigmoid, "silu": F.silu, "abs": torch.abs,
        "neg": torch.neg, "half": lambda x: x * 0.5 + 1, "clamp": lambda x: x.clamp(-1, 1), "exp": lambda x: torch.exp(-x.abs()),
        "sqrt": lambda x: torch.sqrt(x.abs() + 1),
    }
    binary = {
        "add": torch.add, "sub": torch.sub, "mul": torch.mul, "max": torch.maximum, "where": lambda x, y: torch.where(x > y, x * 0.25, y),
    }

    def chain(self, length):
        """A chain of unary ops."""
        names = [self.choice(sorted(self.unary)) for _ in range(length)]
        self.texts.append("".join(f".{name}" for name in names))

        def apply(x):
            for name in names:
                x = self.unary[name](x)
            return x
        return apply


def pointwise(draw):
    shape = draw.shape(draw.choice([1, 2, 3, 4, 5]), draw.total())
    reads = [draw.read(shape)]
    for _ in range(draw.choice([0, 1, 1, 2, 3])):
        reads.append(draw.broadcast(shape) if draw.random.random() < 0.4 else draw.read(shape))
    names, chain = [draw.choice(sorted(draw.binary)) for _ in reads[1:]], draw.chain(draw.choice([0, 1, 2, 4]) or (len(reads) == 1))
    results = draw.choice([1, 1, 1, 2, 3])
    draw.texts.append(f"{names}, {results} results")

    def function(*xs):
        value = reads[0](xs)
        parts = []
        for name, read in zip(names, reads[1:]):
            value = draw.binary[name](value, read(xs))
            parts.append(value)
        value = chain(value)
        return (value, *[part * (2 + i) for i, part in enumerate((parts or [value])[:results - 1])])
    return function


def permute(draw):
    rank = draw.choice([2, 2, 3, 4, 5])
    shape = draw.shape(rank, draw.total(1 << 16))
    order = list(range(rank))
    while order == sorted(order):
        draw.random.shuffle(order)
    read, chain = draw.read(shape, views=False), draw.chain(draw.choice([0, 0, 1]))
    other = draw.read([shape[axis] for axis in order], views=False) if draw.random.random() < 0.3 else None
    draw.texts.append(f"permute({order}).contiguous")

    def function(*xs):
        value = chain(read(xs).permute(order).contiguous())
        return value + other(xs) if other else value
    return function


def reduction_shape(draw, dims):
    """A shape and the dimensions that are reduced, whose product is of any size."""
    rank = draw.choice([1, 2, 2, 3, 4])
    total = draw.total(1 << 14)
    dims = sorted(draw.random.sample(range(rank), min(rank, dims)))
    row = min(draw.between(16, 1 << 20), total)
    shape = [0] * rank
    for axes, elements in ((dims, row), ([axis for axis in range(rank) if axis not in dims], max(1, total // row))):
        for axis, extent in zip(axes, draw.shape(len(axes), elements) if axes else []):
            shape[axis] = extent
    return shape, dims


def reduce(draw):
    shape, dims = reduction_shape(draw, draw.choice([1, 1, 1, 2]))
    read = draw.read(shape)
    names = draw.random.sample(["sum", "mean", "amax", "amin", "var", "norm", "logsumexp", "square"], draw.choice([1, 1, 2, 3]))
    ops = {
        "sum": lambda x: x.sum(dims), "mean": lambda x: x.mean(dims), "amax": lambda x: x.amax(dims), "amin": lambda x: x.amin(dims),
        "var": lambda x: x.var(dims), "norm": lambda x: torch.linalg.vector_norm(x, 2, dims), "logsumexp": lambda x: torch.logsumexp(x, dims),
        "square": lambda x: (x * x).sum(dims),
    }
    chain = draw.chain(draw.choice([0, 0, 1]))
    draw.texts.append(f"{names} over {dims}")

    def function(*xs):
        value = chain(read(xs))
        return tuple(ops[name](value) for name in names)
    return function


def softmax(draw):
    shape, (dim,) = reduction_shape(draw, 1)
    read, chain, after = draw.read(shape), draw.chain(draw.choice([0, 1])), draw.chain(draw.choice([0, 0, 1]))
    name = draw.choice(["softmax", "softmax", "log_softmax"])
    bias = draw.broadcast(shape) if draw.random.random() < 0.3 else None
    draw.texts.append(f"{name} over {dim}")

    def function(*xs):
        value = chain(read(xs))
        value = value + bias(xs) if bias else value
        return after(getattr(torch, name)(value, dim))
    return function


def norm(draw):
    total = draw.total(1 << 14)
    row = min(draw.between(16, 1 << 15), total)
    shape = draw.shape(draw.choice([1, 2]), max(1, total // row)) + [draw.snap(row)]
    read, skip = draw.read(shape), draw.read(shape, views=False) if draw.random.random() < 0.4 else None
    weight, bias = draw.read(shape[-1:], views=False), draw.read(shape[-1:], views=False)
    name, both = draw.choice(["layer_norm", "layer_norm", "rms_norm"]), draw.random.random() < 0.4
    after = draw.chain(draw.choice([0, 0, 1]))
    draw.texts.append(f"{name}{', input as a result' if both else ''}")

    def function(*xs):
        value = read(xs)
        value = value + skip(xs) if skip else value
        result = F.layer_norm(value, shape[-1:], weight(xs), bias(xs)) if name == "layer_norm" else F.rms_norm(value, shape[-1:], weight(xs))
        return (after(result), value * 2) if both else after(result)
    return function


def scan(draw):
    shape, (dim,) = reduction_shape(draw, 1)
    read, chain = draw.read(shape), draw.chain(draw.choice([0, 0, 1]))
    draw.texts.append(f"cumsum over {dim}")
    return lambda *xs: chain(torch.cumsum(read(xs), dim))


def interleave(draw):
    rank = draw.choice([2, 3, 4])
    dim, way = draw.random.randrange(rank), draw.choice(["unbind", "cat", "stack", "split"])
    shape = draw.shape(rank, draw.total())
    if way == "unbind":
        shape[dim] = draw.between(2, 48)
        read = draw.read(shape)
        to = draw.random.randrange(rank)
        names = [draw.choice(sorted(draw.unary)) for _ in range(2)]
        draw.texts.append(f"stack over {to} of {names} of unbound over {dim}")
        return lambda *xs: torch.stack([draw.unary[names[i % 2]](part) for i, part in enumerate(read(xs).unbind(dim))], to)
    if way == "split":
        parts = draw.choice([2, 3, 4])
        shape[dim] = parts * draw.snap(draw.between(1, 300))
        read = draw.read(shape)
        draw.texts.append(f"cat of {parts} reversed parts over {dim}")
        return lambda *xs: torch.cat([torch.tanh(part) for part in reversed(read(xs).chunk(parts, dim))], dim)
    pieces = draw.between(2, 12)
    shape[dim] = max(1, shape[dim] // pieces)
    reads = []
    for _ in range(pieces):
        piece = list(shape)
        if way == "cat":
            piece[dim] = draw.snap(draw.between(1, 2 * shape[dim]))
        reads.append(draw.read(piece))
    chain = draw.chain(draw.choice([0, 1]))
    draw.texts.append(f"{way} over {dim}")
    return lambda *xs: chain(getattr(torch, way)([read(xs) for read in reads], dim))


def small_products(draw):
    count = draw.between(1, 400)
    rows, inner, columns = (draw.snap(draw.between(4, 256)) for _ in range(3))
    shared = draw.random.random() < 0.4
    one = draw.read([rows, inner], views=False) if shared else None
    left = [one or draw.read([rows, inner], views=False) for _ in range(count)]
    right, bias = [draw.read([columns, inner], views=False) for _ in range(count)], [draw.read([columns], views=False) for _ in range(count)]
    del draw.texts[2:]
    way = draw.choice(["each", "cat", "stack"])
    draw.texts.append(f"{count} linears [{rows}, {inner}] x [{inner}, {columns}]{' of one input' if shared else ''}, tanh, {way}")

    def function(*xs):
        parts = [torch.tanh(F.linear(a(xs), w(xs), c(xs))) for a, w, c in zip(left, right, bias)]
        return tuple(parts) if way == "each" else getattr(torch, way)(parts, 0)
    return function


def product(draw):
    batch = draw.choice([None, None, draw.between(2, 64)])
    rows, inner, columns = (draw.snap(draw.between(8, 4096 if batch is None else 512)) for _ in range(3))
    left = draw.read([rows, inner] if batch is None else [batch, rows, inner])
    right = draw.read([inner, columns] if batch is None else [batch, inner, columns])
    bias = draw.read([columns], views=False) if draw.random.random() < 0.5 else None
    after = draw.chain(draw.choice([0, 1]))
    draw.texts.append("product")

    def function(*xs):
        value = left(xs) @ right(xs)
        return after(value + bias(xs) if bias else value)
    return function


def attention(draw):
    batch, heads = draw.between(1, 16), draw.between(1, 16)
    length, width = draw.snap(draw.between(16, 1024)), draw.choice([16, 32, 64, 80, 128])
    sources = length if draw.random.random() < 0.7 else draw.snap(draw.between(16, 1024))
    q, k, v = (draw.read([batch, heads, size, width], views=False) for size in (length, sources, sources))
    mask = draw.choice(["none", "causal", "bias"])
    bias = draw.read([1, 1, length, sources], views=False) if mask == "bias" else None
    draw.texts.append(f"attention, mask {mask}")
    return lambda *xs: F.scaled_dot_product_attention(q(xs), k(xs), v(xs), attn_mask=bias(xs) if bias else None, is_causal=mask == "causal")


def convolution(draw):
    batch, channels, filters = draw.between(1, 16), draw.snap(draw.between(3, 128)), draw.snap(draw.between(8, 128))
    height, width = draw.snap(draw.between(8, 96)), draw.snap(draw.between(8, 96))
    size, stride = draw.choice([1, 3, 5]), draw.choice([1, 1, 2])
    x, w = draw.read([batch, channels, height, width], views=False), draw.read([filters, channels, size, size], views=False)
    bias = draw.read([filters], views=False)
    draw.texts.append(f"convolution {size}x{size}, stride {stride}, relu")
    return lambda *xs: torch.relu(F.conv2d(x(xs), w(xs), bias(xs), stride=stride, padding=size // 2))


KINDS = {kind.__name__: kind for kind in (pointwise, permute, reduce, softmax, norm, scan, interleave, small_products, product, attention, convolution)}


def kind_of(seed, number):
    return random.Random(f"{seed}/{number}/kind").choice(list(KINDS))


def draw_workload(seed, number, elements=1 << 25):
    """Workload `number` of a seed. `elements` bounds the size of one tensor, roughly."""
    kind = kind_of(seed, number)
    draw = Draw(seed, number, elements)
    dtype = draw.choice(list(DTYPES))
    function = KINDS[kind](draw)
    return Workload(kind, f"{dtype} " + " ".join(draw.texts), function, draw.shapes, DTYPES[dtype], 0.3 if kind in ("product", "small_products") else 1.0)
