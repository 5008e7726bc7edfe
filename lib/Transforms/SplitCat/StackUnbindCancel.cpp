// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pattern: unbind(stack(xs; d); d) -> xs; then the simplifier for unbind → stack
// and unbind → cat. PyTorch: torch/_inductor/fx_passes/split_cat.py,
// merge_unbind_stack. Exact; linear in operands and uses.

#include "fxgraph/Transforms/SplitCat/SplitCatUtils.h"
#include "fxgraph/Transforms/SplitCat/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_STACKUNBINDCANCELPASS
#include "fxgraph/Transforms/SplitCat/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kStackUnbindKind{"stack-unbind", ""};
static const RewriteKind kUnbindStackKind{"unbind-stack", "unbind_stack_pass"};

/// Pattern: unbind(stack(xs; d); d) -> xs. Returns why not, or "".
static StringRef rewriteStackUnbind(RewriteSession &session, UnbindOp unbind, StackOp stack) {
  if (stack.getNormalizedDim() != unbind.getNormalizedDim())
    return "stack and unbind are along different dimensions";
  if (!llvm::equal(stack.getTensors().getTypes(), unbind->getResultTypes()))
    return "an operand of the stack and the piece differ in type";
  // The pieces are fresh storage, the operands need not be.
  if (reachesWriter(unbind))
    return "an unknown op may write to a piece";
  Location loc = unbind.getLoc();
  session.begin(kStackUnbindKind);
  session.getRewriter().replaceOp(unbind, stack.getTensors());
  session.applied(loc, "by the operands of the stack");
  return "";
}

static void visitUnbinds(RewriteSession &session, ArrayRef<Operation *> splits) {
  SetVector<Operation *> stacks;
  for (Operation *op : splits) {
    auto unbind = dyn_cast<UnbindOp>(op);
    auto stack = unbind ? unbind.getInput().getDefiningOp<StackOp>() : StackOp();
    if (!stack || unbind->use_empty())
      continue;
    StringRef obstacle = rewriteStackUnbind(session, unbind, stack);
    if (!obstacle.empty())
      session.missed(unbind.getLoc(), kStackUnbindKind, obstacle);
    else
      stacks.insert(stack);
  }
  session.eraseDeadOps(stacks.getArrayRef());
}

namespace {
struct StackUnbindCancelPass : public impl::StackUnbindCancelPassBase<StackUnbindCancelPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<UnbindOp>() || session.lacks<CatLikeOpInterface>())
      return;
    // A piece that takes the place of a stack or cat can be what the next one lacks.
    simplifySplitCat(session, {kUnbindStackKind, /*unbind=*/true, allowOtherUsers},
                     [&](ArrayRef<Operation *> splits) { visitUnbinds(session, splits); });
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
