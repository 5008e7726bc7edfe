// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention written out, as scaled_dot_product_attention (torch/_inductor/fx_passes/fuse_attention.py).

#ifndef FXGRAPH_TRANSFORMS_ATTENTION_PASSES_TD
#define FXGRAPH_TRANSFORMS_ATTENTION_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

def AttentionFusePass : FxGraphPDLLPass<"attention-fuse"> {
  let summary = "Fuse attention that is written out";
  let description = [{
    `softmax(mask(q x k^T * scale)) x v` becomes `scaled_dot_product_attention` (Inductor's `_sfdp_pattern_1` to
    `_30`). Instead of a trace for each spelling there are four patterns, which look through

    * scale: numbers that multiply or divide the product, the query or the key, in any number; none;
    * mask: none; added; `where` and `masked_fill` with a number of at most -10000; up to four of these
      on top of each other; the summand of `baddbmm`;
    * softmax: the op, written out (`amax`, `sub`, `exp`, `sum`, `div`), PyTorch's safe one;
    * layout: any leading dimensions, permuted or not; merged for `bmm` and taken apart again
      (`expand`, `clone`, `view`), also between mask and softmax; a key in either order;
    * casts between floats, copies, dropout that drops nothing, assertions that hold by the types.

    Guards: query, key and value are of one dtype and device; what is fused has no other users
    (permuted keys and values, which models return, may have); the mask broadcasts to the scores, is no number, and is
    f32 or of the query's dtype where it is added; the scale is a finite number other than zero; the softmax is over the last
    dimension. Dropout that draws stays, as the op has none, and so does the training form, whose
    weights the backward pass uses.

    A row that a mask hides throughout is zero in the fused op. It keeps eager's value, NaN for -inf and the mean of the values for
    a finite fill, by a `where` after the attention, unless the mask is known to leave something to see in each row;
    with `keep-hidden-rows=false` the caller promises that. Where 16 bits hold the sum of scores and an added mask,
    the mask is made lower in rows of nothing but numbers up to -10000, as the fused op adds in 32 bits. Not kept: where a hidden key holds NaN or infinities, the row is NaN; scores
    of -inf throughout without a mask's doing (infinities in query and key) give zero.

    Before and after: `test/Transforms/Attention/fuse-example.mlir`. Linear in the ops. Numeric class: reassociates; in 16
    bits changes precision, as less is rounded. Counter: `fuse_attention`.
  }];
  let options = [
    Option<"keepHiddenRows", "keep-hidden-rows", "bool", "true", "Rows that a mask hides throughout keep eager's value">,
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"relaxed\"",
      "exact: do nothing; reassociate: 32 and 64 bits; relaxed: also 16 bits">];
}

#endif // FXGRAPH_TRANSFORMS_ATTENTION_PASSES_TD
