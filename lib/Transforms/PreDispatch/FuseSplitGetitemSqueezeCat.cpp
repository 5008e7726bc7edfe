// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-predispatch-fuse-split-getitem-squeeze-cat: runs of slices of extent 1, squeezed and joined.
// The search is in PieceCat.cpp. Exact; linear.
//
// PyTorch: the name of a pre-dispatch pass (torch/_inductor/fx_passes/pre_grad.py,
// fuse_split_getitem_squeeze_cat) whose open version does nothing.

#include "fxgraph/Transforms/SplitCat/PieceCat.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/PreDispatch/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_FUSESPLITGETITEMSQUEEZECATPASS
#include "fxgraph/Transforms/PreDispatch/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"fuse-split-getitem-squeeze-cat", "fuse_split_getitem_squeeze_cat"};

namespace {
struct FuseSplitGetitemSqueezeCatPass
    : public fxgraph::impl::FuseSplitGetitemSqueezeCatPassBase<FuseSplitGetitemSqueezeCatPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<SplitLikeOpInterface>() || session.lacks<CatLikeOpInterface>())
      return;
    fusePieceCats(session, {kKind, PieceChain::Squeeze, /*partialRuns=*/true, keepUsers});
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
