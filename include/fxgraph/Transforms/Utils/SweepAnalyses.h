// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What constraints of patterns ask of the graph as a whole, found once for a sweep.

#ifndef FXGRAPH_TRANSFORMS_UTILS_SWEEPANALYSES_H
#define FXGRAPH_TRANSFORMS_UTILS_SWEEPANALYSES_H

#include "fxgraph/Analysis/FrozenValues.h"
#include "mlir/IR/PatternMatch.h"

namespace fxgraph {

/// What no run changes, of the graph whose patterns run with this rewriter: found when a sweep first asks, and kept up
/// to date from there. Rewrites keep the values that they replace, and what is frozen with them; ops are taken in as
/// they are made, and forgotten as they are erased.
const FrozenValues &getFrozenValues(mlir::PatternRewriter &rewriter);

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_UTILS_SWEEPANALYSES_H
