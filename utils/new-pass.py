#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the stubs of everything that a pass needs.

    utils/new-pass.py FAMILY NAME "Summary, imperative"
    utils/new-pass.py SplitCat merge-splits "Merge a split of a piece into the outer split"

FAMILY is a folder of lib/Transforms; NAME the flag without `fxgraph-<family>-`.
Creates the td def, lib/Transforms/FAMILY/Name.cpp and the three tests; what is
left to write is marked with FILL IN, and the tests fail until it is done.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LICENSE = """// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

TD = """
def {cls}Pass : FxGraphPass<"{flag}"> {{
  let summary = "{summary}";
  let description = [{{
    FILL IN: what and why, the guards, what is not done; the source in PyTorch.
    Numeric class: FILL IN. Complexity: FILL IN.

    Example: test/Transforms/{family}/{name}-example.mlir
  }}];
}}
"""

CPP = """{license}//
// FILL IN: purpose, algorithm, complexity, source.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/{family}/Passes.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"

namespace fxgraph {{
#define GEN_PASS_DEF_{upper}PASS
#include "fxgraph/Transforms/{family}/Passes.h.inc"
}} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kind = {{"{name}", /*FILL IN Inductor's counter, or empty*/ "", NumericClass::Exact}};

// Pattern: FILL IN: f(g(x)) -> h(x) [if cond]
static void rewrite(Operation *op, RewriteSession &session) {{
  // All checks come before the first change:
  //   if (…) return session.missed(op->getLoc(), kind, "reason");
  //   session.begin(kind);
  //   session.getRewriter().replaceOp(op, …);
  //   session.applied(loc);
}}

namespace {{
struct {cls}Pass : public fxgraph::impl::{cls}PassBase<{cls}Pass> {{
  using Base::Base;

  void runOnOperation() override {{
    RewriteSession session(*this);
    // FILL IN: if (session.lacks<OpOrInterface>()) return; so that other graphs are not walked.
    SmallVector<Operation *> candidates;
    // FILL IN: for (Operation *op : session.collect<OpOrInterface>()), if it is one: candidates.push_back(op);
    if (candidates.empty())
      return;
    // A result of the graph must not come to share storage with an argument.
    BoundaryGuard guard(session);
    guard.snapshot();
    for (Operation *op : candidates)
      rewrite(op, session);
    // FILL IN: session.eraseDeadOps(…) for what lost its users.
    guard.restore();
    if (!session.isValid())
      signalPassFailure();
  }}
}};
}} // namespace
"""

NEGATIVE = """// RUN: fx-opt %s --fxgraph-{flag} | FileCheck %s
// RUN: fx-opt %s --fxgraph-{flag} --remarks-filter="fxgraph.*" --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REASON

// FILL IN: one function a guard, one small step away from the pattern.
// CHECK-LABEL: func @fill_in
// REASON: FILL IN
"""

TEST = """// RUN: fx-opt %s --fxgraph-{flag} | FileCheck %s

// FILL IN: one function a case, named for the case.
// CHECK-LABEL: func @fill_in
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family")
    parser.add_argument("name")
    parser.add_argument("summary")
    args = parser.parse_args()

    td = ROOT / f"include/fxgraph/Transforms/{args.family}/Passes.td"
    if not td.exists():
        families = sorted(p.parent.name for p in (ROOT / "include/fxgraph/Transforms").glob("*/Passes.td"))
        sys.exit(f"new-pass: no family '{args.family}': expected one of {', '.join(families)}")
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", args.name):
        sys.exit(f"new-pass: expected a name such as merge-splits but got '{args.name}'")
    prefix = {"LinearPermute": "linear-permute", "GroupFusion": "group", "NoOp": "noop"}.get(args.family, args.family.lower())
    cls = "".join(part.capitalize() for part in args.name.split("-"))
    fields = dict(cls=cls, upper=cls.upper(), name=args.name, family=args.family, summary=args.summary, license=LICENSE,
                  flag=f"{prefix}-{args.name}")
    files = {ROOT / f"lib/Transforms/{args.family}/{cls}.cpp": CPP}
    for suffix in ("", "-negative", "-example"):
        files[ROOT / f"test/Transforms/{args.family}/{args.name}{suffix}.mlir"] = NEGATIVE if suffix == "-negative" else TEST
    for path in files:
        if path.exists():
            sys.exit(f"new-pass: {path.relative_to(ROOT)} is there already")
    text = td.read_text()
    end = text.rindex("\n#endif")
    td.write_text(text[:end] + TD.format(**fields) + text[end:])
    print(f"  changed {td.relative_to(ROOT)}")
    for path, template in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(template.format(**fields))
        print(f"  wrote   {path.relative_to(ROOT)}")
    print(f"Next: fill them in, list the pass in lib/Pipelines if a pipeline runs it, then\n"
          f"  cmake --build build --target fx-opt && /usr/lib/llvm-22/bin/lit -v build/test/Transforms/{args.family}")


if __name__ == "__main__":
    main()
