#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many of the rules of lib/Transforms are declarative.

A rule is one pattern: in PDLL a `Pattern`, in DRR a def of a class of patterns. In C++ it is
a class of rewrite patterns, a rule of the group fusions that builds by itself, or, in a file
that rewrites by hand (RewriteSession::begin), each rewrite that a comment `Pattern:` states,
one at least. Of a template only the template counts. Prints a table by family; with --check
exits with 1 if fewer than half are declarative.

    count-patterns.py [--check] [ROOT]
"""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ods_records import ROOT, read

# The engine's own parts, and passes that run others.
NOT_RULES = ("Utils", "Driver", "Report")


def count_drr(text):
    classes = {"Pat", "Pattern"}
    for name, base in re.findall(r"^class (\w+).*? : (\w+)<", text, re.M):
        if base in classes:
            classes.add(name)
    return sum(base in classes for base in re.findall(r"^def \w+ : (\w+)<", text, re.M))


def count_pdll(text):
    return len(re.findall(r"^Pattern\b", text, re.M))


def count_code(text):
    classes = len(re.findall(r"(?:struct|class) \w+ : public [\w:]*RewritePattern<", text))
    # A rule of the engine: GroupRule's first `fuse`.
    groups = len(re.findall(r"^  SmallVector<Value> fuse\(mlir::ImplicitLocOpBuilder &\w+, ArrayRef<Operation \*> \w+\) const override", text, re.M))
    stated = len(re.findall(r"^\s*//.*\bPattern: ", text, re.M))
    by_hand = max(stated - classes, 1) if re.search(r"(?:session|rewriter)(?:\.|->)begin\(", text) else 0
    return classes + groups + by_hand


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
    folder = os.path.join(arguments[0] if arguments else ROOT, "lib", "Transforms")
    totals = [0, 0, 0]
    print(f"{'family':<16}{'PDLL':>6}{'DRR':>6}{'C++':>6}")
    for family in sorted(os.listdir(folder)):
        if family in NOT_RULES or not os.path.isdir(os.path.join(folder, family)):
            continue
        counts = [0, 0, 0]
        for name in os.listdir(os.path.join(folder, family)):
            text = read(os.path.join(folder, family, name))
            if name.endswith(".pdll"):
                counts[0] += count_pdll(text)
            elif name.endswith(".td"):
                counts[1] += count_drr(text)
            elif name.endswith((".cpp", ".h")):
                counts[2] += count_code(text)
        if any(counts):
            print(f"{family:<16}" + "".join(f"{count:>6}" for count in counts))
        totals = [total + count for total, count in zip(totals, counts)]
    declarative, rules = totals[0] + totals[1], sum(totals)
    print(f"{'all':<16}" + "".join(f"{count:>6}" for count in totals))
    print(f"{declarative} of {rules} rules are declarative: {100 * declarative / max(rules, 1):.0f} %")
    return "--check" in sys.argv and 2 * declarative < rules


if __name__ == "__main__":
    sys.exit(main())
