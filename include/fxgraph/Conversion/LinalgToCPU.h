// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// linalg on tensors to loops for the CPU and to the LLVM dialect.

#ifndef FXGRAPH_CONVERSION_LINALGTOCPU_H
#define FXGRAPH_CONVERSION_LINALGTOCPU_H

#include "fxgraph/Conversion/FxGraphToLinalg.h"
#include "fxgraph/Support/LLVM.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace fxgraph {

/// Interfaces that the CPU passes need of upstream dialects (bufferization).
void registerCPULoweringInterfaces(mlir::DialectRegistry &registry);

} // namespace fxgraph

#endif // FXGRAPH_CONVERSION_LINALGTOCPU_H
