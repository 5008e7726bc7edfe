// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cancels split against cat; the patterns are in Patterns.pdll. Linear in the ops
// and in the operands of the cats that match.

#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Support/Prefetch.h"
#include "fxgraph/Transforms/SplitCat/Passes.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Transforms/Utils/FreezePatterns.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_CANCELPASS
#include "fxgraph/Transforms/SplitCat/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

/// The ops of the function's own blocks without uses and effects.
static SmallVector<Operation *> collectDeadOps(RewriteSession &session) {
  SmallVector<Operation *> dead;
  auto add = [&](Operation *op) {
    if (mlir::isOpTriviallyDead(op))
      dead.push_back(op);
  };
  if (const OpNames *listed = session.getListed()) {
    ArrayRef<Operation *> ops = listed->getOps();
    for (auto [i, op] : llvm::enumerate(ops)) {
      if (i + kPrefetchDistance < ops.size())
        prefetch(ops[i + kPrefetchDistance]);
      add(op);
    }
    return dead;
  }
  for (Block &block : session.getFunction().getFunctionBody())
    for (Operation &op : block)
      add(&op);
  return dead;
}

namespace {
#include "SplitCatPatterns.h.inc"

struct CancelPass : public impl::CancelPassBase<CancelPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    mlir::RewritePatternSet set(context);
    registerConstraints(set);
    populateGeneratedPDLLPatterns(set);
    patterns = freezePatterns(std::move(set));
    return success();
  }

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<SplitLikeOpInterface>() || session.lacks<CatOp>())
      return;
    // Dead users would hide that a cat has one user only; the driver drops some of them,
    // so that a second run would find more.
    session.eraseDeadOps(collectDeadOps(session));
    BoundaryGuard guard(session);
    guard.snapshot();
    if (failed(session.applyPatterns(patterns, {"fxgraph.cat", "fxgraph.split_with_sizes"}, {"cancel-split-cat", ""})))
      return signalPassFailure();
    if (session.getNumApplied() > 0)
      guard.restore();
    if (!session.isValid())
      signalPassFailure();
  }

private:
  mlir::FrozenRewritePatternSet patterns;
};
} // namespace
