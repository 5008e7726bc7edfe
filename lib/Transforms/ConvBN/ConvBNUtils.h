// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes on batch norms share: which convolution a norm belongs to, when the
// two may become one, and the convolution that they become.

#ifndef FXGRAPH_LIB_TRANSFORMS_CONVBN_CONVBNUTILS_H
#define FXGRAPH_LIB_TRANSFORMS_CONVBN_CONVBNUTILS_H

#include "fxgraph/Transforms/Utils/RewriteSession.h"

namespace fxgraph {

struct NormFoldOptions {
  RewriteKind kind;
  /// The pass's option.
  StringRef numerics;
  /// Of norms in a row take the second too: it finds the first folded.
  bool chains;
  /// Only norms whose parameters are the same in every run.
  bool onlyFrozen;
  /// Also where scaling a weight takes a copy of it in another shape.
  bool copiesWeights;
};

/// Folds the norms of the pass's graph into the convolutions and linears before them, in
/// one walk. Failure (with a diagnostic) for wrong options and for a wrong rewrite.
LogicalResult foldNorms(GraphPass &pass, const NormFoldOptions &options);

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_CONVBN_CONVBNUTILS_H
