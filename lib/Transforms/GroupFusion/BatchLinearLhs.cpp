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
/// Pattern: linear(x, w_i, b_i) -> split_with_sizes(addmm(cat(b_i), x, transpose(cat(w_i))), n_i)
class BatchLinearLhsRule : public JoinLinearsRule {
public:
  BatchLinearLhsRule(NumericClass widest, const GroupFusionOptions &)
      : JoinLinearsRule("batch-linear-lhs", "batch_linear_lhs", widest, /*rank=*/2) {}

  SmallVector<Value> fuse(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Operation *> members) const override {
    Joined joined = join(builder, members);
    Value input = cast<LinearOp>(members.front()).getInput();
    Value weight = TransposeOp::create(builder, joined.weight, 0, 1);
    Value product;
    if (joined.bias)
      product = AddmmOp::create(builder, joined.bias, input, weight, llvm::APFloat(1.0), llvm::APFloat(1.0));
    else
      product = MmOp::create(builder, input, weight);
    return SmallVector<Value>(SplitWithSizesOp::create(builder, product, joined.sizes, /*dim=*/1).getPieces());
  }
};

struct GroupBatchLinearLhsPass : public fxgraph::impl::GroupBatchLinearLhsPassBase<GroupBatchLinearLhsPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(runGroupFusion<BatchLinearLhsRule>(
            *this, numerics, {minFuseSetSize, maxFuseSetSize, maxFuseSearchDepth, profitableOnly, freezing})))
      signalPassFailure();
  }
};
} // namespace
