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
  mlir::RegisteredOperationName::insert<LibraryCallOp>(dialect);
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
    return emitOpError("expected a name for each of the ") << getBuffers().size() << " buffers but got "
                                                           << getNames().size();
  if (getCallee() != "matmul" && getCallee() != "conv")
    return emitOpError("expected callee to be matmul or conv but got '") << getCallee() << "'";
  return success();
}
