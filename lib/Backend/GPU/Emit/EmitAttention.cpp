// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention with the matrix instructions of warps (mma.sync), on all chips: of 16-bit floats m16n8k16, of f32 m16n8k8 of
// its parts.
//
// Fragments of f32 have the bytes of those of 16-bit floats: what is a step of 16 elements there is one of 8 here. But for
// those of values, which no instruction transposes: in runs of up to four matrices of columns, a thread's columns are
// neighbours, which it loads at once.

#include "Emit/AttentionEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace LLVM = mlir::LLVM;
namespace NVVM = mlir::NVVM;

namespace {

/// What a block has in shared memory: two stages of keys and values, and queries, which pass through the second one if they
/// stay in registers.
struct WarpAttentionLayout {
  AttentionTile queries, keys, values;
  bool keepsQueries;
  int64_t stageBytes, queryStart, bytes;
  WarpAttentionLayout(const AttentionSpec &spec, const AttentionTiling &tiling);
};

class WarpAttentionEmitter : AttentionEmitter {
public:
  WarpAttentionEmitter(OpBuilder &builder, const AttentionSpec &spec, const AttentionTiling &tiling)
      : AttentionEmitter(builder, spec, tiling.getRows(), tiling.keys, tiling.getThreads(),
                         tiling.keys / tiling.keyWarps / 8),
        tiling(tiling), mi(tiling.rowTiles), bytes(getMemoryBytes(spec.element)), layout(spec, tiling),
        queryTile(layout.queries), keyTile(layout.keys), valueTile(layout.values), isSingle(spec.element.isF32()),
        widthTiles(valueTile.chunks * perChunk / 8), kSteps(keyTile.chunks / 2), keepsQueries(layout.keepsQueries) {}
  LaunchShape run();

private:
  void issue(Value block, Value stage);
  SmallVector<Value> loadQueries(int64_t i, int64_t ks) {
    return loadMatrix(add(queryAddress, 16 * i * queryTile.pitch + 32 * ks), false);
  }
  /// out += probabilities x values.
  void multiplyValues(ArrayRef<Value> probabilities, Value valueStart, MutableArrayRef<Value> out);
  void multiplySingleValues(ArrayRef<Value> probabilities, Value valueStart, MutableArrayRef<Value> out);
  /// Matrices of the run that starts with the `first` of values of f32.
  int64_t getRun(int64_t first) const { return llvm::bit_floor<uint64_t>(std::min<int64_t>(4, widthTiles - first)); }
  /// A slot's results in neighbouring columns: calls `body` with the first one and what is there.
  void visitColumns(ArrayRef<Value> out, int64_t slot, function_ref<void(Value, ArrayRef<Value>)> body);
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
  /// A vector of values times the factor.
  Value scaleAll(ArrayRef<Value> values, Value factor);

  AttentionTiling tiling;
  int64_t mi, bytes; ///< of an element
  WarpAttentionLayout layout;
  Tile queryTile, keyTile, valueTile;
  bool isSingle; ///< f32
  int64_t widthTiles, kSteps;
  bool keepsQueries; ///< in registers
  Copy keyCopy, valueCopy;
  Value keyWarp, tileRow;
  Scratch scratch;
  Value queryAddress, keyAddress, valueAddress; ///< of a thread's first matrix
  SmallVector<SmallVector<Value>> queries;      ///< [mi * kSteps] fragments
};

} // namespace

WarpAttentionLayout::WarpAttentionLayout(const AttentionSpec &spec, const AttentionTiling &tiling) {
  int64_t bytesOf = getMemoryBytes(spec.element), rows = tiling.getRows();
  queries = AttentionTile(rows, bytesOf * spec.width);
  keys = AttentionTile(tiling.keys, bytesOf * spec.width);
  values = AttentionTile(tiling.keys, bytesOf * spec.valueWidth);
  // Steps of 32 bytes, of which each takes four registers of a matrix of rows, and eight as two parts.
  constexpr int64_t mostSteps = 8;
  keepsQueries = spec.element.isF32() ? tiling.rowTiles * queries.chunks / 2 <= mostSteps : spec.width <= 128;
  stageBytes = keys.getBytes() + values.getBytes();
  queryStart = (keepsQueries ? 1 : 2) * stageBytes;
  bytes = std::max(2 * stageBytes, queryStart + queries.getBytes());
  // Where warps share keys, their results in f32, and a maximum and a sum of each row.
  int64_t rowBytes = (values.chunks * 16 / bytesOf + 4) * 4 + 8;
  if (tiling.keyWarps > 1)
    bytes = std::max(bytes, tiling.keyWarps * rows * rowBytes);
}

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
    SmallVector<Parts> left, right;
    for (int64_t i = 0; i < mi; ++i)
      left.push_back(toParts(keepsQueries ? queries[i * kSteps + ks] : loadQueries(i, ks)));
    for (int64_t j = 0; j < keyTiles; j += 2) {
      SmallVector<Value> four = loadMatrix(add(keyStart, 8 * j * keyTile.pitch + 32 * ks), false);
      for (int64_t t = 0; t < 2; ++t)
        right.push_back(toParts({four[2 * t], four[2 * t + 1]}));
      // The parts' products for a score follow each other: those of other scores come between.
      if (isSingle && j + 2 < keyTiles)
        continue;
      int64_t first = j + 2 - static_cast<int64_t>(right.size());
      multiplyTiles(left, right, MutableArrayRef(acc).drop_front(first), keyTiles);
      right.clear();
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
  if (isSingle)
    multiplySingleValues(scores, valueStart, out);
  else
    multiplyValues(scores, valueStart, out);
  SmallVector<Value> results(out);
  results.append(maxima);
  results.append(sums);
  return results;
}

void WarpAttentionEmitter::multiplyValues(ArrayRef<Value> probabilities, Value valueStart, MutableArrayRef<Value> out) {
  auto probability = [&](int64_t i, int64_t h, int64_t t) {
    int64_t at = ((2 * i + h) * keyTiles + t) * 2;
    return pack(probabilities[at], probabilities[at + 1]);
  };
  for (int64_t ks = 0; ks < keyTiles / 2; ++ks) {
    SmallVector<Parts> left;
    for (int64_t i = 0; i < mi; ++i)
      left.push_back({{probability(i, 0, 2 * ks), probability(i, 1, 2 * ks), probability(i, 0, 2 * ks + 1),
                       probability(i, 1, 2 * ks + 1)}});
    for (int64_t j = 0; j < widthTiles; j += 2) {
      SmallVector<Value> four = loadMatrix(add(valueStart, 16 * ks * valueTile.pitch + 16 * j), true);
      multiplyTiles(left, {{{four[0], four[1]}}, {{four[2], four[3]}}}, out.drop_front(j), widthTiles);
    }
  }
}

// Keys may come in any order: that of the scores, where a thread's two are neighbours, which stand for its columns of the
// probabilities, a fragment's quad and quad + 4.
void WarpAttentionEmitter::multiplySingleValues(ArrayRef<Value> probabilities, Value valueStart,
                                                MutableArrayRef<Value> out) {
  Type i32 = b.getI32Type();
  auto toWord = [&](Value value) { return arith::BitcastOp::create(b, loc, i32, value).getResult(); };
  for (int64_t ks = 0; ks < keyTiles; ++ks) {
    SmallVector<Parts> left;
    for (int64_t i = 0; i < mi; ++i) {
      SmallVector<Value> words;
      for (int64_t q = 0; q < 2; ++q)
        for (int64_t h = 0; h < 2; ++h)
          words.push_back(toWord(probabilities[((2 * i + h) * keyTiles + ks) * 2 + q]));
      left.push_back(toParts(words));
    }
    int64_t run;
    for (int64_t j = 0; j < widthTiles; j += run) {
      run = getRun(j);
      Type type = run == 1 ? i32 : Type(mlir::VectorType::get({run}, i32));
      SmallVector<Value> rows;
      for (int64_t q = 0; q < 2; ++q) {
        Value at = add(add(valueStart, mul(group, bytes * run)), (8 * ks + q) * valueTile.pitch + 8 * bytes * j);
        rows.push_back(LLVM::LoadOp::create(b, loc, type, sharedAt(at), bytes * run));
      }
      SmallVector<Parts> right;
      for (int64_t t = 0; t < run; ++t) {
        SmallVector<Value> words;
        for (Value row : rows)
          words.push_back(run == 1 ? row : mlir::vector::ExtractOp::create(b, loc, row, t).getResult());
        right.push_back(toParts(words));
      }
      multiplyTiles(left, right, out.drop_front(j), widthTiles);
    }
  }
}

void WarpAttentionEmitter::visitColumns(ArrayRef<Value> out, int64_t slot,
                                        function_ref<void(Value, ArrayRef<Value>)> body) {
  auto element = [&](int64_t tile, int64_t q) {
    return extract(out[slot / 2 * widthTiles + tile], 2 * (slot % 2) + q);
  };
  int64_t run = 1;
  for (int64_t j = 0; j < widthTiles; j += run) {
    if (!isSingle) {
      body(add(mul(quad, 2), 8 * j), {element(j, 0), element(j, 1)});
      continue;
    }
    run = getRun(j);
    SmallVector<Value> columns;
    for (int64_t q = 0; q < 2; ++q)
      for (int64_t t = 0; t < run; ++t)
        columns.push_back(element(j + t, q));
    // Up to 16 bytes each.
    int64_t count = std::min<int64_t>(2 * run, 4);
    for (int64_t first = 0; first < 2 * run; first += count)
      body(add(mul(quad, 2 * run), 8 * j + first), ArrayRef(columns).slice(first, count));
  }
}

void WarpAttentionEmitter::store(ArrayRef<Value> out, ArrayRef<Value> sums) {
  Tile outTile(bm, bytes * spec.valueWidth);
  for (int64_t slot = 0; slot < 2 * mi; ++slot) {
    Value inverse = invert(sums[slot]), row = add(tileRow, add(group, 8 * slot));
    if (!isSingle) {
      // Through shared memory, where nobody reads any more, 16 bytes a thread.
      visitColumns(out, slot, [&](Value column, ArrayRef<Value> values) {
        Value pair = pack(math.mul(values[0], inverse), math.mul(values[1], inverse));
        LLVM::StoreOp::create(b, loc, pair, sharedAt(add(mul(row, outTile.pitch), mul(column, bytes))), 4);
      });
      continue;
    }
    // A thread's columns are neighbours.
    Value matrixRow = add(row0, row);
    emitIf(isCut ? less(matrixRow, spec.getRows()) : Value(), [&] {
      Value base = pointerAt(outBase, element, rowOffset(matrixRow, spec.out));
      visitColumns(out, slot, [&](Value column, ArrayRef<Value> values) {
        LLVM::StoreOp::create(b, loc, scaleAll(values, inverse), pointerAt(base, element, wide(column)),
                              bytes * values.size());
      });
    });
  }
  if (isSingle)
    return;
  mlir::gpu::BarrierOp::create(b, loc);
  storeTile(outTile);
}

Value WarpAttentionEmitter::scaleAll(ArrayRef<Value> values, Value factor) {
  SmallVector<Value> scaled;
  for (Value value : values)
    scaled.push_back(math.mul(value, factor));
  auto type = mlir::VectorType::get({static_cast<int64_t>(values.size())}, b.getF32Type());
  return mlir::vector::FromElementsOp::create(b, loc, type, scaled);
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
    Value at = add(mul(keyWarp, partBytes), mul(rows[slot], pitch));
    visitColumns(out, slot, [&](Value column, ArrayRef<Value> values) {
      LLVM::StoreOp::create(b, loc, scaleAll(values, factor), sharedAt(add(at, mul(column, 4))), 4 * values.size());
    });
  }
  mlir::gpu::BarrierOp::create(b, loc);
  auto fourType = mlir::VectorType::get({4}, f32Type);
  auto joinFour = [&](Value row, Value chunk, int64_t number) {
    Value at = add(mul(row, pitch), mul(chunk, 4 * perChunk)), sum;
    for (int64_t part = 0; part < tiling.keyWarps; ++part) {
      Value four = LLVM::LoadOp::create(b, loc, fourType, sharedAt(add(at, part * partBytes + 16 * number)), 16);
      sum = sum ? arith::AddFOp::create(b, loc, sum, four).getResult() : four;
    }
    return sum;
  };
  if (tiling.splits > 1) {
    visitRows([&](Value row, Value, Value chunk) {
      Value at = scratch.getRow(*this, split, row, chunk);
      for (int64_t part = 0; part < perChunk / 4; ++part)
        LLVM::StoreOp::create(b, loc, joinFour(row, chunk, part), pointerAt(at, f32Type, 4 * part), 16);
    });
    return;
  }
  storeRows([&](Value row, Value chunk) -> Value {
    SmallVector<Value> fours;
    for (int64_t part = 0; part < perChunk / 4; ++part)
      fours.push_back(joinFour(row, chunk, part));
    return toChunk(fours);
  });
}

LaunchShape WarpAttentionEmitter::run() {
  OpBuilder::InsertionGuard restore(b);
  LaunchShape launch = open(tiling.splits);
  function->setAttr(kAttentionTilingAttr, tiling.toAttribute(b.getContext()));
  int64_t queryStart = layout.queryStart;
  launch.sharedBytes = layout.bytes;
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
  Value valueRow = isSingle ? mul(quad, 2) : add(l8, mul(half, 8)), valueChunk = isSingle ? c(0) : l16;
  valueAddress = add(add(mul(add(keyRow, valueRow), valueTile.pitch), mul(valueChunk, 16)), keyTile.getBytes());

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
  auto pairType = mlir::VectorType::get({2}, f32Type), fourType = mlir::VectorType::get({4}, f32Type);
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
    SmallVector<Value> result(perChunk / 4);
    for (int64_t part = 0; part < tiling.splits; ++part) {
      Value at = scratch.getRow(*this, c(part), row, chunk);
      for (auto [number, sum] : llvm::enumerate(result)) {
        Value four = LLVM::LoadOp::create(b, loc, fourType, pointerAt(at, f32Type, 4 * number), 16);
        Value weight = mlir::vector::BroadcastOp::create(b, loc, fourType, math.mul(weights[part], inverse));
        Value product = arith::MulFOp::create(b, loc, four, weight);
        sum = sum ? arith::AddFOp::create(b, loc, sum, product).getResult() : product;
      }
    }
    return toChunk(result);
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

/// Blocks that share the keys of a tile, where there are few tiles.
static void splitKeys(const AttentionSpec &spec, AttentionTiling &tiling) {
  constexpr int64_t fewestKeys = 128, mostSplits = 32;
  int64_t wantedBlocks = spec.processors * 3 / 2,
          tiles = spec.getNumProblems() * llvm::divideCeil(spec.getRows(), tiling.getRows());
  tiling.splits = std::clamp<int64_t>(std::min<int64_t>(llvm::divideCeil(wantedBlocks, tiles), spec.keys / fewestKeys),
                                      1, mostSplits);
}

/// Tiles of the warps' kernel, within the 99 KiB of shared memory that all chips have.
static AttentionTiling chooseWarpTiling(const AttentionSpec &spec) {
  AttentionTiling tiling;
  // Widths as of 16-bit floats.
  int64_t width = std::max(spec.width, spec.valueWidth) * getMemoryBytes(spec.element) / 2, rows = spec.getRows();
  bool isWide = width > 128;
  if (rows <= 32) {
    // Few rows: the warps share the keys, and where few blocks are left, blocks share them too.
    bool hasFewBlocks = spec.element.isF32() && !isWide && 2 * spec.getNumProblems() <= spec.processors;
    tiling.rowWarps = rows <= 16 || hasFewBlocks ? 1 : 2;
    tiling.keyWarps = isWide ? 2 : 4 / tiling.rowWarps;
    tiling.keys = isWide ? 32 : width > 64 ? 64 : 128;
    splitKeys(spec, tiling);
    return tiling;
  }
  if (spec.element.isF32()) {
    int64_t problems = spec.getNumProblems();
    tiling.keys = isWide ? 32 : 64;
    // As fast at 2.5 tiles for each, and 5 to 15 % faster at 1.5.
    if (problems * ((rows + 63) / 64) < 2 * spec.processors) {
      tiling.rowWarps = tiling.keyWarps = 2;
      splitKeys(spec, tiling);
    } else if (readsMaskByRow(spec)) {
      tiling.keys = 32;
    } else if (!isWide && rows > 64 && problems * ((rows + 127) / 128) >= 2 * spec.processors) {
      tiling.rowTiles = 2;
      tiling.keys = 32;
    }
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
  int64_t width = std::max(spec.width, spec.valueWidth) * getMemoryBytes(spec.element) / 2; // As of 16-bit floats.
  if (tiling.usesWarpgroups)
    return spec.hasWarpgroups && !spec.element.isF32() && isOneOf(tiling.rowWarps, {4, 8}) && tiling.keyWarps == 1 &&
           tiling.rowTiles == 1 && tiling.splits == 1 && isOneOf(tiling.keys, {32, 64, 128}) &&
           (width <= 128 || tiling.rowWarps == 8) && (width <= 128 || tiling.keys <= 64) &&
           (tiling.copyWarps == 0
                ? tiling.blocks == 0
                : tiling.copyWarps == 4 && tiling.rowWarps == 8 && width <= 128 && tiling.blocks >= 0);
  bool joins = tiling.keyWarps > 1;
  constexpr int64_t mostSharedBytes = 99 << 10; // That all chips have.
  return WarpAttentionLayout(spec, tiling).bytes <= mostSharedBytes && tiling.copyWarps == 0 && tiling.blocks == 0 &&
         isOneOf(tiling.rowWarps, {1, 2, 4}) && isOneOf(tiling.keyWarps, {1, 2, 4}) &&
         isOneOf(tiling.rowWarps * tiling.keyWarps, {2, 4}) && isOneOf(tiling.rowTiles, {1, 2}) &&
         isOneOf(tiling.keys, {32, 64, 128}) && tiling.keys >= 16 * tiling.keyWarps &&
         (!joins || tiling.rowTiles == 1) && tiling.splits >= 1 && tiling.splits <= 64 &&
         (tiling.splits == 1 || (joins && tiling.splits <= (spec.keys + tiling.keys - 1) / tiling.keys)) &&
         (width <= 128 || tiling.keys == 32) && (width <= 64 || tiling.keys <= 64);
}

FailureOr<AttentionTiling> fxgraph::gpu::chooseAttentionTiling(const AttentionSpec &spec) {
  // Below that, a warp group's 64 rows are not filled.
  constexpr int64_t fewestRows = 33;
  bool usesWarpgroups = spec.hasWarpgroups && !spec.element.isF32() && spec.getRows() >= fewestRows;
  AttentionTiling tiling = usesWarpgroups ? chooseWarpgroupTiling(spec) : chooseWarpTiling(spec);
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
