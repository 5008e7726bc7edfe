// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs in regions of a graph (branches, loops), which the stages before the host function take as they take the
// function's.

#ifndef FXGRAPH_LIB_BACKEND_GPU_KERNEL_GRAPHREGIONS_H
#define FXGRAPH_LIB_BACKEND_GPU_KERNEL_GRAPHREGIONS_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace fxgraph::gpu {

/// The graph of a region as a function without a module; the region is left empty.
mlir::OwningOpRef<mlir::func::FuncOp> takeGraph(mlir::Region &region);

/// Lets `change` take the graph of each region of the function's branches and loops as a function; it sees to those within.
LogicalResult changeGraphRegions(mlir::func::FuncOp function, function_ref<LogicalResult(mlir::func::FuncOp)> change);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_KERNEL_GRAPHREGIONS_H
