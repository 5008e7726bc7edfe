// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rule of the batched pointwise ops behind autodiff, with one or two operands of one
// type, and what it shares with the batched products: stack, op, select.

#ifndef FXGRAPH_LIB_TRANSFORMS_GROUPFUSION_BATCHATEN_H
#define FXGRAPH_LIB_TRANSFORMS_GROUPFUSION_BATCHATEN_H

#include "fxgraph/Transforms/GroupFusion/Engine.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fxgraph {

/// The options that the fusions behind autodiff have beyond the common ones.
struct AtenFusionOptions : GroupFusionOptions {
  /// Stacks are cats of unsqueezes, as Inductor writes them.
  bool decomposeStack = false;
  /// Biases are expanded to the product's shape before they are added.
  bool shapeBroadcastBatchLinear = false;
};

/// stack(values; 0), or cat(unsqueeze(values; 0); 0).
Value createStack(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Value> values, bool decompose);
/// select(batched; 0, i) for each i < count.
SmallVector<Value> selectEach(mlir::ImplicitLocOpBuilder &builder, Value batched, size_t count);

/// Pattern: op(a_i, b_i) -> select(op(stack(a_i), stack(b_i)); 0, i), and the same with one
/// operand. Exact: each element is computed as before. The op's attributes (alpha,
/// rounding_mode) are part of the key and kept.
template <typename OpTy>
class BatchAtenRule : public GroupRule {
public:
  BatchAtenRule(StringRef pattern, StringRef counter, const AtenFusionOptions &options)
      : kind{pattern, counter, NumericClass::Exact}, options(options) {}

  StringRef getRoot() const override { return OpTy::getOperationName(); }
  RewriteKind getKind(Operation *) const override { return kind; }

  std::optional<GroupKey> match(Operation *op, std::string &reason) const override {
    if (!isa<OpTy>(op))
      return std::nullopt;
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    if (!hasProvableShape(type))
      return refuse(reason, "expected extents that are known to be equal");
    // Nothing broadcasts, and no number is an operand: stacked, it would promote.
    if (llvm::any_of(op->getOperandTypes(), [&](Type other) { return other != type; }))
      return refuse(reason, "expected operands of one type");
    GroupKey key;
    key.add(type).add(op->getPropertiesAsAttribute());
    if (options.fuseNodesWithSameParent)
      addParentKey(key, op);
    return key;
  }

  SmallVector<Value> fuse(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Operation *> members) const override {
    SmallVector<Value> operands;
    for (unsigned i = 0, e = members.front()->getNumOperands(); i < e; ++i)
      operands.push_back(
          createStack(builder, llvm::map_to_vector(members, [i](Operation *member) { return member->getOperand(i); }),
                      options.decomposeStack));
    auto batched = OpTy::create(builder, operands, cast<OpTy>(members.front()).getProperties());
    return selectEach(builder, batched.getResult(), members.size());
  }

private:
  /// One operand: what makes it. Two: the value that the last operand which is a select was
  /// taken from, or nothing.
  static void addParentKey(GroupKey &key, Operation *op) {
    if (op->getNumOperands() == 1)
      return addParent(key, op->getOperand(0));
    Value source;
    for (Value operand : op->getOperands())
      if (auto select = operand.getDefiningOp<SelectOp>())
        source = select.getInput();
    key.add(source);
  }

  RewriteKind kind;
  AtenFusionOptions options;
};

/// A pass that batches one op; `GeneratedBase` has the options of AtenPointwiseFusionPass.
template <typename OpTy, typename GeneratedBase>
class BatchAtenPass : public GroupFusionPass<GeneratedBase> {
public:
  using GroupFusionPass<GeneratedBase>::GroupFusionPass;

protected:
  void batch(StringRef pattern, StringRef counter) {
    AtenFusionOptions options{this->getOptions()};
    options.fuseNodesWithSameParent = this->fuseNodesWithSameParent;
    options.decomposeStack = this->decomposeStack;
    RewriteSession session(*this);
    if (failed(applyGroupFusion(session, BatchAtenRule<OpTy>(pattern, counter, options), options)) ||
        !session.isValid())
      this->signalPassFailure();
  }
};

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_GROUPFUSION_BATCHATEN_H
