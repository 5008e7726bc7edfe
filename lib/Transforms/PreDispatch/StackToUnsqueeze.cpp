// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-predispatch-stack-to-unsqueeze.
//
// Pattern: stack(xs; d) -> cat(unsqueeze(x_i; d); d); of one operand unsqueeze(x; d)
//
// It runs before the pass that looks for unsqueezes between a split and a cat. A value
// that is stacked several times is unsqueezed once. Exact; linear in the operands.
//
// PyTorch: the name of a pre-dispatch pass (torch/_inductor/fx_passes/pre_grad.py,
// stack_to_unsqueeze_pass) whose open version does nothing.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/PreDispatch/Passes.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"

namespace fxgraph {
#define GEN_PASS_DEF_STACKTOUNSQUEEZEPASS
#include "fxgraph/Transforms/PreDispatch/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"stack-to-unsqueeze", "stack_to_unsqueeze_pass"};

static void rewrite(StackOp stack, RewriteSession &session) {
  Location loc = stack.getLoc();
  int64_t dim = stack.getNormalizedDim();
  // A stack of one tensor is fresh storage, an unsqueeze is not.
  if (stack.getTensors().size() == 1 && reachesWriter(stack))
    return session.missed(loc, kKind, "an unknown op may write to the stack");
  mlir::IRRewriter &rewriter = session.getRewriter();
  session.begin(kKind);
  rewriter.setInsertionPoint(stack);
  DenseMap<Value, Value> known;
  SmallVector<Value> operands;
  for (Value tensor : stack.getTensors()) {
    Value &unsqueezed = known[tensor];
    if (!unsqueezed)
      unsqueezed = UnsqueezeOp::create(rewriter, loc, tensor, dim);
    operands.push_back(unsqueezed);
  }
  if (operands.size() == 1 && operands.front().getType() == stack.getResult().getType())
    rewriter.replaceOp(stack, operands.front());
  else
    rewriter.replaceOpWithNewOp<CatOp>(stack, stack.getResult().getType(), operands, rewriter.getI64IntegerAttr(dim));
  session.applied(loc);
}

namespace {
struct StackToUnsqueezePass : public fxgraph::impl::StackToUnsqueezePassBase<StackToUnsqueezePass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<StackOp>())
      return;
    SmallVector<StackOp> stacks;
    getOperation().getFunctionBody().walk([&](StackOp stack) { stacks.push_back(stack); });
    if (stacks.empty())
      return;
    BoundaryGuard guard(session);
    guard.snapshot();
    for (StackOp stack : stacks)
      rewrite(stack, session);
    guard.restore();
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
