// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-group-batch-aten-relu: see the rule in BatchAten.h.
//
// PyTorch: torch/_inductor/fx_passes/group_batch_fusion.py
// (BatchPointwiseOpsPostGradFusion).

#include "BatchAten.h"
#include "fxgraph/Transforms/GroupFusion/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_GROUPBATCHATENRELUPASS
#include "fxgraph/Transforms/GroupFusion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
struct GroupBatchAtenReluPass : public BatchAtenPass<ReluOp, fxgraph::impl::GroupBatchAtenReluPassBase<GroupBatchAtenReluPass>> {
  using BatchAtenPass::BatchAtenPass;

  void runOnOperation() override { batch("batch-aten-relu", "batch_aten_relu"); }
};
} // namespace
