// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-postgrad-pointless-cumsum; the patterns are in Patterns.pdll, what they ask in
// PatternSupport.cpp. Linear in the ops.

#include "PatternSupport.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/PostGrad/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_POINTLESSCUMSUMPASS
#include "fxgraph/Transforms/PostGrad/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
#include "PostGradPatterns.h.inc"

struct PointlessCumsumPass
    : public PatternPass<fxgraph::impl::PointlessCumsumPassBase<PointlessCumsumPass>, Boundary::Kept> {
  using PatternPass::PatternPass;

private:
  void addGroups(MLIRContext *context) override {
    for (bool exact : {true, false}) {
      NumericClass numerics = exact ? NumericClass::Exact : NumericClass::Reassociates;
      addGroup(context, {"pointless-cumsum", "", numerics}, [&](mlir::RewritePatternSet &set) {
        registerRampSupport(set, exact);
        set.add<PointlessCumsum>(context);
      });
    }
  }
};
} // namespace
