// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that read memory in another order than they write it. A block copies a box
// of the operands to shared memory, in the order in which they lie in memory, and
// computes its results in the order in which those do.

#include "KernelEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace vector = mlir::vector;

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

  /// A vector of the box.
  struct Place {
    Scope scope;
    Value shared;  ///< where its first element lies in shared memory
    Value inBox;   ///< null: always
    Value inArray; ///< the same for the box, which may be partial
  };
  auto getVectors = [&](ArrayRef<unsigned> order, unsigned lanes) {
    int64_t vectors = 1;
    for (unsigned dim : order)
      vectors *= schedule.box[dim];
    return vectors / lanes;
  };
  // Number `i` of a thread's vectors along the last dimension of `order`.
  auto open = [&](Place &place, int64_t i, ArrayRef<unsigned> order, unsigned lanes) {
    int64_t vectors = getVectors(order, lanes);
    Value at = addIndex(index(i * schedule.block), threadId);
    if ((i + 1) * schedule.block > vectors) {
      place.inBox = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at, index(vectors));
      at = arith::MinUIOp::create(b, loc, at, index(vectors - 1));
    }
    SmallVector<Digit> digits;
    for (unsigned dim : order)
      digits.push_back({dim, schedule.box[dim], 1});
    digits.back().count /= lanes;
    digits.back().step = lanes;
    SmallVector<Value> inner(numDims);
    delinearize(at, digits, inner);
    place.scope.dims = origin;
    place.scope.lanes = lanes;
    place.scope.vectorDim = order.back();
    for (const Digit &digit : digits) {
      unsigned dim = digit.dim;
      Value offset = mulIndex(inner[dim], schedule.strides[dim]);
      place.shared = place.shared ? addIndex(place.shared, offset) : offset;
      Value &coordinate = place.scope.dims[dim];
      coordinate = addIndex(coordinate, inner[dim]);
      int64_t size = ir.space.getSize(dim);
      if (size % schedule.box[dim] == 0)
        continue;
      place.inArray =
          both(place.inArray, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, coordinate, index(size)));
      coordinate = arith::MinUIOp::create(b, loc, coordinate, index(size - digit.step));
    }
  };
  auto getElement = [&](const Place &place, unsigned lane) {
    return addIndex(place.shared, index(lane * schedule.strides[place.scope.vectorDim]));
  };

  // Operands: all loads of a thread are in flight before the first of them is stored.
  std::vector<Place> reads(llvm::divideCeil(getVectors(schedule.readOrder, schedule.readLanes), schedule.block));
  SmallVector<SmallVector<Value>> loaded;
  for (auto [i, place] : llvm::enumerate(reads)) {
    open(place, i, schedule.readOrder, schedule.readLanes);
    SmallVector<Value> &values = loaded.emplace_back();
    for (unsigned load : schedule.staged)
      values.push_back(loadMemory(place.scope, ir.prims[load]));
  }
  for (size_t i = 0; i < reads.size(); ++i) {
    Place &place = reads[i];
    (void)guarded(place.inBox, [&] {
      for (auto [value, memory] : llvm::zip_equal(loaded[i], shared))
        for (unsigned lane = 0; lane < schedule.readLanes; ++lane)
          memref::StoreOp::create(b, loc, getLane(value, lane), memory, getElement(place, lane));
      return success();
    });
  }
  mlir::gpu::BarrierOp::create(b, loc);

  // Results.
  SmallVector<unsigned> targets;
  for (const KernelStore &store : ir.stores)
    targets.push_back(store.prim);
  int64_t writes = llvm::divideCeil(getVectors(schedule.writeOrder, schedule.lanes), schedule.block);
  for (int64_t i = 0; i < writes; ++i) {
    Place place;
    open(place, i, schedule.writeOrder, schedule.lanes);
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
    if (failed(compute(place.scope, targets)) || failed(guarded(both(place.inBox, place.inArray), [&] {
          for (const KernelStore &store : ir.stores)
            emitStore(place.scope, store);
          return success();
        })))
      return failure();
  }
  return success();
}
