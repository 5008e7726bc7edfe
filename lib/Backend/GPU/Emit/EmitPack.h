// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies matrices of 16-bit elements to rows that begin at multiples of 128 bytes, all in
// one launch: tensor maps need multiples of 16, and are fastest where a row of a box is one
// line of the cache.

#ifndef FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITPACK_H
#define FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITPACK_H

#include "Emit/EmitKernel.h"

namespace fxgraph::gpu {

struct PackSpec {
  struct Matrix {
    int64_t rows = 0, columns = 0, ld = 0;
    int64_t batch = 1, stride = 0; ///< elements from one of the batch to the next
    int64_t first = 0;             ///< elements, 0 to 7, from the address to the first one
    int64_t getPackedLd() const { return (columns + 63) / 64 * 64; }
  };
  std::string name;
  Location loc;
  SmallVector<Matrix, 2> matrices;

  PackSpec(Location loc) : loc(loc) {}
  /// All but name and location.
  void print(raw_ostream &os) const;
};

/// Parameters: source and target of each matrix, multiples of 16 bytes. Reads the aligned
/// 16 bytes around an element, but none behind the end of a matrix. What lies behind the columns of a packed row is arbitrary.
LaunchShape emitPack(OpBuilder &builder, const PackSpec &spec);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITPACK_H
