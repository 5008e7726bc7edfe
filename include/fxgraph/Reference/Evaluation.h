// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_REFERENCE_EVALUATION_H
#define FXGRAPH_REFERENCE_EVALUATION_H

#include "fxgraph/Dialect/IR/Evaluation.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace fxgraph {

/// Hands the interpreter, and with it the rewrite verifier, to the passes of every
/// context that loads the dialect from this registry.
void registerReferenceEvaluation(mlir::DialectRegistry &registry);

} // namespace fxgraph

#endif // FXGRAPH_REFERENCE_EVALUATION_H
