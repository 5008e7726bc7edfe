#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/Passes/Hazards.md are true.

Every pass has one row of hazards; every cell names tests, says `step`, or says why there is
none. A test is a function of a `.mlir` file of the pass's folder with a RUN line that runs
the pass; `file:function` names the file, too. Steps are functions of
test/Transforms/near-examples.py. Positive tests and counts are files, or functions in them,
below test/Transforms or the root. Exits with 1 and a line for each thing that is not so.

    check-hazards.py [ROOT]
"""

import glob
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ods_records import ROOT, load_passes

STEPS = "near-examples.py"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Files:
    """The lit files of one family, read once."""

    def __init__(self, root, family):
        self.folder = os.path.join(root, "test", "Transforms", family)
        self.texts = {os.path.basename(path): read(path) for path in glob.glob(os.path.join(self.folder, "*.mlir"))}

    def functions(self, name):
        return set(re.findall(r"func\.func @([\w-]+)", self.texts[name]))

    def running(self, flag):
        """The files with a RUN line of the pass."""
        pattern = re.compile(rf"RUN:.*fxgraph-{re.escape(flag)}(?![\w-])|^// RUN:[^\n]*\\\n// RUN:[^\n]*fxgraph-{re.escape(flag)}(?![\w-])", re.M)
        return {name for name, text in self.texts.items() if pattern.search(text)}


def exists(root, test):
    """Whether `path` or `path:function` is there."""
    path, _, function = test.partition(":")
    places = [os.path.join(root, *prefix, path) for prefix in (("test", "Transforms"), ())]
    return any(os.path.isfile(place) and (not function or f"func.func @{function}(" in read(place)) for place in places)


def tables(text):
    """(heading, columns, rows) of each table; a row is its cells."""
    found, heading = [], ""
    for line in text.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if found and found[-1][3]:
                if not set(cells[0]) <= set("-: "):
                    found[-1][2].append(cells)
            else:
                found.append([heading, cells, [], True])
            continue
        if found:
            found[-1][3] = False
    return [(heading, columns, rows) for heading, columns, rows, _ in found]


def check(root):
    wrong = []
    text = read(os.path.join(root, "docs", "Passes", "Hazards.md"))
    families = {record["argument"].removeprefix("fxgraph-"): family for family, passes in load_passes().items() for record in passes}
    steps = set(re.findall(r"^@change\ndef (\w+)", read(os.path.join(root, "test", "Transforms", STEPS)), re.M))
    files, seen, named, cells = {}, {}, set(), 0
    for heading, columns, rows in tables(text):
        for row in rows:
            name = row[0].strip("`")
            if columns[0] == "Hazard":
                listed = set(re.findall(r"`(\w+)`", row[-1]))
                named |= listed
                wrong += [f"{row[0]}: no step '{step}' in {STEPS}" for step in sorted(listed - steps)]
                continue
            if columns[0] in ("Inductor's pass", "Of all passes at once"):
                for test in re.findall(r"`([^`]+)`", " ".join(row[1:] if len(row) == 2 else row[2:])):
                    cells += 1
                    wrong += [] if exists(root, test) else [f"{row[0]}: no test '{test}'"]
                continue
            if columns[0] != "Pass":
                continue
            if name not in families:
                wrong.append(f"{heading}: no pass 'fxgraph-{name}'")
                continue
            seen[name] = seen.get(name, 0) + 1
            family = families[name]
            mine = files.setdefault(family, Files(root, family))
            running = mine.running(name)
            if len(row) != len(columns):
                wrong.append(f"{name}: expected {len(columns)} cells but got {len(row)}")
            for column, cell in zip(columns[1:], row[1:]):
                cells += 1
                tests = re.findall(r"`([^`]+)`", cell)
                if not tests and cell != "step" and not re.fullmatch(r"n/a: \S.*", cell):
                    wrong.append(f"{name}, {column}: expected tests, 'step' or 'n/a: why' but got '{cell}'")
                for test in tests:
                    file, _, function = test.rpartition(":")
                    places = {file + ".mlir"} if file else running
                    if not any(place in running and function in mine.functions(place) for place in places):
                        wrong.append(f"{name}, {column}: no test '{test}' that runs the pass")
    without = re.search(r"^Without rewrites of their own: (.*?)\.$", text, re.M | re.S)
    for name in re.findall(r"`([\w-]+)`", without[1] if without else ""):
        seen[name] = seen.get(name, 0) + 1
    wrong += [f"{name}: expected one row but got {seen.get(name, 0)}" for name in families if seen.get(name, 0) != 1]
    wrong += [f"step '{step}' is in no table" for step in sorted(steps - named)]
    return wrong, len(families), cells


def main():
    if len(sys.argv) > 2:
        sys.exit("usage: check-hazards.py [ROOT]")
    wrong, passes, cells = check(sys.argv[1] if len(sys.argv) == 2 else ROOT)
    for line in wrong:
        print(line)
    print(f"{passes} passes, {cells} cells, {len(wrong)} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
