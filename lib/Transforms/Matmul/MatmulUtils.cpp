// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatmulUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace fxgraph;

bool fxgraph::feedsAny(Operation *op, function_ref<bool(Operation *)> isSought) {
  SmallVector<Operation *> worklist{op};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val()->getUsers()) {
      if (isSought(user))
        return true;
      if (isa<ViewLikeOpInterface, SplitLikeOpInterface>(user))
        worklist.push_back(user);
    }
  return false;
}

bool fxgraph::feedsPointwiseAlone(Operation *op) {
  return !feedsAny(
      op, [](Operation *user) { return !isa<PointwiseOpInterface, ViewLikeOpInterface, SplitLikeOpInterface>(user); });
}

static LogicalResult isUsedHereAlone(mlir::PatternRewriter &rewriter, Operation *producer, Operation *user) {
  // Dead users may be there while patterns run; they do not count. The first that does ends
  // the search: a product may have thousands.
  unsigned uses = 0;
  for (mlir::OpOperand &use : producer->getUses()) {
    bool isDead = use.getOwner() != user && mlir::isOpTriviallyDead(use.getOwner());
    if (!isDead && ++uses > 1)
      return refuse(rewriter, user, "the product has other users");
  }
  if (producer->getBlock() != user->getBlock())
    return refuse(rewriter, user, "the product is made in another block");
  return success();
}

static LogicalResult addsPlainly(mlir::PatternRewriter &rewriter, Operation *op) {
  if (!isUnscaled(op))
    return refuse(rewriter, op, "the sum scales an operand: its alpha is not 1");
  return success();
}

void fxgraph::registerMatmulConstraints(mlir::RewritePatternSet &patterns) {
  mlir::PDLPatternModule &pdl = patterns.getPDLPatterns();
  pdl.registerConstraintFunction("IsUsedHereAlone", isUsedHereAlone);
  pdl.registerConstraintFunction("AddsPlainly", addsPlainly);
}
