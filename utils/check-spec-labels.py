#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the constraint labels of the td files, the verifiers and the tests.

A constraint is declared in an op's definition ("conv_c2: …"), named in a comment
beside the check in lib/Dialect/IR ("// conv_c2") and violated by a function of
test/Dialect/IR/*-invalid.mlir whose name begins with it (@conv_c2_input).
Exits with 1 if one of the three lacks a label that another has.
"""

import os
import re
import sys
from glob import glob

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ods_records import ROOT, load_ops

LABEL = r"[a-z][a-z0-9_]*_c\d+"


def collect(pattern, regex, root):
    """Label -> files that have it."""
    found = {}
    for path in sorted(glob(os.path.join(root, pattern))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for match in re.finditer(regex, text, re.M):
            for label in re.findall(LABEL, match.group(1)):
                found.setdefault(label, set()).add(os.path.relpath(path, root))
    return found


def main():
    # Another root serves the test of this script.
    root = sys.argv[1] if len(sys.argv) > 1 else ROOT
    declared = {}
    if len(sys.argv) > 1:
        declared = collect("include/fxgraph/Dialect/IR/*.td", rf'"({LABEL}): ', root)
    else:
        for ops in load_ops().values():
            for op in ops:
                for constraint in op.constraints:
                    if len(constraint) != 2 or not re.fullmatch(LABEL, constraint[0]):
                        sys.exit(f"fxgraph.{op.name}: expected '<label>: <text>' but got {constraint}")
                    declared.setdefault(constraint[0], set()).add(op.name)
    checked = collect("lib/Dialect/IR/*.[ch]*", rf"^\s*// ({LABEL}(?:, {LABEL})*)$", root)
    tested = collect("test/Dialect/IR/*-invalid.mlir", rf"func\.func @({LABEL})(?=_|\()", root)
    sides = {"the td files": declared, "a verifier": checked, "a test": tested}
    status = 0
    for label in sorted(set().union(*sides.values())):
        missing = [side for side, labels in sides.items() if label not in labels]
        if missing:
            status = 1
            places = sorted(set().union(*(labels.get(label, set()) for labels in sides.values())))
            print(f"{label}: missing in {' and '.join(missing)} (found in {', '.join(places)})")
    print(f"{len(declared)} constraints declared, {len(checked)} checked, {len(tested)} tested")
    if not declared:
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
