// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pattern: stack(a, u#i … u#j, b; s) -> cat(unsqueeze(a; s), movedim(slice(x; d, …); d,
// s), unsqueeze(b; s); s), with u = unbind(x; d) and a long enough run, or x for all
// pieces. PyTorch: torch/_inductor/fx_passes/split_cat.py, unbind_stack_to_slices.
// Exact; linear (see RunMerging.cpp).

#include "RunMerging.h"
#include "fxgraph/Transforms/SplitCat/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_UNBINDSTACKTOSLICESPASS
#include "fxgraph/Transforms/SplitCat/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"unbind-stack-to-slices", "unbind_stack_to_slices_pass"};

namespace {
struct UnbindStackToSlicesPass : public impl::UnbindStackToSlicesPassBase<UnbindStackToSlicesPass> {
  using Base::Base;

  void runOnOperation() override {
    RunMergingOptions options{kKind};
    options.unbinds = true;
    options.threshold = thresholdToCat;
    options.allowSteps = allowSteps;
    if (failed(runMergeRuns<UnbindOp, StackOp>(*this, options)))
      signalPassFailure();
  }
};
} // namespace
