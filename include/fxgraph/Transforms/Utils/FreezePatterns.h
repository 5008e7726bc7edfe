// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling a set of patterns for a sweep.

#ifndef FXGRAPH_TRANSFORMS_UTILS_FREEZEPATTERNS_H
#define FXGRAPH_TRANSFORMS_UTILS_FREEZEPATTERNS_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace fxgraph {

/// What `FrozenRewritePatternSet(std::move(set))` gives, but that the ops of a PDL pattern get the location of
/// the op that it starts from, as those of patterns in C++ do. MLIR fuses the locations of all ops
/// matched, for every match, also of those that come to nothing: uniquing them for the context is a third of the time
/// of a sweep, and they are never freed.
mlir::FrozenRewritePatternSet freezePatterns(mlir::RewritePatternSet &&set);

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_UTILS_FREEZEPATTERNS_H
