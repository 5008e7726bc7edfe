// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-jointgraph-canonicalize-quant-mapping; the pattern is in CanonicalizeQuantMapping.pdll. Linear in the ops.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/JointGraph/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_JOINTGRAPHCANONICALIZEQUANTMAPPINGPASS
#include "fxgraph/Transforms/JointGraph/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static SmallVector<Value> unpack(mlir::PatternRewriter &rewriter, Operation *packed) {
  auto op = cast<InvokeQuantOp>(rewriter.clone(*packed));
  op.setPacked(false);
  return SmallVector<Value>(op.getResults());
}

namespace {
#include "JointGraphCanonicalizeQuantMapping.h.inc"

struct JointGraphCanonicalizeQuantMappingPass
    : public PatternPass<
          fxgraph::impl::JointGraphCanonicalizeQuantMappingPassBase<JointGraphCanonicalizeQuantMappingPass>> {
  using PatternPass::PatternPass;

  void addGroups(MLIRContext *context) override {
    addGroup(context, {"canonicalize-quant-mapping", "", NumericClass::Exact}, [](mlir::RewritePatternSet &set) {
      set.getPDLPatterns().registerRewriteFunction("Unpack", unpack);
      populateGeneratedPDLLPatterns(set);
    });
  }
};
} // namespace
