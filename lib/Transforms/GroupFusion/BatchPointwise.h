// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rule of all batched unary pointwise ops: stack, op, unbind.

#ifndef FXGRAPH_LIB_TRANSFORMS_GROUPFUSION_BATCHPOINTWISE_H
#define FXGRAPH_LIB_TRANSFORMS_GROUPFUSION_BATCHPOINTWISE_H

#include "Engine.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fxgraph {

/// Pattern: op(x_0), …, op(x_n) -> unbind(op(stack(x_0, …, x_n))). Exact: each
/// element is computed as before. The op's attributes are part of the key and kept.
template <typename OpTy>
class BatchPointwiseRule : public GroupRule {
public:
  /// With `sameUsers` the first users of a group's members must be of one kind
  /// (Inductor's rule for some ops): the stacks may then cancel.
  BatchPointwiseRule(StringRef pattern, StringRef counter, bool sameUsers = false)
      : kind{pattern, counter, NumericClass::Exact}, sameUsers(sameUsers) {}

  RewriteKind getKind(Operation *) const override { return kind; }

  std::optional<GroupKey> match(Operation *op, std::string &reason) const override {
    auto unary = dyn_cast<OpTy>(op);
    if (!unary)
      return std::nullopt;
    Type type = unary.getInput().getType();
    if (!hasProvableShape(type)) {
      reason = "expected extents that are known to be equal";
      return std::nullopt;
    }
    GroupKey key;
    key.add(type).add(op->getPropertiesAsAttribute());
    if (sameUsers)
      key.add(getFirstUserName(op));
    return key;
  }

  SmallVector<Value> fuse(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Operation *> members) const override {
    SmallVector<Value> inputs;
    for (Operation *member : members)
      inputs.push_back(member->getOperand(0));
    Value stacked = StackOp::create(builder, inputs, /*dim=*/0);
    mlir::OperationState state(builder.getLoc(), OpTy::getOperationName(), stacked, stacked.getType());
    state.propertiesAttr = members.front()->getPropertiesAsAttribute();
    Operation *batched = builder.create(state);
    auto pieces = UnbindOp::create(builder, batched->getResult(0), /*dim=*/0);
    return SmallVector<Value>(pieces.getPieces());
  }

private:
  /// The name of the first user in the op's block; null without one.
  static const void *getFirstUserName(Operation *op) {
    Operation *first = nullptr;
    for (Operation *user : op->getUsers())
      if (user->getBlock() == op->getBlock() && (!first || user->isBeforeInBlock(first)))
        first = user;
    return first ? first->getName().getAsOpaquePointer() : nullptr;
  }

  RewriteKind kind;
  bool sameUsers;
};

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_GROUPFUSION_BATCHPOINTWISE_H
