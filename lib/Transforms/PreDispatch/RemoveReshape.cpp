// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-predispatch-remove-reshape.
//
// Patterns, with R any of reshape, view, flatten, unflatten, and S also squeeze and
// unsqueeze (views that keep the row-major order):
//   S2(S1(x))          -> x             [if the type is that of x]
//   R2(R1(x))          -> reshape(x)
//   R(x)               -> x             [to the own type]
//   R2(f(R1(x)))       -> f(x)          [f elementwise ops of one operand each, R2 back to
//                                        the shape of x, one user each]
//
// Algorithm: one walk, producers first, with the source of each chain remembered, so that
// a chain of n reshapes costs n steps. Exact. (Not PDLL, though the first three match two
// ops: a sweep of patterns meets users first, and a chain whose members are all used would
// cost n steps from each of them.)
//
// PyTorch: the name of a pre-dispatch pass (torch/_inductor/fx_passes/pre_grad.py,
// remove_reshape_pass) that has no pattern in the open version.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/PreDispatch/Passes.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fxgraph {
#define GEN_PASS_DEF_REMOVERESHAPEPASS
#include "fxgraph/Transforms/PreDispatch/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static constexpr StringRef kCounter = "remove_reshape_pass";
static const RewriteKind kCancel{"reshape-back", kCounter};
static const RewriteKind kMerge{"reshape-of-reshape", kCounter};
static const RewriteKind kAround{"reshape-around-elementwise", kCounter};

static bool isReshape(Operation *op) { return isa_and_present<ReshapeOp, ViewOp, FlattenOp, UnflattenOp>(op); }
static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {
class ReshapeRemover {
public:
  explicit ReshapeRemover(RewriteSession &session) : session(session) {}
  void visit(Operation *op);

private:
  bool cancel(Operation *op, Value source);
  void eraseDead(Operation *op);
  bool moveElementwiseUp(Operation *op);

  RewriteSession &session;
  /// What an op that keeps the order is made from: by reshapes alone, and by all.
  DenseMap<Value, Value> reshapeSource, orderSource;
};
} // namespace

/// Erases what lost its users, at once, so that it counts as a user of nothing.
void ReshapeRemover::eraseDead(Operation *op) {
  while (op && mlir::isOpTriviallyDead(op)) {
    Operation *producer = op->getNumOperands() == 0 ? nullptr : op->getOperand(0).getDefiningOp();
    reshapeSource.erase(op->getResult(0));
    orderSource.erase(op->getResult(0));
    session.getRewriter().eraseOp(op);
    op = producer;
  }
}

bool ReshapeRemover::cancel(Operation *op, Value source) {
  Value old = op->getResult(0);
  if (!haveSameKnownType(old, source))
    return false;
  if (wouldAliasBoundary(source, op)) {
    session.missed(op->getLoc(), kCancel, "a result of the graph would become an argument or another result");
    return false;
  }
  Location loc = op->getLoc();
  Operation *producer = op->getOperand(0).getDefiningOp();
  session.begin(kCancel);
  session.getRewriter().replaceOp(op, source);
  session.applied(loc);
  eraseDead(producer);
  return true;
}

/// R2(f(g(R1(x)))) -> f(g(x)).
bool ReshapeRemover::moveElementwiseUp(Operation *op) {
  SmallVector<Operation *> chain;
  Operation *producer = op->getOperand(0).getDefiningOp();
  auto isLink = [](Operation *link) {
    return isa_and_present<UnaryPointwiseOpInterface>(link) && link->getNumOperands() == 1 && mlir::isPure(link);
  };
  for (; isLink(producer); producer = producer->getOperand(0).getDefiningOp()) {
    if (!producer->getResult(0).hasOneUse()) {
      session.missed(op->getLoc(), kAround, "an elementwise op between has other users");
      return false;
    }
    chain.push_back(producer);
  }
  if (chain.empty() || !isReshape(producer))
    return false;
  Value source = producer->getOperand(0);
  if (source.getType() != withElementType(typeOf(op->getResult(0)), typeOf(source).getElementType()) ||
      !haveSameKnownType(source, source))
    return false;
  if (!producer->getResult(0).hasOneUse()) {
    session.missed(op->getLoc(), kAround, "the first reshape has other users");
    return false;
  }
  mlir::IRRewriter &rewriter = session.getRewriter();
  Location loc = op->getLoc();
  session.begin(kAround);
  rewriter.setInsertionPoint(op);
  Value value = source;
  for (Operation *link : llvm::reverse(chain)) {
    mlir::IRMapping mapping;
    mapping.map(link->getOperand(0), value);
    Operation *copy = rewriter.clone(*link, mapping);
    copy->getResult(0).setType(withElementType(typeOf(source), typeOf(link->getResult(0)).getElementType()));
    value = copy->getResult(0);
  }
  rewriter.replaceOp(op, value);
  session.applied(loc, Twine(chain.size()) + " elementwise ops");
  eraseDead(chain.front());
  return true;
}

void ReshapeRemover::visit(Operation *op) {
  Value input = op->getOperand(0), result = op->getResult(0);
  auto source = [](const DenseMap<Value, Value> &sources, Value value) {
    Value known = sources.lookup(value);
    return known ? known : value;
  };
  // The value just before the last step, then that before all steps.
  Value first = source(orderSource, input);
  Operation *producer = input.getDefiningOp();
  if (isReshape(op) && cancel(op, input))
    return;
  if (isRowMajorView(producer) && (cancel(op, producer->getOperand(0)) || cancel(op, first)))
    return;
  if (isReshape(op) && moveElementwiseUp(op))
    return;
  if (isReshape(op) && isReshape(producer) && typeOf(result).hasStaticShape()) {
    mlir::IRRewriter &rewriter = session.getRewriter();
    Location loc = op->getLoc();
    session.begin(kMerge);
    rewriter.setInsertionPoint(op);
    input = source(reshapeSource, input);
    Value merged = ReshapeOp::create(rewriter, loc, typeOf(result), input, ValueRange(),
                                     rewriter.getDenseI64ArrayAttr(typeOf(result).getShape()));
    rewriter.replaceOp(op, merged);
    session.applied(loc);
    // The chain before it stays if others use it.
    eraseDead(producer);
    result = merged;
  }
  if (isReshape(result.getDefiningOp()))
    reshapeSource[result] = source(reshapeSource, input);
  orderSource[result] = first;
}

namespace {
struct RemoveReshapePass : public fxgraph::impl::RemoveReshapePassBase<RemoveReshapePass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<ViewLikeOpInterface>())
      return;
    auto rewrite = [&] {
      SmallVector<Operation *> candidates;
      getOperation().getFunctionBody().walk([&](Operation *op) {
        if (isRowMajorView(op))
          candidates.push_back(op);
      });
      ReshapeRemover remover(session);
      for (Operation *op : candidates)
        remover.visit(op);
      return success();
    };
    if (failed(BoundaryGuard(session).rewriteGuarded(rewrite)) || !session.isValid())
      signalPassFailure();
  }
};
} // namespace
