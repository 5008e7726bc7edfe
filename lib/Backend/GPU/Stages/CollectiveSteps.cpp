// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives: their waits before planning, their starts and waits in the host function,
// and how a launch plan says them.

#include "Kernel/KernelIR.h"
#include "Stages/Collectives.h"
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
      .Case<AllGatherIntoTensorOp, AllGatherIntoTensorCoalescedOp>([](auto) { return "all_gather"; })
      .Case<ReduceScatterTensorOp, ReduceScatterTensorCoalescedOp>([](auto) { return "reduce_scatter"; })
      .Case<BroadcastOp>([](auto) { return "broadcast"; })
      .Case<AllToAllSingleOp>([](auto) { return "all_to_all"; });
}

/// Elements of parts along dimension 0.
static mlir::DenseI64ArrayAttr countElements(ArrayRef<int64_t> splits, ArrayRef<int64_t> shape, OpBuilder &builder) {
  int64_t row = getNumElements(shape.drop_front());
  SmallVector<int64_t> counts;
  for (int64_t split : splits)
    counts.push_back(split * row);
  return builder.getDenseI64ArrayAttr(counts);
}

StartCollectiveOp fxgraph::gpu::startCollective(OpBuilder &builder, Operation *op,
                                                function_ref<Value(Value value, mlir::MemRefType type)> getMemory) {
  SmallVector<Value> inputs, outputs;
  SmallVector<int64_t> elements;
  auto reduceOp = op->getAttrOfType<StringAttr>("reduce_op");
  auto groupSize = op->getAttrOfType<IntegerAttr>("group_size");
  mlir::DenseI64ArrayAttr given, taken;
  if (auto exchange = dyn_cast<AllToAllSingleOp>(op)) {
    ArrayRef<int64_t> shape = getShape(exchange.getInput());
    given = countElements(exchange.getInputSplitSizes(), shape, builder);
    taken = countElements(exchange.getOutputSplitSizes(), shape, builder);
    groupSize = builder.getI64IntegerAttr(given.size());
  }
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
    // What a process gives, or gets where that is a part of it.
    elements.push_back(getNumElements(reduceOp ? output : input));
  }
  return StartCollectiveOp::create(builder, op->getLoc(), mlir::gpu::AsyncTokenType::get(builder.getContext()),
                                   builder.getStringAttr(getKind(op)), op->getAttrOfType<StringAttr>("group_name"),
                                   groupSize, reduceOp, op->getAttrOfType<IntegerAttr>("src"), inputs, outputs,
                                   builder.getDenseI64ArrayAttr(elements), given, taken);
}

llvm::json::Object fxgraph::gpu::describeCollective(StartCollectiveOp op) {
  llvm::json::Object step{{"op", "collective"}, {"kind", op.getKind().str()}, {"group", op.getGroupName().str()}};
  if (std::optional<uint64_t> size = op.getGroupSize())
    step["group_size"] = static_cast<int64_t>(*size);
  if (std::optional<StringRef> reduceOp = op.getReduceOp())
    step["reduce_op"] = reduceOp->str();
  if (std::optional<uint64_t> src = op.getSrc())
    step["src"] = static_cast<int64_t>(*src);
  if (std::optional<ArrayRef<int64_t>> given = op.getGiven())
    step["given"] = llvm::json::Array(*given);
  if (std::optional<ArrayRef<int64_t>> taken = op.getTaken())
    step["taken"] = llvm::json::Array(*taken);
  return step;
}
