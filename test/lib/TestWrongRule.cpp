// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rule that is wrong on purpose, sub(x, y) -> sub(y, x): the rewrite verifier must
// report it (test/Transforms/Utils/verify-rewrites.mlir).

#include "TestPasses.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "mlir/Pass/Pass.h"

using namespace fxgraph;

namespace {
struct TestWrongRulePass : public mlir::PassWrapper<TestWrongRulePass, mlir::OperationPass<mlir::func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestWrongRulePass)
  StringRef getArgument() const final { return "fxgraph-test-wrong-rule"; }
  StringRef getDescription() const final { return "Swap the operands of sub, which is wrong"; }

  void runOnOperation() override {
    RewriteSession session(getOperation(), getArgument());
    SmallVector<SubOp> candidates;
    getOperation().walk([&](SubOp op) { candidates.push_back(op); });
    for (SubOp op : candidates) {
      session.begin({"swap-sub", "", NumericClass::Exact});
      Location loc = op.getLoc();
      session.getRewriter().setInsertionPoint(op);
      auto swapped = SubOp::create(session.getRewriter(), loc, op.getOther(), op.getInput(), op.getAlphaAttr());
      session.getRewriter().replaceOp(op, swapped);
      session.applied(loc);
    }
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace

void fxgraph::registerTestPasses() { mlir::PassRegistration<TestWrongRulePass>(); }
