// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of operations at a place of the loop nest, and their memory.

#include "Emit/KernelEmitter.h"
#include "fxgraph/Conversion/Scalars.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace vector = mlir::vector;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

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

/// What is in memory at the address of a load, as it is there.
Value KernelEmitter::loadMemory(Scope &scope, const Prim &prim) {
  const KernelArray &array = ir.arrays[prim.array];
  if (auto staged = ownRun.loads.find(&prim - ir.prims.data()); staged != ownRun.loads.end())
    return memref::LoadOp::create(b, loc, staged->second, getInRun(scope, prim.address));
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

void KernelEmitter::emitStore(Scope &scope, const KernelStore &store) {
  const KernelArray &array = ir.arrays[store.array];
  Value memory = getMemory(scope, store.array);
  bool wide = varies(scope, store.address);
  Value value = toMemory(widen(scope, scope.find(store.prim), wide), array.elementType);
  if (auto staged = ownRun.stores.find(&store - ir.stores.data()); staged != ownRun.stores.end()) {
    memref::StoreOp::create(b, loc, value, staged->second, getInRun(scope, store.address));
    return;
  }
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
// Operations
//===----------------------------------------------------------------------===//

Value KernelEmitter::widen(const Scope &scope, Value value, bool wide) {
  if (!wide || isa<mlir::VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      b, loc, mlir::VectorType::get({static_cast<int64_t>(scope.lanes)}, value.getType()), value);
}

Value KernelEmitter::getLane(Value value, int64_t lane) {
  return isa<mlir::VectorType>(value.getType()) ? vector::ExtractOp::create(b, loc, value, lane).getResult() : value;
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
