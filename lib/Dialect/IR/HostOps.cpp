// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Dialect/IR/HostOps.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/IR/Builders.h"

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/HostOps.cpp.inc"

using namespace fxgraph;

void fxgraph::registerHostOps(mlir::Dialect &dialect) {
  mlir::RegisteredOperationName::insert<KernelOp>(dialect);
  mlir::RegisteredOperationName::insert<BufferOp>(dialect);
  mlir::RegisteredOperationName::insert<PointerTableOp>(dialect);
  mlir::RegisteredOperationName::insert<TensorMapOp>(dialect);
  mlir::RegisteredOperationName::insert<LibraryCallOp>(dialect);
  mlir::RegisteredOperationName::insert<StartCollectiveOp>(dialect);
}

LogicalResult TensorMapOp::verify() {
  // The limits of cuTensorMapEncodeTiled for this swizzle.
  constexpr size_t maxRank = 5;
  constexpr int64_t maxBox = 256, strideUnit = 16, swizzleBytes = 128;
  size_t rank = getDims().size();
  if (rank == 0 || rank > maxRank)
    return emitOpError("expected 1 to ") << maxRank << " dimensions but got " << rank;
  if (getBox().size() != rank)
    return emitOpError("expected ") << rank << " extents of the box but got " << getBox().size();
  if (getStrides().size() != rank - 1)
    return emitOpError("expected ") << rank - 1 << " strides but got " << getStrides().size();
  for (int64_t extent : getDims())
    if (extent < 1 || extent > int64_t(1) << 32)
      return emitOpError("expected extents from 1 to 2^32 but got ") << extent;
  for (int64_t extent : getBox())
    if (extent < 1 || extent > maxBox)
      return emitOpError("expected extents of the box from 1 to ") << maxBox << " but got " << extent;
  for (int64_t stride : getStrides())
    if (stride < 1 || stride % strideUnit != 0)
      return emitOpError("expected strides that are multiples of ") << strideUnit << " bytes but got " << stride;
  Type element = cast<mlir::MemRefType>(getAddress().getType()).getElementType();
  if (!element.isIntOrFloat())
    return emitOpError("expected memory of numbers but got ") << element;
  int64_t inner = getBox().front() * ((element.getIntOrFloatBitWidth() + 7) / 8);
  if (inner > swizzleBytes || inner % strideUnit != 0)
    return emitOpError("expected a box with rows of 16 to ") << swizzleBytes << " bytes but got " << inner;
  return success();
}

/// True if a tensor of `stored` is how one of `type` is kept in memory: of the same extents, and
/// of its element type or signless integers of as many bytes.
static bool isStoredAs(Type type, Type stored) {
  auto tensor = cast<mlir::RankedTensorType>(type), memory = dyn_cast<mlir::RankedTensorType>(stored);
  if (!memory || memory.getShape() != tensor.getShape())
    return false;
  Type from = tensor.getElementType(), to = memory.getElementType();
  return from == to || (from.isIntOrFloat() && to.isSignlessInteger() &&
                        to.getIntOrFloatBitWidth() == std::max(8u, from.getIntOrFloatBitWidth()));
}

LogicalResult KernelOp::verifyRegions() {
  Block &block = getBody().front();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError("expected the body to end with fxgraph.yield but got ") << block.getTerminator()->getName();
  auto check = [&](mlir::TypeRange types, mlir::TypeRange inside, StringRef what) -> LogicalResult {
    if (types.size() != inside.size())
      return emitOpError("expected the body to ") << what << ' ' << types.size() << " values but got " << inside.size();
    for (auto [i, type, stored] : llvm::enumerate(types, inside))
      if (!isStoredAs(type, stored))
        return emitOpError("expected value ") << i << " of those that the body should " << what << " to be how " << type
                                              << " is stored but got " << stored;
    return success();
  };
  if (failed(check(getInputs().getTypes(), block.getArgumentTypes(), "take")))
    return failure();
  return check(getOutputs().getTypes(), yield.getValues().getTypes(), "yield");
}

LogicalResult LibraryCallOp::verify() {
  if (getNames().size() != getBuffers().size())
    return emitOpError("expected a name for each of the ")
           << getBuffers().size() << " buffers but got " << getNames().size();
  if (getCallee() != "matmul" && getCallee() != "conv")
    return emitOpError("expected callee to be matmul or conv but got '") << getCallee() << "'";
  return success();
}

LogicalResult StartCollectiveOp::verify() {
  bool reduces = getKind() != "all_gather", hasSize = getKind() != "all_reduce";
  if (reduces && hasSize && getKind() != "reduce_scatter")
    return emitOpError("expected kind to be all_reduce, all_gather or reduce_scatter but got '") << getKind() << "'";
  if (reduces != getReduceOp().has_value())
    return emitOpError(reduces ? "expected a reduction but got none" : "expected no reduction but got '")
           << (reduces ? "" : *getReduceOp()) << (reduces ? "" : "'");
  if (hasSize && !getGroupSize())
    return emitOpError("expected the number of processes but got none");
  if (getInputs().empty() || getOutputs().size() != getInputs().size() || getElements().size() != getInputs().size())
    return emitOpError("expected as many outputs and counts as inputs, at least one, but got ")
           << getInputs().size() << " inputs, " << getOutputs().size() << " outputs and " << getElements().size()
           << " counts";
  for (auto [input, output] : llvm::zip_equal(getInputs(), getOutputs())) {
    Type from = cast<mlir::MemRefType>(input.getType()).getElementType();
    Type to = cast<mlir::MemRefType>(output.getType()).getElementType();
    if (from != to)
      return emitOpError("expected an output of ") << from << ", as the input, but got " << to;
  }
  return success();
}
