// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-predispatch-dot-compress; the patterns are in DotCompress.pdll. Linear.

#include "LceUtils.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/PreDispatch/Passes.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_DOTCOMPRESSPASS
#include "fxgraph/Transforms/PreDispatch/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"dot-compress", "use_triton_dot_compress", NumericClass::Exact};

namespace {
#include "PreDispatchDotCompress.h.inc"

struct DotCompressPass : public fxgraph::impl::DotCompressPassBase<DotCompressPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    mlir::RewritePatternSet set(context);
    registerLceConstraints(set);
    populateGeneratedPDLLPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    RewriteSession session(*this);
    if (failed(applyLcePatterns(session, patterns, kKind)) || !session.isValid())
      signalPassFailure();
  }

private:
  mlir::FrozenRewritePatternSet patterns;
};
} // namespace
