# The random numbers of all ops that draw, in sequences, of the interpreter and the CPU:
# PyTorch eager's behind torch.manual_seed, bit for bit.
# REQUIRES: torch
# RUN: %python %s %t
"""random-numbers.py FOLDER: needs fx-run in PATH."""
import os
import shutil
import subprocess
import sys

import torch
from safetensors.torch import load_file, save_file

DTYPES = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16}
SIZES = {"ref": [*range(1, 41), 1000, 1001], "cpu": [1, 2, 7, 15, 16, 17, 33, 40, 1000, 1001]}
SEED = 2 ** 33 + 5  # Only 32 bits of a seed count, here as there.
PROBABILITIES = (0.1, 0.5, 0.3, 1.0)
# Of few numbers and of so many that PyTorch takes 64 bits for one.
RANGES = ((0, 10), (-5, 2 ** 28 - 6), (-5, 2 ** 28 - 5), (-2 ** 63, 2 ** 63 - 1))


def half(n):
    """(probability, range) pairs: half of them."""
    return list(zip(PROBABILITIES, RANGES))[2 * (n % 2 == 0):][:2]


def graph(dtype, n):
    """Draws one after the other, so that each begins where the one before ended; odd numbers leave a normal number over."""
    tensor, small, bools, integers = f"tensor<{n}x{dtype}>", f"tensor<3x{dtype}>", f"tensor<{n}xi1>", f"tensor<{n}xi64>"
    types = ", ".join([tensor, small, tensor, small, bools, integers, integers] * 2)
    lines = [f"func.func @{dtype}_{n}(%x: {tensor}) -> ({types}) {{"]
    for i, (p, (low, high)) in enumerate(half(n)):
        lines += [f"  %r{i} = fxgraph.rand : {tensor}", f"  %m{i} = fxgraph.randn : {small}",
                  f"  %k{i} = fxgraph.dropout %x p {p:e} training true : {tensor}", f"  %n{i} = fxgraph.randn : {tensor}",
                  f"  %s{i} = fxgraph.add %k{i}, %n{i} : ({tensor}, {tensor}) -> {tensor}",
                  f"  %e{i} = fxgraph.exponential rate 1.5 : {small}", f"  %b{i} = fxgraph.bernoulli p {p:e} : {bools}",
                  f"  %i{i} = fxgraph.randint from {low} to {high} : {integers}", f"  %p{i} = fxgraph.randperm : {integers}"]
    lines.append("  return " + ", ".join(f"%r{i}, %m{i}, %s{i}, %e{i}, %b{i}, %i{i}, %p{i}" for i in range(2)) + f" : {types}")
    return "\n".join([*lines, "}"])


def eager(x):
    n, dtype = x.numel(), x.dtype
    torch.manual_seed(SEED)
    results = []
    for p, (low, high) in half(n):
        results.append(torch.rand(n, dtype=dtype))
        results.append(torch.randn(3, dtype=dtype))
        dropped = torch.nn.functional.dropout(x, p, training=True)
        results.append(dropped + torch.randn(n, dtype=dtype))
        results.append(torch.empty(3, dtype=dtype).exponential_(1.5))
        results += [torch.empty(n, dtype=torch.bool).bernoulli_(p), torch.randint(low, high, (n,)), torch.randperm(n)]
    return results


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    path = lambda name: os.path.join(folder, name)
    wrong = []
    for target, sizes in SIZES.items():
        with open(path(f"{target}.mlir"), "w") as file:
            file.write("\n".join(graph(dtype, n) for dtype in DTYPES for n in sizes))
        torch.manual_seed(1)
        inputs = {f"{dtype}_{n}/arg0": torch.randn(n, dtype=DTYPES[dtype]) for dtype in DTYPES for n in sizes}
        save_file(inputs, path(f"{target}.safetensors"))
        for seed in (SEED, SEED + 1):
            subprocess.run(["fx-run", path(f"{target}.mlir"), "--entry=*", f"--inputs={path(f'{target}.safetensors')}", f"--target={target}",
                            f"--seed={seed}", "-o", path(f"{target}.out.safetensors")], check=True)
            got = load_file(path(f"{target}.out.safetensors"))
            for name, x in inputs.items():
                entry = name.split("/")[0]
                equal = [torch.equal(got[f"{entry}/out{i}"], want) for i, want in enumerate(eager(x))]
                if seed == SEED and not all(equal):
                    wrong.append(f"{target} {entry}: {equal}")
                # A small tensor may be dropped whole, and few bits of bf16 meet now and then.
                if seed != SEED and equal[0] and x.numel() > 4:
                    wrong.append(f"{target} {entry}: another seed gives the same numbers")
    for line in wrong:
        print(line)
    assert not wrong


main(sys.argv[1])
