#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Begins a new op.

    utils/new-op.py GROUP NAME "summary"        e.g.  utils/new-op.py Pointwise sinc "sin(pi x) / (pi x)"

GROUP is one of the op groups (Pointwise, View, SplitCat, Contraction, ConvNorm,
Reduction, Indexing, Structural). Adds the ODS record and, but for Pointwise, the
type inference stub; what is left to write in them is marked with FILL IN. In
Pointwise the op is a unary function of the reals: for another kind change the base
class. The other steps are printed; docs/Developer/AddOp.md explains each.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "utils"))
from ods_records import test_name  # noqa: E402

UNARY_TD = """
def FxGraph_{cls}Op : FxGraph_FloatUnaryOp<"{name}"> {{ let summary = "{summary}"; }}
"""
GENERAL_TD = """
def FxGraph_{cls}Op : FxGraph_InferredOp<"{name}", [Pure]> {{
  let summary = "{summary}";
  let description = [{{
    FILL IN: shapes, dtypes, errors, PyTorch's rule.
  }}];
  let arguments = (ins FxGraph_Tensor:$input); // FILL IN
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.{name}.default(input)", "torch.{name}(input)"]; // FILL IN
}}
"""
INFERENCE = """
LogicalResult {cls}Op::inferReturnTypes(MLIRContext *, std::optional<Location> loc, {cls}Op::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {{
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  return emitOptional(loc) << "FILL IN: infer the result of {name} on " << input;
}}
"""


def insert_before(path, marker, text):
    content = path.read_text()
    at = content.rindex(marker)
    path.write_text(content[:at] + text.lstrip("\n") + "\n" + content[at:])
    print(f"  changed {path.relative_to(ROOT)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("group")
    parser.add_argument("name")
    parser.add_argument("summary")
    args = parser.parse_args()

    td = ROOT / f"include/fxgraph/Dialect/IR/Ops{args.group}.td"
    if not td.exists():
        groups = sorted(p.stem[3:] for p in td.parent.glob("Ops*.td"))
        sys.exit(f"new-op: no group '{args.group}': expected one of {', '.join(groups)}")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", args.name):
        sys.exit(f"new-op: expected an ATen name such as log_sigmoid but got '{args.name}'")
    for other in td.parent.glob("Ops*.td"):
        if re.search(rf'<"{args.name}"[,>]', other.read_text()):
            sys.exit(f"new-op: {other.relative_to(ROOT)} has \"{args.name}\" already")
    unary = args.group == "Pointwise"
    fields = dict(cls="".join(part.capitalize() for part in args.name.split("_")), name=args.name, summary=args.summary)
    insert_before(td, "\n#endif", (UNARY_TD if unary else GENERAL_TD).format(**fields))
    if not unary:
        insert_before(ROOT / f"lib/Dialect/IR/Ops{args.group}.cpp", "#define GET_OP_CLASSES", INFERENCE.format(**fields))
    print(f"Next (docs/Developer/AddOp.md):\n"
          f"  move the record beside its kin in {td.relative_to(ROOT)}\n"
          + ("" if unary else f"  fill in its inference in lib/Dialect/IR/Ops{args.group}.cpp\n") +
          f"  lib/Reference/{args.group}.cpp                      the evaluator\n"
          f"  lib/Conversion/FxGraphToLinalg/{args.group}.cpp     the CPU\n"
          f"  test/Dialect/IR/{test_name(args.group)}.mlir, python/tests/cases.py, test/Reference/torch-diff.py\n"
          f"  test/Backend/GPU/op-samples.mlir{', test/Backend/GPU/Emit/emulate-pointwise-ops.mlir' if unary else ''}\n"
          f"  make docs && make check")


if __name__ == "__main__":
    main()
