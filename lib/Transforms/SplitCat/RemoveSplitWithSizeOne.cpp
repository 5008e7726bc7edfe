// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pattern: split(x; [n]) -> x. PyTorch: torch/_inductor/fx_passes/split_cat.py,
// remove_split_with_size_one. Exact. One walk over the ops.

#include "fxgraph/Transforms/SplitCat/SplitCatUtils.h"
#include "fxgraph/Transforms/SplitCat/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_REMOVESPLITWITHSIZEONEPASS
#include "fxgraph/Transforms/SplitCat/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"remove-split-with-size-one", "remove_split_with_size_one_pass"};

namespace {
struct RemoveSplitWithSizeOnePass : public impl::RemoveSplitWithSizeOnePassBase<RemoveSplitWithSizeOnePass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<SplitLikeOpInterface>())
      return;
    SmallVector<SplitLikeOpInterface> candidates;
    getOperation().getFunctionBody().walk([&](SplitLikeOpInterface split) {
      // A split without users is dead code, and Inductor does not count it.
      if (split->getNumResults() == 1 && !split.dropsDim() && !split->use_empty())
        candidates.push_back(split);
    });
    for (SplitLikeOpInterface split : candidates) {
      Value input = split->getOperand(0);
      Location loc = split->getLoc();
      // `?` in the split dimension: the piece's extent is known, the input's is not.
      if (split->getResult(0).getType() != input.getType()) {
        session.missed(loc, kKind, "the piece and the input differ in type");
        continue;
      }
      if (wouldAliasBoundary(input, split)) {
        session.missed(loc, kKind, "a result of the graph would become an argument or another result");
        continue;
      }
      session.begin(kKind);
      session.getRewriter().replaceOp(split, input);
      session.applied(loc);
    }
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
