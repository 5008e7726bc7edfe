// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops with regions, and calls that write to copies.
//
// PyTorch: torch/_higher_order_ops.

#include "fxgraph/Dialect/IR/FxGraphOps.h"

#include "InferUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace fxgraph;

void FxGraphDialect::registerControlFlowOps() {
  addOperations<
#define GET_OP_LIST
#include "fxgraph/Dialect/IR/OpsControlFlow.cpp.inc"
      >();
}

/// Checks what a region takes and what it yields.
static LogicalResult verifyRegion(Operation *op, mlir::Region &region, TypeRange taken, TypeRange yielded,
                                  StringRef what) {
  Block &block = region.front();
  auto text = [](TypeRange types) { return "(" + listText(types) + ")"; };
  if (!areCompatibleTypes(block.getArgumentTypes(), taken))
    return op->emitOpError() << "expected " << what << " to take " << text(taken) << " but got "
                             << text(block.getArgumentTypes());
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return op->emitOpError() << "expected " << what << " to end in fxgraph.yield";
  if (!areCompatibleTypes(yield.getOperandTypes(), yielded))
    return op->emitOpError() << "expected " << what << " to yield " << text(yielded) << " but got "
                             << text(yield.getOperandTypes());
  return success();
}

static RankedTensorType getPredicateType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 1));
}

void YieldOp::build(OpBuilder &, mlir::OperationState &) {}

//===----------------------------------------------------------------------===//
// cond, while_loop
//===----------------------------------------------------------------------===//

LogicalResult CondOp::verifyRegions() {
  // cond_c1
  if (getPredicate().getType().getRank() != 0)
    return emitOpError() << "expected a predicate of rank 0 but got " << getPredicate().getType();
  // cond_c2
  if (failed(verifyRegion(*this, getThen(), getOperands_().getTypes(), getResultTypes(), "the then region")))
    return failure();
  return verifyRegion(*this, getOtherwise(), getOperands_().getTypes(), getResultTypes(), "the else region");
}

LogicalResult WhileLoopOp::verifyRegions() {
  // while_loop_c3
  if (!areCompatibleTypes(getResultTypes(), getCarried().getTypes()))
    return emitOpError() << "expected results of the types of the carried operands";
  SmallVector<Type> taken(getOperandTypes());
  // while_loop_c1
  Type predicate = getPredicateType(getContext());
  if (failed(verifyRegion(*this, getCondition(), taken, predicate, "the condition")))
    return failure();
  // while_loop_c2
  return verifyRegion(*this, getBody(), taken, getResultTypes(), "the body");
}

LogicalResult InvokeQuantOp::verifyRegions() {
  // invoke_quant_c1
  return verifyRegion(*this, getBody(), getOperandTypes(), getResultTypes(), "the body");
}

FailureOr<SmallVector<Value>> InvokeQuantOp::decompose(OpBuilder &builder) {
  Block &body = getBody().front();
  mlir::IRMapping mapping;
  mapping.map(body.getArguments(), getOperands());
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> results;
  for (auto [yielded, result] : llvm::zip_equal(body.getTerminator()->getOperands(), getResults()))
    results.push_back(mapping.lookupOrDefault(yielded));
  return results;
}

//===----------------------------------------------------------------------===//
// map, scan
//===----------------------------------------------------------------------===//

/// The leading extent that the tensors share; failure with a diagnostic.
static FailureOr<Dim> getLeadingExtent(Operation *op, ValueRange tensors, StringRef what) {
  if (tensors.empty())
    return op->emitOpError() << "expected at least one " << what << " tensor but got none";
  std::optional<Dim> extent;
  for (Value tensor : tensors) {
    RankedTensorType type = tensorTypeOf(tensor);
    if (failed(expectRankAtLeast(op->getLoc(), type, 1, Twine("a ") + what + " tensor")))
      return failure();
    Dim own = getDims(type)[0];
    if (extent &&
        failed(expectSameDim(op->getLoc(), *extent, own, Twine("the leading extent of a ") + what + " tensor")))
      return failure();
    extent = extent ? refineDim(*extent, own) : own;
  }
  return *extent;
}

/// A slice of each tensor along dimension 0.
static SmallVector<Type> getSliceTypes(TypeRange tensors) {
  SmallVector<Type> slices;
  for (Type type : tensors) {
    auto tensor = cast<RankedTensorType>(type);
    slices.push_back(withDims(tensor, ArrayRef<Dim>(getDims(tensor)).drop_front()));
  }
  return slices;
}

/// Stacked results have the leading extent of what is walked along.
static LogicalResult verifyStacked(Operation *op, Dim extent, mlir::ResultRange stacked) {
  for (Value result : stacked) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      return op->emitOpError() << "expected stacked results to be tensors but got " << result.getType();
    if (failed(expectRankAtLeast(op->getLoc(), type, 1, "a stacked result")) ||
        failed(expectSameDim(op->getLoc(), extent, getDims(type)[0], "the leading extent of a stacked result")))
      return failure();
  }
  return success();
}

LogicalResult MapOp::verifyRegions() {
  // map_c1
  FailureOr<Dim> extent = getLeadingExtent(*this, getMapped(), "mapped");
  // map_c3
  if (failed(extent) || failed(verifyStacked(*this, *extent, getOutputs())))
    return failure();
  // map_c2
  SmallVector<Type> taken = getSliceTypes(getMapped().getTypes());
  llvm::append_range(taken, getAdditional().getTypes());
  return verifyRegion(*this, getBody(), taken, getSliceTypes(getResultTypes()), "the body");
}

LogicalResult ScanOp::verifyRegions() {
  // scan_c1
  FailureOr<Dim> extent = getLeadingExtent(*this, getScanned(), "scanned");
  if (failed(extent))
    return failure();
  size_t numCarried = getCarried().size();
  // scan_c4
  if (getNumResults() < numCarried)
    return emitOpError() << "expected a result for each of " << numCarried << " carried values but got "
                         << getNumResults();
  if (!areCompatibleTypes(getResults().take_front(numCarried).getTypes(), getCarried().getTypes()))
    return emitOpError() << "expected first results of the types of the carried operands";
  if (failed(verifyStacked(*this, *extent, getResults().drop_front(numCarried))))
    return failure();
  // scan_c2
  SmallVector<Type> taken(getCarried().getTypes());
  llvm::append_range(taken, getSliceTypes(getScanned().getTypes()));
  llvm::append_range(taken, getAdditional().getTypes());
  // scan_c3
  SmallVector<Type> yielded(getCarried().getTypes());
  llvm::append_range(yielded, getSliceTypes(getResults().drop_front(numCarried).getTypes()));
  return verifyRegion(*this, getBody(), taken, yielded, "the body");
}

//===----------------------------------------------------------------------===//
// auto_functionalized
//===----------------------------------------------------------------------===//

LogicalResult AutoFunctionalizedOp::verify() {
  if (failed(verifyArgumentTree(*this, getArgs(), getOperands_().size())))
    return failure();
  ArrayRef<int64_t> mutated = getMutated();
  // auto_functionalized_c1
  for (auto [i, operand] : llvm::enumerate(mutated)) {
    if (operand < 0 || static_cast<size_t>(operand) >= getOperands_().size() || (i > 0 && operand <= mutated[i - 1]))
      return emitOpError() << "expected ascending numbers of " << getOperands_().size()
                           << " operands in mutated but got " << operand;
    if (!isa<RankedTensorType>(getOperands_()[operand].getType()))
      return emitOpError() << "expected mutated operands to be tensors but got " << getOperands_()[operand].getType();
  }
  // auto_functionalized_c2
  if (getNumResults() < mutated.size())
    return emitOpError() << "expected a result for each of " << mutated.size() << " mutated operands but got "
                         << getNumResults();
  for (auto [operand, type] : llvm::zip_equal(mutated, getResults().take_back(mutated.size()).getTypes()))
    if (!areCompatibleTypes(getOperands_()[operand].getType(), type))
      return emitOpError() << "expected the result for operand " << operand << " to have its type, "
                           << getOperands_()[operand].getType() << ", but got " << type;
  // auto_functionalized_c3
  for (int64_t operand : getOnlyClone().value_or(ArrayRef<int64_t>()))
    if (!llvm::is_contained(mutated, operand))
      return emitOpError() << "expected only_clone to hold mutated operands but got " << operand;
  return success();
}

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsControlFlow.cpp.inc"
