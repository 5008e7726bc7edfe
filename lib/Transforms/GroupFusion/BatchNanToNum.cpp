// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-group-batch-nan-to-num: see the rule in BatchPointwise.h.
//
// PyTorch: torch/_inductor/fx_passes/group_batch_fusion.py
// (BatchMathOpsPreGradFusion).

#include "BatchPointwise.h"
#include "fxgraph/Transforms/GroupFusion/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_GROUPBATCHNANTONUMPASS
#include "fxgraph/Transforms/GroupFusion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
struct GroupBatchNanToNumPass
    : public BatchPointwisePass<fxgraph::impl::GroupBatchNanToNumPassBase<GroupBatchNanToNumPass>> {
  using Base::Base;

  void runOnOperation() override {
    GroupFusionOptions options = getOptions();
    options.sameFirstUser = sameFirstUser;
    run<NanToNumOp>("batch-nan-to-num", "batch_nan_to_num", PointwiseKey::FirstUser, options);
  }
};
} // namespace
