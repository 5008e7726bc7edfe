# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random workloads for cpu_sweep.py: any of them is drawn again from its seed and number alone.

Elementwise functions are those of torch.testing's operator database; the other kinds draw what a call takes: extents, the dim that is
reduced, windows, strides and dilations, modes, layouts of the inputs.
"""
import functools
import math
import random
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f64": torch.float64, "i64": torch.int64}


@dataclass
class Workload:
    kind: str
    text: str
    function: object
    inputs: list
    dtype: torch.dtype


class Draw:
    """One workload's choices; tensors that it makes are seeded too."""

    def __init__(self, seed, number, elements):
        self.random = random.Random(f"{seed}/{number}")
        self.generator = torch.Generator().manual_seed(self.random.randrange(1 << 62))
        self.elements = elements
        self.inputs, self.texts = [], []

    def choice(self, items):
        return self.random.choice(items)

    def between(self, low, high):
        """Uniform in the logarithm."""
        return int(round(math.exp(self.random.uniform(math.log(low), math.log(high)))))

    def total(self, factor=1.0):
        high = max(64, self.elements * factor)
        return self.between(max(32, high / 40), high)

    def shape(self, rank, elements):
        """Extents with about so many elements, many of them odd."""
        cuts = [self.random.random() + 0.3 for _ in range(rank)]
        extents = [max(1, int(elements ** (cut / sum(cuts)))) for cut in cuts]
        return [self.choice([n, n | 1, max(1, n // 8 * 8)]) for n in extents]

    def dtype(self, names=("f32", "f32", "f32", "bf16", "f64")):
        return DTYPES[self.choice(names)]

    def new(self, shape, dtype, low=-3.0, high=3.0, views=True):
        """An input of this shape: dense, transposed in memory, or every second element of a row."""
        view = self.choice(["dense", "dense", "dense", "transposed", "step"]) if views and len(shape) > 1 else "dense"
        stored = [*shape[:-1], 2 * shape[-1]] if view == "step" else [*shape[:-2], shape[-1], shape[-2]] if view == "transposed" else shape
        if dtype.is_floating_point:
            tensor = (torch.rand(stored, generator=self.generator) * (high - low) + low).to(dtype)
        elif dtype == torch.bool:
            tensor = torch.rand(stored, generator=self.generator) < 0.5
        else:
            tensor = torch.randint(int(low), int(high) + 1, stored, generator=self.generator, dtype=dtype)
        tensor = tensor[..., ::2] if view == "step" else tensor.transpose(-1, -2) if view == "transposed" else tensor
        self.inputs.append(tensor)
        self.texts.append(f"{str(dtype)[6:]}{list(shape)}{'' if view == 'dense' else ' ' + view}")
        return tensor

    def indices(self, shape, extent):
        tensor = torch.randint(0, extent, shape, generator=self.generator)
        self.inputs.append(tensor)
        self.texts.append(f"index{list(shape)} < {extent}")


@functools.cache
def elementwise(arity):
    """(name, function, domain) of the database's elementwise operators."""
    from fxgraph.testing.opinfo import operator_db  # replaces what the database needs before it is loaded
    database = operator_db()
    from torch.testing._internal.opinfo.core import BinaryUfuncInfo, UnaryUfuncInfo
    listed = [info for info in database if isinstance(info, UnaryUfuncInfo if arity == 1 else BinaryUfuncInfo)]
    left_out = ("_refs", "special", "masked", "nn.functional.dropout", "complex", "polar", "float_power", "isclose",
                "mvlgamma", "nn.functional.prelu", "bool", "byte", "char", "short", "int", "long", "half", "bfloat16", "float", "double", "cfloat", "cdouble", "chalf")
    chosen = {}
    for info in listed:
        name = info.name
        if name.split(".")[0] in left_out or name in left_out or name.startswith("jiterator") or name in chosen or not {torch.float32, torch.int64} & set(info.dtypes):
            continue
        chosen[info.name] = (info.name, info.op, getattr(info, "domain", (None, None)), frozenset(info.dtypes))
    return tuple(chosen.values())


def draw_unary(d):
    name, function, (low, high), dtypes = d.choice(elementwise(1))
    dtype = d.dtype(("f32", "f32", "f32", "f64", "bf16", "i64"))
    dtype = dtype if dtype in dtypes else torch.float32 if torch.float32 in dtypes else torch.int64
    d.new(d.shape(d.choice([1, 2, 3]), d.total()), dtype, -4.0 if low is None else low + 1e-3, 6.0 if high is None else high - 1e-3)
    return name, lambda x: function(x)


def draw_binary(d):
    name, function, _, dtypes = d.choice(elementwise(2))
    dtype = d.dtype(("f32", "f32", "f32", "f64", "bf16", "i64"))
    dtype = dtype if dtype in dtypes else torch.float32 if torch.float32 in dtypes else torch.int64
    shape = d.shape(d.choice([1, 2, 3]), d.total(0.5))
    d.new(shape, dtype, 1, 5)
    other = d.choice([shape, shape, shape[-1:], [*shape[:-1], 1]])
    d.new(other, dtype, 1, 5)
    return name, lambda x, y: function(x, y)


REDUCTIONS = {
    "sum": torch.sum, "mean": torch.mean, "amax": torch.amax, "amin": torch.amin, "var": torch.var, "std": torch.std, "prod": torch.prod,
    "logsumexp": torch.logsumexp, "norm": lambda x, dim: torch.linalg.vector_norm(x, dim=dim), "norm1": lambda x, dim: torch.linalg.vector_norm(x, 1, dim=dim),
    "norm3": lambda x, dim: torch.linalg.vector_norm(x, 3, dim=dim), "argmax": torch.argmax, "max": lambda x, dim: torch.max(x, dim), "any": lambda x, dim: (x > 2).any(dim),
    "all": lambda x, dim: (x > -2.9).all(dim), "count_nonzero": torch.count_nonzero, "softmax": torch.softmax, "log_softmax": torch.log_softmax,
    "nansum": torch.nansum, "aminmax": lambda x, dim: torch.aminmax(x, dim=dim), "var_mean": torch.var_mean,
}


def draw_reduce(d):
    name = d.choice(list(REDUCTIONS))
    rank = d.choice([1, 2, 3, 4])
    dtype = d.dtype(("f32", "f32", "bf16", "f64", "i64") if name in ("sum", "amax", "amin", "argmax", "max", "prod", "any", "all", "count_nonzero") else ("f32", "f32", "bf16", "f64"))
    d.new(d.shape(rank, d.total()), dtype)
    dim = d.choice(range(rank))
    if name in ("sum", "mean", "amax", "var", "logsumexp", "norm") and rank > 2 and d.choice([True, False]):
        dim = (dim, (dim + d.choice(range(1, rank))) % rank)
    return f"{name} over {dim}", lambda x: REDUCTIONS[name](x, dim=dim)


def draw_scan(d):
    name = d.choice(["cumsum", "cumprod", "cummax", "logcumsumexp", "cumsum", "diff"])
    rank = d.choice([1, 2, 3])
    d.new(d.shape(rank, d.total()), d.dtype(("f32", "f32", "f64", "i64") if name in ("cumsum", "cummax") else ("f32", "f64")), -1, 1)
    dim = d.choice(range(rank))
    return f"{name} along {dim}", lambda x: getattr(torch, name)(x, dim=dim)


def draw_sort(d):
    name = d.choice(["sort", "argsort", "topk", "median", "kthvalue", "sort stable", "searchsorted", "bucketize"])
    dtype = d.dtype(("f32", "f32", "f64", "i64"))
    if name in ("searchsorted", "bucketize"):
        d.new([d.total()], dtype, views=False)
        bounds = torch.linspace(-3, 3, d.between(8, 4000))
        d.inputs.append(bounds.to(dtype))
        return f"{name} in {len(bounds)}", lambda x, bounds: torch.searchsorted(bounds, x) if name == "searchsorted" else torch.bucketize(x, bounds)
    rank = d.choice([1, 2, 3])
    shape = d.shape(rank, d.total(0.25))
    dim = d.choice(range(rank))
    d.new(shape, dtype, -1000, 1000)
    k = max(1, min(shape[dim], d.between(1, 64)))
    # Which of equal elements comes first is open: what is at the places, not the places.
    functions = {"sort": lambda x: torch.sort(x, dim)[0], "argsort": lambda x: x.gather(dim, torch.argsort(x, dim)), "topk": lambda x: torch.topk(x, k, dim)[0],
                 "median": lambda x: torch.median(x, dim)[0], "kthvalue": lambda x: torch.kthvalue(x, k, dim)[0],
                 "sort stable": lambda x: torch.sort(x, dim=dim, stable=True, descending=True)}
    return f"{name} along {dim}, k {k}", functions[name]


def draw_index(d):
    name = d.choice(["gather", "scatter", "scatter_add", "index_select", "index", "index2", "index_put", "take_along_dim", "embedding", "embedding_bag", "index_add", "masked_fill",
                     "roll", "flip", "repeat_interleave", "tril", "one_hot", "scatter_reduce", "where", "index_copy", "repeat", "rot90"])
    dtype = d.dtype(("f32", "f32", "f64", "bf16", "i64"))
    if name in ("embedding", "embedding_bag"):
        rows, width, count, length = d.between(100, 20000), d.choice([8, 16, 33, 64, 128, 300]), d.between(20, 2000), d.between(2, 20)
        dtype = torch.float32 if dtype == torch.int64 else dtype
        d.new([rows, width], dtype, views=False)
        d.indices([count, length], rows)
        mode = d.choice(["sum", "mean", "max"])
        return f"{name} {mode}", (lambda w, i: F.embedding(i, w)) if name == "embedding" else lambda w, i: F.embedding_bag(i, w, mode=mode)
    rank = d.choice([1, 2, 3])
    shape = d.shape(rank, d.total(0.5))
    dim = d.choice(range(rank))
    d.new(shape, dtype)
    extent = shape[dim]
    count = max(1, int(extent * d.random.uniform(0.3, 1)))
    index_shape = [*shape[:dim], count, *shape[dim + 1:]]
    text = f"{name} along {dim}"
    if name in ("gather", "take_along_dim"):
        d.indices(index_shape, extent)
        return text, lambda x, i: torch.gather(x, dim, i) if name == "gather" else torch.take_along_dim(x, i, dim)
    if name in ("scatter", "scatter_add", "scatter_reduce"):
        d.indices(index_shape, extent)
        d.new(index_shape, dtype, views=False)
        if name == "scatter":  # of repeated indices any may win: one value
            return text, lambda x, i, s: x.scatter(dim, i, 2)
        return text, lambda x, i, s: x.scatter_add(dim, i, s) if name == "scatter_add" else x.scatter_reduce(dim, i, s, "amax")
    if name in ("index_select", "index"):
        d.indices([count], extent)
        return text, lambda x, i: torch.index_select(x, dim, i) if name == "index_select" else x[(*[slice(None)] * dim, i)]
    if name == "index2" and rank > 1:
        d.indices([count], shape[0])
        d.indices([count], shape[1])
        return text, lambda x, i, j: x[i, j]
    if name in ("index_put", "index_add", "index_copy"):
        if name == "index_copy":
            d.inputs.append(torch.randperm(extent, generator=d.generator)[:count])
        else:
            d.indices([count], extent)
        d.new(index_shape, dtype, views=False)
        if name == "index_put":
            return text, lambda x, i, s: x.index_put((*[None] * 0, i), s.transpose(0, dim), accumulate=True) if dim == 0 else x.index_add(dim, i, s)
        return text, lambda x, i, s: getattr(x, name)(dim, i, s)
    if name in ("masked_fill", "where"):
        d.new(shape, torch.bool, views=False)
        return text, lambda x, m: x.masked_fill(m, 2) if name == "masked_fill" else torch.where(m, x, x * 2)
    if name == "one_hot":
        d.inputs.clear()
        d.indices([d.between(100, 20000)], 37)
        return "one_hot", lambda i: F.one_hot(i, 37)
    shift = d.between(1, 9)
    functions = {"roll": lambda x: x.roll(shift, dim), "flip": lambda x: x.flip(dim), "repeat_interleave": lambda x: x.repeat_interleave(2, dim),
                 "tril": lambda x: x.tril(shift) if x.dim() > 1 else x.flip(0), "index2": lambda x: x.roll(shift, dim), "repeat": lambda x: x.repeat(*[1] * (x.dim() - 1), 3),
                 "rot90": lambda x: x.rot90(1, (0, 1)) if x.dim() > 1 else x.flip(0)}
    return f"{text} by {shift}", functions[name]


def draw_pool(d):
    rank = d.choice([1, 2, 2, 3])
    name = d.choice(["max", "max", "avg", "adaptive_avg", "adaptive_max", "lp"])
    window, stride = d.choice([2, 3, 3, 5, 7]), d.choice([1, 2, 2, 3])
    padding, dilation = d.choice([0, window // 2]), d.choice([1, 1, 2])
    channels, batch = d.choice([3, 16, 32, 65]), d.choice([1, 2, 4])
    extent = max(16 if rank > 1 else 64, int((d.total(0.5) / channels / batch) ** (1 / rank)))
    d.new([batch, channels, *[extent + d.choice([0, 1, 3]) for _ in range(rank)]], d.dtype(("f32", "f32", "f32", "bf16")), views=False)
    outputs = d.choice([1, 3, 7, 8])
    if name == "max":
        return f"max_pool{rank}d {window}/{stride}/{padding}/{dilation}", lambda x: getattr(F, f"max_pool{rank}d")(x, window, stride, padding, dilation)
    if name == "avg":
        return f"avg_pool{rank}d {window}/{stride}/{padding}", lambda x: getattr(F, f"avg_pool{rank}d")(x, window, stride, padding)
    if name == "lp" and rank < 3:
        return f"lp_pool{rank}d {window}/{stride}", lambda x: getattr(F, f"lp_pool{rank}d")(x.abs(), 2, window, stride)
    name = "adaptive_avg" if name == "lp" else name
    return f"{name}_pool{rank}d to {outputs}", lambda x: getattr(F, f"{name}_pool{rank}d")(x, outputs)


def draw_norm(d):
    name = d.choice(["batch_norm", "batch_norm_train", "layer_norm", "group_norm", "instance_norm", "rms_norm", "local_response_norm", "normalize"])
    channels, batch = d.choice([16, 32, 48]), d.choice([2, 4, 8])
    extent = max(8, int((d.total() / channels / batch) ** 0.5))
    shape = [batch, channels, extent, extent | 1]
    d.new(shape, d.dtype(("f32", "f32", "f32", "bf16")), views=d.choice([False, False, True]))
    dtype = d.inputs[0].dtype
    if name.startswith("batch_norm"):
        training = name.endswith("train")
        for low in (-1, 0.5, -1, 0.5):
            d.new([channels], dtype, low, 2)
        return name, lambda x, mean, variance, bias, weight: F.batch_norm(x, None if training else mean, None if training else variance, weight, bias, training)
    functions = {"layer_norm": lambda x: F.layer_norm(x, x.shape[-1:]), "group_norm": lambda x: F.group_norm(x, 8), "instance_norm": lambda x: F.instance_norm(x),
                 "rms_norm": lambda x: F.rms_norm(x, x.shape[-2:]), "local_response_norm": lambda x: F.local_response_norm(x.float(), 5), "normalize": lambda x: F.normalize(x, dim=1)}
    return name, functions[name]


def draw_loss(d):
    name = d.choice(["mse", "l1", "smooth_l1", "huber", "bce", "bce_logits", "nll", "cross_entropy", "kl_div", "cosine_embedding", "soft_margin", "margin_ranking", "triplet", "gaussian_nll",
                     "poisson_nll", "multi_margin", "cross_entropy_2d", "nll_2d", "hinge_embedding"])
    rows, columns = d.shape(2, d.total(0.25))
    dtype = d.dtype(("f32", "f32", "f32", "f64"))
    if name in ("cross_entropy_2d", "nll_2d"):
        classes, extent = d.choice([5, 21, 64]), max(8, int((rows * columns / 42) ** 0.5))
        d.new([2, classes, extent, extent], dtype, views=False)
        d.indices([2, extent, extent], classes)
        return name, (lambda x, t: F.cross_entropy(x, t)) if name == "cross_entropy_2d" else lambda x, t: F.nll_loss(x, t)
    d.new([rows, columns], dtype, 0.01, 0.99)
    if name in ("nll", "cross_entropy", "multi_margin"):
        d.indices([rows], columns)
        function = {"nll": F.nll_loss, "cross_entropy": F.cross_entropy, "multi_margin": F.multi_margin_loss}[name]
        return name, lambda x, t: function(x, t)
    d.new([rows, columns], dtype, 0.01, 0.99)
    if name == "triplet":
        d.new([rows, columns], dtype)
        return name, lambda x, y, z: F.triplet_margin_loss(x, y, z)
    functions = {"mse": F.mse_loss, "l1": F.l1_loss, "smooth_l1": F.smooth_l1_loss, "huber": F.huber_loss, "bce": F.binary_cross_entropy, "bce_logits": F.binary_cross_entropy_with_logits,
                 "kl_div": lambda x, y: F.kl_div(x, y, reduction="batchmean"), "cosine_embedding": lambda x, y: F.cosine_embedding_loss(x, y, x[:, 0].sign()),
                 "soft_margin": F.soft_margin_loss, "margin_ranking": lambda x, y: F.margin_ranking_loss(x, y, x.sign()), "gaussian_nll": lambda x, y: F.gaussian_nll_loss(x, y, y),
                 "poisson_nll": F.poisson_nll_loss, "hinge_embedding": lambda x, y: F.hinge_embedding_loss(x, y.sign())}
    return name, lambda x, y: functions[name](x, y)


def draw_resample(d):
    mode = d.choice(["nearest", "linear", "bilinear", "bilinear", "bicubic", "trilinear", "nearest-exact", "area", "grid_sample", "affine", "pixel_shuffle", "pixel_unshuffle"])
    rank = {"linear": 1, "trilinear": 3}.get(mode, 2)
    channels, batch = d.choice([3, 16, 32]), d.choice([1, 2])
    extent = max(8, int((d.total(0.15) / channels / batch) ** (1 / rank)))
    dtype = d.dtype(("f32", "f32", "f32", "bf16")) if mode not in ("grid_sample", "affine") else torch.float32
    factor, corners = d.choice([2, 2, 0.5, 1.5, 1.37]), d.choice([False, False, True])
    if mode == "pixel_unshuffle":
        extent = extent // 2 * 2
    if mode == "pixel_shuffle":
        channels = 16
    d.new([batch, channels, *[extent] * rank], dtype, views=False)
    if mode in ("grid_sample", "affine"):
        sample, padding = d.choice(["bilinear", "nearest", "bicubic"]), d.choice(["zeros", "border", "reflection"])
        if mode == "affine":
            d.new([batch, 2, 3], dtype, -1, 1)
            return f"affine_grid, grid_sample {sample} {padding}", lambda x, t: F.grid_sample(x, F.affine_grid(t, x.shape, align_corners=False), sample, padding, align_corners=False)
        d.new([batch, extent, extent, 2], dtype, -1.1, 1.1, views=False)
        return f"grid_sample {sample} {padding}", lambda x, g: F.grid_sample(x, g, sample, padding, align_corners=corners)
    if mode.startswith("pixel"):
        return mode, lambda x: getattr(F, mode)(x, 2)
    options = {"align_corners": corners} if "linear" in mode or mode == "bicubic" else {}
    return f"interpolate {mode} x {factor} {options}", lambda x: F.interpolate(x, scale_factor=factor, mode=mode, **options)


def draw_pad(d):
    mode, rank = d.choice(["constant", "reflect", "replicate", "circular"]), d.choice([1, 2, 3])
    channels, batch = d.choice([3, 16, 32]), d.choice([1, 4])
    extent = max(8, int((d.total(0.5) / channels / batch) ** (1 / rank)))
    d.new([batch, channels, *[extent | 1] * rank], d.dtype(("f32", "f32", "bf16", "f64")), views=False)
    amounts = [d.choice([0, 1, 2, 3]) for _ in range(2 * rank)]
    return f"pad {mode} {amounts}", lambda x: F.pad(x, amounts, mode)


def draw_distance(d):
    name = d.choice(["pdist", "cdist", "cdist", "cosine_similarity", "pairwise_distance"])
    rows, width = d.between(32, 400), d.choice([3, 16, 64, 129])
    p = d.choice([1.0, 2.0, 2.0, 3.0, math.inf])
    d.new([rows, width], torch.float32)
    if name == "pdist":
        return f"pdist {p}", lambda x: F.pdist(x, p)
    if name != "cdist":
        d.new([rows, width], torch.float32)
        return name, lambda x, y: getattr(F, name)(x, y)
    d.new([d.between(32, 400), width], torch.float32)
    return f"cdist {p}", lambda x, y: torch.cdist(x, y, p)


SPELLINGS = ("ij,jk->ik", "bij,bjk->bik", "bhqd,bhkd->bhqk", "bnhd,bmhd->bhnm", "bhnm,bmhd->bnhd", "ij,ij->i", "i,j->ij", "ijk,ilm,kmn->jln", "bij,bjk,bkl->bil", "abc,cd->abd", "ii->i", "ij->ji",
             "bij->b", "bi,bj->bij", "ijk,jk->ik", "bchw,dc->bdhw", "abcd,abed->ce", "ij,kj->ik", "ij,jk->i", "blhp,bhpn->blhn", "bi,ij,bj->b", "nctv,vw->nctw")


def draw_einsum(d):
    spelling = d.choice(SPELLINGS)
    operands = spelling.split("->")[0].split(",")
    letters = sorted(set("".join(operands)))
    budget = d.total(10) ** (1 / max(2, len(letters)))
    extents = {letter: max(2, int(budget * d.random.uniform(0.5, 1.6))) for letter in letters}
    for operand in operands:
        d.new([extents[letter] for letter in operand], d.dtype(("f32", "f32", "f32", "f64")) if not d.inputs else d.inputs[0].dtype, -1, 1)
    return f"einsum {spelling}", lambda *xs: torch.einsum(spelling, *xs)


def draw_product(d):
    name = d.choice(["mm", "linear", "bmm", "addmm", "mv", "matmul_broadcast", "baddbmm", "outer", "dot", "attention", "attention_causal", "mm_plus_mm"])
    n = lambda low=8, high=700: d.choice([d.between(low, high), d.between(low, high) // 8 * 8 + 8])  # noqa: E731
    m, k, c = n(1), n(), n()
    dtype = d.dtype(("f32", "f32", "f32", "f32", "f64", "bf16"))
    if name.startswith("attention"):
        heads, q, width = d.choice([1, 4, 8, 12]), d.between(1, 300), d.choice([16, 32, 64, 80, 128])
        keys = q if name.endswith("causal") else d.between(16, 300)
        for length in (q, keys, keys):
            d.new([d.choice([1]), heads, length, width], torch.float32, views=False)
        return name, lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=name.endswith("causal"))
    b = d.between(2, 16)
    shapes = {"mm": [[m, k], [k, c]], "linear": [[m, k], [c, k], [c]], "bmm": [[b, m // 4 + 1, k // 2], [b, k // 2, c // 4 + 1]], "addmm": [[c], [m, k], [k, c]], "mv": [[m * 3, k], [k]],
              "matmul_broadcast": [[b, m // 4 + 1, k // 2], [k // 2, c // 4 + 1]], "baddbmm": [[b, m // 4 + 1, c // 4 + 1], [b, m // 4 + 1, k // 2], [b, k // 2, c // 4 + 1]],
              "outer": [[m * 3], [c]], "dot": [[m * k]] * 2, "mm_plus_mm": [[m, k], [k, c], [m, k], [k, c]]}[name]
    for shape in shapes:
        d.new([max(1, extent) for extent in shape], dtype, -1, 1, views=len(shape) > 1 and d.choice([False, True]))
    functions = {"linear": F.linear, "matmul_broadcast": torch.matmul, "mm_plus_mm": lambda a, b, c, d: a @ b + c @ d}
    function = functions.get(name) or getattr(torch, name)
    return name, lambda *xs: function(*xs)


LARGEST = {1: 20000, 2: 160, 3: 40}  # extents by rank


def draw_conv(d):
    rank, transposed = d.choice([1, 2, 2, 2, 3]), d.choice([False, False, False, True])
    groups = d.choice(["one", "one", "depthwise", "some"])
    inputs, outputs = d.choice([3, 16, 32, 64, 96]), d.choice([8, 16, 32, 64])
    groups = {"one": 1, "depthwise": inputs, "some": 4 if inputs % 4 == 0 else 1}[groups]
    outputs = inputs if groups == inputs else outputs
    window = d.choice([1, 3, 3, 5, 7] if rank < 3 else [1, 3, 3])
    stride, dilation = d.choice([1, 1, 2, 3]), d.choice([1, 1, 1, 2])
    padding = d.choice([0, dilation * (window // 2)])
    terms = inputs * outputs // groups * window ** rank
    extent = int((d.total(60) / terms) ** (1 / rank))
    extent = min(max(extent, dilation * (window - 1) + 1 + d.choice([4, 7, 10])), LARGEST[rank])
    d.new([d.choice([1, 1, 2]), inputs, *[extent] * rank], torch.float32, -1, 1, views=False)
    d.new([inputs, outputs // groups, *[window] * rank] if transposed else [outputs, inputs // groups, *[window] * rank], torch.float32, -1, 1, views=False)
    call = getattr(F, f"conv_transpose{rank}d" if transposed else f"conv{rank}d")
    text = f"conv{'_transpose' if transposed else ''}{rank}d groups {groups} stride {stride} padding {padding} dilation {dilation}"
    return text, lambda x, w: call(x, w, stride=stride, padding=padding, groups=groups, dilation=dilation)


def draw_rnn(d):
    name, width, hidden = d.choice(["RNN", "LSTM", "GRU"]), d.choice([16, 64, 100, 128]), d.choice([32, 64, 128, 200])
    layers, both, first = d.choice([1, 1, 2]), d.choice([False, False, True]), d.choice([False, True])
    torch.manual_seed(d.random.randrange(1 << 30))
    module = getattr(nn, name)(width, hidden, layers, bidirectional=both, batch_first=first).eval()
    d.new([d.between(4, 24), d.between(1, 16), width], torch.float32, -1, 1, views=False)
    return f"{name} {width} {hidden}, {layers} layers, both ways {both}, batch first {first}", module


def draw_layout(d):
    name = d.choice(["permute", "permute", "transpose", "cat", "stack", "split_cat", "unfold", "convert", "im2col", "chunk_add", "strided_copy"])
    dtype = d.dtype(("f32", "f32", "bf16", "f64", "i64"))
    rank = d.choice([2, 3, 4])
    shape = d.shape(rank, d.total())
    d.new(shape, dtype, views=False)
    if name == "permute":
        order = list(range(rank))
        d.random.shuffle(order)
        return f"permute {order}", lambda x: x.permute(order).contiguous()
    if name in ("cat", "stack"):
        d.new(shape, dtype)
        dim = d.choice(range(rank))
        return f"{name} along {dim}", lambda x, y: getattr(torch, name)([x, y, x], dim)
    to = d.choice([torch.float32, torch.bfloat16, torch.float64, torch.int32])
    step = d.choice([2, 3])
    functions = {"transpose": lambda x: x.transpose(-1, -2).contiguous(), "split_cat": lambda x: torch.cat(list(x.split(max(1, x.shape[-1] // 5), -1))[::-1], -1),
                 "unfold": lambda x: x.unfold(-1, min(3, x.shape[-1]), 1) * 2, "convert": lambda x: x.to(to), "im2col": lambda x: F.unfold(x[None, None].flatten(2, -2).float(), min(3, x.shape[-1], x[..., 0].numel())),
                 "chunk_add": lambda x: sum(x.chunk(4, -1)[:1], x.chunk(4, -1)[0]), "strided_copy": lambda x: x[..., ::step].clone()}
    return name, functions[name]


def draw_fourier(d):
    name = d.choice(["fft", "rfft", "irfft", "fft2", "stft"])
    length = d.choice([32, 64, 100, 128, 256, 400, 512])
    if name == "stft":
        d.new([2, d.between(4000, 16000)], torch.float32, views=False)
        return f"stft {length}", lambda x: torch.stft(x, length, window=torch.ones(length), return_complex=True).abs()
    d.new([max(1, d.total(0.2) // length), length] if name != "fft2" else [d.choice([1, 3]), length, length], torch.float32, views=False)
    return f"{name} {length}", lambda x: getattr(torch.fft, name)(x).abs()


def draw_chain(d):
    """Some elementwise operators on one tensor, a norm or a reduction behind them."""
    steps = {"gelu": F.gelu, "silu": F.silu, "tanh": torch.tanh, "add": lambda x: x + 1.5, "square": lambda x: x * x, "relu": F.relu, "sigmoid": torch.sigmoid, "exp": lambda x: (x * 0.1).exp(),
             "softplus": F.softplus, "hardswish": F.hardswish, "mish": F.mish, "elu": F.elu, "sqrt": lambda x: x.abs().sqrt(), "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "abs": torch.abs}
    last = {"none": lambda x: x, "softmax": lambda x: x.softmax(-1), "layer_norm": lambda x: F.layer_norm(x, x.shape[-1:]), "sum": lambda x: x.sum(-1), "mean0": lambda x: x.mean(0)}
    names, end = [d.choice(list(steps)) for _ in range(d.choice([1, 2, 4]))], d.choice(list(last))
    d.new(d.shape(2, d.total()), d.dtype(("f32", "f32", "bf16")))

    def function(x):
        for name in names:
            x = steps[name](x)
        return last[end](x)
    return f"{', '.join(names)}, {end}", function


def draw_model(d):
    """Layers drawn in a row."""
    torch.manual_seed(d.random.randrange(1 << 30))
    layers, channels = [], d.choice([16, 32])
    if d.choice([True, False]):
        first = channels
        for _ in range(d.choice([2, 3, 4])):
            width = d.choice([16, 32, 64])
            layers += [d.choice([nn.Conv2d(channels, width, 3, padding=1), nn.Conv2d(channels, width, 1), nn.Conv2d(channels, width, 3, 2, 1)]),
                       d.choice([nn.BatchNorm2d(width), nn.GroupNorm(8, width), nn.Identity()]), d.choice([nn.ReLU(), nn.GELU(), nn.SiLU(), nn.Hardswish()]),
                       d.choice([nn.Identity(), nn.Identity(), nn.MaxPool2d(3, 1, 1), nn.AvgPool2d(2), nn.Conv2d(width, width, 5, padding=2, groups=width)])]
            channels = width
        d.new([d.choice([1, 2]), first, *[d.choice([33, 48, 64])] * 2], torch.float32, -1, 1, views=False)
        layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 10)]
    else:
        width = d.choice([64, 128, 192])
        for _ in range(d.choice([1, 2])):
            layers += d.choice([[nn.TransformerEncoderLayer(width, 4, 2 * width, batch_first=True, activation=d.choice(["relu", "gelu"]), norm_first=d.choice([True, False]))],
                                [nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)]])
        d.new([d.choice([1, 2, 4]), d.between(10, 150), width], torch.float32, -1, 1, views=False)
    module = nn.Sequential(*layers).eval()
    return " ".join(type(layer).__name__ for layer in layers), module


KINDS = {"unary": draw_unary, "binary": draw_binary, "reduce": draw_reduce, "scan": draw_scan, "sort": draw_sort, "index": draw_index, "pool": draw_pool, "norm": draw_norm, "loss": draw_loss,
         "resample": draw_resample, "pad": draw_pad, "distance": draw_distance, "einsum": draw_einsum, "product": draw_product, "conv": draw_conv, "rnn": draw_rnn, "layout": draw_layout,
         "fourier": draw_fourier, "chain": draw_chain, "model": draw_model}
OFTEN = ["unary", "unary", "binary", "reduce", "index", "conv"]  # drawn more often: they have more to choose


def kind_of(seed, number):
    return random.Random(f"kind/{seed}/{number}").choice([*KINDS, *OFTEN])


def draw_workload(seed, number, elements=1 << 21):
    draw, kind = Draw(seed, number, elements), kind_of(seed, number)
    text, function = KINDS[kind](draw)
    return Workload(kind, f"{text}: {', '.join(draw.texts)}", function, draw.inputs, draw.inputs[0].dtype)
