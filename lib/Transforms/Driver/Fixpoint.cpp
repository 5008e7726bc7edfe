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
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"

namespace fxgraph {
#define GEN_PASS_DEF_FIXPOINTPASS
#include "fxgraph/Transforms/Driver/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
struct FixpointPass : public PassWithPipeline<impl::FixpointPassBase<FixpointPass>> {
  using Base::Base;

  void runOnOperation() override;
};
} // namespace

void FixpointPass::runOnOperation() {
  mlir::func::FuncOp function = getOperation();
  if (maxRounds == 0) {
    function.emitError("fxgraph-fixpoint: expected max-rounds >= 1 but got 0");
    return signalPassFailure();
  }
  auto count = [&] {
    if (!freezing)
      return countOps(function);
    FrozenValues frozen(function);
    return countOps(function, &frozen);
  };
  // The smallest graph so far, while the function holds another one. A round runs on a
  // copy: where it is not kept the ops are the very same as before, which is how a
  // fixpoint around this one sees that nothing has changed.
  mlir::Region smallest;
  uint64_t fewest = count();
  bool settled = false;
  for (unsigned round = 0; round < maxRounds && !settled; ++round) {
    if (keepFewest && smallest.empty()) {
      smallest.takeBody(function.getBody());
      mlir::IRMapping mapping;
      smallest.cloneInto(&function.getBody(), mapping);
      // What is known of the ops is known of others than those that the function has now.
      getAnalysisManager().invalidate({});
    }
    mlir::OperationFingerPrint before(function);
    if (failed(runPipeline(pipeline.get(), function)))
      return signalPassFailure();
    settled = before == mlir::OperationFingerPrint(function);
    uint64_t remaining = count();
    if (settled || remaining > fewest)
      continue;
    fewest = remaining;
    smallest.dropAllReferences();
    smallest.getBlocks().clear();
  }
  if (!settled && maxRounds > 1)
    function.emitWarning() << "the passes still changed the graph after " << maxRounds.getValue() << " rounds";
  if (!smallest.empty())
    function.getBody().takeBody(smallest);
}
