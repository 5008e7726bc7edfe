// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions a graph calls. Graphs have no branches, so a call of a function
// that is being run never ends, and a call of a function without a body never begins.

#ifndef FXGRAPH_ANALYSIS_CALLGRAPH_H
#define FXGRAPH_ANALYSIS_CALLGRAPH_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace fxgraph {

/// The function that a program is asked to be compiled or run from: it is there and has a
/// body; if not, an error at the module or the declaration.
FailureOr<mlir::func::FuncOp> lookupEntry(mlir::ModuleOp module, StringRef name);

/// Whether every call that is reached from `entry` can be run; if not, an error at
/// the first one that cannot. Linear in the ops of the functions that are reached.
LogicalResult checkCalls(mlir::func::FuncOp entry);

/// The arguments of `entry` that it writes (fxgraph.copy_), by itself or through what it
/// calls, ascending. Linear in the ops of the functions that are reached, times the
/// depth of the calls.
SmallVector<unsigned> findWrittenArguments(mlir::func::FuncOp entry);

/// A module with `entry`, the functions that it calls, by itself or through them, and all
/// of the module that is no function. A module has as many functions as it likes: those
/// that are not reached cost no copy.
mlir::OwningOpRef<mlir::ModuleOp> cloneWithCallees(mlir::func::FuncOp entry);

/// Makes one function of the entry and what it calls; the module's other functions become
/// private, and go away unless they are used. The context must know the inliner's interface
/// of func (registerInlinerExtension).
LogicalResult inlineCallees(mlir::ModuleOp module, StringRef entry);

} // namespace fxgraph

#endif // FXGRAPH_ANALYSIS_CALLGRAPH_H
