// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-mutation-reinplace: see StorageUses.h for what is known of memory. One walk
// over the ops of each block, in order: what an op was allowed to overwrite is known
// when later ops are asked about.
//
// PyTorch: torch/_inductor/fx_passes/reinplace.py (reinplace_inplaceable_ops_core).

#include "CallDecomposition.h"
#include "StorageUses.h"
#include "fxgraph/Transforms/Mutation/Passes.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"

namespace fxgraph {
#define GEN_PASS_DEF_MUTATIONREINPLACEPASS
#include "fxgraph/Transforms/Mutation/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"reinplace", ""};
static constexpr StringRef kInPlace = "fxgraph.inplace";

namespace {
class Reinplacer {
public:
  Reinplacer(RewriteSession &session, Block &block) : session(session), block(block), storages(block) {}

  void run() {
    for (Operation &op : block) {
      storages.enter(&op);
      if (auto call = dyn_cast<AutoFunctionalizedOp>(op))
        visitCall(call);
      else if (isa<AllReduceCoalescedOp>(op))
        visitList(&op);
      else if (isa<IndexPutOp, UnsafeIndexPutOp, ScatterOp, ScatterAddOp, ScatterReduceOp, SliceScatterOp,
                   SelectScatterOp, AllReduceOp>(op))
        visitUpdate(&op);
    }
  }

private:
  /// A changed copy of operand 0.
  void visitUpdate(Operation *op) {
    OpOperand &operand = op->getOpOperand(0);
    if (!mayOverwrite(operand, op->getResult(0))) {
      setMark(op, {});
      return;
    }
    storages.noteOverwritten(operand, op->getResult(0));
    setMark(op, {0});
  }

  /// All of the list or none of it.
  void visitList(Operation *op) {
    SmallVector<int64_t> numbers;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!mayOverwrite(operand, op->getResult(operand.getOperandNumber()))) {
        setMark(op, {});
        return;
      }
      numbers.push_back(operand.getOperandNumber());
    }
    for (OpOperand &operand : op->getOpOperands())
      storages.noteOverwritten(operand, op->getResult(operand.getOperandNumber()));
    setMark(op, numbers);
  }

  /// Operand by operand: of two that share memory the first is overwritten, the other copied.
  void visitCall(AutoFunctionalizedOp op) {
    ArrayRef<int64_t> mutated = op.getMutated();
    auto results = op->getResults().take_back(mutated.size());
    SmallVector<int64_t> copied;
    SmallVector<OpOperand *> overwritten;
    for (auto [number, result] : llvm::zip_equal(mutated, results)) {
      OpOperand &operand = op->getOpOperand(number);
      auto matters = [&](OpOperand &other) {
        return !llvm::is_contained(mutated, other.getOperandNumber()) || llvm::is_contained(overwritten, &other);
      };
      if (!mayOverwrite(operand, result, matters)) {
        copied.push_back(number);
        continue;
      }
      overwritten.push_back(&operand);
    }
    for (OpOperand *operand : overwritten)
      storages.noteOverwritten(*operand, results[llvm::find(mutated, operand->getOperandNumber()) - mutated.begin()]);
    if (!copied.empty())
      Report::get(op.getContext())
          .count(launchesTritonKernel(op) ? "missed_tensors_TRITON_OPS" : "missed_tensors_AUTO_FUNC", copied.size());
    // Without the attribute all are copied.
    std::optional<ArrayRef<int64_t>> wanted;
    if (!overwritten.empty())
      wanted = copied;
    if (op.getOnlyClone() == wanted)
      return;
    change(op, [&] { op.setOnlyClone(wanted); });
  }

  bool mayOverwrite(OpOperand &operand, Value result, function_ref<bool(OpOperand &)> matters = nullptr) {
    std::optional<std::string> obstacle = storages.findObstacle(operand, result, matters);
    if (!obstacle)
      return true;
    session.missed(operand.getOwner()->getLoc(), kKind,
                   "operand " + std::to_string(operand.getOperandNumber()) + " stays: " + *obstacle);
    return false;
  }

  void setMark(Operation *op, ArrayRef<int64_t> operands) {
    mlir::Builder b(op->getContext());
    Attribute wanted = operands.empty() ? Attribute() : b.getDenseI64ArrayAttr(operands);
    if (op->getDiscardableAttr(kInPlace) == wanted)
      return;
    change(op, [&] {
      if (wanted)
        op->setDiscardableAttr(kInPlace, wanted);
      else
        op->removeDiscardableAttr(kInPlace);
    });
  }

  void change(Operation *op, function_ref<void()> set) {
    session.begin(kKind);
    session.getRewriter().modifyOpInPlace(op, set);
    session.applied(op->getLoc());
  }

  RewriteSession &session;
  Block &block;
  StorageUses storages;
};

struct ReinplacePass : public impl::MutationReinplacePassBase<ReinplacePass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<AutoFunctionalizedOp, AllReduceOp, AllReduceCoalescedOp, IndexPutOp, UnsafeIndexPutOp, ScatterOp,
                      ScatterAddOp, ScatterReduceOp, SliceScatterOp, SelectScatterOp>())
      return;
    for (Block *block : session.collectBlocks())
      Reinplacer(session, *block).run();
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
