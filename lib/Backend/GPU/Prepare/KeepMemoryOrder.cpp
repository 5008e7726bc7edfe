// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Prepare/KeepMemoryOrder.h"
#include "Prepare/Reads.h"
#include "fxgraph/Analysis/FusionOps.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

/// Less is not worth another kernel (docs/Performance.md, "Rows across memory").
static constexpr int64_t kFewestElements = int64_t(3) << 18, kFewestResults = int64_t(1) << 17;
/// Elements for each result beyond which it does not matter where it is written.
static constexpr int64_t kMostTerms = 64;

/// The dimensions longer than 1, in this order.
static SmallVector<int64_t> getLong(ArrayRef<int64_t> order, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> dims;
  llvm::copy_if(order, std::back_inserter(dims), [&](int64_t dim) { return shape[dim] > 1; });
  return dims;
}

/// Whether threads that read neighbours along the fastest dimension would write results far apart.
static bool isWrittenAcross(Operation *op, ArrayRef<int64_t> order) {
  ArrayRef<int64_t> shape = getShape(op->getOperand(0));
  SmallVector<int64_t> rank = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  SmallVector<int64_t> asRead = getLong(order, shape), asWritten = getLong(rank, shape);
  if (asRead.empty() || getNumElements(op->getOperand(0)) < kFewestElements)
    return false;
  if (isa<SoftmaxOp, LogSoftmaxOp>(op)) {
    // Rows that are read across go through shared memory where they are written along.
    int64_t dim = cast<RowOpInterface>(op).getRowDims().front();
    return asRead.back() != asWritten.back() && asWritten.back() != dim;
  }
  auto reduction = cast<ReductionOpInterface>(op);
  SmallVector<int64_t> dims = reduction.getReducedDims();
  auto isReduced = [&](int64_t dim) { return llvm::is_contained(dims, dim); };
  llvm::erase_if(asRead, isReduced);
  llvm::erase_if(asWritten, isReduced);
  int64_t results = getNumElements(op->getResult(0));
  return !asRead.empty() && asRead.back() != asWritten.back() && results >= kFewestResults &&
         getNumElements(op->getOperand(0)) <= kMostTerms * results;
}

/// The op on its operand in memory's order: its attribute counts the dimensions of that.
static Operation *cloneInOrder(mlir::RewriterBase &rewriter, Operation *op, ArrayRef<int64_t> order) {
  SmallVector<int64_t> place = mlir::invertPermutationVector(order);
  Value input = PermuteOp::create(rewriter, op->getLoc(), op->getOperand(0), order);
  int64_t rank = order.size();
  auto move = [&](int64_t dim) { return place[dim < 0 ? dim + rank : dim]; };
  Operation *copy = rewriter.clone(*op);
  copy->setOperand(0, input);
  copy->setAttr(kInMemoryAttr, rewriter.getUnitAttr());
  if (auto dim = op->getAttrOfType<mlir::IntegerAttr>("dim"))
    copy->setAttr("dim", rewriter.getI64IntegerAttr(move(dim.getInt())));
  if (auto dims = op->getAttrOfType<mlir::DenseI64ArrayAttr>("dims")) {
    SmallVector<int64_t> moved = llvm::map_to_vector(dims.asArrayRef(), move);
    copy->setAttr("dims", rewriter.getDenseI64ArrayAttr(moved));
  }
  return copy;
}

void fxgraph::gpu::keepMemoryOrder(mlir::RewriterBase &rewriter, Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    bool isSoftmax = isa<SoftmaxOp, LogSoftmaxOp>(op);
    auto dims = op.getAttrOfType<mlir::DenseI64ArrayAttr>("dims");
    bool reduces =
        isa<ReductionOpInterface>(op) && op.getNumResults() == 1 && op.getNumOperands() == 1 && dims && !dims.empty();
    if ((!isSoftmax && !reduces) || classify(&op, FusionOptions()) != OpClass::Reduction)
      continue;
    std::optional<SmallVector<int64_t>> order = getMemoryOrder(op.getOperand(0));
    if (!order || !isWrittenAcross(&op, *order))
      continue;
    rewriter.setInsertionPoint(&op);
    Operation *copy = cloneInOrder(rewriter, &op, *order);
    // Dimensions of the result, in the order of the copy's.
    SmallVector<int64_t> kept(*order);
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    if (type.getRank() != static_cast<int64_t>(order->size())) {
      SmallVector<int64_t> reduced = cast<ReductionOpInterface>(op).getReducedDims();
      llvm::erase_if(kept, [&](int64_t dim) { return llvm::is_contained(reduced, dim); });
      for (int64_t &dim : kept)
        dim -= llvm::count_if(reduced, [&, at = dim](int64_t other) { return other < at; });
    }
    SmallVector<int64_t> shape = llvm::map_to_vector(kept, [&](int64_t dim) { return type.getDimSize(dim); });
    copy->getResult(0).setType(type.clone(shape));
    // Row-major, as results of these ops are.
    Value back = PermuteOp::create(rewriter, op.getLoc(), copy->getResult(0), mlir::invertPermutationVector(kept));
    rewriter.replaceOp(&op, ContiguousOp::create(rewriter, op.getLoc(), back));
  }
}
