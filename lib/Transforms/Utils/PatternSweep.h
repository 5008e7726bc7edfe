// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver of declarative patterns: MLIR's greedy driver, for graphs of a million
// candidates of which few are rewritten.
//
// Order and result are those of mlir::applyOpPatternsGreedily (existing and new ops, no
// folding): candidates last to first, and what a rewrite made or touched before anything
// else. Or first to last (SweepOrder), or those that a pass gives, in its order. The greedy driver keeps all candidates in a hash from which each is taken when its
// turn comes; in large graphs that is a cache miss or two an op, more than it takes to ask
// the patterns. Here the candidates are a list that is walked from its end, and only what is
// to be visited once more is hashed. Whether a candidate is still ahead is then a question
// of its place in the block.

#ifndef FXGRAPH_LIB_TRANSFORMS_UTILS_PATTERNSWEEP_H
#define FXGRAPH_LIB_TRANSFORMS_UTILS_PATTERNSWEEP_H

#include "fxgraph/Analysis/FrozenValues.h"
#include "fxgraph/Transforms/Utils/OpList.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace fxgraph {

/// The rewriter of a sweep's patterns: knows the session that applies them. A native
/// rewrite of a PDL pattern may fail: what it has made until then is dead.
class SweepRewriter : public mlir::PatternRewriter {
public:
  SweepRewriter(MLIRContext *context, RewriteSession &session, std::optional<FrozenValues> &frozen)
      : PatternRewriter(context), session(session), frozen(frozen) {}
  bool canRecoverFromRewriteFailure() const override { return true; }

  RewriteSession &session;
  /// The sweep's, which keeps it up to date; nothing until a pattern asks.
  std::optional<FrozenValues> &frozen;
};

class PatternSweep : public mlir::RewriterBase::ForwardingListener {
public:
  /// Ops whose name is in `roots` are candidates, all if it is empty.
  PatternSweep(RewriteSession &session, ArrayRef<StringRef> roots, SweepOrder order,
               mlir::RewriterBase::Listener *listener);
  /// These ops are candidates, one after the other; then those with their names that a
  /// rewrite touches.
  PatternSweep(RewriteSession &session, ArrayRef<Operation *> candidates, mlir::RewriterBase::Listener *listener);

  /// Rewrites until no pattern matches; failure if that takes more than getMaxRewrites, or once
  /// a pattern has failed the session.
  LogicalResult run(const mlir::FrozenRewritePatternSet &patterns);
  /// Inverse patterns must not run for ever; 64 rewrites an op is far beyond any legitimate
  /// chain.
  int64_t getMaxRewrites() const { return 64 * static_cast<int64_t>(numOps); }
  /// Ops that the sweep does not visit and that lost their last user: dead if they have no effects.
  SmallVector<Operation *> takeOrphans() { return orphans.take(); }

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint previous) override;
  void notifyOperationModified(Operation *op) override;
  void notifyOperationErased(Operation *op) override;

private:
  /// What is known of an op that a pattern has made, or that is to be visited again. One entry for both: to hash is
  /// what a rewrite costs most.
  struct State {
    static constexpr size_t kNowhere = ~size_t(0);
    size_t position = kNowhere; ///< in `again`
    bool isMade = false;
  };

  bool isCandidate(Operation *op) const { return names.empty() || names.contains(op->getName().getAsOpaquePointer()); }
  /// True if the walk has yet to come to this candidate. Of those that a pass gives nobody knows:
  /// they may be visited twice.
  bool isAhead(Operation *op);
  void visitAgain(Operation *op);
  void addAgain(Operation *op, State &state);
  Operation *takeNext();
  bool isBeyondLimit(int64_t numRewrites);

  RewriteSession &session;
  mlir::FunctionOpInterface function;
  SweepOrder order = SweepOrder::UsersFirst;
  llvm::SmallPtrSet<const void *, 8> names;
  /// In the function; until it is needed, of the candidates that a pass gives.
  size_t numOps = 0;
  bool isCounted = false;

  /// The candidates that are ahead, the next one last; erased ones are passed over.
  SmallVector<Operation *> ahead;
  DenseSet<Operation *> erased;
  /// How many of these may stand before a candidate of the entry block that is ahead: the
  /// last of them is the one, but for candidates of other blocks and erased ones.
  size_t entryEnd = 0;
  /// Those outside the entry block, which are few.
  DenseSet<Operation *> nested;
  /// The candidates are those that a pass gives.
  bool areGiven = false;

  DenseMap<Operation *, State> states;
  /// What is to be visited again, each once, the next one last; null where one was taken out.
  SmallVector<Operation *> again;
  OpList orphans;
  std::optional<FrozenValues> frozen;
};

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_UTILS_PATTERNSWEEP_H
