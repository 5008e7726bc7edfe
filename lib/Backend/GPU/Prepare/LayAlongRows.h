// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_LIB_BACKEND_GPU_PREPARE_LAYALONGROWS_H
#define FXGRAPH_LIB_BACKEND_GPU_PREPARE_LAYALONGROWS_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"

namespace fxgraph::gpu {

/// Marks what long rows are read from several times (a norm, a softmax) and lies across them in memory, a permuted matrix
/// say: it gets memory in which it lies along them (kInMemoryAttr), so that the copy goes through boxes and the rows are
/// read in vectors. Where results lie across rows, and some of what they are computed from along them, that gets memory in
/// which it lies across. Static extents. Linear in the ops.
void layAlongRows(Block &block);

/// Whether an op reads rows along its operand's last dimensions, more than once or with what is computed from them.
bool readsRowsAgain(Operation *op);

/// Whether results along `dims` lie across them in memory, and what they are computed from element by element does so in part:
/// it gets memory in which all of it does.
bool laysAcross(Value value, ArrayRef<int64_t> dims);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_PREPARE_LAYALONGROWS_H
