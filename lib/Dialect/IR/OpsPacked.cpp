// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with what follows them, and with packed weights: types, constraints, meaning.
//
// PyTorch: torch/_inductor/fx_passes/mkldnn_fusion.py, aten/src/ATen/native/mkldnn and
// aten/src/ATen/native/LinearAlgebra.cpp.

#include "fxgraph/Dialect/IR/FxGraphOps.h"

#include "InferUtils.h"

using namespace fxgraph;

using Extent = llvm::function_ref<double(Value, int64_t)>;

/// The elements of a filter.
static double countFilter(Value weight, Extent extent) {
  double elements = 1;
  for (int64_t dim : llvm::seq<int64_t>(1, cast<RankedTensorType>(weight.getType()).getRank()))
    elements *= extent(weight, dim);
  return elements;
}
double ConvolutionPointwiseOp::countProducts(Extent extent) { return countFilter(getWeight(), extent); }
double QConvPointwiseOp::countProducts(Extent extent) { return countFilter(getWeight(), extent); }

void FxGraphDialect::registerPackedOps() {
  addOperations<
#define GET_OP_LIST
#include "fxgraph/Dialect/IR/OpsPacked.cpp.inc"
      >();
}

template <typename Adaptor>
static LogicalResult checkPostOps(std::optional<Location> loc, Adaptor adaptor, ArrayRef<Dim> result) {
  StringRef attr = adaptor.getAttr(), binary = adaptor.getBinary(), algorithm = adaptor.getAlgorithm();
  size_t scalars = adaptor.getScalars().size();
  size_t expected = attr == "leaky_relu" ? 1 : attr == "hardtanh" ? 2 : 0;
  // post_op_c1
  if (!llvm::is_contained(
          {"none", "relu", "sigmoid", "tanh", "silu", "hardswish", "hardsigmoid", "leaky_relu", "hardtanh", "gelu"},
          attr)) {
    emitOptional(loc) << "expected a known activation but got " << attr;
    return failure();
  }
  if (scalars != expected) {
    emitOptional(loc) << "expected " << expected << " scalars for " << attr << " but got " << scalars;
    return failure();
  }
  if (algorithm != "none" && (algorithm != "tanh" || attr != "gelu")) {
    emitOptional(loc) << "expected algorithm none" << (attr == "gelu" ? " or tanh" : "") << " but got " << algorithm;
    return failure();
  }
  // post_op_c2
  if (!llvm::is_contained({"none", "add", "sub", "mul"}, binary)) {
    emitOptional(loc) << "expected binary to be none, add, sub or mul but got " << binary;
    return failure();
  }
  Value other = adaptor.getOther();
  if (static_cast<bool>(other) != (binary != "none")) {
    emitOptional(loc) << "expected " << (other ? "a binary beside" : "an other beside binary") << " "
                      << (other ? "other" : binary);
    return failure();
  }
  // post_op_c3
  return other ? expectBroadcastsTo(loc, getDims(tensorTypeOf(other)), result, "other") : success();
}

/// What `binary` and `attr` make of the product.
static Value applyPostOps(OpBuilder &builder, Location loc, Value value, Value other, StringRef binary, StringRef attr,
                          ArrayRef<double> scalars, StringAttr algorithm) {
  FloatAttr one = builder.getF64FloatAttr(1.0);
  if (binary == "add")
    value = AddOp::create(builder, loc, value, other, one);
  else if (binary == "sub")
    value = SubOp::create(builder, loc, value, other, one);
  else if (binary == "mul")
    value = MulOp::create(builder, loc, value, other);
  auto number = [&](size_t i) { return builder.getF64FloatAttr(scalars[i]); };
  if (attr == "relu")
    value = ReluOp::create(builder, loc, value);
  else if (attr == "sigmoid")
    value = SigmoidOp::create(builder, loc, value);
  else if (attr == "tanh")
    value = TanhOp::create(builder, loc, value);
  else if (attr == "silu")
    value = SiluOp::create(builder, loc, value);
  else if (attr == "hardswish")
    value = HardswishOp::create(builder, loc, value);
  else if (attr == "hardsigmoid")
    value = HardsigmoidOp::create(builder, loc, value);
  else if (attr == "leaky_relu")
    value = LeakyReluOp::create(builder, loc, value, number(0));
  else if (attr == "hardtanh")
    value = ClampOp::create(builder, loc, value, number(0), number(1));
  else if (attr == "gelu")
    value = GeluOp::create(builder, loc, value, algorithm);
  return value;
}

template <typename OpTy>
static Value applyPostOps(OpBuilder &builder, OpTy op, Value value) {
  value = applyPostOps(builder, op.getLoc(), value, op.getOther(), op.getBinary(), op.getAttr(), op.getScalars(),
                       op.getAlgorithmAttr());
  return withTypeOf(value, op.getResult());
}

LogicalResult LinearPointwiseOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                  LinearPointwiseOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput()), weight = tensorTypeOf(adaptor.getWeight());
  // linear_pointwise_c1
  bool isWidened = input.getElementType().isF32() && weight.getElementType().isF16();
  Value alike[] = {adaptor.getInput(), isWidened ? Value() : adaptor.getWeight(), adaptor.getBias(),
                   adaptor.getOther()};
  FailureOr<StringAttr> device = commonDevice(loc, adaptor.getOperands());
  if (failed(expectSameElementType(loc, alike)) || failed(device))
    return failure();
  // linear_c1
  if (failed(expectRankAtLeast(loc, input, 1, "input")) || failed(expectRank(loc, weight, 2, "weight")))
    return failure();
  // linear_c3
  Dims dims = getDims(input);
  if (failed(expectSameDim(loc, dims.back(), getDims(weight)[1], "last dimension of weight")))
    return failure();
  dims.back() = getDims(weight)[0];
  inferred.push_back(makeTensorType(dims, input.getElementType(), *device));
  // linear_c2: linear itself takes what broadcasts.
  if (Value bias = adaptor.getBias())
    if (failed(expectShape(loc, {getDims(weight)[0]}, getDims(tensorTypeOf(bias)), "bias")))
      return failure();
  return checkPostOps(loc, adaptor, getDims(cast<RankedTensorType>(inferred.front())));
}

FailureOr<SmallVector<Value>> LinearPointwiseOp::decompose(OpBuilder &builder) {
  Value weight = castElements(builder, getLoc(), getWeight(), getInput().getType().getElementType());
  Value product = LinearOp::create(builder, getLoc(), getInput(), weight, getBias());
  return SmallVector<Value>{applyPostOps(builder, *this, product)};
}

LogicalResult ConvolutionPointwiseOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                                       ConvolutionPointwiseOp::Adaptor adaptor,
                                                       SmallVectorImpl<Type> &inferred) {
  // convolution_pointwise_c1
  ConvolutionOp::Properties properties;
  properties.setStride(adaptor.getStrideAttr());
  properties.setPadding(adaptor.getPaddingAttr());
  properties.setDilation(adaptor.getDilationAttr());
  properties.setTransposed(adaptor.getTransposedAttr());
  properties.setOutputPadding(adaptor.getOutputPaddingAttr());
  properties.setGroups(adaptor.getGroupsAttr());
  SmallVector<Value> operands{adaptor.getInput(), adaptor.getWeight()};
  if (Value bias = adaptor.getBias())
    operands.push_back(bias);
  if (failed(ConvolutionOp::inferReturnTypes(context, loc, ConvolutionOp::Adaptor(operands, {}, properties), inferred)))
    return failure();
  if (Value other = adaptor.getOther())
    if (failed(expectUniform(loc, {adaptor.getInput(), other})))
      return failure();
  return checkPostOps(loc, adaptor, getDims(cast<RankedTensorType>(inferred.front())));
}

FailureOr<SmallVector<Value>> ConvolutionPointwiseOp::decompose(OpBuilder &builder) {
  Value product =
      ConvolutionOp::create(builder, getLoc(), getInput(), getWeight(), getBias(), getStrideAttr(), getPaddingAttr(),
                            getDilationAttr(), getTransposedAttr(), getOutputPaddingAttr(), getGroupsAttr());
  return SmallVector<Value>{applyPostOps(builder, *this, product)};
}

LogicalResult WeightInt8packMmOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                   WeightInt8packMmOp::Adaptor adaptor,
                                                   SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput()), weight = tensorTypeOf(adaptor.getWeight());
  // weight_pack_c1
  if (failed(commonDevice(loc, adaptor.getOperands())) || failed(expectRank(loc, input, 2, "input")) ||
      failed(expectRank(loc, weight, 2, "weight")) ||
      failed(expectSameDim(loc, getDims(input)[1], getDims(weight)[1], "last dimension of weight")))
    return failure();
  // weight_pack_c2
  if (failed(expectShape(loc, {getDims(weight)[0]}, getDims(tensorTypeOf(adaptor.getScales())), "scales")))
    return failure();
  inferred.push_back(withDims(input, {getDims(input)[0], getDims(weight)[0]}));
  return success();
}

FailureOr<SmallVector<Value>> WeightInt8packMmOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Type element = getInput().getType().getElementType();
  Value weight = castElements(builder, loc, getWeight(), element);
  Value product = LinearOp::create(builder, loc, getInput(), weight, Value());
  Value result = MulOp::create(builder, loc, product, castElements(builder, loc, getScales(), element));
  return SmallVector<Value>{withTypeOf(result, getResult())};
}

//===----------------------------------------------------------------------===//
// Weights of 4 bits
//===----------------------------------------------------------------------===//

int64_t fxgraph::getInt4BlockRows(StringRef layout) { return layout == "avx512" ? 64 : 32; }

LogicalResult WeightInt4packMmOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                   WeightInt4packMmOp::Adaptor adaptor,
                                                   SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput()), weight = tensorTypeOf(adaptor.getWeight()),
                   scales = tensorTypeOf(adaptor.getScalesAndZeros());
  if (failed(commonDevice(loc, adaptor.getOperands())) || failed(expectRank(loc, input, 2, "input")) ||
      failed(expectRank(loc, weight, 2, "weight")))
    return failure();
  // weight_int4pack_c1
  if (!weight.hasStaticShape() || weight.getDimSize(0) % 2 != 0) {
    emitOptional(loc) << "expected a weight of known extents and an even number of rows but got "
                      << shapeText(getDims(weight));
    return failure();
  }
  int64_t n = weight.getDimSize(0), k = 2 * weight.getDimSize(1), group = adaptor.getGroupSize();
  if (failed(expectSameDim(loc, Dim(k), getDims(input)[1], "last dimension of input")))
    return failure();
  // weight_int4pack_c3
  if (group <= 0 || k % group != 0) {
    emitOptional(loc) << "expected group_size > 0 that divides " << k << " but got " << group;
    return failure();
  }
  // weight_int4pack_c2
  if (scales.getElementType() != input.getElementType()) {
    emitOptional(loc) << "expected scales_and_zeros of " << input.getElementType() << " but got "
                      << scales.getElementType();
    return failure();
  }
  if (failed(expectShape(loc, {Dim(k / group), Dim(n), Dim(2)}, getDims(scales), "scales_and_zeros")))
    return failure();
  // weight_int4pack_c4
  if (!llvm::is_contained({"avx512", "avx2", "scalar"}, adaptor.getLayout())) {
    emitOptional(loc) << "expected layout avx512, avx2 or scalar but got " << adaptor.getLayout();
    return failure();
  }
  inferred.push_back(withDims(input, {getDims(input)[0], Dim(n)}));
  return success();
}

/// Rows [first, last) of 4-bit integers, which lie in blocks of `block` rows: [last - first, k].
static Value unpackRows(OpBuilder &builder, Location loc, Value packed, int64_t first, int64_t last, int64_t block,
                        bool halves) {
  int64_t k = 2 * tensorTypeOf(packed).getDimSize(1), rows = last - first;
  auto number = [&](int64_t value) -> Value {
    auto type = RankedTensorType::get({}, builder.getI64Type());
    return ConstantOp::create(builder, loc, DenseElementsAttr::get(type, value));
  };
  Value bytes = SliceOp::create(builder, loc, packed, /*dim=*/0, first, last, /*step=*/1);
  bytes = ReshapeOp::create(builder, loc, bytes, ArrayRef<int64_t>{rows / block, k, block / 2});
  Value low = BitwiseAndOp::create(builder, loc, bytes, number(15));
  Value high = BitwiseRightShiftOp::create(builder, loc, bytes, number(4));
  Value both = StackOp::create(builder, loc, ValueRange{low, high}, halves ? 2 : 3);
  both = ReshapeOp::create(builder, loc, both, ArrayRef<int64_t>{rows / block, k, block});
  both = PermuteOp::create(builder, loc, both, ArrayRef<int64_t>{0, 2, 1});
  return ReshapeOp::create(builder, loc, both, ArrayRef<int64_t>{rows, k});
}

FailureOr<SmallVector<Value>> WeightInt4packMmOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  RankedTensorType type = getWeight().getType();
  int64_t n = type.getDimSize(0), k = 2 * type.getDimSize(1), group = getGroupSize();
  int64_t block = getInt4BlockRows(getLayout()), full = n / block * block;
  SmallVector<Value> parts;
  if (full > 0)
    parts.push_back(unpackRows(builder, loc, getWeight(), 0, full, block, /*halves=*/getLayout() != "scalar"));
  if (full < n || n == 0)
    parts.push_back(n == 0 ? Value(ReshapeOp::create(builder, loc, getWeight(), ArrayRef<int64_t>{0, k}))
                           : unpackRows(builder, loc, getWeight(), full, n, n - full, /*halves=*/false));
  Value weight = parts.size() == 1 ? parts.front() : Value(CatOp::create(builder, loc, parts, /*dim=*/0));
  // Each in f32, and the sum rounded to the dtype.
  Type wide = builder.getF32Type(), element = getInput().getType().getElementType();
  auto pick = [&](int64_t index) -> Value {
    Value values =
        SelectOp::create(builder, loc, castElements(builder, loc, getScalesAndZeros(), wide), /*dim=*/2, index);
    values = PermuteOp::create(builder, loc, values, ArrayRef<int64_t>{1, 0});
    return ReshapeOp::create(builder, loc, values, ArrayRef<int64_t>{n, k / group, 1});
  };
  Value eight =
      ConstantOp::create(builder, loc, DenseElementsAttr::get(RankedTensorType::get({}, builder.getF64Type()), 8.0));
  weight = SubOp::create(builder, loc, castElements(builder, loc, weight, wide), eight, builder.getF64FloatAttr(1.0));
  weight = ReshapeOp::create(builder, loc, weight, ArrayRef<int64_t>{n, k / group, group});
  weight =
      AddOp::create(builder, loc, MulOp::create(builder, loc, weight, pick(0)), pick(1), builder.getF64FloatAttr(1.0));
  weight = ReshapeOp::create(builder, loc, castElements(builder, loc, weight, element), ArrayRef<int64_t>{n, k});
  return SmallVector<Value>{withTypeOf(LinearOp::create(builder, loc, getInput(), weight, Value()), getResult())};
}

//===----------------------------------------------------------------------===//
// Products of 8-bit integers
//===----------------------------------------------------------------------===//

/// `product` are the extents of the product.
template <typename OpTy>
static LogicalResult verifyQuantizedProduct(OpTy op, ArrayRef<Dim> product) {
  Location loc = op.getLoc();
  // quantized_product_c1
  Dim outputs = getDims(tensorTypeOf(op.getWeight()))[0];
  if (failed(expectOneForEach(loc, outputs, op.getWeightScales(), op.getWeightZeroPoints())))
    return failure();
  // quantized_product_c2
  if (Value bias = op.getBias()) {
    if (!tensorTypeOf(bias).getElementType().isF32())
      return op.emitOpError() << "expected a bias of f32 but got " << bias.getType();
    if (failed(expectShape(loc, {outputs}, getDims(tensorTypeOf(bias)), "bias")))
      return failure();
  }
  // quantized_product_c3
  if (op.getOutputScale().isZero())
    return op.emitOpError() << "expected output_scale != 0 but got 0";
  RankedTensorType result = op.getResult().getType();
  if (!isIntegral(result.getElementType()) &&
      (!op.getOutputScale().isExactlyValue(1.0) || op.getOutputZeroPoint() != 0))
    return op.emitOpError() << "expected output_scale 1 and output_zero_point 0 for a result of "
                            << result.getElementType();
  // quantized_product_c4
  if (failed(expectShape(loc, product, getDims(result), "result")))
    return failure();
  return checkPostOps(loc, op, product);
}

static Value dequantize(OpBuilder &builder, Location loc, Value value, APFloat scale, int64_t zeroPoint) {
  RankedTensorType type = tensorTypeOf(value), wide = withElementType(type, builder.getF32Type());
  if (!isIntegral(type.getElementType()))
    return castElements(builder, loc, value, builder.getF32Type());
  bool isUnsigned = type.getElementType().isUnsignedInteger();
  return DequantizePerTensorOp::create(
      builder, loc, wide, value, builder.getF64FloatAttr(scale.convertToDouble()), builder.getI64IntegerAttr(zeroPoint),
      builder.getI64IntegerAttr(isUnsigned ? 0 : -128), builder.getI64IntegerAttr(isUnsigned ? 255 : 127));
}

/// The operands in f32, the product of which `multiply` makes, and what stands behind it.
template <typename OpTy>
static SmallVector<Value> decomposeQuantizedProduct(OpBuilder &builder, OpTy op,
                                                    function_ref<Value(Value input, Value weight)> multiply) {
  Location loc = op.getLoc();
  Value input = dequantize(builder, loc, op.getInput(), op.getInputScale(), op.getInputZeroPoint());
  Value weight = DequantizePerChannelOp::create(
      builder, loc, withElementType(tensorTypeOf(op.getWeight()), builder.getF32Type()), op.getWeight(),
      op.getWeightScales(), op.getWeightZeroPoints(), builder.getI64IntegerAttr(0), builder.getI64IntegerAttr(-128),
      builder.getI64IntegerAttr(127));
  Value other = op.getOther();
  if (other)
    other = dequantize(builder, loc, other, op.getOtherScale(), op.getOtherZeroPoint());
  Value value = applyPostOps(builder, loc, multiply(input, weight), other, op.getBinary(), op.getAttr(),
                             op.getScalars(), op.getAlgorithmAttr());
  RankedTensorType type = op.getResult().getType();
  if (!isIntegral(type.getElementType()))
    return {withTypeOf(castElements(builder, loc, value, type.getElementType()), op.getResult())};
  bool isUnsigned = type.getElementType().isUnsignedInteger();
  value.setType(withElementType(type, builder.getF32Type()));
  return {QuantizePerTensorOp::create(builder, loc, type, value, op.getOutputScaleAttr(), op.getOutputZeroPointAttr(),
                                      builder.getI64IntegerAttr(isUnsigned ? 0 : -128),
                                      builder.getI64IntegerAttr(isUnsigned ? 255 : 127))};
}

LogicalResult QLinearPointwiseOp::verify() {
  RankedTensorType input = getInput().getType(), weight = getWeight().getType();
  if (failed(commonDevice(getLoc(), getOperands())) || failed(expectRankAtLeast(getLoc(), input, 1, "input")))
    return failure();
  // linear_c1
  if (failed(expectRank(getLoc(), weight, 2, "weight")))
    return failure();
  Dims dims = getDims(input), rows = getDims(weight);
  // linear_c3
  if (failed(expectSameDim(getLoc(), dims.back(), rows[1], "last dimension of weight")))
    return failure();
  dims.back() = rows[0];
  return verifyQuantizedProduct(*this, dims);
}

FailureOr<SmallVector<Value>> QLinearPointwiseOp::decompose(OpBuilder &builder) {
  return decomposeQuantizedProduct(builder, *this, [&](Value input, Value weight) -> Value {
    return LinearOp::create(builder, getLoc(), input, weight, getBias());
  });
}

LogicalResult QConvPointwiseOp::verify() {
  RankedTensorType input = getInput().getType(), weight = getWeight().getType();
  // convolution_pointwise_c1
  if (failed(commonDevice(getLoc(), getOperands())) || failed(expectRankAtLeast(getLoc(), weight, 3, "weight")))
    return failure();
  ConvParameters conv;
  conv.stride = getStride();
  conv.padding = getPadding();
  conv.dilation = getDilation();
  conv.groups = getGroups();
  FailureOr<Dims> dims = inferConvDims(getLoc(), input, weight, getBias(), conv, weight.getRank() - 2);
  return failed(dims) ? failure() : verifyQuantizedProduct(*this, *dims);
}

FailureOr<SmallVector<Value>> QConvPointwiseOp::decompose(OpBuilder &builder) {
  return decomposeQuantizedProduct(builder, *this, [&](Value input, Value weight) -> Value {
    SmallVector<int64_t> none(getStride().size(), 0);
    return ConvolutionOp::create(builder, getLoc(), input, weight, getBias(), getStrideAttr(), getPaddingAttr(),
                                 getDilationAttr(), builder.getBoolAttr(false), builder.getDenseI64ArrayAttr(none),
                                 getGroupsAttr());
  });
}

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsPacked.cpp.inc"
