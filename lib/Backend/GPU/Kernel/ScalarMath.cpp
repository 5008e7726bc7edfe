// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/ScalarMath.h"
#include "fxgraph/Conversion/FxGraphToLinalg.h"
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

/// Subnormal powers do not count beside 1, nor do subnormal quotients in 16 bits.
Value ScalarMath::overOnePlusExp2(Value numerator, Value x) {
  Value power = applyInstruction("ex2.approx.ftz.f32 %0, %1;", x);
  Value inverse = applyInstruction("rcp.approx.ftz.f32 %0, %1;", add(constant(x.getType(), 1.0), power));
  return mul(numerator, inverse);
}

Value ScalarMath::timesSigmoid(Value numerator, Value x) {
  if (isApproximate && getScalarType(x.getType()).isF32())
    return overOnePlusExp2(numerator, mul(x, constant(x.getType(), -llvm::numbers::log2e)));
  return div(numerator, add(constant(x.getType(), 1.0), math::ExpOp::create(builder, loc, neg(x))));
}

// LLVM leaves division by zero and of the lowest number by -1 undefined, as PyTorch
// leaves the former on CUDA. Here all bits of x / 0 are set and its remainder is x, which
// is what NVIDIA's GPUs give for 32 bits; the lowest number by -1 is itself, rest 0.
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

// Rounds downwards. Floats as CUDA's div_floor: exact for representable
// quotients, sign of zero kept.
Value ScalarMath::floorDivide(Value lhs, Value rhs, bool isUnsigned) {
  Type type = lhs.getType();
  if (!isFloat(type)) {
    auto [quotient, rest] = divideIntegers(lhs, rhs, isUnsigned);
    if (isUnsigned)
      return quotient;
    Value zero = integer(type, 0);
    // By zero there is no direction to round in.
    rest = select(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rhs, zero), zero, rest);
    Value inexact = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, rest, zero);
    Value opposite = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                           arith::XOrIOp::create(builder, loc, rest, rhs), zero);
    Value down = arith::AndIOp::create(builder, loc, inexact, opposite);
    return select(down, sub(quotient, integer(type, 1)), quotient);
  }
  Value zero = constant(type, 0.0), one = constant(type, 1.0);
  Value rest = arith::RemFOp::create(builder, loc, lhs, rhs);
  Value quotient = div(sub(lhs, rest), rhs);
  Value restSet = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, rest, zero);
  Value restNegative = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, rest, zero);
  Value divisorNegative = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, rhs, zero);
  Value opposite = arith::XOrIOp::create(builder, loc, restNegative, divisorNegative);
  quotient = select(arith::AndIOp::create(builder, loc, restSet, opposite), sub(quotient, one), quotient);
  Value floored = math::FloorOp::create(builder, loc, quotient);
  Value half = constant(type, 0.5);
  Value above = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, sub(quotient, floored), half);
  floored = select(above, add(floored, one), floored);
  Value zeroQuotient = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, quotient, zero);
  Value signedZero = math::CopySignOp::create(builder, loc, zero, div(lhs, rhs));
  Value result = select(zeroQuotient, signedZero, floored);
  Value byZero = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, rhs, zero);
  return select(byZero, div(lhs, rhs), result);
}

Value ScalarMath::remainder(Value lhs, Value rhs, bool isUnsigned) {
  Type type = lhs.getType();
  if (!isFloat(type)) {
    Value rest = divideIntegers(lhs, rhs, isUnsigned).second, zero = integer(type, 0);
    if (isUnsigned)
      return rest;
    Value inexact = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, rest, zero);
    Value opposite = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                           arith::XOrIOp::create(builder, loc, rest, rhs), zero);
    return select(arith::AndIOp::create(builder, loc, inexact, opposite), add(rest, rhs), rest);
  }
  Value zero = constant(type, 0.0), rest = arith::RemFOp::create(builder, loc, lhs, rhs);
  Value restSet = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, rest, zero);
  Value restNegative = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, rest, zero);
  Value divisorNegative = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, rhs, zero);
  Value opposite = arith::XOrIOp::create(builder, loc, restNegative, divisorNegative);
  return select(arith::AndIOp::create(builder, loc, restSet, opposite), add(rest, rhs), rest);
}

/// The number that a value is on all lanes, if it is a constant.
static std::optional<double> getConstantNumber(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return std::nullopt;
  Attribute attr = constant.getValue();
  if (auto dense = dyn_cast<DenseElementsAttr>(attr))
    attr = dense.isSplat() ? dense.getSplatValue<Attribute>() : Attribute();
  if (auto number = dyn_cast_if_present<FloatAttr>(attr))
    return number.getValueAsDouble();
  if (auto number = dyn_cast_if_present<IntegerAttr>(attr))
    return static_cast<double>(number.getValue().getSExtValue());
  return std::nullopt;
}

Value ScalarMath::power(Value base, Value exponent, bool isUnsigned) {
  Type type = base.getType();
  std::optional<double> number = getConstantNumber(exponent);
  // PyTorch's special cases for numbers.
  if (number && (*number == 2 || *number == 3)) {
    Value square = mul(base, base);
    return *number == 2 ? square : mul(square, base);
  }
  if (isFloat(type)) {
    if (number && *number == 0.5)
      return math::SqrtOp::create(builder, loc, base);
    if (number && *number == -0.5)
      return math::RsqrtOp::create(builder, loc, base);
    if (number && *number == -1)
      return div(constant(type, 1.0), base);
    if (number && *number == -2)
      return div(constant(type, 1.0), mul(base, base));
    return math::PowFOp::create(builder, loc, base, exponent);
  }
  // By squaring, a step for each bit of the exponent but that of a sign: every bit counts
  // for bases 0, 1 and -1, whatever wraps of the others.
  Value result = integer(type, 1), factor = base, rest = exponent, zero = integer(type, 0), one = integer(type, 1);
  unsigned bits = getScalarType(type).getIntOrFloatBitWidth() - !isUnsigned;
  for (unsigned bit = 0; bit < bits; ++bit) {
    Value odd = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                      arith::AndIOp::create(builder, loc, rest, one), zero);
    result = select(odd, mul(result, factor), result);
    factor = mul(factor, factor);
    rest = arith::ShRUIOp::create(builder, loc, rest, one);
    if (number && (static_cast<int64_t>(*number) >> (bit + 1)) == 0 && *number >= 0)
      break;
  }
  if (isUnsigned)
    return result;
  // Negative exponents: 1 and -1 have integer powers, all others give 0.
  Value negative = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, exponent, zero);
  Value minusOne = integer(type, -1);
  Value odd = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                    arith::AndIOp::create(builder, loc, exponent, one), zero);
  Value isOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, base, one);
  Value isMinusOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, base, minusOne);
  Value inverse = select(isOne, one, select(isMinusOne, select(odd, minusOne, one), zero));
  return select(negative, inverse, result);
}

Value ScalarMath::compare(Operation *op, Value lhs, Value rhs, bool isUnsigned) {
  Type type = lhs.getType();
  if (isFloat(type)) {
    arith::CmpFPredicate predicate = llvm::TypeSwitch<Operation *, arith::CmpFPredicate>(op)
                                         .Case<EqOp>([](auto) { return arith::CmpFPredicate::OEQ; })
                                         .Case<NeOp>([](auto) { return arith::CmpFPredicate::UNE; })
                                         .Case<LtOp>([](auto) { return arith::CmpFPredicate::OLT; })
                                         .Case<LeOp>([](auto) { return arith::CmpFPredicate::OLE; })
                                         .Case<GtOp>([](auto) { return arith::CmpFPredicate::OGT; })
                                         .Default([](auto) { return arith::CmpFPredicate::OGE; });
    return arith::CmpFOp::create(builder, loc, predicate, lhs, rhs);
  }
  bool plain = isUnsigned || getScalarType(type).isInteger(1);
  using P = arith::CmpIPredicate;
  P predicate = llvm::TypeSwitch<Operation *, P>(op)
                    .Case<EqOp>([](auto) { return P::eq; })
                    .Case<NeOp>([](auto) { return P::ne; })
                    .Case<LtOp>([&](auto) { return plain ? P::ult : P::slt; })
                    .Case<LeOp>([&](auto) { return plain ? P::ule : P::sle; })
                    .Case<GtOp>([&](auto) { return plain ? P::ugt : P::sgt; })
                    .Default([&](auto) { return plain ? P::uge : P::sge; });
  return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
}

Value ScalarMath::unary(Operation *op, Value x, Type resultType, bool isUnsigned) {
  Type type = x.getType();
  bool isFloatType = isFloat(type);
  auto number = [&](double value) { return constant(type, value); };
  auto less = [&](Value a, Value b) -> Value {
    if (isFloatType)
      return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a, b);
    return arith::CmpIOp::create(builder, loc, isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, a,
                                 b);
  };
  auto greater = [&](Value a, Value b) { return less(b, a); };
  double inf = std::numeric_limits<double>::infinity();
  using V = Value;
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<TanhOp>([&](auto) -> V { return math::TanhOp::create(builder, loc, x); })
      .Case<SigmoidOp>([&](auto) -> V { return timesSigmoid(number(1), x); })
      .Case<SiluOp>([&](auto) -> V { return timesSigmoid(x, x); })
      .Case<ExpOp>([&](auto) -> V { return math::ExpOp::create(builder, loc, x); })
      .Case<Exp2Op>([&](auto) -> V { return math::Exp2Op::create(builder, loc, x); })
      .Case<Expm1Op>([&](auto) -> V { return math::ExpM1Op::create(builder, loc, x); })
      .Case<LogOp>([&](auto) -> V { return math::LogOp::create(builder, loc, x); })
      .Case<Log1pOp>([&](auto) -> V { return math::Log1pOp::create(builder, loc, x); })
      .Case<Log2Op>([&](auto) -> V { return math::Log2Op::create(builder, loc, x); })
      .Case<Log10Op>([&](auto) -> V { return math::Log10Op::create(builder, loc, x); })
      .Case<SqrtOp>([&](auto) -> V { return math::SqrtOp::create(builder, loc, x); })
      .Case<RsqrtOp>([&](auto) -> V { return math::RsqrtOp::create(builder, loc, x); })
      .Case<ReciprocalOp>([&](auto) -> V { return div(number(1), x); })
      .Case<SinOp>([&](auto) -> V { return math::SinOp::create(builder, loc, x); })
      .Case<CosOp>([&](auto) -> V { return math::CosOp::create(builder, loc, x); })
      .Case<TanOp>([&](auto) -> V { return math::TanOp::create(builder, loc, x); })
      .Case<AsinOp>([&](auto) -> V { return math::AsinOp::create(builder, loc, x); })
      .Case<AcosOp>([&](auto) -> V { return math::AcosOp::create(builder, loc, x); })
      .Case<AtanOp>([&](auto) -> V { return math::AtanOp::create(builder, loc, x); })
      .Case<SinhOp>([&](auto) -> V { return math::SinhOp::create(builder, loc, x); })
      .Case<CoshOp>([&](auto) -> V { return math::CoshOp::create(builder, loc, x); })
      .Case<ErfOp>([&](auto) -> V { return math::ErfOp::create(builder, loc, x); })
      .Case<LogSigmoidOp>([&](auto) -> V {
        // min(x, 0) - log1p(exp(-|x|)).
        Value tail = math::Log1pOp::create(builder, loc, math::ExpOp::create(builder, loc, neg(abs(x))));
        return sub(minimum(x, number(0), false), tail);
      })
      .Case<GeluOp>([&](GeluOp gelu) -> V {
        if (gelu.getApproximate() == "tanh" && isApproximate && getScalarType(x.getType()).isF32()) {
          // (1 + tanh(y)) / 2 is the sigmoid of 2 y, here with y = x (p + q x^2).
          constexpr double p = -2 * 0.7978845608028654 * llvm::numbers::log2e, q = 0.044715 * p;
          Value factor = math::FmaOp::create(builder, loc, mul(x, x), number(q), number(p));
          return overOnePlusExp2(x, mul(factor, x));
        }
        if (gelu.getApproximate() == "tanh") {
          Value cube = mul(mul(x, x), x);
          Value inner = mul(number(0.7978845608028654), add(x, mul(number(0.044715), cube)));
          return mul(mul(number(0.5), x), add(number(1), math::TanhOp::create(builder, loc, inner)));
        }
        Value error = math::ErfOp::create(builder, loc, mul(x, number(0.7071067811865476)));
        return mul(mul(x, number(0.5)), add(number(1), error));
      })
      .Case<SoftplusOp>([&](SoftplusOp softplus) -> V {
        double beta = softplus.getBeta().convertToDouble();
        Value scaled = mul(x, number(beta));
        Value soft = div(math::Log1pOp::create(builder, loc, math::ExpOp::create(builder, loc, scaled)), number(beta));
        return select(greater(scaled, number(softplus.getThreshold().convertToDouble())), x, soft);
      })
      .Case<EluOp>([&](EluOp elu) -> V {
        double alpha = elu.getAlpha().convertToDouble(), scale = elu.getScale().convertToDouble(),
               inputScale = elu.getInputScale().convertToDouble();
        Value below = mul(math::ExpM1Op::create(builder, loc, mul(x, number(inputScale))), number(alpha * scale));
        return select(greater(x, number(0)), mul(x, number(scale)), below);
      })
      .Case<LeakyReluOp>([&](LeakyReluOp leaky) -> V {
        return select(greater(x, number(0)), x, mul(x, number(leaky.getNegativeSlope().convertToDouble())));
      })
      .Case<HardsigmoidOp>([&](auto) -> V {
        Value clamped = minimum(maximum(add(x, number(3)), number(0), false), number(6), false);
        return div(clamped, number(6));
      })
      .Case<HardswishOp>([&](auto) -> V {
        Value clamped = minimum(maximum(add(x, number(3)), number(0), false), number(6), false);
        return div(mul(x, clamped), number(6));
      })
      .Case<MishOp>([&](auto) -> V {
        Value soft = math::Log1pOp::create(builder, loc, math::ExpOp::create(builder, loc, x));
        return mul(x, math::TanhOp::create(builder, loc, soft));
      })
      .Case<ReluOp>([&](auto) -> V { return maximum(x, number(0), isUnsigned); })
      .Case<NegOp>([&](auto) -> V { return neg(x); })
      .Case<AbsOp>([&](auto) -> V { return isUnsigned || getScalarType(type).isInteger(1) ? x : abs(x); })
      .Case<SignOp>([&](auto) -> V {
        if (getScalarType(type).isInteger(1))
          return x;
        Value positive = select(greater(x, number(0)), number(1), number(0));
        return isUnsigned ? positive : select(less(x, number(0)), number(-1), positive);
      })
      .Case<CeilOp>([&](auto) -> V { return isFloatType ? math::CeilOp::create(builder, loc, x).getResult() : x; })
      .Case<FloorOp>([&](auto) -> V { return isFloatType ? math::FloorOp::create(builder, loc, x).getResult() : x; })
      .Case<RoundOp>(
          [&](auto) -> V { return isFloatType ? math::RoundEvenOp::create(builder, loc, x).getResult() : x; })
      .Case<TruncOp>([&](auto) -> V { return isFloatType ? truncate(x) : x; })
      .Case<BitwiseNotOp>([&](auto) -> V { return arith::XOrIOp::create(builder, loc, x, integer(type, -1)); })
      .Case<ClampOp>([&](ClampOp clamp) -> V {
        Value result = x;
        if (clamp.getMin())
          result = maximum(result, number(clamp.getMin()->convertToDouble()), isUnsigned);
        if (clamp.getMax())
          result = minimum(result, number(clamp.getMax()->convertToDouble()), isUnsigned);
        return result;
      })
      .Case<NanToNumOp>([&](NanToNumOp clean) -> V {
        if (!isFloatType)
          return x;
        // The extremes are those of the tensor's own type.
        auto element = cast<FloatType>(cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
        double largest = APFloat::getLargest(element.getFloatSemantics()).convertToDouble();
        Value result = select(isNaN(x), number(clean.getNan().convertToDouble()), x);
        Value isPositive = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, x, number(inf));
        Value isNegative = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, x, number(-inf));
        result = select(isPositive, number(clean.getPosinf() ? clean.getPosinf()->convertToDouble() : largest), result);
        return select(isNegative, number(clean.getNeginf() ? clean.getNeginf()->convertToDouble() : -largest), result);
      })
      .Case<ReluNanToNumOp>([&](ReluNanToNumOp relu) -> V {
        auto element = cast<FloatType>(cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
        double largest = APFloat::getLargest(element.getFloatSemantics()).convertToDouble();
        Value infinite = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, x, number(inf));
        Value high = select(infinite, number(relu.getPosinf() ? relu.getPosinf()->convertToDouble() : largest), x);
        Value finite = select(less(x, number(0)), number(0), high);
        return select(isNaN(x), number(relu.getNan().convertToDouble()), finite);
      })
      .Case<DetachOp>([&](auto) -> V { return x; })
      .Case<IsnanOp>(
          [&](auto) -> V { return isFloatType ? isNaN(x) : constant(withScalarType(type, builder.getI1Type()), 0.0); })
      .Case<IsinfOp>([&](auto) -> V {
        if (!isFloatType)
          return constant(withScalarType(type, builder.getI1Type()), 0.0);
        return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, abs(x), number(inf));
      })
      .Case<IsfiniteOp>([&](auto) -> V {
        if (!isFloatType)
          return constant(withScalarType(type, builder.getI1Type()), 1.0);
        return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, abs(x), number(inf));
      })
      .Case<LogicalNotOp>([&](auto) -> V {
        if (isFloatType)
          return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, x, number(0));
        return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, x, integer(type, 0));
      })
      .Default([](auto) -> V { return {}; });
}

Value ScalarMath::pointwise(Operation *op, ArrayRef<Value> operands, Type resultType, bool isUnsigned) {
  Value value;
  if (operands.size() == 1)
    value = unary(op, operands[0], resultType, isUnsigned);
  else if (operands.size() == 2)
    value = binary(op, operands[0], operands[1], isUnsigned);
  return value ? value : formula(op, operands, resultType);
}

/// What the lowering to linalg computes, of one element after the other.
Value ScalarMath::formula(Operation *op, ArrayRef<Value> operands, Type resultType) {
  auto vector = dyn_cast<mlir::VectorType>(operands.front().getType());
  if (!vector)
    return buildPointwiseFormula(builder, loc, op, operands);
  Value result = constant(withScalarType(vector, getScalarType(resultType)), 0.0);
  for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
    SmallVector<Value, 2> scalars;
    for (Value operand : operands)
      scalars.push_back(mlir::vector::ExtractOp::create(builder, loc, operand, lane));
    Value value = buildPointwiseFormula(builder, loc, op, scalars);
    if (!value)
      return {};
    result = mlir::vector::InsertOp::create(builder, loc, value, result, lane);
  }
  return result;
}

Value ScalarMath::binary(Operation *op, Value lhs, Value rhs, bool isUnsigned) {
  Type type = lhs.getType();
  auto scaled = [&](const APFloat &alpha) {
    double factor = alpha.convertToDouble();
    return factor == 1 ? rhs : mul(rhs, constant(type, factor));
  };
  auto truth = [&](Value value) { return convert(value, builder.getI1Type(), isUnsigned, false); };
  using V = Value;
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<AddOp>([&](AddOp add) -> V { return this->add(lhs, scaled(add.getAlpha())); })
      .Case<SubOp>([&](SubOp sub) -> V { return this->sub(lhs, scaled(sub.getAlpha())); })
      .Case<MulOp>([&](auto) -> V { return mul(lhs, rhs); })
      .Case<DivOp>([&](DivOp division) -> V {
        StringRef mode = division.getRoundingMode().value_or("");
        if (mode == "floor")
          return floorDivide(lhs, rhs, isUnsigned);
        if (isFloat(type)) {
          Value quotient = div(lhs, rhs);
          if (mode != "trunc")
            return quotient;
          // The quotient is a number of the dtype before it is truncated.
          Type dtype = division.getResult().getType().getElementType(), computed = getScalarType(type);
          return truncate(convert(convert(quotient, dtype, false, false), computed, false, false));
        }
        return divideIntegers(lhs, rhs, isUnsigned).first;
      })
      .Case<PowOp>([&](auto) -> V { return power(lhs, rhs, isUnsigned); })
      .Case<MaximumOp>([&](auto) -> V { return maximum(lhs, rhs, isUnsigned); })
      .Case<MinimumOp>([&](auto) -> V { return minimum(lhs, rhs, isUnsigned); })
      .Case<RemainderOp>([&](auto) -> V { return remainder(lhs, rhs, isUnsigned); })
      .Case<FmodOp>([&](auto) -> V {
        if (isFloat(type))
          return arith::RemFOp::create(builder, loc, lhs, rhs);
        return divideIntegers(lhs, rhs, isUnsigned).second;
      })
      .Case<Atan2Op>([&](auto) -> V { return math::Atan2Op::create(builder, loc, lhs, rhs); })
      .Case<EqOp, NeOp, LtOp, LeOp, GtOp, GeOp>([&](auto) -> V { return compare(op, lhs, rhs, isUnsigned); })
      .Case<LogicalAndOp>([&](auto) -> V { return arith::AndIOp::create(builder, loc, truth(lhs), truth(rhs)); })
      .Case<LogicalOrOp>([&](auto) -> V { return arith::OrIOp::create(builder, loc, truth(lhs), truth(rhs)); })
      .Case<LogicalXorOp>([&](auto) -> V { return arith::XOrIOp::create(builder, loc, truth(lhs), truth(rhs)); })
      .Case<BitwiseAndOp>([&](auto) -> V { return arith::AndIOp::create(builder, loc, lhs, rhs); })
      .Case<BitwiseOrOp>([&](auto) -> V { return arith::OrIOp::create(builder, loc, lhs, rhs); })
      .Case<BitwiseXorOp>([&](auto) -> V { return arith::XOrIOp::create(builder, loc, lhs, rhs); })
      .Default([](auto) -> V { return {}; });
}
