// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-jointgraph-pointless-convert; the patterns are in PointlessConvert.pdll. Linear in the ops.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/JointGraph/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_JOINTGRAPHPOINTLESSCONVERTPASS
#include "fxgraph/Transforms/JointGraph/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

/// f16, bf16, f32 or f64, or null.
static mlir::FloatType getCastFloat(Type type) {
  auto element = dyn_cast<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
  return element && (element.isF16() || element.isBF16() || element.isF32() || element.isF64()) ? element
                                                                                                : mlir::FloatType();
}

/// Whether the pair may be one cast: `lossless` asks that the dtype between holds every number of the first.
static LogicalResult checkPointlessConvert(mlir::PatternRewriter &rewriter, Operation *inner, Operation *outer,
                                           bool lossless) {
  mlir::FloatType first = getCastFloat(inner->getOperand(0).getType()),
                  between = getCastFloat(inner->getResult(0).getType()),
                  last = getCastFloat(outer->getResult(0).getType());
  if (!first || !between || !last)
    return refuse(rewriter, outer, "a dtype is not f16, bf16, f32 or f64");
  if (between.getWidth() < last.getWidth())
    return refuse(rewriter, outer, "the dtype between is narrower than the last");
  if (lossless && !APFloat::isRepresentableBy(first.getFloatSemantics(), between.getFloatSemantics()))
    return refuse(rewriter, outer, "the dtype between does not hold every number of the first");
  return success();
}

static LogicalResult changesDtype(mlir::PatternRewriter &, Value x, Value result) {
  return success(mlir::getElementTypeOrSelf(x.getType()) != mlir::getElementTypeOrSelf(result.getType()));
}

namespace {
#include "JointGraphPointlessConvert.h.inc"

struct JointGraphPointlessConvertPass
    : public PatternPass<fxgraph::impl::JointGraphPointlessConvertPassBase<JointGraphPointlessConvertPass>,
                         Boundary::Guarded> {
  using PatternPass::PatternPass;

  void addGroups(MLIRContext *context) override {
    for (bool lossless : {true, false}) {
      if (!lossless && emulatePrecisionCasts)
        break;
      NumericClass numerics = lossless ? NumericClass::Exact : NumericClass::ChangesPrecision;
      addGroup(context, {"pointless-convert", "", numerics}, [&](mlir::RewritePatternSet &set) {
        set.getPDLPatterns().registerConstraintFunction(
            "IsPointlessConvert",
            [lossless](mlir::PatternRewriter &rewriter, Operation *inner, Operation *outer) -> LogicalResult {
              return checkPointlessConvert(rewriter, inner, outer, lossless);
            });
        set.getPDLPatterns().registerConstraintFunction("ChangesDtype", changesDtype);
        populateGeneratedPDLLPatterns(set);
      });
    }
  }
};
} // namespace
