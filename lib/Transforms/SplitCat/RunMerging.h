// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cats and stacks that take runs of pieces from the input of the split at once:
// what split-cat-to-slices, unbind-cat-to-view, split-stack-to-cats,
// unbind-stack-to-slices, move-reshape-out-of-split-stack and
// merge-stack-tanh-unbind have in common.

#ifndef FXGRAPH_LIB_TRANSFORMS_SPLITCAT_RUNMERGING_H
#define FXGRAPH_LIB_TRANSFORMS_SPLITCAT_RUNMERGING_H

#include "fxgraph/Transforms/SplitCat/SplitCatUtils.h"
#include "fxgraph/Analysis/RunScan.h"
#include <limits>

namespace fxgraph {

struct RunMergingOptions {
  RewriteKind kind;
  /// Which producers count: splits, unbinds, or both.
  bool splits = false, unbinds = false;
  /// Operands are reshapes of pieces, not pieces; for stacks.
  bool throughReshapes = false;
  /// Fewest pieces of a run that is not all of a split.
  int64_t threshold = 10;
  static constexpr int64_t kAllPieces = std::numeric_limits<int64_t>::max();
  /// Also runs of every second, third, … piece.
  bool allowSteps = false;
  /// Only producers for which this holds; null: all.
  function_ref<bool(Operation *)> accepts = nullptr;
};

/// Rewrites cats and stacks over runs of pieces, each on its own: splits stay for
/// their other users, and go when they have none. See RunMerging.cpp.
class RunMerger {
public:
  RunMerger(RewriteSession &session, BoundaryGuard &guard, const RunMergingOptions &options)
      : session(session), guard(guard), options(options) {}

  /// Merges the runs of one cat or stack, or says in a remark why it does not;
  /// nothing is said where no operand is a piece.
  void visit(CatLikeOpInterface join);
  /// Erases what has lost its users. To be called after the last visit.
  void finish() { session.eraseDeadOps(released.getArrayRef()); }

private:
  /// What is known about a split.
  struct Source {
    StringRef obstacle;                     ///< why its pieces are left alone, or empty
    const SectionCache::Sections *sections; ///< null with some obstacles
    SmallVector<int64_t> blocks;            ///< of equal sections, for each piece; only with allowSteps
  };

  SplitLikeOpInterface getSplit(CatLikeOpInterface join, Value operand) const;
  const Source &getSource(SplitLikeOpInterface split);
  Piece getPiece(CatLikeOpInterface join, Value operand);
  SmallVector<PieceRun> findRuns(CatLikeOpInterface join);
  bool isIdentity(CatLikeOpInterface join, const PieceRun &run) const;
  std::optional<int64_t> getCommonDim(CatLikeOpInterface join, ArrayRef<PieceRun> runs) const;
  Value createPieces(Location loc, const PieceRun &run);
  Value createReshaped(CatLikeOpInterface join, const PieceRun &run);
  Value createOperand(CatLikeOpInterface join, const PieceRun &run);
  Value createJoin(CatLikeOpInterface join, ArrayRef<PieceRun> runs);
  void rewrite(CatLikeOpInterface join, ArrayRef<PieceRun> runs);

  RewriteSession &session;
  BoundaryGuard &guard;
  RunMergingOptions options;
  SectionCache cache;
  DenseMap<Operation *, std::unique_ptr<Source>> sources;
  StringRef obstacle; ///< of the join that is looked at
  SetVector<Operation *> released;
};

/// A whole pass: all cats, or all stacks, of the function.
void mergeRuns(RewriteSession &session, bool stacks, const RunMergingOptions &options);

/// The body of a pass over all joins of one kind (CatOp or StackOp), for graphs that have
/// one and a producer of pieces. Failure if a checked rewrite was wrong.
template <typename Producer, typename Join>
LogicalResult runMergeRuns(GraphPass &pass, const RunMergingOptions &options) {
  RewriteSession session(pass);
  if (!session.lacks<Producer>() && !session.lacks<Join>())
    mergeRuns(session, /*stacks=*/std::is_same_v<Join, StackOp>, options);
  return success(session.isValid());
}

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_SPLITCAT_RUNMERGING_H
