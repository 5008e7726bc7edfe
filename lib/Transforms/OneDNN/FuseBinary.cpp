// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-onednn-fuse-binary; the patterns are in FuseBinary.pdll. Linear in the ops.

#include "PointwiseProduct.h"
#include "fxgraph/Transforms/OneDNN/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_ONEDNNFUSEBINARYPASS
#include "fxgraph/Transforms/OneDNN/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static LogicalResult joins(mlir::PatternRewriter &rewriter, Operation *root, Value product, Value other) {
  Operation *op = product.getDefiningOp();
  std::optional<PostOps> postOps = op ? getPostOps(op) : std::nullopt;
  if (!postOps)
    return failure();
  if (postOps->other)
    return refuse(rewriter, root, "the product joins another tensor already");
  if (postOps->hasActivation())
    return refuse(rewriter, root, "the product has an activation, behind which nothing is joined");
  if (product == other)
    return refuse(rewriter, root, "both operands are the product");
  if (!product.hasOneUse())
    return refuse(rewriter, root, "the product has other users");
  if (op->getBlock() != root->getBlock())
    return refuse(rewriter, root, "the product is made in another block");
  if (!haveSameKnownType(product, other) || root->getResult(0).getType() != product.getType())
    return refuse(rewriter, root, "the other operand is not known to have the product's type");
  return success();
}

static LogicalResult checkUnscaled(mlir::PatternRewriter &rewriter, Operation *root) {
  if (!isUnscaled(root))
    return refuse(rewriter, root, "alpha is not 1");
  return success();
}

static Value createJoined(mlir::PatternRewriter &rewriter, Operation *root, Value product, Value other,
                          mlir::Attribute binary) {
  PostOps postOps;
  postOps.other = other;
  postOps.binary = cast<mlir::StringAttr>(binary).getValue();
  beginBinary(rewriter, product.getDefiningOp());
  return createProduct(rewriter, root->getLoc(), product.getDefiningOp(), postOps);
}

namespace {
#include "OneDNNFuseBinary.h.inc"

struct OneDNNFuseBinaryPass : public PatternPass<fxgraph::impl::OneDNNFuseBinaryPassBase<OneDNNFuseBinaryPass>> {
  using PatternPass::PatternPass;

  void addGroups(MLIRContext *context) override {
    RewriteKind kind{"onednn-binary", "", NumericClass::Exact}; // counted by the product
    addGroup(context, kind, [](mlir::RewritePatternSet &set) {
      mlir::PDLPatternModule &pdl = set.getPDLPatterns();
      pdl.registerConstraintFunction("Joins", joins);
      pdl.registerConstraintFunction("IsUnscaled", checkUnscaled);
      pdl.registerRewriteFunction("CreateJoined", createJoined);
      populateGeneratedPDLLPatterns(set);
    });
  }
};
} // namespace
