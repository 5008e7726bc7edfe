// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of a plan's steps, and the sizes of its kernels.

#include "fxgraph/Analysis/FusionPlan.h"
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
