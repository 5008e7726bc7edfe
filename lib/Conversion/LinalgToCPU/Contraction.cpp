// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiled products of matrices (the scheme of Goto and van de Geijn, Anatomy of
// High-Performance Matrix Multiplication, 2008, without the packing of the left
// operand where its rows are contiguous).
//
//   for each block of KC along k
//     for each panel of NR columns:       pack right[KC, NR] to scratch, row-major
//       for each block of MR rows:        MR x NR accumulators in registers
//         for k: broadcast left[r, k], multiply-add with the panel's row
//
// The panel fits the first cache, the registers hold MR x 2 vectors. Ragged columns
// are padded with zeros in the panel and masked in the result; ragged rows go
// through tiles of 4 and of 1 row.

#include "LoopNest.h"

using namespace fxgraph;
using namespace fxgraph::cpu;
using namespace mlir;

/// The argument of the body that a factor is, seen through a widening.
static BlockArgument factorArgument(Value value) {
  if (auto extend = value.getDefiningOp<arith::ExtFOp>())
    value = extend.getIn();
  return dyn_cast<BlockArgument>(value);
}

/// Body: acc + lhs * rhs.
static bool isMultiplyAdd(const LoopNest &nest) {
  Block *body = nest.body;
  if (body->getNumArguments() != 3)
    return false;
  Operation *add = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_present<arith::AddFOp, arith::AddIOp>(add))
    return false;
  Value accumulator = body->getArgument(2);
  Value product = add->getOperand(0) == accumulator ? add->getOperand(1) : add->getOperand(0);
  if (!llvm::is_contained(add->getOperands(), accumulator) || product == accumulator)
    return false;
  Operation *multiply = product.getDefiningOp();
  if (!isa_and_present<arith::MulFOp, arith::MulIOp>(multiply))
    return false;
  BlockArgument x = factorArgument(multiply->getOperand(0)), y = factorArgument(multiply->getOperand(1));
  return x && y && x != y && x != accumulator && y != accumulator;
}

bool cpu::matchContraction(const LoopNest &nest, Contraction &contraction) {
  if (nest.usesIndex || nest.inputs.size() != 2 || nest.outputs.size() != 1 || !isMultiplyAdd(nest))
    return false;
  for (const NestOperand *operand : nest.operands()) {
    if (operand->pointer < 0 || !llvm::all_of(operand->steps, [](const Number &step) { return step.isConstant(); }))
      return false;
  }
  const NestOperand &lhs = nest.inputs[0], &rhs = nest.inputs[1], &out = nest.outputs[0];
  if (lhs.element != rhs.element || !isa<FloatType, IntegerType>(out.element) ||
      out.element.getIntOrFloatBitWidth() < 8)
    return false;
  auto uses = [](const NestOperand &operand, size_t loop) { return operand.steps[loop].value != 0; };
  // The column loop runs along the result's rows.
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    const Loop &loop = nest.loops[i];
    if (loop.reduction || out.steps[i].value != 1)
      continue;
    if (uses(lhs, i) != uses(rhs, i)) {
      contraction.n = i;
      contraction.swapped = uses(lhs, i);
    }
  }
  if (contraction.n < 0)
    return false;
  const NestOperand &left = contraction.swapped ? rhs : lhs, &right = contraction.swapped ? lhs : rhs;
  auto extent = [&](int loop) { return nest.loops[loop].extent.isConstant() ? nest.loops[loop].extent.value : 64; };
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    int loop = i;
    if (loop == contraction.n)
      continue;
    if (nest.loops[i].reduction) {
      if (!uses(left, i) || !uses(right, i))
        return false;
      // The one with contiguous elements on the left, else the largest.
      if (contraction.k < 0) {
        contraction.k = loop;
        continue;
      }
      bool better = left.steps[i].value == 1 && left.steps[contraction.k].value != 1;
      contraction.batch.push_back(better ? contraction.k : loop);
      if (better)
        contraction.k = loop;
    } else if (uses(left, i) && !uses(right, i) && uses(out, i) &&
               (contraction.m < 0 || extent(loop) > extent(contraction.m))) {
      if (contraction.m >= 0)
        contraction.batch.push_back(contraction.m);
      contraction.m = loop;
    } else {
      contraction.batch.push_back(loop);
    }
  }
  if (contraction.k < 0 || contraction.m < 0 || !nest.loops[contraction.n].extent.isConstant() ||
      !nest.loops[contraction.k].extent.isConstant())
    return false;
  llvm::sort(contraction.batch);
  // A few rows do not pay for the packing.
  return extent(contraction.m) >= 4 && extent(contraction.n) >= 8 && extent(contraction.k) >= 4 && nest.work() >= 4096;
}

namespace {
struct ContractionEmitter {
  KernelBuilder &k;
  const LoopNest &nest;
  const Contraction &roles;
  const NestOperand &left, &right, &out;
  int64_t lanes = 0, rowsPerTile = 0, columns = 0, depth = 0, extentN = 0, extentK = 0;
  Type accumulator{};
  VectorType vectorType{};
  bool masked = false;
  SmallVector<Value> indices{}; // of batch loops, by loop
  Value scratch{}, resultMemory{}, panelMemory{};

  OpBuilder &b() { return k.b; }
  Location loc() { return k.loc; }
  Value add(Value x, Value y) { return arith::AddIOp::create(k.b, k.loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(k.b, k.loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(k.b, k.loc, x, y); }
  Value min(Value x, Value y) { return arith::MinSIOp::create(k.b, k.loc, x, y); }

  /// for (i = low; i < high; i += step) body(i).
  void loop(Value low, Value high, int64_t step, llvm::function_ref<void(Value)> body) {
    auto op = scf::ForOp::create(k.b, k.loc, low, high, k.index(step), ValueRange(),
                                 [](OpBuilder &n, Location l, Value, ValueRange) { scf::YieldOp::create(n, l); });
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPoint(op.getBody()->getTerminator());
    body(op.getInductionVar());
  }

  /// Part of an operand's address that the batch loops make.
  Value batchPosition(const NestOperand &operand) {
    Value position;
    for (int loop : roles.batch)
      position = k.multiplyAdd(position, indices[loop], operand.steps[loop]);
    return position;
  }

  Value widen(Value element) {
    if (element.getType() == accumulator)
      return element;
    return arith::ExtFOp::create(k.b, k.loc, accumulator, element);
  }

  /// Lanes with a number below `count`.
  Value laneMask(Value count) {
    SmallVector<int32_t> numbers = llvm::to_vector(llvm::seq<int32_t>(0, lanes));
    auto type = VectorType::get(lanes, k.b.getI32Type());
    Value lane = arith::ConstantOp::create(k.b, k.loc, DenseElementsAttr::get(type, ArrayRef(numbers)));
    Value clamped = arith::MinSIOp::create(k.b, k.loc, count, k.index(lanes));
    Value bound = arith::IndexCastOp::create(k.b, k.loc, k.b.getI32Type(), clamped);
    Value spread = vector::BroadcastOp::create(k.b, k.loc, type, bound);
    return arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::slt, lane, spread);
  }

  /// right[k0 … k0 + count, n0 … n0 + NR] to the panel.
  void pack(Value position, Value k0, Value count, Value n0) {
    Value width = masked ? min(k.index(columns), sub(k.index(extentN), n0)) : k.index(columns);
    if (masked) // Zeros where the panel is wider than the matrix.
      loop(k.index(0), mul(count, k.index(columns)), lanes, [&](Value i) {
        Value zero = arith::ConstantOp::create(k.b, k.loc, k.b.getZeroAttr(vectorType));
        vector::StoreOp::create(k.b, k.loc, zero, panelMemory, i);
      });
    bool alongK = right.steps[roles.k].isConstant(1) && !right.steps[roles.n].isConstant(1);
    auto element = [&](Value i, Value j) {
      Value from = k.multiplyAdd(position, add(k0, i), right.steps[roles.k]);
      from = k.multiplyAdd(from, add(n0, j), right.steps[roles.n]);
      Value value = widen(k.load(right, from));
      memref::StoreOp::create(k.b, k.loc, value, panelMemory, ValueRange{add(mul(i, k.index(columns)), j)});
    };
    // The inner loop reads along memory.
    if (alongK)
      loop(k.index(0), width, 1, [&](Value j) { loop(k.index(0), count, 1, [&](Value i) { element(i, j); }); });
    else
      loop(k.index(0), count, 1, [&](Value i) { loop(k.index(0), width, 1, [&](Value j) { element(i, j); }); });
  }

  /// One tile of `rows` rows at (m0, n0): out += left[…, k0 … k0 + count] x panel.
  void tile(int64_t rows, Value leftPosition, Value outPosition, Value m0, Value n0, Value k0, Value count,
            ArrayRef<Value> masks) {
    SmallVector<Value> accumulators, outPositions, leftPositions;
    for (int64_t r = 0; r < rows; ++r) {
      Value row = r == 0 ? m0 : add(m0, k.index(r));
      Value base = k.multiplyAdd(outPosition, row, out.steps[roles.m]);
      leftPositions.push_back(k.multiplyAdd(leftPosition, row, left.steps[roles.m]));
      for (int64_t v = 0; v < 2; ++v) {
        Value column = v == 0 ? n0 : add(n0, k.index(lanes));
        Value position = k.multiplyAdd(base, column, out.steps[roles.n]);
        outPositions.push_back(position);
        if (masked) {
          Value zero = arith::ConstantOp::create(k.b, k.loc, k.b.getZeroAttr(vectorType));
          accumulators.push_back(
              vector::MaskedLoadOp::create(k.b, k.loc, vectorType, resultMemory, position, masks[v], zero));
        } else {
          accumulators.push_back(vector::LoadOp::create(k.b, k.loc, vectorType, resultMemory, position));
        }
      }
    }
    auto sum = scf::ForOp::create(
        k.b, k.loc, k.index(0), count, k.index(1), accumulators,
        [&](OpBuilder &n, Location l, Value i, ValueRange state) {
          Value row = mul(i, k.index(columns));
          Value panel[2] = {vector::LoadOp::create(n, l, vectorType, panelMemory, row),
                            vector::LoadOp::create(n, l, vectorType, panelMemory, add(row, k.index(lanes)))};
          Value depthIndex = add(k0, i);
          SmallVector<Value> next;
          for (int64_t r = 0; r < rows; ++r) {
            Value element = widen(k.load(left, k.multiplyAdd(leftPositions[r], depthIndex, left.steps[roles.k])));
            Value spread = vector::BroadcastOp::create(n, l, vectorType, element);
            for (int64_t v = 0; v < 2; ++v) {
              Value old = state[2 * r + v];
              if (isa<FloatType>(accumulator))
                next.push_back(vector::FMAOp::create(n, l, spread, panel[v], old));
              else
                next.push_back(arith::AddIOp::create(n, l, old, arith::MulIOp::create(n, l, spread, panel[v])));
            }
          }
          scf::YieldOp::create(n, l, next);
        });
    for (auto [i, value] : llvm::enumerate(sum.getResults())) {
      if (masked)
        vector::MaskedStoreOp::create(k.b, k.loc, resultMemory, outPositions[i], masks[i % 2], value);
      else
        vector::StoreOp::create(k.b, k.loc, value, resultMemory, outPositions[i]);
    }
  }

  void matrices() {
    Value leftPosition = batchPosition(left), rightPosition = batchPosition(right), outPosition = batchPosition(out);
    bool rangeM = nest.rangeLoop == roles.m, rangeN = nest.rangeLoop == roles.n;
    Value lowM = rangeM ? k.rangeLow : k.index(0), highM = rangeM ? k.rangeHigh : k.number(nest.loops[roles.m].extent);
    // The range of the column loop counts panels.
    Value lowN = rangeN ? mul(k.rangeLow, k.index(columns)) : k.index(0);
    Value highN = rangeN ? min(mul(k.rangeHigh, k.index(columns)), k.index(extentN)) : k.index(extentN);
    loop(k.index(0), k.index(extentK), depth, [&](Value k0) {
      Value count = extentK % depth == 0 ? k.index(depth) : min(k.index(depth), sub(k.index(extentK), k0));
      loop(lowN, highN, columns, [&](Value n0) {
        pack(rightPosition, k0, count, n0);
        SmallVector<Value> masks;
        if (masked)
          for (int64_t v = 0; v < 2; ++v) {
            Value left = sub(sub(k.index(extentN), n0), k.index(v * lanes));
            masks.push_back(laneMask(left));
          }
        Value low = lowM;
        for (int64_t rows : {rowsPerTile, int64_t(4), int64_t(1)}) {
          const Number &extent = nest.loops[roles.m].extent;
          if (!rangeM && extent.isConstant()) { // Leave out what cannot occur.
            int64_t done = 0;
            for (int64_t larger : {rowsPerTile, int64_t(4), int64_t(1)}) {
              if (larger == rows)
                break;
              done += (extent.value - done) / larger * larger;
            }
            if (extent.value - done < rows)
              continue;
          }
          Value span = sub(highM, low);
          Value full = mul(arith::DivUIOp::create(k.b, k.loc, span, k.index(rows)), k.index(rows));
          Value high = add(low, full);
          loop(low, high, rows, [&](Value m0) { tile(rows, leftPosition, outPosition, m0, n0, k0, count, masks); });
          low = high;
        }
      });
    });
  }

  void batches(size_t depth) {
    if (depth == roles.batch.size())
      return matrices();
    int which = roles.batch[depth];
    bool isRange = nest.rangeLoop == which;
    loop(isRange ? k.rangeLow : k.index(0), isRange ? k.rangeHigh : k.number(nest.loops[which].extent), 1,
         [&](Value i) {
           indices[which] = i;
           batches(depth + 1);
         });
  }
};
} // namespace

int64_t cpu::contractionPanel(Type accumulator, int64_t vectorBytes) {
  return 2 * std::max<int64_t>(vectorBytes * 8 / accumulator.getIntOrFloatBitWidth(), 1);
}

void cpu::emitContraction(KernelBuilder &k, const LoopNest &nest, const Contraction &roles, int64_t vectorBytes) {
  const NestOperand &left = nest.inputs[roles.swapped ? 1 : 0], &right = nest.inputs[roles.swapped ? 0 : 1];
  ContractionEmitter e{k, nest, roles, left, right, nest.outputs[0]};
  e.accumulator = nest.outputs[0].element;
  e.columns = contractionPanel(e.accumulator, vectorBytes);
  e.lanes = e.columns / 2;
  e.rowsPerTile = vectorBytes >= 64 ? 8 : 6;
  e.extentN = nest.loops[roles.n].extent.value;
  e.extentK = nest.loops[roles.k].extent.value;
  // A panel of 32 KiB; a block that is only a little longer is done at once.
  int64_t bytes = e.accumulator.getIntOrFloatBitWidth() / 8;
  e.depth = std::max<int64_t>(32768 / (e.columns * bytes), 16);
  if (e.extentK <= e.depth * 3 / 2)
    e.depth = e.extentK;
  e.vectorType = VectorType::get(e.lanes, e.accumulator);
  e.masked = e.extentN % e.columns != 0;
  e.indices.resize(nest.loops.size());
  OpBuilder &b = k.b;
  Type i64 = b.getI64Type();
  Value size = LLVM::ConstantOp::create(b, k.loc, i64, b.getI64IntegerAttr(e.depth * e.columns * bytes));
  e.scratch = callRuntime(b, k.loc, "fxcpu_scratch", LLVM::LLVMPointerType::get(b.getContext()), size);
  auto memory = MemRefType::get(ShapedType::kDynamic, e.accumulator);
  Value unlimited = LLVM::ConstantOp::create(b, k.loc, i64, b.getI64IntegerAttr(INT64_MAX));
  e.panelMemory = buildMemRef(b, k.loc, e.scratch, memory, unlimited);
  Value result = k.arguments[nest.outputs[0].pointer];
  if (!nest.outputs[0].start.isConstant(0)) {
    Value start = arith::IndexCastOp::create(b, k.loc, i64, k.number(nest.outputs[0].start));
    result = LLVM::GEPOp::create(b, k.loc, result.getType(), e.accumulator, result, ArrayRef<LLVM::GEPArg>{start});
  }
  e.resultMemory = buildMemRef(b, k.loc, result, memory, unlimited);
  e.batches(0);
}
