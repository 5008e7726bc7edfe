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

namespace {
#include "PreDispatchDotCompress.h.inc"

struct DotCompressPass : public LcePass<fxgraph::impl::DotCompressPassBase<DotCompressPass>> {
  using LcePass::LcePass;

  void populate(mlir::RewritePatternSet &set) const override { populateGeneratedPDLLPatterns(set); }
  RewriteKind getKind() const override { return {"dot-compress", "use_triton_dot_compress", NumericClass::Exact}; }
};
} // namespace
