// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-algebra-einsum-to-pointwise: an einsum of batched rows with matrices of their
// own becomes a product and a sum; the pattern is in Einsum.pdll. Linear in the ops.

#include "fxgraph/Dialect/IR/Einsum.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/Algebra/Passes.h"
#include "fxgraph/Transforms/Utils/CheckedPatterns.h"
#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Transforms/Utils/FreezePatterns.h"
#include "fxgraph/Transforms/Utils/Numerics.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_ALGEBRAEINSUMTOPOINTWISEPASS
#include "fxgraph/Transforms/Algebra/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static RewriteKind getKind(EinsumOp einsum) {
  bool narrow = einsum.getType().getElementTypeBitWidth() < 32;
  return {"einsum-to-pointwise", "einsum_to_pointwise_pass",
          narrow ? NumericClass::ChangesPrecision : NumericClass::Reassociates};
}

/// True for abc,abcd->abd under any four letters.
static bool isRowTimesMatrix(EinsumOp einsum) {
  SmallVector<int64_t> ranks;
  for (Value operand : einsum.getTensors())
    ranks.push_back(cast<RankedTensorType>(operand.getType()).getRank());
  FailureOr<EinsumEquation> equation = parseEinsum(std::nullopt, einsum.getEquation(), ranks);
  if (failed(equation) || equation->operands.size() != 2)
    return false;
  ArrayRef<int> row = equation->operands[0], matrix = equation->operands[1], result = equation->result;
  if (row.size() != 3 || matrix.size() != 4 || result.size() != 3 || row != matrix.take_front(3))
    return false;
  if (result[0] != matrix[0] || result[1] != matrix[1] || result[2] != matrix[3])
    return false;
  // A letter twice would take a diagonal.
  DenseSet<int> letters(matrix.begin(), matrix.end());
  return letters.size() == 4 &&
         llvm::none_of(matrix, [](int letter) { return letter >= EinsumEquation::kFirstEllipsis; });
}

/// True if the sum has the einsum's extents, as far as they are known: an unknown one may
/// be known less well behind a broadcast.
static bool keepsExtents(EinsumOp einsum) {
  Dims row = getDims(cast<RankedTensorType>(einsum.getTensors()[0].getType()));
  row.push_back(1);
  FailureOr<Dims> product =
      broadcastDims(std::nullopt, {row, getDims(cast<RankedTensorType>(einsum.getTensors()[1].getType()))});
  if (failed(product))
    return false;
  product->erase(product->begin() + 2);
  return withDims(einsum.getType(), *product) == einsum.getType();
}

/// Why the einsum stays; empty if it is to be rewritten.
static StringRef getObstacle(EinsumOp einsum, NumericClass widest) {
  if (!isRowTimesMatrix(einsum))
    return "expected an equation of the form abc,abcd->abd";
  if (!isa<FloatType>(einsum.getType().getElementType()))
    return "expected floating point: a sum of integers is in 64 bits";
  if (llvm::none_of(einsum->getUsers(), [](Operation *user) { return isa<AddOp>(user); }))
    return "expected an add among the users";
  NumericClass numerics = getKind(einsum).numerics;
  if (!allows(widest, numerics))
    return numerics == NumericClass::ChangesPrecision
               ? "the rewrite rounds each product to 16 bits, which needs numerics=relaxed"
               : "the rewrite reassociates sums, which numerics=exact forbids";
  if (!keepsExtents(einsum))
    return "the extents of the product and of the einsum are not known to be equal";
  return "";
}

namespace {
#include "AlgebraEinsum.h.inc"

struct AlgebraEinsumToPointwisePass
    : public fxgraph::impl::AlgebraEinsumToPointwisePassBase<AlgebraEinsumToPointwisePass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    FailureOr<NumericClass> widest = parseNumerics(mlir::UnknownLoc::get(context), numerics);
    if (failed(widest))
      return failure();
    EinsumToPointwise pattern(context);
    for (auto op : pattern.getModule().getOps<mlir::pdl::PatternOp>())
      checkCreations(op, Trust::Own);
    pattern.registerConstraintFunction(
        "IsRowTimesMatrix", [widest = *widest](mlir::PatternRewriter &rewriter, Operation *op) -> LogicalResult {
          StringRef obstacle = getObstacle(cast<EinsumOp>(op), widest);
          return obstacle.empty() ? success() : refuse(rewriter, op, obstacle);
        });
    pattern.registerRewriteFunction("BeginAs", [](mlir::PatternRewriter &rewriter, Operation *op) {
      RewriteSession::of(rewriter).begin(getKind(cast<EinsumOp>(op)));
    });
    pattern.registerRewriteFunction(
        "Row", [](mlir::PatternRewriter &, Operation *op) -> Value { return cast<EinsumOp>(op).getTensors()[0]; });
    pattern.registerRewriteFunction(
        "Matrix", [](mlir::PatternRewriter &, Operation *op) -> Value { return cast<EinsumOp>(op).getTensors()[1]; });
    mlir::RewritePatternSet set(context);
    registerCheckedRewrites(set.getPDLPatterns());
    set.add(std::move(static_cast<mlir::PDLPatternModule &>(pattern)));
    patterns = freezePatterns(std::move(set));
    return success();
  }

  void runOnOperation() override {
    RewriteSession session(*this);
    // An einsum that is rewritten says its own class.
    RewriteKind kind{"einsum-to-pointwise", "einsum_to_pointwise_pass", NumericClass::Reassociates};
    if (failed(session.applyPatterns(patterns, {EinsumOp::getOperationName()}, kind)) || !session.isValid())
      signalPassFailure();
  }

private:
  mlir::FrozenRewritePatternSet patterns;
};
} // namespace
