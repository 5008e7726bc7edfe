// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One product of 16-bit floats on the warpgroup instructions of sm_90a:
//
//   D[p] = epilogue(A[p] x B[p], addends)        0 <= p < batch
//
// with sums in f32. Blocks stay on their multiprocessors and walk over the tiles.
// In each, one warpgroup feeds a ring of stages in shared memory through the tensor
// memory accelerator, two others multiply from there (wgmma) and write the tile
// through shared memory. Where tiles are few and K is long, the blocks of a cluster share
// a tile: each adds up a part of K, and the first adds what the others have in their shared
// memory, in their order. Rows and columns may have any number, K too: the
// accelerator reads zeros outside of the tensors and does not write there. Operands
// need leading dimensions of a multiple of 16 bytes; the result does not.

#ifndef FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITWGMMA_H
#define FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITWGMMA_H

#include "Emit/EmitKernel.h"

namespace fxgraph::gpu {

/// How a product is cut into tiles and how blocks work on them. As text, in options and
/// on the kernel: `tile-n=256,stages=4,cluster=1,schedule=cooperative,raster=8,blocks=132`, and `split=4` where it is not 1.
struct WgmmaConfig {
  int64_t tileN = 256; ///< columns of a tile of 128 rows: 64, 128, 192 or 256
  int64_t stages = 4;  ///< of 64 along K, in the ring
  int64_t cluster = 1; ///< blocks on top of each other that share what they read of B: 1 or 2
  int64_t split = 1;   ///< blocks of a cluster that each add up a part of K of one tile: 1, 2, 4 or 8
  /// The two warpgroups compute whole tiles in turn, so that one's epilogue lies beside
  /// the other's products (tiles of up to 128 columns); else each has half of the rows.
  bool pingpong = false;
  int64_t raster = 8;   ///< tiles that follow each other down the rows
  int64_t blocks = 132; ///< multiprocessors

  /// Of a launch's cluster.
  int64_t getClusterBlocks() const { return cluster * split; }

  static constexpr int64_t tileM = 128, tileK = 64, narrowestTileN = 64;

  std::string print() const;
  /// As many stages as there is room for.
  void fitStages();
  /// Replaces the fields that `text` names, and fits the stages if it does not name them;
  /// an error's text, or nothing.
  std::optional<std::string> update(StringRef text);
  int64_t getSharedBytes() const;
  /// Why no kernel is like this, or nothing.
  std::optional<std::string> check() const;
};

struct WgmmaSpec {
  struct Matrix {
    int64_t ld = 0;
    int64_t stride = 0;        ///< elements from one of the batch to the next; 0: the same for all
    bool isTransposed = false; ///< A is stored k x m, B n x k
  };
  /// A further operand of the epilogue: as large as the product, or a row or a column for all.
  struct Addend {
    Type element;
    int64_t ld = 0; ///< elements from row to row; 0: one row
    int64_t stride = 0;
    bool isColumn = false; ///< one element for each row
    int64_t align = 2;     ///< bytes that every pair of neighbours (even, odd column) is a multiple of
    bool isRow() const { return ld == 0 && !isColumn; }
  };
  std::string name;
  Location loc;
  Type element; ///< f16 or bf16
  int64_t m = 0, n = 0, k = 0, batch = 1;
  Matrix a, b, d;
  bool isResultAligned = true; ///< D's address is a multiple of 16 bytes
  SmallVector<Addend, 2> addends;
  /// From a vector<2xf32> of the product and the same of each addend to the result.
  function_ref<Value(OpBuilder &, Value, ArrayRef<Value>)> epilogue = nullptr;
  WgmmaConfig config;

  WgmmaSpec(Location loc) : loc(loc) {}
  /// All but name, location and epilogue: kernels of equal text differ in these alone.
  void print(raw_ostream &os) const;
  bool storesByTensorMap() const { return isResultAligned && d.ld % 8 == 0 && d.stride % 8 == 0; }
};

/// What a parameter that is a tensor map says (fxgraph.tensor_map).
struct TensorMap {
  SmallVector<int64_t> dims, strides, box;
};

struct WgmmaKernel {
  LaunchShape launch;
  TensorMap a, b;
  std::optional<TensorMap> d; ///< nullopt: a pointer
};

/// Whether the kernel takes an operand with this leading dimension and distance in the
/// batch, `offset` elements behind an address that is a multiple of 16 bytes.
bool isTensorMapOperand(const WgmmaSpec::Matrix &matrix, int64_t offset);
/// What measured fastest for this size (docs/Performance.md).
WgmmaConfig chooseWgmmaConfig(const WgmmaSpec &spec, bool hasEpilogue);

/// Parameters: tensor maps of A and B, a tensor map of D or its address, the addends.
WgmmaKernel emitWgmma(OpBuilder &builder, const WgmmaSpec &spec);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITWGMMA_H
