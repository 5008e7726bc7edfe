// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Reference/Tensor.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace fxgraph;

namespace {
class TensorTest : public ::testing::Test {
protected:
  Type type(StringRef text) { return mlir::parseType(text, &context); }
  Tensor literal(StringRef text) {
    auto attribute = cast<ElementsAttr>(mlir::parseAttribute(text, &context));
    return Tensor::fromElements(attribute);
  }
  MLIRContext context;
};
} // namespace

/// APFloat is an independent implementation of the same rounding.
static double roundByAPFloat(FloatType type, double value) {
  APFloat number(value);
  bool loses;
  number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &loses);
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}

TEST_F(TensorTest, RoundingAgreesWithAPFloat) {
  for (StringRef name : {"bf16", "f16", "f32"}) {
    auto real = cast<FloatType>(type(name));
    uint64_t state = 1;
    for (int i = 0; i < 20000; ++i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      double value =
          std::ldexp(static_cast<double>(static_cast<int64_t>(state)), static_cast<int>(state >> 40 & 255) - 190);
      EXPECT_EQ(roundToType(real, value), roundByAPFloat(real, value)) << name.str() << " " << value;
    }
  }
}

TEST_F(TensorTest, RoundingAtTheEdges) {
  double infinity = std::numeric_limits<double>::infinity();
  // 65520 is the middle between f16's largest number and the next power of two.
  EXPECT_EQ(roundToType(type("f16"), 65519.0), 65504.0);
  EXPECT_EQ(roundToType(type("f16"), 65520.0), infinity);
  EXPECT_EQ(roundToType(type("f16"), -65520.0), -infinity);
  // Half of the smallest subnormal goes to the even zero, more than half does not.
  EXPECT_EQ(roundToType(type("f16"), 0x1p-25), 0.0);
  EXPECT_EQ(roundToType(type("f16"), 0x1.8p-25), 0x1p-24);
  EXPECT_TRUE(std::signbit(roundToType(type("bf16"), -0.0)));
  EXPECT_TRUE(std::isnan(roundToType(type("bf16"), std::nan(""))));
  // Ties to even in bf16: 1 + 1/256 lies between 1 and 1 + 1/128.
  EXPECT_EQ(roundToType(type("bf16"), 1.0 + 1.0 / 256), 1.0);
  EXPECT_EQ(roundToType(type("bf16"), 1.0 + 3.0 / 256), 1.0 + 4.0 / 256);
  // f8E4M3FN has no infinity: its largest number stands for what is beyond, as in PyTorch.
  EXPECT_EQ(roundToType(type("f8E4M3FN"), 448.0), 448.0);
  EXPECT_EQ(roundToType(type("f8E4M3FN"), 1e6), 448.0);
  EXPECT_EQ(roundToType(type("f8E4M3FN"), -infinity), -448.0);
  EXPECT_TRUE(std::isnan(roundToType(type("f8E4M3FN"), std::nan(""))));
  EXPECT_EQ(roundToType(type("f8E5M2"), 1e6), infinity);
}

TEST_F(TensorTest, RoundingTwice) {
  // Above the middle in double, at the middle in f32: the detour rounds down.
  double value = 1.0 + 1.0 / 256 + 0x1p-40;
  EXPECT_EQ(roundToType(type("bf16"), value), 1.0 + 1.0 / 128);
  EXPECT_EQ(roundViaF32(type("bf16"), value), 1.0);
}

TEST_F(TensorTest, Wrapping) {
  EXPECT_EQ(wrapToType(type("i8"), 200), -56);
  EXPECT_EQ(wrapToType(type("ui8"), -5), 251);
  EXPECT_EQ(wrapToType(type("ui8"), 256), 0);
  EXPECT_EQ(wrapToType(type("i1"), 3), 1);
  EXPECT_EQ(wrapToType(type("i32"), int64_t(1) << 31), -(int64_t(1) << 31));
  EXPECT_EQ(wrapToType(type("i64"), std::numeric_limits<int64_t>::min()), std::numeric_limits<int64_t>::min());
}

TEST_F(TensorTest, FloatToInt) {
  EXPECT_EQ(floatToInt(type("i32"), -2.9), -2);
  EXPECT_EQ(floatToInt(type("i1"), 0.25), 1);
  EXPECT_EQ(floatToInt(type("i1"), std::nan("")), 1);
  EXPECT_EQ(floatToInt(type("i1"), -0.0), 0);
  EXPECT_EQ(floatToInt(type("i64"), 1e30), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(floatToInt(type("i64"), std::nan("")), std::numeric_limits<int64_t>::min());
}

TEST_F(TensorTest, IntToFloatRoundsOnce) {
  // Through double this would first lose the last bit and then round down.
  int64_t value = (int64_t(1) << 60) + (int64_t(1) << 36) + 1;
  EXPECT_EQ(intToFloat(type("f32"), value), static_cast<double>(static_cast<float>(value)));
  EXPECT_NE(intToFloat(type("f32"), value), static_cast<double>(static_cast<float>(static_cast<double>(value))));
}

TEST_F(TensorTest, CopiesShareUntilWritten) {
  Tensor a(type("f32"), {2, 2});
  Tensor b = a;
  EXPECT_EQ(a.floats().data(), b.floats().data());
  b.mutableFloats()[0] = 1.0;
  EXPECT_EQ(a.floats()[0], 0.0);
  EXPECT_EQ(b.floats()[0], 1.0);
  Tensor c = b.withShape({4});
  EXPECT_EQ(c.getRank(), 1);
  EXPECT_EQ(b.getRank(), 2);
}

TEST_F(TensorTest, BytesRoundTrip) {
  for (StringRef name : {"i1", "i8", "ui8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2"}) {
    Tensor tensor(type(name), {3});
    for (int i = 0; i < 3; ++i)
      tensor.setFromDouble(i, i == 0 ? 1.0 : i == 1 ? 0.0 : name == "i1" ? 1.0 : 5.0);
    std::vector<char> bytes(tensor.getByteSize());
    tensor.toBytes(bytes);
    Tensor back = Tensor::fromBytes(type(name), {3}, bytes);
    ASSERT_FALSE(back.isNull());
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(back.getAsDouble(i), tensor.getAsDouble(i)) << name.str();
    bytes.pop_back();
    EXPECT_TRUE(Tensor::fromBytes(type(name), {3}, bytes).isNull());
  }
}

TEST_F(TensorTest, Literals) {
  Tensor floats = literal("dense<[[1.0, -0.0], [0x7FC0, 2.5]]> : tensor<2x2xbf16>");
  EXPECT_EQ(floats.floats()[0], 1.0);
  EXPECT_TRUE(std::signbit(floats.floats()[1]));
  EXPECT_TRUE(std::isnan(floats.floats()[2]));
  Tensor splat = literal("dense<7> : tensor<3xi8>");
  EXPECT_EQ(splat.ints()[2], 7);
  Tensor bytes = literal("dense<[255, 0]> : tensor<2xui8>");
  EXPECT_EQ(bytes.ints()[0], 255);
  Tensor bools = literal("dense<[true, false]> : tensor<2xi1>");
  EXPECT_EQ(bools.ints()[0], 1);
  Tensor empty = literal("dense<> : tensor<0x3xf32>");
  EXPECT_EQ(empty.getNumElements(), 0);
  Tensor negative = literal("dense<-9223372036854775808> : tensor<i64>");
  EXPECT_EQ(negative.ints()[0], std::numeric_limits<int64_t>::min());
  // Complex numbers are no element type of the interpreter: null, not a crash.
  EXPECT_TRUE(literal("dense<(1.0, 2.0)> : tensor<1xcomplex<f32>>").isNull());
}

TEST_F(TensorTest, Indices) {
  std::vector<std::vector<int64_t>> seen;
  forEachIndex({2, 2}, [&](ArrayRef<int64_t> index) { seen.push_back(index.vec()); });
  EXPECT_EQ(seen, (std::vector<std::vector<int64_t>>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  int count = 0;
  forEachIndex({3, 0}, [&](ArrayRef<int64_t>) { ++count; });
  EXPECT_EQ(count, 0);
  forEachIndex({}, [&](ArrayRef<int64_t>) { ++count; });
  EXPECT_EQ(count, 1);
}
