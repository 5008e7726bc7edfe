// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints to the processor. A graph of a million ops fits no cache, and what a pass does with an op is less work than
// waiting for it: passes that go through a list ask for the ops further on before they come to them. What is asked for is
// not read, so that an address may be any.

#ifndef FXGRAPH_SUPPORT_PREFETCH_H
#define FXGRAPH_SUPPORT_PREFETCH_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/Operation.h"
#include <array>

namespace fxgraph {

/// How many ops ahead: what an op of a pass takes, so many times, is longer than what memory takes.
inline constexpr size_t kPrefetchDistance = 12;

inline constexpr ptrdiff_t kLine = 64;

inline void prefetchBytes(const void *address, ptrdiff_t offset) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(reinterpret_cast<const void *>(reinterpret_cast<uintptr_t>(address) + offset));
#endif
}

/// The op itself, its last results, which are in front of it in memory, and its first operands, which are behind it.
inline void prefetch(Operation *op) {
  prefetchBytes(op, -ptrdiff_t(sizeof(mlir::detail::OpResultImpl)));
  prefetchBytes(op, 0);
  prefetchBytes(op, kLine);
  prefetchBytes(op, 2 * kLine);
}

/// Asks for the ops of a list that are further on, given all of them.
inline void prefetchAhead(ArrayRef<Operation *> ops, size_t at, size_t distance = kPrefetchDistance) {
  if (at + distance < ops.size())
    prefetch(ops[at + distance]);
}

/// The same for a block, where the next op is known only once this one is here: asks for where the op further on is if
/// ops lie as far apart as they did. Those that are read or imported lie in the order of the graph, and what a pass
/// leaves of them (the layer norms of a row of towers) mostly at even distances.
class PrefetchBlock {
public:
  void visit(Operation *op) {
    auto address = reinterpret_cast<uintptr_t>(op);
    uintptr_t &before = visited[at];
    if (before != 0) {
      auto *further = reinterpret_cast<const void *>(2 * address - before);
      prefetchBytes(further, 0);
      prefetchBytes(further, kLine);
    }
    before = address;
    at = at + 1 == kPrefetchDistance ? 0 : at + 1;
  }

private:
  std::array<uintptr_t, kPrefetchDistance> visited{};
  size_t at = 0;
};

/// What makes the operands of an op. The op is read; of many operands the first are asked for.
inline void prefetchProducers(Operation *op) {
  constexpr unsigned kFew = 4;
  for (mlir::OpOperand &operand : op->getOpOperands().take_front(kFew)) {
    prefetchBytes(operand.get().getAsOpaquePointer(), 0);
    prefetchBytes(operand.get().getAsOpaquePointer(), sizeof(mlir::detail::OpResultImpl) + sizeof(Operation) - 1);
  }
}

} // namespace fxgraph

#endif // FXGRAPH_SUPPORT_PREFETCH_H
