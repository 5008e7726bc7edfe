// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several kernels as one.

#include "Kernel/HostMemory.h"
#include "Kernel/KernelDims.h"
#include <map>

using namespace fxgraph;
using namespace fxgraph::gpu;

//===----------------------------------------------------------------------===//
// Equal operations
//===----------------------------------------------------------------------===//

/// What a prim does to its operands.
static void writeFunction(raw_ostream &os, const IndexSpace &space, const Prim &prim) {
  auto writeExpr = [&](const IndexExpr &expr) { os << '{' << space.str(expr) << '}'; };
  os << ';' << static_cast<int>(prim.kind) << prim.type << prim.isUnsigned << ',' << static_cast<int>(prim.arithmetic)
     << ',' << static_cast<int>(prim.reduce);
  if (prim.kind == Prim::Kind::Load)
    os << '@' << prim.array;
  if (prim.kind == Prim::Kind::Load || prim.kind == Prim::Kind::Coordinate)
    writeExpr(prim.address);
  for (const RangeTest &test : prim.tests) {
    writeExpr(test.expr);
    os << test.lo << ':' << test.hi;
  }
  // Attributes and types are unique in the context.
  os << prim.constant.getAsOpaquePointer() << prim.rounded.getAsOpaquePointer();
  if (prim.op)
    os << prim.op->getName() << prim.op->getAttrDictionary().getAsOpaquePointer()
       << llvm::cast<RankedTensorType>(prim.op->getResult(0).getType()).getElementType();
}

/// What a prim computes: equal text for equal values.
static void writePrim(raw_ostream &os, const IndexSpace &space, const Prim &prim) {
  writeFunction(os, space, prim);
  os << '(';
  for (unsigned operand : prim.operands)
    os << operand << ',';
  os << ')';
}

bool fxgraph::gpu::isSameFunction(const IndexSpace &space, const Prim &lhs, const Prim &rhs) {
  std::string left, right;
  llvm::raw_string_ostream leftText(left), rightText(right);
  writeFunction(leftText, space, lhs);
  writeFunction(rightText, space, rhs);
  return lhs.operands.size() == rhs.operands.size() && left == right;
}

std::string fxgraph::gpu::getSignature(const KernelIR &kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (unsigned i = 0; i < kernel.space.getNumDims(); ++i)
    os << kernel.space.getSize(i) << (kernel.inner[i] ? 'r' : 'p');
  os << (kernel.prefersColumns ? 'c' : 'w') << (kernel.emptyReduction ? 'e' : 'f');
  for (const KernelArray &array : kernel.arrays)
    os << '|' << array.elementType << (array.written ? '+' : '-');
  for (const Prim &prim : kernel.prims)
    writePrim(os, kernel.space, prim);
  for (const KernelStore &store : kernel.stores)
    os << ">" << store.array << '=' << store.prim << '{' << kernel.space.str(store.address) << '}';
  for (unsigned id = 0; id < kernel.space.getNumAtoms(); ++id)
    if (const IndexSpace::Atom &atom = kernel.space.getAtom(id); atom.kind == IndexSpace::AtomKind::Symbol)
      os << '$' << atom.number << '=' << kernel.symbols.lookup(atom.number) << '[' << atom.a << ',' << atom.b << ')';
  return text;
}

//===----------------------------------------------------------------------===//
// Kernels over the same elements
//===----------------------------------------------------------------------===//

/// Each dimension of a nest as a position in some neighbouring ones of another nest; false if it is none such.
static bool splitDims(const KernelIR &coarse, KernelIR &fine, SmallVectorImpl<IndexExpr> &positions) {
  unsigned next = 0, numDims = fine.space.getNumDims();
  for (unsigned dim = 0; dim < coarse.space.getNumDims(); ++dim) {
    Index index;
    SmallVector<int64_t> sizes;
    int64_t size = 1;
    while (size < coarse.space.getSize(dim) && next < numDims && fine.inner[next] == coarse.inner[dim]) {
      size *= fine.space.getSize(next);
      sizes.push_back(fine.space.getSize(next));
      index.push_back(fine.space.getDim(next++));
    }
    if (size != coarse.space.getSize(dim))
      return false;
    positions.push_back(fine.space.linearize(index, sizes));
  }
  return next == numDims;
}

std::optional<KernelIR> fxgraph::gpu::joinKernels(const KernelIR &first, const KernelIR &second) {
  for (const KernelIR *kernel : {&first, &second})
    if (!kernel->symbols.empty() || kernel->tableDim >= 0 || kernel->prefersColumns || kernel->emptyReduction ||
        kernel->hasScans())
      return std::nullopt;
  KernelIR joined = first;
  IndexSpace &space = joined.space;
  // The second one's dimensions in the first one's: the same, or positions in all of them.
  SmallVector<IndexExpr> replacements;
  if (space.getSizes() == second.space.getSizes() && (first.inner == second.inner || second.phases == 0)) {
    for (unsigned dim = 0; dim < space.getNumDims(); ++dim)
      replacements.push_back(space.getDim(dim));
  } else if (second.phases == 0 && second.space.getNumDims() == 1 &&
             second.space.getSize(0) == first.getOuterSize() * first.getInnerSize()) {
    Index all;
    for (unsigned dim = 0; dim < space.getNumDims(); ++dim)
      all.push_back(space.getDim(dim));
    replacements.push_back(space.linearize(all, space.getSizes()));
  } else if (!splitDims(second, joined, replacements)) {
    return std::nullopt;
  }
  IndexSpace::Rewriter rewriter(second.space, space, replacements);
  SmallVector<unsigned> arrayOf;
  for (const KernelArray &array : second.arrays) {
    auto same = llvm::find_if(joined.arrays, [&](const KernelArray &other) {
      return other.value == array.value && other.offset == array.offset && other.elementType == array.elementType;
    });
    arrayOf.push_back(same - joined.arrays.begin());
    if (same == joined.arrays.end()) {
      joined.arrays.push_back(array);
      continue;
    }
    same->written |= array.written;
    same->extent = std::max(same->extent, array.extent);
  }
  std::map<std::string, unsigned> known;
  auto getText = [&](const Prim &prim) {
    std::string text;
    llvm::raw_string_ostream os(text);
    writePrim(os, space, prim);
    return text;
  };
  for (const auto &[i, prim] : llvm::enumerate(joined.prims))
    known.try_emplace(getText(prim), i);
  bool shares = false;
  SmallVector<unsigned> primOf;
  for (Prim prim : second.prims) {
    for (unsigned &operand : prim.operands)
      operand = primOf[operand];
    if (prim.kind == Prim::Kind::Load || prim.kind == Prim::Kind::Coordinate)
      prim.address = rewriter.rewrite(prim.address);
    if (prim.kind == Prim::Kind::Load)
      prim.array = arrayOf[prim.array];
    for (RangeTest &test : prim.tests)
      test.expr = rewriter.rewrite(test.expr);
    auto [it, isNew] = known.try_emplace(getText(prim), joined.prims.size());
    primOf.push_back(it->second);
    if (isNew) {
      joined.prims.push_back(std::move(prim));
      continue;
    }
    // What all elements read: that is why one kernel is better than two.
    const Prim &same = joined.prims[it->second];
    shares |= same.kind == Prim::Kind::Load && same.dims.count() == space.getNumDims();
  }
  if (!shares)
    return std::nullopt;
  for (KernelStore store : second.stores) {
    store.array = arrayOf[store.array];
    store.address = rewriter.rewrite(store.address);
    store.prim = primOf[store.prim];
    joined.stores.push_back(std::move(store));
  }
  deriveFacts(joined);
  return joined;
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

KernelIR fxgraph::gpu::batchKernels(ArrayRef<const KernelIR *> kernels) {
  KernelIR ir = *kernels.front();
  int64_t count = kernels.size();
  SmallVector<int64_t> strides(ir.arrays.size(), 0); // elements per instance
  bool tables = false;
  for (auto [i, array] : llvm::enumerate(ir.arrays)) {
    int64_t bytes = getMemoryBytes(array.elementType);
    SmallVector<int64_t> offsets;
    uint64_t space = 0;
    bool regular = true;
    for (const KernelIR *kernel : kernels) {
      const KernelArray &other = kernel->arrays[i];
      array.instances.push_back({other.value, other.offset});
      array.align = std::min(array.align, other.align);
      array.extent = std::max(array.extent, other.extent);
      auto [where, offset] = getMemoryAddress(other.value);
      regular &= offsets.empty() || where == space;
      space = where;
      offsets.push_back(offset + other.offset * bytes);
    }
    int64_t step = offsets.size() > 1 ? offsets[1] - offsets[0] : 0;
    regular &= step % bytes == 0;
    for (size_t k = 1; k < offsets.size(); ++k)
      regular &= offsets[k] - offsets[k - 1] == step;
    if (regular) {
      strides[i] = step / bytes;
      array.extent += std::abs(strides[i]) * (count - 1);
      // The pointer is the one to the lowest memory.
      if (step < 0) {
        const KernelArray &lowest = kernels.back()->arrays[i];
        array.value = lowest.value;
        array.offset = lowest.offset;
      }
    } else {
      array.table = tables = true;
    }
  }
  // Where the first result's memory has it, so that neighbouring threads write neighbouring memory; outermost where a
  // table is read by it, unless results that are less than a line apart would be written far apart in time.
  unsigned position = 0;
  const KernelStore &store = ir.stores.front();
  const KernelArray &result = ir.arrays[store.array];
  constexpr int64_t line = 128;
  if (!tables || (!result.table && strides[store.array] * getMemoryBytes(result.elementType) < line)) {
    while (position < ir.space.getNumDims() && !ir.inner[position] &&
           ir.space.getStride(store.address, position) > strides[store.array])
      ++position;
  }
  IndexSpace target;
  SmallVector<IndexExpr> replacements;
  SmallVector<bool> inner;
  unsigned batchDim = 0;
  for (unsigned dim = 0; dim <= ir.space.getNumDims(); ++dim) {
    if (dim == position) {
      batchDim = target.getNumDims();
      target.addDim(count);
      inner.push_back(false);
    }
    if (dim == ir.space.getNumDims())
      break;
    replacements.push_back(target.addDim(ir.space.getSize(dim)));
    inner.push_back(ir.inner[dim]);
  }
  rewriteDims(ir, std::move(target), replacements, std::move(inner));
  IndexExpr instance = ir.space.getDim(batchDim);
  auto move = [&](IndexExpr &address, unsigned array) {
    address = ir.space.addScaled(address, instance, strides[array]);
    address.constant += std::max<int64_t>(-strides[array], 0) * (count - 1);
  };
  for (Prim &prim : ir.prims)
    if (prim.kind == Prim::Kind::Load)
      move(prim.address, prim.array);
  for (KernelStore &store : ir.stores)
    move(store.address, store.array);
  if (tables)
    ir.tableDim = batchDim;
  mergeDims(ir);
  deriveFacts(ir);
  // What comes from a table varies with the instance, whatever its address.
  if (tables)
    for (Prim &prim : ir.prims) {
      if (prim.kind == Prim::Kind::Load && ir.arrays[prim.array].table)
        prim.dims.set(ir.tableDim);
      for (unsigned operand : prim.operands)
        if (ir.prims[operand].dims.test(ir.tableDim))
          prim.dims.set(ir.tableDim);
    }
  return ir;
}
