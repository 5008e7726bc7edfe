// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header. The steps for one block:
//   1. keys of all candidates; keys with too few of them end here;
//   2. sets of independent candidates that may all be fused (Analysis);
//   3. the block is put into an order in which the members of each set stand
//      together, after all their operands and before all their users; only ops
//      that must move do;
//   4. each set is built where its members stand, and replaces them.
// These are repeated until nothing is fused: fusing a set can bring the rest of the
// candidates into another constellation. Each round but the last removes
// candidates, and the second one nearly always finds nothing.

#include "fxgraph/Transforms/GroupFusion/Engine.h"
#include "fxgraph/Analysis/CostModel.h"
#include "fxgraph/Analysis/IndependentSets.h"
#include "fxgraph/Support/Prefetch.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"
#include <unordered_map>

using namespace fxgraph;

GroupKey &GroupKey::add(double number) {
  parts.push_back(llvm::bit_cast<uint64_t>(number));
  return *this;
}

GroupKey &GroupKey::add(ArrayRef<int64_t> numbers) {
  parts.push_back(numbers.size());
  parts.append(numbers.begin(), numbers.end());
  return *this;
}

/// What FX calls the target of a node: of an unknown op that is the callable.
static void addTarget(GroupKey &key, Operation *op) {
  key.add(op->getName().getAsOpaquePointer());
  if (auto opaque = dyn_cast<OpaqueOp>(op))
    key.add(opaque.getTargetAttr());
}

void fxgraph::addParent(GroupKey &key, Value operand) {
  Operation *producer = operand.getDefiningOp();
  if (!producer)
    key.add(operand);
  else if (producer->getNumResults() > 1 || isa<SplitLikeOpInterface>(producer))
    key.add(static_cast<const void *>(nullptr));
  else
    addTarget(key, producer);
}

/// The users of the op's results in the op's block, each once, in their order.
static SmallVector<Operation *> getSortedUsers(Operation *op) {
  SetVector<Operation *> users;
  for (Operation *user : op->getUsers())
    if (Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user))
      users.insert(inBlock);
  SmallVector<Operation *> sorted = users.takeVector();
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return sorted;
}

void fxgraph::addUsers(GroupKey &key, Operation *op) {
  for (Operation *user : getSortedUsers(op))
    addTarget(key, user);
}

void fxgraph::addFirstUser(GroupKey &key, Operation *op) {
  SmallVector<Operation *> users = getSortedUsers(op);
  if (!users.empty())
    addTarget(key, users.front());
}

bool fxgraph::hasProvableShape(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (tensor.hasStaticShape())
    return true;
  return llvm::all_of(getDims(tensor), [](const Dim &dim) { return dim.isStatic() || dim.isSymbol(); });
}

/// True for a stack and for what Inductor writes for one: a cat of unsqueezes.
static bool isStack(Operation *op) {
  auto cat = dyn_cast_if_present<CatOp>(op);
  return isa_and_present<StackOp>(op) ||
         (cat && llvm::all_of(cat.getTensors(), [](Value row) { return row.getDefiningOp<UnsqueezeOp>() != nullptr; }));
}

/// True for the op of a group that was fused before: stack, op (then mul and add
/// for a norm), unbind or selects. Batching it again would undo the limit on a set's
/// size, and a second run of a pass must change nothing.
static bool isFusedForm(Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumResults() != 1 || !isStack(op->getOperand(0).getDefiningOp()))
    return false;
  Value result = op->getResult(0);
  if (!result.use_empty() && llvm::all_of(result.getUsers(), [](Operation *user) { return isa<SelectOp>(user); }))
    return true;
  for (int step = 0; step < 3 && result.hasOneUse(); ++step) {
    Operation *user = *result.user_begin();
    if (isa<UnbindOp>(user))
      return true;
    if (!isa<MulOp, AddOp>(user))
      return false;
    result = user->getResult(0);
  }
  return false;
}

/// Of a piece: what it was taken from, and its place there. A piece is a result of a
/// split or a select.
static std::optional<std::pair<const void *, uint64_t>> getPlace(Value value) {
  if (auto select = value.getDefiningOp<SelectOp>())
    return std::pair(select.getInput().getAsOpaquePointer(), select.getIndex());
  auto piece = dyn_cast<OpResult>(value);
  if (!piece || piece.getOwner()->getNumResults() == 1)
    return std::nullopt;
  return std::pair<const void *, uint64_t>(piece.getOwner(), piece.getResultNumber());
}

/// The members in the order in which one stack joins their results, if one does that and
/// nothing else; else nothing.
static SmallVector<Operation *> getStackedOrder(ArrayRef<Operation *> members) {
  auto getUser = [](Value value) { return value.hasOneUse() ? *value.user_begin() : nullptr; };
  Operation *stack = nullptr;
  for (Operation *member : members) {
    Operation *user = getUser(member->getResult(0));
    if (isa_and_present<UnsqueezeOp>(user))
      user = getUser(user->getResult(0));
    if (!user || (stack && user != stack))
      return {};
    stack = user;
  }
  if (!isStack(stack) || stack->getNumOperands() != members.size())
    return {};
  SmallVector<Operation *> order;
  for (Value row : stack->getOperands()) {
    Operation *producer = row.getDefiningOp();
    order.push_back(isa<UnsqueezeOp>(producer) ? producer->getOperand(0).getDefiningOp() : producer);
  }
  return order;
}

namespace {
class BlockFusion {
public:
  BlockFusion(RewriteSession &session, const GroupRule &rule, const GroupFusionOptions &options,
              BoundaryGuard &boundary, Block &block)
      : session(session), rule(rule), options(options), boundary(boundary), block(block) {}

  /// One round; true if another may fuse more. Only the first round speaks of
  /// candidates that a guard refused.
  bool run(bool firstRound);
  /// Remarks on the candidates that are left.
  void reportRest();

private:
  void findCandidates(bool firstRound);
  void reorder(const OpGraph &graph, ArrayRef<unsigned> order);
  SmallVector<Operation *> sortMembers(const OpGraph &graph, ArrayRef<unsigned> members) const;
  bool fuse(ArrayRef<Operation *> members);
  /// True if the fused ops take less time than the members and are no more; and what
  /// was weighed, for the remark.
  std::pair<bool, std::string> judge(ArrayRef<Operation *> members, ArrayRef<Operation *> fused);

  RewriteSession &session;
  const GroupRule &rule;
  const GroupFusionOptions &options;
  BoundaryGuard &boundary;
  Block &block;

  SmallVector<std::pair<Operation *, int>> candidates;
  std::vector<unsigned> keyCounts;
  /// For `freezing`: made when first asked.
  std::optional<FrozenValues> frozen;
  /// True if an op that this round made may be fused in the next.
  bool madeCandidate = false;
  /// Members of groups whose construction failed: not tried again.
  DenseSet<Operation *> refused;
};

struct KeyHash {
  size_t operator()(const GroupKey &key) const { return key.hash(); }
};
} // namespace

void BlockFusion::findCandidates(bool firstRound) {
  candidates.clear();
  keyCounts.clear();
  // The numbers of the keys follow the order of the ops, so that nothing depends on
  // addresses.
  std::unordered_map<GroupKey, unsigned, KeyHash> numbers;
  mlir::OperationName root(rule.getRoot(), session.getFunction()->getContext());
  auto consider = [&](Operation *op) {
    std::string reason;
    std::optional<GroupKey> key = rule.match(op, reason);
    if (key && !mlir::isMemoryEffectFree(op) && !rule.isUnordered(op)) {
      key.reset();
      reason = "the op has effects";
    }
    if (!key) {
      if (!reason.empty() && firstRound)
        session.missed(op->getLoc(), rule.getKind(op), reason);
      return;
    }
    if (isFusedForm(op) || refused.contains(op))
      return;
    unsigned number = numbers.try_emplace(std::move(*key), numbers.size()).first->second;
    if (number == keyCounts.size())
      keyCounts.push_back(0);
    ++keyCounts[number];
    candidates.push_back({op, static_cast<int>(number)});
  };
  if (const OpNames *listed = session.getListed(); listed && llvm::hasSingleElement(*block.getParent())) {
    SmallVector<Operation *> ops = listed->collect([&](mlir::OperationName name) { return name == root; });
    for (auto [i, op] : llvm::enumerate(ops)) {
      prefetchAhead(ops, i);
      if (i + kPrefetchDistance / 2 < ops.size())
        prefetchProducers(ops[i + kPrefetchDistance / 2]);
      consider(op);
    }
    return;
  }
  for (Operation &op : block)
    if (op.getName() == root)
      consider(&op);
}

void BlockFusion::reportRest() {
  // One text for all that are alike: a large graph has thousands.
  SmallVector<std::string> reasons(keyCounts.size());
  for (auto [op, key] : candidates) {
    if (refused.contains(op)) // with a remark of its own
      continue;
    session.missed(op->getLoc(), rule.getKind(op), [&, key = key] {
      if (reasons[key].empty())
        reasons[key] = llvm::formatv(keyCounts[key] < options.minFuseSetSize
                                         ? "expected {0} or more alike but got {1}"
                                         : "expected {0} or more independent ones among the {1} alike",
                                     options.minFuseSetSize, keyCounts[key])
                           .str();
      return reasons[key];
    });
  }
}

void BlockFusion::reorder(const OpGraph &graph, ArrayRef<unsigned> order) {
  // Only ops that now come after one which they preceded move: behind the last op
  // placed so far. `at` is never such an op that still waits, as it follows the
  // furthest one placed.
  Block::iterator at = block.begin();
  unsigned furthest = 0;
  for (auto [i, node] : llvm::enumerate(order)) {
    if (i + kPrefetchDistance < order.size())
      prefetch(graph.getOp(order[i + kPrefetchDistance]));
    Operation *op = graph.getOp(node);
    if (node < furthest) {
      session.getRewriter().moveOpBefore(op, &block, at);
      continue;
    }
    furthest = node;
    at = std::next(Block::iterator(op));
  }
}

SmallVector<Operation *> BlockFusion::sortMembers(const OpGraph &graph, ArrayRef<unsigned> members) const {
  SmallVector<Operation *> ops;
  ops.reserve(members.size());
  for (unsigned member : members)
    ops.push_back(graph.getOp(member));
  // Where a group behind has been fused already, its stack cancels the pieces of this one.
  if (SmallVector<Operation *> stacked = getStackedOrder(ops); !stacked.empty())
    return stacked;
  // Pieces of splits are stacked in the order of the pieces: then the stack undoes
  // the split, and a later pass removes both.
  // Producers in the order of their first pieces here; a piece used twice in the
  // order of its users.
  MapVector<const void *, unsigned> producers;
  using Rank = std::pair<unsigned, uint64_t>; // of the producer, of the piece in it
  auto getRank = [&](Operation *op) -> std::optional<Rank> {
    auto place = getPlace(op->getOperand(0));
    if (!place)
      return std::nullopt;
    return Rank(producers.insert({place->first, producers.size()}).first->second, place->second);
  };
  // Mostly they stand so, and nothing is to be sorted.
  bool isSorted = true;
  Rank last(0, 0);
  for (auto [index, op] : llvm::enumerate(ops)) {
    prefetchAhead(ops, index);
    if (index + kPrefetchDistance / 2 < ops.size())
      prefetchProducers(ops[index + kPrefetchDistance / 2]);
    std::optional<Rank> rank = getRank(op);
    if (!rank)
      return ops;
    isSorted &= last <= *rank;
    last = *rank;
  }
  if (isSorted)
    return ops;
  SmallVector<std::pair<Rank, Operation *>> order;
  order.reserve(ops.size());
  for (Operation *op : ops)
    order.push_back({*getRank(op), op});
  llvm::stable_sort(order, llvm::less_first());
  for (auto [op, entry] : llvm::zip_equal(ops, order))
    op = entry.second;
  return ops;
}

std::pair<bool, std::string> BlockFusion::judge(ArrayRef<Operation *> members, ArrayRef<Operation *> fused) {
  if (options.freezing && !frozen)
    frozen.emplace(session.getFunction());
  DeviceModel device;
  Cost before, after;
  for (Operation *op : members)
    before += estimateCost(op, device);
  for (Operation *op : fused) {
    if (frozen) {
      frozen->add(op);
      if (frozen->contains(op))
        continue;
    }
    after += estimateCost(op, device);
  }
  bool gains = after.ops <= before.ops && after.seconds(device) < before.seconds(device);
  return {gains, llvm::formatv("{0} ops in {1:f1} us become {2} in {3:f1} us", before.ops, before.seconds(device) * 1e6,
                               after.ops, after.seconds(device) * 1e6)
                     .str()};
}

bool BlockFusion::fuse(ArrayRef<Operation *> members) {
  RewriteKind kind = rule.getKind(members.front());
  SmallVector<Location> locs;
  locs.reserve(members.size());
  for (auto [i, member] : llvm::enumerate(members)) {
    prefetchAhead(members, i);
    locs.push_back(member->getLoc());
  }
  mlir::IRRewriter &rewriter = session.getRewriter();
  Location loc = rewriter.getFusedLoc(locs);
  session.begin(kind);
  mlir::ImplicitLocOpBuilder builder(loc, rewriter);
  Operation *next = &*rewriter.getInsertionPoint();
  Operation *previous = next->getPrevNode();
  std::string reason;
  SmallVector<Value> results = rule.fuse(session, builder, members, reason);
  SmallVector<Operation *> fused;
  for (Operation *op = previous ? previous->getNextNode() : &block.front(); op != next; op = op->getNextNode())
    fused.push_back(op);
  auto forget = [&](Operation *op) {
    if (frozen)
      frozen->remove(op);
  };
  auto refuse = [&](function_ref<std::string()> reason) {
    session.missed(loc, kind, reason);
    for (Operation *op : llvm::reverse(fused))
      forget(op), rewriter.eraseOp(op);
    refused.insert(members.begin(), members.end());
    return false;
  };
  if (results.empty())
    return refuse([&] { return reason; });
  // The key should have seen to this; a fusion that changes a type is wrong.
  auto wrong = llvm::find_if(llvm::zip_equal(members, results), [](auto pair) {
    auto [member, result] = pair;
    return result.getType() != member->getResult(0).getType();
  });
  if (wrong != llvm::zip_equal(members, results).end())
    return refuse(
        [&] { return llvm::formatv("the fused result would have type {0}", std::get<1>(*wrong).getType()).str(); });
  std::string verdict;
  if (options.profitableOnly) {
    bool gains;
    std::tie(gains, verdict) = judge(members, fused);
    if (!gains)
      return refuse([&] { return "no gain: " + verdict; });
    verdict = ": " + verdict;
  }
  for (auto [i, member, result] : llvm::enumerate(members, results)) {
    prefetchAhead(members, i);
    forget(member);
    rewriter.replaceOp(member, result);
  }
  session.applied(loc, Twine(members.size()) + " ops" + verdict);
  madeCandidate |= llvm::any_of(
      fused, [&](Operation *op) { return op->getName().getStringRef() == rule.getRoot() && !isFusedForm(op); });
  return true;
}

bool BlockFusion::run(bool firstRound) {
  findCandidates(firstRound);
  if (llvm::none_of(keyCounts, [&](unsigned count) { return count >= options.minFuseSetSize; }))
    return false;

  OpGraph graph(block, [&](Operation *op) { return rule.isUnordered(op); });
  SmallVector<int> keys(graph.size(), kNoCandidate);
  // Both in the order of the block.
  unsigned node = 0;
  for (auto [op, key] : candidates) {
    while (graph.getOp(node) != op)
      ++node;
    keys[node] = key;
  }
  IndependentSetLimits limits{options.minFuseSetSize, options.maxFuseSetSize};
  SmallVector<IndependentSet> sets;
  if (options.maxFuseSearchDepth == 0)
    sets = findIndependentSets(graph, keys, limits);
  else
    sets = findIndependentSetsBySearch(graph, keys, limits, options.maxFuseSearchDepth, [&](unsigned node) {
      return graph.getOp(node)->getNumResults() > 1 || isa<SplitLikeOpInterface>(graph.getOp(node));
    });
  if (sets.empty())
    return false;

  std::optional<std::vector<unsigned>> order = scheduleSets(graph, sets);
  // Sets are compatible by construction; never rewrite on a broken promise.
  if (!order) {
    session.getFunction()->emitError() << "expected compatible sets of independent ops but got a cycle";
    return false;
  }
  boundary.snapshot();
  reorder(graph, *order);
  bool changed = false;
  size_t tried = 0;
  madeCandidate = false;
  for (const IndependentSet &set : sets) {
    SmallVector<Operation *> members = sortMembers(graph, set.members);
    // Members stand together, in the order of the set: no user is among them.
    session.getRewriter().setInsertionPoint(graph.getOp(set.members.front()));
    changed |= fuse(members);
    if (session.hasFailed())
      return false;
    tried += members.size();
  }
  // Nobody is left for another round, which would walk the block to see just that.
  if (tried == candidates.size() && !madeCandidate) {
    candidates.clear();
    return false;
  }
  return changed;
}

LogicalResult fxgraph::applyGroupFusion(RewriteSession &session, const GroupRule &rule,
                                        const GroupFusionOptions &given) {
  GroupFusionOptions options = given;
  if (options.minFuseSetSize < 2)
    return session.getFunction()->emitError() << "expected min-fuse-set-size >= 2 but got " << options.minFuseSetSize;
  if (options.maxFuseSetSize < options.minFuseSetSize)
    return session.getFunction()->emitError()
           << "expected max-fuse-set-size >= min-fuse-set-size = " << options.minFuseSetSize << " but got "
           << options.maxFuseSetSize;
  if (session.lacks({rule.getRoot()}))
    return success();
  // The members' results become pieces of one buffer: what the graph returns must
  // not share storage that it did not share before.
  BoundaryGuard boundary(session);
  for (Block *block : session.collectBlocks()) {
    BlockFusion fusion(session, rule, options, boundary, *block);
    for (bool first = true; fusion.run(first); first = false) {
    }
    if (session.hasFailed())
      return failure();
    fusion.reportRest();
  }
  if (session.getNumApplied() != 0)
    boundary.restore();
  return success();
}
