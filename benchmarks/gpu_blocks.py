#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of models (blocks.py) compiled for a GPU: values, time to compile and time to run against PyTorch.

    gpu_blocks.py [--only REGEX] [--compile] [--seconds S]
    gpu_blocks.py --target gpu-emulator --small           values alone, without a GPU

The reference is the same module in f32 on the same inputs; a value is wrong if its error is more than twice that of
PyTorch's own result and the type's tolerance. Times are replays of CUDA graphs with a cold L2 cache. The exit status is 1 if any
value is wrong or anything failed.
"""
import argparse
import os
import re
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "python"), os.path.join(HERE, "..", "test", "Integration", "GPU")]
import torch  # noqa: E402
from blocks import blocks  # noqa: E402
from gpu_runtime import relative_error  # noqa: E402
from gpu_timing import graph_of, median_ms, new_flush, summarize, time_pytorch  # noqa: E402

import fxgraph  # noqa: E402

TOLERANCE = {torch.float32: 2e-5, torch.float16: 2e-3, torch.bfloat16: 8e-3}


def listed(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def run(block, arguments, flush):
    """(text, ratio or None, whether all is right)."""
    device = "cuda" if arguments.target == "gpu" else "cpu"
    torch.manual_seed(0)
    module = block.make().to(device).to(block.dtype).eval()
    xs = block.inputs(device)
    with torch.no_grad():
        eager = listed(module(*xs))
        reference = listed(module.float()(*[x.float() if x.is_floating_point() else x for x in xs]))
        module.to(block.dtype)
        graph = fxgraph.capture(module, *xs, level="aten")
        started = time.time()
        compiled = graph.compile(arguments.target)
        seconds = time.time() - started
        ours = listed(compiled(*xs))
    errors = [(relative_error(a, r), relative_error(e, r)) for a, e, r in zip(ours, eager, reference, strict=True)]
    right = all(a <= 2 * e + TOLERANCE[block.dtype] for a, e in errors) and all(a.dtype == e.dtype for a, e in zip(ours, eager))
    text = f"{'' if right else 'WRONG '}error {max(a for a, _ in errors):.1e} (eager {max(e for _, e in errors):.1e}), compiled in {seconds:.2f} s"
    if flush is None:
        return text, None, right
    with torch.no_grad():
        own = median_ms(graph_of(lambda: compiled(*xs)).replay, flush, arguments.budget)
        times = {"eager": time_pytorch("eager_graph", module, xs, flush, arguments.budget)}
        if arguments.compile:
            torch._dynamo.reset()
            started = time.time()
            torch.compile(module)(*xs)
            torch.cuda.synchronize()
            text += f", torch.compile {time.time() - started:.2f} s"
            times["torch.compile"] = time_pytorch("compile_graph", module, xs, flush, arguments.budget)
    ratio = min(times.values()) / own
    return f"{ratio:.3f}  ours {own * 1e3:.1f} us  " + "  ".join(f"{name} {ms * 1e3:.1f}" for name, ms in times.items()) + f"  {text}", ratio, right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="blocks whose name this matches")
    parser.add_argument("--target", choices=("gpu", "gpu-emulator", "cpu"), default="gpu")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--compile", action="store_true", help="time torch.compile as well")
    parser.add_argument("--budget", type=float, default=30.0, help="milliseconds that a contestant is timed for")
    parser.add_argument("--seconds", type=float, default=540, help="no block is started after this time")
    arguments = parser.parse_args()
    flush = None
    if arguments.target == "gpu":
        if not torch.cuda.is_available():
            print("no CUDA device: nothing to do")
            return 0
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        flush = new_flush()
        print(torch.cuda.get_device_name(), torch.__version__)
    started, ratios, bad = time.time(), [], 0
    for block in blocks(arguments.small):
        if not re.search(arguments.only, block.name) or time.time() - started > arguments.seconds:
            continue
        try:
            text, ratio, right = run(block, arguments, flush)
        except fxgraph.FxGraphError as problem:
            text, ratio, right = f"failed: {str(problem)[:400]}", None, False
        print(f"{block.name:18} {text}", flush=True)
        bad += not right
        ratios += [ratio] if ratio else []
        if flush is not None:
            torch.cuda.empty_cache()
    if ratios:
        print(summarize(ratios))
    print(f"{bad} wrong or failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
