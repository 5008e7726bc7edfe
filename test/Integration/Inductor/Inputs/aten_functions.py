# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the kinds on which Inductor tests its passes behind autodiff: FUNCTIONS is {name: (function, inputs, weights)}, where
`weights` are the numbers of the inputs that freezing takes for constants. The torch-level ones of functions.py are among them."""
import itertools

import torch
import torch.nn as nn
import torch.nn.functional as F

import aten_spellings
import functions as torch_level

aten = torch.ops.aten
FUNCTIONS = {}


def made(spec, generator):
    """A tensor of a spec: a shape; (shape, dtype); ("index", shape, end); ("mask", shape)."""
    if isinstance(spec, torch.Tensor):
        return spec
    if spec and spec[0] == "index":
        return torch.randint(0, spec[2], spec[1], generator=generator)
    if spec and spec[0] == "mask":
        return torch.rand(spec[1], generator=generator) < 0.7
    if len(spec) == 2 and isinstance(spec[1], torch.dtype):
        shape, dtype = spec
        if dtype.is_floating_point:
            return torch.randn(shape, generator=generator).to(dtype)
        return torch.randint(-100 if dtype.is_signed else 0, 100, shape, generator=generator).to(dtype)
    return torch.randn(spec, generator=generator)


def add(name, function, specs, weights=()):
    if name in FUNCTIONS:
        raise ValueError(f"expected one function named {name}")
    generator = torch.Generator().manual_seed(len(FUNCTIONS))
    FUNCTIONS[name] = function, [made(spec, generator) for spec in specs], weights


def function(*specs, weights=()):
    def register(body):
        add(body.__name__, body, specs, weights)
        return body
    return register


# Products: addmm, two products, products with a wide dim, of batches of one, in sequence ------------------------

for place, (m, k, n) in enumerate(((4, 8, 6), (1, 8, 6), (16, 3, 1))):
    add(f"addmm_{place}", lambda c, a, b: (torch.mm(a, b) + c, c + torch.mm(a, b)), [(m, n), (m, k), (k, n)], (2,))
    add(f"addmm_row_{place}", lambda c, a, b: torch.mm(a, b) + c, [(n,), (m, k), (k, n)], (0, 2))
    add(f"mm_plus_mm_{place}", lambda a, b, c, d: torch.mm(a, b) + torch.mm(c, d), [(m, k), (k, n), (m, k), (k, n)])


@function((4, 8), (8, 6), (4, 1))
def addmm_column(a, b, c):
    return torch.mm(a, b) + c


@function((4, 8), (8, 6), (3, 4, 6))
def addmm_that_would_broadcast(a, b, c):
    return torch.mm(a, b) + c


@function((4, 8), (8, 6), (4, 6))
def addmm_with_alpha(a, b, c):
    return torch.add(torch.mm(a, b), c, alpha=0.5), torch.add(c, torch.mm(a, b), alpha=3)


@function((4, 8), (8, 6), (4, 6))
def product_with_two_users(a, b, c):
    p = torch.mm(a, b)
    return p + c, p * 2


@function((4, 8), (8, 6), (4, 6))
def addmm_of_a_transpose(a, b, c):
    return torch.mm(b.t(), a.t()).t() + c


@function((4, 8), (8, 6))
def mm_plus_itself(a, b):
    return torch.mm(a, b) + torch.mm(a, b)


@function((4, 8), (8, 6), (4, 5), (5, 6))
def mm_plus_mm_of_other_depth(a, b, c, d):
    return torch.mm(a, b) + torch.mm(c, d)


@function((4, 8), (8, 6), (4, 8), (8, 6), (4, 6))
def three_terms(a, b, c, d, e):
    return torch.mm(a, b) + torch.mm(c, d) + e


@function((1, 4, 8), (1, 8, 6))
def batch_of_one(a, b):
    return torch.bmm(a, b)


@function((1, 4, 8), (8, 6))
def matmul_of_a_batch_of_one(a, b):
    return torch.matmul(a, b)


@function((3, 4, 8), (8, 6), (6,), weights=(1, 2))
def folded_matmul(a, b, c):
    return torch.matmul(a, b) + c


@function((6,), (4, 8), (8, 6))
def addmm_then_relu(c, a, b):
    return torch.relu(torch.addmm(c, a, b))


for approximate in ("none", "tanh"):
    add(f"addmm_then_gelu_{approximate}", lambda c, a, b, how=approximate: F.gelu(torch.addmm(c, a, b), approximate=how), [(6,), (4, 8), (8, 6)])


@function((6,), (4, 8), (8, 6))
def addmm_then_pointwise(c, a, b):
    return torch.sigmoid(torch.addmm(c, a, b)) * 2 + 1


@function((6,), (4, 8), (8, 6))
def addmm_with_factors(c, a, b):
    return torch.relu(torch.addmm(c, a, b, beta=0.5, alpha=2))


@function((20480, 5), (5, 2))
def tall_mm(a, b):
    return a @ b


@function((10240, 2, 2), (10240, 2, 2))
def tall_bmm(a, b):
    return torch.bmm(a, b)


@function((2,), (20480, 5), (5, 2))
def tall_addmm(c, a, b):
    return torch.addmm(c, a, b)


@function((1, 64), (64, 16))
def vector_mm(a, b):
    return torch.mm(a, b)


@function((63, 65), (65, 31))
def unaligned_mm(a, b):
    return torch.mm(a, b)


@function((3, 33, 17), (3, 17, 9))
def unaligned_bmm(a, b):
    return torch.bmm(a, b)


for name, between in {"nothing": lambda x: x, "relu": torch.relu, "gelu": F.gelu, "chain": lambda x: torch.sigmoid(x) * 1.5 - 0.5,
                      "softmax": lambda x: x.softmax(-1)}.items():
    add(f"b2b_left_{name}", lambda a, b, c, f=between: torch.mm(f(torch.mm(a, b)), c), [(128, 32), (32, 128), (128, 32)])
    add(f"b2b_right_{name}", lambda a, b, c, f=between: torch.mm(a, f(torch.mm(b, c))), [(32, 128), (128, 32), (32, 128)])


@function(((4, 8), torch.int8), ((8, 6), torch.int8), (6,))
def int_mm_mul(a, b, scale):
    return torch._int_mm(a, b).to(torch.float32) * scale


@function(((4, 8), torch.int8), ((8, 6), torch.int8), ((4, 1), torch.bfloat16))
def int_mm_mul_bf16(a, b, scale):
    return (torch._int_mm(a, b) * scale).to(torch.bfloat16)


@function((5, 8), ((6, 8), torch.int8), (6,), weights=(1, 2))
def weight_only_int8(x, w, scale):
    return F.linear(x, w.to(x.dtype)) * scale


# Batches --------------------------------------------------------------------------------------------------------

for count in (2, 5, 6):
    add(f"linears_of_one_input_{count}", lambda x, *w, n=count: torch.cat([F.linear(x, w[i], w[n + i]) for i in range(n)], 1),
        [(3, 8), *[(6, 8)] * count, *[(6,)] * count], range(1, 2 * count + 1))
    add(f"linears_of_inputs_{count}", lambda *t, n=count: [F.linear(t[i], t[n + i]) for i in range(n)], [*[(3, 8)] * count, *[(6, 8)] * count],
        range(count, 2 * count))
    add(f"products_of_one_input_{count}", lambda x, *w: [torch.mm(x, v) for v in w], [(3, 8), *[(8, 6)] * count], range(1, count + 1))
for name, op in {"tanh": torch.tanh, "sigmoid": torch.sigmoid, "relu": torch.relu}.items():
    add(f"batch_{name}", lambda *x, f=op: torch.cat([f(v) + 1 for v in x], 1), [(4, 6)] * 6)
    add(f"batch_{name}_of_pieces", lambda x, f=op: torch.cat([f(v) * 2 for v in torch.split(x, 5, 1)], 1), [(4, 30)])
    add(f"batch_{name}_of_two_shapes", lambda *x, f=op: [f(v) for v in x], [(4, 6)] * 5 + [(4, 7)] * 5)
for name, op in {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div}.items():
    add(f"batch_{name}", lambda *x, f=op: [f(a, b) for a, b in zip(x[::2], x[1::2])], [(4, 6)] * 12)
    add(f"batch_{name}_of_pieces", lambda x, y, f=op: torch.cat([f(a, b).exp() for a, b in zip(torch.split(x, 5, 1), torch.split(y, 5, 1))], 1), [(4, 30)] * 2)
    add(f"batch_{name}_of_numbers", lambda *x, f=op: [f(v, 3) for v in x], [(4, 6)] * 6)


@function(*[(3, 8)] * 6, *[(6, 8)] * 6, *[(6,)] * 6)
def layers_that_depend(*t):
    x = t[:6]
    y = [F.linear(v, t[6 + i], t[12 + i]) for i, v in enumerate(x)]
    return [torch.relu(v[:, :3]) @ torch.ones(3, 2) for v in y]


@function((3, 8), *[(8, 8)] * 6)
def chain_of_linears(x, *w):
    for v in w:
        x = torch.relu(F.linear(x, v))
    return x


@function(*[(3, 8)] * 6)
def stack_of_sums(*x):
    return torch.stack([v + 1 for v in x], 0).sum(0)


# Splits and cats of ATen ------------------------------------------------------------------------------------------

for name, body in {
    "cat_of_one": lambda x, y: aten.cat([x + 1], 1),
    "cat_of_split": lambda x, y: aten.cat(list(torch.split(x, 8, 1)), 1) ** 2,
    "cat_of_split_reversed": lambda x, y: aten.cat(list(torch.split(x, 8, 1))[::-1], 1) ** 2,
    "cat_of_some": lambda x, y: aten.cat([*torch.split(x, 8, 1)[:2], y], 1),
    "split_of_cat": lambda x, y: [p ** 2 for p in torch.split(aten.cat([x, y], 1), [32, 16], 1)],
    "split_of_cat_elsewhere": lambda x, y: [p ** 2 for p in torch.split(aten.cat([x, y], 1), [16, 32], 1)],
    "split_of_cat_that_is_used": lambda x, y: [(c := aten.cat([x, y], 1)) + 1, *(p ** 2 for p in torch.split(c, [32, 16], 1))],
    "uneven_split_of_cat": lambda x, y: [p.tanh() for p in torch.split(aten.cat([x, y], 1), 20, 1)],
    "cat_of_slices": lambda x, y: aten.cat([x[:, :8], x[:, 8:16], x[:, 16:32]], 1),
    "cat_of_gapped_slices": lambda x, y: aten.cat([x[:, :8], x[:, 9:16], x[:, 16:32]], 1),
    "cat_of_overlapping_slices": lambda x, y: aten.cat([x[:, :8], x[:, 4:16]], 1),
    "cat_slice_cat": lambda x, y: aten.cat([c := aten.cat([x, y], 1), aten.slice(c, 1, 0, 19)], 1),
    "cat_slice_cat_too_far": lambda x, y: aten.cat([c := aten.cat([x, y], 1), aten.slice(c, 1, 0, 40)], 1),
    "cat_slice_cat_whole": lambda x, y: aten.cat([c := aten.cat([x, y], 1), aten.slice(c, 1, 0, 2 ** 63 - 1)], 1),
    "nested_cats": lambda x, y: aten.cat([aten.cat([x, y], 1), aten.cat([y, x], 1)], 1).relu(),
    "nested_cats_across": lambda x, y: aten.cat([aten.cat([x, x], 0), aten.cat([x, x], 0)], 1).relu(),
    "stack_of_unbind": lambda x, y: torch.stack(torch.unbind(x, 1), 1) + 1,
    "stack_of_unbind_elsewhere": lambda x, y: torch.stack(torch.unbind(x, 1), 0) + 1,
    "stack_of_some": lambda x, y: torch.stack(torch.unbind(x, 1)[:12], 1) + 1,
    "cat_of_selects": lambda x, y: aten.cat([x[:, i] for i in range(32)], 0).tanh(),
    "stack_of_selects": lambda x, y: torch.stack([x[:, i] for i in range(32)], 1).tanh(),
    "stack_of_every_other": lambda x, y: torch.stack([x[:, i] for i in range(0, 32, 2)], 1).tanh(),
    "views_of_cat": lambda x, y: aten.cat([p.reshape(4, -1) for p in torch.split(x, 8, 1)], 1),
    "unbind_of_stack": lambda x, y: [p.exp() for p in torch.unbind(torch.stack([x, x * 2]), 0)],
    "pieces_by_themselves": lambda x, y: [p + 1 for p in torch.split(x, [3, 5, 8, 16], 1)],
    "pieces_of_pieces": lambda x, y: [q + 1 for p in torch.split(x, 16, 1) for q in torch.split(p, 4, 1)],
    "piece_through_squeeze": lambda x, y: aten.cat([p.squeeze(1)[:, None] for p in torch.split(x, 1, 1)], 1).sin(),
    "repeated_cat": lambda x, y: (aten.cat([x, y], 1) + 1, aten.cat([x, y], 1) * 2),
    "empty_piece": lambda x, y: aten.cat([x, y[:, :0]], 1) + 1,
    "cat_with_itself": lambda x, y: aten.cat([x, x, x], 1).relu(),
    "relu_of_cat_of_relus": lambda x, y: aten.cat([x.relu(), y.relu()], 1).relu(),
    "padded": lambda x, y: F.pad(F.pad(x, (1, 1)), (2, 0)) + F.pad(x, (3, 1)),
}.items():
    add(name, body, [(2, 32), (2, 16)])


# What does nothing; views ------------------------------------------------------------------------------------------

for name, body in {
    "slice_of_all": lambda x: x[:] + x[0:4] + x[0:2 ** 62],
    "slice_scatter_of_all": lambda x: aten.slice_scatter(x, x * 2, 0, 0, 4),
    "repeat_of_one": lambda x: x.repeat(1, 1) + 1,
    "pad_of_nothing": lambda x: F.pad(x, (0, 0, 0, 0)) + 1,
    "convert_to_itself": lambda x: x.to(torch.float32) * 2,
    "floor_of_integers": lambda x: x.to(torch.int32).floor() + x.to(torch.int64).ceil().to(torch.int32),
    "power_of_one": lambda x: x ** 1 + x.pow(1.0),
    "clone_of_clone": lambda x: x.clone().clone() + 1,
    "returned_clone": lambda x: x.clone(),
    "returned_twice": lambda x: (x + 1, (x + 1).clone()),
    "alias": lambda x: aten.alias(x) + 1,
    "detach": lambda x: x.detach() * x,
    "view_of_view": lambda x: x.view(24).view(2, 12).view(4, 6) + 1,
    "view_back": lambda x: x.view(24).relu().view(24).view(4, 6),
    "permute_back": lambda x: x.permute(1, 0).permute(1, 0) * 2,
    "permute_twice": lambda x: x.view(2, 2, 6).permute(1, 2, 0).permute(1, 2, 0).exp(),
    "transposes": lambda x: x.t().t().t() + 1,
    "squeeze_of_unsqueeze": lambda x: x.unsqueeze(1).squeeze(1) + 1,
    "expand_of_expand": lambda x: x.unsqueeze(0).expand(2, 4, 6).expand(2, 4, 6) + 1,
    "narrow_then_wide": lambda x: x.to(torch.float16).to(torch.float32) * 2,
    "wide_then_narrow": lambda x: x.to(torch.float16).to(torch.float32).to(torch.float16),
    "converts_to_integers": lambda x: x.to(torch.int64).to(torch.float32) + 1,
    "times_one": lambda x: x * torch.ones(4, 6) + torch.zeros(4, 6),
    "divided_by_one": lambda x: x / torch.ones(6) - torch.zeros(1),
    "zero_minus": lambda x: torch.zeros(4, 6) - x,
    "one_over": lambda x: torch.ones(4, 6) / x,
    "times_full": lambda x: x * torch.full((4, 6), 2.0),
    "times_ones_that_broadcast": lambda x: x * torch.ones(3, 4, 6),
    "times_wide_ones": lambda x: x * torch.ones(4, 6, dtype=torch.float64),
    "added_false": lambda x: x + torch.zeros(4, 6, dtype=torch.bool),
    "uniform_values": lambda x: x + torch.full((4, 1), 3.0).expand(4, 6) * torch.ones(6) + torch.full((6,), 2.0).exp(),
    "uniform_through_views": lambda x: x * (torch.ones(24).view(4, 6).t().reshape(4, 6) + 0),
    "where_of_full": lambda x: torch.where(torch.ones(4, 6, dtype=torch.bool), x, torch.zeros(())),
    "arange_added": lambda x: x + torch.arange(6) + torch.arange(4)[:, None],
    "triangle": lambda x: x.masked_fill(torch.ones(4, 6).tril() == 0, -1e9),
    "double_negation": lambda x: -(-x) + torch.abs(torch.abs(x)),
    "relu_of_relu": lambda x: torch.relu(torch.relu(x)) + torch.clamp(torch.clamp(x, min=0), min=0),
    "equal_calls": lambda x: torch.sin(x) + torch.sin(x) * torch.sin(x),
    "unused": lambda x: (x + 1, torch.sin(x).sum())[0],
    "view_as_bytes": lambda x: x.view(torch.int32).view(torch.float32) + 1,
    "contiguous": lambda x: x.t().contiguous().t().contiguous() + 1,
}.items():
    add(name, body, [(4, 6)])


# Reductions, softmax, sums along -------------------------------------------------------------------------------------

for name, body in {
    "softmax": lambda x: x.softmax(-1),
    "log_softmax": lambda x: x.log_softmax(-1),
    "softmax_of_first": lambda x: x.softmax(0),
    "softmax_written_out": lambda x: (lambda e: e / e.sum(-1, keepdim=True))((x - x.amax(-1, keepdim=True)).exp()),
    "softmax_of_two_dims": lambda x: (lambda e: e / e.sum((0, 1), keepdim=True))((x - x.amax((0, 1), keepdim=True)).exp()),
    "softmax_used": lambda x: (x.softmax(-1), x.amax(-1)),
    "logsumexp": lambda x: x.logsumexp(-1),
    "scaled_softmax": lambda x: (x * 0.125).softmax(-1),
    "scaled_softmax_of_tensor": lambda x: (x * x[:, :1]).softmax(-1),
    "divided_softmax": lambda x: (x / 8).softmax(-1),
    "scaled_softmax_of_half": lambda x: (x.half() * 0.125).float().softmax(-1),
    "negative_scale": lambda x: (x * -3.0).softmax(1),
    "cumsum_of_ones": lambda x: x + torch.ones(4, 128).cumsum(1),
    "cumsum_of_twos": lambda x: x + torch.full((4, 128), 2).cumsum(0),
    "cumsum_of_tenths": lambda x: x + torch.full((4, 128), 0.1).cumsum(1),
    "cumsum_of_flags": lambda x: x + torch.ones(4, 128, dtype=torch.bool).cumsum(1),
    "partial_max": lambda x: (x.amax(1), x.amax()),
    "partial_min": lambda x: (x.abs().amin(1), x.abs().amin()),
    "partial_sum": lambda x: (x.sum(1), x.sum()),
    "partial_max_kept": lambda x: (x.abs().amax(0, keepdim=True), x.abs().amax()),
    "norm": lambda x: F.layer_norm(x, (128,)),
    "group": lambda x: F.group_norm(x.view(1, 4, 8, 16), 2),
    "rms": lambda x: x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6),
    "moments": lambda x: (x.var(1), x.mean(1), x.std(0)),
    "cross_entropy": lambda x: F.cross_entropy(x, torch.tensor([1, 5, 127, 0])),
    "cosine": lambda x: F.cosine_similarity(x[:2], x[2:], -1),
    "embedding_bag": lambda x: F.embedding(torch.tensor([[0, 3], [2, 2]]), x).sum(1),
    "rows": lambda x: x[torch.tensor([0, 2, 2])] + 1,
    "rows_written": lambda x: x.index_put((torch.tensor([0, 2]),), torch.zeros(2, 128)),
    "rows_added": lambda x: x.index_add(0, torch.tensor([0, 2, 2]), torch.ones(3, 128)),
    "one_hot": lambda x: F.one_hot(x.argmax(1), 128) * x,
    "scatter_upon_zeros": lambda x: torch.zeros(4, 128).scatter(1, x.argmax(1, keepdim=True), -1.0) * x,
    "scatter_upon_many": lambda x: torch.zeros(4, 128).scatter(1, x.topk(3, 1).indices, 1.0) * x,
    "sorted": lambda x: x.sort(1).values[:, :3],
    "slice_written": lambda x: aten.slice_scatter(x, torch.zeros(4, 8), 1, 4, 12) + 1,
    "select_written": lambda x: aten.select_scatter(x, torch.zeros(128), 0, 1) * 2,
}.items():
    add(name, body, [(4, 128)])


# Attention: {scale} x {mask} x {layout} -------------------------------------------------------------------------------

def attention(scale, mask, layout, dtype):
    def body(q, k, v, m):
        if layout == "heads":
            q, k, v = (x.view(2, 6, 3, 8).transpose(1, 2) for x in (q, k, v))
        elif layout == "flat":
            q, k, v = (x.reshape(6, 6, 8) for x in (q, k, v))
        else:
            q, k, v = (x.view(2, 3, 6, 8) for x in (q, k, v))
        q, k, v = (x.to(dtype) for x in (q, k, v))
        scores = torch.matmul(q, k.transpose(-2, -1))
        scores = {"none": lambda s: s, "mul": lambda s: s * 0.3, "div": lambda s: s / 2.8, "query": lambda s: torch.matmul(q * 0.3, k.transpose(-2, -1))}[scale](scores)
        if mask == "added":
            scores = scores + m.to(dtype)
        elif mask == "where":
            scores = torch.where(m > 0, scores, torch.tensor(torch.finfo(dtype).min, dtype=dtype))
        elif mask == "causal":
            scores = scores.masked_fill(torch.ones(6, 6).tril() == 0, float("-inf"))
        weights = scores.float().softmax(-1).to(dtype) if dtype != torch.float32 else scores.softmax(-1)
        out = torch.matmul(weights, v)
        return out.transpose(1, 2).reshape(2, 6, 24) if layout == "heads" else out
    return body


for scale, mask, layout, dtype in itertools.product(("none", "mul", "div", "query"), ("none", "added", "where", "causal"), ("heads", "plain", "flat"), (torch.float32, torch.float16)):
    if dtype == torch.float16 and (scale in ("none", "query") or layout == "flat"):
        continue
    add(f"attention_{scale}_{mask}_{layout}_{str(dtype)[6:]}", attention(scale, mask, layout, dtype), [(2, 6, 24)] * 3 + [(6, 6)])


# Arithmetic into weights; what oneDNN fuses ----------------------------------------------------------------------------

def convolution(x, w, b, stride=1, groups=1):
    return {3: F.conv1d, 4: F.conv2d, 5: F.conv3d}[x.dim()](x, w, b, stride=stride, groups=groups)


for name, op in {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div}.items():
    for other, shape in {"channel": (5, 1, 1), "whole": (2, 5, 6, 6), "batch": (1, 5, 1, 1), "number": (1,), "row": (6,)}.items():
        add(f"conv_{name}_{other}", lambda x, w, b, o, f=op: f(convolution(x, w, b), o), [(2, 3, 8, 8), (5, 3, 3, 3), (5,), shape], (1, 2, 3))
    add(f"conv_{name}_no_bias", lambda x, w, o, f=op: f(convolution(x, w, None), o), [(2, 3, 8, 8), (5, 3, 3, 3), (5, 1, 1)], (1, 2))
    add(f"conv_{name}_twice", lambda x, w, b, o, p, f=op: f(f(convolution(x, w, b), o), p), [(2, 3, 8, 8), (5, 3, 3, 3), (5,), (5, 1, 1), (1, 5, 1, 1)], (1, 2, 3, 4))
    add(f"conv1d_{name}", lambda x, w, b, o, f=op: f(convolution(x, w, b), o), [(2, 3, 8), (5, 3, 3), (5,), (5, 1)], (1, 2, 3))
    add(f"conv_reversed_{name}", lambda x, w, b, o, f=op: f(o, convolution(x, w, b)), [(2, 3, 8, 8), (5, 3, 3, 3), (5,), (5, 1, 1)], (1, 2, 3))
    add(f"linear_{name}", lambda x, w, b, o, f=op: f(F.linear(x, w, b), o), [(4, 8), (6, 8), (6,), (6,)], (1, 2, 3))
    add(f"linear_{name}_whole", lambda x, w, b, o, f=op: f(F.linear(x, w, b), o), [(4, 8), (6, 8), (6,), (4, 6)], (1, 2, 3))
    add(f"linear_{name}_3d", lambda x, w, b, o, f=op: f(F.linear(x, w, b), o), [(2, 4, 8), (6, 8), (6,), (6,)], (1, 2, 3))
    add(f"linear_{name}_argument", lambda x, w, b, o, f=op: f(F.linear(x, w, b), o), [(4, 8), (6, 8), (6,), (4, 6)], (1, 2))
    add(f"conv_{name}_argument", lambda x, w, b, o, f=op: f(convolution(x, w, b), o), [(2, 3, 8, 8), (5, 3, 3, 3), (5,), (2, 5, 6, 6)], (1, 2))
for name, op in {"relu": torch.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "silu": F.silu,
                 "hardswish": F.hardswish, "hardsigmoid": F.hardsigmoid, "hardtanh": F.hardtanh, "relu6": F.relu6, "leaky_relu": F.leaky_relu, "mish": F.mish, "exp": torch.exp}.items():
    add(f"conv_{name}", lambda x, w, b, f=op: f(convolution(x, w, b)), [(2, 3, 8, 8), (5, 3, 3, 3), (5,)], (1, 2))
    add(f"linear_{name}", lambda x, w, b, f=op: f(F.linear(x, w, b)), [(4, 8), (6, 8), (6,)], (1, 2))
    add(f"linear_3d_{name}", lambda x, w, b, f=op: f(F.linear(x, w, b)), [(2, 4, 8), (6, 8), (6,)], (1, 2))
    add(f"linear_bf16_{name}", lambda x, w, b, f=op: f(F.linear(x, w, b)), [((4, 8), torch.bfloat16), ((6, 8), torch.bfloat16), ((6,), torch.bfloat16)], (1, 2))


@function((2, 3, 8, 8), (5, 3, 3, 3), (5, 3, 1, 1), weights=(1, 2))
def conv_plus_conv(x, v, w):
    return torch.relu(F.conv2d(x, v, padding=1) + F.conv2d(x, w))


@function((2, 4, 8, 8), (4, 4, 3, 3), (4,), weights=(1, 2))
def residual(x, w, b):
    return torch.relu(F.conv2d(torch.relu(F.conv2d(x, w, b, padding=1)), w, b, padding=1) + x)


@function((2, 4, 8, 8), (4, 1, 3, 3), (8, 4, 1, 1), (8,), weights=(1, 2, 3))
def depthwise(x, w, v, b):
    return F.relu6(F.conv2d(F.relu6(F.conv2d(x, w, groups=4)), v, b))


@function((2, 3, 8, 8), (5, 3, 3, 3), (5,), (5,), (5,), (5,), weights=(1, 2, 3, 4, 5))
def conv_norm(x, w, mean, var, scale, shift):
    return F.relu(F.batch_norm(F.conv2d(x, w), mean, var.abs(), scale, shift))


@function((2, 3, 8), (3, 4, 3), (4,), weights=(1, 2))
def transposed_convolution(x, w, b):
    return F.relu(F.conv_transpose1d(x, w, b))


@function((2, 3, 8, 8), (5, 3, 3, 3), (5,), weights=(1, 2))
def conv_with_two_users(x, w, b):
    y = F.conv2d(x, w, b)
    return torch.relu(y), y * 2


@function((4, 8), (6, 8), (6,), (6,), weights=(1, 2, 3))
def linear_with_two_users(x, w, b, o):
    y = F.linear(x, w, b)
    return y + o, y.sum()


@function((2, 4, 8), (8, 8), (8, 8), (8, 8), weights=(1, 2, 3))
def queries_keys_values(x, q, k, v):
    return [F.linear(x, w).view(2, 4, 2, 4).transpose(1, 2) for w in (q, k, v)]


@function((4, 8), (8, 8), (8, 8), (8, 8), (8,), (8,), (8,), weights=(1, 2, 3, 4, 5, 6))
def three_addmms(x, q, k, v, a, b, c):
    return torch.addmm(a, x, q), torch.addmm(b, x, k), torch.addmm(c, x, v)


@function((4, 8), (8, 5), (8, 6), (8, 7), weights=(1, 2, 3))
def products_of_three_widths(x, q, k, v):
    return x @ q, x @ k, x @ v


@function((2, 4, 8), (6, 8), (6,), (2, 4, 6), weights=(1, 2))
def linear_plus_argument_relu(x, w, b, y):
    return torch.relu(F.linear(x, w, b) + y)


@function((4, 3), (8, 3), (8, 2), (8,), weights=(1, 2, 3))
def recurrent(x, w, u, b):
    h = torch.zeros(4, 2)
    for _ in range(3):
        i, f, g, o = torch.split(F.linear(x, w, b) + F.linear(h, u), 2, 1)
        h = torch.sigmoid(o) * torch.tanh(torch.sigmoid(f) * h + torch.sigmoid(i) * torch.tanh(g))
    return h


# Indices, masks, writes ------------------------------------------------------------------------------------------------

@function((8, 4))
def written_rows(x):
    x = x.clone()
    x[2:5] = 0
    x[:, 1] += 3
    return x


@function((8, 4), ("index", (3,), 8), (3, 4))
def scattered(x, index, y):
    x = x.clone()
    x[index] = y
    return x * 2


@function((2, 8, 4), (2, 1, 4), ("index", (1,), 8))
def cache(keys, new, place):
    keys = keys.index_copy(1, place, new)
    return keys, keys.sum(1)


@function((8, 4), ("mask", (8, 4)), (1,))
def masked(x, mask, value):
    return torch.where(mask, x, value), x.masked_fill(mask, 0)


@function((4, 6))
def dropout_in_evaluation(x):
    return F.dropout(x, 0.5, training=False) + 1


@function((4, 6))
def added_in_place(x):
    y = x * 2
    y.add_(1).mul_(3)
    return y


class _Block(nn.Module):
    def __init__(self, norm_first, activation):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, activation=activation, batch_first=True, norm_first=norm_first)

    def forward(self, x):
        return self.layer(x)


def _module(name, make, *specs):
    torch.manual_seed(0)
    module = make().eval()
    names = [key for key, _ in module.named_parameters()] + [key for key, _ in module.named_buffers()]
    values = [x.detach() for x in (*module.parameters(), *module.buffers())]

    def body(*tensors):
        return torch.func.functional_call(module, dict(zip(names, tensors)), tensors[len(names):])
    add(name, body, [*values, *specs], range(len(list(module.parameters()))))


for norm_first, activation in itertools.product((False, True), ("relu", "gelu")):
    _module(f"encoder_{activation}_{'first' if norm_first else 'last'}", lambda n=norm_first, a=activation: _Block(n, a), (2, 5, 16))
_module("mlp", lambda: nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 4)), (3, 8))
_module("convnet", lambda: nn.Sequential(nn.Conv2d(3, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 8, 3), nn.Hardswish(), nn.AdaptiveAvgPool2d(1)), (2, 3, 12, 12))
_module("lstm", lambda: nn.LSTM(4, 6, batch_first=True), (2, 3, 4))
_module("gru", lambda: nn.GRU(4, 6, num_layers=2), (3, 2, 4))


def _torch_level():
    for name, module, inputs in torch_level.all_functions():
        add(f"torch_{name}", lambda *x, m=module: m(*x), inputs)


_torch_level()
aten_spellings.register(add)
