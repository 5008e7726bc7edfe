// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_TRANSFORMS_UTILS_OPLIST_H
#define FXGRAPH_TRANSFORMS_UTILS_OPLIST_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace fxgraph {

/// Ops in the order in which they came, each once, without those taken out since.
class OpList {
public:
  /// Does nothing if the op is there.
  void insert(Operation *op) {
    if (positions.try_emplace(op, ops.size()).second)
      ops.push_back(op);
  }
  void remove(Operation *op) {
    auto it = positions.find(op);
    if (it == positions.end())
      return;
    ops[it->second] = nullptr;
    positions.erase(it);
  }
  /// The last one, taken out; null if there is none.
  Operation *popLast() {
    while (!ops.empty())
      if (Operation *op = ops.pop_back_val()) {
        positions.erase(op);
        return op;
      }
    return nullptr;
  }
  /// All of them; the list is empty afterwards.
  SmallVector<Operation *> take() {
    llvm::erase(ops, nullptr);
    positions.clear();
    return std::move(ops);
  }

private:
  SmallVector<Operation *> ops;            ///< null where one was taken out
  DenseMap<Operation *, size_t> positions; ///< in `ops`
};

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_UTILS_OPLIST_H
