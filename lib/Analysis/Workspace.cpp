// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Analysis/Workspace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <set>

using namespace fxgraph;

namespace {

/// Free pieces of the workspace, by address and by size.
class FreeList {
public:
  int64_t allocate(int64_t size) {
    auto best = bySize.lower_bound({size, 0});
    if (best != bySize.end()) {
      auto [length, start] = *best;
      remove(start, length);
      if (length > size)
        insert(start + size, length - size);
      return start;
    }
    // Grow; a free piece at the end is taken along.
    int64_t start = end;
    if (!byAddress.empty()) {
      auto [last, length] = *byAddress.rbegin();
      if (last + length == end) {
        remove(last, length);
        start = last;
      }
    }
    end = start + size;
    return start;
  }
  void free(int64_t start, int64_t size) {
    auto next = byAddress.lower_bound(start);
    if (next != byAddress.end() && start + size == next->first) {
      int64_t length = next->second, address = next->first;
      remove(address, length);
      size += length;
    }
    auto previous = byAddress.lower_bound(start);
    if (previous != byAddress.begin()) {
      --previous;
      if (previous->first + previous->second == start) {
        int64_t address = previous->first, length = previous->second;
        remove(address, length);
        start = address;
        size += length;
      }
    }
    insert(start, size);
  }
  int64_t getEnd() const { return end; }

private:
  void insert(int64_t start, int64_t size) {
    byAddress[start] = size;
    bySize.insert({size, start});
  }
  void remove(int64_t start, int64_t size) {
    byAddress.erase(start);
    bySize.erase({size, start});
  }
  std::map<int64_t, int64_t> byAddress;
  std::set<std::pair<int64_t, int64_t>> bySize;
  int64_t end = 0;
};

} // namespace

WorkspacePlan fxgraph::planWorkspace(ArrayRef<BufferLife> lives, int64_t alignment) {
  SmallVector<size_t> order = llvm::to_vector(llvm::seq(lives.size()));
  llvm::stable_sort(order, [&](size_t a, size_t b) { return lives[a].first < lives[b].first; });
  WorkspacePlan plan;
  plan.offsets.resize(lives.size());
  FreeList workspace;
  std::multimap<int64_t, std::pair<int64_t, int64_t>> endings; // last step: start, size
  for (size_t i : order) {
    const BufferLife &life = lives[i];
    for (auto it = endings.begin(); it != endings.end() && it->first < life.first; it = endings.erase(it))
      workspace.free(it->second.first, it->second.second);
    int64_t size = llvm::alignTo(std::max<int64_t>(life.bytes, 1), alignment);
    plan.offsets[i] = workspace.allocate(size);
    endings.insert({life.last, {plan.offsets[i], size}});
  }
  plan.bytes = workspace.getEnd();
  return plan;
}
