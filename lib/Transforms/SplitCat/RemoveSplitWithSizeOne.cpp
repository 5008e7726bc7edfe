// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-splitcat-remove-split-with-size-one; the pattern is in RemoveSplit.pdll. Linear in the ops.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/SplitCat/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_REMOVESPLITWITHSIZEONEPASS
#include "fxgraph/Transforms/SplitCat/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static LogicalResult takesAll(mlir::PatternRewriter &rewriter, Operation *op, Value input) {
  auto split = dyn_cast<SplitLikeOpInterface>(op);
  // A split without users is dead code, and Inductor does not count it.
  if (!split || split.dropsDim() || op->use_empty())
    return failure();
  // `?` in the split dimension: the piece's extent is known, the input's is not.
  if (op->getResult(0).getType() != input.getType())
    return refuse(rewriter, op, "the piece and the input differ in type");
  if (wouldAliasBoundary(input, op))
    return refuse(rewriter, op, "a result of the graph would become an argument or another result");
  return success();
}

namespace {
#include "SplitCatRemoveSplit.h.inc"

struct RemoveSplitWithSizeOnePass
    : public PatternPass<fxgraph::impl::RemoveSplitWithSizeOnePassBase<RemoveSplitWithSizeOnePass>> {
  using PatternPass::PatternPass;

private:
  void addGroups(MLIRContext *context) override {
    addGroup(context, {"remove-split-with-size-one", "remove_split_with_size_one_pass"},
             [&](mlir::RewritePatternSet &set) {
               set.getPDLPatterns().registerConstraintFunction("TakesAll", takesAll);
               populateGeneratedPDLLPatterns(set);
             },
             {SplitOp::getOperationName(), SplitWithSizesOp::getOperationName(), ChunkOp::getOperationName()});
  }
};
} // namespace
