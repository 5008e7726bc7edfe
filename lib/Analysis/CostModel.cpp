// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Analysis/CostModel.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"

using namespace fxgraph;

Cost &Cost::operator+=(const Cost &other) {
  bytes += other.bytes;
  flops16 += other.flops16;
  flops32 += other.flops32;
  launches += other.launches;
  ops += other.ops;
  return *this;
}

double Cost::seconds(const DeviceModel &device) const {
  double arithmetic = flops16 / device.flopsPerSecond16 + flops32 / device.flopsPerSecond32;
  return std::max(bytes / device.bytesPerSecond, arithmetic) + launches * device.secondsPerLaunch;
}

bool fxgraph::isCountedOp(Operation *op) {
  return !op->hasTrait<mlir::OpTrait::IsTerminator>() && !op->hasTrait<mlir::OpTrait::ConstantLike>() &&
         !isa<FullOp, SymSizeOp>(op);
}

uint64_t fxgraph::countOps(mlir::FunctionOpInterface function, const FrozenValues *frozen) {
  uint64_t count = 0;
  function.getFunctionBody().walk(
      [&](Operation *op) { count += isCountedOp(op) && !(frozen && frozen->contains(op)); });
  return count;
}

/// Doubles: products of extents may leave 64 bits, an estimate may not overflow.
static double countElements(Type type, const DeviceModel &device) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return 0;
  double elements = 1;
  for (int64_t extent : tensor.getShape())
    elements *= mlir::ShapedType::isDynamic(extent) ? device.assumedExtent : extent;
  return elements;
}

double fxgraph::estimateBytes(Type type, const DeviceModel &device) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isIntOrFloat())
    return tensor ? 16 * countElements(type, device) : 0; // complex128 is the widest
  return (tensor.getElementTypeBitWidth() + 7) / 8 * countElements(type, device);
}

/// Products summed for each result element; 0 for ops that are no contraction.
static double countProducts(Operation *op, const DeviceModel &device) {
  auto contraction = dyn_cast<ContractionOpInterface>(op);
  if (!contraction)
    return 0;
  return contraction.countProducts([&](Value value, int64_t dim) -> double {
    auto tensor = cast<RankedTensorType>(value.getType());
    if (tensor.getRank() == 0)
      return 1;
    int64_t extent = tensor.getDimSize(dim < 0 ? dim + tensor.getRank() : dim);
    return mlir::ShapedType::isDynamic(extent) ? device.assumedExtent : extent;
  });
}

double fxgraph::estimateProductFlops(Operation *op, const DeviceModel &device) {
  double products = countProducts(op, device);
  return products > 0 ? 2 * products * countElements(op->getResult(0).getType(), device) : 0;
}

/// How many pieces a run must have for the split/cat passes to take it from the input
/// of the split (Inductor's threshold_to_cat).
static constexpr unsigned kShortestRun = 10;

/// If the op joins pieces of one split that have a constant distance, the number of
/// view ops that remain of it: 0 for all pieces in order, else reshape, slice, permute.
static std::optional<unsigned> getViewsOfRun(Operation *op) {
  if (!isa<CatLikeOpInterface>(op) || op->getNumOperands() == 0)
    return std::nullopt;
  SmallVector<int64_t> numbers;
  Operation *producer = op->getOperand(0).getDefiningOp();
  if (!producer || !isa<SplitLikeOpInterface>(producer))
    return std::nullopt;
  for (Value operand : op->getOperands()) {
    if (operand.getDefiningOp() != producer)
      return std::nullopt;
    numbers.push_back(cast<mlir::OpResult>(operand).getResultNumber());
  }
  int64_t step = numbers.size() == 1 ? 1 : numbers[1] - numbers[0];
  for (size_t i = 1; i < numbers.size(); ++i)
    if (numbers[i] - numbers[i - 1] != step)
      return std::nullopt;
  if (step == 1 && numbers.size() == producer->getNumResults())
    return 0;
  if (step < 1 || numbers.size() < kShortestRun)
    return std::nullopt;
  return 3;
}

Cost fxgraph::estimateCost(Operation *op, const DeviceModel &device) {
  Cost cost;
  if (!isCountedOp(op))
    return cost;
  if (std::optional<unsigned> views = getViewsOfRun(op)) {
    cost.ops = *views;
    return cost;
  }
  cost.ops = 1;
  if (isa<ViewLikeOpInterface, SplitLikeOpInterface>(op))
    return cost;
  cost.launches = 1;
  for (Value operand : op->getOperands())
    cost.bytes += estimateBytes(operand.getType(), device);
  double results = 0;
  for (Value result : op->getResults()) {
    cost.bytes += estimateBytes(result.getType(), device);
    results += countElements(result.getType(), device);
  }
  double products = countProducts(op, device);
  auto tensor = op->getNumResults() == 0 ? RankedTensorType() : dyn_cast<RankedTensorType>(op->getResult(0).getType());
  bool is16 = tensor && (tensor.getElementType().isF16() || tensor.getElementType().isBF16());
  if (products > 0 && is16)
    cost.flops16 = 2 * products * results;
  else
    cost.flops32 = products > 0 ? 2 * products * results : results;
  return cost;
}
