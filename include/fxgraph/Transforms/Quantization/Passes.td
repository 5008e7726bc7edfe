// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a graph goes from floats to integers.

#ifndef FXGRAPH_TRANSFORMS_QUANTIZATION_PASSES_TD
#define FXGRAPH_TRANSFORMS_QUANTIZATION_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

def QuantizationLiftUpPass : FxGraphPass<"quantization-lift-up"> {
  let summary = "Quantize before views instead of after them";
  let description = [{
    `quantize_per_tensor(permute(view(y)))` becomes `permute(view(quantize_per_tensor(y)))`
    (Inductor's `quant_lift_up`): the quantization meets the op that makes `y`, and the views
    move bytes instead of floats.

    Lifts over all views that hold every element once, and over `expand` and `repeat`
    (fewer elements to quantize). Guards: each value on the way, and `y`, has no other user;
    all in one block. Not done: views that select (more elements to quantize), pads and
    triangles (their zeros would not be quantized), per-channel quantization (the axis would
    move; such ops are opaque here).

    Before and after: `test/Transforms/Quantization/lift-up-example.mlir`. Linear in the ops.
    Numeric class: exact. Counter: `quant_lift_up_count`.
  }];
}

#endif // FXGRAPH_TRANSFORMS_QUANTIZATION_PASSES_TD
