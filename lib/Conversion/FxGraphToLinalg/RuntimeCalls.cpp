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

  StringRef callee = "fxcpu_sort";
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(callee)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = b.getFunctionType(SmallVector<Type>(operands.size(), i64), i64);
    func::FuncOp::create(b, loc, callee, type).setPrivate();
  }
  Value status = func::CallOp::create(b, loc, callee, i64, operands).getResult(0);
  Value zero = arith::ConstantIntOp::create(b, loc, i64, 0);
  assertTrue(b, loc, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, status, zero), "out of memory");
  auto toTensor = [&](Value buffer) -> Value {
    auto type = cast<MemRefType>(buffer.getType());
    return bufferization::ToTensorOp::create(b, loc, RankedTensorType::get(type.getShape(), type.getElementType()),
                                             buffer,
                                             /*restrict=*/true, /*writable=*/false);
  };
  return {toTensor(values), toTensor(indices)};
}
