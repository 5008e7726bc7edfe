// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison of tensor values. NaN equals NaN; an infinity equals the same
// infinity only; finite a and b are close if |a - b| <= atol + rtol * |b|.

#ifndef FXGRAPH_REFERENCE_COMPARE_H
#define FXGRAPH_REFERENCE_COMPARE_H

#include "fxgraph/Reference/Tensor.h"
#include "fxgraph/Support/NumberText.h"
#include <string>

namespace fxgraph {

struct Tolerance {
  double rtol = 0.0;
  double atol = 0.0;
  /// Tell -0 from +0.
  bool signedZeros = false;
  /// Tolerance that grows with the whole tensor: `rtol` times the root mean square
  /// of the expected elements is added to `atol`. Sums in another order differ by
  /// an amount that the largest addends set, not the (cancelled) result.
  bool scaleWithTensor = false;
};

struct Comparison {
  /// Same element type and shape; nothing else was compared if not.
  bool sameType = true;
  int64_t numElements = 0;
  int64_t mismatches = 0;
  /// Of all elements that are finite on both sides.
  double maxAbsolute = 0.0;
  double maxRelative = 0.0;
  /// The first mismatch in row-major order.
  SmallVector<int64_t> firstIndex;
  double firstActual = 0.0, firstExpected = 0.0;

  bool isEqual() const { return sameType && mismatches == 0; }
};

Comparison compareTensors(const Tensor &actual, const Tensor &expected, const Tolerance &tolerance);

/// Text such as `3 of 8 elements differ, first at [0, 2]: expected 1 but got 1.5`.
std::string describeMismatch(const Comparison &comparison, const Tensor &actual, const Tensor &expected);

/// Three digits: for differences.
std::string formatRough(double value);

} // namespace fxgraph

#endif // FXGRAPH_REFERENCE_COMPARE_H
