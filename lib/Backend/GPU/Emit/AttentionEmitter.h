// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels of attention have in common, whichever instruction multiplies: where
// a block is, copies of tiles, masks and the running softmax on fragments.
//
// Fragments are those of m16n8: a thread holds, of each 8 columns, two neighbours
// (2 quad, 2 quad + 1) in the rows group and group + 8. A slot is one such row.
//
// Which key a column stands for is free, as long as keys and values agree: within
// runs of some matrices of columns, the keys of one thread are neighbours, so that it
// reads what it needs of a mask in words of up to 16 bytes.

#ifndef FXGRAPH_LIB_BACKEND_GPU_EMIT_ATTENTIONEMITTER_H
#define FXGRAPH_LIB_BACKEND_GPU_EMIT_ATTENTIONEMITTER_H

#include "Emit/EmitAttention.h"
#include "Emit/TileEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

namespace fxgraph::gpu {

/// The kernel with the matrix instructions of warp groups.
LaunchShape emitWarpgroupAttention(OpBuilder &builder, const AttentionSpec &spec, const AttentionTiling &tiling);

/// A tile in shared memory. Padded: rows are an odd number of 16-byte chunks apart, so
/// that eight rows of a matrix lie in different banks. Swizzled: panels of 128-byte
/// rows whose chunks are XORed with the row, as matrix instructions of warp groups
/// read them.
struct AttentionTile {
  int64_t rows = 0, chunks = 0, pitch = 0;
  bool swizzled = false;
  AttentionTile() = default;
  /// Rows are whole steps of a product, of 32 bytes.
  AttentionTile(int64_t rows, int64_t rowBytes, bool swizzled = false)
      : rows(rows), chunks((rowBytes + 31) / 32 * 2), pitch(swizzled ? 128 : (chunks | 1) * 16), swizzled(swizzled) {}
  int64_t getPanels() const { return swizzled ? (chunks + 7) / 8 : 1; }
  int64_t getPanelBytes() const { return rows * pitch; }
  int64_t getBytes() const { return getPanels() * getPanelBytes(); }
};

class AttentionEmitter : protected TileEmitter {
protected:
  /// `keyTiles`: of a warp's keys of a block, in matrices of 8 columns. `copyThreads`: the block's first ones, that
  /// copy; 0: all do.
  AttentionEmitter(OpBuilder &builder, const AttentionSpec &spec, int64_t rows, int64_t keys, int64_t threads,
                   int64_t keyTiles, int64_t copyThreads = 0)
      : TileEmitter(builder, spec.loc, spec.element), spec(spec), bm(rows), bn(keys), isCut(spec.getRows() % rows != 0),
        threads(threads), copyThreads(llvm::bit_floor<uint64_t>(copyThreads ? copyThreads : threads)),
        blocks((spec.keys + keys - 1) / keys), keyTiles(keyTiles), runTiles(keyTiles % 4 == 0 ? 4 : 2),
        perChunk(16 / getMemoryBytes(spec.element)) {}

  using Tile = AttentionTile;
  /// Bytes from a tile's start.
  Value tileOffset(const Tile &tile, Value row, Value chunk);
  /// A thread's part of copies of tiles of one operand: `pointer` and `shared` are of
  /// its first row and chunk.
  struct Copy {
    Tile tile;
    Value pointer, shared, key, exists, inside;
    int64_t stride = 0, step = 0;
  };

  // Scalars.
  Value f32(double value) { return math.constant(b.getF32Type(), value); }
  /// Without the steps that keep subnormal results: probabilities that small are none.
  Value exp2(Value x) {
    return mlir::LLVM::CallIntrinsicOp::create(b, loc, x.getType(), b.getStringAttr(kExp2Intrinsic), ValueRange(x))
        .getResult(0);
  }
  Value fma(Value x, Value y, Value z) { return mlir::math::FmaOp::create(b, loc, x, y, z); }
  Value exchange(Value value, unsigned offset) {
    return mlir::gpu::ShuffleOp::create(b, loc, value, offset, 32, mlir::gpu::ShuffleMode::XOR).getShuffleResult();
  }
  Value isEqual(Value x, double y) {
    return mlir::arith::CmpFOp::create(b, loc, mlir::arith::CmpFPredicate::OEQ, x, f32(y));
  }
  using TileEmitter::pointerAt;
  Value pointerAt(Value base, Type type, int64_t elements);
  /// Two f32 as one word of two 16-bit floats.
  Value pack(Value low, Value high);
  /// Vectors of four f32 as 16 bytes of elements.
  Value toChunk(ArrayRef<Value> fours);

  /// The function `name`, with the builder at its start; finds this block's problem, tile and split. The last
  /// parameter is written.
  /// `blocks`: how many there are at most, if not one for each tile; then a block's first tile is found.
  LaunchShape open(StringRef name, ArrayRef<int64_t> alignments, int64_t splits = 1, int64_t blocks = 0);
  int64_t getNumTiles() const { return (spec.getRows() + bm - 1) / bm * spec.getNumProblems(); }
  /// Finds the problem and the rows of a tile.
  void locate(Value tile);
  /// The function of attention itself.
  LaunchShape open(int64_t splits = 1, int64_t blocks = 0) {
    SmallVector<int64_t> alignments(getNumInputs() + 1, 16);
    if (spec.maskElement)
      alignments[3] = 1;
    return open(spec.name, alignments, splits, blocks);
  }
  unsigned getNumInputs() const { return spec.maskElement ? 4 : 3; }
  /// Ends the function.
  void close();
  /// The operand's memory for this block's problem.
  Value openOperand(unsigned argument, const AttentionSpec::Operand &operand, Type type);
  /// Offset of a row of queries (with the fold) in an operand.
  Value rowOffset(Value row, const AttentionSpec::Operand &operand);
  /// Sets up `slotRows` … for the rows `firstRow` + group (+ 8) of each of `count` matrices.
  void openSlots(Value firstRow, int64_t count);

  /// The key that a column of a warp's block stands for. Rows of tiles of keys and values
  /// are columns. Bits are permuted: key(x + y) = key(x) + key(y) where x and y have
  /// no bit in common.
  int64_t getKey(int64_t column) const;
  Value getKey(Value column);

  /// For copies of a whole block of keys or values.
  Copy planCopy(Value base, int64_t rowStride, int64_t width, const Tile &tile);
  /// Copies rows firstRow … of K or V; rows beyond their end become zero.
  void copyKeys(const Copy &copy, Value firstRow, Value sharedBase);
  /// Copies this block's queries.
  void copyQueries(Value base, const Tile &tile, Value sharedBase);

  /// Memory between the kernels of a tiling with splits, in f32: [tile][split][row] results (each divided by its sum),
  /// behind them as many pairs of maximum and sum.
  struct Scratch {
    Value base, statistics; ///< of this block's tile
    int64_t rows = 0, width = 0;
    Value getRow(AttentionEmitter &emitter, Value split, Value row, Value chunk) const;
    Value getStatistics(AttentionEmitter &emitter, Value split, Value row) const;
  };
  Scratch openScratch(unsigned argument, int64_t splits);

  /// For each row and 16-byte chunk of the tile's results, as (row of the tile, row, chunk).
  void visitRows(function_ref<void(Value, Value, Value)> body);
  /// Stores 16 bytes of each thread, which `load` gets from a row and a chunk of the tile.
  void storeRows(function_ref<Value(Value, Value)> load);
  /// Stores the tile of results that is in shared memory.
  void storeTile(const Tile &tile);

  /// The mask's elements for a warp's keys from `firstKey`, as they are in memory: words of
  /// neighbouring keys, by slot (or once, where slots share them).
  SmallVector<Value> loadMask(Value block, Value firstKey);
  /// Masks scores[(slot * keyTiles + tile) * 2 + column].
  void maskScores(MutableArrayRef<Value> scores, ArrayRef<Value> mask, Value block, Value firstKey);
  /// Turns scores into probabilities; updates maxima and sums of the slots and returns what
  /// earlier results are to be multiplied with.
  SmallVector<Value> updateSoftmax(MutableArrayRef<Value> scores, MutableArrayRef<Value> maxima,
                                   MutableArrayRef<Value> sums);
  /// 2^((from - to) log2 e) of two running maxima.
  Value rescale(Value from, Value to);
  Value orZero(Value maximum) { return math.select(isEqual(maximum, -infinity), f32(0), maximum); }
  /// Keys that this block has to visit, in blocks.
  Value countBlocks();
  /// 1/sum; 0 for a row without visible keys.
  Value invert(Value sum) { return math.select(isEqual(sum, 0), f32(0), math.div(f32(1), sum)); }

  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double log2e = llvm::numbers::log2e; ///< exp(x) = 2^(x log2 e)

  const AttentionSpec &spec;
  int64_t bm, bn;
  bool isCut; ///< the last tile has fewer rows
  int64_t threads;
  int64_t copyThreads; ///< of which each copies as much as the others: a power of two
  int64_t blocks, keyTiles;
  int64_t runTiles; ///< matrices of columns of which each thread has neighbouring keys
  int64_t perChunk; ///< elements of 16 bytes
  /// In which maxima and sums of a row's scores are computed: several where few warps share a multiprocessor, whose
  /// instructions would wait for each other.
  int64_t chains = 1;
  mlir::gpu::GPUFuncOp function;
  SmallVector<Value> leading; ///< this block's index
  Value tid, lane, warp, quad, group, row0, split;
  Value tileNumber;                          ///< among those of all problems
  Value outBase;                             ///< of the results
  SmallVector<Value> slotQueries, slotMasks; ///< of each slot: the query's number, where the mask's row is

private:
  bool maskVariesByRow() const { return spec.mask.row != 0 || spec.mask.fold != 0; }
  /// Elements of a mask that one load may read.
  int64_t getMaskWord() const;
  /// Whether the block is the last one and not full; null if there is none.
  Value isPartial(Value block);
};

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_EMIT_ATTENTIONEMITTER_H
