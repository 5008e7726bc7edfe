// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows and products: a thread per (vector of) result(s) and a loop.

#include "Emit/KernelEmitter.h"
#include "llvm/Support/MathExtras.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

LogicalResult KernelEmitter::emitLoops() {
  SmallVector<unsigned> innerDims = ir.getInnerDims(), outerDims = ir.getOuterDims();
  unsigned lanes = schedule.lanes;
  int64_t block = schedule.block, vectors = ir.getOuterSize() / lanes;
  openBlocks(llvm::divideCeil(vectors, block), block);
  Value position = addIndex(mulIndex(blockId, block), threadId);
  Value inside = launch.grid * block != vectors
                     ? arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, position, index(vectors)).getResult()
                     : Value();
  return guarded(inside, [&]() -> LogicalResult {
    Scope outer;
    outer.dims.assign(ir.space.getNumDims(), Value());
    outer.vectorDim = outerDims.empty() ? -1 : static_cast<int>(outerDims.back());
    outer.lanes = lanes;
    delinearize(position, getDigits(outerDims, lanes), outer.dims);
    openTables(outer);
    if (failed(computeRowValues(outer, 0)))
      return failure();
    // A nest of loops over the inner dimensions around `body`.
    auto nest =
        [&](ArrayRef<Value> initial,
            function_ref<FailureOr<SmallVector<Value>>(Scope &, ValueRange)> body) -> FailureOr<SmallVector<Value>> {
      OpBuilder::InsertionGuard restore(b);
      Scope scope;
      scope.dims = outer.dims;
      scope.vectorDim = outer.vectorDim;
      scope.lanes = lanes;
      scope.parent = &outer;
      SmallVector<scf::ForOp> loops;
      SmallVector<Value> carried(initial.begin(), initial.end());
      for (unsigned dim : innerDims) {
        auto loop = scf::ForOp::create(b, loc, index(0), index(ir.space.getSize(dim)), index(1), carried);
        scope.dims[dim] = loop.getInductionVar();
        carried.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
        loops.push_back(loop);
        b.setInsertionPointToStart(loop.getBody());
      }
      FailureOr<SmallVector<Value>> result = body(scope, carried);
      if (failed(result))
        return failure();
      for (scf::ForOp loop : llvm::reverse(loops)) {
        // A loop without carried values has its terminator already.
        if (!initial.empty()) {
          b.setInsertionPointToEnd(loop.getBody());
          scf::YieldOp::create(b, loc, *result);
        }
        result->assign(loop.getResults().begin(), loop.getResults().end());
        b.setInsertionPointAfter(loop);
      }
      return result;
    };
    for (unsigned phase = 1; phase <= ir.phases; ++phase) {
      SmallVector<unsigned> reduces = reducesOfPhase(phase);
      SmallVector<ReduceState> states;
      SmallVector<Value> initial;
      for (unsigned reduce : reduces) {
        states.push_back(neutralState(reduce, varies(outer, ir.prims[reduce].dims) ? lanes : 1));
        initial.append(states.back().begin(), states.back().end());
      }
      FailureOr<SmallVector<Value>> results =
          nest(initial, [&](Scope &scope, ValueRange carried) -> FailureOr<SmallVector<Value>> {
            SmallVector<Value> next;
            size_t position = 0;
            for (auto [reduce, state] : llvm::zip_equal(reduces, states)) {
              ReduceState running;
              for (size_t i = 0; i < state.size(); ++i)
                running.push_back(carried[position++]);
              if (failed(accumulate(scope, reduce, running, Value())))
                return failure();
              next.append(running.begin(), running.end());
            }
            return next;
          });
      if (failed(results))
        return failure();
      size_t next = 0;
      for (auto [reduce, state] : llvm::zip_equal(reduces, states)) {
        next += state.size();
        outer.prims[reduce] = (*results)[next - 1];
      }
      if (failed(computeRowValues(outer, phase)))
        return failure();
    }
    bool hasElementStores = false;
    for (const KernelStore &store : ir.stores) {
      if (!isRowStore(ir, store)) {
        hasElementStores = true;
        continue;
      }
      if (failed(compute(outer, {store.prim})))
        return failure();
      emitStore(outer, store);
    }
    if (!hasElementStores)
      return success();
    return nest({}, [&](Scope &scope, ValueRange) -> FailureOr<SmallVector<Value>> {
      if (failed(emitElementStores(scope, Value())))
        return failure();
      return SmallVector<Value>();
    });
  });
}
