// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages from a graph that prepareForGPU went over to a host function and its kernels. Each takes what the one before it leaves; docs/Architecture.md has the picture.

#ifndef FXGRAPH_LIB_BACKEND_GPU_STAGES_STAGES_H
#define FXGRAPH_LIB_BACKEND_GPU_STAGES_STAGES_H

#include "fxgraph/Backend/GPU/GPU.h"

namespace fxgraph::gpu {

/// Lets results lie in memory as PyTorch's do: their dimensions in another order (kMemoryOrderAttr).
void assignLayouts(mlir::func::FuncOp function);

/// Puts a host function on memory, of one loop nest or library op for each kernel of the fusion
/// plan, in place of the function.
FailureOr<mlir::func::FuncOp> fuseKernels(mlir::func::FuncOp function, const GPUOptions &options);

/// Turns products around whose only reader writes their columns far apart, where a kernel of ours computes both.
LogicalResult transposeProducts(mlir::func::FuncOp host, mlir::Block &steps, const GPUOptions &options);

/// Makes one launch of kernels and products that do not depend on each other.
LogicalResult batchKernels(mlir::func::FuncOp host, const GPUOptions &options);

/// Decides which kernel or library computes each product and attention and how its work is
/// divided (lowering_config), with the memory that this takes.
LogicalResult configureProducts(mlir::func::FuncOp host, const GPUOptions &options);

/// Decides which running sums are spread over blocks that pass them on, with the memory that this takes.
LogicalResult spreadScans(mlir::func::FuncOp host, const GPUOptions &options);

/// Makes one workspace of all that is allocated.
LogicalResult planMemory(mlir::func::FuncOp host);

/// Decides how each loop nest is spread over blocks, threads and registers (lowering_config), and which nests of a
/// fxgraph.launch find room in one.
LogicalResult configureKernels(mlir::func::FuncOp host, const GPUOptions &options);

/// Writes the kernels, in a gpu.module, and their launches.
LogicalResult emitKernels(mlir::func::FuncOp host);

/// Lets each kernel that directly follows another be launched before that one has ended, from sm_90 on.
void overlapLaunches(mlir::func::FuncOp host);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_STAGES_STAGES_H
