// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-onednn-quantized-views; the pattern is in QuantizedViews.pdll. Linear in the ops.

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

static LogicalResult roundTrips(mlir::PatternRewriter &rewriter, Operation *first, Operation *view, Operation *last) {
  if (!isa<ViewLikeOpInterface>(view) || view->getNumResults() != 1)
    return failure();
  auto dequantize = cast<DequantizePerTensorOp>(first);
  auto quantize = cast<QuantizePerTensorOp>(last);
  Value quantized = dequantize.getInput(), result = quantize->getResult(0);
  auto type = dyn_cast<IntegerType>(getElement(quantized));
  if (!type || type.getWidth() > 16 || getElement(result) != type)
    return refuse(rewriter, last, "the quantized dtypes are wide or differ");
  // Shapes change in a view, but neither may the view make elements of its own.
  if (isa<ConstantPadNdOp>(view))
    return refuse(rewriter, last, "the view makes elements");
  if (dequantize.getScale() != quantize.getScale() || dequantize.getZeroPoint() != quantize.getZeroPoint())
    return refuse(rewriter, last, "the quantizations have other scales or zero points");
  int64_t zero = dequantize.getZeroPoint();
  double scale = dequantize.getScale().convertToDouble();
  if (!isPlainScale(scale) || zero < -0x8000 || zero > 0xffff)
    return refuse(rewriter, last, "numbers of this scale and zero point may not come back");
  unsigned width = type.getWidth();
  int64_t low = type.isUnsigned() ? 0 : -(int64_t(1) << (width - 1));
  int64_t high = (int64_t(1) << (type.isUnsigned() ? width : width - 1)) - 1;
  if (static_cast<int64_t>(quantize.getQuantMin()) > low || static_cast<int64_t>(quantize.getQuantMax()) < high)
    return refuse(rewriter, last, "the range of the quantization does not hold all numbers of the dtype");
  auto between = cast<FloatType>(getElement(dequantize->getResult(0)));
  if (between.getWidth() < 32)
    return refuse(rewriter, last, "the values between are of 16 bits");
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

namespace {
#include "OneDNNQuantizedViews.h.inc"

struct OneDNNQuantizedViewsPass
    : public PatternPass<fxgraph::impl::OneDNNQuantizedViewsPassBase<OneDNNQuantizedViewsPass>, Boundary::Guarded> {
  using PatternPass::PatternPass;

  void addGroups(MLIRContext *context) override {
    RewriteKind kind{"onednn-quantized-view", "qreshape_matcher_count", NumericClass::Exact};
    addGroup(context, kind, [](mlir::RewritePatternSet &set) {
      mlir::PDLPatternModule &pdl = set.getPDLPatterns();
      pdl.registerConstraintFunction("RoundTrips", roundTrips);
      pdl.registerRewriteFunction("CreateQuantizedView", createQuantizedView);
      populateGeneratedPDLLPatterns(set);
    });
  }
};
} // namespace
