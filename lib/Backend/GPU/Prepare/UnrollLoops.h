// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_LIB_BACKEND_GPU_PREPARE_UNROLLLOOPS_H
#define FXGRAPH_LIB_BACKEND_GPU_PREPARE_UNROLLLOOPS_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/IR/PatternMatch.h"

namespace fxgraph::gpu {

/// A launch plan has no loops: `map` and `scan` of a known and not too large number of
/// steps become the steps, one after the other. Those of more stay.
void unrollLoops(mlir::IRRewriter &rewriter, Block &block);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_PREPARE_UNROLLLOOPS_H
