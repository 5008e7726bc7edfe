// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results lie in memory as PyTorch's do where that is dense: a view of a product stays one, and an op
// on a permuted tensor keeps the order of its dimensions. Kernels then write rows where they would
// transpose. Linear in the ops that lead to results.

#include "Kernel/HostFunction.h"
#include "Stages/Stages.h"
#include "fxgraph/Analysis/FusionOps.h"
#include "fxgraph/Dialect/IR/Permutation.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

namespace {

/// Where PyTorch puts the elements of values, if every op computes its result afresh in memory of its own.
class LayoutFinder {
public:
  /// Offset and strides within the memory that the value is a view of.
  const StridedLayout &get(Value value);

private:
  StridedLayout compute(Value value);

  DenseMap<Value, StridedLayout> layouts;
};

} // namespace

/// The dimensions from the outermost one in memory to the innermost.
static SmallVector<int64_t> getOrder(ArrayRef<int64_t> strides) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, strides.size()));
  llvm::stable_sort(order, [&](int64_t a, int64_t b) { return strides[a] > strides[b]; });
  return order;
}

/// Dense memory whose dimensions lie in this order.
static StridedLayout createDense(ArrayRef<int64_t> shape, ArrayRef<int64_t> order) {
  StridedLayout layout;
  layout.strides.resize(shape.size());
  int64_t stride = 1;
  for (int64_t dim : llvm::reverse(order)) {
    layout.strides[dim] = stride;
    stride *= shape[dim];
  }
  return layout;
}

const StridedLayout &LayoutFinder::get(Value value) {
  // Operands first, without recursion.
  SmallVector<Value> pending = {value};
  while (!pending.empty()) {
    Value next = pending.back();
    size_t before = pending.size();
    if (Operation *op = next.getDefiningOp(); op && !layouts.contains(next))
      for (Value operand : op->getOperands())
        if (isa<RankedTensorType>(operand.getType()) && !layouts.contains(operand))
          pending.push_back(operand);
    if (pending.size() > before)
      continue;
    pending.pop_back();
    if (!layouts.contains(next))
      layouts[next] = compute(next);
  }
  return layouts[value];
}

StridedLayout LayoutFinder::compute(Value value) {
  ArrayRef<int64_t> shape = getShape(value);
  auto result = dyn_cast<mlir::OpResult>(value);
  if (!result || isa<ContiguousOp>(result.getOwner()))
    return StridedLayout::rowMajor(shape);
  Operation *op = result.getOwner();
  if (isa<PointwiseOpInterface>(op)) {
    // TensorIterator: the first operand of all elements says in which order they lie.
    for (Value operand : op->getOperands())
      if (getShape(operand) == shape && !llvm::is_contained(layouts[operand].strides, 0))
        return createDense(shape, getOrder(layouts[operand].strides));
    return StridedLayout::rowMajor(shape);
  }
  // Convolutions and pads: as the input lies, or the filter (suggest_memory_format).
  auto isChannelsLast = [&](Value operand) {
    const StridedLayout &layout = layouts[operand];
    ArrayRef<int64_t> extents = getShape(operand);
    return extents.size() == 4 && layout.strides == getChannelsLast(extents).strides && !layout.isContiguous(extents);
  };
  std::optional<ConvolutionInfo> conv = getConvolution(op);
  if ((conv && conv->batched && (isChannelsLast(conv->input) || isChannelsLast(conv->weight))) ||
      (isa<ConstantPadNdOp>(op) && isChannelsLast(op->getOperand(0))))
    return getChannelsLast(shape);
  if (isa<CloneOp, ViewLikeOpInterface, SplitLikeOpInterface>(op) && op->getNumOperands() == 1)
    if (std::optional<StridedLayout> layout = getViewLayout(result, layouts[op->getOperand(0)]))
      return *layout;
  return StridedLayout::rowMajor(shape);
}

/// The value with its dimensions in another order.
static Value permute(OpBuilder &builder, Value value, ArrayRef<int64_t> order) {
  SmallVector<int64_t> dims(order);
  // As one op with permutations that lead to it.
  while (Operation *before = value.getDefiningOp()) {
    std::optional<SmallVector<int64_t>> source = getPermutation(before);
    if (!source)
      break;
    value = before->getOperand(0);
    for (int64_t &dim : dims)
      dim = (*source)[dim];
  }
  if (llvm::equal(dims, llvm::seq<int64_t>(0, dims.size())))
    return value;
  return PermuteOp::create(builder, value.getLoc(), value, dims);
}

/// Kernels that read each element of an operand where it lies. Libraries, and what takes an operand apart, have orders of
/// their own.
static bool mayReadAnyOrder(Operation *user) {
  if (isa<mlir::func::ReturnOp>(user))
    return true;
  OpClass opClass = classify(user, FusionOptions());
  return opClass == OpClass::Pointwise || opClass == OpClass::Reduction;
}

void fxgraph::gpu::assignLayouts(mlir::func::FuncOp function) {
  auto end = cast<mlir::func::ReturnOp>(function.getBody().front().getTerminator());
  OpBuilder builder(end);
  LayoutFinder finder;
  SmallVector<Type> types(function.getResultTypes());
  for (mlir::OpOperand &operand : end->getOpOperands()) {
    Value value = operand.get();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    unsigned number = operand.getOperandNumber();
    if (!type || !type.hasStaticShape() || type.getNumElements() < 2 ||
        function.getResultAttr(number, kMemoryOrderAttr))
      continue;
    Operation *owner = value.getDefiningOp();
    if (!owner)
      continue;
    bool isView = isa<ViewLikeOpInterface>(owner);
    if (!isView && !llvm::all_of(value.getUsers(), mayReadAnyOrder))
      continue;
    const StridedLayout &layout = finder.get(value);
    SmallVector<int64_t> order = getOrder(layout.strides);
    StridedLayout dense = createDense(type.getShape(), order);
    bool isDense = layout.offset == 0;
    for (auto [size, stride, expected] : llvm::zip_equal(type.getShape(), layout.strides, dense.strides))
      isDense &= size == 1 || stride == expected;
    if (!isDense || dense.isContiguous(type.getShape()))
      continue;
    bool isRead = !isView && !value.hasOneUse();
    if (isRead)
      builder.setInsertionPointAfter(owner);
    Value ordered = permute(builder, value, order);
    if (isRead) { // From where the result lies.
      Value view = PermuteOp::create(builder, value.getLoc(), ordered, mlir::invertPermutationVector(order));
      value.replaceUsesWithIf(view, [&](const mlir::OpOperand &use) {
        return use.getOwner() != end && use.getOwner() != ordered.getDefiningOp();
      });
      builder.setInsertionPoint(end);
    }
    operand.set(ordered);
    types[number] = ordered.getType();
    function.setResultAttr(number, kMemoryOrderAttr, builder.getDenseI64ArrayAttr(order));
  }
  function.setType(builder.getFunctionType(function.getArgumentTypes(), types));
}
