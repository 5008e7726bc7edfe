// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RuntimeCalls.h"
#include "fxgraph/Support/RuntimeDtype.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fxgraph;
using namespace fxgraph::lowering;
using namespace mlir;

/// A fresh row-major buffer of these extents.
static Value allocate(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes, Type storage) {
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  return memref::AllocOp::create(b, loc, MemRefType::get(shape, storage), dynamic, b.getI64IntegerAttr(64));
}

static Value addressOf(OpBuilder &b, Location loc, Value buffer) {
  Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), pointer);
}

/// Declares a function of the runtime once and calls it.
static Value call(OpBuilder &b, Location loc, StringRef callee, Type result, ValueRange operands) {
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(callee)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    func::FuncOp::create(b, loc, callee, b.getFunctionType(operands.getTypes(), result)).setPrivate();
  }
  return func::CallOp::create(b, loc, callee, result, operands).getResult(0);
}

/// What the runtime has written.
static Value toTensor(OpBuilder &b, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return bufferization::ToTensorOp::create(b, loc, RankedTensorType::get(type.getShape(), type.getElementType()),
                                           buffer, /*restrict=*/true, /*writable=*/false);
}

std::pair<Value, Value> lowering::callSort(OpBuilder &b, Location loc, Value input, Type dtype,
                                           ArrayRef<OpFoldResult> result, OpFoldResult outer, OpFoldResult n,
                                           OpFoldResult kept, OpFoldResult inner, bool descending) {
  Type storage = getStorageType(dtype), i64 = b.getI64Type();
  Value source = allocate(b, loc, getSizes(b, loc, input), storage);
  bufferization::MaterializeInDestinationOp::create(b, loc, TypeRange(), input, source, /*restrict=*/true,
                                                    /*writable=*/true);
  Value values = allocate(b, loc, result, storage), indices = allocate(b, loc, result, i64);
  SmallVector<Value> operands{addressOf(b, loc, source), addressOf(b, loc, values), addressOf(b, loc, indices)};
  for (OpFoldResult size : {outer, n, kept, inner})
    operands.push_back(arith::IndexCastOp::create(b, loc, i64, toIndexValue(b, loc, size)));
  operands.push_back(arith::ConstantIntOp::create(b, loc, i64, getRuntimeDtype(dtype)));
  operands.push_back(arith::ConstantIntOp::create(b, loc, i64, descending));

  Value status = call(b, loc, "fxcpu_sort", i64, operands);
  Value zero = arith::ConstantIntOp::create(b, loc, i64, 0);
  assertTrue(b, loc, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, status, zero), "out of memory");
  return {toTensor(b, loc, values), toTensor(b, loc, indices)};
}

/// The number of elements, as an i64.
static Value countElements(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes) {
  OpFoldResult count = b.getIndexAttr(1);
  for (OpFoldResult size : sizes)
    count = mulSizes(b, loc, count, size);
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), toIndexValue(b, loc, count));
}

Value lowering::callRandom(OpBuilder &b, Location loc, Draw draw, Type dtype, ArrayRef<OpFoldResult> sizes,
                           double parameter) {
  Type i64 = b.getI64Type();
  Value buffer = allocate(b, loc, sizes, getStorageType(dtype));
  Value operands[] = {arith::ConstantIntOp::create(b, loc, i64, static_cast<int64_t>(draw)), addressOf(b, loc, buffer),
                      countElements(b, loc, sizes), arith::ConstantIntOp::create(b, loc, i64, getRuntimeDtype(dtype)),
                      arith::ConstantFloatOp::create(b, loc, b.getF64Type(), APFloat(parameter))};
  call(b, loc, "fxcpu_random", i64, operands);
  return toTensor(b, loc, buffer);
}

Value lowering::callRandomIntegers(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes, int64_t low,
                                   int64_t high) {
  Type i64 = b.getI64Type();
  Value buffer = allocate(b, loc, sizes, i64);
  Value operands[] = {addressOf(b, loc, buffer), countElements(b, loc, sizes),
                      arith::ConstantIntOp::create(b, loc, i64, low), arith::ConstantIntOp::create(b, loc, i64, high)};
  call(b, loc, "fxcpu_random_integers", i64, operands);
  return toTensor(b, loc, buffer);
}
