// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions over few elements that lie between few results: all elements of a block's results are one run of memory, which
// goes through shared memory in vectors, on its way in and out.

#ifndef FXGRAPH_LIB_BACKEND_GPU_KERNEL_CHOOSERUNS_H
#define FXGRAPH_LIB_BACKEND_GPU_KERNEL_CHOOSERUNS_H

#include "Kernel/KernelSchedule.h"
#include <optional>

namespace fxgraph::gpu {

/// Strips like these, with runs; nullopt: there are none, or they do not pay.
std::optional<KernelSchedule> chooseRuns(const KernelIR &ir, const KernelUses &uses, const KernelSchedule &strips,
                                         int64_t processors);
/// Running sums of short rows whose accesses would be narrow, or of few neighbouring ones: a thread has all of a result's
/// elements. The same otherwise.
std::optional<KernelSchedule> chooseScanRuns(const KernelIR &ir, const KernelUses &uses, int64_t processors);
/// Either of them whether or not they pay.
std::optional<KernelSchedule> findRuns(const KernelIR &ir, const KernelUses &uses, int64_t processors);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_KERNEL_CHOOSERUNS_H
