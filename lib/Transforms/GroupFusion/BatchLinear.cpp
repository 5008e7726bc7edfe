// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-group-batch-linear: linears of equal shapes become one batched product
// (BatchLinear and BatchLinearBias in Patterns.pdll).
//
// PyTorch: torch/_inductor/fx_passes/group_batch_fusion.py
// (PreGradBatchLinearFusion).

#include "fxgraph/Transforms/GroupFusion/PatternRule.h"
#include "fxgraph/Transforms/GroupFusion/Passes.h"
#include "fxgraph/Transforms/Utils/Numerics.h"

namespace fxgraph {
#define GEN_PASS_DEF_GROUPBATCHLINEARPASS
#include "fxgraph/Transforms/GroupFusion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
class BatchLinearRule : public PatternGroupRule {
public:
  BatchLinearRule(const mlir::FrozenRewritePatternSet &patterns, NumericClass widest, const GroupFusionOptions &options)
      : PatternGroupRule(patterns), widest(widest), sameUsers(options.fuseNodesWithSameUsers) {}

  StringRef getRoot() const override { return LinearOp::getOperationName(); }
  RewriteKind getKind(Operation *) const override {
    return {"batch-linear", "batch_linear", NumericClass::Reassociates};
  }

  std::optional<GroupKey> match(Operation *op, std::string &reason) const override;

private:
  NumericClass widest;
  bool sameUsers;
};
} // namespace

std::optional<GroupKey> BatchLinearRule::match(Operation *op, std::string &reason) const {
  auto linear = dyn_cast<LinearOp>(op);
  if (!linear)
    return std::nullopt;
  if (!allows(widest, NumericClass::Reassociates))
    return refuse(reason, "the rewrite reassociates sums, which numerics=exact forbids");
  auto input = cast<RankedTensorType>(linear.getInput().getType());
  auto weight = cast<RankedTensorType>(linear.getWeight().getType());
  if (input.getRank() != 2)
    return refuse(reason, "expected an input of rank 2 but got rank " + Twine(input.getRank()));
  if (weight.getRank() != 2)
    return refuse(reason, "expected a weight of rank 2 but got rank " + Twine(weight.getRank()));
  if (!hasProvableShape(input) || !hasProvableShape(weight))
    return refuse(reason, "expected extents that are known to be equal");
  if (Value bias = linear.getBias()) {
    auto type = cast<RankedTensorType>(bias.getType());
    // A bias that broadcasts ([1], or [1, n]) would need an expand of its own.
    if (type.getRank() != 1 || !getDims(type)[0].provablyEquals(getDims(weight)[0]))
      return refuse(reason, "expected a bias with one value for each output");
  }
  GroupKey key;
  key.add(input).add(weight).addTypeOf(linear.getBias()).add(linear.getResult().getType());
  // Pieces of one split go together: their stack undoes the split.
  Operation *producer = linear.getInput().getDefiningOp();
  bool piece = producer && (producer->getNumResults() > 1 || isa<SplitLikeOpInterface>(producer));
  key.add(static_cast<const void *>(piece ? producer : nullptr));
  if (sameUsers)
    addUsers(key, op);
  return key;
}

namespace {
struct GroupBatchLinearPass
    : public PatternGroupPass<fxgraph::impl::GroupBatchLinearPassBase<GroupBatchLinearPass>, GroupPatterns::Linear> {
  using Base::Base;

  void runOnOperation() override {
    GroupFusionOptions options = getOptions();
    options.fuseNodesWithSameUsers = fuseNodesWithSameUsers;
    if (failed(runGroupFusion<BatchLinearRule>(*this, numerics, patterns, options)))
      signalPassFailure();
  }
};
} // namespace
