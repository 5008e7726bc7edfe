// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-algebra-einsum-to-pointwise: an einsum of batched rows with matrices of their
// own becomes a product and a sum. One walk.
//
// PyTorch: torch/_inductor/fx_passes/split_cat.py (replace_einsum_to_pointwise).

#include "fxgraph/Dialect/IR/Einsum.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/Algebra/Passes.h"
#include "fxgraph/Transforms/Utils/Numerics.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

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

/// Why the einsum stays; empty if it is to be rewritten.
static std::string getObstacle(EinsumOp einsum, NumericClass widest) {
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
  return "";
}

// Pattern: einsum("abc,abcd->abd", x, w) -> sum(unsqueeze(x, 3) * w; 2)
static void rewrite(RewriteSession &session, EinsumOp einsum, NumericClass widest) {
  RewriteKind kind = getKind(einsum);
  if (std::string obstacle = getObstacle(einsum, widest); !obstacle.empty())
    return session.missed(einsum.getLoc(), kind, obstacle);
  mlir::IRRewriter &rewriter = session.getRewriter();
  session.begin(kind);
  rewriter.setInsertionPoint(einsum);
  mlir::ImplicitLocOpBuilder builder(einsum.getLoc(), rewriter);
  Value column = UnsqueezeOp::create(builder, einsum.getTensors()[0], 3);
  Value product = MulOp::create(builder, column, einsum.getTensors()[1]);
  Value sum = SumOp::create(builder, product, builder.getDenseI64ArrayAttr({2}), /*keepdim=*/false);
  // Unknown extents may be known less well behind a broadcast.
  if (sum.getType() != einsum.getType()) {
    session.missed(einsum.getLoc(), kind, "the extents of the product and of the einsum are not known to be equal");
    return session.eraseDeadOps({sum.getDefiningOp()});
  }
  Location loc = einsum.getLoc();
  rewriter.replaceOp(einsum, sum);
  session.applied(loc);
}

namespace {
struct AlgebraEinsumToPointwisePass
    : public fxgraph::impl::AlgebraEinsumToPointwisePassBase<AlgebraEinsumToPointwisePass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<NumericClass> widest = parseNumerics(getOperation().getLoc(), numerics);
    if (failed(widest))
      return signalPassFailure();
    RewriteSession session(*this);
    if (session.lacks<EinsumOp>())
      return;
    SmallVector<EinsumOp> einsums;
    getOperation()->walk([&](EinsumOp einsum) { einsums.push_back(einsum); });
    if (einsums.empty())
      return;
    for (EinsumOp einsum : einsums)
      rewrite(session, einsum, *widest);
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
