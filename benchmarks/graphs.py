# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Synthetic graphs of any size as MLIR text, for scale tests and benchmarks.

Every generator takes the number of ops wanted (about) and returns text; the same
arguments give the same text.
"""


def _module(body, arguments, results, name="main"):
    args = ", ".join(f"%{a}: {t}" for a, t in arguments)
    values = ", ".join(v for v, _ in results)
    types = ", ".join(t for _, t in results)
    return f"func.func @{name}({args}) -> ({types}) {{\n" + "\n".join(body) + f"\n  return {values} : {types}\n}}\n"


def chain(ops):
    """relu(tanh(relu(…))): nothing to fuse, one long dependence."""
    t = "tensor<4x8xf32>"
    body, value = [], "%x"
    for i in range(ops):
        body.append(f"  %v{i} = fxgraph.{'relu' if i % 2 else 'tanh'} {value} : {t}")
        value = f"%v{i}"
    return _module(body, [("x", t)], [(value, t)])


def ladder(ops):
    """c = u + v; d = u * v, over and over: 2^n paths through 2n ops."""
    t = "tensor<4x8xf32>"
    body, u, v = [], "%x", "%y"
    for i in range(ops // 2):
        body.append(f"  %c{i} = fxgraph.add {u}, {v} : ({t}, {t}) -> {t}")
        body.append(f"  %d{i} = fxgraph.mul {u}, {v} : ({t}, {t}) -> {t}")
        u, v = f"%c{i}", f"%d{i}"
    return _module(body, [("x", t), ("y", t)], [(u, t), (v, t)])


def towers(ops, d=8, rows=4):
    """split -> linear_i -> layer_norm_i -> tanh_i -> cat: 3 ops a tower, and 2."""
    n = max((ops - 2) // 3, 1)
    x, p, w, b = f"tensor<{rows}x{n * d}xf32>", f"tensor<{rows}x{d}xf32>", f"tensor<{d}x{d}xf32>", f"tensor<{d}xf32>"
    pieces = ", ".join([p] * n)
    body = [f"  %p:{n} = fxgraph.split %x size {d} dim 1 : ({x}) -> ({pieces})"]
    arguments = [("x", x)]
    for i in range(n):
        arguments += [(f"w{i}", w), (f"b{i}", b), (f"g{i}", b), (f"h{i}", b)]
        body.append(f"  %l{i} = fxgraph.linear %p#{i}, %w{i}, %b{i} : ({p}, {w}, {b}) -> {p}")
        body.append(f"  %n{i} = fxgraph.layer_norm %l{i} weight %g{i} bias %h{i} over [{d}] eps 1.000000e-05 : ({p}, {b}, {b}) -> {p}")
        body.append(f"  %t{i} = fxgraph.tanh %n{i} : {p}")
    body.append(f"  %r = fxgraph.cat {', '.join(f'%t{i}' for i in range(n))} dim 1 : ({pieces}) -> {x}")
    return _module(body, arguments, [("%r", x)])


def wide_split(ops):
    """One split of `ops` pieces, every other one used, in a cat of another order."""
    p, x = "tensor<2x1xf32>", f"tensor<2x{ops}xf32>"
    body = [f"  %p:{ops} = fxgraph.split %x size 1 dim 1 : ({x}) -> ({', '.join([p] * ops)})"]
    picked = list(range(0, ops, 2))[::-1]
    r = f"tensor<2x{len(picked)}xf32>"
    body.append(f"  %r = fxgraph.cat {', '.join(f'%p#{i}' for i in picked)} dim 1 : ({', '.join([p] * len(picked))}) -> {r}")
    return _module(body, [("x", x)], [("%r", r)])


def independent_linears(ops, d=8):
    """As many linears of one input, with weights of their own, as ops."""
    x, w = f"tensor<4x{d}xf32>", f"tensor<{d}x{d}xf32>"
    body = [f"  %l{i} = fxgraph.linear %x, %w{i} : ({x}, {w}) -> {x}" for i in range(ops)]
    body.append(f"  %r = fxgraph.cat {', '.join(f'%l{i}' for i in range(ops))} dim 0 : ({', '.join([x] * ops)}) -> tensor<{4 * ops}x{d}xf32>")
    return _module(body, [("x", x)] + [(f"w{i}", w) for i in range(ops)], [("%r", f"tensor<{4 * ops}x{d}xf32>")])


def nested_cats(ops):
    """cat(cat(cat(a, b), b), b) …: extents grow by one an op."""
    b = "tensor<1x2xf32>"
    body, value, rows = [], "%a", 1
    for i in range(ops):
        old, new = f"tensor<{rows}x2xf32>", f"tensor<{rows + 1}x2xf32>"
        body.append(f"  %c{i} = fxgraph.cat {value}, %b dim 0 : ({old}, {b}) -> {new}")
        value, rows = f"%c{i}", rows + 1
    return _module(body, [("a", b), ("b", b)], [(value, f"tensor<{rows}x2xf32>")])


GRAPHS = {f.__name__: f for f in (chain, ladder, towers, wide_split, independent_linears, nested_cats)}
