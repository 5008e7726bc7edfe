// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-group-batch-linear-lhs: linears of one rank-2 input become one product.
//
// PyTorch: torch/_inductor/fx_passes/group_batch_fusion.py
// (BatchLinearLHSFusion).

#include "JoinLinears.h"
#include "fxgraph/Transforms/GroupFusion/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_GROUPBATCHLINEARLHSPASS
#include "fxgraph/Transforms/GroupFusion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
class BatchLinearLhsRule : public JoinLinearsRule {
public:
  BatchLinearLhsRule(const mlir::FrozenRewritePatternSet &patterns, NumericClass widest, const GroupFusionOptions &)
      : JoinLinearsRule(patterns, "batch-linear-lhs", "batch_linear_lhs", widest, /*rank=*/2) {}
};

struct GroupBatchLinearLhsPass
    : public PatternGroupPass<fxgraph::impl::GroupBatchLinearLhsPassBase<GroupBatchLinearLhsPass>,
                              GroupPatterns::LinearLhs> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(runGroupFusion<BatchLinearLhsRule>(*this, numerics, patterns, getOptions())))
      signalPassFailure();
  }
};
} // namespace
