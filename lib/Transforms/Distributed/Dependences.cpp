// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dependences.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include <queue>

using namespace fxgraph;

StringAttr fxgraph::getGroupName(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringAttr>(op)
      .Case<AllReduceOp, AllReduceCoalescedOp, AllGatherIntoTensorOp, AllGatherIntoTensorCoalescedOp,
            ReduceScatterTensorOp, ReduceScatterTensorCoalescedOp, BroadcastOp, AllToAllSingleOp,
            FusedAllGatherMatmulOp, FusedMatmulReduceScatterOp, FusedAllGatherScaledMatmulOp,
            FusedScaledMatmulReduceScatterOp>([](auto start) { return start.getGroupNameAttr(); })
      .Default([](Operation *) { return StringAttr(); });
}

WaitTensorOp fxgraph::getOnlyWait(Operation *start) {
  return start->getNumResults() == 1 && start->hasOneUse() ? dyn_cast<WaitTensorOp>(*start->user_begin())
                                                           : WaitTensorOp();
}

std::optional<int64_t> fxgraph::getStaticBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || !tensor.getElementType().isIntOrFloat())
    return std::nullopt;
  return tensor.getNumElements() * static_cast<int64_t>((tensor.getElementTypeBitWidth() + 7) / 8);
}

Dependences::Dependences(Block &block, Starts starts) : block(block) {
  for (Operation &op : block.without_terminator()) {
    numbers[&op] = ops.size();
    ops.push_back(&op);
  }
  successors.resize(ops.size());
  predecessors.resize(ops.size());
  epochs.resize(ops.size());
  addUses();
  addEffects(starts);
}

unsigned Dependences::getNumber(Operation *op) const { return numbers.lookup(block.findAncestorOpInBlock(*op)); }

void Dependences::addEdge(unsigned from, unsigned to) {
  if (from == to)
    return;
  successors[from].push_back(to);
  predecessors[to].push_back(from);
}

void Dependences::addUses() {
  for (auto [number, op] : llvm::enumerate(ops)) {
    auto use = [&, number = number](Operation *user) {
      for (Value operand : user->getOperands())
        if (Operation *producer = operand.getDefiningOp(); producer && producer->getBlock() == &block)
          addEdge(numbers.lookup(producer), number);
    };
    if (op->getNumRegions() == 0)
      use(op);
    else
      op->walk(use);
  }
}

namespace {
/// Among the ops with effects those that keep their order: a number for each kind.
struct EffectKeys {
  /// Nothing with an effect may pass.
  bool isBarrier = false;
  SmallVector<const void *, 2> keys;
};
} // namespace

/// What an op's effects are ordered with: the argument that it writes, the state that it
/// changes, its process group.
static EffectKeys getEffectKeys(Operation *op) {
  if (StringAttr group = getGroupName(op))
    return {false, {group.getAsOpaquePointer()}};
  if (auto write = dyn_cast<CopyUnderscoreOp>(op))
    return {false, {write.getDst().getAsOpaquePointer()}};
  auto effects = mlir::getEffectsRecursively(op);
  EffectKeys result;
  if (!effects) {
    result.isBarrier = true;
    return result;
  }
  for (const auto &effect : *effects) {
    // Memory that is not named; and collectives, or writes, inside of an op.
    if (effect.getResource() != RandomState::get())
      result.isBarrier = true;
    else if (result.keys.empty())
      result.keys.push_back(RandomState::get());
  }
  return result;
}

void Dependences::addEffects(Starts starts) {
  std::optional<unsigned> barrier;
  unsigned numBarriers = 0;
  DenseMap<const void *, unsigned> last;
  SmallVector<unsigned> sinceBarrier;
  for (auto [number, op] : llvm::enumerate(ops)) {
    epochs[number] = numBarriers;
    if (mlir::isMemoryEffectFree(op))
      continue;
    EffectKeys effects = getEffectKeys(op);
    if (barrier)
      addEdge(*barrier, number);
    if (effects.isBarrier) {
      for (unsigned before : sinceBarrier)
        addEdge(before, number);
      sinceBarrier.clear();
      last.clear();
      barrier = number;
      ++numBarriers;
      continue;
    }
    sinceBarrier.push_back(number);
    if (starts == Starts::Free && isCollectiveStart(op))
      continue;
    for (const void *key : effects.keys) {
      auto [it, isNew] = last.try_emplace(key, number);
      if (!isNew)
        addEdge(std::exchange(it->second, number), number);
    }
  }
}

bool fxgraph::sortBlock(Block &block) {
  Dependences dependences(block, Starts::Free);
  ArrayRef<Operation *> ops = dependences.getOps();
  SmallVector<size_t> missing(ops.size());
  // Of all ops that may come next the one that was first.
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (unsigned number = 0; number < ops.size(); ++number) {
    missing[number] = dependences.getPredecessors(number).size();
    if (missing[number] == 0)
      ready.push(number);
  }
  SmallVector<unsigned> order;
  while (!ready.empty()) {
    unsigned number = ready.top();
    ready.pop();
    order.push_back(number);
    for (unsigned successor : dependences.getSuccessors(number))
      if (--missing[successor] == 0)
        ready.push(successor);
  }
  assert(order.size() == ops.size() && "the uses are a cycle");
  if (llvm::is_sorted(order))
    return false;
  SmallVector<Operation *> sorted;
  for (unsigned number : order)
    sorted.push_back(ops[number]);
  Operation *end = block.getTerminator();
  for (Operation *op : sorted)
    op->moveBefore(end);
  return true;
}
