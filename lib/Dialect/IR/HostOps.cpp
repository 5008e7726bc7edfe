// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Dialect/IR/HostOps.h"
#include "mlir/IR/Builders.h"

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/HostOps.cpp.inc"

using namespace fxgraph;

void fxgraph::registerHostOps(mlir::Dialect &dialect) {
  mlir::RegisteredOperationName::insert<BufferOp>(dialect);
  mlir::RegisteredOperationName::insert<PointerTableOp>(dialect);
  mlir::RegisteredOperationName::insert<LibraryCallOp>(dialect);
}

LogicalResult LibraryCallOp::verify() {
  if (getNames().size() != getBuffers().size())
    return emitOpError("expected a name for each of the ") << getBuffers().size() << " buffers but got "
                                                           << getNames().size();
  if (getCallee() != "matmul" && getCallee() != "conv")
    return emitOpError("expected callee to be matmul or conv but got '") << getCallee() << "'";
  return success();
}
