// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices and addresses in arith ops.

#include "Emit/KernelEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace vector = mlir::vector;

Value KernelEmitter::evaluateAtom(Scope &scope, unsigned id, unsigned lane) {
  const IndexSpace::Atom &atom = ir.space.getAtom(id);
  bool perLane =
      scope.lanes > 1 && static_cast<unsigned>(scope.vectorDim) < atom.dims.size() && atom.dims.test(scope.vectorDim);
  auto key = std::make_pair(id, perLane ? lane : 0u);
  if (auto it = scope.atoms.find(key); it != scope.atoms.end())
    return it->second;
  Value value;
  switch (atom.kind) {
  case IndexSpace::AtomKind::Dim:
    value = scope.dims[atom.number];
    if (perLane && lane > 0)
      value = addIndex(value, index(lane));
    break;
  case IndexSpace::AtomKind::FloorDiv:
  case IndexSpace::AtomKind::Mod: {
    auto [lo, hi] = ir.space.getRange(atom.inner);
    // Shifted to where truncating and flooring agree.
    int64_t shift = lo < 0 ? (-lo + atom.a - 1) / atom.a : 0;
    bool isStep = perLane && ir.space.getStride(atom.inner, scope.vectorDim) == 1 &&
                  !ir.space.occursInside(atom.inner, scope.vectorDim) && atom.a >= scope.lanes;
    Value inner = evaluate(scope, atom.inner, isStep ? 0 : lane);
    if (shift)
      inner = addIndex(inner, index(shift * atom.a));
    if (isStep && lane > 0) { // A vector goes past a multiple of the divisor once, if at all.
      Value rest = addIndex(arith::RemUIOp::create(b, loc, inner, index(atom.a)), index(lane));
      Value isBehind = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, rest, index(atom.a));
      if (atom.kind == IndexSpace::AtomKind::Mod) {
        value = math.select(isBehind, addIndex(rest, index(-atom.a)), rest);
      } else {
        value = evaluateAtom(scope, id, 0);
        value = math.select(isBehind, addIndex(value, index(1)), value);
      }
      break;
    }
    if (atom.kind == IndexSpace::AtomKind::Mod) {
      value = arith::RemUIOp::create(b, loc, inner, index(atom.a));
    } else {
      value = arith::DivUIOp::create(b, loc, inner, index(atom.a));
      if (shift)
        value = addIndex(value, index(-shift));
    }
    break;
  }
  case IndexSpace::AtomKind::Clamp: {
    value = evaluate(scope, atom.inner, lane);
    auto [lo, hi] = ir.space.getRange(atom.inner);
    if (lo < atom.a)
      value = arith::MaxSIOp::create(b, loc, value, index(atom.a));
    if (hi > atom.b)
      value = arith::MinSIOp::create(b, loc, value, index(atom.b));
    break;
  }
  case IndexSpace::AtomKind::Symbol: {
    unsigned prim = ir.symbols.lookup(atom.number);
    Value loaded = scope.find(prim);
    loaded = getLane(loaded, lane);
    if (ir.prims[prim].isUnsigned || ir.prims[prim].type.isInteger(1))
      value = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), loaded);
    else
      value = arith::IndexCastOp::create(b, loc, b.getIndexType(), loaded);
    // Negative indices count from the end; what is out of range is an error, and clamped.
    Value below = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, value, index(atom.a));
    Value above = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, value, index(atom.b));
    (void)guarded(arith::OrIOp::create(b, loc, below, above), [&] {
      Value code = math.integer(b.getI32Type(), ir.errorCode);
      memref::StoreOp::create(b, loc, code, function.getArguments().back(), ValueRange());
      return success();
    });
    Value negative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, value, index(0));
    value = math.select(negative, addIndex(value, index(atom.hi + 1)), value);
    value = arith::MaxSIOp::create(b, loc, value, index(0));
    value = arith::MinSIOp::create(b, loc, value, index(atom.hi));
    break;
  }
  }
  scope.atoms[key] = value;
  return value;
}

Value KernelEmitter::evaluate(Scope &scope, const IndexExpr &expr, unsigned lane) {
  Value sum;
  auto add = [&](Value value, int64_t coefficient) {
    Value term = mulIndex(value, coefficient);
    sum = sum ? addIndex(sum, term) : term;
  };
  int64_t constant = expr.constant;
  llvm::SmallDenseSet<unsigned> known; // dimensions of positions
  for (auto [dims, position] : scope.positions) {
    std::optional<int64_t> stride = getDenseStride(ir, expr, dims);
    if (dims.size() == 1 || !stride || known.contains(dims.front()))
      continue;
    bool isVector = scope.lanes > 1 && static_cast<int>(dims.back()) == scope.vectorDim;
    add(isVector && lane > 0 ? addIndex(position, index(lane)) : position, *stride);
    known.insert(dims.begin(), dims.end());
  }
  for (const auto &[id, coefficient] : expr.terms) {
    const IndexSpace::Atom &atom = ir.space.getAtom(id);
    bool isDim = atom.kind == IndexSpace::AtomKind::Dim;
    if (isDim && static_cast<int>(atom.number) == scope.stepDim) {
      add(scope.stepFirst, coefficient);
      constant += scope.step * coefficient;
    } else if (!isDim || !known.contains(atom.number)) {
      add(evaluateAtom(scope, id, lane), coefficient);
    }
  }
  if (!sum)
    return index(constant);
  return constant ? addIndex(sum, index(constant)) : sum;
}

/// A row-major position along `dims` that counts vectors of `lanes` elements along the
/// last of them.
SmallVector<Digit> KernelEmitter::getDigits(ArrayRef<unsigned> dims, unsigned lanes) const {
  SmallVector<Digit> digits;
  for (unsigned dim : dims)
    digits.push_back({dim, ir.space.getSize(dim), 1});
  if (!digits.empty()) {
    digits.back().count /= lanes;
    digits.back().step = lanes;
  }
  return digits;
}

/// The same for kernels that read an array across: along another dimension than the one
/// that is written along. The threads of a warp cover a tile instead of a row, so that
/// they use whole sectors of memory on both sides.
SmallVector<Digit> KernelEmitter::getTiledDigits(ArrayRef<unsigned> dims, unsigned lanes) const {
  SmallVector<Digit> digits = getDigits(dims, lanes);
  if (dims.size() < 2)
    return digits;
  unsigned last = dims.back(), across = last;
  int64_t width = 0; // of the tile along `across`
  for (unsigned i = 0; i < ir.prims.size(); ++i) {
    const Prim &prim = ir.prims[i];
    if (prim.kind != Prim::Kind::Load || !uses.live.test(i) || !ir.space.getDims(prim.address).test(last) ||
        isContiguous(ir, prim.address, last))
      continue;
    auto dim = llvm::find_if(dims, [&](unsigned dim) { return isContiguous(ir, prim.address, dim); });
    int64_t elements = kSectorBytes / getMemoryBytes(ir.arrays[prim.array].elementType);
    if (dim == dims.end() || static_cast<int>(*dim) == ir.tableDim || elements <= width)
      continue;
    across = *dim;
    width = elements;
  }
  if (across == last)
    return digits;
  width = std::min<int64_t>(width, kWarpSize);
  int64_t height = kWarpSize / width; // vectors along the last dimension
  Digit &outer = *llvm::find_if(digits, [&](const Digit &digit) { return digit.dim == across; });
  if (outer.count % width != 0 || digits.back().count % height != 0)
    return digits;
  // From one warp to the next along `across`: they read on where the one before stopped.
  Digit wide{across, outer.count / width, width};
  digits.erase(&outer);
  digits.back().count /= height;
  digits.back().step *= height;
  digits.append({wide, {last, height, static_cast<int64_t>(lanes)}, {across, width, 1}});
  return digits;
}

/// The indices at a position whose last digit changes fastest.
void KernelEmitter::delinearize(Value position, ArrayRef<Digit> digits, SmallVectorImpl<Value> &values) {
  for (size_t i = digits.size(); i-- > 0;) {
    const Digit &digit = digits[i];
    Value at = position;
    if (i > 0) {
      at = arith::RemUIOp::create(b, loc, position, index(digit.count));
      position = arith::DivUIOp::create(b, loc, position, index(digit.count));
    }
    at = mulIndex(at, digit.step);
    Value &value = values[digit.dim];
    value = value ? addIndex(value, at) : at;
  }
}

/// An index as integer value(s) of `type`.
Value KernelEmitter::indexVector(Scope &scope, const IndexExpr &expr, Type type) {
  auto toInteger = [&](Value value) -> Value {
    if (isa<FloatType>(type)) {
      Value wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
      return arith::SIToFPOp::create(b, loc, type, wide);
    }
    return arith::IndexCastOp::create(b, loc, type, value);
  };
  if (!varies(scope, expr))
    return toInteger(evaluate(scope, expr, 0));
  SmallVector<Value> elements;
  for (unsigned lane = 0; lane < scope.lanes; ++lane)
    elements.push_back(toInteger(evaluate(scope, expr, lane)));
  return vector::FromElementsOp::create(b, loc, mlir::VectorType::get({static_cast<int64_t>(scope.lanes)}, type),
                                        elements);
}
