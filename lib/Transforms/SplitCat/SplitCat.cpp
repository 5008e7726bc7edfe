// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// split_cat_pass: split → squeeze is unbind; then the simplifier. PyTorch:
// torch/_inductor/fx_passes/split_cat.py, merge_split_squeeze and
// simplify_split_cat. Exact; linear in the pieces and their uses.

#include "fxgraph/Transforms/SplitCat/SplitCatUtils.h"
#include "fxgraph/Transforms/SplitCat/Passes.h"

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

/// Pattern: squeeze(split(x; [1, …, 1], d)#i; d) -> unbind(x; d)#i, for all used
/// pieces. Returns why not, or "".
static StringRef rewriteSqueezes(RewriteSession &session, SplitLikeOpInterface split) {
  std::optional<SmallVector<int64_t>> sections = split.getStaticSections();
  if (!sections || llvm::any_of(*sections, [](int64_t section) { return section != 1; }))
    return "a section is not 1";
  int64_t dim = split.getNormalizedDim();
  // In the split dimension the input may be dynamic while the sections are not.
  Value input = split->getOperand(0);
  if (cast<RankedTensorType>(input.getType()).isDynamicDim(dim))
    return "the extent of the input is not known";
  SmallVector<Type> types(split->getNumResults());
  for (OpResult piece : split->getResults()) {
    // A piece without users: what its squeeze would have given.
    auto type = cast<RankedTensorType>(piece.getType());
    Dims dims = getDims(type);
    dims.erase(dims.begin() + dim);
    types[piece.getResultNumber()] = withDims(type, dims);
    if (piece.use_empty())
      continue;
    if (!piece.hasOneUse())
      return "a piece has other users";
    Operation *user = *piece.user_begin();
    if (!isSqueezeOf(user, dim))
      return "a piece is not squeezed along the split dimension";
    if (user->getBlock() != split->getBlock())
      return "a squeeze is in another block";
    types[piece.getResultNumber()] = user->getResult(0).getType();
  }

  mlir::IRRewriter &rewriter = session.getRewriter();
  Location loc = split->getLoc();
  session.begin(kSqueezeKind);
  rewriter.setInsertionPoint(split);
  auto unbind = UnbindOp::create(rewriter, loc, types, input, rewriter.getI64IntegerAttr(dim));
  for (auto [piece, replacement] : llvm::zip_equal(split->getResults(), unbind->getResults()))
    if (!piece.use_empty())
      rewriter.replaceOp(*piece.user_begin(), replacement);
  rewriter.eraseOp(split);
  session.applied(loc, "unbind");
  return "";
}

static void visitSqueezes(RewriteSession &session, SplitLikeOpInterface split) {
  if (split.dropsDim() || llvm::none_of(split->getUsers(), [](Operation *user) { return isa<SqueezeOp>(user); }))
    return;
  Location loc = split->getLoc();
  StringRef obstacle = rewriteSqueezes(session, split);
  if (!obstacle.empty())
    session.missed(loc, kSqueezeKind, obstacle);
}

namespace {
struct SplitCatPass : public impl::SplitCatPassBase<SplitCatPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<SplitLikeOpInterface>())
      return;
    // A split that has lost users may be squeezed altogether, or get coarser, and a
    // coarser one may join the pieces of the next.
    simplifySplitCat(session, {kSimplifyKind, /*unbind=*/false, allowOtherUsers}, [&](ArrayRef<Operation *> splits) {
      for (Operation *split : splits)
        visitSqueezes(session, cast<SplitLikeOpInterface>(split));
    });
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
