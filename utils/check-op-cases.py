#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every op has its places.

An evaluator in lib/Reference; a lowering in lib/Conversion/FxGraphToLinalg, or a
definition by other ops; a case in CASES of python/tests/cases.py, which runs it on the
CPU and against PyTorch; and, of what the group Pointwise lowers, a case in
test/Backend/GPU/Emit/emulate-pointwise-ops.mlir. The ops come from the td files.
Exits with 1 if a place is empty, or an exception below is not needed any more. Needs
PyTorch (for the cases).
"""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ods_records import ROOT, evaluated, load_ops, lowered, read, sources

sys.path.insert(0, os.path.join(ROOT, "python", "tests"))
sys.path.insert(0, os.path.join(ROOT, "python"))

FUSED = "no PyTorch callable: passes make it; test/Integration/CPU/fused-ops.mlir"
GROUP = "needs a group of processes: python/tests/test_collectives.py, test/Reference/grid.mlir"
CPU_EXCEPTIONS = {
    "all_reduce": GROUP,
    "all_reduce_coalesced": GROUP,
    "all_gather_into_tensor": GROUP,
    "reduce_scatter_tensor": GROUP,
    "wait_tensor": GROUP,
    "all_gather_into_tensor_coalesced": GROUP,
    "reduce_scatter_tensor_coalesced": GROUP,
    "broadcast": GROUP,
    "all_to_all_single": GROUP,
    "fused_all_gather_matmul": GROUP,
    "fused_matmul_reduce_scatter": GROUP,
    "fused_all_gather_scaled_matmul": GROUP,
    "fused_scaled_matmul_reduce_scatter": GROUP,
    "linear_transpose": FUSED,
    "transpose_linear": FUSED,
    "transpose_matmul": FUSED,
    "mm_plus_mm": FUSED,
    "relu_nan_to_num": FUSED,
    "dot_compress": FUSED,
    "lce": FUSED,
    "int_mm_mul": FUSED,
    "grouped_mm": FUSED,
    "b2b_gemm": FUSED,
    "linear_pointwise": "the CPU library's; test/Integration/CPU/fused-ops.mlir and python/tests/test_packed.py",
    "convolution_pointwise": "the CPU library's; test/Integration/CPU/fused-ops.mlir and python/tests/test_packed.py",
    "qlinear_pointwise": "the CPU library's; test/Integration/CPU/fused-ops.mlir and python/tests/test_packed.py",
    "qconv_pointwise": "the CPU library's; test/Integration/CPU/fused-ops.mlir and python/tests/test_packed.py",
    "weight_int4pack_mm": "the CPU library's; test/Integration/CPU/fused-ops.mlir and python/tests/test_packed.py",
    "invoke_quant": "a region; test/Integration/CPU/fused-ops.mlir and python/tests/test_higher_order.py",
    "constant": "no PyTorch callable; in nearly every other case",
    "copy_": "no PyTorch callable; test/Integration/CPU/shared-library.mlir and the cases that write",
    "assert_scalar": "no value; test/Reference/sizes.mlir",
    "assert_tensor_metadata": "no value; test/Reference/sizes.mlir and the captured gpt2",
    "narrow": "bounds that are index values; test/Integration/CPU/narrow.mlir and python/tests/test_symbolic.py",
    "opaque": "running it is an error; test/Reference/run-errors.mlir",
    "auto_functionalized": "running it is an error; test/Reference/control-flow.mlir",
    **dict.fromkeys(["cond", "while_loop", "map", "scan", "yield"],
                    "takes graphs; python/tests/test_higher_order.py and test/Integration/CPU/control-flow.mlir"),
}
EVALUATOR_EXCEPTIONS = {"yield": "the op around it runs the region that it ends"}
LOWERING_EXCEPTIONS = dict.fromkeys(["opaque", "auto_functionalized"], "refused before the lowering, by the name of the callable")
GPU_EXCEPTIONS = {
    "detach": "no arithmetic: a view for the fusion plan",
}


def report(place, ops, covered, exceptions):
    """Number of complaints."""
    missing = [op for op in ops if op not in covered and op not in exceptions]
    stale = [op for op in exceptions if op in covered or op not in ops]
    for op in missing:
        print(f"{op}: no {place}")
    for op in stale:
        print(f"{op}: needs no exception, it has its {place}")
    print(f"{len(ops)} ops, {len(ops) - len(missing) - len(exceptions)} with {place}, {len(exceptions)} exceptions")
    return len(missing) + len(stale)


def main():
    from cases import CASES
    # Another file, and another folder of sources, serve the test of this script.
    given = dict(enumerate(sys.argv[1:]))
    emulated, lib = read(given.get(0, os.path.join("test", "Backend", "GPU", "Emit", "emulate-pointwise-ops.mlir"))), given.get(1, "lib")
    code = re.sub(r"//.*", "", emulated)
    groups = load_ops()
    ops = [op for group in groups.values() for op in group]
    names = [op.name for op in ops]
    evaluators, lowerings = (sources(lib, *folder) for folder in (["Reference"], ["Conversion", "FxGraphToLinalg"]))
    wrong = report("evaluator", names, {op.name for op in ops if op.class_name in evaluated(evaluators)}, EVALUATOR_EXCEPTIONS)
    has_lowering = {op.name for op in ops if op.class_name in lowered(lowerings) or op.implements("DecomposableOpInterface")}
    wrong += report("lowering", names, has_lowering, LOWERING_EXCEPTIONS)
    wrong += report("CPU case", names, set(CASES), CPU_EXCEPTIONS)
    on_gpu = [op.name for op in groups["Pointwise"] if op.name in has_lowering]
    wrong += report("GPU case", on_gpu, set(re.findall(r"\bfxgraph\.(\w+)", code)), GPU_EXCEPTIONS)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
