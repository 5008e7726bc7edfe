// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pattern: cat(a, p#i … p#j, b; d) -> cat(a, slice(x; d, …), b; d), with p = split(x; S, d)
// and a long enough run, or x for all pieces: fxgraph-splitcat-split-cat-to-slices under
// the name that Inductor has for it behind autodiff. PyTorch: torch/_inductor/fx_passes/
// split_cat.py, split_cat_aten. Exact; linear (see RunMerging.cpp).

#include "RunMerging.h"
#include "fxgraph/Transforms/SplitCat/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_SPLITCATATENPASS
#include "fxgraph/Transforms/SplitCat/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"split-cat-aten", "split_cat_aten_pass"};

namespace {
struct SplitCatAtenPass : public impl::SplitCatAtenPassBase<SplitCatAtenPass> {
  using Base::Base;

  void runOnOperation() override {
    RunMergingOptions options{kKind};
    options.splits = true;
    options.threshold = thresholdToCat;
    options.allowSteps = allowSteps;
    if (failed(runMergeRuns<SplitLikeOpInterface, CatOp>(*this, options)))
      signalPassFailure();
  }
};
} // namespace
