# RUN: %torch_python %s 2500
# REQUIRES: torch
#
# Type inference against PyTorch: random operands and attributes, right and
# wrong ones. Where PyTorch returns a tensor, the dialect must infer its type and
# refuse another one; where PyTorch raises, the verifier must report an error.
#
# Usage: infer-against-torch.py [cases] [seed]
import bisect
import os
import random
import re
import subprocess
import sys
import tempfile
import warnings

import torch
import torch.nn.functional as F

warnings.filterwarnings("ignore")
DTYPES = {torch.float32: "f32", torch.float64: "f64", torch.bfloat16: "bf16", torch.float16: "f16", torch.int64: "i64",
          torch.int32: "i32", torch.int8: "i8", torch.int16: "i16", torch.uint8: "ui8", torch.bool: "i1"}
rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 7)


def type_of(tensor):
    return "tensor<" + "".join(f"{n}x" for n in tensor.shape) + DTYPES[tensor.dtype] + ">"


def tensor(shape, dtype=torch.float32):
    return torch.zeros(shape, dtype=dtype)


def extent():
    return rng.choice([0, 1, 1, 2, 2, 3, 3, 4, 5])


def shape(low=0, high=4):
    return [extent() for _ in range(rng.randint(low, high))]


def wrong(value, *others):
    """Mostly the value, sometimes another one."""
    return rng.choice(others) if rng.random() < 0.12 else value


def off(n):
    return wrong(n, n + 1, max(n - 1, 0), 1)


def dim(rank):
    limit = max(rank, 1)
    return wrong(rng.randint(-limit, limit - 1), limit, -limit - 1)


def mutate(dims):
    """The shape, or one that differs in an extent or in rank."""
    dims = list(dims)
    if rng.random() < 0.1 and dims:
        i = rng.randrange(len(dims))
        dims[i] = off(dims[i])
    if rng.random() < 0.05:
        dims.insert(0, rng.choice([1, 2]))
    if rng.random() < 0.05 and dims:
        dims.pop(rng.randrange(len(dims)))
    return dims


def broadcastable(dims):
    """A shape that broadcasts to `dims`, mostly."""
    kept = list(dims)[rng.randint(0, len(dims)):] if rng.random() < 0.5 else list(dims)
    return mutate([n if rng.random() < 0.7 else 1 for n in kept])


def float_dtype():
    return rng.choice([torch.float32, torch.float32, torch.float64, torch.bfloat16])


def any_dtype():
    return rng.choice([torch.float32, torch.float32, torch.bfloat16, torch.int64, torch.int32, torch.int8, torch.uint8, torch.bool])


def list_text(values):
    return "[" + ", ".join(str(v) for v in values) + "]"


def bool_text(name, value):
    return f" {name} true" if value else ""


# A case is (operands, the op's text with {0}, {1}, … for the operands, the
# PyTorch function on the operands, how the type is written).
def functional(operands, text, function):
    return operands, text, function, "functional"


def pointwise_binary():
    target = shape()
    op = rng.choice(["add", "sub", "mul", "maximum", "minimum", "eq", "ne", "lt", "le", "gt", "ge"])
    dtype = rng.choice([torch.float32, torch.int64, torch.bfloat16])
    x, y = tensor(broadcastable(target), dtype), tensor(broadcastable(target), dtype)
    return functional([x, y], op + " {0}, {1}", getattr(torch, op))


def pointwise_where():
    target = shape()
    dtype = any_dtype()
    operands = [tensor(broadcastable(target), torch.bool), tensor(broadcastable(target), dtype), tensor(broadcastable(target), dtype)]
    return functional(operands, "where {0}, {1}, {2}", torch.where)


def factor(n):
    """Extents whose product is n, mostly."""
    result = []
    while n > 1 and len(result) < 3:
        d = rng.choice([d for d in range(1, n + 1) if n % d == 0])
        result.append(d)
        n //= d
    result.append(n)
    rng.shuffle(result)
    if rng.random() < 0.5:
        result[rng.randrange(len(result))] = -1
    return [wrong(v, -1, v + 1, -2, 0) for v in result]


def view_reshape():
    x = tensor(shape())
    target = factor(x.numel())
    op = rng.choice(["reshape", "view"])
    return [x], op + " {0} shape " + list_text(target), lambda t: getattr(t, op)(target), "input-result"


def view_flatten():
    x = tensor(shape())
    start, end = dim(x.dim()), dim(x.dim())
    return functional([x], f"flatten {{0}} dims {start} to {end}", lambda t: t.flatten(start, end))


def view_unflatten():
    x = tensor(shape())
    d = dim(x.dim())
    sizes = factor(x.shape[d] if -x.dim() <= d < x.dim() else 4)
    return functional([x], f"unflatten {{0}} dim {d} sizes {list_text(sizes)}", lambda t: t.unflatten(d, sizes))


def view_permute():
    x = tensor(shape())
    order = list(range(x.dim()))
    rng.shuffle(order)
    order = mutate([d - x.dim() if rng.random() < 0.3 else d for d in order])
    return functional([x], f"permute {{0}} dims {list_text(order)}", lambda t: t.permute(order))


def view_transpose():
    x = tensor(shape())
    a, b = dim(x.dim()), dim(x.dim())
    return functional([x], f"transpose {{0}} dims {a}, {b}", lambda t: t.transpose(a, b))


def view_squeeze():
    x = tensor(shape())
    if rng.random() < 0.3:
        return functional([x], "squeeze {0}", lambda t: t.squeeze())
    dims = [dim(x.dim()) for _ in range(rng.randint(0, 2))]
    return functional([x], f"squeeze {{0}} dims {list_text(dims)}", lambda t: torch.ops.aten.squeeze.dims(t, dims))


def view_unsqueeze():
    x = tensor(shape())
    d = dim(x.dim() + 1)
    return functional([x], f"unsqueeze {{0}} dim {d}", lambda t: t.unsqueeze(d))


def view_expand():
    target = shape()
    x = tensor(broadcastable(target))
    sizes = mutate([wrong(n, -1, -2) for n in target])
    return [x], "expand {0} shape " + list_text(sizes), lambda t: t.expand(sizes), "input-result"


def view_repeat():
    x = tensor(shape(0, 3))
    repeats = mutate([wrong(rng.randint(0, 3), -1) for _ in range(x.dim() + rng.randint(0, 1))])
    if x.numel() == 0 and min(repeats, default=0) < 0:
        return None  # PyTorch multiplies a zero extent by the negative number.
    return functional([x], f"repeat {{0}} by {list_text(repeats)}", lambda t: t.repeat(repeats))


def bound():
    return rng.choice([0, 1, 2, 3, -1, -2, 7, -7, 2**63 - 1, -(2**63)])


def view_slice():
    x = tensor(shape(0 if rng.random() < 0.1 else 1))
    d, start, end, step = dim(x.dim()), bound(), bound(), wrong(rng.randint(1, 3), 0, -1, 2**31)
    text = f"slice {{0}} dim {d} from {start} to {end}" + (f" step {step}" if step != 1 else "")
    return functional([x], text, lambda t: torch.ops.aten.slice.Tensor(t, d, start, end, step))


def view_select():
    x = tensor(shape(0 if rng.random() < 0.1 else 1))
    d, i = dim(x.dim()), rng.randint(-3, 3)
    return functional([x], f"select {{0}} dim {d} at {i}", lambda t: t.select(d, i))


def view_flip():
    x = tensor(shape(1))
    dims = [dim(x.dim()) for _ in range(rng.randint(0, 2))]
    return functional([x], f"flip {{0}} dims {list_text(dims)}", lambda t: t.flip(dims))


def view_roll():
    # A wrong dim of an empty tensor passes PyTorch unseen.
    x = tensor([max(n, 1) for n in shape(1)])
    dims = [dim(x.dim()) for _ in range(rng.randint(0, 2))]
    shifts = mutate([rng.randint(-3, 3) for _ in dims] or [1])
    return functional([x], f"roll {{0}} by {list_text(shifts)} dims {list_text(dims)}", lambda t: t.roll(shifts, dims))


def view_pad():
    x = tensor(shape())
    pad = mutate([wrong(rng.randint(0, 2), -1, -2) for _ in range(2 * rng.randint(0, x.dim()))])
    return functional([x], f"constant_pad_nd {{0}} by {list_text(pad)}", lambda t: torch.constant_pad_nd(t, pad))


def view_triangle():
    x = tensor(shape())
    op, k = rng.choice(["triu", "tril"]), rng.choice([-1, 1, 2])
    return functional([x], f"{op} {{0}} diagonal {k}", lambda t: getattr(t, op)(k))


def view_slice_scatter():
    x = tensor(shape(1, 3))
    d, start, end, step = rng.randrange(x.dim()), bound(), bound(), rng.randint(1, 2)
    part = torch.ops.aten.slice.Tensor(x, d, start, end, step)
    y = tensor(mutate(part.shape))
    text = f"slice_scatter {{0}}, {{1}} dim {d} from {start} to {end}" + (f" step {step}" if step != 1 else "")
    return functional([x, y], text, lambda t, s: torch.slice_scatter(t, s, d, start, end, step))


def view_select_scatter():
    x = tensor([max(n, 1) for n in shape(1, 3)])
    d = rng.randrange(x.dim())
    i = rng.randint(-x.shape[d], x.shape[d] - 1)
    y = tensor(mutate(x.select(d, i).shape))
    return functional([x, y], f"select_scatter {{0}}, {{1}} dim {d} at {i}", lambda t, s: torch.select_scatter(t, s, d, i))


def cut_split():
    x = tensor(shape(0 if rng.random() < 0.1 else 1, 3))
    d, size = dim(x.dim()), rng.choice([0, 1, 2, 3, 4, 9, -1])
    return functional([x], f"split {{0}} size {size} dim {d}", lambda t: t.split(size, d))


def cut_sizes():
    x = tensor(shape(1, 3))
    d = dim(x.dim())
    n = x.shape[d] if -x.dim() <= d < x.dim() else 3
    first = rng.randint(0, n)
    sizes = [wrong(v, v + 1, -1) for v in rng.choice([[n], [first, n - first], [first, 0, n - first]])]
    return functional([x], f"split_with_sizes {{0}} sizes {list_text(sizes)} dim {d}", lambda t: t.split_with_sizes(sizes, d))


def cut_chunk():
    x = tensor(shape(0 if rng.random() < 0.1 else 1, 3))
    d, chunks = dim(x.dim()), rng.choice([0, 1, 2, 3, 4, 6, -1])
    return functional([x], f"chunk {{0}} chunks {chunks} dim {d}", lambda t: t.chunk(chunks, d))


def cut_unbind():
    x = tensor(shape(0 if rng.random() < 0.1 else 1, 3))
    d = dim(x.dim())
    return functional([x], f"unbind {{0}} dim {d}", lambda t: t.unbind(d))


def join(op):
    base = shape(0 if rng.random() < 0.1 else 1, 3)
    d = dim(len(base) + (op == "stack"))
    parts = []
    for _ in range(rng.randint(1, 3)):
        own = list(base)
        if op == "cat" and -len(own) <= d < len(own):
            own[d] = extent()
        parts.append(tensor(wrong(mutate(own), [0])))
    if op == "cat" and all(list(t.shape) == [0] for t in parts):
        return None  # PyTorch skips all of them and does not look at dim.
    names = ", ".join("{%d}" % i for i in range(len(parts)))
    return functional(parts, f"{op} {names} dim {d}", lambda *t: getattr(torch, op)(t, d))


def join_cat():
    return join("cat")


def join_stack():
    return join("stack")


def product_linear():
    k, n = extent(), extent()
    x = tensor(shape(0, 2) + [k]) if rng.random() < 0.95 else tensor([])
    w = tensor(mutate([n, k] if rng.random() < 0.85 else [k]))
    operands = [x, w]
    # PyTorch's addmm of a bias reaches some operands of zero extent by other paths.
    if rng.random() < 0.5 and 0 not in list(x.shape) + list(w.shape):
        result = list(x.shape[:-1]) + list(w.shape[:-1])
        operands.append(tensor([n] if rng.random() < 0.6 else broadcastable(result)))
        if len(w.shape) == 1 and x.dim() > 1 or operands[2].dim() > min(len(result), 2) or (
                operands[2].dim() == 2 and len(result) > 2):
            return None  # PyTorch's answer depends on the back end.
    return functional(operands, "linear " + ", ".join("{%d}" % i for i in range(len(operands))), F.linear)


def product_matmul():
    k, batch = extent(), shape(0, 2)
    x = tensor(mutate([k] if rng.random() < 0.25 else broadcastable(batch) + [extent(), k]))
    y = tensor(mutate([k] if rng.random() < 0.25 else broadcastable(batch) + [k, extent()]))
    return functional([x, y], "matmul {0}, {1}", torch.matmul)


def product_mm():
    m, k, n, b = extent(), extent(), extent(), extent()
    if rng.random() < 0.5:
        return functional([tensor(mutate([m, k])), tensor(mutate([k, n]))], "mm {0}, {1}", torch.mm)
    return functional([tensor(mutate([b, m, k])), tensor(mutate([b, k, n]))], "bmm {0}, {1}", torch.bmm)


def product_addmm():
    m, k, n, b = extent(), extent(), extent(), extent()
    beta = rng.choice([1.0, 0.5])
    text = " {0}, {1}, {2}" + (f" beta {beta}" if beta != 1.0 else "")
    if rng.random() < 0.5:
        operands = [tensor(broadcastable([m, n])), tensor(mutate([m, k])), tensor(mutate([k, n]))]
        return functional(operands, "addmm" + text, lambda c, x, y: torch.addmm(c, x, y, beta=beta))
    operands = [tensor(broadcastable([b, m, n])), tensor(mutate([b, m, k])), tensor(mutate([b, k, n]))]
    return functional(operands, "baddbmm" + text, lambda c, x, y: torch.baddbmm(c, x, y, beta=beta))


def product_einsum():
    sizes = {c: extent() for c in "abcAB"}
    terms, operands = [], []
    for _ in range(rng.randint(1, 3)):
        letters = "".join(rng.choice("abcAB") for _ in range(rng.randint(0, 3)))
        dims = [wrong(sizes[c], 1, sizes[c] + 1) for c in letters]
        if rng.random() < 0.3:
            at = rng.randint(0, len(letters))
            letters = letters[:at] + "..." + letters[at:]
            dims[at:at] = broadcastable([2, 3][rng.randint(0, 1):])
        terms.append(letters)
        operands.append(tensor(mutate(dims)))
    equation = ",".join(terms)
    if rng.random() < 0.6:
        used = sorted(set("".join(terms)) - {"."})
        rng.shuffle(used)
        result = "".join(used[:rng.randint(0, len(used))])
        if rng.random() < 0.4:
            result = "..." + result
        equation += "->" + wrong(result, result + "z", result + result, result + ".")
    equation = wrong(equation, " " + equation + " ", equation + "1", equation + ",", equation + "..")
    names = ", ".join("{%d}" % i for i in range(len(operands)))
    return functional(operands, f'einsum "{equation}", {names}', lambda *t: torch.einsum(equation, *t))


def product_attention():
    l, s, e, v, batch = extent(), extent(), extent(), extent(), shape(0, 2)
    dtype = rng.choice([torch.float32, torch.bfloat16])
    operands = [tensor(mutate(batch + [l, e]), dtype), tensor(mutate(batch + [s, e]), dtype), tensor(mutate(batch + [s, v]), dtype)]
    if any(t.numel() == 0 for t in operands):
        return None  # PyTorch returns early and checks nothing.
    mask = rng.random() < 0.4
    # Beside a mask PyTorch refuses is_causal in some back ends only.
    causal = not mask and rng.random() < 0.3
    text = "scaled_dot_product_attention {0}, {1}, {2}"
    if mask:
        shape_of_mask = broadcastable(batch + [l, s])
        if len(shape_of_mask) < 2:
            return None  # Only PyTorch's math path takes such a mask.
        operands.append(tensor(shape_of_mask, rng.choice([torch.bool, torch.float32, dtype, torch.float16])))
        text += " mask {3}"
    return functional(operands, text + bool_text("causal", causal),
                      lambda q, k, v, m=None: F.scaled_dot_product_attention(q, k, v, m, is_causal=causal))


def window(n, lowest=1, highest=3):
    return [wrong(rng.randint(lowest, highest), lowest - 1) for _ in range(n)]


def conv(transposed):
    n = rng.choice([1, 2]) if transposed else rng.choice([1, 2, 2, 3])
    groups = rng.choice([1, 1, 2])
    c, o = wrong(2 * rng.randint(1, 2), 3), wrong(2 * rng.randint(1, 2), 3)
    spatial = [rng.choice([1, 2, 4, 5, 7]) for _ in range(n)]
    kernel = [rng.randint(1, 3) for _ in range(n)]
    batch = [] if rng.random() < 0.2 else [rng.choice([0, 1, 2])]
    x = tensor(mutate(batch + [c] + spatial))
    w = tensor(mutate(([c, o // groups] if transposed else [o, c // groups]) + kernel))
    operands = [x, w]
    if rng.random() < 0.4:
        operands.append(tensor(mutate([o // groups * groups if transposed else o])))
    # Some of PyTorch's back ends take a dilation of 0; it is not drawn here.
    stride, padding, dilation = window(n), [rng.randint(0, 2) for _ in range(n)], [rng.randint(1, 2) for _ in range(n)]
    names = ", ".join("{%d}" % i for i in range(len(operands)))
    common = f"{names} stride {list_text(stride)} padding {list_text(padding)} dilation {list_text(dilation)}"
    group_text = f" groups {groups}" if groups != 1 else ""
    if not transposed and x.numel() == 0 and 0 in list(x.shape)[-n:]:
        return None  # An empty batch takes a path that checks less.
    if not transposed:
        return functional(operands, f"conv{n}d {common}{group_text}",
                          lambda x, w, b=None: getattr(F, f"conv{n}d")(x, w, b, stride, padding, dilation, groups))
    extra = [rng.randint(0, 1) for _ in range(n)]
    if x.numel() == 0 or any((x.shape[i - n] - 1) * stride[i] - 2 * padding[i] + dilation[i] * (kernel[i] - 1) + extra[i] + 1 == 0
                             for i in range(n)):
        return None  # PyTorch's back ends disagree on empty results.
    return functional(operands, f"convolution {common} transposed true output_padding {list_text(extra)}{group_text}",
                      lambda x, w, b=None: getattr(F, f"conv_transpose{n}d")(x, w, b, stride, padding, extra, groups, dilation))


def conv_plain():
    return conv(False)


def conv_transposed():
    return conv(True)


def parameter(dims, dtype):
    return tensor(mutate(dims), wrong(dtype, torch.float32))


def norm_batch():
    x = tensor([2, rng.randint(1, 3)] + shape(0, 2), rng.choice([torch.float32, torch.bfloat16]))
    statistics = rng.choice([torch.float32, x.dtype])
    operands, text = [x], "batch_norm {0}"
    given = {}
    training = rng.random() < 0.3
    for word, name in (("mean", "running_mean"), ("var", "running_var"), ("weight", "weight"), ("bias", "bias")):
        if rng.random() < 0.8:
            given[name] = len(operands)
            text += f" {word} {{{len(operands)}}}"
            operands.append(parameter([x.shape[1]], statistics))
    if x.numel() == 0 or any(t.dim() != 1 for t in operands[1:]):
        return None  # PyTorch looks at the number of elements alone.
    pick = lambda t, name: t[given[name]] if name in given else None
    return functional(operands, text + " eps 1.0e-05" + bool_text("training", training),
                      lambda *t: torch.batch_norm(t[0], pick(t, "weight"), pick(t, "bias"), pick(t, "running_mean"),
                                                  pick(t, "running_var"), training, 0.1, 1e-5, False))


def norm_layer():
    x = tensor(shape(1, 3), rng.choice([torch.float32, torch.bfloat16]))
    count = wrong(rng.randint(1, x.dim()), 0)
    normalized = mutate(x.shape[x.dim() - count:])
    if any(n < 0 for n in normalized):
        return None
    op = rng.choice(["layer_norm", "native_layer_norm", "rms_norm"])
    operands, text, given = [x], op + " {0}", {}
    dtype = rng.choice([torch.float32, x.dtype])
    for name in ("weight", "bias") if op != "rms_norm" else ("weight",):
        if rng.random() < 0.6:
            given[name] = len(operands)
            text += f" {name} {{{len(operands)}}}"
            operands.append(tensor(mutate(normalized), dtype))
    text += f" over {list_text(normalized)}" + (" eps 1.0e-05" if op != "rms_norm" else "")
    pick = lambda t, name: t[given[name]] if name in given else None
    if op == "rms_norm":
        return functional(operands, text, lambda *t: torch.rms_norm(t[0], normalized, pick(t, "weight")))
    return functional(operands, text, lambda *t: getattr(torch, op)(t[0], normalized, pick(t, "weight"), pick(t, "bias"), 1e-5))


def norm_group():
    x = tensor([2, rng.choice([2, 3, 4])] + [rng.randint(1, 3) for _ in range(rng.randint(0, 2))])
    x = wrong(x, tensor([4]))
    groups = wrong(rng.choice([1, 2]), 0, -1, 3)
    operands, text, given = [x], "group_norm {0}", {}
    for name in ("weight", "bias"):
        if rng.random() < 0.6 and x.dim() > 1:
            given[name] = len(operands)
            text += f" {name} {{{len(operands)}}}"
            operands.append(tensor(mutate([x.shape[1]])))
    pick = lambda t, name: t[given[name]] if name in given else None
    return functional(operands, text + f" groups {groups} eps 1.0e-05",
                      lambda *t: torch.group_norm(t[0], groups, pick(t, "weight"), pick(t, "bias"), 1e-5))


def pool():
    x = tensor(mutate([rng.choice([0, 1, 2]), wrong(2, 0), rng.choice([1, 3, 5, 8]), rng.choice([2, 4, 7])][rng.randint(0, 1):]))
    kernel, stride, padding = window(2), window(2), [wrong(rng.randint(0, 1), 2) for _ in range(2)]
    ceil = rng.random() < 0.4
    text = f" {{0}} kernel {list_text(kernel)} stride {list_text(stride)} padding {list_text(padding)}"
    if rng.random() < 0.5:
        dilation = window(2, 1, 2)
        return functional([x], "max_pool2d" + text + f" dilation {list_text(dilation)}" + bool_text("ceil", ceil),
                          lambda t: F.max_pool2d(t, kernel, stride, padding, dilation, ceil))
    return functional([x], "avg_pool2d" + text + bool_text("ceil", ceil), lambda t: F.avg_pool2d(t, kernel, stride, padding, ceil))


def pool_adaptive():
    x = tensor(mutate([rng.choice([0, 1, 2]), 2, rng.choice([1, 3, 5]), rng.choice([2, 4])][rng.randint(0, 1):]))
    size = [rng.randint(0, 3) for _ in range(2)]
    return functional([x], f"adaptive_avg_pool2d {{0}} to {list_text(size)}", lambda t: torch.ops.aten._adaptive_avg_pool2d(t, size))


def reduction():
    op = rng.choice(["sum", "prod", "mean", "amax", "amin", "any", "all", "var", "logsumexp", "vector_norm"])
    floating = op in ("mean", "var", "logsumexp", "vector_norm")
    dtype = float_dtype() if floating else any_dtype()
    x = tensor(shape(), dtype)
    keep = rng.random() < 0.3
    dims = None if rng.random() < 0.2 else [dim(x.dim()) for _ in range(rng.randint(1, 2))]
    if op in ("prod", "logsumexp") and dims:
        dims = dims[:1]
    if op == "logsumexp" and not dims:
        return None
    order = rng.choice([2.0, 1.0, 0.0, float("inf"), -float("inf"), -1.0])
    text = op + " {0}"
    if op == "vector_norm":
        text += " ord " + {float("inf"): "0x7FF0000000000000", -float("inf"): "0xFFF0000000000000"}.get(order, str(order))
    if dims is not None:
        text += f" dims {list_text(dims)}"
    if op == "var":
        text += " correction 0.0"
    if dims is None:
        keep = keep and op in ("var", "vector_norm")

    def call(t):
        if op == "vector_norm":
            return torch.linalg.vector_norm(t, order, dims, keep)
        if op == "var":
            return torch.var(t, dims, correction=0, keepdim=keep)
        if dims is None:
            return getattr(torch, op)(t)
        return getattr(torch, op)(t, dims[0] if op == "prod" else dims, keep)

    return functional([x], text + bool_text("keepdim", keep), call)


def reduction_dim():
    x = tensor(shape(), rng.choice([torch.float32, torch.int64, torch.bool]))
    op, keep = rng.choice(["argmax", "argmin", "max_dim", "min_dim"]), rng.random() < 0.3
    if op.startswith("arg"):
        d = None if rng.random() < 0.3 else dim(x.dim())
        text = f"{op} {{0}}" + (f" dim {d}" if d is not None else "")
        # PyTorch gives a scalar for argmax of a scalar with keepdim, and so do we.
        return functional([x], text + bool_text("keepdim", keep), lambda t: getattr(torch, op)(t, d, keep))
    d = dim(x.dim())
    return functional([x], f"{op} {{0}} dim {d}" + bool_text("keepdim", keep), lambda t: getattr(torch, op[:3])(t, d, keep))


def scan():
    op = rng.choice(["softmax", "log_softmax", "cumsum", "cumprod"])
    x = tensor(shape(), float_dtype() if "softmax" in op else any_dtype())
    d = dim(x.dim())
    return functional([x], f"{op} {{0}} dim {d}", lambda t: getattr(torch, op)(t, d))


def ordering():
    x = tensor(shape(), rng.choice([torch.float32, torch.int64]))
    d = dim(x.dim())
    if rng.random() < 0.5:
        return functional([x], f"sort {{0}} dim {d}", lambda t: torch.sort(t, d))
    k = rng.randint(0, 4)
    return functional([x], f"topk {{0}} k {k} dim {d}", lambda t: torch.topk(t, k, d))


def index_dtype():
    return wrong(rng.choice([torch.int64, torch.int32]), torch.int16)


def index_operands():
    x = tensor([extent() for _ in range(rng.randint(1, 4))])
    dims = sorted(rng.sample(range(x.dim()), rng.randint(1, x.dim())))
    target = shape(0, 2)
    dtype = index_dtype()
    return x, dims, [tensor(broadcastable(target), dtype) for _ in dims]


def index_list(x, dims, indices):
    full = [None] * x.dim()
    for d, i in zip(dims, indices):
        full[d] = i
    return full


def indexing():
    x, dims, indices = index_operands()
    names = ", ".join("{%d}" % (i + 1) for i in range(len(indices)))
    return functional([x] + indices, f"index {{0}}[{names}] dims {list_text(dims)}",
                      lambda t, *i: torch.ops.aten.index(t, index_list(t, dims, i)))


def indexing_put():
    x, dims, indices = index_operands()
    try:
        place = torch.ops.aten.index(x, index_list(x, dims, indices))
    except Exception:
        return None
    if place.numel() == 0:
        return None  # PyTorch does not look at values that go nowhere.
    values = tensor(broadcastable(place.shape))
    names = ", ".join("{%d}" % (i + 1) for i in range(len(indices)))
    return functional([x] + indices + [values], f"index_put {{0}}[{names}] dims {list_text(dims)}, {{{len(indices) + 1}}}",
                      lambda t, *i: torch.ops.aten.index_put(t, index_list(t, dims, i[:-1]), i[-1]))


def indexing_select():
    x = tensor([max(n, 1) for n in shape()])
    d = dim(x.dim())
    i = tensor(mutate([extent()]), index_dtype())
    return functional([x, i], f"index_select {{0}}, {{1}} dim {d}", lambda t, i: torch.index_select(t, d, i))


def indexing_gather():
    x = tensor([max(n, 1) for n in shape(0, 3)])
    d = dim(x.dim())
    i = tensor(mutate([rng.randint(1, n) for n in x.shape]), index_dtype())
    if i.numel() == 0 and i.dtype == torch.int16:
        return None  # PyTorch does not look at the dtype of an empty index.
    return functional([x, i], f"gather {{0}}, {{1}} dim {d}", lambda t, i: torch.gather(t, d, i))


def indexing_scatter():
    x = tensor([max(n, 1) for n in shape(0, 3)])
    d = dim(x.dim())
    i = tensor(mutate([rng.randint(1, n) for n in x.shape]), index_dtype())
    s = tensor(mutate([n + rng.randint(0, 1) for n in i.shape]))
    op = rng.choice(["scatter", "scatter_add"])
    return functional([x, i, s], f"{op} {{0}}, {{1}}, {{2}} dim {d}", lambda t, i, s: getattr(torch, op)(t, d, i, s))


def indexing_embedding():
    w, i = tensor(mutate([3, 4])), tensor(shape(0, 2), index_dtype())
    return functional([w, i], "embedding {0}, {1}", lambda w, i: torch.embedding(w, i))


GENERATORS = [value for value in list(globals().values())
              if callable(value) and getattr(value, "__module__", None) == "__main__" and value.__code__.co_argcount == 0
              and value.__name__ not in ("extent", "bound", "float_dtype", "any_dtype", "index_dtype", "index_operands")]

WRONG_TYPE = "tensor<1x1x1x1x1x1x1x1xf32>"


def render(number, case, results):
    operands, text, _, style = case
    names = [f"%{i}" for i in range(len(operands))]
    used = [int(i) for i in re.findall(r"\{(\d+)\}", text)]
    for i, name in enumerate(names):
        text = text.replace("{%d}" % i, name)
    types = [type_of(t) for t in operands]
    result = results[0] if len(results) == 1 else "(" + ", ".join(results) + ")"
    if style == "input-result":
        suffix = f"{types[0]} -> {result}"
    else:
        suffix = "(" + ", ".join(types[i] for i in used) + f") -> {result}"
    left = "" if not results else f"%r:{len(results)} = "
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types))
    return f"func.func @case{number}({arguments}) {{\n  {left}fxgraph.{text} : {suffix}\n  return\n}}\n"


def changed(results):
    """The same types, one of them with another extent, rank or dtype."""
    results = list(results)
    i = rng.randrange(len(results))
    body = results[i][len("tensor<"):-1].split("x")
    choice = rng.randrange(3)
    if choice == 0 and len(body) > 1:
        at = rng.randrange(len(body) - 1)
        body[at] = str(int(body[at]) + 1)
    elif choice == 1:
        body.insert(0, "1")
    else:
        body[-1] = "f16" if body[-1] != "f16" else "f32"
    results[i] = "tensor<" + "x".join(body) + ">"
    return results


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2500
    chunks, expectations, summaries = [], [], []
    accepted = rejected = 0
    while len(summaries) < count:
        generator = GENERATORS[len(summaries) % len(GENERATORS)]
        case = generator()
        if case is None:
            continue
        try:
            outcome = case[2](*case[0])
            outcome = list(outcome) if isinstance(outcome, (tuple, list)) else [outcome]
            if any(n < 0 for t in outcome for n in t.shape):
                continue  # PyTorch's expand can make tensors of negative extents.
            results, error = [type_of(t) for t in outcome], None
        except Exception as exception:
            results, error = None, str(exception).split("\n")[0]
        summaries.append((case[1], error))
        if results is None:
            rejected += 1
            chunks.append(render(len(chunks), case, [WRONG_TYPE]))
            expectations.append(("error", case[1], error))
            continue
        accepted += 1
        chunks.append(render(len(chunks), case, results))
        expectations.append(("ok", case[1], None))
        if results:
            other = changed(results)
            chunks.append(render(len(chunks), case, other))
            expectations.append(("refuse", case[1], None))

    separator = "// -----\n"
    first_lines, line, text = [], 1, ""
    for chunk in chunks:
        first_lines.append(line)
        text += chunk + separator
        line += chunk.count("\n") + 1
    tool = os.path.join(os.environ.get("FXGRAPH_BIN_DIR", ""), "fx-opt")
    with tempfile.NamedTemporaryFile("w", suffix=".mlir", delete=False) as file:
        file.write(text)
    try:
        process = subprocess.run([tool, "--split-input-file", file.name], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    finally:
        os.unlink(file.name)
    if process.returncode not in (0, 1):
        print(process.stderr[-3000:])
        sys.exit(f"fx-opt ended with {process.returncode}")
    errors = [[] for _ in chunks]
    for found in re.finditer(r"\.mlir:(\d+):\d+: error: (.*)", process.stderr):
        errors[bisect.bisect_right(first_lines, int(found.group(1))) - 1].append(found.group(2))
    wrong_count = 0
    for chunk, (kind, text, torch_error), own in zip(chunks, expectations, errors):
        mismatch = any("incompatible with return type" in e or "operation defines" in e for e in own)
        if kind == "ok":
            problem = own and f"PyTorch accepts, the verifier says: {own}"
        elif kind == "refuse":
            problem = not own and "a wrong result type is accepted"
        else:
            problem = (not own or mismatch) and f"PyTorch refuses ({torch_error}), the verifier infers: {own}"
        if problem:
            wrong_count += 1
            print(problem + "\n" + chunk)
    print(f"{len(summaries)} cases, {accepted} accepted by PyTorch, {rejected} refused, {wrong_count} differences")
    if accepted == 0 or rejected == 0:
        sys.exit("expected both accepted and refused cases")
    sys.exit(1 if wrong_count else 0)


if __name__ == "__main__":
    main()
