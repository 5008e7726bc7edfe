// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// softmax(Q K^T * scale) V of 16-bit floats in one kernel on tensor cores, the
// scores never in memory: each block takes a tile of queries and walks over the
// keys with a running maximum and sum per row (Dao et al., FlashAttention-2).
// Products have f32 sums; the probabilities are rounded to 16 bits before the
// second product, as in PyTorch's fused kernels. A row without visible keys gives
// zeros.

#ifndef FXGRAPH_LIB_BACKEND_GPU_EMITATTENTION_H
#define FXGRAPH_LIB_BACKEND_GPU_EMITATTENTION_H

#include "EmitKernel.h"

namespace fxgraph::gpu {

struct AttentionSpec {
  /// Strides in elements of [batch, head, row, 1].
  struct Operand {
    int64_t batch = 0, head = 0, row = 0;
  };
  std::string name;
  Location loc;
  Type element; ///< f16 or bf16
  int64_t batches = 1, heads = 1, queries = 0, keys = 0, width = 0;
  Operand q, k, v, out;
  double scale = 1;
  bool causal = false; ///< query i sees keys 0 … i

  AttentionSpec(Location loc) : loc(loc) {}
};

/// Parameters: Q, K, V, the result. The spec must be one that
/// `canFuseAttention` (Analysis) accepts.
LaunchShape emitAttention(OpBuilder &builder, const AttentionSpec &spec);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_EMITATTENTION_H
