// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs to linalg on tensors (--fxgraph-to-linalg).

#ifndef FXGRAPH_CONVERSION_FXGRAPHTOLINALG_H
#define FXGRAPH_CONVERSION_FXGRAPHTOLINALG_H

#include "fxgraph/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class ModuleOp;
class RewritePatternSet;
class TypeConverter;
} // namespace mlir

namespace fxgraph {

/// Function attribute: arguments whose final values are the last results.
constexpr llvm::StringLiteral kMutatedArgumentsAttr = "fxgraph.mutated_arguments";

/// Function attributes: dtypes (FxDtype) of arguments and results as they were, and
/// their extents (an array a tensor, as in FxTensorInfo.sizes).
constexpr llvm::StringLiteral kArgumentDtypesAttr = "fxgraph.argument_dtypes";
constexpr llvm::StringLiteral kResultDtypesAttr = "fxgraph.result_dtypes";
constexpr llvm::StringLiteral kArgumentExtentsAttr = "fxgraph.argument_extents";
constexpr llvm::StringLiteral kResultExtentsAttr = "fxgraph.result_extents";

/// On scf ops: control flow of the graph, whose blocks are the graph's; other scf ops are
/// loops over elements.
constexpr llvm::StringLiteral kControlFlowAttr = "fxgraph.control_flow";

struct LinalgOptions {
  /// What else runs in order (sorting, writes at indices) becomes loops whose iterations are
  /// independent, without calls of the CPU's runtime; an index out of range is found where it
  /// is used. Static extents only.
  bool parallelForms = false;
};

/// Tensors to tensors of the storage type, without encoding.
void populateFxGraphToLinalgTypeConversions(mlir::TypeConverter &converter);
/// The patterns for all groups of ops.
void populateFxGraphToLinalgPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns,
                                     const LinalgOptions &options = {});
/// Converts the functions of a module whose ops and types have been checked.
LogicalResult convertToLinalg(mlir::ModuleOp module, const LinalgOptions &options = {});

} // namespace fxgraph

#endif // FXGRAPH_CONVERSION_FXGRAPHTOLINALG_H
