// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-group-cat-linear: a linear of a cat becomes the sum of linears of the parts.
// One walk; linear in the ops and operands.
//
// PyTorch: torch/_inductor/fx_passes/group_batch_fusion.py (CatLinearFusion).

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/GroupFusion/Passes.h"
#include "fxgraph/Transforms/Utils/Numerics.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

namespace fxgraph {
#define GEN_PASS_DEF_GROUPCATLINEARPASS
#include "fxgraph/Transforms/GroupFusion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
struct Limits {
  int64_t maxOutputWidth, floorBytes, minPieceWidth, maxParts;
  NumericClass widest;
};

/// Pattern: linear(cat(x_i; -1), W, b) -> linear(x_0, W_0, b) + linear(x_1, W_1) + …
class CatLinear {
public:
  CatLinear(RewriteSession &session, const Limits &limits) : session(session), limits(limits) {}

  /// Visits the linear, and those of its parts: a part may be a cat itself.
  void visit(LinearOp linear);

private:
  /// Splits the linear, or says why not; the new linears join the worklist.
  void visitOne(LinearOp linear);
  /// Why the linear is left alone; empty if it is to be split.
  std::string getObstacle(LinearOp linear, CatOp cat) const;
  /// Columns [from, to) of W, made once.
  Value getColumns(Value weight, int64_t from, int64_t to);

  RewriteSession &session;
  const Limits &limits;
  DenseMap<std::pair<Value, std::pair<int64_t, int64_t>>, Value> columns;
  SmallVector<LinearOp> worklist;
};
} // namespace

/// Integers wrap around, in any order to the same sum.
static NumericClass getNumerics(LinearOp linear) {
  Type element = linear.getType().getElementType();
  if (isa<IntegerType>(element))
    return NumericClass::Exact;
  return element.getIntOrFloatBitWidth() < 32 ? NumericClass::ChangesPrecision : NumericClass::Reassociates;
}

static RewriteKind getKind(LinearOp linear) { return {"cat-linear", "cat_linear", getNumerics(linear)}; }

std::string CatLinear::getObstacle(LinearOp linear, CatOp cat) const {
  auto result = cat.getResult().getType();
  int64_t rank = result.getRank();
  if (rank < 2 || cat.getNormalizedDim() != rank - 1)
    return "expected a cat along the last of two or more dimensions";
  if (!cat.getResult().hasOneUse())
    return "the cat has other users";
  auto numParts = static_cast<int64_t>(cat.getTensors().size());
  if (numParts < 2 || numParts > limits.maxParts)
    return ("expected 2 to " + Twine(limits.maxParts) + " parts but got " + Twine(numParts)).str();
  auto weight = cast<RankedTensorType>(linear.getWeight().getType());
  if (weight.getRank() != 2)
    return ("expected a weight of rank 2 but got rank " + Twine(weight.getRank())).str();
  if (!result.hasStaticShape() || !weight.hasStaticShape() || !linear.getType().hasStaticShape())
    return "expected static extents";
  if (weight.getDimSize(0) > limits.maxOutputWidth)
    return ("expected at most " + Twine(limits.maxOutputWidth) + " outputs but got " + Twine(weight.getDimSize(0)))
        .str();
  for (Value part : cat.getTensors()) {
    auto type = cast<RankedTensorType>(part.getType());
    // PyTorch's empty operand of rank 1 has no columns.
    if (type.getRank() != rank || !type.hasStaticShape())
      return "expected parts of the cat's rank with static extents";
    if (type.getDimSize(rank - 1) < limits.minPieceWidth)
      return ("expected parts of width " + Twine(limits.minPieceWidth) + " or more but got " +
              Twine(type.getDimSize(rank - 1)))
          .str();
  }
  uint64_t bytes = llvm::divideCeil(result.getElementTypeBitWidth(), 8);
  for (int64_t extent : result.getShape())
    bytes = llvm::SaturatingMultiply<uint64_t>(bytes, extent);
  if (bytes < static_cast<uint64_t>(limits.floorBytes))
    return ("expected a cat of " + Twine(limits.floorBytes) + " bytes or more but got " + Twine(bytes)).str();
  NumericClass numerics = getNumerics(linear);
  if (!allows(limits.widest, numerics))
    return numerics == NumericClass::ChangesPrecision
               ? "the rewrite rounds more often in 16 bits, which needs numerics=relaxed"
               : "the rewrite reassociates sums, which numerics=exact forbids";
  return "";
}

Value CatLinear::getColumns(Value weight, int64_t from, int64_t to) {
  Value &known = columns[{weight, {from, to}}];
  if (known)
    return known;
  mlir::IRRewriter &rewriter = session.getRewriter();
  mlir::OpBuilder::InsertionGuard guard(rewriter);
  // Behind the weight, so that all linears of this weight can share the slice.
  rewriter.setInsertionPointAfterValue(weight);
  mlir::ImplicitLocOpBuilder builder(weight.getLoc(), rewriter);
  Value slice = SliceOp::create(builder, weight, /*dim=*/1, from, to, /*step=*/1);
  known = ContiguousOp::create(builder, slice.getType(), slice);
  return known;
}

void CatLinear::visit(LinearOp linear) {
  worklist.push_back(linear);
  while (!worklist.empty())
    visitOne(worklist.pop_back_val());
}

void CatLinear::visitOne(LinearOp linear) {
  auto cat = linear.getInput().getDefiningOp<CatOp>();
  if (!cat)
    return;
  RewriteKind kind = getKind(linear);
  if (std::string obstacle = getObstacle(linear, cat); !obstacle.empty())
    return session.missed(linear.getLoc(), kind, obstacle);

  mlir::IRRewriter &rewriter = session.getRewriter();
  session.begin(kind);
  rewriter.setInsertionPoint(linear);
  mlir::ImplicitLocOpBuilder builder(linear.getLoc(), rewriter);
  Value sum;
  int64_t from = 0;
  for (Value part : cat.getTensors()) {
    int64_t to = from + cast<RankedTensorType>(part.getType()).getShape().back();
    Value weight = getColumns(linear.getWeight(), from, to);
    // One bias in the sum, and in the gradient of the bias.
    auto product = LinearOp::create(builder, linear.getType(), part, weight, sum ? Value() : linear.getBias());
    worklist.push_back(product);
    sum = sum ? Value(AddOp::create(builder, sum, product, llvm::APFloat(1.0))) : product.getResult();
    from = to;
  }
  Location loc = linear.getLoc();
  size_t numParts = cat.getTensors().size();
  rewriter.replaceOp(linear, sum);
  session.applied(loc, Twine(numParts) + " parts");
  session.eraseDeadOps({cat});
}

namespace {
struct GroupCatLinearPass : public fxgraph::impl::GroupCatLinearPassBase<GroupCatLinearPass> {
  using Base::Base;

  void runOnOperation() override {
    Location loc = getOperation().getLoc();
    FailureOr<NumericClass> widest = parseNumerics(loc, numerics);
    if (failed(widest))
      return signalPassFailure();
    if (maxParts < 2 || minPieceWidth < 0 || floorBytes < 0 || maxOutputWidth < 0) {
      mlir::emitError(loc) << "expected max-parts >= 2 and the other limits >= 0";
      return signalPassFailure();
    }
    RewriteSession session(*this);
    if (session.lacks<LinearOp>() || session.lacks<CatOp>())
      return;
    SmallVector<LinearOp> linears;
    getOperation()->walk([&](LinearOp linear) { linears.push_back(linear); });
    if (linears.empty())
      return;
    Limits limits{maxOutputWidth, floorBytes, minPieceWidth, maxParts, *widest};
    CatLinear rule(session, limits);
    for (LinearOp linear : linears)
      rule.visit(linear);
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
