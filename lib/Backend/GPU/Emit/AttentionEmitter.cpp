// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/AttentionEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
namespace LLVM = mlir::LLVM;

int64_t AttentionSpec::getNumProblems() const {
  int64_t count = 1;
  for (int64_t extent : leading)
    count *= extent;
  return count;
}

void fxgraph::gpu::foldProblems(AttentionSpec &spec) {
  // Enough queries fill a tile by themselves.
  constexpr int64_t fewQueries = 64;
  if (spec.leading.empty() || spec.leading.back() == 1 || spec.queries >= fewQueries || spec.fold != 1 ||
      spec.k.leading.back() != 0 || spec.v.leading.back() != 0)
    return;
  spec.fold = spec.leading.pop_back_val();
  for (AttentionSpec::Operand *operand : {&spec.q, &spec.k, &spec.v, &spec.out, &spec.mask})
    if (!operand->leading.empty())
      operand->fold = operand->leading.pop_back_val();
}

Value AttentionEmitter::pointerAt(Value base, Type type, int64_t elements) {
  if (elements == 0)
    return base;
  if (!llvm::isInt<32>(elements))
    return pointerAt(base, type, math.integer(b.getI64Type(), elements));
  return LLVM::GEPOp::create(b, loc, globalPointer, type, base, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(elements)});
}

Value AttentionEmitter::pack(Value low, Value high) {
  auto two = mlir::VectorType::get({2}, b.getF32Type()), narrow = mlir::VectorType::get({2}, element);
  Value pair = vector::FromElementsOp::create(b, loc, two, SmallVector<Value>{low, high});
  return LLVM::BitcastOp::create(b, loc, b.getI32Type(), arith::TruncFOp::create(b, loc, narrow, pair));
}

Value AttentionEmitter::toChunk(ArrayRef<Value> fours) {
  if (element.isF32())
    return fours.front();
  SmallVector<Value> packed;
  for (Value four : fours)
    for (int64_t q = 0; q < 4; q += 2)
      packed.push_back(
          pack(vector::ExtractOp::create(b, loc, four, q), vector::ExtractOp::create(b, loc, four, q + 1)));
  return vector::FromElementsOp::create(b, loc, mlir::VectorType::get({4}, b.getI32Type()), packed);
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

LaunchShape AttentionEmitter::open(StringRef name, ArrayRef<int64_t> alignments, int64_t splits, int64_t blocks) {
  LaunchShape launch;
  launch.grid = blocks ? std::min(blocks, getNumTiles()) : getNumTiles() * splits;
  launch.block = threads;
  SmallVector<Type> types(alignments.size(), LLVM::LLVMPointerType::get(b.getContext()));
  function = createKernelFunction(b, loc, name, types, threads);
  setKnownGrid(function, launch.grid);
  for (auto [i, alignment] : llvm::enumerate(alignments))
    describePointer(function, i, /*isRead=*/i + 1 < alignments.size(), alignment);
  b.setInsertionPointToStart(&function.getBody().front());
  Value id = getBlockId();
  tid = getThreadId();
  lane = rem(tid, 32);
  warp = div(tid, 32);
  quad = rem(lane, 4);
  group = div(lane, 4);
  split = rem(id, splits);
  locate(div(id, splits));
  return launch;
}

void AttentionEmitter::locate(Value number) {
  int64_t tiles = (spec.getRows() + bm - 1) / bm;
  tileNumber = number;
  Value problem = div(tileNumber, tiles), tile = rem(tileNumber, tiles);
  if (spec.causal && tiles > 1) // The longest rows start first.
    tile = arith::SubIOp::create(b, loc, c(tiles - 1), tile);
  leading.resize(spec.leading.size());
  for (size_t i = spec.leading.size(); i-- > 0;) {
    leading[i] = i == 0 ? problem : rem(problem, spec.leading[i]);
    problem = div(problem, spec.leading[i]);
  }
  row0 = mul(tile, bm);
}

void AttentionEmitter::close() {
  b.setInsertionPointToEnd(&function.getBody().front());
  mlir::gpu::ReturnOp::create(b, loc);
}

Value AttentionEmitter::openOperand(unsigned argument, const AttentionSpec::Operand &operand, Type type) {
  Value base = LLVM::AddrSpaceCastOp::create(b, loc, globalPointer, function.getArgument(argument)), offset;
  for (auto [index, stride] : llvm::zip_equal(leading, operand.leading)) {
    if (stride == 0)
      continue;
    Value part = scaled(wide(index), stride);
    offset = offset ? arith::AddIOp::create(b, loc, offset, part).getResult() : part;
  }
  return offset ? pointerAt(base, type, offset) : base;
}

Value AttentionEmitter::rowOffset(Value row, const AttentionSpec::Operand &operand) {
  if (spec.fold == 1)
    return scaled(wide(row), operand.row);
  return arith::AddIOp::create(b, loc, scaled(wide(div(row, spec.queries)), operand.fold),
                               scaled(wide(rem(row, spec.queries)), operand.row));
}

void AttentionEmitter::openSlots(Value firstRow, int64_t count) {
  slotQueries.clear();
  slotMasks.clear();
  Value mask;
  if (spec.maskElement) {
    mask = openOperand(3, spec.mask, getMemoryType(spec.maskElement));
    mask = pointerAt(mask, getMemoryType(spec.maskElement), scaled(wide(mul(quad, 2 * runTiles)), spec.mask.column));
  }
  for (int64_t slot = 0; slot < 2 * count; ++slot) {
    Value row = add(add(firstRow, group), 8 * slot);
    if (spec.causal)
      slotQueries.push_back(spec.fold == 1 ? row : rem(row, spec.queries));
    if (!mask)
      continue;
    // Of rows beyond the last one nothing is stored; they may see any mask.
    if (isCut)
      row = clampTo(row, spec.getRows() - 1);
    bool first = slot == 0;
    if (maskVariesByRow())
      slotMasks.push_back(pointerAt(mask, getMemoryType(spec.maskElement), rowOffset(row, spec.mask)));
    else if (first)
      slotMasks.push_back(mask);
  }
}

Value AttentionEmitter::countBlocks() {
  Value count = c(blocks);
  if (!spec.causal || spec.fold != 1)
    return count;
  // Keys up to the tile's last row.
  Value last = div(add(row0, bm + bn - 1), bn);
  return arith::MinUIOp::create(b, loc, count, last);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

Value AttentionEmitter::tileOffset(const Tile &tile, Value row, Value chunk) {
  if (!tile.swizzled)
    return add(mul(row, tile.pitch), mul(chunk, 16));
  Value inPanel = add(mul(row, tile.pitch), mul(bitXor(rem(chunk, 8), rem(row, 8)), 16));
  return tile.getPanels() == 1 ? inPanel : add(inPanel, mul(div(chunk, 8), tile.getPanelBytes()));
}

// Bits of a column: run, tile in it, quad, which of two. Of a key: run, quad, tile, which.

int64_t AttentionEmitter::getKey(int64_t column) const {
  int64_t run = 8 * runTiles, in = column % run;
  return column - in + in % 8 / 2 * 2 * runTiles + in / 8 * 2 + in % 2;
}

Value AttentionEmitter::getKey(Value column) {
  int64_t run = 8 * runTiles;
  Value in = rem(column, run), inTile = rem(in, 8);
  Value key = add(add(mul(div(inTile, 2), 2 * runTiles), mul(div(in, 8), 2)), rem(inTile, 2));
  return add(key, mul(div(column, run), run));
}

AttentionEmitter::Copy AttentionEmitter::planCopy(Value base, int64_t rowStride, int64_t width, const Tile &tile) {
  Copy copy{tile, {}, {}, {}, {}, {}, rowStride, 0};
  int64_t perRow = llvm::PowerOf2Ceil(tile.chunks);
  copy.step = copyThreads / perRow;
  assert((!tile.swizzled || copy.step % 8 == 0) && "swizzles of a thread's rows must agree");
  Value row = div(tid, perRow), chunk = rem(tid, perRow);
  copy.key = getKey(row);
  // Chunks between the width and the next multiple of 32 bytes are zero.
  if (tile.chunks != perRow)
    copy.exists = less(chunk, tile.chunks);
  if (copy.step > tile.rows)
    copy.exists = both(copy.exists, less(row, tile.rows));
  if (copyThreads != threads)
    copy.exists = both(copy.exists, less(tid, copyThreads));
  if (tile.chunks != width / perChunk)
    copy.inside = less(chunk, width / perChunk);
  Value offset = arith::AddIOp::create(b, loc, scaled(wide(copy.key), rowStride), wide(mul(chunk, perChunk)));
  copy.pointer = pointerAt(base, element, offset);
  copy.shared = tileOffset(tile, row, chunk);
  return copy;
}

void AttentionEmitter::copyKeys(const Copy &copy, Value firstRow, Value sharedBase) {
  emitIf(copy.exists, [&] {
    Value from = pointerAt(copy.pointer, element, scaled(wide(firstRow), copy.stride)),
          to = add(sharedBase, copy.shared);
    for (int64_t i = 0; i < copy.tile.rows; i += copy.step) {
      Value inside = copy.inside;
      if (spec.keys % copy.tile.rows != 0)
        inside = both(inside, less(add(add(firstRow, copy.key), getKey(i)), spec.keys));
      copyAsync(add(to, i * copy.tile.pitch), pointerAt(from, element, getKey(i) * copy.stride), inside);
    }
  });
}

void AttentionEmitter::copyQueries(Value base, const Tile &tile, Value sharedBase) {
  int64_t perRow = llvm::PowerOf2Ceil(tile.chunks), step = copyThreads / perRow;
  Value row = div(tid, perRow), chunk = rem(tid, perRow), exists, columnInside;
  if (tile.chunks != perRow)
    exists = less(chunk, tile.chunks);
  if (step > tile.rows)
    exists = both(exists, less(row, tile.rows));
  if (copyThreads != threads)
    exists = both(exists, less(tid, copyThreads));
  if (tile.chunks != spec.width / perChunk)
    columnInside = less(chunk, spec.width / perChunk);
  emitIf(exists, [&] {
    for (int64_t i = 0; i < tile.rows; i += step) {
      Value tileRow = add(row, i), matrixRow = add(row0, tileRow), inside = columnInside;
      if (isCut) {
        inside = both(inside, less(matrixRow, spec.getRows()));
        matrixRow = clampTo(matrixRow, spec.getRows() - 1);
      }
      Value offset = arith::AddIOp::create(b, loc, rowOffset(matrixRow, spec.q), wide(mul(chunk, perChunk)));
      copyAsync(add(sharedBase, tileOffset(tile, tileRow, chunk)), pointerAt(base, element, offset), inside);
    }
  });
}

void AttentionEmitter::visitRows(function_ref<void(Value, Value, Value)> body) {
  int64_t chunks = spec.valueWidth / perChunk, perRow = llvm::PowerOf2Ceil(chunks), step = copyThreads / perRow;
  Value row = div(tid, perRow), chunk = rem(tid, perRow), exists;
  if (chunks != perRow)
    exists = less(chunk, chunks);
  if (step > bm)
    exists = both(exists, less(row, bm));
  if (copyThreads != threads)
    exists = both(exists, less(tid, copyThreads));
  for (int64_t i = 0; i < bm; i += step) {
    Value at = add(row, i), matrixRow = add(row0, at), inside = exists;
    if (isCut)
      inside = both(inside, less(matrixRow, spec.getRows()));
    emitIf(inside, [&] { body(at, matrixRow, chunk); });
  }
}

void AttentionEmitter::storeRows(function_ref<Value(Value, Value)> load) {
  visitRows([&](Value at, Value matrixRow, Value chunk) {
    Value value = load(at, chunk);
    Value offset = arith::AddIOp::create(b, loc, rowOffset(matrixRow, spec.out), wide(mul(chunk, perChunk)));
    LLVM::StoreOp::create(b, loc, value, pointerAt(outBase, element, offset), 16);
  });
}

AttentionEmitter::Scratch AttentionEmitter::openScratch(unsigned argument, int64_t splits) {
  Type type = b.getF32Type();
  int64_t tiles = (spec.getRows() + bm - 1) / bm * spec.getNumProblems();
  Scratch scratch;
  scratch.rows = bm;
  scratch.width = spec.valueWidth;
  Value base = LLVM::AddrSpaceCastOp::create(b, loc, globalPointer, function.getArgument(argument));
  scratch.base = pointerAt(base, type, scaled(wide(tileNumber), splits * bm * spec.valueWidth));
  Value statistics = pointerAt(base, type, math.integer(b.getI64Type(), tiles * splits * bm * spec.valueWidth));
  scratch.statistics = pointerAt(statistics, type, scaled(wide(tileNumber), splits * bm * 2));
  return scratch;
}

Value AttentionEmitter::Scratch::getRow(AttentionEmitter &emitter, Value split, Value row, Value chunk) const {
  Value at = emitter.add(emitter.mul(split, rows * width), emitter.mul(row, width));
  return emitter.pointerAt(base, emitter.b.getF32Type(),
                           emitter.wide(emitter.add(at, emitter.mul(chunk, emitter.perChunk))));
}

Value AttentionEmitter::Scratch::getStatistics(AttentionEmitter &emitter, Value split, Value row) const {
  Value at = emitter.add(emitter.mul(split, rows * 2), emitter.mul(row, 2));
  return emitter.pointerAt(statistics, emitter.b.getF32Type(), emitter.wide(at));
}

void AttentionEmitter::storeTile(const Tile &tile) {
  auto words = mlir::VectorType::get({4}, b.getI32Type());
  storeRows([&](Value row, Value chunk) -> Value {
    return LLVM::LoadOp::create(b, loc, words, sharedAt(tileOffset(tile, row, chunk)), 16);
  });
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

int64_t AttentionEmitter::getMaskWord() const {
  if (spec.mask.column != 1)
    return 1;
  int64_t word = std::min<int64_t>(2 * runTiles, 16 / getMemoryBytes(spec.maskElement));
  // Where a row starts, and that no word crosses its end.
  SmallVector<int64_t> steps = {spec.keys, spec.mask.row, spec.mask.fold, spec.maskOffset};
  steps.append(spec.mask.leading);
  while (llvm::any_of(steps, [&](int64_t step) { return step % word != 0; }))
    word /= 2;
  return word;
}

Value AttentionEmitter::isPartial(Value block) {
  if (spec.keys % bn == 0)
    return {};
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, block, c(blocks - 1));
}

SmallVector<Value> AttentionEmitter::loadMask(Value block, Value firstKey) {
  if (!spec.maskElement)
    return {};
  Type type = getMemoryType(spec.maskElement);
  int64_t word = getMaskWord(), bytes = getMemoryBytes(spec.maskElement), perRun = 2 * runTiles;
  Type loadType = word == 1 ? type : Type(mlir::VectorType::get({word}, type));
  auto load = [&](Value at) { return LLVM::LoadOp::create(b, loc, loadType, at, word * bytes).getResult(); };
  SmallVector<Value> loaded;
  if (spec.mask.column == 0) {
    for (Value base : slotMasks)
      loaded.push_back(load(base));
    return loaded;
  }
  auto loadAll = [&](bool isPartial) {
    SmallVector<Value> loaded;
    // The last word's distance from this thread's first, which may be behind it.
    Value last;
    if (isPartial)
      last = arith::SubIOp::create(b, loc, c(spec.keys - word), add(firstKey, mul(quad, perRun)));
    for (Value base : slotMasks) {
      Value from = pointerAt(base, type, scaled(wide(firstKey), spec.mask.column));
      for (int64_t key = 0; key < 2 * keyTiles; key += word) {
        int64_t distance = key / perRun * 4 * perRun + key % perRun;
        Value at;
        if (isPartial) {
          Value clamped = arith::MinSIOp::create(b, loc, c(distance), last);
          at = pointerAt(from, type, scaled(arith::ExtSIOp::create(b, loc, b.getI64Type(), clamped), spec.mask.column));
        } else {
          at = pointerAt(from, type, distance * spec.mask.column);
        }
        loaded.push_back(load(at));
      }
    }
    return loaded;
  };
  Value partial = isPartial(block);
  if (!partial)
    return loadAll(false);
  // The clamped loads of the last block are no others' burden.
  OpBuilder::InsertionGuard restore(b);
  SmallVector<Type> types(slotMasks.size() * 2 * keyTiles / word, loadType);
  auto branch = scf::IfOp::create(b, loc, types, partial, /*withElseRegion=*/true);
  for (bool isPartial : {true, false}) {
    b.setInsertionPointToStart(isPartial ? branch.thenBlock() : branch.elseBlock());
    SmallVector<Value> loaded = loadAll(isPartial);
    scf::YieldOp::create(b, loc, loaded);
  }
  return SmallVector<Value>(branch.getResults());
}

void AttentionEmitter::maskScores(MutableArrayRef<Value> scores, ArrayRef<Value> mask, Value block, Value firstKey) {
  int64_t perSlot = 2 * keyTiles, slots = scores.size() / perSlot;
  if (spec.maskElement) {
    int64_t word = getMaskWord();
    // What is added to a score, converted once where several scores share it.
    SmallVector<Value> addends;
    auto toAddend = [&](Value element) -> Value {
      if (!spec.addsMask()) {
        Value seen =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, element, math.integer(element.getType(), 0));
        return math.select(seen, f32(0), f32(-infinity));
      }
      return element.getType().isF32() ? element : arith::ExtFOp::create(b, loc, b.getF32Type(), element).getResult();
    };
    for (Value loaded : mask) {
      if (word == 1)
        addends.push_back(toAddend(loaded));
      else
        for (int64_t i = 0; i < word; ++i)
          addends.push_back(toAddend(vector::ExtractOp::create(b, loc, loaded, i)));
    }
    int64_t columns = spec.mask.column == 0 ? 1 : perSlot;
    for (int64_t slot = 0; slot < slots; ++slot)
      for (int64_t k = 0; k < perSlot; ++k) {
        Value &score = scores[slot * perSlot + k];
        Value addend = addends[(maskVariesByRow() ? slot * columns : 0) + k % columns];
        score = spec.addsMask() ? fma(score, f32(spec.scale), addend) : math.add(score, addend);
      }
  }
  // Blocks at the end of the keys and on the diagonal.
  Value partial = isPartial(block), needed = partial;
  if (spec.causal) {
    Value lastKey = add(mul(block, bn), bn - 1);
    Value crosses = spec.fold == 1 ? arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, lastKey, row0).getResult()
                                   : arith::ConstantOp::create(b, loc, b.getBoolAttr(true)).getResult();
    needed = needed ? arith::OrIOp::create(b, loc, needed, crosses).getResult() : crosses;
  }
  if (!needed)
    return;
  OpBuilder::InsertionGuard restore(b);
  SmallVector<Type> types(scores.size(), b.getF32Type());
  auto branch = scf::IfOp::create(b, loc, types, needed, /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, ValueRange(scores));
  b.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> masked(scores);
  Value first = add(firstKey, mul(quad, 2 * runTiles));
  for (int64_t k = 0; k < perSlot; ++k) {
    Value key = add(first, getKey(8 * (k / 2) + k % 2)), inside;
    if (partial)
      inside = less(key, spec.keys);
    for (int64_t slot = 0; slot < slots; ++slot) {
      Value visible = inside;
      if (spec.causal)
        visible = both(visible, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, key, slotQueries[slot]));
      Value &score = masked[slot * perSlot + k];
      score = math.select(visible, score, f32(-infinity));
    }
  }
  scf::YieldOp::create(b, loc, masked);
  llvm::copy(branch.getResults(), scores.begin());
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

// Without a mask of numbers, scores are products before scaling and one fused
// multiply-add leads to the exponent. With one they are scaled: a mask of the lowest
// numbers times log2 e would be infinite, so the difference comes first.

Value AttentionEmitter::rescale(Value from, Value to) {
  double factor = spec.addsMask() ? log2e : spec.scale * log2e;
  return exp2(math.mul(math.sub(from, orZero(to)), f32(factor)));
}

SmallVector<Value> AttentionEmitter::updateSoftmax(MutableArrayRef<Value> scores, MutableArrayRef<Value> maxima,
                                                   MutableArrayRef<Value> sums) {
  SmallVector<Value> factors, largestOf(maxima.begin(), maxima.end());
  int64_t perSlot = 2 * keyTiles;
  for (size_t slot = 0; slot < maxima.size(); ++slot) {
    ArrayRef<Value> row = scores.slice(slot * perSlot, perSlot);
    SmallVector<Value> parts(row.take_front(chains));
    for (int64_t i = chains; i < perSlot; ++i)
      parts[i % chains] = math.maximum(parts[i % chains], row[i], false);
    for (Value part : parts)
      largestOf[slot] = math.maximum(largestOf[slot], part, false);
  }
  for (unsigned offset : {1u, 2u})
    for (Value &largest : largestOf)
      largest = math.maximum(largest, exchange(largest, offset), false);
  for (size_t slot = 0; slot < maxima.size(); ++slot) {
    MutableArrayRef<Value> row = scores.slice(slot * perSlot, perSlot);
    Value largest = largestOf[slot];
    // A row that has seen no key has nothing to rescale.
    Value reference = orZero(largest);
    factors.push_back(rescale(maxima[slot], largest));
    maxima[slot] = largest;
    SmallVector<Value> parts = {math.mul(sums[slot], factors.back())};
    double factor = spec.scale * log2e;
    Value shift = spec.addsMask() ? Value() : math.mul(reference, f32(-factor));
    for (auto [i, score] : llvm::enumerate(row)) {
      score = shift ? exp2(fma(score, f32(factor), shift)) : exp2(math.mul(math.sub(score, reference), f32(log2e)));
      if (static_cast<int64_t>(parts.size()) < chains)
        parts.push_back(score);
      else
        parts[i % chains] = math.add(parts[i % chains], score);
    }
    while (parts.size() > 1) {
      Value last = parts.pop_back_val();
      parts[parts.size() / 2] = math.add(parts[parts.size() / 2], last);
    }
    sums[slot] = parts.front();
  }
  return factors;
}
