// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ops of a block may be fused sideways: sets of candidates such that no
// path leads from one member to another, neither in the graph nor in the graph
// that remains when all the other sets have been fused too.
//
// Algorithm. level(v) = the most candidates on a path into v. A path from one
// candidate to another raises the level, so equal level means independent: one
// topological sweep, no pairwise search, and (Mirsky's theorem) no partition of
// one key's candidates into independent sets has fewer sets.
// docs/Rationale/IndependentSets.md says how several keys are kept compatible and
// how the sets differ from Inductor's.
//
// Complexity: O((n + e) log n) for n ops and e operands, whatever the number of
// keys; no recursion. Pure: the IR is only read.
//
// PyTorch: torch/_inductor/fx_passes/group_batch_fusion.py
// (apply_group_batch_fusion, find_independent_subset_greedy).

#ifndef FXGRAPH_ANALYSIS_INDEPENDENTSETS_H
#define FXGRAPH_ANALYSIS_INDEPENDENTSETS_H

#include "fxgraph/Support/LLVM.h"
#include "llvm/ADT/BitVector.h"
#include <map>
#include <vector>

namespace fxgraph {

struct IndependentSet;

/// The dependences between the ops of one block, on dense numbers. Node i's
/// producers have smaller numbers. Ops nested in an op's regions count as that
/// op; ops with memory effects depend on the previous op with effects, so that
/// nothing built on the graph reorders them.
class OpGraph {
public:
  /// The effects of ops for which `isUnordered` holds are not ordered among each
  /// other, only against all other effects.
  explicit OpGraph(Block &block, function_ref<bool(Operation *)> isUnordered = nullptr);
  /// `producers[i]`: the nodes that node i uses, all smaller than i.
  explicit OpGraph(const std::vector<std::vector<unsigned>> &producers);

  unsigned size() const { return offsets.size() - 1; }
  size_t getNumEdges() const { return producers.size(); }
  /// May name a producer more than once.
  ArrayRef<unsigned> getProducers(unsigned node) const {
    return ArrayRef<unsigned>(producers).slice(offsets[node], offsets[node + 1] - offsets[node]);
  }
  ArrayRef<unsigned> getUsers(unsigned node) const {
    if (userOffsets.empty())
      buildUsers();
    return ArrayRef<unsigned>(users).slice(userOffsets[node], userOffsets[node + 1] - userOffsets[node]);
  }
  /// The op of a node; only for graphs of blocks.
  Operation *getOp(unsigned node) const { return ops[node]; }
  /// The graph in which each set is one node; `nodeOf[i]` is the new node of i. The
  /// sets must be compatible (see scheduleSets).
  OpGraph contract(ArrayRef<IndependentSet> sets, std::vector<unsigned> &nodeOf) const;

private:
  OpGraph() = default;
  void buildUsers() const;

  std::vector<Operation *> ops;
  std::vector<unsigned> offsets, producers;
  /// Made when first asked for: most graphs have nothing to fuse.
  mutable std::vector<unsigned> userOffsets, users;
};

/// Candidates that may become one op; ascending node numbers.
struct IndependentSet {
  unsigned key = 0;
  SmallVector<unsigned> members;
};

struct IndependentSetLimits {
  unsigned minSize = 5;
  unsigned maxSize = 300;
};

/// Candidates carry a key >= 0; only candidates of one key may share a set.
constexpr int kNoCandidate = -1;

/// Disjoint sets of at least `minSize` candidates of one key, in the order of
/// their first members. All of them may be fused: each is independent, and the
/// graph in which every set is one node has no cycle.
SmallVector<IndependentSet> findIndependentSets(const OpGraph &graph, ArrayRef<int> keys, IndependentSetLimits limits);

/// The nodes in an order that respects all dependences and in which the members of
/// each set stand together, where the last of them stood. Nodes that need not move
/// keep their order. Nullopt if fusing these sets would make a cycle.
std::optional<std::vector<unsigned>> scheduleSets(const OpGraph &graph, ArrayRef<IndependentSet> sets);

/// Cuts a list of independent candidates into parts of at most `maxSize` and at
/// least `minSize`, as few and as equal as possible; what does not fit is left out
/// at the end.
SmallVector<ArrayRef<unsigned>> cutSet(ArrayRef<unsigned> members, IndependentSetLimits limits);

/// Inductor's greedy choice: walks a list of candidates round by round; a
/// candidate joins the round's subset unless a member depends on it, it depends on
/// a member, or the subset is full, and is then put off to the next round. A round
/// costs the nodes and edges between its first and last candidate (and what was fused
/// across them). Subsets depend on the order of the candidates.
class GreedyIndependentSubsets {
public:
  GreedyIndependentSubsets(const OpGraph &graph, ArrayRef<unsigned> candidates, IndependentSetLimits limits);

  /// Goes on with other candidates; what was fused stays fused.
  void restart(ArrayRef<unsigned> candidates) { remaining.assign(candidates.begin(), candidates.end()); }

  /// The next subset, in candidate order; empty at the end. Subsets below the
  /// minimal size are dropped.
  SmallVector<unsigned> next();

  /// The members were fused: every user of one depends on all inputs of all from
  /// here on.
  void fuse(ArrayRef<unsigned> members);

private:
  /// Visits everything between `from` and `to` that v reaches upwards or downwards.
  void markComparable(unsigned node);
  /// Makes [from, to] the span of the remaining candidates and of all groups that reach
  /// into it: paths between candidates stay there, as numbers grow along edges.
  void findSpan();

  const OpGraph &graph;
  IndependentSetLimits limits;
  SmallVector<unsigned> remaining;
  /// Group of a fused node, 0 for none; members of each group.
  DenseMap<unsigned, unsigned> groupOf;
  std::vector<SmallVector<unsigned>> groups;
  /// First to last member of each group; overlapping ones are one.
  std::map<unsigned, unsigned> groupSpans;
  unsigned from = 0, to = 0;
  llvm::BitVector above, below;
  /// The set bits of both.
  SmallVector<unsigned> marked;
};

/// Inductor's whole search, for graphs that must be fused as it does: from each
/// node, last to first, the candidates at most `depth` steps above it (a step
/// through an op with a tuple result counts twice, as FX has getitem nodes there;
/// the walk goes through no candidate) are fused in greedy subsets. Costs the sum of
/// all these neighbourhoods. Sets are compatible as those of findIndependentSets;
/// members are in search order.
SmallVector<IndependentSet> findIndependentSetsBySearch(const OpGraph &graph, ArrayRef<int> keys,
                                                        IndependentSetLimits limits, unsigned depth,
                                                        function_ref<bool(unsigned)> hasTupleResult);

} // namespace fxgraph

#endif // FXGRAPH_ANALYSIS_INDEPENDENTSETS_H
