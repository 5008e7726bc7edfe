// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise ops: one scalar formula each, put into one linalg.generic with
// broadcasting maps. Bodies compute in f32 for the 16-bit floats and round once
// at the end, as PyTorch's kernels do. Constant scalars go into the body, so a
// wrapped number (f64 or i64 beside another dtype) is used unrounded.

#include "LoweringUtils.h"
#include "PopulatePatterns.h"
#include "RuntimeCalls.h"
#include "fxgraph/Dialect/IR/Numbers.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <tuple>

using namespace fxgraph;
using namespace fxgraph::lowering;

//===----------------------------------------------------------------------===//
// Unary formulas: s computes in the input's dtype
//===----------------------------------------------------------------------===//

/// min(max(x + 3, 0), 6); NaN stays.
static Value relu6Shifted(Scalars &s, Value x) { return s.min(s.max(s.add(x, s.cst(3)), s.cst(0)), s.cst(6)); }

static Value formula(TanhOp, Scalars &s, Value x) { return s.tanh(x); }
static Value formula(SigmoidOp, Scalars &s, Value x) { return s.timesSigmoid(s.cst(1), x); }
static Value formula(SiluOp, Scalars &s, Value x) { return s.timesSigmoid(x, x); }
static Value formula(ExpOp, Scalars &s, Value x) { return s.exp(x); }
static Value formula(Exp2Op, Scalars &s, Value x) { return s.fn<mlir::math::Exp2Op>(x); }
static Value formula(Expm1Op, Scalars &s, Value x) { return s.expm1(x); }
static Value formula(LogOp, Scalars &s, Value x) { return s.log(x); }
static Value formula(Log1pOp, Scalars &s, Value x) { return s.log1p(x); }
static Value formula(Log2Op, Scalars &s, Value x) { return s.fn<mlir::math::Log2Op>(x); }
static Value formula(Log10Op, Scalars &s, Value x) { return s.fn<mlir::math::Log10Op>(x); }
static Value formula(SqrtOp, Scalars &s, Value x) { return s.sqrt(x); }
static Value formula(RsqrtOp, Scalars &s, Value x) { return s.rsqrt(x); }
static Value formula(ReciprocalOp, Scalars &s, Value x) { return s.div(s.cst(1), x); }
static Value formula(SinOp, Scalars &s, Value x) { return s.fn<mlir::math::SinOp>(x); }
static Value formula(CosOp, Scalars &s, Value x) { return s.fn<mlir::math::CosOp>(x); }
static Value formula(TanOp, Scalars &s, Value x) { return s.fn<mlir::math::TanOp>(x); }
static Value formula(AsinOp, Scalars &s, Value x) { return s.fn<mlir::math::AsinOp>(x); }
static Value formula(AcosOp, Scalars &s, Value x) { return s.fn<mlir::math::AcosOp>(x); }
static Value formula(AtanOp, Scalars &s, Value x) { return s.fn<mlir::math::AtanOp>(x); }
static Value formula(AsinhOp, Scalars &s, Value x) { return s.fn<mlir::math::AsinhOp>(x); }
static Value formula(AcoshOp, Scalars &s, Value x) { return s.fn<mlir::math::AcoshOp>(x); }
static Value formula(AtanhOp, Scalars &s, Value x) { return s.fn<mlir::math::AtanhOp>(x); }
static Value formula(SinhOp, Scalars &s, Value x) { return s.fn<mlir::math::SinhOp>(x); }
static Value formula(CoshOp, Scalars &s, Value x) { return s.fn<mlir::math::CoshOp>(x); }
static Value formula(ErfOp, Scalars &s, Value x) { return s.erf(x); }
static Value formula(ErfcOp, Scalars &s, Value x) { return s.fn<mlir::math::ErfcOp>(x); }
static Value formula(AngleOp, Scalars &s, Value x) {
  Value argument = s.select(s.lt(x, s.cst(0)), s.cst(llvm::numbers::pi), s.cst(0));
  return s.select(s.isNan(x), x, argument);
}
static Value formula(LogSigmoidOp, Scalars &s, Value x) {
  Value low = s.select(s.lt(x, s.cst(0)), x, s.cst(0)); // min(x, 0), and the other term carries a NaN
  return s.sub(low, s.log1p(s.exp(s.neg(s.absF(x)))));
}
static Value formula(GeluOp op, Scalars &s, Value x) {
  return op.getApproximate() == "tanh" ? s.geluTanh(x) : s.gelu(x);
}
static Value formula(SoftplusOp op, Scalars &s, Value x) {
  Value beta = s.cst(op.getBeta().convertToDouble());
  Value scaled = s.mul(x, beta);
  Value soft = s.div(s.log1p(s.exp(scaled)), beta);
  return s.select(s.gt(scaled, s.cst(op.getThreshold().convertToDouble())), x, soft);
}
static Value formula(EluOp op, Scalars &s, Value x) {
  double scale = op.getScale().convertToDouble();
  Value negative = s.mul(s.expm1(s.mul(x, s.cst(op.getInputScale().convertToDouble()))),
                         s.cst(op.getAlpha().convertToDouble() * scale));
  return s.select(s.gt(x, s.cst(0)), s.mul(x, s.cst(scale)), negative);
}
static Value formula(LeakyReluOp op, Scalars &s, Value x) {
  return s.select(s.gt(x, s.cst(0)), x, s.mul(x, s.cst(op.getNegativeSlope().convertToDouble())));
}
static Value formula(HardsigmoidOp, Scalars &s, Value x) { return s.sixth(relu6Shifted(s, x)); }
static Value formula(HardswishOp, Scalars &s, Value x) { return s.sixth(s.mul(x, relu6Shifted(s, x))); }
static Value formula(MishOp, Scalars &s, Value x) { return s.mul(x, s.tanh(s.log1p(s.exp(x)))); }
static Value formula(ReluOp, Scalars &s, Value x) { return s.relu(x); }
static Value formula(NegOp, Scalars &s, Value x) { return s.neg(x); }
static Value formula(AbsOp, Scalars &s, Value x) {
  if (s.isFloatType())
    return s.absF(x);
  return s.isUnsignedType() ? x : s.fn<mlir::math::AbsIOp>(x);
}
static Value formula(SignOp, Scalars &s, Value x) {
  if (isBool(s.dtype))
    return x;
  Value positive = s.gt(x, s.cst(0)), negative = s.lt(x, s.cst(0));
  return s.select(positive, s.cst(1), s.select(negative, s.cst(-1), s.cst(0)));
}
/// Rounding functions leave integers alone.
template <typename OpTy>
static Value roundWith(Scalars &s, Value x) {
  return s.isFloatType() ? s.fn<OpTy>(x) : x;
}
static Value formula(CeilOp, Scalars &s, Value x) { return roundWith<mlir::math::CeilOp>(s, x); }
static Value formula(FloorOp, Scalars &s, Value x) { return roundWith<mlir::math::FloorOp>(s, x); }
static Value formula(RoundOp, Scalars &s, Value x) { return roundWith<mlir::math::RoundEvenOp>(s, x); }
static Value formula(TruncOp, Scalars &s, Value x) { return roundWith<mlir::math::TruncOp>(s, x); }
static Value formula(BitwiseNotOp, Scalars &s, Value x) { return s.xorB(x, s.cst(isBool(s.dtype) ? 1 : -1)); }
static Value formula(ClampOp op, Scalars &s, Value x) {
  // A NaN bound makes everything NaN, a NaN element stays.
  if (op.getMin())
    x = s.max(x, s.cst(op.getMin()->convertToDouble()));
  if (op.getMax())
    x = s.min(x, s.cst(op.getMax()->convertToDouble()));
  return x;
}
static Value formula(NanToNumOp op, Scalars &s, Value x) {
  auto type = dyn_cast<FloatType>(s.dtype);
  if (!type)
    return x;
  double largest = APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
  double infinity = std::numeric_limits<double>::infinity();
  Value high = s.cst(op.getPosinf() ? op.getPosinf()->convertToDouble() : largest);
  Value low = s.cst(op.getNeginf() ? op.getNeginf()->convertToDouble() : -largest);
  Value finite = s.select(s.eq(x, s.cst(infinity)), high, s.select(s.eq(x, s.cst(-infinity)), low, x));
  return s.select(s.isNan(x), s.cst(op.getNan().convertToDouble()), finite);
}
static Value formula(ReluNanToNumOp op, Scalars &s, Value x) {
  double largest = APFloat::getLargest(cast<FloatType>(s.dtype).getFloatSemantics()).convertToDouble();
  Value infinite = s.eq(x, s.cst(std::numeric_limits<double>::infinity()));
  Value high = s.select(infinite, s.cst(op.getPosinf() ? op.getPosinf()->convertToDouble() : largest), x);
  Value finite = s.select(s.lt(x, s.cst(0)), s.cst(0), high);
  return s.select(s.isNan(x), s.cst(op.getNan().convertToDouble()), finite);
}

// Predicates: the result is bool.
static Value formula(IsnanOp, Scalars &s, Value x) { return s.isFloatType() ? s.isNan(x) : s.truth(false); }
static Value formula(IsinfOp, Scalars &s, Value x) {
  return s.isFloatType() ? s.eq(s.absF(x), s.cst(std::numeric_limits<double>::infinity())) : s.truth(false);
}
static Value formula(IsfiniteOp, Scalars &s, Value x) {
  if (!s.isFloatType())
    return s.truth(true);
  return s.lt(s.absF(x), s.cst(std::numeric_limits<double>::infinity()));
}
static Value formula(SignbitOp, Scalars &s, Value x) {
  if (isBool(s.dtype))
    return s.truth(false);
  return s.lt(s.isFloatType() ? s.copysign(s.cst(1), x) : x, s.cst(0));
}
static Value formula(LogicalNotOp, Scalars &s, Value x) { return s.xorB(s.nonZero(x), s.truth(true)); }

//===----------------------------------------------------------------------===//
// Binary formulas
//===----------------------------------------------------------------------===//

/// The number that a value is, on all lanes, if it is a constant.
static std::optional<double> getConstantNumber(Value value) {
  if (auto broadcast = value.getDefiningOp<mlir::vector::BroadcastOp>())
    value = broadcast.getSource();
  Attribute attr;
  if (!mlir::matchPattern(value, mlir::m_Constant(&attr)))
    return std::nullopt;
  if (auto dense = dyn_cast<mlir::DenseElementsAttr>(attr))
    attr = dense.isSplat() ? dense.getSplatValue<Attribute>() : Attribute();
  if (auto number = dyn_cast_if_present<mlir::FloatAttr>(attr))
    return number.getValueAsDouble();
  if (auto number = dyn_cast_if_present<mlir::IntegerAttr>(attr))
    return static_cast<double>(number.getValue().getSExtValue());
  return std::nullopt;
}

/// A compute scalar rounded to a 16-bit dtype.
static Value roundToDtype(OpBuilder &b, Location loc, Value value, Type dtype) {
  if (!isFloat(dtype) || mlir::getElementTypeOrSelf(value) == dtype)
    return value;
  // A number stays one: formulas look at exponents.
  if (std::optional<double> number = getConstantNumber(value); number && !isFloat8(dtype)) {
    APFloat rounded(static_cast<float>(*number));
    bool lost;
    rounded.convert(cast<FloatType>(dtype).getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
    return createScalar(b, loc, value.getType(), rounded.convertToDouble());
  }
  return mlir::arith::ExtFOp::create(b, loc, value.getType(), storeElement(b, loc, value, dtype));
}

/// PyTorch's kernels of these take a number beside a 16-bit float unrounded; all
/// others round it to the dtype first.
template <typename OpTy>
constexpr bool keepsWideScalars =
    std::is_same_v<OpTy, AddOp> || std::is_same_v<OpTy, SubOp> || std::is_same_v<OpTy, MulOp> ||
    std::is_same_v<OpTy, DivOp> || std::is_same_v<OpTy, FmaOp>;

static Value scaled(Scalars &s, Value y, double alpha) { return alpha == 1.0 ? y : s.mul(y, s.cst(alpha)); }

static Value formula(AddOp op, Scalars &s, Value x, Value y) {
  if (isBool(s.dtype))
    return s.orB(x, scaled(s, y, op.getAlpha().convertToDouble()));
  return s.add(x, scaled(s, y, op.getAlpha().convertToDouble()));
}
static Value formula(SubOp op, Scalars &s, Value x, Value y) {
  return s.sub(x, scaled(s, y, op.getAlpha().convertToDouble()));
}
static Value formula(MulOp, Scalars &s, Value x, Value y) { return isBool(s.dtype) ? s.andB(x, y) : s.mul(x, y); }
static Value formula(FmaOp, Scalars &s, Value x, Value y, Value z) {
  return isBool(s.dtype) ? s.orB(s.andB(x, y), z) : s.fma(x, y, z);
}

/// True where remainder x of a division by y must move to the other sign.
static Value signsDiffer(Scalars &s, Value remainder, Value y) {
  Value zero = s.cst(0);
  Value differ = s.xorB(s.lt(remainder, zero), s.lt(y, zero));
  return s.andB(s.cmp(Scalars::NE, remainder, zero), differ);
}
static Value floorDivide(Scalars &s, Value x, Value y) {
  if (!s.isFloatType()) {
    Value quotient = s.div(x, y);
    if (s.isUnsignedType())
      return quotient;
    return s.select(signsDiffer(s, s.rem(x, y), y), s.sub(quotient, s.cst(1)), quotient);
  }
  // From the remainder, which is exact: x / y itself may round up to an integer.
  Value remainder = s.rem(x, y);
  Value quotient = s.div(s.sub(x, remainder), y);
  quotient = s.select(signsDiffer(s, remainder, y), s.sub(quotient, s.cst(1)), quotient);
  Value floor = s.floor(quotient);
  floor = s.select(s.gt(s.sub(quotient, floor), s.cst(0.5)), s.add(floor, s.cst(1)), floor);
  Value plain = s.div(x, y);
  Value result = s.select(s.eq(quotient, s.cst(0)), s.copysign(s.cst(0), plain), floor);
  return s.select(s.eq(y, s.cst(0)), plain, result);
}
static Value formula(DivOp op, Scalars &s, Value x, Value y) {
  if (!op.getRoundingMode())
    return s.div(x, y);
  if (*op.getRoundingMode() == "floor")
    return floorDivide(s, x, y);
  // The quotient is a number of the dtype before it is truncated.
  return s.isFloatType() ? s.trunc(roundToDtype(s.b, s.loc, s.div(x, y), s.dtype)) : s.div(x, y);
}
static Value formula(RemainderOp, Scalars &s, Value x, Value y) {
  Value remainder = s.rem(x, y);
  if (s.isUnsignedType())
    return remainder;
  return s.select(signsDiffer(s, remainder, y), s.add(remainder, y), remainder);
}
static Value formula(FmodOp, Scalars &s, Value x, Value y) { return s.rem(x, y); }
static Value formula(MaximumOp, Scalars &s, Value x, Value y) { return s.max(x, y); }
static Value formula(MinimumOp, Scalars &s, Value x, Value y) { return s.min(x, y); }
static Value formula(FmaxOp, Scalars &s, Value x, Value y) { return s.maxNumber(x, y); }
static Value formula(FminOp, Scalars &s, Value x, Value y) { return s.minNumber(x, y); }
static Value formula(CopysignOp, Scalars &s, Value x, Value y) { return s.copysign(x, y); }
static Value formula(Atan2Op, Scalars &s, Value y, Value x) {
  // MLIR folds math.atan2 of two zeros to NaN: of (±1, ±0) the angle is the same.
  Value areZero = s.andB(s.eq(y, s.cst(0)), s.eq(x, s.cst(0)));
  return mlir::math::Atan2Op::create(s.b, s.loc, y, s.select(areZero, s.copysign(s.cst(1), x), x));
}

/// The bits of a number counted up or down: they are ordered as the magnitudes are.
static Value formula(NextafterOp, Scalars &s, Value x, Value y) {
  Type stored = withShapeOf(s.type, getStorageType(s.dtype));
  Type bits = withShapeOf(s.type, s.b.getIntegerType(getStorageType(s.dtype).getIntOrFloatBitWidth()));
  auto number = [&](double value) { return createScalar(s.b, s.loc, bits, value); };
  auto fromBits = [&](Value value) {
    Value element = mlir::arith::BitcastOp::create(s.b, s.loc, stored, value);
    return loadElement(s.b, s.loc, element, s.dtype);
  };
  Value own = mlir::arith::BitcastOp::create(s.b, s.loc, bits, storeElement(s.b, s.loc, x, s.dtype));
  Value up = s.gt(y, x), positive = s.gt(x, s.cst(0));
  // Away from 0 where the sign is that of the way.
  Value grows = mlir::arith::CmpIOp::create(s.b, s.loc, mlir::arith::CmpIPredicate::eq, up, positive);
  Value step = s.select(grows, number(1), number(-1));
  Value next = fromBits(mlir::arith::AddIOp::create(s.b, s.loc, own, step));
  Value result = s.select(s.eq(x, s.cst(0)), s.copysign(fromBits(number(1)), y), next);
  result = s.select(s.eq(x, y), y, result);
  return s.select(s.orB(s.isNan(x), s.isNan(y)), s.add(x, y), result);
}

/// Euclid's algorithm on the absolute values.
static Value greatestCommonDivisor(Scalars &s, Value x, Value y) {
  auto magnitude = [&](Value value) { return s.isUnsignedType() ? value : s.fn<mlir::math::AbsIOp>(value); };
  auto loop = mlir::scf::WhileOp::create(
      s.b, s.loc, mlir::TypeRange{s.type, s.type}, ValueRange{magnitude(x), magnitude(y)},
      [&](OpBuilder &b, Location loc, ValueRange state) {
        mlir::scf::ConditionOp::create(b, loc, Scalars(b, loc, s.dtype).nonZero(state[0]), state);
      },
      [&](OpBuilder &b, Location loc, ValueRange state) {
        mlir::scf::YieldOp::create(b, loc, ValueRange{Scalars(b, loc, s.dtype).rem(state[1], state[0]), state[0]});
      });
  return loop.getResult(1);
}
/// Each lane has a loop of its own length.
static Value formula(GcdOp, Scalars &s, Value x, Value y) {
  auto vector = dyn_cast<mlir::VectorType>(s.type);
  if (!vector)
    return greatestCommonDivisor(s, x, y);
  Scalars lane(s.b, s.loc, s.dtype);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < vector.getNumElements(); ++i)
    elements.push_back(greatestCommonDivisor(lane, mlir::vector::ExtractOp::create(s.b, s.loc, x, i),
                                             mlir::vector::ExtractOp::create(s.b, s.loc, y, i)));
  return mlir::vector::FromElementsOp::create(s.b, s.loc, vector, elements);
}

/// Integer power with wrap. A negative exponent gives 0, but for base 1 and -1.
static Value integerPower(Scalars &s, Value x, Value y) {
  if (isBool(s.dtype)) // x ** y is 0 only for 0 ** 1.
    return s.orB(x, s.xorB(y, s.cst(1)));
  // A number takes as many steps as it has bits.
  if (std::optional<double> number = getConstantNumber(y); number && *number >= 1) {
    Value power, square = x;
    for (auto rest = static_cast<uint64_t>(*number);; square = s.mul(square, square)) {
      if (rest & 1)
        power = power ? s.mul(power, square) : square;
      if ((rest >>= 1) == 0)
        return power;
    }
  }
  unsigned width = s.getWidth();
  Value lower = mlir::arith::ConstantIndexOp::create(s.b, s.loc, 0);
  Value upper = mlir::arith::ConstantIndexOp::create(s.b, s.loc, width);
  Value step = mlir::arith::ConstantIndexOp::create(s.b, s.loc, 1);
  auto loop = mlir::scf::ForOp::create(s.b, s.loc, lower, upper, step, ValueRange{s.cst(1), x, y},
                                       [&](OpBuilder &b, Location loc, Value, ValueRange state) {
                                         Scalars n(b, loc, s.dtype, s.type);
                                         Value odd = n.cmp(Scalars::NE, n.andB(state[2], n.cst(1)), n.cst(0));
                                         Value result = n.select(odd, n.mul(state[0], state[1]), state[0]);
                                         Value rest = mlir::arith::ShRUIOp::create(b, loc, state[2], n.cst(1));
                                         mlir::scf::YieldOp::create(
                                             b, loc, ValueRange{result, n.mul(state[1], state[1]), rest});
                                       });
  Value power = loop.getResult(0);
  if (s.isUnsignedType())
    return power;
  // (-1) ** y by the parity of y: the loop computes it right for negative y too.
  Value isUnit = s.orB(s.eq(x, s.cst(1)), s.eq(x, s.cst(-1)));
  return s.select(s.orB(s.cmp(Scalars::GE, y, s.cst(0)), isUnit), power, s.cst(0));
}
static Value formula(PowOp op, Scalars &s, Value x, Value y) {
  if (!s.isFloatType())
    return integerPower(s, x, y);
  // PyTorch's kernel for f16 has no square roots: pow is +0 of -0, and infinite of -inf.
  auto root = [&](double negative, function_ref<Value(Value)> function) {
    if (!mlir::getElementTypeOrSelf(op.getType()).isF16())
      return function(x);
    Value isLeast = s.eq(x, s.cst(-std::numeric_limits<double>::infinity()));
    return s.select(isLeast, s.cst(negative), function(s.add(x, s.cst(0))));
  };
  // The exponents that PyTorch computes without pow.
  if (std::optional<double> number = getConstantNumber(y)) {
    if (*number == 2)
      return s.mul(x, x);
    if (*number == 3)
      return s.mul(s.mul(x, x), x);
    if (*number == 0.5)
      return root(std::numeric_limits<double>::infinity(), [&](Value x) { return s.sqrt(x); });
    if (*number == -0.5)
      return root(0, [&](Value x) { return s.rsqrt(x); });
    if (*number == -1)
      return s.div(s.cst(1), x);
    if (*number == -2)
      return s.div(s.cst(1), s.mul(x, x));
    if (*number == 1)
      return x;
  }
  return s.powf(x, y);
}

static Value formula(EqOp, Scalars &s, Value x, Value y) { return s.cmp(Scalars::EQ, x, y); }
static Value formula(NeOp, Scalars &s, Value x, Value y) { return s.cmp(Scalars::NE, x, y); }
static Value formula(LtOp, Scalars &s, Value x, Value y) { return s.cmp(Scalars::LT, x, y); }
static Value formula(LeOp, Scalars &s, Value x, Value y) { return s.cmp(Scalars::LE, x, y); }
static Value formula(GtOp, Scalars &s, Value x, Value y) { return s.cmp(Scalars::GT, x, y); }
static Value formula(GeOp, Scalars &s, Value x, Value y) { return s.cmp(Scalars::GE, x, y); }
static Value formula(LogicalAndOp, Scalars &s, Value x, Value y) { return s.andB(s.nonZero(x), s.nonZero(y)); }
static Value formula(LogicalOrOp, Scalars &s, Value x, Value y) { return s.orB(s.nonZero(x), s.nonZero(y)); }
static Value formula(LogicalXorOp, Scalars &s, Value x, Value y) { return s.xorB(s.nonZero(x), s.nonZero(y)); }
static Value formula(BitwiseAndOp, Scalars &s, Value x, Value y) { return s.andB(x, y); }
static Value formula(BitwiseOrOp, Scalars &s, Value x, Value y) { return s.orB(x, y); }
static Value formula(BitwiseXorOp, Scalars &s, Value x, Value y) { return s.xorB(x, y); }
static Value formula(BitwiseLeftShiftOp, Scalars &s, Value x, Value y) { return s.shiftLeft(x, y); }
static Value formula(BitwiseRightShiftOp, Scalars &s, Value x, Value y) { return s.shiftRight(x, y); }

/// The formula, of numbers as PyTorch takes them.
template <typename OpTy, typename... Values>
static Value applyFormula(OpTy op, Scalars &s, Values... scalars) {
  unsigned operand = 0;
  auto take = [&](Value scalar) {
    bool isWide = dtypeOf(op->getOperand(operand++)) != s.dtype;
    return isWide && !keepsWideScalars<OpTy> ? roundToDtype(s.b, s.loc, scalar, s.dtype) : scalar;
  };
  // Braces: in this order, whatever the compiler.
  std::array<Value, sizeof...(scalars)> taken{take(scalars)...};
  return std::apply([&](auto... numbers) { return formula(op, s, numbers...); }, taken);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// Operands of a pointwise op: each is a tensor of the generic or a constant
/// scalar of the body.
struct PointwiseOperands {
  SmallVector<Value> tensors;
  SmallVector<Type> dtypes;                      // of the tensors
  SmallVector<std::optional<unsigned>> position; // per operand; none: constant
};

PointwiseOperands sortOperands(OpBuilder &b, Location loc, ValueRange original, ValueRange converted) {
  PointwiseOperands result;
  for (auto [from, to] : llvm::zip_equal(original, converted)) {
    // A non-scalar constant still decides the result's shape.
    if (tensorType(from).getRank() == 0 && matchConstantScalar(b, loc, from, dtypeOf(from))) {
      result.position.push_back(std::nullopt);
      continue;
    }
    result.position.push_back(result.tensors.size());
    result.tensors.push_back(to);
    result.dtypes.push_back(dtypeOf(from));
  }
  return result;
}

/// Scalars of the body in the dtype `dtypes[i]` of operand i.
SmallVector<Value> bodyScalars(OpBuilder &b, Location loc, ValueRange original, const PointwiseOperands &operands,
                               ValueRange args, ArrayRef<Type> dtypes) {
  SmallVector<Value> scalars;
  for (auto [i, value] : llvm::enumerate(original)) {
    if (!operands.position[i]) {
      scalars.push_back(matchConstantScalar(b, loc, value, dtypes[i]));
      continue;
    }
    unsigned position = *operands.position[i];
    Value loaded = loadElement(b, loc, args[position], operands.dtypes[position]);
    scalars.push_back(convertScalar(b, loc, loaded, operands.dtypes[position], dtypes[i]));
  }
  return scalars;
}

/// Extents of the result: of the broadcast operands, or the static result type.
Sizes resultSizes(OpBuilder &b, Location loc, const PointwiseOperands &operands, RankedTensorType result) {
  if (!result.hasStaticShape())
    return broadcastSizes(b, loc, operands.tensors);
  Sizes sizes;
  for (int64_t extent : result.getShape())
    sizes.push_back(b.getIndexAttr(extent));
  return sizes;
}

/// `body` gets the compute scalars in the given dtypes and returns one of the
/// compute type of the result's dtype.
template <typename OpTy, typename Body>
LogicalResult lowerPointwise(OpTy op, ValueRange converted, ArrayRef<Type> dtypes, const mlir::TypeConverter *converter,
                             ConversionPatternRewriter &rewriter, Body body) {
  Location loc = op.getLoc();
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  PointwiseOperands operands = sortOperands(rewriter, loc, op->getOperands(), converted);
  Sizes sizes = resultSizes(rewriter, loc, operands, result);
  SmallVector<AffineMap> maps;
  for (Value tensor : operands.tensors)
    maps.push_back(broadcastMap(rewriter, loc, tensor, sizes));
  Type dtype = result.getElementType();
  Value value = buildParallel(rewriter, loc, operands.tensors, maps, sizes, getStorageType(dtype),
                              [&](OpBuilder &b, Location l, ValueRange args) {
                                SmallVector<Value> scalars =
                                    bodyScalars(b, l, op->getOperands(), operands, args, dtypes);
                                return storeElement(b, l, body(b, l, scalars), dtype);
                              });
  rewriter.replaceOp(op, castTo(rewriter, loc, value, converter->convertType(result)));
  return success();
}

template <typename OpTy>
struct UnaryLowering : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type dtype = dtypeOf(op.getInput());
    return lowerPointwise(op, adaptor.getOperands(), {dtype}, this->getTypeConverter(), rewriter,
                          [&](OpBuilder &b, Location loc, ArrayRef<Value> x) {
                            Scalars s(b, loc, dtype);
                            return formula(op, s, x[0]);
                          });
  }
};

template <typename OpTy>
struct BinaryLowering : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    FailureOr<Type> unified = unifyElementTypes(op.getLoc(), op->getOperandTypes());
    if (failed(unified))
      return failure();
    Type dtype = *unified;
    if constexpr (std::is_same_v<OpTy, DivOp> || std::is_same_v<OpTy, RemainderOp> || std::is_same_v<OpTy, FmodOp>)
      if (!isFloat(dtype))
        assertNoZero(op, adaptor.getOther(), rewriter);
    return lowerPointwise(op, adaptor.getOperands(), {dtype, dtype}, this->getTypeConverter(), rewriter,
                          [&](OpBuilder &b, Location loc, ArrayRef<Value> x) {
                            Scalars s(b, loc, dtype);
                            return applyFormula(op, s, x[0], x[1]);
                          });
  }

  /// An integer division by zero fails the run. The check is a reduction of its
  /// own in front of the division; none for a non-zero constant.
  void assertNoZero(OpTy op, Value divisor, ConversionPatternRewriter &b) const {
    Location loc = op.getLoc();
    Type dtype = dtypeOf(op.getOther());
    if (Value constant = matchConstantScalar(b, loc, op.getOther(), dtype)) {
      mlir::IntegerAttr number;
      if (mlir::matchPattern(constant, mlir::m_Constant(&number)) && !number.getValue().isZero())
        return;
    }
    SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, tensorType(divisor).getRank()));
    Value one = createScalar(b, loc, b.getI8Type(), 1);
    Value all = buildReduction(b, loc, divisor, dims, one,
                               [&](OpBuilder &n, Location l, ValueRange args) -> SmallVector<Value> {
                                 Scalars s(n, l, dtype);
                                 Value fine = s.nonZero(loadElement(n, l, args[0], dtype));
                                 return {s.andB(mlir::arith::ExtUIOp::create(n, l, n.getI8Type(), fine), args[1])};
                               })[0];
    Value flag = mlir::tensor::ExtractOp::create(b, loc, all, ValueRange{});
    Value zero = createScalar(b, loc, b.getI8Type(), 0);
    Value fine = mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::ne, flag, zero);
    assertTrue(b, loc, fine, "expected a non-zero integer divisor but got 0");
  }
};

template <typename OpTy>
struct TernaryLowering : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type dtype = dtypeOf(op.getResult());
    return lowerPointwise(op, adaptor.getOperands(), {dtype, dtype, dtype}, this->getTypeConverter(), rewriter,
                          [&](OpBuilder &b, Location loc, ArrayRef<Value> x) {
                            Scalars s(b, loc, dtype);
                            return applyFormula(op, s, x[0], x[1], x[2]);
                          });
  }
};

struct WhereLowering : public OpConversionPattern<WhereOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(WhereOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Type dtype = op.getResult().getType().getElementType();
    Type condition = rewriter.getI1Type();
    return lowerPointwise(op, adaptor.getOperands(), {condition, dtype, dtype}, getTypeConverter(), rewriter,
                          [&](OpBuilder &b, Location loc, ArrayRef<Value> x) -> Value {
                            return mlir::arith::SelectOp::create(b, loc, x[0], x[1], x[2]);
                          });
  }
};

struct ConvertLowering : public OpConversionPattern<ConvertElementTypeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ConvertElementTypeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type to = op.getResult().getType().getElementType();
    // Converting the loaded scalar to the result's dtype is all there is.
    return lowerPointwise(op, adaptor.getOperands(), {to}, getTypeConverter(), rewriter,
                          [](OpBuilder &, Location, ArrayRef<Value> x) { return x[0]; });
  }
};

/// In training: times 1 / (1 - p) or 0, so that a dropped NaN or infinity is NaN.
struct DropoutLowering : public OpConversionPattern<DropoutOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DropoutOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    double p = op.getP().convertToDouble();
    if (!op.getTraining() || p == 0.0) {
      rewriter.replaceOp(op, adaptor.getInput());
      return success();
    }
    Type dtype = dtypeOf(op.getInput());
    if (!isFloat(dtype))
      return refuse(op, "expected floats in training but got " + mlir::debugString(dtype));
    if (!(p > 0.0 && p <= 1.0))
      return refuse(op, "expected p in [0, 1] but got " + std::to_string(p));
    SmallVector<Value> operands = {adaptor.getInput()};
    Type keeps = rewriter.getI1Type();
    if (p < 1.0)
      operands.push_back(callRandom(rewriter, op.getLoc(), Draw::Bernoulli, keeps,
                                    getSizes(rewriter, op.getLoc(), adaptor.getInput()), 1.0 - p));
    Value value = buildElementwise(
        rewriter, op.getLoc(), operands, getStorageType(dtype), [&](OpBuilder &b, Location loc, ValueRange args) {
          Scalars s(b, loc, dtype);
          Value noise = s.cst(0);
          if (args.size() > 1) {
            Value kept = loadElement(b, loc, args[1], keeps),
                  factor = s.cst(getDropoutScale(p, cast<FloatType>(dtype)));
            noise = s.select(kept, factor, noise);
          }
          return storeElement(b, loc, s.mul(loadElement(b, loc, args[0], dtype), noise), dtype);
        });
    rewriter.replaceOp(op, castTo(rewriter, op.getLoc(), value, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

} // namespace

/// Ops that are a formula of one scalar, of two, and of three.
template <typename... OpTys>
struct Ops {};
using UnaryOps =
    Ops<TanhOp, SigmoidOp, SiluOp, ExpOp, Exp2Op, Expm1Op, LogOp, Log1pOp, Log2Op, Log10Op, SqrtOp, RsqrtOp,
        ReciprocalOp, SinOp, CosOp, TanOp, AsinOp, AcosOp, AtanOp, AsinhOp, AcoshOp, AtanhOp, SinhOp, CoshOp, ErfOp,
        ErfcOp, AngleOp, LogSigmoidOp, GeluOp, SoftplusOp, EluOp, LeakyReluOp, HardsigmoidOp, HardswishOp, MishOp,
        ReluOp, NegOp, AbsOp, SignOp, CeilOp, FloorOp, RoundOp, TruncOp, BitwiseNotOp, ClampOp, NanToNumOp,
        ReluNanToNumOp, IsnanOp, IsinfOp, IsfiniteOp, SignbitOp, LogicalNotOp>;
using BinaryOps =
    Ops<AddOp, SubOp, MulOp, DivOp, PowOp, MaximumOp, MinimumOp, RemainderOp, FmodOp, Atan2Op, NextafterOp, GcdOp,
        FmaxOp, FminOp, CopysignOp, EqOp, NeOp, LtOp, LeOp, GtOp, GeOp, LogicalAndOp, LogicalOrOp, LogicalXorOp,
        BitwiseAndOp, BitwiseOrOp, BitwiseXorOp, BitwiseLeftShiftOp, BitwiseRightShiftOp>;
using TernaryOps = Ops<FmaOp>;

template <typename... OpTys>
static void addUnary(Ops<OpTys...>, const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns) {
  patterns.add<UnaryLowering<OpTys>...>(converter, patterns.getContext());
}
template <typename... OpTys>
static void addBinary(Ops<OpTys...>, const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns) {
  patterns.add<BinaryLowering<OpTys>...>(converter, patterns.getContext());
}
template <typename... OpTys>
static void addTernary(Ops<OpTys...>, const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns) {
  patterns.add<TernaryLowering<OpTys>...>(converter, patterns.getContext());
}

void lowering::populatePointwise(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns) {
  addUnary(UnaryOps(), converter, patterns);
  addBinary(BinaryOps(), converter, patterns);
  addTernary(TernaryOps(), converter, patterns);
  patterns.add<WhereLowering, ConvertLowering, DropoutLowering>(converter, patterns.getContext());
}

template <typename... OpTys>
static Value buildUnary(Ops<OpTys...>, Operation *op, Scalars &s, Value x) {
  Value result;
  ((isa<OpTys>(op) && (result = formula(cast<OpTys>(op), s, x))) || ...);
  return result;
}
template <typename... OpTys>
static Value buildBinary(Ops<OpTys...>, Operation *op, Scalars &s, Value x, Value y) {
  Value result;
  ((isa<OpTys>(op) && (result = applyFormula(cast<OpTys>(op), s, x, y))) || ...);
  return result;
}
template <typename... OpTys>
static Value buildTernary(Ops<OpTys...>, Operation *op, Scalars &s, Value x, Value y, Value z) {
  Value result;
  ((isa<OpTys>(op) && (result = applyFormula(cast<OpTys>(op), s, x, y, z))) || ...);
  return result;
}

Value lowering::buildPointwiseFormula(Scalars &s, Operation *op, ValueRange scalars) {
  if (!isSupportedDtype(s.dtype) || llvm::any_of(scalars, [&](Value scalar) { return scalar.getType() != s.type; }))
    return {};
  return scalars.size() == 1   ? buildUnary(UnaryOps(), op, s, scalars[0])
         : scalars.size() == 2 ? buildBinary(BinaryOps(), op, s, scalars[0], scalars[1])
         : scalars.size() == 3 ? buildTernary(TernaryOps(), op, s, scalars[0], scalars[1], scalars[2])
                               : Value();
}
