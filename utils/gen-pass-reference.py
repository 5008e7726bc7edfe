#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/Passes/Reference.md: description and options of each pass, from the td files.

`--check` compares instead of writing and exits with 1 if the file is out of date.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ods_records import ROOT, load_passes, run_tblgen, write_or_check


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit("usage: gen-pass-reference.py [--check]")
    parts = ["<!-- Written by utils/gen-pass-reference.py from the sources; do not edit. -->", "# Passes",
             "Each pass is a flag of `fx-opt` and of `mlir-opt` with the plugin, and a name in a pipeline. The pages beside this one say how the",
             "passes of a family belong together.", ""]
    for family in load_passes():
        path = os.path.join(ROOT, "include", "fxgraph", "Transforms", family, "Passes.td")
        text = run_tblgen("mlir-tblgen", path, "-gen-pass-doc")
        body = text.split("-->", 1)[1].strip()
        parts += [f"## {family}", "", body, ""]
    return write_or_check(os.path.join("docs", "Passes", "Reference.md"), "\n".join(line.rstrip() for line in "\n".join(parts).split("\n")), check)


if __name__ == "__main__":
    sys.exit(main())
