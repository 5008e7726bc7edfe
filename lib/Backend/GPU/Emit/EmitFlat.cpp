// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No reduction: every thread computes its elements.

#include "Emit/KernelEmitter.h"
#include "llvm/Support/MathExtras.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;

LogicalResult KernelEmitter::emitFlat() {
  SmallVector<unsigned> dims = ir.getOuterDims();
  unsigned lanes = schedule.lanes;
  int64_t size = ir.getOuterSize(), vectors = size / lanes, rest = size % lanes;
  int64_t block = schedule.block, perBlock = block * schedule.unroll;
  openBlocks(llvm::divideCeil(vectors, perBlock), block);
  SmallVector<unsigned> targets = getTargets();
  auto open = [&](Scope &scope, Value at, unsigned width) {
    scope.dims.assign(ir.space.getNumDims(), Value());
    scope.lanes = width;
    scope.vectorDim = dims.empty() ? -1 : static_cast<int>(dims.back());
    if (!dims.empty())
      delinearize(at, getTiledDigits(dims, width), scope.dims);
    return compute(scope, targets);
  };
  auto storeAll = [&](Scope &scope) {
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
  // Everything is computed before anything is stored, so that the loads of all vectors are in flight together.
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
  for (size_t i = 0; i < scopes.size(); ++i)
    if (failed(guarded(inside[i], [&] { return storeAll(scopes[i]); })))
      return failure();
  return success();
}
