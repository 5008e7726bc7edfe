// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-predispatch-relu-nan-to-num; the patterns are in ReluNanToNum.td. Linear.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/PreDispatch/Passes.h"
#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"

namespace fxgraph {
#define GEN_PASS_DEF_RELUNANTONUMPASS
#include "fxgraph/Transforms/PreDispatch/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kMerge{"merge-relu-nan-to-num", "relu_nan_to_num"};
// NaN becomes 0: what a user asks for by the mode.
static const RewriteKind kStabilize{"stabilize-relu", "relu_nan_to_num", NumericClass::ChangesPrecision};

static LogicalResult checkOnlyUse(mlir::PatternRewriter &rewriter, Value value) {
  if (value.hasOneUse())
    return success();
  return refuse(rewriter, value.getDefiningOp(), "the inner op has other users");
}

/// The number as the op uses it: rounded to the dtype of `like`.
static APFloat roundToDtype(const APFloat &number, Value like) {
  auto type = cast<FloatType>(cast<RankedTensorType>(like.getType()).getElementType());
  APFloat rounded = number;
  bool lossy;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lossy);
  rounded.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
  return rounded;
}

/// -inf must end at +0, as below 0 does: an absent number is the lowest finite one.
static LogicalResult checkFallsToZero(mlir::PatternRewriter &rewriter, FloatAttr neginf, Value root) {
  if (!neginf)
    return success();
  APFloat number = roundToDtype(neginf.getValue(), root);
  // -0 would stay -0.
  if (!number.isNaN() && (number.isNegative() ? !number.isZero() : number.isZero()))
    return success();
  return refuse(rewriter, root.getDefiningOp(), "the number for -inf is not one that relu makes 0");
}

static FloatAttr getReluOfNumber(FloatAttr number, Value like) {
  if (!number)
    return {};
  APFloat rounded = roundToDtype(number.getValue(), like);
  if (rounded.isNegative() && !rounded.isZero() && !rounded.isNaN())
    rounded = APFloat::getZero(APFloat::IEEEdouble());
  return FloatAttr::get(number.getType(), rounded);
}

namespace {
#include "PreDispatchReluNanToNum.h.inc"

struct ReluNanToNumPass : public fxgraph::impl::ReluNanToNumPassBase<ReluNanToNumPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    if (mode != "merge" && mode != "stabilize")
      return mlir::emitError(mlir::UnknownLoc::get(context))
             << "expected mode to be merge or stabilize but got " << mode.getValue();
    mlir::RewritePatternSet merging(context), stabilizing(context);
    merging.add<MergeNanToNumOfRelu, MergeReluOfNanToNum>(context);
    stabilizing.add<StabilizeRelu>(context);
    merge = std::move(merging);
    stabilize = std::move(stabilizing);
    return success();
  }

  void runOnOperation() override {
    RewriteSession session(*this);
    StringRef relu = ReluOp::getOperationName(), nanToNum = NanToNumOp::getOperationName();
    // First what loses nothing.
    if (failed(session.applyPatterns(merge, {relu, nanToNum}, kMerge)) ||
        (mode == "stabilize" && failed(session.applyPatterns(stabilize, {relu}, kStabilize))) || !session.isValid())
      signalPassFailure();
  }

private:
  mlir::FrozenRewritePatternSet merge, stabilize;
};
} // namespace
