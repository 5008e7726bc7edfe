// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-jointgraph-replace-random; the patterns are in ReplaceRandom.pdll. Linear in the ops.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/JointGraph/Passes.h"
#include "fxgraph/Dialect/IR/Numbers.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_JOINTGRAPHREPLACERANDOMPASS
#include "fxgraph/Transforms/JointGraph/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static Value createSeed(mlir::PatternRewriter &rewriter, Operation *draw) {
  auto type = makeTensorType({}, rewriter.getI64Type(), getDevice(typeOf(draw->getResult(0))));
  return InductorSeedOp::create(rewriter, draw->getLoc(), type);
}

static Type getTypeInF32(mlir::PatternRewriter &rewriter, Operation *draw) {
  return withElementType(typeOf(draw->getResult(0)), rewriter.getF32Type());
}

static Value castToDraw(mlir::PatternRewriter &rewriter, Value drawn, Operation *draw) {
  return createCast(rewriter, draw->getLoc(), drawn, typeOf(draw->getResult(0)).getElementType());
}

namespace {
#include "JointGraphReplaceRandom.h.inc"

struct JointGraphReplaceRandomPass
    : public PatternPass<fxgraph::impl::JointGraphReplaceRandomPassBase<JointGraphReplaceRandomPass>> {
  using PatternPass::PatternPass;

  void addGroups(MLIRContext *context) override {
    addGroup(context, {"replace-random", "", NumericClass::ChangesPrecision}, [](mlir::RewritePatternSet &set) {
      mlir::PDLPatternModule &pdl = set.getPDLPatterns();
      pdl.registerRewriteFunction("CreateSeed", createSeed);
      pdl.registerRewriteFunction("TypeInF32", getTypeInF32);
      pdl.registerRewriteFunction("CastToDraw", castToDraw);
      populateGeneratedPDLLPatterns(set);
    });
  }
};
} // namespace
