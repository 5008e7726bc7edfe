// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-predispatch-matmul-lce; the patterns are in MatmulLce.pdll. Linear.

#include "LceUtils.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/PreDispatch/Passes.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_MATMULLCEPASS
#include "fxgraph/Transforms/PreDispatch/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
#include "PreDispatchMatmulLce.h.inc"

struct MatmulLcePass : public LcePass<fxgraph::impl::MatmulLcePassBase<MatmulLcePass>> {
  using LcePass::LcePass;

  void populate(mlir::RewritePatternSet &set) const override { populateGeneratedPDLLPatterns(set); }
  RewriteKind getKind() const override {
    return {"matmul-lce", "use_matmul_lce_replace_normal_LCE", NumericClass::ChangesPrecision};
  }
};
} // namespace
