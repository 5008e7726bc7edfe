// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Prepare/Reads.h"
#include "Kernel/KernelIR.h"
#include "fxgraph/Analysis/FusionOps.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

/// Ops that are looked at for one value.
static constexpr unsigned kMostOps = 32;

/// As getLayout has it, where what is padded, or converted, lies as its operand does.
static StridedLayout getLayoutOfReads(Value value) {
  SmallVector<mlir::OpResult> views;
  Value source = value;
  for (Operation *owner = source.getDefiningOp(); owner; owner = source.getDefiningOp()) {
    OpClass opClass = classify(owner, FusionOptions());
    if (opClass != OpClass::View && opClass != OpClass::Identity)
      break;
    views.push_back(cast<mlir::OpResult>(source));
    source = owner->getOperand(0);
  }
  Operation *owner = source.getDefiningOp();
  std::optional<SmallVector<int64_t>> order;
  if (isa_and_present<ConstantPadNdOp, ConvertElementTypeOp>(owner) && source != value)
    order = getMemoryOrder(owner->getOperand(0));
  if (!order)
    return getLayout(value, FusionOptions());
  StridedLayout layout = StridedLayout::rowMajor(getShape(source));
  int64_t stride = 1;
  for (int64_t dim : llvm::reverse(*order)) {
    layout.strides[dim] = stride;
    stride *= getShape(source)[dim];
  }
  for (mlir::OpResult view : llvm::reverse(views)) {
    std::optional<StridedLayout> next = getViewLayout(view, layout);
    layout = next ? *next : StridedLayout::rowMajor(getShape(view));
  }
  return layout;
}

/// Visits what a value is computed from, element by element, and how many bytes that is.
static void forEachSource(Value value, unsigned &ops, function_ref<void(const StridedLayout &, int64_t)> visit) {
  Operation *owner = value.getDefiningOp();
  if (owner && classify(owner, FusionOptions()) == OpClass::Pointwise && ++ops <= kMostOps) {
    for (Value operand : owner->getOperands())
      if (getShape(operand) == getShape(value))
        forEachSource(operand, ops, visit);
    return;
  }
  visit(getLayoutOfReads(value), getNumElements(value) * getMemoryBytes(getElementType(value)));
}

Reads fxgraph::gpu::getReads(Value value, ArrayRef<int64_t> outer, int64_t inner) {
  Reads reads;
  unsigned ops = 0;
  forEachSource(value, ops, [&](const StridedLayout &layout, int64_t bytes) {
    bool isAcross = llvm::any_of(outer, [&](int64_t dim) { return layout.strides[dim] < layout.strides[inner]; });
    (isAcross ? reads.across : reads.along) += bytes;
  });
  return reads;
}

std::optional<SmallVector<int64_t>> fxgraph::gpu::getMemoryOrder(Value value) {
  ArrayRef<int64_t> shape = getShape(value);
  SmallVector<int64_t> numbered = llvm::to_vector(llvm::seq<int64_t>(0, shape.size())), order = numbered;
  int64_t most = 0, dense = 0, all = 0;
  unsigned ops = 0;
  auto sort = [&](const StridedLayout &layout) {
    SmallVector<int64_t> sorted = numbered;
    llvm::stable_sort(sorted, [&](int64_t a, int64_t b) { return layout.strides[a] > layout.strides[b]; });
    return sorted;
  };
  forEachSource(value, ops, [&](const StridedLayout &layout, int64_t bytes) {
    if (bytes <= most)
      return;
    most = bytes;
    order = sort(layout);
  });
  ops = 0;
  forEachSource(value, ops, [&](const StridedLayout &layout, int64_t bytes) {
    all += bytes;
    if (order.empty() || (layout.strides[order.back()] == 1 && sort(layout) == order))
      dense += bytes;
  });
  return order == numbered || dense < all ? std::nullopt : std::optional(order);
}
