// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls into the CPU runtime (lib/Target/CPU/Runtime) from tensor code: the operands
// are copied into buffers of their own, so that the callee sees row-major memory.

#ifndef FXGRAPH_CONVERSION_FXGRAPHTOLINALG_RUNTIMECALLS_H
#define FXGRAPH_CONVERSION_FXGRAPHTOLINALG_RUNTIMECALLS_H

#include "LoweringUtils.h"

namespace fxgraph {
namespace lowering {

/// Sorts [outer, n, inner] along n and keeps the first `kept` of each row: values
/// (storage type) and their positions (i64), both of extents `result`. Stable; NaN
/// is the largest.
std::pair<Value, Value> callSort(OpBuilder &b, Location loc, Value input, Type dtype, ArrayRef<OpFoldResult> result,
                                 OpFoldResult outer, OpFoldResult n, OpFoldResult kept, OpFoldResult inner,
                                 bool descending);

} // namespace lowering
} // namespace fxgraph

#endif // FXGRAPH_CONVERSION_FXGRAPHTOLINALG_RUNTIMECALLS_H
