// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits kernels as gpu.funcs. How one is spread over blocks and threads is its
// schedule (KernelSchedule.h). All schedules evaluate the same graph, so that any
// mixture of pointwise ops, views and reductions fuses.

#ifndef FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITKERNEL_H
#define FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITKERNEL_H

#include "Emit/KernelFunction.h"
#include "Kernel/KernelSchedule.h"

namespace fxgraph::gpu {

/// The symbol of dynamic shared memory in a gpu.module, and how many bytes of it a
/// gpu.func is launched with.
inline constexpr llvm::StringLiteral kDynamicSharedName = "fxgraph_dynamic_shared";
inline constexpr llvm::StringLiteral kDynamicSharedBytesAttr = "fxgraph.dynamic_shared_bytes";

/// 2^x to some units in the last place, subnormal numbers as zero.
inline constexpr llvm::StringLiteral kExp2Intrinsic = "llvm.nvvm.ex2.approx.ftz";

/// Appends a function with this name at the builder's insertion point; its arguments are
/// pointers to the kernel's arrays, in order. Several kernels, which do not depend on each other, have no
/// indices and blocks of one size, are one function, whose blocks are theirs in turn; its arguments are those of the first, then
/// those of the second … `sideBySide`: some blocks of each at a time, instead of all blocks of one before those of the next.
FailureOr<LaunchShape> emitKernels(OpBuilder &builder, StringRef name, ArrayRef<KernelIR> kernels,
                                   ArrayRef<KernelSchedule> schedules, bool sideBySide = false);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITKERNEL_H
