// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_SUPPORT_NUMBERTEXT_H
#define FXGRAPH_SUPPORT_NUMBERTEXT_H

#include <string>

namespace fxgraph {

/// A number with the digits that tell it from its neighbours; -0, nan, inf.
std::string formatNumber(double value);

} // namespace fxgraph

#endif // FXGRAPH_SUPPORT_NUMBERTEXT_H
