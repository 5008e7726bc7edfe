// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// split_cat_pass: split → squeeze is unbind (UnbindPatterns.pdll); then the simplifier. PyTorch:
// torch/_inductor/fx_passes/split_cat.py, merge_split_squeeze and
// simplify_split_cat. Exact; linear in the pieces and their uses.

#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Transforms/SplitCat/Passes.h"
#include "fxgraph/Transforms/SplitCat/SplitCatUtils.h"
#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Transforms/Utils/FreezePatterns.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_SPLITCATPASS
#include "fxgraph/Transforms/SplitCat/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kSqueezeKind{"split-squeeze", "split_cat_pass"};
static const RewriteKind kSimplifyKind{"split-cat", "split_cat_pass"};

/// True if `op` is a squeeze of exactly the dimension.
static bool isSqueezeOf(Operation *op, int64_t dim) {
  auto squeeze = dyn_cast<SqueezeOp>(op);
  if (!squeeze || !squeeze.getDims() || squeeze.getDims()->size() != 1)
    return false;
  return wrapDim(squeeze.getDims()->front(), squeeze.getInput().getType().getRank()) == dim;
}

static LogicalResult squeezesPieces(mlir::PatternRewriter &rewriter, Operation *op) {
  auto split = dyn_cast<SplitLikeOpInterface>(op);
  if (!split || split.dropsDim() ||
      llvm::none_of(split->getUsers(), [](Operation *user) { return isa<SqueezeOp>(user); }))
    return failure();
  std::optional<SmallVector<int64_t>> sections = split.getStaticSections();
  if (!sections || llvm::any_of(*sections, [](int64_t section) { return section != 1; }))
    return refuse(rewriter, op, "a section is not 1");
  int64_t dim = split.getNormalizedDim();
  // In the split dimension the input may be dynamic while the sections are not.
  if (cast<RankedTensorType>(split->getOperand(0).getType()).isDynamicDim(dim))
    return refuse(rewriter, op, "the extent of the input is not known");
  for (OpResult piece : split->getResults()) {
    if (piece.use_empty())
      continue;
    if (!piece.hasOneUse())
      return refuse(rewriter, op, "a piece has other users");
    Operation *user = *piece.user_begin();
    if (!isSqueezeOf(user, dim))
      return refuse(rewriter, op, "a piece is not squeezed along the split dimension");
    if (user->getBlock() != split->getBlock())
      return refuse(rewriter, op, "a squeeze is in another block");
  }
  return success();
}

static void unbindPieces(mlir::PatternRewriter &rewriter, Operation *op) {
  auto split = cast<SplitLikeOpInterface>(op);
  int64_t dim = split.getNormalizedDim();
  SmallVector<Type> types;
  for (OpResult piece : split->getResults()) {
    if (!piece.use_empty()) {
      types.push_back(piece.user_begin()->getResult(0).getType());
      continue;
    }
    // A piece without users: what its squeeze would have given.
    auto type = cast<RankedTensorType>(piece.getType());
    Dims dims = getDims(type);
    dims.erase(dims.begin() + dim);
    types.push_back(withDims(type, dims));
  }
  auto unbind = UnbindOp::create(rewriter, op->getLoc(), types, split->getOperand(0), rewriter.getI64IntegerAttr(dim));
  for (auto [piece, replacement] : llvm::zip_equal(split->getResults(), unbind->getResults()))
    if (!piece.use_empty())
      rewriter.replaceOp(*piece.user_begin(), replacement);
  rewriter.eraseOp(op);
}

namespace {
#include "SplitCatUnbindPatterns.h.inc"

struct SplitCatPass : public impl::SplitCatPassBase<SplitCatPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    mlir::RewritePatternSet set(context);
    set.getPDLPatterns().registerConstraintFunction("SqueezesPieces", squeezesPieces);
    set.getPDLPatterns().registerRewriteFunction("UnbindPieces", unbindPieces);
    set.add<SplitSqueeze>(context);
    patterns = freezePatterns(std::move(set));
    return success();
  }

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<SplitLikeOpInterface>())
      return;
    // A split that has lost users may be squeezed altogether, or get coarser, and a
    // coarser one may join the pieces of the next.
    LogicalResult result = simplifySplitCat(
        session, {kSimplifyKind, /*unbind=*/false, allowOtherUsers},
        [&](ArrayRef<Operation *> splits) { return session.applyPatterns(patterns, splits, kSqueezeKind); });
    if (failed(result) || !session.isValid())
      signalPassFailure();
  }

private:
  mlir::FrozenRewritePatternSet patterns;
};
} // namespace
