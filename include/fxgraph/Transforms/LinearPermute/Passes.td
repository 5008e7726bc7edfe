// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Permutations disappear into the matrix products beside them.

#ifndef FXGRAPH_TRANSFORMS_LINEARPERMUTE_PASSES_TD
#define FXGRAPH_TRANSFORMS_LINEARPERMUTE_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

def LinearPermuteFusePass : FxGraphPDLLPass<"linear-permute-fuse"> {
  let summary = "Fuse linears and matrix products with permutes of the last two dimensions";
  let description = [{
    Three groups of patterns, run in this order (Inductor's `permute_fusion`):

    * `linear-permute`: `permute(linear(x, W, b))` becomes `linear_transpose(x, W, b)`;
    * `permute-linear`: `linear(permute(x), W, b)` becomes `transpose_linear(x, W, b)`;
    * `permute-matmul`: `matmul` or `bmm` with one or two permuted operands becomes
      `transpose_matmul`.

    The permutation may be spelled `permute` or `transpose`, with any dims, as long as
    it means the exchange of the last two. Guards: weights of rank 2, biases [n] or
    none; for `linear-permute` the linear has no other user (`allow-recompute` fuses
    then too, as Inductor does, and computes the product twice). A permute with other
    users stays for them.

    Before and after: `test/Transforms/LinearPermute/fuse-example.mlir`. Linear in the
    ops. Numeric class: reassociates. Inductor counts none of them; we count
    `linear_permute_fusion`, `permute_linear_fusion` and `permute_matmul_fusion`.
  }];
  let options = [
    Option<"minRank", "min-rank", "unsigned", "2", "Fuse permutations of at least this rank (Inductor: 3)">,
    ListOption<"enablePatterns", "enable-patterns", "::fxgraph::OptionText",
      "Pattern groups to run: linear-permute, permute-linear, permute-matmul (default: all)">,
    Option<"allowRecompute", "allow-recompute", "bool", "false", "Fuse permute(linear) even if the linear has other users">,
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"reassociate\"", "exact: do nothing; reassociate or relaxed: fuse">];
}

#endif // FXGRAPH_TRANSFORMS_LINEARPERMUTE_PASSES_TD
