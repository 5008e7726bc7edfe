#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random workloads, compiled for a GPU: values against a wider reference, times against PyTorch.

    gpu_sweep.py --seed 1 --count 100 [--kinds permute,softmax] [--only NUMBER …] [--compile] [--out sweep.json]
    gpu_sweep.py --seed 1 --count 100 --target gpu-emulator --elements 4096       values alone, without a GPU
    gpu_sweep.py --seed 1 --count 3000 --target kernels [--chip sm_80]            kernels are made, at full extents, and not run

A workload is drawn from the seed and its number (gpu_draws.py), whatever the other flags. The reference is the same
function of the same inputs in f64 (f32 for 16-bit floats); a value is wrong if its error is more than twice that of
PyTorch's own result and the type's tolerance. Ours and PyTorch's are replays of CUDA graphs, in turns, in one process with a cold
L2 cache; the figure is PyTorch's best (eager, and torch.compile with --compile) over ours: above 1 we are faster.
The exit status is 1 if any value is wrong or anything failed.
"""
import argparse
import collections
import functools
import itertools
import json
import multiprocessing
import multiprocessing.connection
import os
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "test", "Integration", "GPU"), os.path.join(os.path.dirname(HERE), "python")]

import torch  # noqa: E402
from gpu_draws import KINDS, draw_workload, kind_of  # noqa: E402
from gpu_runtime import relative_error  # noqa: E402
from gpu_timing import graph_of, median_ms, medians_in_turns, new_flush, summarize  # noqa: E402
from sweeps import print_summary  # noqa: E402

import fxgraph  # noqa: E402

ROUNDS = 5  # in which the contestants take turns
TOLERANCE = {torch.float32: 2e-5, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}


def listed(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def graphs_of(workload, compiled, xs, arguments):
    """{contestant: its CUDA graph}."""
    contestants = {"ours": compiled, "eager_graph": workload.function}
    if arguments.compile:
        torch._dynamo.reset()
        contestants["compile_graph"] = torch.compile(workload.function)
    with torch.no_grad():
        return {name: graph_of(lambda call=call: call(*xs)) for name, call in contestants.items()}


def prepare(number, arguments):
    """The row of a workload without times, the graphs to be timed ({} if none are), and what has to live as long as they do."""
    workload = draw_workload(arguments.seed, number, arguments.elements)
    row = {"kind": workload.kind, "text": workload.text}
    try:
        return row, *check(workload, row, arguments)
    except Exception as problem:
        if not isinstance(problem, fxgraph.FxGraphError):
            traceback.print_exc()
        row["problem"] = f"{type(problem).__name__}: {str(problem)[:400]}"
        return row, {}, None
    finally:
        if arguments.target == "gpu":
            torch.cuda.empty_cache()


def check(workload, row, arguments):
    """Compiles, compares values, and returns the graphs to be timed and what they read."""
    if arguments.target == "kernels":
        xs = [torch.empty(shape, dtype=workload.dtype, device="meta") for shape in workload.shapes]
        with torch.no_grad():
            fxgraph.capture(workload.function, *xs, level="aten").run_passes(f"fxgraph-to-gpu{{chip={arguments.chip}}}")
        return {}, None
    xs = workload.inputs("cuda" if arguments.target == "gpu" else "cpu")
    wide = torch.float64 if workload.dtype == torch.float32 else torch.float32
    with torch.no_grad():
        reference = listed(workload.function(*[x.to(wide) for x in xs]))
        eager = listed(workload.function(*xs))
        started = time.time()
        compiled = fxgraph.capture(workload.function, *xs, level="aten").compile(arguments.target)
        row["seconds"] = round(time.time() - started, 2)
        ours = listed(compiled(*xs))
    errors = [(relative_error(a, r), relative_error(e, r)) for a, e, r in zip(ours, eager, reference, strict=True)]
    row["error"], row["eager_error"] = max(a for a, _ in errors), max(e for _, e in errors)
    row["wrong"] = any(not a <= 2 * e + TOLERANCE[workload.dtype] for a, e in errors) or any(a.dtype != e.dtype for a, e in zip(ours, eager))
    if arguments.target != "gpu" or arguments.values:
        return {}, None
    return graphs_of(workload, compiled, xs, arguments), (xs, compiled)


def finish(row, graphs, arguments):
    """Times the graphs, in turns: the first that is timed after a compilation finds the card's clock low."""
    if not graphs:
        return row
    flush = the_flush()
    once = max(median_ms(graph.replay, flush, arguments.budget / 4) for graph in graphs.values())
    times = medians_in_turns(graphs, flush, ROUNDS, repeats=int(min(40, max(3, arguments.budget / ROUNDS / once))))
    row["ours"] = times.pop("ours")
    row["pytorch"] = times
    row["ratio"] = min(times.values()) / row["ours"]
    return row


@functools.cache
def the_flush():
    """Made once in a process, and only in one that times."""
    return new_flush()


def strict_arithmetic():
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False


def serve(pipe, arguments):
    """A process of `in_processes`: prepares numbers as they come, and times one when it is asked to."""
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"  # there are enough processes
    strict_arithmetic()
    prepared = {}
    while (request := pipe.recv()) is not None:
        step, number = request
        if step == "prepare":
            prepared[number] = prepare(number, arguments)
            answer = number
        else:
            row, graphs, _kept = prepared.pop(number)
            answer = finish(row, graphs, arguments)
        if arguments.target == "gpu":
            torch.cuda.synchronize()  # raises if a kernel has left the device unusable for this process, which then ends
        pipe.send(answer)


class Worker:
    def __init__(self, arguments):
        spawn = multiprocessing.get_context("spawn")
        self.pipe, other = spawn.Pipe()
        self.process = spawn.Process(target=serve, args=(other, arguments), daemon=True)
        self.process.start()
        other.close()
        self.prepared, self.number = [], None

    def prepare(self, number):
        self.number = number
        self.pipe.send(("prepare", number))

    def time(self, number):
        self.pipe.send(("time", number))
        return self.pipe.recv()


def enough_memory():
    """Whether the device has room for what more workloads keep until they are timed."""
    if not torch.cuda.is_available():
        return True
    free, total = torch.cuda.mem_get_info()
    return free > total // 2


def in_processes(numbers, arguments, started):
    """(number, row) of each: some processes prepare workloads at the same time; then, while none does, they are timed one by one."""
    def lost(worker, number):
        """The row of a workload whose process has died. What else that one had prepared comes again in a new one."""
        worker.process.join()
        workers[workers.index(worker)] = Worker(arguments)
        left.extendleft(other for other in worker.prepared if other != number)
        workload = draw_workload(arguments.seed, number, arguments.elements)
        return number, {"kind": workload.kind, "text": workload.text, "problem": f"the process died, exit status {worker.process.exitcode}"}

    workers, left = [Worker(arguments) for _ in range(arguments.jobs)], collections.deque(numbers)
    while left and time.time() - started < arguments.seconds:
        busy = []
        while busy or (left and enough_memory() and time.time() - started < arguments.seconds):
            for worker in workers:
                if worker not in busy and left and enough_memory():
                    worker.prepare(left.popleft())
                    busy.append(worker)
            for pipe in multiprocessing.connection.wait([worker.pipe for worker in busy]):
                worker = next(worker for worker in busy if worker.pipe is pipe)
                busy.remove(worker)
                try:
                    worker.prepared.append(pipe.recv())
                except EOFError:
                    yield lost(worker, worker.number)
        for worker in list(workers):
            while worker.prepared:
                number = worker.prepared.pop(0)
                try:
                    yield number, worker.time(number)
                except (EOFError, OSError):
                    yield lost(worker, number)
                    break
    for worker in workers:
        worker.pipe.send(None)


def one_by_one(numbers, arguments, started):
    """(number, row) of each."""
    for number in numbers:
        if time.time() - started >= arguments.seconds:
            return
        row, graphs, _kept = prepare(number, arguments)
        yield number, finish(row, graphs, arguments)


def describe_times(row):
    times = "  ".join(f"{mode} {value * 1e3:.1f}" for mode, value in row["pytorch"].items())
    return f"ours {row['ours'] * 1e3:.1f} us  {times}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--only", type=int, nargs="+", help="these numbers alone")
    parser.add_argument("--compile", action="store_true", help="time torch.compile as well (it compiles for seconds)")
    parser.add_argument("--jobs", type=int, default=1, help="processes that prepare workloads (compile, compare values) at the same time; timing is one by one")
    parser.add_argument("--values", action="store_true", help="check values alone")
    parser.add_argument("--target", choices=("gpu", "gpu-emulator", "cpu", "ref", "kernels"), default="gpu")
    parser.add_argument("--chip", default="sm_90a", help="for which --target kernels makes them")
    parser.add_argument("--elements", type=int, default=1 << 25, help="bounds the size of a tensor, roughly; part of what is drawn")
    parser.add_argument("--budget", type=float, default=30.0, help="milliseconds that a contestant is timed for")
    parser.add_argument("--seconds", type=float, default=540, help="no new workload is started after this time")
    parser.add_argument("--out", help="JSON of all rows")
    arguments = parser.parse_args()
    kinds = arguments.kinds.split(",")
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"expected kinds among {', '.join(KINDS)} but got {', '.join(sorted(unknown))}")
    if arguments.target == "gpu":
        if not torch.cuda.is_available():
            print("no CUDA device: nothing to do")
            return 0
        strict_arithmetic()
        print(torch.cuda.get_device_name(), torch.__version__)
    started, rows = time.time(), {}
    numbers = arguments.only or list(itertools.islice((n for n in itertools.count() if kind_of(arguments.seed, n) in kinds), arguments.count))
    for number, row in (in_processes if arguments.jobs > 1 else one_by_one)(numbers, arguments, started):
        rows[number] = row
        print(f"#{number} {row['kind']} {'WRONG ' if row.get('wrong') else ''}{row.get('ratio', 0):.3f} {row['text'][:160]}", flush=True)
        if arguments.out:
            with open(arguments.out, "w") as file:
                json.dump(rows, file, indent=1)
    return print_summary(rows, KINDS, summarize, describe_times, worst=10)


if __name__ == "__main__":
    sys.exit(main())
