// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-linear-permute-fuse; the patterns are in Patterns.pdll. Linear in the ops.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/LinearPermute/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_LINEARPERMUTEFUSEPASS
#include "fxgraph/Transforms/LinearPermute/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
#include "LinearPermutePatterns.h.inc"

struct LinearPermuteFusePass : public PatternPass<fxgraph::impl::LinearPermuteFusePassBase<LinearPermuteFusePass>> {
  using PatternPass::PatternPass;

  LogicalResult initialize(MLIRContext *context) override;

private:
  void addGroups(MLIRContext *context) override;
  void addConstraints(mlir::PDLPatternModule &pdl) const;
};
} // namespace

/// The names of the groups in enable-patterns.
static constexpr StringRef kNames[] = {"linear-permute", "permute-linear", "permute-matmul"};

LogicalResult LinearPermuteFusePass::initialize(MLIRContext *context) {
  for (const std::string &name : enablePatterns)
    if (!llvm::is_contained(kNames, name))
      return mlir::emitError(mlir::UnknownLoc::get(context))
             << "expected enable-patterns of linear-permute, permute-linear and permute-matmul but got " << name;
  return PatternPass::initialize(context);
}

void LinearPermuteFusePass::addConstraints(mlir::PDLPatternModule &pdl) const {
  pdl.registerConstraintFunction("IsMatrixProduct", [](mlir::PatternRewriter &, Operation *op) -> LogicalResult {
    return success(isa<MatmulOp, BmmOp>(op));
  });
  pdl.registerConstraintFunction(
      "HasMinRank", [rank = unsigned(minRank)](mlir::PatternRewriter &rewriter, Operation *op) -> LogicalResult {
        auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
        if (!type)
          return failure();
        if (type.getRank() < static_cast<int64_t>(rank))
          return refuse(rewriter, op, "the permutation has a rank below min-rank");
        return success();
      });
  pdl.registerConstraintFunction(
      "MayRecompute", [allow = bool(allowRecompute)](mlir::PatternRewriter &rewriter, Operation *op) -> LogicalResult {
        if (allow || op->hasOneUse())
          return success();
        return refuse(rewriter, op, "the linear has other users and would be computed twice");
      });
}

/// The groups run one after the other, as in Inductor: what both linear-permute and
/// permute-linear could fuse goes to the first.
void LinearPermuteFusePass::addGroups(MLIRContext *context) {
  auto add = [&](StringRef name, StringRef counter, ArrayRef<StringRef> roots,
                 function_ref<void(mlir::RewritePatternSet &)> populate) {
    if (!enablePatterns.empty() && !llvm::is_contained(enablePatterns, name))
      return;
    auto populateAll = [&](mlir::RewritePatternSet &set) {
      addConstraints(set.getPDLPatterns());
      populate(set);
    };
    addGroup(context, {name, counter, NumericClass::Reassociates}, populateAll, roots);
  };
  add(kNames[0], "linear_permute_fusion", {"fxgraph.permute", "fxgraph.transpose"},
      [&](mlir::RewritePatternSet &set) { set.add<LinearPermute>(context); });
  add(kNames[1], "permute_linear_fusion", {}, [&](mlir::RewritePatternSet &set) { set.add<PermuteLinear>(context); });
  add(kNames[2], "permute_matmul_fusion", {"fxgraph.matmul", "fxgraph.bmm"}, [&](mlir::RewritePatternSet &set) {
    set.add<PermuteMatmulBoth, PermuteMatmulLeft, PermuteMatmulRight>(context);
  });
}
