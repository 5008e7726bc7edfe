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
/// Pattern: linear(x, w_i, b_i) -> split_with_sizes(linear(x, cat(w_i), cat(b_i)), n_i)
class FuseParallelLinearRule : public JoinLinearsRule {
public:
  FuseParallelLinearRule(NumericClass widest, const GroupFusionOptions &)
      : JoinLinearsRule("fuse-parallel-linear", "fuse_parallel_linear_pass", widest, /*rank=*/0) {}

  SmallVector<Value> fuse(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Operation *> members) const override {
    Joined joined = join(builder, members);
    Value input = cast<LinearOp>(members.front()).getInput();
    Value product = LinearOp::create(builder, input, joined.weight, joined.bias);
    int64_t last = cast<RankedTensorType>(product.getType()).getRank() - 1;
    return SmallVector<Value>(SplitWithSizesOp::create(builder, product, joined.sizes, last).getPieces());
  }
};

struct GroupFuseParallelLinearPass
    : public fxgraph::impl::GroupFuseParallelLinearPassBase<GroupFuseParallelLinearPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(runGroupFusion<FuseParallelLinearRule>(
            *this, numerics, {minFuseSetSize, maxFuseSetSize, maxFuseSearchDepth, profitableOnly, freezing})))
      signalPassFailure();
  }
};
} // namespace
