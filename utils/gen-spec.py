#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/Spec/<Group>.md from the td files and the round-trip tests.

Semantics, operands, attributes, results and constraints come from the op's
definition; the example is the first op of the function of the op's name in
test/Dialect/IR/<group>.mlir, so that it is tested. `--check` compares instead
of writing and exits with 1 if a file is out of date.
"""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ods_records import load_ops, read, test_name, write_or_check

TITLES = {"Pointwise": "Elementwise ops", "View": "Data movement", "SplitCat": "Cutting and joining",
          "Contraction": "Matrix products", "ConvNorm": "Convolution, normalisation, pooling",
          "Reduction": "Reductions, scans, sorting", "Indexing": "Indexing by tensors",
          "Structural": "Constants, creation, writes, effects", "ControlFlow": "Regions, and calls that write",
          "Collective": "Collectives", "Packed": "Library ops and packed weights"}


def example(group, op):
    text = read("test", "Dialect", "IR", test_name(group) + ".mlir")
    body = re.search(r"func\.func @%s\(.*?\n\}" % re.escape(op.name), text, re.S)
    if body:
        lines = body.group(0).split("\n")
        for i, line in enumerate(lines):
            if f"fxgraph.{op.name} " in line:
                # With its regions.
                end = next(j for j in range(i, len(lines)) if sum(part.count("{") - part.count("}") for part in lines[i:j + 1]) <= 0)
                indent = len(line) - len(line.lstrip())
                return "\n".join(part[indent:] for part in lines[i:end + 1])
    sys.exit(f"expected a function @{op.name} with a fxgraph.{op.name} in test/Dialect/IR/{test_name(group)}.mlir")


def describe_value(value):
    kind = " (optional)" if value.optional else " (any number)" if value.variadic else ""
    return f"- `{value.name}`{kind}: {value.type}"


def describe_attribute(attribute):
    default = ""
    if attribute.default is not None:
        default = f", default `{attribute.default}`"
    elif attribute.optional:
        default = ", optional"
    return f"- `{attribute.name}`: {attribute.type}{default}"


def describe_op(group, op):
    lines = [f"## `fxgraph.{op.name}`", "", op.summary + ".", ""]
    if op.description:
        lines += [op.description, ""]
    oracle = next((text for text in op.overloads if text.startswith(("aten.", "prims."))), None) or next(iter(op.overloads), None)
    if oracle:
        lines += [f"Means what PyTorch's `{oracle.split('(')[0]}` means.", ""]
    for title, items in (("Inputs", map(describe_value, op.operands)), ("Attributes", map(describe_attribute, op.attributes)),
                         ("Outputs", map(describe_value, op.results))):
        items = list(items)
        if items:
            lines += [f"**{title}**", *items, ""]
    if op.same_type and len(op.operands) == 1:
        lines += ["The result has the type of the operand.", ""]
    if op.constraints:
        lines += ["**Constraints**", *[f"- ({label}) {text}" for label, text in op.constraints], ""]
    lines += ["**Example**", "```mlir", example(group, op), "```", ""]
    return lines


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit("usage: gen-spec.py [--check]")
    status = 0
    groups = load_ops()
    for group, ops in groups.items():
        lines = ["<!-- Written by utils/gen-spec.py from the td files; do not edit. -->", f"# {TITLES[group]}", "",
                 f"The ops of `Ops{group}.td`. A label in parentheses names a constraint: it stands beside the check in",
                 f"`lib/Dialect/IR` and begins the name of a test in `test/Dialect/IR/{test_name(group)}-invalid.mlir`. An extent that",
                 "is not known satisfies every constraint that it does not provably violate.", ""]
        lines += [", ".join(f"[`{op.name}`](#fxgraph{op.name})" for op in ops), ""]
        for op in ops:
            lines += describe_op(group, op)
        status |= write_or_check(os.path.join("docs", "Spec", f"{group}.md"), "\n".join(lines).rstrip() + "\n", check)
    return status


if __name__ == "__main__":
    sys.exit(main())
