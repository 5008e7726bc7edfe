// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes for kernels that read memory in another order than they write it: both sides
// of a box are runs of memory, and what lies between is shared memory.

#ifndef FXGRAPH_LIB_BACKEND_GPU_KERNEL_CHOOSEBOXES_H
#define FXGRAPH_LIB_BACKEND_GPU_KERNEL_CHOOSEBOXES_H

#include "Kernel/KernelSchedule.h"
#include <optional>

namespace fxgraph::gpu {

/// Nullopt where nothing is read across, or nothing can be staged.
std::optional<KernelSchedule> chooseBoxes(const KernelIR &ir, const KernelUses &uses, int64_t processors);
/// Whether results are shifted in shared memory (KernelSchedule::shiftedResults): where that costs less, or in any case.
enum class Shifts { Never, Maybe, Only };
/// A box and the dimensions of its sides (empty: as many as it needs).
struct GivenBox {
  ArrayRef<int64_t> box, across, along;
  Shifts shifts;
};
/// With this box; nullopt also if there is none such.
std::optional<KernelSchedule> chooseBoxes(const KernelIR &ir, const KernelUses &uses, const GivenBox &given);

/// Dimensions that the address moves along, descending by how far; nullopt if it is not linear in all of them.
std::optional<SmallVector<unsigned>> getOrder(const KernelIR &ir, const IndexExpr &address);
/// Makes the box at least so many elements long along memory of this order.
void growBox(const KernelIR &ir, SmallVectorImpl<int64_t> &box, ArrayRef<unsigned> order, int64_t elements);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_KERNEL_CHOOSEBOXES_H
