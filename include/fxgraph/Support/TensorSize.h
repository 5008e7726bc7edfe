// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bound on tensors that are compiled: below it the sizes and offsets that a code
// generator computes do not overflow.

#ifndef FXGRAPH_SUPPORT_TENSORSIZE_H
#define FXGRAPH_SUPPORT_TENSORSIZE_H

#include "fxgraph/Support/LLVM.h"
#include "llvm/Support/MathExtras.h"

namespace fxgraph {

/// What the address space of a process holds.
inline constexpr uint64_t kMaxTensorBytes = uint64_t(1) << 47;
inline constexpr llvm::StringLiteral kMaxTensorBytesText = "2^47 bytes";

/// Whether the tensor is larger than that; unknown extents count as 1.
inline bool isTooLarge(RankedTensorType type) {
  Type element = type.getElementType();
  uint64_t bytes = element.isIntOrFloat() ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8) : 8;
  for (int64_t extent : type.getShape()) {
    if (extent == 0)
      return false;
    if (!mlir::ShapedType::isDynamic(extent))
      bytes = llvm::SaturatingMultiply<uint64_t>(bytes, extent);
  }
  return bytes > kMaxTensorBytes;
}

} // namespace fxgraph

#endif // FXGRAPH_SUPPORT_TENSORSIZE_H
