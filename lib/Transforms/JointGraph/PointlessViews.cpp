// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-jointgraph-pointless-views; the patterns are in PointlessViews.pdll. Linear in the ops.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/Permutation.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/JointGraph/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_JOINTGRAPHPOINTLESSVIEWSPASS
#include "fxgraph/Transforms/JointGraph/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static LogicalResult checkRowMajorView(mlir::PatternRewriter &, Operation *op) { return success(isRowMajorView(op)); }

static LogicalResult arePermutationAndInverse(mlir::PatternRewriter &rewriter, Operation *first, Operation *second) {
  std::optional<SmallVector<int64_t>> before = getPermutation(first), after = getPermutation(second);
  if (!before)
    return failure();
  for (auto [i, dim] : llvm::enumerate(*after))
    if ((*before)[dim] != static_cast<int64_t>(i))
      return refuse(rewriter, second, "the permutations do not undo each other");
  return success();
}

namespace {
#include "JointGraphPointlessViews.h.inc"

struct JointGraphPointlessViewsPass
    : public PatternPass<fxgraph::impl::JointGraphPointlessViewsPassBase<JointGraphPointlessViewsPass>,
                         Boundary::Guarded> {
  using PatternPass::PatternPass;

  void addGroups(MLIRContext *context) override {
    auto add = [&](StringRef name, StringRef counter, function_ref<void(mlir::RewritePatternSet &)> populate) {
      addGroup(context, {name, counter, NumericClass::Exact}, [&](mlir::RewritePatternSet &set) {
        set.getPDLPatterns().registerConstraintFunction("IsRowMajorView", checkRowMajorView);
        set.getPDLPatterns().registerConstraintFunction("ArePermutationAndInverse", arePermutationAndInverse);
        populate(set);
      });
    };
    add("pointless-view", "", [&](mlir::RewritePatternSet &set) { set.add<PointlessView, PointlessReshape>(context); });
    add("pointless-view-pair", "removed_pointless_view_pair",
        [&](mlir::RewritePatternSet &set) {
          set.add<PointlessViewPair, PointlessReshapePair, PointlessViewPairOfClone, PointlessReshapePairOfClone>(context);
        });
    add("pointless-permute-pair", "",
        [&](mlir::RewritePatternSet &set) { set.add<PointlessPermutePair, PointlessTransposePair>(context); });
    add("redundant-view", "", [&](mlir::RewritePatternSet &set) { set.add<DropViewDtypes, MergeViewDtypes>(context); });
  }
};
} // namespace
