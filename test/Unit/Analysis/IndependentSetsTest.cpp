// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Independent sets: Inductor's published expectations for the greedy choice, and
// properties of ours on random graphs against plain reachability.

#include "fxgraph/Analysis/IndependentSets.h"
#include "gtest/gtest.h"
#include <ctime>
#include <random>

using namespace fxgraph;

namespace {
using Producers = std::vector<std::vector<unsigned>>;
using Subsets = std::vector<std::vector<unsigned>>;

Subsets greedy(const Producers &producers, std::vector<unsigned> candidates, IndependentSetLimits limits) {
  OpGraph graph(producers);
  GreedyIndependentSubsets search(graph, candidates, limits);
  Subsets result;
  for (auto subset = search.next(); !subset.empty(); subset = search.next())
    result.emplace_back(subset.begin(), subset.end());
  return result;
}

/// The larger example of TestFindIndependentSubsetGreedy.
const Producers kLarge = {{},           {},
                          {},           {1, 2},
                          {1},          {},
                          {5},          {1, 6, 5, 2, 3, 0},
                          {5, 7, 2, 6}, {1},
                          {9},          {3, 4, 0, 2},
                          {8, 9, 5, 1}, {11, 4, 12, 1, 9, 3, 0}};
const std::vector<unsigned> kLargeCandidates = {9, 2, 8, 10, 5, 6, 13, 7, 3, 0, 4};
} // namespace

//===----------------------------------------------------------------------===//
// Inductor's expectations
//===----------------------------------------------------------------------===//

TEST(GreedyIndependentSubsets, OneCandidate) { EXPECT_EQ(greedy({{}, {}}, {0}, {0, 100}), (Subsets{{0}})); }

TEST(GreedyIndependentSubsets, OutsideDependence) {
  EXPECT_EQ(greedy({{}, {}, {0}}, {1, 2}, {0, 100}), (Subsets{{1, 2}}));
}

TEST(GreedyIndependentSubsets, LongPaths) {
  Producers graph = {
      {}, {}, {0}, {}, {0, 1, 2}, {0, 2, 4}, {3}, {4, 5, 6, 1, 3}, {7, 1, 3, 5, 0}, {3, 4, 8, 6, 5, 2, 0, 7}, {0}};
  EXPECT_EQ(greedy(graph, {10, 5, 3, 4, 9}, {0, 100}), (Subsets{{10, 5, 3}, {4}, {9}}));
}

TEST(GreedyIndependentSubsets, SeveralRounds) {
  Producers graph = {{}, {}, {}, {2, 1}, {2, 3, 1}, {3, 1}, {1}, {5, 4}, {6, 2}};
  EXPECT_EQ(greedy(graph, {4, 3, 1, 8, 5, 6, 2}, {0, 100}), (Subsets{{4, 8, 5}, {3, 6}, {1, 2}}));
}

TEST(GreedyIndependentSubsets, Large) {
  EXPECT_EQ(greedy(kLarge, kLargeCandidates, {0, 100}), (Subsets{{9, 2, 5, 0, 4}, {8, 10}, {6, 3}, {13}, {7}}));
}

TEST(GreedyIndependentSubsets, MinimalSize) {
  EXPECT_EQ(greedy(kLarge, kLargeCandidates, {2, 10}), (Subsets{{9, 2, 5, 0, 4}, {8, 10}, {6, 3}}));
}

TEST(GreedyIndependentSubsets, MaximalSize) {
  EXPECT_EQ(greedy(kLarge, kLargeCandidates, {0, 3}), (Subsets{{9, 2, 5}, {8, 10, 4}, {6, 3, 0}, {13}, {7}}));
}

TEST(GreedyIndependentSubsets, FusionBetweenRounds) {
  // Node 4 uses 2 and thereby 0. When 2 and 3 are one node, it depends on 1 too.
  OpGraph graph(Producers{{}, {}, {0}, {1}, {2}, {}});
  GreedyIndependentSubsets search(graph, {2, 3, 4, 0, 1, 5}, {0, 100});
  EXPECT_EQ(search.next(), (SmallVector<unsigned>{2, 3, 5}));
  search.fuse({2, 3});
  EXPECT_EQ(search.next(), (SmallVector<unsigned>{4}));
  EXPECT_EQ(search.next(), (SmallVector<unsigned>{0, 1}));
  EXPECT_TRUE(search.next().empty());

  GreedyIndependentSubsets unfused(graph, {2, 3, 4, 0, 1, 5}, {0, 100});
  EXPECT_EQ(unfused.next(), (SmallVector<unsigned>{2, 3, 5}));
  EXPECT_EQ(unfused.next(), (SmallVector<unsigned>{4, 1}));
}

//===----------------------------------------------------------------------===//
// Ours
//===----------------------------------------------------------------------===//

static Subsets members(ArrayRef<IndependentSet> sets) {
  Subsets result;
  for (const IndependentSet &set : sets)
    result.emplace_back(set.members.begin(), set.members.end());
  return result;
}

TEST(IndependentSets, LevelsSplitAChain) {
  // 0 -> 2 -> 4 and 1 -> 3 -> 5, all of one key.
  OpGraph graph(Producers{{}, {}, {0}, {1}, {2}, {3}});
  SmallVector<int> keys(6, 0);
  EXPECT_EQ(members(findIndependentSets(graph, keys, {2, 100})), (Subsets{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_TRUE(findIndependentSets(graph, keys, {3, 100}).empty());
}

TEST(IndependentSets, PathThroughOthers) {
  // 0 -> 1 -> 2 with only 0 and 2 candidates.
  OpGraph graph(Producers{{}, {0}, {1}});
  EXPECT_TRUE(findIndependentSets(graph, {0, kNoCandidate, 0}, {2, 100}).empty());
}

TEST(IndependentSets, OtherKeysDoNotSplit) {
  // Key 0 stands once behind a candidate of key 1 and once alone.
  OpGraph graph(Producers{{}, {0}, {}, {}, {3}});
  EXPECT_EQ(members(findIndependentSets(graph, {1, 0, 0, 1, kNoCandidate}, {2, 100})), (Subsets{{0, 3}, {1, 2}}));
}

TEST(IndependentSets, SetsAreCompatible) {
  // a0 -> b1, b0 -> a1: {a0 a1} and {b0 b1} are independent sets each, but not
  // together.
  OpGraph graph(Producers{{}, {}, {0}, {1}});
  EXPECT_EQ(findIndependentSets(graph, {0, 1, 1, 0}, {2, 100}).size(), 1u);
  IndependentSet a{0, {0, 3}}, b{1, {1, 2}};
  EXPECT_TRUE(scheduleSets(graph, {a}).has_value());
  EXPECT_FALSE(scheduleSets(graph, {a, b}).has_value());
}

TEST(IndependentSets, Sizes) {
  OpGraph graph(Producers(7));
  SmallVector<int> keys(7, 0);
  EXPECT_EQ(members(findIndependentSets(graph, keys, {2, 5})), (Subsets{{0, 1, 2}, {3, 4, 5, 6}}));
  // 6 + 1 would leave a part below the minimum: the rest stays alone.
  EXPECT_EQ(members(findIndependentSets(graph, keys, {5, 6})), (Subsets{{0, 1, 2, 3, 4, 5}}));
  EXPECT_EQ(members(findIndependentSets(graph, keys, {5, 7})), (Subsets{{0, 1, 2, 3, 4, 5, 6}}));
  EXPECT_TRUE(findIndependentSets(graph, keys, {8, 300}).empty());
  EXPECT_TRUE(findIndependentSets(OpGraph(Producers()), {}, {5, 300}).empty());
}

TEST(ScheduleSets, MovesOnlyWhatWaits) {
  // 0, 1 = f(0), 2, 3: with {0, 2} fused, 1 comes after 2; 3 stays.
  OpGraph graph(Producers{{}, {0}, {}, {}});
  EXPECT_EQ(*scheduleSets(graph, {IndependentSet{0, {0, 2}}}), (std::vector<unsigned>{0, 2, 1, 3}));
  EXPECT_EQ(*scheduleSets(graph, {}), (std::vector<unsigned>{0, 1, 2, 3}));
}

TEST(ScheduleSets, WaitsForProducersOfAllMembers) {
  // {2, 3} stands where 3 stood; 4 uses 2 and was placed after 3 already.
  OpGraph graph(Producers{{}, {0}, {0}, {1}, {2}});
  EXPECT_EQ(*scheduleSets(graph, {IndependentSet{0, {2, 3}}}), (std::vector<unsigned>{0, 1, 2, 3, 4}));
  // Two sets of which the first waits for the second.
  OpGraph crossed(Producers{{}, {}, {1}, {0}, {}});
  IndependentSet first{0, {2, 3}}, second{1, {1, 4}};
  EXPECT_EQ(*scheduleSets(crossed, {first, second}), (std::vector<unsigned>{0, 1, 4, 2, 3}));
}

/// Plain reachability of a graph in which the sets are fused.
static bool hasCycleOrDependence(const Producers &producers, ArrayRef<IndependentSet> sets) {
  size_t n = producers.size();
  std::vector<unsigned> node(n);
  for (unsigned i = 0; i < n; ++i)
    node[i] = i;
  for (const IndependentSet &set : sets)
    for (unsigned member : set.members)
      node[member] = set.members[0];
  std::vector<std::vector<bool>> reach(n, std::vector<bool>(n));
  for (unsigned user = 0; user < n; ++user)
    for (unsigned producer : producers[user])
      reach[node[producer]][node[user]] = true;
  for (unsigned k = 0; k < n; ++k)
    for (unsigned i = 0; i < n; ++i)
      for (unsigned j = 0; reach[i][k] && j < n; ++j)
        if (reach[k][j])
          reach[i][j] = true;
  for (unsigned i = 0; i < n; ++i)
    if (reach[i][i])
      return true;
  return false;
}

TEST(IndependentSets, RandomGraphs) {
  std::mt19937 random(7);
  size_t fused = 0;
  for (int round = 0; round < 400; ++round) {
    unsigned n = 2 + random() % 40, numKeys = 1 + random() % 4;
    Producers producers(n);
    SmallVector<int> keys;
    for (unsigned i = 0; i < n; ++i) {
      for (unsigned e = i ? random() % 3 : 0; e > 0; --e)
        producers[i].push_back(random() % i);
      keys.push_back(static_cast<int>(random() % (numKeys + 1)) - 1);
    }
    IndependentSetLimits limits{2 + static_cast<unsigned>(random() % 3), 4 + static_cast<unsigned>(random() % 5)};
    OpGraph graph(producers);
    SmallVector<IndependentSet> sets = findIndependentSets(graph, keys, limits);
    std::vector<bool> seen(n);
    for (const IndependentSet &set : sets) {
      EXPECT_GE(set.members.size(), limits.minSize);
      EXPECT_LE(set.members.size(), limits.maxSize);
      for (unsigned member : set.members) {
        EXPECT_EQ(keys[member], static_cast<int>(set.key));
        EXPECT_FALSE(seen[member]);
        seen[member] = true;
      }
      fused += set.members.size();
    }
    EXPECT_FALSE(hasCycleOrDependence(producers, sets));

    std::optional<std::vector<unsigned>> order = scheduleSets(graph, sets);
    ASSERT_TRUE(order.has_value());
    std::vector<unsigned> position(n);
    for (unsigned i = 0; i < n; ++i)
      position[(*order)[i]] = i;
    for (unsigned user = 0; user < n; ++user)
      for (unsigned producer : producers[user])
        EXPECT_LT(position[producer], position[user]);
    for (const IndependentSet &set : sets)
      for (size_t i = 1; i < set.members.size(); ++i)
        EXPECT_EQ(position[set.members[i]], position[set.members[i - 1]] + 1);
  }
  EXPECT_GT(fused, 2000u);
}

/// Inductor's search written down plainly: reachability by closure, anew for each
/// choice, over the graph in which what was fused is one node.
static Subsets searchPlainly(const Producers &producers, ArrayRef<int> keys, IndependentSetLimits limits,
                             unsigned depth) {
  unsigned n = producers.size();
  std::vector<unsigned> node(n);
  for (unsigned i = 0; i < n; ++i)
    node[i] = i;
  std::vector<bool> fused(n);
  auto depends = [&](unsigned a, unsigned b) { // a on b
    std::vector<bool> seen(n);
    SmallVector<unsigned> worklist{node[a]};
    while (!worklist.empty()) {
      unsigned at = worklist.pop_back_val();
      for (unsigned i = 0; i < n; ++i) {
        if (node[i] != at)
          continue;
        for (unsigned producer : producers[i]) {
          if (node[producer] == node[b])
            return true;
          if (!seen[node[producer]]) {
            seen[node[producer]] = true;
            worklist.push_back(node[producer]);
          }
        }
      }
    }
    return false;
  };
  Subsets result;
  for (unsigned root = n; root-- > 0;) {
    std::vector<std::pair<unsigned, unsigned>> queue;
    std::vector<bool> seen(n);
    auto enqueue = [&](unsigned user, unsigned at) {
      for (unsigned producer : producers[user])
        if (at <= depth && !seen[producer]) {
          seen[producer] = true;
          queue.push_back({producer, at});
        }
    };
    std::vector<std::pair<int, std::vector<unsigned>>> found;
    enqueue(root, 1);
    for (size_t i = 0; i < queue.size(); ++i) {
      unsigned at = queue[i].first, steps = queue[i].second;
      if (fused[at])
        continue;
      if (keys[at] < 0) {
        enqueue(at, steps + 1);
        continue;
      }
      auto it = llvm::find_if(found, [&](const auto &entry) { return entry.first == keys[at]; });
      if (it == found.end())
        it = found.insert(found.end(), {keys[at], {}});
      it->second.push_back(at);
    }
    for (auto &[key, rest] : found) {
      if (rest.size() < limits.minSize)
        continue;
      while (!rest.empty()) {
        std::vector<unsigned> subset, postponed;
        for (unsigned candidate : rest) {
          bool joins =
              subset.size() < limits.maxSize &&
              llvm::none_of(
                  subset, [&](unsigned member) { return depends(candidate, member) || depends(member, candidate); });
          (joins ? subset : postponed).push_back(candidate);
        }
        rest = postponed;
        if (subset.size() < limits.minSize)
          continue;
        for (unsigned member : subset) {
          fused[member] = true;
          node[member] = subset[0];
        }
        result.push_back(subset);
      }
    }
  }
  return result;
}

TEST(IndependentSetsBySearch, AgreesWithThePlainSearch) {
  std::mt19937 random(13);
  size_t fused = 0;
  for (int round = 0; round < 800; ++round) {
    unsigned n = 2 + random() % 40, numKeys = 1 + random() % 3, reach = 2 + random() % 40;
    Producers producers(n);
    SmallVector<int> keys;
    for (unsigned i = 0; i < n; ++i) {
      for (unsigned e = i ? random() % 4 : 0; e > 0; --e)
        producers[i].push_back(i - 1 - random() % std::min(i, reach));
      keys.push_back(static_cast<int>(random() % (numKeys + 1)) - 1);
    }
    IndependentSetLimits limits{2 + static_cast<unsigned>(random() % 2), 3 + static_cast<unsigned>(random() % 5)};
    unsigned depth = 1 + random() % 6;
    OpGraph graph(producers);
    SmallVector<IndependentSet> sets =
        findIndependentSetsBySearch(graph, keys, limits, depth, [](unsigned) { return false; });
    EXPECT_EQ(members(sets), searchPlainly(producers, keys, limits, depth));
    EXPECT_FALSE(hasCycleOrDependence(producers, sets));
    for (const IndependentSet &set : sets)
      fused += set.members.size();
  }
  EXPECT_GT(fused, 1000u);
}

TEST(IndependentSets, FewestSetsOfOneKey) {
  // As many sets as candidates on the longest path: no partition has fewer, so
  // ours has never more than the greedy one.
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    unsigned n = 2 + random() % 30;
    Producers producers(n);
    std::vector<unsigned> candidates;
    SmallVector<int> keys;
    for (unsigned i = 0; i < n; ++i) {
      for (unsigned e = i ? random() % 3 : 0; e > 0; --e)
        producers[i].push_back(random() % i);
      keys.push_back(random() % 3 ? 0 : kNoCandidate);
    }
    for (unsigned i = n; i-- > 0;)
      if (keys[i] == 0)
        candidates.push_back(i);
    OpGraph graph(producers);
    std::vector<unsigned> longest(n, 0);
    unsigned expected = 0;
    for (unsigned i = 0; i < n; ++i) {
      for (unsigned producer : producers[i])
        longest[i] = std::max(longest[i], longest[producer]);
      longest[i] += keys[i] == 0;
      expected = std::max(expected, longest[i]);
    }
    // Sets of one candidate are not reported: count the candidates left alone.
    SmallVector<IndependentSet> sets = findIndependentSets(graph, keys, {2, 100});
    size_t covered = 0;
    for (const IndependentSet &set : sets)
      covered += set.members.size();
    size_t ours = sets.size() + (candidates.size() - covered);
    EXPECT_EQ(ours, expected);
    EXPECT_LE(ours, greedy(producers, candidates, {0, 100}).size());
  }
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

/// Processor time: other programs of the machine do not count.
static double seconds(const OpGraph &graph, ArrayRef<int> keys) {
  std::clock_t start = std::clock();
  findIndependentSets(graph, keys, {5, 300});
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(IndependentSets, ManyKeysAcrossEachOtherStayNearLinear) {
  // n / 16 keys, each at the start and at the end of a deep graph, at different
  // common levels: the worst case for a sweep per key.
  auto build = [](unsigned n, SmallVector<int> &keys) {
    Producers producers(n);
    std::mt19937 random(3);
    for (unsigned i = 1; i < n; ++i)
      producers[i].push_back(i > 64 ? i - 1 - random() % 64 : 0);
    for (unsigned i = 0; i < n; ++i)
      keys.push_back(random() % (n / 16));
    return producers;
  };
  SmallVector<int> smallKeys, largeKeys;
  OpGraph small(build(50000, smallKeys)), large(build(200000, largeKeys));
  double smallTime = std::max(seconds(small, smallKeys), seconds(small, smallKeys)),
         largeTime = seconds(large, largeKeys);
  EXPECT_LT(largeTime, 12 * smallTime + 0.05);
}

TEST(IndependentSetsBySearch, ChainOfCandidates) {
  // Each node sees the two before it, which depend on each other: never a set, and
  // the question costs what lies between them.
  Producers producers(200000);
  for (unsigned i = 1; i < producers.size(); ++i)
    producers[i] = {i - 1, i > 1 ? i - 2 : 0};
  OpGraph graph(producers);
  SmallVector<int> keys(producers.size(), 0);
  std::clock_t start = std::clock();
  EXPECT_TRUE(findIndependentSetsBySearch(graph, keys, {2, 300}, 5, [](unsigned) { return false; }).empty());
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5.0);
}

TEST(IndependentSets, LongChain) {
  Producers producers(300000);
  for (unsigned i = 1; i < producers.size(); ++i)
    producers[i] = {i - 1, i > 1 ? i - 2 : 0};
  OpGraph graph(producers);
  SmallVector<int> keys(producers.size(), 0);
  EXPECT_TRUE(findIndependentSets(graph, keys, {2, 300}).empty());
  EXPECT_LT(seconds(graph, keys), 5.0);
}
