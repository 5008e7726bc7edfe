// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-freezing-split: the work on parameters alone becomes a function that runs
// once. What is moved are the frozen values that unfrozen ops use, and what they are
// made of; found and moved in one walk each.
//
// PyTorch: torch/_inductor/freezing.py folds such values at compile time;
// AOTInductor's constant-folding function is the same split.

#include "fxgraph/Analysis/FrozenValues.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/Freezing/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

namespace fxgraph {
#define GEN_PASS_DEF_FREEZINGSPLITPASS
#include "fxgraph/Transforms/Freezing/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;
using mlir::func::FuncOp;

/// The value behind views: what would have to be kept in memory.
static Value skipViews(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ViewLikeOpInterface>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

namespace {
struct FreezingSplitPass : public fxgraph::impl::FreezingSplitPassBase<FreezingSplitPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  llvm::SetVector<Value> findMoved(FuncOp function, const FrozenValues &frozen) const;
  FuncOp buildPrepare(FuncOp function, ArrayRef<Value> moved) const;
  void replaceMoved(FuncOp function, ArrayRef<Value> moved) const;
};
} // namespace

llvm::SetVector<Value> FreezingSplitPass::findMoved(FuncOp function, const FrozenValues &frozen) const {
  llvm::SetVector<Value> moved;
  // Work on constants alone needs no parameter: it is folded where it is, or cheap.
  DenseSet<Value> constant;
  for (Operation &op : function.getBody().front()) {
    if (frozen.contains(&op)) {
      if (llvm::all_of(op.getOperands(), [&](Value operand) { return constant.contains(operand); }))
        constant.insert(op.result_begin(), op.result_end());
      continue;
    }
    // Values that regions use are operands of nested ops.
    op.walk([&](Operation *user) {
      for (Value operand : user->getOperands()) {
        if (!frozen.contains(operand) || constant.contains(operand))
          continue;
        Value source = skipViews(operand);
        if (source.getDefiningOp() && !constant.contains(source))
          moved.insert(source);
      }
    });
  }
  return moved;
}

FuncOp FreezingSplitPass::buildPrepare(FuncOp function, ArrayRef<Value> moved) const {
  // The slice, in the order of the block.
  DenseSet<Operation *> needed;
  SmallVector<Operation *> worklist;
  auto need = [&](Value value) {
    if (Operation *op = value.getDefiningOp(); op && needed.insert(op).second)
      worklist.push_back(op);
  };
  llvm::for_each(moved, need);
  while (!worklist.empty())
    for (Value operand : worklist.pop_back_val()->getOperands())
      need(operand);

  Block &block = function.getBody().front();
  mlir::IRMapping mapping;
  SmallVector<Type> types;
  SmallVector<mlir::DictionaryAttr> attributes;
  SmallVector<mlir::BlockArgument> arguments;
  for (mlir::BlockArgument argument : block.getArguments())
    if (llvm::any_of(argument.getUsers(), [&](Operation *user) { return needed.contains(user); })) {
      arguments.push_back(argument);
      types.push_back(argument.getType());
      attributes.push_back(function.getArgAttrDict(argument.getArgNumber()));
    }
  SmallVector<Type> results;
  for (Value value : moved)
    results.push_back(value.getType());
  OpBuilder builder(function.getContext());
  builder.setInsertionPoint(function);
  auto prepare = FuncOp::create(builder, function.getLoc(), (function.getName() + ".prepare").str(),
                                builder.getFunctionType(types, results));
  Block *body = prepare.addEntryBlock();
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    mapping.map(argument, body->getArgument(index));
    if (attributes[index])
      prepare.setArgAttrs(index, attributes[index]);
  }
  builder.setInsertionPointToStart(body);
  for (Operation &op : block)
    if (needed.contains(&op))
      builder.clone(op, mapping);
  SmallVector<Value> returned;
  for (Value value : moved)
    returned.push_back(mapping.lookup(value));
  mlir::func::ReturnOp::create(builder, function.getLoc(), returned);
  return prepare;
}

void FreezingSplitPass::replaceMoved(FuncOp function, ArrayRef<Value> moved) const {
  Block &block = function.getBody().front();
  OpBuilder builder(function.getContext());
  for (auto [index, result] : llvm::enumerate(moved)) {
    Value value = result;
    auto attributes = builder.getDictionaryAttr(
        {builder.getNamedAttr(FxGraphDialect::kKindAttr, builder.getStringAttr("constant")),
         builder.getNamedAttr(FxGraphDialect::kNameAttr, builder.getStringAttr(prefix + std::to_string(index)))});
    unsigned number = function.getNumArguments();
    (void)function.insertArgument(number, value.getType(), attributes, value.getLoc());
    Value argument = block.getArgument(number);
    value.replaceUsesWithIf(argument, [](mlir::OpOperand &use) { return !isa<mlir::func::ReturnOp>(use.getOwner()); });
    if (value.use_empty())
      continue;
    builder.setInsertionPoint(block.getTerminator());
    value.replaceAllUsesWith(CloneOp::create(builder, value.getLoc(), argument));
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
  llvm::BitVector unused(function.getNumArguments());
  for (mlir::BlockArgument argument : block.getArguments()) {
    auto kind = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), FxGraphDialect::kKindAttr);
    if (argument.use_empty() && kind && kind != "input")
      unused.set(argument.getArgNumber());
  }
  (void)function.eraseArguments(unused);
}

void FreezingSplitPass::runOnOperation() {
  if (!llvm::is_contained({"both", "main", "prepare"}, StringRef(part))) {
    getOperation().emitError() << "fxgraph-freezing-split: expected part to be both, main or prepare but got " << part;
    return signalPassFailure();
  }
  mlir::SymbolTable symbols(getOperation());
  for (FuncOp function : llvm::make_early_inc_range(getOperation().getOps<FuncOp>())) {
    if (function.isExternal() || function.getName().ends_with(".prepare"))
      continue;
    llvm::SetVector<Value> moved = findMoved(function, FrozenValues(function));
    FuncOp prepare = part == "main" ? FuncOp() : buildPrepare(function, moved.getArrayRef());
    if (part == "prepare") {
      std::string name = function.getName().str();
      symbols.erase(function);
      prepare.setName(name);
      continue;
    }
    replaceMoved(function, moved.getArrayRef());
  }
}
