// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-group-batch-dropout: see the rule in BatchPointwise.h.
// Members in training have effects, and the engine refuses them.
//
//
// PyTorch: torch/_inductor/fx_passes/group_batch_fusion.py
// (BatchMathOpsPreGradFusion).

#include "BatchPointwise.h"
#include "fxgraph/Transforms/GroupFusion/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_GROUPBATCHDROPOUTPASS
#include "fxgraph/Transforms/GroupFusion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
struct GroupBatchDropoutPass : public fxgraph::impl::GroupBatchDropoutPassBase<GroupBatchDropoutPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(getOperation(), getArgument());
    BatchPointwiseRule<DropoutOp> rule("batch-dropout", "batch_dropout", /*sameUsers=*/true);
    if (failed(applyGroupFusion(session, rule, {minFuseSetSize, maxFuseSetSize, maxFuseSearchDepth})) ||
        !session.isValid())
      signalPassFailure();
  }
};
} // namespace
