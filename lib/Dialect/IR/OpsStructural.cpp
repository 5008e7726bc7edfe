// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants, creation, writes, effects.

#include "fxgraph/Dialect/IR/FxGraphOps.h"

using namespace fxgraph;

void FxGraphDialect::registerStructuralOps() {
  addOperations<
#define GET_OP_LIST
#include "fxgraph/Dialect/IR/OpsStructural.cpp.inc"
      >();
}

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

void ConstantOp::getAsmResultNames(function_ref<void(Value, StringRef)> setName) { setName(getResult(), "cst"); }

/// A created tensor's dynamic extents come from operands.
static LogicalResult verifySizes(Operation *op, size_t sizes, RankedTensorType type) {
  // created_c1
  if (static_cast<int64_t>(sizes) == static_cast<int64_t>(type.getNumDynamicDims()))
    return success();
  return op->emitOpError() << "expected " << type.getNumDynamicDims() << " size operand(s) but got " << sizes;
}

void FullOp::build(OpBuilder &builder, mlir::OperationState &state, RankedTensorType type, double value) {
  build(builder, state, type, ValueRange(), builder.getF64FloatAttr(value));
}

LogicalResult FullOp::verify() { return verifySizes(*this, getSizes().size(), getResult().getType()); }

LogicalResult RandOp::verify() { return verifySizes(*this, getSizes().size(), getResult().getType()); }
LogicalResult RandnOp::verify() { return verifySizes(*this, getSizes().size(), getResult().getType()); }

LogicalResult ExponentialOp::verify() {
  // exponential_c1
  double rate = getRate().convertToDouble();
  if (!(rate > 0.0))
    return emitOpError() << "expected rate > 0 but got " << rate;
  return verifySizes(*this, getSizes().size(), getResult().getType());
}

LogicalResult ArangeOp::verify() {
  auto type = getResult().getType();
  // arange_c1
  if (type.getRank() != 1)
    return emitOpError() << "expected a result of rank 1 but got " << type;
  // arange_c2
  if (getStep().isZero())
    return emitOpError() << "expected step != 0 but got 0";
  return verifySizes(*this, getSize() ? 1 : 0, type);
}

LogicalResult CopyUnderscoreOp::verify() {
  // copy_c1
  if (!areCompatibleTypes(getDst().getType(), getSrc().getType()))
    return emitOpError() << "expected src of type " << getDst().getType() << " but got " << getSrc().getType();
  // copy_c2
  auto argument = dyn_cast<mlir::BlockArgument>(getDst());
  if (!argument || !isa<mlir::func::FuncOp>(argument.getOwner()->getParentOp()))
    return emitOpError() << "expected dst to be an argument of the function";
  return success();
}

LogicalResult OpaqueOp::verify() {
  size_t numOperands = getOperands_().size();
  // opaque_c1
  mlir::WalkResult walked = getArgs().walk([&](StringAttr text) {
    StringRef number = text.getValue();
    size_t operand;
    if (!number.consume_front("%") || number.starts_with("%") ||
        (!number.getAsInteger(10, operand) && operand < numOperands))
      return mlir::WalkResult::advance();
    emitOpError() << "expected the number of one of " << numOperands << " operands in args but got " << text;
    return mlir::WalkResult::interrupt();
  });
  if (walked.wasInterrupted())
    return failure();
  // opaque_c2
  if (auto writes = getArgs().getAs<mlir::DenseI64ArrayAttr>("writes"))
    for (int64_t operand : writes.asArrayRef())
      if (operand < 0 || static_cast<size_t>(operand) >= numOperands)
        return emitOpError() << "expected numbers of " << numOperands << " operands in writes but got " << operand;
  return success();
}

LogicalResult SymSizeOp::verify() {
  int64_t rank = getInput().getType().getRank();
  auto dim = static_cast<int64_t>(getDim());
  // sym_size_c1
  if (dim < -rank || dim >= rank)
    return emitOpError() << "expected dim in [" << -rank << ", " << rank - 1 << "] but got " << dim;
  return success();
}

mlir::OpFoldResult SymSizeOp::fold(FoldAdaptor) {
  auto type = getInput().getType();
  int64_t extent = type.getDimSize(wrapDim(getDim(), type.getRank()));
  if (ShapedType::isDynamic(extent))
    return {};
  return IntegerAttr::get(mlir::IndexType::get(getContext()), extent);
}

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsStructural.cpp.inc"
