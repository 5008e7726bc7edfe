// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Analysis/FrozenValues.h"
#include "fxgraph/Analysis/Storage.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace fxgraph;

FrozenValues::FrozenValues(mlir::FunctionOpInterface function) {
  if (function.isExternal())
    return;
  Block &block = function.getFunctionBody().front();
  DenseSet<Value> written;
  function->walk([&](Operation *op) {
    if (auto copy = dyn_cast<CopyUnderscoreOp>(op))
      written.insert(copy.getDst());
    // An unknown op may write to any argument of which it sees storage.
    else if (isa<OpaqueOp>(op))
      for (Value operand : op->getOperands()) {
        written.insert(operand);
        written.insert(getStorageRoot(operand, /*mayCopy=*/true));
      }
  });
  for (mlir::BlockArgument argument : block.getArguments()) {
    auto kind = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), FxGraphDialect::kKindAttr);
    if (kind && kind != "input" && !written.contains(argument))
      values.insert(argument);
  }
  for (Operation &op : block)
    if (llvm::none_of(op.getResults(), [&](Value result) { return written.contains(result); }))
      add(&op);
}

bool FrozenValues::contains(Operation *op) const {
  return op->getNumResults() != 0 && llvm::all_of(op->getResults(), [&](Value result) { return contains(result); });
}

void FrozenValues::add(Operation *op) {
  if (op->getNumRegions() != 0 || !mlir::isMemoryEffectFree(op) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) { return contains(operand); }))
    return;
  values.insert(op->result_begin(), op->result_end());
}

void FrozenValues::remove(Operation *op) {
  for (Value result : op->getResults())
    values.erase(result);
}
