// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pattern: split(split(x; S)#i; T) on one dimension -> split(x; S with T for S[i]).
// PyTorch: torch/_inductor/fx_passes/split_cat.py, merge_splits. Exact.
//
// Algorithm: mark every split that can be merged into the split of its input. A
// marked split belongs to the tree of the first unmarked split above it; each
// tree is rewritten once, so that the cost is the number of pieces, not its
// product with the number of inner splits.

#include "fxgraph/Transforms/SplitCat/Passes.h"
#include "fxgraph/Transforms/SplitCat/SplitCatUtils.h"

namespace fxgraph {
#define GEN_PASS_DEF_MERGESPLITSPASS
#include "fxgraph/Transforms/SplitCat/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"merge-splits", "merge_splits_pass"};

/// Why the split `inner` of a piece of `outer` stays; empty if it can be merged.
static StringRef getObstacle(SplitLikeOpInterface outer, SplitLikeOpInterface inner, SectionCache &sections) {
  if (outer.getNormalizedDim() != inner.getNormalizedDim())
    return "the splits cut different dimensions";
  if (outer->getBlock() != inner->getBlock())
    return "the splits are in different blocks";
  if (!inner->getOperand(0).hasOneUse())
    return "the piece has other users";
  if (inner->use_empty())
    return "no piece of the inner split is used";
  if (!sections.get(outer) || !sections.get(inner))
    return "a section is not known";
  return "";
}

/// Replaces the tree of marked splits below `root` by one split.
static void mergeTree(RewriteSession &session, SplitLikeOpInterface root, const DenseSet<Operation *> &marked,
                      SectionCache &cache) {
  SmallVector<int64_t> sections;
  SmallVector<Type> types;
  SmallVector<Operation *> inner;
  SmallVector<Location> locations{root->getLoc()};

  // The new pieces of each old split, in the order in which the tree is entered;
  // -1 where the piece is split again. A loop with its own stack: trees can be deep.
  struct Frame {
    SplitLikeOpInterface split;
    ArrayRef<int64_t> sizes;
    unsigned next = 0;
  };
  MapVector<Operation *, SmallVector<int64_t>> numbers;
  SmallVector<Frame> stack;
  auto enter = [&](SplitLikeOpInterface split) {
    numbers[split].reserve(split->getNumResults());
    stack.push_back({split, cache.get(split)->sizes, 0});
  };
  enter(root);
  while (!stack.empty()) {
    Frame &frame = stack.back();
    if (frame.next == frame.sizes.size()) {
      stack.pop_back();
      continue;
    }
    unsigned i = frame.next++;
    Value piece = frame.split->getResult(i);
    Operation *user = piece.hasOneUse() ? *piece.user_begin() : nullptr;
    SmallVector<int64_t> &pieces = numbers[frame.split];
    if (user && marked.contains(user)) {
      pieces.push_back(-1);
      inner.push_back(user);
      locations.push_back(user->getLoc());
      enter(cast<SplitLikeOpInterface>(user));
      continue;
    }
    pieces.push_back(sections.size());
    sections.push_back(frame.sizes[i]);
    types.push_back(piece.getType());
  }

  mlir::IRRewriter &rewriter = session.getRewriter();
  session.begin(kKind);
  rewriter.setInsertionPoint(root);
  SplitWithSizesOp merged = createSplit(rewriter, fuseLocations(rewriter, locations), types, root->getOperand(0),
                                        sections, root.getNormalizedDim());
  for (auto &[split, pieces] : numbers) {
    SmallVector<Value> values;
    for (auto [i, number] : llvm::enumerate(pieces))
      // A piece that is split again loses its only user below: it stands for itself.
      values.push_back(number < 0 ? split->getResult(i) : merged.getResult(number));
    rewriter.replaceAllOpUsesWith(split, values);
  }
  for (Operation *split : llvm::reverse(inner))
    rewriter.eraseOp(split);
  rewriter.eraseOp(root);
  for (Location loc : ArrayRef(locations).drop_front())
    session.applied(loc);
}

namespace {
struct MergeSplitsPass : public impl::MergeSplitsPassBase<MergeSplitsPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<SplitLikeOpInterface>())
      return;
    SectionCache sections;
    DenseSet<Operation *> marked;
    SetVector<Operation *> roots;
    for (SplitLikeOpInterface inner : session.collect<SplitLikeOpInterface>()) {
      if (inner.dropsDim())
        continue;
      SplitLikeOpInterface outer = getPieceOfSplit(inner->getOperand(0));
      if (!outer)
        continue;
      if (StringRef obstacle = getObstacle(outer, inner, sections); !obstacle.empty()) {
        session.missed(inner->getLoc(), kKind, obstacle);
        continue;
      }
      marked.insert(inner);
      // Producers come first, so whether `outer` is marked is decided already.
      if (!marked.contains(outer))
        roots.insert(outer);
    }
    for (Operation *root : roots)
      mergeTree(session, cast<SplitLikeOpInterface>(root), marked, sections);
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
