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
    unsigned region = 0;
    for (Operation &op : block) {
      if (!lastProcessed && isa<CopyUnderscoreOp>(op))
        lastProcessed = op.getPrevNode();
      // Random draws have effects, but write no tensor.
      region += isa<CopyUnderscoreOp, OpaqueOp>(op);
      regions[&op] = region;
      before.push_back(&op);
    }
    if (!lastProcessed && !isa<CopyUnderscoreOp>(block.front()))
      lastProcessed = block.getTerminator();
  }

  /// The number of ops that have another one in front of them than before.
  unsigned run() {
    // Users behind the first write have been seen, too.
    for (Operation *op = &block.back(); op != lastProcessed; op = op->getPrevNode())
      seen.insert(op);
    for (Operation *op = lastProcessed; op; op = op->getPrevNode()) {
      seen.insert(op);
      for (Value operand : op->getOperands())
        if (Operation *producer = operand.getDefiningOp(); producer && mayMove(producer, op))
          session.getRewriter().moveOpBefore(producer, op);
    }
    unsigned moved = 0;
    Operation *previous = nullptr;
    for (size_t i = 0; i < before.size(); ++i)
      moved += before[i]->getPrevNode() != std::exchange(previous, before[i]);
    return moved;
  }

private:
  bool mayMove(Operation *producer, Operation *user) const {
    return producer->getBlock() == &block && !isa<WaitTensorOp>(user) && mlir::isMemoryEffectFree(producer) &&
           regions.lookup(producer) == regions.lookup(user) &&
           llvm::all_of(producer->getUsers(), [&](Operation *other) {
             Operation *inBlock = block.findAncestorOpInBlock(*other);
             return inBlock && seen.contains(inBlock);
           });
  }

  RewriteSession &session;
  Block &block;
  /// Where the walk begins; null if a write is the first op.
  Operation *lastProcessed = nullptr;
  DenseMap<Operation *, unsigned> regions;
  SmallVector<Operation *> before;
  DenseSet<Operation *> seen;
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
