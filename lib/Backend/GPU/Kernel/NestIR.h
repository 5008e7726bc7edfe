// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph.loop_nest as the graph of scalar operations that transformations and schedules
// look at (KernelIR.h), and back. Both directions keep the order of operations.

#ifndef FXGRAPH_LIB_BACKEND_GPU_KERNEL_NESTIR_H
#define FXGRAPH_LIB_BACKEND_GPU_KERNEL_NESTIR_H

#include "Kernel/HostMemory.h"
#include "Kernel/KernelIR.h"
#include "fxgraph/Dialect/IR/HostOps.h"

namespace fxgraph::gpu {

/// `memory`: of each array, a memref of its elements. Instances are not written.
LoopNestOp writeNest(OpBuilder &builder, const KernelIR &kernel, ArrayRef<StringRef> computes, ValueRange memory);

/// Memory of the kernel's arrays, which are places in roots, for writeNest.
SmallVector<Value> openArrays(const KernelIR &kernel);

/// The arrays are places in roots (HostMemory.h). Error: an op that no kernel has a form for.
FailureOr<KernelIR> readNest(LoopNestOp nest, unsigned instance = 0);

/// All instances as one kernel, with a further dimension or tables, once memory is planned.
FailureOr<KernelIR> readInstances(LoopNestOp nest);

/// The memory that the first store of an instance writes.
Value getResult(LoopNestOp nest, unsigned instance = 0);

/// In the order of what they write, so that distances are regular where memory is.
template <typename T, typename F>
void sortByResult(SmallVectorImpl<T> &items, F getResult) {
  llvm::stable_sort(
      items, [&](const T &a, const T &b) { return getMemoryAddress(getResult(a)) < getMemoryAddress(getResult(b)); });
}

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_KERNEL_NESTIR_H
