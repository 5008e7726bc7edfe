// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a failing graph smaller: drops results, cuts ops off (their results become
// arguments), takes ops away whose result may be replaced by an operand, as long as
// the failure stays of its kind.

#ifndef FXGRAPH_TOOLS_FX_FUZZ_REDUCE_H
#define FXGRAPH_TOOLS_FX_FUZZ_REDUCE_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace fxgraph {

/// The smallest graph found for which `fails` holds; `module` if none is smaller.
/// About as many calls of `fails` as ops, operands and results, a few times over.
mlir::OwningOpRef<mlir::ModuleOp> reduceGraph(mlir::ModuleOp module, function_ref<bool(mlir::ModuleOp)> fails);

} // namespace fxgraph

#endif // FXGRAPH_TOOLS_FX_FUZZ_REDUCE_H
