// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-group-batch-aten-tanh: see the rule in BatchAten.h.
//
// PyTorch: torch/_inductor/fx_passes/group_batch_fusion.py
// (BatchPointwiseOpsPostGradFusion).

#include "BatchAten.h"
#include "fxgraph/Transforms/GroupFusion/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_GROUPBATCHATENTANHPASS
#include "fxgraph/Transforms/GroupFusion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
struct GroupBatchAtenTanhPass : public BatchAtenPass<TanhOp, fxgraph::impl::GroupBatchAtenTanhPassBase<GroupBatchAtenTanhPass>> {
  using BatchAtenPass::BatchAtenPass;

  void runOnOperation() override { batch("batch-aten-tanh", "batch_aten_tanh"); }
};
} // namespace
