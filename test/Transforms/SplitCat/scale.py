# The passes over splits and cats, and those before them, end on graphs of 100,000 ops
# and pieces: no recursion on depth, and nothing quadratic, which would take longer than
# the limit. What they cost is the benchmarks' matter (benchmarks/pass_scale.py).
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %python %s
import os
import subprocess
import tempfile

LIMIT = 300  # seconds

PASSES = ",".join(
    "fxgraph-" + name
    for name in ("normalize", "noop-remove", "splitcat-remove-split-with-size-one", "splitcat-merge-getitem-cat", "splitcat-merge-splits",
                 "splitcat-mutate-cat", "splitcat-cancel", "splitcat-split-cat{allow-other-users=true}",
                 "splitcat-stack-unbind-cancel{allow-other-users=true}"))
# The passes that take runs of pieces, alone: the others would leave them nothing.
RUNS = ",".join(
    f"fxgraph-splitcat-{name}{{threshold-to-cat=2 allow-steps=true}}"
    for name in ("split-cat-to-slices", "unbind-cat-to-view", "split-stack-to-cats", "unbind-stack-to-slices", "move-reshape-out-of-split-stack"))
POINTWISE = "fxgraph-splitcat-merge-stack-tanh-unbind,fxgraph-splitcat-sink-cat-after-pointwise"


def t(n):
    return f"tensor<{n}xf32>"


def types(n, extent=1):
    return ", ".join([t(extent)] * n)


def split(n):
    return f"%p:{n} = fxgraph.split_with_sizes %x sizes {[1] * n} dim 0 : ({t(n)}) -> ({types(n)})"


def nested_cats(n):
    """One split, whose pieces are joined one after the other."""
    lines = [split(n), f"%c1 = fxgraph.cat %p#0, %p#1 dim 0 : ({types(2)}) -> {t(2)}"]
    lines += [f"%c{i} = fxgraph.cat %c{i - 1}, %p#{i} dim 0 : ({t(i)}, {t(1)}) -> {t(i + 1)}" for i in range(2, n)]
    return n, lines, f"%c{n - 1}"


def nested_splits(n):
    """Splits of splits; the first pieces are joined in another order."""
    lines, rest = [], "%x"
    for i in range(n - 1):
        lines.append(f"%s{i}:2 = fxgraph.split_with_sizes {rest} sizes [1, {n - 1 - i}] dim 0 : ({t(n - i)}) -> ({t(1)}, {t(n - 1 - i)})")
        rest = f"%s{i}#1"
    pieces = ", ".join([rest] + [f"%s{i}#0" for i in range(n - 1)])
    return n, lines + [f"%r = fxgraph.cat {pieces} dim 0 : ({types(n)}) -> {t(n)}"], "%r"


def pairs(n):
    """One split, a cat and an op for each two pieces, which also have other users."""
    lines = [split(n)]
    for i in range(0, n, 2):
        lines.append(f"%c{i} = fxgraph.cat %p#{i}, %p#{i + 1} dim 0 : ({types(2)}) -> {t(2)}")
        lines.append(f"%r{i} = fxgraph.add %c{i}, %p#{i} : ({t(2)}, {t(1)}) -> {t(2)}")
    joined = ", ".join(f"%r{i}" for i in range(0, n, 2))
    return n, lines + [f"%r = fxgraph.cat {joined} dim 0 : ({types(n // 2, 2)}) -> {t(n)}"], "%r"


def many_splits(n):
    """One cat over the pieces of many splits."""
    lines, pieces = [], []
    for i in range(n // 2):
        lines.append(f"%a{i} = fxgraph.slice %x dim 0 from {2 * i} to {2 * i + 2} : ({t(n)}) -> {t(2)}")
        lines.append(f"%p{i}:2 = fxgraph.chunk %a{i} chunks 2 dim 0 : ({t(2)}) -> ({types(2)})")
        pieces += [f"%p{i}#0", f"%p{i}#1"]
    return n, lines + [f"%r = fxgraph.cat {', '.join(pieces)} dim 0 : ({types(n)}) -> {t(n)}"], "%r"


def runs(n):
    """Cats and stacks of all pieces, in order and in two others, and of the pieces reshaped."""
    u = f"%u:{n} = fxgraph.unbind %y dim 0 : (tensor<{n}x1xf32>) -> ({types(n)})"
    lines = [split(n), f"%y = fxgraph.reshape %x shape [{n}, 1] : {t(n)} -> tensor<{n}x1xf32>", u]
    lines += [f"%r{i} = fxgraph.reshape %p#{i} shape [1, 1] : {t(1)} -> tensor<1x1xf32>" for i in range(n)]
    matrices = ", ".join(["tensor<1x1xf32>"] * n)
    pick = lambda name, numbers: ", ".join(f"%{name}#{i}" for i in numbers)
    numbers = [i + j for j in (0, 2) for i in range(0, n, 4)] + [i + j for i in range(0, n, 4) for j in (1, 3)]
    lines += [f"%c0 = fxgraph.cat {pick('p', numbers)} dim 0 : ({types(n)}) -> {t(n)}",
              f"%c1 = fxgraph.cat {pick('u', range(n))} dim 0 : ({types(n)}) -> {t(n)}",
              f"%s0 = fxgraph.stack {pick('p', numbers)} dim 0 : ({types(n)}) -> tensor<{n}x1xf32>",
              f"%s1 = fxgraph.stack {pick('u', [i ^ 2 for i in range(n)])} dim 1 : ({types(n)}) -> tensor<1x{n}xf32>",
              f"%s2 = fxgraph.stack {', '.join(f'%r{i}' for i in range(n))} dim 0 : ({matrices}) -> tensor<{n}x1x1xf32>"]
    lines += [f"%d{i} = fxgraph.reshape %{v} shape [{n}] : tensor<{s}xf32> -> {t(n)}" for i, (v, s) in enumerate([("s0", f"{n}x1"), ("s1", f"1x{n}"), ("s2", f"{n}x1x1")])]
    lines += [f"%a{i} = fxgraph.add {a}, {b} : ({types(2, n)}) -> {t(n)}" for i, (a, b) in enumerate([("%c0", "%c1"), ("%a0", "%d0"), ("%a1", "%d1"), ("%a2", "%d2")])]
    return n, lines, "%a3"


def sunk(n):
    """A relu behind each of n nested cats, and a chain of n behind one."""
    lines, value = [], "%x"
    for i in range(n):
        lines.append(f"%c{i} = fxgraph.cat {value}, %x dim 0 : ({t(0)}, {t(0)}) -> {t(0)}")
        lines.append(f"%r{i} = fxgraph.relu %c{i} : {t(0)}")
        value = f"%r{i}"
    lines.append(f"%d = fxgraph.cat {value}, {value} dim 0 : ({t(0)}, {t(0)}) -> {t(0)}")
    value = "%d"
    for i in range(n):
        lines.append(f"%t{i} = fxgraph.tanh {value} : {t(0)}")
        value = f"%t{i}"
    return 0, lines, value


def batched(n):
    """Stacks of two, tanh, unbind, one after the other; then a stack of n and one unbind."""
    lines, a, b = [], "%x", "%x"
    for i in range(n):
        lines.append(f"%s{i} = fxgraph.stack {a}, {b} dim 0 : ({types(2)}) -> tensor<2x1xf32>")
        lines.append(f"%t{i} = fxgraph.tanh %s{i} : tensor<2x1xf32>")
        lines.append(f"%u{i}:2 = fxgraph.unbind %t{i} dim 0 : (tensor<2x1xf32>) -> ({types(2)})")
        a, b = f"%u{i}#0", f"%u{i}#1"
    lines.append(f"%s = fxgraph.stack {', '.join([a] * n)} dim 0 : ({types(n)}) -> tensor<{n}x1xf32>")
    lines.append(f"%t = fxgraph.tanh %s : tensor<{n}x1xf32>")
    lines.append(f"%u:{n} = fxgraph.unbind %t dim 0 : (tensor<{n}x1xf32>) -> ({types(n)})")
    lines.append(f"%c = fxgraph.cat {', '.join(f'%u#{i}' for i in range(n))} dim 0 : ({types(n)}) -> {t(n)}")
    return 1, lines + [f"%r = fxgraph.slice %c dim 0 from 0 to 1 : ({t(n)}) -> {t(1)}"], "%r"


def noops(n):
    """A chain of ops that change nothing, views and copies."""
    lines, value = [], "%x"
    for i in range(n):
        lines.append(f"%v{i} = fxgraph." + [f"clone {value} : {t(4)}", f"reshape {value} shape [4] : {t(4)} -> {t(4)}",
                                           f"slice {value} dim 0 from 0 to 9 : ({t(4)}) -> {t(4)}"][i % 3])
        value = f"%v{i}"
    return 4, lines, value


def run(graph, n, passes):
    extent, lines, result = graph(n)
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(f"func.func private @f(%x: {t(extent)}) -> {t(extent)} {{\n" + "\n".join(lines) + f"\nreturn {result} : {t(extent)}\n}}\n")
        file.flush()
        # The function is private: symbol-dce drops it, so that printing costs nothing.
        subprocess.run(["fx-opt", file.name, "--verify-each=0", "-o", os.devnull, f"--pass-pipeline=builtin.module(func.func({passes}),symbol-dce)"],
                       check=True, timeout=LIMIT)


for passes, graphs in ((PASSES, (nested_cats, nested_splits, pairs, many_splits, noops)), (RUNS, (nested_splits, many_splits, runs)),
                       (POINTWISE, (nested_cats, sunk, batched))):
    for graph in graphs:
        run(graph, 100000, passes)
        print(graph.__name__, "done")
