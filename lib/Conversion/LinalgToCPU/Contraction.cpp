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
// through tiles of 4 and of 1 row. A last panel of up to one vector is one vector wide. A right operand that lies along
// the depth is transposed in registers as it is packed.
//
// Few rows do not pay for packing what they are multiplied with, and few columns leave vectors of them empty. Where the left
// operand lies along the depth, such a product is sums of vectors along it, 4 x 4 at a time.
//
// Convolutions are such products too (implicit GEMM, as in cuDNN: Chetlur et al.,
// 2014): rows are the result's channels, columns its positions, the depth is a window.
// Only the packing knows that the columns and the depth are several loops.

#include "LoopNest.h"

using namespace fxgraph;
using namespace fxgraph::cpu;
using namespace mlir;

/// Rows of products that are sums along the depth where both operands lie along it: more pay for the packing.
static constexpr int64_t kMostDotRows = 12;
/// Elements of a few columns that are brought along the depth.
static constexpr int64_t kMostPacked = 65536;

/// The argument of the body that a factor is, seen through a widening.
static BlockArgument factorArgument(Value value) {
  if (auto extend = value.getDefiningOp<arith::ExtFOp>())
    value = extend.getIn();
  return dyn_cast<BlockArgument>(value);
}

bool cpu::isMultiplyAdd(const LoopNest &nest) {
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

/// A loop of constant extent and those around it whose steps in an operand continue its
/// range: together one dimension there. Outermost first.
static SmallVector<int, 3> extendOutwards(const LoopNest &nest, const NestOperand &operand, int inner,
                                          llvm::function_ref<bool(size_t)> mayJoin) {
  SmallVector<int, 3> loops{inner};
  if (!nest.loops[inner].extent.isConstant())
    return loops;
  int64_t reach = operand.steps[inner].value * nest.loops[inner].extent.value;
  for (bool found = true; found && reach != 0;) {
    found = false;
    for (auto [i, loop] : llvm::enumerate(nest.loops)) {
      int number = i;
      found = loop.reduction == nest.loops[inner].reduction && loop.extent.isConstant() &&
              operand.steps[i].value == reach && !llvm::is_contained(loops, number) && mayJoin(i);
      if (!found)
        continue;
      loops.insert(loops.begin(), number);
      reach *= loop.extent.value;
      break;
    }
  }
  return loops;
}

static int64_t countIterations(const LoopNest &nest, ArrayRef<int> loops) {
  int64_t count = 1;
  for (int loop : loops)
    count *= nest.loops[loop].extent.value;
  return count;
}

int64_t Contraction::countColumns(const LoopNest &nest) const { return countIterations(nest, n); }
int64_t Contraction::countDepth(const LoopNest &nest) const { return countIterations(nest, k); }

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
  int column = -1;
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    const Loop &loop = nest.loops[i];
    if (loop.reduction || out.steps[i].value != 1)
      continue;
    if (uses(lhs, i) != uses(rhs, i)) {
      column = i;
      contraction.swapped = uses(lhs, i);
    }
  }
  if (column < 0)
    return false;
  const NestOperand &left = contraction.swapped ? rhs : lhs, &right = contraction.swapped ? lhs : rhs;
  auto extent = [&](int loop) { return nest.loops[loop].extent.isConstant() ? nest.loops[loop].extent.value : 64; };
  contraction.n = extendOutwards(nest, out, column, [&](size_t i) { return uses(right, i) && !uses(left, i); });
  int depth = -1;
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    if (!nest.loops[i].reduction)
      continue;
    if (!uses(left, i) || !uses(right, i))
      return false;
    // The one with contiguous elements on the left, else the first.
    if (depth < 0 || (left.steps[i].value == 1 && left.steps[depth].value != 1))
      depth = i;
  }
  if (depth < 0)
    return false;
  contraction.k = extendOutwards(nest, left, depth, [](size_t) { return true; });
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    int loop = i;
    if (llvm::is_contained(contraction.n, loop) || llvm::is_contained(contraction.k, loop))
      continue;
    if (!nest.loops[i].reduction && uses(left, i) && !uses(right, i) && uses(out, i) &&
        (contraction.m < 0 || extent(loop) > extent(contraction.m))) {
      if (contraction.m >= 0)
        contraction.batch.push_back(contraction.m);
      contraction.m = loop;
    } else {
      contraction.batch.push_back(loop);
    }
  }
  if (contraction.m < 0 || !nest.loops[column].extent.isConstant() || !nest.loops[depth].extent.isConstant())
    return false;
  int64_t rows = extent(contraction.m), columns = contraction.countColumns(nest), steps = contraction.countDepth(nest);
  if (contraction.n.size() == 1 && contraction.k.size() == 1 && left.steps[depth].value == 1 && steps >= 16 &&
      nest.loops[contraction.m].extent.isConstant() && nest.work() >= 4096) {
    contraction.dots = right.steps[depth].value == 1
                           ? rows <= kMostDotRows || columns < 8
                           : columns < 8 && rows >= 4 * columns && steps * columns <= kMostPacked;
    if (contraction.dots)
      return true;
  }
  // A few rows do not pay for the packing.
  return rows >= 4 && columns >= 8 && steps >= 2 && nest.work() >= 4096;
}

namespace {
struct ContractionEmitter {
  KernelBuilder &k;
  const LoopNest &nest;
  const Contraction &roles;
  const NestOperand &left, &right, &out;
  int64_t lanes = 0, rowsPerTile = 0, vectors = 2, columns = 0, depth = 0, extentN = 0, extentK = 0;
  Type accumulator{};
  VectorType vectorType{};
  bool masked = false;
  SmallVector<Value> indices{}; // of batch loops, by loop
  Value resultMemory{}, leftMemory{}, rightMemory{}, panelMemory{}, distanceMemory{};

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

  /// Distance in the right operand of a position in the dimension that some loops make up.
  Value distance(Value position, ArrayRef<int> loops) {
    Value sum;
    for (int loop : llvm::reverse(loops)) {
      Value digit = position;
      if (loop != loops.front()) {
        Value extent = k.number(nest.loops[loop].extent);
        digit = arith::RemUIOp::create(k.b, k.loc, position, extent);
        position = arith::DivUIOp::create(k.b, k.loc, position, extent);
      }
      sum = k.multiplyAdd(sum, digit, right.steps[loop]);
    }
    return sum ? sum : k.index(0);
  }

  void when(Value condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise = nullptr) {
    auto op = scf::IfOp::create(k.b, k.loc, condition, static_cast<bool>(otherwise));
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToStart(op.thenBlock());
    then();
    if (!otherwise)
      return;
    k.b.setInsertionPointToStart(op.elseBlock());
    otherwise();
  }

  /// right[k0 … k0 + count, n0 … n0 + NR] to the panel.
  void pack(Value position, Value k0, Value count, Value n0) {
    Value width = masked ? min(k.index(columns), sub(k.index(extentN), n0)) : k.index(columns);
    if (transposes())
      return packTransposed(position, k0, count, n0);
    if (masked) // Zeros where the panel is wider than the matrix.
      when(arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::slt, width, k.index(columns)), [&] {
        loop(k.index(0), mul(count, k.index(columns)), lanes, [&](Value i) {
          Value zero = arith::ConstantOp::create(k.b, k.loc, k.b.getZeroAttr(vectorType));
          vector::StoreOp::create(k.b, k.loc, zero, panelMemory, i);
        });
      });
    if (roles.n.size() > 1)
      return gather(position, k0, count, n0, width);
    int column = roles.n.front();
    bool alongK = right.steps[roles.k.back()].isConstant(1) && !right.steps[column].isConstant(1);
    auto element = [&](Value row, Value i, Value j) {
      Value value = widen(k.load(right, k.multiplyAdd(row, add(n0, j), right.steps[column])));
      memref::StoreOp::create(k.b, k.loc, value, panelMemory, ValueRange{add(mul(i, k.index(columns)), j)});
    };
    auto row = [&](Value i) {
      Value from = distance(add(k0, i), roles.k);
      return position ? add(position, from) : from;
    };
    // The inner loop reads along memory.
    if (alongK)
      loop(k.index(0), width, 1, [&](Value j) { loop(k.index(0), count, 1, [&](Value i) { element(row(i), i, j); }); });
    else
      loop(k.index(0), count, 1, [&](Value i) {
        Value from = row(i);
        loop(k.index(0), width, 1, [&](Value j) { element(from, i, j); });
      });
  }

  /// The right operand lies along the depth, in vectors that registers hold as many of as they have lanes.
  bool transposes() {
    return roles.n.size() == 1 && roles.k.size() == 1 && right.steps[roles.k.front()].isConstant(1) && lanes <= 16;
  }

  Value loadVector(Value memory, Type element, Value position, Value mask = {}) {
    auto type = VectorType::get(lanes, element);
    Value loaded;
    if (mask) {
      Value zero = arith::ConstantOp::create(k.b, k.loc, k.b.getZeroAttr(type));
      loaded = vector::MaskedLoadOp::create(k.b, k.loc, type, memory, position, mask, zero);
    } else {
      loaded = vector::LoadOp::create(k.b, k.loc, type, memory, position);
    }
    return element == accumulator ? loaded : arith::ExtFOp::create(k.b, k.loc, vectorType, loaded);
  }

  void packTransposed(Value position, Value k0, Value count, Value n0) {
    Value full = mul(arith::DivUIOp::create(k.b, k.loc, count, k.index(lanes)), k.index(lanes));
    // Beyond the last column it is read again; the result's mask leaves that out.
    auto startOf = [&](Value column) {
      column = add(n0, column);
      if (masked)
        column = min(column, k.index(extentN - 1));
      return add(k.multiplyAdd(position, column, right.steps[roles.n.front()]), k0);
    };
    // A loop, though of few turns: unrolled it would be most of what LLVM compiles of a product.
    loop(k.index(0), k.index(columns), lanes, [&](Value first) {
      SmallVector<Value> starts;
      for (int64_t j = 0; j < lanes; ++j)
        starts.push_back(startOf(add(first, k.index(j))));
      loop(k.index(0), full, lanes, [&](Value i) {
        SmallVector<Value> rows;
        for (Value start : starts)
          rows.push_back(loadVector(rightMemory, right.element, add(start, i)));
        for (auto [q, row] : llvm::enumerate(transposeSquare(k, rows)))
          vector::StoreOp::create(k.b, k.loc, row, panelMemory, add(mul(add(i, k.index(q)), k.index(columns)), first));
      });
    });
    if (extentK % lanes == 0 && depth % lanes == 0)
      return;
    loop(k.index(0), k.index(columns), 1, [&](Value j) {
      Value start = startOf(j);
      loop(full, count, 1, [&](Value i) {
        Value value = widen(memref::LoadOp::create(k.b, k.loc, rightMemory, add(start, i)));
        memref::StoreOp::create(k.b, k.loc, value, panelMemory, add(mul(i, k.index(columns)), j));
      });
    });
  }

  /// The same where columns are several loops: their distances are looked up, and columns of
  /// one vector that are in one row of the innermost are read as one.
  void gather(Value position, Value k0, Value count, Value n0, Value width) {
    loop(k.index(0), width, 1,
         [&](Value j) { memref::StoreOp::create(k.b, k.loc, distance(add(n0, j), roles.n), distanceMemory, j); });
    auto distanceOf = [&](Value j) -> Value { return memref::LoadOp::create(k.b, k.loc, distanceMemory, j); };
    auto rows = [&](llvm::function_ref<void(Value, Value)> body) {
      loop(k.index(0), count, 1, [&](Value i) {
        Value from = distance(add(k0, i), roles.k);
        body(position ? add(position, from) : from, mul(i, k.index(columns)));
      });
    };
    for (int64_t v = 0; v < vectors; ++v) {
      Value first = k.index(v * lanes), last = k.index((v + 1) * lanes - 1);
      auto single = [&] {
        Value end = min(width, k.index((v + 1) * lanes));
        rows([&](Value from, Value to) {
          loop(first, end, 1, [&](Value j) {
            Value value = widen(k.load(right, add(from, distanceOf(j))));
            memref::StoreOp::create(k.b, k.loc, value, panelMemory, add(to, j));
          });
        });
      };
      if (right.element != accumulator || !right.steps[roles.n.back()].isConstant(1)) {
        single();
        continue;
      }
      Value rowLength = k.number(nest.loops[roles.n.back()].extent);
      Value lastInRow = add(arith::RemUIOp::create(k.b, k.loc, add(n0, first), rowLength), k.index(lanes - 1));
      Value near = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::slt, lastInRow, rowLength);
      if (masked) {
        Value fits = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::slt, last, width);
        near = arith::AndIOp::create(k.b, k.loc, near, fits);
      }
      when(
          near,
          [&] {
            Value start = distanceOf(first);
            rows([&](Value from, Value to) {
              Value row = vector::LoadOp::create(k.b, k.loc, vectorType, rightMemory, add(from, start));
              vector::StoreOp::create(k.b, k.loc, row, panelMemory, add(to, first));
            });
          },
          single);
    }
  }

  Value multiplyAdd(Value x, Value y, Value sum) {
    if (isa<FloatType>(accumulator))
      return vector::FMAOp::create(k.b, k.loc, x, y, sum);
    return arith::AddIOp::create(k.b, k.loc, sum, arith::MulIOp::create(k.b, k.loc, x, y));
  }

  /// One tile of `rows` rows at (m0, n0): out += left[…, k0 … k0 + count] x panel.
  void tile(int64_t rows, Value leftPosition, Value outPosition, Value m0, Value n0, Value k0, Value count,
            ArrayRef<Value> masks) {
    SmallVector<Value> accumulators, outPositions, leftPositions;
    for (int64_t r = 0; r < rows; ++r) {
      Value row = r == 0 ? m0 : add(m0, k.index(r));
      Value base = k.multiplyAdd(outPosition, row, out.steps[roles.m]);
      leftPositions.push_back(k.multiplyAdd(leftPosition, row, left.steps[roles.m]));
      for (int64_t v = 0; v < vectors; ++v) {
        Value column = v == 0 ? n0 : add(n0, k.index(lanes));
        Value position = k.multiplyAdd(base, column, out.steps[roles.n.back()]);
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
          SmallVector<Value, 2> panel;
          for (int64_t v = 0; v < vectors; ++v)
            panel.push_back(vector::LoadOp::create(n, l, vectorType, panelMemory, add(row, k.index(v * lanes))));
          Value depthIndex = add(k0, i);
          SmallVector<Value> next;
          for (int64_t r = 0; r < rows; ++r) {
            Value element =
                widen(k.load(left, k.multiplyAdd(leftPositions[r], depthIndex, left.steps[roles.k.back()])));
            Value spread = vector::BroadcastOp::create(n, l, vectorType, element);
            for (int64_t v = 0; v < vectors; ++v)
              next.push_back(multiplyAdd(spread, panel[v], state[vectors * r + v]));
          }
          scf::YieldOp::create(n, l, next);
        });
    for (auto [i, value] : llvm::enumerate(sum.getResults())) {
      if (masked)
        vector::MaskedStoreOp::create(k.b, k.loc, resultMemory, outPositions[i], masks[i % vectors], value);
      else
        vector::StoreOp::create(k.b, k.loc, value, resultMemory, outPositions[i]);
    }
  }

  void matrices() {
    Value leftPosition = batchPosition(left), rightPosition = batchPosition(right), outPosition = batchPosition(out);
    bool rangeM = nest.rangeLoop == roles.m, rangeN = nest.rangeLoop == roles.columnLoop();
    Value lowM = rangeM ? k.rangeLow : k.index(0), highM = rangeM ? k.rangeHigh : k.number(nest.loops[roles.m].extent);
    // The range of the column loop counts panels.
    Value lowN = rangeN ? mul(k.rangeLow, k.index(columns)) : k.index(0);
    Value highN = rangeN ? min(mul(k.rangeHigh, k.index(columns)), k.index(extentN)) : k.index(extentN);
    int64_t panel = columns, whole = extentN / panel * panel, rest = extentN - whole;
    bool narrow = whole > 0 && rest > 0 && rest <= lanes;
    loop(k.index(0), k.index(extentK), depth, [&](Value k0) {
      Value count = extentK % depth == 0 ? k.index(depth) : min(k.index(depth), sub(k.index(extentK), k0));
      auto doPanel = [&](Value n0) {
        panelOfColumns(leftPosition, rightPosition, outPosition, lowM, highM, k0, count, n0, rangeM);
      };
      if (!narrow)
        return loop(lowN, highN, columns, doPanel);
      masked = false;
      loop(lowN, min(highN, k.index(whole)), columns, doPanel);
      vectors = 1;
      columns = lanes;
      masked = rest != lanes;
      when(arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::sgt, highN, k.index(whole)),
           [&] { doPanel(k.index(whole)); });
    });
  }

  void panelOfColumns(Value leftPosition, Value rightPosition, Value outPosition, Value lowM, Value highM, Value k0,
                      Value count, Value n0, bool rangeM) {
    pack(rightPosition, k0, count, n0);
    SmallVector<Value> masks;
    if (masked)
      for (int64_t v = 0; v < vectors; ++v) {
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
  }

  /// out += left x right for `rows` rows and `width` columns at (m0, n0), both operands along the depth.
  void dotTile(int64_t rows, int64_t width, Value leftPosition, Value rightPosition, const Number &rightStep,
               Type rightElement, Value outPosition, Value m0, Value n0) {
    SmallVector<Value> lefts, rights, sums;
    for (int64_t r = 0; r < rows; ++r)
      lefts.push_back(k.multiplyAdd(leftPosition, add(m0, k.index(r)), left.steps[roles.m]));
    for (int64_t c = 0; c < width; ++c)
      rights.push_back(k.multiplyAdd(rightPosition, add(n0, k.index(c)), rightStep));
    Value zero = arith::ConstantOp::create(k.b, k.loc, k.b.getZeroAttr(vectorType));
    auto step = [&](Value i, ValueRange state, Value mask) {
      SmallVector<Value> x, y, next;
      for (Value position : lefts)
        x.push_back(loadVector(leftMemory, left.element, add(position, i), mask));
      for (Value position : rights)
        y.push_back(loadVector(rightMemory, rightElement, add(position, i), mask));
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < width; ++c)
          next.push_back(multiplyAdd(x[r], y[c], state[r * width + c]));
      return next;
    };
    int64_t full = extentK / lanes * lanes;
    sums.assign(rows * width, zero);
    if (full > 0) {
      auto op = scf::ForOp::create(k.b, k.loc, k.index(0), k.index(full), k.index(lanes), sums,
                                   [](OpBuilder &, Location, Value, ValueRange) {});
      OpBuilder::InsertionGuard guard(k.b);
      k.b.setInsertionPointToStart(op.getBody());
      SmallVector<Value> next = step(op.getInductionVar(), op.getRegionIterArgs(), {});
      scf::YieldOp::create(k.b, k.loc, next);
      sums.assign(op.getResults().begin(), op.getResults().end());
    }
    if (full < extentK)
      sums = step(k.index(full), sums, laneMask(k.index(extentK - full)));
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < width; ++c) {
        Value position = k.multiplyAdd(outPosition, add(m0, k.index(r)), out.steps[roles.m]);
        position = k.multiplyAdd(position, add(n0, k.index(c)), out.steps[roles.n.front()]);
        // In any order.
        Value sum = vector::ReductionOp::create(k.b, k.loc, vector::CombiningKind::ADD, sums[r * width + c],
                                                arith::FastMathFlags::reassoc);
        Value old = memref::LoadOp::create(k.b, k.loc, resultMemory, position);
        sum = isa<FloatType>(accumulator) ? Value(arith::AddFOp::create(k.b, k.loc, old, sum)) : add(old, sum);
        memref::StoreOp::create(k.b, k.loc, sum, resultMemory, position);
      }
  }

  void dots() {
    Value leftPosition = batchPosition(left), rightPosition = batchPosition(right), outPosition = batchPosition(out);
    bool rangeM = nest.rangeLoop == roles.m, rangeN = nest.rangeLoop == roles.columnLoop();
    int64_t extentM = nest.loops[roles.m].extent.value;
    Value lowM = rangeM ? k.rangeLow : k.index(0), highM = rangeM ? k.rangeHigh : k.index(extentM);
    Value lowN = rangeN ? mul(k.rangeLow, k.index(columns)) : k.index(0);
    Value highN = rangeN ? min(mul(k.rangeHigh, k.index(columns)), k.index(extentN)) : k.index(extentN);
    Number rightStep = right.steps[roles.n.front()];
    Type rightElement = right.element;
    if (!right.steps[roles.k.front()].isConstant(1)) {
      // The few columns, one behind the other.
      loop(lowN, highN, 1, [&](Value j) {
        loop(k.index(0), k.index(extentK), 1, [&](Value i) {
          Value from = k.multiplyAdd(k.multiplyAdd(rightPosition, j, rightStep), i, right.steps[roles.k.front()]);
          Value element = widen(k.load(right, from));
          memref::StoreOp::create(k.b, k.loc, element, panelMemory, add(mul(j, k.index(extentK)), i));
        });
      });
      rightMemory = panelMemory;
      rightPosition = {};
      rightStep = Number::constant(extentK);
      rightElement = accumulator;
    }
    /// Tiles of 4, then one of what is left, or single ones where the range is not known.
    auto tiles = [&](Value low, Value high, int64_t extent, bool isRange,
                     llvm::function_ref<void(int64_t, Value)> body) {
      Value full = mul(arith::DivUIOp::create(k.b, k.loc, sub(high, low), k.index(4)), k.index(4)),
            end = add(low, full);
      if (isRange || extent >= 4)
        loop(low, end, 4, [&](Value i) { body(4, i); });
      if (isRange)
        loop(end, high, 1, [&](Value i) { body(1, i); });
      else if (extent % 4 != 0)
        body(extent % 4, k.index(extent / 4 * 4));
    };
    tiles(lowN, highN, extentN, rangeN, [&](int64_t width, Value n0) {
      tiles(lowM, highM, extentM, rangeM, [&](int64_t rows, Value m0) {
        dotTile(rows, width, leftPosition, rightPosition, rightStep, rightElement, outPosition, m0, n0);
      });
    });
  }

  void batches(size_t depth) {
    if (depth == roles.batch.size())
      return roles.dots ? dots() : matrices();
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
  if (!roles.dots && roles.countColumns(nest) <= e.lanes) {
    e.vectors = 1;
    e.columns = e.lanes;
  }
  e.rowsPerTile = vectorBytes >= 64 ? 8 : 6;
  e.extentN = roles.countColumns(nest);
  e.extentK = roles.countDepth(nest);
  // A panel of 32 KiB; a block that is only a little longer is done at once.
  int64_t bytes = e.accumulator.getIntOrFloatBitWidth() / 8;
  e.depth = std::max<int64_t>(32768 / (e.columns * bytes), 16);
  if (e.extentK <= e.depth * 3 / 2)
    e.depth = e.extentK;
  e.vectorType = VectorType::get(e.lanes, e.accumulator);
  e.masked = e.extentN % e.columns != 0;
  e.indices.resize(nest.loops.size());
  OpBuilder &b = k.b;
  Type i64 = b.getI64Type(), pointer = LLVM::LLVMPointerType::get(b.getContext());
  // Scratch: the panel, then the distances of its columns.
  int64_t panelBytes = e.depth * e.columns * bytes;
  if (roles.dots)
    panelBytes = right.steps[roles.k.front()].isConstant(1) ? 0 : e.extentK * e.extentN * bytes;
  int64_t distances = roles.n.size() > 1 ? e.columns : 0;
  Value size = LLVM::ConstantOp::create(b, k.loc, i64, b.getI64IntegerAttr(panelBytes + distances * 8));
  Value scratch = callRuntime(b, k.loc, "fxcpu_scratch", pointer, size);
  Value unlimited = LLVM::ConstantOp::create(b, k.loc, i64, b.getI64IntegerAttr(INT64_MAX));
  auto memoryAt = [&](Value base, Type element) {
    return buildMemRef(b, k.loc, base, MemRefType::get(ShapedType::kDynamic, element), unlimited);
  };
  auto memoryOf = [&](const NestOperand &operand) {
    Value base = k.arguments[operand.pointer];
    if (!operand.start.isConstant(0)) {
      Value start = arith::IndexCastOp::create(b, k.loc, i64, k.number(operand.start));
      base = LLVM::GEPOp::create(b, k.loc, pointer, operand.element, base, ArrayRef<LLVM::GEPArg>{start});
    }
    return memoryAt(base, operand.element);
  };
  e.panelMemory = memoryAt(scratch, e.accumulator);
  if (distances) {
    Value skip = LLVM::ConstantOp::create(b, k.loc, i64, b.getI64IntegerAttr(panelBytes));
    Value behind = LLVM::GEPOp::create(b, k.loc, pointer, b.getI8Type(), scratch, ArrayRef<LLVM::GEPArg>{skip});
    e.distanceMemory = memoryAt(behind, b.getIndexType());
  }
  e.rightMemory = memoryOf(right);
  e.leftMemory = memoryOf(left);
  e.resultMemory = memoryOf(nest.outputs[0]);
  e.batches(0);
}
