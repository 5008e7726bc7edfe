// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that the fusion planner has no form for become fxgraph.kernel: their lowering to
// linalg, which the CPU has too, in its parallel form. Linear in the ops.

#include "Kernel/GraphRegions.h"
#include "Stages/PlanOptions.h"
#include "fxgraph/Analysis/FusionOps.h"
#include "fxgraph/Conversion/FxGraphToLinalg.h"
#include "fxgraph/Dialect/IR/HostOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

/// The planner has no form for the op, and its lowering is one of tensors alone: no state, no
/// control flow, extents and dtypes that a GPU has.
static bool needsKernel(Operation *op, const FusionOptions &options) {
  if (op->hasTrait<mlir::OpTrait::IsTerminator>() || !isa_and_present<FxGraphDialect>(op->getDialect()) ||
      isa<KernelOp, UnknownCallOpInterface>(op) || op->getNumRegions() != 0 || op->getNumResults() == 0 ||
      !mlir::isMemoryEffectFree(op))
    return false;
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (!describeUnsupportedType(type).empty())
      return false;
  return classify(op, options) == OpClass::Unsupported;
}

/// Puts a kernel in place of the op.
static LogicalResult formKernel(Operation *op) {
  MLIRContext *context = op->getContext();
  Location loc = op->getLoc();
  // The lowering is written for functions: the op in one of its own. Numbers go with it.
  mlir::OwningOpRef<mlir::ModuleOp> scratch = mlir::ModuleOp::create(loc);
  OpBuilder builder(context);
  builder.setInsertionPointToStart(scratch->getBody());
  SmallVector<Value> inputs;
  for (Value operand : op->getOperands())
    if (Operation *owner = operand.getDefiningOp();
        (!owner || !getSplatConstant(owner)) && !llvm::is_contained(inputs, operand))
      inputs.push_back(operand);
  auto function = mlir::func::FuncOp::create(
      builder, loc, "kernel", builder.getFunctionType(ValueRange(inputs).getTypes(), op->getResultTypes()));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  mlir::IRMapping mapping;
  mapping.map(inputs, entry->getArguments());
  for (Value operand : op->getOperands())
    if (!mapping.contains(operand))
      builder.clone(*operand.getDefiningOp(), mapping);
  Operation *copy = builder.clone(*op, mapping);
  mlir::func::ReturnOp::create(builder, loc, copy->getResults());
  LinalgOptions options;
  options.parallelForms = true;
  if (failed(convertToLinalg(*scratch, options)))
    return failure();
  if (!llvm::hasSingleElement(*scratch->getBody()))
    return op->emitOpError("has no GPU form: its lowering calls the CPU's runtime");

  builder.setInsertionPoint(op);
  auto kernel = KernelOp::create(builder, loc, op->getResultTypes(), op->getName().stripDialect(), inputs);
  kernel.getBody().takeBody(function.getBody());
  auto end = cast<mlir::func::ReturnOp>(kernel.getBody().front().getTerminator());
  builder.setInsertionPoint(end);
  YieldOp::create(builder, loc, end.getOperands());
  end.erase();
  op->replaceAllUsesWith(kernel);
  op->erase();
  return success();
}

LogicalResult fxgraph::gpu::formKernels(mlir::func::FuncOp function, Libraries libraries) {
  FusionOptions options = getPlanOptions(libraries);
  bool valid = true;
  for (Operation &op : llvm::make_early_inc_range(function.getOps()))
    if (needsKernel(&op, options))
      valid &= succeeded(formKernel(&op));
  valid &=
      succeeded(changeGraphRegions(function, [&](mlir::func::FuncOp graph) { return formKernels(graph, libraries); }));
  return success(valid);
}
