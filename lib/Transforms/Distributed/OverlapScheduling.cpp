// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// List scheduling of a block of products and collectives; see the pass's description.
//
// PyTorch: torch/_inductor/fx_passes/overlap_scheduling.py. Two things are added: one
// model of time judges the given and the new order, so that a graph is never made
// slower by it, nor moved about for nothing; and the starts of a group keep their order.
// Buckets of the new order are OverlapBuckets.cpp.

#include "OverlapModel.h"
#include "fxgraph/Transforms/Distributed/Passes.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include <cmath>
#include <deque>
#include <set>

namespace fxgraph {
#define GEN_PASS_DEF_OVERLAPSCHEDULINGPASS
#include "fxgraph/Transforms/Distributed/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"overlap-scheduling", ""};

/// Most orders that are tried, each from the one before.
static constexpr unsigned kMaxRounds = 16;

namespace {
struct Limits {
  double inFlightBytes, computeShare;
  unsigned computePreFetch, collectives, pathLength;
};

class Scheduler {
public:
  Scheduler(const Dependences &dependences, const Times &times, const Limits &limits);

  /// All ops, in the new order.
  SmallVector<unsigned> run();

private:
  /// Lower is sooner.
  using Key = std::tuple<unsigned, bool, unsigned>;

  Key getKey(unsigned number) const;
  bool isStart(unsigned number) const { return isCollectiveStart(ops[number]); }
  void findFirstProducts();
  void makeReady(unsigned number);
  void schedule(unsigned number);
  void scheduleProduct(unsigned number);
  std::optional<SmallVector<unsigned>> findPath(unsigned start) const;
  /// The start that a wait waits for, if it is under way.
  std::optional<unsigned> getStartUnderWay(unsigned wait) const;

  const Dependences &dependences;
  const Times &times;
  const Limits &limits;
  ArrayRef<Operation *> ops;

  static constexpr unsigned kNone = ~0u;
  /// Of each op the first product that needs it, as a number among the products.
  SmallVector<unsigned> firstProduct;
  SmallVector<unsigned> starts;
  size_t nextStart = 0;

  SmallVector<unsigned> missing;
  llvm::BitVector done;
  std::set<std::pair<Key, unsigned>> ready;
  SmallVector<Key> readyKeys;
  SmallVector<unsigned> order;
  /// Starts whose result nobody has waited for, and the time of each that no product has
  /// hidden; those that have some, oldest first, with some that were waited for since.
  llvm::DenseMap<unsigned, double> underWay;
  std::deque<unsigned> exposed;
  double bytesUnderWay = 0;
};
} // namespace

Scheduler::Scheduler(const Dependences &dependences, const Times &times, const Limits &limits)
    : dependences(dependences), times(times), limits(limits), ops(dependences.getOps()), missing(ops.size()),
      done(ops.size()), readyKeys(ops.size()) {
  findFirstProducts();
  for (unsigned number = 0; number < ops.size(); ++number) {
    missing[number] = dependences.getPredecessors(number).size();
    if (isStart(number))
      starts.push_back(number);
  }
}

void Scheduler::findFirstProducts() {
  SmallVector<unsigned> productNumber(ops.size(), kNone);
  unsigned count = 0;
  for (unsigned number = 0; number < ops.size(); ++number)
    if (times.isProduct.test(number))
      productNumber[number] = count++;
  firstProduct.assign(ops.size(), kNone);
  for (unsigned number = ops.size(); number-- > 0;) {
    firstProduct[number] = productNumber[number];
    for (unsigned successor : dependences.getSuccessors(number))
      firstProduct[number] = std::min(firstProduct[number], firstProduct[successor]);
  }
}

std::optional<unsigned> Scheduler::getStartUnderWay(unsigned wait) const {
  auto op = dyn_cast<WaitTensorOp>(ops[wait]);
  Operation *start = op ? op.getInput().getDefiningOp() : nullptr;
  if (!start || start->getBlock() != op->getBlock())
    return std::nullopt;
  unsigned number = dependences.getNumber(start);
  return underWay.count(number) ? std::optional<unsigned>(number) : std::nullopt;
}

Scheduler::Key Scheduler::getKey(unsigned number) const {
  // A wait for what is not hidden yet comes after other ops that the same product needs.
  std::optional<unsigned> start = getStartUnderWay(number);
  return {firstProduct[number], start && underWay.lookup(*start) > 0, number};
}

void Scheduler::makeReady(unsigned number) {
  readyKeys[number] = getKey(number);
  ready.insert({readyKeys[number], number});
}

void Scheduler::schedule(unsigned number) {
  if (missing[number] == 0)
    ready.erase({readyKeys[number], number});
  done.set(number);
  order.push_back(number);
  if (isStart(number)) {
    underWay[number] = times.seconds[number];
    exposed.push_back(number);
    bytesUnderWay += times.bytes[number];
  } else if (std::optional<unsigned> start = getStartUnderWay(number)) {
    bytesUnderWay -= times.bytes[*start];
    underWay.erase(*start);
  }
  for (unsigned successor : dependences.getSuccessors(number))
    if (--missing[successor] == 0)
      makeReady(successor);
}

/// What has to be done before a start, and the start; nullopt if a product or a wait that
/// would stand still is among it.
std::optional<SmallVector<unsigned>> Scheduler::findPath(unsigned start) const {
  SmallVector<unsigned> path, worklist{start};
  llvm::SmallDenseSet<unsigned> seen{start};
  while (!worklist.empty()) {
    unsigned number = worklist.pop_back_val();
    path.push_back(number);
    if (times.isProduct.test(number) || path.size() > limits.pathLength)
      return std::nullopt;
    if (auto wait = dyn_cast<WaitTensorOp>(ops[number])) {
      std::optional<unsigned> awaited = getStartUnderWay(number);
      if (!awaited || underWay.lookup(*awaited) > 0)
        return std::nullopt;
    }
    for (unsigned predecessor : dependences.getPredecessors(number))
      if (!done.test(predecessor) && seen.insert(predecessor).second)
        worklist.push_back(predecessor);
  }
  llvm::sort(path);
  return path;
}

/// Starts what the product can hide, then the product.
void Scheduler::scheduleProduct(unsigned product) {
  double available = times.seconds[product] * limits.computeShare;
  auto hide = [&](double &time) {
    double hidden = std::min(time, available);
    time -= hidden;
    available -= hidden;
  };
  while (!exposed.empty()) {
    auto it = underWay.find(exposed.front());
    if (it != underWay.end()) {
      hide(it->second);
      if (it->second > 0)
        break;
    }
    exposed.pop_front();
  }
  while (nextStart < starts.size() && done.test(starts[nextStart]))
    ++nextStart;
  unsigned looked = 0;
  for (size_t i = nextStart; i < starts.size() && looked < limits.collectives && available > 0; ++i) {
    unsigned start = starts[i];
    if (done.test(start))
      continue;
    ++looked;
    if (firstProduct[start] != kNone && firstProduct[start] - firstProduct[product] > limits.computePreFetch)
      continue;
    std::optional<SmallVector<unsigned>> path = findPath(start);
    if (!path)
      continue;
    double bytes = bytesUnderWay;
    for (unsigned number : *path)
      bytes += times.bytes[number];
    if (bytes > limits.inFlightBytes)
      continue;
    for (unsigned number : *path) {
      schedule(number);
      if (isStart(number))
        hide(underWay[number]);
    }
  }
  schedule(product);
}

SmallVector<unsigned> Scheduler::run() {
  for (unsigned number = 0; number < ops.size(); ++number)
    if (missing[number] == 0)
      makeReady(number);
  while (!ready.empty()) {
    unsigned number = ready.begin()->second;
    // A wait may have become cheap since its key was made.
    if (Key key = getKey(number); key != readyKeys[number]) {
      ready.erase(ready.begin());
      makeReady(number);
      continue;
    }
    if (times.isProduct.test(number)) {
      scheduleProduct(number);
      continue;
    }
    // Memory of collectives is given back by the oldest wait that can be made.
    if (isStart(number) && bytesUnderWay + times.bytes[number] > limits.inFlightBytes) {
      auto oldest = llvm::find_if(ready, [&](const auto &entry) { return getStartUnderWay(entry.second).has_value(); });
      if (oldest != ready.end()) {
        unsigned wait = oldest->second;
        for (const auto &entry : ready)
          if (std::optional<unsigned> start = getStartUnderWay(entry.second); start && *start < *getStartUnderWay(wait))
            wait = entry.second;
        schedule(wait);
        continue;
      }
    }
    schedule(number);
  }
  assert(order.size() == ops.size() && "the dependences are a cycle");
  return std::move(order);
}

namespace {
struct OverlapSchedulingPass : public impl::OverlapSchedulingPassBase<OverlapSchedulingPass> {
  using Base::Base;

  LogicalResult checkOptions() {
    auto check = [&](StringRef name, double value, bool mayBeZero) -> LogicalResult {
      if (std::isfinite(value) && (value > 0 || (mayBeZero && value == 0)))
        return success();
      return mlir::emitError(getGraph().getLoc(), "expected ")
             << name << (mayBeZero ? " >= 0" : " > 0") << " but got " << value;
    };
    return success(succeeded(check("max-in-flight-gb", maxInFlightGb, false)) &&
                   succeeded(check("compute-overlap-multiplier", computeOverlapMultiplier, true)) &&
                   succeeded(check("collective-gb-per-second", collectiveGbPerSecond, false)) &&
                   succeeded(check("max-bucket-memory-gb", maxBucketMemoryGb, false)) &&
                   succeeded(check("collective-latency-us", collectiveLatencyUs, true)));
  }

  void runOnOperation() override {
    if (failed(checkOptions()))
      return signalPassFailure();
    RewriteSession session(*this);
    if (session.lacks<WaitTensorOp>())
      return;
    BoundaryGuard guard(session);
    for (Block *block : session.collectBlocks()) {
      if (llvm::none_of(*block, [](Operation &op) { return isCollectiveStart(&op); }))
        continue;
      // Each bucket leaves fewer starts, which may be better placed.
      schedule(session, *block);
      while (collectiveBucketing && bucket(session, guard, *block))
        schedule(session, *block);
    }
    guard.restore();
    if (!session.isValid())
      signalPassFailure();
  }

private:
  static constexpr double kGb = 1e9;

  CollectiveRates getRates() const { return {collectiveGbPerSecond * kGb, collectiveLatencyUs * 1e-6}; }

  Limits getLimits() const {
    return {maxInFlightGb * kGb, computeOverlapMultiplier, maxComputePreFetch, maxCollDistance, maxPathLength};
  }

  /// In the scheduler's order, where starts are together, also if that is no faster by itself.
  bool bucket(RewriteSession &session, BoundaryGuard &guard, Block &block) {
    SmallVector<Operation *> given;
    double before;
    {
      Dependences dependences(block, Starts::Ordered);
      Times times = estimateTimes(dependences, getRates());
      Limits limits = getLimits();
      given.assign(dependences.getOps().begin(), dependences.getOps().end());
      before = simulate(dependences, times, llvm::to_vector(llvm::seq<unsigned>(0, given.size())));
      for (unsigned number : Scheduler(dependences, times, limits).run())
        given[number]->moveBefore(block.getTerminator());
    }
    if (bucketInOrder(session, guard, block, getRates(), maxBucketMemoryGb * kGb, before))
      return true;
    for (Operation *op : given)
      op->moveBefore(block.getTerminator());
    return false;
  }

  void schedule(RewriteSession &session, Block &block) {
    Limits limits = getLimits();
    Location loc = block.getParentOp()->getLoc();
    std::optional<double> first, last;
    // What is in the order of one round may be better placed by the next one; each takes time off.
    for (unsigned round = 0; round < kMaxRounds; ++round) {
      Dependences dependences(block, Starts::Ordered);
      Times times = estimateTimes(dependences, getRates());
      SmallVector<unsigned> given = llvm::to_vector(llvm::seq<unsigned>(0, dependences.getOps().size()));
      SmallVector<unsigned> order = Scheduler(dependences, times, limits).run();
      double before = simulate(dependences, times, given), after = simulate(dependences, times, order);
      if (!isFaster(after, before))
        break;
      if (!first)
        session.begin(kKind);
      first = first.value_or(before);
      last = after;
      SmallVector<Operation *> ops(dependences.getOps());
      for (unsigned number : order)
        ops[number]->moveBefore(block.getTerminator());
    }
    if (first)
      session.applied(loc, "from " + formatMicroseconds(*first) + " to " + formatMicroseconds(*last) + " estimated");
    else
      session.missed(loc, kKind, "the given order is estimated to be as fast");
  }

  static std::string formatMicroseconds(double seconds) {
    return std::to_string(static_cast<int64_t>(std::llround(seconds * 1e6))) + " us";
  }
};
} // namespace
