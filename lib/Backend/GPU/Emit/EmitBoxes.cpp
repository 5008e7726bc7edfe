// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that read memory in another order than they write it. Of the positions along
// the dimensions that operands lie along, and of those that results lie along, a block
// takes an interval each: it copies this box of the operands to shared memory, in the
// order in which they lie, and computes its results in the order in which those do.

#include "Emit/KernelEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace vector = mlir::vector;

/// Beside the sides of a box: what counts elements within a run of what is read, or in all of the box where its results are
/// joined.
static constexpr unsigned kInRun = 2;

/// What a block has in common: the dimensions of the sides, where its box begins along these and along each of the others.
struct KernelEmitter::Box {
  std::array<ArrayRef<unsigned>, 2> sides;
  SmallVector<unsigned> joined; ///< dimensions of both
  SmallVector<Value> origin;
  Value shift; ///< elements between where a vector may lie and the first result; null: none
  Scope scope;
};

/// The vectors of a thread along a side of the box.
struct KernelEmitter::SideWalk {
  /// Elements along the sides, and in a run; null: none.
  using Place = std::array<Value, 3>;
  BoxWalk vectors;
  unsigned side;
  int64_t lanes;
  Place first{}; ///< what they have in common

  static void move(KernelEmitter &emitter, Place &inner, const Digit &digit, Value elements) {
    Value &at = inner[digit.dim];
    at = at ? emitter.addIndex(at, elements) : elements;
  }
  /// Where vector number `i` of the thread lies, and whether that is in the box (null: always).
  std::pair<Place, Value> goTo(KernelEmitter &emitter, int64_t i) const {
    Place inner = first;
    Value inBox = emitter.goToVector(
        vectors, i, [&](const Digit &digit, Value elements) { move(emitter, inner, digit, elements); });
    return {inner, inBox};
  }
};

/// Elements that were read, and how many of them, at most, lie in front of where they should.
struct KernelEmitter::Loaded {
  Value value;
  Value before; ///< null: none
};

/// Results that a thread computes at once, and writes as one vector where they are neighbours.
struct KernelEmitter::BoxResults {
  SmallVector<BoxPlace, 1> places;                     ///< one for all of them, or for each
  Value areNeighbours{};                               ///< null: always
  bool areTogether = false;                            ///< they are a vector in shared memory, too
  SmallVector<std::pair<unsigned, Value>, 2> loaded{}; ///< as it lies in memory, by prim
};

void KernelEmitter::openBox(Box &box) {
  box.sides = {schedule.across, schedule.along};
  box.joined = schedule.getSides();
  openBlocks(schedule.getBoxes(ir), schedule.block);
  SmallVector<unsigned> rest = schedule.getRest(ir);
  SmallVector<Digit> boxes; // of the grid: of the sides, then one index along each of the others
  for (auto [i, dim] : llvm::enumerate(rest))
    boxes.push_back({static_cast<unsigned>(2 + i), ir.space.getSize(dim), 1});
  for (unsigned side : {0u, 1u})
    boxes.push_back({side, static_cast<int64_t>(llvm::divideCeil(getVolume(ir, box.sides[side]), schedule.box[side])),
                     schedule.box[side]});
  box.origin.resize(2 + rest.size());
  delinearize(blockId, boxes, box.origin);
  // The last boxes begin where all of them is inside: what they have in common with those before is computed twice.
  for (unsigned side : {0u, 1u})
    if (int64_t size = getVolume(ir, box.sides[side]), extent = schedule.box[side]; size % extent != 0) {
      int64_t last = size - extent - (side == 0 ? schedule.getRowsBehind(ir) : 0);
      box.origin[side] = arith::MinUIOp::create(b, loc, box.origin[side], index(last));
    }
  box.scope.dims.resize(ir.space.getNumDims());
  for (auto [i, dim] : llvm::enumerate(rest))
    box.scope.dims[dim] = box.origin[2 + i];
  openTables(box.scope);
  if (!schedule.shiftedResults)
    return;
  SideWalk first{{}, /*side=*/1, /*lanes=*/1};
  BoxPlace place;
  openAt(box, first, 1, index(0), index(0), place);
  Value address = evaluate(place.scope, ir.stores.front().address, 0);
  box.shift = arith::AndIOp::create(b, loc, address, index(schedule.lanes - 1));
}

KernelEmitter::SideWalk KernelEmitter::planSide(bool isRead) {
  SideWalk walk;
  walk.side = isRead ? 0 : 1;
  walk.lanes = isRead ? schedule.readLanes : schedule.lanes;
  SmallVector<Digit> digits = schedule.getDigits(isRead);
  if (isRead && schedule.ragged) // Apart from where the run begins.
    digits.back().dim = kInRun;
  walk.vectors = planWalk(digits);
  enterBox(walk.vectors,
           [&](const Digit &digit, Value elements) { SideWalk::move(*this, walk.first, digit, elements); });
  return walk;
}

/// So many neighbours along the walk's side, from this element of the box on.
void KernelEmitter::openAt(const Box &box, const SideWalk &walk, unsigned lanes, Value across, Value along,
                           BoxPlace &place) {
  place.scope.parent = &box.scope;
  place.scope.dims = box.scope.dims;
  place.scope.lanes = lanes;
  place.scope.vectorDim = box.sides[walk.side].back();
  for (auto [side, inner] : llvm::enumerate(std::array<Value, 2>{across, along})) {
    Value offset = mulIndex(inner, schedule.strides[side]);
    place.shared = place.shared ? addIndex(place.shared, offset) : box.shift ? addIndex(box.shift, offset) : offset;
    Value position = addIndex(box.origin[side], inner);
    delinearize(position, getDigits(box.sides[side], 1), place.scope.dims);
    place.scope.positions.push_back({box.sides[side], position});
  }
}

/// Number `i` of a thread's vectors.
BoxPlace KernelEmitter::openPlace(const Box &box, const SideWalk &walk, int64_t i) {
  BoxPlace place;
  auto [inner, inBox] = walk.goTo(*this, i);
  place.inBox = inBox;
  openAt(box, walk, walk.lanes, inner[0] ? inner[0] : index(0), inner[1], place);
  place.inRun = inner[kInRun];
  if (place.inRun)
    place.shared = addIndex(place.shared, mulIndex(place.inRun, schedule.strides[0]));
  return place;
}

/// Results of a box that is one run.
KernelEmitter::BoxResults KernelEmitter::openJoined(const Box &box, const SideWalk &walk, int64_t i) {
  BoxResults results;
  results.areTogether = true;
  auto [inner, inBox] = walk.goTo(*this, i);
  int64_t run = schedule.box[1];
  Value first = inner[kInRun], start = mulIndex(box.origin[0], run);
  for (int64_t lane = 0; lane < walk.lanes; ++lane) {
    BoxPlace &place = results.places.emplace_back();
    place.inBox = inBox;
    Value at = addIndex(first, index(lane));
    Value across = arith::DivUIOp::create(b, loc, at, index(run)),
          along = arith::RemUIOp::create(b, loc, at, index(run));
    openAt(box, walk, 1, across, along, place);
    place.shared = at;
    place.scope.positions.insert(place.scope.positions.begin(), {ArrayRef(box.joined), addIndex(start, at)});
  }
  return results;
}

/// Rows behind the last box, element by element and straight from memory: work of the first box's block, which is done early.
LogicalResult KernelEmitter::emitRowsBehind(const Box &box) {
  int64_t rows = schedule.getRowsBehind(ir), size = getVolume(ir, box.sides[0]), run = schedule.box[1];
  if (rows == 0)
    return success();
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, box.origin[0], index(0));
  Box behind = box;
  behind.origin[0] = index(size - rows);
  SideWalk single{{}, /*side=*/1, /*lanes=*/1};
  int64_t elements = rows * run;
  return guarded(isFirst, [&] {
    for (int64_t first = 0; first < elements; first += schedule.block) {
      Value at = addIndex(threadId, index(first)), isInside;
      if (first + schedule.block > elements) {
        isInside = isBelow(at, elements);
        at = arith::MinUIOp::create(b, loc, at, index(elements - 1));
      }
      Value across = arith::DivUIOp::create(b, loc, at, index(run)),
            along = arith::RemUIOp::create(b, loc, at, index(run));
      BoxPlace place;
      openAt(behind, single, 1, across, along, place);
      if (failed(storeResults(place.scope, isInside)))
        return failure();
    }
    return success();
  });
}

/// Elements of a run of results in front of where its first vector may lie.
Value KernelEmitter::getBefore(const Box &box, const SideWalk &walk, Value across) {
  BoxPlace start;
  openAt(box, walk, 1, across, index(0), start);
  Value address = evaluate(start.scope, ir.stores.front().address, 0);
  return arith::AndIOp::create(b, loc, arith::SubIOp::create(b, loc, index(0), address), index(schedule.lanes - 1));
}

/// Vectors of a run that begins anywhere.
KernelEmitter::BoxResults KernelEmitter::openShifted(const Box &box, const SideWalk &walk, int64_t i) {
  BoxResults results;
  results.areTogether = true;
  auto [inner, inBox] = walk.goTo(*this, i);
  Value across = inner[0] ? inner[0] : index(0);
  Value first = addIndex(inner[1], getBefore(box, walk, across));
  for (int64_t lane = 0; lane < walk.lanes; ++lane) {
    BoxPlace &place = results.places.emplace_back();
    place.inBox = inBox;
    openAt(box, walk, 1, across, addIndex(first, index(lane)), place);
  }
  return results;
}

/// The others of it, in front and behind.
KernelEmitter::SideWalk KernelEmitter::planEnds() {
  SideWalk walk;
  walk.side = 1;
  walk.lanes = 1;
  walk.vectors = planWalk({{0, schedule.box[0], 1}, {kInRun, schedule.lanes, 1}});
  enterBox(walk.vectors,
           [&](const Digit &digit, Value elements) { SideWalk::move(*this, walk.first, digit, elements); });
  return walk;
}

KernelEmitter::BoxResults KernelEmitter::openEnd(const Box &box, const SideWalk &walk, int64_t i) {
  BoxResults results;
  auto [inner, inBox] = walk.goTo(*this, i);
  Value across = inner[0] ? inner[0] : index(0), at = inner[kInRun];
  Value isInFront = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at, getBefore(box, walk, across));
  at = math.select(isInFront, at, addIndex(at, index(schedule.box[1] - schedule.lanes)));
  BoxPlace &place = results.places.emplace_back();
  place.inBox = inBox;
  openAt(box, walk, 1, across, at, place);
  return results;
}

KernelEmitter::BoxResults KernelEmitter::openResults(const Box &box, const SideWalk &walk, int64_t i) {
  BoxResults results;
  if (schedule.joinedResults)
    return openJoined(box, walk, i);
  if (schedule.shiftedResults)
    return openShifted(box, walk, i);
  if (!schedule.raggedResults) {
    results.places.push_back(openPlace(box, walk, i));
    return results;
  }
  auto [inner, inBox] = walk.goTo(*this, i);
  Value across = inner[0] ? inner[0] : index(0);
  int64_t run = schedule.box[1], lanes = walk.lanes;
  Value first = addIndex(inner[1], getBefore(box, walk, across));
  results.areNeighbours = isBelow(first, run - lanes + 1);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    BoxPlace &place = results.places.emplace_back();
    place.inBox = inBox;
    Value at = addIndex(first, index(lane));
    at = math.select(isBelow(at, run), at, addIndex(at, index(-run)));
    openAt(box, walk, 1, across, at, place);
  }
  return results;
}

BoxVector KernelEmitter::getVector(const SideWalk &walk, const BoxPlace &place, Value memory) {
  int64_t bytes = cast<mlir::MemRefType>(memory.getType()).getElementTypeBitWidth() / 8;
  return BoxVector{place.shared, walk.lanes, schedule.getTogether(walk.side, walk.lanes, bytes),
                   schedule.strides[walk.side]};
}

Value KernelEmitter::choose(Type type, Value condition, function_ref<Value()> yes, function_ref<Value()> no) {
  auto choice = mlir::scf::IfOp::create(b, loc, TypeRange(type), condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToEnd(choice.thenBlock());
  mlir::scf::YieldOp::create(b, loc, yes());
  b.setInsertionPointToEnd(choice.elseBlock());
  mlir::scf::YieldOp::create(b, loc, no());
  return choice.getResult(0);
}

/// Neighbours in memory, from where a vector may lie.
Value KernelEmitter::loadVector(Value memory, Value address, mlir::VectorType type) {
  auto load = vector::LoadOp::create(b, loc, type, memory, address);
  load.setAlignmentAttr(b.getI64IntegerAttr(type.getNumElements() * getMemoryBytes(type.getElementType())));
  return load;
}

void KernelEmitter::storeVector(Value vector, Value memory, Value address) {
  auto type = cast<mlir::VectorType>(vector.getType());
  auto store = vector::StoreOp::create(b, loc, vector, memory, address);
  store.setAlignmentAttr(b.getI64IntegerAttr(type.getNumElements() * getMemoryBytes(type.getElementType())));
}

/// The vector that a word of the run's elements begins in, unless it has none of them.
KernelEmitter::Loaded KernelEmitter::loadRagged(BoxPlace &place, const Prim &prim) {
  const KernelArray &array = ir.arrays[prim.array];
  int64_t lanes = schedule.readLanes;
  auto type = mlir::VectorType::get({lanes}, getMemoryType(array.elementType));
  Value address = addIndex(evaluate(place.scope, prim.address, 0), place.inRun);
  Value before = arith::AndIOp::create(b, loc, address, index(lanes - 1));
  Value start = arith::SubIOp::create(b, loc, address, before), memory = getMemory(place.scope, prim.array);
  auto loadWhole = [&] { return loadVector(memory, start, type); };
  // What the last vector of memory lacks is not there.
  auto loadElements = [&]() -> Value {
    SmallVector<Value> elements;
    for (int64_t i = 0; i < lanes; ++i) {
      Value at = arith::MinUIOp::create(b, loc, addIndex(start, index(i)), index(array.extent - 1));
      elements.push_back(memref::LoadOp::create(b, loc, memory, at));
    }
    return vector::FromElementsOp::create(b, loc, type, elements);
  };
  Value hasSome = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place.inRun,
                                        addIndex(before, index(schedule.neighbours)));
  Value value = choose(
      type, hasSome,
      [&] {
        return array.extent % lanes == 0
                   ? loadWhole()
                   : choose(type, isBelow(start, array.extent - lanes + 1), loadWhole, loadElements);
      },
      [&] { return arith::ConstantOp::create(b, loc, type, b.getZeroAttr(type)); });
  return {value, before};
}

void KernelEmitter::storeRagged(const Loaded &loaded, Value memory, const BoxPlace &place) {
  int64_t stride = schedule.strides[0];
  Value first = arith::SubIOp::create(b, loc, place.inRun, loaded.before),
        start = arith::SubIOp::create(b, loc, place.shared, mulIndex(loaded.before, stride));
  for (int64_t i = 0; i < schedule.readLanes; ++i)
    (void)guarded(isBelow(addIndex(first, index(i)), schedule.neighbours), [&] {
      memref::StoreOp::create(b, loc, getLane(loaded.value, i), memory, addIndex(start, index(i * stride)));
      return success();
    });
}

/// What is read in the order of the results too: at once where those are neighbours. Nothing waits for it before what is
/// loaded for the next ones.
LogicalResult KernelEmitter::loadDirect(BoxResults &results, ArrayRef<unsigned> loads) {
  int64_t lanes = results.places.size();
  SmallVector<unsigned> others;
  for (unsigned load : loads) {
    const Prim &prim = ir.prims[load];
    const KernelArray &array = ir.arrays[prim.array];
    bool isAligned = schedule.joinedResults ? schedule.isAlignedInBox(ir, array, prim.address)
                                            : schedule.isAlignedAsResults(ir, array, prim.address);
    if (lanes == 1 || !isAligned) {
      others.push_back(load);
      continue;
    }
    auto type = mlir::VectorType::get({lanes}, getMemoryType(array.elementType));
    if (!results.areNeighbours) {
      Scope &scope = results.places.front().scope;
      results.loaded.push_back(
          {load, loadVector(getMemory(scope, prim.array), evaluate(scope, prim.address, 0), type)});
      continue;
    }
    Value value = choose(
        type, results.areNeighbours,
        [&] {
          Scope &scope = results.places.front().scope;
          return loadVector(getMemory(scope, prim.array), evaluate(scope, prim.address, 0), type);
        },
        [&]() -> Value {
          SmallVector<Value> elements;
          for (BoxPlace &place : results.places)
            elements.push_back(loadMemory(place.scope, prim));
          return vector::FromElementsOp::create(b, loc, type, elements);
        });
    results.loaded.push_back({load, value});
  }
  for (BoxPlace &place : results.places)
    if (failed(compute(place.scope, others)))
      return failure();
  return success();
}

LogicalResult KernelEmitter::emitBoxes() {
  Box box;
  openBox(box);
  SmallVector<Value> shared;
  for (unsigned load : schedule.staged)
    shared.push_back(addShared(schedule.extent, getMemoryType(ir.arrays[ir.prims[load].array].elementType)));
  // Operands: all loads of a thread are in flight before the first of them is stored.
  SideWalk reading = planSide(/*isRead=*/true);
  std::vector<BoxPlace> reads;
  SmallVector<SmallVector<Loaded>> loaded;
  for (int64_t i = 0; i < reading.vectors.path.steps; ++i) {
    BoxPlace &place = reads.emplace_back(openPlace(box, reading, i));
    SmallVector<Loaded> &values = loaded.emplace_back();
    for (unsigned load : schedule.staged)
      if (schedule.ragged)
        values.push_back(loadRagged(place, ir.prims[load]));
      else
        values.push_back({loadMemory(place.scope, ir.prims[load]), Value()});
  }
  SideWalk writing = planSide(/*isRead=*/false);
  SmallVector<unsigned> direct;
  for (const auto &[i, prim] : llvm::enumerate(ir.prims))
    if (prim.kind == Prim::Kind::Load && uses.live.test(i) && !llvm::is_contained(schedule.staged, i))
      direct.push_back(i);
  std::vector<BoxResults> writes;
  for (int64_t i = 0; i < writing.vectors.path.steps; ++i)
    if (failed(loadDirect(writes.emplace_back(openResults(box, writing, i)), direct)))
      return failure();
  if (schedule.shiftedResults) {
    SideWalk ends = planEnds();
    for (int64_t i = 0; i < ends.vectors.path.steps; ++i)
      if (failed(loadDirect(writes.emplace_back(openEnd(box, ends, i)), direct)))
        return failure();
  }
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
  for (BoxResults &results : writes) {
    for (auto [load, value] : results.loaded)
      for (auto [lane, place] : llvm::enumerate(results.places))
        place.scope.prims[load] = fromMemory(getLane(value, lane), ir.arrays[ir.prims[load].array].elementType);
    for (auto [load, memory] : llvm::zip_equal(schedule.staged, shared)) {
      Type type = ir.arrays[ir.prims[load].array].elementType;
      if (results.areTogether) {
        int64_t lanes = schedule.lanes, together = std::min<int64_t>(lanes, kVectorBytes / getMemoryBytes(type));
        Value vector = loadFromBox(memory, BoxVector{results.places.front().shared, lanes, together, 1});
        for (auto [lane, place] : llvm::enumerate(results.places))
          place.scope.prims[load] = fromMemory(getLane(vector, lane), type);
        continue;
      }
      for (BoxPlace &place : results.places) {
        BoxVector element{place.shared, 1, 1, 1};
        bool isSingle = schedule.raggedResults || schedule.shiftedResults;
        Value value = loadFromBox(memory, isSingle ? element : getVector(writing, place, memory));
        place.scope.prims[load] = fromMemory(value, type);
      }
    }
    if (failed(results.places.size() > 1 ? storeNeighbours(results.places, results.areNeighbours)
                                         : storeResults(results.places.front().scope, results.places.front().inBox)))
      return failure();
  }
  return emitRowsBehind(box);
}

/// Results of single elements, as one vector where they are neighbours.
LogicalResult KernelEmitter::storeNeighbours(MutableArrayRef<BoxPlace> places, Value areNeighbours) {
  SmallVector<unsigned> targets = getTargets();
  for (BoxPlace &place : places)
    if (failed(compute(place.scope, targets)))
      return failure();
  return guarded(places.front().inBox, [&] {
    OpBuilder::InsertionGuard restore(b);
    if (areNeighbours) {
      auto choice = mlir::scf::IfOp::create(b, loc, areNeighbours, /*withElseRegion=*/true);
      b.setInsertionPointToStart(choice.elseBlock());
      for (BoxPlace &place : places)
        for (const KernelStore &store : ir.stores)
          emitStore(place.scope, store);
      b.setInsertionPointToStart(choice.thenBlock());
    }
    for (const KernelStore &store : ir.stores) {
      const KernelArray &array = ir.arrays[store.array];
      SmallVector<Value> elements;
      for (BoxPlace &place : places)
        elements.push_back(toMemory(place.scope.find(store.prim), array.elementType));
      int64_t lanes = elements.size();
      Scope &first = places.front().scope;
      Value memory = getMemory(first, store.array), address = evaluate(first, store.address, 0);
      auto type = mlir::VectorType::get({lanes}, getMemoryType(array.elementType));
      Value vector = vector::FromElementsOp::create(b, loc, type, elements);
      storeVector(vector, memory, address);
    }
    return success();
  });
}

SmallVector<unsigned> KernelEmitter::getTargets() const {
  return llvm::map_to_vector(ir.stores, [](const KernelStore &store) { return store.prim; });
}

LogicalResult KernelEmitter::storeResults(Scope &scope, Value condition) {
  if (failed(compute(scope, getTargets())))
    return failure();
  return guarded(condition, [&] {
    for (const KernelStore &store : ir.stores)
      emitStore(scope, store);
    return success();
  });
}
