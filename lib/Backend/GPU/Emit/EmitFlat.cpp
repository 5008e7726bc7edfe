// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No reduction: every thread computes its elements.

#include "Emit/KernelEmitter.h"
#include "llvm/Support/MathExtras.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;

SmallVector<unsigned> KernelEmitter::getLoads() const {
  SmallVector<unsigned> loads;
  for (const auto &[i, prim] : llvm::enumerate(ir.prims))
    if (prim.kind == Prim::Kind::Load && uses.live.test(i))
      loads.push_back(i);
  return loads;
}

LogicalResult KernelEmitter::emitFlat() {
  SmallVector<unsigned> dims = ir.getOuterDims();
  unsigned lanes = schedule.lanes;
  int64_t size = ir.getOuterSize(), vectors = schedule.getFlatVectors(ir), rest = size % lanes;
  bool hasSteps = schedule.stepDim >= 0;
  int64_t block = schedule.block, perBlock = hasSteps ? block : block * schedule.unroll;
  openBlocks(llvm::divideCeil(vectors, perBlock), block);
  SmallVector<unsigned> targets = getTargets(), loads = getLoads();
  auto place = [&](Scope &scope, Value at, unsigned width) {
    scope.dims.assign(ir.space.getNumDims(), Value());
    scope.lanes = width;
    scope.vectorDim = dims.empty() ? -1 : static_cast<int>(dims.back());
    if (dims.empty())
      return;
    SmallVector<Digit> digits = getTiledDigits(dims, width);
    if (hasSteps) {
      Digit &digit =
          *llvm::find_if(digits, [&](const Digit &digit) { return static_cast<int>(digit.dim) == schedule.stepDim; });
      digit.count = llvm::divideCeil(digit.count, schedule.unroll);
      digit.step = schedule.unroll;
    }
    delinearize(at, digits, scope.dims);
  };
  auto open = [&](Scope &scope, Value at, unsigned width) {
    place(scope, at, width);
    // A division is a branch, which no load is moved across: what is loaded comes first.
    return compute(scope, loads);
  };
  auto storeAll = [&](Scope &scope) {
    if (failed(compute(scope, targets)))
      return failure();
    for (const KernelStore &store : ir.stores)
      emitStore(scope, store);
    return success();
  };
  Value first = addIndex(mulIndex(blockId, perBlock), threadId);
  if (rest != 0) {
    // What is left of one dimension: an element a thread, of the first ones.
    Value isLeft = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, first, index(rest));
    if (failed(guarded(isLeft, [&]() -> LogicalResult {
          Scope scope;
          if (failed(open(scope, addIndex(first, index(size - rest)), 1)))
            return failure();
          return storeAll(scope);
        })))
      return failure();
  }
  bool isPartial = vectors % perBlock != 0;
  auto isInside = [&](Value at) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at, index(vectors)).getResult();
  };
  if (schedule.unroll == 1)
    return guarded(isPartial ? isInside(first) : Value(), [&]() -> LogicalResult {
      Scope scope;
      if (failed(open(scope, first, lanes)))
        return failure();
      return storeAll(scope);
    });
  if (hasSteps)
    return guarded(isPartial ? isInside(first) : Value(), [&]() -> LogicalResult {
      Scope start;
      place(start, first, lanes);
      int64_t extent = ir.space.getSize(schedule.stepDim);
      Value &along = start.dims[schedule.stepDim];
      if (extent % schedule.unroll != 0)
        along = arith::MinUIOp::create(b, loc, along, index(extent - schedule.unroll));
      std::vector<Scope> scopes(schedule.unroll);
      for (auto [i, scope] : llvm::enumerate(scopes)) {
        scope.dims = start.dims;
        scope.lanes = start.lanes;
        scope.vectorDim = start.vectorDim;
        scope.stepDim = schedule.stepDim;
        scope.step = i;
        scope.stepFirst = along;
        scope.dims[schedule.stepDim] = addIndex(along, index(i));
        if (failed(compute(scope, loads)))
          return failure();
      }
      for (Scope &scope : scopes)
        if (failed(storeAll(scope)))
          return failure();
      return success();
    });
  // The loads of all vectors are in flight together.
  std::vector<Scope> scopes(schedule.unroll);
  SmallVector<Value> inside;
  for (auto [i, scope] : llvm::enumerate(scopes)) {
    Value at = addIndex(first, index(i * block));
    inside.push_back(isPartial ? isInside(at) : Value());
    if (isPartial)
      at = arith::MinUIOp::create(b, loc, at, index(vectors - 1));
    if (failed(open(scope, at, lanes)))
      return failure();
  }
  for (Scope &scope : scopes)
    if (failed(compute(scope, targets)))
      return failure();
  for (size_t i = 0; i < scopes.size(); ++i)
    if (failed(guarded(inside[i], [&] { return storeAll(scopes[i]); })))
      return failure();
  return success();
}
