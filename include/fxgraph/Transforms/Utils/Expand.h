// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns on one op that a pass has made for them.

#ifndef FXGRAPH_TRANSFORMS_UTILS_EXPAND_H
#define FXGRAPH_TRANSFORMS_UTILS_EXPAND_H

#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "mlir/Rewrite/PatternApplicator.h"

namespace fxgraph {

/// Applies the patterns to this op alone, which has no users and is the caller's own: what
/// a pattern puts in its place, or nothing if none matches, and the op stays. What is made
/// is heard of as in any rewrite of the session, the replacement of the op is not.
std::optional<SmallVector<Value>> expand(RewriteSession &session, Operation *op, mlir::PatternApplicator &patterns);

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_UTILS_EXPAND_H
