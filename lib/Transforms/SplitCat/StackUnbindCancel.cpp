// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stack → unbind (UnbindPatterns.pdll); then the simplifier for unbind → stack
// and unbind → cat. PyTorch: torch/_inductor/fx_passes/split_cat.py,
// merge_unbind_stack. Exact; linear in operands and uses.

#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Transforms/SplitCat/Passes.h"
#include "fxgraph/Transforms/SplitCat/SplitCatUtils.h"
#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Transforms/Utils/FreezePatterns.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_STACKUNBINDCANCELPASS
#include "fxgraph/Transforms/SplitCat/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kStackUnbindKind{"stack-unbind", ""};
static const RewriteKind kUnbindStackKind{"unbind-stack", "unbind_stack_pass"};

static LogicalResult unbindsStack(mlir::PatternRewriter &rewriter, Operation *first, Operation *last) {
  auto stack = cast<StackOp>(first);
  auto unbind = cast<UnbindOp>(last);
  if (stack.getNormalizedDim() != unbind.getNormalizedDim())
    return refuse(rewriter, unbind, "stack and unbind are along different dimensions");
  if (!llvm::equal(stack.getTensors().getTypes(), unbind->getResultTypes()))
    return refuse(rewriter, unbind, "an operand of the stack and the piece differ in type");
  // The pieces are fresh storage, the operands need not be.
  if (reachesWriter(unbind))
    return refuse(rewriter, unbind, "an unknown op may write to a piece");
  return success();
}

namespace {
#include "SplitCatUnbindPatterns.h.inc"

struct StackUnbindCancelPass : public impl::StackUnbindCancelPassBase<StackUnbindCancelPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    mlir::RewritePatternSet set(context);
    set.getPDLPatterns().registerConstraintFunction("UnbindsStack", unbindsStack);
    set.add<StackUnbind>(context);
    patterns = freezePatterns(std::move(set));
    return success();
  }

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<UnbindOp>() || session.lacks<CatLikeOpInterface>())
      return;
    // A piece that takes the place of a stack or cat can be what the next one lacks.
    LogicalResult result = simplifySplitCat(
        session, {kUnbindStackKind, /*unbind=*/true, allowOtherUsers},
        [&](ArrayRef<Operation *> splits) { return session.applyPatterns(patterns, splits, kStackUnbindKind); });
    if (failed(result) || !session.isValid())
      signalPassFailure();
  }

private:
  mlir::FrozenRewritePatternSet patterns;
};
} // namespace
