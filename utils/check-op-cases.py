#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every op has a case that runs it.

On the CPU and against PyTorch: CASES of python/tests/cases.py, for each op of the
dialect. On the GPU's code paths: test/Target/GPU/emulate-pointwise-ops.mlir, for each
op of the group Pointwise. The ops come from the td files. Exits with 1 if an op has no
case, or an exception below is not needed any more. Needs PyTorch (for the cases).
"""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ods_records import ROOT, load_ops, read

sys.path.insert(0, os.path.join(ROOT, "python", "tests"))
sys.path.insert(0, os.path.join(ROOT, "python"))

FUSED = "no PyTorch callable: passes make it; test/Integration/CPU/fused-ops.mlir"
CPU_EXCEPTIONS = {
    "linear_transpose": FUSED,
    "transpose_linear": FUSED,
    "transpose_matmul": FUSED,
    "mm_plus_mm": FUSED,
    "relu_nan_to_num": FUSED,
    "dot_compress": FUSED,
    "lce": FUSED,
    "constant": "no PyTorch callable; in nearly every other case",
    "copy_": "no PyTorch callable; test/Integration/CPU/shared-library.mlir and the cases that write",
    "assert_tensor_metadata": "no value; test/Reference/sizes.mlir and the captured gpt2",
    "narrow": "bounds that are index values; test/Integration/CPU/narrow.mlir and python/tests/test_symbolic.py",
    "opaque": "running it is an error; test/Reference/run-errors.mlir",
}
GPU_EXCEPTIONS = {
    "detach": "no arithmetic: a view for the fusion plan",
}


def report(kind, ops, covered, exceptions):
    """Number of complaints."""
    missing = [op for op in ops if op not in covered and op not in exceptions]
    stale = [op for op in exceptions if op in covered or op not in ops]
    for op in missing:
        print(f"{op}: no {kind} case")
    for op in stale:
        print(f"{op}: needs no exception from {kind} cases")
    print(f"{len(ops)} ops, {len(ops) - len(missing) - len(exceptions)} with a {kind} case, {len(exceptions)} exceptions")
    return len(missing) + len(stale)


def main():
    from cases import CASES
    # Another file serves the test of this script.
    emulated = read(*(sys.argv[1:] or [os.path.join("test", "Target", "GPU", "emulate-pointwise-ops.mlir")]))
    code = re.sub(r"//.*", "", emulated)
    groups = load_ops()
    wrong = report("CPU", [op.name for ops in groups.values() for op in ops], set(CASES), CPU_EXCEPTIONS)
    wrong += report("GPU", [op.name for op in groups["Pointwise"]], set(re.findall(r"\bfxgraph\.(\w+)", code)), GPU_EXCEPTIONS)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
