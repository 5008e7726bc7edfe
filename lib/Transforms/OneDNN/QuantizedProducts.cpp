// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-onednn-quantized-products; the patterns are in QuantizedProducts.pdll. Linear in the ops.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/Numbers.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/OneDNN/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "fxgraph/Transforms/Utils/SweepAnalyses.h"
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
  if (bias)
    bias = createCast(rewriter, loc, bias, rewriter.getF32Type());
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

/// What an f32 weight [n, k], or (of mm and addmm) [k, n], was rounded to before it was widened; null if it was not.
struct HalfWeight {
  Value half;
  /// The dimensions are exchanged behind it.
  bool isMoved = false;
};

static HalfWeight findHalf(Operation *product, Value weight) {
  HalfWeight found;
  while (Operation *op = weight.getDefiningOp()) {
    if (auto cast = dyn_cast<ConvertElementTypeOp>(op)) {
      auto rounded = cast.getInput().getDefiningOp<ConvertElementTypeOp>();
      Value exchanged = cast.getInput();
      // The exchange may stand between the two.
      if (!rounded && !found.isMoved && !isa<LinearOp>(product) && exchanged.getDefiningOp() &&
          exchangesLastTwoDims(exchanged.getDefiningOp())) {
        found.isMoved = true;
        exchanged = exchanged.getDefiningOp()->getOperand(0);
        rounded = exchanged.getDefiningOp<ConvertElementTypeOp>();
      }
      if (rounded && getTensorType(exchanged).getElementType().isF16() &&
          isa<FloatType>(getTensorType(rounded.getInput()).getElementType()) &&
          !getTensorType(rounded.getInput()).getElementType().isF16())
        found.half = exchanged;
      return found;
    }
    if (found.isMoved || isa<LinearOp>(product) || !exchangesLastTwoDims(op))
      return found;
    found.isMoved = true;
    weight = op->getOperand(0);
  }
  return found;
}

static LogicalResult isRoundedToHalf(mlir::PatternRewriter &rewriter, Operation *product, Value input, Value weight,
                                     StringRef defaultDevice) {
  if (!getTensorType(product->getResult(0)).getElementType().isF32() || getTensorType(weight).getRank() != 2)
    return failure();
  Value half = findHalf(product, weight).half;
  if (!half)
    return failure();
  if (getDeviceType(input.getType(), defaultDevice) != "cpu")
    return refuse(rewriter, product, "the product is not on the CPU");
  if (!getFrozenValues(rewriter).contains(half))
    return refuse(rewriter, product, "the weight may change between runs");
  return success();
}

static Value createHalfWithBias(mlir::PatternRewriter &rewriter, Operation *product, Value input, Value weight,
                                Value bias) {
  Location loc = product->getLoc();
  HalfWeight found = findHalf(product, weight);
  Value half = found.half;
  if (!isa<LinearOp>(product) && !found.isMoved)
    half = PermuteOp::create(rewriter, loc, half, ArrayRef<int64_t>{1, 0});
  return LinearPointwiseOp::create(rewriter, loc, product->getResult(0).getType(), input, half, bias, Value(), "none",
                                   "none", ArrayRef<double>(), "none");
}

static Value createHalf(mlir::PatternRewriter &rewriter, Operation *product, Value input, Value weight) {
  return createHalfWithBias(rewriter, product, input, weight, Value());
}

/// A scale of rows as it was before it was repeated for the columns.
static Value getRepeated(Value rowScale) {
  auto expand = rowScale.getDefiningOp<ExpandOp>();
  return expand ? Value(expand.getInput()) : rowScale;
}

static LogicalResult isScaledBehind(mlir::PatternRewriter &rewriter, ArrayRef<Operation *> steps, Value rowScale,
                                    Value columnScale, StringRef defaultDevice, bool narrow) {
  Operation *root = steps.front(), *converted = steps[2];
  auto product = cast<IntMmOp>(steps.back());
  Type element = getTensorType(converted->getResult(0)).getElementType();
  RankedTensorType type = product.getResult().getType();
  if (isNarrowFloat(element) != narrow || !isa<FloatType>(element) || element.isF64())
    return failure();
  if (getDeviceType(type, defaultDevice) != "cpu")
    return refuse(rewriter, root, "the product is not on the CPU");
  if (!llvm::all_of(steps.drop_front(), [](Operation *step) { return step->getResult(0).hasOneUse(); }))
    return refuse(rewriter, root, "a step between has other users");
  if (!getFrozenValues(rewriter).contains(product.getMat2()))
    return refuse(rewriter, root, "the weight may change between runs");
  for (Value scale : {rowScale, columnScale})
    if (getTensorType(scale).getElementType() != element)
      return refuse(rewriter, root, "a scale has another dtype than the converted product");
  if (getTensorType(root->getResult(0)) != withElementType(type, element))
    return refuse(rewriter, root, "a scale has more dimensions than the product");
  Dims outputs = getDims(type), rows = getDims(getTensorType(getRepeated(rowScale)));
  Dims columns = getDims(getTensorType(columnScale));
  auto isOne = [](const Dim &dim) { return dim.isStatic() && dim.getExtent() == 1; };
  if (!rows.empty() && !isOne(rows.back()))
    return refuse(rewriter, root, "the first scale is not by rows");
  if (columns.empty() || !columns.back().provablyEquals(outputs[1]) ||
      !llvm::all_of(ArrayRef(columns).drop_back(), isOne))
    return refuse(rewriter, root, "the second scale has not one number for each column");
  return success();
}

static Value createScaledRows(mlir::PatternRewriter &rewriter, Operation *root, Operation *op, Value rowScale,
                              Value columnScale) {
  Location loc = root->getLoc();
  auto product = cast<IntMmOp>(op);
  auto type = cast<RankedTensorType>(root->getResult(0).getType());
  RankedTensorType scales = getTensorType(columnScale);
  if (scales.getRank() > 1)
    columnScale = SelectOp::create(rewriter, loc, columnScale, /*dim=*/0, /*index=*/0);
  columnScale = createCast(rewriter, loc, columnScale, rewriter.getF32Type());
  Value weight = PermuteOp::create(rewriter, loc, product.getMat2(), ArrayRef<int64_t>{1, 0});
  FloatAttr one = rewriter.getF64FloatAttr(1.0);
  mlir::IntegerAttr zero = rewriter.getI64IntegerAttr(0);
  StringAttr none = rewriter.getStringAttr("none");
  Value scaled = QLinearPointwiseOp::create(rewriter, loc, type, product.getInput(), one, zero, weight, columnScale,
                                            Value(), Value(), Value(), none, one, zero, none,
                                            rewriter.getDenseF64ArrayAttr({}), none, one, zero);
  return MulOp::create(rewriter, loc, type, scaled, getRepeated(rowScale));
}

namespace {
#include "OneDNNQuantizedProducts.h.inc"

struct OneDNNQuantizedProductsPass
    : public PatternPass<fxgraph::impl::OneDNNQuantizedProductsPassBase<OneDNNQuantizedProductsPass>> {
  using PatternPass::PatternPass;

  void addGroups(MLIRContext *context) override {
    addProducts(context, "onednn-quantized-linear", "qlinear_weight_prepack_matcher_count",
                [&](mlir::RewritePatternSet &set) {
                  set.add<QuantizedLinear, QuantizedLinearWithBias, QuantizedMm, QuantizedAddmm, ScaledIntMm>(context);
                });
    addProducts(
        context, "onednn-quantized-convolution", "qconv_weight_prepack_matcher_count",
        [&](mlir::RewritePatternSet &set) { set.add<QuantizedConvolution, QuantizedConvolutionWithBias>(context); });
    RewriteKind half{"onednn-half-linear", "qlinear_weight_prepack_matcher_count", NumericClass::Reassociates};
    addGroup(context, half, [&](mlir::RewritePatternSet &set) {
      mlir::PDLPatternModule &pdl = set.getPDLPatterns();
      pdl.registerConstraintFunction("IsRoundedToHalf",
                                     [device = StringRef(defaultDevice).str()](mlir::PatternRewriter &rewriter,
                                                                               Operation *product, Value input,
                                                                               Value weight) -> LogicalResult {
                                       return isRoundedToHalf(rewriter, product, input, weight, device);
                                     });
      pdl.registerConstraintFunction("IsBias", isBias);
      pdl.registerConstraintFunction("IsUnscaled", checkUnscaled);
      pdl.registerRewriteFunction("CreateHalf", createHalf);
      pdl.registerRewriteFunction("CreateHalfWithBias", createHalfWithBias);
      set.add<HalfLinear, HalfLinearWithBias, HalfMm, HalfAddmm>(context);
    });
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
        pdl.registerConstraintFunction(
            "IsScaledBehind",
            [narrow, device = StringRef(defaultDevice).str()](mlir::PatternRewriter &rewriter, Operation *root,
                                                              Operation *rows, Operation *converted, Operation *product,
                                                              Value rowScale, Value columnScale) -> LogicalResult {
              return isScaledBehind(rewriter, {root, rows, converted, product}, rowScale, columnScale, device, narrow);
            });
        pdl.registerConstraintFunction("IsBias", isBias);
        pdl.registerConstraintFunction("IsUnscaled", checkUnscaled);
        pdl.registerConstraintFunction("IsBatchConvolution", isBatchConvolution);
        pdl.registerRewriteFunction("CreateScaledRows", createScaledRows);
        pdl.registerRewriteFunction("CreateQuantized", createQuantized);
        pdl.registerRewriteFunction("CreateQuantizedWithBias", createQuantizedWithBias);
        populate(set);
      });
    }
  }
};
} // namespace
