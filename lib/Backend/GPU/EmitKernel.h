// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits one kernel as a gpu.func. Three schedules:
//
//  flat     no reduction: one vector of up to 16 bytes per operand and thread,
//           one-shot grid, predicated tail.
//  rows     reductions along contiguous memory: a row per block, per warp or per
//           part of a warp; shuffle tree, one shared slot per warp, one barrier
//           per reduction. Rows of up to 64 elements a thread stay in registers;
//           longer ones are read again in each pass.
//  columns  reductions along other dimensions, windows, products: one thread per
//           (vector of) result(s), a serial loop over the reduced elements.
//
// All three evaluate the same graph, so that any mixture of pointwise ops, views
// and reductions fuses.

#ifndef FXGRAPH_LIB_BACKEND_GPU_EMITKERNEL_H
#define FXGRAPH_LIB_BACKEND_GPU_EMITKERNEL_H

#include "KernelIR.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fxgraph::gpu {

/// The symbol of dynamic shared memory in a gpu.module, and how many bytes of it a
/// gpu.func is launched with.
inline constexpr llvm::StringLiteral kDynamicSharedName = "fxgraph_dynamic_shared";
inline constexpr llvm::StringLiteral kDynamicSharedBytesAttr = "fxgraph.dynamic_shared_bytes";

/// 2^x to some units in the last place, subnormal numbers as zero.
inline constexpr llvm::StringLiteral kExp2Intrinsic = "llvm.nvvm.ex2.approx.ftz";

struct LaunchShape {
  int64_t grid = 1;
  int64_t block = 1;
  int64_t sharedBytes = 0; ///< dynamic shared memory (TileEmitter::openDynamicShared)
};

/// Appends a function with the kernel's name at the builder's insertion point;
/// its arguments are pointers to the kernel's arrays, in order.
FailureOr<LaunchShape> emitKernel(OpBuilder &builder, const KernelIR &kernel);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_EMITKERNEL_H
