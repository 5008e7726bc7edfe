// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-predispatch-fuse-chunk-squeeze-cat: all slices of extent 1, squeezed and joined, are a permute.
// The search is in PieceCat.cpp. Exact; linear.
//
// PyTorch: the name of a pre-dispatch pass (torch/_inductor/fx_passes/pre_grad.py,
// fuse_chunk_squeeze_cat_pass) whose open version does nothing.

#include "fxgraph/Transforms/SplitCat/PieceCat.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/PreDispatch/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_FUSECHUNKSQUEEZECATPASS
#include "fxgraph/Transforms/PreDispatch/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"fuse-chunk-squeeze-cat", "fuse_chunk_squeeze_cat_pass"};

namespace {
struct FuseChunkSqueezeCatPass : public fxgraph::impl::FuseChunkSqueezeCatPassBase<FuseChunkSqueezeCatPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<SplitLikeOpInterface>() || session.lacks<CatLikeOpInterface>())
      return;
    fusePieceCats(session, {kKind, PieceChain::Squeeze, /*partialRuns=*/false, keepUsers});
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
