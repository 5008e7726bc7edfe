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

/// Elements of what a thread adds up to which there is no loop: all that it reads is on its way at once.
static constexpr int64_t kMostLoopCode = 96;

LogicalResult KernelEmitter::emitLoops() {
  SmallVector<unsigned> innerDims = ir.getInnerDims(), outerDims = ir.getOuterDims();
  unsigned lanes = schedule.lanes;
  SmallVector<Digit> digits = getDigits(outerDims, lanes);
  int64_t rows = schedule.unroll, lastRow = 0;
  if (rows > 1) {
    Digit &digit = digits[digits.size() - 2];
    lastRow = digit.count - rows;
    digit = {digit.dim, static_cast<int64_t>(llvm::divideCeil(digit.count, rows)), rows};
  }
  int64_t block = schedule.block, vectors = 1;
  for (const Digit &digit : digits)
    vectors *= digit.count;
  openBlocks(llvm::divideCeil(vectors, block), block);
  Value position = addIndex(mulIndex(blockId, block), threadId);
  Value inside = launch.grid * block != vectors
                     ? arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, position, index(vectors)).getResult()
                     : Value();
  return guarded(inside, [&]() -> LogicalResult {
    SmallVector<Value> first(ir.space.getNumDims());
    delinearize(position, digits, first);
    std::vector<Scope> outers(rows);
    for (auto [i, outer] : llvm::enumerate(outers)) {
      outer.dims = first;
      outer.vectorDim = outerDims.empty() ? -1 : static_cast<int>(outerDims.back());
      outer.lanes = lanes;
      if (rows > 1) {
        // The last rows begin so early that there are as many: some are computed twice.
        Value &row = outer.dims[digits[digits.size() - 2].dim];
        if ((lastRow + rows) % rows != 0)
          row = arith::MinUIOp::create(b, loc, row, index(lastRow));
        row = addIndex(row, index(i));
      }
      openTables(outer);
      if (failed(computeRowValues(outer, 0)))
        return failure();
    }
    auto openInner = [&](const Scope &outer, ArrayRef<Value> inner) {
      Scope scope;
      scope.dims = outer.dims;
      for (auto [dim, value] : llvm::zip_equal(innerDims, inner))
        scope.dims[dim] = value;
      scope.vectorDim = outer.vectorDim;
      scope.lanes = lanes;
      scope.parent = &outer;
      return scope;
    };
    using Body = function_ref<FailureOr<SmallVector<Value>>(ArrayRef<Value>, ValueRange)>;
    // `body` for each of the inner positions: neighbouring windows then load what they have in common once.
    auto unrolled = [&](ArrayRef<Value> initial, Body body) -> FailureOr<SmallVector<Value>> {
      SmallVector<Value> carried(initial);
      for (int64_t number = 0; number < ir.getInnerSize(); ++number) {
        SmallVector<Value> inner(innerDims.size());
        int64_t rest = number;
        for (size_t i = innerDims.size(); i-- > 0;) {
          int64_t size = ir.space.getSize(innerDims[i]);
          inner[i] = index(rest % size);
          rest /= size;
        }
        FailureOr<SmallVector<Value>> next = body(inner, carried);
        if (failed(next))
          return failure();
        carried = *next;
      }
      return carried;
    };
    // A nest of loops over the inner dimensions around `body`.
    auto nest = [&](ArrayRef<Value> initial, Body body) -> FailureOr<SmallVector<Value>> {
      if (rows > 1 || ir.getInnerSize() * lanes <= kMostLoopCode)
        return unrolled(initial, body);
      OpBuilder::InsertionGuard restore(b);
      SmallVector<Value> inner;
      SmallVector<scf::ForOp> loops;
      SmallVector<Value> carried(initial);
      for (unsigned dim : innerDims) {
        auto loop = scf::ForOp::create(b, loc, index(0), index(ir.space.getSize(dim)), index(1), carried);
        inner.push_back(loop.getInductionVar());
        carried.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
        loops.push_back(loop);
        b.setInsertionPointToStart(loop.getBody());
      }
      FailureOr<SmallVector<Value>> result = body(inner, carried);
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
      SmallVector<size_t> widths; // values of a state
      SmallVector<Value> initial;
      for (Scope &outer : outers)
        for (unsigned reduce : reduces) {
          ReduceState state = neutralState(reduce, varies(outer, ir.prims[reduce].dims) ? lanes : 1);
          widths.push_back(state.size());
          initial.append(state.begin(), state.end());
        }
      FailureOr<SmallVector<Value>> results =
          nest(initial, [&](ArrayRef<Value> inner, ValueRange carried) -> FailureOr<SmallVector<Value>> {
            SmallVector<Value> next;
            ArrayRef<size_t> width = widths;
            for (const Scope &outer : outers) {
              Scope scope = openInner(outer, inner);
              for (unsigned reduce : reduces) {
                ReduceState running(carried.take_front(width.front()));
                carried = carried.drop_front(width.front());
                width = width.drop_front();
                if (failed(accumulate(scope, reduce, running, Value())))
                  return failure();
                next.append(running.begin(), running.end());
              }
            }
            return next;
          });
      if (failed(results))
        return failure();
      size_t next = 0, number = 0;
      for (Scope &outer : outers) {
        for (unsigned reduce : reduces) {
          next += widths[number++];
          outer.prims[reduce] = (*results)[next - 1];
        }
        if (failed(computeRowValues(outer, phase)))
          return failure();
      }
    }
    bool hasElementStores = false;
    for (Scope &outer : outers)
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
    return nest({}, [&](ArrayRef<Value> inner, ValueRange) -> FailureOr<SmallVector<Value>> {
      for (const Scope &outer : outers) {
        Scope scope = openInner(outer, inner);
        if (failed(emitElementStores(scope, Value())))
          return failure();
      }
      return SmallVector<Value>();
    });
  });
}
