// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_LIB_BACKEND_GPU_PREPARE_UNBATCH_H
#define FXGRAPH_LIB_BACKEND_GPU_PREPARE_UNBATCH_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/IR/PatternMatch.h"

namespace fxgraph::gpu {

/// Undoes batch fusions of pointwise ops (Transforms/GroupFusion): pieces of what was computed of a
/// stack or cat are computed of its operands. A kernel reads each operand where it is, and equal
/// kernels are one launch without being stacked in memory. Static extents. Linear in the pieces.
void unbatch(mlir::IRRewriter &rewriter, Block &block);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_PREPARE_UNBATCH_H
