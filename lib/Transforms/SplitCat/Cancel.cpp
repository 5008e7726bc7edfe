// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cancels split against cat; the patterns are in Patterns.pdll. Linear in the ops
// and in the operands of the cats that match.

#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
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
    SmallVector<Operation *> dead;
    for (Block &block : getOperation().getFunctionBody())
      for (Operation &op : block)
        if (mlir::isOpTriviallyDead(&op))
          dead.push_back(&op);
    session.eraseDeadOps(dead);
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
