// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_DIALECT_IR_GROUPOP_H
#define FXGRAPH_DIALECT_IR_GROUPOP_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/GroupOp.h.inc"

namespace fxgraph {
/// Makes the op known to the dialect.
void registerGroupOp(mlir::Dialect &dialect);
} // namespace fxgraph

#endif // FXGRAPH_DIALECT_IR_GROUPOP_H
