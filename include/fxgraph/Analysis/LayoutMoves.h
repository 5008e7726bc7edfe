// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which movement of data takes a tensor that is cut into equal pieces, each of them
// reshaped, and joined again (`cat` or `stack` of `reshape` of the pieces of `chunk`)
// from its input to its result.
//
// Reasoning on linear indices instead of dimensions. Let the input, cut into k pieces
// along one dimension, be [A, k, M]: A the product of the extents before that dimension,
// M of the piece's extent and all that follow. A piece is [A, M] and a reshape does not
// change its row-major order. A cat along a dimension of the reshaped piece before which
// P elements lie (P the product of the extents in front) gives [P, k, Q] with P Q = A M.
// So k moves from behind A to behind P in one order of elements:
//
//   P == A          nothing moves: one reshape
//   P divides A     [P, a, k, M] -> [P, k, a, M]
//   A divides P     [A, k, s, Q] -> [A, s, k, Q]
//   otherwise       two movements: not worth it
//
// Constant time, without reference to the IR.

#ifndef FXGRAPH_ANALYSIS_LAYOUTMOVES_H
#define FXGRAPH_ANALYSIS_LAYOUTMOVES_H

#include "fxgraph/Support/LLVM.h"

namespace fxgraph {

/// reshape to `view`, permute by `order` (empty: not at all), reshape to the result.
struct LayoutMove {
  SmallVector<int64_t> view;
  SmallVector<int64_t> order;
};

/// The move for `pieces` equal pieces cut from `input` along `splitDim`, each reshaped to
/// `piece` and joined along its dimension `catDim`. For a stack, `piece` has the new extent
/// of 1 at `catDim`. Nullopt if it takes more than one movement, if an extent is unknown, or
/// if the numbers do not fit together.
std::optional<LayoutMove> getPieceCatMove(ArrayRef<int64_t> input, int64_t splitDim, int64_t pieces,
                                          ArrayRef<int64_t> piece, int64_t catDim);

} // namespace fxgraph

#endif // FXGRAPH_ANALYSIS_LAYOUTMOVES_H
