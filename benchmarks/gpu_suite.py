#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times compiled graphs against PyTorch on a GPU, in one process.

    python3 benchmarks/gpu_suite.py --pack carry/gpu --out results.json [--only REGEX] [--modes eager,compile,graphs]

`--pack` is what benchmarks/gpu_pack.py made. For every workload: the outputs are
compared with an f32 run of the same module (and with how far PyTorch's own bf16
result is from it), then all contestants are timed with CUDA events, the L2 cache
flushed before each run; the figure is the median in milliseconds. Ours is the
replay of a CUDA graph. Modes of PyTorch:

    eager         module(*inputs)
    eager_graph   the same, captured in a CUDA graph
    compile       torch.compile, default mode
    graphs        torch.compile(mode="reduce-overhead")
    optimus       the same with Inductor's batch fusions

One failing workload does not stop the rest; the exit status is 1 if any value is
wrong. A workload is one line of the table; JSON has everything.
"""

import argparse
import copy
import json
import os
import re
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "test", "Integration", "GPU")]

from gpu_timing import median_ms, new_flush, time_pytorch  # noqa: E402


def prepare(runtime, folder, state):
    """State with what a frozen graph needs of it, computed once."""
    import torch
    from gpu_runtime import CompiledGraph
    path = os.path.join(folder, "prepare")
    if not os.path.isdir(path):
        return state
    graph = CompiledGraph(runtime, path)
    outputs = graph.new_outputs()
    graph.run([state[spec["name"]].contiguous() for spec in graph.plan["inputs"]], outputs)
    torch.cuda.synchronize()
    graph.close()
    return {**state, **{f"frozen{i}": value for i, value in enumerate(outputs)}}


def run_workload(name, module, inputs, floor, folder, info, runtime, modes, flush):
    import torch
    from gpu_runtime import CompiledGraph, relative_error
    row = {"floor_ms": max(floor[0] / 3.02e9, floor[1] / 7.0e11), "ours": {}, "pytorch": {}, "errors": {}, "problems": []}
    flat = lambda value: list(value) if isinstance(value, (tuple, list)) else [value]
    with torch.no_grad():
        eager = flat(module(*inputs))
        wide = copy.deepcopy(module).float()
        reference = flat(wide(*[x.float() if x.dtype.is_floating_point else x for x in inputs]))
        del wide
    row["errors"]["eager"] = max(relative_error(a, b) for a, b in zip(eager, reference))
    state = {key: value.detach() for key, value in list(module.named_parameters()) + list(module.named_buffers())}
    variants = [v for v, result in info.get("variants", {}).items() if "error" not in result]
    for variant, result in info.get("variants", {}).items():
        if "error" in result:
            row["problems"].append(f"{variant}: not compiled: {result['error'][:300]}")
    for variant in variants:
        try:
            started = time.time()
            graph = CompiledGraph(runtime, os.path.join(folder, variant))
            row.setdefault("our_seconds", {})[variant] = round(info["variants"][variant]["seconds"] + time.time() - started, 3)
            # Arguments in the graph's order: parameters by name, then inputs.
            rest = iter(inputs)
            known = prepare(runtime, os.path.join(folder, variant), state)
            arguments = [known[spec["name"]].contiguous() if spec["name"] in known else next(rest) for spec in graph.plan["inputs"]]
            outputs = graph.new_outputs()
            graph.run(arguments, outputs)
            torch.cuda.synchronize()
            error = max(relative_error(a, b) for a, b in zip(outputs, reference))
            row["errors"][variant] = error
            if not error <= 2 * row["errors"]["eager"] + 1e-2:
                row["problems"].append(f"{variant}: error {error:.3e}, PyTorch's is {row['errors']['eager']:.3e}")
            del outputs
            outputs = graph.new_outputs()
            captured = graph.capture(arguments, outputs)
            captured.replay()
            torch.cuda.synchronize()
            again = max(relative_error(a, b) for a, b in zip(outputs, reference))
            if again != error:
                row["problems"].append(f"{variant}: the captured graph differs: error {again:.3e}")
            row["ours"][variant] = median_ms(captured.replay, flush)
            row.setdefault("steps", {})[variant] = graph.steps
            del captured
            graph.close()
        except Exception as problem:
            row["problems"].append(f"{variant}: {problem}")
            traceback.print_exc()
    del reference, eager
    for mode in modes:
        try:
            started = time.time()
            row["pytorch"][mode] = time_pytorch(mode, module, inputs, flush)
            row.setdefault("pytorch_seconds", {})[mode] = round(time.time() - started, 1)
        except Exception as problem:
            row["problems"].append(f"{mode}: {str(problem)[:300]}")
    return row


def run_model(name, folder, info, runtime):
    """A captured model: values against those that PyTorch gave on the CPU."""
    import torch
    from safetensors.torch import load_file
    from gpu_runtime import CompiledGraph, relative_error
    tensors = {key: value.cuda() for key, value in load_file(os.path.join(folder, "tensors.safetensors")).items()}
    row = {"errors": {}, "problems": []}
    bound = 2e-2 if name.endswith("_bf16") else 1e-5
    for variant, result in info.get("variants", {}).items():
        if "error" in result:
            row["problems"].append(f"{variant}: not compiled: {result['error'][:300]}")
            continue
        try:
            graph = CompiledGraph(runtime, os.path.join(folder, variant))
            known = prepare(runtime, os.path.join(folder, variant), tensors)
            arguments = [known[spec["name"]].contiguous() for spec in graph.plan["inputs"]]
            outputs = graph.new_outputs()
            graph.run(arguments, outputs)
            torch.cuda.synchronize()
            expected = [tensors[f"out{i}"] for i in range(len(outputs))]
            error = max(relative_error(a, b) for a, b in zip(outputs, expected))
            row["errors"][variant] = error
            if not error <= bound:
                row["problems"].append(f"{variant}: error {error:.3e}")
            graph.close()
        except Exception as problem:
            row["problems"].append(f"{variant}: {problem}")
            traceback.print_exc()
    return row


def print_table(results):
    models = {k: v for k, v in results.items() if k.startswith("model_")}
    if models:
        print("\nmodels: largest error relative to the largest value")
        for name, row in models.items():
            errors = "  ".join(f"{variant} {error:.1e}" for variant, error in row["errors"].items())
            print(f"  {name[6:]:12} {errors}  {'; '.join(row['problems'])}")
    rows = {k: v for k, v in results.items() if not k.startswith("model_")}
    if not rows:
        return
    modes = sorted({mode for row in rows.values() for mode in row.get("pytorch", {})})
    variants = sorted({variant for row in rows.values() for variant in row.get("ours", {})})
    print(f"\n{'workload (ms, median)':34}{'floor':>9}" + "".join(f"{'ours ' + v:>13}" for v in variants) + "".join(f"{m:>13}" for m in modes) + f"{'best/ours':>11}  errors")
    for name, row in rows.items():
        ours = row.get("ours", {})
        theirs = row.get("pytorch", {})
        cell = lambda table, key: f"{table[key]:13.4f}" if key in table else f"{'-':>13}"
        ratio = f"{min(theirs.values()) / min(ours.values()):11.2f}" if ours and theirs else f"{'-':>11}"
        errors = " ".join(f"{k} {v:.0e}" for k, v in row.get("errors", {}).items())
        print(f"{name:34}{row.get('floor_ms', 0):9.4f}" + "".join(cell(ours, v) for v in variants) + "".join(cell(theirs, m) for m in modes) + ratio + "  " + errors)
        for problem in row.get("problems", []):
            print(f"    ! {problem}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pack", required=True)
    parser.add_argument("--out", default="gpu_suite.json")
    parser.add_argument("--only", help="run what matches this expression")
    parser.add_argument("--modes", default="eager,eager_graph,compile,graphs")
    parser.add_argument("--seconds", type=float, default=540, help="no new workload is started after this time")
    arguments = parser.parse_args()
    import torch
    if not torch.cuda.is_available():
        print("no CUDA device: nothing to do")
        return 0
    from gpu_runtime import find_runtime
    import gpu_workloads
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.manual_seed(0)
    runtime = find_runtime(arguments.pack)
    started = time.time()
    results = {}
    flush = new_flush()
    device = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "cuda": torch.version.cuda}
    print(device)

    def save():
        with open(arguments.out, "w") as file:
            json.dump({"device": device, "results": results}, file, indent=1)

    def wanted(name):
        return not arguments.only or re.search(arguments.only, name)

    def load_info(name):
        with open(os.path.join(arguments.pack, name, "info.json")) as file:
            return json.load(file)

    for name in sorted(os.listdir(arguments.pack)):
        if name.startswith("model_") and wanted(name):
            try:
                results[name] = run_model(name, os.path.join(arguments.pack, name), load_info(name), runtime)
            except Exception as problem:
                results[name] = {"errors": {}, "problems": [str(problem)]}
            save()
    modes = [mode for mode in arguments.modes.split(",") if mode]
    suite = gpu_workloads.gpu_suite(dev="cuda", dt=torch.bfloat16)
    while True:
        try:
            name, module, inputs, floor = next(suite)
        except StopIteration:
            break
        if not wanted(name) or not os.path.isdir(os.path.join(arguments.pack, name)):
            continue
        if time.time() - started > arguments.seconds:
            results[name] = {"errors": {}, "problems": ["not started: out of time"]}
            continue
        try:
            module = module.cuda().to(torch.bfloat16).eval()
            results[name] = run_workload(name, module, inputs, floor, os.path.join(arguments.pack, name), load_info(name), runtime, modes, flush)
            print(name, json.dumps(results[name]), flush=True)
        except Exception as problem:
            traceback.print_exc()
            results[name] = {"errors": {}, "problems": [str(problem)[:500]]}
        del module, inputs
        torch.cuda.empty_cache()
        save()
    save()
    print_table(results)
    wrong = [name for name, row in results.items() if any("error" in problem for problem in row["problems"])]
    print(f"\n{len(results)} workloads, wrong: {', '.join(wrong) or 'none'}, {time.time() - started:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
