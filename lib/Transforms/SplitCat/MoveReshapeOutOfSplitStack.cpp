// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pattern: stack(reshape(p#0; R) … reshape(p#n-1; R); s) -> a reshape, or a reshape,
// permute and reshape, of x, with p = split(x; S, d). PyTorch: torch/_inductor/
// fx_passes/split_cat.py, move_reshape_out_of_split_stack. Exact; linear (see
// RunMerging.cpp).

#include "RunMerging.h"
#include "fxgraph/Transforms/SplitCat/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_MOVERESHAPEOUTOFSPLITSTACKPASS
#include "fxgraph/Transforms/SplitCat/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"move-reshape-out-of-split-stack", "move_reshape_out_of_split_stack_pass"};

namespace {
struct MoveReshapeOutOfSplitStackPass
    : public impl::MoveReshapeOutOfSplitStackPassBase<MoveReshapeOutOfSplitStackPass> {
  using Base::Base;

  void runOnOperation() override {
    RunMergingOptions options{kKind};
    options.splits = options.unbinds = options.throughReshapes = true;
    options.threshold = thresholdToCat;
    options.allowSteps = allowSteps;
    if (failed(runMergeRuns<SplitLikeOpInterface, StackOp>(*this, options)))
      signalPassFailure();
  }
};
} // namespace
