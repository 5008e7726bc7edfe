// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The all_reduces of data-parallel gradients, fewer and later waited for. Steps by name:
//   fuse_ddp_with_concat_op      wait(all_reduce(div(g_i, n))) -> pieces of
//                                wait(all_reduce(div(cat(flat g_i), n)))
//   fuse_ddp_with_coalesced_op   -> waits of all_reduce_coalesced(div(g_i, n) …)
//   schedule_comm_wait           waits, and the views behind them, to before their first user
// PyTorch: torch/_inductor/fx_passes/ddp_fusion.py, which assumes one group, one reduction
// and one dtype; here a bucket ends where they change. Linear in the ops.

#include "Buckets.h"
#include "fxgraph/Transforms/Distributed/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_FUSEDDPPASS
#include "fxgraph/Transforms/Distributed/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kFuse{"fuse-ddp", "ddp_buckets", NumericClass::Reassociates};
static const RewriteKind kSchedule{"schedule-comm-wait", ""};

namespace {
/// The all_reduce of one gradient.
struct Gradient {
  DivOp div;
  AllReduceOp start;
  WaitTensorOp wait;
  int64_t bytes;
};
} // namespace

/// Two numbers that are known to be the same.
static bool areEqualNumbers(Value a, Value b) {
  if (a == b)
    return true;
  auto first = a.getDefiningOp<ConstantOp>(), second = b.getDefiningOp<ConstantOp>();
  return first && second && first.getValue() == second.getValue();
}

/// An all_reduce of what data parallelism makes of a gradient; the reason why not in
/// `reason`, for what might be one.
static std::optional<Gradient> matchGradient(AllReduceOp start, StringRef &reason) {
  Gradient gradient{start.getInput().getDefiningOp<DivOp>(), start, getOnlyWait(start), 0};
  if (!gradient.div || gradient.div.getRoundingMode())
    return std::nullopt;
  if (!gradient.wait) {
    reason = "the collective has other users than one wait";
    return std::nullopt;
  }
  Operation *user = gradient.wait->use_empty() ? nullptr : *gradient.wait->user_begin();
  if (!user || !llvm::all_of(gradient.wait->getUsers(), [&](Operation *other) { return other == user; }) ||
      !(user->hasTrait<mlir::OpTrait::ReturnLike>() || isa<CopyUnderscoreOp>(user))) {
    reason = "the gradient is used by more than one return or copy_";
    return std::nullopt;
  }
  auto dividend = gradient.div.getInput().getType();
  std::optional<int64_t> bytes = getStaticBytes(start.getResult().getType());
  if (!bytes || !dividend.hasStaticShape()) {
    reason = "an extent is not known";
    return std::nullopt;
  }
  if (gradient.div.getOther().getType().getRank() != 0 || dividend != gradient.div.getResult().getType()) {
    reason = "the division does more than scale each element";
    return std::nullopt;
  }
  gradient.bytes = *bytes;
  return gradient;
}

/// Whether one collective can do for both.
static bool haveOneKey(Gradient a, Gradient b, const Dependences &dependences) {
  auto typeA = a.start.getInput().getType(), typeB = b.start.getInput().getType();
  return a.start.getGroupNameAttr() == b.start.getGroupNameAttr() &&
         a.start.getReduceOpAttr() == b.start.getReduceOpAttr() && typeA.getElementType() == typeB.getElementType() &&
         getDevice(typeA) == getDevice(typeB) && a.div.getOther().getType() == b.div.getOther().getType() &&
         areEqualNumbers(a.div.getOther(), b.div.getOther()) &&
         dependences.getEpoch(dependences.getNumber(a.start)) == dependences.getEpoch(dependences.getNumber(b.start));
}

/// Buckets of at least so many bytes, the first one of 1 MB.
static SmallVector<SmallVector<Gradient>> collectBuckets(RewriteSession &session, const Dependences &dependences,
                                                         int64_t bucketSizeMb) {
  constexpr int64_t kMb = 1024 * 1024;
  SmallVector<SmallVector<Gradient>> buckets;
  SmallVector<Gradient> bucket;
  int64_t bytes = 0, wanted = kMb;
  auto close = [&] {
    if (bucket.size() > 1)
      buckets.push_back(std::move(bucket));
    bucket.clear();
    bytes = 0;
  };
  for (Operation *op : dependences.getOps()) {
    auto start = dyn_cast<AllReduceOp>(op);
    if (!start)
      continue;
    StringRef reason;
    std::optional<Gradient> gradient = matchGradient(start, reason);
    if (!gradient) {
      if (!reason.empty())
        session.missed(start.getLoc(), kFuse, reason);
      continue;
    }
    if (!bucket.empty() && !haveOneKey(bucket.front(), *gradient, dependences)) {
      session.missed(start.getLoc(), kFuse, "group, reduction, dtype or divisor differ from those of the bucket");
      close();
    }
    bucket.push_back(*gradient);
    bytes += gradient->bytes;
    if (bytes >= wanted) {
      close();
      wanted = bucketSizeMb * kMb;
    }
  }
  close();
  return buckets;
}

/// One bucket becomes one collective, behind the last of its inputs.
static void fuseBucket(RewriteSession &session, const Dependences &dependences, MutableArrayRef<Gradient> bucket,
                       bool coalesced) {
  Gradient first = bucket.front();
  Operation *last = first.div;
  SmallVector<Location> locations;
  SmallVector<Operation *> divs, starts;
  for (Gradient &gradient : bucket) {
    if (dependences.getNumber(gradient.div) > dependences.getNumber(last))
      last = gradient.div;
    locations.push_back(gradient.start.getLoc());
    divs.push_back(gradient.div);
    starts.push_back(gradient.start);
  }
  session.begin(kFuse);
  mlir::IRRewriter &rewriter = session.getRewriter();
  mlir::ImplicitLocOpBuilder builder(rewriter.getFusedLoc(locations), rewriter);
  builder.setInsertionPointAfter(last);
  SmallVector<Value> results;
  if (coalesced) {
    SmallVector<Value> inputs;
    SmallVector<Type> types;
    for (Gradient &gradient : bucket) {
      inputs.push_back(gradient.div.getResult());
      types.push_back(gradient.start.getResult().getType());
    }
    auto sums = AllReduceCoalescedOp::create(builder, types, inputs, first.start.getReduceOpAttr(),
                                             first.start.getGroupNameAttr());
    for (Value sum : sums.getOutputs())
      results.push_back(WaitTensorOp::create(builder, sum));
  } else {
    Value joined = joinFlat(builder, divs);
    Value scaled =
        DivOp::create(builder, joined.getType(), joined, first.div.getOther(), /*rounding_mode=*/StringAttr());
    Value sum = AllReduceOp::create(builder, scaled, first.start.getReduceOpAttr(), first.start.getGroupNameAttr());
    results = splitFlat(builder, WaitTensorOp::create(builder, sum), starts);
  }
  for (auto [gradient, result] : llvm::zip_equal(bucket, results)) {
    WaitTensorOp wait = gradient.wait;
    AllReduceOp start = gradient.start;
    rewriter.replaceOp(wait, result);
    rewriter.eraseOp(start);
  }
  session.applied(builder.getLoc(), Twine(bucket.size()) + " gradients");
  session.eraseDeadOps(divs);
}

static void fuse(RewriteSession &session, int64_t bucketSizeMb, bool coalesced) {
  BoundaryGuard guard(session);
  for (Block *block : session.collectBlocks()) {
    Dependences dependences(*block, Starts::Free);
    SmallVector<SmallVector<Gradient>> buckets = collectBuckets(session, dependences, bucketSizeMb);
    if (!buckets.empty())
      guard.snapshot();
    for (MutableArrayRef<Gradient> bucket : buckets)
      fuseBucket(session, dependences, bucket, coalesced);
    if (!buckets.empty())
      sortBlock(*block);
  }
  guard.restore();
}

/// Moves waits of all_reduces, and the views behind them, down to before their first user.
static void scheduleWaits(RewriteSession &session) {
  for (Block *block : session.collectBlocks()) {
    SmallVector<Operation *> moving;
    llvm::SmallPtrSet<Operation *, 16> known;
    for (Operation &op : block->without_terminator()) {
      Operation *producer = op.getNumOperands() == 0 ? nullptr : op.getOperand(0).getDefiningOp();
      bool isWait = isa<WaitTensorOp>(op) && llvm::isa_and_nonnull<AllReduceOp, AllReduceCoalescedOp>(producer);
      bool isViewOfOne = op.getNumOperands() == 1 && known.contains(producer) &&
                         isa<ViewLikeOpInterface, SplitLikeOpInterface, DetachOp>(op);
      if ((isWait || isViewOfOne) && !op.use_empty() && known.insert(&op).second)
        moving.push_back(&op);
    }
    // The last ones first: they are the first users of those before them.
    for (Operation *op : llvm::reverse(moving)) {
      Operation *first = nullptr;
      for (Operation *user : op->getUsers()) {
        Operation *inBlock = block->findAncestorOpInBlock(*user);
        if (!first || inBlock->isBeforeInBlock(first))
          first = inBlock;
      }
      // What moves to the same place keeps its order.
      while (first->getPrevNode() != op && known.contains(first->getPrevNode()))
        first = first->getPrevNode();
      if (first->getPrevNode() == op)
        continue;
      session.begin(kSchedule);
      session.getRewriter().moveOpBefore(op, first);
      session.applied(op->getLoc());
    }
  }
}

namespace {
struct FuseDdpPass : public impl::FuseDdpPassBase<FuseDdpPass> {
  using Base::Base;

  void runOnOperation() override {
    if (bucketSizeMb < 1 || bucketSizeMb > (int64_t(1) << 40)) {
      mlir::emitError(getGraph().getLoc(), "expected bucket-size-mb between 1 and 2^40 but got ")
          << static_cast<int64_t>(bucketSizeMb);
      return signalPassFailure();
    }
    constexpr StringRef kNames[] = {"fuse_ddp_with_concat_op", "fuse_ddp_with_coalesced_op", "schedule_comm_wait"};
    SmallVector<StringRef> steps;
    for (const OptionText &name : passes)
      steps.push_back(name);
    if (steps.empty())
      steps = {kNames[0], kNames[2]};
    for (StringRef name : steps)
      if (!llvm::is_contained(kNames, name)) {
        mlir::emitError(getGraph().getLoc(),
                        "expected passes among fuse_ddp_with_concat_op, fuse_ddp_with_coalesced_op and "
                        "schedule_comm_wait but got ")
            << name;
        return signalPassFailure();
      }
    RewriteSession session(*this);
    if (session.lacks<AllReduceOp>() && session.lacks<AllReduceCoalescedOp>())
      return;
    for (StringRef name : steps) {
      if (name == kNames[2])
        scheduleWaits(session);
      else
        fuse(session, bucketSizeMb, /*coalesced=*/name == kNames[1]);
    }
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
