// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns of Patterns.pdll.

#include "fxgraph/Transforms/GroupFusion/PatternRule.h"
#include "fxgraph/Transforms/Utils/CheckedPatterns.h"
#include "fxgraph/Transforms/Utils/FreezePatterns.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

using namespace fxgraph;

namespace {
#include "GroupFusionPatterns.h.inc"
} // namespace

static Value stackParameters(mlir::PatternRewriter &rewriter, ValueRange parameters, Operation *group) {
  auto normalized = cast<GroupOp>(group).getCommon().getAs<DenseI64ArrayAttr>("normalized_shape");
  int64_t numLeading =
      cast<RankedTensorType>(cast<GroupOp>(group).getFirst().front().getType()).getRank() - normalized.size();
  mlir::ImplicitLocOpBuilder builder(group->getLoc(), rewriter);
  Value stacked = StackOp::create(builder, parameters, /*dim=*/0);
  if (numLeading == 0)
    return stacked;
  if (numLeading == 1)
    return UnsqueezeOp::create(builder, stacked, 1);
  SmallVector<int64_t> shape{static_cast<int64_t>(parameters.size())};
  shape.append(numLeading, 1);
  llvm::append_range(shape, normalized.asArrayRef());
  return ReshapeOp::create(builder, stacked, shape);
}

/// Adds the patterns with their ops' types inferred. That the pieces have the members'
/// types is left to the engine, which refuses a set where they do not.
template <typename... Patterns>
static void add(mlir::RewritePatternSet &set) {
  auto add = [&](mlir::PDLPatternModule &&module) {
    for (auto pattern : module.getModule().getOps<mlir::pdl::PatternOp>())
      checkCreations(pattern, Trust::Own);
    set.add(std::move(module));
  };
  (add(Patterns(set.getContext())), ...);
}

mlir::FrozenRewritePatternSet fxgraph::makeGroupPatterns(MLIRContext *context, GroupPatterns which) {
  mlir::RewritePatternSet set(context);
  registerGroupRewrites(set.getPDLPatterns());
  registerCheckedRewrites(set.getPDLPatterns());
  switch (which) {
  case GroupPatterns::Pointwise:
    add<BatchPointwise>(set);
    break;
  case GroupPatterns::Linear:
    add<BatchLinear, BatchLinearBias>(set);
    break;
  case GroupPatterns::LinearLhs:
    add<BatchLinearLhs, BatchLinearLhsBias>(set);
    break;
  case GroupPatterns::ParallelLinear:
    add<FuseParallelLinear, FuseParallelLinearBias>(set);
    break;
  case GroupPatterns::Layernorm:
    set.getPDLPatterns().registerRewriteFunction("StackParameters", stackParameters);
    add<BatchLayernorm, BatchLayernormWeight, BatchLayernormBias, BatchLayernormWeightBias>(set);
    break;
  }
  return freezePatterns(std::move(set));
}
