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
/// The last dimension below `end` that is longer than 1; nullopt: there is none.
static std::optional<int64_t> getLastLong(ArrayRef<int64_t> shape, int64_t end) {
  while (end > 0 && shape[end - 1] == 1)
    --end;
  return end > 0 ? std::optional(end - 1) : std::nullopt;
}

/// The operand that an op reads in rows along its last dimensions, more than once; null: it does not.
static Value getRows(Operation *op, int64_t &firstDim) {
  auto check = [&](ArrayRef<int64_t> dims) {
    int64_t rank = getShape(op->getOperand(0)).size();
    firstDim = rank - dims.size();
    return !dims.empty() && llvm::equal(dims, llvm::seq(firstDim, rank));
  };
  if (auto rows = dyn_cast<RowOpInterface>(op))
    return rows.keepsRow() && check(rows.getRowDims()) ? op->getOperand(0) : Value();
  auto reduction = dyn_cast<ReductionOpInterface>(op);
  // What is computed from the sums is computed for each element.
  return reduction && !op->getOperand(0).hasOneUse() && check(reduction.getReducedDims()) ? op->getOperand(0) : Value();
}

bool fxgraph::gpu::readsRowsAgain(Operation *op) {
  int64_t firstDim = 0;
  return static_cast<bool>(getRows(op, firstDim));
}

void fxgraph::gpu::layAlongRows(Block &block) {
  for (Operation &op : block) {
    if (!isa_and_present<FxGraphDialect>(op.getDialect()) || classify(&op, FusionOptions()) != OpClass::Reduction)
      continue;
    int64_t firstDim = 0;
    Value value = getRows(&op, firstDim);
    // The narrowest of the same elements.
    while (auto cast = value ? value.getDefiningOp<ConvertElementTypeOp>() : ConvertElementTypeOp()) {
      if (getMemoryBytes(getElementType(cast.getInput())) >= getMemoryBytes(getElementType(value)))
        break;
      value = cast.getInput();
    }
    if (!value || !value.getDefiningOp() || value.getDefiningOp()->getNumResults() != 1)
      continue;
    ArrayRef<int64_t> shape = getShape(value);
    std::optional<int64_t> outer = getLastLong(shape, firstDim), inner = getLastLong(shape, shape.size());
    int64_t length = getNumElements(shape.drop_front(firstDim));
    int64_t sector = kSectorBytes / getMemoryBytes(getElementType(value)) * length;
    if (!outer || !inner || *inner < firstDim || length <= kShortRow)
      continue;
    Reads reads = getReads(value, *outer, *inner);
    // What lies along rows as well as across them is read along them (areRows in KernelSchedule.cpp).
    if (reads.across >= kFewestBytes && (reads.along >= reads.across || sector > kKeptElements))
      value.getDefiningOp()->setAttr(kInMemoryAttr, mlir::UnitAttr::get(op.getContext()));
  }
}
