// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes have in common that find pieces of a split, each reshaped in the same
// way, joined again.

#ifndef FXGRAPH_TRANSFORMS_SPLITCAT_PIECECAT_H
#define FXGRAPH_TRANSFORMS_SPLITCAT_PIECECAT_H

#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"

namespace fxgraph {

/// What stands between a piece and the cat.
enum class PieceChain {
  Reshape,          ///< one of reshape, view, flatten, unflatten
  Squeeze,          ///< a squeeze of pieces of extent 1
  ReshapeUnsqueeze, ///< a reshape as above, then an unsqueeze
};

struct PieceCatOptions {
  RewriteKind kind;
  PieceChain chain;
  /// Also runs of neighbouring pieces, among other operands of a cat; otherwise all
  /// pieces of a split are all operands.
  bool partialRuns = false;
  /// Pieces and what stands behind them may have other users, for whom they stay.
  bool keepUsers = false;
};

/// Rewrites every cat and stack of such pieces of the function. One walk, linear in
/// the operands of cats and stacks.
void fusePieceCats(RewriteSession &session, const PieceCatOptions &options);

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_SPLITCAT_PIECECAT_H
