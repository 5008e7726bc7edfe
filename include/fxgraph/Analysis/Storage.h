// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values share storage in PyTorch. In the IR values are immutable; what shares
// storage only matters to whoever may write: the caller of a graph, and unknown ops.

#ifndef FXGRAPH_ANALYSIS_STORAGE_H
#define FXGRAPH_ANALYSIS_STORAGE_H

#include "fxgraph/Support/LLVM.h"

namespace fxgraph {

/// The operand whose storage the results of `op` share, or null. With `mayCopy` ops that
/// only sometimes copy (`contiguous`) count as views too.
Value getViewSource(Operation *op, bool mayCopy);

/// The value whose storage `value` may share: the source behind all views
/// (`view`, `permute`, pieces of a split, `detach`, …).
Value getStorageRoot(Value value, bool mayCopy);

} // namespace fxgraph

#endif // FXGRAPH_ANALYSIS_STORAGE_H
