// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop dimensions in which addresses are linear, and few.

#include "Kernel/KernelDims.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

static void forEachExpr(KernelIR &ir, function_ref<void(IndexExpr &)> visit) {
  for (Prim &prim : ir.prims) {
    if (prim.kind == Prim::Kind::Load || prim.kind == Prim::Kind::Coordinate)
      visit(prim.address);
    for (RangeTest &test : prim.tests)
      visit(test.expr);
  }
  for (KernelStore &store : ir.stores)
    visit(store.address);
}

void fxgraph::gpu::rewriteDims(KernelIR &ir, IndexSpace target, ArrayRef<IndexExpr> replacements,
                               SmallVector<bool> inner) {
  IndexSpace::Rewriter rewriter(ir.space, target, replacements);
  if (ir.tableDim >= 0)
    ir.tableDim = target.getSingleDim(replacements[ir.tableDim]);
  forEachExpr(ir, [&](IndexExpr &expr) { expr = rewriter.rewrite(expr); });
  ir.space = std::move(target);
  ir.inner = std::move(inner);
}

void fxgraph::gpu::refineDims(KernelIR &ir) {
  for (unsigned turn = 0; turn < 32; ++turn) {
    // What expressions really use; atoms of dropped expressions do not count.
    int splitDim = -1;
    int64_t splitBy = 0;
    SmallVector<unsigned> pending;
    llvm::SmallBitVector seen(ir.space.getNumAtoms());
    forEachExpr(ir, [&](IndexExpr &expr) {
      for (const auto &[id, coefficient] : expr.terms)
        pending.push_back(id);
    });
    while (!pending.empty() && splitDim < 0) {
      unsigned id = pending.pop_back_val();
      if (seen.test(id))
        continue;
      seen.set(id);
      const IndexSpace::Atom &atom = ir.space.getAtom(id);
      if (atom.kind == IndexSpace::AtomKind::Dim || atom.kind == IndexSpace::AtomKind::Symbol)
        continue;
      for (const auto &[innerId, coefficient] : atom.inner.terms)
        pending.push_back(innerId);
      int dim = ir.space.getSingleDim(atom.inner);
      if (dim < 0 || atom.kind == IndexSpace::AtomKind::Clamp)
        continue;
      if (ir.space.getSize(dim) % atom.a == 0 && ir.space.getSize(dim) > atom.a) {
        splitDim = dim;
        splitBy = atom.a;
      }
    }
    if (splitDim < 0)
      return;
    IndexSpace target;
    SmallVector<IndexExpr> replacements;
    SmallVector<bool> inner;
    for (unsigned dim = 0; dim < ir.space.getNumDims(); ++dim) {
      inner.push_back(ir.inner[dim]);
      if (static_cast<int>(dim) != splitDim) {
        replacements.push_back(target.addDim(ir.space.getSize(dim)));
        continue;
      }
      IndexExpr high = target.addDim(ir.space.getSize(dim) / splitBy), low = target.addDim(splitBy);
      replacements.push_back(target.addScaled(low, high, splitBy));
      inner.push_back(ir.inner[dim]);
    }
    rewriteDims(ir, std::move(target), replacements, std::move(inner));
  }
}

void fxgraph::gpu::sortResults(KernelIR &ir) {
  constexpr int64_t manyElements = 16;
  bool reduces = !ir.getInnerDims().empty();
  const IndexExpr *order = nullptr;
  int64_t most = 0;
  if (!reduces && !ir.stores.empty())
    order = &ir.stores.front().address;
  for (const Prim &prim : ir.prims) {
    if (prim.kind != Prim::Kind::Load || !reduces)
      continue;
    int64_t elements = 1;
    for (unsigned dim : ir.space.getDims(prim.address).set_bits())
      elements *= ir.space.getSize(dim);
    if (elements > most) {
      most = elements;
      order = &prim.address;
    }
  }
  if (!order || ir.hasScans() || ir.prefersColumns || ir.tableDim >= 0 || (reduces && ir.getInnerSize() < manyElements))
    return;
  SmallVector<unsigned> dims = ir.getOuterDims();
  auto getStep = [&](unsigned dim) { return std::abs(ir.space.getUsualStride(*order, dim).value_or(0)); };
  // Elements are written as they are read, or along the reduction: those then go through shared memory.
  for (const KernelStore &store : ir.stores) {
    llvm::SmallBitVector own = ir.space.getDims(store.address);
    if (llvm::none_of(ir.getInnerDims(), [&](unsigned dim) { return own.test(dim); }))
      continue;
    auto isDense = [&](unsigned dim) { return ir.space.getStride(store.address, dim) == 1; };
    if (!isDense(ir.getInnerDims().back()) &&
        llvm::none_of(dims, [&](unsigned dim) { return getStep(dim) == 1 && isDense(dim); }))
      return;
  }
  for (unsigned dim : dims)
    if (ir.space.getSize(dim) > 1 && getStep(dim) == 0)
      return;
  llvm::stable_sort(dims, [&](unsigned lhs, unsigned rhs) { return getStep(lhs) > getStep(rhs); });
  dims.append(ir.getInnerDims());
  IndexSpace target;
  SmallVector<IndexExpr> replacements(dims.size());
  SmallVector<bool> inner;
  for (unsigned dim : dims) {
    replacements[dim] = target.addDim(ir.space.getSize(dim));
    inner.push_back(ir.inner[dim]);
  }
  rewriteDims(ir, std::move(target), replacements, std::move(inner));
}

void fxgraph::gpu::mergeDims(KernelIR &ir) {
  IndexSpace target;
  SmallVector<IndexExpr> replacements(ir.space.getNumDims());
  SmallVector<bool> inner;
  SmallVector<unsigned> kept;
  for (unsigned dim = 0; dim < ir.space.getNumDims(); ++dim)
    if (ir.space.getSize(dim) > 1)
      kept.push_back(dim);
  // Groups of consecutive kept dimensions of one kind.
  SmallVector<SmallVector<unsigned>> groups;
  for (unsigned dim : kept) {
    bool joins = !groups.empty() && ir.inner[groups.back().back()] == ir.inner[dim] &&
                 static_cast<int>(dim) != ir.tableDim && static_cast<int>(groups.back().back()) != ir.tableDim;
    if (joins) {
      unsigned previous = groups.back().back();
      unsigned high = ir.space.getAtomOfDim(previous), low = ir.space.getAtomOfDim(dim);
      int64_t size = ir.space.getSize(dim);
      forEachExpr(ir, [&](IndexExpr &expr) {
        joins &= !ir.space.occursInside(expr, previous) && !ir.space.occursInside(expr, dim) &&
                 expr.getCoefficient(high) == size * expr.getCoefficient(low);
      });
    }
    if (!joins)
      groups.emplace_back();
    groups.back().push_back(dim);
  }
  for (ArrayRef<unsigned> group : groups) {
    int64_t size = 1;
    for (unsigned dim : group)
      size *= ir.space.getSize(dim);
    target.addDim(size);
    inner.push_back(ir.inner[group.front()]);
  }
  // Linear expressions take the coefficient of the group's last dimension. Each
  // group member but the last maps to 0 and the last to the whole: the sum of
  // the members' terms is then coefficient(last) * whole.
  SmallVector<SmallVector<unsigned>> groupOf(ir.space.getNumDims());
  for (const auto &[i, group] : llvm::enumerate(groups)) {
    if (group.size() == 1) {
      replacements[group.front()] = target.getDim(i);
      continue;
    }
    for (unsigned dim : group)
      replacements[dim] = IndexExpr(0);
    replacements[group.back()] = target.getDim(i);
  }
  rewriteDims(ir, std::move(target), replacements, std::move(inner));
}

KernelIR fxgraph::gpu::flattenDims(const KernelIR &kernel, unsigned first) {
  KernelIR flat = kernel;
  unsigned numDims = kernel.space.getNumDims();
  IndexSpace target;
  SmallVector<IndexExpr> replacements;
  SmallVector<int64_t> sizes;
  int64_t size = 1;
  for (unsigned dim = 0; dim < numDims; ++dim) {
    if (dim < first) {
      replacements.push_back(target.addDim(kernel.space.getSize(dim)));
      continue;
    }
    sizes.push_back(kernel.space.getSize(dim));
    size *= sizes.back();
  }
  IndexExpr position = target.addDim(size);
  llvm::append_range(replacements, target.delinearize(position, sizes));
  rewriteDims(flat, std::move(target), replacements, SmallVector<bool>(first + 1, false));
  deriveFacts(flat);
  return flat;
}
