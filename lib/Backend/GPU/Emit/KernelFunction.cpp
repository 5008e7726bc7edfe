// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/KernelFunction.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

mlir::gpu::GPUFuncOp fxgraph::gpu::createKernelFunction(OpBuilder &b, Location loc, StringRef name,
                                                        ArrayRef<Type> parameters, int64_t block) {
  auto function = mlir::gpu::GPUFuncOp::create(b, loc, name, b.getFunctionType(parameters, {}));
  function->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({static_cast<int32_t>(block), 1, 1}));
  return function;
}

void fxgraph::gpu::setKnownGrid(mlir::gpu::GPUFuncOp function, int64_t grid) {
  if (llvm::isInt<32>(grid))
    function.setKnownGridSizeAttr(
        mlir::DenseI32ArrayAttr::get(function.getContext(), {static_cast<int32_t>(grid), 1, 1}));
}

void fxgraph::gpu::describePointer(mlir::gpu::GPUFuncOp function, unsigned parameter, bool isRead, int64_t align) {
  mlir::Builder b(function.getContext());
  function.setArgAttr(parameter, "llvm.noalias", b.getUnitAttr());
  if (isRead)
    function.setArgAttr(parameter, "llvm.readonly", b.getUnitAttr());
  if (align)
    function.setArgAttr(parameter, "llvm.align", b.getI64IntegerAttr(align));
}

void fxgraph::gpu::describeByValue(mlir::gpu::GPUFuncOp function, unsigned parameter, Type type, int64_t align) {
  mlir::Builder b(function.getContext());
  function.setArgAttr(parameter, "llvm.byval", TypeAttr::get(type));
  function.setArgAttr(parameter, "llvm.align", b.getI64IntegerAttr(align));
}
