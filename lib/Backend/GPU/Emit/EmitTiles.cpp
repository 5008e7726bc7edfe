// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows and products by tiles: a thread has some neighbouring results along one or two dimensions, and what it loads
// for one of them serves the others. Threads may share a tile, each of which adds up some of the terms.

#include "Emit/KernelEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

namespace {
/// A result of the tile, and how far it lies from the first one along each dimension.
struct TileResult {
  Scope scope;
  SmallVector<int64_t> offsets;
};

/// What was computed for one term of a tile's results: those that differ along dimensions which a value does not vary
/// along have it in common.
class TermValues {
public:
  TermValues(const KernelIR &ir, ArrayRef<int64_t> box) : ir(ir), box(box) {}
  void give(Scope &scope, const TileResult &result) const {
    for (const auto &[key, value] : values)
      if (getPlace(key.first, result) == key.second)
        scope.prims.try_emplace(key.first, value);
  }
  void take(const Scope &scope, const TileResult &result) {
    for (const auto &[prim, value] : scope.prims)
      values.insert({{prim, getPlace(prim, result)}, value});
  }

private:
  int64_t getPlace(unsigned prim, const TileResult &result) const {
    int64_t place = 0;
    for (unsigned dim : ir.prims[prim].dims.set_bits())
      place = place * box[dim] + result.offsets[dim];
    return place;
  }

  const KernelIR &ir;
  ArrayRef<int64_t> box;
  llvm::MapVector<std::pair<unsigned, int64_t>, Value> values;
};
} // namespace

LogicalResult KernelEmitter::emitTiles() {
  SmallVector<unsigned> innerDims = ir.getInnerDims(), outerDims = ir.getOuterDims(),
                        windowDims = schedule.getWindowDims(ir);
  ArrayRef<unsigned> loopDims = ArrayRef(innerDims).drop_back(windowDims.size());
  SmallVector<Digit> digits = schedule.getTileDigits(ir);
  int64_t threads = schedule.threads, width = schedule.block / threads, tiles = 1;
  for (const Digit &digit : digits)
    tiles *= digit.count;
  openBlocks(llvm::divideCeil(tiles, width), schedule.block);
  // Neighbouring threads have neighbouring tiles.
  Value place = threadId, lane = index(0);
  if (threads > 1) {
    place = arith::RemUIOp::create(b, loc, threadId, index(width));
    lane = arith::DivUIOp::create(b, loc, threadId, index(width));
  }
  Value number = addIndex(mulIndex(blockId, width), place), exists;
  if (tiles % width != 0) {
    // All threads take part in barriers.
    exists = isBelow(number, tiles);
    number = arith::MinUIOp::create(b, loc, number, index(tiles - 1));
  }
  SmallVector<Value> first(ir.space.getNumDims());
  delinearize(number, digits, first);
  std::vector<TileResult> results(schedule.getTileSize());
  for (auto [i, result] : llvm::enumerate(results)) {
    result.offsets.assign(ir.space.getNumDims(), 0);
    result.scope.dims = first;
    int64_t rest = i;
    for (unsigned dim : llvm::reverse(outerDims)) {
      int64_t extent = schedule.box[dim], size = ir.space.getSize(dim);
      result.offsets[dim] = rest % extent;
      rest /= extent;
      Value &at = result.scope.dims[dim];
      // The last tile begins so early that it is as large: some results are computed twice.
      if (size % extent != 0)
        at = arith::MinUIOp::create(b, loc, at, index(size - extent));
      at = addIndex(at, index(result.offsets[dim]));
    }
    openTables(result.scope);
    if (failed(computeRowValues(result.scope, 0)))
      return failure();
  }

  SmallVector<unsigned> reduces = reducesOfPhase(1);
  SmallVector<Value> initial;
  for (size_t i = 0; i < results.size(); ++i)
    for (unsigned reduce : reduces)
      llvm::append_range(initial, neutralState(reduce, 1));
  int64_t terms = ir.getInnerSize() / schedule.window, ahead = schedule.ahead;
  auto loop = scf::ForOp::create(b, loc, index(0), index(schedule.chunks), index(ahead), initial);
  {
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> sums(loop.getRegionIterArgs());
    for (int64_t step = 0; step < ahead * schedule.window; ++step) {
      Value at = addIndex(mulIndex(addIndex(loop.getInductionVar(), index(step / schedule.window)), threads), lane),
            valid;
      if (terms % (threads * ahead) != 0) {
        valid = isBelow(at, terms);
        at = arith::MinUIOp::create(b, loc, at, index(terms - 1));
      }
      SmallVector<Value> inner(ir.space.getNumDims());
      delinearize(at, getDigits(loopDims, 1), inner);
      int64_t inWindow = step % schedule.window;
      for (unsigned dim : llvm::reverse(windowDims)) {
        inner[dim] = index(inWindow % ir.space.getSize(dim));
        inWindow /= ir.space.getSize(dim);
      }
      TermValues common(ir, schedule.box);
      Value *sum = sums.begin();
      for (TileResult &result : results) {
        Scope scope;
        scope.dims = result.scope.dims;
        for (unsigned dim : innerDims)
          scope.dims[dim] = inner[dim];
        scope.parent = &result.scope;
        common.give(scope, result);
        for (unsigned reduce : reduces) {
          ReduceState state = {*sum};
          if (failed(accumulate(scope, reduce, state, valid)))
            return failure();
          *sum++ = state.front();
        }
        common.take(scope, result);
      }
    }
    scf::YieldOp::create(b, loc, sums);
  }

  // The sums of all threads of a tile, as if its results were a vector of neighbouring ones.
  SmallVector<Value> sums(loop.getResults());
  for (auto [i, reduce] : llvm::enumerate(reduces)) {
    SmallVector<Value> own;
    for (size_t result = 0; result < results.size(); ++result)
      own.push_back(sums[result * reduces.size() + i]);
    Value total;
    if (threads > 1) {
      auto type = mlir::VectorType::get({static_cast<int64_t>(own.size())}, own.front().getType());
      total = reduceStrip(reduce, {vector::FromElementsOp::create(b, loc, type, own)}, width, threadId).front();
    }
    for (auto [number, result] : llvm::enumerate(results))
      result.scope.prims[reduce] = total ? getLane(total, number) : own[number];
  }
  // Its threads share what is left to do.
  for (auto [i, result] : llvm::enumerate(results)) {
    Scope &own = result.scope; // Structured bindings are not captured in C++17.
    Value isOwn;
    if (threads > 1)
      isOwn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane, index(i % threads));
    if (failed(guarded(both(isOwn, exists), [&] { return storeResults(own, Value()); })))
      return failure();
  }
  return success();
}
