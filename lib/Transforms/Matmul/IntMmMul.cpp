// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-matmul-int-mm-mul; the patterns are in IntMmMul.pdll. Linear in the ops.

#include "MatmulUtils.h"
#include "fxgraph/Transforms/Matmul/Passes.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_MATMULINTMMMULPASS
#include "fxgraph/Transforms/Matmul/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static LogicalResult scalesProduct(mlir::PatternRewriter &rewriter, Operation *result, Value product, Value scale,
                                   StringRef defaultDevice) {
  RankedTensorType type = getTensorType(scale), resultType = getTensorType(result->getResult(0));
  if (getDeviceType(product.getType(), defaultDevice) != "cuda")
    return refuse(rewriter, result, "the product is not on a GPU of CUDA");
  // A number of rank 0 has its own dtype, whatever the result's.
  if (type.getRank() != 2 || type.getElementType() != resultType.getElementType() ||
      !isa<FloatType>(type.getElementType()))
    return refuse(rewriter, result, "the scale is no matrix of floats");
  if (getDevice(type) != getDevice(getTensorType(product)))
    return refuse(rewriter, result, "the product and the scale are on different devices");
  if (!provablyBroadcastsTo(getDims(type), getDims(getTensorType(product))))
    return refuse(rewriter, result, "the scale does not broadcast to the product");
  return success();
}

namespace {
#include "MatmulIntMmMul.h.inc"

struct MatmulIntMmMulPass : public MatmulPass<fxgraph::impl::MatmulIntMmMulPassBase<MatmulIntMmMulPass>> {
  using MatmulPass::MatmulPass;

  void addGroups(MLIRContext *context) override {
    addMatmulGroup(context, {"int-mm-mul", "", NumericClass::Exact}, [&](mlir::RewritePatternSet &set) {
      set.getPDLPatterns().registerConstraintFunction(
          "ScalesProduct",
          [device = std::string(defaultDevice)](mlir::PatternRewriter &rewriter, Operation *result, Value product,
                                                Value scale) -> LogicalResult {
            return scalesProduct(rewriter, result, product, scale, device);
          });
      populateGeneratedPDLLPatterns(set);
    });
  }
};
} // namespace
