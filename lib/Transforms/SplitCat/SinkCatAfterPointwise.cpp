// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pattern: f(view(cat(a, b; d))) -> view(cat(f(a), f(b); d)), f unary and pointwise.
// PyTorch: torch/_inductor/fx_passes/pre_grad.py, sink_cat_after_pointwise. Exact.
//
// Algorithm: cats are visited last first. From a cat, views and pointwise ops are
// followed as long as each value has one user; every pointwise op on the way moves
// above the cat at once, one copy for each distinct operand. Where an operand is a cat
// itself (through views), that is visited later and lets them through: one run reaches
// the fixed point. (Inductor visits first to last and moves one op a cat, so that a
// chain of k ops takes k runs.)
//
// In cat(f(cat(f(cat(… each op would move above all cats further in: n * n copies. A
// chain of more than `max-chain` ops therefore stays where it is as a whole, so that a
// second run finds the same; at most max-chain copies an operand are made. Linear.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/SplitCat/Passes.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "mlir/IR/IRMapping.h"

namespace fxgraph {
#define GEN_PASS_DEF_SINKCATAFTERPOINTWISEPASS
#include "fxgraph/Transforms/SplitCat/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

// Inductor does not count.
static const RewriteKind kKind{"sink-cat-after-pointwise", ""};

/// True for ops that only move elements: each is there once.
static bool isBijectiveView(Operation *op) {
  auto view = dyn_cast<ViewLikeOpInterface>(op);
  return view && view.isBijective();
}

namespace {
class SinkCat {
public:
  SinkCat(RewriteSession &session, bool allPointwise, size_t maxChain)
      : session(session), allPointwise(allPointwise), maxChain(maxChain) {}

  void visit(CatOp cat) {
    SmallVector<Operation *> moved;
    Operation *last = cat;
    while (last->hasOneUse()) {
      Operation *user = *last->user_begin();
      if (user->getBlock() != cat->getBlock())
        break;
      if (isMoved(user))
        moved.push_back(user);
      else if (!isBijectiveView(user))
        break;
      last = user;
    }
    StringRef obstacle;
    if (moved.size() > maxChain)
      obstacle = "more ops follow than max-chain";
    else if (moved.empty() && llvm::any_of(last->getUsers(), [&](Operation *user) { return isMoved(user); }))
      obstacle = "the cat or a view of it has other users";
    if (!obstacle.empty())
      session.missed(cat.getLoc(), kKind, obstacle);
    if (moved.empty() || !obstacle.empty())
      return;

    mlir::IRRewriter &rewriter = session.getRewriter();
    session.begin(kKind);
    rewriter.setInsertionPoint(cat);
    DenseMap<Value, Value> results;
    SmallVector<Value> operands;
    for (Value operand : cat.getTensors()) {
      Value &result = results[operand];
      if (!result)
        result = createChain(moved, operand);
      operands.push_back(result);
    }
    Type element = cast<RankedTensorType>(moved.back()->getResult(0).getType()).getElementType();
    Value value = CatOp::create(rewriter, cat.getLoc(), withElementType(cat.getResult().getType(), element), operands,
                                cat.getDim());

    // The views in between are made anew: the old ones stay until the rewrite is checked.
    SmallVector<Operation *> old{cat};
    for (Operation *op = *cat->user_begin(); op != moved.back(); op = *op->user_begin()) {
      old.push_back(op);
      if (isMoved(op))
        continue;
      rewriter.setInsertionPoint(op);
      mlir::IRMapping mapping;
      mapping.map(op->getOperand(0), value);
      Operation *view = rewriter.clone(*op, mapping);
      value = view->getResult(0);
      value.setType(withElementType(cast<RankedTensorType>(value.getType()), element));
    }
    SmallVector<Location> locations;
    for (Operation *op : moved)
      locations.push_back(op->getLoc());
    rewriter.replaceOp(moved.back(), value);
    for (Operation *op : llvm::reverse(old))
      rewriter.eraseOp(op);
    for (Location loc : locations)
      session.applied(loc, "through a cat of " + Twine(operands.size()));
  }

private:
  bool isMoved(Operation *op) const {
    return allPointwise ? isa<UnaryPointwiseOpInterface>(op) : isa<ReluOp, TanhOp>(op);
  }

  /// The pointwise ops, first to last, on another value.
  Value createChain(ArrayRef<Operation *> ops, Value value) {
    mlir::IRRewriter &rewriter = session.getRewriter();
    for (Operation *op : ops) {
      Type element = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
      Type type = withElementType(cast<RankedTensorType>(value.getType()), element);
      mlir::OperationState state(op->getLoc(), op->getName(), value, type, op->getAttrs());
      value = rewriter.create(state)->getResult(0);
    }
    return value;
  }

  RewriteSession &session;
  bool allPointwise;
  size_t maxChain;
};

struct SinkCatAfterPointwisePass : public impl::SinkCatAfterPointwisePassBase<SinkCatAfterPointwisePass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<CatOp>())
      return;
    SmallVector<CatOp> cats = session.collect<CatOp>();
    SinkCat sink(session, allPointwise, maxChain);
    for (CatOp cat : llvm::reverse(cats))
      sink.visit(cat);
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
