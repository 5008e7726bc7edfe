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
static constexpr int64_t kKeptElements = 49152, kFewestBytes = int64_t(2) << 20;
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
    SmallVector<int64_t> outer, inner; // that are longer than 1
    int64_t length = 1;
    for (auto [dim, size] : llvm::enumerate(shape)) {
      bool isInner = llvm::is_contained(dims, static_cast<int64_t>(dim));
      length *= isInner ? size : 1;
      if (size > 1)
        (isInner ? inner : outer).push_back(dim);
    }
    if (outer.empty() || inner.empty() || length <= kShortRow)
      continue;
    Reads reads = getReads(value, outer, inner.back());
    int64_t sector = kSectorBytes / getMemoryBytes(getElementType(value));
    bool isBetter = false;
    if (areLast(dims, shape.size())) {
      // What lies along rows as well as across them is read along them (areRows in KernelSchedule.cpp).
      isBetter = reads.across >= kFewestBytes && (reads.along >= reads.across || sector * length > kKeptElements);
    } else if (outer.back() > inner.back() && shape[outer.back()] >= sector) {
      // Results lie across rows, as does some of what they are computed from: so is the rest.
      isBetter = reads.along >= kFewestBytes && reads.across >= kFewestBytes;
    }
    if (isBetter)
      value.getDefiningOp()->setAttr(kInMemoryAttr, mlir::UnitAttr::get(op.getContext()));
  }
}
