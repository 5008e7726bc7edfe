// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ParallelForms.h"
#include "ScalarMath.h"

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
  int64_t rank = sizes.size(), n = tensorType(input).getDimSize(dim);
  Value order; // Null at first: each element is where it was.
  for (int64_t width = 1; width < n; width *= 2) {
    Value before = order;
    if (2 * width >= n)
      sizes[dim] = b.getIndexAttr(kept);
    order = buildParallel(b, loc, {}, {}, sizes, b.getI64Type(), [&](OpBuilder &n0, Location l0, ValueRange) -> Value {
      SmallVector<Value> row = loopIndices(n0, l0, rank);
      Value at = row[dim];
      auto positionOf = [&](OpBuilder &m, Location l, Value rankInRun) -> Value {
        if (!before)
          return rankInRun;
        SmallVector<Value> place(row);
        place[dim] = rankInRun;
        return extractIndex(m, l, before, place);
      };
      auto elementOf = [&](OpBuilder &m, Location l, Value rankInRun) {
        SmallVector<Value> place(row);
        place[dim] = positionOf(m, l, rankInRun);
        return loadElement(m, l, tensor::ExtractOp::create(m, l, input, place), dtype);
      };
      // The two runs, and how many elements of both come first.
      Value size = indexConstant(n0, l0, n), run = indexConstant(n0, l0, width),
            pair = indexConstant(n0, l0, 2 * width);
      Value start = subIndex(n0, l0, at, arith::RemUIOp::create(n0, l0, at, pair));
      Value second = arith::MinSIOp::create(n0, l0, addIndex(n0, l0, start, run), size);
      Value end = arith::MinSIOp::create(n0, l0, addIndex(n0, l0, start, pair), size);
      Value left = subIndex(n0, l0, second, start), right = subIndex(n0, l0, end, second);
      Value diagonal = subIndex(n0, l0, at, start);
      Value zero = indexConstant(n0, l0, 0);
      Value low = arith::MaxSIOp::create(n0, l0, subIndex(n0, l0, diagonal, right), zero);
      Value high = arith::MinSIOp::create(n0, l0, diagonal, left);
      // How many of them are the left run's: equal elements of it go first.
      Value fromLeft = searchFirst(n0, l0, low, high, [&](OpBuilder &m, Location l, Value middle) -> Value {
        Value opposite = subIndex(m, l, subIndex(m, l, diagonal, indexConstant(m, l, 1)), middle);
        Value lhs = elementOf(m, l, addIndex(m, l, start, middle));
        Value rhs = elementOf(m, l, addIndex(m, l, second, opposite));
        return Scalars(m, l, dtype)
            .xorB(goesBefore(m, l, dtype, rhs, lhs, descending), createScalar(m, l, m.getI1Type(), 1));
      });
      Value fromRight = subIndex(n0, l0, diagonal, fromLeft);
      Value lhs = addIndex(n0, l0, start, fromLeft), rhs = addIndex(n0, l0, second, fromRight);
      Value hasLeft = isLess(n0, l0, fromLeft, left), hasRight = isLess(n0, l0, fromRight, right);
      auto next = scf::IfOp::create(
          n0, l0, arith::AndIOp::create(n0, l0, hasLeft, hasRight),
          [&](OpBuilder &m, Location l) {
            Value isRight = goesBefore(m, l, dtype, elementOf(m, l, rhs), elementOf(m, l, lhs), descending);
            scf::YieldOp::create(m, l, Value(arith::SelectOp::create(m, l, isRight, rhs, lhs)));
          },
          [&](OpBuilder &m, Location l) {
            scf::YieldOp::create(m, l, Value(arith::SelectOp::create(m, l, hasLeft, lhs, rhs)));
          });
      return toI64(n0, l0, positionOf(n0, l0, next.getResult(0)));
    });
  }
  if (order)
    return order;
  sizes[dim] = b.getIndexAttr(kept);
  return buildParallel(b, loc, {}, {}, sizes, b.getI64Type(), [&](OpBuilder &n0, Location l, ValueRange) -> Value {
    return toI64(n0, l, linalg::IndexOp::create(n0, l, dim));
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

Landings::Landings(OpBuilder &b, Location loc, Value keys, int64_t dim) : keys(keys), dim(dim) {
  int64_t count = tensorType(keys).getDimSize(dim);
  if (count <= kFewEntries)
    return;
  order = sortedPositions(b, loc, keys, b.getI64Type(), dim, /*descending=*/false, count);
  this->keys = gatherAlong(b, loc, keys, order, dim);
}

SmallVector<Value>
Landings::forEach(OpBuilder &b, Location loc, ArrayRef<Value> row, Value place, ValueRange init,
                  llvm::function_ref<SmallVector<Value>(OpBuilder &, Location, Value, ValueRange)> step) const {
  Value zero = indexConstant(b, loc, 0), one = indexConstant(b, loc, 1);
  Value count = indexConstant(b, loc, tensorType(keys).getDimSize(dim));
  auto keyOf = [&](OpBuilder &n, Location l, Value entry) {
    SmallVector<Value> position(row);
    position[dim] = entry;
    return extractIndex(n, l, keys, position);
  };
  if (!order) {
    auto loop = scf::ForOp::create(
        b, loc, zero, count, one, init, [&](OpBuilder &n, Location l, Value entry, ValueRange state) {
          Value lands = arith::CmpIOp::create(n, l, arith::CmpIPredicate::eq, keyOf(n, l, entry), place);
          auto branch = scf::IfOp::create(
              n, l, lands, [&](OpBuilder &m, Location k) { scf::YieldOp::create(m, k, step(m, k, entry, state)); },
              [&](OpBuilder &m, Location k) { scf::YieldOp::create(m, k, state); });
          scf::YieldOp::create(n, l, branch.getResults());
        });
    return SmallVector<Value>(loop.getResults());
  }
  auto firstFrom = [&](Value key) {
    return searchFirst(b, loc, zero, count,
                       [&](OpBuilder &n, Location l, Value middle) { return isLess(n, l, keyOf(n, l, middle), key); });
  };
  Value first = firstFrom(place), behind = firstFrom(addIndex(b, loc, place, one));
  auto loop =
      scf::ForOp::create(b, loc, first, behind, one, init, [&](OpBuilder &n, Location l, Value at, ValueRange state) {
        SmallVector<Value> position(row);
        position[dim] = at;
        Value entry = extractIndex(n, l, order, position);
        scf::YieldOp::create(n, l, step(n, l, entry, state));
      });
  return SmallVector<Value>(loop.getResults());
}
