// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies matrices of 16-bit elements to rows that begin at multiples of 16 bytes, all in
// one launch: what tensor maps and library kernels need, and rows of odd length are not.

#ifndef FXGRAPH_LIB_BACKEND_GPU_EMITPACK_H
#define FXGRAPH_LIB_BACKEND_GPU_EMITPACK_H

#include "EmitKernel.h"

namespace fxgraph::gpu {

struct PackSpec {
  struct Matrix {
    int64_t rows = 0, columns = 0, ld = 0;
    int64_t batch = 1, stride = 0; ///< elements from one of the batch to the next
    bool isOdd = false;            ///< the first element lies 2 bytes behind a multiple of 4
    int64_t getPackedLd() const { return (columns + 7) / 8 * 8; }
    int64_t getPackedBytes() const { return batch * rows * getPackedLd() * 2; }
  };
  std::string name;
  Location loc;
  SmallVector<Matrix, 2> matrices;

  PackSpec(Location loc) : loc(loc) {}
};

/// Parameters: source and target of each matrix. The source of one that `isOdd` is the
/// address 2 bytes before its first element. What lies behind the columns of a packed row
/// is arbitrary.
LaunchShape emitPack(OpBuilder &builder, const PackSpec &spec);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_EMITPACK_H
