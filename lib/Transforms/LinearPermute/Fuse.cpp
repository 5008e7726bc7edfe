// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-linear-permute-fuse; the patterns are in Patterns.pdll. Linear in the ops.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/LinearPermute/Passes.h"
#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Transforms/Utils/Numerics.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
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

struct LinearPermuteFusePass : public fxgraph::impl::LinearPermuteFusePassBase<LinearPermuteFusePass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  /// One group of patterns. They run one after the other, as in Inductor: what
  /// both linear-permute and permute-linear could fuse goes to the first.
  struct Group {
    RewriteKind kind;
    mlir::FrozenRewritePatternSet patterns;
  };
  template <typename... Patterns>
  void addGroup(MLIRContext *context, StringRef name, StringRef counter);
  SmallVector<Group> groups;
};
} // namespace

template <typename... Patterns>
void LinearPermuteFusePass::addGroup(MLIRContext *context, StringRef name, StringRef counter) {
  if (!enablePatterns.empty() && !llvm::is_contained(enablePatterns, name))
    return;
  mlir::RewritePatternSet set(context);
  registerConstraints(set);
  mlir::PDLPatternModule &pdl = set.getPDLPatterns();
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
  set.add<Patterns...>(context);
  groups.push_back({{name, counter, NumericClass::Reassociates}, std::move(set)});
}

LogicalResult LinearPermuteFusePass::initialize(MLIRContext *context) {
  static constexpr StringRef names[] = {"linear-permute", "permute-linear", "permute-matmul"};
  for (const std::string &name : enablePatterns)
    if (!llvm::is_contained(names, name))
      return mlir::emitError(mlir::UnknownLoc::get(context))
             << "expected enable-patterns of linear-permute, permute-linear and permute-matmul but got " << name;
  if (failed(parseNumerics(mlir::UnknownLoc::get(context), numerics)))
    return failure();
  groups.clear();
  addGroup<LinearPermute, LinearTranspose>(context, names[0], "linear_permute_fusion");
  addGroup<PermuteLinear>(context, names[1], "permute_linear_fusion");
  addGroup<PermuteMatmulBoth, PermuteMatmulLeft, PermuteMatmulRight, PermuteBmmBoth, PermuteBmmLeft, PermuteBmmRight>(
      context, names[2], "permute_matmul_fusion");
  return success();
}

void LinearPermuteFusePass::runOnOperation() {
  if (!allows(*parseNumerics(numerics), NumericClass::Reassociates))
    return;
  RewriteSession session(*this);
  if (session.lacks<PermuteOp, TransposeOp>()) // every pattern needs one
    return;
  // Permutes and linears are roots throughout, so that dead ones are erased.
  for (const Group &group : groups)
    if (failed(session.applyPatterns(
            group.patterns, {"fxgraph.permute", "fxgraph.transpose", "fxgraph.linear", "fxgraph.matmul", "fxgraph.bmm"},
            group.kind)))
      return signalPassFailure();
  if (!session.isValid())
    signalPassFailure();
}
