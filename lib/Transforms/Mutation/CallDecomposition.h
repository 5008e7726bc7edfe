// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls on copies as copies and calls.

#ifndef FXGRAPH_LIB_TRANSFORMS_MUTATION_CALLDECOMPOSITION_H
#define FXGRAPH_LIB_TRANSFORMS_MUTATION_CALLDECOMPOSITION_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"

namespace fxgraph {

/// True for the launch of a Triton kernel.
bool launchesTritonKernel(AutoFunctionalizedOp op);

/// Replaces those calls on copies for which `isMeant` holds. False if a rewrite was wrong.
bool decomposeCallsOnCopies(RewriteSession &session, const RewriteKind &kind,
                            function_ref<bool(AutoFunctionalizedOp)> isMeant);

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_MUTATION_CALLDECOMPOSITION_H
