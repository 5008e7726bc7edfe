// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_DIALECT_IR_HOSTOPS_H
#define FXGRAPH_DIALECT_IR_HOSTOPS_H

#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/HostOps.h.inc"

namespace fxgraph {
/// Makes the ops known to the dialect.
void registerHostOps(mlir::Dialect &dialect);
} // namespace fxgraph

#endif // FXGRAPH_DIALECT_IR_HOSTOPS_H
