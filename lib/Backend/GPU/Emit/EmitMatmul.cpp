// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/EmitMatmul.h"
#include "Emit/TileEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
namespace LLVM = mlir::LLVM;
namespace NVVM = mlir::NVVM;

bool fxgraph::gpu::supportsMatmul(const MatmulSpec &spec) {
  bool type = spec.element.isBF16() || spec.element.isF16();
  // 32-bit offsets within one operand.
  int64_t rowsB = spec.transposedB ? spec.n : spec.k;
  constexpr int64_t limit = int64_t(1) << 30;
  return type && spec.m > 0 && spec.n > 0 && spec.k > 0 && spec.k % 8 == 0 && spec.n % 8 == 0 && spec.lda % 8 == 0 &&
         spec.ldb % 8 == 0 && spec.ldd % 8 == 0 && spec.m * spec.lda < limit && rowsB * spec.ldb < limit &&
         spec.m * spec.ldd < limit;
}

namespace {

class MatmulEmitter : TileEmitter {
public:
  MatmulEmitter(OpBuilder &builder, const MatmulSpec &spec)
      : TileEmitter(builder, spec.loc, spec.element), spec(spec) {}
  LaunchShape run();

private:
  Value openOperand(unsigned argument, const MatmulSpec::Operand &operand);

  /// How one thread copies its part of a tile: element offsets in global memory,
  /// byte offsets in shared memory, and where along k (or n) it is, for the edge.
  struct Copy {
    Value global, shared, row, column;
  };
  SmallVector<Copy> planCopies(int64_t rows, int64_t columns, int64_t ld, Value firstRow, int64_t rowLimit,
                               Value firstColumn, int64_t base);
  void issue(Value block, Value stage);
  SmallVector<Value> computeStage(Value stage, SmallVector<Value> acc);

  const MatmulSpec &spec;
  Value aBase, bBase, tid, problem;
  mlir::gpu::GPUFuncOp function;
  int64_t bm, bn, bk, warpsM, warpsN, stages, threads, mi, nj, kSteps, stageBytes, aBytes, rowsB, columnsB;
  SmallVector<Copy> aCopies, bCopies;
  Value rowA, rowB;
  SmallVector<Value> columnA, columnB;
};

} // namespace

Value MatmulEmitter::openOperand(unsigned argument, const MatmulSpec::Operand &operand) {
  Value pointer = function.getArgument(argument);
  if (operand.table) {
    Value slot = LLVM::GEPOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), b.getI64Type(), pointer,
                                     ArrayRef<LLVM::GEPArg>{wide(problem)});
    return LLVM::IntToPtrOp::create(b, loc, globalPointer,
                                    LLVM::LoadOp::create(b, loc, b.getI64Type(), slot, 8).getResult());
  }
  return openBatched(pointer, element, operand.stride, problem);
}

/// Thread t copies 16 bytes of row t / (columns / 8), then of further rows. In
/// shared memory the chunks of a row are permuted.
/// Rows beyond the matrix repeat its last one.
SmallVector<MatmulEmitter::Copy> MatmulEmitter::planCopies(int64_t rows, int64_t columns, int64_t ld, Value firstRow,
                                                           int64_t rowLimit, Value firstColumn, int64_t base) {
  int64_t perRow = columns / 8, step = threads / perRow;
  Value row = div(tid, perRow), chunk = rem(tid, perRow);
  Value column = add(firstColumn, mul(chunk, 8));
  SmallVector<Copy> copies;
  for (int64_t i = 0; i * step < rows; ++i) {
    Value tileRow = add(row, i * step);
    Value matrixRow = clampTo(add(firstRow, tileRow), rowLimit - 1);
    Value swizzled = bitXor(chunk, swizzleKey(tileRow, perRow));
    Copy copy;
    copy.global = add(mul(matrixRow, ld), column);
    copy.shared = add(add(mul(tileRow, columns * 2), mul(swizzled, 16)), base);
    copy.row = tileRow;
    copy.column = column;
    copies.push_back(copy);
  }
  return copies;
}

/// Starts the copies of one k block into one stage of the ring; what lies beyond
/// the matrix becomes zero.
void MatmulEmitter::issue(Value block, Value stage) {
  Value stageBase = mul(stage, stageBytes);
  auto copyAll = [&](ArrayRef<Copy> copies, Value base, bool columnIsK, int64_t rowStep) {
    for (const Copy &copy : copies) {
      Value along = mul(block, columnIsK ? bk : rowStep);
      Value inside;
      if (spec.k % bk != 0)
        inside = less(add(columnIsK ? copy.column : copy.row, mul(block, bk)), spec.k);
      if (!columnIsK && spec.n % bn != 0)
        inside = both(inside, less(copy.column, spec.n));
      copyAsync(add(stageBase, copy.shared), base, add(copy.global, along), inside);
    }
  };
  copyAll(aCopies, aBase, true, 0);
  if (spec.transposedB)
    copyAll(bCopies, bBase, true, 0);
  else
    copyAll(bCopies, bBase, false, bk * spec.ldb);
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
}

SmallVector<Value> MatmulEmitter::computeStage(Value stage, SmallVector<Value> acc) {
  Value base = mul(stage, stageBytes);
  Value a0 = add(base, rowA), b0 = add(base, rowB);
  for (int64_t ks = 0; ks < kSteps; ++ks) {
    SmallVector<SmallVector<Value>> fragmentsA, fragmentsB;
    for (int64_t i = 0; i < mi; ++i)
      fragmentsA.push_back(loadMatrix(add(add(a0, columnA[ks]), 16 * i * bk * 2), false));
    for (int64_t j = 0; j < nj / 2; ++j) {
      SmallVector<Value> four = spec.transposedB ? loadMatrix(add(add(b0, columnB[ks]), 16 * j * columnsB * 2), false)
                                                 : loadMatrix(add(add(b0, columnB[j]), 16 * ks * columnsB * 2), true);
      fragmentsB.push_back({four[0], four[1]});
      fragmentsB.push_back({four[2], four[3]});
    }
    for (int64_t i = 0; i < mi; ++i)
      for (int64_t j = 0; j < nj; ++j) {
        acc[i * nj + j] = multiply(fragmentsA[i], fragmentsB[j], acc[i * nj + j]);
      }
  }
  return acc;
}

LaunchShape MatmulEmitter::run() {
  MLIRContext *context = b.getContext();
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  // 128 x 128 x 32 where there are enough tiles to fill a device, else 64 x 64 x 64:
  // both fit 48 KiB in three stages.
  auto tilesOf = [&](int64_t tile) {
    return ((spec.m + tile - 1) / tile) * ((spec.n + tile - 1) / tile) * spec.problems;
  };
  bool large = spec.m > 64 && spec.n > 64 && tilesOf(128) >= 200 && spec.maxTile != 64;
  bm = bn = large ? 128 : 64;
  bk = large ? 32 : 64;
  warpsM = warpsN = 2;
  stages = 3;
  threads = 128;
  mi = bm / warpsM / 16;
  nj = bn / warpsN / 8;
  kSteps = bk / 16;
  rowsB = spec.transposedB ? bn : bk;
  columnsB = spec.transposedB ? bk : bn;
  aBytes = bm * bk * 2;
  stageBytes = aBytes + rowsB * columnsB * 2;
  int64_t gridM = (spec.m + bm - 1) / bm, gridN = (spec.n + bn - 1) / bn, tiles = gridM * gridN,
          blocksK = (spec.k + bk - 1) / bk;
  LaunchShape launch;
  launch.grid = tiles * spec.problems;
  launch.block = threads;

  SmallVector<const MatmulSpec::Operand *> operands = {&spec.a, &spec.b};
  if (spec.hasBias)
    operands.push_back(&spec.bias);
  operands.push_back(&spec.d);
  SmallVector<Type> types(operands.size(), LLVM::LLVMPointerType::get(context));
  function = createKernelFunction(b, loc, spec.name, types, threads);
  setKnownGrid(function, launch.grid);
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (operand->table)
      describeByValue(function, i, LLVM::LLVMArrayType::get(b.getI64Type(), spec.problems), sizeof(uint64_t));
    else
      describePointer(function, i, /*isRead=*/operand != &spec.d, /*align=*/16);
  }
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(&function.getBody().front());
  openShared(function, stages * stageBytes);
  Value block = getBlockId();
  tid = getThreadId();
  Value zero = c(0), tile = block;
  problem = zero;
  if (spec.problems > 1) {
    problem = div(block, tiles);
    tile = rem(block, tiles);
  }
  // Groups of eight row tiles share their columns of B in the L2 cache.
  Value tileM = tile, tileN = zero;
  if (gridM == 1) {
    tileM = zero;
    tileN = tile;
  } else if (gridN > 1) {
    int64_t group = 8;
    while (gridM % group != 0)
      group /= 2;
    Value rest = rem(tile, group * gridN);
    tileM = add(mul(div(tile, group * gridN), group), rem(rest, group));
    tileN = div(rest, group);
  }
  Value row0 = mul(tileM, bm), column0 = mul(tileN, bn);
  aBase = openOperand(0, spec.a);
  bBase = openOperand(1, spec.b);
  aCopies = planCopies(bm, bk, spec.lda, row0, spec.m, zero, 0);
  bCopies = spec.transposedB ? planCopies(rowsB, columnsB, spec.ldb, column0, spec.n, zero, aBytes)
                             : planCopies(rowsB, columnsB, spec.ldb, zero, spec.k, column0, aBytes);

  // Addresses of the fragments.
  Value lane = rem(tid, 32), warp = div(tid, 32), warpM = div(warp, warpsN), warpN = rem(warp, warpsN);
  Value l8 = rem(lane, 8), l16 = div(lane, 16), half = rem(div(lane, 8), 2);
  int64_t chunksA = bk / 8, chunksB = columnsB / 8;
  rowA = mul(add(mul(warpM, bm / warpsM), add(l8, mul(half, 8))), bk * 2);
  for (int64_t ks = 0; ks < kSteps; ++ks)
    columnA.push_back(mul(bitXor(add(l16, 2 * ks), swizzleKey(l8, chunksA)), 16));
  if (spec.transposedB) {
    rowB = mul(add(mul(warpN, bn / warpsN), add(l8, mul(l16, 8))), columnsB * 2);
    for (int64_t ks = 0; ks < kSteps; ++ks)
      columnB.push_back(mul(bitXor(add(half, 2 * ks), swizzleKey(l8, chunksB)), 16));
  } else {
    rowB = mul(add(l8, mul(half, 8)), columnsB * 2);
    for (int64_t j = 0; j < nj / 2; ++j)
      columnB.push_back(mul(bitXor(add(add(mul(warpN, bn / warpsN / 8), l16), 2 * j), swizzleKey(l8, chunksB)), 16));
  }
  rowB = add(rowB, aBytes);

  // The ring.
  Value none = LLVM::ZeroOp::create(b, loc, accType);
  SmallVector<Value> acc(mi * nj, none);
  for (int64_t q = 0; q < stages - 1; ++q) {
    if (q < blocksK)
      issue(c(q), c(q));
    else
      NVVM::CpAsyncCommitGroupOp::create(b, loc);
  }
  SmallVector<Value> initial(acc);
  initial.push_back(zero);
  initial.push_back(c(stages - 1));
  auto loop = scf::ForOp::create(b, loc, zero, c(blocksK), c(1), initial);
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(loop.getBody());
    NVVM::CpAsyncWaitGroupOp::create(b, loc, static_cast<uint32_t>(stages - 2));
    mlir::gpu::BarrierOp::create(b, loc);
    ValueRange carried = loop.getRegionIterArgs();
    Value read = carried[mi * nj], write = carried[mi * nj + 1];
    Value next = add(loop.getInductionVar(), stages - 1);
    auto more = scf::IfOp::create(b, loc, less(next, blocksK), /*withElseRegion=*/true);
    b.setInsertionPointToStart(more.thenBlock());
    issue(next, write);
    b.setInsertionPointToStart(more.elseBlock());
    NVVM::CpAsyncCommitGroupOp::create(b, loc);
    b.setInsertionPointAfter(more);
    SmallVector<Value> results = computeStage(read, SmallVector<Value>(carried.begin(), carried.begin() + mi * nj));
    for (Value stage : {read, write}) {
      Value last = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, stage, c(stages - 1));
      results.push_back(math.select(last, zero, add(stage, 1)));
    }
    scf::YieldOp::create(b, loc, results);
  }
  for (int64_t i = 0; i < mi * nj; ++i)
    acc[i] = loop.getResult(i);

  // Epilogue: bias and function on pairs of neighbouring columns, then through
  // shared memory.
  auto pairF32 = mlir::VectorType::get({2}, f32), pairHalf = mlir::VectorType::get({2}, spec.element);
  Value quad = rem(lane, 4), group = div(lane, 4);
  SmallVector<Value> biasPairs(nj);
  if (spec.hasBias) {
    Value bias = openOperand(2, spec.bias);
    Value first = add(add(column0, mul(warpN, bn / warpsN)), mul(quad, 2));
    for (int64_t j = 0; j < nj; ++j) {
      Value column = add(first, 8 * j);
      if (spec.n % bn != 0)
        column = clampTo(column, spec.n - 2);
      Value loaded = LLVM::LoadOp::create(b, loc, pairHalf, globalAt(bias, column), 4);
      biasPairs[j] = arith::ExtFOp::create(b, loc, pairF32, loaded);
    }
  }
  Value dBase = openOperand(operands.size() - 1, spec.d);
  NVVM::CpAsyncWaitGroupOp::create(b, loc, 0u);
  mlir::gpu::BarrierOp::create(b, loc);
  // Rows of bn elements; the chunk of 8 is XORed with the row.
  Value fragmentRow = add(mul(warpM, bm / warpsM), group);
  for (int64_t j = 0; j < nj; ++j) {
    Value chunk = add(mul(warpN, bn / warpsN / 8), j);
    Value at = add(add(mul(fragmentRow, bn * 2), mul(bitXor(chunk, group), 16)), mul(quad, 4));
    for (int64_t i = 0; i < mi; ++i)
      for (int64_t h = 0; h < 2; ++h) {
        SmallVector<Value> elements = {extract(acc[i * nj + j], 2 * h), extract(acc[i * nj + j], 2 * h + 1)};
        Value value = vector::FromElementsOp::create(b, loc, pairF32, elements);
        if (spec.hasBias)
          value = arith::AddFOp::create(b, loc, value, biasPairs[j]);
        if (spec.epilogue)
          value = spec.epilogue(b, value);
        Value rounded = arith::TruncFOp::create(b, loc, pairHalf, value);
        LLVM::StoreOp::create(b, loc, rounded, sharedAt(add(at, (16 * i + 8 * h) * bn * 2)), 4);
      }
  }
  mlir::gpu::BarrierOp::create(b, loc);
  int64_t perRow = bn / 8, step = threads / perRow;
  Value row = div(tid, perRow), chunk = rem(tid, perRow);
  Value column = add(column0, mul(chunk, 8));
  auto words = mlir::VectorType::get({4}, i32);
  for (int64_t i = 0; i * step < bm; ++i) {
    Value tileRow = add(row, i * step), matrixRow = add(row0, tileRow);
    Value at = add(mul(tileRow, bn * 2), mul(bitXor(chunk, rem(tileRow, 8)), 16));
    Value inside;
    if (spec.m % bm != 0)
      inside = less(matrixRow, spec.m);
    if (spec.n % bn != 0)
      inside = both(inside, less(column, spec.n));
    emitIf(inside, [&] {
      Value value = LLVM::LoadOp::create(b, loc, words, sharedAt(at), 16);
      LLVM::StoreOp::create(b, loc, value, globalAt(dBase, add(mul(matrixRow, spec.ldd), column)), 16);
    });
  }
  b.setInsertionPointToEnd(&function.getBody().front());
  mlir::gpu::ReturnOp::create(b, loc);
  return launch;
}

LaunchShape fxgraph::gpu::emitMatmul(OpBuilder &builder, const MatmulSpec &spec) {
  return MatmulEmitter(builder, spec).run();
}
