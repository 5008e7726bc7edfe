// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention with the matrix instructions of warps (mma.sync m16n8k16), on all chips.

#include "AttentionEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace LLVM = mlir::LLVM;
namespace NVVM = mlir::NVVM;

namespace {

class WarpAttentionEmitter : AttentionEmitter {
public:
  WarpAttentionEmitter(OpBuilder &builder, const AttentionSpec &spec, const AttentionTiling &tiling)
      : AttentionEmitter(builder, spec, tiling.getRows(), tiling.keys, tiling.getThreads(),
                         tiling.keys / tiling.keyWarps / 8),
        tiling(tiling), mi(tiling.rowTiles), queryTile(bm, spec.width), keyTile(bn, spec.width),
        valueTile(bn, spec.valueWidth), widthTiles(valueTile.chunks), kSteps(keyTile.chunks / 2),
        keepsQueries(spec.width <= 128) {}
  LaunchShape run();

private:
  void issue(Value block, Value stage);
  SmallVector<Value> loadQueries(int64_t i, int64_t ks) {
    return loadMatrix(add(queryAddress, 16 * i * queryTile.pitch + 32 * ks), false);
  }
  /// One key block: scores, running maximum and sum, second product.
  SmallVector<Value> step(Value block, Value stage, ValueRange carried);
  /// Results of the warps that share rows become one, in f32 in shared memory.
  void joinKeyWarps(MutableArrayRef<Value> out, MutableArrayRef<Value> maxima, MutableArrayRef<Value> sums);
  void store(ArrayRef<Value> out, ArrayRef<Value> sums);

  AttentionTiling tiling;
  int64_t mi;
  Tile queryTile, keyTile, valueTile;
  int64_t widthTiles, kSteps;
  bool keepsQueries; ///< in registers
  Copy keyCopy, valueCopy;
  Value keyWarp, tileRow;
  Value queryAddress, keyAddress, valueAddress; ///< of a thread's first matrix
  SmallVector<SmallVector<Value>> queries;      ///< [mi * kSteps] fragments
};

} // namespace

void WarpAttentionEmitter::issue(Value block, Value stage) {
  Value first = mul(block, bn), base = mul(stage, keyTile.getBytes() + valueTile.getBytes());
  copyKeys(keyCopy, first, base);
  copyKeys(valueCopy, first, add(base, keyTile.getBytes()));
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
}

SmallVector<Value> WarpAttentionEmitter::step(Value block, Value stage, ValueRange carried) {
  Value stageBase = mul(stage, keyTile.getBytes() + valueTile.getBytes());
  Value keyStart = add(keyAddress, stageBase), valueStart = add(valueAddress, stageBase);
  size_t slots = 2 * mi;
  SmallVector<Value> out(carried.take_front(mi * widthTiles));
  SmallVector<Value> maxima(carried.drop_front(out.size()).take_front(slots)), sums(carried.take_back(slots));

  Value firstKey = mul(block, bn);
  if (tiling.keyWarps > 1)
    firstKey = add(firstKey, mul(keyWarp, 8 * keyTiles));
  SmallVector<Value> mask = loadMask(block, firstKey);

  // Scores of 16 mi rows by 8 keyTiles keys.
  Value none = LLVM::ZeroOp::create(b, loc, accType);
  SmallVector<Value> acc(mi * keyTiles, none);
  for (int64_t ks = 0; ks < kSteps; ++ks) {
    SmallVector<SmallVector<Value>> left;
    for (int64_t i = 0; i < mi; ++i)
      left.push_back(keepsQueries ? queries[i * kSteps + ks] : loadQueries(i, ks));
    for (int64_t j = 0; j < keyTiles / 2; ++j) {
      SmallVector<Value> four = loadMatrix(add(keyStart, 16 * j * keyTile.pitch + 32 * ks), false);
      for (int64_t i = 0; i < mi; ++i)
        for (int64_t t = 0; t < 2; ++t) {
          Value &sum = acc[i * keyTiles + 2 * j + t];
          sum = multiply(left[i], {four[2 * t], four[2 * t + 1]}, sum);
        }
    }
  }
  SmallVector<Value> scores;
  for (int64_t i = 0; i < mi; ++i)
    for (int64_t h = 0; h < 2; ++h)
      for (int64_t t = 0; t < keyTiles; ++t)
        for (int64_t q = 0; q < 2; ++q)
          scores.push_back(extract(acc[i * keyTiles + t], 2 * h + q));
  maskScores(scores, mask, block, firstKey);
  SmallVector<Value> factors = updateSoftmax(scores, maxima, sums);
  for (int64_t i = 0; i < mi; ++i)
    for (int64_t t = 0; t < widthTiles; ++t)
      for (int64_t q = 0; q < 4; ++q) {
        Value &tile = out[i * widthTiles + t];
        tile = LLVM::InsertValueOp::create(b, loc, tile, math.mul(extract(tile, q), factors[2 * i + q / 2]),
                                           ArrayRef<int64_t>{q});
      }
  // The probabilities are the left operand of the second product as they stand.
  auto probability = [&](int64_t i, int64_t h, int64_t t) {
    int64_t at = ((2 * i + h) * keyTiles + t) * 2;
    return pack(scores[at], scores[at + 1]);
  };
  for (int64_t ks = 0; ks < keyTiles / 2; ++ks) {
    SmallVector<SmallVector<Value>> left(mi);
    for (int64_t i = 0; i < mi; ++i)
      for (int64_t t = 0; t < 2; ++t)
        for (int64_t h = 0; h < 2; ++h)
          left[i].push_back(probability(i, h, 2 * ks + t));
    for (int64_t j = 0; j < widthTiles / 2; ++j) {
      SmallVector<Value> four = loadMatrix(add(valueStart, 16 * ks * valueTile.pitch + 32 * j), true);
      for (int64_t i = 0; i < mi; ++i)
        for (int64_t t = 0; t < 2; ++t) {
          Value &sum = out[i * widthTiles + 2 * j + t];
          sum = multiply(left[i], {four[2 * t], four[2 * t + 1]}, sum);
        }
    }
  }
  SmallVector<Value> results(out);
  results.append(maxima);
  results.append(sums);
  return results;
}

void WarpAttentionEmitter::store(ArrayRef<Value> out, ArrayRef<Value> sums) {
  // Through shared memory, where nobody reads any more, 16 bytes a thread.
  Tile outTile(bm, spec.valueWidth);
  for (int64_t i = 0; i < mi; ++i)
    for (int64_t h = 0; h < 2; ++h) {
      Value inverse = invert(sums[2 * i + h]);
      Value at = add(mul(add(tileRow, add(group, 16 * i + 8 * h)), outTile.pitch), mul(quad, 4));
      for (int64_t t = 0; t < widthTiles; ++t) {
        Value values = out[i * widthTiles + t];
        Value pair = pack(math.mul(extract(values, 2 * h), inverse), math.mul(extract(values, 2 * h + 1), inverse));
        LLVM::StoreOp::create(b, loc, pair, sharedAt(add(at, 16 * t)), 4);
      }
    }
  mlir::gpu::BarrierOp::create(b, loc);
  storeTile(outTile);
}

void WarpAttentionEmitter::joinKeyWarps(MutableArrayRef<Value> out, MutableArrayRef<Value> maxima,
                                        MutableArrayRef<Value> sums) {
  Type f32Type = b.getF32Type();
  int64_t pitch = (8 * widthTiles + 4) * 4, partBytes = bm * pitch, statistics = tiling.keyWarps * partBytes;
  // Maxima and sums of all parts, [part][row] pairs behind the parts.
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, quad, c(0));
  auto statisticsAt = [&](Value part, Value row) { return add(add(mul(part, bm * 8), mul(row, 8)), statistics); };
  auto pairType = mlir::VectorType::get({2}, f32Type);
  SmallVector<Value> rows;
  for (int64_t slot = 0; slot < 2 * mi; ++slot) {
    rows.push_back(add(add(tileRow, group), 8 * slot));
    Value pair = mlir::vector::FromElementsOp::create(b, loc, pairType, SmallVector<Value>{maxima[slot], sums[slot]});
    emitIf(isFirst, [&] { LLVM::StoreOp::create(b, loc, pair, sharedAt(statisticsAt(keyWarp, rows[slot])), 8); });
  }
  mlir::gpu::BarrierOp::create(b, loc);
  for (int64_t slot = 0; slot < 2 * mi; ++slot) {
    SmallVector<Value> partMaxima, partSums;
    Value largest, sum;
    for (int64_t part = 0; part < tiling.keyWarps; ++part) {
      Value pair = LLVM::LoadOp::create(b, loc, pairType, sharedAt(statisticsAt(c(part), rows[slot])), 8);
      partMaxima.push_back(mlir::vector::ExtractOp::create(b, loc, pair, 0));
      partSums.push_back(mlir::vector::ExtractOp::create(b, loc, pair, 1));
      largest = largest ? math.maximum(largest, partMaxima.back(), false) : partMaxima.back();
    }
    for (auto [partMaximum, partSum] : llvm::zip_equal(partMaxima, partSums)) {
      Value scaledSum = math.mul(partSum, rescale(partMaximum, largest));
      sum = sum ? math.add(sum, scaledSum) : scaledSum;
    }
    Value factor = math.mul(rescale(maxima[slot], largest), invert(sum));
    Value at = add(add(mul(keyWarp, partBytes), mul(rows[slot], pitch)), mul(quad, 8));
    for (int64_t t = 0; t < widthTiles; ++t) {
      Value values = out[slot / 2 * widthTiles + t];
      SmallVector<Value> two;
      for (int64_t q = 0; q < 2; ++q)
        two.push_back(math.mul(extract(values, 2 * (slot % 2) + q), factor));
      Value pair = mlir::vector::FromElementsOp::create(b, loc, pairType, two);
      LLVM::StoreOp::create(b, loc, pair, sharedAt(add(at, 32 * t)), 8);
    }
  }
  mlir::gpu::BarrierOp::create(b, loc);
  auto fourType = mlir::VectorType::get({4}, f32Type), words = mlir::VectorType::get({4}, b.getI32Type());
  storeRows([&](Value row, Value chunk) -> Value {
    Value at = add(mul(row, pitch), mul(chunk, 32));
    SmallVector<Value> packed;
    for (int64_t half = 0; half < 2; ++half) {
      Value sum;
      for (int64_t part = 0; part < tiling.keyWarps; ++part) {
        Value four = LLVM::LoadOp::create(b, loc, fourType, sharedAt(add(at, part * partBytes + 16 * half)), 16);
        sum = sum ? arith::AddFOp::create(b, loc, sum, four).getResult() : four;
      }
      for (int64_t q = 0; q < 4; q += 2)
        packed.push_back(
            pack(mlir::vector::ExtractOp::create(b, loc, sum, q), mlir::vector::ExtractOp::create(b, loc, sum, q + 1)));
    }
    return mlir::vector::FromElementsOp::create(b, loc, words, packed);
  });
}

LaunchShape WarpAttentionEmitter::run() {
  OpBuilder::InsertionGuard restore(b);
  LaunchShape launch = open();
  int64_t stageBytes = keyTile.getBytes() + valueTile.getBytes();
  // Queries that stay in registers pass through the second stage.
  int64_t queryStart = keepsQueries ? stageBytes : 2 * stageBytes;
  launch.sharedBytes = std::max(2 * stageBytes, queryStart + queryTile.getBytes());
  if (tiling.keyWarps > 1)
    launch.sharedBytes = std::max(launch.sharedBytes, tiling.keyWarps * bm * ((8 * widthTiles + 4) * 4 + int64_t(8)));
  openDynamicShared(function, launch.sharedBytes);
  unsigned numInputs = spec.maskElement ? 4 : 3;
  Value qBase = openOperand(0, spec.q, element);
  keyCopy = planCopy(openOperand(1, spec.k, element), spec.k.row, spec.width, keyTile);
  valueCopy = planCopy(openOperand(2, spec.v, element), spec.v.row, spec.valueWidth, valueTile);
  outBase = openOperand(numInputs, spec.out, element);

  keyWarp = div(warp, tiling.rowWarps);
  tileRow = mul(rem(warp, tiling.rowWarps), 16 * mi);
  openSlots(add(row0, tileRow), mi);
  // Fragments: queries and keys along the width, values across it.
  Value l8 = rem(lane, 8), l16 = div(lane, 16), half = rem(div(lane, 8), 2);
  Value keyRow = mul(keyWarp, 8 * keyTiles);
  queryAddress = add(add(mul(add(tileRow, add(l8, mul(half, 8))), queryTile.pitch), mul(l16, 16)), queryStart);
  keyAddress = add(mul(add(keyRow, add(l8, mul(l16, 8))), keyTile.pitch), mul(half, 16));
  valueAddress = add(add(mul(add(keyRow, add(l8, mul(half, 8))), valueTile.pitch), mul(l16, 16)), keyTile.getBytes());

  Value zero = c(0), count = countBlocks();
  copyQueries(qBase, queryTile, c(queryStart));
  issue(zero, zero);
  if (keepsQueries) {
    NVVM::CpAsyncWaitGroupOp::create(b, loc, 0u);
    mlir::gpu::BarrierOp::create(b, loc);
    for (int64_t i = 0; i < mi; ++i)
      for (int64_t ks = 0; ks < kSteps; ++ks)
        queries.push_back(loadQueries(i, ks));
    mlir::gpu::BarrierOp::create(b, loc);
  }

  Value none = LLVM::ZeroOp::create(b, loc, accType);
  SmallVector<Value> initial(mi * widthTiles, none);
  initial.append(2 * mi, f32(-infinity));
  initial.append(2 * mi, f32(0));
  auto loop = scf::ForOp::create(b, loc, zero, count, c(1), initial);
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(loop.getBody());
    Value block = loop.getInductionVar(), stage = rem(block, 2), next = add(block, 1);
    auto more = scf::IfOp::create(b, loc, less(next, count), /*withElseRegion=*/true);
    b.setInsertionPointToStart(more.thenBlock());
    issue(next, rem(next, 2));
    b.setInsertionPointToStart(more.elseBlock());
    NVVM::CpAsyncCommitGroupOp::create(b, loc);
    b.setInsertionPointAfter(more);
    NVVM::CpAsyncWaitGroupOp::create(b, loc, 1u);
    mlir::gpu::BarrierOp::create(b, loc);
    SmallVector<Value> results = step(block, stage, loop.getRegionIterArgs());
    // The next turn overwrites the stage that was just read.
    mlir::gpu::BarrierOp::create(b, loc);
    scf::YieldOp::create(b, loc, results);
  }
  size_t slots = 2 * mi;
  ValueRange results = loop.getResults();
  SmallVector<Value> out(results.take_front(mi * widthTiles));
  SmallVector<Value> maxima(results.drop_front(out.size()).take_front(slots)), sums(results.take_back(slots));
  for (Value &sum : sums)
    for (unsigned offset : {1u, 2u})
      sum = math.add(sum, exchange(sum, offset));
  if (tiling.keyWarps > 1)
    joinKeyWarps(out, maxima, sums);
  else
    store(out, sums);
  close();
  return launch;
}

/// Tiles of the warps' kernel, within the 99 KiB of shared memory that all chips have.
static AttentionTiling chooseTiling(const AttentionSpec &spec) {
  AttentionTiling tiling;
  int64_t width = std::max(spec.width, spec.valueWidth), rows = spec.getRows();
  bool isWide = width > 128;
  if (rows <= 32) {
    // Few rows: the warps share the keys.
    tiling.rowWarps = rows <= 16 ? 1 : 2;
    tiling.keyWarps = isWide ? 2 : 4 / tiling.rowWarps;
    tiling.keys = isWide ? 32 : width > 64 ? 64 : 128;
    return tiling;
  }
  // Two matrices of rows share what is loaded of keys, where enough blocks are left.
  constexpr int64_t manyBlocks = 128;
  if (width <= 64 && rows > 64 && spec.getNumProblems() * ((rows + 127) / 128) >= manyBlocks)
    tiling.rowTiles = 2;
  tiling.keys = isWide ? 32 : 64;
  return tiling;
}

LaunchShape fxgraph::gpu::emitAttention(OpBuilder &builder, const AttentionSpec &spec) {
  if (std::optional<AttentionTiling> tiling = chooseWarpgroupTiling(spec))
    return emitWarpgroupAttention(builder, spec, *tiling);
  return WarpAttentionEmitter(builder, spec, chooseTiling(spec)).run();
}
