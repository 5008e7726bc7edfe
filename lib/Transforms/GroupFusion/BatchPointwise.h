// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rule of all batched unary pointwise ops: stack, op, unbind.

#ifndef FXGRAPH_LIB_TRANSFORMS_GROUPFUSION_BATCHPOINTWISE_H
#define FXGRAPH_LIB_TRANSFORMS_GROUPFUSION_BATCHPOINTWISE_H

#include "Engine.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fxgraph {

/// What a group's members must have in common beyond type and attributes.
enum class PointwiseKey {
  Parent,   ///< Inductor's tanh, sigmoid, relu: the producer's target, on request
  FirstUser ///< Inductor's detach, nan_to_num, clamp, dropout: the first user's target
};

/// Pattern: op(x_0), …, op(x_n) -> unbind(op(stack(x_0, …, x_n))). Exact: each
/// element is computed as before. The op's attributes are part of the key and kept.
template <typename OpTy>
class BatchPointwiseRule : public GroupRule {
public:
  BatchPointwiseRule(StringRef pattern, StringRef counter, PointwiseKey extra, const GroupFusionOptions &options)
      : kind{pattern, counter, NumericClass::Exact}, extra(extra), options(options) {}

  /// A draw from another place of the stream is no equal result.
  StringRef getRoot() const override { return OpTy::getOperationName(); }
  RewriteKind getKind(Operation *op) const override {
    RewriteKind result = kind;
    if (!mlir::isMemoryEffectFree(op))
      result.numerics = NumericClass::ChangesPrecision;
    return result;
  }

  std::optional<GroupKey> match(Operation *op, std::string &reason) const override {
    auto unary = dyn_cast<OpTy>(op);
    if (!unary)
      return std::nullopt;
    Type type = unary.getInput().getType();
    if (!hasProvableShape(type)) {
      reason = "expected extents that are known to be equal";
      return std::nullopt;
    }
    if (!mlir::isMemoryEffectFree(op) && !options.allowRngReorder) {
      reason = "the op draws random numbers, whose order only allow-rng-reorder may change";
      return std::nullopt;
    }
    GroupKey key;
    key.add(type).add(op->getPropertiesAsAttribute());
    if (extra == PointwiseKey::Parent && options.fuseNodesWithSameParent)
      addParent(key, unary.getInput());
    if (extra == PointwiseKey::FirstUser && options.sameFirstUser)
      addFirstUser(key, op);
    return key;
  }

  bool isUnordered(Operation *op) const override {
    return options.allowRngReorder && isa<OpTy>(op) && !mlir::isMemoryEffectFree(op);
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
  RewriteKind kind;
  PointwiseKey extra;
  GroupFusionOptions options;
};

/// Runs the rule of one op over the pass's graph.
template <typename OpTy>
LogicalResult runBatchPointwise(GraphPass &pass, StringRef pattern, StringRef counter, PointwiseKey extra,
                                const GroupFusionOptions &options) {
  RewriteSession session(pass);
  BatchPointwiseRule<OpTy> rule(pattern, counter, extra, options);
  return success(succeeded(applyGroupFusion(session, rule, options)) && session.isValid());
}

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_GROUPFUSION_BATCHPOINTWISE_H
