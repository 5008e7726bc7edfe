// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Dialect/IR/GroupOp.h"

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/GroupOp.cpp.inc"

void fxgraph::registerGroupOp(mlir::Dialect &dialect) { mlir::RegisteredOperationName::insert<GroupOp>(dialect); }
