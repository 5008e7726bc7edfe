// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs as pictures: `fx-translate --to=dot`.

#ifndef FXGRAPH_BACKEND_DOT_H
#define FXGRAPH_BACKEND_DOT_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/BuiltinOps.h"

namespace fxgraph {

/// GraphViz text of a function: a node an op, an edge a use.
LogicalResult writeDot(mlir::ModuleOp module, StringRef entry, raw_ostream &os);

/// The form `dot` of fx-translate.
void registerDotTranslation();

} // namespace fxgraph

#endif // FXGRAPH_BACKEND_DOT_H
