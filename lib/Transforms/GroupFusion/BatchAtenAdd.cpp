// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-group-batch-aten-add: see the rule in BatchAten.h.
//
// PyTorch: torch/_inductor/fx_passes/group_batch_fusion.py
// (BatchPointwiseMathOpsPostGradFusion).

#include "BatchAten.h"
#include "fxgraph/Transforms/GroupFusion/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_GROUPBATCHATENADDPASS
#include "fxgraph/Transforms/GroupFusion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
struct GroupBatchAtenAddPass : public BatchAtenPass<AddOp, fxgraph::impl::GroupBatchAtenAddPassBase<GroupBatchAtenAddPass>> {
  using BatchAtenPass::BatchAtenPass;

  void runOnOperation() override { batch("batch-aten-add", "batch_aten_add"); }
};
} // namespace
