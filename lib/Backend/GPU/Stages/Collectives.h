// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_LIB_BACKEND_GPU_STAGES_COLLECTIVES_H
#define FXGRAPH_LIB_BACKEND_GPU_STAGES_COLLECTIVES_H

#include "fxgraph/Dialect/IR/HostOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"

namespace fxgraph::gpu {

/// Gives each result of a collective exactly one wait_tensor, through which everybody looks at it: before its first use,
/// at the end of the block where there is none.
void placeWaits(mlir::func::FuncOp function);

/// Starts a collective on memory: `getMemory` gives that of a value, as this type.
StartCollectiveOp startCollective(OpBuilder &builder, Operation *op,
                                  function_ref<Value(Value value, mlir::MemRefType type)> getMemory);

/// The step of a launch plan, but for the places of its tensors.
llvm::json::Object describeCollective(StartCollectiveOp op);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_STAGES_COLLECTIVES_H
