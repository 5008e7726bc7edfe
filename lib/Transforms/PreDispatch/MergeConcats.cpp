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
// may leave an inner cat with one user: both are repeated until nothing changes, at most
// once a level of nesting of such pairs. Exact.
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

  void run() {
    do
      mergeNested();
    while (mergeEqual());
  }

private:
  bool mayTakeApart(CatOp inner, CatOp outer, bool remark);
  void flatten(CatOp cat);
  void mergeNested();
  bool mergeEqual();
  SmallVector<CatOp> collect() {
    SmallVector<CatOp> cats;
    session.getFunction().getFunctionBody().walk([&](CatOp cat) { cats.push_back(cat); });
    return cats;
  }

  RewriteSession &session;
  bool allowMultiUse;
  DenseSet<Operation *> erased;
  bool isFirst = true;
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
  rewriter.setInsertionPoint(cat);
  rewriter.replaceOpWithNewOp<CatOp>(cat, cat.getResult().getType(), operands,
                                     rewriter.getI64IntegerAttr(cat.getNormalizedDim()));
  // Outer ones first, as they were entered: one that still has users is shared.
  unused.insert(inner.begin(), inner.end());
  for (size_t i = 0; i < unused.size(); ++i) {
    Operation *op = unused[i];
    if (!op->use_empty() || !erased.insert(op).second)
      continue;
    for (Value operand : op->getOperands())
      if (auto producer = operand.getDefiningOp<CatOp>(); producer && isSkipped(operand))
        unused.insert(producer);
    rewriter.eraseOp(op);
  }
  session.applied(loc, Twine(inner.size()) + " inner cats, " + Twine(dropped) + " operands without elements");
}

void ConcatMerger::mergeNested() {
  SmallVector<CatOp> cats = collect();
  erased.clear();
  for (CatOp cat : llvm::reverse(cats))
    if (!erased.contains(cat))
      flatten(cat);
  isFirst = false;
}

/// Replaces a cat by an earlier one of the same operands, in the same block.
bool ConcatMerger::mergeEqual() {
  bool changed = false;
  mlir::IRRewriter &rewriter = session.getRewriter();
  DenseMap<size_t, SmallVector<CatOp, 1>> known;
  for (CatOp cat : collect()) {
    size_t hash = llvm::hash_combine(cat->getBlock(), cat.getNormalizedDim(), cat.getResult().getType());
    for (Value operand : cat.getTensors())
      hash = llvm::hash_combine(hash, operand.getAsOpaquePointer());
    SmallVector<CatOp, 1> &same = known[hash];
    auto it = llvm::find_if(same, [&](CatOp other) {
      return other->getBlock() == cat->getBlock() && other.getNormalizedDim() == cat.getNormalizedDim() &&
             other.getResult().getType() == cat.getResult().getType() &&
             llvm::equal(other.getTensors(), cat.getTensors());
    });
    if (it == same.end()) {
      same.push_back(cat);
      continue;
    }
    if (reachesWriter(cat) || reachesWriter(*it)) {
      session.missed(cat.getLoc(), kEqual, "an unknown op may write to one of the cats");
      continue;
    }
    Location loc = cat.getLoc();
    session.begin(kEqual);
    rewriter.replaceOp(cat, it->getResult());
    session.applied(loc);
    changed = true;
  }
  return changed;
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
