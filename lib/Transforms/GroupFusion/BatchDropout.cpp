// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-group-batch-dropout: see the rule in BatchPointwise.h.
// Dropouts that draw are batched with allow-rng-reorder alone: the mask of each element
// has the distribution it had, but comes from another place of the random stream.
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
struct GroupBatchDropoutPass
    : public BatchPointwisePass<fxgraph::impl::GroupBatchDropoutPassBase<GroupBatchDropoutPass>> {
  using Base::Base;

  void runOnOperation() override {
    GroupFusionOptions options = getOptions();
    options.sameFirstUser = sameFirstUser;
    options.allowRngReorder = allowRngReorder;
    run<DropoutOp>("batch-dropout", "batch_dropout", PointwiseKey::FirstUser, options);
  }
};
} // namespace
