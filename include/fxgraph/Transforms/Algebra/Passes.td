// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same numbers from cheaper ops.

#ifndef FXGRAPH_TRANSFORMS_ALGEBRA_PASSES_TD
#define FXGRAPH_TRANSFORMS_ALGEBRA_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

def AlgebraEinsumToPointwisePass : FxGraphPDLLPass<"algebra-einsum-to-pointwise"> {
  let summary = "Turn einsums of one batched row and matrix into a product and a sum";
  let description = [{
    `einsum("abc,abcd->abd", x, w)` becomes `sum(unsqueeze(x, 3) * w; dim 2)` (Inductor's
    `einsum_to_pointwise_pass`): a chain of elementwise ops around it can then be one kernel.

    Guards: two operands; terms of that form under any distinct letters, no ellipsis;
    floating point; an `add` uses the result. Extents of 1 broadcast in both forms.

    Before and after: `test/Transforms/Algebra/einsum-to-pointwise-example.mlir`. Linear in
    the ops. Numeric class: reassociates; in 16 bits changes precision, as each product
    rounds: refused unless `numerics=relaxed`. Counter: `einsum_to_pointwise_pass`.
  }];
  let options = [
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"reassociate\"",
      "exact: do nothing; reassociate: 32 and 64 bits; relaxed: also 16 bits">];
}

def AlgebraGumbelMaxPass : FxGraphPDLLPass<"algebra-gumbel-max"> {
  let summary = "Sample from a softmax without computing it";
  let description = [{
    `argmax(softmax(l) / e; keepdim)` with `e` drawn from the exponential distribution of
    rate 1 becomes `argmax(l - log(e); keepdim)` (`apply_gumbel_max_trick_pass` of PyTorch's
    development branch): the same index of the same draw, for softmax and logarithm keep
    the order of a row.

    Guards: softmax and argmax are over the last dimension; softmax, draw and quotient have
    no other user; the quotient neither rounds nor broadcasts; the draw has rate 1;
    `keepdim`. Rows that hold NaN or +Inf differ: their softmax is NaN throughout, and the first
    element wins.

    Before and after: `test/Transforms/Algebra/gumbel-max-example.mlir`. Linear in the ops.
    Numeric class: changes precision (values that are equal or nearly so may change places).
    Counter: `apply_gumbel_max_trick_pass`.
  }];
  let options = [
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"relaxed\"", "It needs relaxed, and does nothing with exact or reassociate">];
}

#endif // FXGRAPH_TRANSFORMS_ALGEBRA_PASSES_TD
