# The group fusions end on graphs of 100,000 members, with both searches: no recursion on
# depth, and nothing quadratic, which would take longer than the limit. What they cost is
# the benchmarks' matter (benchmarks/pass_scale.py).
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %python %s
import os
import subprocess
import tempfile

LIMIT = 300  # seconds

X, W = "tensor<4x8xf32>", "tensor<8x8xf32>"
ALL = ("linear-permute-fuse", "convbn-fold", "convbn-efficient-eval", "group-cat-linear{floor-bytes=0}", "group-batch-linear",
       "group-batch-linear-lhs", "group-batch-layernorm", "group-batch-tanh", "group-batch-relu", "group-batch-sigmoid")
# Inductor's search, with the keys that look at producers and users.
SEARCH = ("group-batch-linear{max-fuse-search-depth=5 min-fuse-set-size=2 fuse-nodes-with-same-users}",
          "group-batch-linear-lhs{max-fuse-search-depth=5}",
          "group-batch-tanh{max-fuse-search-depth=5 min-fuse-set-size=2 fuse-nodes-with-same-parent}")


def linears(n):
    """Independent linears on one input, a tanh each, every 64th after a chain."""
    for i in range(n):
        operand = f"%t{i - 64}" if i % 64 == 0 and i else "%x"
        yield f"%y{i} = fxgraph.linear {operand}, %w : ({X}, {W}) -> {X}\n%t{i} = fxgraph.tanh %y{i} : {X}"
    yield f"return %t{n - 1} : {X}"


def ladder(n):
    """c = u + v; d = u * v, over and over: 2^n paths, and two candidates a rung."""
    u, v = "%x", "%x"
    for i in range(n // 3):
        yield f"%c{i} = fxgraph.add {u}, {v} : ({X}, {X}) -> {X}\n%d{i} = fxgraph.mul {u}, {v} : ({X}, {X}) -> {X}"
        yield f"%y{i} = fxgraph.linear %c{i}, %w : ({X}, {W}) -> {X}\n%z{i} = fxgraph.linear %d{i}, %w : ({X}, {W}) -> {X}"
        yield f"%s{i} = fxgraph.tanh %c{i} : {X}\n%t{i} = fxgraph.tanh %d{i} : {X}"
        u, v = f"%c{i}", f"%d{i}"
    yield f"return {u} : {X}"


def chain(n):
    """Linears on each other; each add sees two of them, which depend on each other."""
    for i in range(n // 2):
        x = f"%y{i - 1}" if i else "%x"
        yield f"%y{i} = fxgraph.linear {x}, %w : ({X}, {W}) -> {X}\n%s{i} = fxgraph.add %y{i}, {x} : ({X}, {X}) -> {X}"
        yield f"%t{i} = fxgraph.tanh %s{i} : {X}\n%u{i} = fxgraph.tanh %t{i} : {X}"
    yield f"return %y{n // 2 - 1} : {X}"


def cats(n):
    """Linears of cats on one weight, in a chain."""
    x, wide, w = "%x", "tensor<4x16xf32>", "tensor<8x16xf32>"
    yield f"%v = fxgraph.full 0.5 : {w}"
    for i in range(n):
        yield f"%c{i} = fxgraph.cat {x}, %x dim 1 : ({X}, {X}) -> {wide}\n%y{i} = fxgraph.linear %c{i}, %v : ({wide}, {w}) -> {X}"
        x = f"%y{i}"
    yield f"return {x} : {X}"


def run(make, n, passes):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(f"func.func @f(%x: {X}, %w: {W}) -> {X} {{\n" + "\n".join(make(n)) + "\n}\n")
        file.flush()
        pipeline = "builtin.module(func.func(" + ",".join("fxgraph-" + name for name in passes) + "))"
        subprocess.run(["fx-opt", file.name, "--verify-each=0", "-o", os.devnull, f"--pass-pipeline={pipeline}"], check=True, timeout=LIMIT)


for make, passes in ((linears, ALL), (ladder, ALL), (cats, ALL), (linears, SEARCH), (ladder, SEARCH), (chain, SEARCH)):
    run(make, 100000, passes)
    print(make.__name__, "search" if passes is SEARCH else "sweep", "done")
