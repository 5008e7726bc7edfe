// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wait(reduce_scatter(x_i)) -> pieces of one wait(reduce_scatter(y)), where row p of y, seen
// as [processes, elements], is what process p gets of each x_i.
// PyTorch: bucketing.py, reduce_scatter_merge_fn_to_trace. A backend may sum the
// processes' numbers in an order that depends on where in the tensor they are.

#include "Buckets.h"
#include "fxgraph/Transforms/Distributed/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_BUCKETREDUCESCATTERPASS
#include "fxgraph/Transforms/Distributed/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
class ReduceScatterRule : public BucketRule {
public:
  explicit ReduceScatterRule(bool fsdpOnly) : fsdpOnly(fsdpOnly) {}

  RewriteKind getKind() const override { return {"bucket-reduce-scatter", "", NumericClass::Reassociates}; }

  std::optional<BucketKey> getKey(Operation *op) const override {
    auto start = dyn_cast<ReduceScatterTensorOp>(op);
    if (!start || (fsdpOnly && !isGradientShard(start.getResult())))
      return std::nullopt;
    BucketKey key;
    key.group = start.getGroupNameAttr();
    key.groupSize = start.getGroupSize();
    key.reduceOp = start.getReduceOpAttr();
    key.device = getDevice(start.getInput().getType());
    key.elementType = start.getInput().getType().getElementType();
    return key;
  }

  SmallVector<Value> merge(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Operation *> members) const override {
    auto first = cast<ReduceScatterTensorOp>(members.front());
    int64_t processes = first.getGroupSize();
    SmallVector<Value> rows;
    for (Operation *member : members) {
      int64_t elements = cast<RankedTensorType>(member->getResult(0).getType()).getNumElements();
      rows.push_back(reshapeTo(builder, member->getOperand(0), {processes, elements}));
    }
    Value joined = flatten(builder, CatOp::create(builder, rows, /*dim=*/1));
    Value part = ReduceScatterTensorOp::create(builder, joined, first.getReduceOpAttr(), first.getGroupSizeAttr(),
                                               first.getGroupNameAttr());
    return splitFlat(builder, WaitTensorOp::create(builder, part), members);
  }

private:
  bool fsdpOnly;
};

struct BucketReduceScatterPass : public impl::BucketReduceScatterPassBase<BucketReduceScatterPass> {
  using Base::Base;

  void runOnOperation() override {
    if (mode != "default" && mode != "fsdp") {
      mlir::emitError(getGraph().getLoc(), "expected mode to be default or fsdp but got ") << StringRef(mode);
      return signalPassFailure();
    }
    if (failed(bucketCollectives(*this, ReduceScatterRule(mode == "fsdp"), bucketCapMb)))
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<BucketRule> fxgraph::createReduceScatterRule() {
  return std::make_unique<ReduceScatterRule>(/*fsdpOnly=*/false);
}
