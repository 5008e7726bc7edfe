// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of single elements in arith and math ops, and what each pointwise op of the dialect computes with it, for
// all targets: loops over tensors of the CPU, kernels of the GPU.
//
// A dtype has two faces:
//   * storage: the element type of the tensors. Integers are signless, bool is i8 (an
//     i1 in memory cannot be vectorised), and so are the 8-bit floats (LLVM has none);
//   * compute: the scalar inside a body. Bool is i1, the 8- and 16-bit floats are f32.
// loadElement and storeElement go from one to the other.

#ifndef FXGRAPH_CONVERSION_SCALARS_H
#define FXGRAPH_CONVERSION_SCALARS_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace fxgraph {
namespace lowering {

/// Scalar types that can be computed with; others are refused.
bool isSupportedDtype(Type dtype);
Type getStorageType(Type dtype);
Type getComputeType(Type dtype);
inline bool isUnsigned(Type dtype) { return dtype.isUnsignedInteger() || dtype.isInteger(1); }
inline bool isFloat(Type dtype) { return isa<FloatType>(dtype); }
inline bool isFloat8(Type dtype) { return isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(dtype); }
inline bool isBool(Type dtype) { return dtype.isInteger(1); }

/// `stored` and `computed` may be vectors, but for bools that are loaded.
Value loadElement(OpBuilder &b, Location loc, Value stored, Type dtype);
Value storeElement(OpBuilder &b, Location loc, Value computed, Type dtype);
/// PyTorch's conversion between dtypes, on compute scalars. The result has the
/// compute type of `to`, not yet rounded to a 16-bit `to`.
Value convertScalar(OpBuilder &b, Location loc, Value computed, Type from, Type to);
/// A constant of a compute type, or a vector of them; integers take the truncated number.
Value createScalar(OpBuilder &b, Location loc, Type compute, double value);

/// `scalar`, or a vector of it as `like` is one.
inline Type withShapeOf(Type like, Type scalar) {
  auto vector = dyn_cast_if_present<mlir::VectorType>(like);
  return vector ? mlir::VectorType::get(vector.getShape(), scalar) : scalar;
}

/// Builds scalar ops for one dtype: the right op for floats, signed and unsigned
/// integers. What a target has a form of its own for is virtual.
class Scalars {
public:
  /// On scalars of the compute type of `dtype`, or on vectors of them as `like` is one.
  Scalars(OpBuilder &b, Location loc, Type dtype, Type like = {})
      : b(b), loc(loc), dtype(dtype), type(withShapeOf(like, getComputeType(dtype))) {}
  virtual ~Scalars() = default;

  OpBuilder &b;
  Location loc;
  Type dtype;
  Type type;

  bool isFloatType() const { return isa<FloatType>(mlir::getElementTypeOrSelf(type)); }
  bool isUnsignedType() const { return isUnsigned(dtype); }

  Value cst(double value) { return createScalar(b, loc, type, value); }
  Value truth(bool value) { return createScalar(b, loc, withShapeOf(type, b.getI1Type()), value); }
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
  virtual Value div(Value x, Value y) {
    if (isFloatType())
      return make<mlir::arith::DivFOp>(x, y);
    if (isUnsignedType())
      return make<mlir::arith::DivUIOp>(x, y);
    Value minusOne = cst(-1), isMinusOne = eq(y, minusOne);
    Value quotient = make<mlir::arith::DivSIOp>(x, select(isMinusOne, cst(1), y));
    return select(isMinusOne, sub(cst(0), x), quotient);
  }
  /// The dividend's sign; the divisor is not zero for integers.
  virtual Value rem(Value x, Value y) {
    if (isFloatType())
      return make<mlir::arith::RemFOp>(x, y);
    if (isUnsignedType())
      return make<mlir::arith::RemUIOp>(x, y);
    Value isMinusOne = eq(y, cst(-1));
    return make<mlir::arith::RemSIOp>(x, select(isMinusOne, cst(1), y)); // Anything mod 1 is 0, as it is mod -1.
  }
  /// x y + z. Of floats rounded once.
  Value fma(Value x, Value y, Value z) {
    return isFloatType() ? mlir::math::FmaOp::create(b, loc, x, y, z).getResult() : add(mul(x, y), z);
  }
  Value neg(Value x) { return isFloatType() ? make<mlir::arith::NegFOp>(x) : sub(cst(0), x); }
  /// NaN goes through.
  virtual Value max(Value x, Value y) {
    if (isFloatType())
      return make<mlir::arith::MaximumFOp>(x, y);
    return isUnsignedType() ? make<mlir::arith::MaxUIOp>(x, y) : make<mlir::arith::MaxSIOp>(x, y);
  }
  virtual Value min(Value x, Value y) {
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
    if (isa<FloatType>(mlir::getElementTypeOrSelf(x.getType())))
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
    return make<mlir::arith::ShRSIOp>(x, select(fits(distance), distance, cst(getWidth() - 1)));
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
  /// A sixth of x. PyTorch divides on a CPU and multiplies on a GPU.
  virtual Value sixth(Value x) { return div(x, cst(6)); }
  virtual Value rsqrt(Value x) { return div(cst(1), sqrt(x)); }
  /// The larger one of x and 0; NaN and -0 stay.
  virtual Value relu(Value x) {
    if (!isFloatType())
      return max(x, cst(0));
    return select(lt(x, cst(0)), cst(0), x); // NaN compares false.
  }
  /// numerator / (1 + exp(-x)).
  virtual Value timesSigmoid(Value numerator, Value x) { return div(numerator, add(cst(1), exp(neg(x)))); }
  virtual Value gelu(Value x) { return mul(mul(x, cst(0.5)), add(cst(1), erf(mul(x, cst(0.70710678118654752440))))); }
  /// gelu in the form of tanh.
  virtual Value geluTanh(Value x) {
    Value cube = mul(mul(x, x), x);
    Value inner = mul(cst(0.79788456080286535588), add(x, mul(cst(0.044715), cube)));
    return mul(mul(x, cst(0.5)), add(cst(1), tanh(inner)));
  }
  Value absF(Value x) { return fn<mlir::math::AbsFOp>(x); }
  Value floor(Value x) { return fn<mlir::math::FloorOp>(x); }
  virtual Value trunc(Value x) { return fn<mlir::math::TruncOp>(x); }
  Value powf(Value x, Value y) { return mlir::math::PowFOp::create(b, loc, x, y); }
  Value copysign(Value x, Value y) { return mlir::math::CopySignOp::create(b, loc, x, y); }

  unsigned getWidth() const { return mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth(); }

private:
  Value fits(Value distance) {
    return mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::ult, distance, cst(getWidth()));
  }
  Value inWidth(Value distance) { return select(fits(distance), distance, cst(0)); }
  template <typename OpTy, typename... Args>
  Value make(Args... args) {
    return OpTy::create(b, loc, args...).getResult();
  }
};

/// What a pointwise op computes of single elements, which are all in the compute type of `s`; null where the op is no
/// formula of one to three of them.
Value buildPointwiseFormula(Scalars &s, Operation *op, ValueRange scalars);

} // namespace lowering
} // namespace fxgraph

#endif // FXGRAPH_CONVERSION_SCALARS_H
