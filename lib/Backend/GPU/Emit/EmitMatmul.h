// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of 16-bit floats on tensor cores, many of one shape in one launch:
//
//   D[p] = epilogue(A[p] x op(B[p]) + bias[p])        0 <= p < problems
//
// with sums in f32. Each block computes one tile of one problem: a ring of three
// stages of A and B in shared memory filled by 16-byte asynchronous copies (rows
// XOR-swizzled, so that ldmatrix has no bank conflicts), mma.sync m16n8k16, and an
// epilogue that goes through shared memory to write 16 bytes a thread. The
// operands of the problems are a fixed stride apart or come from a table of
// pointers in the parameters: weights stay where they are.

#ifndef FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITMATMUL_H
#define FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITMATMUL_H

#include "Emit/EmitKernel.h"

namespace fxgraph::gpu {

struct MatmulSpec {
  struct Operand {
    int64_t stride = 0; ///< elements from one problem to the next
    bool table = false; ///< pointers from a table instead
  };
  std::string name;
  Location loc;
  Type element; ///< f16 or bf16
  int64_t m = 0, n = 0, k = 0;
  int64_t problems = 1;
  int64_t lda = 0, ldb = 0, ldd = 0;
  bool transposedB = false; ///< B is stored n x k
  bool hasBias = false;     ///< one value per column
  Operand a, b, bias, d;
  /// Pointwise function of vector<2xf32>, or null.
  function_ref<Value(OpBuilder &, Value)> epilogue = nullptr;
  /// Largest number of rows and columns of a tile; 0 lets the size decide.
  int64_t maxTile = 0;

  MatmulSpec(Location loc) : loc(loc) {}
};

/// Whether the kernel takes these sizes: k, n and leading dimensions are multiples
/// of 8 (16 bytes).
bool supportsMatmul(const MatmulSpec &spec);

/// Parameters: A, B, the bias if there is one, D.
LaunchShape emitMatmul(OpBuilder &builder, const MatmulSpec &spec);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITMATMUL_H
