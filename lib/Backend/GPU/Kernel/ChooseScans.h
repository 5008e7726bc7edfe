// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes for running sums: read in the order of the operands, added up in shared memory,
// written in the order of the results.

#ifndef FXGRAPH_LIB_BACKEND_GPU_KERNEL_CHOOSESCANS_H
#define FXGRAPH_LIB_BACKEND_GPU_KERNEL_CHOOSESCANS_H

#include "Kernel/KernelSchedule.h"
#include <optional>

namespace fxgraph::gpu {

/// Nullopt where something else than running sums along one dimension is added up, or no box fits.
/// `spread`: the boxes of a column are blocks of their own.
std::optional<KernelSchedule> chooseScans(const KernelIR &ir, const KernelUses &uses, int64_t processors, bool spread);
/// The same with this box, whose columns have so many threads each; nullopt where a block cannot have it.
std::optional<KernelSchedule> chooseScans(const KernelIR &ir, const KernelUses &uses, ArrayRef<int64_t> box,
                                          int64_t threads, bool spread);
/// Columns are few and long, so that the boxes of each are better spread over blocks, and blocks can pass on its sums.
bool shouldSpreadScans(const KernelIR &ir, const KernelUses &uses, int64_t processors);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_KERNEL_CHOOSESCANS_H
