// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-attention-fuse; the patterns are in Patterns.pdll, what they leave open in
// Matchers.cpp and Rewrites.cpp. Linear in the ops: each search takes a bounded number of steps.

#include "Matchers.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/Attention/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_ATTENTIONFUSEPASS
#include "fxgraph/Transforms/Attention/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
#include "AttentionPatterns.h.inc"

struct AttentionFusePass : public PatternPass<fxgraph::impl::AttentionFusePassBase<AttentionFusePass>> {
  using PatternPass::PatternPass;

  /// What has 32 bits throughout first: a promise of its own. The patterns of each root are a
  /// group: in one set, results of the constraints that they share are computed on the way to
  /// one root and read on the way to the other.
  void addGroups(MLIRContext *context) override {
    for (bool wideOnly : {true, false}) {
      addAttention<MatmulAttention, MatmulMaskedAttention>(context, wideOnly);
      addAttention<BmmAttention, BmmMaskedAttention>(context, wideOnly);
    }
    addGroup(context, {"unmerge-batch", "", NumericClass::Exact}, [&](mlir::RewritePatternSet &set) {
      registerAttentionMatchers(set.getPDLPatterns(), {});
      set.add<UnmergeView, UnmergeReshape>(context);
    });
  }

private:
  template <typename... Patterns>
  void addAttention(MLIRContext *context, bool wideOnly) {
    NumericClass numerics = wideOnly ? NumericClass::Reassociates : NumericClass::ChangesPrecision;
    addGroup(context, {"attention", "fuse_attention", numerics}, [&](mlir::RewritePatternSet &set) {
      AttentionOptions options{wideOnly, keepHiddenRows};
      registerAttentionMatchers(set.getPDLPatterns(), options);
      registerAttentionRewrites(set.getPDLPatterns(), options);
      set.add<Patterns...>(context);
    });
  }
};
} // namespace
