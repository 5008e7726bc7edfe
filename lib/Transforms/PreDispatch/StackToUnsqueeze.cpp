// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-predispatch-stack-to-unsqueeze; the pattern is in StackToUnsqueeze.pdll. It runs before
// the pass that looks for unsqueezes between a split and a cat. Linear in the operands.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/PreDispatch/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_STACKTOUNSQUEEZEPASS
#include "fxgraph/Transforms/PreDispatch/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static LogicalResult mayBecomeView(mlir::PatternRewriter &rewriter, Operation *stack) {
  if (stack->getNumOperands() == 1 && reachesWriter(stack))
    return refuse(rewriter, stack, "an unknown op may write to the stack");
  return success();
}

static Value joinUnsqueezed(mlir::PatternRewriter &rewriter, Operation *op) {
  auto stack = cast<StackOp>(op);
  Location loc = stack.getLoc();
  int64_t dim = stack.getNormalizedDim();
  DenseMap<Value, Value> known;
  SmallVector<Value> operands;
  for (Value tensor : stack.getTensors()) {
    Value &unsqueezed = known[tensor];
    if (!unsqueezed)
      unsqueezed = UnsqueezeOp::create(rewriter, loc, tensor, dim);
    operands.push_back(unsqueezed);
  }
  if (operands.size() == 1 && operands.front().getType() == stack.getResult().getType())
    return operands.front();
  return CatOp::create(rewriter, loc, stack.getResult().getType(), operands, rewriter.getI64IntegerAttr(dim));
}

namespace {
#include "PreDispatchStackToUnsqueeze.h.inc"

struct StackToUnsqueezePass
    : public PatternPass<fxgraph::impl::StackToUnsqueezePassBase<StackToUnsqueezePass>, Boundary::Guarded> {
  using PatternPass::PatternPass;

private:
  void addGroups(MLIRContext *context) override {
    addGroup(context, {"stack-to-unsqueeze", "stack_to_unsqueeze_pass"}, [&](mlir::RewritePatternSet &set) {
      mlir::PDLPatternModule &pdl = set.getPDLPatterns();
      pdl.registerConstraintFunction("MayBecomeView", mayBecomeView);
      pdl.registerRewriteFunction("JoinUnsqueezed", joinUnsqueezed);
      populateGeneratedPDLLPatterns(set);
    });
  }
};
} // namespace
