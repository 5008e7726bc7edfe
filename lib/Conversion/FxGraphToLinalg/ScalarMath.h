// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short names for building scalar arithmetic on compute types (LoweringUtils.h).

#ifndef FXGRAPH_CONVERSION_FXGRAPHTOLINALG_SCALARMATH_H
#define FXGRAPH_CONVERSION_FXGRAPHTOLINALG_SCALARMATH_H

#include "LoweringUtils.h"

namespace fxgraph {
namespace lowering {

/// Builds scalar ops for one dtype: the right op for floats, signed and unsigned
/// integers.
class Scalars {
public:
  Scalars(OpBuilder &b, Location loc, Type dtype) : b(b), loc(loc), dtype(dtype), type(getComputeType(dtype)) {}

  OpBuilder &b;
  Location loc;
  Type dtype;
  Type type;

  bool isFloatType() const { return isa<FloatType>(type); }
  bool isUnsignedType() const { return isUnsigned(dtype); }

  Value cst(double value) { return createScalar(b, loc, type, value); }
  Value add(Value x, Value y) {
    return isFloatType() ? make<mlir::arith::AddFOp>(x, y) : make<mlir::arith::AddIOp>(x, y);
  }
  Value sub(Value x, Value y) {
    return isFloatType() ? make<mlir::arith::SubFOp>(x, y) : make<mlir::arith::SubIOp>(x, y);
  }
  Value mul(Value x, Value y) {
    return isFloatType() ? make<mlir::arith::MulFOp>(x, y) : make<mlir::arith::MulIOp>(x, y);
  }
  /// Truncating for integers; the divisor is not zero. MIN / -1 wraps.
  Value div(Value x, Value y) {
    if (isFloatType())
      return make<mlir::arith::DivFOp>(x, y);
    if (isUnsignedType())
      return make<mlir::arith::DivUIOp>(x, y);
    Value minusOne = cst(-1), isMinusOne = eq(y, minusOne);
    Value quotient = make<mlir::arith::DivSIOp>(x, select(isMinusOne, cst(1), y));
    return select(isMinusOne, sub(cst(0), x), quotient);
  }
  /// The dividend's sign; the divisor is not zero for integers.
  Value rem(Value x, Value y) {
    if (isFloatType())
      return make<mlir::arith::RemFOp>(x, y);
    if (isUnsignedType())
      return make<mlir::arith::RemUIOp>(x, y);
    Value isMinusOne = eq(y, cst(-1));
    return make<mlir::arith::RemSIOp>(x, select(isMinusOne, cst(1), y)); // Anything mod 1 is 0, as it is mod -1.
  }
  Value neg(Value x) { return isFloatType() ? make<mlir::arith::NegFOp>(x) : sub(cst(0), x); }
  /// NaN goes through.
  Value max(Value x, Value y) {
    if (isFloatType())
      return make<mlir::arith::MaximumFOp>(x, y);
    return isUnsignedType() ? make<mlir::arith::MaxUIOp>(x, y) : make<mlir::arith::MaxSIOp>(x, y);
  }
  Value min(Value x, Value y) {
    if (isFloatType())
      return make<mlir::arith::MinimumFOp>(x, y);
    return isUnsignedType() ? make<mlir::arith::MinUIOp>(x, y) : make<mlir::arith::MinSIOp>(x, y);
  }
  /// A NaN gives way to a number.
  Value maxNumber(Value x, Value y) { return isFloatType() ? make<mlir::arith::MaxNumFOp>(x, y) : max(x, y); }
  Value minNumber(Value x, Value y) { return isFloatType() ? make<mlir::arith::MinNumFOp>(x, y) : min(x, y); }

  enum Predicate { EQ, NE, LT, LE, GT, GE };
  /// Ordered (false for NaN) but for NE.
  Value cmp(Predicate predicate, Value x, Value y) {
    using mlir::arith::CmpFPredicate;
    using mlir::arith::CmpIPredicate;
    static const CmpFPredicate floats[] = {CmpFPredicate::OEQ, CmpFPredicate::UNE, CmpFPredicate::OLT,
                                           CmpFPredicate::OLE, CmpFPredicate::OGT, CmpFPredicate::OGE};
    static const CmpIPredicate ints[] = {CmpIPredicate::eq,  CmpIPredicate::ne,  CmpIPredicate::slt,
                                         CmpIPredicate::sle, CmpIPredicate::sgt, CmpIPredicate::sge};
    static const CmpIPredicate unsignedInts[] = {CmpIPredicate::eq,  CmpIPredicate::ne,  CmpIPredicate::ult,
                                                 CmpIPredicate::ule, CmpIPredicate::ugt, CmpIPredicate::uge};
    if (isa<FloatType>(x.getType()))
      return mlir::arith::CmpFOp::create(b, loc, floats[predicate], x, y);
    return mlir::arith::CmpIOp::create(b, loc, (isUnsignedType() ? unsignedInts : ints)[predicate], x, y);
  }
  Value eq(Value x, Value y) { return cmp(EQ, x, y); }
  Value lt(Value x, Value y) { return cmp(LT, x, y); }
  Value gt(Value x, Value y) { return cmp(GT, x, y); }
  Value isNan(Value x) { return mlir::arith::CmpFOp::create(b, loc, mlir::arith::CmpFPredicate::UNO, x, x); }
  Value nonZero(Value x) { return cmp(NE, x, createScalar(b, loc, x.getType(), 0)); }
  Value select(Value condition, Value x, Value y) { return mlir::arith::SelectOp::create(b, loc, condition, x, y); }
  /// All bits leave, or copies of the sign stay, where the distance is below 0 or the width or more.
  Value shiftLeft(Value x, Value distance) {
    return select(fits(distance), make<mlir::arith::ShLIOp>(x, inWidth(distance)), cst(0));
  }
  Value shiftRight(Value x, Value distance) {
    if (isUnsignedType())
      return select(fits(distance), make<mlir::arith::ShRUIOp>(x, inWidth(distance)), cst(0));
    return make<mlir::arith::ShRSIOp>(x, select(fits(distance), distance, cst(type.getIntOrFloatBitWidth() - 1)));
  }
  Value andB(Value x, Value y) { return make<mlir::arith::AndIOp>(x, y); }
  Value orB(Value x, Value y) { return make<mlir::arith::OrIOp>(x, y); }
  Value xorB(Value x, Value y) { return make<mlir::arith::XOrIOp>(x, y); }

  template <typename OpTy>
  Value fn(Value x) {
    return OpTy::create(b, loc, x);
  }
  Value exp(Value x) { return fn<mlir::math::ExpOp>(x); }
  Value log(Value x) { return fn<mlir::math::LogOp>(x); }
  Value log1p(Value x) { return fn<mlir::math::Log1pOp>(x); }
  Value expm1(Value x) { return fn<mlir::math::ExpM1Op>(x); }
  Value tanh(Value x) { return fn<mlir::math::TanhOp>(x); }
  Value erf(Value x) { return fn<mlir::math::ErfOp>(x); }
  Value sqrt(Value x) { return fn<mlir::math::SqrtOp>(x); }
  Value absF(Value x) { return fn<mlir::math::AbsFOp>(x); }
  Value floor(Value x) { return fn<mlir::math::FloorOp>(x); }
  Value trunc(Value x) { return fn<mlir::math::TruncOp>(x); }
  Value powf(Value x, Value y) { return mlir::math::PowFOp::create(b, loc, x, y); }
  Value copysign(Value x, Value y) { return mlir::math::CopySignOp::create(b, loc, x, y); }

private:
  Value fits(Value distance) {
    return mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::ult, distance,
                                       cst(type.getIntOrFloatBitWidth()));
  }
  Value inWidth(Value distance) { return select(fits(distance), distance, cst(0)); }
  template <typename OpTy, typename... Args>
  Value make(Args... args) {
    return OpTy::create(b, loc, args...).getResult();
  }
};

} // namespace lowering
} // namespace fxgraph

#endif // FXGRAPH_CONVERSION_FXGRAPHTOLINALG_SCALARMATH_H
