// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_LIB_BACKEND_GPU_PREPARE_SINKINTOCATS_H
#define FXGRAPH_LIB_BACKEND_GPU_PREPARE_SINKINTOCATS_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/IR/PatternMatch.h"

namespace fxgraph::gpu {

/// What is computed of a cat alone, element by element, is computed of its pieces, where each is written: the whole is not
/// written and read once more. Cats that are chosen from in the kernel that reads them stay as they are: few pieces, but for those
/// that lie in memory in different orders, and rows that blocks put together (joinsRows). Single elements of narrow rows that lie
/// across what the others lie along are laid along those first (kCopiedIntoCatsAttr). Static extents.
/// Linear in the pieces and what is computed of them.
void sinkIntoCats(mlir::IRRewriter &rewriter, Block &block);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_PREPARE_SINKINTOCATS_H
