// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison of tensor values; see the header. Linear.

#include "fxgraph/Reference/Compare.h"
#include <cinttypes>
#include <cmath>

using namespace fxgraph;

static bool isClose(double actual, double expected, const Tolerance &tolerance, double atol) {
  if (std::isnan(actual) || std::isnan(expected))
    return std::isnan(actual) && std::isnan(expected);
  if (actual == expected)
    return !tolerance.signedZeros || actual != 0.0 || std::signbit(actual) == std::signbit(expected);
  // An infinity is close to nothing else, whatever the tolerance.
  if (std::isinf(actual) || std::isinf(expected))
    return false;
  return std::fabs(actual - expected) <= atol + tolerance.rtol * std::fabs(expected);
}

static double rootMeanSquare(const Tensor &tensor) {
  double sum = 0.0;
  int64_t count = 0;
  for (int64_t i = 0; i < tensor.getNumElements(); ++i) {
    double value = tensor.getAsDouble(i);
    if (!std::isfinite(value))
      continue;
    sum += value * value;
    ++count;
  }
  return count == 0 ? 0.0 : std::sqrt(sum / count);
}

Comparison fxgraph::compareTensors(const Tensor &actual, const Tensor &expected, const Tolerance &tolerance) {
  Comparison result;
  result.sameType = actual.getElementType() == expected.getElementType() && actual.getShape() == expected.getShape();
  if (!result.sameType)
    return result;
  result.numElements = actual.getNumElements();
  double atol = tolerance.atol;
  if (tolerance.scaleWithTensor)
    atol += tolerance.rtol * rootMeanSquare(expected);
  bool exactInts = !actual.isFloat() && tolerance.rtol == 0.0 && atol == 0.0;
  SmallVector<int64_t> strides = actual.getStrides();
  for (int64_t i = 0; i < result.numElements; ++i) {
    double a = actual.getAsDouble(i), b = expected.getAsDouble(i);
    if (std::isfinite(a) && std::isfinite(b)) {
      double difference = std::fabs(a - b);
      result.maxAbsolute = std::max(result.maxAbsolute, difference);
      if (difference != 0.0)
        result.maxRelative = std::max(result.maxRelative, difference / std::fabs(b));
    }
    // Integers beyond 2^53 are not told apart as doubles.
    bool close = exactInts ? actual.ints()[i] == expected.ints()[i] : isClose(a, b, tolerance, atol);
    if (close)
      continue;
    if (result.mismatches++ != 0)
      continue;
    result.firstActual = a;
    result.firstExpected = b;
    for (auto [d, stride] : llvm::enumerate(strides))
      result.firstIndex.push_back(i / stride % actual.getDim(d));
  }
  return result;
}

std::string fxgraph::formatRough(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.3g", value);
  return buffer;
}

std::string fxgraph::describeMismatch(const Comparison &comparison, const Tensor &actual, const Tensor &expected) {
  if (!comparison.sameType)
    return "expected " + expected.describe() + " but got " + actual.describe();
  return std::to_string(comparison.mismatches) + " of " + std::to_string(comparison.numElements) +
         " elements differ, first at " + formatShape(comparison.firstIndex) + ": expected " +
         formatNumber(comparison.firstExpected) + " but got " + formatNumber(comparison.firstActual) + " (max abs " +
         formatRough(comparison.maxAbsolute) + ")";
}
