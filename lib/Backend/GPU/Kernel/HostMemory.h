// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a host function: arguments, literals, allocations, and fxgraph.buffer, which
// names a place in one of them.

#ifndef FXGRAPH_LIB_BACKEND_GPU_KERNEL_HOSTMEMORY_H
#define FXGRAPH_LIB_BACKEND_GPU_KERNEL_HOSTMEMORY_H

#include "fxgraph/Dialect/IR/HostOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

namespace fxgraph::gpu {

/// What buffers, and the workspace's parts, are aligned to.
inline constexpr uint64_t kBufferAlign = 256;

/// A place in an argument, a literal or an allocation.
struct MemoryPlace {
  Value root;
  int64_t bytes = 0;
};
MemoryPlace resolveMemory(Value memory);

/// Bytes that the address is surely a multiple of.
uint64_t getMemoryAlignment(MemoryPlace place);
inline uint64_t getMemoryAlignment(Value memory) { return getMemoryAlignment(resolveMemory(memory)); }

/// Which memory (the workspace, input 0 …), and the bytes from its start: places of one memory have a distance.
std::pair<uint64_t, int64_t> getMemoryAddress(Value memory);

/// Elements from the start of the root.
int64_t getMemoryOffset(Value memory);
SmallVector<int64_t> getMemoryStrides(Value memory);
inline ArrayRef<int64_t> getMemoryShape(Value memory) { return cast<mlir::MemRefType>(memory.getType()).getShape(); }
inline Type getMemoryElement(Value memory) { return cast<mlir::MemRefType>(memory.getType()).getElementType(); }
/// Bytes of a memref's elements, as if it were row-major.
uint64_t getDenseBytes(mlir::MemRefType type);

/// The host function of a compiled graph is marked by the chip that it is for.
bool isHostFunction(mlir::func::FuncOp function);
bool isWorkspace(Value root);

/// The memory that an op of a host function reads and writes. What it is not known of is both.
void collectAccesses(Operation *op, SmallVectorImpl<Value> &reads, SmallVectorImpl<Value> &writes);

/// Calls `visit` with each list of steps: the host function's, then those of branches and loops.
LogicalResult visitSteps(mlir::func::FuncOp host, function_ref<LogicalResult(Block &steps)> visit);

/// Elements at `place` + the sum of index * stride, of all indices below the extents.
struct MemoryRegion {
  MemoryPlace place;
  int64_t elementBytes = 1;
  SmallVector<std::pair<int64_t, int64_t>, 4> dims{}; ///< stride in bytes, extent: the largest stride first
  int64_t end = 0;                                    ///< bytes from the root's start, behind the last element

  MemoryRegion(MemoryPlace place, int64_t elementBytes, ArrayRef<std::pair<int64_t, int64_t>> dims);
};
MemoryRegion getMemoryRegion(Value memory);
/// False: they have no element in common.
bool mayOverlap(const MemoryRegion &lhs, const MemoryRegion &rhs);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_KERNEL_HOSTMEMORY_H
