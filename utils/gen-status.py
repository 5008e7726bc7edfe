#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/Status.md: what exists for each op and each pass.

The columns come from the sources: type inference from the td files, evaluators
from the registrations in lib/Reference, lowerings from the pattern lists in
lib/Conversion/FxGraphToLinalg, the PyTorch overloads from the td files. Nothing
is kept by hand. `--check` compares instead of writing and exits with 1 if the
file is out of date.
"""

import os
import re
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


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit("usage: gen-status.py [--check]")
    evaluators = evaluated(sources("lib", "Reference"))
    lowerings = lowered(sources("lib", "Conversion", "FxGraphToLinalg"))
    groups = load_ops()
    lines = ["<!-- Written by utils/gen-status.py from the sources; do not edit. -->", "# Status", "",
             "What exists for each op. *Infer*: how the result types are known: `function` (a type inference function), `operand`",
             "(the operand's type) or `stated` (the op's text says it). *Interpreter*: an evaluator in `lib/Reference`. *Linalg*: a",
             "conversion pattern in `lib/Conversion/FxGraphToLinalg`, or `decomposed`: the op is defined by others. *Overloads*: the number",
             "of PyTorch callables that import as the op (listed in the td files); 0 for ops that only passes and the importer itself make.", ""]
    rows, totals = [], [0, 0, 0, 0]
    for group, ops in groups.items():
        rows += ["", f"## {group}", "", "| Op | Spec | Infer | Interpreter | Linalg | Overloads |", "|---|---|---|---|---|---|"]
        for op in ops:
            infer = "function" if op.infers or "InferTypeOpInterface" in op.interfaces else "operand" if op.same_type else "stated"
            interpreter, linalg = op.class_name in evaluators, op.class_name in lowerings
            decomposed = not linalg and op.implements("DecomposableOpInterface")
            rows.append(f"| `{op.name}` | [spec](Spec/{group}.md#fxgraph{op.name}) | {infer} | {yes(interpreter)} | "
                        f"{'decomposed' if decomposed else yes(linalg)} | {len(op.overloads)} |")
            for i, value in enumerate((1, interpreter, linalg or decomposed, len(op.overloads))):
                totals[i] += value
    lines.append(f"{totals[0]} ops: {totals[1]} interpreted, {totals[2]} lowered to linalg, {totals[3]} PyTorch callables.")
    return write_or_check(os.path.join("docs", "Status.md"), "\n".join(lines + rows + pass_rows()) + "\n", check)


if __name__ == "__main__":
    sys.exit(main())
