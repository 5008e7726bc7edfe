// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-onednn-concat-linear-int4: products of one input with weights of 4 bits become one. A list of
// any length of users of a value, which no pattern can match. One walk; linear.
//
// PyTorch: torch/_inductor/fx_passes/quantization.py, concat_linear_woq_int4.

#include "fxgraph/Analysis/FrozenValues.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/OneDNN/Passes.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Transforms/Utils/OptionsPass.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace fxgraph {
#define GEN_PASS_DEF_ONEDNNCONCATLINEARINT4PASS
#include "fxgraph/Transforms/OneDNN/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"onednn-concat-linear-int4", "", NumericClass::Exact};

/// Why the products of one input, in the order of their rows, are not joined before `first`, the first of
/// them in the block; empty if they are.
static StringRef getObstacle(ArrayRef<WeightInt4packMmOp> products, WeightInt4packMmOp first,
                             const FrozenValues &frozen, StringRef defaultDevice) {
  Value input = first.getInput();
  if (getDeviceType(input.getType(), defaultDevice) != "cpu")
    return "the products are not on the CPU";
  if (!llvm::hasNItems(input.getUses(), products.size()))
    return "the input has other users";
  int64_t block = getInt4BlockRows(first.getLayout());
  llvm::SmallPtrSet<void *, 8> weights;
  for (WeightInt4packMmOp product : products) {
    if (product->getBlock() != first->getBlock())
      return "the products are in other blocks";
    if (product.getGroupSize() != first.getGroupSize() || product.getLayout() != first.getLayout())
      return "the groups or the layouts of the weights differ";
    if (!weights.insert(product.getWeight().getAsOpaquePointer()).second)
      return "two products have one weight";
    if (!frozen.contains(product.getWeight()) || !frozen.contains(product.getScalesAndZeros()))
      return "a weight may change between runs";
    if (!cast<RankedTensorType>(product.getScalesAndZeros().getType()).hasStaticShape())
      return "the extents of the scales are not known";
    // Packed rows stay together by blocks, whatever is in front of them, and the last one may be short.
    if (product != products.back() && product.getWeight().getType().getDimSize(0) % block != 0)
      return "a weight does not fill its last block of rows";
    for (Value operand : product->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && producer->getBlock() == first->getBlock() && !producer->isBeforeInBlock(first))
        return "a weight is made behind the first product";
  }
  return "";
}

static void join(RewriteSession &session, ArrayRef<WeightInt4packMmOp> products, WeightInt4packMmOp first) {
  mlir::IRRewriter &rewriter = session.getRewriter();
  Location loc = first->getLoc();
  session.begin(kKind);
  rewriter.setInsertionPoint(first);
  SmallVector<Value> weights, scales;
  SmallVector<int64_t> rows;
  for (WeightInt4packMmOp product : products) {
    weights.push_back(product.getWeight());
    scales.push_back(product.getScalesAndZeros());
    rows.push_back(product.getWeight().getType().getDimSize(0));
  }
  Value weight = CatOp::create(rewriter, loc, weights, /*dim=*/0);
  Value scale = CatOp::create(rewriter, loc, scales, /*dim=*/1);
  Value result = WeightInt4packMmOp::create(rewriter, loc, first.getInput(), weight, scale, first.getGroupSize(),
                                            first.getLayout());
  auto split = SplitWithSizesOp::create(rewriter, loc, result, rows, /*dim=*/1);
  for (auto [member, piece] : llvm::zip_equal(products, split->getResults())) {
    WeightInt4packMmOp product = member;
    piece.setType(product->getResult(0).getType());
    rewriter.replaceOp(product, piece);
  }
  session.applied(loc, Twine(products.size()) + " products");
}

namespace {
struct OneDNNConcatLinearInt4Pass
    : public SearchPass<fxgraph::impl::OneDNNConcatLinearInt4PassBase<OneDNNConcatLinearInt4Pass>> {
  using SearchPass::SearchPass;

  void rewrite(RewriteSession &session) override {
    if (session.lacks<WeightInt4packMmOp>())
      return;
    llvm::MapVector<Value, SmallVector<WeightInt4packMmOp>> products;
    getOperation()->walk([&](WeightInt4packMmOp product) { products[product.getInput()].push_back(product); });
    FrozenValues frozen(getOperation());
    BoundaryGuard guard(session);
    guard.snapshot();
    for (auto &[input, users] : products) {
      if (users.size() < 2)
        continue;
      // Short last blocks go last.
      int64_t block = getInt4BlockRows(users.front().getLayout());
      auto isFull = [&](WeightInt4packMmOp product) {
        return product.getWeight().getType().getDimSize(0) % block == 0;
      };
      SmallVector<WeightInt4packMmOp> ordered = users;
      llvm::stable_sort(ordered, [&](WeightInt4packMmOp a, WeightInt4packMmOp b) { return isFull(a) && !isFull(b); });
      if (StringRef obstacle = getObstacle(ordered, users.front(), frozen, defaultDevice); !obstacle.empty())
        session.missed(users.front()->getLoc(), kKind, obstacle);
      else
        join(session, ordered, users.front());
    }
    guard.restore();
  }
};
} // namespace
