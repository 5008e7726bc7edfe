// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depth-first over the calls, with an explicit stack: chains of calls may be long.

#include "fxgraph/Analysis/CallGraph.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace fxgraph;

FailureOr<mlir::func::FuncOp> fxgraph::lookupEntry(mlir::ModuleOp module, StringRef name) {
  auto function = module.lookupSymbol<mlir::func::FuncOp>(name);
  if (!function)
    return mlir::emitError(module.getLoc())
           << "expected a function '" << name << "' but the module has none of this name";
  if (function.isDeclaration())
    return function.emitError() << "expected a function with a body but '" << name << "' is a declaration";
  return function;
}

static SmallVector<mlir::func::CallOp> findCalls(mlir::func::FuncOp function) {
  SmallVector<mlir::func::CallOp> calls;
  function.walk([&](mlir::func::CallOp call) { calls.push_back(call); });
  return calls;
}

LogicalResult fxgraph::checkCalls(mlir::func::FuncOp entry) {
  struct Visit {
    mlir::func::FuncOp function;
    SmallVector<mlir::func::CallOp> calls;
    size_t next = 0;
  };
  SmallVector<Visit> stack;
  stack.push_back({entry, findCalls(entry)});
  if (stack.back().calls.empty())
    return success();
  mlir::SymbolTable symbols(entry->getParentOfType<mlir::ModuleOp>());
  enum class State { Unknown, Active, Done };
  llvm::DenseMap<Operation *, State> states;
  states[entry] = State::Active;
  while (!stack.empty()) {
    Visit &visit = stack.back();
    if (visit.next == visit.calls.size()) {
      states[visit.function] = State::Done;
      stack.pop_back();
      continue;
    }
    mlir::func::CallOp call = visit.calls[visit.next++];
    auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee());
    if (!callee)
      return call.emitOpError("expected a function '") << call.getCallee() << "' but the module has none of this name";
    if (callee.isExternal()) {
      auto diagnostic = call.emitOpError("expected a function with a body but '") << callee.getName() << "' has none";
      diagnostic.attachNote(callee.getLoc()) << "declared here";
      return diagnostic;
    }
    State &state = states[callee];
    if (state == State::Active) {
      auto diagnostic = call.emitOpError("expected a call that ends but '")
                        << callee.getName() << "' is being called already, and a graph has no branch to leave it";
      diagnostic.attachNote(callee.getLoc()) << "the function that calls itself";
      return diagnostic;
    }
    if (state == State::Done)
      continue;
    state = State::Active;
    stack.push_back({callee, findCalls(callee)});
  }
  return success();
}

SmallVector<unsigned> fxgraph::findWrittenArguments(mlir::func::FuncOp entry) {
  llvm::DenseSet<Value> written;
  SmallVector<std::pair<mlir::func::CallOp, mlir::func::FuncOp>> calls;
  SmallVector<mlir::func::FuncOp> pending{entry};
  llvm::DenseSet<Operation *> known{entry};
  auto module = entry->getParentOfType<mlir::ModuleOp>();
  while (!pending.empty()) {
    mlir::func::FuncOp function = pending.pop_back_val();
    function.walk([&](Operation *op) {
      if (auto copy = dyn_cast<CopyUnderscoreOp>(op))
        written.insert(copy.getDst());
      auto call = dyn_cast<mlir::func::CallOp>(op);
      auto callee = call ? module.lookupSymbol<mlir::func::FuncOp>(call.getCallee()) : mlir::func::FuncOp();
      if (!callee || callee.isExternal())
        return;
      calls.push_back({call, callee});
      if (known.insert(callee).second)
        pending.push_back(callee);
    });
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [call, callee] : calls)
      for (auto [operand, argument] : llvm::zip_equal(call.getOperands(), callee.getArguments()))
        if (isa<mlir::BlockArgument>(operand) && written.contains(argument))
          changed |= written.insert(operand).second;
  }
  SmallVector<unsigned> result;
  for (mlir::BlockArgument argument : entry.getArguments())
    if (written.contains(argument))
      result.push_back(argument.getArgNumber());
  return result;
}

/// `entry` and the functions that its calls reach.
static llvm::DenseSet<Operation *> findReached(mlir::func::FuncOp entry) {
  llvm::DenseSet<Operation *> reached{entry};
  SmallVector<mlir::func::CallOp> pending = findCalls(entry);
  if (pending.empty())
    return reached;
  mlir::SymbolTable symbols(entry->getParentOfType<mlir::ModuleOp>());
  while (!pending.empty()) {
    auto callee = symbols.lookup<mlir::func::FuncOp>(pending.pop_back_val().getCallee());
    if (callee && reached.insert(callee).second)
      llvm::append_range(pending, findCalls(callee));
  }
  return reached;
}

mlir::OwningOpRef<mlir::ModuleOp> fxgraph::cloneWithCallees(mlir::func::FuncOp entry) {
  auto module = entry->getParentOfType<mlir::ModuleOp>();
  llvm::DenseSet<Operation *> reached = findReached(entry);
  auto copy = cast<mlir::ModuleOp>(module->cloneWithoutRegions());
  mlir::Block &body = copy.getBodyRegion().emplaceBlock();
  for (Operation &op : *module.getBody())
    if (!isa<mlir::func::FuncOp>(op) || reached.contains(&op))
      body.push_back(op.clone());
  return copy;
}

LogicalResult fxgraph::inlineCallees(mlir::ModuleOp module, StringRef entry) {
  bool alone = true;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function.getName() == entry) {
      function.setPublic();
    } else {
      function.setPrivate();
      alone = false;
    }
  }
  if (alone)
    return success();
  mlir::PassManager pm(module.getContext());
  pm.addPass(mlir::createInlinerPass());
  pm.addPass(mlir::createSymbolDCEPass());
  return pm.run(module);
}
