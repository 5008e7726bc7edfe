// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduction patterns, best first:
//
//   op(x, …) -> x            an operand of the result's type in the result's place
//   op(…) -> full 1          else a created tensor, which cuts the graph here
//   return a, b -> return b  a result, and what only it needs
//   return op(x) -> return x
//   (%unused) -> ()          arguments that nothing uses
//
// Each change is tried on a copy of the module and made only if the copy is still
// interesting: mlir-reduce cannot go on from a graph that is not (it frees it). So a
// pattern costs one run of the test script for each op and candidate. Each change
// makes the graph smaller, so that they end.

#include "ReductionPatterns.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Reducer/ReductionPatternInterface.h"

using namespace fxgraph;

/// A change to one op; it must do the same to the op's copy.
using Change = function_ref<void(mlir::RewriterBase &, Operation *)>;

/// Erases what only the erased op needed. The ops before an op were visited before
/// it, so that nothing waits for them.
static void eraseDead(mlir::RewriterBase &rewriter, SmallVector<Value> values) {
  while (!values.empty()) {
    Operation *op = values.pop_back_val().getDefiningOp();
    if (!op || !mlir::isOpTriviallyDead(op))
      continue;
    values.append(op->operand_begin(), op->operand_end());
    // One op may be the operand of several: its other entries must not see it again.
    llvm::erase_if(values, [&](Value value) { return value.getDefiningOp() == op; });
    rewriter.eraseOp(op);
  }
}

/// Makes the change if the module stays interesting with it.
static LogicalResult tryChange(const mlir::Tester &tester, mlir::RewriterBase &rewriter, Operation *op, Change change) {
  auto module = op->getParentOfType<mlir::ModuleOp>();
  if (!module)
    return failure();
  mlir::IRMapping mapping;
  mlir::OwningOpRef<mlir::ModuleOp> copy = cast<mlir::ModuleOp>(module->clone(mapping));
  mlir::IRRewriter copyRewriter(op->getContext());
  Operation *opCopy = mapping.lookup(op);
  copyRewriter.setInsertionPoint(opCopy);
  change(copyRewriter, opCopy);
  if (failed(mlir::verify(*copy)) || tester.isInteresting(*copy).first != mlir::Tester::Interestingness::True)
    return failure();
  change(rewriter, op);
  return success();
}

static bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

namespace {
/// op(x, …) -> x, else op(…) -> full 1; for all results together.
struct ReplaceOp : public mlir::RewritePattern {
  ReplaceOp(MLIRContext *context, const mlir::Tester &tester)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context), tester(tester) {}

  LogicalResult matchAndRewrite(Operation *op, mlir::PatternRewriter &rewriter) const override {
    if (!isa_and_present<FxGraphDialect>(op->getDialect()) || isa<FullOp, ConstantOp>(op))
      return failure();
    // The results one by one: an operand's number, or -1 for a created tensor.
    SmallVector<int64_t> choice;
    bool hasOperand = false;
    for (Type type : op->getResultTypes()) {
      auto operand = llvm::find_if(op->getOperands(), [&](Value value) { return value.getType() == type; });
      bool found = operand != op->operand_end();
      if (!found && !isStaticTensor(type))
        return failure();
      hasOperand |= found;
      choice.push_back(found ? operand.getIndex() : -1);
    }
    if (hasOperand && succeeded(replace(rewriter, op, choice)))
      return success();
    // An op without results (a write) goes.
    if (!llvm::all_of(op->getResultTypes(), isStaticTensor))
      return failure();
    return replace(rewriter, op, SmallVector<int64_t>(op->getNumResults(), -1));
  }

  LogicalResult replace(mlir::PatternRewriter &rewriter, Operation *op, ArrayRef<int64_t> choice) const {
    return tryChange(tester, rewriter, op, [&](mlir::RewriterBase &b, Operation *op) {
      SmallVector<Value> values, operands(op->getOperands());
      for (auto [number, result] : llvm::zip_equal(choice, op->getResults())) {
        if (number >= 0)
          values.push_back(op->getOperand(number));
        else if (result.use_empty())
          values.push_back(result);
        else
          values.push_back(FullOp::create(b, op->getLoc(), cast<RankedTensorType>(result.getType()), 1.0));
      }
      for (auto [value, result] : llvm::zip_equal(values, op->getResults()))
        if (value != result)
          b.replaceAllUsesWith(result, value);
      b.eraseOp(op);
      eraseDead(b, operands);
    });
  }

  const mlir::Tester &tester;
};

/// Fewer results and arguments, and earlier results. A function that is called keeps its type.
struct ShrinkSignature : public mlir::OpRewritePattern<mlir::func::ReturnOp> {
  ShrinkSignature(MLIRContext *context, const mlir::Tester &tester) : OpRewritePattern(context), tester(tester) {}

  LogicalResult matchAndRewrite(mlir::func::ReturnOp op, mlir::PatternRewriter &rewriter) const override {
    auto function = op->getParentOfType<mlir::func::FuncOp>();
    if (!function.getBody().hasOneBlock() ||
        !mlir::SymbolTable::symbolKnownUseEmpty(function, function->getParentOfType<mlir::ModuleOp>()))
      return failure();
    // Unused arguments first: that costs one test.
    llvm::BitVector unused(function.getNumArguments());
    for (mlir::BlockArgument argument : function.getArguments())
      if (argument.use_empty())
        unused.set(argument.getArgNumber());
    auto dropArguments = [&](mlir::RewriterBase &b, Operation *op) {
      auto function = op->getParentOfType<mlir::func::FuncOp>();
      b.modifyOpInPlace(function, [&] { (void)function.eraseArguments(unused); });
    };
    if (unused.any() && succeeded(tryChange(tester, rewriter, op, dropArguments)))
      return success();
    for (unsigned i = 0; i < op.getNumOperands(); ++i) {
      auto dropResult = [&](mlir::RewriterBase &b, Operation *op) {
        Value value = op->getOperand(i);
        auto function = op->getParentOfType<mlir::func::FuncOp>();
        b.modifyOpInPlace(op, [&] { op->eraseOperand(i); });
        b.modifyOpInPlace(function, [&] { (void)function.eraseResult(i); });
        eraseDead(b, {value});
      };
      if (succeeded(tryChange(tester, rewriter, op, dropResult)))
        return success();
    }
    for (unsigned i = 0; i < op.getNumOperands(); ++i)
      if (succeeded(returnOperand(rewriter, op, i)))
        return success();
    return failure();
  }

  /// return op(x) -> return x, whatever the type of x.
  LogicalResult returnOperand(mlir::PatternRewriter &rewriter, mlir::func::ReturnOp op, unsigned i) const {
    Operation *last = op.getOperand(i).getDefiningOp();
    for (unsigned j = 0; last && j < last->getNumOperands(); ++j) {
      auto bypass = [&](mlir::RewriterBase &b, Operation *op) {
        Value old = op->getOperand(i), value = old.getDefiningOp()->getOperand(j);
        auto function = op->getParentOfType<mlir::func::FuncOp>();
        SmallVector<Type> results(function.getResultTypes());
        results[i] = value.getType();
        b.modifyOpInPlace(op, [&] { op->setOperand(i, value); });
        b.modifyOpInPlace(function, [&] {
          function.setType(mlir::FunctionType::get(op->getContext(), function.getArgumentTypes(), results));
        });
        eraseDead(b, {old});
      };
      if (succeeded(tryChange(tester, rewriter, op, bypass)))
        return success();
    }
    return failure();
  }

  const mlir::Tester &tester;
};

struct ReductionPatterns : public mlir::DialectReductionPatternInterface {
  explicit ReductionPatterns(mlir::Dialect *dialect) : DialectReductionPatternInterface(dialect) {}
  void populateReductionPatterns(mlir::RewritePatternSet &) const final {}
  void populateReductionPatternsWithTester(mlir::RewritePatternSet &patterns, mlir::Tester &tester) const final {
    patterns.add<ReplaceOp, ShrinkSignature>(patterns.getContext(), tester);
  }
};
} // namespace

void fxgraph::registerReductionPatterns(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, FxGraphDialect *dialect) { dialect->addInterfaces<ReductionPatterns>(); });
}
