// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where values live: memory of their own, a slice of a cat, a view of other memory.

#include "FusionPlanner.h"

using namespace fxgraph;

void FusionPlanner::wantOwnMemory(Value value, unsigned level) {
  ValueState &wanted = state(value);
  wanted.level = std::max(wanted.level, level);
  wanted.memoryLevel = std::max(wanted.memoryLevel, level);
  wanted.materialize = true;
  wanted.fixedLayout = true;
}

void FusionPlanner::wantMemory(Value value, unsigned level,
                               function_ref<bool(const StridedLayout &, ArrayRef<int64_t>)> accepts) {
  const auto &[base, layout] = layouts[value];
  if (base == value || !accepts(layout, getShape(value)))
    return wantOwnMemory(value, level);
  ValueState &wanted = state(value);
  wanted.level = std::max(wanted.level, level);
  wanted.memoryLevel = std::max(wanted.memoryLevel, level);
  wanted.alias = true;
}

unsigned FusionPlanner::createKernel(unsigned level, Operation *op) {
  plan.kernels.push_back(std::make_unique<FusionKernel>());
  plan.kernels.back()->level = level;
  plan.kernels.back()->position = position[op];
  return plan.kernels.size() - 1;
}

void FusionPlanner::addOutput(unsigned kernel, Value value, Value storage, ArrayRef<IndexExpr> index) {
  // The node exists: the value is demanded at this index.
  FusionKernel &target = *plan.kernels[kernel];
  KernelOutput output;
  output.value = value;
  output.storage = storage;
  output.index.assign(index.begin(), index.end());
  for (const auto &[id, node] : llvm::enumerate(target.nodes))
    if (node.value == value && ArrayRef<IndexExpr>(node.index) == index)
      output.node = id;
  target.outputs.push_back(std::move(output));
}

void FusionPlanner::assignMemory(Value value) {
  ValueState &wanted = state(value);
  wanted.stored = true;
  if (plan.storage.count(value))
    return;
  plan.storage[value].kind = ValueStorage::Kind::Buffer;
  bool own = layouts[value].first == value;
  plan.storage[value].layout = own ? layouts[value].second : StridedLayout::rowMajor(getShape(value));
}

bool FusionPlanner::canPlace(Value value) {
  ValueState &wanted = state(value);
  return !wanted.fixedLayout && !wanted.alias && wanted.output < 0 && !plan.storage.count(value);
}

/// Position in the result of a cat or stack of an operand's element.
Index FusionPlanner::getSlot(Operation *cat, unsigned operand, ArrayRef<IndexExpr> index, IndexSpace &space) {
  auto like = cast<CatLikeOpInterface>(cat);
  int64_t dim = like.getNormalizedDim();
  Index slot(index);
  if (like.addsDim()) {
    slot.insert(slot.begin() + dim, IndexExpr(operand));
    return slot;
  }
  int64_t start = 0;
  for (unsigned i = 0; i < operand; ++i)
    if (getShape(cat->getOperand(i)).size() == getShape(cat->getResult(0)).size())
      start += getShape(cat->getOperand(i))[dim];
  slot[dim] = space.add(slot[dim], IndexExpr(start));
  return slot;
}

/// Decides for each cat that wants `value` whether the value is computed in its
/// slice (one of them, if `mayPlace`) or copied there by a kernel.
void FusionPlanner::placeOrCopyOperands(mlir::OpResult value, bool mayPlace) {
  auto placements = std::move(state(value).placements);
  state(value).placements.clear();
  for (auto [cat, operand] : placements) {
    Value whole = cat->getResult(0);
    if (mayPlace && canPlace(value)) {
      const ValueStorage &parent = plan.storage[whole];
      ValueStorage part;
      part.kind = ValueStorage::Kind::Part;
      part.base = parent.kind == ValueStorage::Kind::Part ? parent.base : whole;
      IndexSpace scratch;
      Index origin(getShape(value).size());
      Index slot = getSlot(cat, operand, origin, scratch);
      part.layout.offset = parent.layout.offset;
      for (auto [expr, stride] : llvm::zip_equal(slot, parent.layout.strides))
        part.layout.offset += expr.constant * stride;
      part.layout.strides = parent.layout.strides;
      auto like = cast<CatLikeOpInterface>(cat);
      if (like.addsDim())
        part.layout.strides.erase(part.layout.strides.begin() + like.getNormalizedDim());
      state(value).materialize = true;
      plan.storage[value] = std::move(part);
      continue;
    }
    copyIntoSlot(state(whole).level, cat, operand, value, whole);
  }
}
