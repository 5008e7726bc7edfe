// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-group-batch-sigmoid: see the rule in BatchPointwise.h.
//
// PyTorch: torch/_inductor/fx_passes/group_batch_fusion.py
// (BatchPointwiseOpsPreGradFusion).

#include "BatchPointwise.h"
#include "fxgraph/Transforms/GroupFusion/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_GROUPBATCHSIGMOIDPASS
#include "fxgraph/Transforms/GroupFusion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
struct GroupBatchSigmoidPass
    : public BatchPointwisePass<fxgraph::impl::GroupBatchSigmoidPassBase<GroupBatchSigmoidPass>> {
  using Base::Base;

  void runOnOperation() override {
    GroupFusionOptions options = getOptions();
    options.fuseNodesWithSameParent = fuseNodesWithSameParent;
    run<SigmoidOp>("batch-sigmoid", "batch_sigmoid", PointwiseKey::Parent, options);
  }
};
} // namespace
