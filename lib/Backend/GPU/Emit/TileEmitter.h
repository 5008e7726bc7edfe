// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels on tensor cores have in common: 32-bit index arithmetic, tiles in
// swizzled shared memory, asynchronous copies, fragments and mma.sync (m16n8k16 of
// 16-bit floats, m16n8k8 of the parts of f32).

#ifndef FXGRAPH_LIB_BACKEND_GPU_EMIT_TILEEMITTER_H
#define FXGRAPH_LIB_BACKEND_GPU_EMIT_TILEEMITTER_H

#include "Emit/EmitKernel.h"
#include "Kernel/ScalarMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fxgraph::gpu {

class TileEmitter {
protected:
  TileEmitter(OpBuilder &builder, Location loc, Type element)
      : b(builder), loc(loc), math(builder, loc), element(element) {
    MLIRContext *context = builder.getContext();
    Type i32 = builder.getI32Type(), f32 = builder.getF32Type();
    globalPointer = mlir::LLVM::LLVMPointerType::get(context, 1);
    sharedPointer = mlir::LLVM::LLVMPointerType::get(context, 3);
    fragmentType = mlir::LLVM::LLVMStructType::getLiteral(context, {i32, i32, i32, i32});
    accType = mlir::LLVM::LLVMStructType::getLiteral(context, {f32, f32, f32, f32});
  }

  // i32 arithmetic; constants fold.
  Value c(int64_t value) { return math.integer(b.getI32Type(), value); }
  std::optional<int64_t> known(Value value) {
    auto constant = value.getDefiningOp<mlir::arith::ConstantOp>();
    auto number = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
    return number ? std::optional<int64_t>(number.getInt()) : std::nullopt;
  }
  Value add(Value x, Value y) {
    if (known(y) == 0)
      return x;
    if (known(x) == 0)
      return y;
    return mlir::arith::AddIOp::create(b, loc, x, y);
  }
  Value add(Value x, int64_t y) { return y == 0 ? x : add(x, c(y)); }
  Value mul(Value x, int64_t y) {
    return y == 1 ? x : known(x) == 0 ? c(0) : mlir::arith::MulIOp::create(b, loc, x, c(y)).getResult();
  }
  Value div(Value x, int64_t y) { return y == 1 ? x : mlir::arith::DivUIOp::create(b, loc, x, c(y)).getResult(); }
  Value rem(Value x, int64_t y) { return y == 1 ? c(0) : mlir::arith::RemUIOp::create(b, loc, x, c(y)).getResult(); }
  Value bitXor(Value x, Value y) { return mlir::arith::XOrIOp::create(b, loc, x, y); }
  Value both(Value x, Value y) { return x && y ? mlir::arith::AndIOp::create(b, loc, x, y).getResult() : x ? x : y; }
  Value less(Value x, Value y) { return mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::ult, x, y); }
  Value less(Value x, int64_t y) { return less(x, c(y)); }
  Value clampTo(Value x, int64_t last) { return mlir::arith::MinUIOp::create(b, loc, x, c(last)); }
  /// What the 16-byte chunks of a row are XORed with: eight rows of a fragment then
  /// lie in different banks (rows of 64 bytes come in pairs, of 32 in fours).
  Value swizzleKey(Value row, int64_t chunks) {
    if (chunks >= 8)
      return rem(row, 8);
    return chunks <= 1 ? c(0) : rem(div(row, 8 / chunks), chunks);
  }

  Value sharedAt(Value bytes) {
    return mlir::LLVM::GEPOp::create(b, loc, sharedPointer, b.getI8Type(), shared, ArrayRef<mlir::LLVM::GEPArg>{bytes});
  }
  // 64-bit arithmetic, for offsets in global memory.
  Value wide(Value index) { return mlir::arith::ExtUIOp::create(b, loc, b.getI64Type(), index); }
  Value scaled(Value wideIndex, int64_t stride) {
    return mlir::arith::MulIOp::create(b, loc, wideIndex, math.integer(b.getI64Type(), stride));
  }
  /// `elements` of this type behind a global pointer.
  Value pointerAt(Value base, Type type, Value elements) {
    return mlir::LLVM::GEPOp::create(b, loc, globalPointer, type, base, ArrayRef<mlir::LLVM::GEPArg>{elements});
  }
  Value globalAt(Value base, Value elements) { return pointerAt(base, element, wide(elements)); }
  /// The memory of one problem of a batch, whose problems are `stride` elements apart.
  Value openBatched(Value pointer, Type type, int64_t stride, Value problem) {
    Value base = mlir::LLVM::AddrSpaceCastOp::create(b, loc, globalPointer, pointer);
    return stride == 0 ? base : pointerAt(base, type, scaled(wide(problem), stride));
  }
  Value getBlockId() { return toInteger(mlir::gpu::BlockIdOp::create(b, loc, mlir::gpu::Dimension::x)); }
  Value getThreadId() { return toInteger(mlir::gpu::ThreadIdOp::create(b, loc, mlir::gpu::Dimension::x)); }
  Value toInteger(Value index) { return mlir::arith::IndexCastUIOp::create(b, loc, b.getI32Type(), index); }
  /// Emits `body`, under the condition if there is one.
  void emitIf(Value condition, function_ref<void()> body) {
    if (!condition)
      return body();
    auto guard = mlir::scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToStart(guard.thenBlock());
    body();
  }
  Value extract(Value aggregate, int64_t at) { return mlir::LLVM::ExtractValueOp::create(b, loc, aggregate, at); }

  /// A static shared buffer of the function, with room for 16-byte accesses.
  void openShared(mlir::gpu::GPUFuncOp function, int64_t bytes) {
    MLIRContext *context = b.getContext();
    auto space = mlir::gpu::AddressSpaceAttr::get(context, mlir::gpu::AddressSpace::Workgroup);
    auto type = mlir::MemRefType::get({bytes}, b.getI8Type(), mlir::MemRefLayoutAttrInterface(), space);
    Value buffer = function.addWorkgroupAttribution(type, loc);
    function.setWorkgroupAttributionAttr(0, "llvm.align", b.getI64IntegerAttr(128));
    auto one = mlir::LLVM::LLVMArrayType::get(b.getI64Type(), 1);
    auto descriptor =
        mlir::LLVM::LLVMStructType::getLiteral(context, {sharedPointer, sharedPointer, b.getI64Type(), one, one});
    shared = extract(mlir::UnrealizedConversionCastOp::create(b, loc, descriptor, buffer).getResult(0), 1);
  }

  /// Shared memory whose size the launch decides, which may be more than the 48 KiB of
  /// static buffers: one symbol for all kernels of the module, aligned for swizzles of
  /// 128 bytes. A kernel has this or static buffers, not both.
  void openDynamicShared(mlir::gpu::GPUFuncOp function, int64_t bytes) {
    auto module = function->getParentOfType<mlir::gpu::GPUModuleOp>();
    if (!module.lookupSymbol(kDynamicSharedName)) {
      OpBuilder::InsertionGuard restore(b);
      b.setInsertionPointToStart(module.getBody());
      mlir::LLVM::GlobalOp::create(b, loc, mlir::LLVM::LLVMArrayType::get(b.getI8Type(), 0), /*isConstant=*/false,
                                   mlir::LLVM::Linkage::External, kDynamicSharedName, Attribute(), /*alignment=*/1024,
                                   /*addrSpace=*/3);
    }
    function->setAttr(kDynamicSharedBytesAttr, b.getI64IntegerAttr(bytes));
    shared = mlir::LLVM::AddressOfOp::create(b, loc, sharedPointer, kDynamicSharedName);
  }

  /// Starts a copy of 16 bytes to shared memory; zeros where `inside` is false.
  void copyAsync(Value sharedBytes, Value base, Value elements, Value inside) {
    Value size;
    if (inside) {
      size = math.select(inside, c(16), c(0));
      // An address of the tensor even where nothing is read.
      elements = math.select(inside, elements, c(0));
    }
    mlir::NVVM::CpAsyncOp::create(b, loc, sharedAt(sharedBytes), globalAt(base, elements), 16u,
                                  mlir::NVVM::LoadCacheModifierKind::CG, size);
  }

  /// The same from an address, which need not be one of the tensor where nothing is read.
  void copyAsync(Value sharedBytes, Value pointer, Value inside) {
    Value size;
    if (inside)
      size = math.select(inside, c(16), c(0));
    mlir::NVVM::CpAsyncOp::create(b, loc, sharedAt(sharedBytes), pointer, 16u, mlir::NVVM::LoadCacheModifierKind::CG,
                                  size);
  }

  /// Four 8x8 matrices of 16-bit elements, transposed on request.
  SmallVector<Value> loadMatrix(Value address, bool transposed) {
    Value loaded = mlir::NVVM::LdMatrixOp::create(b, loc, fragmentType, sharedAt(address), 4u,
                                                  transposed ? mlir::NVVM::MMALayout::col : mlir::NVVM::MMALayout::row,
                                                  mlir::NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
                                                  mlir::NVVM::LdStMatrixEltType::B16);
    SmallVector<Value> registers;
    for (int64_t i = 0; i < 4; ++i)
      registers.push_back(extract(loaded, i));
    return registers;
  }

  /// Registers of a fragment by the parts that are multiplied: one, or of f32 two, of which each has the 11 bits of tf32.
  using Parts = SmallVector<SmallVector<Value>, 2>;
  Parts toParts(ArrayRef<Value> words) {
    Parts parts = {SmallVector<Value>(words)};
    if (!element.isF32())
      return parts;
    parts.emplace_back();
    Type i32 = b.getI32Type();
    for (Value &word : parts[0]) {
      // Half of the last bit that stays, then the bits that do: in sign and magnitude this rounds to the nearest. The
      // difference is exact, and tensor cores take its first 11 bits.
      Value value = mlir::arith::BitcastOp::create(b, loc, element, word);
      word = mlir::arith::AndIOp::create(b, loc, add(word, 1 << 12), c(-(int64_t(1) << 13)));
      Value rest = math.sub(value, mlir::arith::BitcastOp::create(b, loc, element, word));
      parts[1].push_back(mlir::arith::BitcastOp::create(b, loc, i32, rest));
    }
    return parts;
  }
  /// sums[i * pitch + t] += left[i] x right[t]. What products of f32 leave out, that of both rests, is below their last bit;
  /// the others are added up from the smallest. Tensor cores cut their sums off: long ones of f32 are rounded additions.
  void multiplyTiles(ArrayRef<Parts> left, ArrayRef<Parts> right, MutableArrayRef<Value> sums, int64_t pitch) {
    bool isSingle = element.isF32();
    SmallVector<std::pair<unsigned, unsigned>> products = {{0, 0}};
    if (isSingle)
      products = {{1, 0}, {0, 1}, {0, 0}};
    Value none = isSingle ? mlir::LLVM::ZeroOp::create(b, loc, accType).getResult() : Value();
    SmallVector<Value> own(isSingle ? left.size() * right.size() : 0, none);
    for (auto [l, r] : products)
      for (size_t i = 0; i < left.size(); ++i)
        for (size_t t = 0; t < right.size(); ++t) {
          Value &sum = isSingle ? own[i * right.size() + t] : sums[i * pitch + t];
          sum = multiply(left[i][l], right[t][r], sum);
        }
    for (auto [number, product] : llvm::enumerate(own)) {
      Value &sum = sums[number / right.size() * pitch + number % right.size()];
      for (int64_t q = 0; q < 4; ++q)
        sum = mlir::LLVM::InsertValueOp::create(b, loc, sum, math.add(extract(sum, q), extract(product, q)),
                                                ArrayRef<int64_t>{q});
    }
  }

  /// acc + left x right; left has four registers, right two.
  Value multiply(ArrayRef<Value> leftWords, ArrayRef<Value> rightWords, Value acc) {
    auto type = element.isF32()    ? mlir::NVVM::MMATypes::tf32
                : element.isBF16() ? mlir::NVVM::MMATypes::bf16
                                   : mlir::NVVM::MMATypes::f16;
    int64_t depth = element.isF32() ? 8 : 16;
    SmallVector<Value> values, left(leftWords), right(rightWords);
    for (int64_t q = 0; q < 4; ++q)
      values.push_back(extract(acc, q));
    if (element.isF16()) {
      // f16 operands are pairs, bf16 ones words.
      Type pair = mlir::VectorType::get({2}, element);
      for (Value &value : left)
        value = mlir::LLVM::BitcastOp::create(b, loc, pair, value);
      for (Value &value : right)
        value = mlir::LLVM::BitcastOp::create(b, loc, pair, value);
    }
    return mlir::NVVM::MmaOp::create(
        b, loc, accType, left, right, values, ArrayRef<int64_t>{16, 8, depth}, std::nullopt, std::nullopt,
        std::array<mlir::NVVM::MMATypes, 2>{type, type},
        std::array<mlir::NVVM::MMALayout, 2>{mlir::NVVM::MMALayout::row, mlir::NVVM::MMALayout::col});
  }

  OpBuilder &b;
  Location loc;
  ScalarMath math;
  Type element;
  Type globalPointer, sharedPointer, fragmentType, accType;
  Value shared;
};

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_EMIT_TILEEMITTER_H
