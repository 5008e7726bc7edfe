# RUN: %python %s %t 1 100
#
# Random graphs of splits, cats and what lies between them: each pass alone and all
# of them in order must leave every result as it was, bit for bit; a second run
# must change nothing; no result may become an argument or another result.
#
# usage: random-graphs.py DIRECTORY SEED COUNT
import os
import random
import re
import subprocess
import sys

PASSES = [
    "fxgraph-normalize",
    "fxgraph-noop-remove",
    "fxgraph-splitcat-remove-split-with-size-one",
    "fxgraph-splitcat-merge-getitem-cat",
    "fxgraph-splitcat-merge-splits",
    "fxgraph-splitcat-mutate-cat",
    "fxgraph-splitcat-cancel",
    "fxgraph-splitcat-split-cat",
    "fxgraph-splitcat-split-cat{allow-other-users=true}",
    "fxgraph-splitcat-stack-unbind-cancel",
    "fxgraph-splitcat-stack-unbind-cancel{allow-other-users=true}",
    "fxgraph-splitcat-split-cat-to-slices{threshold-to-cat=2 allow-steps=true}",
    "fxgraph-splitcat-split-cat-aten{threshold-to-cat=2}",
    "fxgraph-splitcat-select-cat-aten",
    "fxgraph-splitcat-unbind-stack-aten",
    "fxgraph-splitcat-move-view-after-cat-aten",
    "fxgraph-splitcat-cat-slice-cat",
    "fxgraph-splitcat-unbind-cat-to-view{threshold-to-cat=2 allow-steps=true}",
    "fxgraph-splitcat-split-stack-to-cats{threshold-to-cat=2}",
    "fxgraph-splitcat-split-stack-to-cats{threshold-to-cat=2 allow-steps=true}",
    "fxgraph-splitcat-unbind-stack-to-slices{threshold-to-cat=2 allow-steps=true}",
    "fxgraph-splitcat-move-reshape-out-of-split-stack{threshold-to-cat=2 allow-steps=true}",
    "fxgraph-splitcat-merge-stack-tanh-unbind",
    "fxgraph-splitcat-sink-cat-after-pointwise",
    "fxgraph-splitcat-sink-cat-after-pointwise{all-pointwise=true max-chain=2}",
]


def tensor(shape):
    return "tensor<" + "".join(f"{d}x" for d in shape) + "f32>"


class Graph:
    """One function, built from random ops; values are (name, shape)."""

    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.lines, self.values, self.count = [], [], 0
        rank = rng.randint(1, 3)
        shape = [rng.choice([1, 2, 3, 4, 6]) for _ in range(rank)]
        self.arguments = [(f"%arg{i}", shape if i == 0 or rng.random() < 0.7 else shape[:-1] + [2]) for i in range(rng.randint(1, 3))]
        self.values += self.arguments

    def emit(self, text, operands, shapes):
        self.count += 1
        name = f"%v{self.count}"
        single = len(shapes) == 1
        results = [(name if single else f"{name}#{i}", list(s)) for i, s in enumerate(shapes)]
        types = ", ".join(tensor(s) for s in shapes)
        types = types if single else f"({types})"
        left = name if single else f"{name}:{len(shapes)}"
        self.lines.append(f"  {left} = fxgraph.{text} : ({', '.join(tensor(s) for _, s in operands)}) -> {types}")
        self.values += results
        return results

    def unary(self, text, value):
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"  {name} = fxgraph.{text} : {tensor(value[1])}")
        self.values.append((name, list(value[1])))
        return self.values[-1]

    def reshape(self, value, shape):
        self.count += 1
        self.lines.append(f"  %v{self.count} = fxgraph.reshape {value[0]} shape {shape} : {tensor(value[1])} -> {tensor(shape)}")
        self.values.append((f"%v{self.count}", shape))
        return self.values[-1]

    def sign(self, dim, rank):
        return dim - rank if self.rng.random() < 0.3 else dim

    def pick(self, rank=1):
        choices = [v for v in self.values[-12:] + self.arguments if len(v[1]) >= rank]
        return self.rng.choice(choices) if choices else None

    def split(self):
        rng = self.rng
        value = self.pick()
        if not value:
            return
        name, shape = value
        dim = rng.randrange(len(shape))
        extent, attr = shape[dim], self.sign(dim, len(shape))
        kind = rng.choice(["sizes", "sizes", "sizes", "equal", "split", "chunk", "unbind"])
        if kind == "unbind":
            if extent == 0 or extent > 8:
                return
            return self.join(self.emit(f"unbind {name} dim {attr}", [value], [shape[:dim] + shape[dim + 1 :]] * extent), dim)
        if kind == "equal":
            parts = rng.choice([d for d in range(1, max(extent, 1) + 1) if extent % d == 0])
            sizes = [extent // parts] * parts
        elif kind == "sizes":
            cuts = sorted(rng.randint(0, extent) for _ in range(rng.randint(0, 4)))
            sizes = [b - a for a, b in zip([0] + cuts, cuts + [extent])]
        elif kind == "split":
            size = rng.randint(1, max(extent, 1) + 1)
            sizes = [min(size, extent - i) for i in range(0, extent, size)] or [0]
        else:
            chunks = rng.randint(1, 5)
            size = -(-extent // chunks)
            sizes = [min(size, extent - i) for i in range(0, extent, size)] if extent else [0] * chunks
        if kind == "split":
            text = f"split {name} size {size}"
        elif kind == "chunk":
            text = f"chunk {name} chunks {chunks}"
        else:
            text = f"split_with_sizes {name} sizes {sizes}"
        shapes = [shape[:dim] + [s] + shape[dim + 1 :] for s in sizes]
        pieces = self.emit(f"{text} dim {attr}", [value], shapes)
        if rng.random() < 0.3 and all(s == 1 for s in sizes):
            pieces = [self.emit(f"squeeze {p[0]} dims [{attr}]", [p], [shape[:dim] + shape[dim + 1 :]])[0] for p in pieces]
        elif rng.random() < 0.2 and len(set(sizes)) == 1:
            total = 1
            for d in shapes[0]:
                total *= d
            factor = rng.choice([f for f in range(1, max(total, 1) + 1) if total % f == 0])
            new = rng.choice([[total], [factor, total // factor], [total // factor, factor]])
            pieces = [self.reshape(p, new) for p in pieces]
        self.join(pieces, dim)

    def join(self, pieces, dim):
        """Most pieces are joined again: all, a run, in another order, with others."""
        rng = self.rng
        for _ in range(rng.choice([0, 1, 1, 1, 2])):
            how = rng.random()
            chosen = list(pieces)
            if how < 0.35:
                i = rng.randrange(len(pieces))
                chosen = pieces[i : rng.randint(i, len(pieces)) + 1]
            elif how < 0.45:
                rng.shuffle(chosen)
            elif how < 0.55:
                chosen = [rng.choice(pieces) for _ in pieces]
            elif how < 0.65:
                chosen = pieces[rng.randrange(2) :: rng.choice([2, 3])] or chosen
            if rng.random() < 0.4:
                other = self.pick(0)
                if other:
                    chosen.insert(rng.randint(0, len(chosen)), other)
            if rng.random() < 0.15:
                chosen = chosen + chosen
            self.concatenate(chosen, dim)

    def concatenate(self, operands, dim):
        rng = self.rng
        shape = operands[0][1]
        names = ", ".join(o[0] for o in operands)
        if rng.random() < 0.4:
            if any(o[1] != shape for o in operands):
                return
            dim = dim if dim <= len(shape) and rng.random() < 0.5 else rng.randint(0, len(shape))
            result = shape[:dim] + [len(operands)] + shape[dim:]
            stack, = self.emit(f"stack {names} dim {self.sign(dim, len(result))}", operands, [result])
            value = self.follow(stack)
            if value is not stack and value[1] and 0 < value[1][0] < 9 and rng.random() < 0.5:
                self.join(self.emit(f"unbind {value[0]} dim 0", [value], [value[1][1:]] * value[1][0]), 0)
            return
        if not shape:
            return
        dim = dim if dim < len(shape) and rng.random() < 0.7 else rng.randrange(len(shape))
        rest = lambda s: s[:dim] + s[dim + 1 :]
        if any(len(o[1]) != len(shape) or rest(o[1]) != rest(shape) for o in operands):
            return
        result = shape[:dim] + [sum(o[1][dim] for o in operands)] + shape[dim + 1 :]
        if result[dim] > 40:
            return
        self.follow(self.emit(f"cat {names} dim {self.sign(dim, len(shape))}", operands, [result])[0])

    def follow(self, value):
        """Views and pointwise ops behind a cat or stack, now and then."""
        rng = self.rng
        while rng.random() < 0.3:
            op = rng.choice(["relu", "tanh", "neg", "view", "permute"])
            name, shape = value
            if op in ("relu", "tanh", "neg"):
                value = self.unary(f"{op} {name}", value)
            elif op == "view":
                value = self.reshape(value, [1] + shape)
            elif op == "permute":
                value = self.emit(f"permute {name} dims {list(range(len(shape)))[::-1]}", [value], [shape[::-1]])[0]
        return value

    def other(self):
        rng = self.rng
        value = self.pick(0)
        name, shape = value
        kind = rng.choice(["relu", "neg", "clone", "reshape", "permute", "slice", "unsqueeze", "squeeze", "pad", "detach"])
        if kind in ("relu", "neg", "clone", "detach"):
            self.unary(f"{kind} {name}", value)
        elif kind == "reshape":
            total = 1
            for d in shape:
                total *= d
            self.reshape(value, list(shape) if rng.random() < 0.5 else [total])
        elif kind == "permute":
            dims = list(range(len(shape)))
            if rng.random() < 0.6:
                rng.shuffle(dims)
            self.emit(f"permute {name} dims {dims}", [value], [[shape[d] for d in dims]])
        elif kind == "slice" and shape:
            dim = rng.randrange(len(shape))
            start, end = rng.randint(-3, 3), rng.choice([rng.randint(-3, 5), 2**63 - 1])
            extent = len(range(*slice(start, end, 1).indices(shape[dim])))
            self.emit(f"slice {name} dim {self.sign(dim, len(shape))} from {start} to {end}", [value], [shape[:dim] + [extent] + shape[dim + 1 :]])
        elif kind == "unsqueeze" and len(shape) < 4:
            dim = rng.randint(0, len(shape))
            self.emit(f"unsqueeze {name} dim {dim}", [value], [shape[:dim] + [1] + shape[dim:]])
        elif kind == "squeeze":
            self.emit(f"squeeze {name}", [value], [[d for d in shape if d != 1]])
        elif kind == "pad" and shape:
            after = rng.choice([0, 0, 1])
            self.emit(f"constant_pad_nd {name} by [0, {after}]", [value], [shape[:-1] + [shape[-1] + after]])

    def build(self):
        for _ in range(self.rng.randint(2, 7)):
            self.split() if self.rng.random() < 0.7 else self.other()
        returned = [self.rng.choice(self.values[-10:]) for _ in range(self.rng.randint(1, 5))]
        arguments = ", ".join(f"{n}: {tensor(s)}" for n, s in self.arguments)
        types = ", ".join(tensor(s) for _, s in returned)
        body = "\n".join(self.lines)
        names = ", ".join(n for n, _ in returned)
        return f"func.func @{self.name}({arguments}) -> ({types}) {{\n{body}\n  return {names} : {types}\n}}\n"


def call(*command):
    process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if process.returncode:
        sys.exit(f"{' '.join(command)}\n{process.stdout}{process.stderr}")
    return process.stdout


def returned_twice_or_argument(text):
    """Functions that return an argument, or one value twice."""
    bad = {}
    for name, operands in re.findall(r"func\.func @(\w+).*?\n    return (.*?) :", text, re.S):
        operands = operands.split(", ")
        bad[name] = sum(o.startswith("%arg") for o in operands) + len(operands) - len(set(operands))
    return bad


def main():
    directory, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    os.makedirs(directory, exist_ok=True)
    rng = random.Random(seed)
    source = os.path.join(directory, "before.mlir")
    with open(source, "w") as file:
        file.write("".join(Graph(rng, f"g{i}").build() for i in range(count)))
    plain = call("fx-opt", source)
    expected = os.path.join(directory, "expected.npz")
    call("fx-run", source, "--entry=*", f"--inputs=seed:{seed}", "-o", expected)
    changed = 0
    for passes in [[p] for p in PASSES] + [PASSES, PASSES[::-1]]:
        pipeline = f"builtin.module(func.func({','.join(passes)}))"
        after = os.path.join(directory, "after.mlir")
        text = call("fx-opt", source, f"--pass-pipeline={pipeline}")
        with open(after, "w") as file:
            file.write(text)
        changed += text != plain
        call("fx-run", after, "--entry=*", f"--inputs=seed:{seed}", f"--compare={expected}", "--rtol=0", "--atol=0")
        if len(passes) == 1 and call("fx-opt", after, f"--pass-pipeline={pipeline}") != text:
            sys.exit(f"{passes}: a second run changes {after}")
        before = returned_twice_or_argument(plain)
        for name, bad in returned_twice_or_argument(text).items():
            if bad > before[name]:
                sys.exit(f"{passes}: a result of @{name} became an argument or another result in {after}")
    if changed < len(PASSES):
        sys.exit(f"only {changed} of the pipelines changed anything: the graphs are too dull")


main()
