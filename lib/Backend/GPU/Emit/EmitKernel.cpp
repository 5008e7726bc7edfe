// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/KernelEmitter.h"
#include "fxgraph/Conversion/Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

//===----------------------------------------------------------------------===//
// Function
//===----------------------------------------------------------------------===//

/// A function with the arguments of kernels, one after the other.
mlir::gpu::GPUFuncOp KernelEmitter::createFunction(OpBuilder &b, Location loc, StringRef name,
                                                   ArrayRef<const KernelIR *> kernels, int64_t block) {
  SmallVector<Type> types;
  for (const KernelIR *ir : kernels) {
    for (const KernelArray &array : ir->arrays) {
      if (array.table)
        types.push_back(mlir::LLVM::LLVMPointerType::get(b.getContext()));
      else
        types.push_back(mlir::MemRefType::get({}, getMemoryType(array.elementType)));
    }
    if (ir->errorCode)
      types.push_back(mlir::MemRefType::get({}, b.getI32Type()));
  }
  mlir::gpu::GPUFuncOp function = createKernelFunction(b, loc, name, types, block);
  unsigned i = 0;
  for (const KernelIR *ir : kernels) {
    for (const KernelArray &array : ir->arrays) {
      if (array.table) {
        Type table = mlir::LLVM::LLVMArrayType::get(b.getI64Type(), array.instances.size());
        describeByValue(function, i++, table, sizeof(uint64_t));
      } else {
        describePointer(function, i++, !array.written, array.align);
      }
    }
    i += ir->errorCode != 0;
  }
  b.setInsertionPointToStart(&function.getBody().front());
  return function;
}

void KernelEmitter::openBlocks(int64_t grid, int64_t block) {
  launch = {grid, block};
  unsigned first = 0;
  if (shared) {
    function = shared->function;
    first = shared->nextArgument;
    shared->nextArgument += ir.arrays.size();
    shared->nextBlock += grid;
    Value isMine = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, shared->block, index(shared->nextBlock));
    auto choice = scf::IfOp::create(b, loc, isMine, /*withElseRegion=*/true);
    shared->others = choice.elseBlock();
    b.setInsertionPointToStart(choice.thenBlock());
    blockId = arith::SubIOp::create(b, loc, shared->block, index(shared->nextBlock - grid));
  } else {
    function = createFunction(b, loc, ir.name, &ir, block);
    setKnownGrid(function, grid);
    if (schedule.cluster > 1)
      function.setKnownClusterSizeAttr(b.getDenseI32ArrayAttr({static_cast<int32_t>(schedule.cluster), 1, 1}));
    function->setAttr("fxgraph.schedule", schedule.toAttribute(b.getContext()));
    blockId = mlir::gpu::BlockIdOp::create(b, loc, mlir::gpu::Dimension::x);
  }
  threadId = mlir::gpu::ThreadIdOp::create(b, loc, mlir::gpu::Dimension::x);
  for (const auto &[i, array] : llvm::enumerate(ir.arrays)) {
    arguments.push_back(function.getArgument(first + i));
    if (array.table) {
      arrays.push_back(Value());
      continue;
    }
    auto type = mlir::MemRefType::get({array.extent}, getMemoryType(array.elementType));
    arrays.push_back(memref::ReinterpretCastOp::create(b, loc, type, arguments.back(), /*offset=*/0,
                                                       ArrayRef<int64_t>{array.extent}, ArrayRef<int64_t>{1}));
  }
}

/// The memory of an array at the scope's position.
Value KernelEmitter::getMemory(Scope &scope, unsigned id) {
  const KernelArray &array = ir.arrays[id];
  if (!array.table)
    return arrays[id];
  for (const Scope *outer = &scope; outer; outer = outer->parent)
    if (auto it = outer->tables.find(id); it != outer->tables.end())
      return it->second;
  namespace LLVM = mlir::LLVM;
  MLIRContext *context = b.getContext();
  Type i64 = b.getI64Type(), pointer = LLVM::LLVMPointerType::get(context),
       global = LLVM::LLVMPointerType::get(context, 1);
  Value instance = arith::IndexCastOp::create(b, loc, i64, scope.dims[ir.tableDim]);
  Value slot = LLVM::GEPOp::create(b, loc, pointer, i64, arguments[id], ArrayRef<LLVM::GEPArg>{instance});
  Value address = LLVM::IntToPtrOp::create(b, loc, global, LLVM::LoadOp::create(b, loc, i64, slot, 8).getResult());
  // A memref around the pointer.
  auto one = LLVM::LLVMArrayType::get(i64, 1);
  auto descriptor = LLVM::LLVMStructType::getLiteral(context, {global, global, i64, one, one});
  Value memory = LLVM::PoisonOp::create(b, loc, descriptor);
  auto insert = [&](Value value, ArrayRef<int64_t> at) {
    memory = LLVM::InsertValueOp::create(b, loc, memory, value, at);
  };
  insert(address, {0});
  insert(address, {1});
  insert(math.integer(i64, 0), {2});
  insert(math.integer(i64, array.extent), {3, 0});
  insert(math.integer(i64, 1), {4, 0});
  auto type = mlir::MemRefType::get({array.extent}, getMemoryType(array.elementType), mlir::MemRefLayoutAttrInterface(),
                                    b.getI64IntegerAttr(1));
  Value view = mlir::UnrealizedConversionCastOp::create(b, loc, type, memory).getResult(0);
  scope.tables[id] = view;
  return view;
}

void KernelEmitter::openTables(Scope &scope) {
  for (unsigned id = 0; id < ir.arrays.size(); ++id)
    getMemory(scope, id);
}

LogicalResult KernelEmitter::guarded(Value condition, function_ref<LogicalResult()> body) {
  if (!condition)
    return body();
  auto guard = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(guard.thenBlock());
  return body();
}

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

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
    Value inner = evaluate(scope, atom.inner, lane);
    auto [lo, hi] = ir.space.getRange(atom.inner);
    // Shifted to where truncating and flooring agree.
    int64_t shift = lo < 0 ? (-lo + atom.a - 1) / atom.a : 0;
    if (shift)
      inner = addIndex(inner, index(shift * atom.a));
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
  llvm::SmallDenseSet<unsigned> known; // dimensions of positions
  for (auto [dims, position] : scope.positions) {
    std::optional<int64_t> stride = getDenseStride(ir, expr, dims);
    if (dims.size() == 1 || !stride)
      continue;
    bool isVector = scope.lanes > 1 && static_cast<int>(dims.back()) == scope.vectorDim;
    add(isVector && lane > 0 ? addIndex(position, index(lane)) : position, *stride);
    known.insert(dims.begin(), dims.end());
  }
  for (const auto &[id, coefficient] : expr.terms) {
    const IndexSpace::Atom &atom = ir.space.getAtom(id);
    if (atom.kind != IndexSpace::AtomKind::Dim || !known.contains(atom.number))
      add(evaluateAtom(scope, id, lane), coefficient);
  }
  if (!sum)
    return index(expr.constant);
  return expr.constant ? addIndex(sum, index(expr.constant)) : sum;
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

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value KernelEmitter::widen(const Scope &scope, Value value, bool wide) {
  if (!wide || isa<mlir::VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      b, loc, mlir::VectorType::get({static_cast<int64_t>(scope.lanes)}, value.getType()), value);
}

Value KernelEmitter::fromMemory(Value value, Type elementType) {
  if (elementType.isInteger(1))
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, math.integer(value.getType(), 0));
  return lowering::loadElement(b, loc, value, elementType);
}

Value KernelEmitter::toMemory(Value value, Type elementType) {
  if (elementType.isInteger(1))
    return arith::ExtUIOp::create(b, loc, withScalarType(value.getType(), b.getI8Type()), value);
  return lowering::storeElement(b, loc, value, elementType);
}

Value KernelEmitter::getLane(Value value, int64_t lane) {
  return isa<mlir::VectorType>(value.getType()) ? vector::ExtractOp::create(b, loc, value, lane).getResult() : value;
}

/// What is in memory at the address of a load, as it is there.
Value KernelEmitter::loadMemory(Scope &scope, const Prim &prim) {
  const KernelArray &array = ir.arrays[prim.array];
  Value memory = getMemory(scope, prim.array);
  if (!varies(scope, prim.address))
    return memref::LoadOp::create(b, loc, memory, evaluate(scope, prim.address, 0));
  auto type = mlir::VectorType::get({static_cast<int64_t>(scope.lanes)}, getMemoryType(array.elementType));
  if (isContiguous(ir, prim.address, scope.vectorDim)) {
    auto load = vector::LoadOp::create(b, loc, type, memory, evaluate(scope, prim.address, 0));
    load.setAlignmentAttr(b.getI64IntegerAttr(getAlignment(scope, array, prim.address)));
    return load;
  }
  SmallVector<Value> elements;
  for (unsigned lane = 0; lane < scope.lanes; ++lane)
    elements.push_back(memref::LoadOp::create(b, loc, memory, evaluate(scope, prim.address, lane)));
  return vector::FromElementsOp::create(b, loc, type, elements);
}

Value KernelEmitter::emitLoad(Scope &scope, const Prim &prim) {
  return fromMemory(loadMemory(scope, prim), ir.arrays[prim.array].elementType);
}

Value KernelEmitter::emitTests(Scope &scope, ArrayRef<RangeTest> tests) {
  bool wide = llvm::any_of(tests, [&](const RangeTest &test) { return varies(scope, test.expr); });
  Value all;
  auto both = [&](Value condition) {
    condition = widen(scope, condition, wide);
    all = all ? arith::AndIOp::create(b, loc, all, condition).getResult() : condition;
  };
  for (const RangeTest &test : tests) {
    auto [lo, hi] = ir.space.getRange(test.expr);
    Value value = indexVector(scope, test.expr, b.getI64Type());
    auto bound = [&](int64_t number) { return math.integer(value.getType(), number); };
    bool symbolic = ir.space.isSymbolic(test.expr);
    if (lo < test.lo || symbolic)
      both(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, value, bound(test.lo)));
    if (hi > test.hi || symbolic)
      both(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, value, bound(test.hi)));
  }
  if (!all)
    all = math.integer(b.getI1Type(), 1);
  return all;
}

FailureOr<Value> KernelEmitter::computePrim(Scope &scope, const Prim &prim) {
  bool wide = varies(scope, prim.dims);
  SmallVector<Value, 3> operands;
  for (unsigned operand : prim.operands)
    operands.push_back(prim.kind == Prim::Kind::Reduce ? Value() : widen(scope, scope.find(operand), wide));
  switch (prim.kind) {
  case Prim::Kind::Load:
    return emitLoad(scope, prim);
  case Prim::Kind::Constant:
    return math.constant(prim.type, prim.constant);
  case Prim::Kind::Coordinate:
    return indexVector(scope, prim.address, prim.type);
  case Prim::Kind::Select: {
    Value condition = prim.tests.empty() ? operands[2] : emitTests(scope, prim.tests);
    return math.select(condition, operands[0], operands[1]);
  }
  case Prim::Kind::Pointwise: {
    Value value = math.pointwise(prim.op, operands);
    if (!value)
      return prim.op->emitOpError("has no GPU form");
    return value;
  }
  case Prim::Kind::Arithmetic:
    return math.arithmetic(prim.arithmetic, operands);
  case Prim::Kind::Cast:
    return math.convert(operands[0], prim.type, ir.prims[prim.operands[0]].isUnsigned, prim.isUnsigned);
  case Prim::Kind::Round:
    return math.round(operands[0], prim.rounded);
  case Prim::Kind::Reduce:
    if (ir.emptyReduction)
      return isArg(prim) ? math.integer(prim.type, 0) : math.neutral(prim.reduce, prim.type, prim.isUnsigned);
    return emitError(loc, "internal error: a reduction is used before its loop");
  case Prim::Kind::Scan:
    return emitError(loc, "internal error: a reduction is used before its loop");
  }
  return failure();
}

/// Computes what the targets need and the scope lacks, operands first.
LogicalResult KernelEmitter::compute(Scope &scope, ArrayRef<unsigned> targets) {
  llvm::BitVector needed(ir.prims.size());
  SmallVector<unsigned> pending(targets.begin(), targets.end());
  auto needSymbols = [&](const IndexExpr &expr) {
    ir.visitSymbols(expr, [&](unsigned prim) { pending.push_back(prim); });
  };
  while (!pending.empty()) {
    unsigned id = pending.pop_back_val();
    if (needed.test(id) || scope.find(id))
      continue;
    needed.set(id);
    const Prim &prim = ir.prims[id];
    if (prim.kind == Prim::Kind::Reduce || prim.kind == Prim::Kind::Scan)
      continue;
    pending.append(prim.operands.begin(), prim.operands.end());
    if (prim.kind == Prim::Kind::Load || prim.kind == Prim::Kind::Coordinate)
      needSymbols(prim.address);
    for (const RangeTest &test : prim.tests)
      needSymbols(test.expr);
  }
  for (unsigned id : needed.set_bits()) {
    FailureOr<Value> value = computePrim(scope, ir.prims[id]);
    if (failed(value))
      return failure();
    scope.prims[id] = *value;
  }
  return success();
}

void KernelEmitter::emitStore(Scope &scope, const KernelStore &store) {
  const KernelArray &array = ir.arrays[store.array];
  Value memory = getMemory(scope, store.array);
  bool wide = varies(scope, store.address);
  Value value = toMemory(widen(scope, scope.find(store.prim), wide), array.elementType);
  if (!wide) {
    memref::StoreOp::create(b, loc, value, memory, evaluate(scope, store.address, 0));
    return;
  }
  if (isContiguous(ir, store.address, scope.vectorDim)) {
    auto stored = vector::StoreOp::create(b, loc, value, memory, evaluate(scope, store.address, 0));
    stored.setAlignmentAttr(b.getI64IntegerAttr(getAlignment(scope, array, store.address)));
    return;
  }
  for (unsigned lane = 0; lane < scope.lanes; ++lane) {
    Value element = vector::ExtractOp::create(b, loc, value, static_cast<int64_t>(lane));
    memref::StoreOp::create(b, loc, element, memory, evaluate(scope, store.address, lane));
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

SmallVector<unsigned> KernelEmitter::reducesOfPhase(unsigned phase) const {
  SmallVector<unsigned> reduces;
  for (const auto &[i, prim] : llvm::enumerate(ir.prims))
    if (prim.kind == Prim::Kind::Reduce && prim.phase == phase && uses.live.test(i))
      reduces.push_back(i);
  return reduces;
}

ReduceState KernelEmitter::neutralState(unsigned reduce, unsigned lanes) {
  const Prim &prim = ir.prims[reduce];
  Type type = ir.prims[prim.operands[0]].type;
  if (isArg(prim))
    return {math.neutral(prim.reduce, type, prim.isUnsigned),
            math.integer(b.getI64Type(), std::numeric_limits<int64_t>::max())};
  if (lanes > 1)
    type = mlir::VectorType::get({static_cast<int64_t>(lanes)}, type);
  return {math.neutral(prim.reduce, type, prim.isUnsigned)};
}

ReduceState KernelEmitter::combineStates(unsigned reduce, const ReduceState &lhs, const ReduceState &rhs) {
  const Prim &prim = ir.prims[reduce];
  if (!isArg(prim))
    return {math.combine(prim.reduce, lhs[0], rhs[0], prim.isUnsigned)};
  // The first NaN wins, then the first extremum.
  Value a = lhs[0], c = rhs[0];
  bool largest = prim.reduce == ReduceKind::ArgMax;
  Value better, equal;
  if (isa<FloatType>(a.getType())) {
    better = arith::CmpFOp::create(b, loc, largest ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, c, a);
    equal = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, c, a);
    Value nanA = math.isNaN(a), nanC = math.isNaN(c);
    Value notNanA = arith::XOrIOp::create(b, loc, nanA, math.integer(b.getI1Type(), 1));
    better = arith::OrIOp::create(b, loc, better, arith::AndIOp::create(b, loc, nanC, notNanA));
    equal = arith::OrIOp::create(b, loc, equal, arith::AndIOp::create(b, loc, nanA, nanC));
  } else {
    bool plain = prim.isUnsigned || a.getType().isInteger(1);
    using P = arith::CmpIPredicate;
    better = arith::CmpIOp::create(b, loc, largest ? (plain ? P::ugt : P::sgt) : (plain ? P::ult : P::slt), c, a);
    equal = arith::CmpIOp::create(b, loc, P::eq, c, a);
  }
  Value earlier = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, rhs[1], lhs[1]);
  Value take = arith::OrIOp::create(b, loc, better, arith::AndIOp::create(b, loc, equal, earlier));
  return {math.select(take, c, a), math.select(take, rhs[1], lhs[1])};
}

/// Adds the elements at the scope's position to the state; where `valid` is
/// false (rows that do not fill their threads) nothing changes.
LogicalResult KernelEmitter::accumulate(Scope &scope, unsigned reduce, ReduceState &state, Value valid) {
  const Prim &prim = ir.prims[reduce];
  bool vectorState = isa<mlir::VectorType>(state[0].getType());
  const Prim &operand = ir.prims[prim.operands[0]];
  // A sum of products keeps the product's low bits (fma), as matrix units do.
  bool product = prim.reduce == ReduceKind::Sum && operand.kind == Prim::Kind::Arithmetic &&
                 operand.arithmetic == Arith::Mul && uses.counts[prim.operands[0]] == 1 &&
                 isa<FloatType>(operand.type) && !scope.find(prim.operands[0]);
  if (product) {
    if (failed(compute(scope, operand.operands)))
      return failure();
    Value lhs = widen(scope, scope.find(operand.operands[0]), vectorState),
          rhs = widen(scope, scope.find(operand.operands[1]), vectorState);
    Value next = mlir::math::FmaOp::create(b, loc, lhs, rhs, state[0]);
    state = {valid ? math.select(valid, next, state[0]) : next};
    return success();
  }
  if (failed(compute(scope, prim.operands)))
    return failure();
  ReduceState element;
  for (unsigned id : prim.operands)
    element.push_back(widen(scope, scope.find(id), vectorState));
  if (valid) {
    ReduceState none = neutralState(reduce, vectorState ? scope.lanes : 1);
    for (auto [value, otherwise] : llvm::zip_equal(element, none))
      value = math.select(valid, value, otherwise);
  }
  state = combineStates(reduce, state, element);
  return success();
}

ReduceState KernelEmitter::collapseLanes(unsigned reduce, const ReduceState &state) {
  auto type = dyn_cast<mlir::VectorType>(state[0].getType());
  if (!type)
    return state;
  SmallVector<Value> values;
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane)
    values.push_back(vector::ExtractOp::create(b, loc, state[0], lane));
  while (values.size() > 1) {
    size_t half = values.size() / 2;
    for (size_t i = 0; i < half; ++i)
      values[i] = combineStates(reduce, {values[i]}, {values[i + half]})[0];
    values.resize(half);
  }
  return {values[0]};
}

/// The value of the lane whose number differs in the bits of `offset`.
Value KernelEmitter::shuffle(Value value, unsigned offset) {
  Type type = value.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isF32() || type.isInteger(32))
    return mlir::gpu::ShuffleOp::create(b, loc, value, offset, 32, mlir::gpu::ShuffleMode::XOR).getShuffleResult();
  if (width == 64) {
    // As two halves.
    Value bits = isa<FloatType>(type) ? arith::BitcastOp::create(b, loc, b.getI64Type(), value).getResult() : value;
    Value low = shuffle(arith::TruncIOp::create(b, loc, b.getI32Type(), bits), offset);
    Value high =
        shuffle(arith::TruncIOp::create(b, loc, b.getI32Type(),
                                        arith::ShRUIOp::create(b, loc, bits, math.integer(b.getI64Type(), 32))),
                offset);
    Value wideLow = arith::ExtUIOp::create(b, loc, b.getI64Type(), low),
          wideHigh = arith::ExtUIOp::create(b, loc, b.getI64Type(), high);
    Value joined = arith::OrIOp::create(b, loc, wideLow,
                                        arith::ShLIOp::create(b, loc, wideHigh, math.integer(b.getI64Type(), 32)));
    return isa<FloatType>(type) ? arith::BitcastOp::create(b, loc, type, joined).getResult() : joined;
  }
  Value wide = arith::ExtUIOp::create(b, loc, b.getI32Type(), value);
  return arith::TruncIOp::create(b, loc, type, shuffle(wide, offset));
}

/// LLVM makes vectors of what is loaded from neighbouring places, whatever their alignment.
Value KernelEmitter::addShared(int64_t count, Type type) {
  auto space = mlir::gpu::AddressSpaceAttr::get(b.getContext(), mlir::gpu::AddressSpace::Workgroup);
  auto memory = mlir::MemRefType::get({count}, type, mlir::MemRefLayoutAttrInterface(), space);
  Value buffer = function.addWorkgroupAttribution(memory, loc);
  function.setWorkgroupAttributionAttr(function.getNumWorkgroupAttributions() - 1, "llvm.align",
                                       b.getI64IntegerAttr(kVectorBytes));
  return buffer;
}

Value KernelEmitter::addSlots(int64_t count, Type type) {
  return addShared(count, type.isInteger(1) ? b.getI8Type() : type);
}

void KernelEmitter::storeSlot(Value value, Value slots, Value at) {
  if (value.getType().isInteger(1))
    value = arith::ExtUIOp::create(b, loc, b.getI8Type(), value);
  memref::StoreOp::create(b, loc, value, slots, at);
}

Value KernelEmitter::loadSlot(Value slots, Value at, Type type) {
  Value loaded = memref::LoadOp::create(b, loc, slots, at);
  return type.isInteger(1) ? arith::TruncIOp::create(b, loc, type, loaded).getResult() : loaded;
}

/// Combines the states of all threads of a row; all of them get the result.
ReduceState KernelEmitter::reduceAcross(unsigned reduce, ReduceState state, unsigned threadsPerRow, Value lane) {
  auto tree = [&](unsigned width) {
    for (unsigned offset = width / 2; offset > 0; offset /= 2) {
      ReduceState other;
      for (Value value : state)
        other.push_back(shuffle(value, offset));
      // Both partners must get the same bits.
      state = combineStates(reduce, state, other);
    }
  };
  tree(std::min(threadsPerRow, 32u));
  if (threadsPerRow <= 32)
    return state;
  // One slot a warp; each warp then combines all slots.
  unsigned warps = threadsPerRow / 32;
  Value warpLane = arith::RemUIOp::create(b, loc, lane, index(32)),
        warp = arith::DivUIOp::create(b, loc, lane, index(32));
  Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, warpLane, index(0));
  SmallVector<Value> slots;
  for (Value value : state)
    slots.push_back(addSlots(warps, value.getType()));
  (void)guarded(first, [&] {
    for (auto [value, slot] : llvm::zip_equal(state, slots))
      storeSlot(value, slot, warp);
    return success();
  });
  mlir::gpu::BarrierOp::create(b, loc);
  Value mine = arith::RemUIOp::create(b, loc, warpLane, index(warps));
  for (auto [value, slot] : llvm::zip_equal(state, slots))
    value = loadSlot(slot, mine, value.getType());
  tree(warps);
  return state;
}

void KernelEmitter::combineInCluster(ArrayRef<unsigned> reduces, MutableArrayRef<ReduceState> states, Value rank) {
  namespace LLVM = mlir::LLVM;
  namespace NVVM = mlir::NVVM;
  int64_t blocks = schedule.cluster;
  Type remote = LLVM::LLVMPointerType::get(b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  SmallVector<SmallVector<Value>> slots;
  for (ReduceState &state : states) {
    SmallVector<Value> &own = slots.emplace_back();
    for (Value value : state)
      own.push_back(addSlots(blocks, value.getType()));
  }
  // A thread for each block writes there what this one has.
  (void)guarded(isBelow(threadId, blocks), [&] {
    Value to = arith::IndexCastOp::create(b, loc, b.getI32Type(), threadId);
    for (auto [state, own] : llvm::zip_equal(states, slots))
      for (auto [value, slot] : llvm::zip_equal(state, own)) {
        Value stored = value;
        if (value.getType().isInteger(1))
          stored = arith::ExtUIOp::create(b, loc, b.getI8Type(), value);
        Value there = NVVM::MapaOp::create(b, loc, remote, getBoxAddress(slot, rank), to);
        LLVM::StoreOp::create(b, loc, stored, there);
      }
    return success();
  });
  NVVM::ClusterArriveOp::create(b, loc, b.getUnitAttr());
  NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
  // In the order of the blocks: all get the same bits.
  for (auto [reduce, state, own] : llvm::zip_equal(reduces, states, slots)) {
    ReduceState total;
    for (int64_t block = 0; block < blocks; ++block) {
      ReduceState other;
      for (auto [value, slot] : llvm::zip_equal(state, own))
        other.push_back(loadSlot(slot, index(block), value.getType()));
      total = block ? combineStates(reduce, total, other) : other;
    }
    state = total;
  }
}

/// Combines the states of the threads of a block whose numbers have the same remainder by `width`; all of them get the
/// result. Vectors are those of neighbouring results.
ReduceState KernelEmitter::reduceStrip(unsigned reduce, const ReduceState &state, unsigned width, Value thread) {
  auto type = dyn_cast<mlir::VectorType>(state[0].getType());
  int64_t lanes = type ? type.getNumElements() : 1;
  SmallVector<ReduceState> states(lanes);
  for (auto [lane, single] : llvm::enumerate(states))
    for (Value value : state)
      single.push_back(getLane(value, lane));
  for (ReduceState &single : states)
    for (unsigned offset = width; offset < kWarpSize; offset *= 2) {
      ReduceState other;
      for (Value value : single)
        other.push_back(shuffle(value, offset));
      single = combineStates(reduce, single, other);
    }
  // What is left: one state of each result and warp, or of a thread if a warp has only different results.
  int64_t group = std::max<int64_t>(width, kWarpSize), groups = schedule.block / group;
  if (groups > 1) {
    Value column = arith::RemUIOp::create(b, loc, thread, index(width));
    Value own = addIndex(mulIndex(arith::DivUIOp::create(b, loc, thread, index(group)), width), column);
    SmallVector<Value> slots;
    for (Value value : states[0])
      slots.push_back(addSlots(groups * width * lanes, value.getType()));
    // A lane of all results, then the next: neighbouring threads use neighbouring banks.
    auto at = [&](Value slot, size_t lane) { return addIndex(slot, index(lane * groups * width)); };
    Value isFirst;
    if (width < kWarpSize)
      isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                      arith::RemUIOp::create(b, loc, thread, index(kWarpSize)), index(width));
    (void)guarded(isFirst, [&] {
      for (const auto &[lane, single] : llvm::enumerate(states))
        for (auto [value, slot] : llvm::zip_equal(single, slots))
          storeSlot(value, slot, at(own, lane));
      return success();
    });
    mlir::gpu::BarrierOp::create(b, loc);
    auto load = [&](Value place) {
      ReduceState loaded;
      for (auto [value, slot] : llvm::zip_equal(states[0], slots))
        loaded.push_back(loadSlot(slot, place, value.getType()));
      return loaded;
    };
    // A thread for each result adds up, and leaves the total to all in the first warp's slot.
    int64_t results = width * lanes;
    Value isAdding = results < schedule.block
                         ? arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, thread, index(results)).getResult()
                         : Value();
    (void)guarded(isAdding, [&] {
      Value lane = arith::DivUIOp::create(b, loc, thread, index(width));
      Value start = addIndex(mulIndex(lane, groups * width), column);
      ReduceState total = load(start);
      for (int64_t i = 1; i < groups; ++i)
        total = combineStates(reduce, total, load(addIndex(start, index(i * width))));
      for (auto [value, slot] : llvm::zip_equal(total, slots))
        storeSlot(value, slot, start);
      return success();
    });
    mlir::gpu::BarrierOp::create(b, loc);
    for (auto [lane, single] : llvm::enumerate(states))
      single = load(at(column, lane));
  }
  if (!type)
    return states[0];
  ReduceState result;
  for (size_t i = 0; i < state.size(); ++i) {
    SmallVector<Value> elements;
    for (const ReduceState &single : states)
      elements.push_back(single[i]);
    result.push_back(vector::FromElementsOp::create(b, loc, type, elements));
  }
  return result;
}

/// Values of the row itself that need no later reduction than `phase`.
LogicalResult KernelEmitter::computeRowValues(Scope &scope, unsigned phase) {
  SmallVector<unsigned> targets;
  for (const auto &[i, prim] : llvm::enumerate(ir.prims))
    if (uses.live.test(i) && prim.phase <= phase && !ir.variesInside(prim) &&
        (prim.kind != Prim::Kind::Reduce || ir.emptyReduction))
      targets.push_back(i);
  return compute(scope, targets);
}

LogicalResult KernelEmitter::emitElementStores(Scope &scope, Value valid) {
  SmallVector<unsigned> targets;
  SmallVector<const KernelStore *> stores;
  for (const KernelStore &store : ir.stores) {
    if (isRowStore(ir, store) || (schedule.exchanges && isStoredAlongRows(ir, store)))
      continue;
    stores.push_back(&store);
    targets.push_back(store.prim);
  }
  if (stores.empty())
    return success();
  if (failed(compute(scope, targets)))
    return failure();
  return guarded(valid, [&] {
    for (const KernelStore *store : stores)
      emitStore(scope, *store);
    return success();
  });
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

FailureOr<LaunchShape> KernelEmitter::run() {
  OpBuilder::InsertionGuard restore(b);
  LogicalResult result = failure();
  switch (schedule.kind) {
  case KernelSchedule::Kind::Flat:
    result = emitFlat();
    break;
  case KernelSchedule::Kind::Boxes:
    result = emitBoxes();
    break;
  case KernelSchedule::Kind::Rows:
  case KernelSchedule::Kind::Strips:
    result = emitReduction();
    break;
  case KernelSchedule::Kind::Loops:
    result = emitLoops();
    break;
  case KernelSchedule::Kind::Scans:
    result = emitScanBoxes();
    break;
  }
  if (failed(result))
    return failure();
  if (!shared) {
    b.setInsertionPointToEnd(&function.getBody().front());
    mlir::gpu::ReturnOp::create(b, loc);
  }
  return launch;
}

FailureOr<LaunchShape> fxgraph::gpu::emitKernels(OpBuilder &builder, StringRef name, ArrayRef<KernelIR> kernels,
                                                 ArrayRef<KernelSchedule> schedules) {
  if (kernels.size() == 1) {
    KernelIR only = kernels.front();
    only.name = name.str();
    KernelUses uses(only);
    return KernelEmitter(builder, only, uses, schedules.front()).run();
  }
  std::vector<KernelUses> uses;
  SmallVector<const KernelIR *> parts;
  for (const KernelIR &kernel : kernels) {
    uses.emplace_back(kernel);
    parts.push_back(&kernel);
  }
  int64_t block = schedules.front().block;
  OpBuilder::InsertionGuard restore(builder);
  Location loc = parts.front()->loc;
  SharedFunction shared;
  shared.function = KernelEmitter::createFunction(builder, loc, name, parts, block);
  shared.block = mlir::gpu::BlockIdOp::create(builder, loc, mlir::gpu::Dimension::x);
  SmallVector<Attribute> texts;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (failed(KernelEmitter(builder, kernels[i], uses[i], schedules[i], &shared).run()))
      return failure();
    texts.push_back(schedules[i].toAttribute(builder.getContext()));
    // The next one's blocks are those that are not this one's.
    builder.setInsertionPointToStart(shared.others);
  }
  shared.function->setAttr("fxgraph.schedule", builder.getArrayAttr(texts));
  setKnownGrid(shared.function, shared.nextBlock);
  builder.setInsertionPointToEnd(&shared.function.getBody().front());
  mlir::gpu::ReturnOp::create(builder, loc);
  return LaunchShape{shared.nextBlock, block};
}
