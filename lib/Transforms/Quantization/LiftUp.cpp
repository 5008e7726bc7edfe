// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-quantization-lift-up: a quantization moves before the views that stand between
// it and the op that makes the values. Each quantization walks up its views once; views
// have one user each, so that no two walk the same: linear.
//
// PyTorch: torch/_inductor/fx_passes/quantization.py (quant_lift_up).

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/Quantization/Passes.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "mlir/IR/IRMapping.h"

namespace fxgraph {
#define GEN_PASS_DEF_QUANTIZATIONLIFTUPPASS
#include "fxgraph/Transforms/Quantization/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"quant-lift-up", "quant_lift_up_count", NumericClass::Exact};

/// A view over which the lift costs nothing: no element is quantized that was not.
static bool isLiftable(ViewLikeOpInterface view) {
  return view.isBijective() || isa<ExpandOp, RepeatOp>(view.getOperation());
}

// Pattern: quantize_per_tensor(v_n(… v_1(y))) -> v_n(… v_1(quantize_per_tensor(y)))
static void lift(RewriteSession &session, QuantizePerTensorOp quantize) {
  SmallVector<Operation *> views; // last to first
  Value source = quantize.getInput();
  while (auto view = dyn_cast_if_present<ViewLikeOpInterface>(source.getDefiningOp())) {
    std::string obstacle;
    if (!source.hasOneUse())
      obstacle = "a view on the way has other users";
    else if (view->getBlock() != quantize->getBlock())
      obstacle = "a view on the way is in another block";
    else if (!isLiftable(view))
      obstacle = "a view on the way selects or makes elements";
    if (!obstacle.empty())
      return session.missed(quantize.getLoc(), kKind, obstacle);
    views.push_back(view);
    source = view->getOperand(0);
  }
  if (views.empty())
    return;
  if (!source.hasOneUse())
    return session.missed(quantize.getLoc(), kKind, "the values before the views have other users");

  mlir::IRRewriter &rewriter = session.getRewriter();
  session.begin(kKind);
  Location loc = quantize.getLoc();
  Type quantized = quantize.getType().getElementType();
  rewriter.setInsertionPoint(views.back());
  mlir::IRMapping mapping;
  mapping.map(quantize.getInput(), source);
  Operation *lifted = rewriter.clone(*quantize, mapping);
  lifted->getResult(0).setType(withElementType(cast<RankedTensorType>(source.getType()), quantized));
  Value value = lifted->getResult(0);
  for (Operation *view : llvm::reverse(views)) {
    rewriter.setInsertionPoint(view);
    mlir::IRMapping operand;
    operand.map(view->getOperand(0), value);
    Operation *moved = rewriter.clone(*view, operand);
    moved->getResult(0).setType(withElementType(cast<RankedTensorType>(view->getResult(0).getType()), quantized));
    value = moved->getResult(0);
  }
  rewriter.replaceOp(quantize, value);
  session.applied(loc, Twine(views.size()) + " views");
  session.eraseDeadOps(views);
}

namespace {
struct QuantizationLiftUpPass : public fxgraph::impl::QuantizationLiftUpPassBase<QuantizationLiftUpPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<QuantizePerTensorOp>())
      return;
    SmallVector<QuantizePerTensorOp> candidates;
    getOperation()->walk([&](QuantizePerTensorOp quantize) { candidates.push_back(quantize); });
    if (candidates.empty())
      return;
    for (QuantizePerTensorOp quantize : candidates)
      lift(session, quantize);
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
