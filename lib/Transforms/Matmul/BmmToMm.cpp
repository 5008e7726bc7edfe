// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-matmul-bmm-to-mm; the pattern is in BmmToMm.pdll. Linear in the ops.

#include "MatmulUtils.h"
#include "fxgraph/Transforms/Matmul/Passes.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_MATMULBMMTOMMPASS
#include "fxgraph/Transforms/Matmul/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static Value createSingleProduct(mlir::PatternRewriter &rewriter, Operation *bmm, Value input, Value mat2) {
  Location loc = bmm->getLoc();
  auto squeeze = [&](Value value) -> Value {
    return SqueezeOp::create(rewriter, loc, value, rewriter.getDenseI64ArrayAttr({0}));
  };
  // One after the other: the order of arguments is the compiler's choice.
  Value left = squeeze(input), right = squeeze(mat2);
  Value product = MmOp::create(rewriter, loc, left, right);
  return UnsqueezeOp::create(rewriter, loc, bmm->getResult(0).getType(), product, /*dim=*/0);
}

namespace {
#include "MatmulBmmToMm.h.inc"

struct MatmulBmmToMmPass : public MatmulPass<fxgraph::impl::MatmulBmmToMmPassBase<MatmulBmmToMmPass>> {
  using MatmulPass::MatmulPass;

  void addGroups(MLIRContext *context) override {
    addMatmulGroup(context, {"bmm-to-mm", "", NumericClass::Exact}, [&](mlir::RewritePatternSet &set) {
      mlir::PDLPatternModule &pdl = set.getPDLPatterns();
      pdl.registerConstraintFunction(
          "HoldsOneMatrix",
          [device = StringRef(defaultDevice).str()](mlir::PatternRewriter &rewriter, Operation *bmm) -> LogicalResult {
            // One of the two may be known less well.
            if (llvm::any_of(bmm->getOperands(), [](Value mat) { return getTensorType(mat).getDimSize(0) != 1; }))
              return refuse(rewriter, bmm, "the batch is not known to hold one matrix");
            if (!isOnGPU(bmm->getOperand(0), device))
              return refuse(rewriter, bmm, "the product is not on a GPU");
            return success();
          });
      pdl.registerRewriteFunction("CreateSingleProduct", createSingleProduct);
      populateGeneratedPDLLPatterns(set);
    });
  }
};
} // namespace
