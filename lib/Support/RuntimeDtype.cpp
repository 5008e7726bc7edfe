// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Support/RuntimeDtype.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace fxgraph;

int32_t fxgraph::getRuntimeDtype(Type elementType) {
  if (elementType.isF32())
    return FX_F32;
  if (elementType.isF64())
    return FX_F64;
  if (elementType.isF16())
    return FX_F16;
  if (elementType.isBF16())
    return FX_BF16;
  if (isa<mlir::Float8E4M3FNType>(elementType))
    return FX_F8E4M3FN;
  if (isa<mlir::Float8E5M2Type>(elementType))
    return FX_F8E5M2;
  if (isa<mlir::Float8E4M3FNUZType>(elementType))
    return FX_F8E4M3FNUZ;
  if (isa<mlir::Float8E5M2FNUZType>(elementType))
    return FX_F8E5M2FNUZ;
  if (isa<mlir::Float8E8M0FNUType>(elementType))
    return FX_F8E8M0FNU;
  if (elementType.isIndex())
    return FX_I64;
  auto integer = dyn_cast<IntegerType>(elementType);
  if (!integer)
    return 0;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return FX_BOOL;
  case 8:
    return isUnsigned ? FX_U8 : FX_I8;
  case 16:
    return isUnsigned ? FX_U16 : FX_I16;
  case 32:
    return isUnsigned ? FX_U32 : FX_I32;
  case 64:
    return isUnsigned ? FX_U64 : FX_I64;
  default:
    return 0;
  }
}
