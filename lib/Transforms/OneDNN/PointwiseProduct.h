// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library product (`linear_pointwise`, `convolution_pointwise`, and those of 8-bit integers) and
// the making of one that does more.

#ifndef FXGRAPH_LIB_TRANSFORMS_ONEDNN_POINTWISEPRODUCT_H
#define FXGRAPH_LIB_TRANSFORMS_ONEDNN_POINTWISEPRODUCT_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"

namespace fxgraph {

/// What a library product does behind the product.
struct PostOps {
  Value other;
  StringRef binary = "none", activation = "none";
  SmallVector<double, 2> scalars;
  StringRef algorithm = "none";

  bool hasActivation() const { return activation != "none"; }
};

/// A product of 8-bit integers.
bool isQuantizedProduct(Operation *op);

/// A linear in f32 whose weight of f16 is widened.
bool widensWeight(Operation *op);

/// Of the rewrite that runs: what it is counted as, by the product that does more behind it. Of a product of
/// integers Inductor counts the chain behind it once, and of one that widens its weight it does not.
void beginUnary(mlir::PatternRewriter &rewriter, Operation *product);
void beginBinary(mlir::PatternRewriter &rewriter, Operation *product);
void beginQuantization(mlir::PatternRewriter &rewriter, Operation *product);

/// Nothing if the op is no library product.
std::optional<PostOps> getPostOps(Operation *op);

/// The product of `op` with other post-ops, made at the rewriter's place.
Value createProduct(mlir::OpBuilder &builder, Location loc, Operation *op, const PostOps &postOps);

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_ONEDNN_POINTWISEPRODUCT_H
