// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pattern: cat(a, u#0 … u#n-1, b; c) -> cat(a, movedim(x; d, c) with c and c + 1
// merged, b; c), with u = unbind(x; d); for a long enough run with a slice of x.
// PyTorch: torch/_inductor/fx_passes/split_cat.py, unbind_cat_to_view. Exact; linear
// (see RunMerging.cpp).

#include "RunMerging.h"
#include "fxgraph/Transforms/SplitCat/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_UNBINDCATTOVIEWPASS
#include "fxgraph/Transforms/SplitCat/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"unbind-cat-to-view", "unbind_cat_to_view_pass"};

namespace {
struct UnbindCatToViewPass : public impl::UnbindCatToViewPassBase<UnbindCatToViewPass> {
  using Base::Base;

  void runOnOperation() override {
    RunMergingOptions options{kKind};
    options.unbinds = true;
    options.threshold = thresholdToCat;
    options.allowSteps = allowSteps;
    if (failed(runMergeRuns<UnbindOp, CatOp>(*this, options)))
      signalPassFailure();
  }
};
} // namespace
