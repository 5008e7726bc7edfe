// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// softmax(Q K^T * scale + mask) V of 16-bit floats and f32 in one kernel on tensor cores,
// the scores never in memory: each block takes a tile of queries and walks over the
// keys with a running maximum and sum per row (Dao et al., FlashAttention-2).
// Products have f32 sums; 16-bit floats' probabilities are rounded to 16 bits before the
// second product, as in PyTorch's fused kernels. Each f32 is the sum of two numbers of
// tf32, whose products are added up but for the smallest. A row without visible keys gives
// zeros.

#ifndef FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITATTENTION_H
#define FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITATTENTION_H

#include "Emit/EmitKernel.h"

namespace fxgraph::gpu {

/// How the work of one attention is divided.
struct AttentionTiling {
  bool usesWarpgroups = false; ///< matrix instructions of warp groups, else of warps
  int64_t rowWarps = 4;        ///< warps that share the rows of a tile
  int64_t copyWarps = 0;       ///< warps that do nothing but copy what the others read; 0: all copy
  int64_t keyWarps = 1;        ///< warps that share the keys of a block; their results are joined at the end
  int64_t rowTiles = 1;        ///< 16-row matrices of each warp
  int64_t keys = 64;           ///< keys of a block
  int64_t splits = 1;          ///< blocks that share the keys of a tile; a second kernel joins their results
  int64_t blocks = 0;          ///< with copyWarps, that walk over the tiles; 0: one for each tile

  int64_t getRows() const { return 16 * rowTiles * rowWarps; }
  int64_t getThreads() const { return 32 * (rowWarps * keyWarps + copyWarps); }
  /// As the attribute kAttentionTilingAttr, which kernels carry.
  mlir::DictionaryAttr toAttribute(MLIRContext *context) const;
};

/// {blocks, copy_warps, key_warps, keys, row_tiles, row_warps, splits, warpgroups} of a kernel of attention. On the op it decides the
/// tiling instead of the chooser; entries that are missing stay the chooser's.
inline constexpr llvm::StringLiteral kAttentionTilingAttr = "fxgraph.attention_tiling";

struct AttentionSpec {
  /// Strides in elements; 0 where an operand is the same along a dimension.
  struct Operand {
    SmallVector<int64_t, 4> leading; ///< one for each of `leading` below
    int64_t fold = 0, row = 0, column = 1;
  };
  std::string name;
  Location loc;
  Type element; ///< f16, bf16 or f32
  /// Extents of the leading dimensions: each index of them is a problem of its own.
  SmallVector<int64_t, 4> leading;
  /// Queries of `fold` problems that have keys and values in common are rows of one:
  /// row r is query r % queries of problem r / queries.
  int64_t fold = 1;
  int64_t queries = 0, keys = 0, width = 0, valueWidth = 0;
  Operand q, k, v, out;
  Type maskElement;       ///< null without a mask; i1 (hides where it is false) or floats that are added
  Operand mask;           ///< rows are queries, columns are keys
  int64_t maskOffset = 0; ///< where it starts, from memory that is aligned
  double scale = 1;
  bool causal = false;        ///< query i sees keys 0 … i
  int64_t processors = 132;   ///< multiprocessors of the device
  bool hasWarpgroups = false; ///< the chip has matrix instructions of warp groups

  mlir::DictionaryAttr tiling; ///< of the op, if it has one

  AttentionSpec(Location loc) : loc(loc) {}
  int64_t getRows() const { return fold * queries; }
  int64_t getNumProblems() const;
  bool addsMask() const { return maskElement && !maskElement.isInteger(1); }
};

/// Makes the queries of the innermost leading dimension rows of one problem where that
/// fills tiles better (grouped heads, few queries).
void foldProblems(AttentionSpec &spec);

/// The tiles that the spec's sizes and the chip ask for, or that the attribute says. Error: the attribute asks for
/// what no kernel has.
FailureOr<AttentionTiling> chooseAttentionTiling(const AttentionSpec &spec);
/// Scratch memory of a tiling with splits, else 0.
int64_t getAttentionScratchBytes(const AttentionSpec &spec, const AttentionTiling &tiling);

/// Parameters: Q, K, V, the mask if there is one, then the result, or with splits the scratch memory.
/// The spec must be one that `canFuseAttention` (Analysis) accepts.
LaunchShape emitAttention(OpBuilder &builder, const AttentionSpec &spec, const AttentionTiling &tiling);
/// The kernel `name` that joins what splits have left. Parameters: the scratch memory, the result.
LaunchShape emitAttentionJoin(OpBuilder &builder, const AttentionSpec &spec, const AttentionTiling &tiling,
                              StringRef name);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITATTENTION_H
