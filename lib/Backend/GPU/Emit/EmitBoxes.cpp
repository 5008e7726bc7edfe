// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that read memory in another order than they write it. Of the positions along
// the dimensions that operands lie along, and of those that results lie along, a block
// takes an interval each: it copies this box of the operands to shared memory, in the
// order in which they lie, and computes its results in the order in which those do.

#include "Emit/KernelEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace vector = mlir::vector;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Vectors of shared memory are accessed by pointer: the conversion of vector.load knows no memory space of blocks.
Value KernelEmitter::getBoxAddress(Value memory, Value place) {
  Type element = cast<mlir::MemRefType>(memory.getType()).getElementType(), i64 = b.getI64Type();
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memory);
  Value at = addIndex(start, mulIndex(place, llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)));
  return mlir::LLVM::IntToPtrOp::create(b, loc, mlir::LLVM::LLVMPointerType::get(b.getContext(), 3),
                                        arith::IndexCastOp::create(b, loc, i64, at).getResult());
}

static int64_t getBoxAlignment(Value memory, int64_t elements) {
  Type element = cast<mlir::MemRefType>(memory.getType()).getElementType();
  return std::min<int64_t>(kVectorBytes, elements * llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
}

void KernelEmitter::storeToBox(Value value, Value memory, const BoxVector &at) {
  for (int64_t lane = 0; lane < at.lanes; lane += at.together) {
    Value place = addIndex(at.place, index(lane * at.stride));
    if (at.together == 1) {
      memref::StoreOp::create(b, loc, getLane(value, lane), memory, place);
      continue;
    }
    Value part = value;
    if (at.together < at.lanes)
      part = vector::ExtractStridedSliceOp::create(b, loc, value, lane, at.together, 1);
    mlir::LLVM::StoreOp::create(b, loc, part, getBoxAddress(memory, place), getBoxAlignment(memory, at.together));
  }
}

Value KernelEmitter::loadFromBox(Value memory, const BoxVector &at) {
  Type element = cast<mlir::MemRefType>(memory.getType()).getElementType();
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < at.lanes; lane += at.together) {
    Value place = addIndex(at.place, index(lane * at.stride));
    if (at.together == 1) {
      elements.push_back(memref::LoadOp::create(b, loc, memory, place));
      continue;
    }
    Value part = mlir::LLVM::LoadOp::create(b, loc, mlir::VectorType::get({at.together}, element),
                                            getBoxAddress(memory, place), getBoxAlignment(memory, at.together));
    if (at.together == at.lanes)
      return part;
    for (int64_t i = 0; i < at.together; ++i)
      elements.push_back(getLane(part, i));
  }
  return at.lanes == 1
             ? elements[0]
             : vector::FromElementsOp::create(b, loc, mlir::VectorType::get({at.lanes}, element), elements).getResult();
}

//===----------------------------------------------------------------------===//
// Places of the box
//===----------------------------------------------------------------------===//

namespace {
/// The vectors of a thread, in the order of memory.
struct SideWalk {
  SmallVector<Digit> digits; ///< of a vector's number; their dimensions are the sides of the box
  unsigned side;             ///< along which vectors are
  int64_t lanes;
  BoxPath path;
  SmallVector<Value> own; ///< the places of each digit where the thread begins
  Value inBox;            ///< null: all threads have some
};
/// A vector of the box, and where it is in shared memory.
struct Place {
  Scope scope;
  Value shared;
  Value inBox; ///< null: always
  Value
      inside; ///< of a run that begins anywhere: elements between its first one and the vector, as if that began there
};
/// Elements that were read, and how many of them, at most, lie in front of where they should.
struct Loaded {
  Value value;
  Value before; ///< null: none
};
} // namespace

/// Beside the sides of a box: what counts vectors within a run.
static constexpr unsigned kInRun = 2;

LogicalResult KernelEmitter::emitBoxes() {
  const std::array<ArrayRef<unsigned>, 2> sides = {schedule.across, schedule.along};
  openBlocks(schedule.getBoxes(ir), schedule.block);
  SmallVector<unsigned> rest = schedule.getRest(ir);
  SmallVector<Digit> boxes; // of the grid: of the sides, then one index along each of the others
  for (auto [i, dim] : llvm::enumerate(rest))
    boxes.push_back({static_cast<unsigned>(2 + i), ir.space.getSize(dim), 1});
  for (unsigned side : {0u, 1u})
    boxes.push_back({side, static_cast<int64_t>(llvm::divideCeil(getVolume(ir, sides[side]), schedule.box[side])),
                     schedule.box[side]});
  SmallVector<Value> origin(2 + rest.size());
  delinearize(blockId, boxes, origin);
  // The last boxes begin where all of them is inside: what they have in common with those before is computed twice.
  for (unsigned side : {0u, 1u})
    if (int64_t size = getVolume(ir, sides[side]), extent = schedule.box[side]; size % extent != 0)
      origin[side] = arith::MinUIOp::create(b, loc, origin[side], index(size - extent));

  auto planWalk = [&](bool isRead) {
    SideWalk walk;
    walk.side = isRead ? 0 : 1;
    walk.lanes = isRead ? schedule.readLanes : schedule.lanes;
    for (auto [side, extent, step] : schedule.getDigits(isRead))
      walk.digits.push_back({side, extent, step});
    if (isRead && schedule.ragged) // Apart from where the run begins.
      walk.digits.back().dim = kInRun;
    walk.path = schedule.getPath(isRead);
    if (walk.path.apart == 0)
      return walk;
    Value thread = threadId;
    if (int64_t threads = walk.path.apart * walk.path.below; threads < schedule.block) {
      walk.inBox = isBelow(thread, threads);
      thread = arith::MinUIOp::create(b, loc, thread, index(threads - 1));
    }
    SmallVector<Digit> own; // By their numbers: a side may have two.
    for (unsigned i = walk.path.split; i < walk.digits.size(); ++i)
      own.push_back({i, walk.digits[i].count, 1});
    walk.own.resize(walk.digits.size());
    delinearize(thread, own, walk.own);
    return walk;
  };
  // Number `i` of a thread's vectors.
  auto openPlace = [&](const SideWalk &walk, int64_t i) {
    const BoxPath &path = walk.path;
    Place place;
    place.inBox = walk.inBox;
    SmallVector<Value> inner(3); // From the first element of the box, and of a run.
    auto move = [&](const Digit &digit, Value count) {
      Value offset = mulIndex(count, digit.step);
      Value &at = inner[digit.dim];
      at = at ? addIndex(at, offset) : offset;
    };
    if (path.apart) {
      const Digit &split = walk.digits[path.split];
      for (unsigned k = path.split + 1; k < walk.digits.size(); ++k)
        move(walk.digits[k], walk.own[k]);
      int64_t rounds = llvm::divideCeil(split.count, path.apart), round = i % rounds, rest = i / rounds;
      Value own = addIndex(walk.own[path.split], index(round * path.apart));
      if ((round + 1) * path.apart > split.count) {
        place.inBox = both(place.inBox, isBelow(own, split.count));
        own = arith::MinUIOp::create(b, loc, own, index(split.count - 1));
      }
      move(split, own);
      // The slower digits are the same for all threads.
      for (const Digit &digit : llvm::reverse(ArrayRef(walk.digits).take_front(path.split))) {
        move(digit, index(rest % digit.count));
        rest /= digit.count;
      }
    } else {
      Value at = addIndex(index(i * schedule.block), threadId);
      if ((i + 1) * schedule.block > path.vectors) {
        place.inBox = isBelow(at, path.vectors);
        at = arith::MinUIOp::create(b, loc, at, index(path.vectors - 1));
      }
      delinearize(at, walk.digits, inner);
    }
    if (!inner[0])
      inner[0] = index(0);
    place.scope.dims.resize(ir.space.getNumDims());
    for (auto [i, dim] : llvm::enumerate(rest))
      place.scope.dims[dim] = origin[2 + i];
    place.scope.lanes = walk.lanes;
    place.scope.vectorDim = sides[walk.side].back();
    for (unsigned side : {0u, 1u}) {
      Value offset = mulIndex(inner[side], schedule.strides[side]);
      place.shared = place.shared ? addIndex(place.shared, offset) : offset;
      Value position = addIndex(origin[side], inner[side]);
      delinearize(position, getDigits(sides[side], 1), place.scope.dims);
      place.scope.positions.push_back({sides[side], position});
    }
    place.inside = inner[kInRun];
    if (place.inside)
      place.shared = addIndex(place.shared, mulIndex(place.inside, schedule.strides[0]));
    return place;
  };
  auto getVector = [&](const SideWalk &walk, const Place &place, Value memory) {
    int64_t bytes = cast<mlir::MemRefType>(memory.getType()).getElementTypeBitWidth() / 8;
    return BoxVector{place.shared, walk.lanes, schedule.getTogether(walk.side, walk.lanes, bytes),
                     schedule.strides[walk.side]};
  };

  // The vector that a word of the run's elements begins in, unless it has none of them.
  auto loadRagged = [&](Place &place, const Prim &prim) -> Loaded {
    const KernelArray &array = ir.arrays[prim.array];
    int64_t lanes = schedule.readLanes;
    Type element = getMemoryType(array.elementType);
    auto type = mlir::VectorType::get({lanes}, element);
    Value address = addIndex(evaluate(place.scope, prim.address, 0), place.inside);
    Value before = arith::AndIOp::create(b, loc, address, index(lanes - 1));
    Value start = arith::SubIOp::create(b, loc, address, before), memory = getMemory(place.scope, prim.array);
    auto loadVector = [&]() -> Value {
      auto load = vector::LoadOp::create(b, loc, type, memory, start);
      load.setAlignmentAttr(b.getI64IntegerAttr(lanes * getMemoryBytes(array.elementType)));
      return load;
    };
    // What the last vector of memory lacks is not there.
    auto loadElements = [&]() -> Value {
      SmallVector<Value> elements;
      for (int64_t i = 0; i < lanes; ++i) {
        Value at = arith::MinUIOp::create(b, loc, addIndex(start, index(i)), index(array.extent - 1));
        elements.push_back(memref::LoadOp::create(b, loc, memory, at));
      }
      return vector::FromElementsOp::create(b, loc, type, elements);
    };
    auto choose = [&](Value condition, function_ref<Value()> yes, function_ref<Value()> no) -> Value {
      auto choice = mlir::scf::IfOp::create(b, loc, TypeRange(type), condition, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard restore(b);
      b.setInsertionPointToEnd(choice.thenBlock());
      mlir::scf::YieldOp::create(b, loc, yes());
      b.setInsertionPointToEnd(choice.elseBlock());
      mlir::scf::YieldOp::create(b, loc, no());
      return choice.getResult(0);
    };
    Value hasSome = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place.inside,
                                          addIndex(before, index(schedule.neighbours)));
    Value value = choose(
        hasSome,
        [&] {
          return array.extent % lanes == 0 ? loadVector()
                                           : choose(isBelow(start, array.extent - lanes + 1), loadVector, loadElements);
        },
        [&] { return arith::ConstantOp::create(b, loc, type, b.getZeroAttr(type)); });
    return {value, before};
  };
  auto storeRagged = [&](const Loaded &loaded, Value memory, const Place &place) {
    int64_t stride = schedule.strides[0];
    Value first = arith::SubIOp::create(b, loc, place.inside, loaded.before),
          start = arith::SubIOp::create(b, loc, place.shared, mulIndex(loaded.before, stride));
    for (int64_t i = 0; i < schedule.readLanes; ++i)
      (void)guarded(isBelow(addIndex(first, index(i)), schedule.neighbours), [&] {
        memref::StoreOp::create(b, loc, getLane(loaded.value, i), memory, addIndex(start, index(i * stride)));
        return success();
      });
  };

  SmallVector<Value> shared;
  for (unsigned load : schedule.staged)
    shared.push_back(addShared(schedule.extent, getMemoryType(ir.arrays[ir.prims[load].array].elementType)));
  // Operands: all loads of a thread are in flight before the first of them is stored.
  SideWalk reading = planWalk(/*isRead=*/true);
  std::vector<Place> reads, writes;
  SmallVector<SmallVector<Loaded>> loaded;
  for (int64_t i = 0; i < reading.path.steps; ++i) {
    Place &place = reads.emplace_back(openPlace(reading, i));
    SmallVector<Loaded> &values = loaded.emplace_back();
    for (unsigned load : schedule.staged)
      if (schedule.ragged)
        values.push_back(loadRagged(place, ir.prims[load]));
      else
        values.push_back({loadMemory(place.scope, ir.prims[load]), Value()});
  }
  // What is read in the order of the results too.
  SideWalk writing = planWalk(/*isRead=*/false);
  SmallVector<unsigned> direct;
  for (const auto &[i, prim] : llvm::enumerate(ir.prims))
    if (prim.kind == Prim::Kind::Load && uses.live.test(i) && !llvm::is_contained(schedule.staged, i))
      direct.push_back(i);
  for (int64_t i = 0; i < writing.path.steps; ++i)
    if (failed(compute(writes.emplace_back(openPlace(writing, i)).scope, direct)))
      return failure();
  for (size_t i = 0; i < reads.size(); ++i)
    (void)guarded(reads[i].inBox, [&] {
      for (auto [vector, memory] : llvm::zip_equal(loaded[i], shared))
        if (schedule.ragged)
          storeRagged(vector, memory, reads[i]);
        else
          storeToBox(vector.value, memory, getVector(reading, reads[i], memory));
      return success();
    });
  mlir::gpu::BarrierOp::create(b, loc);

  // Results.
  for (Place &place : writes) {
    for (auto [load, memory] : llvm::zip_equal(schedule.staged, shared))
      place.scope.prims[load] = fromMemory(loadFromBox(memory, getVector(writing, place, memory)),
                                           ir.arrays[ir.prims[load].array].elementType);
    if (failed(storeResults(place.scope, place.inBox)))
      return failure();
  }
  return success();
}

LogicalResult KernelEmitter::storeResults(Scope &scope, Value condition) {
  SmallVector<unsigned> targets;
  for (const KernelStore &store : ir.stores)
    targets.push_back(store.prim);
  if (failed(compute(scope, targets)))
    return failure();
  return guarded(condition, [&] {
    for (const KernelStore &store : ir.stores)
      emitStore(scope, store);
    return success();
  });
}
