// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-matmul-addmm; the patterns are in Addmm.pdll. Linear in the ops.

#include "MatmulUtils.h"
#include "fxgraph/Transforms/Matmul/Passes.h"
#include "fxgraph/Dialect/IR/Numbers.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_MATMULADDMMPASS
#include "fxgraph/Transforms/Matmul/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static LogicalResult broadcastsToProduct(mlir::PatternRewriter &rewriter, Operation *sum, Value input, Value product) {
  RankedTensorType type = getTensorType(input), result = getTensorType(product);
  if (isNumber(input))
    return refuse(rewriter, sum, "what is added to the product is a number");
  if (type.getElementType() != result.getElementType())
    return refuse(rewriter, sum, "the product and what is added to it differ in dtype");
  if (getDevice(type) != getDevice(result))
    return refuse(rewriter, sum, "the product and what is added to it are on different devices");
  if (!provablyBroadcastsTo(getDims(type), getDims(result)))
    return refuse(rewriter, sum, "what is added to the product does not broadcast to it");
  if (sum->getResult(0).getType() != result)
    return refuse(rewriter, sum, "the sum and the product differ in type");
  return success();
}

namespace {
#include "MatmulAddmm.h.inc"

struct MatmulAddmmPass : public MatmulPass<fxgraph::impl::MatmulAddmmPassBase<MatmulAddmmPass>> {
  using MatmulPass::MatmulPass;

  void addGroups(MLIRContext *context) override {
    addMatmulGroupsByWidth(context, "addmm", "", [&](mlir::RewritePatternSet &set) {
      mlir::PDLPatternModule &pdl = set.getPDLPatterns();
      pdl.registerConstraintFunction("BroadcastsToProduct", broadcastsToProduct);
      pdl.registerConstraintFunction(
          "PrefersProduct",
          [device = StringRef(defaultDevice).str()](mlir::PatternRewriter &rewriter, Operation *sum,
                                                    Value input) -> LogicalResult {
            if (isOnGPU(input, device) && feedsPointwiseAlone(sum))
              return refuse(rewriter, sum, "the sum joins the kernel of its users, which are all elementwise");
            return success();
          });
      populateGeneratedPDLLPatterns(set);
    });
  }
};
} // namespace
