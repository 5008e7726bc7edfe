// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fxgraph-cpu-fuse: elementwise fusion with a cost rule. Linear in the
// ops, times the bound on a body.

#include "CPULowering.h"
#include "fxgraph/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace fxgraph {
#define GEN_PASS_DEF_FXGRAPHCPUFUSEPASS
#include "fxgraph/Conversion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;
using namespace mlir;

/// No operand is read in all loops: elements are used several times.
static bool reusesElements(linalg::GenericOp op) {
  return op.getNumReductionLoops() > 0 && llvm::none_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
           AffineMap map = op.getMatchingIndexingMap(operand);
           return map.getNumResults() == op.getNumLoops() && map.isPermutation();
         });
}

/// Moving the body costs nothing: loads, casts, arithmetic on constants at most.
static bool isCheap(linalg::GenericOp op) {
  return llvm::all_of(op.getBody()->without_terminator(), [](Operation &nested) {
    return isa<arith::ExtFOp, arith::TruncFOp, arith::ExtUIOp, arith::ConstantOp>(nested);
  });
}

static bool shouldFuse(OpOperand *operand, unsigned maxBody) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer || !producer->hasOneUse() || producer->getBlock() != consumer->getBlock())
    return false;
  if (producer->getNumResults() != 1 || reusesElements(consumer))
    return false;
  // What accumulates would stay a result of the fused op, written though nothing reads it.
  if (producer.payloadUsesValueFromOperand(producer.getDpsInitOperand(0)))
    return false;
  size_t body = producer.getBody()->getOperations().size() + consumer.getBody()->getOperations().size();
  if (body > maxBody)
    return false;
  // More operands than registers for their addresses only spill.
  if (producer->getNumOperands() + consumer->getNumOperands() > 24)
    return false;
  AffineMap map = consumer.getMatchingIndexingMap(operand);
  return (map.getNumResults() == consumer.getNumLoops() && map.isPermutation()) || isCheap(producer);
}

namespace {
struct FxGraphCPUFusePass : public fxgraph::impl::FxGraphCPUFusePassBase<FxGraphCPUFusePass> {
  using Base::Base;
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    unsigned limit = maxBody;
    linalg::populateElementwiseOpsFusionPatterns(patterns,
                                                 [limit](OpOperand *operand) { return shouldFuse(operand, limit); });
    linalg::GenericOp::getCanonicalizationPatterns(patterns, &getContext());
    // Consumers first would clone growing bodies again and again; producers first
    // (top down) still clones each body once per fusion, which maxBody bounds.
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal();
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled); // One block each.
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
