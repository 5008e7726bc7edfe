// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementary functions of f32, and the exponential of f64, as straight-line arithmetic, so that LLVM vectorises the
// loops that they are in: calls of libm cost 10 to 50 cycles an element, these one to
// six. Errors are below 2 units in the last place, subnormal results are exact to
// rounding, NaN and infinities come out as libm's. (Upstream's polynomial
// approximations flush subnormals, are off by up to 5 units, and are not vectorised.)
//
// exp, erf and tanh, which models are full of, asin, acos and atan are in f32. All others are in f64: what one of
// them cancels f64 still has, so that no result is off by more than 0.6 units (tan: 1).
//
// The polynomials are least-maximum fits (Lawson's algorithm) to the functions named
// beside them, those in f64 interpolate at Chebyshev's nodes; products may contract into additions.

#include "CPULowering.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <array>
#include <cmath>

using namespace fxgraph;
using namespace mlir;

namespace {
/// 2/pi times 2^(e - 150) for each exponent e of an f32, without multiples of 4, from the bits of 2/pi.
struct TwoOverPi {
  std::array<double, 256> high, low;
  TwoOverPi() {
    // 2/pi = 0.A2F9836E…, enough for the largest exponent and 82 bits behind it.
    static const uint32_t words[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                     0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561};
    auto bitAt = [&](int place) {
      return place >= 0 ? words[place / 32] >> (31 - place % 32) & 1 : 0;
    }; // of 2^(-1 - place)
    for (int exponent = 0; exponent < 255; ++exponent) {
      int shift = std::max(exponent, 1) - 150,
          place = std::max(shift - 2, 0); // Bits in front are multiples of 4, or zeros.
      while (!bitAt(place))
        ++place;
      double parts[2] = {0, 0};
      for (int i = 0; i < 29 + 53; ++i)
        parts[i >= 29] += std::ldexp(bitAt(place + i), shift - 1 - place - i);
      high[exponent] = parts[0];
      low[exponent] = parts[1];
    }
    high[255] = low[255] = NAN; // of infinities and NaN
  }
};

/// (atan(t) - t) / t^3 in t^2, t up to tan(pi / 8)
const double kArcTangent[] = {-0x1.5555554c099a8p-2, 0x1.99997b10270eap-3,  -0x1.248a16707762dp-3,
                              0x1.c57b9120eab27p-4,  -0x1.6143778c10af3p-4, 0x1.9d86ebba846aap-5};

/// Builds arithmetic of f32, and of f64 where the name says so.
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
  Value real(double value) const { return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value)); }
  Value extend(Value x) const { return arith::ExtFOp::create(b, loc, b.getF64Type(), x); }
  Value round(Value x) const { return arith::TruncFOp::create(b, loc, b.getF32Type(), x); }
  Value negate(Value x) const { return arith::NegFOp::create(b, loc, x); }
  Value isEqual(Value x, Value y) const { return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, y); }
  Value choose(Value condition, Value then, Value otherwise) const {
    return arith::SelectOp::create(b, loc, condition, then, otherwise);
  }
  /// Coefficients from that of x^0 on.
  Value polynomial64(Value x, ArrayRef<double> coefficients) const {
    Value sum = real(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = add(mul(sum, x), real(coefficient));
    return sum;
  }
  /// The same of f32.
  Value polynomial(Value x, ArrayRef<float> coefficients) const {
    Value sum = number(coefficients.back());
    for (float coefficient : llvm::reverse(coefficients.drop_back()))
      sum = add(mul(sum, x), number(coefficient));
    return sum;
  }
  Value copySign(Value magnitude, Value sign) const {
    Value of = arith::AndIOp::create(b, loc, bits(sign), integer(INT32_MIN));
    Value rest = arith::AndIOp::create(b, loc, bits(magnitude), integer(INT32_MAX));
    return fromBits(arith::OrIOp::create(b, loc, of, rest));
  }
  Value abs(Value x) const { return math::AbsFOp::create(b, loc, x); }

  struct Power {
    Value rest;   // e^r of e^x = 2^n e^r, |r| <= ln(2) / 2
    Value biased; // an integer whose last 9 bits are n + 127
  };
  /// Of x in [-104, 89] or NaN.
  Power splitPower(Value x) const {
    // The sum's last bits are those of the nearest integer.
    Value magic = number(0x1.8p23f + 127);
    Value shifted = add(mul(x, number(0x1.715476p0f)), magic);
    // Not to be simplified away: no flags.
    Value whole = arith::SubFOp::create(b, loc, shifted, magic);
    // ln(2) in two parts, of which the first has bits to spare (Cody and Waite).
    Value r = sub(x, mul(whole, number(0.693359375f)));
    r = sub(r, mul(whole, number(-2.12194440e-4f)));
    // (e^r - 1 - r) / r^2
    static const float terms[] = {0.5f, 0x1.55548ep-3f, 0x1.55545ep-5f, 0x1.123b52p-7f, 0x1.6db42p-10f};
    return {add(add(mul(mul(r, r), polynomial(r, terms)), r), number(1.0f)), bits(shifted)};
  }
  Value asExponent(Value biased) const { return fromBits(arith::ShLIOp::create(b, loc, biased, integer(23))); }
  /// e^x of x in [-87, 88] or NaN.
  Value boundedExp(Value x) const {
    Power power = splitPower(x);
    return arith::MulFOp::create(b, loc, power.rest, asExponent(power.biased));
  }
  Value exp(Value x) const {
    // From 89 on the result is infinite, up to -104 it is zero. That zero is chosen, not computed: processors take a hundred
    // cycles for a result that underflows, and masked scores of attention are full of -inf.
    Value vanishes = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, number(-104.0f));
    Value bounded = choose(vanishes, number(0.0f), atMost(x, 89.0f));
    Power power = splitPower(bounded);
    // In two steps, as 2^n alone may be out of range.
    Value negative = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, bounded, number(0));
    Value part = asExponent(arith::AddIOp::create(b, loc, power.biased, choose(negative, integer(24), integer(-2))));
    Value rest = choose(negative, number(0x1p-24f), number(4));
    Value scaled = arith::MulFOp::create(b, loc, arith::MulFOp::create(b, loc, power.rest, part), rest);
    return choose(vanishes, number(0.0f), scaled);
  }

  /// The same of f64, to 0.82 units in the last place.
  Value exp64(Value x) const {
    // From 710 on the result is infinite, up to -746 it is zero.
    Value vanishes = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, real(-746));
    Value bounded = choose(vanishes, real(0), select(arith::CmpFPredicate::OGT, x, real(710), real(710), x));
    Value magic = real(0x1.8p52 + 1023), shifted = add(mul(bounded, real(0x1.71547652b82fep+0)), magic);
    Value whole = arith::SubFOp::create(b, loc, shifted, magic);
    // The part of ln(2) that has bits to spare leaves no error; what the other one takes off is added last.
    Value high = sub(bounded, mul(whole, real(0x1.62e42feep-1))), low = mul(whole, real(0x1.a39ef35793c76p-33));
    Value r = sub(high, low);
    // (e^r - 1 - r) / r^2: what the series leaves out is below 2^-57.
    SmallVector<double> terms;
    for (double factorial = 2, i = 2; i <= 13; factorial *= ++i)
      terms.push_back(1 / factorial);
    Value correction = sub(mul(mul(r, r), polynomial64(r, terms)), low);
    Value rest = add(add(high, correction), real(1));
    auto wide = [&](int64_t value) -> Value { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); };
    Value negative = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, bounded, real(0));
    Value biased = arith::BitcastOp::create(b, loc, b.getI64Type(), shifted);
    biased = arith::AddIOp::create(b, loc, biased, choose(negative, wide(54), wide(-2)));
    Value part = arith::BitcastOp::create(b, loc, b.getF64Type(), arith::ShLIOp::create(b, loc, biased, wide(52)));
    Value scaled = arith::MulFOp::create(b, loc, arith::MulFOp::create(b, loc, rest, part),
                                         choose(negative, real(0x1p-54), real(4)));
    return choose(vanishes, real(0), scaled);
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
    Value complement = boundedExp(mul(negate(t), polynomial(t, farTerms)));
    Value far = copySign(sub(number(1.0f), complement), x);
    return select(arith::CmpFPredicate::OLT, magnitude, number(0.92f), near, far);
  }

  Value tanh(Value x) const {
    Value magnitude = abs(x), square = mul(x, x);
    // (tanh(x) - x) / x^3 in x^2
    static const float nearTerms[] = {-0x1.555532p-2f, 0x1.1106d8p-3f, -0x1.b8306p-5f, 0x1.51cebap-6f, -0x1.74331ep-8f};
    Value near = add(mul(mul(magnitude, square), polynomial(square, nearTerms)), magnitude);
    // From 9.02 on it is 1.
    Value bounded = atMost(magnitude, 10.0f);
    Value power = boundedExp(add(bounded, bounded));
    Value quotient = arith::DivFOp::create(b, loc, number(2.0f), add(power, number(1.0f)));
    Value far = sub(number(1.0f), quotient);
    return copySign(select(arith::CmpFPredicate::OLT, magnitude, number(0.625f), near, far), x);
  }

  /// ln(x) of f64 that are finite, normal and above 0: x = 2^n (1 + f), 1 + f from sqrt(1/2) to sqrt(2). With `precise` to
  /// 40 bits, else to 29.
  Value logarithm(Value x, bool precise) const {
    // (ln(1 + f) - f) / f^2
    static const double terms[] = {-0x1.fffffff64af1bp-2, 0x1.55554e429f458p-2,  -0x1.000007577eb75p-2,
                                   0x1.99a12f5b901afp-3,  -0x1.5559e52b658c2p-3, 0x1.237a55ac3e893p-3,
                                   -0x1.fcc1adf4b2462p-4, 0x1.e3d339845a55dp-4,  -0x1.d962f26d64f80p-4,
                                   0x1.15425cbf25e47p-4};
    static const double preciseTerms[] = {-0x1.fffffffff81d5p-2, 0x1.55555554339ecp-2,  -0x1.000000178a8f5p-2,
                                          0x1.99999c2d4cb1dp-3,  -0x1.55553fe895c55p-3, 0x1.24916b079e275p-3,
                                          -0x1.00033300f7ed3p-3, 0x1.c75db87c552bep-4,  -0x1.994a0907132b8p-4,
                                          0x1.6fb7a5b6c5829p-4,  -0x1.53eb193171284p-4, 0x1.61cf68f74f53ep-4,
                                          -0x1.5a57a20775999p-4, 0x1.689041486c0fcp-5};
    Type i64 = b.getI64Type();
    auto wide = [&](int64_t value) -> Value { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); };
    Value whole = arith::BitcastOp::create(b, loc, i64, x);
    Value high = arith::TruncIOp::create(b, loc, b.getI32Type(), arith::ShRUIOp::create(b, loc, whole, wide(32)));
    // The high word of sqrt(1/2).
    Value n = arith::ShRSIOp::create(b, loc, arith::SubIOp::create(b, loc, high, integer(0x3fe6a09e)), integer(20));
    Value scale = arith::ShLIOp::create(b, loc, arith::ExtSIOp::create(b, loc, i64, n), wide(52));
    Value part = arith::BitcastOp::create(b, loc, b.getF64Type(), arith::SubIOp::create(b, loc, whole, scale));
    Value f = sub(part, real(1)), exponent = arith::SIToFPOp::create(b, loc, b.getF64Type(), n);
    Value polynomial = polynomial64(f, precise ? ArrayRef(preciseTerms) : ArrayRef(terms));
    Value fraction = add(mul(mul(f, f), polynomial), f);
    return add(mul(exponent, real(0x1.62e42fefa39efp-1)), fraction);
  }
  /// A logarithm's value in f32 with what it is where it is no number: of 0, of what is below, of infinity.
  Value aroundLogarithm(Value of, Value value) const {
    Value zero = real(0), infinity = real(HUGE_VAL);
    Value result = select(arith::CmpFPredicate::OGT, of, zero, round(value), number(NAN));
    result = choose(isEqual(of, infinity), number(HUGE_VALF), result);
    return choose(isEqual(of, zero), number(-HUGE_VALF), result);
  }
  Value scaledLog(Value x, double factor) const {
    Value of = extend(x), value = logarithm(of, false);
    return aroundLogarithm(of, factor == 1 ? value : mul(value, real(factor)));
  }
  Value log(Value x) const { return scaledLog(x, 1); }
  Value log2(Value x) const { return scaledLog(x, 0x1.71547652b82fep+0); }
  Value log10(Value x) const { return scaledLog(x, 0x1.bcb7b1526e50ep-2); }
  Value log1p(Value x) const {
    // f64 has all bits of 1 + x from 2^-29 on; up to 2^-24 the result is x.
    Value of = add(extend(x), real(1));
    return select(arith::CmpFPredicate::OLT, abs(x), number(0x1p-24f), x, aroundLogarithm(of, logarithm(of, false)));
  }

  /// e^x - 1 = 2^n (e^r - 1) + (2^n - 1) and e^x = 2^n (e^r - 1) + 2^n, |r| <= ln(2) / 2, where r and n are those of the f64
  /// `exponent` in units of ln(2), which is in [-1000, 1000] or NaN.
  Value power64(Value exponent, bool minusOne) const {
    // (e^r - 1 - r) / r^2
    static const double terms[] = {0x1.0000000ba132cp-1, 0x1.5555555a800cdp-3,  0x1.5554e8a22b84cp-5,
                                   0x1.1110e0c5c7f50p-7, 0x1.6d43af18200d3p-10, 0x1.a1256cd2f13c2p-13};
    // The sum's last bits are those of the nearest integer. Not to be simplified away: no flags.
    Value magic = real(0x1.8p52), shifted = arith::AddFOp::create(b, loc, exponent, magic);
    Value whole = arith::SubFOp::create(b, loc, shifted, magic);
    Value r = mul(sub(exponent, whole), real(0x1.62e42fefa39efp-1));
    Value rest = add(mul(mul(r, r), polynomial64(r, terms)), r);
    auto wide = [&](int64_t value) -> Value { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); };
    Value n = arith::AddIOp::create(b, loc, arith::BitcastOp::create(b, loc, b.getI64Type(), shifted), wide(1023));
    Value scale = arith::BitcastOp::create(b, loc, b.getF64Type(), arith::ShLIOp::create(b, loc, n, wide(52)));
    return add(mul(rest, scale), minusOne ? sub(scale, real(1)) : scale);
  }
  Value bound64(Value x, double low, double high) const {
    x = select(arith::CmpFPredicate::OGT, x, real(high), real(high), x);
    return select(arith::CmpFPredicate::OLT, x, real(low), real(low), x);
  }
  Value expm1(Value x) const {
    Value exponent = mul(extend(x), real(0x1.71547652b82fep+0));
    Value result = round(power64(bound64(exponent, -160, 130), true));
    return choose(isEqual(x, number(0)), x, result); // -0
  }
  /// 2^x of an f64, as f32. What underflows to zero is chosen, as in exp.
  Value roundedPower(Value x) const {
    Value vanishes = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, real(-150));
    Value power = round(power64(choose(vanishes, real(0), bound64(x, -160, 130)), false));
    return choose(vanishes, number(0), power);
  }
  Value exp2(Value x) const { return roundedPower(extend(x)); }

  Value pow(Value x, Value y) const {
    using P = arith::CmpFPredicate;
    Value magnitude = abs(x), exponent = extend(y), of = extend(magnitude);
    Value logarithms = mul(logarithm(of, true), real(0x1.71547652b82fep+0));
    logarithms = choose(isEqual(of, real(0)), real(-HUGE_VAL), logarithms);
    logarithms = choose(isEqual(of, real(HUGE_VAL)), real(HUGE_VAL), logarithms);
    Value result = roundedPower(mul(exponent, logarithms));
    result = choose(arith::CmpFOp::create(b, loc, P::UNO, x, x), x, result);
    // 1 to whatever power, -1 to an infinite one.
    Value infinite = isEqual(abs(y), number(HUGE_VALF));
    Value isOne = arith::OrIOp::create(b, loc, isEqual(x, number(1)),
                                       arith::AndIOp::create(b, loc, isEqual(magnitude, number(1)), infinite));
    // Below 0 only integers are exponents, and odd ones keep the sign, of -0 too.
    auto isWhole = [&](Value value) { return isEqual(math::FloorOp::create(b, loc, value), value); };
    Value half = mul(y, number(0.5f)), whole = isWhole(y);
    Value odd = arith::AndIOp::create(b, loc, whole,
                                      arith::CmpFOp::create(b, loc, P::ONE, math::FloorOp::create(b, loc, half), half));
    Value negative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, bits(x), integer(0));
    result = choose(arith::AndIOp::create(b, loc, negative, odd), negate(result), result);
    Value below = arith::AndIOp::create(b, loc, arith::CmpFOp::create(b, loc, P::OLT, x, number(0)),
                                        arith::CmpFOp::create(b, loc, P::OGT, x, number(-HUGE_VALF)));
    Value fractional = arith::CmpFOp::create(b, loc, P::ONE, math::FloorOp::create(b, loc, y), y);
    result = choose(arith::AndIOp::create(b, loc, below, fractional), number(NAN), result);
    return choose(arith::OrIOp::create(b, loc, isOne, isEqual(y, number(0))), number(1), result);
  }

  Value atan(Value x) const {
    // (atan(t) - t) / t^3 in t^2, t up to 1
    static const float terms[] = {-0x1.55553ep-2f, 0x1.9991fep-3f, -0x1.2421b4p-3f, 0x1.c099f6p-4f,  -0x1.583478p-4f,
                                  0x1.dac988p-5f,  -0x1.fed0ap-6f, 0x1.65a584p-7f,  -0x1.d62e5ap-10f};
    Value magnitude = abs(x);
    Value far = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, magnitude, number(1));
    Value t = choose(far, arith::DivFOp::create(b, loc, number(1), magnitude), magnitude), square = mul(t, t);
    Value rest = mul(mul(t, square), polynomial(square, terms));
    // pi / 2 in two parts.
    Value beyond = sub(number(0x1.921fb6p+0f), add(t, add(rest, number(0x1.777a5cp-25f))));
    return copySign(choose(far, beyond, add(rest, t)), x);
  }

  /// asin of t in [0, 1/2], and what is left of it without t.
  Value asinRest(Value t, Value square) const {
    // (asin(t) - t) / t^3 in t^2
    static const float terms[] = {0x1.555554p-3f, 0x1.33343p-4f,  0x1.6d5bbap-5f,
                                  0x1.fd8da2p-6f, 0x1.18f91ep-6f, 0x1.13fed4p-5f};
    return mul(mul(t, square), polynomial(square, terms));
  }
  struct ArcSine {
    Value far;     // beyond 1/2
    Value t, rest; // their sum is asin(sqrt((1 - |x|) / 2)) there and asin(|x|) elsewhere
  };
  /// Beyond 1 it is NaN, as the root is.
  ArcSine arcSine(Value magnitude) const {
    Value far = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, magnitude, number(0.5f));
    Value half = mul(sub(number(1), magnitude), number(0.5f));
    Value t = choose(far, math::SqrtOp::create(b, loc, half), magnitude);
    return {far, t, asinRest(t, choose(far, half, mul(magnitude, magnitude)))};
  }
  /// pi - 2 (t + rest) or pi / 2 - (t + rest), with pi in two parts; the difference from t is exact or nearly so.
  Value fromAngle(float high, float low, Value t, Value rest) const {
    return sub(sub(number(high), t), add(rest, number(low)));
  }
  Value asin(Value x) const {
    auto [far, t, rest] = arcSine(abs(x));
    Value beyond = fromAngle(0x1.921fb6p+0f, 0x1.777a5cp-25f, add(t, t), add(rest, rest));
    return copySign(choose(far, beyond, add(rest, t)), x);
  }
  Value acos(Value x) const {
    auto [far, t, rest] = arcSine(abs(x));
    Value negative = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, number(0));
    Value twice = add(t, t), twiceRest = add(rest, rest);
    Value beyond =
        choose(negative, fromAngle(0x1.921fb6p+1f, 0x1.777a5cp-24f, twice, twiceRest), add(twiceRest, twice));
    Value near = fromAngle(0x1.921fb6p+0f, 0x1.777a5cp-25f, x, copySign(rest, x));
    return choose(far, beyond, near);
  }

  /// The angle of (x, y): that of the smaller by the larger magnitude, mirrored into its octant.
  Value atan2(Value y, Value x) const {
    using P = arith::CmpFPredicate;
    // A quotient by this is 0 in f32, and by itself 1.
    Value infinity = number(HUGE_VALF), large = real(0x1p+900);
    auto finite = [&](Value value) {
      Value magnitude = abs(value);
      return choose(isEqual(magnitude, infinity), large, extend(magnitude));
    };
    Value width = finite(x), height = finite(y);
    Value steep = arith::CmpFOp::create(b, loc, P::OGT, height, width);
    Value low = choose(steep, width, height), high = choose(steep, height, width);
    high = choose(isEqual(high, real(0)), real(1), high);
    Value middle = arith::CmpFOp::create(b, loc, P::OGT, low, mul(high, real(0x1.a827999fcef32p-2))); // tan(pi / 8)
    Value t = arith::DivFOp::create(b, loc, choose(middle, sub(low, high), low), choose(middle, add(low, high), high));
    Value square = mul(t, t);
    Value angle = add(add(mul(mul(t, square), polynomial64(square, kArcTangent)), t),
                      choose(middle, real(0x1.921fb54442d18p-1), real(0)));
    angle = choose(steep, sub(real(0x1.921fb54442d18p+0), angle), angle);
    Value left = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, bits(x), integer(0));
    angle = choose(left, sub(real(0x1.921fb54442d18p+1), angle), angle);
    Value unordered = arith::CmpFOp::create(b, loc, P::UNO, x, y);
    return choose(unordered, number(NAN), copySign(round(angle), y));
  }

  Value sinh(Value x) const {
    // From m = e^|x| - 1, of which small ones keep their bits.
    Value exponent = mul(extend(abs(x)), real(0x1.71547652b82fep+0));
    Value m = power64(bound64(exponent, -160, 130), true);
    Value quotient = arith::DivFOp::create(b, loc, m, add(m, real(1)));
    return copySign(round(mul(add(m, quotient), real(0.5))), x);
  }
  Value cosh(Value x) const {
    Value exponent = mul(extend(abs(x)), real(0x1.71547652b82fep+0));
    Value power = power64(bound64(exponent, -160, 130), false);
    Value quotient = arith::DivFOp::create(b, loc, real(1), power);
    return round(mul(add(power, quotient), real(0.5)));
  }
  /// Up to 2^-12 the result rounds as x; further out f64 has all bits of 1 + x that count.
  Value unlessTiny(Value x, Value magnitude, Value result) const {
    return copySign(select(arith::CmpFPredicate::OLT, magnitude, number(0x1p-12f), magnitude, result), x);
  }
  Value asinh(Value x) const {
    Value magnitude = abs(x), a = extend(magnitude);
    Value of = add(a, math::SqrtOp::create(b, loc, add(mul(a, a), real(1))));
    return unlessTiny(x, magnitude, aroundLogarithm(of, logarithm(of, false)));
  }
  Value acosh(Value x) const {
    Value a = extend(x), above = sub(a, real(1));
    // Below 1 the root is NaN but for x below -1.
    Value root = math::SqrtOp::create(b, loc, mul(above, add(a, real(1))));
    Value of = add(a, root), result = aroundLogarithm(of, logarithm(of, false));
    return select(arith::CmpFPredicate::OGE, x, number(1), result, number(NAN));
  }
  Value atanh(Value x) const {
    Value magnitude = abs(x), a = extend(magnitude);
    Value of = arith::DivFOp::create(b, loc, add(real(1), a), sub(real(1), a));
    return unlessTiny(x, magnitude, aroundLogarithm(of, mul(logarithm(of, false), real(0.5))));
  }

  Value erfc(Value x) const {
    // e^(t^2) erfc(t) in (t - 3) / (t + 3), t up to 10.1
    static const double terms[] = {0x1.6e9827d1ed3f2p-3,  -0x1.4e102b9effe3bp-2, 0x1.f6ff20682a562p-3,
                                   -0x1.336ffb1ed5a7ep-3, 0x1.258b0c201a611p-4,  -0x1.8fa5f843ba103p-6,
                                   0x1.17cc1f10b0c6cp-8,  0x1.7372086ea100cp-11, -0x1.39672ecfdffc5p-11,
                                   0x1.6573c5f75f22dp-15, 0x1.0de531872b51bp-14, -0x1.209372c33d390p-17,
                                   -0x1.a7946b1a86702p-18};
    Value magnitude = abs(x), t = extend(atMost(magnitude, 10.1f));
    Value place = arith::DivFOp::create(b, loc, sub(t, real(3)), add(t, real(3)));
    Value power = power64(mul(mul(t, t), real(-0x1.71547652b82fep+0)), false);
    Value value = mul(power, polynomial64(place, terms));
    // What is below half of the smallest f32 is chosen, as in exp.
    Value vanishes = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, magnitude, number(10.06f));
    Value negative = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, number(0));
    value = choose(vanishes, real(0), value);
    return round(choose(negative, sub(real(2), value), value));
  }

  /// What truncated division leaves, which is a number of f32. A step takes the quotient's first 50 bits off: its product
  /// with y and the difference are exact, of some 24 bits below. The last may be off by one.
  Value remainder(Value x, Value y) const {
    using P = arith::CmpFPredicate;
    Value divisor = extend(abs(y)), rest = extend(abs(x)), infinity = real(HUGE_VAL);
    Value inverse = arith::DivFOp::create(b, loc, real(1), divisor);
    // Quotients have up to 277 bits.
    for (int step = 0; step < 6; ++step) {
      Value whole = math::TruncOp::create(b, loc, arith::MulFOp::create(b, loc, rest, inverse));
      rest = math::FmaOp::create(b, loc, negate(whole), divisor, rest);
    }
    Value zero = real(0);
    Value more = arith::AddFOp::create(b, loc, rest, divisor), less = arith::SubFOp::create(b, loc, rest, divisor);
    rest = select(P::OGE, rest, divisor, less, select(P::OLT, rest, zero, more, rest));
    // 0 times infinity is NaN in each step; infinity by infinity is.
    Value whole = arith::AddFOp::create(b, loc, x, arith::SubFOp::create(b, loc, x, x));
    return copySign(choose(isEqual(divisor, infinity), whole, round(rest)), x);
  }

  struct Quadrant {
    Value sin, cos; // of the rest, in f64
    Value number;   // of half pis, its last bits
  };
  /// |x| = (number + rest) pi / 2, |rest| <= 1/2. 2/pi times the power of two of x comes from a table, without multiples of
  /// 4 and in two parts of which the first has 29 bits: times the 24 of x it is exact.
  Quadrant reduce(Value x) const {
    Value magnitude = arith::AndIOp::create(b, loc, bits(x), integer(INT32_MAX));
    Value exponent = arith::ShRUIOp::create(b, loc, magnitude, integer(23));
    Value isSmall = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, exponent, integer(0));
    Value leading = arith::SelectOp::create(b, loc, isSmall, integer(0), integer(1 << 23));
    Value digits =
        arith::OrIOp::create(b, loc, arith::AndIOp::create(b, loc, magnitude, integer((1 << 23) - 1)), leading);
    Value significand = arith::SIToFPOp::create(b, loc, b.getF64Type(), digits);
    static const TwoOverPi table;
    auto load = [&](StringRef name, ArrayRef<double> from) -> Value {
      auto pointer = LLVM::LLVMPointerType::get(b.getContext());
      Value address = LLVM::AddressOfOp::create(b, loc, pointer, getTable(name, from));
      Value place = arith::ExtUIOp::create(b, loc, b.getI64Type(), exponent);
      Value element = LLVM::GEPOp::create(b, loc, pointer, b.getF64Type(), address, ArrayRef<LLVM::GEPArg>{place});
      return LLVM::LoadOp::create(b, loc, b.getF64Type(), element);
    };
    Value product = arith::MulFOp::create(b, loc, significand, load("fx_two_over_pi_high", table.high));
    Value magic = real(0x1.8p52), shifted = arith::AddFOp::create(b, loc, product, magic);
    Value rest = arith::SubFOp::create(b, loc, product, arith::SubFOp::create(b, loc, shifted, magic));
    rest = add(mul(significand, load("fx_two_over_pi_low", table.low)), rest);
    Value angle = mul(rest, real(0x1.921fb54442d18p+0)), square = mul(angle, angle);
    // (sin(r) - r) / r^3 and (cos(r) - 1) / r^2 in r^2
    static const double sines[] = {-0x1.555555545dd83p-3, 0x1.11110deeb33b2p-7, -0x1.a013a6edc8f34p-13,
                                   0x1.6dbdd26f56d2dp-19};
    static const double cosines[] = {-0x1.fffffffab0c4cp-2, 0x1.55554cb9f2c65p-5, -0x1.6c0e079b9e8ccp-10,
                                     0x1.9a6ee1e0c89e9p-16};
    Value low = arith::BitcastOp::create(b, loc, b.getI64Type(), shifted);
    return {add(mul(mul(angle, square), polynomial64(square, sines)), angle),
            add(mul(square, polynomial64(square, cosines)), real(1)),
            arith::TruncIOp::create(b, loc, b.getI32Type(), low)};
  }
  Value hasBit(Value number, int32_t bit) const {
    Value kept = arith::AndIOp::create(b, loc, number, integer(bit));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, kept, integer(0));
  }
  Value inQuadrant(const Quadrant &parts, Value quadrant) const {
    Value value = round(choose(hasBit(quadrant, 1), parts.cos, parts.sin));
    return choose(hasBit(quadrant, 2), negate(value), value);
  }
  Value sin(Value x) const {
    Quadrant parts = reduce(x);
    Value value = inQuadrant(parts, parts.number), sign = arith::AndIOp::create(b, loc, bits(x), integer(INT32_MIN));
    return fromBits(arith::XOrIOp::create(b, loc, bits(value), sign));
  }
  Value cos(Value x) const {
    Quadrant parts = reduce(x);
    return inQuadrant(parts, arith::AddIOp::create(b, loc, parts.number, integer(1)));
  }
  Value tan(Value x) const {
    Quadrant parts = reduce(x);
    Value odd = hasBit(parts.number, 1);
    Value above = choose(odd, negate(parts.cos), parts.sin), below = choose(odd, parts.sin, parts.cos);
    Value value = round(arith::DivFOp::create(b, loc, above, below));
    Value sign = arith::AndIOp::create(b, loc, bits(x), integer(INT32_MIN));
    return fromBits(arith::XOrIOp::create(b, loc, bits(value), sign));
  }
  /// The symbol of a table, made where the module has none yet.
  StringRef getTable(StringRef name, ArrayRef<double> table) const {
    auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
    if (!module.lookupSymbol(name)) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(module.getBody());
      auto type = RankedTensorType::get(table.size(), b.getF64Type());
      LLVM::GlobalOp::create(b, module.getLoc(), LLVM::LLVMArrayType::get(b.getF64Type(), table.size()),
                             /*isConstant=*/true, LLVM::Linkage::Internal, name, DenseElementsAttr::get(type, table));
    }
    return name;
  }
};

/// `wide`: of f64, else of f32.
template <typename OpTy, Value (Formula::*build)(Value) const, bool wide = false>
struct ExpandElementary : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (wide ? !op.getType().isF64() : !op.getType().isF32())
      return rewriter.notifyMatchFailure(op, wide ? "expected f64" : "expected f32");
    rewriter.replaceOp(op, (Formula{rewriter, op.getLoc()}.*build)(op.getOperand()));
    return success();
  }
};

template <typename OpTy, Value (Formula::*build)(Value, Value) const>
struct ExpandBinary : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "expected f32");
    rewriter.replaceOp(op, (Formula{rewriter, op.getLoc()}.*build)(op->getOperand(0), op->getOperand(1)));
    return success();
  }
};
} // namespace

void cpu::populateElementaryFunctionPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandElementary<math::ExpOp, &Formula::exp>, ExpandElementary<math::ErfOp, &Formula::erf>,
               ExpandElementary<math::ExpOp, &Formula::exp64, true>, ExpandElementary<math::TanhOp, &Formula::tanh>,
               ExpandElementary<math::LogOp, &Formula::log>, ExpandElementary<math::Log2Op, &Formula::log2>,
               ExpandElementary<math::Log10Op, &Formula::log10>, ExpandElementary<math::Log1pOp, &Formula::log1p>,
               ExpandElementary<math::ExpM1Op, &Formula::expm1>, ExpandElementary<math::Exp2Op, &Formula::exp2>,
               ExpandElementary<math::AtanOp, &Formula::atan>, ExpandElementary<math::SinOp, &Formula::sin>,
               ExpandElementary<math::CosOp, &Formula::cos>, ExpandElementary<math::TanOp, &Formula::tan>,
               ExpandElementary<math::AsinOp, &Formula::asin>, ExpandElementary<math::AcosOp, &Formula::acos>,
               ExpandElementary<math::SinhOp, &Formula::sinh>, ExpandElementary<math::CoshOp, &Formula::cosh>,
               ExpandElementary<math::AsinhOp, &Formula::asinh>, ExpandElementary<math::AcoshOp, &Formula::acosh>,
               ExpandElementary<math::AtanhOp, &Formula::atanh>, ExpandElementary<math::ErfcOp, &Formula::erfc>,
               ExpandBinary<math::PowFOp, &Formula::pow>, ExpandBinary<math::Atan2Op, &Formula::atan2>,
               ExpandBinary<arith::RemFOp, &Formula::remainder>>(patterns.getContext());
}
