#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The main job, end to end, on real models.

Captures each model from PyTorch at both levels, runs the pre-grad pipeline with
every rewrite checked, computes what then depends on the weights alone (stacked
weights, folded batch norms), compares the interpreter and the CPU with PyTorch's
own numbers before and after, and compiles the fused graph to PTX. Prints one block
a model; exits 1 if anything is wrong.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))

RTOL, ATOL = 1e-5, 1e-5
CHIP = "sm_90"


class Failure(Exception):
    pass


def run(*command, **environment):
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    if result.returncode:
        raise Failure(f"{' '.join(map(str, command))}\n{result.stderr.strip()[-2000:]}")
    return result.stdout


def largest_difference(text):
    """Largest absolute difference that `fx-run --compare` printed."""
    found = [float(value) for value in re.findall(r"max abs(?: diff(?:erence)?)?[ =:]+([0-9.eE+-]+|nan|inf)", text)]
    if not found:
        raise Failure(f"fx-run printed no difference:\n{text}")
    return max(found)


def op_count(module):
    return sum(count for name, count in module.op_counts().items() if name.startswith("fxgraph.") and name != "fxgraph.constant")


def show(name, level, module, bin_dir, folder):
    import fxgraph
    tool = lambda program: os.path.join(bin_dir, program)
    path = lambda suffix: os.path.join(folder, f"{name}.{level}{suffix}")
    before, after, data = path(".mlir"), path(".fused.mlir"), os.path.join(folder, f"{name}.safetensors")
    module.save(before)
    run(tool("fx-opt"), before, "--fxgraph-pre-grad", f"--fxgraph-report={path('.json')}", "-o", after, FXGRAPH_VERIFY_REWRITES="1")
    with open(path(".json")) as file:
        report = json.load(file)
    fired = {}
    for event in report["events"]:
        if event["applied"]:
            fired[event["pattern"]] = fired.get(event["pattern"], 0) + 1
    fused = fxgraph.load(after)
    unfrozen = op_count(fused)
    fused.weights = dict(module.weights)
    fused.freeze()
    fused.save(after)
    frozen = path(".frozen.safetensors")
    fused.save_weights(frozen)
    print(f"{name} ({level} level)")
    print(f"  ops           {op_count(module):5d} before, {op_count(fused)} after ({unfrozen} while the weights are arguments)")
    print(f"  rewrites      {', '.join(f'{count}x {pattern}' for pattern, count in sorted(fired.items())) or 'none'}")
    for target in ("ref", "cpu"):
        differences = []
        for graph, inputs in ((before, [data]), (after, [frozen, data])):
            files = [f"--inputs={file}" for file in inputs]
            text = run(tool("fx-run"), graph, f"--target={target}", *files, "--compare", data, f"--rtol={RTOL}", f"--atol={ATOL}")
            differences.append(largest_difference(text))
        label = {"ref": "interpreter", "cpu": "CPU"}[target]
        print(f"  {label:13s} largest difference from PyTorch {differences[0]:.2e} before, {differences[1]:.2e} after")
    ptx = path(".ptx")
    run(tool("fx-translate"), after, "--to=ptx", f"--chip={CHIP}", "-o", ptx)
    with open(ptx) as file:
        text = file.read()
    print(f"  PTX ({CHIP})   {len(text)} bytes, {text.count('.entry')} kernels\n", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help="default: all")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"))
    parser.add_argument("--keep", metavar="DIR", help="leave all files here")
    args = parser.parse_args()
    os.environ["FXGRAPH_BIN_DIR"] = args.bin

    from fxgraph.module import write_weights
    from fxgraph.testing.models import MODELS, capture_model
    names = args.models or list(MODELS)
    unknown = [name for name in names if name not in MODELS]
    if unknown:
        sys.exit(f"demo: unknown model {unknown[0]}: expected one of {', '.join(MODELS)}")
    failures = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or temporary
        os.makedirs(folder, exist_ok=True)
        for name in names:
            modules, tensors = capture_model(name)
            write_weights(os.path.join(folder, f"{name}.safetensors"), tensors)
            for level, module in modules.items():
                try:
                    show(name, level, module, args.bin, folder)
                except Failure as failure:
                    failures.append(f"{name} ({level})")
                    print(f"  FAILED: {failure}\n", flush=True)
    if failures:
        sys.exit(f"demo: failed for {', '.join(failures)}")
    print(f"demo: {len(names)} models at 2 levels imported, fused, checked and compiled")


if __name__ == "__main__":
    main()
