// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-algebra-gumbel-max; the pattern is in Patterns.pdll. Linear in the ops.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/Algebra/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_ALGEBRAGUMBELMAXPASS
#include "fxgraph/Transforms/Algebra/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

/// True if `dim` is the last dimension of the op's operand.
static bool isLastDim(Operation *op, int64_t dim) {
  int64_t rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  return rank > 0 && wrapDim(dim, rank) == rank - 1;
}

static LogicalResult isOverLastDim(mlir::PatternRewriter &rewriter, Operation *op) {
  if (!isLastDim(op, cast<SoftmaxOp>(op).getDim()))
    return refuse(rewriter, op, "the softmax is not over the last dimension");
  return success();
}

static LogicalResult isUnitDraw(mlir::PatternRewriter &rewriter, Operation *draw, Operation *quotient) {
  if (!cast<ExponentialOp>(draw).getRate().isExactlyValue(1.0))
    return refuse(rewriter, draw, "the rate of the draw is not 1");
  if (!haveSameKnownType(draw->getResult(0), quotient->getResult(0)))
    return refuse(rewriter, draw, "the draw is not known to have the shape of the quotient");
  return success();
}

static LogicalResult isPlainQuotient(mlir::PatternRewriter &rewriter, Operation *quotient) {
  if (cast<DivOp>(quotient).getRoundingMode())
    return refuse(rewriter, quotient, "the quotient rounds");
  return success();
}

static LogicalResult isUsedOnce(mlir::PatternRewriter &rewriter, Operation *op) {
  if (!op->hasOneUse())
    return refuse(rewriter, op, "the result has other users");
  return success();
}

static LogicalResult isLastArgmax(mlir::PatternRewriter &rewriter, Operation *op) {
  auto argmax = cast<ArgmaxOp>(op);
  if (!argmax.getDim() || !isLastDim(op, *argmax.getDim()))
    return refuse(rewriter, op, "the argmax is not over the last dimension");
  if (!argmax.getKeepdim())
    return refuse(rewriter, op, "the argmax drops the dimension");
  return success();
}

namespace {
#include "AlgebraPatterns.h.inc"

struct AlgebraGumbelMaxPass : public PatternPass<fxgraph::impl::AlgebraGumbelMaxPassBase<AlgebraGumbelMaxPass>> {
  using PatternPass::PatternPass;

  void addGroups(MLIRContext *context) override {
    RewriteKind kind{"gumbel-max", "apply_gumbel_max_trick_pass", NumericClass::ChangesPrecision};
    addGroup(context, kind, [](mlir::RewritePatternSet &set) {
      mlir::PDLPatternModule &pdl = set.getPDLPatterns();
      pdl.registerConstraintFunction("IsOverLastDim", isOverLastDim);
      pdl.registerConstraintFunction("IsUnitDraw", isUnitDraw);
      pdl.registerConstraintFunction("IsPlainQuotient", isPlainQuotient);
      pdl.registerConstraintFunction("IsUsedOnce", isUsedOnce);
      pdl.registerConstraintFunction("IsLastArgmax", isLastArgmax);
      set.add<GumbelMax>(set.getContext());
    });
  }
};
} // namespace
