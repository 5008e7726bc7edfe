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
FXGRAPH_INFER(FmaOp, inferBinary)
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

LogicalResult DequantizePerChannelOp::verify() {
  if (failed(verifyQuantization(*this, getInput().getType().getElementType())))
    return failure();
  Dims dims = getDims(getInput().getType());
  // dequantize_per_channel_c1
  FailureOr<int64_t> axis = normalizeDim(getLoc(), getAxis(), dims.size(), "axis");
  if (failed(axis))
    return failure();
  // dequantize_per_channel_c2
  return expectOneForEach(getLoc(), dims[*axis], getScales(), getZeroPoints());
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

Type fxgraph::promoteIntegers(Type a, Type b) {
  auto first = cast<IntegerType>(a), second = cast<IntegerType>(b);
  if (first == second || second.getWidth() == 1)
    return first;
  if (first.getWidth() == 1)
    return second;
  if (first.isUnsigned() != second.isUnsigned() && std::max(first.getWidth(), second.getWidth()) == 8)
    return IntegerType::get(first.getContext(), 16);
  return first.getWidth() > second.getWidth() || second.isUnsigned() ? first : second;
}

FailureOr<SmallVector<Value>> DequantizePerChannelOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  int64_t rank = getInput().getType().getRank();
  auto spread = [&](Value vector) -> Value {
    SmallVector<int64_t> shape(rank, 1);
    shape[wrapDim(getAxis(), rank)] = -1;
    return ReshapeOp::create(builder, loc, vector, shape);
  };
  Value value = getInput();
  if (Value zeroPoints = getZeroPoints()) {
    Type integer = promoteIntegers(getInput().getType().getElementType(), tensorTypeOf(zeroPoints).getElementType());
    value = SubOp::create(builder, loc, castElements(builder, loc, value, integer),
                          spread(castElements(builder, loc, zeroPoints, integer)), builder.getF64FloatAttr(1.0));
  }
  value = MulOp::create(builder, loc, castElements(builder, loc, value, getScales().getType().getElementType()),
                        spread(getScales()));
  value = castElements(builder, loc, value, getResult().getType().getElementType());
  return SmallVector<Value>{withTypeOf(value, getResult())};
}

LogicalResult CvtE8m0RceilOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                               CvtE8m0RceilOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  inferred.push_back(
      withElementType(tensorTypeOf(adaptor.getInput()), IntegerType::get(context, 8, IntegerType::Unsigned)));
  return success();
}

FailureOr<SmallVector<Value>> CvtE8m0RceilOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Type integer = builder.getI32Type();
  auto number = [&](int64_t value) -> Value {
    auto type = RankedTensorType::get({}, builder.getI64Type());
    return ConstantOp::create(builder, loc, DenseElementsAttr::get(type, value));
  };
  Value wide = castElements(builder, loc, getInput(), builder.getF32Type());
  Value bits = ViewDtypeOp::create(builder, loc, withElementType(tensorTypeOf(wide), integer), wide);
  Value exponent =
      BitwiseAndOp::create(builder, loc, BitwiseRightShiftOp::create(builder, loc, bits, number(23)), number(0xff));
  Value mantissa = BitwiseAndOp::create(builder, loc, bits, number(0x7fffff));
  Value up = castElements(builder, loc, NeOp::create(builder, loc, mantissa, number(0)), integer);
  Value biased = AddOp::create(builder, loc, exponent, up, builder.getF64FloatAttr(1.0));
  biased = ClampOp::create(builder, loc, biased, builder.getF64FloatAttr(0.0), builder.getF64FloatAttr(254.0));
  return SmallVector<Value>{castElements(builder, loc, biased, getResult().getType().getElementType())};
}

/// Random only in training and for 0 < p; otherwise the op has no effect.
KernelForm DropoutOp::getKernelForm() {
  return getTraining() && !getP().isZero() ? KernelForm::None : KernelForm::Identity;
}

void DropoutOp::getEffects(SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects) {
  if (!getTraining() || getP().convertToDouble() == 0.0)
    return;
  effects.emplace_back(mlir::MemoryEffects::Read::get(), RandomState::get());
  effects.emplace_back(mlir::MemoryEffects::Write::get(), RandomState::get());
}

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsPointwise.cpp.inc"
