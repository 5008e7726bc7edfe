// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that read memory in another order than they write it. A block copies a box
// of the operands to shared memory, in the order in which they lie in memory, and
// computes its results in the order in which those do.

#include "Emit/KernelEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace vector = mlir::vector;

/// Moves a place along a dimension, by vectors of `step` elements that begin inside the box.
void KernelEmitter::movePlace(BoxPlace &place, unsigned dim, Value inner, int64_t step) {
  Value offset = mulIndex(inner, schedule.strides[dim]);
  place.shared = place.shared ? addIndex(place.shared, offset) : offset;
  Value &coordinate = place.scope.dims[dim];
  coordinate = addIndex(coordinate, inner);
  int64_t size = ir.space.getSize(dim);
  if (size % schedule.box[dim] == 0)
    return;
  place.inArray = both(place.inArray, isBelow(coordinate, size));
  coordinate = arith::MinUIOp::create(b, loc, coordinate, index(size - step));
}

BoxWalk KernelEmitter::planWalk(ArrayRef<unsigned> order, unsigned lanes, ArrayRef<Value> origin) {
  BoxWalk walk;
  walk.lanes = lanes;
  walk.origin.assign(origin.begin(), origin.end());
  for (unsigned dim : order)
    walk.digits.push_back({dim, schedule.box[dim], 1});
  walk.digits.back().count /= lanes;
  walk.digits.back().step = lanes;
  for (const Digit &digit : walk.digits)
    walk.vectors *= digit.count;
  while (walk.slowest + 1 < walk.digits.size() && walk.digits[walk.slowest].count == 1)
    ++walk.slowest;
  const Digit &slowest = walk.digits[walk.slowest];
  int64_t below = walk.vectors / slowest.count;
  walk.apart = std::min(schedule.block / below, slowest.count);
  int64_t threads = walk.apart * below;
  if (4 * threads < 3 * std::min(schedule.block, walk.vectors)) {
    walk.apart = 0;
    walk.steps = llvm::divideCeil(walk.vectors, schedule.block);
    return walk;
  }
  walk.steps = llvm::divideCeil(slowest.count, walk.apart);
  BoxPlace &place = walk.first;
  Value thread = threadId;
  if (threads < schedule.block) {
    place.inBox = isBelow(thread, threads);
    thread = arith::MinUIOp::create(b, loc, thread, index(threads - 1));
  }
  place.scope.dims = walk.origin;
  SmallVector<Value> inner(ir.space.getNumDims());
  delinearize(thread, ArrayRef(walk.digits).drop_front(walk.slowest), inner);
  walk.own = inner[slowest.dim];
  for (const Digit &digit : ArrayRef(walk.digits).drop_front(walk.slowest + 1))
    movePlace(place, digit.dim, inner[digit.dim], digit.step);
  return walk;
}

LogicalResult KernelEmitter::storeResults(BoxPlace &place) {
  SmallVector<unsigned> targets;
  for (const KernelStore &store : ir.stores)
    targets.push_back(store.prim);
  if (failed(compute(place.scope, targets)))
    return failure();
  return guarded(both(place.inBox, place.inArray), [&] {
    for (const KernelStore &store : ir.stores)
      emitStore(place.scope, store);
    return success();
  });
}

BoxPlace KernelEmitter::openPlace(const BoxWalk &walk, int64_t i) {
  BoxPlace place;
  if (walk.apart) {
    place = walk.first;
    const Digit &slowest = walk.digits[walk.slowest];
    Value inner = addIndex(walk.own, index(i * walk.apart * slowest.step));
    if ((i + 1) * walk.apart > slowest.count) {
      place.inBox = both(place.inBox, isBelow(inner, slowest.count * slowest.step));
      inner = arith::MinUIOp::create(b, loc, inner, index((slowest.count - 1) * slowest.step));
    }
    movePlace(place, slowest.dim, inner, slowest.step);
  } else {
    Value at = addIndex(index(i * schedule.block), threadId);
    if ((i + 1) * schedule.block > walk.vectors) {
      place.inBox = isBelow(at, walk.vectors);
      at = arith::MinUIOp::create(b, loc, at, index(walk.vectors - 1));
    }
    place.scope.dims = walk.origin;
    SmallVector<Value> inner(ir.space.getNumDims());
    delinearize(at, walk.digits, inner);
    for (const Digit &digit : walk.digits)
      movePlace(place, digit.dim, inner[digit.dim], digit.step);
  }
  place.scope.lanes = walk.lanes;
  place.scope.vectorDim = walk.digits.back().dim;
  return place;
}

LogicalResult KernelEmitter::emitBoxes() {
  unsigned numDims = ir.space.getNumDims();
  int64_t grid = 1;
  SmallVector<Digit> boxes; // of the grid
  for (unsigned dim : schedule.writeOrder) {
    int64_t count = llvm::divideCeil(ir.space.getSize(dim), schedule.box[dim]);
    boxes.push_back({dim, count, schedule.box[dim]});
    grid *= count;
  }
  openBlocks(grid, schedule.block);
  SmallVector<Value> origin(numDims);
  delinearize(blockId, boxes, origin);

  SmallVector<Value> shared;
  for (unsigned load : schedule.staged)
    shared.push_back(addShared(schedule.extent, getMemoryType(ir.arrays[ir.prims[load].array].elementType)));

  auto getElement = [&](const BoxPlace &place, unsigned lane) {
    return addIndex(place.shared, index(lane * schedule.strides[place.scope.vectorDim]));
  };

  // Operands: all loads of a thread are in flight before the first of them is stored.
  BoxWalk reading = planWalk(schedule.readOrder, schedule.readLanes, origin);
  std::vector<BoxPlace> reads;
  SmallVector<SmallVector<Value>> loaded;
  for (int64_t i = 0; i < reading.steps; ++i) {
    BoxPlace &place = reads.emplace_back(openPlace(reading, i));
    SmallVector<Value> &values = loaded.emplace_back();
    for (unsigned load : schedule.staged)
      values.push_back(loadMemory(place.scope, ir.prims[load]));
  }
  // What is read in the order of the results too.
  BoxWalk writing = planWalk(schedule.writeOrder, schedule.lanes, origin);
  SmallVector<unsigned> direct;
  for (const auto &[i, prim] : llvm::enumerate(ir.prims))
    if (prim.kind == Prim::Kind::Load && uses.live.test(i) && !llvm::is_contained(schedule.staged, i))
      direct.push_back(i);
  std::vector<BoxPlace> writes;
  for (int64_t i = 0; i < writing.steps; ++i)
    if (failed(compute(writes.emplace_back(openPlace(writing, i)).scope, direct)))
      return failure();
  for (size_t i = 0; i < reads.size(); ++i) {
    BoxPlace &place = reads[i];
    (void)guarded(place.inBox, [&] {
      for (auto [value, memory] : llvm::zip_equal(loaded[i], shared))
        for (unsigned lane = 0; lane < schedule.readLanes; ++lane)
          memref::StoreOp::create(b, loc, getLane(value, lane), memory, getElement(place, lane));
      return success();
    });
  }
  mlir::gpu::BarrierOp::create(b, loc);

  // Results.
  for (BoxPlace &place : writes) {
    for (auto [load, memory] : llvm::zip_equal(schedule.staged, shared)) {
      SmallVector<Value> elements;
      for (unsigned lane = 0; lane < schedule.lanes; ++lane)
        elements.push_back(memref::LoadOp::create(b, loc, memory, getElement(place, lane)));
      Value value = elements[0];
      if (schedule.lanes > 1)
        value = vector::FromElementsOp::create(
            b, loc, mlir::VectorType::get({static_cast<int64_t>(schedule.lanes)}, value.getType()), elements);
      place.scope.prims[load] = fromMemory(value, ir.arrays[ir.prims[load].array].elementType);
    }
    if (failed(storeResults(place)))
      return failure();
  }
  return success();
}
