// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When an op may be replaced by an older value: what PyTorch lets a caller see of
// storage.

#ifndef FXGRAPH_LIB_DIALECT_IR_FOLDING_H
#define FXGRAPH_LIB_DIALECT_IR_FOLDING_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"

namespace fxgraph {

/// True if nobody sees which storage the results of `op` are in: every user computes
/// new tensors from the elements, or is a view of which that holds. Results of the
/// graph, unknown ops and writes see it. Gives up (false) at many users.
bool isStorageHidden(Operation *op);

/// Whether folders compute with the dtype: 8-bit floats have casts that saturate.
inline bool isFoldable(Type type) {
  return isa<IntegerType>(type) || type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

/// A constant with more elements is not folded into another, unless it is a splat.
constexpr int64_t kMaxFoldedElements = 1024;

} // namespace fxgraph

#endif // FXGRAPH_LIB_DIALECT_IR_FOLDING_H
