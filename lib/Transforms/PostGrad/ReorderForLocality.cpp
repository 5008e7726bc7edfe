// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-postgrad-reorder-for-locality: one walk over each block from its end. An op
// whose users have all been seen goes in front of the first of them that the walk comes
// to, which is the earliest; then the walk comes to the op itself. Linear in ops and
// operands.
//
// What goes somewhere waits on a stack until the walk comes to it, and is only then moved,
// if it does not stand there already: in most graphs nearly all do.
//
// Before that, in a graph where nothing writes, it is seen whether all do. That takes the users of each op, not the
// producers of its operands: an op's results and its users are near it in memory, arguments are not.
//
// PyTorch: torch/_inductor/fx_passes/post_grad.py, reorder_for_locality.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Support/Prefetch.h"
#include "fxgraph/Transforms/PostGrad/Passes.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fxgraph {
#define GEN_PASS_DEF_REORDERFORLOCALITYPASS
#include "fxgraph/Transforms/PostGrad/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"reorder-for-locality", ""};

namespace {
/// The first user of an op, in the order of the block, and the last of its operands that take a result of the op.
struct FirstUse {
  Operation *user = nullptr;
  unsigned operand = 0;
};
} // namespace

static FirstUse findFirstUse(Operation *op) {
  FirstUse first;
  for (mlir::OpOperand &use : op->getUses()) {
    Operation *user = use.getOwner();
    if (user == first.user)
      first.operand = std::max(first.operand, use.getOperandNumber());
    else if (!first.user || user->isBeforeInBlock(first.user))
      first = {user, use.getOperandNumber()};
  }
  return first;
}

/// Of an op without regions: mlir::isMemoryEffectFree, which asks for traits before it looks whether there are any.
static bool hasNoEffect(Operation *op) {
  auto effects = dyn_cast<mlir::MemoryEffectOpInterface>(op);
  return effects && effects.hasNoEffect();
}

/// Whether each op of a block stands where the walk would put it; of ops in the order of the block, with users in it,
/// none of which has regions or writes. In front of an op then stand the ops that it is the first user of, each behind
/// those that the same is true of, in the order of its operands: what waits for its first user is a stack. An op that
/// goes nowhere stands where nothing waits. May be false where ops with effects stand between others and their users.
static bool isInOrder(ArrayRef<Operation *> ops) {
  SmallVector<FirstUse> waiting;
  for (auto [i, op] : llvm::enumerate(ops)) {
    if (i + kPrefetchDistance < ops.size())
      prefetch(ops[i + kPrefetchDistance]);
    for (unsigned next = ~0u; !waiting.empty() && waiting.back().user == op; waiting.pop_back())
      if (std::exchange(next, waiting.back().operand) <= waiting.back().operand)
        return false;
    FirstUse first = findFirstUse(op);
    if (!waiting.empty() && (!first.user || !hasNoEffect(op)))
      return false;
    if (first.user)
      waiting.push_back(first);
  }
  return waiting.empty();
}

namespace {
class BlockOrder {
public:
  BlockOrder(RewriteSession &session, Block &block) : session(session), block(block) {
    lastProcessed = block.getTerminator();
    if (session.lacks<CopyUnderscoreOp, OpaqueOp>())
      return;
    // Random draws have effects, but write no tensor.
    auto divides = [](Operation &op) {
      return isa<CopyUnderscoreOp>(op) || (isa<OpaqueOp>(op) && !mlir::isMemoryEffectFree(&op));
    };
    if (llvm::none_of(block, divides))
      return;
    bool isBehindWrite = false;
    unsigned region = 0;
    for (Operation &op : block) {
      if (isa<CopyUnderscoreOp>(op) && !std::exchange(isBehindWrite, true))
        lastProcessed = op.getPrevNode();
      regions[&op] = region += divides(op);
    }
  }

  /// The number of ops that have another one in front of them than before.
  unsigned run() {
    // Users behind the first write have been seen, too.
    for (Operation *op = &block.back(); op != lastProcessed; op = op->getPrevNode())
      see(op, /*gathers=*/false);
    // The walk has come to `front` and all behind it, which stay where they are.
    Operation *front = lastProcessed ? lastProcessed->getNextNode() : &block.front();
    while (Operation *op = takeNext(front)) {
      if (op->getNextNode() != front) {
        if (before.empty())
          noteOrder(front);
        session.getRewriter().moveOpBefore(op, &block, front ? front->getIterator() : block.end());
      }
      front = op;
      see(op, /*gathers=*/true);
    }
    unsigned moved = 0;
    Operation *previous = nullptr;
    for (Operation *op : before)
      moved += op->getPrevNode() != std::exchange(previous, op);
    return moved;
  }

private:
  /// What waits to stand in front of `front`, or the last op that the walk has not come to.
  Operation *takeNext(Operation *front) {
    if (!ahead.empty())
      return ahead.pop_back_val();
    return front ? front->getPrevNode() : &block.back();
  }

  void noteOrder(Operation *front) {
    for (Operation &op : block) {
      before.push_back(&op);
      if (&op == front)
        return;
    }
  }

  /// Counts the uses by an op, and by what is in its regions, as seen. If it `gathers`, what the op was the last user
  /// of is ahead.
  void see(Operation *op, bool gathers) {
    for (mlir::Region &region : op->getRegions())
      region.walk([&](Operation *user) {
        for (Value operand : user->getOperands())
          if (Operation *producer = operand.getDefiningOp())
            isLastUse(producer);
      });
    for (mlir::OpOperand &operand : op->getOpOperands())
      if (Operation *producer = operand.get().getDefiningOp();
          producer && isLastUse(producer) && gathers && mayMove(producer, op))
        ahead.push_back(producer);
  }

  /// Counts a use as seen. Of producers with one use nothing is kept: most are, and a graph of a million ops does not
  /// fit the caches.
  bool isLastUse(Operation *producer) {
    if (hasOneUse(producer))
      return true;
    auto [it, isNew] = unseen.try_emplace(producer, 0);
    if (isNew)
      it->second = std::distance(producer->use_begin(), producer->use_end());
    return --it->second == 0;
  }

  /// Of an op with few results: a split of a thousand pieces is not asked for them once a piece.
  static bool hasOneUse(Operation *op) {
    constexpr unsigned kFew = 4;
    if (op->getNumResults() == 1)
      return op->getResult(0).hasOneUse();
    return op->getNumResults() <= kFew && std::next(op->use_begin()) == op->use_end();
  }

  bool mayMove(Operation *producer, Operation *user) const {
    return producer->getBlock() == &block && !isa<WaitTensorOp>(user) && mlir::isMemoryEffectFree(producer) &&
           (regions.empty() || regions.lookup(producer) == regions.lookup(user));
  }

  RewriteSession &session;
  Block &block;
  /// Where the walk begins; null if a write is the first op.
  Operation *lastProcessed = nullptr;
  /// Of each op, how many ops that write are in front of it, or are it; empty if none writes.
  DenseMap<Operation *, unsigned> regions;
  /// What is to stand in front of the op that the walk has come to, the nearest last.
  SmallVector<Operation *> ahead;
  /// The order of old, up to the first op that the walk had come to when one was moved; empty until then.
  SmallVector<Operation *> before;
  /// Of producers with several uses or results, of which some have been seen: how many have not.
  DenseMap<Operation *, unsigned> unseen;
};

struct ReorderForLocalityPass : public fxgraph::impl::ReorderForLocalityPassBase<ReorderForLocalityPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    const OpNames *listed = session.getListed();
    if (listed && llvm::hasSingleElement(getGraph().getFunctionBody()) &&
        session.lacks<CopyUnderscoreOp, OpaqueOp, WaitTensorOp>() && isInOrder(listed->getOps()))
      return;
    for (Block *block : session.collectBlocks()) {
      if (block->empty() || !block->back().hasTrait<mlir::OpTrait::IsTerminator>())
        continue;
      session.begin(kKind);
      if (unsigned moved = BlockOrder(session, *block).run())
        session.applied(block->front().getLoc(), Twine(moved) + " ops behind another one");
    }
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
