// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_LIB_BACKEND_GPU_PREPARE_SPLITLOOPS_H
#define FXGRAPH_LIB_BACKEND_GPU_PREPARE_SPLITLOOPS_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/PatternMatch.h"

namespace fxgraph::gpu {

/// Marks reductions of what logsumexps are computed of, too, along the same dimensions: `splitLongLoop` cuts their loops as it
/// cuts those, so that one sweep over memory serves all of them. Linear in the ops.
void markSharedSweeps(Block &block);

/// What replaces the result of a reduction or running sum of static extents whose loop is
/// too long for its threads; null to keep the op. `clusters`: the device has clusters of blocks, which can share a row.
Value splitLongLoop(mlir::RewriterBase &rewriter, Operation *op, bool clusters);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_PREPARE_SPLITLOOPS_H
