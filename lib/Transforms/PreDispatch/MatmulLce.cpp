// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-predispatch-matmul-lce; the patterns are in MatmulLce.pdll. Linear.

#include "LceUtils.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/PreDispatch/Passes.h"
#include "fxgraph/Transforms/Utils/Numerics.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_MATMULLCEPASS
#include "fxgraph/Transforms/PreDispatch/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"matmul-lce", "use_matmul_lce_replace_normal_LCE", NumericClass::ChangesPrecision};

namespace {
#include "PreDispatchMatmulLce.h.inc"

struct MatmulLcePass : public fxgraph::impl::MatmulLcePassBase<MatmulLcePass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    if (failed(parseNumerics(mlir::UnknownLoc::get(context), numerics)))
      return failure();
    mlir::RewritePatternSet set(context);
    registerLceConstraints(set);
    populateGeneratedPDLLPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    if (!allows(*parseNumerics(numerics), kKind.numerics))
      return;
    RewriteSession session(*this);
    if (failed(applyLcePatterns(session, patterns, kKind)) || !session.isValid())
      signalPassFailure();
  }

private:
  mlir::FrozenRewritePatternSet patterns;
};
} // namespace
