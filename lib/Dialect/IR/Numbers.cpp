// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Dialect/IR/Numbers.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"

using namespace fxgraph;

bool fxgraph::isNumber(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 0 && value.getDefiningOp<ConstantOp>();
}

/// A constant of rank 0 with this one element.
template <typename T>
static Value createScalar(OpBuilder &builder, Location loc, Type elementType, T number) {
  RankedTensorType type = makeTensorType({}, elementType);
  return ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, number));
}

Value fxgraph::createNumber(OpBuilder &builder, Location loc, double number) {
  return createScalar(builder, loc, builder.getF64Type(), number);
}

Value fxgraph::createNumber(OpBuilder &builder, Location loc, int64_t number) {
  return createScalar(builder, loc, builder.getI64Type(), number);
}

APFloat fxgraph::roundToDtype(APFloat number, FloatType dtype) {
  bool isNaN = number.isNaN(), isNegative = number.isNegative(), lossy;
  number.convert(dtype.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lossy);
  return number.isNaN() && !isNaN ? APFloat::getLargest(dtype.getFloatSemantics(), isNegative) : number;
}

double fxgraph::getDropoutScale(double p, FloatType dtype) {
  double scale = dtype.isF64() ? 1.0 / (1.0 - p) : static_cast<double>(1.0f / static_cast<float>(1.0 - p));
  return roundToDtype(APFloat(scale), dtype).convertToDouble();
}

Value fxgraph::createCast(OpBuilder &builder, Location loc, Value tensor, Type elementType) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getElementType() == elementType)
    return tensor;
  return ConvertElementTypeOp::create(builder, loc, withElementType(type, elementType), tensor);
}
