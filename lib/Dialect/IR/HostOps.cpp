// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Dialect/IR/HostOps.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/IR/Builders.h"

using namespace fxgraph;

template <typename... Ops>
static void insertOps(mlir::Dialect &dialect) {
  (mlir::RegisteredOperationName::insert<Ops>(dialect), ...);
}

void fxgraph::registerHostOps(mlir::Dialect &dialect) {
  insertOps<
#define GET_OP_LIST
#include "fxgraph/Dialect/IR/HostOps.cpp.inc"
      >(dialect);
}

LogicalResult TensorMapOp::verify() {
  // The limits of cuTensorMapEncodeTiled for this swizzle.
  constexpr size_t maxRank = 5;
  constexpr int64_t maxBox = 256, strideUnit = 16, swizzleBytes = 128;
  size_t rank = getDims().size();
  if (rank == 0 || rank > maxRank)
    return emitOpError("expected 1 to ") << maxRank << " dimensions but got " << rank;
  if (getBox().size() != rank)
    return emitOpError("expected ") << rank << " extents of the box but got " << getBox().size();
  if (getStrides().size() != rank - 1)
    return emitOpError("expected ") << rank - 1 << " strides but got " << getStrides().size();
  for (int64_t extent : getDims())
    if (extent < 1 || extent > int64_t(1) << 32)
      return emitOpError("expected extents from 1 to 2^32 but got ") << extent;
  for (int64_t extent : getBox())
    if (extent < 1 || extent > maxBox)
      return emitOpError("expected extents of the box from 1 to ") << maxBox << " but got " << extent;
  for (int64_t stride : getStrides())
    if (stride < 1 || stride % strideUnit != 0)
      return emitOpError("expected strides that are multiples of ") << strideUnit << " bytes but got " << stride;
  Type element = cast<mlir::MemRefType>(getAddress().getType()).getElementType();
  if (!element.isIntOrFloat())
    return emitOpError("expected memory of numbers but got ") << element;
  int64_t inner = getBox().front() * ((element.getIntOrFloatBitWidth() + 7) / 8);
  if (inner > swizzleBytes || inner % strideUnit != 0)
    return emitOpError("expected a box with rows of 16 to ") << swizzleBytes << " bytes but got " << inner;
  return success();
}

/// True if a tensor of `stored` is how one of `type` is kept in memory: of the same extents, and
/// of its element type or signless integers of as many bytes.
static bool isStoredAs(Type type, Type stored) {
  auto tensor = cast<mlir::RankedTensorType>(type), memory = dyn_cast<mlir::RankedTensorType>(stored);
  if (!memory || memory.getShape() != tensor.getShape())
    return false;
  Type from = tensor.getElementType(), to = memory.getElementType();
  return from == to || (from.isIntOrFloat() && to.isSignlessInteger() &&
                        to.getIntOrFloatBitWidth() == std::max(8u, from.getIntOrFloatBitWidth()));
}

LogicalResult KernelOp::verifyRegions() {
  Block &block = getBody().front();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError("expected the body to end with fxgraph.yield but got ") << block.getTerminator()->getName();
  if (llvm::any_of(getInputs().getTypes(), llvm::IsaPred<mlir::MemRefType>)) {
    if (getNumResults() != 0 || yield.getValues().size() != 0)
      return emitOpError("expected no results of a kernel between memory and memory");
    if (getInputs().getTypes() != mlir::TypeRange(block.getArgumentTypes()))
      return emitOpError("expected the body to take the kernel's memory");
    return success();
  }
  auto check = [&](mlir::TypeRange types, mlir::TypeRange inside, StringRef what) -> LogicalResult {
    if (types.size() != inside.size())
      return emitOpError("expected the body to ") << what << ' ' << types.size() << " values but got " << inside.size();
    for (auto [i, type, stored] : llvm::enumerate(types, inside))
      if (!isStoredAs(type, stored))
        return emitOpError("expected value ") << i << " of those that the body should " << what << " to be how " << type
                                              << " is stored but got " << stored;
    return success();
  };
  if (failed(check(getInputs().getTypes(), block.getArgumentTypes(), "take")))
    return failure();
  return check(getOutputs().getTypes(), yield.getValues().getTypes(), "yield");
}

/// What the host reads to know which steps come next.
static LogicalResult verifyPredicate(Operation *op, Value predicate) {
  auto type = cast<mlir::MemRefType>(predicate.getType());
  if (type.hasStaticShape() && type.getNumElements() == 1 &&
      (type.getElementType().isInteger(1) || type.getElementType().isInteger(8)))
    return success();
  return op->emitOpError("expected a predicate of one element of i1, or of i8 as it is stored, but got ") << type;
}
LogicalResult BranchOp::verify() { return verifyPredicate(*this, getPredicate()); }
LogicalResult LoopOp::verify() { return verifyPredicate(*this, getPredicate()); }

LogicalResult LibraryCallOp::verify() {
  if (getNames().size() != getBuffers().size())
    return emitOpError("expected a name for each of the ")
           << getBuffers().size() << " buffers but got " << getNames().size();
  if (getCallee() != "matmul" && getCallee() != "conv")
    return emitOpError("expected callee to be matmul or conv but got '") << getCallee() << "'";
  return success();
}

LogicalResult StartCollectiveOp::verify() {
  static constexpr StringRef kinds[] = {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "all_to_all"};
  StringRef kind = getKind();
  if (!llvm::is_contained(kinds, kind))
    return emitOpError("expected kind to be all_reduce, all_gather, reduce_scatter, broadcast or all_to_all but got '")
           << kind << "'";
  auto expect = [&](StringRef what, bool isWanted, bool isThere) -> LogicalResult {
    if (isWanted == isThere)
      return success();
    return emitOpError("expected ") << kind << (isWanted ? " with " : " without ") << what;
  };
  bool isExchange = kind == "all_to_all";
  if (failed(expect("a reduction", kind == "all_reduce" || kind == "reduce_scatter", getReduceOp().has_value())) ||
      failed(expect("a source", kind == "broadcast", getSrc().has_value())) ||
      failed(expect("what each process is given", isExchange, getGiven().has_value())) ||
      failed(expect("what is taken from each process", isExchange, getTaken().has_value())) ||
      (kind != "all_reduce" && kind != "broadcast" && failed(expect("a group size", true, getGroupSize().has_value()))))
    return failure();
  if (getInputs().empty() || getOutputs().size() != getInputs().size() || getElements().size() != getInputs().size())
    return emitOpError("expected as many outputs and counts as inputs, at least one, but got ")
           << getInputs().size() << " inputs, " << getOutputs().size() << " outputs and " << getElements().size()
           << " counts";
  if (isExchange && getInputs().size() != 1)
    return emitOpError("expected one tensor but got ") << getInputs().size();
  if (isExchange && (getGiven()->size() != *getGroupSize() || getTaken()->size() != *getGroupSize()))
    return emitOpError("expected counts for ") << *getGroupSize() << " processes but got " << getGiven()->size()
                                               << " and " << getTaken()->size();
  for (auto [input, output] : llvm::zip_equal(getInputs(), getOutputs())) {
    Type from = cast<mlir::MemRefType>(input.getType()).getElementType();
    Type to = cast<mlir::MemRefType>(output.getType()).getElementType();
    if (from != to)
      return emitOpError("expected an output of ") << from << ", as the input, but got " << to;
  }
  return success();
}

Operation *MatrixProductOp::getActivationOp() {
  return getActivation().empty()
             ? nullptr
             : cast<YieldOp>(getActivation().front().getTerminator()).getValues()[0].getDefiningOp();
}

LogicalResult MatrixProductOp::verify() {
  auto left = cast<mlir::MemRefType>(getLhs().getType()), right = cast<mlir::MemRefType>(getRhs().getType()),
       result = cast<mlir::MemRefType>(getResult().getType());
  int64_t rank = left.getRank();
  if ((rank != 2 && rank != 3) || right.getRank() != rank || result.getRank() != rank)
    return emitOpError("expected matrices or batches of them but got ") << left << ", " << right << " and " << result;
  ArrayRef<int64_t> a = left.getShape(), b = right.getShape(), d = result.getShape();
  if (a[rank - 1] != b[rank - 2] || d[rank - 2] != a[rank - 2] || d[rank - 1] != b[rank - 1] ||
      (rank == 3 && (a[0] != b[0] || a[0] != d[0])))
    return emitOpError("expected extents of a product but got ") << left << ", " << right << " and " << result;
  if (!getActivation().empty()) {
    auto yield = getActivation().front().empty() ? YieldOp() : dyn_cast<YieldOp>(getActivation().front().back());
    if (!yield || yield.getValues().size() != 1 ||
        !isa_and_present<PointwiseOpInterface>(yield.getValues()[0].getDefiningOp()))
      return emitOpError("expected the activation to be a pointwise op");
  }
  return success();
}
