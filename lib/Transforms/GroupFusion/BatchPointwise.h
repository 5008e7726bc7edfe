// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rule of all batched unary pointwise ops: which form a set. What it becomes is
// BatchPointwise in Patterns.pdll.

#ifndef FXGRAPH_LIB_TRANSFORMS_GROUPFUSION_BATCHPOINTWISE_H
#define FXGRAPH_LIB_TRANSFORMS_GROUPFUSION_BATCHPOINTWISE_H

#include "fxgraph/Transforms/GroupFusion/PatternRule.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fxgraph {

/// What a group's members must have in common beyond type and attributes.
enum class PointwiseKey {
  Parent,   ///< Inductor's tanh, sigmoid, relu: the producer's target, on request
  FirstUser ///< Inductor's detach, nan_to_num, clamp, dropout: the first user's target
};

/// Exact: each element is computed as before. The op's attributes are part of the key and
/// kept.
template <typename OpTy>
class BatchPointwiseRule : public PatternGroupRule {
public:
  BatchPointwiseRule(const mlir::FrozenRewritePatternSet &patterns, StringRef pattern, StringRef counter,
                     PointwiseKey extra, const GroupFusionOptions &options)
      : PatternGroupRule(patterns), kind{pattern, counter, NumericClass::Exact}, extra(extra), options(options) {}

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
    if (!hasProvableShape(type))
      return this->refuse(reason, "expected extents that are known to be equal");
    if (!mlir::isMemoryEffectFree(op) && !options.allowRngReorder)
      return this->refuse(reason, "the op draws random numbers, whose order only allow-rng-reorder may change");
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

private:
  RewriteKind kind;
  PointwiseKey extra;
  GroupFusionOptions options;
};

/// A pass that runs the rule of one op.
template <typename GeneratedBase>
class BatchPointwisePass : public PatternGroupPass<GeneratedBase, GroupPatterns::Pointwise> {
public:
  using Base = BatchPointwisePass;
  using PatternGroupPass<GeneratedBase, GroupPatterns::Pointwise>::PatternGroupPass;

protected:
  template <typename OpTy>
  void run(StringRef pattern, StringRef counter, PointwiseKey extra, const GroupFusionOptions &options) {
    RewriteSession session(*this);
    BatchPointwiseRule<OpTy> rule(this->patterns, pattern, counter, extra, options);
    if (failed(applyGroupFusion(session, rule, options)) || !session.isValid())
      this->signalPassFailure();
  }
};

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_GROUPFUSION_BATCHPOINTWISE_H
