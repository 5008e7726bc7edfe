#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/Status.md: what exists for each op and each pass.

The columns come from the sources: type inference from the td files, evaluators
from the registrations in lib/Reference, lowerings from the pattern lists in
lib/Conversion/FxGraphToLinalg, the PyTorch overloads from the td files; the GPU's
from what fx-opt makes of test/Backend/GPU/op-samples*.mlir. Nothing is kept by hand.
`--check` compares instead of writing and exits with 1 if the file is out of date;
`--fx-opt FILE` is the tool (default: build/bin/fx-opt).
"""

import argparse
import os
import re
import subprocess
import sys
from glob import glob

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ods_records import ROOT, evaluated, load_ops, load_passes, lowered, read, sources, write_or_check


def yes(value):
    return "yes" if value else "–"


def count_tests(family, flag):
    """lit tests of the family that run the pass."""
    count = 0
    for path in glob(os.path.join(ROOT, "test", "Transforms", family, "**", "*"), recursive=True):
        if path.endswith((".mlir", ".py", ".test")) and re.search(rf"(fxgraph-)?{re.escape(flag[len('fxgraph-'):])}(?![\w-])", read(path)):
            count += 1
    return count


def pass_rows():
    rows, total = [], 0
    for family, passes in load_passes().items():
        for record in passes:
            flag = record["argument"]
            counter = re.search(r"Counters?:?\s+`(\w+)`", record["description"])
            rows.append(f"| `{flag}` | {family} | {record['summary']} | {f'`{counter.group(1)}`' if counter else '–'} | {count_tests(family, flag)} |")
            total += 1
    return ["", "## Passes", "",
            f"{total} passes. *Counter*: Inductor's name, as the pass's description gives it. *Tests*: files in `test/Transforms/<Family>` that run it.",
            "What each does: [the reference](Passes/Reference.md) and the pages of the families beside it.", "",
            "| Pass | Family | | Counter | Tests |", "|---|---|---|---|---|"] + rows


def gpu_forms(fx_opt, ops):
    """({op: "fused", "lowered", "steps" or "by size"}, {op: why it has none}), of the functions that are named after ops."""

    def read_samples(suffix):
        text = read(os.path.join("test", "Backend", "GPU", f"op-samples{suffix}.mlir"))
        return {name: body for body, name in re.findall(r"^(func\.func @(\w+)\(.*?^}\n)", text, re.M | re.S)}

    by_size = read_samples("-sizes")
    samples = {**read_samples(""), **read_samples("-random"), **read_samples("-collectives"), **by_size, **read_samples("-refused")}
    if missing := [op for op in ops if op not in samples]:
        sys.exit(f"gen-status.py: no sample of {', '.join(missing)} in test/Backend/GPU/op-samples.mlir")

    def run(ops, *passes):
        modules = "// -----\n".join(samples[op] for op in ops)
        return subprocess.run([fx_opt, "--split-input-file", *passes], input=modules, capture_output=True, text=True)

    sized = run(by_size, "--fxgraph-specialize-sizes=sizes=n=6", "--fxgraph-to-gpu")
    if sized.returncode:
        sys.exit(f"gen-status.py: {sized.stderr}")
    ops = [op for op in ops if op not in by_size]
    made = run(ops, "--fxgraph-to-gpu")
    formed = run(ops, "--fxgraph-gpu-prepare", "--fxgraph-form-kernels").stdout
    have = set(re.findall(r"^ *func\.func @(\w+)", made.stdout, re.M))
    lowered_ops = {name for name, body in re.findall(r"^ *func\.func @(\w+)(.*?)^  }$", formed, re.M | re.S) if "fxgraph.kernel" in body}
    reasons = dict(re.findall(r"note: fxgraph\.(\w+) (?:has no GPU form: )?(.*)", made.stderr))
    # Ops that are defined by others are not there any more: what their samples' functions are refused for.
    for name, notes in re.findall(r"error: not supported on gpu[^\n]*\n *func\.func @(\w+)(.*?)(?=error: |\Z)", made.stderr, re.S):
        if first := re.search(r"note: (.*)", notes):
            reasons.setdefault(name, first[1])
    if unknown := [op for op in ops if op not in have and op not in reasons]:
        sys.exit(f"gen-status.py: {fx_opt} says nothing of {', '.join(unknown)}:\n{made.stderr}")
    decided = {name for name, body in re.findall(r"^ *func\.func @(\w+)(.*?)^  }$", made.stdout, re.M | re.S)
               if re.search(r"fxgraph\.(?:branch|loop) ", body)}
    forms = {op: "lowered" if op in lowered_ops else "steps" if op in decided else "fused" for op in have} | {op: "by size" for op in by_size}
    return forms, {op: reasons[op] for op in ops if op not in have}


WITH_PYTORCH = """
## With PyTorch

Calls that stay `fxgraph.opaque`, which PyTorch runs; [each that its own tests have](Conformance/operators.md).

| What | Why |
|---|---|
| `nonzero`, `argwhere`, `where` of a condition alone, `masked_select` and indexing by a mask, `bincount`, `unique`, `repeat_interleave` by a tensor, `combinations` | the elements' values decide the extents of the result |
| `torch.linalg`'s factorisations, solvers, eigen- and singular values, norms by singular values, `matrix_exp` | LAPACK's: how many steps they take, or how, hangs on the elements (determinants of up to 64 rows are ops) |
| `igamma`, `zeta`, `polygamma` from n = 2 on, `erfcx`, `ndtri`, `log_ndtr`, Airy and Bessel functions but for `i0`, `i0e`, `i1`, `i1e`, orthogonal polynomials | kernels with tables, of which PyTorch has no definition by ops |
| transforms with a prime factor above 64, more than 16,384 elements or a length that varies | [a library's](Python.md) |
| complex numbers of 16 bits, inverse functions of complex numbers | [Python.md](Python.md) |
| filters of antialiased interpolation with more than 128 elements | each element is some ops |
| interpolation of bytes, but for the nearest; `linspace` of integers | kernels that round in their own way |
| `poisson`, `multinomial`, gamma and binomial draws, `rrelu` in training, draws from a generator | how many numbers they draw hangs on the elements; the graph has one stream |
| `_assert_async`, the windows of Bartlett and Kaiser, `eye` of an extent that varies | not modelled yet |
| `hardtanh` by, and `add` with an `alpha` of, integers beyond 2^53 that no double has | numbers of an op are doubles |
| `histogram`, `segment_reduce`, embeddings with `max_norm` | no definition by ops of PyTorch's, or one that writes its weights |
| sparse, nested and quantized tensors, custom ops | no tensors or ops of the dialect |
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--fx-opt", default=os.path.join(ROOT, "build", "bin", "fx-opt"))
    arguments = parser.parse_args()
    check = arguments.check
    evaluators = evaluated(sources("lib", "Reference"))
    lowerings = lowered(sources("lib", "Conversion", "FxGraphToLinalg"))
    groups = load_ops()
    lines = ["<!-- Written by utils/gen-status.py from the sources; do not edit. -->", "# Status", "",
             "What exists for each op. *Infer*: how the result types are known: `function` (a type inference function), `operand`",
             "(the operand's type) or `stated` (the op's text says it). *Interpreter*: an evaluator in `lib/Reference`. *Linalg*: a",
             "conversion pattern in `lib/Conversion/FxGraphToLinalg`, or `decomposed`: the op is defined by others. *GPU*: what becomes of a",
             "sample of the op (`test/Backend/GPU/op-samples.mlir`): `fused` with its neighbours or a library's, `lowered`: launches that",
             "are the loop nests of its lowering to linalg, `steps`: its regions are steps that the host has run or not (`Runtime.md`),",
             "`by size`: gone where sizes are known, as they are when it runs (`Passes/Sizes.md`),",
             "or [not](#not-on-a-gpu). *Overloads*: the number of PyTorch callables that import as the op (listed in the td files); 0 for ops that",
             "only passes and the importer itself make. [With PyTorch](#with-pytorch) stands what has no op.", ""]
    forms, refusals = gpu_forms(arguments.fx_opt, [op.name for ops in groups.values() for op in ops])
    rows, totals = [], [0, 0, 0, 0, 0]
    for group, ops in groups.items():
        rows += ["", f"## {group}", "", "| Op | Spec | Infer | Interpreter | Linalg | GPU | Overloads |", "|---|---|---|---|---|---|---|"]
        for op in ops:
            infer = "function" if op.infers or "InferTypeOpInterface" in op.interfaces else "operand" if op.same_type else "stated"
            interpreter, linalg = op.class_name in evaluators, op.class_name in lowerings
            decomposed = not linalg and op.implements("DecomposableOpInterface")
            rows.append(f"| `{op.name}` | [spec](Spec/{group}.md#fxgraph{op.name}) | {infer} | {yes(interpreter)} | "
                        f"{'decomposed' if decomposed else yes(linalg)} | {forms.get(op.name, '–')} | {len(op.overloads)} |")
            for i, value in enumerate((1, interpreter, linalg or decomposed, op.name in forms, len(op.overloads))):
                totals[i] += value
    lines.append(f"{totals[0]} ops: {totals[1]} interpreted, {totals[2]} lowered to linalg, {totals[3]} on a GPU, {totals[4]} PyTorch callables.")
    rows += ["", "## Not on a GPU", "", "What `--fxgraph-to-gpu` says of the samples.", "", "| Op | |", "|---|---|"]
    rows += [f"| `{op}` | {reason} |" for op, reason in refusals.items()]
    rows += WITH_PYTORCH.splitlines()
    return write_or_check(os.path.join("docs", "Status.md"), "\n".join(lines + rows + pass_rows()) + "\n", check)


if __name__ == "__main__":
    sys.exit(main())
