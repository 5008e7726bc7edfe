// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gpu.func of a kernel: its launch and what is known of its parameters.

#ifndef FXGRAPH_LIB_BACKEND_GPU_EMIT_KERNELFUNCTION_H
#define FXGRAPH_LIB_BACKEND_GPU_EMIT_KERNELFUNCTION_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fxgraph::gpu {

struct LaunchShape {
  int64_t grid = 1;
  int64_t block = 1;
  int64_t sharedBytes = 0; ///< dynamic shared memory (TileEmitter::openDynamicShared)
};

/// A kernel at the builder's insertion point, with an empty body, for blocks of this many threads.
mlir::gpu::GPUFuncOp createKernelFunction(OpBuilder &builder, Location loc, StringRef name, ArrayRef<Type> parameters,
                                          int64_t block);
/// Notes the number of blocks, if it is one that the attribute can hold.
void setKnownGrid(mlir::gpu::GPUFuncOp function, int64_t grid);
/// A parameter is an address to whose memory no other parameter leads. `align`: bytes, 0 where nothing is known.
void describePointer(mlir::gpu::GPUFuncOp function, unsigned parameter, bool isRead, int64_t align);
/// A parameter is a value of this type in the kernel's parameters, of which the function gets the address.
void describeByValue(mlir::gpu::GPUFuncOp function, unsigned parameter, Type type, int64_t align);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_EMIT_KERNELFUNCTION_H
