// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buckets that keep what hides collectives. In the given order a collective joins those of its
// key whose starts come before it and whose waits all come behind it, so that no member
// depends on another. The bucket starts at its last start and is waited for at its first wait;
// it is made if the work between the two, less the copies into and out of the buffer, leaves
// less time exposed than its members do by themselves. Linear.
//
// PyTorch: torch/_inductor/fx_passes/overlap_preserving_bucketer.py, which keeps each
// collective hidden by what hid it, and has no price of the copies.

#include "Buckets.h"
#include "OverlapModel.h"
#include "fxgraph/Analysis/CostModel.h"
#include <array>

using namespace fxgraph;

static const RewriteKind kKind{"overlap-bucketing", ""};

namespace {
struct Member {
  Operation *start;
  WaitTensorOp wait;
  unsigned startNumber, waitNumber;
  double in, out;
};

struct OpenBucket {
  const BucketRule *rule;
  BucketKey key;
  SmallVector<Member> members;
  unsigned firstWait;
  double in = 0, out = 0;
  /// How long the members' waits wait.
  double exposed = 0;
};

class Bucketer {
public:
  Bucketer(RewriteSession &session, Block &block, CollectiveRates rates, double maxBytes);

  SmallVector<OpenBucket> choose();
  /// As the model takes it.
  OverlapBucket describe(const OpenBucket &bucket) const;

  const Dependences dependences;
  const Times times;

private:
  std::optional<Member> getMember(Operation *op);
  /// Empty if the member joins the bucket.
  StringRef getRefusal(const OpenBucket &bucket, const Member &member) const;
  double getSeconds(double in, double out) const { return rates.getSeconds(std::max(in, out)); }
  double getCopySeconds(const BucketRule *rule, size_t count, double in, double out) const;

  RewriteSession &session;
  const CollectiveRates rates;
  const double maxBytes;
  const DeviceModel device;
  /// Work before each op.
  SmallVector<double> workBefore;
  SmallVector<double> exposed;
  const std::unique_ptr<BucketRule> gatherRule = createAllGatherRule();
  const std::unique_ptr<BucketRule> scatterRule = createReduceScatterRule();
  const std::unique_ptr<BucketRule> reduceRule = createAllReduceRule();
};
} // namespace

static SmallVector<unsigned> getGivenOrder(const Dependences &dependences) {
  return llvm::to_vector(llvm::seq<unsigned>(0, dependences.getOps().size()));
}

Bucketer::Bucketer(RewriteSession &session, Block &block, CollectiveRates rates, double maxBytes)
    : dependences(block, Starts::Free), times(estimateTimes(dependences, rates)), session(session), rates(rates),
      maxBytes(maxBytes), exposed(dependences.getOps().size(), 0) {
  double work = 0;
  for (auto [number, op] : llvm::enumerate(dependences.getOps())) {
    workBefore.push_back(work);
    if (!isCollectiveStart(op))
      work += times.seconds[number];
  }
  simulate(dependences, times, getGivenOrder(dependences), {}, exposed);
}

std::optional<Member> Bucketer::getMember(Operation *op) {
  WaitTensorOp wait = getOnlyWait(op);
  if (!wait || wait->getBlock() != op->getBlock()) {
    session.missed(op->getLoc(), kKind, "the collective has other users than one wait");
    return std::nullopt;
  }
  std::optional<int64_t> in = getStaticBytes(op->getOperand(0).getType());
  std::optional<int64_t> out = getStaticBytes(op->getResult(0).getType());
  if (!in || !out) {
    session.missed(op->getLoc(), kKind, "an extent is not known");
    return std::nullopt;
  }
  return Member{op,
                wait,
                dependences.getNumber(op),
                dependences.getNumber(wait),
                static_cast<double>(*in),
                static_cast<double>(*out)};
}

double Bucketer::getCopySeconds(const BucketRule *rule, size_t count, double in, double out) const {
  // What is gathered comes apart by columns; all other pieces are views of the buffer.
  bool copiesOut = rule == gatherRule.get();
  double bytes = 2 * in + (copiesOut ? 2 * out : 0);
  size_t launches = 1 + (copiesOut ? count : 0);
  return bytes / device.bytesPerSecond + static_cast<double>(launches) * device.secondsPerLaunch;
}

OverlapBucket Bucketer::describe(const OpenBucket &bucket) const {
  return {llvm::map_to_vector(bucket.members, [](const Member &member) { return member.startNumber; }),
          getSeconds(bucket.in, bucket.out), getCopySeconds(bucket.rule, bucket.members.size(), bucket.in, bucket.out)};
}

StringRef Bucketer::getRefusal(const OpenBucket &bucket, const Member &member) const {
  if (member.startNumber > bucket.firstWait)
    return "a collective of the bucket is waited for before";
  if (dependences.getEpoch(bucket.members.front().startNumber) != dependences.getEpoch(member.startNumber))
    return "an op with unknown effects is between";
  double in = bucket.in + member.in, out = bucket.out + member.out;
  if (std::max(in, out) > maxBytes)
    return "the bucket would be larger than max-bucket-memory-gb";
  double hidden = workBefore[std::min(bucket.firstWait, member.waitNumber)] - workBefore[member.startNumber];
  double after =
      std::max(0.0, getSeconds(in, out) - hidden) + getCopySeconds(bucket.rule, bucket.members.size() + 1, in, out);
  return isFaster(after, bucket.exposed + exposed[member.startNumber])
             ? ""
             : "less of the bucket would be hidden by products";
}

SmallVector<OpenBucket> Bucketer::choose() {
  SmallVector<OpenBucket> buckets;
  // Of each key the last one, which is open.
  SmallVector<size_t> open;
  for (Operation *op : dependences.getOps()) {
    const BucketRule *rule = nullptr;
    std::optional<BucketKey> key;
    for (const BucketRule *candidate : {gatherRule.get(), scatterRule.get(), reduceRule.get()})
      if (!key && (key = candidate->getKey(op)))
        rule = candidate;
    std::optional<Member> member = key ? getMember(op) : std::nullopt;
    if (!member)
      continue;
    auto it =
        llvm::find_if(open, [&](size_t number) { return buckets[number].rule == rule && buckets[number].key == *key; });
    if (it != open.end()) {
      OpenBucket &bucket = buckets[*it];
      StringRef reason = getRefusal(bucket, *member);
      if (reason.empty()) {
        bucket.members.push_back(*member);
        bucket.firstWait = std::min(bucket.firstWait, member->waitNumber);
        bucket.in += member->in;
        bucket.out += member->out;
        bucket.exposed += exposed[member->startNumber];
        continue;
      }
      session.missed(op->getLoc(), kKind, reason);
      open.erase(it);
    }
    open.push_back(buckets.size());
    buckets.push_back(
        {rule, *key, {*member}, member->waitNumber, member->in, member->out, exposed[member->startNumber]});
  }
  llvm::erase_if(buckets, [](const OpenBucket &bucket) { return bucket.members.size() < 2; });
  return buckets;
}

/// One collective in the place of the members.
static void merge(RewriteSession &session, const OpenBucket &bucket) {
  SmallVector<Operation *> starts;
  SmallVector<Location> locations;
  Operation *firstWait = bucket.members.front().wait;
  for (const Member &member : bucket.members) {
    starts.push_back(member.start);
    locations.push_back(member.start->getLoc());
    if (Operation *wait = member.wait; wait->isBeforeInBlock(firstWait))
      firstWait = wait;
  }
  session.begin(bucket.rule->getKind());
  mlir::IRRewriter &rewriter = session.getRewriter();
  mlir::ImplicitLocOpBuilder builder(rewriter.getFusedLoc(locations), rewriter);
  Operation *next = starts.back()->getNextNode();
  builder.setInsertionPoint(next);
  SmallVector<Value> values = bucket.rule->merge(builder, starts);
  // The wait, and what comes behind it, go where the first wait is.
  SmallVector<Operation *> behind;
  for (Operation *op = next->getPrevNode();; op = op->getPrevNode()) {
    behind.push_back(op);
    if (isa<WaitTensorOp>(op))
      break;
  }
  for (Operation *op : llvm::reverse(behind))
    rewriter.moveOpBefore(op, firstWait);
  for (auto [member, value] : llvm::zip_equal(bucket.members, values))
    rewriter.replaceOp(member.wait, value);
  for (Operation *start : starts)
    rewriter.eraseOp(start);
  session.applied(builder.getLoc(), Twine(bucket.members.size()) + " collectives");
}

bool fxgraph::bucketInOrder(RewriteSession &session, BoundaryGuard &guard, Block &block, CollectiveRates rates,
                            double maxBytes, double before) {
  Bucketer bucketer(session, block, rates, maxBytes);
  SmallVector<OpenBucket> buckets = bucketer.choose();
  if (buckets.empty())
    return false;
  // Streams of groups are not seen by a bucket alone.
  auto described = llvm::map_to_vector(buckets, [&](const OpenBucket &bucket) { return bucketer.describe(bucket); });
  double after = simulate(bucketer.dependences, bucketer.times, getGivenOrder(bucketer.dependences), described);
  if (!isFaster(after, before)) {
    session.missed(block.getParentOp()->getLoc(), kKind, "the buckets are estimated to be no faster");
    return false;
  }
  guard.snapshot();
  for (const OpenBucket &bucket : buckets)
    merge(session, bucket);
  return true;
}
