// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CPULowering.h"
#include "fxgraph/Conversion/LinalgToCPU.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace fxgraph;
using namespace mlir;

Value cpu::buildMemRef(OpBuilder &b, Location loc, Value pointer, MemRefType type, ValueRange dynamicSizes,
                       ValueRange dynamicStrides) {
  // The type says it all: most are only asked for their address.
  auto [strides, offset] = type.getStridesAndOffset();
  if (type.hasStaticShape() && !llvm::is_contained(strides, ShapedType::kDynamic))
    return UnrealizedConversionCastOp::create(b, loc, type, pointer).getResult(0);
  return buildDescriptor(b, loc, pointer, type, dynamicSizes, dynamicStrides);
}

Value cpu::buildDescriptor(OpBuilder &b, Location loc, Value pointer, MemRefType type, ValueRange dynamicSizes,
                           ValueRange dynamicStrides) {
  Type i64 = b.getI64Type(), ptr = pointer.getType();
  int64_t rank = type.getRank();
  SmallVector<Type> fields{ptr, ptr, i64};
  if (rank > 0)
    fields.append(2, LLVM::LLVMArrayType::get(i64, rank));
  Value descriptor = LLVM::PoisonOp::create(b, loc, LLVM::LLVMStructType::getLiteral(b.getContext(), fields));
  auto insert = [&](Value value, ArrayRef<int64_t> position) {
    descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, value, position);
  };
  auto number = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(value));
  };
  insert(pointer, 0);
  insert(pointer, 1);
  insert(number(0), 2);
  SmallVector<int64_t> strides;
  int64_t offset;
  [[maybe_unused]] LogicalResult strided = type.getStridesAndOffset(strides, offset);
  size_t nextSize = 0, nextStride = 0;
  auto asI64 = [&](Value value) -> Value {
    return value.getType().isIndex() ? Value(arith::IndexCastOp::create(b, loc, i64, value)) : value;
  };
  for (int64_t i = 0; i < rank; ++i) {
    insert(type.isDynamicDim(i) ? asI64(dynamicSizes[nextSize++]) : number(type.getDimSize(i)), {3, i});
    if (!ShapedType::isDynamic(strides[i]))
      insert(number(strides[i]), {4, i});
    else if (nextStride < dynamicStrides.size())
      insert(asI64(dynamicStrides[nextStride++]), {4, i});
  }
  // Row-major strides of dynamic extents.
  if (type.getLayout().isIdentity() && !type.hasStaticShape()) {
    Value stride = number(1);
    nextSize = dynamicSizes.size();
    for (int64_t i = rank - 1; i >= 0; --i) {
      insert(stride, {4, i});
      Value size = type.isDynamicDim(i) ? asI64(dynamicSizes[--nextSize]) : number(type.getDimSize(i));
      stride = LLVM::MulOp::create(b, loc, stride, size);
    }
  }
  return UnrealizedConversionCastOp::create(b, loc, type, descriptor).getResult(0);
}

bool cpu::isViewOp(Operation *op) {
  return isa<memref::SubViewOp, memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp,
             memref::ReinterpretCastOp, memref::ViewOp, memref::ReshapeOp, memref::TransposeOp,
             memref::ExtractStridedMetadataOp, memref::MemorySpaceCastOp>(op);
}

Value cpu::getPointerOf(Value memref) {
  auto cast = memref.getDefiningOp<UnrealizedConversionCastOp>();
  if (!cast || cast->getNumOperands() != 1)
    return Value();
  if (isa<LLVM::LLVMPointerType>(cast.getOperand(0).getType()))
    return cast.getOperand(0);
  for (auto field = cast.getOperand(0).getDefiningOp<LLVM::InsertValueOp>(); field;
       field = field.getContainer().getDefiningOp<LLVM::InsertValueOp>())
    if (field.getPosition() == ArrayRef<int64_t>{1}) // The aligned pointer.
      return field.getValue();
  return Value();
}

void cpu::eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

Value cpu::callRuntime(OpBuilder &b, Location loc, StringRef name, Type result, ValueRange operands) {
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  SmallVector<Type> results;
  if (result)
    results.push_back(result);
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    func::FuncOp::create(b, loc, name, b.getFunctionType(operands.getTypes(), results)).setPrivate();
  }
  auto call = func::CallOp::create(b, loc, name, results, operands);
  return result ? call.getResult(0) : Value();
}
