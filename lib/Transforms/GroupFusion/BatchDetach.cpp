// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-group-batch-detach: see the rule in BatchPointwise.h.
//
// PyTorch: torch/_inductor/fx_passes/group_batch_fusion.py
// (BatchMathOpsPreGradFusion).

#include "BatchPointwise.h"
#include "fxgraph/Transforms/GroupFusion/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_GROUPBATCHDETACHPASS
#include "fxgraph/Transforms/GroupFusion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
struct GroupBatchDetachPass : public BatchPointwisePass<fxgraph::impl::GroupBatchDetachPassBase<GroupBatchDetachPass>> {
  using Base::Base;

  void runOnOperation() override {
    GroupFusionOptions options = getOptions();
    options.sameFirstUser = sameFirstUser;
    run<DetachOp>("batch-detach", "batch_detach", PointwiseKey::FirstUser, options);
  }
};
} // namespace
