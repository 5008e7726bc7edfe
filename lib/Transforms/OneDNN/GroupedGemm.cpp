// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-onednn-grouped-gemm: the products of one input become one op. A list of any length of
// users of a value, which no pattern can match. One walk; linear.
//
// PyTorch: torch/_inductor/fx_passes/mkldnn_fusion.py, grouped_gemm_pass.

#include "PointwiseProduct.h"
#include "fxgraph/Transforms/OneDNN/Passes.h"
#include "fxgraph/Transforms/Utils/OptionsPass.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace fxgraph {
#define GEN_PASS_DEF_ONEDNNGROUPEDGEMMPASS
#include "fxgraph/Transforms/OneDNN/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"onednn-grouped-gemm", "", NumericClass::Reassociates};

/// Why the products of one input, in order, are not grouped; empty if they are.
static StringRef getObstacle(ArrayRef<LinearPointwiseOp> products, StringRef defaultDevice) {
  LinearPointwiseOp first = products.front();
  Value input = first.getInput();
  if (getDeviceType(input.getType(), defaultDevice) != "cpu")
    return "the products are not on the CPU";
  if (cast<RankedTensorType>(input.getType()).getRank() != 2)
    return "the input is no matrix";
  if (!llvm::hasNItems(input.getUses(), products.size()))
    return "the input has other users";
  llvm::SmallPtrSet<void *, 8> weights;
  for (LinearPointwiseOp product : products) {
    std::optional<PostOps> postOps = getPostOps(product);
    if (postOps->other || postOps->hasActivation())
      return "a product has an activation, or joins another tensor";
    if (cast<RankedTensorType>(product.getWeight().getType()).getElementType() !=
        cast<RankedTensorType>(input.getType()).getElementType())
      return "a weight has another dtype than the input";
    if (product->getBlock() != first->getBlock())
      return "the products are in other blocks";
    if (!weights.insert(product.getWeight().getAsOpaquePointer()).second)
      return "two products have one weight";
    if (product != first && !haveSameKnownType(product.getWeight(), first.getWeight()))
      return "the weights are not known to have one size";
    if (static_cast<bool>(product.getBias()) != static_cast<bool>(first.getBias()))
      return "only some of the products have a bias";
    for (Value operand : product->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && producer->getBlock() == first->getBlock() && !producer->isBeforeInBlock(first))
        return "a weight or bias is made behind the first product";
  }
  return "";
}

static void group(RewriteSession &session, ArrayRef<LinearPointwiseOp> products) {
  mlir::IRRewriter &rewriter = session.getRewriter();
  Location loc = products.front()->getLoc();
  session.begin(kKind);
  rewriter.setInsertionPoint(products.front());
  SmallVector<Value> inputs, weights, biases;
  SmallVector<Type> types;
  for (LinearPointwiseOp product : products) {
    inputs.push_back(product.getInput());
    weights.push_back(PermuteOp::create(rewriter, product.getLoc(), product.getWeight(), ArrayRef<int64_t>{1, 0}));
    if (product.getBias())
      biases.push_back(product.getBias());
    types.push_back(product.getType());
  }
  auto grouped = GroupedMmOp::create(rewriter, loc, types, inputs, weights, biases);
  for (auto [product, result] : llvm::zip_equal(products, grouped.getOutputs()))
    rewriter.replaceOp(product, result);
  session.applied(loc, Twine(products.size()) + " products");
}

namespace {
struct OneDNNGroupedGemmPass
    : public SearchPass<fxgraph::impl::OneDNNGroupedGemmPassBase<OneDNNGroupedGemmPass>, NumericClass::Reassociates> {
  using SearchPass::SearchPass;

  void rewrite(RewriteSession &session) override {
    if (session.lacks<LinearPointwiseOp>())
      return;
    llvm::MapVector<Value, SmallVector<LinearPointwiseOp>> products;
    getOperation()->walk([&](LinearPointwiseOp product) { products[product.getInput()].push_back(product); });
    for (auto &[input, users] : products) {
      if (users.size() < 2)
        continue;
      if (StringRef obstacle = getObstacle(users, defaultDevice); !obstacle.empty())
        session.missed(users.front()->getLoc(), kKind, obstacle);
      else
        group(session, users);
    }
  }
};
} // namespace
