// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pattern: u = unbind(f(stack(xs; a)); b), f a chain of unary pointwise ops:
//   xs all pieces of a split or unbind of z    -> f(z, reshaped and permuted)
//   stack(u#0 … u#n-1; c), cat(u#0 … u#n-1; c) -> f(…), permuted (and flattened)
// PyTorch: the key merge_stack_tahn_unbind_pass, which does nothing in the open
// source; the meaning is ours. Exact.
//
// Algorithm: one walk finds the chains; then each stack and cat at either end is
// rewritten once. Linear in ops and operands: every op of a chain has one user, so it
// is in one chain.

#include "RunMerging.h"
#include "fxgraph/Transforms/SplitCat/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_MERGESTACKTANHUNBINDPASS
#include "fxgraph/Transforms/SplitCat/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

// The spelling of the counter is Inductor's.
static const RewriteKind kKind{"merge-stack-tanh-unbind", "merge_stack_tahn_unbind_pass"};

/// The unbind at the end of a chain stack → pointwise ops → unbind, in which each value
/// has one user; null if there is none.
static UnbindOp getEndOfChain(StackOp stack) {
  Operation *op = stack;
  bool anyPointwise = false;
  while (op->hasOneUse()) {
    Operation *user = *op->user_begin();
    if (user->getBlock() != op->getBlock())
      return {};
    if (!isa<UnaryPointwiseOpInterface>(user))
      return anyPointwise ? dyn_cast<UnbindOp>(user) : UnbindOp();
    anyPointwise = true;
    op = user;
  }
  return {};
}

namespace {
struct MergeStackTanhUnbindPass : public impl::MergeStackTanhUnbindPassBase<MergeStackTanhUnbindPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<UnbindOp>() || session.lacks<StackOp>())
      return;
    // Values instead of the unbinds: a stack that gives way to such a value hands it to
    // the next unbind.
    llvm::SmallPtrSet<Operation *, 8> heads;
    DenseSet<Value> batched;
    for (StackOp stack : session.collect<StackOp>())
      if (UnbindOp unbind = getEndOfChain(stack)) {
        heads.insert(stack);
        batched.insert(unbind.getInput());
      }
    if (heads.empty())
      return;
    SmallVector<CatLikeOpInterface> joins = session.collect<CatLikeOpInterface>();

    BoundaryGuard guard(session);
    auto isTail = [&](Operation *op) { return batched.contains(op->getOperand(0)); };
    RunMergingOptions options{kKind};
    options.unbinds = true;
    options.threshold = RunMergingOptions::kAllPieces;
    options.accepts = isTail;
    RunMerger tailMerger(session, guard, options);
    options.splits = true;
    options.accepts = nullptr;
    RunMerger headMerger(session, guard, options);
    for (CatLikeOpInterface join : joins)
      (heads.contains(join) ? headMerger : tailMerger).visit(join);
    tailMerger.finish();
    headMerger.finish();
    guard.restore();
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
