// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/HostOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"

using namespace fxgraph;

LogicalResult LoopNestOp::verifyRegions() {
  if (getMemory().size() % getInstances() != 0)
    return emitOpError("expected as many operands for each of the ")
           << getInstances() << " instances but got " << getMemory().size() << " operands";
  Block &block = getBody().front();
  if (block.getNumArguments() != getRank() + getNumArrays())
    return emitOpError("expected the body to take ")
           << getRank() << " indices and " << getNumArrays() << " memrefs but it takes " << block.getNumArguments()
           << " values";
  for (unsigned i = 0; i < getRank(); ++i)
    if (!block.getArgument(i).getType().isIndex())
      return emitOpError("expected argument ")
             << i << " of the body to be an index but got " << block.getArgument(i).getType();
  for (auto [i, operand] : llvm::enumerate(getMemory())) {
    auto given = cast<mlir::MemRefType>(operand.getType());
    auto taken = dyn_cast<mlir::MemRefType>(getArray(i % getNumArrays()).getType());
    if (!taken || taken.getElementType() != given.getElementType() || taken.getRank() != 1 || given.getRank() != 1)
      return emitOpError("expected operand ")
             << i << " and what the body takes for it to be elements of one type but got " << given << " and "
             << getArray(i % getNumArrays()).getType();
  }
  for (int64_t extent : getExtents())
    if (extent < 0)
      return emitOpError("expected extents of 0 or more but got ") << extent;
  for (int64_t dim : getReduced())
    if (dim < 0 || dim >= getRank())
      return emitOpError("expected reduced loops from 0 to ") << getRank() - 1 << " but got " << dim;
  return mlir::success();
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// `[%i * 8 + %j]`
static mlir::ParseResult parsePlace(mlir::OpAsmParser &parser,
                                    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &indices,
                                    mlir::AffineMapAttr &map) {
  mlir::NamedAttrList ignored;
  mlir::Attribute attribute;
  if (parser.parseAffineMapOfSSAIds(indices, attribute, "map", ignored))
    return mlir::failure();
  map = cast<mlir::AffineMapAttr>(attribute);
  return mlir::success();
}

static void printPlace(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::OperandRange indices,
                       mlir::AffineMapAttr map) {
  printer << '[';
  printer.printAffineMapOfSSAIds(map, indices);
  printer << ']';
}

/// Both operands and the result have it.
static mlir::ParseResult parseOneType(mlir::OpAsmParser &parser, mlir::Type &yes, mlir::Type &no, mlir::Type &result) {
  if (parser.parseType(yes))
    return mlir::failure();
  no = result = yes;
  return mlir::success();
}

static void printOneType(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type, mlir::Type, mlir::Type result) {
  printer << result;
}

static LogicalResult verifyPlace(mlir::Operation *op, mlir::AffineMap map, mlir::ValueRange indices, size_t results) {
  if (map.getNumInputs() != indices.size())
    return op->emitOpError("expected ") << map.getNumInputs() << " indices but got " << indices.size();
  if (map.getNumResults() != results)
    return op->emitOpError("expected ") << results << (results == 1 ? " expression" : " expressions") << " but got "
                                        << map.getNumResults();
  for (mlir::AffineExpr expr : map.getResults())
    if (!expr.isPureAffine())
      return op->emitOpError("expected affine expressions of the indices");
  return mlir::success();
}

static LogicalResult verifyArray(mlir::Operation *op, mlir::Value memory) {
  if (isa<mlir::BlockArgument>(memory) && memory.getParentBlock() == op->getBlock())
    return mlir::success();
  return op->emitOpError("expected memory that the loop nest takes");
}

LogicalResult NestLoadOp::verify() {
  return failure(failed(verifyArray(*this, getMemory())) || failed(verifyPlace(*this, getMap(), getIndices(), 1)));
}
LogicalResult NestStoreOp::verify() {
  return failure(failed(verifyArray(*this, getMemory())) || failed(verifyPlace(*this, getMap(), getIndices(), 1)));
}
LogicalResult NestPositionOp::verify() { return verifyPlace(*this, getMap(), getIndices(), 1); }
LogicalResult NestClampOp::verify() {
  if (getLowest() > getHighest())
    return emitOpError("expected a range but got ") << getLowest() << " to " << getHighest();
  return verifyPlace(*this, getMap(), getIndices(), 1);
}
LogicalResult NestSelectOp::verify() {
  if (getYes().getType() != getValue().getType() || getNo().getType() != getValue().getType())
    return emitOpError("expected values of one type but got ")
           << getYes().getType() << ", " << getNo().getType() << " and " << getValue().getType();
  if (getHighest().size() != getLowest().size())
    return emitOpError("expected as many highest as lowest numbers but got ")
           << getHighest().size() << " and " << getLowest().size();
  return verifyPlace(*this, getMap(), getIndices(), getLowest().size());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

mlir::Operation *NestElementOp::getApplied() {
  return cast<YieldOp>(getBody().front().getTerminator()).getValues().front().getDefiningOp();
}

LogicalResult NestElementOp::verifyRegions() {
  Block &block = getBody().front();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().size() != 1)
    return emitOpError("expected the body to yield one value");
  if (block.getNumArguments() != getOperands().size())
    return emitOpError("expected the body to take ")
           << getOperands().size() << " values but it takes " << block.getNumArguments();
  if (!isa_and_present<PointwiseOpInterface>(yield.getValues().front().getDefiningOp()))
    return emitOpError("expected the body to be a pointwise op");
  for (mlir::Operation &op : block.without_terminator())
    if (&op != getApplied() && !isa<ConstantOp>(op))
      return emitOpError("expected the body to be one op and its numbers but it has ") << op.getName();
  return mlir::success();
}

static LogicalResult verifyAccumulation(mlir::Operation *op, llvm::StringRef kind, bool scans) {
  size_t operands = llvm::StringSwitch<size_t>(kind)
                        .Cases({"sum", "prod"}, 1)
                        .Cases({"max", "min", "or", "and"}, scans ? 0 : 1)
                        .Cases({"argmax", "argmin"}, scans ? 0 : 2)
                        .Default(0);
  if (!operands)
    return op->emitOpError("expected kind to be ")
           << (scans ? "sum or prod" : "sum, prod, max, min, or, and, argmax or argmin") << " but got '" << kind << "'";
  if (op->getNumOperands() != operands)
    return op->emitOpError("expected ") << operands << " operands but got " << op->getNumOperands();
  return mlir::success();
}

LogicalResult NestReduceOp::verify() { return verifyAccumulation(*this, getKind(), /*scans=*/false); }
LogicalResult NestScanOp::verify() { return verifyAccumulation(*this, getKind(), /*scans=*/true); }

// The op classes' definitions use what is above.
#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/HostOps.cpp.inc"
