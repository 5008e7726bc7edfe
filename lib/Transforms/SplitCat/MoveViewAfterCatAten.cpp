// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-splitcat-move-view-after-cat-aten: equal pieces, reshaped and joined, are a permute.
// The search is in PieceCat.cpp. Exact; linear.
//
// PyTorch: torch/_inductor/fx_passes/split_cat.py, move_view_after_cat.

#include "fxgraph/Transforms/SplitCat/PieceCat.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/SplitCat/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_MOVEVIEWAFTERCATATENPASS
#include "fxgraph/Transforms/SplitCat/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"move-view-after-cat-aten", "move_view_after_cat_aten_pass"};

namespace {
struct MoveViewAfterCatAtenPass : public fxgraph::impl::MoveViewAfterCatAtenPassBase<MoveViewAfterCatAtenPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<SplitLikeOpInterface>() || session.lacks<CatLikeOpInterface>())
      return;
    fusePieceCats(session, {kKind, PieceChain::Reshape, /*partialRuns=*/false, /*keepUsers=*/true});
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
