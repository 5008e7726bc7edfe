// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits kernels as gpu.funcs. How one is spread over blocks and threads is its
// schedule (KernelSchedule.h). All schedules evaluate the same graph, so that any
// mixture of pointwise ops, views and reductions fuses.

#ifndef FXGRAPH_LIB_BACKEND_GPU_EMITKERNEL_H
#define FXGRAPH_LIB_BACKEND_GPU_EMITKERNEL_H

#include "KernelFunction.h"
#include "KernelIR.h"

namespace fxgraph::gpu {

/// The symbol of dynamic shared memory in a gpu.module, and how many bytes of it a
/// gpu.func is launched with.
inline constexpr llvm::StringLiteral kDynamicSharedName = "fxgraph_dynamic_shared";
inline constexpr llvm::StringLiteral kDynamicSharedBytesAttr = "fxgraph.dynamic_shared_bytes";

/// 2^x to some units in the last place, subnormal numbers as zero.
inline constexpr llvm::StringLiteral kExp2Intrinsic = "llvm.nvvm.ex2.approx.ftz";

/// Appends a function with the kernel's name at the builder's insertion point;
/// its arguments are pointers to the kernel's arrays, in order. `processors`: of the device.
FailureOr<LaunchShape> emitKernel(OpBuilder &builder, const KernelIR &kernel, int64_t processors);

/// The same for kernels that do not depend on each other and have no indices, as one function, whose blocks are theirs
/// in turn; its arguments are those of the first, then those of the second … Returns how many of them found room:
/// blocks have one size, and shared memory is theirs in common.
FailureOr<LaunchShape> emitKernels(OpBuilder &builder, StringRef name, ArrayRef<KernelIR> kernels, int64_t processors,
                                   size_t &count);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_EMITKERNEL_H
