// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, and what is computed from them for every element. Along contiguous memory
// (rows) neighbouring threads share a row and their accesses are vectors along it;
// across it (strips) neighbouring threads have neighbouring results, their accesses are
// vectors of results, and threads further away share a result.

#include "Emit/KernelEmitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

/// Elements that a thread loads before it computes.
static constexpr int64_t kLoadedElements = 64;

namespace {
/// An access of a thread to the elements of a result.
struct Chunk {
  Scope scope;
  Value number; ///< of the access among those of a thread
  Value valid;  ///< null: always
};
/// A result, or a vector of neighbouring ones.
struct Row {
  Scope scope;
  Value valid;
  std::vector<Chunk> kept;
};
} // namespace

LogicalResult KernelEmitter::emitReduction() {
  SmallVector<unsigned> innerDims = ir.getInnerDims(), outerDims = ir.getOuterDims();
  bool strips = schedule.kind == KernelSchedule::Kind::Strips;
  unsigned lanes = schedule.lanes, innerLanes = strips ? 1 : lanes, outerLanes = strips ? lanes : 1;
  int64_t threads = schedule.getThreadsOfResult(), chunks = schedule.chunks;
  int64_t rows = ir.getOuterSize() / outerLanes, vectors = ir.getInnerSize() / innerLanes / schedule.window;
  SmallVector<unsigned> windowDims = schedule.getWindowDims(ir);
  ArrayRef<unsigned> loopDims = ArrayRef(innerDims).drop_back(windowDims.size());
  int64_t width = schedule.block / schedule.threads, places = width * schedule.unroll;
  int64_t rowsPerBlock = schedule.runResults ? schedule.runResults : places;
  openBlocks(llvm::divideCeil(rows, rowsPerBlock) * schedule.cluster, schedule.block);
  // Which result of the block, and which of the threads that share it.
  Value place = index(0), lane = threadId;
  if (width > 1) {
    place = strips ? arith::RemUIOp::create(b, loc, threadId, index(width)).getResult()
                   : arith::DivUIOp::create(b, loc, threadId, index(threads)).getResult();
    lane = strips ? arith::DivUIOp::create(b, loc, threadId, index(width)).getResult()
                  : arith::RemUIOp::create(b, loc, threadId, index(threads)).getResult();
  }
  Value group = blockId, rank; // Which of the blocks that share a row.
  if (schedule.cluster > 1) {
    group = arith::DivUIOp::create(b, loc, blockId, index(schedule.cluster));
    rank = arith::RemUIOp::create(b, loc, blockId, index(schedule.cluster));
    lane = addIndex(mulIndex(rank, schedule.threads), lane);
    // Until all of them have begun, their shared memory is not to be written.
    mlir::NVVM::ClusterArriveRelaxedOp::create(b, loc, b.getUnitAttr());
  }
  bool haveBegun = false;
  Value first = addIndex(mulIndex(group, rowsPerBlock), mulIndex(place, schedule.unroll));

  if (schedule.runResults)
    openRun(group);

  std::vector<Row> open(schedule.unroll);
  auto openChunk = [&](const Row &row, Chunk &chunk, Value number, bool mayOverrun, int64_t inWindow = 0) {
    Value at = addIndex(mulIndex(number, threads), lane);
    if (mayOverrun) {
      chunk.valid = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at, index(vectors));
      at = arith::MinUIOp::create(b, loc, at, index(vectors - 1));
    }
    chunk.number = number;
    chunk.scope.dims = row.scope.dims;
    chunk.scope.vectorDim = row.scope.vectorDim;
    chunk.scope.lanes = lanes;
    chunk.scope.parent = &row.scope;
    delinearize(at, getDigits(loopDims, innerLanes), chunk.scope.dims);
    for (unsigned dim : llvm::reverse(windowDims)) {
      chunk.scope.dims[dim] = index(inWindow % ir.space.getSize(dim));
      inWindow /= ir.space.getSize(dim);
    }
  };
  for (auto [i, row] : llvm::enumerate(open)) {
    Value number = addIndex(first, index(i));
    if (rows % rowsPerBlock != 0) {
      // All threads of a warp take part in shuffles, and all of a block in barriers: surplus rows compute the last row
      // again and store nothing.
      row.valid = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, index(rows));
      number = arith::MinUIOp::create(b, loc, number, index(rows - 1));
    }
    if (rowsPerBlock < places) { // What they read is the block's.
      row.valid = both(row.valid, isBelow(place, rowsPerBlock));
      Value last = addIndex(mulIndex(group, rowsPerBlock), index(rowsPerBlock - 1));
      number = arith::MinUIOp::create(b, loc, number, last);
    }
    if (schedule.runResults)
      openRunResult(group, number);
    row.scope.dims.assign(ir.space.getNumDims(), Value());
    row.scope.vectorDim = strips ? outerDims.back() : innerDims.back();
    row.scope.lanes = lanes;
    delinearize(number, getDigits(outerDims, outerLanes), row.scope.dims);
    openTables(row.scope);
    row.kept.resize(schedule.kept ? chunks : 0);
    for (auto [k, chunk] : llvm::enumerate(row.kept))
      openChunk(row, chunk, index(k), static_cast<int64_t>(k + 1) * threads > vectors);
  }

  // What differs from row to row comes from memory, and is on its way first; what all rows have in common (weights) comes
  // from a cache, and where there are no registers for it, when it is needed.
  SmallVector<unsigned> loads;
  for (const auto &[i, prim] : llvm::enumerate(ir.prims))
    if (prim.kind == Prim::Kind::Load && uses.live.test(i) && prim.phase == 0 && ir.variesInside(prim))
      loads.push_back(i);
  if (schedule.kept && static_cast<int64_t>(loads.size()) * chunks * lanes > kLoadedElements)
    llvm::erase_if(loads, [&](unsigned load) {
      return llvm::none_of(outerDims, [&](unsigned dim) { return ir.prims[load].dims.test(dim); });
    });
  auto loadElements = [&](Chunk &chunk) { return compute(chunk.scope, loads); };
  // A loop over the chunks of a row that are not kept, several in flight.
  auto forChunks = [&](const Row &row, ValueRange initial,
                       function_ref<FailureOr<SmallVector<Value>>(MutableArrayRef<Chunk>, ValueRange)> body)
      -> FailureOr<SmallVector<Value>> {
    int64_t ahead = schedule.ahead;
    auto loop = scf::ForOp::create(b, loc, index(0), index(chunks), index(ahead), initial);
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToStart(loop.getBody());
    std::vector<Chunk> turn(ahead * schedule.window);
    for (auto [i, chunk] : llvm::enumerate(turn))
      openChunk(row, chunk, addIndex(loop.getInductionVar(), index(i / schedule.window)),
                vectors % (threads * ahead) != 0, i % schedule.window);
    FailureOr<SmallVector<Value>> next = body(turn, loop.getRegionIterArgs());
    if (failed(next))
      return failure();
    if (!initial.empty())
      scf::YieldOp::create(b, loc, *next);
    return SmallVector<Value>(loop.getResults());
  };
  auto accumulatePhase = [&](Row &row, ArrayRef<unsigned> reduces,
                             SmallVectorImpl<ReduceState> &states) -> LogicalResult {
    auto add = [&](Chunk &chunk) -> LogicalResult {
      for (auto [reduce, state] : llvm::zip_equal(reduces, states))
        if (failed(accumulate(chunk.scope, reduce, state, chunk.valid)))
          return failure();
      return success();
    };
    if (schedule.kept) {
      for (Chunk &chunk : row.kept)
        if (failed(add(chunk)))
          return failure();
      return success();
    }
    auto assign = [&](ValueRange values) {
      size_t next = 0;
      for (ReduceState &state : states)
        for (Value &value : state)
          value = values[next++];
    };
    auto flatten = [&] {
      SmallVector<Value> values;
      for (const ReduceState &state : states)
        values.append(state.begin(), state.end());
      return values;
    };
    auto totals = forChunks(row, flatten(),
                            [&](MutableArrayRef<Chunk> turn, ValueRange carried) -> FailureOr<SmallVector<Value>> {
                              assign(carried);
                              for (Chunk &chunk : turn)
                                if (failed(loadElements(chunk)))
                                  return failure();
                              for (Chunk &chunk : turn)
                                if (failed(add(chunk)))
                                  return failure();
                              return flatten();
                            });
    if (failed(totals))
      return failure();
    assign(*totals);
    return success();
  };

  for (Row &row : open)
    if (failed(computeRowValues(row.scope, 0)))
      return failure();
  // All loads first.
  for (Row &row : open)
    for (Chunk &chunk : row.kept)
      if (failed(loadElements(chunk)))
        return failure();
  for (unsigned phase = 1; phase <= ir.phases; ++phase) {
    SmallVector<unsigned> reduces = reducesOfPhase(phase);
    if (reduces.empty())
      continue;
    SmallVector<SmallVector<ReduceState>> states(open.size());
    for (auto [row, rowStates] : llvm::zip_equal(open, states)) {
      for (unsigned reduce : reduces)
        rowStates.push_back(neutralState(reduce, !strips || varies(row.scope, ir.prims[reduce].dims) ? lanes : 1));
      if (failed(accumulatePhase(row, reduces, rowStates)))
        return failure();
    }
    for (auto [row, rowStates] : llvm::zip_equal(open, states)) {
      for (auto [reduce, state] : llvm::zip_equal(reduces, rowStates))
        state = strips ? reduceStrip(reduce, state, width, threadId)
                       : reduceAcross(reduce, collapseLanes(reduce, state), schedule.threads,
                                      schedule.cluster > 1 ? threadId : lane);
      if (schedule.cluster > 1) {
        if (!std::exchange(haveBegun, true))
          mlir::NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
        combineInCluster(reduces, rowStates, rank);
      }
      for (auto [reduce, state] : llvm::zip_equal(reduces, rowStates))
        row.scope.prims[reduce] = state.back();
    }
    for (Row &row : open)
      if (failed(computeRowValues(row.scope, phase)))
        return failure();
  }

  // Elements that are stored along the rows: threads write what others have computed, of some accesses at once.
  int64_t most = threads * schedule.exchanges;
  SmallVector<std::pair<const KernelStore *, Value>> exchanged;
  if (schedule.exchanges)
    for (const KernelStore &store : ir.stores)
      if (isStoredAlongRows(ir, store))
        exchanged.push_back(
            {&store, addShared(width * lanes * (most + 1), getMemoryType(ir.arrays[store.array].elementType))});
  auto exchange = [&](MutableArrayRef<Chunk> group) -> LogicalResult {
    int64_t run = threads * group.size();
    for (auto [number, chunk] : llvm::enumerate(group))
      for (auto &[store, memory] : exchanged) {
        if (failed(compute(chunk.scope, {store->prim})))
          return failure();
        Value value =
            toMemory(widen(chunk.scope, chunk.scope.find(store->prim), lanes > 1), ir.arrays[store->array].elementType);
        Value own = addIndex(mulIndex(place, lanes * (most + 1)), addIndex(lane, index(number * threads)));
        for (unsigned i = 0; i < lanes; ++i)
          memref::StoreOp::create(b, loc, getLane(value, i), memory, addIndex(own, index(i * (most + 1))));
      }
    mlir::gpu::BarrierOp::create(b, loc);
    for (unsigned i = 0; i < lanes * group.size(); ++i) {
      // A thread's place in the block's results, the elements of a row next to each other.
      Value number = addIndex(threadId, index(i * schedule.block));
      Value result = arith::DivUIOp::create(b, loc, number, index(run)),
            step = arith::RemUIOp::create(b, loc, number, index(run));
      Value slot = addIndex(mulIndex(result, most + 1), step);
      Value outer = addIndex(mulIndex(blockId, width * lanes), result),
            inner = addIndex(mulIndex(group.front().number, threads), step);
      Value valid = arith::AndIOp::create(
          b, loc, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, outer, index(rows * lanes)),
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, inner, index(vectors)));
      if (failed(guarded(valid, [&] {
            Scope scope;
            scope.dims.assign(ir.space.getNumDims(), Value());
            scope.vectorDim = innerDims.back();
            delinearize(outer, getDigits(outerDims, 1), scope.dims);
            delinearize(inner, getDigits(innerDims, 1), scope.dims);
            for (auto &[store, memory] : exchanged)
              memref::StoreOp::create(b, loc, memref::LoadOp::create(b, loc, memory, slot),
                                      getMemory(scope, store->array), evaluate(scope, store->address, 0));
            return success();
          })))
        return failure();
    }
    // The next accesses of the threads write the same places.
    mlir::gpu::BarrierOp::create(b, loc);
    return success();
  };
  SmallVector<const KernelStore *> rowStores;
  for (const KernelStore &store : ir.stores)
    if (isRowStore(ir, store))
      rowStores.push_back(&store);
  if (schedule.cluster > 1 && !haveBegun)
    mlir::NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
  if (schedule.runResults && schedule.sharesRun(ir)) // All have what they read.
    mlir::gpu::BarrierOp::create(b, loc);
  for (Row &row : open) {
    if (rowStores.size() < ir.stores.size()) {
      SmallVector<Value> carried;
      for (unsigned scan : getScans())
        carried.push_back(neutralState(scan, strips && varies(row.scope, ir.prims[scan].dims) ? lanes : 1)[0]);
      auto storeAll = [&](MutableArrayRef<Chunk> turn, MutableArrayRef<Value> before) -> LogicalResult {
        for (Chunk &chunk : turn)
          if (!schedule.kept && failed(loadElements(chunk)))
            return failure();
        for (Chunk &chunk : turn)
          if (failed(emitScans(chunk.scope, chunk.valid, before, lane)) ||
              failed(emitElementStores(chunk.scope, both(row.valid, chunk.valid))))
            return failure();
        for (; !exchanged.empty() && !turn.empty();
             turn = turn.drop_front(std::min<size_t>(turn.size(), schedule.exchanges)))
          if (failed(exchange(turn.take_front(schedule.exchanges))))
            return failure();
        return success();
      };
      if (schedule.kept) {
        if (failed(storeAll(row.kept, carried)))
          return failure();
      } else if (failed(forChunks(row, carried,
                                  [&](MutableArrayRef<Chunk> turn, ValueRange before) -> FailureOr<SmallVector<Value>> {
                                    SmallVector<Value> next(before);
                                    if (failed(storeAll(turn, next)))
                                      return failure();
                                    return next;
                                  }))) {
        return failure();
      }
    }
    if (rowStores.empty())
      continue;
    // By one of the threads that share it.
    Value isFirst =
        threads > 1 ? arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane, index(0)).getResult() : Value();
    if (failed(guarded(both(isFirst, row.valid), [&] {
          for (const KernelStore *store : rowStores) {
            if (failed(compute(row.scope, {store->prim})))
              return failure();
            emitStore(row.scope, *store);
          }
          return success();
        })))
      return failure();
  }
  if (schedule.runResults)
    closeRun();
  return success();
}

/// Values of the row itself that need no later reduction than `phase`.
LogicalResult KernelEmitter::computeRowValues(Scope &scope, unsigned phase) {
  SmallVector<unsigned> targets;
  for (const auto &[i, prim] : llvm::enumerate(ir.prims))
    if (uses.live.test(i) && prim.phase <= phase && !ir.variesInside(prim) &&
        (prim.kind != Prim::Kind::Reduce || ir.emptyReduction))
      targets.push_back(i);
  return compute(scope, targets);
}

LogicalResult KernelEmitter::emitElementStores(Scope &scope, Value valid) {
  SmallVector<unsigned> targets;
  SmallVector<const KernelStore *> stores;
  for (const KernelStore &store : ir.stores) {
    if (isRowStore(ir, store) || (schedule.exchanges && isStoredAlongRows(ir, store)))
      continue;
    stores.push_back(&store);
    targets.push_back(store.prim);
  }
  if (stores.empty())
    return success();
  if (failed(compute(scope, targets)))
    return failure();
  return guarded(valid, [&] {
    for (const KernelStore *store : stores)
      emitStore(scope, *store);
    return success();
  });
}
