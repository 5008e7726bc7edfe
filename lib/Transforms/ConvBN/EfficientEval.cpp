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
#include "fxgraph/Transforms/ConvBN/Passes.h"
#include "fxgraph/Transforms/Utils/Numerics.h"

namespace fxgraph {
#define GEN_PASS_DEF_CONVBNEFFICIENTEVALPASS
#include "fxgraph/Transforms/ConvBN/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"convbn-efficient-eval", "efficient_conv_bn_eval", NumericClass::ChangesPrecision};

/// Why the norm stays; empty if it can be folded. Fills `producer`.
static std::string getObstacle(BatchNormOp norm, NormProducer &producer) {
  std::string obstacle = getFoldObstacle(norm, producer);
  // The weight [c, o / groups, …] has no dimension of all output channels: the scale
  // would need a copy of the weight in another shape in every step.
  if (obstacle.empty() && producer.groups != 1)
    return "the scale does not broadcast against the weight of a grouped transposed convolution";
  return obstacle;
}

namespace {
struct ConvBNEfficientEvalPass : public fxgraph::impl::ConvBNEfficientEvalPassBase<ConvBNEfficientEvalPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<NumericClass> widest = parseNumerics(getOperation().getLoc(), numerics);
    if (failed(widest))
      return signalPassFailure();
    RewriteSession session(*this);
    if (session.lacks<BatchNormOp>())
      return;
    SmallVector<BatchNormOp> norms = collectNorms(getOperation(), normChains);
    if (norms.empty())
      return;
    for (BatchNormOp norm : norms) {
      NormProducer producer;
      std::string obstacle = allows(*widest, kKind.numerics)
                                 ? getObstacle(norm, producer)
                                 : "the rewrite changes roundings, which needs numerics=relaxed";
      if (obstacle.empty())
        foldNorm(session, kKind, norm, producer);
      else
        session.missed(norm.getLoc(), kKind, obstacle);
    }
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
