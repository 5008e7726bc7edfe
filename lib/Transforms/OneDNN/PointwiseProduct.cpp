// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PointwiseProduct.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace fxgraph;

std::optional<PostOps> fxgraph::getPostOps(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<PostOps>>(op)
      .Case<LinearPointwiseOp, ConvolutionPointwiseOp>([](auto product) {
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

Value fxgraph::createProduct(mlir::OpBuilder &builder, Location loc, Operation *op, const PostOps &postOps) {
  if (auto linear = dyn_cast<LinearPointwiseOp>(op))
    return LinearPointwiseOp::create(builder, loc, linear.getType(), linear.getInput(), linear.getWeight(),
                                     linear.getBias(), postOps.other, postOps.binary, postOps.activation,
                                     postOps.scalars, postOps.algorithm);
  auto conv = cast<ConvolutionPointwiseOp>(op);
  return ConvolutionPointwiseOp::create(builder, loc, conv.getType(), conv.getInput(), conv.getWeight(), conv.getBias(),
                                        postOps.other, conv.getStride(), conv.getPadding(), conv.getDilation(),
                                        conv.getTransposed(), conv.getOutputPadding(), conv.getGroups(), postOps.binary,
                                        postOps.activation, postOps.scalars, postOps.algorithm);
}
