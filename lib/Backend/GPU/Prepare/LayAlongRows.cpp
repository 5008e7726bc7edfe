// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Prepare/LayAlongRows.h"
#include "Kernel/KernelSchedule.h"
#include "Prepare/Reads.h"
#include "fxgraph/Analysis/FusionOps.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

/// Where all lies across rows, it is read so as long as rows, a sector's worth of them next to each other, stay in the
/// registers of a block: so many elements. And less memory is not worth another kernel (docs/Performance.md, "Rows across memory").
static constexpr int64_t kKeptElements = 49152, kFewestBytes = int64_t(1) << 19;
/// Nor is much memory read across where rows are so few that such blocks leave most multiprocessors without work: those of narrower
/// parts of a sector read it again.
static constexpr int64_t kFewBlocks = 96, kFewestBytesOfFew = int64_t(4) << 20;
/// The same of what lies across, if as much lies along the rows.
static constexpr int64_t kFewestBytesOfBoth = int64_t(2) << 20;
/// The operand whose elements along these dimensions an op reads more than once; null: it does not.
static Value getRows(Operation *op, SmallVector<int64_t> &dims) {
  if (auto rows = dyn_cast<RowOpInterface>(op)) {
    dims = rows.getRowDims();
    return rows.keepsRow() && !dims.empty() ? op->getOperand(0) : Value();
  }
  auto reduction = dyn_cast<ReductionOpInterface>(op);
  if (!reduction)
    return {};
  dims = reduction.getReducedDims();
  // What is computed from the sums is computed for each element.
  return !op->getOperand(0).hasOneUse() && !dims.empty() ? op->getOperand(0) : Value();
}

static bool areLast(ArrayRef<int64_t> dims, int64_t rank) {
  return llvm::equal(dims, llvm::seq<int64_t>(rank - dims.size(), rank));
}

namespace {
/// The dimensions longer than 1 that rows lie along, and the others.
struct RowShape {
  RowShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
    for (auto [dim, size] : llvm::enumerate(shape)) {
      bool isInner = llvm::is_contained(dims, static_cast<int64_t>(dim));
      (isInner ? length : count) *= size;
      if (size > 1)
        (isInner ? inner : outer).push_back(dim);
    }
  }
  SmallVector<int64_t> outer, inner;
  int64_t length = 1, count = 1; ///< of a row, and of them
};
} // namespace

bool fxgraph::gpu::laysAcross(Value value, ArrayRef<int64_t> dims) {
  ArrayRef<int64_t> shape = getShape(value);
  RowShape rows(shape, dims);
  Operation *owner = value.getDefiningOp();
  if (!owner || owner->getNumResults() != 1 || rows.outer.empty() || rows.inner.empty() ||
      rows.outer.back() < rows.inner.back() ||
      shape[rows.outer.back()] < kSectorBytes / static_cast<int64_t>(getMemoryBytes(getElementType(value))))
    return false;
  Reads reads = getReads(value, rows.outer, rows.inner.back());
  return reads.along >= kFewestBytesOfBoth && reads.across >= kFewestBytesOfBoth;
}

bool fxgraph::gpu::readsRowsAgain(Operation *op) {
  SmallVector<int64_t> dims;
  Value value = getRows(op, dims);
  return value && areLast(dims, getShape(value).size());
}

void fxgraph::gpu::layAlongRows(Block &block) {
  for (Operation &op : block) {
    if (!isa_and_present<FxGraphDialect>(op.getDialect()) || classify(&op, FusionOptions()) != OpClass::Reduction)
      continue;
    SmallVector<int64_t> dims;
    Value value = getRows(&op, dims);
    // The narrowest of the same elements.
    while (auto cast = value ? value.getDefiningOp<ConvertElementTypeOp>() : ConvertElementTypeOp()) {
      if (getMemoryBytes(getElementType(cast.getInput())) >= getMemoryBytes(getElementType(value)))
        break;
      value = cast.getInput();
    }
    if (!value || !value.getDefiningOp() || value.getDefiningOp()->getNumResults() != 1)
      continue;
    ArrayRef<int64_t> shape = getShape(value);
    RowShape rows(shape, dims);
    if (rows.outer.empty() || rows.inner.empty() || rows.length <= kShortRow)
      continue;
    bool isBetter = laysAcross(value, dims);
    if (areLast(dims, shape.size())) {
      // What lies along rows as well as across them is read along them (areRows in KernelSchedule.cpp).
      Reads reads = getReads(value, rows.outer, rows.inner.back());
      int64_t rowsOfSector = kSectorBytes / getMemoryBytes(getElementType(value)), sector = rowsOfSector * rows.length;
      bool areFew = rows.count < kFewBlocks * rowsOfSector;
      isBetter = (sector > kKeptElements && reads.across >= kFewestBytes) ||
                 (areFew && reads.across >= kFewestBytesOfFew) ||
                 (reads.across >= kFewestBytesOfBoth && reads.along >= reads.across);
    }
    if (!isBetter)
      continue;
    Operation *owner = value.getDefiningOp();
    // Others read through a view as the memory behind it lies.
    if (classify(owner, FusionOptions()) == OpClass::View && isa<RowOpInterface>(op) && value == op.getOperand(0) &&
        !value.hasOneUse()) {
      owner = mlir::OpBuilder(&op).clone(*owner);
      op.setOperand(0, owner->getResult(0));
    }
    owner->setAttr(kInMemoryAttr, mlir::UnitAttr::get(op.getContext()));
  }
}
