// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-fixpoint: passes in rounds until nothing changes.
//
// A round changed something if the function's fingerprint differs: a hash of all
// ops, operands, types and attributes, one walk a round.

#include "NestedPipeline.h"
#include "fxgraph/Analysis/CostModel.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Transforms/Driver/Passes.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/OwningOpRef.h"

namespace fxgraph {
#define GEN_PASS_DEF_FIXPOINTPASS
#include "fxgraph/Transforms/Driver/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
struct FixpointPass : public fxgraph::impl::FixpointPassBase<FixpointPass> {
  using Base::Base;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    pipeline.getDependentDialects(pipelineText, registry);
  }

  LogicalResult initialize(MLIRContext *context) override {
    return pipeline.initialize(pipelineText, mlir::UnknownLoc::get(context));
  }

  void runOnOperation() override;

  NestedPipeline pipeline;
};
} // namespace

void FixpointPass::runOnOperation() {
  mlir::func::FuncOp function = getOperation();
  if (maxRounds == 0) {
    function.emitError("fxgraph-fixpoint: expected max-rounds >= 1 but got 0");
    return signalPassFailure();
  }
  // The smallest graph that a later round left behind; null while the current one is
  // the smallest.
  mlir::OwningOpRef<mlir::func::FuncOp> smallest;
  auto count = [&] {
    if (!freezing)
      return countOps(function);
    FrozenValues frozen(function);
    return countOps(function, &frozen);
  };
  uint64_t fewest = count();
  mlir::OperationFingerPrint before(function);
  bool settled = false;
  for (unsigned round = 0; round < maxRounds && !settled; ++round) {
    mlir::OwningOpRef<mlir::func::FuncOp> copy;
    if (keepFewest && !smallest)
      copy = function.clone();
    if (failed(runPipeline(pipeline.get(), function)))
      return signalPassFailure();
    uint64_t remaining = count();
    if (remaining <= fewest) {
      fewest = remaining;
      smallest = {};
    } else if (copy) {
      smallest = std::move(copy);
    }
    mlir::OperationFingerPrint after(function);
    settled = before == after;
    before = after;
  }
  if (!settled && maxRounds > 1)
    function.emitWarning() << "the passes still changed the graph after " << maxRounds.getValue() << " rounds";
  if (smallest)
    function.getBody().takeBody(smallest->getBody());
}
