// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of the lowering of ops with regions, see ControlFlow.cpp.

#ifndef FXGRAPH_CONVERSION_FXGRAPHTOLINALG_CONTROLFLOW_H
#define FXGRAPH_CONVERSION_FXGRAPHTOLINALG_CONTROLFLOW_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/Transforms/DialectConversion.h"

namespace fxgraph {
namespace lowering {

/// Notes what the op's types tell and the lowered ones do not; an error if it cannot be
/// lowered. Nothing for other ops.
LogicalResult prepareControlFlow(Operation *op);
/// The ops stay until their types are legal.
void addControlFlowLegality(mlir::ConversionTarget &target, const mlir::TypeConverter &converter);
/// The ops, on legal types, to scf.
void expandControlFlow(Operation *root);

} // namespace lowering
} // namespace fxgraph

#endif // FXGRAPH_CONVERSION_FXGRAPHTOLINALG_CONTROLFLOW_H
