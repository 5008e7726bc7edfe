// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Analysis/Storage.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"

using namespace fxgraph;

Value fxgraph::getViewSource(Operation *op, bool mayCopy) {
  if (auto view = dyn_cast<ViewLikeOpInterface>(op))
    return view.mayAlias() ? op->getOperand(0) : Value();
  if (isa<SplitLikeOpInterface, DetachOp, WaitTensorOp>(op))
    return op->getOperand(0);
  if (mayCopy && isa<ContiguousOp>(op))
    return op->getOperand(0);
  // Where it drops nothing PyTorch returns its argument.
  if (auto dropout = dyn_cast<DropoutOp>(op); dropout && (!dropout.getTraining() || dropout.getP().isZero()))
    return dropout.getInput();
  return {};
}

Value fxgraph::getStorageRoot(Value value, bool mayCopy) {
  while (Operation *op = value.getDefiningOp()) {
    Value source = getViewSource(op, mayCopy);
    if (!source)
      return value;
    value = source;
  }
  return value;
}
