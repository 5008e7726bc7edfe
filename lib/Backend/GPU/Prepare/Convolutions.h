// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_LIB_BACKEND_GPU_PREPARE_CONVOLUTIONS_H
#define FXGRAPH_LIB_BACKEND_GPU_PREPARE_CONVOLUTIONS_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/IR/PatternMatch.h"

namespace fxgraph::gpu {

/// Gives each convolution of f16 or bf16 that has one group the form that suits it, but for those whose
/// `fxgraph.channels_last` is false and those that kernels compute (isKernelConvolution):
///  * 1 x 1: a matrix product, with what follows as its epilogue;
///  * else a library call with the channels last in memory.
/// What is between them, point by point, is computed with the channels last. Grouped convolutions are slower so. Biases are ops
/// of their own by now. Linear in the ops.
void prepareConvolutions(mlir::IRRewriter &rewriter, Block &block);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_PREPARE_CONVOLUTIONS_H
