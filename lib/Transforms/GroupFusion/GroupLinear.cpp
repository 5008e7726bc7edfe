// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-group-group-linear: products of any shapes become one grouped product.
//
// PyTorch: torch/_inductor/fx_passes/group_batch_fusion.py (GroupLinearFusion).

#include "AtenProducts.h"
#include "fxgraph/Transforms/GroupFusion/Engine.h"
#include "fxgraph/Transforms/GroupFusion/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fxgraph {
#define GEN_PASS_DEF_GROUPGROUPLINEARPASS
#include "fxgraph/Transforms/GroupFusion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
/// Pattern: mm(x_i, w_i) -> grouped_mm((x_i), (w_i))
/// Pattern: addmm(b_i, x_i, w_i) -> grouped_mm((x_i), (w_i), (b_i))
/// Products with and without a sum never share a group, so that each has a run of its own.
template <typename OpTy>
class GroupProductRule : public GroupRule {
public:
  explicit GroupProductRule(int64_t maxExtent) : maxExtent(maxExtent) {}

  StringRef getRoot() const override { return OpTy::getOperationName(); }
  RewriteKind getKind(Operation *) const override {
    return {"group-linear", "group_linear", NumericClass::Reassociates};
  }

  std::optional<GroupKey> match(Operation *op, std::string &reason) const override {
    if (!isa<OpTy>(op))
      return std::nullopt;
    if (!isUnscaled(op))
      return refuse(reason, "expected alpha and beta of 1");
    AtenProduct product(op);
    for (Value matrix : {product.left, product.right})
      for (int64_t extent : cast<RankedTensorType>(matrix.getType()).getShape()) {
        if (ShapedType::isDynamic(extent))
          return refuse(reason, "expected known extents");
        if (extent % 2 != 0)
          return refuse(reason, "expected even extents but got " + Twine(extent));
        if (extent > maxExtent)
          return refuse(reason, "expected extents of at most " + Twine(maxExtent) + " but got " + Twine(extent));
      }
    auto type = cast<RankedTensorType>(product.left.getType());
    GroupKey key;
    return key.add(type.getElementType()).add(getDevice(type));
  }

  SmallVector<Value> fuse(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Operation *> members) const override {
    SmallVector<Value> inputs, weights, biases;
    for (Operation *member : members) {
      AtenProduct product(member);
      inputs.push_back(product.left);
      weights.push_back(product.right);
      if (product.bias)
        biases.push_back(product.bias);
    }
    return SmallVector<Value>(GroupedMmOp::create(builder, inputs, weights, biases).getOutputs());
  }

private:
  int64_t maxExtent;
};

struct GroupGroupLinearPass : public GroupFusionPass<fxgraph::impl::GroupGroupLinearPassBase<GroupGroupLinearPass>> {
  using GroupFusionPass::GroupFusionPass;

  void runOnOperation() override {
    FailureOr<NumericClass> widest = parseNumerics(getGraph().getLoc(), numerics);
    if (failed(widest))
      return signalPassFailure();
    if (!allows(*widest, NumericClass::Reassociates))
      return;
    GroupFusionOptions options = getOptions();
    RewriteSession session(*this);
    if (failed(applyGroupFusion(session, GroupProductRule<MmOp>(maxFuseTensorSize), options)) ||
        failed(applyGroupFusion(session, GroupProductRule<AddmmOp>(maxFuseTensorSize), options)) || !session.isValid())
      signalPassFailure();
  }
};
} // namespace
