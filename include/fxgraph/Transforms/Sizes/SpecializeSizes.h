// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_TRANSFORMS_SIZES_SPECIALIZESIZES_H
#define FXGRAPH_TRANSFORMS_SIZES_SPECIALIZESIZES_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fxgraph {

/// Makes `function` one for arguments of these types, which differ from its own in that
/// extents are known which were not: a symbol has one extent wherever it occurs, what is
/// computed from sizes is folded, result types are inferred anew. Calls are not followed.
/// Linear in the ops.
/// Errors, at the op that would fail in a run: see --fxgraph-specialize-sizes.
LogicalResult specializeSizes(mlir::func::FuncOp function, ArrayRef<Type> argumentTypes);

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_SIZES_SPECIALIZESIZES_H
