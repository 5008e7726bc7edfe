// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-group-fuse-parallel-linear: linears of one input become one linear.
//
// PyTorch: the name of a pre-dispatch pass (torch/_inductor/fx_passes/pre_grad.py,
// fuse_parallel_linear_pass) whose open version is empty.

#include "JoinLinears.h"
#include "fxgraph/Transforms/GroupFusion/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_GROUPFUSEPARALLELLINEARPASS
#include "fxgraph/Transforms/GroupFusion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
class FuseParallelLinearRule : public JoinLinearsRule {
public:
  FuseParallelLinearRule(const mlir::FrozenRewritePatternSet &patterns, NumericClass widest, const GroupFusionOptions &)
      : JoinLinearsRule(patterns, "fuse-parallel-linear", "fuse_parallel_linear_pass", widest, /*rank=*/0) {}
};

struct GroupFuseParallelLinearPass
    : public PatternGroupPass<fxgraph::impl::GroupFuseParallelLinearPassBase<GroupFuseParallelLinearPass>,
                              GroupPatterns::ParallelLinear> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(runGroupFusion<FuseParallelLinearRule>(*this, numerics, patterns, getOptions())))
      signalPassFailure();
  }
};
} // namespace
