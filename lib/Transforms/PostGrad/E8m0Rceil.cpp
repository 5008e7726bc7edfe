// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-postgrad-e8m0-rceil; the patterns are in Patterns.pdll, what they ask in
// PatternSupport.cpp. Linear in the ops.

#include "PatternSupport.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/PostGrad/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_E8M0RCEILPASS
#include "fxgraph/Transforms/PostGrad/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
#include "PostGradPatterns.h.inc"

struct E8m0RceilPass : public PatternPass<fxgraph::impl::E8m0RceilPassBase<E8m0RceilPass>, Boundary::Kept> {
  using PatternPass::PatternPass;

private:
  void addGroups(MLIRContext *context) override {
    for (bool exact : {true, false}) {
      RewriteKind kind{"e8m0-rceil", "", exact ? NumericClass::Exact : NumericClass::ChangesPrecision};
      addGroup(context, kind, [&](mlir::RewritePatternSet &set) {
        registerExponentSupport(set, defaultDevice, exact);
        set.add<E8m0OfBits>(context);
        if (!exact)
          set.add<E8m0OfLogarithm>(context);
      });
    }
  }
};
} // namespace
