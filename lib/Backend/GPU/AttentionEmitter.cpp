// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AttentionEmitter.h"
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
  return LLVM::GEPOp::create(b, loc, globalPointer, type, base, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(elements)});
}

Value AttentionEmitter::pack(Value low, Value high) {
  auto two = mlir::VectorType::get({2}, b.getF32Type()), narrow = mlir::VectorType::get({2}, element);
  Value pair = vector::FromElementsOp::create(b, loc, two, SmallVector<Value>{low, high});
  return LLVM::BitcastOp::create(b, loc, b.getI32Type(), arith::TruncFOp::create(b, loc, narrow, pair));
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

LaunchShape AttentionEmitter::open() {
  MLIRContext *context = b.getContext();
  Type i32 = b.getI32Type();
  int64_t tiles = (spec.getRows() + bm - 1) / bm;
  LaunchShape launch;
  launch.grid = tiles * spec.getNumProblems();
  launch.block = threads;
  unsigned numInputs = spec.maskElement ? 4 : 3;
  SmallVector<Type> types(numInputs + 1, LLVM::LLVMPointerType::get(context));
  function = mlir::gpu::GPUFuncOp::create(b, loc, spec.name, b.getFunctionType(types, {}));
  function->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
  function.setKnownGridSizeAttr(b.getDenseI32ArrayAttr({static_cast<int32_t>(launch.grid), 1, 1}));
  for (unsigned i = 0; i <= numInputs; ++i) {
    function.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
    if (i < numInputs)
      function.setArgAttr(i, "llvm.readonly", b.getUnitAttr());
    bool isMask = spec.maskElement && i == 3;
    function.setArgAttr(i, "llvm.align", b.getI64IntegerAttr(isMask ? 1 : 16));
  }
  b.setInsertionPointToStart(&function.getBody().front());
  auto number = [&](Value id) { return arith::IndexCastUIOp::create(b, loc, i32, id).getResult(); };
  Value id = number(mlir::gpu::BlockIdOp::create(b, loc, mlir::gpu::Dimension::x));
  tid = number(mlir::gpu::ThreadIdOp::create(b, loc, mlir::gpu::Dimension::x));
  lane = rem(tid, 32);
  warp = div(tid, 32);
  quad = rem(lane, 4);
  group = div(lane, 4);
  Value problem = div(id, tiles), tile = rem(id, tiles);
  if (spec.causal && tiles > 1) // The longest rows start first.
    tile = arith::SubIOp::create(b, loc, c(tiles - 1), tile);
  leading.resize(spec.leading.size());
  for (size_t i = spec.leading.size(); i-- > 0;) {
    leading[i] = i == 0 ? problem : rem(problem, spec.leading[i]);
    problem = div(problem, spec.leading[i]);
  }
  row0 = mul(tile, bm);
  return launch;
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
  Value mask;
  if (spec.maskElement) {
    mask = openOperand(3, spec.mask, getMemoryType(spec.maskElement));
    mask = pointerAt(mask, getMemoryType(spec.maskElement), scaled(wide(mul(quad, 2)), spec.mask.column));
  }
  for (int64_t slot = 0; slot < 2 * count; ++slot) {
    Value row = add(add(firstRow, group), 8 * slot);
    if (spec.causal)
      slotQueries.push_back(spec.fold == 1 ? row : rem(row, spec.queries));
    if (!mask)
      continue;
    // Of rows beyond the last one nothing is stored; they may see any mask.
    if (spec.getRows() % bm != 0)
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
// Copies
//===----------------------------------------------------------------------===//

AttentionEmitter::Copy AttentionEmitter::planCopy(Value base, int64_t rowStride, int64_t width, int64_t rows) {
  Copy copy{Tile(rows, width), {}, {}, {}, {}, {}, rowStride, 0};
  int64_t perRow = llvm::PowerOf2Ceil(copy.tile.chunks);
  copy.step = threads / perRow;
  copy.row = div(tid, perRow);
  Value chunk = rem(tid, perRow);
  // Chunks between the width and the next multiple of 16 elements are zero.
  if (copy.tile.chunks != perRow)
    copy.exists = less(chunk, copy.tile.chunks);
  if (copy.step > rows)
    copy.exists = both(copy.exists, less(copy.row, rows));
  if (copy.tile.chunks != width / 8)
    copy.inside = less(chunk, width / 8);
  Value offset = arith::AddIOp::create(b, loc, scaled(wide(copy.row), rowStride), wide(mul(chunk, 8)));
  copy.pointer = pointerAt(base, element, offset);
  copy.shared = add(mul(copy.row, copy.tile.pitch), mul(chunk, 16));
  return copy;
}

void AttentionEmitter::copyKeys(const Copy &copy, Value firstRow, Value sharedBase) {
  emitIf(copy.exists, [&] {
    Value from = pointerAt(copy.pointer, element, scaled(wide(firstRow), copy.stride)),
          to = add(sharedBase, copy.shared);
    for (int64_t i = 0; i < copy.tile.rows; i += copy.step) {
      Value inside = copy.inside;
      if (spec.keys % copy.tile.rows != 0)
        inside = both(inside, less(add(add(firstRow, copy.row), i), spec.keys));
      copyAsync(add(to, i * copy.tile.pitch), pointerAt(from, element, i * copy.stride), inside);
    }
  });
}

void AttentionEmitter::copyQueries(Value base, const Tile &tile, Value sharedBase) {
  int64_t perRow = llvm::PowerOf2Ceil(tile.chunks), step = threads / perRow;
  Value row = div(tid, perRow), chunk = rem(tid, perRow), exists, columnInside;
  if (tile.chunks != perRow)
    exists = less(chunk, tile.chunks);
  if (step > tile.rows)
    exists = both(exists, less(row, tile.rows));
  if (tile.chunks != spec.width / 8)
    columnInside = less(chunk, spec.width / 8);
  emitIf(exists, [&] {
    for (int64_t i = 0; i < tile.rows; i += step) {
      Value tileRow = add(row, i), matrixRow = add(row0, tileRow), inside = columnInside;
      if (spec.getRows() % tile.rows != 0) {
        inside = both(inside, less(matrixRow, spec.getRows()));
        matrixRow = clampTo(matrixRow, spec.getRows() - 1);
      }
      Value offset = arith::AddIOp::create(b, loc, rowOffset(matrixRow, spec.q), wide(mul(chunk, 8)));
      copyAsync(add(add(sharedBase, mul(tileRow, tile.pitch)), mul(chunk, 16)), pointerAt(base, element, offset),
                inside);
    }
  });
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

bool AttentionEmitter::loadsMaskPairs() const {
  auto isEven = [](int64_t stride) { return stride % 2 == 0; };
  return spec.mask.column == 1 && spec.keys % 2 == 0 && isEven(spec.mask.row) && isEven(spec.mask.fold) &&
         llvm::all_of(spec.mask.leading, isEven);
}

SmallVector<Value> AttentionEmitter::loadMask(Value firstKey, Value isLastBlock, int64_t tiles) {
  if (!spec.maskElement)
    return {};
  Type type = getMemoryType(spec.maskElement);
  unsigned bytes = getMemoryBytes(spec.maskElement);
  bool pairs = loadsMaskPairs(), isColumn = spec.mask.column == 0;
  auto loadAll = [&](bool mayEnd) {
    SmallVector<Value> loaded;
    // The last column that a load may start at, from this thread's first.
    Value last, start = scaled(wide(firstKey), spec.mask.column);
    if (mayEnd && !isColumn)
      last = arith::SubIOp::create(b, loc, c(spec.keys - (pairs ? 2 : 1)), add(firstKey, mul(quad, 2)));
    for (Value base : slotMasks) {
      Value from = isColumn ? base : pointerAt(base, type, start);
      for (int64_t t = 0; t < (isColumn ? 1 : tiles); ++t)
        for (int64_t q = 0; q < (isColumn || pairs ? 1 : 2); ++q) {
          Value at;
          if (last) {
            Value column = arith::MinSIOp::create(b, loc, c(8 * t + q), last);
            at =
                pointerAt(from, type, scaled(arith::ExtSIOp::create(b, loc, b.getI64Type(), column), spec.mask.column));
          } else {
            at = pointerAt(from, type, (8 * t + q) * spec.mask.column);
          }
          if (pairs)
            loaded.push_back(LLVM::LoadOp::create(b, loc, mlir::VectorType::get({2}, type), at, 2 * bytes));
          else
            loaded.push_back(LLVM::LoadOp::create(b, loc, type, at, bytes));
        }
    }
    return loaded;
  };
  if (!isLastBlock || isColumn)
    return loadAll(isLastBlock != nullptr);
  // The clamped loads of the last block are no others' burden.
  OpBuilder::InsertionGuard restore(b);
  SmallVector<Type> types;
  size_t count = slotMasks.size() * tiles * (pairs ? 1 : 2);
  types.assign(count, pairs ? Type(mlir::VectorType::get({2}, type)) : type);
  auto branch = scf::IfOp::create(b, loc, types, isLastBlock, /*withElseRegion=*/true);
  for (bool mayEnd : {true, false}) {
    b.setInsertionPointToStart(mayEnd ? branch.thenBlock() : branch.elseBlock());
    SmallVector<Value> loaded = loadAll(mayEnd);
    scf::YieldOp::create(b, loc, loaded);
  }
  return SmallVector<Value>(branch.getResults());
}

void AttentionEmitter::maskScores(MutableArrayRef<Value> scores, ArrayRef<Value> mask, Value block, Value firstKey,
                                  int64_t tiles) {
  int64_t slots = scores.size() / (2 * tiles);
  if (spec.maskElement) {
    bool pairs = loadsMaskPairs(), isColumn = spec.mask.column == 0;
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
      if (!pairs || isColumn) {
        addends.push_back(toAddend(loaded));
        continue;
      }
      for (int64_t q = 0; q < 2; ++q)
        addends.push_back(toAddend(vector::ExtractOp::create(b, loc, loaded, q)));
    }
    int64_t addendsPerSlot = isColumn ? 1 : 2 * tiles;
    assert(static_cast<int64_t>(addends.size()) == addendsPerSlot * (maskVariesByRow() ? slots : 1));
    for (int64_t slot = 0; slot < slots; ++slot)
      for (int64_t k = 0; k < 2 * tiles; ++k) {
        Value &score = scores[slot * 2 * tiles + k];
        Value addend = addends[(maskVariesByRow() ? slot * addendsPerSlot : 0) + (isColumn ? 0 : k)];
        score = spec.addsMask() ? fma(score, f32(spec.scale), addend) : math.add(score, addend);
      }
  }
  // Blocks at the end of the keys and on the diagonal.
  bool hasEnd = spec.keys % bn != 0;
  Value needed;
  if (hasEnd)
    needed = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, block, c(blocks - 1));
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
  Value first = add(firstKey, mul(quad, 2));
  for (int64_t k = 0; k < 2 * tiles; ++k) {
    Value key = add(first, 8 * (k / 2) + k % 2), inside;
    if (hasEnd)
      inside = less(key, spec.keys);
    for (int64_t slot = 0; slot < slots; ++slot) {
      Value visible = inside;
      if (spec.causal)
        visible = both(visible, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, key, slotQueries[slot]));
      Value &score = masked[slot * 2 * tiles + k];
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
                                                   MutableArrayRef<Value> sums, int64_t tiles) {
  SmallVector<Value> factors;
  for (size_t slot = 0; slot < maxima.size(); ++slot) {
    MutableArrayRef<Value> row = scores.slice(slot * 2 * tiles, 2 * tiles);
    Value largest = maxima[slot];
    for (Value score : row)
      largest = math.maximum(largest, score, false);
    for (unsigned offset : {1u, 2u})
      largest = math.maximum(largest, exchange(largest, offset), false);
    // A row that has seen no key has nothing to rescale.
    Value reference = orZero(largest);
    factors.push_back(rescale(maxima[slot], largest));
    maxima[slot] = largest;
    Value sum = math.mul(sums[slot], factors.back());
    double factor = spec.scale * log2e;
    Value shift = spec.addsMask() ? Value() : math.mul(reference, f32(-factor));
    for (Value &score : row) {
      score = shift ? exp2(fma(score, f32(factor), shift)) : exp2(math.mul(math.sub(score, reference), f32(log2e)));
      sum = math.add(sum, score);
    }
    sums[slot] = sum;
  }
  return factors;
}
