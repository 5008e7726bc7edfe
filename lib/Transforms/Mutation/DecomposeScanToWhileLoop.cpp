// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-mutation-decompose-scan-to-while-loop: see LoopDecomposition.cpp.

#include "LoopDecomposition.h"
#include "fxgraph/Transforms/Mutation/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_MUTATIONDECOMPOSESCANTOWHILELOOPPASS
#include "fxgraph/Transforms/Mutation/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"scan-to-while-loop", ""};

namespace {
struct DecomposeScanToWhileLoopPass
    : public impl::MutationDecomposeScanToWhileLoopPassBase<DecomposeScanToWhileLoopPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<ScanOp>())
      return;
    // Inner ones first: what holds them is cloned.
    SmallVector<ScanOp> scans;
    getOperation().walk([&](ScanOp op) { scans.push_back(op); });
    for (ScanOp op : scans)
      if (failed(decomposeToWhileLoop(
              session, kKind, {op, op.getCarried(), op.getScanned(), op.getAdditional(), &op.getBody().front()})))
        return signalPassFailure();
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
