// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-onednn-quantized-results; the patterns are in QuantizedResults.pdll. Linear in the ops.

#include "PointwiseProduct.h"
#include "fxgraph/Transforms/OneDNN/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_ONEDNNQUANTIZEDRESULTSPASS
#include "fxgraph/Transforms/OneDNN/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static Type getElement(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }
static bool isEightBits(Type type) { return type.isInteger(8); }

static LogicalResult quantizesProduct(mlir::PatternRewriter &rewriter, Operation *root, Value product) {
  Operation *op = product.getDefiningOp();
  if (!op || !isQuantizedProduct(op))
    return failure();
  auto quantize = cast<QuantizePerTensorOp>(root);
  Type type = getElement(quantize.getResult());
  if (!isEightBits(type))
    return refuse(rewriter, root, "the result is not quantized to 8 bits");
  if (!getElement(product).isF32())
    return refuse(rewriter, root, "the product is rounded to 16 bits before it is quantized");
  int64_t low = type.isUnsignedInteger() ? 0 : -128, high = type.isUnsignedInteger() ? 255 : 127;
  if (static_cast<int64_t>(quantize.getQuantMin()) != low || static_cast<int64_t>(quantize.getQuantMax()) != high)
    return refuse(rewriter, root, "the range of the quantization does not hold all numbers of the dtype");
  if (!product.hasOneUse())
    return refuse(rewriter, root, "the product has other users");
  if (op->getBlock() != root->getBlock())
    return refuse(rewriter, root, "the product is made in another block");
  return success();
}

/// What makes the tensor that a quantized product joins; null if that is not a dequantization.
static DequantizePerTensorOp getDequantizedOther(Operation *op) {
  Value other = getPostOps(op)->other;
  return other ? other.getDefiningOp<DequantizePerTensorOp>() : DequantizePerTensorOp();
}

static LogicalResult joinsDequantized(mlir::PatternRewriter &rewriter, Operation *op) {
  DequantizePerTensorOp dequantize = getDequantizedOther(op);
  if (!dequantize)
    return failure();
  if (!isEightBits(getElement(dequantize.getInput())) || !getElement(dequantize.getResult()).isF32())
    return refuse(rewriter, op, "what the product joins is not dequantized from 8 bits in f32");
  return success();
}

static Value createQuantizedResult(mlir::PatternRewriter &rewriter, Operation *root, Value product) {
  auto quantize = cast<QuantizePerTensorOp>(root);
  beginQuantization(rewriter, product.getDefiningOp());
  Operation *result = rewriter.clone(*product.getDefiningOp());
  result->setLoc(root->getLoc());
  result->getResult(0).setType(quantize.getType());
  result->setAttr("output_scale", quantize.getScaleAttr());
  result->setAttr("output_zero_point", quantize.getZeroPointAttr());
  return result->getResult(0);
}

static Value createWithIntegers(mlir::PatternRewriter &rewriter, Operation *op) {
  DequantizePerTensorOp dequantize = getDequantizedOther(op);
  Operation *result = rewriter.clone(*op);
  result->setAttr("other_scale", dequantize.getScaleAttr());
  result->setAttr("other_zero_point", dequantize.getZeroPointAttr());
  // Operands are in a row, of which the tensor that is joined is the last.
  result->setOperand(result->getNumOperands() - 1, dequantize.getInput());
  return result->getResult(0);
}

namespace {
#include "OneDNNQuantizedResults.h.inc"

struct OneDNNQuantizedResultsPass
    : public PatternPass<fxgraph::impl::OneDNNQuantizedResultsPassBase<OneDNNQuantizedResultsPass>> {
  using PatternPass::PatternPass;

  void addGroups(MLIRContext *context) override {
    RewriteKind kind{"onednn-quantized-result", "", NumericClass::Exact}; // counted by the product
    addGroup(context, kind, [](mlir::RewritePatternSet &set) {
      mlir::PDLPatternModule &pdl = set.getPDLPatterns();
      pdl.registerConstraintFunction("QuantizesProduct", quantizesProduct);
      pdl.registerConstraintFunction("JoinsDequantized", joinsDequantized);
      pdl.registerRewriteFunction("CreateQuantizedResult", createQuantizedResult);
      pdl.registerRewriteFunction("CreateWithIntegers", createWithIntegers);
      populateGeneratedPDLLPatterns(set);
    });
  }
};
} // namespace
