// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-predispatch-fuse-split-linear-add.
//
// Pattern: sum of linear(p_i, W_i, b_i) for all pieces p_i of split(x; -1)
//          -> linear(x, cat(W_i; 1), sum of b_i)
//
// The sum is any tree of adds. Algorithm: the linears are the leaves; an add of two
// covered values is covered; the one that covers all leaves is replaced. Linear in the
// pieces. Numeric class: reassociates; changes precision in 16 bits, where partial sums
// were rounded.
//
// PyTorch: the name of a pre-dispatch pass (torch/_inductor/fx_passes/pre_grad.py,
// fuse_split_linear_add_pass) that has no pattern in the open version.

#include "fxgraph/Transforms/PreDispatch/Passes.h"
#include "fxgraph/Transforms/SplitCat/SplitCatUtils.h"
#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Transforms/Utils/Numerics.h"

namespace fxgraph {
#define GEN_PASS_DEF_FUSESPLITLINEARADDPASS
#include "fxgraph/Transforms/PreDispatch/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static constexpr StringRef kPattern = "fuse-split-linear-add", kCounter = "fuse_split_linear_add_pass";
static const RewriteKind kFused{kPattern, kCounter, NumericClass::Reassociates};
static const RewriteKind kFusedNarrow{kPattern, kCounter, NumericClass::ChangesPrecision};

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {
/// The linears of all pieces, in order.
struct Summands {
  SmallVector<LinearOp> linears;
  StringRef obstacle;
};
} // namespace

static Summands collectLinears(SplitLikeOpInterface split, SectionCache &sections) {
  Summands result;
  auto refuse = [&](StringRef why) {
    result.obstacle = why;
    return result;
  };
  // Only splits with a linear behind the first piece are candidates.
  for (Value piece : split->getResults()) {
    auto linear = piece.hasOneUse() ? dyn_cast<LinearOp>(*piece.user_begin()) : LinearOp();
    if (!linear || linear.getInput() != piece) {
      if (result.linears.empty())
        return result;
      return refuse("a piece is not used by one linear alone");
    }
    result.linears.push_back(linear);
  }
  LinearOp first = result.linears.front();
  if (split.getNormalizedDim() != typeOf(split->getOperand(0)).getRank() - 1)
    return refuse("the split is not along the last dimension");
  if (!sections.get(split))
    return refuse("a section is not known");
  for (LinearOp linear : result.linears) {
    auto weight = typeOf(linear.getWeight());
    if (weight.getRank() != 2 || linear->getBlock() != first->getBlock())
      return refuse("expected weights of rank 2, in one block");
    if (!getDims(weight)[0].provablyEquals(getDims(typeOf(first.getWeight()))[0]) ||
        linear.getResult().getType() != first.getResult().getType())
      return refuse("the linears have different outputs");
    if (linear.getBias() && (typeOf(linear.getBias()).getRank() != 1 ||
                             !getDims(typeOf(linear.getBias()))[0].provablyEquals(getDims(weight)[0])))
      return refuse("expected a bias with one value for each output");
  }
  return result;
}

/// The add that sums all of the linears and nothing else, or null.
static AddOp findSum(ArrayRef<LinearOp> linears, StringRef &obstacle) {
  struct Sum {
    unsigned operands = 0;
    size_t leaves = 0;
  };
  DenseMap<Operation *, Sum> sums;
  SmallVector<std::pair<Value, size_t>> covered;
  for (LinearOp linear : llvm::reverse(linears))
    covered.emplace_back(linear.getResult(), 1);
  while (!covered.empty()) {
    auto [value, leaves] = covered.pop_back_val();
    if (!value.hasOneUse()) {
      obstacle = "a summand has other users";
      return {};
    }
    auto add = dyn_cast<AddOp>(*value.user_begin());
    if (!add || !isUnscaled(add) || add.getResult().getType() != value.getType()) {
      obstacle = "the linears are not summed by plain adds";
      return {};
    }
    Sum &sum = sums[add];
    ++sum.operands;
    sum.leaves += leaves;
    if (sum.operands < 2)
      continue;
    if (sum.leaves == linears.size())
      return add;
    covered.emplace_back(add.getResult(), sum.leaves);
  }
  obstacle = "other summands stand between the linears";
  return {};
}

static void rewrite(SplitLikeOpInterface split, NumericClass widest, SectionCache &sections, RewriteSession &session) {
  if (split.dropsDim() || split->getNumResults() < 2)
    return;
  Location loc = split->getLoc();
  Summands summands = collectLinears(split, sections);
  if (summands.linears.empty())
    return;
  Type element = typeOf(split->getOperand(0)).getElementType();
  bool isNarrow = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  const RewriteKind &kind = isNarrow ? kFusedNarrow : kFused;
  StringRef obstacle = summands.obstacle;
  AddOp sum = obstacle.empty() ? findSum(summands.linears, obstacle) : AddOp();
  if (sum && !allows(widest, kind.numerics)) {
    obstacle = isNarrow ? "the rewrite does not round partial sums of 16 bits, which needs numerics=relaxed"
                        : "the rewrite reassociates sums, which numerics=exact forbids";
    sum = {};
  }
  if (!sum)
    return session.missed(loc, kind, obstacle);

  mlir::IRRewriter &rewriter = session.getRewriter();
  session.begin(kind);
  rewriter.setInsertionPoint(sum);
  Location sumLoc = sum.getLoc();
  SmallVector<Value> weights;
  SmallVector<Operation *> dead;
  Value bias;
  for (LinearOp linear : summands.linears) {
    dead.push_back(linear);
    weights.push_back(linear.getWeight());
    if (Value own = linear.getBias())
      bias = bias ? AddOp::create(rewriter, sumLoc, bias, own, rewriter.getF64FloatAttr(1.0)) : own;
  }
  Value weight = CatOp::create(rewriter, sumLoc, weights, /*dim=*/1);
  for (Value operand : sum->getOperands())
    dead.push_back(operand.getDefiningOp());
  rewriter.replaceOpWithNewOp<LinearOp>(sum, sum.getResult().getType(), split->getOperand(0), weight, bias);
  session.applied(sumLoc, Twine(weights.size()) + " linears");
  session.eraseDeadOps(dead);
}

namespace {
struct FuseSplitLinearAddPass : public fxgraph::impl::FuseSplitLinearAddPassBase<FuseSplitLinearAddPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    return parseNumerics(mlir::UnknownLoc::get(context), numerics);
  }

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<SplitLikeOpInterface>() || session.lacks<LinearOp>())
      return;
    SmallVector<SplitLikeOpInterface> splits = session.collect<SplitLikeOpInterface>();
    if (splits.empty())
      return;
    SectionCache sections;
    // Last first: what goes with a sum may hold splits of earlier ones, never of later.
    for (SplitLikeOpInterface split : llvm::reverse(splits))
      rewrite(split, *parseNumerics(numerics), sections, session);
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
