// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of a kernel's loop dimensions.

#ifndef FXGRAPH_LIB_BACKEND_GPU_KERNEL_KERNELDIMS_H
#define FXGRAPH_LIB_BACKEND_GPU_KERNEL_KERNELDIMS_H

#include "Kernel/KernelIR.h"

namespace fxgraph::gpu {

/// Replaces dimensions by expressions of the target's.
void rewriteDims(KernelIR &kernel, IndexSpace target, ArrayRef<IndexExpr> replacements, SmallVector<bool> inner);

/// Splits dimensions at the divisors that quotients and remainders of them use, so that the addresses of reshaped and
/// permuted operands become linear.
void refineDims(KernelIR &kernel);

/// Orders results as they lie in memory, and those of reductions of many elements each as the largest operand lies
/// there: so that neighbouring threads use neighbouring memory.
void sortResults(KernelIR &kernel);

/// Drops dimensions of one element and joins neighbours that every expression uses as one, so that simple kernels have
/// one dimension.
void mergeDims(KernelIR &kernel);

/// Without reductions: the kernel with the innermost dimensions, from number `first` on, as one, along which operands that
/// are not dense along all of them are read by quotients and remainders. Results are dense along them.
KernelIR flattenDims(const KernelIR &kernel, unsigned first);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_KERNEL_KERNELDIMS_H
