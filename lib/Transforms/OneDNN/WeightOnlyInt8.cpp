// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-onednn-weight-only-int8; the patterns are in WeightOnlyInt8.pdll. Linear in the ops.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/OneDNN/Passes.h"
#include "fxgraph/Transforms/Utils/Devices.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_ONEDNNWEIGHTONLYINT8PASS
#include "fxgraph/Transforms/OneDNN/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static RankedTensorType getTensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

static LogicalResult scalesProduct(mlir::PatternRewriter &rewriter, Operation *scaled, Value unscaled,
                                   Operation *product, Value input, Value weight, Value scale,
                                   StringRef defaultDevice) {
  if (!getTensorType(weight).getElementType().isSignlessInteger(8))
    return failure();
  RankedTensorType inputType = getTensorType(input), scaleType = getTensorType(scale);
  Type element = inputType.getElementType();
  if (getDeviceType(inputType, defaultDevice) != "cpu")
    return refuse(rewriter, scaled, "the product is not on the CPU");
  if (!element.isBF16() && !element.isF16() && !element.isF32())
    return refuse(rewriter, scaled, "expected floats of 16 or 32 bits");
  if (inputType.getRank() != 2 || getTensorType(weight).getRank() != 2)
    return refuse(rewriter, scaled, "the input or the weight is no matrix");
  Dim outputs = getDims(getTensorType(product->getResult(0)))[1];
  if (scaleType.getElementType() != element || scaleType.getRank() != 1 ||
      !getDims(scaleType)[0].provablyEquals(outputs))
    return refuse(rewriter, scaled, "expected one scale of the input's dtype for each output");
  RankedTensorType type = getTensorType(unscaled);
  if (type.getRank() == 0 || !getDims(type).back().provablyEquals(outputs))
    return refuse(rewriter, scaled, "the reshape does not keep the outputs");
  if (scaled->getResult(0).getType() != type)
    return refuse(rewriter, scaled, "the result has not the product's type");
  if (!product->getResult(0).hasOneUse() || !unscaled.hasOneUse())
    return refuse(rewriter, scaled, "the product has other users");
  if (product->getBlock() != scaled->getBlock())
    return refuse(rewriter, scaled, "the product is made in another block");
  return success();
}

static LogicalResult reshapes(mlir::PatternRewriter &, Operation *op) { return success(isa<ReshapeOp, ViewOp>(op)); }

static Value createProduct(mlir::PatternRewriter &rewriter, Operation *scaled, Value unscaled, Operation *product,
                           Value input, Value weight, Value scale) {
  Value result =
      WeightInt8packMmOp::create(rewriter, scaled->getLoc(), product->getResult(0).getType(), input, weight, scale);
  Operation *reshape = unscaled.getDefiningOp();
  if (reshape == product)
    return result;
  mlir::IRMapping mapping;
  mapping.map(product->getResult(0), result);
  return rewriter.clone(*reshape, mapping)->getResult(0);
}

namespace {
#include "OneDNNWeightOnlyInt8.h.inc"

struct OneDNNWeightOnlyInt8Pass
    : public PatternPass<fxgraph::impl::OneDNNWeightOnlyInt8PassBase<OneDNNWeightOnlyInt8Pass>> {
  using PatternPass::PatternPass;

  void addGroups(MLIRContext *context) override {
    RewriteKind kind{"onednn-weight-only-int8", "woq_matcher_count", NumericClass::Reassociates};
    addGroup(context, kind, [&](mlir::RewritePatternSet &set) {
      mlir::PDLPatternModule &pdl = set.getPDLPatterns();
      pdl.registerConstraintFunction(
          "ScalesProduct",
          [device = StringRef(defaultDevice).str()](mlir::PatternRewriter &rewriter, Operation *scaled, Value unscaled,
                                                    Operation *product, Value input, Value weight,
                                                    Value scale) -> LogicalResult {
            return scalesProduct(rewriter, scaled, unscaled, product, input, weight, scale, device);
          });
      pdl.registerConstraintFunction("Reshapes", reshapes);
      pdl.registerRewriteFunction("CreateProduct", createProduct);
      populateGeneratedPDLLPatterns(set);
    });
  }
};
} // namespace
