// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions along rows: a row per block, per warp or per part of a warp.

#include "KernelEmitter.h"
#include "llvm/Support/MathExtras.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

LogicalResult KernelEmitter::emitRows() {
  SmallVector<unsigned> innerDims = ir.getInnerDims(), outerDims = ir.getOuterDims();
  int64_t rows = ir.getOuterSize(), length = ir.getInnerSize();
  unsigned lanes = chooseLanes(innerDims.back(), 8);
  int64_t vectors = length / lanes;
  // Threads of a row, a power of two.
  int64_t threads;
  if (vectors <= 128)
    threads = std::min<int64_t>(32, llvm::PowerOf2Ceil(vectors));
  else
    threads = std::clamp<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(vectors, 2)), 128,
                                  rows < 264 && vectors >= 1024 ? 1024 : 512);
  if (rows < 64 && vectors > 32 && threads <= 32)
    threads = 128;
  int64_t chunks = llvm::divideCeil(vectors, threads);
  bool inRegisters = chunks * lanes <= 64;
  if (!inRegisters && threads < 1024 && rows < 528)
    threads = 1024, chunks = llvm::divideCeil(vectors, threads);
  int64_t block = std::max<int64_t>(threads, 128);
  int64_t rowsPerBlock = block / threads;
  if (rowsPerBlock > rows) {
    rowsPerBlock = llvm::PowerOf2Ceil(rows);
    block = std::max<int64_t>(32, rowsPerBlock * threads);
    rowsPerBlock = block / threads;
  }
  createFunction(llvm::divideCeil(rows, rowsPerBlock), block);
  Value block0 = mlir::gpu::BlockIdOp::create(b, loc, mlir::gpu::Dimension::x),
        thread = mlir::gpu::ThreadIdOp::create(b, loc, mlir::gpu::Dimension::x);
  Value lane = thread, row = block0, rowValid;
  if (rowsPerBlock > 1) {
    lane = arith::RemUIOp::create(b, loc, thread, index(threads));
    row = addIndex(mulIndex(block0, rowsPerBlock), arith::DivUIOp::create(b, loc, thread, index(threads)));
    if (rows % rowsPerBlock != 0) {
      // All threads of a warp take part in shuffles: surplus rows compute the
      // last row again and store nothing.
      rowValid = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, row, index(rows));
      row = arith::MinUIOp::create(b, loc, row, index(rows - 1));
    }
  }
  Scope rowScope;
  rowScope.dims.assign(ir.space.getNumDims(), Value());
  rowScope.vectorDim = innerDims.back();
  rowScope.lanes = lanes;
  delinearize(row, getDigits(outerDims, 1), rowScope.dims);
  openTables(rowScope);

  struct Chunk {
    Scope scope;
    Value valid;
  };
  auto openChunk = [&](Chunk &chunk, Value number, bool mayOverrun) {
    Value at = addIndex(mulIndex(number, threads), lane);
    if (mayOverrun) {
      chunk.valid = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at, index(vectors));
      at = arith::MinUIOp::create(b, loc, at, index(vectors - 1));
    }
    chunk.scope.dims = rowScope.dims;
    chunk.scope.vectorDim = rowScope.vectorDim;
    chunk.scope.lanes = lanes;
    chunk.scope.parent = &rowScope;
    delinearize(at, getDigits(innerDims, lanes), chunk.scope.dims);
  };
  std::vector<Chunk> kept(inRegisters ? chunks : 0);
  for (auto [i, chunk] : llvm::enumerate(kept))
    openChunk(chunk, index(i), static_cast<int64_t>(i + 1) * threads > vectors);

  if (failed(computeRowValues(rowScope, 0)))
    return failure();
  for (unsigned phase = 1; phase <= ir.phases; ++phase) {
    SmallVector<unsigned> reduces = reducesOfPhase(phase);
    SmallVector<ReduceState> states;
    for (unsigned reduce : reduces)
      states.push_back(neutralState(reduce, lanes));
    if (inRegisters) {
      // All loads of the row first.
      if (phase == 1)
        for (Chunk &chunk : kept)
          for (const auto &[i, prim] : llvm::enumerate(ir.prims))
            if (prim.kind == Prim::Kind::Load && live.test(i) && prim.phase == 0 && ir.variesInside(prim))
              if (failed(compute(chunk.scope, {static_cast<unsigned>(i)})))
                return failure();
      for (Chunk &chunk : kept)
        for (auto [reduce, state] : llvm::zip_equal(reduces, states))
          if (failed(accumulate(chunk.scope, reduce, state, chunk.valid)))
            return failure();
    } else {
      SmallVector<Value> initial;
      for (const ReduceState &state : states)
        initial.append(state.begin(), state.end());
      auto loop = scf::ForOp::create(b, loc, index(0), index(chunks), index(1), initial);
      {
        OpBuilder::InsertionGuard restore(b);
        b.setInsertionPointToStart(loop.getBody());
        Chunk chunk;
        openChunk(chunk, loop.getInductionVar(), vectors % threads != 0);
        size_t next = 0;
        SmallVector<Value> yielded;
        for (auto [reduce, state] : llvm::zip_equal(reduces, states)) {
          for (Value &value : state)
            value = loop.getRegionIterArg(next++);
          if (failed(accumulate(chunk.scope, reduce, state, chunk.valid)))
            return failure();
          yielded.append(state.begin(), state.end());
        }
        scf::YieldOp::create(b, loc, yielded);
      }
      size_t next = 0;
      for (ReduceState &state : states)
        for (Value &value : state)
          value = loop.getResult(next++);
    }
    for (auto [reduce, state] : llvm::zip_equal(reduces, states)) {
      ReduceState total = reduceAcross(reduce, collapseLanes(reduce, state), threads, lane);
      rowScope.prims[reduce] = total.back();
    }
    if (failed(computeRowValues(rowScope, phase)))
      return failure();
  }

  // Stores: of the row itself by its first thread.
  SmallVector<const KernelStore *> rowStores;
  bool hasElementStores = false;
  for (const KernelStore &store : ir.stores) {
    bool inside = false;
    llvm::SmallBitVector storeDims = ir.space.getDims(store.address);
    for (unsigned dim : storeDims.set_bits())
      inside |= ir.inner[dim];
    hasElementStores |= inside;
    if (!inside)
      rowStores.push_back(&store);
  }
  auto both = [&](Value lhs, Value rhs) -> Value {
    if (!lhs || !rhs)
      return lhs ? lhs : rhs;
    return arith::AndIOp::create(b, loc, lhs, rhs);
  };
  if (hasElementStores) {
    if (inRegisters) {
      for (Chunk &chunk : kept)
        if (failed(emitElementStores(chunk.scope, both(rowValid, chunk.valid))))
          return failure();
    } else {
      auto loop = scf::ForOp::create(b, loc, index(0), index(chunks), index(1));
      OpBuilder::InsertionGuard restore(b);
      b.setInsertionPointToStart(loop.getBody());
      Chunk chunk;
      openChunk(chunk, loop.getInductionVar(), vectors % threads != 0);
      if (failed(emitElementStores(chunk.scope, both(rowValid, chunk.valid))))
        return failure();
    }
  }
  if (rowStores.empty())
    return success();
  Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane, index(0));
  return guarded(both(first, rowValid), [&] {
    for (const KernelStore *store : rowStores) {
      if (failed(compute(rowScope, {store->prim})))
        return failure();
      emitStore(rowScope, *store);
    }
    return success();
  });
}
