// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over slices as loops with a counter; for scan and map.

#ifndef FXGRAPH_LIB_TRANSFORMS_MUTATION_LOOPDECOMPOSITION_H
#define FXGRAPH_LIB_TRANSFORMS_MUTATION_LOOPDECOMPOSITION_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"

namespace fxgraph {

/// A loop whose body takes carried values, slices and additional values, and yields the
/// next carried values and one slice of each stacked result.
struct SliceLoop {
  Operation *op;
  mlir::OperandRange carried, sliced, additional;
  Block *body;
};

/// Replaces the loop by a while_loop that counts. Failure with an error at the op.
LogicalResult decomposeToWhileLoop(RewriteSession &session, const RewriteKind &kind, const SliceLoop &loop);

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_MUTATION_LOOPDECOMPOSITION_H
