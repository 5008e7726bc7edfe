// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inference, verification and folding of the elementwise ops.

#include "InferUtils.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"

using namespace fxgraph;

void FxGraphDialect::registerPointwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "fxgraph/Dialect/IR/OpsPointwise.cpp.inc"
      >();
}

/// Devices agree; a rank-0 operand may live on the host beside any device.
static FailureOr<StringAttr> unifyDevices(std::optional<Location> loc, TypeRange operands) {
  StringAttr device;
  bool first = true;
  for (Type operand : operands) {
    auto type = cast<RankedTensorType>(operand);
    if (type.getRank() == 0 && operands.size() > 1 && !getDevice(type))
      continue;
    if (first)
      device = getDevice(type);
    else if (getDevice(type) != device)
      return LogicalResult(emitOptional(loc) << "expected operands on one device but got "
                                             << (device ? device.getValue() : "the module's") << " and "
                                             << (getDevice(type) ? getDevice(type).getValue() : "the module's"));
    first = false;
  }
  return device;
}

/// Broadcast shape and common device of the operands, with this element type.
static LogicalResult inferBroadcast(std::optional<Location> loc, TypeRange operands, Type elementType,
                                    SmallVectorImpl<Type> &inferred) {
  SmallVector<Dims> shapes;
  for (Type type : operands)
    shapes.push_back(getDims(cast<RankedTensorType>(type)));
  // broadcast_c1
  FailureOr<Dims> dims = broadcastDims(loc, shapes);
  // broadcast_c3
  FailureOr<StringAttr> device = unifyDevices(loc, operands);
  if (failed(dims) || failed(device))
    return failure();
  inferred.push_back(makeTensorType(*dims, elementType, *device));
  return success();
}

/// Arithmetic: one element type in and out.
static LogicalResult inferBinary(std::optional<Location> loc, TypeRange operands, SmallVectorImpl<Type> &inferred) {
  // broadcast_c2
  FailureOr<Type> element = unifyElementTypes(loc, operands);
  if (failed(element))
    return failure();
  return inferBroadcast(loc, operands, *element, inferred);
}

/// Comparison: operands of one element type, a bool result.
static LogicalResult inferCompare(std::optional<Location> loc, TypeRange operands, SmallVectorImpl<Type> &inferred) {
  // broadcast_c2
  FailureOr<Type> element = unifyElementTypes(loc, operands);
  if (failed(element))
    return failure();
  return inferBroadcast(loc, operands, mlir::IntegerType::get(element->getContext(), 1), inferred);
}

#define FXGRAPH_INFER(OP, FUNCTION)                                                                                    \
  LogicalResult OP::inferReturnTypes(MLIRContext *, std::optional<Location> loc, OP::Adaptor adaptor,                  \
                                     SmallVectorImpl<Type> &inferred) {                                                \
    return FUNCTION(loc, adaptor.getOperands().getTypes(), inferred);                                                  \
  }
FXGRAPH_INFER(AddOp, inferBinary)
FXGRAPH_INFER(SubOp, inferBinary)
FXGRAPH_INFER(MulOp, inferBinary)
FXGRAPH_INFER(DivOp, inferBinary)
FXGRAPH_INFER(PowOp, inferBinary)
FXGRAPH_INFER(MaximumOp, inferBinary)
FXGRAPH_INFER(MinimumOp, inferBinary)
FXGRAPH_INFER(RemainderOp, inferBinary)
FXGRAPH_INFER(FmodOp, inferBinary)
FXGRAPH_INFER(Atan2Op, inferBinary)
FXGRAPH_INFER(NextafterOp, inferBinary)
FXGRAPH_INFER(GcdOp, inferBinary)
FXGRAPH_INFER(FmaxOp, inferBinary)
FXGRAPH_INFER(FminOp, inferBinary)
FXGRAPH_INFER(CopysignOp, inferBinary)
FXGRAPH_INFER(BitwiseAndOp, inferBinary)
FXGRAPH_INFER(BitwiseOrOp, inferBinary)
FXGRAPH_INFER(BitwiseXorOp, inferBinary)
FXGRAPH_INFER(BitwiseLeftShiftOp, inferBinary)
FXGRAPH_INFER(BitwiseRightShiftOp, inferBinary)
FXGRAPH_INFER(EqOp, inferCompare)
FXGRAPH_INFER(NeOp, inferCompare)
FXGRAPH_INFER(LtOp, inferCompare)
FXGRAPH_INFER(LeOp, inferCompare)
FXGRAPH_INFER(GtOp, inferCompare)
FXGRAPH_INFER(GeOp, inferCompare)
FXGRAPH_INFER(LogicalAndOp, inferCompare)
FXGRAPH_INFER(LogicalOrOp, inferCompare)
FXGRAPH_INFER(LogicalXorOp, inferCompare)
FXGRAPH_INFER(IsnanOp, inferCompare)
FXGRAPH_INFER(IsinfOp, inferCompare)
FXGRAPH_INFER(IsfiniteOp, inferCompare)
FXGRAPH_INFER(SignbitOp, inferCompare)
FXGRAPH_INFER(LogicalNotOp, inferCompare)
#undef FXGRAPH_INFER

LogicalResult WhereOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, WhereOp::Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  TypeRange operands = adaptor.getOperands().getTypes();
  // broadcast_c2
  FailureOr<Type> element = unifyElementTypes(loc, operands.drop_front());
  if (failed(element))
    return failure();
  return inferBroadcast(loc, operands, *element, inferred);
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult DivOp::verify() {
  std::optional<StringRef> mode = getRoundingMode();
  // div_c1
  if (mode && *mode != "trunc" && *mode != "floor")
    return emitOpError() << "expected rounding_mode \"trunc\" or \"floor\" but got \"" << *mode << "\"";
  // div_c2
  if (!mode && !isa<FloatType, mlir::ComplexType>(getResult().getType().getElementType()))
    return emitOpError() << "expected a floating-point result without rounding_mode but got "
                         << getResult().getType().getElementType();
  return success();
}

LogicalResult ConvertElementTypeOp::verify() {
  auto from = getInput().getType(), to = getResult().getType();
  // convert_element_type_c1
  if (from.getShape() != to.getShape() || from.getEncoding() != to.getEncoding())
    return emitOpError() << "expected the result to have the input's shape but got " << to << " from " << from;
  return success();
}

/// Range of the quantized dtype.
static std::pair<int64_t, int64_t> getIntegerRange(Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isUnsignedInteger())
    return {0, APInt::getMaxValue(width).getZExtValue()};
  return {APInt::getSignedMinValue(width).getSExtValue(), APInt::getSignedMaxValue(width).getSExtValue()};
}

template <typename OpTy>
static LogicalResult verifyQuantization(OpTy op, Type quantized) {
  auto from = op.getInput().getType(), to = op.getResult().getType();
  // quantization_c1
  if (from.getShape() != to.getShape() || from.getEncoding() != to.getEncoding())
    return op.emitOpError() << "expected the result to have the input's shape but got " << to << " from " << from;
  // quantization_c2
  auto [low, high] = getIntegerRange(quantized);
  auto min = static_cast<int64_t>(op.getQuantMin()), max = static_cast<int64_t>(op.getQuantMax());
  if (min < low || max > high)
    return op.emitOpError() << "expected a range within [" << low << ", " << high << "] of " << quantized
                            << " but got [" << min << ", " << max << "]";
  return success();
}

LogicalResult QuantizePerTensorOp::verify() {
  // quantize_c1
  if (getScale().isZero())
    return emitOpError() << "expected scale != 0 but got 0";
  return verifyQuantization(*this, getResult().getType().getElementType());
}

LogicalResult DequantizePerTensorOp::verify() {
  return verifyQuantization(*this, getInput().getType().getElementType());
}

/// A wrapped number.
static Value makeNumber(OpBuilder &builder, Location loc, double value) {
  auto type = RankedTensorType::get({}, builder.getF64Type());
  return ConstantOp::create(builder, loc, DenseElementsAttr::get(type, value));
}

FailureOr<SmallVector<Value>> QuantizePerTensorOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  RankedTensorType wide = withElementType(getInput().getType(), builder.getF32Type());
  Value value = getInput();
  if (value.getType() != wide)
    value = ConvertElementTypeOp::create(builder, loc, wide, value);
  value = MulOp::create(builder, loc, value, makeNumber(builder, loc, 1.0 / getScale().convertToDouble()));
  value = RoundOp::create(builder, loc, value);
  value = AddOp::create(builder, loc, value,
                        makeNumber(builder, loc, static_cast<double>(static_cast<int64_t>(getZeroPoint()))),
                        builder.getF64FloatAttr(1.0));
  value = ClampOp::create(builder, loc, value,
                          builder.getF64FloatAttr(static_cast<double>(static_cast<int64_t>(getQuantMin()))),
                          builder.getF64FloatAttr(static_cast<double>(static_cast<int64_t>(getQuantMax()))));
  return SmallVector<Value>{ConvertElementTypeOp::create(builder, loc, getResult().getType(), value)};
}

FailureOr<SmallVector<Value>> DequantizePerTensorOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Value value = ConvertElementTypeOp::create(builder, loc, getResult().getType(), getInput());
  value = SubOp::create(builder, loc, value,
                        makeNumber(builder, loc, static_cast<double>(static_cast<int64_t>(getZeroPoint()))),
                        builder.getF64FloatAttr(1.0));
  return SmallVector<Value>{MulOp::create(builder, loc, value, makeNumber(builder, loc, getScale().convertToDouble()))};
}

/// Random only in training and for 0 < p; otherwise the op has no effect.
void DropoutOp::getEffects(SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects) {
  if (!getTraining() || getP().convertToDouble() == 0.0)
    return;
  effects.emplace_back(mlir::MemoryEffects::Read::get(), RandomState::get());
  effects.emplace_back(mlir::MemoryEffects::Write::get(), RandomState::get());
}

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsPointwise.cpp.inc"
