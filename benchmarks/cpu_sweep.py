#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random workloads, compiled for the CPU: values against a wider reference, times against eager PyTorch in one thread.

    cpu_sweep.py --seed 1 --count 100 [--kinds conv,reduce] [--only NUMBER …] [--match REGEX] [--out sweep.json]
    cpu_sweep.py --seed 1 --count 100 --values --elements 4096                    values alone, small

A workload is drawn from the seed and its number (cpu_draws.py), whatever the other flags. The reference is the same function of the
same inputs in f64; a value is wrong if its error is more than twice that of eager PyTorch's own result and the type's tolerance. Both
are called in turns; the figure is the median of eager's processor time over ours: above 1 we are faster (issue 13 asks for 1 / 1.2 at least).
The exit status is 1 if any value is wrong or anything but a refusal failed.
"""
import argparse
import itertools
import json
import os
import re
import statistics
import sys
import time
import traceback
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import torch  # noqa: E402
from cpu_draws import KINDS, draw_workload, kind_of  # noqa: E402
from sweeps import print_summary  # noqa: E402

import fxgraph  # noqa: E402

TOLERANCE = {torch.float64: 1e-12, torch.float32: 2e-5, torch.bfloat16: 1.6e-2}
LEAST = 1 / 1.2


def leaves(value):
    return [leaf for leaf in torch.utils._pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def error_of(got, reference):
    """Largest difference over the reference's largest magnitude (at least 1); NaN and infinities must agree."""
    if got.shape != reference.shape:
        return float("inf")
    wide = torch.complex128 if got.is_complex() else torch.float64
    got, reference = got.to(wide), reference.to(wide)
    same = (got == reference) | (got.isnan() & reference.isnan())
    difference = torch.where(same, 0, (got - reference).abs())
    finite = reference[reference.isfinite()]
    scale = max(1.0, float(finite.abs().max())) if finite.numel() else 1.0
    return float(difference.nan_to_num(float("inf")).max()) / scale if difference.numel() else 0.0


def race(ours, eager, budget):
    """(our seconds, eager's): medians of calls in turns, of processor time, since other work on the machine stretches the other kind."""
    times = ([], [])
    end = time.perf_counter() + budget
    while len(times[0]) < 3 or time.perf_counter() < end:
        for own, function in zip(times, (ours, eager)):
            start = time.process_time()
            function()
            own.append(time.process_time() - start)
        if len(times[0]) >= 200:
            break
    return tuple(statistics.median(own[1:]) for own in times)


def widened(workload):
    """The function's result in f64, or none where it has no such form."""
    import copy
    try:
        function = copy.deepcopy(workload.function).double() if isinstance(workload.function, torch.nn.Module) else workload.function
        return leaves(function(*[x.double() if x.is_floating_point() else x for x in workload.inputs]))
    except (RuntimeError, NotImplementedError):
        return None


def run(workload, arguments):
    """One row of the results."""
    row = {"kind": workload.kind, "text": workload.text}
    try:
        eager = leaves(workload.function(*workload.inputs))
    except (RuntimeError, NotImplementedError, TypeError, ValueError) as problem:
        row["left_out"] = f"eager: {str(problem).splitlines()[0][:120]}"
        return row
    if any(e.untyped_storage().data_ptr() == x.untyped_storage().data_ptr() for e in eager for x in workload.inputs):
        row["left_out"] = "eager returns its input"
        return row
    start = time.perf_counter()
    try:
        compiled = fxgraph.capture(workload.function, *workload.inputs, level="aten").compile("cpu", threads=1)
    except fxgraph.FxGraphError as problem:
        row["left_out"] = f"not compiled: {str(problem).splitlines()[0][:160]}"
        return row
    row["seconds"] = round(time.perf_counter() - start, 2)
    ours = leaves(compiled(*workload.inputs))
    reference = widened(workload) or eager
    tolerance = TOLERANCE.get(workload.dtype, 0.0) if any(e.is_floating_point() or e.is_complex() for e in eager) else 0.0
    errors = []
    for a, e, r in zip(ours, eager, reference, strict=True):
        if not (e.is_floating_point() or e.is_complex()):
            r = e  # places and truth of the inputs themselves
        errors.append((error_of(a, r), error_of(e, r)))
    row["error"], row["eager_error"] = max(a for a, _ in errors), max(e for _, e in errors)
    row["wrong"] = any(not a <= 2 * e + max(tolerance, TOLERANCE.get(w.dtype, 0.0) if w.is_floating_point() else 0.0) for (a, e), w in zip(errors, eager)) or any(
        a.dtype != e.dtype for a, e in zip(ours, eager))
    if not arguments.values:
        row["ours"], row["eager"] = race(lambda: compiled(*workload.inputs), lambda: workload.function(*workload.inputs), arguments.budget)
        row["ratio"] = row["eager"] / row["ours"]
    return row


def summarize(ratios):
    ratios = sorted(ratios)
    mean = statistics.geometric_mean(ratios)
    below = sum(ratio < LEAST for ratio in ratios)
    return f"{len(ratios):5d}  geometric mean {mean:.3f}  tenth percentile {ratios[len(ratios) // 10]:.3f}  worst {ratios[0]:.3f}  below 1/1.2: {below}"


def describe_times(row):
    return f"ours {row['ours'] * 1e6:.1f} us  eager {row['eager'] * 1e6:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--only", type=int, nargs="+", help="these numbers alone")
    parser.add_argument("--match", default="", metavar="REGEX", help="of the workloads those whose text has it")
    parser.add_argument("--values", action="store_true", help="check values alone")
    parser.add_argument("--elements", type=int, default=1 << 21, help="bounds the size of a tensor, roughly; part of what is drawn")
    parser.add_argument("--budget", type=float, default=0.4, help="seconds in which both are called")
    parser.add_argument("--seconds", type=float, default=1800, help="no new workload is started after this time")
    parser.add_argument("--worst", type=int, default=10, help="how many of the slowest are listed")
    parser.add_argument("--out", help="JSON of all rows")
    arguments = parser.parse_args()
    kinds = arguments.kinds.split(",")
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"expected kinds among {', '.join(KINDS)} but got {', '.join(sorted(unknown))}")
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    started, rows = time.time(), {}
    numbers = arguments.only or itertools.islice((n for n in itertools.count() if kind_of(arguments.seed, n) in kinds), arguments.count)
    for number in numbers:
        if time.time() - started >= arguments.seconds:
            break
        workload = draw_workload(arguments.seed, number, arguments.elements)
        if not re.search(arguments.match, workload.text):
            continue
        try:
            with torch.no_grad():
                rows[number] = run(workload, arguments)
        except Exception as problem:
            if not isinstance(problem, fxgraph.FxGraphError):
                traceback.print_exc()
            rows[number] = {"kind": workload.kind, "text": workload.text, "problem": f"{type(problem).__name__}: {str(problem)[:400]}"}
        row = rows[number]
        times = f"{row['ratio']:.3f} ({row['ours'] * 1e6:.0f} us, eager {row['eager'] * 1e6:.0f})" if "ratio" in row else row.get("left_out", "")
        print(f"#{number} {row['kind']} {'WRONG ' if row.get('wrong') else ''}{times} {row['text'][:160]}", flush=True)
        if arguments.out:
            with open(arguments.out, "w") as file:
                json.dump(rows, file, indent=1)
    return print_summary(rows, KINDS, summarize, describe_times, arguments.worst)


if __name__ == "__main__":
    sys.exit(main())
