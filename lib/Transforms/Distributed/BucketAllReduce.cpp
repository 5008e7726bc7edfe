// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wait(all_reduce(x_i)) -> pieces of one wait(all_reduce(cat(flat x_i))).
// PyTorch: bucketing.py, all_reduce_merge_fn_to_trace. A backend may sum the processes'
// numbers in an order that depends on where in the tensor they are.

#include "Buckets.h"
#include "fxgraph/Transforms/Distributed/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_BUCKETALLREDUCEPASS
#include "fxgraph/Transforms/Distributed/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
class AllReduceRule : public BucketRule {
public:
  RewriteKind getKind() const override { return {"bucket-all-reduce", "", NumericClass::Reassociates}; }

  std::optional<BucketKey> getKey(Operation *op) const override {
    auto start = dyn_cast<AllReduceOp>(op);
    if (!start)
      return std::nullopt;
    BucketKey key;
    key.group = start.getGroupNameAttr();
    key.reduceOp = start.getReduceOpAttr();
    key.device = getDevice(start.getInput().getType());
    key.elementType = start.getInput().getType().getElementType();
    return key;
  }

  SmallVector<Value> merge(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Operation *> members) const override {
    auto first = cast<AllReduceOp>(members.front());
    Value sum =
        AllReduceOp::create(builder, joinFlat(builder, members), first.getReduceOpAttr(), first.getGroupNameAttr());
    return splitFlat(builder, WaitTensorOp::create(builder, sum), members);
  }
};

struct BucketAllReducePass : public impl::BucketAllReducePassBase<BucketAllReducePass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(bucketCollectives(*this, AllReduceRule(), bucketCapMb)))
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<BucketRule> fxgraph::createAllReduceRule() { return std::make_unique<AllReduceRule>(); }
