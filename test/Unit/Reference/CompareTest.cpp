// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Reference/Compare.h"
#include "mlir/IR/MLIRContext.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace fxgraph;

namespace {
class CompareTest : public ::testing::Test {
protected:
  Tensor floats(ArrayRef<double> values) {
    Tensor tensor(mlir::Float32Type::get(&context), {static_cast<int64_t>(values.size())});
    std::copy(values.begin(), values.end(), tensor.mutableFloats().begin());
    return tensor;
  }
  Tensor ints(ArrayRef<int64_t> values) {
    Tensor tensor(IntegerType::get(&context, 64), {static_cast<int64_t>(values.size())});
    std::copy(values.begin(), values.end(), tensor.mutableInts().begin());
    return tensor;
  }
  MLIRContext context;
  double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
};
} // namespace

TEST_F(CompareTest, NanEqualsNan) {
  EXPECT_TRUE(compareTensors(floats({nan}), floats({nan}), {}).isEqual());
  EXPECT_FALSE(compareTensors(floats({nan}), floats({1.0}), {1.0, 1.0}).isEqual());
  EXPECT_FALSE(compareTensors(floats({1.0}), floats({nan}), {1.0, 1.0}).isEqual());
}

TEST_F(CompareTest, InfinityIsCloseToItselfOnly) {
  EXPECT_TRUE(compareTensors(floats({infinity}), floats({infinity}), {}).isEqual());
  EXPECT_FALSE(compareTensors(floats({-infinity}), floats({infinity}), {1.0, 1.0}).isEqual());
  // 1.0 * |inf| would let everything pass.
  EXPECT_FALSE(compareTensors(floats({1e30}), floats({infinity}), {1.0, 0.0}).isEqual());
}

TEST_F(CompareTest, SignOfZero) {
  EXPECT_TRUE(compareTensors(floats({-0.0}), floats({0.0}), {}).isEqual());
  Tolerance exact;
  exact.signedZeros = true;
  EXPECT_FALSE(compareTensors(floats({-0.0}), floats({0.0}), exact).isEqual());
  EXPECT_TRUE(compareTensors(floats({-0.0}), floats({-0.0}), exact).isEqual());
}

TEST_F(CompareTest, TolerancesAndPosition) {
  EXPECT_TRUE(compareTensors(floats({1.0, 2.1}), floats({1.0, 2.0}), {0.1, 0.0}).isEqual());
  Comparison comparison = compareTensors(floats({1.0, 2.5, 3.5}), floats({1.0, 2.0, 3.0}), {0.0, 0.1});
  EXPECT_EQ(comparison.mismatches, 2);
  EXPECT_EQ(comparison.firstIndex, (SmallVector<int64_t>{1}));
  EXPECT_EQ(comparison.maxAbsolute, 0.5);
  EXPECT_EQ(comparison.maxRelative, 0.25);
}

TEST_F(CompareTest, LargeIntegersAreExact) {
  int64_t big = int64_t(1) << 60;
  EXPECT_FALSE(compareTensors(ints({big + 1}), ints({big}), {}).isEqual());
}

TEST_F(CompareTest, TypesMustAgree) {
  Comparison comparison = compareTensors(ints({1}), floats({1.0}), {});
  EXPECT_FALSE(comparison.sameType);
  EXPECT_EQ(describeMismatch(comparison, ints({1}), floats({1.0})), "expected tensor<1xf32> but got tensor<1xi64>");
  EXPECT_FALSE(compareTensors(floats({1.0}), floats({1.0, 2.0}), {}).isEqual());
}

TEST_F(CompareTest, Numbers) {
  EXPECT_EQ(formatNumber(1.0), "1");
  EXPECT_EQ(formatNumber(-0.0), "-0");
  EXPECT_EQ(formatNumber(nan), "nan");
  EXPECT_EQ(formatNumber(-infinity), "-inf");
  EXPECT_EQ(formatNumber(static_cast<float>(0.1)), "0.100000001");
}
