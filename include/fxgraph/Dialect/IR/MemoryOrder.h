// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_DIALECT_IR_MEMORYORDER_H
#define FXGRAPH_DIALECT_IR_MEMORYORDER_H

#include "llvm/ADT/StringRef.h"

namespace fxgraph {

/// Of an argument of a graph's function: the dimensions of a dense tensor from the outermost one in memory to the
/// innermost, as the caller's lay when the graph was captured. What reads memory may take it so; values are the same.
/// Of a result, behind `--fxgraph-assign-layouts`: the same of the tensor that the caller gets; the function returns its
/// dimensions in this order.
inline constexpr llvm::StringLiteral kMemoryOrderAttr = "fxgraph.memory_order";

} // namespace fxgraph

#endif // FXGRAPH_DIALECT_IR_MEMORYORDER_H
