// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One reading of the two ops that permute dimensions.

#ifndef FXGRAPH_DIALECT_IR_PERMUTATION_H
#define FXGRAPH_DIALECT_IR_PERMUTATION_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/Operation.h"

namespace fxgraph {

/// Where each dimension of the result of a permute or transpose comes from; std::nullopt of
/// any other op, and of none.
std::optional<SmallVector<int64_t>> getPermutation(Operation *op);

} // namespace fxgraph

#endif // FXGRAPH_DIALECT_IR_PERMUTATION_H
