// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-postgrad-reorder-for-locality: one walk over each block from its end. An op
// whose users have all been seen moves in front of the first of them that the walk comes
// to, which is the earliest; then the walk comes to the op itself. Linear in ops and
// operands.
//
// PyTorch: torch/_inductor/fx_passes/post_grad.py, reorder_for_locality.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
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
class BlockOrder {
public:
  BlockOrder(RewriteSession &session, Block &block) : session(session), block(block) {
    // Random draws have effects, but write no tensor.
    auto divides = [](Operation &op) {
      return isa<CopyUnderscoreOp>(op) || (isa<OpaqueOp>(op) && !mlir::isMemoryEffectFree(&op));
    };
    bool isDivided = llvm::any_of(block, divides);
    unsigned region = 0;
    for (Operation &op : block) {
      if (!lastProcessed && isa<CopyUnderscoreOp>(op))
        lastProcessed = op.getPrevNode();
      if (isDivided)
        regions[&op] = region += divides(op);
      before.push_back(&op);
    }
    if (!lastProcessed && !isa<CopyUnderscoreOp>(block.front()))
      lastProcessed = block.getTerminator();
  }

  /// The number of ops that have another one in front of them than before.
  unsigned run() {
    // Users behind the first write have been seen, too.
    for (Operation *op = &block.back(); op != lastProcessed; op = op->getPrevNode())
      see(op);
    bool moves = false;
    for (Operation *op = lastProcessed; op; op = op->getPrevNode()) {
      see(op);
      for (Value operand : op->getOperands())
        if (Operation *producer = operand.getDefiningOp();
            producer && producer->getNextNode() != op && mayMove(producer, op)) {
          session.getRewriter().moveOpBefore(producer, op);
          moves = true;
        }
    }
    if (!moves)
      return 0;
    unsigned moved = 0;
    Operation *previous = nullptr;
    for (Operation *op : before)
      moved += op->getPrevNode() != std::exchange(previous, op);
    return moved;
  }

private:
  /// Counts the uses by an op, and by what is in its regions, as seen. Of producers with one use nothing is kept: most
  /// are, and a graph of a million ops does not fit the caches.
  void see(Operation *op) {
    auto count = [&](Operation *user) {
      for (Value operand : user->getOperands())
        if (Operation *producer = operand.getDefiningOp(); producer && !hasOneUse(producer)) {
          auto [it, isNew] = unseen.try_emplace(producer, 0);
          if (isNew)
            it->second = std::distance(producer->use_begin(), producer->use_end());
          --it->second;
        }
    };
    if (op->getNumRegions() == 0)
      count(op);
    else
      op->walk(count);
  }

  static bool hasOneUse(Operation *op) { return !op->use_empty() && std::next(op->use_begin()) == op->use_end(); }

  bool mayMove(Operation *producer, Operation *user) const {
    return producer->getBlock() == &block && !isa<WaitTensorOp>(user) && mlir::isMemoryEffectFree(producer) &&
           (regions.empty() || regions.lookup(producer) == regions.lookup(user)) &&
           (hasOneUse(producer) || unseen.lookup(producer) == 0);
  }

  RewriteSession &session;
  Block &block;
  /// Where the walk begins; null if a write is the first op.
  Operation *lastProcessed = nullptr;
  /// Of each op, how many ops that write are in front of it, or are it; empty if none writes.
  DenseMap<Operation *, unsigned> regions;
  SmallVector<Operation *> before;
  /// Of producers with several uses, of which some have been seen: how many have not.
  DenseMap<Operation *, unsigned> unseen;
};

struct ReorderForLocalityPass : public fxgraph::impl::ReorderForLocalityPassBase<ReorderForLocalityPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
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
