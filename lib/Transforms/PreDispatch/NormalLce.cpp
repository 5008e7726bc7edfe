// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-predispatch-normal-lce; the patterns are in NormalLce.pdll. Linear.

#include "LceUtils.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/PreDispatch/Passes.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_NORMALLCEPASS
#include "fxgraph/Transforms/PreDispatch/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
#include "PreDispatchNormalLce.h.inc"

struct NormalLcePass : public LcePass<fxgraph::impl::NormalLcePassBase<NormalLcePass>> {
  using LcePass::LcePass;

  void populate(mlir::RewritePatternSet &set) const override { populateGeneratedPDLLPatterns(set); }
  RewriteKind getKind() const override {
    return {"normal-lce", "use_triton_lce_replace_normal_LCE", NumericClass::Reassociates};
  }
};
} // namespace
