// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/EmitPack.h"
#include "Emit/TileEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace vector = mlir::vector;
namespace LLVM = mlir::LLVM;

static constexpr int64_t kThreads = 256, kChunksPerThread = 4, kChunksPerBlock = kThreads * kChunksPerThread;

/// What one thread copies at a time: 8 elements of a row, 16 bytes.
static int64_t getChunksPerRow(const PackSpec::Matrix &matrix) { return llvm::divideCeil(matrix.columns, 8); }
static int64_t getChunks(const PackSpec::Matrix &matrix) {
  return matrix.batch * matrix.rows * getChunksPerRow(matrix);
}

/// Elements from the address to the end of the matrix.
static int64_t getEnd(const PackSpec::Matrix &matrix) {
  return matrix.first + (matrix.batch - 1) * matrix.stride + (matrix.rows - 1) * matrix.ld + matrix.columns;
}

void PackSpec::print(raw_ostream &os) const {
  for (const Matrix &matrix : matrices)
    os << '[' << matrix.batch << ',' << matrix.rows << ',' << matrix.columns << ',' << matrix.stride << ',' << matrix.ld
       << ',' << matrix.first << ']';
}

namespace {
class PackEmitter : TileEmitter {
public:
  PackEmitter(OpBuilder &builder, const PackSpec &spec)
      : TileEmitter(builder, spec.loc, builder.getI32Type()), spec(spec) {}
  LaunchShape run();

private:
  /// A chunk of the target: the two of the source that it lies in, and where it starts.
  struct Chunk {
    Value row, chunk, start;
    SmallVector<Value> words;
  };
  Chunk load(const PackSpec::Matrix &matrix, Value source, Value number);
  void loadTail(const PackSpec::Matrix &matrix, Value source, Chunk &chunk);
  void store(const PackSpec::Matrix &matrix, Value target, Chunk chunk);
  Value times(Value value, int64_t factor) { return scaled(wide(value), factor); }
  Value sum(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  /// The chunk with this number behind a pointer.
  Value at(Value pointer, Value index) { return pointerAt(pointer, words, index); }
  mlir::VectorType words = mlir::VectorType::get({4}, b.getI32Type());
  const PackSpec &spec;
};
} // namespace

PackEmitter::Chunk PackEmitter::load(const PackSpec::Matrix &matrix, Value source, Value number) {
  Type i64 = b.getI64Type();
  Chunk result;
  result.row = div(number, getChunksPerRow(matrix));
  result.chunk = rem(number, getChunksPerRow(matrix));
  Value start = matrix.batch == 1 ? times(result.row, matrix.ld)
                                  : sum(times(div(result.row, matrix.rows), matrix.stride),
                                        times(rem(result.row, matrix.rows), matrix.ld));
  result.start = sum(sum(start, math.integer(i64, matrix.first)), times(result.chunk, 8));
  // What is cut by the end of the matrix may be none of its memory.
  int64_t last = getEnd(matrix) / 8 - 1;
  Value first = arith::ShRUIOp::create(b, loc, result.start, math.integer(i64, 3));
  for (Value index : {first, sum(first, math.integer(i64, 1))}) {
    index = arith::MinUIOp::create(b, loc, index, math.integer(i64, last));
    Value four = LLVM::LoadOp::create(b, loc, words, at(source, index), 16);
    for (int64_t i = 0; i < 4; ++i)
      result.words.push_back(vector::ExtractOp::create(b, loc, four, i));
  }
  return result;
}

/// Loads what the chunk has of the last elements, of which there are too few for 16 bytes, one by one.
void PackEmitter::loadTail(const PackSpec::Matrix &matrix, Value source, Chunk &chunk) {
  int64_t end = getEnd(matrix);
  if (end % 8 == 0)
    return;
  Type i64 = b.getI64Type(), i16 = b.getI16Type();
  Value first = arith::AndIOp::create(b, loc, chunk.start, math.integer(i64, -8));
  Value isTail = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, first, math.integer(i64, end / 8 * 8 - 8));
  auto choice =
      mlir::scf::IfOp::create(b, loc, mlir::ValueRange(chunk.words).getTypes(), isTail, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(choice.thenBlock());
  SmallVector<Value> loaded;
  for (int64_t word = 0; word < 8; ++word) {
    Value both;
    for (int64_t half = 0; half < 2; ++half) {
      Value element =
          arith::MinUIOp::create(b, loc, sum(first, math.integer(i64, 2 * word + half)), math.integer(i64, end - 1));
      Value bits = arith::ExtUIOp::create(
          b, loc, b.getI32Type(), LLVM::LoadOp::create(b, loc, i16, pointerAt(source, i16, element), 2).getResult());
      both = both ? arith::OrIOp::create(b, loc, both, arith::ShLIOp::create(b, loc, bits, c(16))).getResult() : bits;
    }
    loaded.push_back(both);
  }
  mlir::scf::YieldOp::create(b, loc, loaded);
  b.setInsertionPointToStart(choice.elseBlock());
  mlir::scf::YieldOp::create(b, loc, chunk.words);
  chunk.words.assign(choice.getResults().begin(), choice.getResults().end());
}

void PackEmitter::store(const PackSpec::Matrix &matrix, Value target, Chunk chunk) {
  // Down by 4 elements, by 2, by 1, as the start says.
  Value shift = arith::TruncIOp::create(b, loc, b.getI32Type(), chunk.start);
  auto bit = [&](int64_t value) {
    Value masked = arith::AndIOp::create(b, loc, shift, c(value));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, masked, c(0)).getResult();
  };
  SmallVector<Value> &loaded = chunk.words;
  Value byFour = bit(4), byTwo = bit(2);
  for (int64_t i = 0; i < 6; ++i)
    loaded[i] = math.select(byFour, loaded[i + 2], loaded[i]);
  for (int64_t i = 0; i < 5; ++i)
    loaded[i] = math.select(byTwo, loaded[i + 1], loaded[i]);
  Value bits = mul(arith::AndIOp::create(b, loc, shift, c(1)), 16);
  SmallVector<Value> result;
  for (int64_t i = 0; i < 4; ++i)
    result.push_back(LLVM::FshrOp::create(b, loc, loaded[i + 1], loaded[i], bits));
  Value packed = vector::FromElementsOp::create(b, loc, words, result);
  LLVM::StoreOp::create(b, loc, packed, at(target, sum(times(chunk.row, matrix.getPackedLd() / 8), wide(chunk.chunk))),
                        16);
}

LaunchShape PackEmitter::run() {
  LaunchShape launch;
  launch.block = kThreads;
  launch.grid = 0;
  SmallVector<int64_t> firstBlocks;
  for (const PackSpec::Matrix &matrix : spec.matrices) {
    firstBlocks.push_back(launch.grid);
    launch.grid += llvm::divideCeil(getChunks(matrix), kChunksPerBlock);
  }
  SmallVector<Type> types(2 * spec.matrices.size(), LLVM::LLVMPointerType::get(b.getContext()));
  mlir::gpu::GPUFuncOp function = createKernelFunction(b, loc, spec.name, types, kThreads);
  setKnownGrid(function, launch.grid);
  for (unsigned i = 0; i < types.size(); ++i)
    describePointer(function, i, /*isRead=*/i % 2 == 0, /*align=*/0);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(&function.getBody().front());
  Value block = getBlockId(), thread = getThreadId();
  for (auto [i, matrix] : llvm::enumerate(spec.matrices)) {
    const PackSpec::Matrix &own = matrix;
    Value source = LLVM::AddrSpaceCastOp::create(b, loc, globalPointer, function.getArgument(2 * i));
    Value target = LLVM::AddrSpaceCastOp::create(b, loc, globalPointer, function.getArgument(2 * i + 1));
    Value mine = arith::SubIOp::create(b, loc, block, c(firstBlocks[i]));
    int64_t blocks = llvm::divideCeil(getChunks(own), kChunksPerBlock);
    // Blocks of earlier matrices wrap around to large numbers.
    emitIf(less(mine, blocks), [&] {
      // All loads come first; those behind the end repeat the last chunk.
      SmallVector<Value> numbers;
      SmallVector<Chunk> chunks;
      for (int64_t u = 0; u < kChunksPerThread; ++u) {
        numbers.push_back(add(add(mul(mine, kChunksPerBlock), thread), u * kThreads));
        chunks.push_back(load(own, source, clampTo(numbers.back(), getChunks(own) - 1)));
      }
      for (Chunk &chunk : chunks)
        loadTail(own, source, chunk);
      for (auto [number, chunk] : llvm::zip_equal(numbers, chunks)) {
        const Chunk &mine = chunk;
        emitIf(getChunks(own) % kChunksPerBlock == 0 ? Value() : less(number, getChunks(own)),
               [&] { store(own, target, mine); });
      }
    });
  }
  mlir::gpu::ReturnOp::create(b, loc);
  return launch;
}

LaunchShape fxgraph::gpu::emitPack(OpBuilder &builder, const PackSpec &spec) {
  return PackEmitter(builder, spec).run();
}
