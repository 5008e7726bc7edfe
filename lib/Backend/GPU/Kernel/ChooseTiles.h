// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles for windows and products: threads compute several results, whose operands they
// load once.

#ifndef FXGRAPH_LIB_BACKEND_GPU_KERNEL_CHOOSETILES_H
#define FXGRAPH_LIB_BACKEND_GPU_KERNEL_CHOOSETILES_H

#include "Kernel/KernelSchedule.h"
#include <optional>

namespace fxgraph::gpu {

/// The best one of more than one result; nullopt where something else than sums of one phase is computed.
std::optional<KernelSchedule> chooseTiles(const KernelIR &ir, const KernelUses &uses, int64_t processors);
/// With a tile of this extent along each dimension, so many threads of a tile and terms that are code (0: those that are
/// best); nullopt where no thread can have it.
std::optional<KernelSchedule> chooseTiles(const KernelIR &ir, const KernelUses &uses, int64_t processors,
                                          ArrayRef<int64_t> box, int64_t threads, int64_t window);

/// Whether they take less time than a schedule whose threads have single results.
bool areTilesFaster(const KernelIR &ir, const KernelUses &uses, const KernelSchedule &tiles, int64_t processors,
                    const KernelSchedule &single);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_KERNEL_CHOOSETILES_H
