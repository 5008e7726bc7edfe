// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of elements, sizes, and what is derived of a kernel's operations.

#include "Kernel/KernelIR.h"
#include "fxgraph/Conversion/Scalars.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

Type fxgraph::gpu::getComputeType(Type elementType) {
  if (auto integer = dyn_cast<IntegerType>(elementType))
    return IntegerType::get(elementType.getContext(), integer.getWidth());
  if (elementType.isF64() || elementType.isIndex())
    return elementType;
  return mlir::Float32Type::get(elementType.getContext());
}
Type fxgraph::gpu::getMemoryType(Type elementType) { return lowering::getStorageType(elementType); }

unsigned fxgraph::gpu::getMemoryBytes(Type elementType) {
  return (getMemoryType(elementType).getIntOrFloatBitWidth() + 7) / 8;
}

int64_t KernelIR::getOuterSize() const {
  int64_t size = 1;
  for (unsigned i = 0; i < space.getNumDims(); ++i)
    size *= inner[i] ? 1 : space.getSize(i);
  return size;
}

int64_t KernelIR::getInnerSize() const {
  int64_t size = 1;
  for (unsigned i = 0; i < space.getNumDims(); ++i)
    size *= inner[i] ? space.getSize(i) : 1;
  return size;
}

SmallVector<unsigned> KernelIR::getInnerDims() const {
  SmallVector<unsigned> dims;
  for (unsigned i = 0; i < space.getNumDims(); ++i)
    if (inner[i])
      dims.push_back(i);
  return dims;
}

SmallVector<unsigned> KernelIR::getOuterDims() const {
  SmallVector<unsigned> dims;
  for (unsigned i = 0; i < space.getNumDims(); ++i)
    if (!inner[i])
      dims.push_back(i);
  return dims;
}

bool KernelIR::variesInside(const Prim &prim) const {
  for (unsigned dim : prim.dims.set_bits())
    if (inner[dim])
      return true;
  return false;
}

bool KernelIR::hasScans() const {
  return llvm::any_of(prims, [](const Prim &prim) { return prim.kind == Prim::Kind::Scan; });
}

void KernelIR::visitSymbols(const IndexExpr &expr, function_ref<void(unsigned)> visit) const {
  space.visitSymbols(expr, [&](unsigned number) { visit(symbols.lookup(number)); });
}

void fxgraph::gpu::deriveFacts(KernelIR &ir) {
  ir.phases = 0;
  unsigned numDims = ir.space.getNumDims();
  for (Prim &prim : ir.prims) {
    prim.dims = llvm::SmallBitVector(numDims);
    prim.phase = 0;
    for (unsigned operand : prim.operands) {
      prim.dims |= ir.prims[operand].dims;
      prim.phase = std::max(prim.phase, ir.prims[operand].phase);
    }
    auto addExpr = [&](const IndexExpr &expr) {
      prim.dims |= ir.space.getDims(expr);
      ir.visitSymbols(expr, [&](unsigned symbol) { prim.phase = std::max(prim.phase, ir.prims[symbol].phase); });
    };
    if (prim.kind == Prim::Kind::Load || prim.kind == Prim::Kind::Coordinate)
      addExpr(prim.address);
    for (const RangeTest &test : prim.tests)
      addExpr(test.expr);
    if (prim.kind == Prim::Kind::Reduce) {
      prim.phase += !ir.emptyReduction;
      for (unsigned dim = 0; dim < numDims; ++dim)
        if (ir.inner[dim])
          prim.dims.reset(dim);
    }
    if (prim.kind == Prim::Kind::Scan) {
      ++prim.phase;
      for (unsigned dim = 0; dim < numDims; ++dim)
        if (ir.inner[dim])
          prim.dims.set(dim);
    }
    ir.phases = std::max(ir.phases, prim.phase);
  }
}

void fxgraph::gpu::dropUnusedArrays(KernelIR &ir) {
  constexpr unsigned unused = ~0u;
  std::vector<unsigned> numbers(ir.arrays.size(), unused);
  std::vector<KernelArray> arrays;
  auto use = [&](auto &array) {
    if (numbers[array] == unused) {
      numbers[array] = arrays.size();
      arrays.push_back(std::move(ir.arrays[array]));
    }
    array = numbers[array];
  };
  for (Prim &prim : ir.prims)
    if (prim.kind == Prim::Kind::Load)
      use(prim.array);
  for (KernelStore &store : ir.stores)
    use(store.array);
  if (ir.carries >= 0)
    use(ir.carries);
  ir.arrays = std::move(arrays);
}
