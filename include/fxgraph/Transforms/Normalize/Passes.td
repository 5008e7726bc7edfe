// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One spelling per meaning.

#ifndef FXGRAPH_TRANSFORMS_NORMALIZE_PASSES_TD
#define FXGRAPH_TRANSFORMS_NORMALIZE_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

def NormalizePass : FxGraphPass<"normalize"> {
  let summary = "Give each meaning one spelling: dims, sections, shapes, bounds";
  let description = [{
    Inductor's `normalization_pass`, and the same for the ops that Inductor leaves to
    its decompositions:

    - `split` and `chunk` become `split_with_sizes`;
    - dimensions count from 0 (in `stack` and `unsqueeze` in the rank of the result);
      lists whose order does not matter are sorted; `transpose` names the lower one first;
      an empty list of reduced dimensions, which means all, is dropped;
    - the -1 of `reshape`, `view`, `expand` is resolved where the extent is known;
    - bounds of `slice` and `slice_scatter` and the index of `select` are clamped and
      counted from 0 where the extent is known;
    - with `flatten-to-reshape`, `flatten` and `unflatten` of static shapes become `reshape`;
    - with `view-to-reshape` and `transpose-to-permute`, `view` becomes `reshape` and `transpose` becomes
      `permute` (the pre-dispatch list's `normalize_node_kwargs_pass`: operands stand in schema order and
      attributes have their defaults in this dialect anyway).

    Exact; one walk over the ops. The counter `normalization_pass` counts changed split-
    and cat-like ops. Inductor also counts every `unbind` and `stack` that is canonical
    already; here a second run changes and counts nothing.
    Documented example: test/Transforms/Normalize/normalize-example.mlir.
  }];
  let options = [
    Option<"flattenToReshape", "flatten-to-reshape", "bool", "true", "write flatten and unflatten of static shapes as reshape">,
    Option<"viewToReshape", "view-to-reshape", "bool", "false", "write view as reshape">,
    Option<"transposeToPermute", "transpose-to-permute", "bool", "false", "write transpose as permute">,
    Option<"counter", "counter", "::fxgraph::OptionText", "\"normalization_pass\"", "Inductor's name of what runs">,
    Option<"countSynonyms", "count-synonyms", "bool", "false", "count reshapes and permutes that were spelled otherwise, too">
  ];
}

#endif // FXGRAPH_TRANSFORMS_NORMALIZE_PASSES_TD
