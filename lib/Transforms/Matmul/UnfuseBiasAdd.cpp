// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-matmul-unfuse-bias-add; the pattern is in UnfuseBiasAdd.pdll. Linear in the ops.

#include "MatmulUtils.h"
#include "fxgraph/Transforms/Matmul/Passes.h"
#include "fxgraph/Dialect/IR/Numbers.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_MATMULUNFUSEBIASADDPASS
#include "fxgraph/Transforms/Matmul/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

/// True if the value was rounded from a wider float for this use.
static bool isNarrowed(Value value) {
  auto convert = value.getDefiningOp<ConvertElementTypeOp>();
  auto from = convert ? dyn_cast<FloatType>(getTensorType(convert.getInput()).getElementType()) : FloatType();
  return from && from.getWidth() > getTensorType(value).getElementTypeBitWidth();
}

static LogicalResult prefersSum(mlir::PatternRewriter &rewriter, AddmmOp addmm, Value input, StringRef defaultDevice,
                                bool keepHalf) {
  if (!isOnGPU(input, defaultDevice))
    return refuse(rewriter, addmm, "the addmm is not on a GPU");
  if (!feedsPointwiseAlone(addmm))
    return refuse(rewriter, addmm, "not all users are elementwise");
  if (addmm.getBeta().isZero())
    return refuse(rewriter, addmm, "beta is 0: the input is not read and nothing is added");
  // On an Intel GPU a bias that was narrowed for the addmm alone is added in full width.
  bool narrowedOnXPU = getDeviceType(input.getType(), defaultDevice) == "xpu" && isNarrowed(input);
  if (keepHalf && isNarrowFloat(input.getType()) && !narrowedOnXPU)
    return refuse(rewriter, addmm, "16-bit products are kept: without the addmm they round once more");
  // An addmm truncates them; a sum and a product of numbers do not.
  if (isa<IntegerType>(getTensorType(input).getElementType()) &&
      !(addmm.getBeta().isInteger() && addmm.getAlpha().isInteger()))
    return refuse(rewriter, addmm, "alpha or beta is no integer");
  return success();
}

static Value createSum(mlir::PatternRewriter &rewriter, Operation *op) {
  auto addmm = cast<AddmmOp>(op);
  Location loc = op->getLoc();
  Value input = addmm.getInput();
  if (!addmm.getBeta().isExactlyValue(1.0)) {
    // A number of the input's category keeps its dtype.
    double beta = addmm.getBeta().convertToDouble();
    Value number = isa<FloatType>(getTensorType(input).getElementType())
                       ? createNumber(rewriter, loc, beta)
                       : createNumber(rewriter, loc, static_cast<int64_t>(beta));
    input = MulOp::create(rewriter, loc, input, number);
  }
  Value product = MmOp::create(rewriter, loc, addmm.getMat1(), addmm.getMat2());
  return AddOp::create(rewriter, loc, addmm.getType(), input, product, addmm.getAlphaAttr());
}

namespace {
#include "MatmulUnfuseBiasAdd.h.inc"

struct MatmulUnfuseBiasAddPass
    : public MatmulPass<fxgraph::impl::MatmulUnfuseBiasAddPassBase<MatmulUnfuseBiasAddPass>> {
  using MatmulPass::MatmulPass;

  void addGroups(MLIRContext *context) override {
    addMatmulGroupsByWidth(context, "unfuse-bias-add", "", [&](mlir::RewritePatternSet &set) {
      mlir::PDLPatternModule &pdl = set.getPDLPatterns();
      pdl.registerConstraintFunction(
          "PrefersSum",
          [device = StringRef(defaultDevice).str(), keep = bool(keepAddmmFusedForHalfDtypes)](
              mlir::PatternRewriter &rewriter, Operation *op, Value input) -> LogicalResult {
            return prefersSum(rewriter, cast<AddmmOp>(op), input, device, keep);
          });
      pdl.registerRewriteFunction("CreateSum", createSum);
      populateGeneratedPDLLPatterns(set);
    });
  }
};
} // namespace
