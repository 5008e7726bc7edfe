// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_SUPPORT_PLACE_H
#define FXGRAPH_SUPPORT_PLACE_H

#include "fxgraph/Support/LLVM.h"
#include <string>

namespace fxgraph {

/// "file:line:column: " as the messages of compiled code begin; empty if the place in
/// a file is not known.
std::string describePlace(Location loc);

} // namespace fxgraph

#endif // FXGRAPH_SUPPORT_PLACE_H
