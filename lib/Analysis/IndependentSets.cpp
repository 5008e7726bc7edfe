// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header and docs/Rationale/IndependentSets.md.

#include "fxgraph/Analysis/IndependentSets.h"
#include "fxgraph/Support/Prefetch.h"
#include "mlir/IR/Block.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>
#include <queue>

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// OpGraph
//===----------------------------------------------------------------------===//

namespace {
/// Finds the node of an op among those seen so far. A hash of all ops costs more than the
/// rest of the graph where memory is slow, so it comes last: neighbours mostly use
/// neighbours, and producers that many use (the split before a row of towers) are few.
class NodeFinder {
public:
  explicit NodeFinder(const std::vector<Operation *> &ops) : ops(ops), busy(kBusy, 0) {}

  unsigned find(Operation *producer) {
    // The op before, or one after the producer asked for before: as far from it as that
    // was from the one before it (the ends of towers in a cat), or the next.
    for (unsigned guess : {static_cast<unsigned>(ops.size()) - 1, last + step, last + 1, last})
      if (guess < ops.size() && ops[guess] == producer)
        return remember(guess);
    unsigned &entry = busy[llvm::DenseMapInfo<Operation *>::getHashValue(producer) % kBusy];
    if (ops[entry] != producer)
      entry = search(producer);
    return remember(entry);
  }

private:
  static constexpr unsigned kBusy = 1024, kNear = 16;

  /// Among the first ops and those behind the producer asked for before, then by a hash.
  unsigned search(Operation *producer) {
    for (unsigned from : {0u, last})
      for (unsigned node = from; node < std::min<size_t>(from + kNear, ops.size()); ++node)
        if (ops[node] == producer)
          return node;
    for (; hashed < ops.size(); ++hashed)
      nodes[ops[hashed]] = hashed;
    return nodes.lookup(producer);
  }
  unsigned remember(unsigned node) {
    step = node - last;
    return last = node;
  }

  const std::vector<Operation *> &ops;
  unsigned last = 0, step = 0; ///< a step back wraps around
  /// Nodes that were not found among the neighbours, by the hash of their ops.
  std::vector<unsigned> busy;
  /// The first `hashed` ops.
  DenseMap<Operation *, unsigned> nodes;
  unsigned hashed = 0;
};
} // namespace

OpGraph::OpGraph(Block &block, function_ref<bool(Operation *)> isUnordered) {
  NodeFinder finder(ops);
  offsets.push_back(0);
  std::optional<unsigned> lastEffect;
  SmallVector<unsigned> unordered; // since the last effect
  PrefetchBlock further;
  for (Operation &op : block) {
    further.visit(&op);
    unsigned node = ops.size();
    auto addProducers = [&](Operation *user) {
      for (Value operand : user->getOperands())
        if (Operation *producer = operand.getDefiningOp(); producer && producer->getBlock() == &block)
          producers.push_back(finder.find(producer));
    };
    if (op.getNumRegions() == 0)
      addProducers(&op);
    else
      op.walk(addProducers);
    if (!mlir::isMemoryEffectFree(&op)) {
      if (lastEffect)
        producers.push_back(*lastEffect);
      if (isUnordered && isUnordered(&op)) {
        unordered.push_back(node);
      } else {
        producers.insert(producers.end(), unordered.begin(), unordered.end());
        unordered.clear();
        lastEffect = node;
      }
    }
    ops.push_back(&op);
    offsets.push_back(producers.size());
  }
}

OpGraph::OpGraph(const std::vector<std::vector<unsigned>> &list) {
  offsets.push_back(0);
  for (const std::vector<unsigned> &of : list) {
    producers.insert(producers.end(), of.begin(), of.end());
    offsets.push_back(producers.size());
  }
}

void OpGraph::buildUsers() const {
  userOffsets.assign(size() + 1, 0);
  for (unsigned producer : producers)
    ++userOffsets[producer + 1];
  std::partial_sum(userOffsets.begin(), userOffsets.end(), userOffsets.begin());
  users.resize(producers.size());
  std::vector<unsigned> next(userOffsets.begin(), userOffsets.end() - 1);
  for (unsigned node = 0; node < size(); ++node)
    for (unsigned producer : getProducers(node))
      users[next[producer]++] = node;
}

OpGraph OpGraph::contract(ArrayRef<IndependentSet> sets, std::vector<unsigned> &nodeOf) const {
  std::optional<std::vector<unsigned>> order = scheduleSets(*this, sets);
  assert(order && "incompatible sets");
  std::vector<unsigned> setOf(size(), ~0u);
  for (auto [index, set] : llvm::enumerate(sets))
    for (unsigned member : set.members)
      setOf[member] = index;

  nodeOf.assign(size(), 0);
  unsigned count = 0, previousSet = ~0u;
  for (unsigned node : *order) {
    bool joins = setOf[node] != ~0u && setOf[node] == previousSet;
    nodeOf[node] = joins ? count - 1 : count++;
    previousSet = setOf[node];
  }
  OpGraph result;
  result.offsets.push_back(0);
  for (size_t i = 0; i < order->size(); ++i) {
    unsigned node = (*order)[i];
    for (unsigned producer : getProducers(node))
      result.producers.push_back(nodeOf[producer]);
    if (i + 1 == order->size() || nodeOf[(*order)[i + 1]] != nodeOf[node])
      result.offsets.push_back(result.producers.size());
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

std::optional<std::vector<unsigned>> fxgraph::scheduleSets(const OpGraph &graph, ArrayRef<IndependentSet> sets) {
  // A set is placed as a whole: it waits for the producers of all its members, and
  // stands where the last of them stood. A node that the walk has passed without
  // placing it is placed as soon as its last producer is, smallest number first.
  std::vector<unsigned> setOf(graph.size(), ~0u), anchor;
  for (auto [index, set] : llvm::enumerate(sets)) {
    for (unsigned member : set.members)
      setOf[member] = index;
    anchor.push_back(*llvm::max_element(set.members));
  }
  auto anchorOf = [&](unsigned node) { return setOf[node] == ~0u ? node : anchor[setOf[node]]; };

  // Producers not yet placed, counted at the anchor.
  std::vector<unsigned> missing(graph.size(), 0);
  for (unsigned node = 0; node < graph.size(); ++node)
    missing[anchorOf(node)] += graph.getProducers(node).size();

  std::vector<unsigned> order;
  order.reserve(graph.size());
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<unsigned>> ready;
  auto place = [&](unsigned node, unsigned walked) {
    auto placeOne = [&](unsigned one) {
      order.push_back(one);
      for (unsigned user : graph.getUsers(one)) {
        unsigned at = anchorOf(user);
        if (--missing[at] == 0 && at <= walked)
          ready.push(at);
      }
    };
    if (setOf[node] == ~0u)
      return placeOne(node);
    for (unsigned member : sets[setOf[node]].members)
      placeOne(member);
  };
  for (unsigned node = 0; node < graph.size(); ++node) {
    if (anchorOf(node) != node || missing[node] != 0)
      continue;
    place(node, node);
    while (!ready.empty()) {
      unsigned next = ready.top();
      ready.pop();
      place(next, node);
    }
  }
  if (order.size() != graph.size())
    return std::nullopt;
  return order;
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

SmallVector<ArrayRef<unsigned>> fxgraph::cutSet(ArrayRef<unsigned> members, IndependentSetLimits limits) {
  size_t maxSize = std::max(limits.maxSize, 1u), minSize = std::max(limits.minSize, 1u);
  size_t parts = std::min(llvm::divideCeil(members.size(), maxSize), members.size() / minSize);
  SmallVector<ArrayRef<unsigned>> result;
  size_t used = std::min(members.size(), parts * maxSize);
  for (size_t i = 0; i < parts; ++i)
    result.push_back(members.slice(used * i / parts, used * (i + 1) / parts - used * i / parts));
  return result;
}

namespace {
/// The candidates, grouped by key and level.
struct LevelSets {
  struct Group {
    unsigned key, begin, end; ///< of `nodes`
  };
  /// Candidates by level, those of one level by key.
  std::vector<unsigned> nodes;
  /// Those with minSize members or more, in the order of their first members.
  std::vector<Group> groups;
  /// By key: candidates, and levels that they are on.
  std::vector<unsigned> counts, numLevels;

  ArrayRef<unsigned> getMembers(const Group &group) const {
    return ArrayRef<unsigned>(nodes).slice(group.begin, group.end - group.begin);
  }
};

class Search {
public:
  Search(const OpGraph &graph, ArrayRef<int> keys, IndependentSetLimits limits)
      : original(graph), current(&graph), limits(limits), keys(keys.begin(), keys.end()) {
    this->limits.minSize = std::max(limits.minSize, 2u);
    this->limits.maxSize = std::max(limits.maxSize, this->limits.minSize);
    originals.resize(graph.size());
    std::iota(originals.begin(), originals.end(), 0);
    dropRareKeys();
  }

  SmallVector<IndependentSet> run();

private:
  /// Candidates of a key with fewer than minSize of them cannot be fused, and must
  /// not raise anybody's level.
  void dropRareKeys();
  /// Sorts candidates by (key, level), where the candidates of `only` (or all) count.
  LevelSets sweep(std::optional<unsigned> only, unsigned from, unsigned to) const;
  /// Cuts the candidates of a level into sets of the current graph.
  void collect(ArrayRef<unsigned> members, unsigned key, SmallVectorImpl<IndependentSet> &found) const;
  /// Records the sets and fuses them in the current graph.
  void commit(ArrayRef<IndependentSet> found, bool last);

  const OpGraph &original;
  const OpGraph *current;
  OpGraph contracted{std::vector<std::vector<unsigned>>()};
  IndependentSetLimits limits;
  /// Of the current graph: key of each node, and the node of the original graph
  /// (meaningless for fused ones, which are no candidates).
  std::vector<int> keys;
  std::vector<unsigned> originals;
  SmallVector<IndependentSet> result;
};
} // namespace

void Search::dropRareKeys() {
  int limit = 0;
  for (int key : keys)
    limit = std::max(limit, key + 1);
  std::vector<unsigned> counts(limit, 0);
  for (int key : keys)
    if (key >= 0)
      ++counts[key];
  for (int &key : keys)
    if (key >= 0 && counts[key] < limits.minSize)
      key = kNoCandidate;
}

LevelSets Search::sweep(std::optional<unsigned> only, unsigned from, unsigned to) const {
  auto counts = [&](unsigned node) { return only ? keys[node] == static_cast<int>(*only) : keys[node] >= 0; };
  std::vector<unsigned> level(to - from, 0), candidates;
  unsigned numLevels = 0;
  for (unsigned node = from; node < to; ++node) {
    unsigned most = 0;
    for (unsigned producer : current->getProducers(node))
      if (producer >= from)
        most = std::max(most, level[producer - from] + counts(producer));
    level[node - from] = most;
    if (counts(node)) {
      candidates.push_back(node);
      numLevels = std::max(numLevels, most + 1);
    }
  }
  // A counting sort by level: there can be as many levels as candidates.
  LevelSets sets;
  std::vector<unsigned> begins(numLevels + 1, 0);
  for (unsigned node : candidates)
    ++begins[level[node - from] + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  sets.nodes.resize(candidates.size());
  std::vector<unsigned> next(begins.begin(), begins.end());
  for (unsigned node : candidates)
    sets.nodes[next[level[node - from]]++] = node;
  for (unsigned i = 0; i < numLevels; ++i) {
    auto begin = sets.nodes.begin() + begins[i], end = sets.nodes.begin() + begins[i + 1];
    auto byKey = [&](unsigned a, unsigned b) { return std::tie(keys[a], a) < std::tie(keys[b], b); };
    if (!std::is_sorted(begin, end, byKey))
      std::sort(begin, end, byKey);
    while (begin != end) {
      unsigned key = keys[*begin];
      auto groupEnd = std::find_if(begin, end, [&](unsigned node) { return keys[node] != static_cast<int>(key); });
      if (key >= sets.counts.size()) {
        sets.counts.resize(key + 1, 0);
        sets.numLevels.resize(key + 1, 0);
      }
      sets.counts[key] += groupEnd - begin;
      ++sets.numLevels[key];
      if (groupEnd - begin >= static_cast<ptrdiff_t>(limits.minSize))
        sets.groups.push_back({key, static_cast<unsigned>(begin - sets.nodes.begin()),
                               static_cast<unsigned>(groupEnd - sets.nodes.begin())});
      begin = groupEnd;
    }
  }
  llvm::sort(sets.groups, [&](const LevelSets::Group &a, const LevelSets::Group &b) {
    return sets.nodes[a.begin] < sets.nodes[b.begin];
  });
  return sets;
}

void Search::collect(ArrayRef<unsigned> members, unsigned key, SmallVectorImpl<IndependentSet> &found) const {
  for (ArrayRef<unsigned> part : cutSet(members, limits))
    found.push_back({key, SmallVector<unsigned>(part)});
}

void Search::commit(ArrayRef<IndependentSet> found, bool last) {
  for (const IndependentSet &set : found) {
    IndependentSet recorded{set.key, {}};
    for (unsigned member : set.members)
      recorded.members.push_back(originals[member]);
    if (!llvm::is_sorted(recorded.members))
      llvm::sort(recorded.members);
    result.push_back(std::move(recorded));
    for (unsigned member : set.members)
      keys[member] = kNoCandidate;
  }
  if (found.empty() || last)
    return;
  std::vector<unsigned> nodeOf;
  OpGraph next = current->contract(found, nodeOf);
  std::vector<int> nextKeys(next.size(), kNoCandidate);
  std::vector<unsigned> nextOriginals(next.size(), 0);
  for (unsigned node = 0; node < current->size(); ++node) {
    if (keys[node] == kNoCandidate)
      continue;
    nextKeys[nodeOf[node]] = keys[node];
    nextOriginals[nodeOf[node]] = originals[node];
  }
  contracted = std::move(next);
  current = &contracted;
  keys = std::move(nextKeys);
  originals = std::move(nextOriginals);
}

SmallVector<IndependentSet> Search::run() {
  // 1. One sweep for all keys together. Sets of one common level each are
  //    compatible: every edge of the fused graph leads to a higher level. Where
  //    all candidates of a key have one common level, their set is the largest
  //    possible.
  LevelSets byLevel = sweep(std::nullopt, 0, current->size());
  SmallVector<IndependentSet> found;
  for (const LevelSets::Group &group : byLevel.groups)
    if (byLevel.numLevels[group.key] == 1)
      collect(byLevel.getMembers(group), group.key, found);
  // Keys on several levels, with their candidates; many candidates first.
  SmallVector<std::pair<unsigned, unsigned>> byCount;
  for (auto [key, levels] : llvm::enumerate(byLevel.numLevels))
    if (levels > 1)
      byCount.push_back({static_cast<unsigned>(key), byLevel.counts[key]});
  llvm::sort(byCount,
             [](auto &a, auto &b) { return std::make_pair(b.second, a.first) < std::make_pair(a.second, b.first); });
  commit(found, /*last=*/byCount.empty());

  // 2. The common level also counts other keys' candidates, which splits sets
  //    without need. So each open key gets a sweep of its own, over the ops
  //    between its first and last candidate, in the graph with all sets so far
  //    fused; many candidates first.
  constexpr size_t kSweeps = 16;
  size_t budget = kSweeps * (original.size() + original.getNumEdges());
  auto spend = [&](size_t cost) {
    budget -= std::min(budget, cost);
    return budget > 0;
  };
  size_t done = 0;
  // The first and last candidate of every key of the current graph.
  DenseMap<int, std::pair<unsigned, unsigned>> ranges;
  auto findRanges = [&] {
    ranges.clear();
    for (unsigned node = 0; node < current->size(); ++node) {
      if (keys[node] == kNoCandidate)
        continue;
      auto [it, inserted] = ranges.try_emplace(keys[node], node, node);
      it->second.second = node;
    }
  };
  if (!byCount.empty())
    findRanges();
  for (; done < byCount.size(); ++done) {
    unsigned key = byCount[done].first;
    auto [from, to] = ranges.lookup(key);
    if (!spend(to - from + (current->getProducers(to).end() - current->getProducers(from).begin())))
      break;
    found.clear();
    LevelSets sets = sweep(key, from, to + 1);
    for (const LevelSets::Group &group : sets.groups)
      collect(sets.getMembers(group), key, found);
    bool last = done + 1 == byCount.size();
    bool changed = !found.empty();
    commit(found, last);
    if (changed && !last) {
      findRanges();
      spend(original.size() + original.getNumEdges());
    }
  }

  // 3. Past the budget (very many keys that lie across each other), one more common
  //    sweep: right, but sets may be smaller than they could be.
  if (done < byCount.size()) {
    found.clear();
    LevelSets sets = sweep(std::nullopt, 0, current->size());
    for (const LevelSets::Group &group : sets.groups)
      collect(sets.getMembers(group), group.key, found);
    commit(found, /*last=*/true);
  }
  llvm::sort(result, [](const IndependentSet &a, const IndependentSet &b) { return a.members[0] < b.members[0]; });
  return std::move(result);
}

SmallVector<IndependentSet> fxgraph::findIndependentSets(const OpGraph &graph, ArrayRef<int> keys,
                                                         IndependentSetLimits limits) {
  assert(keys.size() == graph.size() && "expected a key for each node");
  return Search(graph, keys, limits).run();
}

//===----------------------------------------------------------------------===//
// Greedy subsets
//===----------------------------------------------------------------------===//

GreedyIndependentSubsets::GreedyIndependentSubsets(const OpGraph &graph, ArrayRef<unsigned> candidates,
                                                   IndependentSetLimits limits)
    : graph(graph), limits(limits), remaining(candidates.begin(), candidates.end()), above(graph.size()),
      below(graph.size()) {}

void GreedyIndependentSubsets::fuse(ArrayRef<unsigned> members) {
  groups.emplace_back(members.begin(), members.end());
  for (unsigned member : members)
    groupOf[member] = groups.size();
  if (members.empty())
    return;
  unsigned first = *llvm::min_element(members), last = *llvm::max_element(members);
  auto it = groupSpans.upper_bound(first);
  if (it != groupSpans.begin() && std::prev(it)->second >= first)
    --it;
  while (it != groupSpans.end() && it->first <= last) {
    first = std::min(first, it->first);
    last = std::max(last, it->second);
    it = groupSpans.erase(it);
  }
  groupSpans[first] = last;
}

void GreedyIndependentSubsets::findSpan() {
  from = *llvm::min_element(remaining);
  to = *llvm::max_element(remaining);
  auto it = groupSpans.upper_bound(from);
  if (it != groupSpans.begin() && std::prev(it)->second >= from)
    --it;
  for (; it != groupSpans.end() && it->first <= to; ++it) {
    from = std::min(from, it->first);
    to = std::max(to, it->second);
  }
}

void GreedyIndependentSubsets::markComparable(unsigned start) {
  // A fused group is entered as a whole.
  auto mark = [&](llvm::BitVector &seen, auto neighbours) {
    SmallVector<unsigned> worklist;
    auto visit = [&](unsigned node) {
      if (node < from || node > to || seen.test(node))
        return;
      unsigned group = groupOf.lookup(node);
      ArrayRef<unsigned> together = group ? ArrayRef<unsigned>(groups[group - 1]) : ArrayRef<unsigned>(node);
      for (unsigned member : together) {
        seen.set(member);
        marked.push_back(member);
        worklist.push_back(member);
      }
    };
    visit(start);
    while (!worklist.empty())
      for (unsigned next : neighbours(worklist.pop_back_val()))
        visit(next);
  };
  mark(above, [&](unsigned node) { return graph.getProducers(node); });
  mark(below, [&](unsigned node) { return graph.getUsers(node); });
}

SmallVector<unsigned> GreedyIndependentSubsets::next() {
  while (!remaining.empty()) {
    for (unsigned node : marked) {
      above.reset(node);
      below.reset(node);
    }
    marked.clear();
    findSpan();
    SmallVector<unsigned> subset, postponed;
    for (unsigned candidate : remaining) {
      if (subset.size() >= limits.maxSize || above.test(candidate) || below.test(candidate)) {
        postponed.push_back(candidate);
        continue;
      }
      subset.push_back(candidate);
      markComparable(candidate);
    }
    // A maximal size of 0 admits nobody.
    if (subset.empty())
      remaining.clear();
    else
      remaining = std::move(postponed);
    if (!subset.empty() && subset.size() >= limits.minSize)
      return subset;
  }
  return {};
}

SmallVector<IndependentSet> fxgraph::findIndependentSetsBySearch(const OpGraph &graph, ArrayRef<int> keys,
                                                                 IndependentSetLimits limits, unsigned depth,
                                                                 function_ref<bool(unsigned)> hasTupleResult) {
  SmallVector<IndependentSet> result;
  limits.minSize = std::max(limits.minSize, 2u);
  limits.maxSize = std::max(limits.maxSize, limits.minSize);
  GreedyIndependentSubsets greedy(graph, {}, limits);
  llvm::BitVector fused(graph.size());
  // The root of the last walk that reached a node.
  std::vector<unsigned> seen(graph.size(), graph.size());
  SmallVector<std::pair<unsigned, unsigned>> queue; // node, depth
  for (unsigned root = graph.size(); root-- > 0;) {
    queue.clear();
    auto enqueue = [&](unsigned user, unsigned at) {
      for (unsigned producer : graph.getProducers(user)) {
        unsigned reached = at + (hasTupleResult(producer) ? 1 : 0);
        if (reached > depth || seen[producer] == root)
          continue;
        seen[producer] = root;
        queue.push_back({producer, reached});
      }
    };
    MapVector<unsigned, SmallVector<unsigned>> candidates;
    enqueue(root, 1);
    for (size_t i = 0; i < queue.size(); ++i) {
      auto [node, at] = queue[i];
      if (fused.test(node))
        continue;
      if (keys[node] >= 0)
        candidates[keys[node]].push_back(node);
      else
        enqueue(node, at + 1);
    }
    for (auto &[key, members] : candidates) {
      if (members.size() < limits.minSize)
        continue;
      greedy.restart(members);
      for (SmallVector<unsigned> subset = greedy.next(); !subset.empty(); subset = greedy.next()) {
        greedy.fuse(subset);
        for (unsigned member : subset)
          fused.set(member);
        result.push_back({key, std::move(subset)});
      }
    }
  }
  return result;
}
