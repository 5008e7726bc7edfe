// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls into the CPU runtime (lib/Backend/CPU/Runtime) from tensor code: the operands
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

/// What the runtime draws (FxCpuDraw).
enum class Draw : int64_t { Uniform, Normal, Exponential, Bernoulli, Permutation };
/// A tensor of `dtype` (bool for Bernoulli, i64 for Permutation) and these extents, drawn from the run's
/// generator. `parameter`: the rate, or the probability.
Value callRandom(OpBuilder &b, Location loc, Draw draw, Type dtype, ArrayRef<OpFoldResult> sizes, double parameter = 0);
/// i64 numbers from `low` up to below `high`, drawn in the same way.
Value callRandomIntegers(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes, int64_t low, int64_t high);

} // namespace lowering
} // namespace fxgraph

#endif // FXGRAPH_CONVERSION_FXGRAPHTOLINALG_RUNTIMECALLS_H
