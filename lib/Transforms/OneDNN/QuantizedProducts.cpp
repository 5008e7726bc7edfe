// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-onednn-quantized-products; the patterns are in QuantizedProducts.pdll. Linear in the ops.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/OneDNN/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_ONEDNNQUANTIZEDPRODUCTSPASS
#include "fxgraph/Transforms/OneDNN/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static RankedTensorType getTensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {
/// What an operand of a product is made of: the dequantization, and what moves its result.
struct Operand {
  Operation *dequantize = nullptr;
  /// A permutation of the weight, or a reshape of the input.
  Operation *moved = nullptr;
  /// The dtype has 16 bits.
  bool narrow = false;
};
} // namespace

/// Nothing if the value is no dequantized tensor behind at most one cast and one op that
/// moves its elements.
template <typename DequantizeOp>
static std::optional<Operand> findOperand(Value value, function_ref<bool(Operation *)> mayMove) {
  Operand operand;
  operand.narrow = isNarrowFloat(value.getType());
  for (int step = 0; step < 3; ++step) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    if (isa<DequantizeOp>(op)) {
      operand.dequantize = op;
      return operand;
    }
    if (!operand.moved && mayMove(op))
      operand.moved = op;
    else if (!isa<ConvertElementTypeOp>(op) || !isNarrowFloat(value.getType()) ||
             !getTensorType(op->getOperand(0)).getElementType().isF32())
      return std::nullopt;
    value = op->getOperand(0);
  }
  return std::nullopt;
}

static std::optional<Operand> findInput(Operation *product, Value input) {
  return findOperand<DequantizePerTensorOp>(
      input, [&](Operation *op) { return !isa<ConvolutionOp>(product) && isa<ViewOp, ReshapeOp>(op); });
}

static std::optional<Operand> findWeight(Operation *product, Value weight) {
  return findOperand<DequantizePerChannelOp>(
      weight, [&](Operation *op) { return isa<MmOp, AddmmOp>(product) && exchangesLastTwoDims(op); });
}

static LogicalResult isQuantized(mlir::PatternRewriter &rewriter, Operation *product, Value input, Value weight,
                                 StringRef defaultDevice, bool narrow) {
  std::optional<Operand> first = findInput(product, input), second = findWeight(product, weight);
  if (!first || !second || isNarrowFloat(product->getResult(0).getType()) != narrow)
    return failure();
  auto codes = cast<DequantizePerTensorOp>(first->dequantize);
  auto channels = cast<DequantizePerChannelOp>(second->dequantize);
  if (getDeviceType(input.getType(), defaultDevice) != "cpu")
    return refuse(rewriter, product, "the product is not on the CPU");
  if (getTensorType(codes.getInput()).getElementType().getIntOrFloatBitWidth() != 8)
    return refuse(rewriter, product, "the input is not quantized to 8 bits");
  RankedTensorType weightType = getTensorType(channels.getInput());
  if (!weightType.getElementType().isSignlessInteger(8))
    return refuse(rewriter, product, "the weight is not quantized to int8");
  // An operand of f64, or one that was dequantized in 16 bits, has other roundings in it.
  if (!codes.getResult().getType().getElementType().isF32() ||
      !channels.getResult().getType().getElementType().isF32() ||
      getTensorType(product->getResult(0)).getElementType() != getTensorType(input).getElementType())
    return refuse(rewriter, product, "the integers are not dequantized in f32");
  // Of mm and addmm the weight [k, n] is a permutation, or has its scales along dimension 1.
  int64_t axis = wrapDim(channels.getAxis(), weightType.getRank());
  if (axis != (isa<MmOp, AddmmOp>(product) && !second->moved ? 1 : 0))
    return refuse(rewriter, product, "the scales of the weight are not by outputs");
  if (isa<LinearOp>(product) && weightType.getRank() != 2)
    return refuse(rewriter, product, "the weight is no matrix");
  return success();
}

static LogicalResult isBias(mlir::PatternRewriter &rewriter, Operation *product, Value bias, Value weight) {
  RankedTensorType type = getTensorType(bias);
  Dims outputs = getDims(getTensorType(weight));
  if (!isa<FloatType>(type.getElementType()) || type.getElementTypeBitWidth() > 32 || type.getRank() != 1 ||
      !getDims(type)[0].provablyEquals(outputs[isa<MmOp, AddmmOp>(product) ? 1 : 0]))
    return refuse(rewriter, product, "the bias has not one value for each output");
  return success();
}

static LogicalResult checkUnscaled(mlir::PatternRewriter &rewriter, Operation *product) {
  if (!isUnscaled(product))
    return refuse(rewriter, product, "alpha or beta is not 1");
  return success();
}

static LogicalResult isBatchConvolution(mlir::PatternRewriter &rewriter, Operation *product) {
  auto conv = cast<ConvolutionOp>(product);
  if (conv.getTransposed())
    return refuse(rewriter, product, "the convolution is transposed");
  if (conv.getInput().getType().getRank() != conv.getWeight().getType().getRank())
    return refuse(rewriter, product, "the input has no batch");
  return success();
}

static Value createQuantizedWithBias(mlir::PatternRewriter &rewriter, Operation *product, Value input, Value weight,
                                     Value bias) {
  Location loc = product->getLoc();
  Operand first = *findInput(product, input), second = *findWeight(product, weight);
  auto codes = cast<DequantizePerTensorOp>(first.dequantize);
  auto channels = cast<DequantizePerChannelOp>(second.dequantize);
  Value quantized = codes.getInput(), numbers = channels.getInput();
  if (first.moved) {
    mlir::IRMapping mapping;
    mapping.map(first.moved->getOperand(0), quantized);
    Operation *moved = rewriter.clone(*first.moved, mapping);
    auto type = cast<RankedTensorType>(first.moved->getResult(0).getType());
    moved->getResult(0).setType(withElementType(type, getTensorType(quantized).getElementType()));
    quantized = moved->getResult(0);
  }
  if (isa<MmOp, AddmmOp>(product) && !second.moved)
    numbers = PermuteOp::create(rewriter, loc, numbers, ArrayRef<int64_t>{1, 0});
  if (bias && !getTensorType(bias).getElementType().isF32())
    bias =
        ConvertElementTypeOp::create(rewriter, loc, withElementType(getTensorType(bias), rewriter.getF32Type()), bias);
  Type type = product->getResult(0).getType();
  FloatAttr one = rewriter.getF64FloatAttr(1.0);
  mlir::IntegerAttr zero = rewriter.getI64IntegerAttr(0);
  StringAttr none = rewriter.getStringAttr("none");
  mlir::DenseF64ArrayAttr scalars = rewriter.getDenseF64ArrayAttr({});
  if (auto conv = dyn_cast<ConvolutionOp>(product))
    return QConvPointwiseOp::create(rewriter, loc, type, quantized, codes.getScaleAttr(), codes.getZeroPointAttr(),
                                    numbers, channels.getScales(), channels.getZeroPoints(), bias, Value(),
                                    conv.getStrideAttr(), conv.getPaddingAttr(), conv.getDilationAttr(),
                                    conv.getGroupsAttr(), none, one, zero, none, scalars, none, one, zero);
  return QLinearPointwiseOp::create(rewriter, loc, type, quantized, codes.getScaleAttr(), codes.getZeroPointAttr(),
                                    numbers, channels.getScales(), channels.getZeroPoints(), bias, Value(), none, one,
                                    zero, none, scalars, none, one, zero);
}

static Value createQuantized(mlir::PatternRewriter &rewriter, Operation *product, Value input, Value weight) {
  return createQuantizedWithBias(rewriter, product, input, weight, Value());
}

namespace {
#include "OneDNNQuantizedProducts.h.inc"

struct OneDNNQuantizedProductsPass
    : public PatternPass<fxgraph::impl::OneDNNQuantizedProductsPassBase<OneDNNQuantizedProductsPass>> {
  using PatternPass::PatternPass;

  void addGroups(MLIRContext *context) override {
    addProducts(context, "onednn-quantized-linear", "qlinear_weight_prepack_matcher_count",
                [&](mlir::RewritePatternSet &set) {
                  set.add<QuantizedLinear, QuantizedLinearWithBias, QuantizedMm, QuantizedAddmm>(context);
                });
    addProducts(
        context, "onednn-quantized-convolution", "qconv_weight_prepack_matcher_count",
        [&](mlir::RewritePatternSet &set) { set.add<QuantizedConvolution, QuantizedConvolutionWithBias>(context); });
  }

private:
  void addProducts(MLIRContext *context, StringRef pattern, StringRef counter,
                   function_ref<void(mlir::RewritePatternSet &)> populate) {
    for (bool narrow : {false, true}) {
      RewriteKind kind{pattern, counter, narrow ? NumericClass::ChangesPrecision : NumericClass::Reassociates};
      addGroup(context, kind, [&](mlir::RewritePatternSet &set) {
        mlir::PDLPatternModule &pdl = set.getPDLPatterns();
        pdl.registerConstraintFunction(
            "IsQuantized",
            [narrow, device = StringRef(defaultDevice).str()](mlir::PatternRewriter &rewriter, Operation *product,
                                                              Value input, Value weight) -> LogicalResult {
              return isQuantized(rewriter, product, input, weight, device, narrow);
            });
        pdl.registerConstraintFunction("IsBias", isBias);
        pdl.registerConstraintFunction("IsUnscaled", checkUnscaled);
        pdl.registerConstraintFunction("IsBatchConvolution", isBatchConvolution);
        pdl.registerRewriteFunction("CreateQuantized", createQuantized);
        pdl.registerRewriteFunction("CreateQuantizedWithBias", createQuantizedWithBias);
        populate(set);
      });
    }
  }
};
} // namespace
