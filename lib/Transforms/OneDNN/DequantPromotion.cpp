// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-onednn-dequant-promotion; the patterns are in DequantPromotion.pdll. Linear in the ops
// and operands.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/OneDNN/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_ONEDNNDEQUANTPROMOTIONPASS
#include "fxgraph/Transforms/OneDNN/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

/// The ops that use the result, each once, in the order of the block.
static SmallVector<Operation *> getUsers(Operation *op) {
  llvm::SetVector<Operation *> users(op->user_begin(), op->user_end());
  SmallVector<Operation *> sorted = users.takeVector();
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return sorted;
}

static LogicalResult hasSeveralUsers(mlir::PatternRewriter &rewriter, Operation *op) {
  Operation *first = op->use_empty() ? nullptr : *op->user_begin();
  if (llvm::all_of(op->getUsers(), [&](Operation *user) { return user == first; }))
    return failure();
  if (!llvm::all_of(op->getUsers(), [&](Operation *user) { return user->getBlock() == op->getBlock(); }))
    return refuse(rewriter, op, "a user is in another block");
  return success();
}

static Value copyForEachUser(mlir::PatternRewriter &rewriter, Operation *op) {
  SmallVector<Operation *> users = getUsers(op);
  for (Operation *user : llvm::drop_begin(users)) {
    rewriter.setInsertionPoint(user);
    Operation *copy = rewriter.clone(*op);
    rewriter.modifyOpInPlace(user, [&] { user->replaceUsesOfWith(op->getResult(0), copy->getResult(0)); });
  }
  rewriter.setInsertionPoint(op);
  return rewriter.clone(*op)->getResult(0);
}

namespace {
#include "OneDNNDequantPromotion.h.inc"

struct OneDNNDequantPromotionPass
    : public PatternPass<fxgraph::impl::OneDNNDequantPromotionPassBase<OneDNNDequantPromotionPass>> {
  using PatternPass::PatternPass;

  void addGroups(MLIRContext *context) override {
    RewriteKind kind{"onednn-dequant-promotion", "dequant_promotion_matcher_count", NumericClass::Exact};
    addGroup(context, kind, [](mlir::RewritePatternSet &set) {
      mlir::PDLPatternModule &pdl = set.getPDLPatterns();
      pdl.registerConstraintFunction("HasSeveralUsers", hasSeveralUsers);
      pdl.registerRewriteFunction("CopyForEachUser", copyForEachUser);
      populateGeneratedPDLLPatterns(set);
    });
  }
};
} // namespace
