// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Prepare/RandomDraws.h"
#include "fxgraph/Dialect/IR/Numbers.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "llvm/ADT/TypeSwitch.h"
#include <array>

using namespace fxgraph;
using namespace fxgraph::gpu;

namespace {

/// The numbers of one draw. Words are i64 tensors of [0, 2^32).
class Draw {
public:
  /// `seed`: an i64 scalar, `type`: of the result.
  Draw(OpBuilder &b, Location loc, Value seed, RankedTensorType type);

  /// On [0, 1), in the precision of the element type.
  Value uniform(Type elementType);
  Value normal(Type elementType);
  Value exponential(Type elementType, double rate);
  /// Integers of [low, high).
  Value integers(int64_t low, int64_t high);
  /// On [0, 1) in f32.
  Value uniform() { return toUniform(words[0]); }

private:
  using Words = std::array<Value, 4>;
  Value number(int64_t value) { return createNumber(b, loc, value); }
  Value number(double value) { return createNumber(b, loc, value); }
  Value bitAnd(Value x, int64_t mask) { return BitwiseAndOp::create(b, loc, x, number(mask)); }
  Value bitXor(Value x, Value y) { return BitwiseXorOp::create(b, loc, x, y); }
  Value shiftRight(Value x, int64_t bits) { return BitwiseRightShiftOp::create(b, loc, x, number(bits)); }
  Value add(Value x, Value y) { return AddOp::create(b, loc, x, y, b.getF64FloatAttr(1.0)); }
  Value sub(Value x, Value y) { return SubOp::create(b, loc, x, y, b.getF64FloatAttr(1.0)); }
  Value mul(Value x, Value y) { return MulOp::create(b, loc, x, y); }
  Value cast(Value x, Type elementType) { return createCast(b, loc, x, elementType); }
  /// The numbers below as unsigned ones of 64 bits.
  Value isBelow(Value x, Value y);
  Value remainder(Value x, uint64_t size);

  Words permute(Words counter, Value seed);
  /// A word as Triton's uint_to_uniform_float has it: 31 bits, mirrored.
  Value toUniform(Value word);
  /// 53 bits of two words.
  Value toUniform(Value high, Value low);

  OpBuilder &b;
  Location loc;
  Words words;
};

} // namespace

static constexpr int64_t kWordMask = 0xffffffff;

Draw::Draw(OpBuilder &b, Location loc, Value seed, RankedTensorType type) : b(b), loc(loc) {
  int64_t count = type.getNumElements();
  Value place = ArangeOp::create(b, loc, makeTensorType({Dim(count)}, b.getI64Type(), getDevice(type)), Value(),
                                 b.getF64FloatAttr(0.0), b.getF64FloatAttr(1.0));
  place = ReshapeOp::create(b, loc, place, type.getShape());
  Value zero = number(int64_t(0));
  words = permute({bitAnd(place, kWordMask), count > kWordMask ? shiftRight(place, 32) : zero, zero, zero}, seed);
}

/// Ten rounds. A product of two words fits 64 bits, whose sign does not matter.
Draw::Words Draw::permute(Words c, Value seed) {
  Value keys[2] = {bitAnd(seed, kWordMask), bitAnd(shiftRight(seed, 32), kWordMask)};
  for (int round = 0; round < 10; ++round) {
    Value first = mul(c[0], number(int64_t(0xD2511F53))), second = mul(c[2], number(int64_t(0xCD9E8D57)));
    auto high = [&](Value product) { return bitAnd(shiftRight(product, 32), kWordMask); };
    c = {bitXor(bitXor(high(second), c[1]), keys[0]), bitAnd(second, kWordMask),
         bitXor(bitXor(high(first), c[3]), keys[1]), bitAnd(first, kWordMask)};
    keys[0] = bitAnd(add(keys[0], number(int64_t(0x9E3779B9))), kWordMask);
    keys[1] = bitAnd(add(keys[1], number(int64_t(0xBB67AE85))), kWordMask);
  }
  return c;
}

Value Draw::toUniform(Value word) {
  Value isUpper = GeOp::create(b, loc, word, number(int64_t(1) << 31));
  Value mirrored = WhereOp::create(b, loc, isUpper, sub(number(kWordMask), word), word);
  // The largest f32 whose product with 2^31 is below 1.
  return mul(cast(mirrored, b.getF32Type()), number(4.6566127342e-10));
}

Value Draw::toUniform(Value high, Value low) {
  Value bits = add(mul(shiftRight(high, 5), number(int64_t(1) << 26)), shiftRight(low, 6));
  return mul(cast(bits, b.getF64Type()), number(0x1p-53));
}

Value Draw::uniform(Type elementType) {
  auto type = ::mlir::cast<FloatType>(elementType);
  if (type.isF64())
    return toUniform(words[0], words[1]);
  if (type.isF32())
    return uniform();
  // As many bits as an element has: more would round to 1.
  int bits = type.getFPMantissaWidth();
  Value drawn = mul(cast(shiftRight(words[0], 32 - bits), b.getF32Type()), number(std::ldexp(1.0, -bits)));
  return cast(drawn, type);
}

/// Box and Muller.
Value Draw::normal(Type elementType) {
  bool isWide = elementType.isF64();
  Value radius = isWide ? toUniform(words[0], words[1]) : toUniform(words[0]);
  Value angle = isWide ? toUniform(words[2], words[3]) : toUniform(words[1]);
  // Not 0, whose logarithm is infinite.
  radius = ClampOp::create(b, loc, radius, b.getF64FloatAttr(isWide ? 0x1p-54 : 1e-7), FloatAttr());
  radius = SqrtOp::create(b, loc, mul(LogOp::create(b, loc, radius), number(-2.0)));
  angle = CosOp::create(b, loc, mul(angle, number(6.283185307179586)));
  return cast(mul(radius, angle), elementType);
}

Value Draw::exponential(Type elementType, double rate) {
  bool isWide = elementType.isF64();
  Value drawn = isWide ? toUniform(words[0], words[1]) : uniform();
  drawn = NegOp::create(b, loc, Log1pOp::create(b, loc, NegOp::create(b, loc, drawn)));
  // Never 0: half of a step, as PyTorch has it.
  drawn = ClampOp::create(b, loc, drawn, b.getF64FloatAttr(isWide ? 0x1p-53 : 0x1p-24), FloatAttr());
  return cast(mul(drawn, number(1.0 / rate)), elementType);
}

Value Draw::isBelow(Value x, Value y) {
  Value lowest = number(std::numeric_limits<int64_t>::min());
  return LtOp::create(b, loc, bitXor(x, lowest), bitXor(y, lowest));
}

/// Of an unsigned number. Up to 2^62 by halves, so that signed division does it; above, a
/// few subtractions.
Value Draw::remainder(Value x, uint64_t size) {
  if (size == 0) // 2^64
    return x;
  Value divisor = number(static_cast<int64_t>(size));
  if (size <= uint64_t(1) << 62) {
    Value half = bitAnd(shiftRight(x, 1), std::numeric_limits<int64_t>::max());
    half = RemainderOp::create(b, loc, half, divisor);
    return RemainderOp::create(b, loc, add(mul(half, number(int64_t(2))), bitAnd(x, 1)), divisor);
  }
  for (int i = 0; i < 3; ++i)
    x = WhereOp::create(b, loc, isBelow(x, divisor), x, sub(x, divisor));
  return x;
}

Value Draw::integers(int64_t low, int64_t high) {
  Value drawn = add(words[0], mul(words[1], number(int64_t(1) << 32)));
  return add(remainder(drawn, static_cast<uint64_t>(high) - static_cast<uint64_t>(low)), number(low));
}

int64_t RandomDraws::takeSeed() {
  uint64_t z = seed + ++numSeeds * 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return static_cast<int64_t>((z ^ (z >> 31)) >> 1);
}

Value RandomDraws::expand(OpBuilder &b, Operation *op) {
  if (!drawsRandomNumbers(op) || op->getNumResults() != 1 || op->getNumRegions() != 0)
    return {};
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Type element = type.getElementType();
  auto floatType = dyn_cast<FloatType>(element);
  if (floatType && floatType.getWidth() < 16)
    return {};
  auto makeSeed = [&] { return createNumber(b, loc, takeSeed()); };
  auto makeDraw = [&] { return Draw(b, loc, makeSeed(), type); };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](RandOp) { return makeDraw().uniform(element); })
      .Case([&](RandnOp) { return makeDraw().normal(element); })
      .Case([&](ExponentialOp op) { return makeDraw().exponential(element, op.getRate().convertToDouble()); })
      .Case([&](BernoulliOp op) -> Value {
        return LtOp::create(b, loc, makeDraw().uniform(), createNumber(b, loc, op.getP().convertToDouble()));
      })
      .Case([&](RandintOp op) {
        return makeDraw().integers(static_cast<int64_t>(op.getLow()), static_cast<int64_t>(op.getHigh()));
      })
      .Case([&](RandpermOp) -> Value {
        Value keys = makeDraw().integers(0, std::numeric_limits<int64_t>::max());
        return SortOp::create(b, loc, keys, b.getI64IntegerAttr(0), b.getBoolAttr(false)).getIndices();
      })
      .Case([&](DropoutOp op) -> Value {
        double p = op.getP().convertToDouble();
        if (!floatType || !(p > 0.0 && p <= 1.0))
          return {};
        // An element that is dropped is times 0: NaN and infinity become NaN.
        Value keeps = LtOp::create(b, loc, makeDraw().uniform(), createNumber(b, loc, 1.0 - p));
        Value noise = createCast(b, loc, keeps, element);
        if (p < 1.0)
          noise = MulOp::create(b, loc, noise, createNumber(b, loc, getDropoutScale(p, floatType)));
        return MulOp::create(b, loc, op.getInput(), noise);
      })
      .Case([&](InductorSeedOp) -> Value { return makeSeed(); })
      .Case([&](InductorSeedsOp) -> Value {
        SmallVector<int64_t> seeds(type.getNumElements());
        std::generate(seeds.begin(), seeds.end(), [&] { return takeSeed(); });
        return ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(seeds)));
      })
      .Case([&](InductorRandomOp op) {
        Draw draw(b, loc, op.getSeed(), type);
        return op.getMode() == "rand" ? draw.uniform(element) : draw.normal(element);
      })
      .Case([&](InductorRandintOp op) {
        Draw draw(b, loc, op.getSeed(), type);
        return createCast(b, loc, draw.integers(static_cast<int64_t>(op.getLow()), static_cast<int64_t>(op.getHigh())),
                          element);
      })
      .Default([](Operation *) { return Value(); });
}
