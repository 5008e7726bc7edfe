// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-freezing-matmul-concat: products of one input with frozen weights become one. One
// walk, which collects the products of each input; linear.
//
// PyTorch: torch/_inductor/fx_passes/freezing_patterns.py, addmm_patterns_init.

#include "fxgraph/Analysis/FrozenValues.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Support/Prefetch.h"
#include "fxgraph/Transforms/Freezing/Passes.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Transforms/Utils/OptionsPass.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace fxgraph {
#define GEN_PASS_DEF_FREEZINGMATMULCONCATPASS
#include "fxgraph/Transforms/Freezing/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"matmul-concat", "", NumericClass::Reassociates};

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
static Value getInput(Operation *op) { return op->getOperand(isa<AddmmOp>(op) ? 1 : 0); }
static Value getWeight(Operation *op) { return op->getOperand(isa<AddmmOp>(op) ? 2 : 1); }

/// Why the product joins no others; empty if it may.
static std::string getObstacle(Operation *op, const FrozenValues &frozen) {
  RankedTensorType weight = typeOf(getWeight(op));
  if (!frozen.contains(getWeight(op)))
    return "the weight may change between runs";
  if (!weight.hasStaticShape())
    return "expected a weight of known extents";
  if (auto addmm = dyn_cast<AddmmOp>(op)) {
    RankedTensorType bias = typeOf(addmm.getInput());
    if (!frozen.contains(addmm.getInput()))
      return "the bias may change between runs";
    if (bias.getRank() != 1 || bias.getDimSize(0) != weight.getDimSize(1))
      return "the bias has not one value for each output";
    if (!isUnscaled(addmm))
      return "alpha and beta are not 1";
  }
  return "";
}

/// Moves what makes a frozen value before `op`, which is in the function's own block.
static void hoist(mlir::IRRewriter &rewriter, Value value, Operation *op) {
  auto isBehind = [&](Operation *producer) { return producer && op->isBeforeInBlock(producer); };
  // Operands first: an op is moved when it comes up a second time.
  SmallVector<Operation *> worklist;
  auto add = [&](Value value) {
    if (isBehind(value.getDefiningOp()))
      worklist.push_back(value.getDefiningOp());
  };
  add(value);
  while (!worklist.empty()) {
    Operation *producer = worklist.back();
    size_t size = worklist.size();
    for (Value operand : producer->getOperands())
      add(operand);
    if (worklist.size() != size)
      continue;
    worklist.pop_back();
    if (isBehind(producer))
      rewriter.moveOpBefore(producer, op);
  }
}

/// True for what this pass makes: it is done with it.
static bool isJoined(Operation *op) {
  auto weight = getWeight(op).getDefiningOp<CatOp>();
  return weight && weight.getNormalizedDim() == 1 && op->hasOneUse() && isa<SplitWithSizesOp>(*op->user_begin());
}

// Pattern: mm(x, w_i) -> split_with_sizes(mm(x, cat(w_i; 1)), n_i; 1)
// Pattern: addmm(b_i, x, w_i) -> split_with_sizes(addmm(cat(b_i), x, cat(w_i; 1)), n_i; 1)
static void join(RewriteSession &session, ArrayRef<Operation *> members) {
  mlir::IRRewriter &rewriter = session.getRewriter();
  Operation *first = members.front();
  SmallVector<Location> locs = llvm::map_to_vector(members, [](Operation *op) { return op->getLoc(); });
  Location loc = rewriter.getFusedLoc(locs);
  session.begin(kKind);
  for (Operation *member : members) {
    hoist(rewriter, getWeight(member), first);
    if (auto addmm = dyn_cast<AddmmOp>(member))
      hoist(rewriter, addmm.getInput(), first);
  }
  rewriter.setInsertionPoint(first);
  mlir::ImplicitLocOpBuilder b(loc, rewriter);
  SmallVector<Value> weights = llvm::map_to_vector(members, getWeight);
  SmallVector<int64_t> sizes = llvm::map_to_vector(weights, [](Value weight) { return typeOf(weight).getDimSize(1); });
  Value weight = CatOp::create(b, weights, /*dim=*/1), product;
  if (isa<AddmmOp>(first)) {
    SmallVector<Value> biases = llvm::map_to_vector(members, [](Operation *op) { return op->getOperand(0); });
    Value bias = CatOp::create(b, biases, /*dim=*/0);
    product = AddmmOp::create(b, bias, getInput(first), weight, b.getF64FloatAttr(1.0), b.getF64FloatAttr(1.0));
  } else {
    product = MmOp::create(b, getInput(first), weight);
  }
  auto split = SplitWithSizesOp::create(b, product, sizes, /*dim=*/1);
  for (auto [piece, member] : llvm::zip_equal(split.getPieces(), members))
    rewriter.replaceOp(member, piece);
  session.applied(loc, Twine(members.size()) + " products");
}

namespace {
struct FreezingMatmulConcatPass
    : public SearchPass<fxgraph::impl::FreezingMatmulConcatPassBase<FreezingMatmulConcatPass>,
                        NumericClass::Reassociates> {
  using SearchPass::SearchPass;

  void rewrite(RewriteSession &session) override {
    if (session.lacks<MmOp, AddmmOp>())
      return;
    // Products whose input somebody else takes, too: the others join nothing, and of most graphs nothing is left.
    SmallVector<Operation *> products = session.collect<MmOp, AddmmOp>(), candidates;
    Block *body = &getOperation().getBody().front();
    for (auto [i, op] : llvm::enumerate(products)) {
      if (i + kPrefetchDistance < products.size())
        prefetch(products[i + kPrefetchDistance]);
      if (i + kPrefetchDistance / 2 < products.size())
        prefetchProducers(products[i + kPrefetchDistance / 2]);
      if (!getInput(op).hasOneUse() && op->getBlock() == body && !isJoined(op))
        candidates.push_back(op);
    }
    if (candidates.empty())
      return;
    FrozenValues frozen(getOperation());
    // Products with their input, their op, the weights' rows and the number of products before
    // them that have the same weight in common: then all weights of a list are different.
    llvm::MapVector<std::tuple<Value, mlir::OperationName, int64_t, unsigned>, SmallVector<Operation *>> lists;
    DenseMap<std::tuple<Value, mlir::OperationName, Value>, unsigned> seen;
    for (Operation *op : candidates) {
      // On frozen values alone a product runs once anyway.
      if (frozen.contains(getInput(op)))
        continue;
      std::string obstacle = getObstacle(op, frozen);
      if (!obstacle.empty()) {
        session.missed(op->getLoc(), kKind, obstacle);
        continue;
      }
      unsigned before = seen[{getInput(op), op->getName(), getWeight(op)}]++;
      lists[{getInput(op), op->getName(), typeOf(getWeight(op)).getDimSize(0), before}].push_back(op);
    }
    BoundaryGuard guard(session);
    for (auto &[key, members] : lists) {
      if (members.size() == 1)
        continue;
      if (!enableConcatLinear && getDeviceType(std::get<0>(key).getType(), defaultDevice) == "cpu") {
        session.missed(members.front()->getLoc(), kKind, "on the CPU enable-concat-linear is off");
        continue;
      }
      guard.snapshot();
      join(session, members);
    }
    guard.restore();
  }
};
} // namespace
