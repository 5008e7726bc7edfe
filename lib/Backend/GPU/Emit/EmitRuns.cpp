// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions whose blocks have all elements of a run of memory (Kernel/ChooseRuns.h): the run comes to shared memory in
// vectors, threads find their elements and leave their results there, and what is written leaves it in vectors.

#include "Emit/KernelEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace memref = mlir::memref;

/// Where an element of the run lies in shared memory.
Value KernelEmitter::getRunPlace(Value element) {
  if (!schedule.padding)
    return element;
  Value before = arith::DivUIOp::create(b, loc, element, index(schedule.padEvery));
  return addIndex(element, mulIndex(before, schedule.padding));
}

/// Vectors of the run that are all there, by number, and behind the last of them single elements: `whole` of where a vector
/// begins in the run and whether it does, `single` the same of an element.
void KernelEmitter::forRunVectors(function_ref<void(Value, Value)> whole, function_ref<void(Value, Value)> single) {
  int64_t lanes = schedule.readLanes, length = schedule.runResults * ir.getInnerSize();
  int64_t total = ir.getOuterSize() * ir.getInnerSize(), vectors = length / lanes;
  for (int64_t first = 0; first < vectors; first += schedule.block) {
    Value at = mulIndex(addIndex(threadId, index(first)), lanes), exists;
    if (first + schedule.block > vectors)
      exists = isBelow(at, length);
    if (total % length != 0)
      exists = both(exists, isBelow(addIndex(at, ownRun.start), total - lanes + 1));
    whole(at, exists);
  }
  if (int64_t rest = total % lanes) {
    Value at = arith::SubIOp::create(b, loc, addIndex(threadId, index(total - rest)), ownRun.start);
    int64_t last = total / length * length;
    Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, ownRun.start, index(last));
    single(at, both(isLast, isBelow(threadId, rest)));
  }
}

/// All loads of a thread are in flight before the first of them is stored.
void KernelEmitter::openRun(Value block) {
  int64_t lanes = schedule.readLanes;
  ownRun.start = mulIndex(block, schedule.runResults * ir.getInnerSize());
  struct Copied {
    Value value, at, exists;
    unsigned load;
  };
  SmallVector<Copied> copied;
  auto getAddress = [&](const Prim &prim, Value at) {
    return addIndex(addIndex(at, ownRun.start), index(prim.address.constant));
  };
  for (unsigned load : schedule.staged) {
    const Prim &prim = ir.prims[load];
    Type element = getMemoryType(ir.arrays[prim.array].elementType);
    ownRun.loads[load] = addShared(schedule.getRunExtent(ir), element);
    auto type = mlir::VectorType::get({lanes}, element);
    auto copy = [&](Type type, Value at, Value exists, function_ref<Value()> read) {
      auto none = [&]() -> Value { return arith::ConstantOp::create(b, loc, type, b.getZeroAttr(type)); };
      copied.push_back({exists ? choose(type, exists, read, none) : read(), at, exists, load});
    };
    forRunVectors(
        [&](Value at, Value exists) {
          copy(type, at, exists, [&] { return loadVector(arrays[prim.array], getAddress(prim, at), type); });
        },
        [&](Value at, Value exists) {
          copy(element, at, exists,
               [&]() -> Value { return memref::LoadOp::create(b, loc, arrays[prim.array], getAddress(prim, at)); });
        });
  }
  for (const Copied &own : copied)
    (void)guarded(own.exists, [&] {
      bool isVector = isa<mlir::VectorType>(own.value.getType());
      storeToBox(own.value, ownRun.loads[own.load], getRunVector(own.at, isVector ? lanes : 1));
      return success();
    });
  mlir::gpu::BarrierOp::create(b, loc);
  for (const auto &[i, store] : llvm::enumerate(ir.stores))
    if (schedule.isInRun(ir, store))
      ownRun.stores[i] = schedule.sharesRun(ir)
                             ? ownRun.loads[schedule.staged.front()]
                             : addShared(schedule.getRunExtent(ir), getMemoryType(ir.arrays[store.array].elementType));
}

BoxVector KernelEmitter::getRunVector(Value at, int64_t lanes) { return {getRunPlace(at), lanes, lanes, 1}; }

/// The element of the run at an address of what lies in it.
Value KernelEmitter::getInRun(Scope &scope, const IndexExpr &address) {
  IndexExpr inRun = address;
  inRun.constant = 0;
  Value place = arith::SubIOp::create(b, loc, evaluate(scope, inRun, 0), ownRun.start);
  return ownRun.free ? addIndex(place, ownRun.free) : place;
}

void KernelEmitter::openRunResult(Value block, Value number) {
  if (!schedule.padding)
    return;
  int64_t neighbours = schedule.padEvery / ir.getInnerSize();
  Value inRun = arith::SubIOp::create(b, loc, number, mulIndex(block, schedule.runResults));
  ownRun.free = mulIndex(arith::DivUIOp::create(b, loc, inRun, index(neighbours)), schedule.padding);
}

void KernelEmitter::closeRun() {
  int64_t lanes = schedule.readLanes;
  if (ownRun.stores.empty())
    return;
  mlir::gpu::BarrierOp::create(b, loc);
  for (const auto &[i, store] : llvm::enumerate(ir.stores)) {
    auto memory = ownRun.stores.find(i);
    if (memory == ownRun.stores.end())
      continue;
    Value target = arrays[store.array], source = memory->second;
    int64_t constant = store.address.constant;
    auto copy = [&](int64_t width, Value at, Value exists) {
      (void)guarded(exists, [&] {
        Value value = loadFromBox(source, getRunVector(at, width));
        Value address = addIndex(addIndex(at, ownRun.start), index(constant));
        if (width == 1)
          memref::StoreOp::create(b, loc, value, target, address);
        else
          storeVector(value, target, address);
        return success();
      });
    };
    forRunVectors([&](Value at, Value exists) { copy(lanes, at, exists); },
                  [&](Value at, Value exists) { copy(1, at, exists); });
  }
}
