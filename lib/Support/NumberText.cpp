// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Support/NumberText.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>

std::string fxgraph::formatNumber(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  char buffer[40];
  // The fewest digits that read back as the same float, else as the same double.
  for (int digits : {6, 9, 17}) {
    std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
    double back = std::strtod(buffer, nullptr);
    if (back == value || (digits == 9 && static_cast<float>(back) == value))
      break;
  }
  return buffer;
}
