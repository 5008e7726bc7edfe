// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention with the matrix instructions of warps (mma.sync m16n8k16), on all chips.

#include "Emit/AttentionEmitter.h"
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
  SmallVector<Value> step(Value block, Value stage, ArrayRef<Value> mask, ValueRange carried);
  /// The first key of the block that this warp has.
  Value firstKeyOf(Value block) {
    Value first = mul(block, bn);
    return tiling.keyWarps > 1 ? add(first, mul(keyWarp, 8 * keyTiles)) : first;
  }
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
  Scratch scratch;
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

SmallVector<Value> WarpAttentionEmitter::step(Value block, Value stage, ArrayRef<Value> mask, ValueRange carried) {
  Value stageBase = mul(stage, keyTile.getBytes() + valueTile.getBytes());
  Value keyStart = add(keyAddress, stageBase), valueStart = add(valueAddress, stageBase);
  size_t slots = 2 * mi;
  SmallVector<Value> out(carried.take_front(mi * widthTiles));
  SmallVector<Value> maxima(carried.drop_front(out.size()).take_front(slots)), sums(carried.take_back(slots));

  Value firstKey = firstKeyOf(block);
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
    if (tiling.splits > 1) {
      Value pair = mlir::vector::FromElementsOp::create(b, loc, pairType, SmallVector<Value>{largest, sum});
      Value isOwner = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, keyWarp, c(0));
      emitIf(both(isFirst, isOwner),
             [&] { LLVM::StoreOp::create(b, loc, pair, scratch.getStatistics(*this, split, rows[slot]), 8); });
    }
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
  auto joinHalf = [&](Value row, Value chunk, int64_t half) {
    Value at = add(mul(row, pitch), mul(chunk, 32)), sum;
    for (int64_t part = 0; part < tiling.keyWarps; ++part) {
      Value four = LLVM::LoadOp::create(b, loc, fourType, sharedAt(add(at, part * partBytes + 16 * half)), 16);
      sum = sum ? arith::AddFOp::create(b, loc, sum, four).getResult() : four;
    }
    return sum;
  };
  if (tiling.splits > 1) {
    visitRows([&](Value row, Value, Value chunk) {
      Value at = scratch.getRow(*this, split, row, chunk);
      for (int64_t half = 0; half < 2; ++half)
        LLVM::StoreOp::create(b, loc, joinHalf(row, chunk, half), pointerAt(at, f32Type, 4 * half), 16);
    });
    return;
  }
  storeRows([&](Value row, Value chunk) -> Value {
    SmallVector<Value> packed;
    for (int64_t half = 0; half < 2; ++half) {
      Value sum = joinHalf(row, chunk, half);
      for (int64_t q = 0; q < 4; q += 2)
        packed.push_back(
            pack(mlir::vector::ExtractOp::create(b, loc, sum, q), mlir::vector::ExtractOp::create(b, loc, sum, q + 1)));
    }
    return mlir::vector::FromElementsOp::create(b, loc, words, packed);
  });
}

LaunchShape WarpAttentionEmitter::run() {
  OpBuilder::InsertionGuard restore(b);
  LaunchShape launch = open(tiling.splits);
  function->setAttr(kAttentionTilingAttr, tiling.toAttribute(b.getContext()));
  int64_t stageBytes = keyTile.getBytes() + valueTile.getBytes();
  // Queries that stay in registers pass through the second stage.
  int64_t queryStart = keepsQueries ? stageBytes : 2 * stageBytes;
  launch.sharedBytes = std::max(2 * stageBytes, queryStart + queryTile.getBytes());
  if (tiling.keyWarps > 1)
    launch.sharedBytes = std::max(launch.sharedBytes, tiling.keyWarps * bm * ((8 * widthTiles + 4) * 4 + int64_t(8)));
  openDynamicShared(function, launch.sharedBytes);
  Value qBase = openOperand(0, spec.q, element);
  keyCopy = planCopy(openOperand(1, spec.k, element), spec.k.row, spec.width, keyTile);
  valueCopy = planCopy(openOperand(2, spec.v, element), spec.v.row, spec.valueWidth, valueTile);
  if (tiling.splits == 1)
    outBase = openOperand(getNumInputs(), spec.out, element);
  else
    scratch = openScratch(getNumInputs(), tiling.splits);

  keyWarp = div(warp, tiling.rowWarps);
  tileRow = mul(rem(warp, tiling.rowWarps), 16 * mi);
  openSlots(add(row0, tileRow), mi);
  // Fragments: queries and keys along the width, values across it.
  Value l8 = rem(lane, 8), l16 = div(lane, 16), half = rem(div(lane, 8), 2);
  Value keyRow = mul(keyWarp, 8 * keyTiles);
  queryAddress = add(add(mul(add(tileRow, add(l8, mul(half, 8))), queryTile.pitch), mul(l16, 16)), queryStart);
  keyAddress = add(mul(add(keyRow, add(l8, mul(l16, 8))), keyTile.pitch), mul(half, 16));
  valueAddress = add(add(mul(add(keyRow, add(l8, mul(half, 8))), valueTile.pitch), mul(l16, 16)), keyTile.getBytes());

  Value zero = c(0), begin = zero, count = countBlocks();
  if (tiling.splits > 1) {
    // Causal tiles may leave nothing to the last splits: they take a block that is hidden.
    begin = div(mul(split, blocks), tiling.splits);
    Value end = div(mul(add(split, 1), blocks), tiling.splits);
    count = arith::MaxUIOp::create(b, loc, arith::MinUIOp::create(b, loc, count, end), add(begin, 1));
  }
  copyQueries(qBase, queryTile, c(queryStart));
  issue(begin, zero);
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
  // Where the products of a block are soon done, its part of the mask is read a turn ahead.
  bool prefetchesMask = spec.maskElement && tiling.keyWarps > 1;
  size_t state = initial.size();
  if (prefetchesMask)
    initial.append(loadMask(begin, firstKeyOf(begin)));
  auto loop = scf::ForOp::create(b, loc, begin, count, c(1), initial);
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(loop.getBody());
    Value block = loop.getInductionVar(), next = add(block, 1), turn = block;
    if (tiling.splits > 1)
      turn = arith::SubIOp::create(b, loc, block, begin);
    Value stage = rem(turn, 2);
    auto more = scf::IfOp::create(b, loc, less(next, count), /*withElseRegion=*/true);
    b.setInsertionPointToStart(more.thenBlock());
    issue(next, bitXor(stage, c(1)));
    b.setInsertionPointToStart(more.elseBlock());
    NVVM::CpAsyncCommitGroupOp::create(b, loc);
    b.setInsertionPointAfter(more);
    NVVM::CpAsyncWaitGroupOp::create(b, loc, 1u);
    mlir::gpu::BarrierOp::create(b, loc);
    ValueRange carried = loop.getRegionIterArgs();
    SmallVector<Value> mask(carried.drop_front(state)), nextMask;
    if (prefetchesMask) {
      Value following = arith::MinUIOp::create(b, loc, next, arith::SubIOp::create(b, loc, count, c(1)));
      nextMask = loadMask(following, firstKeyOf(following));
    } else {
      mask = loadMask(block, firstKeyOf(block));
    }
    SmallVector<Value> results = step(block, stage, mask, carried.take_front(state));
    results.append(nextMask);
    // The next turn overwrites the stage that was just read.
    mlir::gpu::BarrierOp::create(b, loc);
    scf::YieldOp::create(b, loc, results);
  }
  size_t slots = 2 * mi;
  ValueRange results = loop.getResults().take_front(state);
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

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

namespace {

/// Joins the parts of each tile's rows: a weighted mean.
class AttentionJoinEmitter : AttentionEmitter {
public:
  AttentionJoinEmitter(OpBuilder &builder, const AttentionSpec &spec, const AttentionTiling &tiling)
      : AttentionEmitter(builder, spec, tiling.getRows(), tiling.keys, /*threads=*/128, tiling.keys / 8),
        tiling(tiling) {}
  LaunchShape run(StringRef name);

private:
  AttentionTiling tiling;
};

} // namespace

LaunchShape AttentionJoinEmitter::run(StringRef name) {
  OpBuilder::InsertionGuard restore(b);
  LaunchShape launch = open(name, {16, 16});
  Type f32Type = b.getF32Type();
  auto pairType = mlir::VectorType::get({2}, f32Type), fourType = mlir::VectorType::get({4}, f32Type),
       words = mlir::VectorType::get({4}, b.getI32Type());
  Scratch scratch = openScratch(0, tiling.splits);
  outBase = openOperand(1, spec.out, element);
  storeRows([&](Value row, Value chunk) -> Value {
    SmallVector<Value> maxima, weights;
    Value largest, sum;
    for (int64_t part = 0; part < tiling.splits; ++part) {
      Value pair = LLVM::LoadOp::create(b, loc, pairType, scratch.getStatistics(*this, c(part), row), 8);
      maxima.push_back(mlir::vector::ExtractOp::create(b, loc, pair, 0));
      weights.push_back(mlir::vector::ExtractOp::create(b, loc, pair, 1));
      largest = largest ? math.maximum(largest, maxima.back(), false) : maxima.back();
    }
    for (auto [maximum, weight] : llvm::zip_equal(maxima, weights)) {
      weight = math.mul(weight, rescale(maximum, largest));
      sum = sum ? math.add(sum, weight) : weight;
    }
    Value inverse = invert(sum);
    std::array<Value, 2> result;
    for (int64_t part = 0; part < tiling.splits; ++part) {
      Value at = scratch.getRow(*this, c(part), row, chunk);
      for (int64_t half = 0; half < 2; ++half) {
        Value four = LLVM::LoadOp::create(b, loc, fourType, pointerAt(at, f32Type, 4 * half), 16);
        Value weight = mlir::vector::BroadcastOp::create(b, loc, fourType, math.mul(weights[part], inverse));
        Value product = arith::MulFOp::create(b, loc, four, weight);
        result[half] = result[half] ? arith::AddFOp::create(b, loc, result[half], product).getResult() : product;
      }
    }
    SmallVector<Value> packed;
    for (int64_t q = 0; q < 8; q += 2)
      packed.push_back(pack(mlir::vector::ExtractOp::create(b, loc, result[q / 4], q % 4),
                            mlir::vector::ExtractOp::create(b, loc, result[q / 4], q % 4 + 1)));
    return mlir::vector::FromElementsOp::create(b, loc, words, packed);
  });
  close();
  return launch;
}

LaunchShape fxgraph::gpu::emitAttentionJoin(OpBuilder &builder, const AttentionSpec &spec,
                                            const AttentionTiling &tiling, StringRef name) {
  return AttentionJoinEmitter(builder, spec, tiling).run(name);
}

int64_t fxgraph::gpu::getAttentionScratchBytes(const AttentionSpec &spec, const AttentionTiling &tiling) {
  if (tiling.splits == 1)
    return 0;
  int64_t rows = tiling.getRows(), tiles = (spec.getRows() + rows - 1) / rows * spec.getNumProblems();
  return tiles * tiling.splits * rows * (spec.valueWidth + 2) * int64_t(sizeof(float));
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// Each score has an element of the mask, which takes registers.
static bool readsMaskByRow(const AttentionSpec &spec) {
  return spec.maskElement && spec.mask.column != 0 && (spec.mask.row != 0 || spec.mask.fold != 0);
}

/// Tiles of the warp groups' kernel. Measured on an H200: blocks of one warp group, of which
/// several share a multiprocessor, beat larger ones as long as they fit and run in step.
static AttentionTiling chooseWarpgroupTiling(const AttentionSpec &spec) {
  AttentionTiling tiling;
  tiling.usesWarpgroups = true;
  tiling.keys = 64;
  int64_t width = std::max(spec.width, spec.valueWidth);
  constexpr int64_t manyKeys = 256;
  if (width <= 64 && spec.keys > manyKeys && !readsMaskByRow(spec))
    tiling.keys = 128;
  // Two groups share what is loaded of keys: where registers are left for two such blocks, and where
  // one group's threads are too few to copy rows of this length.
  if (width > 128 || (width > 64 && width <= 80))
    tiling.rowWarps = 8;
  // Rows of 128 in two groups that take turns, fed by warps of their own: a block for a multiprocessor. Narrower ones
  // leave room for several blocks, which do better; few tiles leave multiprocessors without one.
  constexpr int64_t fewKeys = 64, rows = 128;
  int64_t tiles = (spec.getRows() + rows - 1) / rows * spec.getNumProblems();
  // A mask that is read element by element takes too many registers.
  bool isMaskRagged = readsMaskByRow(spec) && (spec.keys % 8 != 0 || spec.mask.row % 8 != 0);
  if (width > 80 && width <= 128 && spec.keys > fewKeys && 2 * tiles >= spec.processors && !isMaskRagged) {
    tiling.copyWarps = 4;
    tiling.rowWarps = 8;
    tiling.keys = 128;
    // Tiles of equal work are handed out beforehand: what one needs first is copied while another ends.
    if (!spec.causal && tiles > spec.processors)
      tiling.blocks = spec.processors;
  }
  return tiling;
}

/// Tiles of the warps' kernel, within the 99 KiB of shared memory that all chips have.
static AttentionTiling chooseWarpTiling(const AttentionSpec &spec) {
  AttentionTiling tiling;
  int64_t width = std::max(spec.width, spec.valueWidth), rows = spec.getRows();
  bool isWide = width > 128;
  if (rows <= 32) {
    // Few rows: the warps share the keys, and where few blocks are left, blocks share them too.
    tiling.rowWarps = rows <= 16 ? 1 : 2;
    tiling.keyWarps = isWide ? 2 : 4 / tiling.rowWarps;
    tiling.keys = isWide ? 32 : width > 64 ? 64 : 128;
    constexpr int64_t fewestKeys = 128, mostSplits = 32;
    int64_t wantedBlocks = spec.processors * 3 / 2;
    int64_t wanted = (wantedBlocks + spec.getNumProblems() - 1) / spec.getNumProblems();
    tiling.splits = std::clamp<int64_t>(std::min(wanted, spec.keys / fewestKeys), 1, mostSplits);
    return tiling;
  }
  // Two matrices of rows share what is loaded of keys, where enough blocks and registers are left.
  constexpr int64_t manyBlocks = 128;
  if (width <= 64 && rows > 64 && !readsMaskByRow(spec) && spec.getNumProblems() * ((rows + 127) / 128) >= manyBlocks)
    tiling.rowTiles = 2;
  tiling.keys = isWide ? 32 : 64;
  return tiling;
}

/// The tiling's fields by name, in the attribute's order.
static std::array<std::pair<StringRef, int64_t AttentionTiling::*>, 7> getTilingFields() {
  return {{{"blocks", &AttentionTiling::blocks},
           {"copy_warps", &AttentionTiling::copyWarps},
           {"key_warps", &AttentionTiling::keyWarps},
           {"keys", &AttentionTiling::keys},
           {"row_tiles", &AttentionTiling::rowTiles},
           {"row_warps", &AttentionTiling::rowWarps},
           {"splits", &AttentionTiling::splits}}};
}

mlir::DictionaryAttr AttentionTiling::toAttribute(MLIRContext *context) const {
  mlir::Builder builder(context);
  mlir::NamedAttrList list;
  for (auto [name, field] : getTilingFields())
    list.append(name, builder.getI64IntegerAttr(this->*field));
  list.append("warpgroups", builder.getBoolAttr(usesWarpgroups));
  return list.getDictionary(context);
}

/// What the kernels can do: their instructions' shapes, shared memory, and who copies what.
static bool isPossible(const AttentionSpec &spec, const AttentionTiling &tiling) {
  auto isOneOf = [](int64_t value, std::initializer_list<int64_t> values) { return llvm::is_contained(values, value); };
  int64_t width = std::max(spec.width, spec.valueWidth);
  if (tiling.usesWarpgroups)
    return spec.hasWarpgroups && isOneOf(tiling.rowWarps, {4, 8}) && tiling.keyWarps == 1 && tiling.rowTiles == 1 &&
           tiling.splits == 1 && isOneOf(tiling.keys, {32, 64, 128}) && (width <= 128 || tiling.rowWarps == 8) &&
           (width <= 128 || tiling.keys <= 64) &&
           (tiling.copyWarps == 0
                ? tiling.blocks == 0
                : tiling.copyWarps == 4 && tiling.rowWarps == 8 && width <= 128 && tiling.blocks >= 0);
  bool joins = tiling.keyWarps > 1;
  return tiling.copyWarps == 0 && tiling.blocks == 0 && isOneOf(tiling.rowWarps, {1, 2, 4}) &&
         isOneOf(tiling.keyWarps, {1, 2, 4}) && isOneOf(tiling.rowWarps * tiling.keyWarps, {2, 4}) &&
         isOneOf(tiling.rowTiles, {1, 2}) && isOneOf(tiling.keys, {32, 64, 128}) &&
         tiling.keys >= 16 * tiling.keyWarps && (!joins || tiling.rowTiles == 1) && tiling.splits >= 1 &&
         tiling.splits <= 64 &&
         (tiling.splits == 1 || (joins && tiling.splits <= (spec.keys + tiling.keys - 1) / tiling.keys)) &&
         (width <= 128 || tiling.keys == 32) && (width <= 64 || tiling.keys <= 64);
}

FailureOr<AttentionTiling> fxgraph::gpu::chooseAttentionTiling(const AttentionSpec &spec) {
  // Below that, a warp group's 64 rows are not filled.
  constexpr int64_t fewestRows = 33;
  AttentionTiling tiling =
      spec.hasWarpgroups && spec.getRows() >= fewestRows ? chooseWarpgroupTiling(spec) : chooseWarpTiling(spec);
  if (!spec.tiling)
    return tiling;
  if (auto flag = spec.tiling.getAs<mlir::BoolAttr>("warpgroups"))
    tiling.usesWarpgroups = flag.getValue();
  for (auto [name, field] : getTilingFields())
    if (auto number = spec.tiling.getAs<IntegerAttr>(name))
      tiling.*field = number.getInt();
  if (!isPossible(spec, tiling))
    return emitError(spec.loc) << "expected a tiling that a kernel of attention has but got "
                               << tiling.toAttribute(spec.loc.getContext());
  return tiling;
}

LaunchShape fxgraph::gpu::emitAttention(OpBuilder &builder, const AttentionSpec &spec, const AttentionTiling &tiling) {
  if (tiling.usesWarpgroups)
    return emitWarpgroupAttention(builder, spec, tiling);
  return WarpAttentionEmitter(builder, spec, tiling).run();
}
