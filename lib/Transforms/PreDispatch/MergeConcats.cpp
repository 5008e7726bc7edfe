// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-predispatch-merge-concats.
//
// Pattern: cat(a, cat(b, e; d), f; d) -> cat(a, b, e, f; d)
//          two cats of the same operands -> one
//
// Algorithm: from the last cat to the first, the whole tree of cats below one that no
// other takes is written out with a stack of its own, so that a chain of n cats costs n
// steps and no recursion. Then cats with equal operands are one, found by hashing. That
// may leave an inner cat with one user, and so on: both go on with the cats that have
// changed. Exact.
//
// PyTorch: the name of a pre-dispatch pass (torch/_inductor/fx_passes/pre_grad.py,
// merge_concats_pass) whose open version does nothing.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/PreDispatch/Passes.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "llvm/ADT/Hashing.h"

namespace fxgraph {
#define GEN_PASS_DEF_MERGECONCATSPASS
#include "fxgraph/Transforms/PreDispatch/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kNested{"merge-concats", "merge_concats_pass"};
static const RewriteKind kEqual{"merge-equal-concats", "merge_concats_pass"};

/// Cats with more operands are not made out of shared ones, which could double at each
/// level of nesting.
static constexpr size_t kMaxSharedOperands = 1 << 16;

/// An operand that PyTorch skips whatever the others' rank: tensor<0x...>.
static bool isSkipped(Value operand) {
  auto type = cast<RankedTensorType>(operand.getType());
  return type.getRank() == 1 && type.getDimSize(0) == 0;
}

namespace {
class ConcatMerger {
public:
  ConcatMerger(RewriteSession &session, bool allowMultiUse) : session(session), allowMultiUse(allowMultiUse) {}

  void run();

private:
  bool mayTakeApart(CatOp inner, CatOp outer, bool remark);
  CatOp findOutermost(CatOp cat);
  void flatten(CatOp cat);
  void mergeWithEqual(CatOp cat);
  void replaceByEqual(CatOp cat, CatOp equal);
  /// To be called before a cat is erased.
  void forget(Operation *cat);

  RewriteSession &session;
  bool allowMultiUse;
  bool isFirst = true;
  /// The cats to write out in the first round.
  OpList unvisited;
  /// The cats with distinct operands, by their hashes, and the hash of each.
  DenseMap<size_t, SmallVector<CatOp, 1>> known;
  DenseMap<Operation *, size_t> hashes;
};
} // namespace

bool ConcatMerger::mayTakeApart(CatOp inner, CatOp outer, bool remark) {
  StringRef obstacle;
  if (inner.getNormalizedDim() != outer.getNormalizedDim())
    obstacle = "the cats join different dimensions";
  else if (inner->getBlock() != outer->getBlock())
    obstacle = "the cats are in different blocks";
  else if (!allowMultiUse && !inner.getResult().hasOneUse())
    obstacle = "the inner cat has other users";
  // An unknown op could be told its operand from a fresh copy of it.
  else if (reachesWriter(inner))
    obstacle = "an unknown op may write to the inner cat";
  if (!obstacle.empty() && remark)
    session.missed(outer.getLoc(), kNested, obstacle);
  return obstacle.empty();
}

/// The cat that `cat` is written out in.
CatOp ConcatMerger::findOutermost(CatOp cat) {
  while (cat.getResult().hasOneUse()) {
    auto outer = dyn_cast<CatOp>(*cat->user_begin());
    if (!outer || !mayTakeApart(cat, outer, /*remark=*/false))
      break;
    cat = outer;
  }
  return cat;
}

/// Writes out the tree of cats below `cat`.
void ConcatMerger::flatten(CatOp cat) {
  struct Frame {
    CatOp cat;
    unsigned next = 0;
  };
  SmallVector<Frame> stack{{cat}};
  SmallVector<Value> operands;
  SmallVector<Operation *> inner;
  SetVector<Operation *> unused;
  size_t dropped = 0;
  bool allSkipped = llvm::all_of(cat.getTensors(), isSkipped);
  while (!stack.empty()) {
    Frame &frame = stack.back();
    if (frame.next == frame.cat.getTensors().size()) {
      stack.pop_back();
      continue;
    }
    Value operand = frame.cat.getTensors()[frame.next++];
    if (isSkipped(operand) && !allSkipped) {
      ++dropped;
      if (auto producer = operand.getDefiningOp<CatOp>())
        unused.insert(producer);
      continue;
    }
    auto producer = operand.getDefiningOp<CatOp>();
    if (producer && (producer.getResult().hasOneUse() || operands.size() < kMaxSharedOperands) &&
        mayTakeApart(producer, cat, isFirst)) {
      inner.push_back(producer);
      stack.push_back({producer});
      continue;
    }
    operands.push_back(operand);
  }
  if (inner.empty() && dropped == 0)
    return;
  mlir::IRRewriter &rewriter = session.getRewriter();
  Location loc = cat.getLoc();
  session.begin(kNested);
  forget(cat);
  rewriter.setInsertionPoint(cat);
  rewriter.replaceOpWithNewOp<CatOp>(cat, cat.getResult().getType(), operands,
                                     rewriter.getI64IntegerAttr(cat.getNormalizedDim()));
  // Outer ones first, as they were entered: one that still has users is shared.
  unused.insert(inner.begin(), inner.end());
  for (size_t i = 0; i < unused.size(); ++i) {
    Operation *op = unused[i];
    if (!op->use_empty())
      continue;
    for (Value operand : op->getOperands())
      if (auto producer = operand.getDefiningOp<CatOp>(); producer && isSkipped(operand))
        unused.insert(producer);
    forget(op);
    rewriter.eraseOp(op);
  }
  session.applied(loc, Twine(inner.size()) + " inner cats, " + Twine(dropped) + " operands without elements");
}

void ConcatMerger::forget(Operation *cat) {
  unvisited.remove(cat);
  auto it = hashes.find(cat);
  if (it == hashes.end())
    return;
  llvm::erase_if(known[it->second], [&](CatOp other) { return other == cat; });
  hashes.erase(it);
}

/// One of two cats in a block with the same operands is enough: the first.
void ConcatMerger::mergeWithEqual(CatOp cat) {
  forget(cat); // it may have got other operands
  size_t hash = llvm::hash_combine(cat->getBlock(), cat.getNormalizedDim(), cat.getResult().getType());
  for (Value operand : cat.getTensors())
    hash = llvm::hash_combine(hash, operand.getAsOpaquePointer());
  SmallVector<CatOp, 1> &same = known[hash];
  auto it = llvm::find_if(same, [&](CatOp other) {
    return other->getBlock() == cat->getBlock() && other.getNormalizedDim() == cat.getNormalizedDim() &&
           other.getResult().getType() == cat.getResult().getType() &&
           llvm::equal(other.getTensors(), cat.getTensors());
  });
  auto remember = [&] {
    same.push_back(cat);
    hashes[cat] = hash;
  };
  if (it == same.end())
    return remember();
  CatOp other = *it;
  if (reachesWriter(cat) || reachesWriter(other))
    return session.missed(cat.getLoc(), kEqual, "an unknown op may write to one of the cats");
  if (other->isBeforeInBlock(cat))
    return replaceByEqual(cat, other);
  replaceByEqual(other, cat);
  remember();
}

void ConcatMerger::replaceByEqual(CatOp cat, CatOp equal) {
  Location loc = cat.getLoc();
  session.begin(kEqual);
  forget(cat);
  session.getRewriter().replaceOp(cat, equal.getResult());
  session.applied(loc);
}

void ConcatMerger::run() {
  for (CatOp cat : session.collect<CatOp>())
    unvisited.insert(cat);
  while (Operation *cat = unvisited.popLast())
    flatten(cast<CatOp>(cat));
  isFirst = false;

  ChangeList toFlatten(session);
  for (CatOp cat : session.collect<CatOp>())
    mergeWithEqual(cat);
  ChangeList toMerge(session);
  bool changed;
  do {
    changed = false;
    while (Operation *op = toFlatten.popLast())
      if (auto cat = dyn_cast<CatOp>(op)) {
        flatten(findOutermost(cat));
        changed = true;
      }
    while (Operation *op = toMerge.popLast())
      if (auto cat = dyn_cast<CatOp>(op)) {
        mergeWithEqual(cat);
        changed = true;
      }
  } while (changed);
}

namespace {
struct MergeConcatsPass : public fxgraph::impl::MergeConcatsPassBase<MergeConcatsPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<CatOp>())
      return;
    BoundaryGuard guard(session);
    guard.snapshot();
    ConcatMerger(session, allowMultiUse).run();
    if (session.getNumApplied() > 0)
      guard.restore();
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
