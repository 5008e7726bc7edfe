// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running sums of boxes. A block brings a box of what is added up to shared memory, in the
// order in which operands lie in memory; threads add up some elements of a column each, and
// what is before them; results are computed and written in the order in which those lie.
// Columns that are longer than the box come piece by piece, one after the other or in blocks
// of their own, which pass on what they have added up.

#include "Emit/KernelEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

/// What a block passes on, as one word: 1, and the sum.
static Value packWord(OpBuilder &b, Location loc, Value sum) {
  Type i64 = b.getI64Type();
  Value bits = arith::ExtUIOp::create(b, loc, i64, arith::BitcastOp::create(b, loc, b.getI32Type(), sum));
  return arith::OrIOp::create(b, loc, bits, arith::ConstantIntOp::create(b, loc, i64, int64_t(1) << 32));
}

/// The values of the threads of a column, combined; all of them get the result.
Value KernelEmitter::reduceColumn(unsigned scan, const ScanColumn &column, Value value) {
  const Prim &prim = ir.prims[scan];
  int64_t threads = schedule.threads, width = schedule.block / threads;
  int64_t inWarp = std::min(threads, std::max<int64_t>(1, kWarpSize / width)), groups = threads / inWarp;
  auto combine = [&](Value lhs, Value rhs) { return math.combine(prim.reduce, lhs, rhs, prim.isUnsigned); };
  for (int64_t offset = 1; offset < inWarp; offset *= 2)
    value = combine(value, shuffle(value, offset * width));
  if (groups == 1)
    return value;
  Value slots = addShared(groups * width, prim.type);
  Value group = arith::DivUIOp::create(b, loc, column.part, index(inWarp));
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        arith::RemUIOp::create(b, loc, column.part, index(inWarp)), index(0));
  (void)guarded(isFirst, [&] {
    memref::StoreOp::create(b, loc, value, slots, addIndex(mulIndex(group, width), column.number));
    return success();
  });
  mlir::gpu::BarrierOp::create(b, loc);
  Value total = memref::LoadOp::create(b, loc, slots, column.number);
  for (int64_t i = 1; i < groups; ++i)
    total = combine(total, memref::LoadOp::create(b, loc, slots, addIndex(column.number, index(i * width))));
  return total;
}

/// What came before this box in its column, from the blocks of the boxes before it, which began earlier. Each passes on
/// its total as one word, which is zero until then; the last one of a group also all up to there, so that few words are
/// waited for, and few of them in turn. No sum depends on when blocks run.
Value KernelEmitter::carryOver(unsigned scan, const ScanColumn &column, Value total) {
  namespace LLVM = mlir::LLVM;
  const Prim &prim = ir.prims[scan];
  int64_t threads = schedule.threads, width = schedule.block / threads, group = schedule.getScanGroup();
  int64_t blocks = schedule.getScanBlocks(ir), pieces = schedule.getScanPieces(ir);
  auto combine = [&](Value lhs, Value rhs) { return math.combine(prim.reduce, lhs, rhs, prim.isUnsigned); };
  Type i64 = b.getI64Type(), pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  Value base = arith::IndexCastOp::create(
      b, loc, i64, memref::ExtractAlignedPointerAsIndexOp::create(b, loc, arguments[ir.carries]));
  // Of a piece, or of a group of them.
  auto getWord = [&](Value number, Value isGroup) -> Value {
    Value at = addIndex(mulIndex(addIndex(mulIndex(number, blocks), column.neighbour), width), column.number);
    at = addIndex(at, math.select(isGroup, index(column.carries + pieces * blocks * width), index(column.carries)));
    Value address =
        arith::AddIOp::create(b, loc, base, arith::IndexCastOp::create(b, loc, i64, mulIndex(at, sizeof(int64_t))));
    return LLVM::IntToPtrOp::create(b, loc, pointer, address);
  };
  auto publish = [&](Value sum, Value number, Value isGroup) {
    LLVM::StoreOp::create(b, loc, packWord(b, loc, sum), getWord(number, isGroup), /*alignment=*/8,
                          /*isVolatile=*/true);
    return success();
  };
  Value no = math.integer(b.getI1Type(), 0), yes = math.integer(b.getI1Type(), 1);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, column.part, index(0));
  (void)guarded(isFirst, [&] { return publish(total, column.piece, no); });
  // The pieces of the own group, and what is before it.
  Value ownGroup = arith::DivUIOp::create(b, loc, column.piece, index(group)),
        rest = arith::RemUIOp::create(b, loc, column.piece, index(group));
  Value neutral = math.neutral(prim.reduce, prim.type, prim.isUnsigned);
  auto loop = scf::ForOp::create(
      b, loc, column.part, addIndex(rest, arith::MinUIOp::create(b, loc, ownGroup, index(1))), index(threads), neutral);
  {
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToStart(loop.getBody());
    Value i = loop.getInductionVar(), isGroup = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, i, rest);
    Value number = math.select(isGroup, addIndex(ownGroup, index(-1)), addIndex(mulIndex(ownGroup, group), i));
    Value word = getWord(number, isGroup);
    auto wait = scf::WhileOp::create(
        b, loc, i64, ValueRange(),
        [&](OpBuilder &builder, Location, ValueRange) {
          Value read = LLVM::LoadOp::create(builder, loc, i64, word, /*alignment=*/8, /*isVolatile=*/true);
          Value none = arith::ConstantIntOp::create(builder, loc, i64, 0);
          Value isMissing = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, read, none);
          scf::ConditionOp::create(builder, loc, isMissing, read);
        },
        [&](OpBuilder &builder, Location, ValueRange) { scf::YieldOp::create(builder, loc); });
    Value sum =
        arith::BitcastOp::create(b, loc, prim.type, arith::TruncIOp::create(b, loc, b.getI32Type(), wait.getResult(0)));
    scf::YieldOp::create(b, loc, combine(loop.getRegionIterArg(0), sum));
  }
  Value before = reduceColumn(scan, column, loop.getResult(0));
  Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest, index(group - 1));
  (void)guarded(both(isFirst, isLast), [&] { return publish(combine(before, total), ownGroup, yes); });
  return before;
}

/// The sums of a thread's elements of a column in shared memory; `before` is what came before the box, and becomes
/// what comes before the next one.
LogicalResult KernelEmitter::scanColumn(unsigned scan, const ScanColumn &column, Value &before) {
  const Prim &prim = ir.prims[scan];
  unsigned along = ir.getInnerDims().front();
  int64_t threads = schedule.threads, width = schedule.block / threads, own = schedule.box[along] / threads;
  auto combine = [&](Value lhs, Value rhs) { return math.combine(prim.reduce, lhs, rhs, prim.isUnsigned); };
  auto select = [&](Value condition, Value yes, Value no) { return math.select(condition, yes, no); };
  Value neutral = math.neutral(prim.reduce, prim.type, prim.isUnsigned);
  auto at = [&](int64_t i) { return addIndex(column.start, index(i * schedule.strides[along])); };
  SmallVector<Value> values;
  auto load = [&] {
    SmallVector<Value> loaded;
    for (int64_t i = 0; i < own; ++i)
      loaded.push_back(memref::LoadOp::create(b, loc, column.memory, at(i)));
    return loaded;
  };
  if (column.exists) {
    auto choice = scf::IfOp::create(b, loc, SmallVector<Type>(own, prim.type), column.exists, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, loc, load());
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, loc, SmallVector<Value>(own, neutral));
    llvm::append_range(values, choice.getResults());
  } else {
    values = load();
  }
  for (int64_t i = 1; i < own; ++i)
    values[i] = combine(values[i - 1], values[i]);
  int64_t inWarp = std::min(threads, std::max<int64_t>(1, kWarpSize / width));
  Value prefix, total;
  std::tie(prefix, total) = scanButterfly(neutral, values.back(), column.part, inWarp, width, combine);
  if (int64_t groups = threads / inWarp; groups > 1) {
    Value &slot = scanSlots[scan];
    if (!slot)
      slot = addShared(groups * width, prim.type);
    Value group = arith::DivUIOp::create(b, loc, column.part, index(inWarp));
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          arith::RemUIOp::create(b, loc, column.part, index(inWarp)), index(0));
    (void)guarded(isFirst, [&] {
      memref::StoreOp::create(b, loc, total, slot, addIndex(mulIndex(group, width), column.number));
      return success();
    });
    mlir::gpu::BarrierOp::create(b, loc);
    Value earlier = neutral, all;
    for (int64_t i = 0; i < groups; ++i) {
      Value other = memref::LoadOp::create(b, loc, slot, addIndex(column.number, index(i * width)));
      Value isEarlier = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index(i), group);
      earlier = select(isEarlier, combine(earlier, other), earlier);
      all = all ? combine(all, other) : other;
    }
    prefix = combine(earlier, prefix);
    total = all;
  }
  if (schedule.spread)
    before = carryOver(scan, column, total);
  prefix = combine(before, prefix);
  before = combine(before, total);
  return guarded(column.exists, [&] {
    for (int64_t i = 0; i < own; ++i)
      memref::StoreOp::create(b, loc, combine(prefix, values[i]), column.memory, at(i));
    return success();
  });
}

namespace {
/// The vectors of a thread in an order of dimensions.
struct OrderWalk {
  BoxWalk vectors;
  BoxPlace first; ///< what they have in common
};
} // namespace

LogicalResult KernelEmitter::emitScanBoxes() {
  unsigned numDims = ir.space.getNumDims(), along = ir.getInnerDims().front();
  int64_t grid = 1;
  SmallVector<Digit> boxes; // of the grid
  for (unsigned dim : schedule.writeOrder) {
    if (dim == along)
      continue;
    int64_t count = llvm::divideCeil(ir.space.getSize(dim), schedule.box[dim]);
    boxes.push_back({dim, count, schedule.box[dim]});
    grid *= count;
  }
  openBlocks(grid * (schedule.spread ? schedule.getScanPieces(ir) : 1), schedule.block);
  SmallVector<Value> origin(numDims);
  ScanColumn own;
  own.neighbour = blockId;
  if (schedule.spread) {
    // Boxes that come earlier in their columns are those of earlier blocks.
    own.piece = arith::DivUIOp::create(b, loc, blockId, index(grid));
    own.neighbour = arith::RemUIOp::create(b, loc, blockId, index(grid));
  }
  delinearize(own.neighbour, boxes, origin);
  SmallVector<unsigned> scans = getScans(), operands;
  SmallVector<Value> shared;
  for (unsigned scan : scans) {
    shared.push_back(addShared(schedule.extent, ir.prims[scan].type));
    operands.push_back(ir.prims[scan].operands[0]);
  }

  // Which column a thread adds up, and which of its parts.
  int64_t threads = schedule.threads, width = schedule.block / threads, columns = 1;
  SmallVector<Digit> digits;
  for (unsigned dim : schedule.readOrder) {
    if (dim == along)
      continue;
    digits.push_back({dim, schedule.box[dim], 1});
    columns *= schedule.box[dim];
  }
  own.number = arith::RemUIOp::create(b, loc, threadId, index(width));
  own.part = arith::DivUIOp::create(b, loc, threadId, index(width));
  Value known = own.number;
  if (columns < width) {
    own.exists = isBelow(known, columns);
    known = arith::MinUIOp::create(b, loc, known, index(columns - 1));
  }
  SmallVector<Value> inner(numDims);
  delinearize(known, digits, inner);
  own.start = mulIndex(own.part, schedule.box[along] / threads * schedule.strides[along]);
  for (const Digit &digit : digits)
    own.start = addIndex(own.start, mulIndex(inner[digit.dim], schedule.strides[digit.dim]));

  // Along a digit, whose vectors begin inside the box.
  auto move = [&](BoxPlace &place, const Digit &digit, Value elements) {
    Value offset = mulIndex(elements, schedule.strides[digit.dim]);
    place.shared = place.shared ? addIndex(place.shared, offset) : offset;
    Value &coordinate = place.scope.dims[digit.dim];
    coordinate = addIndex(coordinate, elements);
    int64_t size = ir.space.getSize(digit.dim);
    if (size % schedule.box[digit.dim] == 0)
      return;
    place.inArray = both(place.inArray, isBelow(coordinate, size));
    coordinate = arith::MinUIOp::create(b, loc, coordinate, index(size - digit.step));
  };
  // The thread's vectors in this order; they are opened one by one.
  auto planOrder = [&](ArrayRef<unsigned> order, unsigned lanes) {
    OrderWalk walk;
    walk.vectors = planWalk(schedule.getDigits(order, lanes));
    walk.first.scope.dims = origin;
    walk.first.scope.lanes = lanes;
    walk.first.scope.vectorDim = order.back();
    enterBox(walk.vectors, [&](const Digit &digit, Value elements) { move(walk.first, digit, elements); });
    return walk;
  };
  auto openPlace = [&](const OrderWalk &walk, int64_t i) {
    BoxPlace place = walk.first;
    place.inBox =
        goToVector(walk.vectors, i, [&](const Digit &digit, Value elements) { move(place, digit, elements); });
    return place;
  };
  // Vectors lie together in shared memory, or element by element.
  auto getVector = [&](const BoxPlace &place) {
    int64_t lanes = place.scope.lanes;
    unsigned dim = place.scope.vectorDim;
    return BoxVector{place.shared, lanes, schedule.isVectorInBox(dim, lanes) ? lanes : 1, schedule.strides[dim]};
  };
  auto emitPiece = [&](Value first, MutableArrayRef<Value> carried) -> LogicalResult {
    origin[along] = first;
    // All loads of a thread are in flight before the first of them is used.
    OrderWalk reading = planOrder(schedule.readOrder, schedule.readLanes);
    std::vector<BoxPlace> places;
    for (int64_t i = 0; i < reading.vectors.path.steps; ++i)
      if (failed(compute(places.emplace_back(openPlace(reading, i)).scope, schedule.staged)))
        return failure();
    for (BoxPlace &place : places) {
      if (failed(compute(place.scope, operands)))
        return failure();
      (void)guarded(place.inBox, [&] {
        for (auto [operand, memory] : llvm::zip_equal(operands, shared))
          storeToBox(widen(place.scope, place.scope.find(operand), place.scope.lanes > 1), memory, getVector(place));
        return success();
      });
    }
    mlir::gpu::BarrierOp::create(b, loc);
    for (auto [i, scan] : llvm::enumerate(scans)) {
      ScanColumn column = own;
      column.memory = shared[i];
      column.carries = schedule.spread ? i * schedule.getCarryWords(ir) : 0;
      if (failed(scanColumn(scan, column, carried[i])))
        return failure();
    }
    mlir::gpu::BarrierOp::create(b, loc);
    OrderWalk writing = planOrder(schedule.writeOrder, schedule.lanes);
    for (int64_t i = 0; i < writing.vectors.path.steps; ++i) {
      BoxPlace place = openPlace(writing, i);
      for (auto [scan, memory] : llvm::zip_equal(scans, shared))
        place.scope.prims[scan] = loadFromBox(memory, getVector(place));
      if (failed(storeResults(place.scope, both(place.inBox, place.inArray))))
        return failure();
    }
    return success();
  };

  SmallVector<Value> carried;
  for (unsigned scan : scans)
    carried.push_back(math.neutral(ir.prims[scan].reduce, ir.prims[scan].type, ir.prims[scan].isUnsigned));
  if (schedule.chunks == 1)
    return emitPiece(own.piece ? mulIndex(own.piece, schedule.box[along]) : index(0), carried);
  auto loop = scf::ForOp::create(b, loc, index(0), index(schedule.chunks), index(1), carried);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next(loop.getRegionIterArgs());
  if (failed(emitPiece(mulIndex(loop.getInductionVar(), schedule.box[along]), next)))
    return failure();
  // The next piece takes the place of this one.
  mlir::gpu::BarrierOp::create(b, loc);
  scf::YieldOp::create(b, loc, next);
  return success();
}
