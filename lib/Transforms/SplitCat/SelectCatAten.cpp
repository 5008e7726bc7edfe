// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-splitcat-select-cat-aten; the patterns are in AtenPatterns.pdll. Linear in the
// operands of cats of selects.

#include "AtenPatterns.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/SplitCat/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_SELECTCATATENPASS
#include "fxgraph/Transforms/SplitCat/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
#include "SplitCatAtenPatterns.h.inc"

struct SelectCatAtenPass
    : public PatternPass<fxgraph::impl::SelectCatAtenPassBase<SelectCatAtenPass>, Boundary::Guarded> {
  using PatternPass::PatternPass;

private:
  void addGroups(MLIRContext *context) override {
    addGroup(context, {"select-cat-aten", "select_cat_aten_pass"}, [&](mlir::RewritePatternSet &set) {
      registerAtenConstraints(set);
      set.add<SelectCat>(context);
    });
  }
};
} // namespace
