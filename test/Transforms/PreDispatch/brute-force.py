# Pieces of a split, reshaped and joined: the passes that make a permute of them, against
# PyTorch, on all dims and many shapes. Exact: every bit. A second run changes nothing.
#
#   brute-force.py [cases a pass] [seed]
#
# REQUIRES: torch
# RUN: %torch_python %s 300 1 | FileCheck %s
# CHECK: fuse-chunk-reshape-concat: {{[1-9][0-9]+}} of 300 fused, 0 wrong
# CHECK: fuse-chunk-squeeze-cat: 300 of 300 fused, 0 wrong
# CHECK: fuse-chunk-reshape-unsqueeze-concat: {{[1-9][0-9]+}} of 300 fused, 0 wrong
# CHECK: fuse-split-getitem-squeeze-cat: {{[1-9][0-9]+}} of 300 fused, 0 wrong
import os
import random
import re
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file, save_file

count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)


def type_of(t):
    return "tensor<" + "".join(f"{n}x" for n in t.shape) + "f32>"


class Graph:
    """One function, and what PyTorch makes of its argument."""

    def __init__(self, name, x):
        self.name, self.x, self.lines, self.number = name, x, [], 0

    def emit(self, text, operands, results):
        """operands: names and tensors; results: tensors. The results with their names."""
        self.number += 1
        name, several = f"%v{self.number}", len(results) > 1
        types, arrow = ", ".join(type_of(t) for _, t in operands), ", ".join(type_of(t) for t in results)
        if text.startswith(("reshape", "view")):
            signature = f"{types} -> {arrow}"
        else:
            signature = f"({types}) -> {f'({arrow})' if several else arrow}"
        self.lines.append(f"  {name}{f':{len(results)}' if several else ''} = fxgraph.{text} : {signature}")
        return [(f"{name}#{i}" if several else name, t) for i, t in enumerate(results)]

    def finish(self, result):
        name, self.expected = result
        type_ = type_of(self.expected)
        body = "\n".join(self.lines)
        self.text = f"func.func @{self.name}(%x: {type_of(self.x)}) -> {type_} {{\n{body}\n  return {name} : {type_}\n}}\n"
        return self


def either(dim, rank):
    """A dimension in one of its two spellings."""
    return rng.choice([dim, dim - rank])


def split(graph, dim, sizes):
    x = graph.x
    pieces, d, operand = list(torch.split(x, sizes, dim)), either(dim, x.dim()), [("%x", x)]
    equal = len(set(sizes)) == 1 and sizes[0] > 0
    form = rng.choice(["split", "chunk", "sizes"]) if equal else "sizes"
    if form == "split":
        return graph.emit(f"split %x size {sizes[0]} dim {d}", operand, pieces)
    if form == "chunk":
        return graph.emit(f"chunk %x chunks {len(sizes)} dim {d}", operand, pieces)
    return graph.emit(f"split_with_sizes %x sizes {list(sizes)} dim {d}", operand, pieces)


def factorise(n):
    """A shape with n elements."""
    shape = [1] * rng.randint(1, 4)
    for p in (2, 2, 2, 3, 3):
        if n > 1 and n % p == 0:
            shape[rng.randrange(len(shape))] *= p
            n //= p
    shape[rng.randrange(len(shape))] *= n
    return shape


def input_shape():
    shape = [rng.choice([1, 2, 3, 4, 6]) for _ in range(rng.randint(1, 4))]
    if rng.random() < 0.04:
        shape[rng.randrange(len(shape))] = 0
    return shape


def join(graph, values):
    """A cat or a stack along any dimension."""
    tensors = [t for _, t in values]
    rank = tensors[0].dim()
    names = ", ".join(n for n, _ in values)
    if rank == 0 or rng.random() < 0.3:
        dim = rng.randint(0, rank)
        return graph.emit(f"stack {names} dim {either(dim, rank + 1)}", values, [torch.stack(tensors, dim)])[0]
    dim = rng.randrange(rank)
    return graph.emit(f"cat {names} dim {either(dim, rank)}", values, [torch.cat(tensors, dim)])[0]


def reshaped(name, unsqueeze):
    while True:
        shape = input_shape()
        dim = rng.randrange(len(shape))
        pieces = rng.choice([k for k in range(1, 7) if shape[dim] % k == 0])
        if pieces > 1 and shape[dim] > 0:
            break
    graph = Graph(name, torch.rand(shape))
    parts = split(graph, dim, [shape[dim] // pieces] * pieces)
    first = parts[0][1]
    target = factorise(first.numel()) if first.numel() else rng.sample(list(first.shape), first.dim())
    where, values = rng.randint(0, len(target)), []
    for part in parts:
        value, = graph.emit(f"{rng.choice(['reshape', 'view'])} {part[0]} shape {list(target)}", [part], [part[1].reshape(target)])
        if unsqueeze:
            value, = graph.emit(f"unsqueeze {value[0]} dim {either(where, len(target) + 1)}", [value], [value[1].unsqueeze(where)])
        values.append(value)
    return graph.finish(join(graph, values))


def squeezed(name, partial):
    while True:
        shape = input_shape()
        dim = rng.randrange(len(shape))
        if shape[dim] > 1:
            break
    graph = Graph(name, torch.rand(shape))
    sizes = [1] * shape[dim]
    if partial and shape[dim] > 3 and rng.random() < 0.4:
        sizes = [1] * (shape[dim] - 3) + [2, 1]
    parts = [p for p in split(graph, dim, sizes) if p[1].shape[dim] == 1]
    values = [graph.emit(f"squeeze {p[0]} dims [{either(dim, len(shape))}]", [p], [p[1].squeeze(dim)])[0] for p in parts]
    if partial:
        # A run, perhaps among others, some of them repeated or out of order.
        begin = rng.randrange(len(values))
        run = values[begin:rng.randint(begin + 1, len(values))]
        extra = [rng.choice(values) for _ in range(rng.choice([0, 0, 1, 2]))]
        values = extra[:1] + run + extra[1:]
    return graph.finish(join(graph, values))


def fx_opt(source, pipeline, target):
    done = subprocess.run(["fx-opt", source, f"--pass-pipeline=builtin.module(func.func({pipeline}))", "-o", target], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:3000]


def check(name, make):
    flag = "fxgraph-predispatch-" + name
    graphs = [make(f"g{i}") for i in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        model, once, twice, inputs, outputs = (os.path.join(folder, n) for n in ("a.mlir", "b.mlir", "c.mlir", "in.safetensors", "out.safetensors"))
        with open(model, "w") as file:
            file.write("\n".join(g.text for g in graphs))
        save_file({f"{g.name}/arg0": g.x for g in graphs}, inputs)
        fx_opt(model, flag, once)
        fx_opt(once, flag, twice)
        with open(once) as first, open(twice) as second:
            result = first.read()
            assert result == second.read(), f"{flag}: a second run changes the graph"
        done = subprocess.run(["fx-run", once, "--entry=*", f"--inputs={inputs}", "-o", outputs], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[:3000]
        values = load_file(outputs)
    bodies = dict(re.findall(r"func\.func @(\w+)\((.*?)\n  }", result, re.S))
    fused = sum("cat" not in body and "stack" not in body or "permute" in body or "slice" in body for body in bodies.values())
    wrong = [g for g in graphs if not torch.equal(values[f"{g.name}/out0"], g.expected)]
    print(f"{name}: {fused} of {count} fused, {len(wrong)} wrong")
    for graph in wrong[:3]:
        print(graph.text, bodies[graph.name])


check("fuse-chunk-reshape-concat", lambda name: reshaped(name, False))
check("fuse-chunk-squeeze-cat", lambda name: squeezed(name, False))
check("fuse-chunk-reshape-unsqueeze-concat", lambda name: reshaped(name, True))
check("fuse-split-getitem-squeeze-cat", lambda name: squeezed(name, True))
