// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What depends on what, the order of a plan's steps, and the sizes of its kernels.

#include "FusionPlanner.h"
#include "llvm/ADT/SetVector.h"
#include <queue>

using namespace fxgraph;

int64_t FusionKernel::getInnerSize() const {
  int64_t size = 1;
  for (unsigned i = 0; i < space.getNumDims(); ++i)
    if (inner[i])
      size *= space.getSize(i);
  return size;
}

int64_t FusionKernel::getOuterSize() const {
  int64_t size = 1;
  for (unsigned i = 0; i < space.getNumDims(); ++i)
    if (!inner[i])
      size *= space.getSize(i);
  return size;
}

/// Kahn's algorithm; of what is ready, the earliest in the block goes first.
void FusionPlanner::sortSteps(ArrayRef<FusionStep> steps) {
  std::vector<unsigned> missing(orderNodes.size());
  for (const OrderNode &node : orderNodes)
    for (unsigned user : node.users)
      ++missing[user];
  using Entry = std::pair<unsigned, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  for (unsigned id = 0; id < orderNodes.size(); ++id)
    if (missing[id] == 0)
      ready.push({orderNodes[id].position, id});
  while (!ready.empty()) {
    const OrderNode &node = orderNodes[ready.top().second];
    ready.pop();
    if (node.step >= 0)
      plan.steps.push_back(steps[node.step]);
    for (unsigned user : node.users)
      if (--missing[user] == 0)
        ready.push({orderNodes[user].position, user});
  }
  // The sweep met the writes from the last to the first.
  plan.steps.insert(plan.steps.end(), writeSteps.rbegin(), writeSteps.rend());
}

/// A wait comes as late as its first reader lets it.
void FusionPlanner::delayWaits(unsigned firstWait, unsigned behindWaits) {
  for (unsigned node = firstWait; node < behindWaits; ++node) {
    unsigned first = ~0u;
    for (unsigned user : orderNodes[node].users)
      first = std::min(first, orderNodes[user].position);
    orderNodes[node].position = first;
  }
}

LogicalResult FusionPlanner::orderSteps() {
  std::vector<FusionStep> steps;
  DenseMap<Value, unsigned> producer;
  auto addNode = [&](unsigned position, int step) {
    orderNodes.push_back({position, step, {}});
    return orderNodes.size() - 1;
  };
  auto addEdge = [&](unsigned from, unsigned to) { orderNodes[from].users.push_back(to); };
  for (const auto &[id, kernel] : llvm::enumerate(plan.kernels)) {
    FusionStep step{FusionStep::Kind::Kernel};
    step.kernel = id;
    unsigned node = addNode(kernel->position, steps.size());
    steps.push_back(step);
    for (const KernelOutput &output : kernel->outputs)
      if (output.storage == output.value)
        producer[output.value] = node;
  }
  // The number of the first.
  auto addSteps = [&](ArrayRef<FusionStep> added) -> unsigned {
    unsigned first = orderNodes.size();
    for (const FusionStep &step : added) {
      unsigned node = addNode(position[step.op], steps.size());
      if (step.result)
        producer[step.result] = node;
      else
        for (Value result : step.op->getResults())
          producer[result] = node;
      steps.push_back(step);
    }
    return first;
  };
  unsigned firstLibrary = addSteps(librarySteps), firstRegion = addSteps(regionSteps),
           firstCollective = addSteps(collectiveSteps), firstWait = addSteps(waitSteps);
  unsigned behindWaits = orderNodes.size();
  // Cats that have memory.
  for (const auto &entry : plan.storage) {
    Operation *owner = entry.first.getDefiningOp();
    if (!owner || !isa<CatLikeOpInterface>(owner) || producer.count(entry.first) ||
        entry.second.kind == ValueStorage::Kind::Virtual)
      continue;
    if (layouts[entry.first].first == entry.first)
      producer[entry.first] = addNode(position[owner], -1);
  }
  auto find = [&](Value value) -> int {
    if (auto it = producer.find(value); it != producer.end())
      return it->second;
    const ValueStorage &storage = plan.getStorage(value);
    if (storage.kind == ValueStorage::Kind::Part)
      if (auto it = producer.find(storage.base); it != producer.end())
        return it->second;
    return -1;
  };
  auto reads = [&](Value value, unsigned reader) {
    int from = find(value);
    if (from >= 0 && static_cast<unsigned>(from) != reader)
      addEdge(from, reader);
  };
  for (const auto &[id, kernel] : llvm::enumerate(plan.kernels)) {
    llvm::SmallSetVector<Value, 8> loads;
    for (const KernelNode &node : kernel->nodes)
      if (node.kind == KernelNode::Kind::Load)
        loads.insert(node.value);
    for (Value value : loads)
      reads(value, id);
    for (const KernelOutput &output : kernel->outputs)
      if (output.storage != output.value)
        if (int cat = find(output.storage); cat >= 0)
          addEdge(id, cat);
  }
  for (const auto &[i, step] : llvm::enumerate(librarySteps)) {
    auto beta = step.op->getAttrOfType<FloatAttr>("beta");
    for (auto [number, operand] : llvm::enumerate(step.op->getOperands()))
      if (!(number == 0 && beta && beta.getValue().isZero()))
        reads(operand, firstLibrary + i);
  }
  for (const auto &[i, step] : llvm::enumerate(regionSteps))
    for (Value operand : step.op->getOperands())
      reads(operand, firstRegion + i);
  for (const auto &[i, step] : llvm::enumerate(collectiveSteps)) {
    for (Value operand : step.op->getOperands())
      reads(operand, firstCollective + i);
    // In one order on all processes.
    if (i > 0)
      addEdge(firstCollective + i, firstCollective + i - 1);
  }
  for (const auto &[i, step] : llvm::enumerate(waitSteps))
    reads(step.op->getOperand(0), firstWait + i);
  for (const auto &entry : plan.storage) {
    auto it = producer.find(entry.first);
    if (it == producer.end() || orderNodes[it->second].step >= 0)
      continue;
    for (Value operand : entry.first.getDefiningOp()->getOperands())
      if (plan.getStorage(operand).kind == ValueStorage::Kind::Part && producer.count(operand))
        addEdge(producer[operand], it->second);
  }

  delayWaits(firstWait, behindWaits);
  sortSteps(steps);
  size_t expected = steps.size() + writeSteps.size();
  if (plan.steps.size() == expected)
    return success();
  return emitError(function.getLoc()) << "internal error: fusion plan has a cycle: ordered " << plan.steps.size()
                                      << " of " << expected << " steps";
}
