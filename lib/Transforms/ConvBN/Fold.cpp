// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-convbn-fold: batch norms in evaluation mode are folded into the
// convolution or linear that feeds them, if all parameters are constants of the run.
// One walk over the norms.
//
// PyTorch: torch/_inductor/fx_passes/pre_grad.py (fuse_conv_bn),
// torch/nn/utils/fusion.py.

#include "ConvBNUtils.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/ConvBN/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_CONVBNFOLDPASS
#include "fxgraph/Transforms/ConvBN/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"convbn-fold", "fuse_conv_bn", NumericClass::ChangesPrecision};

namespace {
struct ConvBNFoldPass : public fxgraph::impl::ConvBNFoldPassBase<ConvBNFoldPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(
            foldNorms(*this, {kKind, numerics, normChains, /*onlyFrozen=*/requireConstants, /*copiesWeights=*/true})))
      signalPassFailure();
  }
};
} // namespace
