// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Transforms/GroupFusion/PatternRule.h"
#include "fxgraph/Support/Prefetch.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace fxgraph;

static constexpr StringRef kSegments = "operandSegmentSizes";

SmallVector<ValueRange> fxgraph::getOperandGroups(Operation *op) {
  SmallVector<ValueRange> groups;
  ValueRange operands = op->getOperands();
  auto sizes = op->getAttrOfType<mlir::DenseI32ArrayAttr>(kSegments);
  if (!sizes) {
    for (unsigned i = 0; i < operands.size(); ++i)
      groups.push_back(operands.slice(i, 1));
    return groups;
  }
  unsigned begin = 0;
  for (int32_t size : sizes.asArrayRef()) {
    groups.push_back(operands.slice(begin, size));
    begin += size;
  }
  return groups;
}

GroupOp fxgraph::gather(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Operation *> members,
                        ArrayRef<StringRef> differing) {
  constexpr unsigned kRanges = 4;
  SmallVector<Value> ranges[kRanges];
  SmallVector<Type> types;
  types.reserve(members.size());
  // Which operands there are is part of every rule's key, so that the first member says where the ranges begin: an op's
  // segments are an attribute made for the asking.
  SmallVector<unsigned, kRanges> sizes;
  for (ValueRange group : getOperandGroups(members.front())) {
    ranges[sizes.size()].reserve(group.size() * members.size());
    sizes.push_back(group.size());
  }
  for (auto [index, member] : llvm::enumerate(members)) {
    prefetchAhead(members, index);
    assert(
        llvm::equal(sizes, llvm::map_range(getOperandGroups(member), [](ValueRange group) { return group.size(); })) &&
        "expected members with the same operands");
    unsigned operand = 0;
    for (auto [range, size] : llvm::enumerate(sizes))
      for (unsigned end = operand + size; operand < end; ++operand)
        ranges[range].push_back(member->getOperand(operand));
    llvm::append_range(types, member->getResultTypes());
  }
  mlir::NamedAttrList common;
  if (auto properties = mlir::dyn_cast_or_null<DictionaryAttr>(members.front()->getPropertiesAsAttribute()))
    for (NamedAttribute attribute : properties)
      if (!llvm::is_contained(differing, attribute.getName()))
        common.append(attribute);
  return GroupOp::create(builder, types, members.front()->getName().getIdentifier(),
                         common.getDictionary(builder.getContext()), ranges[0], ranges[1], ranges[2], ranges[3]);
}

SmallVector<Value> PatternGroupRule::fuse(RewriteSession &session, mlir::ImplicitLocOpBuilder &builder,
                                          ArrayRef<Operation *> members, std::string &reason) const {
  GroupOp group = gather(builder, members, getDiffering());
  if (std::optional<SmallVector<Value>> values = expand(session, group, applicator))
    return *values;
  reason = explain(group);
  session.getRewriter().eraseOp(group);
  return {};
}
