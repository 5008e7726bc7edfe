// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running sums and products: of the elements of an access, of the threads that share
// a row, and of what was before them.

#include "Emit/KernelEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

SmallVector<unsigned> KernelEmitter::getScans() const {
  SmallVector<unsigned> scans;
  for (const auto &[i, prim] : llvm::enumerate(ir.prims))
    if (prim.kind == Prim::Kind::Scan && uses.live.test(i))
      scans.push_back(i);
  return scans;
}

/// What comes before the threads of a row of up to a warp, which are `apart`, and all of it: threads whose places in the
/// row differ in one bit after the other pass each other their totals.
std::pair<Value, Value> KernelEmitter::scanButterfly(Value neutral, Value total, Value place, int64_t threads,
                                                     int64_t apart, function_ref<Value(Value, Value)> combine) {
  auto select = [&](Value condition, Value yes, Value no) { return math.select(condition, yes, no); };
  Value before = neutral;
  for (int64_t offset = 1; offset < threads; offset *= 2) {
    Value other = shuffle(total, offset * apart);
    Value bit = arith::AndIOp::create(b, loc, place, arith::ConstantIndexOp::create(b, loc, offset));
    Value isLater =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, arith::ConstantIndexOp::create(b, loc, 0));
    before = select(isLater, combine(other, before), before);
    // Both partners must get the same bits.
    total = combine(select(isLater, other, total), select(isLater, total, other));
  }
  return {before, total};
}

/// Computes the scans at one access of every thread of a row; `carried` is what came before it, and becomes what comes
/// before the next one.
LogicalResult KernelEmitter::emitScans(Scope &scope, Value valid, MutableArrayRef<Value> carried, Value lane) {
  bool along = schedule.kind == KernelSchedule::Kind::Rows;
  for (auto [scan, before] : llvm::zip_equal(getScans(), carried)) {
    const Prim &prim = ir.prims[scan];
    if (failed(compute(scope, prim.operands)))
      return failure();
    auto combine = [&](Value lhs, Value rhs) { return math.combine(prim.reduce, lhs, rhs, prim.isUnsigned); };
    auto select = [&](Value condition, Value yes, Value no) { return math.select(condition, yes, no); };
    Value element = widen(scope, scope.find(prim.operands[0]), varies(scope, prim.dims));
    if (valid)
      element = select(valid, element, math.neutral(prim.reduce, element.getType(), prim.isUnsigned));
    if (!along) {
      // One thread has all of its results' elements.
      before = combine(before, element);
      scope.prims[scan] = before;
      continue;
    }
    auto type = dyn_cast<mlir::VectorType>(element.getType());
    SmallVector<Value> values;
    for (int64_t i = 0; type && i < type.getNumElements(); ++i)
      values.push_back(vector::ExtractOp::create(b, loc, element, i));
    if (!type)
      values.push_back(element);
    for (size_t i = 1; i < values.size(); ++i)
      values[i] = combine(values[i - 1], values[i]);
    Value neutral = math.neutral(prim.reduce, prim.type, prim.isUnsigned);
    auto [prefix, total] =
        scanButterfly(neutral, values.back(), lane, std::min(schedule.threads, kWarpSize), /*apart=*/1, combine);
    int64_t warps = schedule.threads / kWarpSize;
    if (warps > 1) {
      Value &slot = scanSlots[scan];
      if (!slot)
        slot = addShared(warps, prim.type);
      Value warp = arith::DivUIOp::create(b, loc, lane, index(kWarpSize));
      Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                            arith::RemUIOp::create(b, loc, lane, index(kWarpSize)), index(0));
      // The slots of the access before this one have been read by all.
      mlir::gpu::BarrierOp::create(b, loc);
      Value stored = total, memory = slot;
      (void)guarded(isFirst, [&] {
        memref::StoreOp::create(b, loc, stored, memory, warp);
        return success();
      });
      mlir::gpu::BarrierOp::create(b, loc);
      Value earlier = neutral, all;
      for (int64_t i = 0; i < warps; ++i) {
        Value other = memref::LoadOp::create(b, loc, memory, index(i));
        Value isEarlier = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index(i), warp);
        earlier = select(isEarlier, combine(earlier, other), earlier);
        all = all ? combine(all, other) : other;
      }
      prefix = combine(earlier, prefix);
      total = all;
    }
    prefix = combine(before, prefix);
    before = combine(before, total);
    for (Value &value : values)
      value = combine(prefix, value);
    scope.prims[scan] = type ? vector::FromElementsOp::create(b, loc, type, values).getResult() : values[0];
  }
  return success();
}
