// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Storage at the boundary of a graph. Inside a graph values are immutable, so
// that `cat(pieces of x) -> x` is right whatever is written where: `copy_` writes
// an argument at its position, and every SSA value that was read from that
// argument stays the old one (docs: design, "Writes"). What a rewrite can break
// is what the *caller* sees: a result that was fresh storage may become an
// argument, a view of one, or the storage of another result, and the caller may
// write to it.
//
// Algorithm: before the first rewrite note which results share storage with what;
// after the last one, a result that shares more than it did gets a `clone`.
// Linear in the results and the views behind them.

#ifndef FXGRAPH_TRANSFORMS_UTILS_ALIASING_H
#define FXGRAPH_TRANSFORMS_UTILS_ALIASING_H

#include "fxgraph/Analysis/Storage.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"

namespace fxgraph {

/// True if a result of `op` is an operand of a terminator.
bool isReturned(Operation *op);

/// Whether a result of the user may be the operand or a view of it: of a view, or an unknown op.
bool mayReturnOperand(OpOperand &use);

/// True if an unknown op (`opaque`) that may write to this operand sees storage
/// of a result of `op`, directly or through views. A fresh copy that reaches one
/// must stay.
bool reachesWriter(Operation *op);

/// The same for a result of the graph or any unknown op.
bool reachesBoundary(Operation *op);

/// Whether as many results of the graph share storage with a result of `op`.
bool reachesResults(Operation *op, unsigned count);

/// Whether putting `newValue` in the place of the result of `old`, a view that is
/// the identity, would make a result of the graph an argument or the same value as
/// another result. Such a view is kept: it is free, and it keeps them apart.
bool wouldAliasBoundary(Value newValue, Operation *old);

/// Keeps the results of a graph as separate as they were, and what ops with regions
/// (`scf.if`, …) give from what comes from outside the region.
class BoundaryGuard {
public:
  explicit BoundaryGuard(RewriteSession &session) : session(session) {}

  /// Notes the sharing. To be called before the first rewrite; further calls do nothing.
  void snapshot();
  /// Clones results that share more than at the snapshot. Returns how many.
  unsigned restore();
  /// All three steps of a pass that keeps views at the boundary: a clone there sets free
  /// the views before it, so `rewrite` is run again while one was made.
  LogicalResult rewriteGuarded(function_ref<LogicalResult()> rewrite);

private:
  /// For each operand of each return or yield: the argument, or value from outside the
  /// region, that it shares storage with (or null), and the first operand of the same
  /// op that it shares storage with.
  struct Sharing {
    Value outer;
    size_t group;
  };
  SmallVector<Sharing> getSharing(Operation *terminator, bool mayCopy);

  RewriteSession &session;
  bool taken = false;
  /// True if a terminator is inside an op, with which it may die.
  bool hasNested = false;
  SmallVector<std::pair<Operation *, SmallVector<Sharing>>> before;
};

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_UTILS_ALIASING_H
