// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No reduction: every thread computes its elements.

#include "KernelEmitter.h"
#include "llvm/Support/MathExtras.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

LogicalResult KernelEmitter::emitFlat() {
  SmallVector<unsigned> dims = ir.getOuterDims();
  int64_t size = ir.getOuterSize();
  unsigned lanes = 1;
  bool tail = false;
  if (dims.size() == 1) {
    // One dimension may end with a partial vector.
    unsigned narrowest = 0;
    auto consider = [&](const KernelArray &array, const IndexExpr &address) {
      unsigned bytes = getMemoryBytes(array.elementType);
      if (isContiguous(address, dims[0]))
        narrowest = narrowest ? std::min(narrowest, bytes) : bytes;
    };
    for (const auto &[i, prim] : llvm::enumerate(ir.prims))
      if (prim.kind == Prim::Kind::Load && live.test(i))
        consider(ir.arrays[prim.array], prim.address);
    for (const KernelStore &store : ir.stores)
      consider(ir.arrays[store.array], store.address);
    unsigned best = narrowest && ir.tableDim < 0 ? std::min(16 / narrowest, 8u) : 1;
    lanes = size >= 4 * best ? best : 1;
    tail = size % lanes != 0;
  } else if (!dims.empty()) {
    lanes = chooseLanes(dims.back(), 8);
  }
  int64_t vectors = llvm::divideCeil(size, lanes);
  int64_t block = vectors >= 128 ? 128 : std::max<int64_t>(32, llvm::PowerOf2Ceil(vectors));
  createFunction(llvm::divideCeil(vectors, block), block);
  Value block0 = mlir::gpu::BlockIdOp::create(b, loc, mlir::gpu::Dimension::x),
        thread = mlir::gpu::ThreadIdOp::create(b, loc, mlir::gpu::Dimension::x);
  Value position = addIndex(mulIndex(block0, block), thread);
  SmallVector<unsigned> targets;
  for (const KernelStore &store : ir.stores)
    targets.push_back(store.prim);
  auto body = [&](Value at, unsigned width) -> LogicalResult {
    Scope scope;
    scope.dims.assign(ir.space.getNumDims(), Value());
    scope.lanes = width;
    scope.vectorDim = dims.empty() ? -1 : static_cast<int>(dims.back());
    if (!dims.empty())
      delinearize(at, getTiledDigits(dims, width), scope.dims);
    if (failed(compute(scope, targets)))
      return failure();
    for (const KernelStore &store : ir.stores)
      emitStore(scope, store);
    return success();
  };
  bool partial = launch.grid * block != vectors;
  if (!tail) {
    Value inside = partial
                       ? arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, position, index(vectors)).getResult()
                       : Value();
    return guarded(inside, [&] { return body(position, lanes); });
  }
  Value full = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, position, index(size / lanes));
  auto choice = scf::IfOp::create(b, loc, full, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToStart(choice.thenBlock());
    if (failed(body(position, lanes)))
      return failure();
  }
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(choice.elseBlock());
  Value last = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, position, index(size / lanes));
  return guarded(last, [&] {
    auto loop = scf::ForOp::create(b, loc, index(size / lanes * lanes), index(size), index(1));
    OpBuilder::InsertionGuard restoreLoop(b);
    b.setInsertionPointToStart(loop.getBody());
    return body(loop.getInductionVar(), 1);
  });
}
