// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-matmul-activation-addmm; the patterns are in ActivationAddmm.pdll. Linear in the ops.

#include "MatmulUtils.h"
#include "fxgraph/Transforms/Matmul/Passes.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_MATMULACTIVATIONADDMMPASS
#include "fxgraph/Transforms/Matmul/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static LogicalResult addsBias(mlir::PatternRewriter &rewriter, Operation *activation, AddmmOp addmm, Value input,
                              StringRef defaultDevice) {
  if (!isOnGPU(input, defaultDevice))
    return refuse(rewriter, activation, "the addmm is not on a GPU");
  RankedTensorType type = getTensorType(input), result = addmm.getType();
  if (!isa<FloatType>(type.getElementType()))
    return refuse(rewriter, activation, "the addmm is one of integers");
  if (type.getRank() != 1 || !getDims(type)[0].provablyEquals(getDims(result)[1]))
    return refuse(rewriter, activation, "the addmm does not add a bias with one value for each column");
  if (!addmm.getBeta().isExactlyValue(1.0))
    return refuse(rewriter, activation, "the addmm scales its bias: beta is not 1");
  return success();
}

static LogicalResult endsKernel(mlir::PatternRewriter &rewriter, Operation *activation) {
  if (feedsAny(activation, [](Operation *user) { return isa<PointwiseOpInterface, ReductionOpInterface>(user); }))
    return refuse(rewriter, activation, "an elementwise op or a reduction follows, whose kernel it joins");
  return success();
}

static LogicalResult isGeluByTanh(mlir::PatternRewriter &rewriter, Operation *gelu) {
  if (cast<GeluOp>(gelu).getApproximate() != "tanh")
    return refuse(rewriter, gelu, "the gelu is exact, and that of a GPU goes by tanh");
  return success();
}

static Value createActivation(mlir::PatternRewriter &rewriter, Operation *activation, Operation *op) {
  auto addmm = cast<AddmmOp>(op);
  auto gelu = dyn_cast<GeluOp>(activation);
  return AddmmActivationOp::create(rewriter, activation->getLoc(), addmm.getType(), addmm.getInput(), addmm.getMat1(),
                                   addmm.getMat2(), addmm.getBetaAttr(), addmm.getAlphaAttr(),
                                   rewriter.getBoolAttr(gelu != nullptr),
                                   gelu ? gelu.getApproximateAttr() : rewriter.getStringAttr("none"));
}

namespace {
#include "MatmulActivationAddmm.h.inc"

struct MatmulActivationAddmmPass
    : public MatmulPass<fxgraph::impl::MatmulActivationAddmmPassBase<MatmulActivationAddmmPass>> {
  using MatmulPass::MatmulPass;

  void addGroups(MLIRContext *context) override {
    auto add = [&](StringRef pattern, function_ref<void(mlir::RewritePatternSet &)> populate) {
      addMatmulGroup(context, {pattern, "", NumericClass::Exact}, [&](mlir::RewritePatternSet &set) {
        mlir::PDLPatternModule &pdl = set.getPDLPatterns();
        pdl.registerConstraintFunction("AddsBias",
                                       [device = std::string(defaultDevice)](mlir::PatternRewriter &rewriter,
                                                                             Operation *activation, Operation *addmm,
                                                                             Value input) -> LogicalResult {
                                         return addsBias(rewriter, activation, cast<AddmmOp>(addmm), input, device);
                                       });
        pdl.registerConstraintFunction("EndsKernel", endsKernel);
        pdl.registerConstraintFunction("IsGeluByTanh", isGeluByTanh);
        pdl.registerRewriteFunction("CreateActivation", createActivation);
        populate(set);
      });
    };
    add("relu-addmm", [&](mlir::RewritePatternSet &set) { set.add<ReluAddmm>(context); });
    add("gelu-addmm", [&](mlir::RewritePatternSet &set) { set.add<GeluAddmm>(context); });
  }
};
} // namespace
