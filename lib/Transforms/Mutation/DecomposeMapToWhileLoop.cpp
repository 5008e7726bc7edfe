// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-mutation-decompose-map-to-while-loop: see LoopDecomposition.cpp.

#include "LoopDecomposition.h"
#include "fxgraph/Transforms/Mutation/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_MUTATIONDECOMPOSEMAPTOWHILELOOPPASS
#include "fxgraph/Transforms/Mutation/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"map-to-while-loop", ""};

namespace {
struct DecomposeMapToWhileLoopPass : public impl::MutationDecomposeMapToWhileLoopPassBase<DecomposeMapToWhileLoopPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<MapOp>())
      return;
    // Inner ones first: what holds them is cloned.
    SmallVector<MapOp> maps;
    getOperation().walk([&](MapOp op) { maps.push_back(op); });
    for (MapOp op : maps) {
      mlir::OperandRange none = op->getOperands().take_front(0);
      if (failed(decomposeToWhileLoop(session, kKind,
                                      {op, none, op.getMapped(), op.getAdditional(), &op.getBody().front()})))
        return signalPassFailure();
    }
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
