// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine behind split-cat and stack-unbind-cancel. PyTorch:
// torch/_inductor/fx_passes/split_cat.py, SplitCatSimplifier and
// UnbindCatRemover. Exact.
//
// A cat or stack that takes neighbouring pieces of one split can take one wider
// piece instead, reshaped; if all users agree on the wider pieces, the split gets
// coarser or disappears:
//   stack(p#0 … p#n-1; c)  -> movedim(unflatten(x; d, (n, m)); d, c)
//   cat(p#0 … p#n-1; c)    -> the same with c and c + 1 merged; x itself if c = d
//   cat(a, p#0 … p#n-1; d) -> cat(a, x; d)
// and the same for unbind, which needs no unflatten. With `allowOtherUsers` runs that
// overlap are slices of the input instead, and the split stays for its other users.
//
// Algorithm, in three phases, so that an op that joins pieces of many splits is
// rebuilt once:
//   1. each cat and stack is cut into maximal runs of neighbouring pieces, which cats
//      nested in it may have joined already;
//   2. each split collects the runs of all its users and is accepted if no two
//      overlap and there are fewer of them (with the gaps) than sections;
//   3. accepted splits are replaced, then the cats and stacks over them.
// Linear in operands and uses, but for sorting the runs of a split. Rewriting can make
// room for more: what follows the first round are the splits whose surroundings have
// changed.

#include "fxgraph/Transforms/SplitCat/SplitCatUtils.h"

using namespace fxgraph;

namespace {
/// Operands [begin, end) of a join; pieces [first, first + count) of `producer`, or
/// anything else if that is null.
struct Item {
  Operation *producer;
  int64_t first, count;
  unsigned begin, end;
};

/// A cat or stack over pieces.
struct Join {
  CatLikeOpInterface op;
  SmallVector<Item> items;
};

/// A split or unbind with such users.
struct Producer {
  /// Runs as (first, end) over the pieces: those of the users, then all of the
  /// coarser split.
  SmallVector<std::pair<int64_t, int64_t>> ranges;
  /// The runs again, as items of the users: a user can take pieces of many splits.
  SmallVector<std::pair<Operation *, unsigned>> items;
  bool accepted = false;
  /// Its users are rewritten on their own, each with a slice of the input; it stays
  /// for those that are not.
  bool stays = false;
  /// The value of each range, once it is built; null where that is the input.
  SmallVector<Value> values;

  Value getValue(Operation *split, int64_t first, int64_t end) const {
    auto it = llvm::lower_bound(ranges, std::make_pair(first, end));
    Value value = values[it - ranges.begin()];
    // Not remembered: the input can be a cat or stack that is rebuilt itself.
    return value ? value : split->getOperand(0);
  }
};

class Simplifier {
public:
  Simplifier(RewriteSession &session, const SplitCatSimplifierOptions &options, const SetVector<Operation *> *splits)
      : session(session), options(options), splits(splits) {}

  void run() {
    collectAll();
    bool any = false;
    for (auto &[op, producer] : producers) {
      StringRef obstacle = analyze(cast<SplitLikeOpInterface>(op), producer);
      producer.accepted = obstacle.empty();
      any |= producer.accepted;
      if (!producer.accepted)
        session.missed(op->getLoc(), options.kind, obstacle);
    }
    if (!any)
      return;
    for (auto &[op, producer] : producers)
      if (producer.accepted)
        createPieces(cast<SplitLikeOpInterface>(op), producer);
    for (auto &[op, join] : joins)
      rebuild(join);
    SmallVector<Operation *> dead;
    for (auto &[op, producer] : producers) {
      if (!producer.accepted)
        continue;
      releasePieces(cast<SplitLikeOpInterface>(op), producer);
      dead.push_back(op);
    }
    dead.append(absorbed.begin(), absorbed.end());
    session.eraseDeadOps(dead);
  }

private:
  /// The split that `operand` of `join` is a piece of, or null.
  Operation *getProducer(Operation *join, Value operand) const {
    SplitLikeOpInterface split = options.unbind ? getPieceOfUnbind(operand) : getPieceOfSplit(operand);
    if (!split || split->getBlock() != join->getBlock() || (splits && !splits->contains(split)))
      return nullptr;
    // A legacy empty operand of a cat has another rank and joins nothing.
    int64_t rank = cast<RankedTensorType>(join->getResult(0).getType()).getRank();
    if (isa<CatOp>(join) && cast<RankedTensorType>(operand.getType()).getRank() != rank)
      return nullptr;
    return split;
  }

  /// True if the run is replaced: neighbours of a split, all pieces of an unbind.
  bool isMerged(const Item &item) const {
    if (!item.producer || !producers.find(item.producer)->second.accepted)
      return false;
    return options.unbind ? item.count == item.producer->getNumResults() : item.count > 1;
  }

  /// True for a cat that needs no reshaping: it joins what the split has cut.
  bool joinsSplitDim(CatLikeOpInterface join, SplitLikeOpInterface split) const {
    return !options.unbind && !join.addsDim() && join.getNormalizedDim() == split.getNormalizedDim();
  }

  void collectAll() {
    if (!splits) {
      SmallVector<CatLikeOpInterface> all = session.collect<CatLikeOpInterface>();
      llvm::for_each(all, [&](CatLikeOpInterface join) { absorbOperands(join); });
      for (CatLikeOpInterface join : all)
        if (!absorbed.contains(join))
          collect(join);
      return;
    }
    DenseSet<Operation *> seen;
    for (Operation *split : *splits)
      for (Operation *user : split->getUsers())
        if (auto join = dyn_cast<CatLikeOpInterface>(user); join && seen.insert(user).second)
          collect(join);
  }

  /// Cats of pieces in order, nested in each other, are one run: else each level of the
  /// nesting would make a split of its own.
  void absorbOperands(CatLikeOpInterface join) {
    auto cat = dyn_cast<CatOp>(join.getOperation());
    if (!cat || options.unbind || cat->use_empty() || !cat.getResult().getType().hasStaticShape())
      return;
    Item run{nullptr, 0, 0, 0, cat->getNumOperands()};
    SmallVector<Operation *> inner;
    for (Value operand : cat.getTensors()) {
      Item next{getProducer(cat, operand), 0, 1, 0, 0};
      if (next.producer) {
        next.first = getPieceNumber(operand);
      } else {
        Operation *producer = operand.getDefiningOp();
        auto it = nestedRuns.find(producer);
        if (it == nestedRuns.end() || !operand.hasOneUse() || producer->getBlock() != cat->getBlock())
          return;
        next = it->second;
        inner.push_back(producer);
      }
      if (run.count == 0) {
        run.producer = next.producer;
        run.first = next.first;
      }
      if (next.producer != run.producer || next.first != run.first + run.count)
        return;
      run.count += next.count;
    }
    if (!joinsSplitDim(cat, cast<SplitLikeOpInterface>(run.producer)) || reachesWriter(cat))
      return;
    nestedRuns[cat] = run;
    absorbed.insert(inner.begin(), inner.end());
  }

  void collect(CatLikeOpInterface join) {
    if (join->use_empty())
      return;
    if (auto it = nestedRuns.find(join); it != nestedRuns.end()) {
      Producer &producer = producers[it->second.producer];
      producer.ranges.emplace_back(it->second.first, it->second.first + it->second.count);
      producer.items.emplace_back(join, 0);
      joins.insert({join, {join, {it->second}}});
      return;
    }
    if (llvm::none_of(join->getOperands(), [&](Value operand) { return getProducer(join, operand) != nullptr; }))
      return;
    if (reachesWriter(join)) {
      session.missed(join->getLoc(), options.kind, "an unknown op may write to the result");
      return;
    }
    Join entry{join, {}};
    for (auto [i, operand] : llvm::enumerate(join->getOperands())) {
      Operation *split = getProducer(join, operand);
      int64_t number = split ? getPieceNumber(operand) : 0;
      Item *last = entry.items.empty() ? nullptr : &entry.items.back();
      bool extends = last && last->producer == split && (!split || last->first + last->count == number);
      if (extends) {
        ++last->count;
        last->end = i + 1;
      } else {
        entry.items.push_back({split, number, 1, static_cast<unsigned>(i), static_cast<unsigned>(i + 1)});
      }
    }
    for (auto [i, item] : llvm::enumerate(entry.items)) {
      if (!item.producer)
        continue;
      Producer &producer = producers[item.producer];
      producer.ranges.emplace_back(item.first, item.first + item.count);
      producer.items.emplace_back(join, i);
    }
    joins.insert({join, std::move(entry)});
  }

  /// Makes disjoint ranges cover [0, count).
  static void fillGaps(SmallVectorImpl<std::pair<int64_t, int64_t>> &ranges, int64_t count) {
    SmallVector<std::pair<int64_t, int64_t>> filled;
    int64_t covered = 0;
    for (const auto &range : ranges) {
      if (covered < range.first)
        filled.emplace_back(covered, range.first);
      filled.push_back(range);
      covered = range.second;
    }
    if (covered < count)
      filled.emplace_back(covered, count);
    ranges.assign(filled.begin(), filled.end());
  }

  /// Why the split stays; empty if it can be simplified.
  StringRef analyze(SplitLikeOpInterface split, Producer &producer) {
    int64_t count = split->getNumResults();
    // What is not a cat or stack takes single pieces.
    bool otherUsers = false;
    for (OpResult piece : split->getResults()) {
      if (llvm::all_of(piece.getUsers(), [&](Operation *user) {
            return absorbed.contains(user) || (joins.contains(user) && getProducer(user, piece));
          }))
        continue;
      otherUsers = true;
      producer.ranges.emplace_back(piece.getResultNumber(), piece.getResultNumber() + 1);
    }
    llvm::sort(producer.ranges);
    producer.ranges.erase(llvm::unique(producer.ranges), producer.ranges.end());

    const SectionCache::Sections *sections = cache.get(split);
    if (!sections)
      return "a section is not known";
    if (options.unbind) {
      if (otherUsers && !options.allowOtherUsers)
        return "a piece has users that are neither cat nor stack";
      // An unbind can only go altogether.
      std::pair<int64_t, int64_t> all(0, count);
      if (!llvm::is_contained(producer.ranges, all) || (producer.ranges.size() > 1 && !options.allowOtherUsers))
        return "a cat or stack does not take all pieces in order";
      producer.stays = producer.ranges.size() > 1;
      producer.ranges = {all};
    } else {
      bool overlap = false;
      for (auto [range, next] : llvm::zip(producer.ranges, ArrayRef(producer.ranges).drop_front()))
        overlap |= range.second > next.first;
      if (overlap && !options.allowOtherUsers)
        return "two users take overlapping runs of pieces";
      producer.stays = overlap;
      if (overlap) {
        llvm::erase_if(producer.ranges, [](const auto &range) { return range.second - range.first == 1; });
      } else {
        fillGaps(producer.ranges, count);
        if (static_cast<int64_t>(producer.ranges.size()) == count)
          return "no neighbouring pieces go into one cat or stack";
      }
    }

    Type inputType = split->getOperand(0).getType();
    for (auto [op, number] : producer.items) {
      Join &join = joins.find(op)->second;
      const Item &item = join.items[number];
      ArrayRef<int64_t> sizes = ArrayRef(sections->sizes).slice(item.first, item.count);
      if (!options.unbind && !joinsSplitDim(join.op, split) && !llvm::all_equal(sizes))
        return "the sections differ, and the cat is along another dimension";
      if (join.items.size() > 1)
        continue;
      // The input, or a piece of the coarser split, takes the place of the result.
      Type resultType = op->getResult(0).getType();
      if (options.unbind
              ? join.op.addsDim() && join.op.getNormalizedDim() == sections->dim && inputType != resultType
              : joinsSplitDim(join.op, split) && getRangeType(split, item.first, item.first + item.count) != resultType)
        return "the result and what would replace it differ in type";
    }
    return "";
  }

  /// Type of the pieces [first, end), joined.
  Type getRangeType(SplitLikeOpInterface split, int64_t first, int64_t end) {
    auto inputType = cast<RankedTensorType>(split->getOperand(0).getType());
    if (first == 0 && end == split->getNumResults())
      return inputType;
    if (end - first == 1)
      return split->getResult(first).getType();
    const SectionCache::Sections &sections = *cache.get(split);
    Dims dims = getDims(inputType);
    dims[sections.dim] = sections.offsets[end] - sections.offsets[first];
    return withDims(inputType, dims);
  }

  /// Builds the coarser split, or the slices beside the split.
  void createPieces(SplitLikeOpInterface split, Producer &producer) {
    Value input = split->getOperand(0);
    mlir::IRRewriter &rewriter = session.getRewriter();
    if (options.unbind || (!producer.stays && producer.ranges.size() == 1)) {
      producer.values.push_back({});
      return;
    }
    const SectionCache::Sections &sections = *cache.get(split);
    rewriter.setInsertionPoint(split);
    if (producer.stays) {
      for (auto [first, end] : producer.ranges) {
        bool whole = first == 0 && end == static_cast<int64_t>(sections.sizes.size());
        producer.values.push_back(whole ? Value()
                                        : SliceOp::create(rewriter, split->getLoc(), getRangeType(split, first, end),
                                                          input, sections.dim, sections.offsets[first],
                                                          sections.offsets[end], /*step=*/1));
      }
      return;
    }
    SmallVector<int64_t> sizes;
    SmallVector<Type> types;
    for (auto [first, end] : producer.ranges) {
      sizes.push_back(sections.offsets[end] - sections.offsets[first]);
      types.push_back(getRangeType(split, first, end));
    }
    auto coarse = createSplit(rewriter, split->getLoc(), types, input, sizes, sections.dim);
    producer.values.append(coarse->result_begin(), coarse->result_end());
  }

  /// What a run of pieces contributes to the join.
  Value createOperand(Location loc, CatLikeOpInterface join, const Item &item, const Producer &producer) {
    auto split = cast<SplitLikeOpInterface>(item.producer);
    const SectionCache::Sections &sections = *cache.get(split);
    mlir::IRRewriter &rewriter = session.getRewriter();
    Value value = producer.getValue(split, item.first, item.first + item.count);
    if (joinsSplitDim(join, split))
      return value;
    int64_t to = join.getNormalizedDim();
    if (!options.unbind)
      value = createUnflatten(rewriter, loc, value, sections.dim, item.count, sections.sizes[item.first]);
    value = createMoveDim(rewriter, loc, value, sections.dim, to);
    return join.addsDim() ? value : createFlatten(rewriter, loc, value, to);
  }

  void rebuild(const Join &join) {
    if (llvm::none_of(join.items, [&](const Item &item) { return isMerged(item); }))
      return;
    Operation *op = join.op;
    mlir::IRRewriter &rewriter = session.getRewriter();
    rewriter.setInsertionPoint(op);
    Location loc = op->getLoc();
    int64_t dim = CatLikeOpInterface(join.op).getNormalizedDim();
    JoinOperands builder(rewriter, join.op);
    for (const Item &item : join.items) {
      if (isMerged(item))
        builder.add([&] { return createOperand(loc, join.op, item, producers.find(item.producer)->second); });
      else
        builder.keep(op->getOperands().slice(item.begin, item.end - item.begin));
    }
    SmallVector<Value> operands = builder.take();

    session.begin(options.kind);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value result;
    if (operands.size() == 1) {
      result = operands.front();
      // The op above was made here and infers less than the old type says (`?`
      // for a symbol), or the types are the same.
      if (result.getType() != type)
        result.setType(type);
    } else {
      result = CatOp::create(rewriter, loc, type, operands, dim);
    }
    llvm::SmallPtrSet<Operation *, 4> merged;
    for (const Item &item : join.items)
      if (isMerged(item))
        merged.insert(item.producer);
    Report &report = Report::get(op->getContext());
    report.count("scmerge_cat_removed", merged.size());
    if (operands.size() > 1)
      report.count("scmerge_cat_added");
    rewriter.replaceOp(op, result);
  }

  /// Moves the users that take single pieces to the coarser split.
  void releasePieces(SplitLikeOpInterface split, Producer &producer) {
    int64_t count = split->getNumResults();
    session.begin(options.kind);
    if (!options.unbind && !producer.stays) {
      SmallVector<Value> values(split->result_begin(), split->result_end());
      for (const auto &range : producer.ranges)
        if (range.second - range.first == 1)
          values[range.first] = producer.getValue(split, range.first, range.second);
      session.getRewriter().replaceAllOpUsesWith(split, values);
    }
    Report &report = Report::get(split->getContext());
    if (!producer.stays) {
      report.count("scmerge_split_removed");
      report.count("scmerge_split_sections_removed", count - static_cast<int64_t>(producer.ranges.size()));
    }
    if (producer.ranges.size() > 1 && !producer.stays)
      report.count("scmerge_split_added");
    session.applied(split->getLoc(), Twine(count) + " pieces in " + Twine(producer.ranges.size()) + " run(s)");
  }

  RewriteSession &session;
  const SplitCatSimplifierOptions &options;
  /// The pieces of other splits are not looked at; null for all.
  const SetVector<Operation *> *splits;
  SectionCache cache;
  MapVector<Operation *, Join> joins;
  /// Cats that are one run, and those of them that are operands of another.
  DenseMap<Operation *, Item> nestedRuns;
  SetVector<Operation *> absorbed;
  MapVector<Operation *, Producer> producers;
};
} // namespace

/// The splits that may be rewritten though they could not be before.
static SetVector<Operation *> takeSplits(ChangeList &changes) {
  SetVector<Operation *> splits;
  for (Operation *op : changes.take()) {
    if (isa<SplitLikeOpInterface>(op))
      splits.insert(op);
    for (Value operand : op->getOperands())
      if (auto split = operand.getDefiningOp<SplitLikeOpInterface>())
        splits.insert(split);
  }
  return splits;
}

LogicalResult fxgraph::simplifySplitCat(RewriteSession &session, const SplitCatSimplifierOptions &options,
                                        function_ref<LogicalResult(ArrayRef<Operation *>)> visit) {
  BoundaryGuard guard(session);
  guard.snapshot();
  SmallVector<Operation *> all = llvm::to_vector_of<Operation *>(session.collect<SplitLikeOpInterface>());
  ChangeList toVisit(session);
  if (failed(visit(all)))
    return failure();
  ChangeList toSimplify(session);
  Simplifier(session, options, nullptr).run();
  bool changed;
  do {
    SetVector<Operation *> splits = takeSplits(toVisit);
    changed = !splits.empty();
    if (failed(visit(splits.getArrayRef())))
      return failure();
    splits = takeSplits(toSimplify);
    changed |= !splits.empty();
    Simplifier(session, options, &splits).run();
  } while (changed);
  guard.restore();
  return success();
}
