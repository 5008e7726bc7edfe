// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect's version in .mlirbc files.

#ifndef FXGRAPH_LIB_DIALECT_IR_BYTECODE_H
#define FXGRAPH_LIB_DIALECT_IR_BYTECODE_H

#include "fxgraph/Dialect/IR/FxGraphDialect.h"

namespace fxgraph {
void addBytecodeInterface(FxGraphDialect *dialect);
} // namespace fxgraph

#endif // FXGRAPH_LIB_DIALECT_IR_BYTECODE_H
