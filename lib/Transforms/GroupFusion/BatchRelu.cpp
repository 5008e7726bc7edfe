// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-group-batch-relu: see the rule in BatchPointwise.h.
//
// PyTorch: torch/_inductor/fx_passes/group_batch_fusion.py
// (BatchPointwiseOpsPreGradFusion).

#include "BatchPointwise.h"
#include "fxgraph/Transforms/GroupFusion/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_GROUPBATCHRELUPASS
#include "fxgraph/Transforms/GroupFusion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
struct GroupBatchReluPass : public BatchPointwisePass<fxgraph::impl::GroupBatchReluPassBase<GroupBatchReluPass>> {
  using Base::Base;

  void runOnOperation() override {
    GroupFusionOptions options = getOptions();
    options.fuseNodesWithSameParent = fuseNodesWithSameParent;
    run<ReluOp>("batch-relu", "batch_relu", PointwiseKey::Parent, options);
  }
};
} // namespace
