// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-predispatch-remove-split-ops.
//
// Patterns, the first that fits:
//   split(x), no piece used              -> nothing
//   split(x; [n])                        -> x
//   cat(all pieces of split(x; d); d)    -> x
//   split(x), one piece used             -> slice(x), of an unbind select(x)
//   split(x), pieces at the ends unused  -> split(slice(x)), with `trim-ends`
//
// Exact; linear in the pieces and in the operands of the cats that begin with a first
// piece.
//
// PyTorch: the name of a pre-dispatch pass (torch/_inductor/fx_passes/pre_grad.py,
// remove_split_ops_pass) whose open version does nothing.

#include "fxgraph/Transforms/PreDispatch/Passes.h"
#include "fxgraph/Transforms/SplitCat/SplitCatUtils.h"

namespace fxgraph {
#define GEN_PASS_DEF_REMOVESPLITOPSPASS
#include "fxgraph/Transforms/PreDispatch/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static constexpr StringRef kCounter = "remove_split_ops_pass";
static const RewriteKind kUnused{"unused-split", kCounter};
static const RewriteKind kOneSection{"split-of-one-section", kCounter};
static const RewriteKind kRejoined{"rejoined-split", kCounter};
static const RewriteKind kOnePiece{"split-of-one-used-piece", kCounter};
static const RewriteKind kEnds{"unused-ends", kCounter};

/// Cats of all pieces in order become the input. Their first operand is the first piece.
static void removeRejoiningCats(SplitLikeOpInterface split, RewriteSession &session) {
  if (split.dropsDim())
    return;
  Value input = split->getOperand(0);
  SetVector<Operation *> users(split->getResult(0).user_begin(), split->getResult(0).user_end());
  for (Operation *user : llvm::reverse(users)) {
    auto cat = dyn_cast<CatOp>(user);
    if (!cat || !llvm::equal(cat.getTensors(), split->getResults()))
      continue;
    Location loc = cat.getLoc();
    StringRef obstacle;
    if (cat.getNormalizedDim() != split.getNormalizedDim())
      obstacle = "split and cat are along different dimensions";
    else if (cat.getResult().getType() != input.getType())
      obstacle = "the cat and the input of the split differ in type";
    else if (reachesWriter(cat))
      obstacle = "an unknown op may write to the cat";
    if (!obstacle.empty()) {
      session.missed(loc, kRejoined, obstacle);
      continue;
    }
    session.begin(kRejoined);
    session.getRewriter().replaceOp(cat, input);
    session.applied(loc);
  }
}

/// The one used piece, or the used ones without the ends that nobody uses. Returns the
/// narrower split, or null.
static SplitLikeOpInterface narrow(SplitLikeOpInterface split, bool trimEnds, RewriteSession &session) {
  mlir::IRRewriter &rewriter = session.getRewriter();
  Location loc = split->getLoc();
  unsigned count = split->getNumResults(), first = 0, end = count;
  while (first < end && split->getResult(first).use_empty())
    ++first;
  while (end > first && split->getResult(end - 1).use_empty())
    --end;
  if (end - first == count || (end - first > 1 && !trimEnds))
    return {};
  const RewriteKind &kind = end - first == 1 ? kOnePiece : kEnds;
  SectionCache sections;
  const SectionCache::Sections *known = sections.get(split);
  if (!known) {
    session.missed(loc, kind, "a section is not known");
    return {};
  }
  Value input = split->getOperand(0);
  rewriter.setInsertionPoint(split);
  session.begin(kind);
  SmallVector<Value> replacements(split->getResults());
  SmallVector<Type> types(split->getResults().slice(first, end - first).getTypes());
  int64_t dim = known->dim, start = known->offsets[first], stop = known->offsets[end];
  Operation *narrowed = nullptr;
  if (end - first > 1) {
    Value slice = SliceOp::create(rewriter, loc, input, dim, start, stop, /*step=*/1);
    narrowed = split.dropsDim()
                   ? UnbindOp::create(rewriter, loc, types, slice, rewriter.getI64IntegerAttr(dim)).getOperation()
                   : createSplit(rewriter, loc, types, slice, ArrayRef(known->sizes).slice(first, end - first), dim);
    llvm::copy(narrowed->getResults(), replacements.begin() + first);
  } else if (split.dropsDim()) {
    replacements[first] = SelectOp::create(rewriter, loc, types[0], input, dim, first);
  } else {
    replacements[first] = SliceOp::create(rewriter, loc, types[0], input, dim, start, stop, /*step=*/1);
  }
  // The pieces at the ends, which nobody uses, stand for themselves.
  rewriter.replaceAllOpUsesWith(split, replacements);
  rewriter.eraseOp(split);
  session.applied(loc, Twine(end - first) + " of " + Twine(count) + " pieces");
  return dyn_cast_if_present<SplitLikeOpInterface>(narrowed);
}

static void rewrite(SplitLikeOpInterface split, bool trimEnds, RewriteSession &session) {
  // A narrower split may be one that a cat rejoins: look again. Each has fewer pieces.
  for (SplitLikeOpInterface next = split; next;) {
    split = next;
    next = {};
    removeRejoiningCats(split, session);
    Location loc = split->getLoc();
    if (split->use_empty()) {
      session.begin(kUnused);
      session.getRewriter().eraseOp(split);
      return session.applied(loc);
    }
    if (split->getNumResults() == 1 && !split.dropsDim())
      break;
    next = narrow(split, trimEnds, session);
    if (!next)
      return;
  }
  Location loc = split->getLoc();
  Value input = split->getOperand(0);
  if (split->getResult(0).getType() != input.getType())
    return session.missed(loc, kOneSection, "the piece and the input differ in type");
  if (wouldAliasBoundary(input, split))
    return session.missed(loc, kOneSection, "a result of the graph would become an argument or another result");
  session.begin(kOneSection);
  session.getRewriter().replaceOp(split, input);
  session.applied(loc);
}

namespace {
struct RemoveSplitOpsPass : public fxgraph::impl::RemoveSplitOpsPassBase<RemoveSplitOpsPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<SplitLikeOpInterface>())
      return;
    auto rewriteAll = [&] {
      SmallVector<SplitLikeOpInterface> splits = session.collect<SplitLikeOpInterface>();
      // Last first: a split that goes may leave the one before it without users.
      for (SplitLikeOpInterface split : llvm::reverse(splits))
        rewrite(split, trimEnds, session);
      return success();
    };
    if (failed(BoundaryGuard(session).rewriteGuarded(rewriteAll)) || !session.isValid())
      signalPassFailure();
  }
};
} // namespace
