// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-noop-cse: MLIR's common subexpression elimination, inside a session (so that
// every replacement is checked) and with a guard on what the graph returns.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/NoOp/Passes.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

namespace fxgraph {
#define GEN_PASS_DEF_NOOPCSEPASS
#include "fxgraph/Transforms/NoOp/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

/// Tells clones apart while the pass runs.
static constexpr StringRef kNumber = "fxgraph.number";

namespace {
struct NoopCSEPass : public fxgraph::impl::NoopCSEPassBase<NoopCSEPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    BoundaryGuard guard(session);
    guard.snapshot();
    session.begin({"cse", "", NumericClass::Exact});
    // Clones keep results apart: none is equal to another.
    int64_t count = 0;
    mlir::Builder builder(&getContext());
    getOperation().walk([&](CloneOp clone) { clone->setDiscardableAttr(kNumber, builder.getI64IntegerAttr(count++)); });
    mlir::DominanceInfo dominance(getOperation());
    bool changed = false;
    mlir::eliminateCommonSubExpressions(session.getRewriter(), dominance, getOperation(), &changed);
    getOperation().walk([](CloneOp clone) { clone->removeDiscardableAttr(kNumber); });
    if (changed) {
      session.applied(getOperation().getLoc());
      guard.restore();
    }
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
