// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Buckets.h"
#include "llvm/ADT/BitVector.h"
#include <cmath>
#include <queue>

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

namespace {
/// A start that may be a member.
struct Candidate {
  Operation *start;
  WaitTensorOp wait;
  unsigned number;
  int64_t bytes;
};

/// What depends on the members of one bucket, found as far as it is asked for. Members
/// are asked for nearly in order: no op is looked at twice.
class Descendants {
public:
  Descendants(const Dependences &dependences, llvm::BitVector &seen) : dependences(dependences), seen(seen) {}
  ~Descendants() { clear(); }

  void add(unsigned member) { visit(member); }
  bool contains(unsigned number) {
    while (!frontier.empty() && frontier.top() < number) {
      unsigned next = frontier.top();
      frontier.pop();
      visit(next);
    }
    return seen.test(number);
  }
  void clear() {
    for (unsigned number : marked)
      seen.reset(number);
    marked.clear();
    frontier = {};
  }

private:
  void visit(unsigned number) {
    for (unsigned successor : dependences.getSuccessors(number)) {
      if (seen.test(successor))
        continue;
      seen.set(successor);
      marked.push_back(successor);
      frontier.push(successor);
    }
  }

  const Dependences &dependences;
  /// Of this bucket alone; clear again at its end.
  llvm::BitVector &seen;
  SmallVector<unsigned> marked;
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> frontier;
};
} // namespace

/// The runs of waits with equal keys, in order.
static SmallVector<SmallVector<Candidate>> collectRuns(RewriteSession &session, const BucketRule &rule,
                                                       const Dependences &dependences) {
  SmallVector<SmallVector<Candidate>> runs;
  std::optional<BucketKey> currentKey;
  llvm::SmallPtrSet<Operation *, 8> refused;
  for (Operation *op : dependences.getOps()) {
    auto wait = dyn_cast<WaitTensorOp>(op);
    Operation *start = wait ? wait.getInput().getDefiningOp() : nullptr;
    if (!start || start->getBlock() != op->getBlock())
      continue;
    std::optional<BucketKey> key = rule.getKey(start);
    if (!key)
      continue;
    auto refuse = [&](StringRef reason) {
      if (refused.insert(start).second)
        session.missed(start->getLoc(), rule.getKind(), reason);
    };
    if (!start->hasOneUse()) {
      refuse("the collective has other users than one wait");
      continue;
    }
    std::optional<int64_t> in = getStaticBytes(start->getOperand(0).getType());
    std::optional<int64_t> out = getStaticBytes(start->getResult(0).getType());
    if (!in || !out) {
      refuse("an extent is not known");
      continue;
    }
    if (!currentKey || !(*currentKey == *key))
      runs.emplace_back();
    currentKey = key;
    runs.back().push_back({start, wait, dependences.getNumber(start), std::max(*in, *out)});
  }
  return runs;
}

static SmallVector<SmallVector<Candidate>> fillBuckets(RewriteSession &session, const BucketRule &rule,
                                                       const Dependences &dependences, ArrayRef<double> capsMb) {
  SmallVector<SmallVector<Candidate>> buckets;
  llvm::BitVector seen(dependences.getOps().size());
  for (ArrayRef<Candidate> run : collectRuns(session, rule, dependences)) {
    Descendants descendants(dependences, seen);
    SmallVector<Candidate> bucket;
    double bytes = 0;
    size_t number = 0;
    auto close = [&] {
      if (bucket.size() > 1)
        buckets.push_back(bucket);
      bucket.clear();
      descendants.clear();
      bytes = 0;
    };
    for (const Candidate &candidate : run) {
      if (!bucket.empty() && dependences.getEpoch(bucket.front().number) != dependences.getEpoch(candidate.number)) {
        session.missed(candidate.start->getLoc(), rule.getKind(), "an op with unknown effects is between");
        close();
      }
      if (descendants.contains(candidate.number)) {
        session.missed(candidate.start->getLoc(), rule.getKind(), "it depends on a collective of the bucket");
        continue;
      }
      double cap = capsMb[std::min(number, capsMb.size() - 1)] * 1024 * 1024;
      if (!bucket.empty() && bytes + candidate.bytes > cap) {
        close();
        ++number;
      }
      bytes += candidate.bytes;
      bucket.push_back(candidate);
      descendants.add(candidate.number);
    }
    close();
  }
  return buckets;
}

LogicalResult fxgraph::bucketCollectives(GraphPass &pass, const BucketRule &rule, ArrayRef<double> capsMb) {
  constexpr double kDefaultCapMb = 2000;
  if (capsMb.empty())
    capsMb = kDefaultCapMb;
  for (double cap : capsMb)
    if (!std::isfinite(cap) || cap <= 0)
      return mlir::emitError(pass.getGraph().getLoc(), "expected bucket-cap-mb > 0 but got ") << cap;
  RewriteSession session(pass);
  if (session.lacks<WaitTensorOp>())
    return success();
  BoundaryGuard guard(session);
  for (Block *block : session.collectBlocks()) {
    Dependences dependences(*block, Starts::Free);
    SmallVector<SmallVector<Candidate>> buckets = fillBuckets(session, rule, dependences, capsMb);
    if (!buckets.empty())
      guard.snapshot();
    for (ArrayRef<Candidate> bucket : buckets) {
      const Candidate *last = std::max_element(bucket.begin(), bucket.end(),
                                               [](const auto &a, const auto &b) { return a.number < b.number; });
      SmallVector<Operation *> starts;
      SmallVector<Location> locations;
      for (const Candidate &member : bucket) {
        starts.push_back(member.start);
        locations.push_back(member.start->getLoc());
      }
      session.begin(rule.getKind());
      mlir::IRRewriter &rewriter = session.getRewriter();
      mlir::ImplicitLocOpBuilder builder(rewriter.getFusedLoc(locations), rewriter);
      builder.setInsertionPointAfter(last->start);
      SmallVector<Value> values = rule.merge(builder, starts);
      for (auto [member, value] : llvm::zip_equal(bucket, values)) {
        WaitTensorOp wait = member.wait;
        rewriter.replaceOp(wait, value);
      }
      for (Operation *start : starts)
        rewriter.eraseOp(start);
      session.applied(builder.getLoc(), Twine(bucket.size()) + " collectives");
    }
    if (!buckets.empty())
      sortBlock(*block);
  }
  guard.restore();
  return success(session.isValid());
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Value fxgraph::reshapeTo(mlir::ImplicitLocOpBuilder &builder, Value value, ArrayRef<int64_t> shape) {
  if (cast<RankedTensorType>(value.getType()).getShape() == shape)
    return value;
  return ReshapeOp::create(builder, value, shape);
}

Value fxgraph::flatten(mlir::ImplicitLocOpBuilder &builder, Value value) {
  return reshapeTo(builder, value, {cast<RankedTensorType>(value.getType()).getNumElements()});
}

Value fxgraph::joinFlat(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Operation *> members) {
  SmallVector<Value> flat;
  for (Operation *member : members)
    flat.push_back(flatten(builder, member->getOperand(0)));
  return CatOp::create(builder, flat, /*dim=*/0);
}

SmallVector<Value> fxgraph::splitFlat(mlir::ImplicitLocOpBuilder &builder, Value flat, ArrayRef<Operation *> members) {
  auto types = llvm::map_to_vector(
      members, [](Operation *member) { return cast<RankedTensorType>(member->getResult(0).getType()); });
  SmallVector<int64_t> sizes = llvm::map_to_vector(types, [](RankedTensorType type) { return type.getNumElements(); });
  auto pieces = SplitWithSizesOp::create(builder, flat, sizes, /*dim=*/0);
  SmallVector<Value> results;
  for (auto [piece, type] : llvm::zip_equal(pieces.getPieces(), types))
    results.push_back(reshapeTo(builder, piece, type.getShape()));
  return results;
}

//===----------------------------------------------------------------------===//
// Fully sharded data parallelism
//===----------------------------------------------------------------------===//

bool fxgraph::isParameterShard(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (op->getNumOperands() != 1 || !mlir::isMemoryEffectFree(op) || op->getNumRegions() != 0)
      return false;
    value = op->getOperand(0);
  }
  auto argument = cast<mlir::BlockArgument>(value);
  return argument.getOwner()->isEntryBlock() && isa<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
}

bool fxgraph::isGradientShard(Value value) {
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (isa<mlir::func::ReturnOp>(user))
        continue;
      if (user->getNumOperands() != 1 || !mlir::isMemoryEffectFree(user) || user->getNumRegions() != 0)
        return false;
      llvm::append_range(worklist, user->getResults());
    }
  }
  return true;
}
