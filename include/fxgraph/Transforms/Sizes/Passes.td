// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that vary.

#ifndef FXGRAPH_TRANSFORMS_SIZES_PASSES_TD
#define FXGRAPH_TRANSFORMS_SIZES_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

def SpecializeSizesPass : FxGraphPass<"specialize-sizes"> {
  let summary = "Give symbolic extents numbers";
  let description = [{
    `sizes=s0=4,s1=7` makes the graph one for these extents: the types of arguments whose
    extents have these symbols, what is computed from the sizes (`sym_size` and arithmetic,
    conditions), the types of all results that follow. `narrow` becomes `slice`, an
    `assert_scalar` that holds goes away. What is then for static shapes alone, as the GPU,
    can take the graph; symbols that are not named stay.

    Errors, each at the op that would fail in a run with these sizes: a condition that does
    not hold, a size below 0, `narrow` out of bounds, a shape that does not fit, extents of
    one symbol that come out different. Also: a symbol that no argument has.

    No pass of PyTorch: the counterpart is a recompilation of torch.compile with
    `dynamic=False` (torch/fx/experimental/symbolic_shapes.py specialises symbols by guards).
    Exact. Linear in the ops. Documented example: test/Transforms/Sizes/specialize-sizes-example.mlir.
  }];
  let options = [
    ListOption<"sizes", "sizes", "std::string", "SYMBOL=EXTENT, separated by commas">
  ];
}

#endif // FXGRAPH_TRANSFORMS_SIZES_PASSES_TD
