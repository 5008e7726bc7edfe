// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which buffers share memory: the one planner of all back ends.

#ifndef FXGRAPH_ANALYSIS_WORKSPACE_H
#define FXGRAPH_ANALYSIS_WORKSPACE_H

#include "fxgraph/Support/LLVM.h"

namespace fxgraph {

/// A buffer in use from one step to another, both included.
struct BufferLife {
  int64_t first = 0, last = 0;
  int64_t bytes = 0; ///< 0 takes a place too: it needs an address of its own
};

/// Where buffers are in one piece of memory, in bytes from its start.
struct WorkspacePlan {
  SmallVector<int64_t> offsets; ///< of each life
  int64_t bytes = 0;            ///< of all of them
};

/// Gives lives that overlap memory apart, each at a multiple of `alignment`. In the order
/// of their beginnings each takes the smallest free piece that holds it (best fit), or the
/// end. O(n log n) in the lives.
WorkspacePlan planWorkspace(ArrayRef<BufferLife> lives, int64_t alignment);

} // namespace fxgraph

#endif // FXGRAPH_ANALYSIS_WORKSPACE_H
