// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/ScalarMath.h"
#include "fxgraph/Conversion/Scalars.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace math = mlir::math;

Type fxgraph::gpu::getScalarType(Type type) {
  auto vector = dyn_cast<mlir::VectorType>(type);
  return vector ? vector.getElementType() : type;
}

Type fxgraph::gpu::withScalarType(Type type, Type scalar) {
  auto vector = dyn_cast<mlir::VectorType>(type);
  return vector ? mlir::VectorType::get(vector.getShape(), scalar) : scalar;
}

static bool isFloat(Type type) { return isa<FloatType>(getScalarType(type)); }

Value ScalarMath::constant(Type type, Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return constant(type, number.getValueAsDouble());
  if (auto number = dyn_cast<IntegerAttr>(value)) {
    bool isBool = number.getType().isInteger(1);
    int64_t bits = isBool || number.getType().isUnsignedInteger() ? number.getValue().getZExtValue()
                                                                  : number.getValue().getSExtValue();
    if (isFloat(type))
      return constant(type, static_cast<double>(bits));
    if (getScalarType(type).isInteger(1))
      bits = bits != 0;
    return integer(type, bits);
  }
  return integer(type, cast<BoolAttr>(value).getValue());
}

Value ScalarMath::integer(Type type, int64_t value) {
  Type scalar = getScalarType(type);
  mlir::TypedAttr attr =
      scalar.isIndex()
          ? mlir::TypedAttr(IntegerAttr::get(scalar, value))
          : IntegerAttr::get(scalar, APInt(scalar.getIntOrFloatBitWidth(), static_cast<uint64_t>(value), false, true));
  if (auto vector = dyn_cast<mlir::VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(builder, loc, attr);
}

Value ScalarMath::constant(Type type, double value) {
  Type scalar = getScalarType(type);
  if (!isa<FloatType>(scalar)) {
    if (scalar.isInteger(1))
      return integer(type, value != 0);
    return integer(type, static_cast<int64_t>(value));
  }
  APFloat number(value);
  bool lossy;
  number.convert(cast<FloatType>(scalar).getFloatSemantics(), APFloat::rmNearestTiesToEven, &lossy);
  mlir::TypedAttr attr = FloatAttr::get(scalar, number);
  if (auto vector = dyn_cast<mlir::VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(builder, loc, attr);
}

Value ScalarMath::select(Value condition, Value yes, Value no) {
  return arith::SelectOp::create(builder, loc, condition, yes, no);
}

Value ScalarMath::isNaN(Value value) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, value, value);
}

Value ScalarMath::maximum(Value lhs, Value rhs, bool isUnsigned) {
  if (isFloat(lhs.getType())) {
    // max.NaN exists for 32 and 16 bits only.
    if (getScalarType(lhs.getType()).isF64()) {
      Value larger = select(arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, lhs, rhs), lhs, rhs);
      return select(isNaN(lhs), lhs, larger);
    }
    return arith::MaximumFOp::create(builder, loc, lhs, rhs);
  }
  if (isUnsigned || getScalarType(lhs.getType()).isInteger(1))
    return arith::MaxUIOp::create(builder, loc, lhs, rhs);
  return arith::MaxSIOp::create(builder, loc, lhs, rhs);
}

Value ScalarMath::minimum(Value lhs, Value rhs, bool isUnsigned) {
  if (isFloat(lhs.getType())) {
    if (getScalarType(lhs.getType()).isF64()) {
      Value smaller = select(arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, lhs, rhs), lhs, rhs);
      return select(isNaN(lhs), lhs, smaller);
    }
    return arith::MinimumFOp::create(builder, loc, lhs, rhs);
  }
  if (isUnsigned || getScalarType(lhs.getType()).isInteger(1))
    return arith::MinUIOp::create(builder, loc, lhs, rhs);
  return arith::MinSIOp::create(builder, loc, lhs, rhs);
}

Value ScalarMath::add(Value lhs, Value rhs) {
  if (isFloat(lhs.getType()))
    return arith::AddFOp::create(builder, loc, lhs, rhs);
  if (getScalarType(lhs.getType()).isInteger(1))
    return arith::OrIOp::create(builder, loc, lhs, rhs);
  return arith::AddIOp::create(builder, loc, lhs, rhs);
}

Value ScalarMath::sub(Value lhs, Value rhs) {
  if (isFloat(lhs.getType()))
    return arith::SubFOp::create(builder, loc, lhs, rhs);
  return arith::SubIOp::create(builder, loc, lhs, rhs);
}

Value ScalarMath::mul(Value lhs, Value rhs) {
  if (isFloat(lhs.getType()))
    return arith::MulFOp::create(builder, loc, lhs, rhs);
  if (getScalarType(lhs.getType()).isInteger(1))
    return arith::AndIOp::create(builder, loc, lhs, rhs);
  return arith::MulIOp::create(builder, loc, lhs, rhs);
}

Value ScalarMath::div(Value lhs, Value rhs) { return arith::DivFOp::create(builder, loc, lhs, rhs); }

Value ScalarMath::neg(Value value) {
  if (isFloat(value.getType()))
    return arith::NegFOp::create(builder, loc, value);
  return sub(integer(value.getType(), 0), value);
}

Value ScalarMath::abs(Value value) {
  if (isFloat(value.getType()))
    return math::AbsFOp::create(builder, loc, value);
  return select(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, value, integer(value.getType(), 0)),
                neg(value), value);
}

// PyTorch's rules: NaN and out-of-range to integer is whatever the device gives;
// to bool: not zero (NaN is true).
Value ScalarMath::convert(Value value, Type to, bool fromUnsigned, bool toUnsigned) {
  Type from = getScalarType(value.getType()), target = withScalarType(value.getType(), to);
  if (from == to)
    return value;
  bool fromBool = from.isInteger(1);
  if (to.isInteger(1)) {
    if (isFloat(from))
      return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, value, constant(value.getType(), 0.0));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value, integer(value.getType(), 0));
  }
  if (isFloat(from) && isFloat(to)) {
    if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(builder, loc, target, value);
    if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
      return arith::TruncFOp::create(builder, loc, target, value);
    // f16 and bf16 meet in f32.
    Type f32 = mlir::Float32Type::get(to.getContext());
    return convert(convert(value, f32, false, false), to, false, false);
  }
  if (isFloat(to)) {
    if (fromBool || fromUnsigned)
      return arith::UIToFPOp::create(builder, loc, target, value);
    return arith::SIToFPOp::create(builder, loc, target, value);
  }
  if (isFloat(from)) {
    // Negative numbers wrap when cast to uint8, as on the device: through i64. LLVM's result
    // is poison out of range; frozen it is some number, also where it becomes an index.
    bool wraps = toUnsigned || to.getIntOrFloatBitWidth() < 32;
    Type whole = wraps ? withScalarType(value.getType(), IntegerType::get(to.getContext(), 64)) : target;
    Value number = arith::FPToSIOp::create(builder, loc, whole, value);
    number = mlir::LLVM::FreezeOp::create(builder, loc, number);
    return wraps ? arith::TruncIOp::create(builder, loc, target, number).getResult() : number;
  }
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(builder, loc, target, value);
  if (fromBool || fromUnsigned)
    return arith::ExtUIOp::create(builder, loc, target, value);
  return arith::ExtSIOp::create(builder, loc, target, value);
}

Value ScalarMath::round(Value value, Type elementType) {
  return lowering::loadElement(builder, loc, lowering::storeElement(builder, loc, value, elementType), elementType);
}

Value ScalarMath::arithmetic(Arith kind, ArrayRef<Value> operands) {
  Value x = operands[0];
  Type type = x.getType();
  auto afn = arith::FastMathFlags::afn;
  switch (kind) {
  case Arith::Add:
    return add(x, operands[1]);
  case Arith::Sub:
    return sub(x, operands[1]);
  case Arith::Mul:
    return mul(x, operands[1]);
  case Arith::Div:
    return div(x, operands[1]);
  case Arith::Max:
    return maximum(x, operands[1], false);
  case Arith::Min:
    return minimum(x, operands[1], false);
  case Arith::Exp:
    return math::ExpOp::create(builder, loc, x);
  case Arith::ExpFast: {
    if (getScalarType(type).isF64())
      return math::ExpOp::create(builder, loc, x);
    Value scaled = arith::MulFOp::create(builder, loc, x, constant(type, 1.4426950408889634));
    return math::Exp2Op::create(builder, loc, scaled, afn);
  }
  case Arith::Log:
    return math::LogOp::create(builder, loc, x);
  case Arith::Sqrt:
    return math::SqrtOp::create(builder, loc, x);
  case Arith::Rsqrt:
    return math::RsqrtOp::create(builder, loc, x);
  case Arith::Abs:
    return math::AbsFOp::create(builder, loc, x);
  case Arith::Pow:
    return math::PowFOp::create(builder, loc, x, operands[1]);
  case Arith::IsInf:
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, abs(x),
                                 constant(type, std::numeric_limits<double>::infinity()));
  case Arith::NotZero:
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, x, constant(type, 0.0));
  }
  return {};
}

Value ScalarMath::combine(ReduceKind kind, Value lhs, Value rhs, bool isUnsigned) {
  switch (kind) {
  case ReduceKind::Sum:
    return add(lhs, rhs);
  case ReduceKind::Prod:
    return mul(lhs, rhs);
  case ReduceKind::Max:
  case ReduceKind::ArgMax:
    return maximum(lhs, rhs, isUnsigned);
  case ReduceKind::Min:
  case ReduceKind::ArgMin:
    return minimum(lhs, rhs, isUnsigned);
  case ReduceKind::Or:
    return arith::OrIOp::create(builder, loc, lhs, rhs);
  case ReduceKind::And:
    return arith::AndIOp::create(builder, loc, lhs, rhs);
  }
  return {};
}

Value ScalarMath::neutral(ReduceKind kind, Type type, bool isUnsigned) {
  Type scalar = getScalarType(type);
  unsigned width = scalar.getIntOrFloatBitWidth();
  bool smallest = kind == ReduceKind::Max || kind == ReduceKind::ArgMax;
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Or:
    return constant(type, 0.0);
  case ReduceKind::Prod:
  case ReduceKind::And:
    return constant(type, 1.0);
  case ReduceKind::Max:
  case ReduceKind::ArgMax:
  case ReduceKind::Min:
  case ReduceKind::ArgMin:
    if (isFloat(scalar))
      return constant(type, (smallest ? -1 : 1) * std::numeric_limits<double>::infinity());
    if (isUnsigned || width == 1)
      return integer(type, smallest ? 0 : -1);
    return integer(type, (smallest ? APInt::getSignedMinValue(width) : APInt::getSignedMaxValue(width)).getSExtValue());
  }
  return {};
}

// math.trunc has no lowering to NVVM.
Value ScalarMath::truncate(Value x) {
  Value magnitude = math::FloorOp::create(builder, loc, abs(x));
  return math::CopySignOp::create(builder, loc, magnitude, x);
}

Value ScalarMath::applyInstruction(StringRef ptx, Value x) {
  auto apply = [&](Value element) {
    return mlir::NVVM::InlinePtxOp::create(builder, loc, TypeRange(element.getType()), ValueRange(element),
                                           ValueRange(), ptx, Value())
        .getResult(0);
  };
  auto type = dyn_cast<mlir::VectorType>(x.getType());
  if (!type)
    return apply(x);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(apply(mlir::vector::ExtractOp::create(builder, loc, x, i)));
  return mlir::vector::FromElementsOp::create(builder, loc, type, elements);
}

/// numerator / (1 + 2^x), and each element through an instruction of one operand. Subnormal powers do not count beside 1,
/// nor do subnormal quotients in 16 bits.
Value ScalarMath::overOnePlusExp2(Value numerator, Value x) {
  Value power = applyInstruction("ex2.approx.ftz.f32 %0, %1;", x);
  Value inverse = applyInstruction("rcp.approx.ftz.f32 %0, %1;", add(constant(x.getType(), 1.0), power));
  return mul(numerator, inverse);
}

Value ScalarMath::timesSigmoid(Value numerator, Value x) {
  return overOnePlusExp2(numerator, mul(x, constant(x.getType(), -llvm::numbers::log2e)));
}

// (1 + tanh(y)) / 2 is the sigmoid of 2 y, here with y = x (p + q x^2).
Value ScalarMath::geluTanh(Value x) {
  constexpr double p = -2 * 0.7978845608028654 * llvm::numbers::log2e, q = 0.044715 * p;
  Value factor = math::FmaOp::create(builder, loc, mul(x, x), constant(x.getType(), q), constant(x.getType(), p));
  return overOnePlusExp2(x, mul(factor, x));
}

// x times the share of the normal distribution below x. What lies beyond |x| is 2^P(|x|), with the polynomial P of
// degree 5 whose P(0) = -1 that is nearest where x times that is above 0.001: within 4.3e-5 of it there, and of 4.3e-8
// in all further out, where 1 + erf(x) has steps of 6e-8. Where that is 0 in f32 (5.54 and more below 0), so is this.
Value ScalarMath::gelu(Value x) {
  constexpr double p[] = {-1,
                          -1.1504221393978926,
                          -0.4615308086756599,
                          -0.05017574738618666,
                          0.006420795599894953,
                          -0.00038386545937207694};
  Value magnitude = abs(x), power = constant(x.getType(), p[5]);
  for (size_t i = 5; i-- > 0;)
    power = math::FmaOp::create(builder, loc, power, magnitude, constant(x.getType(), p[i]));
  constexpr double lastStep = 5.54, none = -1000;
  Value isFar =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, magnitude, constant(x.getType(), lastStep));
  power = select(isFar, constant(x.getType(), none), power);
  Value beyond = applyInstruction("ex2.approx.ftz.f32 %0, %1;", power);
  Value isNegative = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, x, constant(x.getType(), 0.0));
  return mul(x, select(isNegative, beyond, sub(constant(x.getType(), 1.0), beyond)));
}

// LLVM leaves division by zero and of the lowest number by -1 undefined, as PyTorch
// leaves the former on CUDA. Here all bits of x / 0 are set and its remainder is x, so that
// quotients of 32 bits are what PyTorch gives with CUDA; the lowest number by -1 is itself, rest 0.
std::pair<Value, Value> ScalarMath::divideIntegers(Value lhs, Value rhs, bool isUnsigned) {
  Type type = lhs.getType();
  auto isEqual = [&](int64_t number) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rhs, integer(type, number));
  };
  Value byZero = isEqual(0), one = integer(type, 1), allBits = integer(type, -1), quotient, rest;
  if (isUnsigned) {
    Value divisor = select(byZero, one, rhs);
    quotient = arith::DivUIOp::create(builder, loc, lhs, divisor);
    rest = arith::RemUIOp::create(builder, loc, lhs, divisor);
  } else {
    Value byMinusOne = isEqual(-1), unsafe = arith::OrIOp::create(builder, loc, byZero, byMinusOne);
    Value divisor = select(unsafe, one, rhs);
    quotient = arith::DivSIOp::create(builder, loc, lhs, divisor);
    rest = arith::RemSIOp::create(builder, loc, lhs, divisor);
    quotient = select(byMinusOne, neg(lhs), quotient);
  }
  quotient = select(byZero, allBits, quotient);
  return {quotient, select(byZero, lhs, rest)};
}

//===----------------------------------------------------------------------===//
// Pointwise ops
//===----------------------------------------------------------------------===//

namespace {

/// The forms that the device has of its own.
class DeviceScalars : public lowering::Scalars {
public:
  DeviceScalars(ScalarMath &math, OpBuilder &builder, Location loc, Type dtype, Type like)
      : Scalars(builder, loc, dtype, like), math(math) {}

  Value div(Value x, Value y) override {
    return isFloatType() ? math.div(x, y) : math.divideIntegers(x, y, isUnsignedType()).first;
  }
  Value rem(Value x, Value y) override {
    return isFloatType() ? Scalars::rem(x, y) : math.divideIntegers(x, y, isUnsignedType()).second;
  }
  Value max(Value x, Value y) override { return math.maximum(x, y, isUnsignedType()); }
  Value min(Value x, Value y) override { return math.minimum(x, y, isUnsignedType()); }
  Value sixth(Value x) override { return mul(x, cst(1.0 / 6.0)); }
  Value relu(Value x) override { return max(x, cst(0)); }
  Value rsqrt(Value x) override { return fn<math::RsqrtOp>(x); }
  Value trunc(Value x) override { return math.truncate(x); }
  Value timesSigmoid(Value numerator, Value x) override {
    return math.isApproximate() && mlir::getElementTypeOrSelf(type).isF32() ? math.timesSigmoid(numerator, x)
                                                                            : Scalars::timesSigmoid(numerator, x);
  }
  Value gelu(Value x) override {
    return math.isApproximate() && mlir::getElementTypeOrSelf(type).isF32() ? math.gelu(x) : Scalars::gelu(x);
  }
  Value geluTanh(Value x) override {
    return math.isApproximate() && mlir::getElementTypeOrSelf(type).isF32() ? math.geluTanh(x) : Scalars::geluTanh(x);
  }

private:
  ScalarMath &math;
};

} // namespace

Value ScalarMath::pointwise(Operation *op, ValueRange operands) {
  // A bool says nothing of the type that its operands meet in.
  Type dtype = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  if (dtype.isInteger(1)) {
    FailureOr<Type> unified = unifyElementTypes(std::nullopt, op->getOperandTypes());
    if (failed(unified))
      return {};
    dtype = *unified;
  }
  DeviceScalars scalars(*this, builder, loc, dtype, operands.front().getType());
  return lowering::buildPointwiseFormula(scalars, op, operands);
}
