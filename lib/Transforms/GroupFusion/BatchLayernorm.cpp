// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-group-batch-layernorm: layer norms of equal types become one.
//
// PyTorch: torch/_inductor/fx_passes/group_batch_fusion.py
// (BatchLayernormFusion).

#include "Engine.h"
#include "fxgraph/Transforms/GroupFusion/Passes.h"
#include "fxgraph/Transforms/Utils/Numerics.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fxgraph {
#define GEN_PASS_DEF_GROUPBATCHLAYERNORMPASS
#include "fxgraph/Transforms/GroupFusion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
/// Pattern: layer_norm(x_i, S, w_i, b_i) -> unbind(add(mul(layer_norm(stack(x_i), S), stack(w_i)), stack(b_i)))
class BatchLayernormRule : public GroupRule {
public:
  BatchLayernormRule(NumericClass widest, const GroupFusionOptions &options)
      : widest(widest), sameUsers(options.fuseNodesWithSameUsers) {}

  StringRef getRoot() const override { return LayerNormOp::getOperationName(); }
  RewriteKind getKind(Operation *op) const override;
  std::optional<GroupKey> match(Operation *op, std::string &reason) const override;
  SmallVector<Value> fuse(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Operation *> members) const override;

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
  auto refuse = [&](const Twine &why) {
    reason = why.str();
    return std::nullopt;
  };
  NumericClass numerics = getKind(op).numerics;
  if (!allows(widest, numerics))
    return refuse(numerics == NumericClass::ChangesPrecision
                      ? "the rewrite rounds more often in 16 bits, which needs numerics=relaxed"
                      : "the rewrite reassociates, which numerics=exact forbids");
  auto input = cast<RankedTensorType>(norm.getInput().getType());
  if (!hasProvableShape(input))
    return refuse("expected extents that are known to be equal");
  for (Value parameter : {norm.getWeight(), norm.getBias()}) {
    if (!parameter)
      continue;
    auto type = cast<RankedTensorType>(parameter.getType());
    // Another dtype would promote the product.
    if (type.getElementType() != input.getElementType())
      return refuse("expected weight and bias of the input's dtype");
    if (type.getShape() != norm.getNormalizedShape())
      return refuse("expected weight and bias of the normalised shape");
  }
  GroupKey key;
  key.add(input).addTypeOf(norm.getWeight()).addTypeOf(norm.getBias()).add(norm.getNormalizedShape());
  key.add(norm.getEps().convertToDouble()).add(norm.getType());
  if (sameUsers)
    addUsers(key, op);
  return key;
}

/// stack(values) with extents of 1 after the first dimension, so that it
/// broadcasts against [g, leading…, S…].
static Value stackForBroadcast(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Value> values,
                               ArrayRef<int64_t> normalizedShape, int64_t numLeading) {
  Value stacked = StackOp::create(builder, values, /*dim=*/0);
  if (numLeading == 0)
    return stacked;
  if (numLeading == 1)
    return UnsqueezeOp::create(builder, stacked, 1);
  SmallVector<int64_t> shape{static_cast<int64_t>(values.size())};
  shape.append(numLeading, 1);
  llvm::append_range(shape, normalizedShape);
  return ReshapeOp::create(builder, stacked, shape);
}

SmallVector<Value> BatchLayernormRule::fuse(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Operation *> members) const {
  SmallVector<Value> inputs, weights, biases;
  for (Operation *member : members) {
    auto norm = cast<LayerNormOp>(member);
    inputs.push_back(norm.getInput());
    if (norm.getWeight())
      weights.push_back(norm.getWeight());
    if (norm.getBias())
      biases.push_back(norm.getBias());
  }
  auto first = cast<LayerNormOp>(members.front());
  ArrayRef<int64_t> normalizedShape = first.getNormalizedShape();
  int64_t numLeading = first.getType().getRank() - normalizedShape.size();
  Value input = StackOp::create(builder, inputs, /*dim=*/0);
  Value result =
      LayerNormOp::create(builder, input, /*weight=*/Value(), /*bias=*/Value(), normalizedShape, first.getEps());
  if (!weights.empty())
    result = MulOp::create(builder, result, stackForBroadcast(builder, weights, normalizedShape, numLeading));
  if (!biases.empty())
    result = AddOp::create(builder, result, stackForBroadcast(builder, biases, normalizedShape, numLeading),
                           llvm::APFloat(1.0));
  return SmallVector<Value>(UnbindOp::create(builder, result, /*dim=*/0).getPieces());
}

namespace {
struct GroupBatchLayernormPass : public fxgraph::impl::GroupBatchLayernormPassBase<GroupBatchLayernormPass> {
  using Base::Base;

  void runOnOperation() override {
    GroupFusionOptions options{minFuseSetSize, maxFuseSetSize, maxFuseSearchDepth, profitableOnly, freezing};
    options.fuseNodesWithSameUsers = fuseNodesWithSameUsers;
    if (failed(runGroupFusion<BatchLayernormRule>(*this, numerics, options)))
      signalPassFailure();
  }
};
} // namespace
