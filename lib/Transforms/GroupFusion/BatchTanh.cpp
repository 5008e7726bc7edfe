// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-group-batch-tanh: see the rule in BatchPointwise.h.
//
// PyTorch: torch/_inductor/fx_passes/group_batch_fusion.py
// (BatchPointwiseOpsPreGradFusion).

#include "BatchPointwise.h"
#include "fxgraph/Transforms/GroupFusion/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_GROUPBATCHTANHPASS
#include "fxgraph/Transforms/GroupFusion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
struct GroupBatchTanhPass : public BatchPointwisePass<fxgraph::impl::GroupBatchTanhPassBase<GroupBatchTanhPass>> {
  using Base::Base;

  void runOnOperation() override {
    GroupFusionOptions options = getOptions();
    options.fuseNodesWithSameParent = fuseNodesWithSameParent;
    run<TanhOp>("batch-tanh", "batch_tanh", PointwiseKey::Parent, options);
  }
};
} // namespace
