// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-group-batch-layernorm: layer norms of equal types become one (BatchLayernorm and
// its kin in Patterns.pdll).
//
// PyTorch: torch/_inductor/fx_passes/group_batch_fusion.py
// (BatchLayernormFusion).

#include "fxgraph/Transforms/GroupFusion/PatternRule.h"
#include "fxgraph/Transforms/GroupFusion/Passes.h"
#include "fxgraph/Transforms/Utils/Numerics.h"

namespace fxgraph {
#define GEN_PASS_DEF_GROUPBATCHLAYERNORMPASS
#include "fxgraph/Transforms/GroupFusion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
class BatchLayernormRule : public PatternGroupRule {
public:
  BatchLayernormRule(const mlir::FrozenRewritePatternSet &patterns, NumericClass widest,
                     const GroupFusionOptions &options)
      : PatternGroupRule(patterns), widest(widest), sameUsers(options.fuseNodesWithSameUsers) {}

  StringRef getRoot() const override { return LayerNormOp::getOperationName(); }
  RewriteKind getKind(Operation *op) const override;
  std::optional<GroupKey> match(Operation *op, std::string &reason) const override;

private:
  NumericClass widest;
  bool sameUsers;
};
} // namespace

RewriteKind BatchLayernormRule::getKind(Operation *op) const {
  auto norm = cast<LayerNormOp>(op);
  // Each row is normalised as before. Scale and shift leave the fused kernel: their
  // intermediate results are rounded to the dtype, where PyTorch's kernel keeps 32
  // bits for 16-bit inputs.
  NumericClass numerics = NumericClass::Exact;
  if (norm.getWeight() || norm.getBias())
    numerics =
        norm.getType().getElementTypeBitWidth() < 32 ? NumericClass::ChangesPrecision : NumericClass::Reassociates;
  return {"batch-layernorm", "batch_layernorm", numerics};
}

std::optional<GroupKey> BatchLayernormRule::match(Operation *op, std::string &reason) const {
  auto norm = dyn_cast<LayerNormOp>(op);
  if (!norm)
    return std::nullopt;
  NumericClass numerics = getKind(op).numerics;
  if (!allows(widest, numerics))
    return refuse(reason, numerics == NumericClass::ChangesPrecision
                              ? "the rewrite rounds more often in 16 bits, which needs numerics=relaxed"
                              : "the rewrite reassociates, which numerics=exact forbids");
  auto input = cast<RankedTensorType>(norm.getInput().getType());
  if (!hasProvableShape(input))
    return refuse(reason, "expected extents that are known to be equal");
  for (Value parameter : {norm.getWeight(), norm.getBias()}) {
    if (!parameter)
      continue;
    auto type = cast<RankedTensorType>(parameter.getType());
    // Another dtype would promote the product.
    if (type.getElementType() != input.getElementType())
      return refuse(reason, "expected weight and bias of the input's dtype");
    if (type.getShape() != norm.getNormalizedShape())
      return refuse(reason, "expected weight and bias of the normalised shape");
  }
  GroupKey key;
  key.add(input).addTypeOf(norm.getWeight()).addTypeOf(norm.getBias()).add(norm.getNormalizedShape());
  key.add(norm.getEps().convertToDouble()).add(norm.getType());
  if (sameUsers)
    addUsers(key, op);
  return key;
}

namespace {
struct GroupBatchLayernormPass
    : public PatternGroupPass<fxgraph::impl::GroupBatchLayernormPassBase<GroupBatchLayernormPass>,
                              GroupPatterns::Layernorm> {
  using Base::Base;

  void runOnOperation() override {
    GroupFusionOptions options = getOptions();
    options.fuseNodesWithSameUsers = fuseNodesWithSameUsers;
    if (failed(runGroupFusion<BatchLayernormRule>(*this, numerics, patterns, options)))
      signalPassFailure();
  }
};
} // namespace
