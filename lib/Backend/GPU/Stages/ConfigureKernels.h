// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_LIB_BACKEND_GPU_STAGES_CONFIGUREKERNELS_H
#define FXGRAPH_LIB_BACKEND_GPU_STAGES_CONFIGUREKERNELS_H

#include "Kernel/KernelSchedule.h"
#include "fxgraph/Dialect/IR/HostOps.h"

namespace fxgraph::gpu {

/// The schedule that a nest's lowering_config asks for, or its entries, and what fits best for the rest of them. Error:
/// no such kernel.
FailureOr<KernelSchedule> configureSchedule(LoopNestOp nest, const KernelIR &ir, int64_t processors);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_STAGES_CONFIGUREKERNELS_H
