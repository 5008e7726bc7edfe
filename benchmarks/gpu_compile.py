#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a first compilation takes, ours and torch.compile's, each in a process of its own with empty caches.

    gpu_compile.py [--only REGEX] [--draws SEED:COUNT] [--jobs 2] [--rounds 1] [--out compile.json]

The workloads are those of gpu_suite.py, the blocks of gpu_blocks.py and draws of gpu_sweep.py. Seconds, the median of the rounds: `capture` from a
module to our graph (torch.export), `compile` from the graph to a loaded module, `torch.compile` its first call. All have run
eagerly before, which loads the libraries. No kernel is cached by anybody: the caches' folders are new, the driver's is off. Ratios are torch.compile's
time over ours. `--jobs` processes run at once; both sides have the same company.
"""
import argparse
import json
import multiprocessing.pool
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]


def list_names(draws):
    import torch
    from blocks import blocks
    from gpu_workloads import gpu_suite
    with torch.device("meta"):
        names = ["suite/" + name for name, *_ in gpu_suite("meta")]
    names += ["block/" + block.name for block in blocks()]
    seed, count = map(int, draws.split(":"))
    return names + [f"draw/{seed}/{number}" for number in range(count)]


def make(name):
    """(function, inputs) on the card."""
    import torch
    kind, _, rest = name.partition("/")
    if kind == "suite":
        from gpu_workloads import gpu_suite
        module, inputs = next((module, inputs) for own, module, inputs, _ in gpu_suite() if own == rest)
        return module.to("cuda", torch.bfloat16).eval(), inputs
    if kind == "block":
        from blocks import blocks
        block = next(block for block in blocks() if block.name == rest)
        return block.make().to("cuda").to(block.dtype).eval(), block.inputs("cuda")
    from gpu_draws import draw_workload
    workload = draw_workload(*map(int, rest.split("/")))
    return workload.function, workload.inputs("cuda")


def measure(name, side):
    """In a process of its own: seconds by step, as JSON."""
    import time

    import torch
    function, inputs = make(name)
    seconds = {}

    def step(label, call):
        torch.cuda.synchronize()
        started = time.perf_counter()
        result = call()
        torch.cuda.synchronize()
        seconds[label] = time.perf_counter() - started
        return result
    with torch.no_grad():
        step("eager", lambda: function(*inputs))
        if side == "ours":
            import fxgraph
            graph = step("capture", lambda: fxgraph.capture(function, *inputs, level="aten"))
            step("compile", lambda: graph.compile("gpu"))
        else:
            step("torch.compile", lambda: torch.compile(function)(*inputs))
    print(json.dumps(seconds))


def spawn(name, side):
    """The seconds of `measure`, or the end of what it said."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, TORCHINDUCTOR_CACHE_DIR=os.path.join(folder, "inductor"), TRITON_CACHE_DIR=os.path.join(folder, "triton"),
                           CUDA_CACHE_DISABLE="1")
        done = subprocess.run([sys.executable, os.path.abspath(__file__), "--measure", name, side], env=environment, capture_output=True, text=True,
                              check=False)
    if done.returncode:
        return done.stderr.strip()[-300:]
    return json.loads(done.stdout.strip().splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="workloads whose name this matches")
    parser.add_argument("--draws", default="1:20", metavar="SEED:COUNT")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--out")
    parser.add_argument("--measure", nargs=2, metavar=("NAME", "SIDE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure(*arguments.measure)
        return 0
    names = [name for name in list_names(arguments.draws) if re.search(arguments.only, name)]
    rows, failed = {}, 0

    def run(name):
        sides = [(spawn(name, "ours"), spawn(name, "theirs")) for _ in range(arguments.rounds)]
        problems = [side for pair in sides for side in pair if isinstance(side, str)]
        if problems:
            return name, problems[0]
        return name, {label: statistics.median(pair[i][label] for pair in sides)
                      for i, labels in enumerate((("capture", "compile"), ("torch.compile",))) for label in labels}
    print(f"{'workload':36} capture  compile  torch.compile  over compile  over both")
    with multiprocessing.pool.ThreadPool(arguments.jobs) as pool:
        for name, row in pool.imap(run, names):
            if isinstance(row, str):
                failed += 1
                print(f"{name:36} failed: {row}", flush=True)
                continue
            row["ratio"] = row["torch.compile"] / row["compile"]
            row["ratio with capture"] = row["torch.compile"] / (row["capture"] + row["compile"])
            rows[name] = row
            print(f"{name:36} {row['capture']:7.2f}  {row['compile']:7.3f}  {row['torch.compile']:13.2f}  {row['ratio']:12.1f}  "
                  f"{row['ratio with capture']:9.1f}", flush=True)
    if rows:
        for label in ("ratio", "ratio with capture"):
            values = [row[label] for row in rows.values()]
            print(f"{label}: geometric mean {statistics.geometric_mean(values):.1f}, least {min(values):.1f}, "
                  f"{sum(value < 10 for value in values)} of {len(values)} below 10")
    if arguments.out:
        with open(arguments.out, "w") as file:
            json.dump(rows, file, indent=1)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
