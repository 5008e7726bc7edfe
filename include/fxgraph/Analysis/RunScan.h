// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of pieces in the operand list of a cat or stack: which neighbouring
// operands are pieces of one split (or unbind) that can be taken from its input
// at once.
//
// A run is *whole* (all pieces 0 … n-1, in order: the input itself), or a range of
// `threshold` pieces or more with a constant step (a slice of the input).
// Everything else stays an operand by itself, in its place.
//
// Algorithm. First a stack of operands, on which every whole run collapses into
// the input it stands for; that may be a piece itself and complete a run further
// out. Then the fewest runs that cover the list, by dynamic programming from its
// end: two neighbouring progressions share one operand at most, so a run ends
// where its progression ends or one before.
//
// Complexity: linear in the operands, however deep the splits are nested. Pure:
// operands are plain numbers here, the caller knows what they mean.
//
// PyTorch: torch/_inductor/fx_passes/split_cat.py, construct_cat_args, whose loop
// loses, repeats and reorders operands (test/Unit/Analysis/RunScanTest.cpp).

#ifndef FXGRAPH_ANALYSIS_RUNSCAN_H
#define FXGRAPH_ANALYSIS_RUNSCAN_H

#include "fxgraph/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace fxgraph {

/// What is known about one operand.
struct Piece {
  /// Identity of the split; null for an operand that is no piece.
  const void *producer = nullptr;
  int64_t number = 0; ///< of this piece
  int64_t count = 0;  ///< of all pieces of the split
  /// Pieces of one block have one extent, and so have all between them; only these
  /// may be taken with a step.
  int64_t block = 0;
};

/// Operands [begin, end) of the list.
struct PieceRun {
  const void *producer = nullptr; ///< null: one operand by itself
  int64_t first = 0, count = 1, step = 1;
  size_t begin = 0, end = 0;
  bool isWhole = false;

  bool isMerged() const { return producer != nullptr; }
  /// One past the last piece.
  int64_t getPieceEnd() const { return first + (count - 1) * step + 1; }
};

struct RunScanOptions {
  /// Fewest pieces of a run that is not whole; one piece is never a run.
  int64_t threshold = 10;
  /// Also runs of every second, third, … piece.
  bool allowSteps = false;
  /// The input of a producer as a piece of another one; may be absent.
  function_ref<Piece(const void *)> getInputPiece = nullptr;
};

/// Cuts the list into runs, in order. Nothing can be merged if no run `isMerged`.
SmallVector<PieceRun> scanRuns(ArrayRef<Piece> operands, const RunScanOptions &options);

} // namespace fxgraph

#endif // FXGRAPH_ANALYSIS_RUNSCAN_H
