// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a reduction has combined so far, its state: of a thread, and of the threads that share a result, which pass each
// other theirs through registers or shared memory.

#include "Emit/KernelEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace vector = mlir::vector;

SmallVector<unsigned> KernelEmitter::reducesOfPhase(unsigned phase) const {
  SmallVector<unsigned> reduces;
  for (const auto &[i, prim] : llvm::enumerate(ir.prims))
    if (prim.kind == Prim::Kind::Reduce && prim.phase == phase && uses.live.test(i))
      reduces.push_back(i);
  return reduces;
}

ReduceState KernelEmitter::neutralState(unsigned reduce, unsigned lanes) {
  const Prim &prim = ir.prims[reduce];
  Type type = ir.prims[prim.operands[0]].type;
  if (isArg(prim))
    return {math.neutral(prim.reduce, type, prim.isUnsigned),
            math.integer(b.getI64Type(), std::numeric_limits<int64_t>::max())};
  if (lanes > 1)
    type = mlir::VectorType::get({static_cast<int64_t>(lanes)}, type);
  return {math.neutral(prim.reduce, type, prim.isUnsigned)};
}

ReduceState KernelEmitter::combineStates(unsigned reduce, const ReduceState &lhs, const ReduceState &rhs) {
  const Prim &prim = ir.prims[reduce];
  if (!isArg(prim))
    return {math.combine(prim.reduce, lhs[0], rhs[0], prim.isUnsigned)};
  // The first NaN wins, then the first extremum.
  Value a = lhs[0], c = rhs[0];
  bool largest = prim.reduce == ReduceKind::ArgMax;
  Value better, equal;
  if (isa<FloatType>(a.getType())) {
    better = arith::CmpFOp::create(b, loc, largest ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, c, a);
    equal = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, c, a);
    Value nanA = math.isNaN(a), nanC = math.isNaN(c);
    Value notNanA = arith::XOrIOp::create(b, loc, nanA, math.integer(b.getI1Type(), 1));
    better = arith::OrIOp::create(b, loc, better, arith::AndIOp::create(b, loc, nanC, notNanA));
    equal = arith::OrIOp::create(b, loc, equal, arith::AndIOp::create(b, loc, nanA, nanC));
  } else {
    bool plain = prim.isUnsigned || a.getType().isInteger(1);
    using P = arith::CmpIPredicate;
    better = arith::CmpIOp::create(b, loc, largest ? (plain ? P::ugt : P::sgt) : (plain ? P::ult : P::slt), c, a);
    equal = arith::CmpIOp::create(b, loc, P::eq, c, a);
  }
  Value earlier = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, rhs[1], lhs[1]);
  Value take = arith::OrIOp::create(b, loc, better, arith::AndIOp::create(b, loc, equal, earlier));
  return {math.select(take, c, a), math.select(take, rhs[1], lhs[1])};
}

/// Adds the elements at the scope's position to the state; where `valid` is
/// false (rows that do not fill their threads) nothing changes.
LogicalResult KernelEmitter::accumulate(Scope &scope, unsigned reduce, ReduceState &state, Value valid) {
  const Prim &prim = ir.prims[reduce];
  bool vectorState = isa<mlir::VectorType>(state[0].getType());
  const Prim &operand = ir.prims[prim.operands[0]];
  // A sum of products keeps the product's low bits (fma), as matrix units do.
  bool product = prim.reduce == ReduceKind::Sum && operand.kind == Prim::Kind::Arithmetic &&
                 operand.arithmetic == Arith::Mul && uses.counts[prim.operands[0]] == 1 &&
                 isa<FloatType>(operand.type) && !scope.find(prim.operands[0]);
  if (product) {
    if (failed(compute(scope, operand.operands)))
      return failure();
    Value lhs = widen(scope, scope.find(operand.operands[0]), vectorState),
          rhs = widen(scope, scope.find(operand.operands[1]), vectorState);
    Value next = mlir::math::FmaOp::create(b, loc, lhs, rhs, state[0]);
    state = {valid ? math.select(valid, next, state[0]) : next};
    return success();
  }
  if (failed(compute(scope, prim.operands)))
    return failure();
  ReduceState element;
  for (unsigned id : prim.operands)
    element.push_back(widen(scope, scope.find(id), vectorState));
  if (valid) {
    ReduceState none = neutralState(reduce, vectorState ? scope.lanes : 1);
    for (auto [value, otherwise] : llvm::zip_equal(element, none))
      value = math.select(valid, value, otherwise);
  }
  state = combineStates(reduce, state, element);
  return success();
}

ReduceState KernelEmitter::collapseLanes(unsigned reduce, const ReduceState &state) {
  auto type = dyn_cast<mlir::VectorType>(state[0].getType());
  if (!type)
    return state;
  SmallVector<Value> values;
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane)
    values.push_back(vector::ExtractOp::create(b, loc, state[0], lane));
  while (values.size() > 1) {
    size_t half = values.size() / 2;
    for (size_t i = 0; i < half; ++i)
      values[i] = combineStates(reduce, {values[i]}, {values[i + half]})[0];
    values.resize(half);
  }
  return {values[0]};
}

/// The value of the lane whose number differs in the bits of `offset`.
Value KernelEmitter::shuffle(Value value, unsigned offset) {
  Type type = value.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isF32() || type.isInteger(32))
    return mlir::gpu::ShuffleOp::create(b, loc, value, offset, 32, mlir::gpu::ShuffleMode::XOR).getShuffleResult();
  if (width == 64) {
    // As two halves.
    Value bits = isa<FloatType>(type) ? arith::BitcastOp::create(b, loc, b.getI64Type(), value).getResult() : value;
    Value low = shuffle(arith::TruncIOp::create(b, loc, b.getI32Type(), bits), offset);
    Value high =
        shuffle(arith::TruncIOp::create(b, loc, b.getI32Type(),
                                        arith::ShRUIOp::create(b, loc, bits, math.integer(b.getI64Type(), 32))),
                offset);
    Value wideLow = arith::ExtUIOp::create(b, loc, b.getI64Type(), low),
          wideHigh = arith::ExtUIOp::create(b, loc, b.getI64Type(), high);
    Value joined = arith::OrIOp::create(b, loc, wideLow,
                                        arith::ShLIOp::create(b, loc, wideHigh, math.integer(b.getI64Type(), 32)));
    return isa<FloatType>(type) ? arith::BitcastOp::create(b, loc, type, joined).getResult() : joined;
  }
  Value wide = arith::ExtUIOp::create(b, loc, b.getI32Type(), value);
  return arith::TruncIOp::create(b, loc, type, shuffle(wide, offset));
}

/// LLVM makes vectors of what is loaded from neighbouring places, whatever their alignment.
Value KernelEmitter::addShared(int64_t count, Type type) {
  auto space = mlir::gpu::AddressSpaceAttr::get(b.getContext(), mlir::gpu::AddressSpace::Workgroup);
  auto memory = mlir::MemRefType::get({count}, type, mlir::MemRefLayoutAttrInterface(), space);
  Value buffer = function.addWorkgroupAttribution(memory, loc);
  function.setWorkgroupAttributionAttr(function.getNumWorkgroupAttributions() - 1, "llvm.align",
                                       b.getI64IntegerAttr(kVectorBytes));
  return buffer;
}

Value KernelEmitter::addSlots(int64_t count, Type type) {
  return addShared(count, type.isInteger(1) ? b.getI8Type() : type);
}

void KernelEmitter::storeSlot(Value value, Value slots, Value at) {
  if (value.getType().isInteger(1))
    value = arith::ExtUIOp::create(b, loc, b.getI8Type(), value);
  memref::StoreOp::create(b, loc, value, slots, at);
}

Value KernelEmitter::loadSlot(Value slots, Value at, Type type) {
  Value loaded = memref::LoadOp::create(b, loc, slots, at);
  return type.isInteger(1) ? arith::TruncIOp::create(b, loc, type, loaded).getResult() : loaded;
}

/// Combines the states of all threads of a row; all of them get the result.
ReduceState KernelEmitter::reduceAcross(unsigned reduce, ReduceState state, unsigned threadsPerRow, Value lane) {
  auto tree = [&](unsigned width) {
    for (unsigned offset = width / 2; offset > 0; offset /= 2) {
      ReduceState other;
      for (Value value : state)
        other.push_back(shuffle(value, offset));
      // Both partners must get the same bits.
      state = combineStates(reduce, state, other);
    }
  };
  tree(std::min(threadsPerRow, 32u));
  if (threadsPerRow <= 32)
    return state;
  // One slot a warp; each warp then combines all slots.
  unsigned warps = threadsPerRow / 32;
  Value warpLane = arith::RemUIOp::create(b, loc, lane, index(32)),
        warp = arith::DivUIOp::create(b, loc, lane, index(32));
  Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, warpLane, index(0));
  SmallVector<Value> slots;
  for (Value value : state)
    slots.push_back(addSlots(warps, value.getType()));
  (void)guarded(first, [&] {
    for (auto [value, slot] : llvm::zip_equal(state, slots))
      storeSlot(value, slot, warp);
    return success();
  });
  mlir::gpu::BarrierOp::create(b, loc);
  Value mine = arith::RemUIOp::create(b, loc, warpLane, index(warps));
  for (auto [value, slot] : llvm::zip_equal(state, slots))
    value = loadSlot(slot, mine, value.getType());
  tree(warps);
  return state;
}

void KernelEmitter::combineInCluster(ArrayRef<unsigned> reduces, MutableArrayRef<ReduceState> states, Value rank) {
  namespace LLVM = mlir::LLVM;
  namespace NVVM = mlir::NVVM;
  int64_t blocks = schedule.cluster;
  Type remote = LLVM::LLVMPointerType::get(b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  SmallVector<SmallVector<Value>> slots;
  for (ReduceState &state : states) {
    SmallVector<Value> &own = slots.emplace_back();
    for (Value value : state)
      own.push_back(addSlots(blocks, value.getType()));
  }
  // A thread for each block writes there what this one has.
  (void)guarded(isBelow(threadId, blocks), [&] {
    Value to = arith::IndexCastOp::create(b, loc, b.getI32Type(), threadId);
    for (auto [state, own] : llvm::zip_equal(states, slots))
      for (auto [value, slot] : llvm::zip_equal(state, own)) {
        Value stored = value;
        if (value.getType().isInteger(1))
          stored = arith::ExtUIOp::create(b, loc, b.getI8Type(), value);
        Value there = NVVM::MapaOp::create(b, loc, remote, getBoxAddress(slot, rank), to);
        LLVM::StoreOp::create(b, loc, stored, there);
      }
    return success();
  });
  NVVM::ClusterArriveOp::create(b, loc, b.getUnitAttr());
  NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
  // In the order of the blocks: all get the same bits.
  for (auto [reduce, state, own] : llvm::zip_equal(reduces, states, slots)) {
    ReduceState total;
    for (int64_t block = 0; block < blocks; ++block) {
      ReduceState other;
      for (auto [value, slot] : llvm::zip_equal(state, own))
        other.push_back(loadSlot(slot, index(block), value.getType()));
      total = block ? combineStates(reduce, total, other) : other;
    }
    state = total;
  }
}

/// Combines the states of the threads of a block whose numbers have the same remainder by `width`; all of them get the
/// result. Vectors are those of neighbouring results.
ReduceState KernelEmitter::reduceStrip(unsigned reduce, const ReduceState &state, unsigned width, Value thread) {
  auto type = dyn_cast<mlir::VectorType>(state[0].getType());
  int64_t lanes = type ? type.getNumElements() : 1;
  SmallVector<ReduceState> states(lanes);
  for (auto [lane, single] : llvm::enumerate(states))
    for (Value value : state)
      single.push_back(getLane(value, lane));
  for (ReduceState &single : states)
    for (unsigned offset = width; offset < kWarpSize; offset *= 2) {
      ReduceState other;
      for (Value value : single)
        other.push_back(shuffle(value, offset));
      single = combineStates(reduce, single, other);
    }
  // What is left: one state of each result and warp, or of a thread if a warp has only different results.
  int64_t group = std::max<int64_t>(width, kWarpSize), groups = schedule.block / group;
  if (groups > 1) {
    Value column = arith::RemUIOp::create(b, loc, thread, index(width));
    Value own = addIndex(mulIndex(arith::DivUIOp::create(b, loc, thread, index(group)), width), column);
    SmallVector<Value> slots;
    for (Value value : states[0])
      slots.push_back(addSlots(groups * width * lanes, value.getType()));
    // A lane of all results, then the next: neighbouring threads use neighbouring banks.
    auto at = [&](Value slot, size_t lane) { return addIndex(slot, index(lane * groups * width)); };
    Value isFirst;
    if (width < kWarpSize)
      isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                      arith::RemUIOp::create(b, loc, thread, index(kWarpSize)), index(width));
    (void)guarded(isFirst, [&] {
      for (const auto &[lane, single] : llvm::enumerate(states))
        for (auto [value, slot] : llvm::zip_equal(single, slots))
          storeSlot(value, slot, at(own, lane));
      return success();
    });
    mlir::gpu::BarrierOp::create(b, loc);
    auto load = [&](Value place) {
      ReduceState loaded;
      for (auto [value, slot] : llvm::zip_equal(states[0], slots))
        loaded.push_back(loadSlot(slot, place, value.getType()));
      return loaded;
    };
    // A thread for each result, or for some, adds up, and leaves the total to all in the first warp's slot.
    int64_t results = width * lanes;
    for (int64_t first = 0; first < results; first += schedule.block) {
      Value number = addIndex(thread, index(first));
      Value isAdding =
          results < first + schedule.block
              ? arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, index(results)).getResult()
              : Value();
      (void)guarded(isAdding, [&] {
        Value lane = arith::DivUIOp::create(b, loc, number, index(width));
        Value start = addIndex(mulIndex(lane, groups * width), arith::RemUIOp::create(b, loc, number, index(width)));
        ReduceState total = load(start);
        for (int64_t i = 1; i < groups; ++i)
          total = combineStates(reduce, total, load(addIndex(start, index(i * width))));
        for (auto [value, slot] : llvm::zip_equal(total, slots))
          storeSlot(value, slot, start);
        return success();
      });
    }
    mlir::gpu::BarrierOp::create(b, loc);
    for (auto [lane, single] : llvm::enumerate(states))
      single = load(at(column, lane));
  }
  if (!type)
    return states[0];
  ReduceState result;
  for (size_t i = 0; i < state.size(); ++i) {
    SmallVector<Value> elements;
    for (const ReduceState &single : states)
      elements.push_back(single[i]);
    result.push_back(vector::FromElementsOp::create(b, loc, type, elements));
  }
  return result;
}
