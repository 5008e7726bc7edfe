# REQUIRES: torch
# RUN: %torch_python %s %t
#
# The passes that take runs of pieces from the input of the split, over all pairs of
# dimensions, all reshapes and several lists of operands, against PyTorch: bit for
# bit, and fired exactly where they should. Inductor's own results are wrong
#   - for unbind and cat where the dimensions differ by 2 or more: (0, 2), (2, 0),
#     (3, 0), (3, 1);
#   - for unbind and stack but for equal dimensions, not the last;
#   - for split and stack where the dimensions differ by 2 or more;
#   - for split and cat along different dimensions;
#   - for reshaped pieces whose leading dimensions mix, as the last cases do.
import itertools
import json
import math
import os
import subprocess
import sys

import torch


def tensor(shape):
    return "tensor<" + "".join(f"{d}x" for d in shape) + "f32>"


class Module:
    """Functions without arguments, with what PyTorch gives for each."""

    def __init__(self):
        self.functions, self.expected, self.fires = [], [], 0

    def begin(self):
        self.lines, self.count, self.offset = [], 0, 0

    def emit(self, text, operands, results):
        self.count += 1
        left = f"%v{self.count}" + (f":{len(results)}" if len(results) != 1 else "")
        types = lambda values: ", ".join(tensor(v.shape) for v in values)
        signature = f"{types([v for _, v in operands])} -> {types(results)}" if " shape " in text else f"({types([v for _, v in operands])}) -> ({types(results)})"
        self.lines.append(f"  {left} = fxgraph.{text} : {signature}")
        return [(f"%v{self.count}" + (f"#{i}" if len(results) != 1 else ""), r) for i, r in enumerate(results)]

    def leaf(self, shape):
        """All elements of all leaves differ."""
        size = math.prod(shape)
        value = torch.arange(self.offset, self.offset + size, dtype=torch.float32)
        self.count += 1
        self.lines.append(f"  %v{self.count} = fxgraph.arange from {float(self.offset)} : {tensor([size])}")
        self.offset += size
        return self.reshape((f"%v{self.count}", value), shape)

    def reshape(self, value, shape):
        return self.emit(f"reshape {value[0]} shape {list(shape)}", [value], [value[1].reshape(shape)])[0]

    def split(self, value, sizes, dim):
        return self.emit(f"split_with_sizes {value[0]} sizes {sizes} dim {dim}", [value], torch.split(value[1], sizes, dim))

    def unbind(self, value, dim):
        return self.emit(f"unbind {value[0]} dim {dim}", [value], torch.unbind(value[1], dim))

    def join(self, op, values, dim, fires):
        names = ", ".join(v[0] for v in values)
        (name, value), = self.emit(f"{op} {names} dim {dim}", values, [getattr(torch, op)([v[1] for v in values], dim)])
        body = "\n".join(self.lines)
        self.functions.append(f"func.func @f{len(self.functions)}() -> {tensor(value.shape)} {{\n{body}\n  return {name} : {tensor(value.shape)}\n}}\n")
        self.expected.append(value)
        self.fires += fires


def lists(module, pieces, shape, other):
    """Operand lists over pieces 0 … 4, and whether a run of two or more is there."""
    a, b = module.leaf(other), module.leaf(other)
    p = pieces
    return [
        (p, True),
        ([a] + p, True),
        ([a, b] + p + [b], True),
        (p[1:3] + [a] + p[3:] + p[:2], True),
        (p[:4] + [p[3]], True),
        (p + p, True),
        ([p[0], a, p[1], p[0], p[0], p[0], p[2], p[1]], "step"),
        ([p[0], a, p[1], p[0], p[0], p[0]], False),
        (p[::-1], False),
        (p[::2], "step"),
        ([a] + p[1::2] + [b, a], "step"),
    ]


def each(module, build, op, dim, fires, step_fires):
    """One function for each operand list over what `build` gives: pieces and the shape of one."""
    for number in range(11):
        module.begin()
        pieces, shape = build()
        values, run = lists(module, pieces, shape, shape)[number]
        module.join(op, values, dim, (step_fires if run == "step" else run) and fires)


SHAPE = [2, 3, 1, 2]
COUNT = 5


def splits(module, steps, stack):
    for rank in range(1, 5):
        for d, c in itertools.product(range(rank), range(rank + stack)):
            for section in (1, 2, 0):
                def build():
                    shape = SHAPE[:rank]
                    shape[d] = section * COUNT
                    x = module.leaf(shape)
                    piece = shape[:d] + [section] + shape[d + 1 :]
                    return module.split(x, [section] * COUNT, d - rank), piece

                each(module, build, "stack" if stack else "cat", c, stack or d == c, steps and (stack or section == 1))


def unbinds(module, steps, stack):
    for rank in range(1 if stack else 2, 5):
        for d, c in itertools.product(range(rank), range(rank if stack else rank - 1)):
            def build():
                shape = SHAPE[:rank]
                shape[d] = COUNT
                return module.unbind(module.leaf(shape), d - rank), shape[:d] + shape[d + 1 :]

            each(module, build, "stack" if stack else "cat", c - (rank if stack else rank - 1), True, steps)


def factorizations(n, parts):
    if parts == 1:
        return [[n]]
    return [[f] + rest for f in range(1, n + 1) if n % f == 0 for rest in factorizations(n // f, parts - 1)]


def reshapes(module, steps):
    for shape, d, section in [([4, 0], 1, 1), ([0, 3], 0, 2), ([2, 0, 3], 1, 2), ([2, 2, 0], 2, 2), ([1, 0, 4], 1, 1)]:
        shape = list(shape)
        shape[d] = COUNT * section
        elements = math.prod(shape) // COUNT
        for target in [r for parts in (1, 2, 3) for r in factorizations(elements, parts)]:
            for c in range(len(target) + 1):
                def build():
                    return [module.reshape(p, target) for p in module.split(module.leaf(shape), [section] * COUNT, d)], target

                each(module, build, "stack", c, True, steps)
    # Inductor has these wrong.
    for shape, d, section, target, c in [([12, 10], 1, 2, [8, 3], 0), ([10, 6], 0, 2, [4, 3], 1), ([12, 5], 1, 1, [4, 3], 1), ([3, 4, 5], 2, 1, [3, 4], 0)]:
        def build():
            return [module.reshape(p, target) for p in module.split(module.leaf(shape), [section] * COUNT, d)], target

        each(module, build, "stack", c, True, steps)


def mixtures(module, op):
    """Pieces of splits of different dimensions in one list, and of splits of pieces."""
    for d, e, c in itertools.product(range(3), range(3), range(4 if op == "stack" else 3)):
        module.begin()
        piece = [2, 2, 2]
        x, y = (module.leaf(piece[:i] + [2 * 3] + piece[i + 1 :]) for i in (d, e))
        p, q = module.split(x, [2] * 3, d), module.split(y, [2] * 3, e)
        module.join(op, p + [module.leaf(piece)] + q + p[:2], c, op == "stack" or c in (d, e))
        module.begin()
        p = module.split(module.leaf(piece[:d] + [12] + piece[d + 1 :]), [2, 4, 6], d)
        q = module.split(p[2], [2, 4], d)
        r = module.split(q[1], [2, 2], d)
        s = module.split(p[1], [2, 2], d)
        module.join(op, [p[0]] + s + [q[0]] + r, c, op == "stack" or c == d)


def call(*command):
    process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if process.returncode:
        sys.exit(f"{' '.join(command)}\n{process.stdout[-4000:]}")


def check(directory, name, flag, counter, build):
    module = Module()
    build(module)
    path = lambda suffix: os.path.join(directory, name + suffix)
    with open(path(".mlir"), "w") as file:
        file.write("".join(module.functions))
    call("fx-opt", path(".mlir"), f"--pass-pipeline=builtin.module(func.func({flag}))", f"--fxgraph-report={path('.json')}", "-o", path(".after.mlir"))
    # The results that PyTorch gives, in the interpreter's file.
    from numpy import savez
    savez(path(".npz"), **{f"f{i}/out0": v.numpy() for i, v in enumerate(module.expected)})
    call("fx-run", path(".after.mlir"), "--entry=*", f"--compare={path('.npz')}", "--rtol=0", "--atol=0")
    with open(path(".json")) as file:
        count = json.load(file)["counters"].get(counter, 0)
    print(f"{name}: {len(module.functions)} graphs, {count} rewritten")
    if count != module.fires:
        sys.exit(f"{name}: expected {module.fires} rewrites but got {count}")


def main():
    directory = sys.argv[1]
    os.makedirs(directory, exist_ok=True)
    for steps in (False, True):
        options = "{threshold-to-cat=2" + (" allow-steps=true}" if steps else "}")
        suffix = "-steps" if steps else ""
        for name, build in [
            ("split-cat-to-slices", lambda m: (splits(m, steps, False), mixtures(m, "cat"))),
            ("unbind-cat-to-view", lambda m: unbinds(m, steps, False)),
            ("split-stack-to-cats", lambda m: (splits(m, steps, True), mixtures(m, "stack"))),
            ("unbind-stack-to-slices", lambda m: unbinds(m, steps, True)),
            ("move-reshape-out-of-split-stack", lambda m: reshapes(m, steps)),
        ]:
            check(directory, name + suffix, f"fxgraph-splitcat-{name}{options}", name.replace("-", "_") + "_pass", build)


main()
