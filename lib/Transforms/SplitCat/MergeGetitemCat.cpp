// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pattern: cat(p#i … p#j) with p = split(x; S) -> one piece of extent
// S[i]+…+S[j]. PyTorch: torch/_inductor/fx_passes/split_cat.py,
// merge_getitem_cat. Exact.
//
// Algorithm: one sweep over the cats in block order. A cat that qualifies stands
// for a range of pieces, so that a cat of such cats is seen in the same sweep;
// then each split is rebuilt once. A cat that became the input of its split, a piece
// itself, can set the next one free: further sweeps go over the cats that got other
// operands. Linear in the operands of the cats and the pieces of the rebuilt splits,
// however deep the cats are nested.

#include "fxgraph/Transforms/SplitCat/Passes.h"
#include "fxgraph/Transforms/SplitCat/SplitCatUtils.h"

namespace fxgraph {
#define GEN_PASS_DEF_MERGEGETITEMCATPASS
#include "fxgraph/Transforms/SplitCat/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"merge-getitem-cat", "merge_getitem_cat_pass"};

namespace {
/// Pieces `first` … `last` of a split, joined.
struct Range {
  SplitLikeOpInterface split;
  int64_t first, last;
};

class MergeGetitemCat {
public:
  explicit MergeGetitemCat(RewriteSession &session) : session(session), guard(session) {}

  void run() {
    for (CatOp cat : session.collect<CatOp>())
      visit(cat);
    if (ranges.empty())
      return;
    guard.snapshot();
    ChangeList changes(session);
    while (!ranges.empty()) {
      rebuildAll();
      for (Operation *op : changes.take())
        if (auto cat = dyn_cast<CatOp>(op))
          visit(cat);
    }
    guard.restore();
  }

private:
  void rebuildAll() {
    // In the order of the cats: the outermost of nested ones come last, so all
    // ranges of a split are known before it is rebuilt.
    MapVector<Operation *, SmallVector<Operation *>> catsOfSplit;
    for (auto &[cat, range] : ranges)
      catsOfSplit[range.split].push_back(cat);
    for (auto &[split, cats] : catsOfSplit)
      rebuild(cast<SplitLikeOpInterface>(split), cats);
    ranges.clear();
  }

  std::optional<Range> getRange(Value value) const {
    if (SplitLikeOpInterface split = getPieceOfSplit(value))
      return Range{split, getPieceNumber(value), getPieceNumber(value)};
    if (auto cat = value.getDefiningOp<CatOp>())
      if (auto it = ranges.find(cat.getOperation()); it != ranges.end())
        return it->second;
    return std::nullopt;
  }

  void visit(CatOp cat) {
    // A candidate has a piece among its operands.
    std::optional<Range> first;
    for (Value operand : cat.getTensors())
      if ((first = getRange(operand)))
        break;
    if (!first || cat->use_empty())
      return;
    StringRef obstacle;
    Range range{first->split, 0, -1};
    if (getRange(cat.getTensors().front()))
      range = {first->split, first->first, first->first - 1};
    for (Value operand : cat.getTensors()) {
      std::optional<Range> piece = getRange(operand);
      if (!piece)
        obstacle = "an operand is not a piece of a split";
      else if (piece->split != range.split)
        obstacle = "the operands are pieces of different splits";
      else if (piece->first != range.last + 1)
        obstacle = "the pieces are not in order or not all there";
      else if (!operand.hasOneUse())
        obstacle = "a piece has other users";
      if (!obstacle.empty())
        break;
      range.last = piece->last;
    }
    if (obstacle.empty() && range.split->getBlock() != cat->getBlock())
      obstacle = "the split is in another block";
    if (obstacle.empty()) {
      const SectionCache::Sections *sections = cache.get(range.split);
      if (!sections)
        obstacle = "a section is not known";
      else if (sections->dim != cat.getNormalizedDim())
        obstacle = "split and cat are along different dimensions";
      else if (range.first == 0 && range.last + 1 == static_cast<int64_t>(sections->sizes.size()) &&
               cat.getResult().getType() != range.split->getOperand(0).getType())
        obstacle = "the cat and the input of the split differ in type";
      else if (reachesWriter(cat))
        obstacle = "an unknown op may write to the cat";
    }
    if (!obstacle.empty()) {
      session.missed(cat.getLoc(), kKind, obstacle);
      return;
    }
    ranges.insert({cat, range});
  }

  void rebuild(SplitLikeOpInterface split, ArrayRef<Operation *> cats) {
    const SectionCache::Sections &old = *cache.get(split);
    int64_t count = old.sizes.size();
    // The outermost cat that covers each piece, or null. Nested cats come before
    // the cats that use them.
    SmallVector<Operation *> cover(count, nullptr);
    SmallVector<Location> locations{split->getLoc()};
    SmallVector<Operation *> outermost;
    for (Operation *cat : llvm::reverse(cats)) {
      const Range &range = ranges.find(cat)->second;
      if (cover[range.first] && ranges.find(cover[range.first])->second.last >= range.last)
        continue;
      for (int64_t i = range.first; i <= range.last; ++i)
        cover[i] = cat;
      locations.push_back(cat->getLoc());
    }

    mlir::IRRewriter &rewriter = session.getRewriter();
    SmallVector<int64_t> sections;
    SmallVector<Type> types;
    SmallVector<int64_t> numbers(count, -1); // new piece of an old one that stays
    MapVector<Operation *, int64_t> catNumbers;
    for (int64_t i = 0; i < count; ++i) {
      Operation *cat = cover[i];
      if (!cat) {
        numbers[i] = sections.size();
        sections.push_back(old.sizes[i]);
        types.push_back(split->getResult(i).getType());
        continue;
      }
      if (!catNumbers.insert({cat, sections.size()}).second)
        continue;
      const Range &range = ranges.find(cat)->second;
      sections.push_back(old.offsets[range.last + 1] - old.offsets[range.first]);
      types.push_back(cat->getResult(0).getType());
    }

    session.begin(kKind);
    SmallVector<Value> pieces;
    Value input = split->getOperand(0);
    if (sections.size() == 1) {
      pieces.push_back(input); // One cat of everything: no split is left.
    } else {
      rewriter.setInsertionPoint(split);
      auto merged = createSplit(rewriter, fuseLocations(rewriter, locations), types, input, sections, old.dim);
      pieces.append(merged->result_begin(), merged->result_end());
    }
    for (auto &[cat, number] : catNumbers)
      rewriter.replaceAllOpUsesWith(cat, ValueRange(pieces[number]));
    SmallVector<Value> values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(numbers[i] < 0 ? split->getResult(i) : pieces[numbers[i]]);
    rewriter.replaceAllOpUsesWith(split, values);
    SmallVector<Location> applied;
    for (Operation *cat : llvm::reverse(cats)) { // users first
      applied.push_back(cat->getLoc());
      rewriter.eraseOp(cat);
    }
    cache.forget(split); // a new split may get its address
    rewriter.eraseOp(split);
    for (Location loc : llvm::reverse(applied))
      session.applied(loc);
  }

  RewriteSession &session;
  BoundaryGuard guard;
  SectionCache cache;
  MapVector<Operation *, Range> ranges;
};

struct MergeGetitemCatPass : public impl::MergeGetitemCatPassBase<MergeGetitemCatPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<SplitLikeOpInterface>() || session.lacks<CatOp>())
      return;
    MergeGetitemCat(session).run();
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
