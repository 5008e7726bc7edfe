// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives: their waits before planning, their starts and waits in the host function,
// and how a launch plan says them.

#include "Collectives.h"
#include "KernelIR.h"
#include "fxgraph/Analysis/FusionOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

void fxgraph::gpu::placeWaits(mlir::func::FuncOp function) {
  OpBuilder builder(function.getContext());
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    if (!isa_and_present<FxGraphDialect>(op.getDialect()) || !startsCollective(&op))
      continue;
    for (Value result : op.getResults()) {
      if (result.hasOneUse() && isa<WaitTensorOp>(*result.user_begin()))
        continue;
      Operation *first = op.getBlock()->getTerminator();
      SmallVector<Operation *> waits;
      for (Operation *user : result.getUsers()) {
        if (user->isBeforeInBlock(first))
          first = user;
        if (isa<WaitTensorOp>(user))
          waits.push_back(user);
      }
      builder.setInsertionPoint(first);
      auto wait = WaitTensorOp::create(builder, first == op.getBlock()->getTerminator() ? op.getLoc() : first->getLoc(),
                                       result);
      result.replaceAllUsesExcept(wait.getResult(), wait);
      for (Operation *other : waits) {
        other->getResult(0).replaceAllUsesWith(wait.getResult());
        other->erase();
      }
    }
  }
}

/// How the launch plan names what the op does.
static StringRef getKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<AllReduceOp, AllReduceCoalescedOp>([](auto) { return "all_reduce"; })
      .Case<AllGatherIntoTensorOp>([](auto) { return "all_gather"; })
      .Case<ReduceScatterTensorOp>([](auto) { return "reduce_scatter"; });
}

StartCollectiveOp fxgraph::gpu::startCollective(OpBuilder &builder, Operation *op,
                                                function_ref<Value(Value value, mlir::MemRefType type)> getMemory) {
  SmallVector<Value> inputs, outputs;
  SmallVector<int64_t> elements;
  auto reduceOp = op->getAttrOfType<StringAttr>("reduce_op");
  // NCCL knows a bool as a byte alone: true is the larger number.
  bool reducesBools = reduceOp && getElementType(op->getOperand(0)).isInteger(1);
  if (reducesBools)
    reduceOp = builder.getStringAttr(llvm::is_contained({"sum", "max"}, reduceOp.getValue()) ? "max" : "min");
  for (auto [input, output] : llvm::zip_equal(op->getOperands(), op->getResults())) {
    Type element = getElementType(input);
    if (reducesBools)
      element = builder.getIntegerType(8, /*isSigned=*/false);
    else if (!reduceOp)
      element = getMemoryType(element);
    inputs.push_back(getMemory(input, mlir::MemRefType::get(getShape(input), element)));
    outputs.push_back(getMemory(output, mlir::MemRefType::get(getShape(output), element)));
    elements.push_back(std::min(getNumElements(input), getNumElements(output)));
  }
  return StartCollectiveOp::create(builder, op->getLoc(), mlir::gpu::AsyncTokenType::get(builder.getContext()),
                                   getKind(op), op->getAttrOfType<StringAttr>("group_name"),
                                   op->getAttrOfType<IntegerAttr>("group_size"), reduceOp, inputs, outputs, elements);
}

llvm::json::Object fxgraph::gpu::describeCollective(StartCollectiveOp op) {
  llvm::json::Object step{{"op", "collective"}, {"kind", op.getKind().str()}, {"group", op.getGroupName().str()}};
  if (std::optional<uint64_t> size = op.getGroupSize())
    step["group_size"] = static_cast<int64_t>(*size);
  if (std::optional<StringRef> reduceOp = op.getReduceOp())
    step["reduce_op"] = reduceOp->str();
  return step;
}
