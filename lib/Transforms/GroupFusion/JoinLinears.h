// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key of the two fusions of linears on one input.

#ifndef FXGRAPH_LIB_TRANSFORMS_GROUPFUSION_JOINLINEARS_H
#define FXGRAPH_LIB_TRANSFORMS_GROUPFUSION_JOINLINEARS_H

#include "fxgraph/Transforms/GroupFusion/PatternRule.h"
#include "fxgraph/Transforms/Utils/Numerics.h"

namespace fxgraph {

class JoinLinearsRule : public PatternGroupRule {
public:
  /// Inputs of rank `rank` alone, or of any with 0.
  JoinLinearsRule(const mlir::FrozenRewritePatternSet &patterns, StringRef pattern, StringRef counter,
                  NumericClass widest, int64_t rank)
      : PatternGroupRule(patterns), kind{pattern, counter, NumericClass::Reassociates}, widest(widest), rank(rank) {}

  StringRef getRoot() const override { return LinearOp::getOperationName(); }
  RewriteKind getKind(Operation *) const override { return kind; }

  /// All members have the input itself in common, so that its extents need not be
  /// known; what is cut must be.
  std::optional<GroupKey> match(Operation *op, std::string &reason) const override {
    auto linear = dyn_cast<LinearOp>(op);
    if (!linear)
      return std::nullopt;
    if (!allows(widest, kind.numerics))
      return refuse(reason, "the rewrite reassociates sums, which numerics=exact forbids");
    auto input = cast<RankedTensorType>(linear.getInput().getType());
    auto weight = cast<RankedTensorType>(linear.getWeight().getType());
    if (rank != 0 && input.getRank() != rank)
      return refuse(reason, "expected an input of rank " + Twine(rank) + " but got rank " + Twine(input.getRank()));
    if (weight.getRank() != 2)
      return refuse(reason, "expected a weight of rank 2 but got rank " + Twine(weight.getRank()));
    if (weight.isDynamicDim(0) || !hasProvableShape(weight))
      return refuse(reason, "expected a weight of known extents");
    if (Value bias = linear.getBias()) {
      auto type = cast<RankedTensorType>(bias.getType());
      if (type.getRank() != 1 || type.getDimSize(0) != weight.getDimSize(0))
        return refuse(reason, "expected a bias with one value for each output");
    }
    GroupKey key;
    // The weights' second extents may be spelled differently (k and s0): cat wants
    // one spelling.
    auto meta = getDims(weight)[1];
    key.add(linear.getInput())
        .add(weight.getElementType())
        .add(meta.getSymbol())
        .add(ArrayRef<int64_t>(meta.getExtent()));
    key.add(static_cast<const void *>(linear.getBias() ? this : nullptr));
    return key;
  }

private:
  RewriteKind kind;
  NumericClass widest;
  int64_t rank;
};

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_GROUPFUSION_JOINLINEARS_H
