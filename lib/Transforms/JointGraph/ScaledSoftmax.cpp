// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-jointgraph-scaled-softmax; the patterns are in ScaledSoftmax.pdll. Linear in the ops.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/JointGraph/Passes.h"
#include "fxgraph/Dialect/IR/Numbers.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_JOINTGRAPHSCALEDSOFTMAXPASS
#include "fxgraph/Transforms/JointGraph/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static LogicalResult isDifferenceFromMaximum(mlir::PatternRewriter &rewriter, Operation *difference, Operation *op) {
  auto maximum = cast<AmaxOp>(op);
  if (!isUnscaled(difference))
    return refuse(rewriter, difference, "the maximum is taken away more or less than once");
  if (!maximum.getKeepdim())
    return refuse(rewriter, maximum, "the maximum drops the dimensions");
  if (!isa<FloatType>(typeOf(difference->getResult(0)).getElementType()))
    return failure();
  // What the rewrite keeps for rows that are not finite.
  for (Operation *user : difference->getUsers()) {
    auto where = dyn_cast<WhereOp>(user);
    auto all = where ? where.getCondition().getDefiningOp<AllOp>() : AllOp();
    if (all && all.getInput().getDefiningOp<IsfiniteOp>())
      return failure();
  }
  return success();
}

static LogicalResult isScaleOfRows(mlir::PatternRewriter &rewriter, Value x, Value scale, Operation *op) {
  auto maximum = cast<AmaxOp>(op);
  Dims dims = getDims(typeOf(scale)), wide = getDims(typeOf(x));
  if (!isa<FloatType>(typeOf(x).getElementType()) || !isa<FloatType>(typeOf(scale).getElementType()) ||
      !provablyBroadcastsTo(dims, wide))
    return failure();
  for (int64_t dim : cast<ReductionOpInterface>(op).getReducedDims()) {
    int64_t own = dim - static_cast<int64_t>(wide.size() - dims.size());
    if (own >= 0 && (!dims[own].isStatic() || dims[own].getExtent() != 1))
      return refuse(rewriter, maximum, "the scale differs along a reduced dimension");
  }
  return success();
}

static LogicalResult isTrueQuotient(mlir::PatternRewriter &rewriter, Operation *quotient) {
  if (cast<DivOp>(quotient).getRoundingMode())
    return refuse(rewriter, quotient, "the quotient rounds");
  return success();
}

static Value scaleAfterMaximum(mlir::PatternRewriter &rewriter, Operation *root, Value s, Value x, Value scale,
                               Operation *op, mlir::Attribute divides) {
  Location loc = root->getLoc();
  auto maximum = cast<AmaxOp>(op);
  // A negative scale turns the order around. A number is known to be negative or not.
  if (std::optional<APFloat> known = getUniformValue(scale); known && !known->isNaN()) {
    if (known->isNegative() && !known->isZero()) {
      x = NegOp::create(rewriter, loc, x.getType(), x);
      scale = NegOp::create(rewriter, loc, scale.getType(), scale);
    }
  } else {
    Value positive = GeOp::create(rewriter, loc, scale, createNumber(rewriter, loc, 0.0));
    x = WhereOp::create(rewriter, loc, x.getType(), positive, x, NegOp::create(rewriter, loc, x.getType(), x));
    scale = AbsOp::create(rewriter, loc, scale.getType(), scale);
  }
  Value highest = AmaxOp::create(rewriter, loc, x, maximum.getDimsAttr(), maximum.getKeepdimAttr());
  Value stable = SubOp::create(rewriter, loc, x, highest, rewriter.getF64FloatAttr(1.0));
  if (cast<mlir::BoolAttr>(divides).getValue())
    stable = DivOp::create(rewriter, loc, stable, scale, StringAttr());
  else
    stable = MulOp::create(rewriter, loc, stable, scale);
  Value original = SubOp::create(rewriter, loc, s, maximum.getResult(), rewriter.getF64FloatAttr(1.0));
  Value finite = IsfiniteOp::create(rewriter, loc, s);
  Value rows = AllOp::create(rewriter, loc, finite, maximum.getDimsAttr(), rewriter.getBoolAttr(true));
  return WhereOp::create(rewriter, loc, rows, stable, original);
}

namespace {
#include "JointGraphScaledSoftmax.h.inc"

struct JointGraphScaledSoftmaxPass
    : public PatternPass<fxgraph::impl::JointGraphScaledSoftmaxPassBase<JointGraphScaledSoftmaxPass>> {
  using PatternPass::PatternPass;

  void addGroups(MLIRContext *context) override {
    addGroup(context, {"scaled-softmax", "", NumericClass::ChangesPrecision}, [](mlir::RewritePatternSet &set) {
      mlir::PDLPatternModule &pdl = set.getPDLPatterns();
      pdl.registerConstraintFunction("IsDifferenceFromMaximum", isDifferenceFromMaximum);
      pdl.registerConstraintFunction("IsScaleOfRows", isScaleOfRows);
      pdl.registerConstraintFunction("IsTrueQuotient", isTrueQuotient);
      pdl.registerRewriteFunction("ScaleAfterMaximum", scaleAfterMaximum);
      populateGeneratedPDLLPatterns(set);
    });
  }
};
} // namespace
