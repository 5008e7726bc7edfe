// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_DIALECT_IR_FXGRAPHDIALECT_H
#define FXGRAPH_DIALECT_IR_FXGRAPHDIALECT_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/TensorEncoding.h"

#include "fxgraph/Dialect/IR/FxGraphDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "fxgraph/Dialect/IR/FxGraphAttrs.h.inc"

#endif // FXGRAPH_DIALECT_IR_FXGRAPHDIALECT_H
