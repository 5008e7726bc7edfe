// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reduce.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace fxgraph;
using Module = mlir::OwningOpRef<mlir::ModuleOp>;

static mlir::func::FuncOp getFunction(mlir::ModuleOp module) { return *module.getOps<mlir::func::FuncOp>().begin(); }

/// Drops arguments that nobody uses, with `dropDead` ops too, and brings the
/// function's type up to date.
static void cleanUp(mlir::func::FuncOp function, bool dropDead) {
  Block &body = function.getBody().front();
  if (dropDead)
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (mlir::isOpTriviallyDead(&op))
        op.erase();
  llvm::BitVector unused(body.getNumArguments());
  for (mlir::BlockArgument argument : body.getArguments())
    if (argument.use_empty())
      unused.set(argument.getArgNumber());
  (void)function.eraseArguments(unused);
  mlir::Builder builder(function.getContext());
  function.setFunctionType(builder.getFunctionType(body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
}

/// One step: `edit` changes a copy; the copy is kept if it still fails. The failure
/// may be about dead ops: they stay if it is gone without them.
static bool tryEdit(Module &current, function_ref<bool(mlir::ModuleOp)> fails,
                    function_ref<bool(mlir::func::FuncOp)> edit) {
  for (bool dropDead : {true, false}) {
    Module copy(current->clone());
    mlir::func::FuncOp function = getFunction(*copy);
    if (!edit(function))
      return false;
    cleanUp(function, dropDead);
    if (failed(mlir::verify(*copy)) || !fails(*copy))
      continue;
    current = std::move(copy);
    return true;
  }
  return false;
}

static Operation *getOp(mlir::func::FuncOp function, size_t number) {
  for (Operation &op : function.getBody().front().without_terminator())
    if (number-- == 0)
      return &op;
  return nullptr;
}

static size_t countOps(mlir::ModuleOp module) {
  return llvm::range_size(getFunction(module).getBody().front().without_terminator());
}

static bool dropResults(Module &current, function_ref<bool(mlir::ModuleOp)> fails) {
  bool progress = false;
  // One result alone, then one less at a time.
  size_t count = getFunction(*current).getNumResults();
  for (size_t i = 0; i < count && count > 1; ++i)
    if (tryEdit(current, fails, [&](mlir::func::FuncOp function) {
          Operation *terminator = function.getBody().front().getTerminator();
          Value kept = terminator->getOperand(i);
          terminator->setOperands(kept);
          return true;
        }))
      return true;
  for (size_t i = count; i-- > 0 && getFunction(*current).getNumResults() > 1;)
    progress |= tryEdit(current, fails, [&](mlir::func::FuncOp function) {
      Operation *terminator = function.getBody().front().getTerminator();
      if (i >= terminator->getNumOperands())
        return false;
      terminator->eraseOperand(i);
      return true;
    });
  return progress;
}

/// Dead ops go one at a time.
static bool dropDeadOps(Module &current, function_ref<bool(mlir::ModuleOp)> fails) {
  bool progress = false;
  for (size_t i = countOps(*current); i-- > 0;)
    progress |= tryEdit(current, fails, [&](mlir::func::FuncOp function) {
      Operation *op = getOp(function, i);
      if (!op || !op->use_empty())
        return false;
      op->erase();
      return true;
    });
  return progress;
}

/// The results of an op become arguments.
static bool cutOps(Module &current, function_ref<bool(mlir::ModuleOp)> fails) {
  bool progress = false;
  for (size_t i = countOps(*current); i-- > 0;)
    progress |= tryEdit(current, fails, [&](mlir::func::FuncOp function) {
      Operation *op = getOp(function, i);
      if (!op || isa<ConstantOp>(op))
        return false;
      for (Value result : op->getResults()) {
        if (result.use_empty())
          continue;
        if (!isa<RankedTensorType>(result.getType()))
          return false;
        Value argument = function.getBody().front().addArgument(result.getType(), op->getLoc());
        result.replaceAllUsesWith(argument);
      }
      op->erase();
      // Attributes of arguments go by position: they only name them.
      function.removeArgAttrsAttr();
      return true;
    });
  return progress;
}

/// An operand of the same type takes the place of a result.
static bool skipOps(Module &current, function_ref<bool(mlir::ModuleOp)> fails) {
  bool progress = false;
  for (size_t i = countOps(*current); i-- > 0;)
    progress |= tryEdit(current, fails, [&](mlir::func::FuncOp function) {
      Operation *op = getOp(function, i);
      if (!op || op->getNumResults() != 1)
        return false;
      for (Value operand : op->getOperands()) {
        if (operand.getType() != op->getResult(0).getType())
          continue;
        op->getResult(0).replaceAllUsesWith(operand);
        op->erase();
        return true;
      }
      return false;
    });
  return progress;
}

/// One operand becomes another of the same type: fewer arguments.
static bool shareArguments(Module &current, function_ref<bool(mlir::ModuleOp)> fails) {
  bool progress = false;
  for (size_t i = getFunction(*current).getNumArguments(); i-- > 1;)
    progress |= tryEdit(current, fails, [&](mlir::func::FuncOp function) {
      if (i >= function.getNumArguments())
        return false;
      for (size_t j = 0; j < i; ++j) {
        if (function.getArgument(j).getType() != function.getArgument(i).getType())
          continue;
        function.getArgument(i).replaceAllUsesWith(function.getArgument(j));
        return true;
      }
      return false;
    });
  return progress;
}

Module fxgraph::reduceGraph(mlir::ModuleOp module, function_ref<bool(mlir::ModuleOp)> fails) {
  Module current(module.clone());
  constexpr int kRounds = 6;
  for (int round = 0; round < kRounds; ++round) {
    bool progress = dropResults(current, fails);
    progress |= dropDeadOps(current, fails);
    progress |= cutOps(current, fails);
    progress |= skipOps(current, fails);
    progress |= shareArguments(current, fails);
    if (!progress)
      break;
  }
  return current;
}
