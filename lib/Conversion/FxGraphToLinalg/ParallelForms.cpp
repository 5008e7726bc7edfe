// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ParallelForms.h"

using namespace fxgraph;
using namespace fxgraph::lowering;
using namespace mlir;

LogicalResult lowering::checkStaticExtents(Operation *op) {
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && !tensor.hasStaticShape())
      return op->emitOpError("expected static extents in the parallel form but got ") << tensor;
  return success();
}

static Value indexConstant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}
static Value addIndex(OpBuilder &b, Location loc, Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
static Value subIndex(OpBuilder &b, Location loc, Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
static Value isLess(OpBuilder &b, Location loc, Value x, Value y) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
}
static Value toI64(OpBuilder &b, Location loc, Value index) {
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
}
/// All loop indices of a body of `rank` loops.
static SmallVector<Value> loopIndices(OpBuilder &b, Location loc, int64_t rank) {
  SmallVector<Value> loops;
  for (int64_t i = 0; i < rank; ++i)
    loops.push_back(linalg::IndexOp::create(b, loc, i));
  return loops;
}
/// An i64 tensor's element, as an index.
static Value extractIndex(OpBuilder &b, Location loc, Value tensor, ArrayRef<Value> position) {
  Value stored = tensor::ExtractOp::create(b, loc, tensor, position);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), stored);
}

/// The first number from `low` to `high` for which `isBefore` does not hold; it holds for none behind one for
/// which it does not.
static Value searchFirst(OpBuilder &b, Location loc, Value low, Value high,
                         llvm::function_ref<Value(OpBuilder &, Location, Value)> isBefore) {
  auto loop = scf::WhileOp::create(
      b, loc, TypeRange{b.getIndexType(), b.getIndexType()}, ValueRange{low, high},
      [](OpBuilder &n, Location l, ValueRange state) {
        scf::ConditionOp::create(n, l, isLess(n, l, state[0], state[1]), state);
      },
      [&](OpBuilder &n, Location l, ValueRange state) {
        Value middle = arith::ShRUIOp::create(n, l, addIndex(n, l, state[0], state[1]), indexConstant(n, l, 1));
        Value before = isBefore(n, l, middle);
        Value next = addIndex(n, l, middle, indexConstant(n, l, 1));
        scf::YieldOp::create(n, l,
                             ValueRange{arith::SelectOp::create(n, l, before, next, state[0]),
                                        arith::SelectOp::create(n, l, before, state[1], middle)});
      });
  return loop.getResult(0);
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

/// `x` goes in front of `y`, in compute types.
static Value goesBefore(OpBuilder &b, Location loc, Type dtype, Value x, Value y, bool descending) {
  if (descending)
    std::swap(x, y);
  Scalars s(b, loc, dtype);
  Value less = s.lt(x, y);
  if (!s.isFloatType())
    return less;
  Value isNumber = s.xorB(s.isNan(x), createScalar(b, loc, b.getI1Type(), 1));
  return s.orB(less, s.andB(isNumber, s.isNan(y)));
}

Value lowering::sortedPositions(OpBuilder &b, Location loc, Value input, Type dtype, int64_t dim, bool descending,
                                int64_t kept) {
  Sizes sizes = getSizes(b, loc, input);
  int64_t rank = sizes.size(), extent = tensorType(input).getDimSize(dim);
  // A run of `width` elements has its first `kept` ones, the last run what there is.
  auto keptOf = [&](int64_t width) { return std::min(width, kept); };
  Value order; // Null at first: each element is where it was.
  for (int64_t width = 1; width < extent; width *= 2) {
    Value before = order;
    int64_t pair = 2 * width, last = (extent - 1) / pair;
    sizes[dim] = b.getIndexAttr(last * keptOf(pair) + std::min(keptOf(pair), extent - last * pair));
    order = buildParallel(b, loc, {}, {}, sizes, b.getI64Type(), [&](OpBuilder &n, Location l, ValueRange) -> Value {
      SmallVector<Value> row = loopIndices(n, l, rank);
      auto positionOf = [&](OpBuilder &m, Location k, Value at) -> Value {
        if (!before)
          return at;
        SmallVector<Value> place(row);
        place[dim] = at;
        return extractIndex(m, k, before, place);
      };
      auto elementOf = [&](OpBuilder &m, Location k, Value at) {
        SmallVector<Value> place(row);
        place[dim] = positionOf(m, k, at);
        return loadElement(m, k, tensor::ExtractOp::create(m, k, input, place), dtype);
      };
      auto multiply = [&](Value x, int64_t factor) -> Value {
        return arith::MulIOp::create(n, l, x, indexConstant(n, l, factor));
      };
      // Which pair of runs, and how many elements of both come first.
      Value number = arith::DivUIOp::create(n, l, row[dim], indexConstant(n, l, keptOf(pair)));
      Value diagonal = arith::RemUIOp::create(n, l, row[dim], indexConstant(n, l, keptOf(pair)));
      Value zero = indexConstant(n, l, 0), most = indexConstant(n, l, keptOf(width));
      Value start = multiply(number, 2 * keptOf(width)), second = addIndex(n, l, start, most);
      Value behind =
          subIndex(n, l, indexConstant(n, l, extent), multiply(number, pair)); // elements from the left run on
      Value left = arith::MinSIOp::create(n, l, behind, most);
      Value right = arith::MinSIOp::create(n, l, subIndex(n, l, behind, indexConstant(n, l, width)), most);
      right = arith::MaxSIOp::create(n, l, right, zero);
      Value low = arith::MaxSIOp::create(n, l, subIndex(n, l, diagonal, right), zero);
      Value high = arith::MinSIOp::create(n, l, diagonal, left);
      // How many of them are the left run's: equal elements of it go first.
      Value fromLeft = searchFirst(n, l, low, high, [&](OpBuilder &m, Location k, Value middle) -> Value {
        Value opposite = subIndex(m, k, subIndex(m, k, diagonal, indexConstant(m, k, 1)), middle);
        Value lhs = elementOf(m, k, addIndex(m, k, start, middle));
        Value rhs = elementOf(m, k, addIndex(m, k, second, opposite));
        return Scalars(m, k, dtype)
            .xorB(goesBefore(m, k, dtype, rhs, lhs, descending), createScalar(m, k, m.getI1Type(), 1));
      });
      Value fromRight = subIndex(n, l, diagonal, fromLeft);
      Value lhs = addIndex(n, l, start, fromLeft), rhs = addIndex(n, l, second, fromRight);
      Value hasLeft = isLess(n, l, fromLeft, left), hasRight = isLess(n, l, fromRight, right);
      auto next = scf::IfOp::create(
          n, l, arith::AndIOp::create(n, l, hasLeft, hasRight),
          [&](OpBuilder &m, Location k) {
            Value isRight = goesBefore(m, k, dtype, elementOf(m, k, rhs), elementOf(m, k, lhs), descending);
            scf::YieldOp::create(m, k, Value(arith::SelectOp::create(m, k, isRight, rhs, lhs)));
          },
          [&](OpBuilder &m, Location k) {
            scf::YieldOp::create(m, k, Value(arith::SelectOp::create(m, k, hasLeft, lhs, rhs)));
          });
      return toI64(n, l, positionOf(n, l, next.getResult(0)));
    });
  }
  if (order)
    return order;
  sizes[dim] = b.getIndexAttr(kept);
  return buildParallel(b, loc, {}, {}, sizes, b.getI64Type(), [&](OpBuilder &n, Location l, ValueRange) -> Value {
    return toI64(n, l, linalg::IndexOp::create(n, l, dim));
  });
}

Value lowering::gatherAlong(OpBuilder &b, Location loc, Value input, Value positions, int64_t dim) {
  return buildElementwise(b, loc, positions, dtypeOf(input), [&](OpBuilder &n, Location l, ValueRange args) -> Value {
    SmallVector<Value> place = loopIndices(n, l, tensorType(positions).getRank());
    place[dim] = arith::IndexCastOp::create(n, l, n.getIndexType(), args[0]);
    return tensor::ExtractOp::create(n, l, input, place);
  });
}

//===----------------------------------------------------------------------===//
// Writes at indices
//===----------------------------------------------------------------------===//

Value lowering::checkedIndex(OpBuilder &b, Location loc, Value stored, Type dtype, int64_t extent, bool allowNegative) {
  Scalars s(b, loc, b.getI64Type());
  Value index = convertScalar(b, loc, loadElement(b, loc, stored, dtype), dtype, b.getI64Type());
  bool fromEnd = allowNegative && !isUnsigned(dtype);
  Value lowest = s.cst(fromEnd ? -extent : 0), bound = s.cst(extent);
  Value inside = s.andB(s.cmp(Scalars::GE, index, lowest), s.lt(index, bound));
  assertTrue(b, loc, inside,
             "expected indices in [" + Twine(allowNegative ? -extent : 0) + ", " + Twine(extent - 1) +
                 "] but got one outside");
  if (fromEnd)
    index = s.select(s.lt(index, s.cst(0)), s.add(index, bound), index);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), s.select(inside, index, s.cst(0)));
}

Landings::Landings(OpBuilder &b, Location loc, Value keys, int64_t dim, int64_t places) : keys(keys), dim(dim) {
  int64_t count = tensorType(keys).getDimSize(dim);
  if (count <= kFewEntries)
    return;
  order = sortedPositions(b, loc, keys, b.getI64Type(), dim, /*descending=*/false, count);
  Value sorted = gatherAlong(b, loc, keys, order, dim);
  Sizes sizes = getSizes(b, loc, keys);
  sizes[dim] = b.getIndexAttr(places + 1);
  starts = buildParallel(b, loc, {}, {}, sizes, b.getI64Type(), [&](OpBuilder &n, Location l, ValueRange) -> Value {
    SmallVector<Value> row = loopIndices(n, l, sizes.size());
    Value place = row[dim];
    Value first = searchFirst(n, l, indexConstant(n, l, 0), indexConstant(n, l, count),
                              [&](OpBuilder &m, Location k, Value middle) {
                                SmallVector<Value> position(row);
                                position[dim] = middle;
                                return isLess(m, k, extractIndex(m, k, sorted, position), place);
                              });
    return toI64(n, l, first);
  });
}

SmallVector<Value>
Landings::forEach(OpBuilder &b, Location loc, ArrayRef<Value> row, Value place, ValueRange init,
                  llvm::function_ref<SmallVector<Value>(OpBuilder &, Location, Value, ValueRange)> step) const {
  auto extractAt = [&](OpBuilder &n, Location l, Value tensor, Value at) {
    SmallVector<Value> position(row);
    position[dim] = at;
    return extractIndex(n, l, tensor, position);
  };
  Value one = indexConstant(b, loc, 1);
  if (!order) {
    Value count = indexConstant(b, loc, tensorType(keys).getDimSize(dim));
    auto loop = scf::ForOp::create(
        b, loc, indexConstant(b, loc, 0), count, one, init,
        [&](OpBuilder &n, Location l, Value entry, ValueRange state) {
          Value lands = arith::CmpIOp::create(n, l, arith::CmpIPredicate::eq, extractAt(n, l, keys, entry), place);
          auto branch = scf::IfOp::create(
              n, l, lands, [&](OpBuilder &m, Location k) { scf::YieldOp::create(m, k, step(m, k, entry, state)); },
              [&](OpBuilder &m, Location k) { scf::YieldOp::create(m, k, state); });
          scf::YieldOp::create(n, l, branch.getResults());
        });
    return SmallVector<Value>(loop.getResults());
  }
  Value first = extractAt(b, loc, starts, place), behind = extractAt(b, loc, starts, addIndex(b, loc, place, one));
  auto loop =
      scf::ForOp::create(b, loc, first, behind, one, init, [&](OpBuilder &n, Location l, Value at, ValueRange state) {
        scf::YieldOp::create(n, l, step(n, l, extractAt(n, l, order, at), state));
      });
  return SmallVector<Value>(loop.getResults());
}
