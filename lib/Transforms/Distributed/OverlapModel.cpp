// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OverlapModel.h"
#include "fxgraph/Analysis/CostModel.h"

using namespace fxgraph;

double fxgraph::simulate(const Dependences &dependences, const Times &times, ArrayRef<unsigned> order,
                         ArrayRef<OverlapBucket> buckets, MutableArrayRef<double> exposed) {
  DenseMap<unsigned, const OverlapBucket *> bucketOf;
  for (const OverlapBucket &bucket : buckets)
    for (unsigned start : bucket.starts)
      bucketOf[start] = &bucket;
  double now = 0;
  DenseMap<Attribute, double> groupEnds;
  DenseMap<Operation *, double> ends;
  ArrayRef<Operation *> ops = dependences.getOps();
  for (unsigned number : order) {
    Operation *op = ops[number];
    if (StringAttr group = getGroupName(op)) {
      const OverlapBucket *bucket = bucketOf.lookup(number);
      if (bucket && bucket->starts.back() != number)
        continue;
      if (bucket)
        now += bucket->copySeconds;
      double &end = groupEnds[group];
      end = std::max(end, now) + (bucket ? bucket->seconds : times.seconds[number]);
      for (unsigned start : bucket ? ArrayRef<unsigned>(bucket->starts) : ArrayRef<unsigned>(number))
        ends[ops[start]] = end;
      continue;
    }
    if (auto wait = dyn_cast<WaitTensorOp>(op))
      if (auto it = ends.find(wait.getInput().getDefiningOp()); it != ends.end()) {
        if (!exposed.empty())
          exposed[dependences.getNumber(it->first)] = std::max(0.0, it->second - now);
        now = std::max(now, it->second);
      }
    now += times.seconds[number];
  }
  return now;
}

Times fxgraph::estimateTimes(const Dependences &dependences, CollectiveRates rates) {
  DeviceModel device;
  ArrayRef<Operation *> ops = dependences.getOps();
  Times times{SmallVector<double>(ops.size(), 0), SmallVector<double>(ops.size(), 0), llvm::BitVector(ops.size())};
  for (auto [number, op] : llvm::enumerate(ops)) {
    if (isCollectiveStart(op)) {
      double in = 0, out = 0;
      for (Type type : op->getOperandTypes())
        in += estimateBytes(type, device);
      for (Type type : op->getResultTypes())
        out += estimateBytes(type, device);
      times.bytes[number] = std::max(in, out);
      times.seconds[number] = rates.getSeconds(times.bytes[number]);
      continue;
    }
    if (isa<WaitTensorOp>(op))
      continue;
    times.seconds[number] = estimateCost(op, device).seconds(device);
    if (estimateProductFlops(op, device) > 0)
      times.isProduct.set(number);
  }
  return times;
}
