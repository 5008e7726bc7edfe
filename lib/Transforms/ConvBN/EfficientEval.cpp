// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-convbn-efficient-eval: batch norms in evaluation mode become part of the
// convolution or linear that feeds them, with the scale computed in the graph from
// parameters that may change (training with frozen statistics). One walk over the
// norms.
//
// PyTorch: torch/_inductor/fx_passes/efficient_conv_bn_eval.py.

#include "ConvBNUtils.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/ConvBN/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_CONVBNEFFICIENTEVALPASS
#include "fxgraph/Transforms/ConvBN/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"convbn-efficient-eval", "efficient_conv_bn_eval", NumericClass::ChangesPrecision};

namespace {
struct ConvBNEfficientEvalPass : public fxgraph::impl::ConvBNEfficientEvalPassBase<ConvBNEfficientEvalPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(foldNorms(*this, {kKind, numerics, normChains, /*onlyFrozen=*/false, /*copiesWeights=*/false})))
      signalPassFailure();
  }
};
} // namespace
