// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp, erf and tanh of f32 as straight-line arithmetic, so that LLVM vectorises the
// loops that they are in: calls of libm cost 10 to 25 cycles an element, these one to
// three. Errors are below 2 units in the last place, subnormal results are exact to
// rounding, NaN and infinities come out as libm's. (Upstream's polynomial
// approximations flush subnormals, are off by up to 5 units, and are not vectorised.)
//
// The polynomials are least-maximum fits (Lawson's algorithm) to the functions named
// beside them; products may contract into additions.

#include "CPULowering.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace fxgraph;
using namespace mlir;

namespace {
/// Builds f32 arithmetic.
struct Formula {
  OpBuilder &b;
  Location loc;

  Value number(float value) const { return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value)); }
  Value integer(int32_t value) const { return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value)); }
  Value add(Value x, Value y) const { return arith::AddFOp::create(b, loc, x, y, arith::FastMathFlags::contract); }
  Value sub(Value x, Value y) const { return arith::SubFOp::create(b, loc, x, y, arith::FastMathFlags::contract); }
  Value mul(Value x, Value y) const { return arith::MulFOp::create(b, loc, x, y, arith::FastMathFlags::contract); }
  Value bits(Value x) const { return arith::BitcastOp::create(b, loc, b.getI32Type(), x); }
  Value fromBits(Value x) const { return arith::BitcastOp::create(b, loc, b.getF32Type(), x); }
  Value select(arith::CmpFPredicate predicate, Value x, Value y, Value then, Value otherwise) const {
    Value condition = arith::CmpFOp::create(b, loc, predicate, x, y);
    return arith::SelectOp::create(b, loc, condition, then, otherwise);
  }
  /// x, or the bound that it is beyond; NaN stays.
  Value atMost(Value x, float bound) const {
    Value limit = number(bound);
    return select(arith::CmpFPredicate::OGT, x, limit, limit, x);
  }
  Value atLeast(Value x, float bound) const {
    Value limit = number(bound);
    return select(arith::CmpFPredicate::OLT, x, limit, limit, x);
  }
  /// Coefficients from that of x^0 on.
  Value polynomial(Value x, ArrayRef<float> coefficients) const {
    Value sum = number(coefficients.back());
    for (float coefficient : llvm::reverse(coefficients.drop_back()))
      sum = add(mul(sum, x), number(coefficient));
    return sum;
  }
  /// 2^n for n in [-126, 127].
  Value powerOfTwo(Value n) const {
    Value biased = arith::AddIOp::create(b, loc, n, integer(127));
    return fromBits(arith::ShLIOp::create(b, loc, biased, integer(23)));
  }
  Value copySign(Value magnitude, Value sign) const {
    Value of = arith::AndIOp::create(b, loc, bits(sign), integer(INT32_MIN));
    Value rest = arith::AndIOp::create(b, loc, bits(magnitude), integer(INT32_MAX));
    return fromBits(arith::OrIOp::create(b, loc, of, rest));
  }
  Value abs(Value x) const { return math::AbsFOp::create(b, loc, x); }

  /// e^x = 2^n e^r, |r| <= ln(2) / 2.
  Value exp(Value x) const {
    // From 89 on the result is infinite, up to -104 it is zero.
    Value bounded = atLeast(atMost(x, 89.0f), -104.0f);
    // The sum's last bits are those of the nearest integer.
    Value magic = number(0x1.8p23f);
    Value shifted = add(mul(bounded, number(0x1.715476p0f)), magic);
    // Not to be simplified away: no flags.
    Value whole = arith::SubFOp::create(b, loc, shifted, magic);
    Value n = arith::SubIOp::create(b, loc, bits(shifted), bits(magic));
    // ln(2) in two parts, of which the first has bits to spare (Cody and Waite).
    Value r = sub(bounded, mul(whole, number(0.693359375f)));
    r = sub(r, mul(whole, number(-2.12194440e-4f)));
    // (e^r - 1 - r) / r^2
    static const float terms[] = {0.5f, 0x1.55548ep-3f, 0x1.55545ep-5f, 0x1.123b52p-7f, 0x1.6db42p-10f};
    Value result = add(add(mul(mul(r, r), polynomial(r, terms)), r), number(1.0f));
    // In two steps, as 2^n alone may be out of range.
    Value half = arith::ShRSIOp::create(b, loc, n, integer(1));
    Value rest = arith::SubIOp::create(b, loc, n, half);
    return arith::MulFOp::create(b, loc, arith::MulFOp::create(b, loc, result, powerOfTwo(half)), powerOfTwo(rest));
  }

  Value erf(Value x) const {
    Value magnitude = abs(x), square = mul(x, x);
    // (erf(x) - x) / x in x^2
    static const float nearTerms[] = {0x1.06eba6p-3f, -0x1.8126e6p-2f, 0x1.ce1a48p-4f,
                                      -0x1.b687p-6f,  0x1.47171ap-8f,  -0x1.395dbp-11f};
    Value near = add(mul(x, polynomial(square, nearTerms)), x);
    // erf(t) = 1 - e^(-t p(t)); from 4 on it is 1.
    static const float farTerms[] = {0x1.20e648p+0f,  0x1.457d2ep-1f, 0x1.af2326p-4f,
                                     -0x1.76fbe4p-6f, 0x1.a5436ep-9f, -0x1.c07c8cp-13f};
    Value t = atMost(magnitude, 4.0f);
    Value complement = exp(arith::NegFOp::create(b, loc, mul(t, polynomial(t, farTerms))));
    Value far = copySign(sub(number(1.0f), complement), x);
    return select(arith::CmpFPredicate::OLT, magnitude, number(0.92f), near, far);
  }

  Value tanh(Value x) const {
    Value magnitude = abs(x), square = mul(x, x);
    // (tanh(x) - x) / x^3 in x^2
    static const float nearTerms[] = {-0x1.555532p-2f, 0x1.1106d8p-3f, -0x1.b8306p-5f, 0x1.51cebap-6f, -0x1.74331ep-8f};
    // -0 + 0 would be 0.
    Value near = copySign(add(mul(mul(x, square), polynomial(square, nearTerms)), x), x);
    Value power = exp(add(magnitude, magnitude));
    Value quotient = arith::DivFOp::create(b, loc, number(2.0f), add(power, number(1.0f)));
    Value far = copySign(sub(number(1.0f), quotient), x);
    return select(arith::CmpFPredicate::OLT, magnitude, number(0.625f), near, far);
  }
};

template <typename OpTy, Value (Formula::*build)(Value) const>
struct ExpandElementary : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "expected f32");
    rewriter.replaceOp(op, (Formula{rewriter, op.getLoc()}.*build)(op.getOperand()));
    return success();
  }
};
} // namespace

void cpu::populateElementaryFunctionPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandElementary<math::ExpOp, &Formula::exp>, ExpandElementary<math::ErfOp, &Formula::erf>,
               ExpandElementary<math::TanhOp, &Formula::tanh>>(patterns.getContext());
}
