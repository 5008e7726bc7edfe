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

/// The elements of a filter.
double ConvolutionPointwiseOp::countProducts(llvm::function_ref<double(Value, int64_t)> extent) {
  double elements = 1;
  for (int64_t dim : llvm::seq<int64_t>(1, cast<RankedTensorType>(getWeight().getType()).getRank()))
    elements *= extent(getWeight(), dim);
  return elements;
}

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
template <typename OpTy>
static Value applyPostOps(OpBuilder &builder, OpTy op, Value value) {
  Location loc = op.getLoc();
  FloatAttr one = builder.getF64FloatAttr(1.0);
  Value other = op.getOther();
  if (op.getBinary() == "add")
    value = AddOp::create(builder, loc, value, other, one);
  else if (op.getBinary() == "sub")
    value = SubOp::create(builder, loc, value, other, one);
  else if (op.getBinary() == "mul")
    value = MulOp::create(builder, loc, value, other);
  StringRef attr = op.getAttr();
  ArrayRef<double> scalars = op.getScalars();
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
    value = GeluOp::create(builder, loc, value, op.getAlgorithmAttr());
  return withTypeOf(value, op.getResult());
}

LogicalResult LinearPointwiseOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                                  LinearPointwiseOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  RankedTensorType weight = tensorTypeOf(adaptor.getWeight());
  // linear_c1
  if (failed(expectUniform(loc, adaptor.getOperands())) || failed(expectRank(loc, weight, 2, "weight")))
    return failure();
  // linear_c3
  Value operands[] = {adaptor.getInput(), adaptor.getWeight()};
  if (failed(LinearOp::inferReturnTypes(context, loc, LinearOp::Adaptor(operands), inferred)))
    return failure();
  // linear_c2: linear itself takes what broadcasts.
  if (Value bias = adaptor.getBias())
    if (failed(expectShape(loc, {getDims(weight)[0]}, getDims(tensorTypeOf(bias)), "bias")))
      return failure();
  return checkPostOps(loc, adaptor, getDims(cast<RankedTensorType>(inferred.front())));
}

FailureOr<SmallVector<Value>> LinearPointwiseOp::decompose(OpBuilder &builder) {
  Value product = LinearOp::create(builder, getLoc(), getInput(), getWeight(), getBias());
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

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsPacked.cpp.inc"
