// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simplification and emission of loop nests.
//
// Order: the loop with the largest steps is outermost, so that the innermost one
// runs along memory. Two adjacent loops merge where every operand steps through
// them as through one. Reductions whose loops end up innermost accumulate in a
// register; floating-point accumulation may be reassociated, so that LLVM can
// vectorise it.

#include "LoopNest.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fxgraph;
using namespace fxgraph::cpu;
using namespace mlir;

double LoopNest::work() const {
  double product = 1;
  for (const Loop &loop : loops)
    product *= loop.extent.isConstant() ? static_cast<double>(loop.extent.value) : 64.0;
  return product;
}

/// The operand whose layout decides the order of loops: the one with the most loops
/// (the first output among equals).
static const NestOperand *leadingOperand(const LoopNest &nest) {
  const NestOperand *best = nullptr;
  int most = -1;
  SmallVector<const NestOperand *> candidates;
  for (const NestOperand &output : nest.outputs)
    candidates.push_back(&output);
  for (const NestOperand &input : nest.inputs)
    candidates.push_back(&input);
  for (const NestOperand *operand : candidates) {
    int used = llvm::count_if(operand->steps, [](const Number &step) { return !step.isConstant(0); });
    if (used > most) {
      most = used;
      best = operand;
    }
  }
  return best;
}

void LoopNest::simplify() {
  auto erase = [&](size_t i) {
    loops.erase(loops.begin() + i);
    for (auto *list : {&inputs, &outputs})
      for (NestOperand &operand : *list)
        if (operand.pointer >= 0)
          operand.steps.erase(operand.steps.begin() + i);
  };
  for (size_t i = loops.size(); i-- > 0;)
    if (loops[i].extent.isConstant(1) && !usesIndex)
      erase(i);
  if (usesIndex)
    return;

  // Order, where all steps of the leading operand are known: largest first. A
  // stable sort keeps the given order among equals.
  const NestOperand *leading = leadingOperand(*this);
  bool known = leading && leading->pointer >= 0 &&
               llvm::all_of(leading->steps, [](const Number &step) { return step.isConstant(); });
  if (known) {
    SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, loops.size()));
    // Loops that the leading operand lacks (broadcasts of it) stay outermost.
    llvm::stable_sort(order, [&](unsigned x, unsigned y) {
      int64_t l = std::abs(leading->steps[x].value), r = std::abs(leading->steps[y].value);
      return (l == 0 ? INT64_MAX : l) > (r == 0 ? INT64_MAX : r);
    });
    // The innermost loop is the one that strides in the fewest operands.
    auto strides = [&](unsigned loop) {
      int count = 0;
      for (const NestOperand *operand : operands())
        if (operand->pointer >= 0)
          count += !operand->steps[loop].isConstant(0) && !operand->steps[loop].isConstant(1);
      return count;
    };
    if (!order.empty()) {
      auto best = order.end() - 1;
      for (auto it = order.end(); it != order.begin();)
        if (strides(*--it) < strides(*best))
          best = it;
      std::rotate(best, best + 1, order.end());
    }
    auto permute = [&](auto &list) {
      auto old = list;
      for (auto [i, from] : llvm::enumerate(order))
        list[i] = old[from];
    };
    permute(loops);
    for (auto *list : {&inputs, &outputs})
      for (NestOperand &operand : *list)
        if (operand.pointer >= 0)
          permute(operand.steps);
  }
  for (size_t i = 0; i + 1 < loops.size();) {
    Loop &outer = loops[i], &inner = loops[i + 1];
    bool merges = outer.reduction == inner.reduction && outer.extent.isConstant() && inner.extent.isConstant();
    for (const NestOperand *operand : operands()) {
      if (!merges || operand->pointer < 0)
        continue;
      const Number &o = operand->steps[i], &n = operand->steps[i + 1];
      merges &= o.isConstant() && n.isConstant() && o.value == n.value * inner.extent.value;
    }
    if (!merges) {
      ++i;
      continue;
    }
    inner.extent.value *= outer.extent.value;
    inner.original = -1;
    erase(i);
    if (i > 0)
      --i; // The merged loop may merge with the one before.
  }
}

//===----------------------------------------------------------------------===//
// Kernel builder
//===----------------------------------------------------------------------===//

Value KernelBuilder::index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
Value KernelBuilder::number(const Number &number) {
  return number.isConstant() ? index(number.value) : Value(arguments[number.argument]);
}

Value KernelBuilder::multiplyAdd(Value sum, Value factor, const Number &step) {
  if (step.isConstant(0))
    return sum;
  Value term = step.isConstant(1) ? factor : Value(arith::MulIOp::create(b, loc, factor, number(step)));
  return sum ? Value(arith::AddIOp::create(b, loc, sum, term)) : term;
}

Value KernelBuilder::address(const NestOperand &operand, Value position) {
  Value pointer = arguments[operand.pointer];
  if (!operand.start.isConstant(0))
    position = position ? Value(arith::AddIOp::create(b, loc, position, number(operand.start))) : number(operand.start);
  if (!position)
    return pointer;
  Value offset = arith::IndexCastOp::create(b, loc, b.getI64Type(), position);
  return LLVM::GEPOp::create(b, loc, pointer.getType(), operand.element, pointer, ArrayRef<LLVM::GEPArg>{offset});
}

Value KernelBuilder::load(const NestOperand &operand, Value position) {
  if (operand.pointer < 0)
    return outer.lookupOrDefault(operand.scalar);
  return LLVM::LoadOp::create(b, loc, operand.element, address(operand, position));
}
void KernelBuilder::store(const NestOperand &operand, Value position, Value value) {
  LLVM::StoreOp::create(b, loc, value, address(operand, position));
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// Accumulation may be reassociated and contracted.
static void relaxAccumulation(Operation *op, Value accumulator, bool contract) {
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!fast)
    return;
  auto flags =
      contract ? arith::FastMathFlags::reassoc | arith::FastMathFlags::contract : arith::FastMathFlags::reassoc;
  if (isa<arith::AddFOp, arith::MulFOp>(op) && llvm::is_contained(op->getOperands(), accumulator))
    op->setAttr(fast.getFastMathAttrName(), arith::FastMathFlagsAttr::get(op->getContext(), flags));
}

SmallVector<Value> cpu::transposeSquare(KernelBuilder &k, SmallVector<Value> rows) {
  auto lanes = static_cast<int64_t>(rows.size());
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < lanes / 2; ++i) {
    low.append({i, lanes + i});
    high.append({lanes / 2 + i, lanes + lanes / 2 + i});
  }
  for (int64_t done = 1; done < lanes; done *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < lanes / 2; ++i)
      for (ArrayRef<int64_t> half : {ArrayRef(low), ArrayRef(high)})
        next.push_back(vector::ShuffleOp::create(k.b, k.loc, rows[i], rows[i + lanes / 2], half));
    rows = next;
  }
  return rows;
}

/// A loop that runs along the memory of an operand through which the innermost loop strides, so that each cache line of it
/// is fetched for one element; -1 if there is none.
static int findCrossingLoop(const LoopNest &nest) {
  int inner = static_cast<int>(nest.loops.size()) - 1;
  if (inner < 1 || nest.usesIndex || llvm::any_of(nest.loops, [](const Loop &loop) { return loop.reduction; }))
    return -1;
  for (const NestOperand *operand : nest.operands()) {
    if (operand->pointer < 0 || !operand->steps[inner].isConstant() || std::abs(operand->steps[inner].value) <= 1)
      continue;
    for (int loop = 0; loop < inner; ++loop)
      if (operand->steps[loop].isConstant(1))
        return loop;
  }
  return -1;
}

/// Moves a loop to just outside of the innermost one.
static void moveInwards(LoopNest &nest, int loop) {
  int to = static_cast<int>(nest.loops.size()) - 2;
  auto rotate = [&](auto &list) { std::rotate(list.begin() + loop, list.begin() + loop + 1, list.begin() + to + 1); };
  rotate(nest.loops);
  for (auto *list : {&nest.inputs, &nest.outputs})
    for (NestOperand &operand : *list)
      if (operand.pointer >= 0)
        rotate(operand.steps);
  if (nest.rangeLoop == loop)
    nest.rangeLoop = to;
  else if (nest.rangeLoop > loop && nest.rangeLoop <= to)
    --nest.rangeLoop;
}

namespace {
struct NestEmitter {
  KernelBuilder &k;
  const LoopNest &nest;
  SmallVector<Value> indices; // of the loops that are open
  size_t firstRegister;       // loops from here on accumulate in registers
  SmallVector<const NestOperand *> operands;
  int64_t crossingBlock;
  SmallVector<Value> tiles; // of inputs that are read from one; empty where none is
  Value tilePosition;       // in a tile

  /// The two innermost loops, the last in blocks of so many steps: the lines that a block reads or writes across stay in
  /// the cache while the loop outside of it goes along them. Inputs that are read across are transposed in registers, a
  /// square of whole lines at a time: lines that are a power of two apart do not stay in the cache.
  void emitCrossing(int64_t block) {
    size_t last = nest.loops.size() - 1;
    int64_t extent = nest.loops[last].extent.value, whole = extent / block * block;
    auto part = [&](Value begin, int64_t steps) {
      openLoop(last - 1, {}, [&](ValueRange) -> SmallVector<Value> {
        // From 0, so that the number of steps is known.
        openPlainLoop(k.index(0), k.index(steps), k.index(1), [&](Value step) {
          indices.push_back(arith::AddIOp::create(k.b, k.loc, begin, step));
          emit(last + 1);
          indices.pop_back();
        });
        return {};
      });
    };
    findTiles(block);
    if (llvm::any_of(tiles, [](Value tile) { return tile != nullptr; }))
      emitTiles(block, whole);
    else
      openPlainLoop(k.index(0), k.index(whole), k.index(block), [&](Value begin) { part(begin, block); });
    tiles.clear();
    if (whole < extent)
      part(k.index(whole), extent - whole);
  }

  void openPlainLoop(Value low, Value high, Value step, llvm::function_ref<void(Value)> body) {
    auto opened = scf::ForOp::create(k.b, k.loc, low, high, step);
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPoint(opened.getBody()->getTerminator());
    body(opened.getInductionVar());
  }

  /// Memory for a square of each input that lies along the loop outside of the innermost one.
  void findTiles(int64_t block) {
    size_t last = nest.loops.size() - 1;
    tiles.assign(nest.inputs.size(), Value());
    for (auto [i, input] : llvm::enumerate(nest.inputs)) {
      // More rows than registers would go through memory.
      bool crosses = input.pointer >= 0 && block <= 16 && !nest.body->getArgument(i).use_empty() &&
                     input.steps[last - 1].isConstant(1) && input.steps[last].isConstant() &&
                     std::abs(input.steps[last].value) > 1 && input.element.isIntOrFloat() &&
                     input.element.getIntOrFloatBitWidth() >= 32;
      if (!crosses)
        continue;
      OpBuilder::InsertionGuard guard(k.b);
      k.b.setInsertionPointToStart(cast<BlockArgument>(k.arguments[input.pointer]).getOwner());
      Value count = LLVM::ConstantOp::create(k.b, k.loc, k.b.getI64Type(), k.b.getI64IntegerAttr(block * block));
      tiles[i] = LLVM::AllocaOp::create(k.b, k.loc, LLVM::LLVMPointerType::get(k.b.getContext()), input.element, count,
                                        /*alignment=*/64);
    }
  }

  Value tileAddress(size_t input, Value position) {
    Value offset = arith::IndexCastOp::create(k.b, k.loc, k.b.getI64Type(), position);
    return LLVM::GEPOp::create(k.b, k.loc, tiles[input].getType(), nest.inputs[input].element, tiles[input],
                               ArrayRef<LLVM::GEPArg>{offset});
  }

  /// Copies a square to its tile, transposed; the loops outside of it are open.
  void fillTile(size_t i, Value along, Value across, int64_t side) {
    const NestOperand &input = nest.inputs[i];
    auto type = VectorType::get(side, input.element);
    SmallVector<Value> rows;
    indices.append({along, Value()});
    for (int64_t row = 0; row < side; ++row) {
      indices.back() = arith::AddIOp::create(k.b, k.loc, across, k.index(row));
      Value address = k.address(input, positionOf(input, indices.size()));
      rows.push_back(LLVM::LoadOp::create(k.b, k.loc, type, address, input.element.getIntOrFloatBitWidth() / 8));
    }
    indices.pop_back_n(2);
    for (auto [row, values] : llvm::enumerate(transposeSquare(k, rows)))
      LLVM::StoreOp::create(k.b, k.loc, values, tileAddress(i, k.index(row * side)), /*alignment=*/16);
  }

  /// The whole blocks of the last loop, squares of them; what is left of the loop outside of it goes element by element.
  void emitTiles(int64_t side, int64_t whole) {
    size_t outer = nest.loops.size() - 2;
    bool isRange = nest.rangeLoop == static_cast<int>(outer);
    Value low = isRange ? k.rangeLow : k.index(0), high = isRange ? k.rangeHigh : k.number(nest.loops[outer].extent);
    Value edge = k.index(side), length = arith::SubIOp::create(k.b, k.loc, high, low);
    Value rest = arith::RemUIOp::create(k.b, k.loc, length, edge), end = arith::SubIOp::create(k.b, k.loc, high, rest);
    openPlainLoop(k.index(0), k.index(whole), edge, [&](Value across) {
      openPlainLoop(low, end, edge, [&](Value along) {
        for (auto [i, tile] : llvm::enumerate(tiles))
          if (tile)
            fillTile(i, along, across, side);
        emitSquare(along, edge, across, side);
      });
      SmallVector<Value> kept = std::exchange(tiles, {});
      emitSquare(end, rest, across, side);
      tiles = kept;
    });
  }

  void emitSquare(Value along, Value steps, Value across, int64_t side) {
    openPlainLoop(k.index(0), steps, k.index(1), [&](Value row) {
      openPlainLoop(k.index(0), k.index(side), k.index(1), [&](Value column) {
        indices.append(
            {arith::AddIOp::create(k.b, k.loc, along, row), arith::AddIOp::create(k.b, k.loc, across, column)});
        tilePosition = k.multiplyAdd(column, row, Number::constant(side));
        emit(nest.loops.size());
        indices.pop_back_n(2);
      });
    });
  }
  Value positionOf(const NestOperand &operand, size_t depth) {
    Value position;
    for (size_t i = 0; i < depth; ++i)
      position = k.multiplyAdd(position, indices[i], operand.steps[i]);
    return position;
  }

  Value loadInput(const NestOperand &input) {
    size_t i = &input - nest.inputs.data();
    if (i < tiles.size() && tiles[i])
      return LLVM::LoadOp::create(k.b, k.loc, input.element, tileAddress(i, tilePosition));
    return k.load(input, positionOf(input, indices.size()));
  }

  /// The body on these output elements; returns the new ones.
  SmallVector<Value> emitBody(ValueRange accumulators) {
    IRMapping mapping = k.outer;
    SmallVector<Value> values;
    for (auto [argument, operand] : llvm::zip(nest.body->getArguments().take_front(nest.inputs.size()), nest.inputs))
      mapping.map(argument, argument.use_empty() ? Value() : loadInput(operand));
    bool product = false;
    for (auto [argument, value] : llvm::zip(nest.body->getArguments().drop_front(nest.inputs.size()), accumulators))
      mapping.map(argument, value);
    bool reduces = llvm::any_of(nest.loops, [](const Loop &loop) { return loop.reduction; });
    for (Operation &op : nest.body->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(op)) {
        Value value;
        for (auto [i, loop] : llvm::enumerate(nest.loops))
          if (loop.original == static_cast<int64_t>(index.getDim()))
            value = indices[i];
        mapping.map(index.getResult(), value);
        continue;
      }
      product |= isa<arith::MulFOp>(op);
      Operation *clone = k.b.clone(op, mapping);
      if (reduces)
        for (Value accumulator : accumulators) {
          relaxAccumulation(clone, accumulator, product);
          // The product that is added may become part of a fused multiply-add.
          if (isa<arith::AddFOp>(clone) && llvm::is_contained(clone->getOperands(), accumulator))
            for (Value operand : clone->getOperands())
              if (auto multiply = operand.getDefiningOp<arith::MulFOp>())
                multiply.setFastmath(arith::FastMathFlags::contract);
        }
    }
    for (Value result : nest.body->getTerminator()->getOperands())
      values.push_back(mapping.lookupOrDefault(result));
    return values;
  }

  SmallVector<Value> loadOutputs(size_t depth, bool all) {
    SmallVector<Value> values;
    for (auto [i, output] : llvm::enumerate(nest.outputs)) {
      // An output that the body does not read needs no load.
      BlockArgument argument = nest.body->getArgument(nest.inputs.size() + i);
      values.push_back(!all && argument.use_empty() ? Value() : k.load(output, positionOf(output, depth)));
    }
    return values;
  }
  void storeOutputs(ValueRange values, size_t depth) {
    for (auto [output, value] : llvm::zip(nest.outputs, values))
      k.store(output, positionOf(output, depth), value);
  }

  void emit(size_t depth) {
    if (crossingBlock && depth + 2 == nest.loops.size())
      return emitCrossing(crossingBlock);
    if (depth == firstRegister) {
      SmallVector<Value> initial = loadOutputs(depth, depth < nest.loops.size());
      storeOutputs(depth == nest.loops.size() ? emitBody(initial) : emitRegisterLoops(depth, initial), depth);
      return;
    }
    openLoop(depth, {}, [&](ValueRange) -> SmallVector<Value> {
      emit(depth + 1);
      return {};
    });
  }

  SmallVector<Value> emitRegisterLoops(size_t depth, ValueRange values) {
    if (depth == nest.loops.size())
      return emitBody(values);
    return openLoop(depth, values, [&](ValueRange state) { return emitRegisterLoops(depth + 1, state); });
  }

  SmallVector<Value> openLoop(size_t depth, ValueRange initial,
                              llvm::function_ref<SmallVector<Value>(ValueRange)> body) {
    bool isRange = nest.rangeLoop == static_cast<int>(depth);
    Value low = isRange ? k.rangeLow : k.index(0), high = isRange ? k.rangeHigh : k.number(nest.loops[depth].extent);
    auto loop = scf::ForOp::create(k.b, k.loc, low, high, k.index(1), initial,
                                   [&](OpBuilder &, Location, Value, ValueRange) {});
    OpBuilder::InsertionGuard guard(k.b);
    if (initial.empty()) {
      // The builder made no terminator for the empty body callback.
      if (loop.getBody()->empty() || !loop.getBody()->back().hasTrait<OpTrait::IsTerminator>()) {
        k.b.setInsertionPointToEnd(loop.getBody());
        scf::YieldOp::create(k.b, k.loc);
      }
      k.b.setInsertionPoint(loop.getBody()->getTerminator());
    } else {
      k.b.setInsertionPointToEnd(loop.getBody());
    }
    indices.push_back(loop.getInductionVar());
    SmallVector<Value> results = body(loop.getRegionIterArgs());
    indices.pop_back();
    if (!initial.empty())
      scf::YieldOp::create(k.b, k.loc, results);
    return llvm::to_vector(llvm::map_range(loop.getResults(), [](OpResult result) { return Value(result); }));
  }
};
} // namespace

void cpu::emitLoopNest(KernelBuilder &k, const LoopNest &given) {
  LoopNest nest = given;
  int64_t block = 0;
  if (int crossing = findCrossingLoop(nest); crossing >= 0) {
    moveInwards(nest, crossing);
    // A line of the smallest elements.
    int64_t bits = 64;
    for (const NestOperand *operand : nest.operands())
      if (operand->pointer >= 0 && operand->element.isIntOrFloat())
        bits = std::min<int64_t>(bits, std::max(8u, operand->element.getIntOrFloatBitWidth()));
    const Loop &inner = nest.loops.back();
    bool divided = nest.rangeLoop == static_cast<int>(nest.loops.size()) - 1;
    int64_t line = 512 / bits;
    if (!divided && inner.extent.isConstant() && inner.extent.value > line)
      block = line;
  }
  // A fused body may write one output per iteration of a loop that reduces into another: no register holds that.
  auto accumulates = [&](size_t loop) {
    return nest.loops[loop].reduction &&
           llvm::all_of(nest.outputs, [&](const NestOperand &output) { return output.steps[loop].isConstant(0); });
  };
  size_t first = nest.loops.size();
  while (first > 0 && accumulates(first - 1))
    --first;
  NestEmitter emitter{k, nest, {}, first, nest.operands(), block, {}, {}};
  emitter.emit(0);
}
