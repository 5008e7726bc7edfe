# Compressions of embeddings and compressed products in random spellings, with decoys one step away, against PyTorch:
# each pass alone, and all of them in the order of the list. A second run changes nothing.
#
#   random-lce.py [graphs] [seed]
#
# REQUIRES: torch
# RUN: %torch_python %s 150 1 | FileCheck %s
# CHECK: simple-lce: {{[1-9][0-9]+}} of 150 changed, 0 wrong
# CHECK: normal-lce: {{[1-9][0-9]+}} of 150 changed, 0 wrong
# CHECK: matmul-lce: {{[1-9][0-9]+}} of 150 changed, 0 wrong
# CHECK: fuse-lce: {{[1-9][0-9]+}} of 150 changed, 0 wrong
# CHECK: dot-compress: {{[1-9][0-9]+}} of 150 changed, 0 wrong
# CHECK: simple-lce,fuse-lce,matmul-lce: {{[1-9][0-9]+}} of 150 changed, 0 wrong
import os
import random
import re
import subprocess
import sys
import tempfile

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

count = int(sys.argv[1]) if len(sys.argv) > 1 else 150
rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
torch.manual_seed(rng.randrange(1000))


def type_of(t):
    return "tensor<" + "".join(f"{n}x" for n in t.shape) + "f32>"


class Graph:
    def __init__(self, name):
        self.name, self.lines, self.arguments, self.number = name, [], [], 0

    def argument(self, *shape):
        value = (f"%a{len(self.arguments)}", torch.randn(shape))
        self.arguments.append(value)
        return value

    def emit(self, text, operands, result):
        self.number += 1
        types = ", ".join(type_of(t) for _, t in operands)
        self.lines.append(f"  %v{self.number} = fxgraph.{text} : ({types}) -> {type_of(result)}")
        return f"%v{self.number}", result

    def exchange(self, value):
        """The last two dimensions, in some spelling; seldom others."""
        name, t = value
        if rng.random() < 0.08 and t.dim() == 3:
            order = rng.sample(range(3), 3)
            return self.emit(f"permute {name} dims {order}", [value], t.permute(order))
        if rng.random() < 0.5:
            a, b = rng.sample([rng.choice([1, -2]), rng.choice([2, -1])], 2)
            return self.emit(f"transpose {name} dims {a}, {b}", [value], t.transpose(1, 2))
        order = [rng.choice([d, d - 3]) for d in (0, 2, 1)]
        return self.emit(f"permute {name} dims {order}", [value], t.permute(order))

    def linear(self, value, outputs):
        """The weights are few, so that some are used twice."""
        weights = getattr(self, "weights", {})
        self.weights = weights
        key = (outputs, value[1].shape[-1])
        if key not in weights or rng.random() < 0.6:
            weights[key] = self.argument(*key)
        operands = [value, weights[key]]
        if rng.random() < 0.5:
            operands.append(self.argument(outputs))
        return self.emit("linear " + ", ".join(n for n, _ in operands), operands, F.linear(*[t for _, t in operands]))

    def compress(self, x):
        outputs = rng.randint(1, 6)
        if rng.random() < 0.3:
            w, b = self.argument(outputs, x[1].shape[1]), self.argument(outputs)
            operands = [x, w, b][:rng.choice([2, 3])]
            result = w[1] @ x[1] + (b[1][:, None] if len(operands) == 3 else 0)
            return self.emit("lce " + ", ".join(n for n, _ in operands), operands, result)
        value = self.linear(self.exchange(x) if rng.random() < 0.95 else x, outputs)
        if rng.random() < 0.1:
            self.results.append(value)
        return self.exchange(value) if rng.random() < 0.8 else value

    def dot(self, x):
        w = self.argument(x[1].shape[1], rng.randint(1, 4))
        other = x if rng.random() < 0.9 else self.emit(f"neg {x[0]}", [x], -x[1])
        turned = self.exchange(other)
        if turned[1].shape[-1] != w[1].shape[0]:
            return turned
        inner = self.emit(f"matmul {turned[0]}, {w[0]}", [turned, w], turned[1] @ w[1])
        if rng.random() < 0.1:
            self.results.append(inner)
        op = rng.choice(["matmul", "bmm"])
        return self.emit(f"{op} {x[0]}, {inner[0]}", [x, inner], x[1] @ inner[1]) if x[1].shape[-1] == inner[1].shape[1] else inner

    def build(self):
        self.results = []
        batch, width = rng.randint(0 if rng.random() < 0.05 else 1, 3), rng.randint(1, 5)
        values = [self.argument(batch, rng.randint(1, 4), width) for _ in range(2)]
        if rng.random() < 0.6:
            parts = [rng.choice(values) for _ in range(rng.randint(1, 3))]
            values.append(self.emit("cat " + ", ".join(n for n, _ in parts) + f" dim {rng.choice([1, -2])}", parts, torch.cat([t for _, t in parts], 1)))
        for _ in range(rng.randint(1, 5)):
            source = rng.choice(values[-2:])
            value = self.dot(source) if rng.random() < 0.2 else self.compress(source)
            if value[1].dim() == 3:
                values.append(value)
        self.results += values[2:]
        self.lines = [re.sub(r"(neg %\w+) : \((.*)\) -> .*", r"\1 : \2", line) for line in self.lines]
        types = ", ".join(type_of(t) for _, t in self.results)
        arguments = ", ".join(f"{n}: {type_of(t)}" for n, t in self.arguments)
        body = "\n".join(self.lines)
        names = ", ".join(n for n, _ in self.results)
        self.text = f"func.func @{self.name}({arguments}) -> ({types}) {{\n{body}\n  return {names} : {types}\n}}\n"
        return self


def fx_opt(source, pipeline, target):
    flags = [f"--pass-pipeline=builtin.module(func.func({pipeline}))"] if pipeline else []
    done = subprocess.run(["fx-opt", source, *flags, "-o", target], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:3000]
    with open(target) as file:
        return file.read()


def bodies(text):
    return dict(re.findall(r"func\.func @(\w+)\((.*?)\n  }", text, re.S))


def is_close(actual, expected):
    """Up to the rounding of sums of products of such numbers."""
    if actual.shape != expected.shape:
        return False
    scale = expected.square().mean().sqrt() if expected.numel() else 0
    return bool(((actual - expected).abs() <= 1e-4 * (scale + expected.abs()) + 1e-5).all())


with tempfile.TemporaryDirectory() as folder:
    model, plain, once, twice, inputs, outputs = (os.path.join(folder, n) for n in ("a.mlir", "p.mlir", "b.mlir", "c.mlir", "in.safetensors", "out.safetensors"))
    graphs = []
    while len(graphs) < count:
        graph = Graph(f"g{len(graphs)}").build()
        if graph.results:
            graphs.append(graph)
    with open(model, "w") as file:
        file.write("\n".join(g.text for g in graphs))
    save_file({f"{g.name}/arg{i}": t for g in graphs for i, (_, t) in enumerate(g.arguments)}, inputs)
    before = bodies(fx_opt(model, "", plain))
    for names in ("simple-lce", "normal-lce", "matmul-lce", "fuse-lce", "dot-compress", "simple-lce,fuse-lce,matmul-lce"):
        pipeline = ",".join("fxgraph-predispatch-" + name for name in names.split(","))
        first, second = fx_opt(model, pipeline, once), fx_opt(once, pipeline, twice)
        # What the last one leaves may be something for the first one.
        assert first == second or "," in names, f"{names}: a second run changes the graph"
        if os.path.exists(outputs):
            os.remove(outputs)
        done = subprocess.run(["fx-run", once, "--entry=*", f"--inputs={inputs}", "-o", outputs], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[:3000]
        values, after = load_file(outputs), bodies(first)
        changed = sum(before[g.name] != after[g.name] for g in graphs)
        wrong = [g for g in graphs for i, (_, t) in enumerate(g.results)
                 if not is_close(values[f"{g.name}/out{i}"], t)]
        print(f"{names}: {changed} of {count} changed, {len(wrong)} wrong")
        for graph in wrong[:2]:
            print(graph.text, after[graph.name])
