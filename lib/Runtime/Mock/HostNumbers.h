//===- HostNumbers.h - Float formats on the host -----------------*- C++
//-*-===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes f16, bf16, f32 and f64 elements as double, rounding to
// nearest even, for the mock libraries and the tests.
//
//===----------------------------------------------------------------------===//

#ifndef FXGRAPH_LIB_RUNTIME_MOCK_HOSTNUMBERS_H
#define FXGRAPH_LIB_RUNTIME_MOCK_HOSTNUMBERS_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace fxgraph {
namespace runtime {
namespace mock {

enum class NumberType { F16, BF16, F32, F64 };

inline double loadNumber(NumberType type, const void *base, uint64_t index) {
  switch (type) {
  case NumberType::F64:
    return static_cast<const double *>(base)[index];
  case NumberType::F32:
    return static_cast<const float *>(base)[index];
  case NumberType::BF16: {
    uint32_t bits = uint32_t(static_cast<const uint16_t *>(base)[index]) << 16;
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  case NumberType::F16:
    break;
  }
  uint16_t bits = static_cast<const uint16_t *>(base)[index];
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double value = exponent == 0    ? std::ldexp(mantissa, -24)
                 : exponent == 31 ? (mantissa ? NAN : INFINITY)
                                  : std::ldexp(1024 + mantissa, exponent - 25);
  return bits >> 15 ? -value : value;
}

inline void storeNumber(NumberType type, void *base, uint64_t index, double value) {
  if (type == NumberType::F64) {
    static_cast<double *>(base)[index] = value;
    return;
  }
  float narrow = static_cast<float>(value);
  if (type == NumberType::F32) {
    static_cast<float *>(base)[index] = narrow;
    return;
  }
  uint16_t &to = static_cast<uint16_t *>(base)[index];
  uint32_t bits;
  std::memcpy(&bits, &narrow, 4);
  if (type == NumberType::BF16) {
    if (std::isnan(narrow))
      to = static_cast<uint16_t>(bits >> 16 | 0x40);
    else
      to = static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    return;
  }
  uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  double magnitude = std::fabs(value);
  if (std::isnan(value)) {
    to = sign | 0x7e00;
  } else if (magnitude >= 65520) {
    to = sign | 0x7c00;
  } else {
    // 11 significant bits, fewer below the smallest normal number, 2^-14; zero has no exponent.
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    int unit = magnitude == 0 || exponent - 11 < -24 ? -24 : exponent - 11;
    double scaled = std::nearbyint(std::ldexp(magnitude, -unit));
    uint32_t digits = static_cast<uint32_t>(scaled);
    // A carry out of the digits moves into the exponent field by itself.
    uint32_t encoded = unit == -24 ? digits : (static_cast<uint32_t>(unit + 25) << 10) + (digits - 1024);
    to = static_cast<uint16_t>(sign | encoded);
  }
}

} // namespace mock
} // namespace runtime
} // namespace fxgraph

#endif // FXGRAPH_LIB_RUNTIME_MOCK_HOSTNUMBERS_H
