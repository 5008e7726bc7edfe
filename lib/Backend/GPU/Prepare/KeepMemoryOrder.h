// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_LIB_BACKEND_GPU_PREPARE_KEEPMEMORYORDER_H
#define FXGRAPH_LIB_BACKEND_GPU_PREPARE_KEEPMEMORYORDER_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/PatternMatch.h"

namespace fxgraph::gpu {

/// Softmaxes of permuted tensors, and reductions with many results, whose results would be written far apart by threads
/// that read neighbours: computed in the order in which the operand lies, into memory of their own (kInMemoryAttr), and
/// permuted, so that the copy goes through boxes. Static extents. Linear in the ops.
void keepMemoryOrder(mlir::RewriterBase &rewriter, Block &block);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_PREPARE_KEEPMEMORYORDER_H
