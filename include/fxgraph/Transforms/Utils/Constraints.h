// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards shared by DRR (Constraints.td), PDLL (Constraints.pdll) and C++.

#ifndef FXGRAPH_TRANSFORMS_UTILS_CONSTRAINTS_H
#define FXGRAPH_TRANSFORMS_UTILS_CONSTRAINTS_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/PatternMatch.h"

namespace fxgraph {

/// For constraints that refuse a real candidate: says why in a missed remark of the
/// session that runs the pattern. A constraint that merely finds that the op is
/// something else fails without a word.
LogicalResult refuse(mlir::PatternRewriter &rewriter, Operation *op, StringRef reason);

/// `cat` joins along the dimension that `split` has cut, and gives the type of the
/// split's input.
LogicalResult checkCatRejoinsSplit(mlir::PatternRewriter &rewriter, Operation *split, Operation *cat);
/// `split` cuts where `cat` has joined.
LogicalResult checkSplitAtSeams(mlir::PatternRewriter &rewriter, Operation *cat, Operation *split);

/// Makes the constraints of Constraints.pdll known to PDL patterns of this set. To be
/// called before the patterns are added.
void registerConstraints(mlir::RewritePatternSet &patterns);

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_UTILS_CONSTRAINTS_H
