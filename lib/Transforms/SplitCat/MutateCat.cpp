// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns, with p = split(x; S, dim=d):
//   cat(p#0 … p#n-1; d) -> x
//   cat(p#i … p#j; d)   -> slice(x; d, S[0]+…+S[i-1], S[0]+…+S[j])
// PyTorch: torch/_inductor/fx_passes/split_cat.py, mutate_cat_node. Exact.
// One sweep over the cats, linear in their operands.

#include "fxgraph/Transforms/SplitCat/Passes.h"
#include "fxgraph/Transforms/SplitCat/SplitCatUtils.h"

namespace fxgraph {
#define GEN_PASS_DEF_MUTATECATPASS
#include "fxgraph/Transforms/SplitCat/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"mutate-cat", "mutate_cat_pass"};

/// Rewrites one cat; returns why not, or "" if it was rewritten.
static StringRef rewriteCat(RewriteSession &session, CatOp cat, SectionCache &cache) {
  SplitLikeOpInterface split = getPieceOfSplit(cat.getTensors().front());
  if (!split)
    return "an operand is not a piece of a split";
  int64_t first = getPieceNumber(cat.getTensors().front()), last = first - 1;
  for (Value operand : cat.getTensors()) {
    SplitLikeOpInterface producer = getPieceOfSplit(operand);
    if (!producer)
      return "an operand is not a piece of a split";
    if (producer != split)
      return "the operands are pieces of different splits";
    if (getPieceNumber(operand) != last + 1)
      return "the pieces are not in order or not all there";
    ++last;
  }
  const SectionCache::Sections *sections = cache.get(split);
  if (!sections)
    return "a section is not known";
  if (sections->dim != cat.getNormalizedDim())
    return "split and cat are along different dimensions";
  if (split->getBlock() != cat->getBlock())
    return "the split is in another block";
  if (reachesWriter(cat))
    return "an unknown op may write to the cat";

  mlir::IRRewriter &rewriter = session.getRewriter();
  Value input = split->getOperand(0);
  Location loc = cat.getLoc();
  int64_t count = sections->sizes.size();
  if (first == 0 && last + 1 == count) {
    if (input.getType() != cat.getResult().getType())
      return "the cat and the input of the split differ in type";
    session.begin(kKind);
    rewriter.replaceOp(cat, input);
    session.applied(loc, "by the input");
  } else if (first == last) {
    if (split->getResult(first).getType() != cat.getResult().getType())
      return "the cat and the piece differ in type";
    session.begin(kKind);
    rewriter.replaceOp(cat, split->getResult(first));
    session.applied(loc, "by the piece");
  } else {
    session.begin(kKind);
    rewriter.setInsertionPoint(cat);
    auto slice =
        SliceOp::create(rewriter, rewriter.getFusedLoc({split->getLoc(), loc}), cat.getResult().getType(), input,
                        sections->dim, sections->offsets[first], sections->offsets[last + 1], /*step=*/1);
    rewriter.replaceOp(cat, slice);
    session.applied(loc, "by a slice of the input");
  }
  return "";
}

namespace {
struct MutateCatPass : public impl::MutateCatPassBase<MutateCatPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<SplitLikeOpInterface>() || session.lacks<CatOp>())
      return;
    auto isCandidate = [](CatOp cat) {
      return !cat->use_empty() &&
             llvm::any_of(cat.getTensors(), [](Value operand) { return !!getPieceOfSplit(operand); });
    };
    // All cats: one that is replaced by a piece can make the next one a candidate.
    SmallVector<CatOp> cats = session.collect<CatOp>();
    if (llvm::none_of(cats, isCandidate))
      return;
    BoundaryGuard guard(session);
    guard.snapshot();
    SectionCache cache;
    SetVector<Operation *> splits;
    for (CatOp cat : cats) {
      if (!isCandidate(cat))
        continue;
      SplitLikeOpInterface split = getPieceOfSplit(cat.getTensors().front());
      StringRef obstacle = rewriteCat(session, cat, cache);
      if (!obstacle.empty())
        session.missed(cat.getLoc(), kKind, obstacle);
      else
        splits.insert(split);
    }
    session.eraseDeadOps(splits.getArrayRef());
    guard.restore();
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
