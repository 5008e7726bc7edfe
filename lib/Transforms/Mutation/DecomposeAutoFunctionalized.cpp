// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-mutation-decompose-auto-functionalized: see CallDecomposition.cpp.

#include "CallDecomposition.h"
#include "fxgraph/Transforms/Mutation/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_MUTATIONDECOMPOSEAUTOFUNCTIONALIZEDPASS
#include "fxgraph/Transforms/Mutation/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"decompose-auto-functionalized", ""};

namespace {
struct DecomposeAutoFunctionalizedPass
    : public impl::MutationDecomposeAutoFunctionalizedPassBase<DecomposeAutoFunctionalizedPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (!decomposeCallsOnCopies(session, kKind, [](AutoFunctionalizedOp op) { return !launchesTritonKernel(op); }))
      signalPassFailure();
  }
};
} // namespace
