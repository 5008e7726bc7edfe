# Random graphs through all fusions, every rewrite checked against the interpreter,
# and the results before and after compared. A failing seed prints its graph.
# RUN: env FXGRAPH_VERIFY_REWRITES=1 %python %s 0 12
import os
import random
import subprocess
import sys
import tempfile

X, V = "tensor<4x4xf64>", "tensor<4xf64>"
PASSES = ("fxgraph-linear-permute-fuse,fxgraph-group-batch-linear{min-fuse-set-size=2 max-fuse-set-size=%d},"
          "fxgraph-group-batch-linear-lhs{min-fuse-set-size=2 max-fuse-search-depth=%d},"
          "fxgraph-group-cat-linear{floor-bytes=0 min-piece-width=4 max-parts=4},"
          "fxgraph-group-batch-layernorm{min-fuse-set-size=2 fuse-nodes-with-same-users=%s},"
          "fxgraph-group-batch-tanh{min-fuse-set-size=3 fuse-nodes-with-same-parent=%s},fxgraph-group-batch-relu{min-fuse-set-size=2 max-fuse-search-depth=4},"
          "fxgraph-group-fuse-parallel-linear,fxgraph-group-batch-clamp{min-fuse-set-size=2}")


def graph(rng):
    values, lines = ["%a", "%b"], []
    for i in range(rng.randint(10, 90)):
        x, y = rng.choice(values[-rng.choice((4, 30)):]), rng.choice(values)
        kind = rng.randrange(10)
        if kind == 0:
            lines.append(f"%v{i}:2 = fxgraph.split_with_sizes %c{len(lines)} sizes [4, 4] dim 1 : (tensor<4x8xf64>) -> ({X}, {X})")
            lines.insert(-1, f"%c{len(lines) - 1} = fxgraph.cat {x}, {y} dim 1 : ({X}, {X}) -> tensor<4x8xf64>")
            values += [f"%v{i}#0", f"%v{i}#1"]
            continue
        if kind == 2 and rng.random() < 0.3:
            lines.append(f"%c{len(lines)} = fxgraph.cat {x}, {y} dim -1 : ({X}, {X}) -> tensor<4x8xf64>")
            lines.append(f"%v{i} = fxgraph.linear %c{len(lines) - 1}, %wide, %k : (tensor<4x8xf64>, tensor<4x8xf64>, {V}) -> {X}")
            values.append(f"%v{i}")
            continue
        if kind == 1 and rng.random() < 0.3:
            lines.append(f"fxgraph.copy_ {x} into %a : {X}, {X}")
            continue
        lines.append(f"%v{i} = " + [
            f"fxgraph.linear {x}, %w : ({X}, {X}) -> {X}",
            f"fxgraph.linear {x}, %u : ({X}, {X}) -> {X}",
            f"fxgraph.linear {x}, %w, %k : ({X}, {X}, {V}) -> {X}",
            f"fxgraph.layer_norm {x} weight %k over [4] eps 1.0e-01 : ({X}, {V}) -> {X}",
            f"fxgraph.tanh {x} : {X}",
            f"fxgraph.relu {x} : {X}",
            f"fxgraph.add {x}, {y} : ({X}, {X}) -> {X}",
            f"fxgraph.permute {x} dims [1, 0] : ({X}) -> {X}",
            f"fxgraph.matmul {x}, {y} : ({X}, {X}) -> {X}",
            f"fxgraph.clamp {x} {{min = -1.0 : f64, max = 1.0 : f64}} : {X}",
        ][kind])
        values.append(f"%v{i}")
    results = [rng.choice(values) for _ in range(rng.randint(1, 5))]
    # Products grow: keep the results in range.
    for i, value in enumerate(results):
        lines.append(f"%r{i} = fxgraph.tanh {value} : {X}")
    return (f"func.func @main(%a: {X}, %b: {X}, %w: {X}, %u: {X}, %k: {V}, %wide: tensor<4x8xf64>) -> ({', '.join([X] * len(results))}) {{\n" + "\n".join(lines) +
            f"\nreturn {', '.join(f'%r{i}' for i in range(len(results)))} : {', '.join([X] * len(results))}\n}}\n")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


fused = 0
with tempfile.TemporaryDirectory() as folder:
    before, after, results = (os.path.join(folder, name) for name in ("before.mlir", "after.mlir", "results.npz"))
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        rng = random.Random(seed)
        text = graph(rng)
        with open(before, "w") as file:
            file.write(text)
        passes = PASSES % (rng.randint(2, 6), rng.randint(0, 5), rng.choice(("true", "false")), rng.choice(("true", "false")))
        for command in (("fx-opt", before, f"--pass-pipeline=builtin.module(func.func({passes}))", "-o", after),
                        ("fx-run", before, "--inputs=seed:3", "-o", results),
                        ("fx-run", after, "--inputs=seed:3", f"--compare={results}", "--rtol=1e-7", "--atol=1e-7")):
            code, output = run(*command)
            if code:
                sys.exit(f"seed {seed}: {' '.join(command)} failed:\n{output}\n{text}")
        with open(after) as file:
            fused += file.read().count("fxgraph.unbind")
print(f"{fused} groups")
assert fused > 10, "expected fusions but there were next to none"
