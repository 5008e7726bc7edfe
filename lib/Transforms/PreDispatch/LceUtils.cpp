// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints and rewrites of the compressions; see the PDLL files that name them.

#include "LceUtils.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace fxgraph;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static LogicalResult isCompression(mlir::PatternRewriter &rewriter, Operation *op) {
  auto linear = cast<LinearOp>(op);
  if (typeOf(linear.getInput()).getRank() != 3)
    return failure();
  if (!linear.getResult().hasOneUse())
    return refuse(rewriter, op, "the linear has other users");
  return success();
}

static LogicalResult joinsFeatures(mlir::PatternRewriter &, Value input) {
  auto cat = input.getDefiningOp<CatOp>();
  return success(cat && cat.getTensors().size() >= 2 && typeOf(input).getRank() == 3 && cat.getNormalizedDim() == 1);
}

static LogicalResult isBareCompression(mlir::PatternRewriter &rewriter, Operation *op) {
  auto linear = cast<LinearOp>(op);
  if (typeOf(linear.getInput()).getRank() != 3)
    return failure();
  // Of one user that is a permutation the other pattern makes more.
  if (linear.getResult().hasOneUse() && exchangesLastTwoDims(*linear->user_begin()))
    return failure();
  Dims weight = getDims(typeOf(linear.getWeight()));
  if (!weight[0].isStatic() || !weight[1].isStatic() || weight[0].getExtent() > weight[1].getExtent())
    return refuse(rewriter, op, "the linear does not compress: a permutation would move more behind it than before it");
  return success();
}

static LogicalResult isDotCompression(mlir::PatternRewriter &rewriter, Operation *outer, Operation *inner) {
  auto product = cast<MatmulOp>(inner);
  if (typeOf(outer->getOperand(0)).getRank() != 3 || typeOf(product.getOther()).getRank() != 2)
    return failure();
  Type element = typeOf(outer->getOperand(0)).getElementType();
  if (!element.isF16() && !element.isBF16() && !element.isF32())
    return refuse(rewriter, outer, "expected floats of 16 or 32 bits");
  if (!product.getResult().hasOneUse())
    return refuse(rewriter, outer, "the inner product has other users");
  return success();
}

static Value createLce(mlir::PatternRewriter &rewriter, Operation *root, Value input, Value weight, ValueRange bias) {
  return LceOp::create(rewriter, root->getLoc(), input, weight, bias.empty() ? Value() : bias.front());
}

static Value createMatmulLce(mlir::PatternRewriter &rewriter, Operation *root, Value input, Value weight,
                             ValueRange bias) {
  Location loc = root->getLoc();
  Value product = MatmulOp::create(rewriter, loc, weight, input);
  if (bias.empty())
    return product;
  Value column = UnsqueezeOp::create(rewriter, loc, bias.front(), /*dim=*/1);
  return AddOp::create(rewriter, loc, product, column, rewriter.getF64FloatAttr(1.0));
}

void fxgraph::registerLceConstraints(mlir::RewritePatternSet &patterns) {
  mlir::PDLPatternModule &pdl = patterns.getPDLPatterns();
  pdl.registerConstraintFunction("IsCompression", isCompression);
  pdl.registerConstraintFunction("JoinsFeatures", joinsFeatures);
  pdl.registerConstraintFunction("IsBareCompression", isBareCompression);
  pdl.registerConstraintFunction("IsDotCompression", isDotCompression);
  pdl.registerRewriteFunction("CreateLce", createLce);
  pdl.registerRewriteFunction("CreateMatmulLce", createMatmulLce);
}
