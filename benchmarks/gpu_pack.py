#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the captured models and the GPU workloads into one folder, on a machine
without a GPU, so that the GPU machine needs PyTorch and this folder alone.

    python3 benchmarks/gpu_pack.py --build build --out carry/gpu [--only REGEX] [--chip sm_90a]

Each workload gets folders `<name>/<variant>` with plan.json, image.cubin (or .ptx
without ptxas) and constants.bin, and `<name>/info.json` with what its arguments
are. Variants: `plain` (as captured), `passes` (after --fxgraph-pre-grad), `frozen`
(after its mode=best, with the work on parameters split off into `frozen/prepare`)
and `own` (no library at all). Failures are recorded and do not stop the rest.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(ROOT, "python")]

VARIANTS = {
    "plain": {"libraries": "all", "passes": ""},
    "passes": {"libraries": "all", "passes": "--fxgraph-pre-grad"},
    "frozen": {"libraries": "all", "passes": "--fxgraph-pre-grad=mode=best", "freeze": True},
    "own": {"libraries": "none", "passes": ""},
}


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {(result.stderr or result.stdout).strip()[:2000]}")
    return result.stderr


def compile_graph(arguments, mlir, folder, variant):
    tool = lambda name: os.path.join(arguments.build, "bin", name)
    settings = VARIANTS[variant]
    source = mlir
    if settings["passes"]:
        source = folder + ".mlir"
        run([tool("fx-opt"), mlir, settings["passes"], "-o", source])
    # What to compile, and where to: a frozen graph is two.
    graphs = [(source, folder)]
    if settings.get("freeze"):
        graphs = []
        for part, target in (("main", folder), ("prepare", os.path.join(folder, "prepare"))):
            path = f"{folder}.{part}.mlir"
            run([tool("fx-opt"), source, f"--fxgraph-freezing-split=part={part}", "-o", path])
            graphs.append((path, target))
        os.remove(source)
    started = time.time()
    messages = ""
    for path, target in graphs:
        messages += run([tool("fx-translate"), path, "--to=gpu", f"--chip={arguments.chip}",
                         f"--option=libraries={settings['libraries']}", f"--option=format={arguments.format}", "-o", target])
        if path != mlir:
            os.remove(path)
    return {"seconds": round(time.time() - started, 3), "warnings": [line for line in messages.splitlines() if "warning" in line][:5]}


def pack(arguments, name, mlir, info):
    folder = os.path.join(arguments.out, name)
    info["variants"] = {}
    for variant in arguments.variants:
        target = os.path.join(folder, variant)
        shutil.rmtree(target, ignore_errors=True)
        try:
            info["variants"][variant] = compile_graph(arguments, mlir, target, variant)
            print(f"{name}/{variant}: {info['variants'][variant]}", flush=True)
        except Exception as problem:
            shutil.rmtree(target, ignore_errors=True)
            info["variants"][variant] = {"error": str(problem)}
            print(f"{name}/{variant}: FAILED: {problem}", flush=True)
    with open(os.path.join(folder, "info.json"), "w") as file:
        json.dump(info, file, indent=1)


def argument_names(path):
    """fxgraph.name of each argument of @main, in order."""
    with open(path) as file:
        for line in file:
            if "func.func @main" in line:
                return re.findall(r'fxgraph\.name = "([^"]*)"', line)
    return []


def pack_models(arguments):
    """The captured models of test/Models at both levels, and both again in bfloat16."""
    import torch
    from fxgraph.module import write_weights
    from fxgraph.testing.models import MODELS, capture_model
    captured = os.path.join(ROOT, "test", "Models")
    for name in sorted(MODELS):
        for dtype in ("f32", "bf16"):
            names = {level: f"model_{name}_{level}_{dtype}" for level in ("torch", "aten")}
            if arguments.only and not any(re.search(arguments.only, n) for n in names.values()):
                continue
            if dtype == "bf16":
                modules, tensors = capture_model(name, dtype=torch.bfloat16)
            for level, target in names.items():
                folder = os.path.join(arguments.out, target)
                os.makedirs(folder, exist_ok=True)
                path = os.path.join(captured, f"{name}.{level}.mlir")
                if dtype == "bf16":
                    path = os.path.join(folder, "graph.mlir")
                    modules[level].save(path)
                    write_weights(os.path.join(folder, "tensors.safetensors"), tensors)
                else:
                    shutil.copy(os.path.join(captured, f"{name}.safetensors"), os.path.join(folder, "tensors.safetensors"))
                pack(arguments, target, path, {"kind": "model", "arguments": argument_names(path)})


def pack_workloads(arguments):
    import torch
    import fxgraph
    import gpu_workloads

    class NoData:
        """Tensors whose memory is never touched."""

        def __enter__(self):
            self.randn = torch.randn
            torch.randn = lambda *shape, device=None, dtype=None: torch.empty(*shape, dtype=dtype)

        def __exit__(self, *unused):
            torch.randn = self.randn

    with NoData():
        workloads = list(gpu_workloads.gpu_suite(dev="cpu", dt=torch.bfloat16))
    for name, module, inputs, floor in workloads:
        if arguments.only and not re.search(arguments.only, name):
            continue
        folder = os.path.join(arguments.out, name)
        os.makedirs(folder, exist_ok=True)
        try:
            module = module.to(torch.bfloat16).eval()
            with torch.no_grad():
                graph = fxgraph.capture(module, *inputs, level="aten")
            mlir = os.path.join(folder, "graph.mlir")
            graph.save(mlir)
        except Exception as problem:
            print(f"{name}: capture FAILED: {problem}", flush=True)
            with open(os.path.join(folder, "info.json"), "w") as file:
                json.dump({"kind": "workload", "error": f"capture: {problem}"}, file)
            continue
        pack(arguments, name, mlir, {"kind": "workload", "arguments": argument_names(mlir), "floor": floor})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--out", default=os.path.join(ROOT, "carry", "gpu"))
    parser.add_argument("--only", help="pack what matches this expression")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--format", default="cubin" if shutil.which("ptxas") else "ptx", choices=["ptx", "cubin", "fatbin"])
    parser.add_argument("--variants", default="plain,passes,frozen,own")
    arguments = parser.parse_args()
    arguments.variants = arguments.variants.split(",")
    os.makedirs(arguments.out, exist_ok=True)
    shutil.copy(os.path.join(arguments.build, "lib", "libFxGraphRuntime.so"), arguments.out)
    pack_models(arguments)
    if not (arguments.only or "").startswith("model_"):
        pack_workloads(arguments)


if __name__ == "__main__":
    main()
