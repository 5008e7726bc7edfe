// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pattern: stack(a, p#i … p#j, b; s) -> movedim(unflatten(cat(a, slice(x; d, …), b; d);
// d, (k, m)); d, s), with p = split(x; S, d) and a long enough run, or x for all
// pieces. PyTorch: torch/_inductor/fx_passes/split_cat.py, split_stack_to_cats. Exact;
// linear (see RunMerging.cpp).

#include "RunMerging.h"
#include "fxgraph/Transforms/SplitCat/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_SPLITSTACKTOCATSPASS
#include "fxgraph/Transforms/SplitCat/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"split-stack-to-cats", "split_stack_to_cats_pass"};

namespace {
struct SplitStackToCatsPass : public impl::SplitStackToCatsPassBase<SplitStackToCatsPass> {
  using Base::Base;

  void runOnOperation() override {
    RunMergingOptions options{kKind};
    options.splits = true;
    options.threshold = thresholdToCat;
    options.allowSteps = allowSteps;
    if (failed(runMergeRuns<SplitLikeOpInterface, StackOp>(*this, options)))
      signalPassFailure();
  }
};
} // namespace
