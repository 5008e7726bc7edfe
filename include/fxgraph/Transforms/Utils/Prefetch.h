// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints to the processor. A graph of a million ops fits no cache, and what a pass does with an op is less work than
// waiting for it: passes that go through a list ask for the ops further on before they come to them. What is asked for is
// not read, so that an address may be any.

#ifndef FXGRAPH_TRANSFORMS_UTILS_PREFETCH_H
#define FXGRAPH_TRANSFORMS_UTILS_PREFETCH_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/Operation.h"

namespace fxgraph {

/// How many ops ahead: what an op of a pass takes, so many times, is longer than what memory takes.
inline constexpr size_t kPrefetchDistance = 12;

inline void prefetchBytes(const void *address, ptrdiff_t offset) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(reinterpret_cast<const void *>(reinterpret_cast<uintptr_t>(address) + offset));
#endif
}

/// The op itself, its last results, which are in front of it in memory, and its first operands, which are behind it.
inline void prefetch(Operation *op) {
  constexpr ptrdiff_t kLine = 64;
  prefetchBytes(op, -ptrdiff_t(sizeof(mlir::detail::OpResultImpl)));
  prefetchBytes(op, 0);
  prefetchBytes(op, kLine);
  prefetchBytes(op, 2 * kLine);
}

/// What makes the operands of an op. The op is read; of many operands the first are asked for.
inline void prefetchProducers(Operation *op) {
  constexpr unsigned kFew = 4;
  for (mlir::OpOperand &operand : op->getOpOperands().take_front(kFew)) {
    prefetchBytes(operand.get().getAsOpaquePointer(), 0);
    prefetchBytes(operand.get().getAsOpaquePointer(), sizeof(mlir::detail::OpResultImpl) + sizeof(Operation) - 1);
  }
}

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_UTILS_PREFETCH_H
