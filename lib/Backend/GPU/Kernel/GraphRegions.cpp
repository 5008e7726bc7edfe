// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/GraphRegions.h"
#include "fxgraph/Analysis/FusionOps.h"
#include "mlir/IR/Builders.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

/// Ends the block with an op of another kind.
template <typename OpTy>
static void replaceTerminator(Block &block) {
  Operation *end = block.getTerminator();
  OpBuilder builder(end);
  OpTy::create(builder, end->getLoc(), end->getOperands());
  end->erase();
}

mlir::OwningOpRef<mlir::func::FuncOp> fxgraph::gpu::takeGraph(mlir::Region &region) {
  Block &block = region.front();
  auto type =
      mlir::FunctionType::get(region.getContext(), block.getArgumentTypes(), block.getTerminator()->getOperandTypes());
  replaceTerminator<mlir::func::ReturnOp>(block);
  mlir::OwningOpRef<mlir::func::FuncOp> function = mlir::func::FuncOp::create(region.getLoc(), "region", type);
  function->getBody().takeBody(region);
  return function;
}

LogicalResult fxgraph::gpu::changeGraphRegions(mlir::func::FuncOp function,
                                               function_ref<LogicalResult(mlir::func::FuncOp)> change) {
  for (Operation &op : function.getBody().front()) {
    if (!runsGraphs(&op))
      continue;
    for (mlir::Region &region : op.getRegions()) {
      mlir::OwningOpRef<mlir::func::FuncOp> graph = takeGraph(region);
      LogicalResult changed = change(*graph);
      replaceTerminator<YieldOp>(graph->getBody().front());
      region.takeBody(graph->getBody());
      if (failed(changed))
        return failure();
    }
  }
  return success();
}
