// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How what a loop reads lies in memory, seen before kernels are formed.

#ifndef FXGRAPH_LIB_BACKEND_GPU_PREPARE_READS_H
#define FXGRAPH_LIB_BACKEND_GPU_PREPARE_READS_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/Value.h"

namespace fxgraph::gpu {

/// Bytes that are at least as dense along one dimension as along others, and the contrary.
struct Reads {
  int64_t along = 0, across = 0;
};
/// Of what a value is computed from, element by element: `across` are those that are denser along one of `outer` than along
/// `inner`.
Reads getReads(Value value, ArrayRef<int64_t> outer, int64_t inner);

/// Dimensions from the slowest to the fastest one, as most of what a value is computed from, element by element, lies in
/// memory; nullopt: as it is numbered, or not all of it is dense along the fastest one.
std::optional<SmallVector<int64_t>> getMemoryOrder(Value value);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_PREPARE_READS_H
