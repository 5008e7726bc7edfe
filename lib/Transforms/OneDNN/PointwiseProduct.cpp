// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PointwiseProduct.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace fxgraph;

std::optional<PostOps> fxgraph::getPostOps(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<PostOps>>(op)
      .Case<LinearPointwiseOp, ConvolutionPointwiseOp, QLinearPointwiseOp, QConvPointwiseOp>([](auto product) {
        PostOps postOps;
        postOps.other = product.getOther();
        postOps.binary = product.getBinary();
        postOps.activation = product.getAttr();
        postOps.scalars.assign(product.getScalars().begin(), product.getScalars().end());
        postOps.algorithm = product.getAlgorithm();
        return postOps;
      })
      .Default(std::nullopt);
}

bool fxgraph::isQuantizedProduct(Operation *op) { return isa<QLinearPointwiseOp, QConvPointwiseOp>(op); }

bool fxgraph::widensWeight(Operation *op) {
  auto linear = dyn_cast<LinearPointwiseOp>(op);
  return linear && linear.getWeight().getType().getElementType() != linear.getInput().getType().getElementType();
}

static void begin(mlir::PatternRewriter &rewriter, StringRef name, StringRef counter) {
  RewriteSession::of(rewriter).begin({name, counter, NumericClass::Exact});
}

void fxgraph::beginUnary(mlir::PatternRewriter &rewriter, Operation *product) {
  StringRef counter = widensWeight(product) ? "" : "mkldnn_unary_fusion_matcher_count";
  if (isQuantizedProduct(product))
    counter = getPostOps(product)->other         ? ""
              : isa<QLinearPointwiseOp>(product) ? "qlinear_unary_matcher_count"
                                                 : "qconv_unary_matcher_count";
  begin(rewriter, "onednn-unary", counter);
}

void fxgraph::beginBinary(mlir::PatternRewriter &rewriter, Operation *product) {
  StringRef counter = widensWeight(product) ? "" : "mkldnn_conv_binary_unary_fusion_matcher_count";
  if (isQuantizedProduct(product))
    counter = isa<QLinearPointwiseOp>(product) ? "qlinear_binary_matcher_count" : "qconv2d_binary_matcher_count";
  begin(rewriter, "onednn-binary", counter);
}

void fxgraph::beginQuantization(mlir::PatternRewriter &rewriter, Operation *product) {
  PostOps postOps = *getPostOps(product);
  StringRef counter = isa<QLinearPointwiseOp>(product) ? "qlinear_unary_matcher_count" : "qconv_unary_matcher_count";
  begin(rewriter, "onednn-quantized-result", postOps.other || postOps.hasActivation() ? "" : counter);
}

/// With the scales of the op; what it joins is no integer tensor.
static Value createQuantizedProduct(mlir::OpBuilder &builder, Location loc, Operation *op, const PostOps &postOps) {
  return llvm::TypeSwitch<Operation *, Value>(op).Case<QLinearPointwiseOp, QConvPointwiseOp>([&](auto product) {
    auto result = cast<decltype(product)>(builder.clone(*op));
    result->setLoc(loc);
    result.getOtherMutable().assign(postOps.other ? mlir::ValueRange(postOps.other) : mlir::ValueRange());
    result.setBinary(postOps.binary);
    result.setAttr(postOps.activation);
    result.setScalars(postOps.scalars);
    result.setAlgorithm(postOps.algorithm);
    return result.getResult();
  });
}

Value fxgraph::createProduct(mlir::OpBuilder &builder, Location loc, Operation *op, const PostOps &postOps) {
  if (auto linear = dyn_cast<LinearPointwiseOp>(op))
    return LinearPointwiseOp::create(builder, loc, linear.getType(), linear.getInput(), linear.getWeight(),
                                     linear.getBias(), postOps.other, postOps.binary, postOps.activation,
                                     postOps.scalars, postOps.algorithm);
  if (isQuantizedProduct(op))
    return createQuantizedProduct(builder, loc, op, postOps);
  auto conv = cast<ConvolutionPointwiseOp>(op);
  return ConvolutionPointwiseOp::create(builder, loc, conv.getType(), conv.getInput(), conv.getWeight(), conv.getBias(),
                                        postOps.other, conv.getStride(), conv.getPadding(), conv.getDilation(),
                                        conv.getTransposed(), conv.getOutputPadding(), conv.getGroups(), postOps.binary,
                                        postOps.activation, postOps.scalars, postOps.algorithm);
}
