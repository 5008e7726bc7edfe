// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EmitAttention.h"
#include "TileEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
namespace LLVM = mlir::LLVM;
namespace NVVM = mlir::NVVM;

namespace {

class AttentionEmitter : TileEmitter {
public:
  AttentionEmitter(OpBuilder &builder, const AttentionSpec &spec)
      : TileEmitter(builder, spec.loc, spec.element), spec(spec) {}
  LaunchShape run();

private:
  Value openOperand(unsigned argument, const AttentionSpec::Operand &operand);
  /// Copies rows firstRow … of an operand; rows beyond its end become zero.
  void copyTile(Value base, const AttentionSpec::Operand &operand, Value firstRow, int64_t rows, int64_t limit,
                Value sharedBase);
  void issue(Value block, Value stage);
  Value lessEqual(Value x, Value y) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, x, y); }
  Value f32(double value) { return math.constant(b.getF32Type(), value); }
  Value exp2(Value x) { return mlir::math::Exp2Op::create(b, loc, x, arith::FastMathFlags::afn); }
  Value fma(Value x, Value y, Value z) { return mlir::math::FmaOp::create(b, loc, x, y, z); }
  Value exchange(Value value, unsigned offset) {
    return mlir::gpu::ShuffleOp::create(b, loc, value, offset, 32, mlir::gpu::ShuffleMode::XOR).getShuffleResult();
  }
  /// Two f32 as one word of two 16-bit floats.
  Value pack(Value low, Value high) {
    auto wide = mlir::VectorType::get({2}, b.getF32Type()), narrow = mlir::VectorType::get({2}, element);
    Value pair = vector::FromElementsOp::create(b, loc, wide, SmallVector<Value>{low, high});
    return LLVM::BitcastOp::create(b, loc, b.getI32Type(), arith::TruncFOp::create(b, loc, narrow, pair));
  }
  /// One key block: scores, running maximum and sum, second product.
  SmallVector<Value> step(Value block, Value stage, ValueRange carried);

  const AttentionSpec &spec;
  static constexpr int64_t threads = 128;
  int64_t bm, bn, mi, chunks, qBytes, tileBytes, keyTiles, widthTiles;
  Value tid, batch, head, row0, kBase, vBase;
  Value keyRow, valueRow, quad, group, warpRow;
  SmallVector<Value> keyColumn, valueColumn;
  SmallVector<SmallVector<Value>> queries; ///< [mi * (width / 16)] fragments
};

} // namespace

Value AttentionEmitter::openOperand(unsigned argument, const AttentionSpec::Operand &operand) {
  auto function = cast<mlir::gpu::GPUFuncOp>(b.getInsertionBlock()->getParentOp());
  Value base = LLVM::AddrSpaceCastOp::create(b, loc, globalPointer, function.getArgument(argument));
  Type i64 = b.getI64Type();
  auto scaled = [&](Value index, int64_t stride) -> Value {
    return arith::MulIOp::create(b, loc, arith::ExtUIOp::create(b, loc, i64, index), math.integer(i64, stride));
  };
  Value offset = arith::AddIOp::create(b, loc, scaled(batch, operand.batch), scaled(head, operand.head));
  return LLVM::GEPOp::create(b, loc, globalPointer, element, base, ArrayRef<LLVM::GEPArg>{offset});
}

void AttentionEmitter::copyTile(Value base, const AttentionSpec::Operand &operand, Value firstRow, int64_t rows,
                                int64_t limit, Value sharedBase) {
  int64_t step = threads / chunks;
  Value row = div(tid, chunks), chunk = rem(tid, chunks);
  for (int64_t i = 0; i * step < rows; ++i) {
    Value tileRow = add(row, i * step), matrixRow = add(firstRow, tileRow);
    Value inside;
    if (step > rows) // Fewer rows than threads.
      inside = less(tileRow, rows);
    Value target = add(add(mul(tileRow, chunks * 16), mul(bitXor(chunk, swizzleKey(tileRow, chunks)), 16)), sharedBase);
    Value valid = limit % rows != 0 ? less(matrixRow, limit) : Value();
    emitIf(inside, [&] { copyAsync(target, base, add(mul(matrixRow, operand.row), mul(chunk, 8)), valid); });
  }
}

void AttentionEmitter::issue(Value block, Value stage) {
  Value first = mul(block, bn), base = add(mul(stage, 2 * tileBytes), qBytes);
  copyTile(kBase, spec.k, first, bn, spec.keys, base);
  copyTile(vBase, spec.v, first, bn, spec.keys, add(base, tileBytes));
}

SmallVector<Value> AttentionEmitter::step(Value block, Value stage, ValueRange carried) {
  Value kStart = add(mul(stage, 2 * tileBytes), qBytes), vStart = add(kStart, tileBytes);
  int64_t kSteps = spec.width / 16;
  size_t next = 0;
  SmallVector<Value> out, maxima, sums;
  for (int64_t i = 0; i < mi * widthTiles; ++i)
    out.push_back(carried[next++]);
  for (int64_t i = 0; i < mi * 2; ++i)
    maxima.push_back(carried[next++]);
  for (int64_t i = 0; i < mi * 2; ++i)
    sums.push_back(carried[next++]);

  // Scores of 16 mi rows by bn keys.
  Value none = LLVM::ZeroOp::create(b, loc, accType);
  SmallVector<Value> acc(mi * keyTiles, none);
  for (int64_t ks = 0; ks < kSteps; ++ks)
    for (int64_t j = 0; j < keyTiles / 2; ++j) {
      SmallVector<Value> four = loadMatrix(add(add(add(kStart, keyRow), keyColumn[ks]), 16 * j * chunks * 16), false);
      for (int64_t i = 0; i < mi; ++i) {
        acc[i * keyTiles + 2 * j] = multiply(queries[i * kSteps + ks], {four[0], four[1]}, acc[i * keyTiles + 2 * j]);
        acc[i * keyTiles + 2 * j + 1] =
            multiply(queries[i * kSteps + ks], {four[2], four[3]}, acc[i * keyTiles + 2 * j + 1]);
      }
    }
  // score[i][tile][4]: rows group and group + 8, columns 2 quad and 2 quad + 1.
  std::vector<std::array<Value, 4>> scores(mi * keyTiles);
  bool edge = spec.keys % bn != 0;
  Value firstKey = add(mul(block, bn), mul(quad, 2));
  for (int64_t i = 0; i < mi; ++i)
    for (int64_t t = 0; t < keyTiles; ++t)
      for (int64_t q = 0; q < 4; ++q) {
        Value score = extract(acc[i * keyTiles + t], q);
        if (edge || spec.causal) {
          Value key = add(firstKey, 8 * t + q % 2), visible;
          if (edge)
            visible = less(key, spec.keys);
          if (spec.causal)
            visible = both(visible, lessEqual(key, add(warpRow, 16 * i + 8 * (q / 2))));
          score = math.select(visible, score, f32(-std::numeric_limits<double>::infinity()));
        }
        scores[i * keyTiles + t][q] = score;
      }
  double factor = spec.scale * 1.4426950408889634; // exp(x) = 2^(x log2 e)
  for (int64_t i = 0; i < mi; ++i)
    for (int64_t h = 0; h < 2; ++h) {
      Value largest = maxima[2 * i + h];
      for (int64_t t = 0; t < keyTiles; ++t)
        for (int64_t q = 0; q < 2; ++q)
          largest = math.maximum(largest, scores[i * keyTiles + t][2 * h + q], false);
      for (unsigned offset : {1u, 2u})
        largest = math.maximum(largest, exchange(largest, offset), false);
      // A row that has seen no key has nothing to rescale.
      Value empty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, largest,
                                          f32(-std::numeric_limits<double>::infinity()));
      Value reference = math.select(empty, f32(0), largest);
      Value shift = math.mul(reference, f32(-factor));
      Value rescale = exp2(fma(maxima[2 * i + h], f32(factor), shift));
      maxima[2 * i + h] = largest;
      Value sum = math.mul(sums[2 * i + h], rescale);
      for (int64_t t = 0; t < keyTiles; ++t)
        for (int64_t q = 0; q < 2; ++q) {
          Value &score = scores[i * keyTiles + t][2 * h + q];
          score = exp2(fma(score, f32(factor), shift));
          sum = math.add(sum, score);
        }
      sums[2 * i + h] = sum;
      for (int64_t t = 0; t < widthTiles; ++t) {
        Value &tile = out[i * widthTiles + t];
        for (int64_t q = 0; q < 2; ++q)
          tile = LLVM::InsertValueOp::create(b, loc, tile, math.mul(extract(tile, 2 * h + q), rescale),
                                             ArrayRef<int64_t>{2 * h + q});
      }
    }
  // The probabilities are the left operand of the second product as they stand.
  for (int64_t ks = 0; ks < bn / 16; ++ks) {
    SmallVector<SmallVector<Value>> left(mi);
    for (int64_t i = 0; i < mi; ++i)
      for (int64_t t = 0; t < 2; ++t) {
        std::array<Value, 4> &p = scores[i * keyTiles + 2 * ks + t];
        left[i].push_back(pack(p[0], p[1]));
        left[i].push_back(pack(p[2], p[3]));
      }
    for (int64_t j = 0; j < widthTiles / 2; ++j) {
      SmallVector<Value> four =
          loadMatrix(add(add(add(vStart, valueRow), valueColumn[j]), 16 * ks * chunks * 16), true);
      for (int64_t i = 0; i < mi; ++i) {
        out[i * widthTiles + 2 * j] = multiply(left[i], {four[0], four[1]}, out[i * widthTiles + 2 * j]);
        out[i * widthTiles + 2 * j + 1] = multiply(left[i], {four[2], four[3]}, out[i * widthTiles + 2 * j + 1]);
      }
    }
  }
  SmallVector<Value> results(out);
  results.append(maxima);
  results.append(sums);
  return results;
}

LaunchShape AttentionEmitter::run() {
  MLIRContext *context = b.getContext();
  Type i32 = b.getI32Type();
  // 48 KiB of shared memory: queries, and two stages of keys and values.
  bool wide = spec.width > 64;
  int64_t rows = spec.batches * spec.heads * ((spec.queries + 127) / 128);
  mi = !wide && spec.queries > 64 && rows >= 128 ? 2 : 1;
  bm = 64 * mi;
  bn = wide ? 32 : 64;
  chunks = spec.width / 8;
  qBytes = bm * spec.width * 2;
  tileBytes = bn * spec.width * 2;
  keyTiles = bn / 8;
  widthTiles = spec.width / 8;
  int64_t tiles = (spec.queries + bm - 1) / bm, blocks = (spec.keys + bn - 1) / bn;
  LaunchShape launch;
  launch.grid = tiles * spec.batches * spec.heads;
  launch.block = threads;

  SmallVector<Type> types(4, LLVM::LLVMPointerType::get(context));
  auto function = mlir::gpu::GPUFuncOp::create(b, loc, spec.name, b.getFunctionType(types, {}));
  function->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
  function.setKnownGridSizeAttr(b.getDenseI32ArrayAttr({static_cast<int32_t>(launch.grid), 1, 1}));
  for (unsigned i = 0; i < 4; ++i) {
    function.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
    if (i < 3)
      function.setArgAttr(i, "llvm.readonly", b.getUnitAttr());
    function.setArgAttr(i, "llvm.align", b.getI64IntegerAttr(16));
  }
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(&function.getBody().front());
  openShared(function, qBytes + 4 * tileBytes);
  auto number = [&](Value id) { return arith::IndexCastUIOp::create(b, loc, i32, id).getResult(); };
  Value id = number(mlir::gpu::BlockIdOp::create(b, loc, mlir::gpu::Dimension::x));
  tid = number(mlir::gpu::ThreadIdOp::create(b, loc, mlir::gpu::Dimension::x));
  Value problem = div(id, tiles), tile = rem(id, tiles);
  if (spec.causal && tiles > 1) // The longest rows start first.
    tile = arith::SubIOp::create(b, loc, c(tiles - 1), tile);
  batch = div(problem, spec.heads);
  head = rem(problem, spec.heads);
  row0 = mul(tile, bm);
  Value qBase = openOperand(0, spec.q);
  kBase = openOperand(1, spec.k);
  vBase = openOperand(2, spec.v);
  Value outBase = openOperand(3, spec.out);

  Value lane = rem(tid, 32), warp = div(tid, 32), l8 = rem(lane, 8), l16 = div(lane, 16), half = rem(div(lane, 8), 2);
  quad = rem(lane, 4);
  group = div(lane, 4);
  Value tileRow = mul(warp, 16 * mi);
  warpRow = add(add(row0, tileRow), group);
  int64_t kSteps = spec.width / 16;
  // Fragments: queries and keys along the width, values across it.
  Value queryRow = mul(add(tileRow, add(l8, mul(half, 8))), chunks * 16);
  keyRow = mul(add(l8, mul(l16, 8)), chunks * 16);
  valueRow = mul(add(l8, mul(half, 8)), chunks * 16);
  SmallVector<Value> queryColumn;
  for (int64_t ks = 0; ks < kSteps; ++ks) {
    queryColumn.push_back(mul(bitXor(add(l16, 2 * ks), swizzleKey(l8, chunks)), 16));
    keyColumn.push_back(mul(bitXor(add(half, 2 * ks), swizzleKey(l8, chunks)), 16));
    valueColumn.push_back(mul(bitXor(add(l16, 2 * ks), swizzleKey(l8, chunks)), 16));
  }

  Value zero = c(0), count = c(blocks);
  if (spec.causal) {
    // Keys up to the tile's last row.
    Value last = div(add(row0, bm + bn - 1), bn);
    count = arith::MinUIOp::create(b, loc, count, last);
  }
  copyTile(qBase, spec.q, row0, bm, spec.queries, zero);
  issue(zero, zero);
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
  NVVM::CpAsyncWaitGroupOp::create(b, loc, 0u);
  mlir::gpu::BarrierOp::create(b, loc);
  for (int64_t i = 0; i < mi; ++i)
    for (int64_t ks = 0; ks < kSteps; ++ks)
      queries.push_back(loadMatrix(add(add(queryRow, queryColumn[ks]), 16 * i * chunks * 16), false));

  Value none = LLVM::ZeroOp::create(b, loc, accType);
  SmallVector<Value> initial(mi * widthTiles, none);
  initial.append(mi * 2, f32(-std::numeric_limits<double>::infinity()));
  initial.append(mi * 2, f32(0));
  auto loop = scf::ForOp::create(b, loc, zero, count, c(1), initial);
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(loop.getBody());
    Value block = loop.getInductionVar(), stage = rem(block, 2), next = add(block, 1);
    auto more = scf::IfOp::create(b, loc, less(next, count), /*withElseRegion=*/false);
    b.setInsertionPointToStart(more.thenBlock());
    issue(next, rem(next, 2));
    b.setInsertionPointAfter(more);
    NVVM::CpAsyncCommitGroupOp::create(b, loc);
    NVVM::CpAsyncWaitGroupOp::create(b, loc, 1u);
    mlir::gpu::BarrierOp::create(b, loc);
    SmallVector<Value> results = step(block, stage, loop.getRegionIterArgs());
    // The next turn overwrites the stage that was just read.
    mlir::gpu::BarrierOp::create(b, loc);
    scf::YieldOp::create(b, loc, results);
  }
  // Divide by the sums; out through the queries' place, 16 bytes a thread.
  auto word = [&](Value low, Value high) { return pack(low, high); };
  for (int64_t i = 0; i < mi; ++i)
    for (int64_t h = 0; h < 2; ++h) {
      Value sum = loop.getResult(mi * widthTiles + 2 * mi + 2 * i + h);
      for (unsigned offset : {1u, 2u})
        sum = math.add(sum, exchange(sum, offset));
      Value empty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, sum, f32(0));
      Value inverse = math.select(empty, f32(0), math.div(f32(1), sum));
      Value row = add(tileRow, add(group, 16 * i + 8 * h));
      for (int64_t t = 0; t < widthTiles; ++t) {
        Value values = loop.getResult(i * widthTiles + t);
        Value pair = word(math.mul(extract(values, 2 * h), inverse), math.mul(extract(values, 2 * h + 1), inverse));
        Value at = add(add(mul(row, chunks * 16), mul(bitXor(c(t), swizzleKey(row, chunks)), 16)), mul(quad, 4));
        LLVM::StoreOp::create(b, loc, pair, sharedAt(at), 4);
      }
    }
  mlir::gpu::BarrierOp::create(b, loc);
  int64_t rowStep = threads / chunks;
  Value row = div(tid, chunks), chunk = rem(tid, chunks);
  auto words = mlir::VectorType::get({4}, i32);
  for (int64_t i = 0; i * rowStep < bm; ++i) {
    Value at = add(row, i * rowStep), matrixRow = add(row0, at);
    Value inside;
    if (rowStep > bm)
      inside = less(at, bm);
    if (spec.queries % bm != 0)
      inside = both(inside, less(matrixRow, spec.queries));
    emitIf(inside, [&] {
      Value source = add(mul(at, chunks * 16), mul(bitXor(chunk, swizzleKey(at, chunks)), 16));
      Value value = LLVM::LoadOp::create(b, loc, words, sharedAt(source), 16);
      LLVM::StoreOp::create(b, loc, value, globalAt(outBase, add(mul(matrixRow, spec.out.row), mul(chunk, 8))), 16);
    });
  }
  b.setInsertionPointToEnd(&function.getBody().front());
  mlir::gpu::ReturnOp::create(b, loc);
  return launch;
}

LaunchShape fxgraph::gpu::emitAttention(OpBuilder &builder, const AttentionSpec &spec) {
  return AttentionEmitter(builder, spec).run();
}
