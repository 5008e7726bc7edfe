// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-group-batch-aten-sigmoid: see the rule in BatchAten.h.
//
// PyTorch: torch/_inductor/fx_passes/group_batch_fusion.py
// (BatchPointwiseOpsPostGradFusion).

#include "BatchAten.h"
#include "fxgraph/Transforms/GroupFusion/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_GROUPBATCHATENSIGMOIDPASS
#include "fxgraph/Transforms/GroupFusion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
struct GroupBatchAtenSigmoidPass : public BatchAtenPass<SigmoidOp, fxgraph::impl::GroupBatchAtenSigmoidPassBase<GroupBatchAtenSigmoidPass>> {
  using BatchAtenPass::BatchAtenPass;

  void runOnOperation() override { batch("batch-aten-sigmoid", "batch_aten_sigmoid"); }
};
} // namespace
