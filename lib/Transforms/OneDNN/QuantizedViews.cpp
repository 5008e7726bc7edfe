// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-onednn-quantized-views; the patterns are in QuantizedViews.pdll. Linear in the ops and operands.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/OneDNN/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)
#include <cmath>

namespace fxgraph {
#define GEN_PASS_DEF_ONEDNNQUANTIZEDVIEWSPASS
#include "fxgraph/Transforms/OneDNN/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static Type getElement(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

/// True if q * scale and then its quotient by scale round to q again, q a difference of numbers
/// of 16 bits: nothing on the way overflows, or is denormal.
static bool isPlainScale(double scale) { return scale > 0x1p-100 && scale < 0x1p100; }

/// Whether `last` gives the integers that `dequantize` takes, of what the op between them moves.
static LogicalResult checkSameNumbers(mlir::PatternRewriter &rewriter, DequantizePerTensorOp dequantize,
                                      QuantizePerTensorOp last) {
  Value quantized = dequantize.getInput();
  auto type = dyn_cast<IntegerType>(getElement(quantized));
  if (!type || type.getWidth() > 16 || getElement(last.getResult()) != type)
    return refuse(rewriter, last, "the quantized dtypes are wide or differ");
  if (dequantize.getScale() != last.getScale() || dequantize.getZeroPoint() != last.getZeroPoint())
    return refuse(rewriter, last, "the quantizations have other scales or zero points");
  int64_t zero = dequantize.getZeroPoint();
  double scale = dequantize.getScale().convertToDouble();
  if (!isPlainScale(scale) || zero < -0x8000 || zero > 0xffff)
    return refuse(rewriter, last, "numbers of this scale and zero point may not come back");
  unsigned width = type.getWidth();
  int64_t low = type.isUnsigned() ? 0 : -(int64_t(1) << (width - 1));
  int64_t high = (int64_t(1) << (type.isUnsigned() ? width : width - 1)) - 1;
  if (static_cast<int64_t>(last.getQuantMin()) > low || static_cast<int64_t>(last.getQuantMax()) < high)
    return refuse(rewriter, last, "the range of the quantization does not hold all numbers of the dtype");
  if (cast<FloatType>(getElement(dequantize.getResult())).getWidth() < 32)
    return refuse(rewriter, last, "the values between are of 16 bits");
  return success();
}

static LogicalResult roundTrips(mlir::PatternRewriter &rewriter, Operation *first, Operation *view, Operation *last) {
  if (!isa<ViewLikeOpInterface>(view) || view->getNumResults() != 1)
    return failure();
  // Shapes change in a view, but neither may the view make elements of its own.
  if (isa<ConstantPadNdOp>(view))
    return refuse(rewriter, last, "the view makes elements");
  return checkSameNumbers(rewriter, cast<DequantizePerTensorOp>(first), cast<QuantizePerTensorOp>(last));
}

/// A larger integer is a larger number: scales are positive. A window of padding alone gives the
/// lowest number of the dtype, which -infinity is quantized to.
static LogicalResult poolsRoundTrips(mlir::PatternRewriter &rewriter, Operation *first, Operation *pool,
                                     Operation *last) {
  if (!pool->getResult(0).hasOneUse())
    return refuse(rewriter, last, "the largest values have other users");
  return checkSameNumbers(rewriter, cast<DequantizePerTensorOp>(first), cast<QuantizePerTensorOp>(last));
}

static LogicalResult joinsRoundTrips(mlir::PatternRewriter &rewriter, Operation *cat, Operation *last) {
  if (!llvm::all_of(cat->getOperands(), [](Value operand) { return operand.getDefiningOp<DequantizePerTensorOp>(); }))
    return failure();
  if (!cat->getResult(0).hasOneUse())
    return refuse(rewriter, last, "the cat has other users");
  for (Value operand : cat->getOperands())
    if (failed(checkSameNumbers(rewriter, operand.getDefiningOp<DequantizePerTensorOp>(),
                                cast<QuantizePerTensorOp>(last))))
      return failure();
  return success();
}

static Value createQuantizedView(mlir::PatternRewriter &rewriter, Operation *quantize, Operation *view,
                                 Value quantized) {
  mlir::IRMapping mapping;
  mapping.map(view->getOperand(0), quantized);
  Operation *moved = rewriter.clone(*view, mapping);
  moved->getResult(0).setType(quantize->getResult(0).getType());
  return moved->getResult(0);
}

static Value createQuantizedCat(mlir::PatternRewriter &rewriter, Operation *quantize, Operation *cat) {
  mlir::IRMapping mapping;
  for (Value operand : cat->getOperands())
    mapping.map(operand, operand.getDefiningOp()->getOperand(0));
  Operation *joined = rewriter.clone(*cat, mapping);
  joined->getResult(0).setType(quantize->getResult(0).getType());
  return joined->getResult(0);
}

namespace {
#include "OneDNNQuantizedViews.h.inc"

struct OneDNNQuantizedViewsPass
    : public PatternPass<fxgraph::impl::OneDNNQuantizedViewsPassBase<OneDNNQuantizedViewsPass>, Boundary::Guarded> {
  using PatternPass::PatternPass;

  void addGroups(MLIRContext *context) override {
    RewriteKind views{"onednn-quantized-view", "qreshape_matcher_count"};
    addGroup(context, views, [&](mlir::RewritePatternSet &set) {
      mlir::PDLPatternModule &pdl = set.getPDLPatterns();
      pdl.registerConstraintFunction("RoundTrips", roundTrips);
      pdl.registerConstraintFunction("PoolsRoundTrips", poolsRoundTrips);
      pdl.registerConstraintFunction("JoinsRoundTrips", joinsRoundTrips);
      pdl.registerRewriteFunction("CreateQuantizedView", createQuantizedView);
      pdl.registerRewriteFunction("CreateQuantizedCat", createQuantizedCat);
      set.add<QuantizedView>(context, KindConfig(views));
      set.add<QuantizedMaxPool>(context, KindConfig({"onednn-quantized-max-pool", "qmaxpool2d_matcher_count"}));
      set.add<QuantizedCat>(context, KindConfig({"onednn-quantized-cat", "qcat_matcher_count"}));
    });
  }
};
} // namespace
