// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several kernels, whose arrays are places in roots (HostMemory.h), as one.

#ifndef FXGRAPH_LIB_BACKEND_GPU_KERNEL_JOINKERNELS_H
#define FXGRAPH_LIB_BACKEND_GPU_KERNEL_JOINKERNELS_H

#include "Kernel/HostMemory.h"
#include "Kernel/KernelSchedule.h"

namespace fxgraph::gpu {

/// What a kernel accesses through one address.
MemoryRegion getRegion(const KernelIR &ir, const KernelArray &array, const IndexExpr &address);

/// One kernel that computes what both do, neither of which depends on the other, if they run over the same elements and
/// read something in common at each of them; else nullopt.
std::optional<KernelIR> joinKernels(const KernelIR &first, const KernelIR &second, DeviceShape device);

/// The same where the second one, without reductions, reads at each element what the first one writes there: that stays in
/// registers.
std::optional<KernelIR> joinReader(const KernelIR &writer, const KernelIR &reader, DeviceShape device);

/// Joins kernels of one signature into one with a further outer dimension. Its
/// position and strides are chosen by where the instances' memory lies.
KernelIR batchKernels(ArrayRef<const KernelIR *> kernels);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_KERNEL_JOINKERNELS_H
