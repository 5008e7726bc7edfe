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

// Kahn's algorithm on the graph whose nodes are groups; of what is ready, the
// earliest in the block goes first.
void FusionPlan::order(ArrayRef<int> groups) {
  std::vector<unsigned> ownerOf(nodes.size());
  std::vector<SmallVector<unsigned, 1>> members;
  DenseMap<int, unsigned> ownerOfGroup;
  for (unsigned id = 0; id < nodes.size(); ++id) {
    int group = nodes[id].step >= 0 && !groups.empty() ? groups[nodes[id].step] : -1;
    if (group >= 0) {
      auto [it, inserted] = ownerOfGroup.try_emplace(group, members.size());
      ownerOf[id] = it->second;
      if (!inserted) {
        members[it->second].push_back(id);
        continue;
      }
    } else {
      ownerOf[id] = members.size();
    }
    members.push_back({id});
  }
  std::vector<unsigned> missing(members.size()), position(members.size(), ~0u);
  for (unsigned id = 0; id < nodes.size(); ++id) {
    position[ownerOf[id]] = std::min(position[ownerOf[id]], nodes[id].position);
    for (unsigned user : nodes[id].users)
      missing[ownerOf[user]] += ownerOf[user] != ownerOf[id];
  }
  using Entry = std::pair<unsigned, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  for (unsigned owner = 0; owner < members.size(); ++owner)
    if (missing[owner] == 0)
      ready.push({position[owner], owner});
  steps.clear();
  while (!ready.empty()) {
    unsigned owner = ready.top().second;
    ready.pop();
    for (unsigned id : members[owner]) {
      if (nodes[id].step >= 0)
        steps.push_back(unordered[nodes[id].step]);
      for (unsigned user : nodes[id].users)
        if (ownerOf[user] != owner && --missing[ownerOf[user]] == 0)
          ready.push({position[ownerOf[user]], ownerOf[user]});
    }
  }
  steps.insert(steps.end(), writes.begin(), writes.end());
}

/// Steps of one level become one launch, which begins when the last of them could. They are of one level only where no
/// start and no wait is between them in the block, so that what was scheduled beside a collective stays there. A wait
/// itself comes as late as its first reader lets it.
void FusionPlanner::separateByCollectives(unsigned firstCollective, unsigned firstWait, unsigned behindWaits) {
  SmallVector<unsigned> borders;
  for (unsigned node = firstCollective; node < behindWaits; ++node)
    borders.push_back(plan.nodes[node].position);
  llvm::sort(borders);
  for (const FusionPlan::Node &node : plan.nodes) {
    if (node.step < 0)
      continue;
    unsigned passed = llvm::lower_bound(borders, node.position) - borders.begin();
    unsigned &level = plan.unordered[node.step].level;
    level = level * (borders.size() + 1) + passed;
  }
  for (unsigned node = firstWait; node < behindWaits; ++node) {
    unsigned first = ~0u;
    for (unsigned user : plan.nodes[node].users)
      first = std::min(first, plan.nodes[user].position);
    plan.nodes[node].position = first;
  }
}

void FusionPlanner::orderSteps() {
  std::vector<FusionStep> &steps = plan.unordered;
  DenseMap<Value, unsigned> producer;
  auto addNode = [&](unsigned position, int step) {
    plan.nodes.push_back({position, step, {}});
    return plan.nodes.size() - 1;
  };
  auto addEdge = [&](unsigned from, unsigned to) { plan.nodes[from].users.push_back(to); };
  for (const auto &[id, kernel] : llvm::enumerate(plan.kernels)) {
    FusionStep step{FusionStep::Kind::Kernel};
    step.kernel = id;
    step.id = steps.size();
    step.level = kernel->level;
    unsigned node = addNode(kernel->position, steps.size());
    steps.push_back(step);
    for (const KernelOutput &output : kernel->outputs)
      if (output.storage == output.value)
        producer[output.value] = node;
  }
  unsigned firstLibrary = plan.nodes.size();
  for (FusionStep &step : librarySteps) {
    step.id = steps.size();
    producer[step.result] = addNode(position[step.op], steps.size());
    steps.push_back(step);
  }
  unsigned firstRegion = plan.nodes.size();
  for (FusionStep &step : regionSteps) {
    step.id = steps.size();
    unsigned node = addNode(position[step.op], steps.size());
    for (Value result : step.op->getResults())
      producer[result] = node;
    steps.push_back(step);
  }
  unsigned firstCollective = plan.nodes.size();
  for (FusionStep &step : collectiveSteps) {
    step.id = steps.size();
    unsigned node = addNode(position[step.op], steps.size());
    for (Value result : step.op->getResults())
      producer[result] = node;
    steps.push_back(step);
  }
  unsigned firstWait = plan.nodes.size();
  for (FusionStep &step : waitSteps) {
    step.id = steps.size();
    producer[step.op->getResult(0)] = addNode(position[step.op], steps.size());
    steps.push_back(step);
  }
  unsigned behindWaits = plan.nodes.size();
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
    if (it == producer.end() || plan.nodes[it->second].step >= 0)
      continue;
    for (Value operand : entry.first.getDefiningOp()->getOperands())
      if (plan.getStorage(operand).kind == ValueStorage::Kind::Part && producer.count(operand))
        addEdge(producer[operand], it->second);
  }

  separateByCollectives(firstCollective, firstWait, behindWaits);
  // The sweep met the writes from the last to the first.
  plan.writes.assign(writeSteps.rbegin(), writeSteps.rend());
  plan.numSteps = steps.size() + plan.writes.size();
  for (auto [i, step] : llvm::enumerate(plan.writes))
    step.id = steps.size() + i;
  plan.order({});
}
