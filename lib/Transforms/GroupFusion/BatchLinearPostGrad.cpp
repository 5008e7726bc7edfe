// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-group-batch-linear-post-grad: products of equal shapes become one batched
// product.
//
// PyTorch: torch/_inductor/fx_passes/group_batch_fusion.py
// (PostGradBatchLinearFusion).

#include "AtenProducts.h"
#include "BatchAten.h"
#include "fxgraph/Transforms/GroupFusion/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_GROUPBATCHLINEARPOSTGRADPASS
#include "fxgraph/Transforms/GroupFusion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
/// Pattern: mm(x_i, w_i) -> select(bmm(stack(x_i), stack(w_i)); 0, i)
/// Pattern: addmm(b_i, x_i, w_i) -> b_i + select(bmm(stack(x_i), stack(w_i)); 0, i)
/// Products with and without a sum never share a group, so that each has a run of its own.
template <typename OpTy>
class BatchProductRule : public GroupRule {
public:
  BatchProductRule(NumericClass widest, const AtenFusionOptions &options) : widest(widest), options(options) {}

  StringRef getRoot() const override { return OpTy::getOperationName(); }
  /// The sum leaves the kernel of the product, which rounds once more in 16 bits.
  RewriteKind getKind(Operation *op) const override {
    bool narrow = cast<RankedTensorType>(op->getResult(0).getType()).getElementTypeBitWidth() < 32;
    return {"batch-linear-post-grad", "batch_linear_post_grad",
            isa<AddmmOp>(op) && narrow ? NumericClass::ChangesPrecision : NumericClass::Reassociates};
  }

  std::optional<GroupKey> match(Operation *op, std::string &reason) const override {
    if (!isa<OpTy>(op))
      return std::nullopt;
    NumericClass numerics = getKind(op).numerics;
    if (!allows(widest, numerics))
      return refuse(reason, numerics == NumericClass::ChangesPrecision
                                ? "the rewrite rounds more often in 16 bits, which needs numerics=relaxed"
                                : "the rewrite reassociates sums, which numerics=exact forbids");
    if (!isUnscaled(op))
      return refuse(reason, "expected alpha and beta of 1");
    AtenProduct product(op);
    if (!hasProvableShape(product.left.getType()) || !hasProvableShape(product.right.getType()))
      return refuse(reason, "expected extents that are known to be equal");
    GroupKey key;
    key.addTypeOf(product.left).addTypeOf(product.right).addTypeOf(op->getResult(0));
    if (options.fuseNodesWithSameUsers)
      addUsers(key, op);
    return key;
  }

  SmallVector<Value> fuse(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Operation *> members) const override {
    SmallVector<Value> left, right;
    for (Operation *member : members) {
      AtenProduct product(member);
      left.push_back(product.left);
      right.push_back(product.right);
    }
    Value batched = BmmOp::create(builder, createStack(builder, left, options.decomposeStack),
                                  createStack(builder, right, options.decomposeStack));
    SmallVector<Value> results = selectEach(builder, batched, members.size());
    for (auto [result, member] : llvm::zip_equal(results, members))
      if (Value bias = AtenProduct(member).bias)
        result = AddOp::create(builder, broadcast(builder, bias, result), result, llvm::APFloat(1.0));
    return results;
  }

private:
  /// With the option, sums of equal shapes, which can be batched in turn.
  Value broadcast(mlir::ImplicitLocOpBuilder &builder, Value bias, Value product) const {
    auto type = cast<RankedTensorType>(product.getType());
    if (!options.shapeBroadcastBatchLinear || !type.hasStaticShape() || bias.getType() == type)
      return bias;
    return ExpandOp::create(builder, bias, type.getShape());
  }

  NumericClass widest;
  AtenFusionOptions options;
};

struct GroupBatchLinearPostGradPass
    : public GroupFusionPass<fxgraph::impl::GroupBatchLinearPostGradPassBase<GroupBatchLinearPostGradPass>> {
  using GroupFusionPass::GroupFusionPass;

  void runOnOperation() override {
    FailureOr<NumericClass> widest = parseNumerics(getGraph().getLoc(), numerics);
    if (failed(widest))
      return signalPassFailure();
    AtenFusionOptions options{getOptions()};
    options.fuseNodesWithSameUsers = fuseNodesWithSameUsers;
    options.decomposeStack = decomposeStack;
    options.shapeBroadcastBatchLinear = shapeBroadcastBatchLinear;
    RewriteSession session(*this);
    if (failed(applyGroupFusion(session, BatchProductRule<MmOp>(*widest, options), options)) ||
        failed(applyGroupFusion(session, BatchProductRule<AddmmOp>(*widest, options), options)) || !session.isValid())
      signalPassFailure();
  }
};
} // namespace
