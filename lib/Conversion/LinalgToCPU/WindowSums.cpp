// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of products of which one factor lies along the rows of the result and the other is the same for all of a row:
// depthwise convolutions. Rows stay in registers, several at a time, while all taps are added to them. (A loop along the
// row for each tap reads and writes the row again for each, and rows of 7 or 14 are no multiples of a vector.)

#include "LoopNest.h"

using namespace fxgraph;
using namespace fxgraph::cpu;
using namespace mlir;

/// Vectors of sums: enough to hide the latency of an addition, and few enough for the registers of all processors.
static constexpr int64_t kMostSums = 8;
/// Vectors of a row at a time.
static constexpr int64_t kMostVectors = 4;

bool cpu::matchWindowSums(const LoopNest &nest, WindowSums &sums, int64_t vectorBytes) {
  // Rests of rows are masked, which smaller vectors are not.
  if (vectorBytes < 32 || nest.usesIndex || nest.loops.size() < 3 || nest.inputs.size() != 2 ||
      nest.outputs.size() != 1 || !isMultiplyAdd(nest))
    return false;
  for (const NestOperand *operand : nest.operands())
    if (operand->pointer < 0 || !llvm::all_of(operand->steps, [](const Number &step) { return step.isConstant(); }))
      return false;
  const NestOperand &out = nest.outputs[0];
  Type element = out.element;
  if (!(element.isF32() || element.isF64()) || nest.inputs[0].element != element || nest.inputs[1].element != element)
    return false;
  int row = static_cast<int>(nest.loops.size()) - 1;
  if (nest.loops[row].reduction || !nest.loops[row].extent.isConstant() || !out.steps[row].isConstant(1) ||
      nest.rangeLoop == row)
    return false;
  sums.swapped = nest.inputs[1].steps[row].isConstant(1);
  const NestOperand &along = nest.inputs[sums.swapped], &factor = nest.inputs[!sums.swapped];
  if (!along.steps[row].isConstant(1) || !factor.steps[row].isConstant(0))
    return false;
  int64_t taps = 1;
  sums.line = -1;
  for (int loop = 0; loop < row; ++loop) {
    if (!nest.loops[loop].extent.isConstant())
      return false;
    if (!nest.loops[loop].reduction) {
      sums.line = loop;
      continue;
    }
    if (!out.steps[loop].isConstant(0))
      return false;
    taps *= nest.loops[loop].extent.value;
  }
  return sums.line >= 0 && taps >= 4 && nest.loops[row].extent.value >= 4;
}

namespace {
struct WindowSumsEmitter {
  KernelBuilder &k;
  const LoopNest &nest;
  const WindowSums &sums;
  const NestOperand &along, &factor, &out;
  Type element;
  int64_t lanes;
  SmallVector<Value> indices; // of each loop

  Value positionOf(const NestOperand &operand, int64_t line, int64_t column) {
    Value position;
    for (auto [loop, index] : llvm::enumerate(indices))
      if (index)
        position = k.multiplyAdd(position, index, operand.steps[loop]);
    int64_t offset = line * operand.steps[sums.line].value + column * operand.steps.back().value;
    if (offset == 0)
      return position;
    return position ? Value(arith::AddIOp::create(k.b, k.loc, position, k.index(offset))) : k.index(offset);
  }
  unsigned alignment() { return element.getIntOrFloatBitWidth() / 8; }
  /// The first lanes, or null if it is all.
  Value maskOf(int64_t count) {
    if (count >= lanes)
      return {};
    SmallVector<bool> bits(lanes, false);
    std::fill_n(bits.begin(), count, true);
    auto type = VectorType::get(lanes, k.b.getI1Type());
    return arith::ConstantOp::create(k.b, k.loc, DenseElementsAttr::get(type, ArrayRef(bits)));
  }
  Value loadVector(const NestOperand &operand, Value position, Value mask) {
    auto type = VectorType::get(lanes, element);
    Value address = k.address(operand, position);
    if (!mask)
      return LLVM::LoadOp::create(k.b, k.loc, type, address, alignment());
    Value zero = arith::ConstantOp::create(k.b, k.loc, k.b.getZeroAttr(type));
    return LLVM::MaskedLoadOp::create(k.b, k.loc, type, address, mask, zero, alignment());
  }
  void storeVector(Value value, Value position, Value mask) {
    Value address = k.address(out, position);
    if (mask)
      LLVM::MaskedStoreOp::create(k.b, k.loc, value, address, mask, alignment());
    else
      LLVM::StoreOp::create(k.b, k.loc, value, address, alignment());
  }

  void openLoop(int64_t number, Value low, Value high, int64_t step, llvm::function_ref<void()> body) {
    auto loop = scf::ForOp::create(k.b, k.loc, low, high, k.index(step));
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPoint(loop.getBody()->getTerminator());
    indices[number] = loop.getInductionVar();
    body();
    indices[number] = Value();
  }

  /// Adds the products of all taps from a loop on to the sums.
  SmallVector<Value> addTaps(size_t loop, SmallVector<Value> state, int64_t lines, ArrayRef<Value> masks) {
    while (loop < nest.loops.size() && !nest.loops[loop].reduction)
      ++loop;
    if (loop == nest.loops.size()) {
      auto type = VectorType::get(lanes, element);
      size_t next = 0;
      for (int64_t line = 0; line < lines; ++line) {
        Value tap = vector::BroadcastOp::create(k.b, k.loc, type, k.load(factor, positionOf(factor, line, 0)));
        for (auto [vector, mask] : llvm::enumerate(masks)) {
          Value &sum = state[next++];
          sum = vector::FMAOp::create(k.b, k.loc, tap, loadVector(along, positionOf(along, line, vector * lanes), mask),
                                      sum);
        }
      }
      return state;
    }
    auto taps = scf::ForOp::create(k.b, k.loc, k.index(0), k.number(nest.loops[loop].extent), k.index(1), state,
                                   [](OpBuilder &, Location, Value, ValueRange) {});
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToEnd(taps.getBody());
    indices[loop] = taps.getInductionVar();
    SmallVector<Value> results = addTaps(loop + 1, llvm::to_vector(ValueRange(taps.getRegionIterArgs())), lines, masks);
    indices[loop] = Value();
    scf::YieldOp::create(k.b, k.loc, results);
    return llvm::to_vector(ValueRange(taps.getResults()));
  }

  /// So many lines and columns from where the loops are.
  void emitBlock(int64_t lines, int64_t columns) {
    SmallVector<Value> masks, state;
    for (int64_t column = 0; column < columns; column += lanes)
      masks.push_back(maskOf(columns - column));
    auto forEach = [&](llvm::function_ref<void(Value, Value)> body) {
      for (int64_t line = 0; line < lines; ++line)
        for (auto [vector, mask] : llvm::enumerate(masks))
          body(positionOf(out, line, vector * lanes), mask);
    };
    forEach([&](Value position, Value mask) { state.push_back(loadVector(out, position, mask)); });
    SmallVector<Value> results = addTaps(0, state, lines, masks);
    size_t next = 0;
    forEach([&](Value position, Value mask) { storeVector(results[next++], position, mask); });
  }

  void emitLines(int64_t lines) {
    int64_t row = nest.loops.size() - 1, extent = nest.loops[row].extent.value, block = kMostVectors * lanes;
    int64_t whole = extent / block * block;
    if (whole > 0)
      openLoop(row, k.index(0), k.index(whole), block, [&] { emitBlock(lines, block); });
    if (whole == extent)
      return;
    indices[row] = k.index(whole);
    emitBlock(lines, extent - whole);
    indices[row] = Value();
  }

  void emit(int64_t loop) {
    int64_t row = nest.loops.size() - 1;
    while (loop < row && (nest.loops[loop].reduction || loop == sums.line))
      ++loop;
    bool isRange = nest.rangeLoop == (loop < row ? static_cast<int>(loop) : sums.line);
    if (loop < row)
      return openLoop(loop, isRange ? k.rangeLow : k.index(0),
                      isRange ? k.rangeHigh : k.number(nest.loops[loop].extent), 1, [&] { emit(loop + 1); });
    int64_t vectors =
        std::min(kMostVectors, static_cast<int64_t>(llvm::divideCeil(nest.loops[row].extent.value, lanes)));
    int64_t extent = nest.loops[sums.line].extent.value, lines = std::min(kMostSums / vectors, extent);
    if (isRange)
      return openLoop(sums.line, k.rangeLow, k.rangeHigh, 1, [&] { emitLines(1); });
    openLoop(sums.line, k.index(0), k.index(extent / lines * lines), lines, [&] { emitLines(lines); });
    if (int64_t rest = extent % lines) {
      indices[sums.line] = k.index(extent - rest);
      emitLines(rest);
      indices[sums.line] = Value();
    }
  }
};
} // namespace

void cpu::emitWindowSums(KernelBuilder &k, const LoopNest &nest, const WindowSums &sums, int64_t vectorBytes) {
  Type element = nest.outputs[0].element;
  int64_t lanes = vectorBytes * 8 / element.getIntOrFloatBitWidth();
  // No wider than the row needs.
  while (lanes > 4 && nest.loops.back().extent.value <= lanes / 2)
    lanes /= 2;
  WindowSumsEmitter emitter{
      k, nest, sums, nest.inputs[sums.swapped], nest.inputs[!sums.swapped], nest.outputs[0], element, lanes, {}};
  emitter.indices.resize(nest.loops.size());
  emitter.emit(0);
}
