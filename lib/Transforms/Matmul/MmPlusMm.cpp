// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-matmul-mm-plus-mm; the pattern is in MmPlusMm.pdll. Linear in the ops.

#include "MatmulUtils.h"
#include "fxgraph/Transforms/Matmul/Passes.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_MATMULMMPLUSMMPASS
#include "fxgraph/Transforms/Matmul/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static LogicalResult areOfOneShape(mlir::PatternRewriter &rewriter, Operation *sum, Value left, Value right) {
  Dims a = getDims(getTensorType(left)), b = getDims(getTensorType(right));
  if (!llvm::all_of_zip(a, b, [](const Dim &x, const Dim &y) { return x.provablyEquals(y); }))
    return refuse(rewriter, sum, "the products are not known to have one shape");
  return success();
}

namespace {
#include "MatmulMmPlusMm.h.inc"

struct MatmulMmPlusMmPass : public MatmulPass<fxgraph::impl::MatmulMmPlusMmPassBase<MatmulMmPlusMmPass>> {
  using MatmulPass::MatmulPass;

  void addGroups(MLIRContext *context) override {
    addMatmulGroupsByWidth(context, "mm-plus-mm", "", [](mlir::RewritePatternSet &set) {
      set.getPDLPatterns().registerConstraintFunction("AreOfOneShape", areOfOneShape);
      populateGeneratedPDLLPatterns(set);
    });
  }
};
} // namespace
