// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wait(all_gather(x_i)) -> pieces of one wait(all_gather(cat(flat x_i))), seen as
// [processes, elements]. PyTorch: bucketing.py, all_gather_merge_fn_to_trace. Exact.

#include "Buckets.h"
#include "fxgraph/Transforms/Distributed/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_BUCKETALLGATHERPASS
#include "fxgraph/Transforms/Distributed/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
enum class Mode { Default, Fsdp, MultiDtype };

class AllGatherRule : public BucketRule {
public:
  explicit AllGatherRule(Mode mode) : mode(mode) {}

  RewriteKind getKind() const override { return {"bucket-all-gather", ""}; }

  std::optional<BucketKey> getKey(Operation *op) const override {
    auto start = dyn_cast<AllGatherIntoTensorOp>(op);
    if (!start || (mode == Mode::Fsdp && !isParameterShard(start.getInput())))
      return std::nullopt;
    BucketKey key;
    key.group = start.getGroupNameAttr();
    key.groupSize = start.getGroupSize();
    key.device = getDevice(start.getInput().getType());
    if (mode != Mode::MultiDtype)
      key.elementType = start.getInput().getType().getElementType();
    return key;
  }

  SmallVector<Value> merge(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Operation *> members) const override {
    Type bucketType = chooseElementType(members);
    SmallVector<Value> flat;
    SmallVector<int64_t> sizes;
    for (Operation *member : members) {
      flat.push_back(viewAs(builder, flatten(builder, member->getOperand(0)), bucketType));
      sizes.push_back(cast<RankedTensorType>(flat.back().getType()).getDimSize(0));
    }
    auto first = cast<AllGatherIntoTensorOp>(members.front());
    int64_t processes = first.getGroupSize();
    Value joined = CatOp::create(builder, flat, /*dim=*/0);
    Value gathered = AllGatherIntoTensorOp::create(builder, joined, first.getGroupSizeAttr(), first.getGroupNameAttr());
    gathered = WaitTensorOp::create(builder, gathered);
    int64_t total = cast<RankedTensorType>(joined.getType()).getDimSize(0);
    Value rows = reshapeTo(builder, gathered, {processes, total});
    auto pieces = SplitWithSizesOp::create(builder, rows, sizes, /*dim=*/1);
    SmallVector<Value> results;
    for (auto [member, piece] : llvm::zip_equal(members, pieces.getPieces())) {
      auto type = cast<RankedTensorType>(member->getResult(0).getType());
      results.push_back(reshapeTo(builder, viewAs(builder, piece, type.getElementType()), type.getShape()));
    }
    return results;
  }

private:
  /// The members' type; of several, integers as wide as the narrowest: as floats some
  /// patterns of bits would be NaNs, which not every move keeps.
  static Type chooseElementType(ArrayRef<Operation *> members) {
    Type first = getElementType(members.front());
    if (llvm::all_of(members, [&](Operation *member) { return getElementType(member) == first; }))
      return first;
    unsigned narrowest = 64;
    for (Operation *member : members)
      narrowest = std::min(narrowest, std::max(8u, getElementType(member).getIntOrFloatBitWidth()));
    // Of the bytes PyTorch has the unsigned type, and bools are among them.
    return mlir::IntegerType::get(first.getContext(), narrowest,
                                  narrowest == 8 ? mlir::IntegerType::Unsigned : mlir::IntegerType::Signless);
  }
  static Type getElementType(Operation *member) {
    return cast<RankedTensorType>(member->getOperand(0).getType()).getElementType();
  }

  /// The last dimension's bytes as another type.
  static Value viewAs(mlir::ImplicitLocOpBuilder &builder, Value value, Type elementType) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getElementType() == elementType)
      return value;
    auto bytes = [](Type element) { return std::max(8u, element.getIntOrFloatBitWidth()) / 8; };
    Dims dims = getDims(type);
    dims.back() = Dim(dims.back().getExtent() * bytes(type.getElementType()) / bytes(elementType));
    return ViewDtypeOp::create(builder, withElementType(withDims(type, dims), elementType), value);
  }

  Mode mode;
};

struct BucketAllGatherPass : public impl::BucketAllGatherPassBase<BucketAllGatherPass> {
  using Base::Base;

  void runOnOperation() override {
    std::optional<Mode> parsed = llvm::StringSwitch<std::optional<Mode>>(mode)
                                     .Case("default", Mode::Default)
                                     .Case("fsdp", Mode::Fsdp)
                                     .Case("multi-dtype", Mode::MultiDtype)
                                     .Default(std::nullopt);
    if (!parsed) {
      mlir::emitError(getGraph().getLoc(), "expected mode to be default, fsdp or multi-dtype but got ")
          << StringRef(mode);
      return signalPassFailure();
    }
    if (failed(bucketCollectives(*this, AllGatherRule(*parsed), bucketCapMb)))
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<BucketRule> fxgraph::createAllGatherRule() { return std::make_unique<AllGatherRule>(Mode::Default); }
