// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BatchRule.h"
#include "NearMisses.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"

using namespace fxgraph;

BatchRule::BatchRule(const Rule &rule, const RewriteKind &kind, const mlir::FrozenRewritePatternSet &patterns,
                     const llvm::StringMap<mlir::PDLConstraintFunction> &constraints)
    : PatternGroupRule(patterns), rule(rule), kind(kind), constraints(constraints),
      differing(rule.group->varyingAttributes.begin(), rule.group->varyingAttributes.end()) {}

GroupFusionOptions BatchRule::getOptions() const {
  GroupFusionOptions options;
  options.minFuseSetSize = rule.group->least;
  options.maxFuseSetSize = rule.group->most;
  return options;
}

std::optional<GroupKey> BatchRule::match(Operation *op, std::string &reason) const {
  SmallVector<ValueRange> operands = getOperandGroups(op);
  constexpr size_t kRanges = 4; // of the group
  if (op->getNumResults() != 1 || operands.size() > kRanges ||
      llvm::any_of(operands, [](ValueRange values) { return values.size() > 1; })) {
    reason = "expected an op with one result and at most 4 operands, none of them a list";
    return std::nullopt;
  }
  GroupKey key;
  for (auto [i, values] : llvm::enumerate(operands)) {
    key.add(ArrayRef<int64_t>(values.size()));
    if (values.empty())
      continue;
    auto type = dyn_cast<RankedTensorType>(values.front().getType());
    if (!type) {
      reason = "expected tensors as operands";
      return std::nullopt;
    }
    if (llvm::is_contained(rule.group->sharedOperands, i)) {
      key.add(values.front());
    } else if (llvm::is_contained(rule.group->varyingOperands, i)) {
      key.add(type.getElementType()).add(ArrayRef<int64_t>(type.getRank())).add(getDevice(type));
    } else if (!hasProvableShape(type)) {
      reason = "expected extents that are known to be equal";
      return std::nullopt;
    } else {
      key.add(type);
    }
  }
  if (auto attributes = mlir::dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute()))
    for (NamedAttribute attribute : attributes)
      if (!llvm::is_contained(differing, attribute.getName()))
        key.add(attribute.getName()).add(attribute.getValue());
  if (rule.group->varyingOperands.empty())
    key.add(op->getResult(0).getType());
  return key;
}

std::string BatchRule::explain(GroupOp group) const {
  std::string reason = explainMiss(rule, group, constraints);
  return reason.empty() ? "the rule does not take the group" : reason;
}
