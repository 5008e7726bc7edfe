// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EmitPack.h"
#include "TileEmitter.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;

static constexpr int64_t kThreads = 256, kWordsPerThread = 4, kWordsPerBlock = kThreads * kWordsPerThread;

static int64_t getWords(const PackSpec::Matrix &matrix) { return matrix.getPackedBytes() / 4; }

namespace {
class PackEmitter : TileEmitter {
public:
  PackEmitter(OpBuilder &builder, const PackSpec &spec)
      : TileEmitter(builder, spec.loc, builder.getI32Type()), spec(spec) {}
  LaunchShape run();

private:
  void copyWord(const PackSpec::Matrix &matrix, Value source, Value target, Value word);
  const PackSpec &spec;
};
} // namespace

/// One word of the target: two neighbours of a row, from one word of the source or from
/// the halves of two.
void PackEmitter::copyWord(const PackSpec::Matrix &matrix, Value source, Value target, Value word) {
  int64_t perRow = matrix.getPackedLd() / 2;
  Value row = div(word, perRow), first = mul(rem(word, perRow), 2);
  auto wide = [&](Value value) { return arith::ExtUIOp::create(b, loc, b.getI64Type(), value).getResult(); };
  auto times = [&](Value value, int64_t factor) {
    return arith::MulIOp::create(b, loc, wide(value), math.integer(b.getI64Type(), factor)).getResult();
  };
  auto sum = [&](Value x, Value y) { return arith::AddIOp::create(b, loc, x, y).getResult(); };
  // Behind the last column the row's last element repeats.
  Value start = matrix.batch == 1 ? times(row, matrix.ld)
                                  : sum(times(div(row, matrix.rows), matrix.stride), times(rem(row, matrix.rows), matrix.ld));
  if (matrix.isOdd)
    start = sum(start, math.integer(b.getI64Type(), 1));
  auto load = [&](Value column) {
    Value element = sum(start, wide(clampTo(column, matrix.columns - 1)));
    Value one = math.integer(b.getI64Type(), 1);
    Value index = arith::ShRUIOp::create(b, loc, element, one);
    Value address = LLVM::GEPOp::create(b, loc, globalPointer, b.getI32Type(), source, ArrayRef<LLVM::GEPArg>{index});
    Value loaded = LLVM::LoadOp::create(b, loc, b.getI32Type(), address, 4);
    Value odd = arith::TruncIOp::create(b, loc, b.getI1Type(), element);
    Value high = arith::ShRUIOp::create(b, loc, loaded, c(16));
    return math.select(odd, high, arith::AndIOp::create(b, loc, loaded, c(0xffff)));
  };
  Value low = load(first), high = arith::ShLIOp::create(b, loc, load(add(first, 1)), c(16));
  LLVM::StoreOp::create(b, loc, arith::OrIOp::create(b, loc, low, high), globalAt(target, word), 4);
}

LaunchShape PackEmitter::run() {
  LaunchShape launch;
  launch.block = kThreads;
  launch.grid = 0;
  SmallVector<int64_t> firstBlocks;
  for (const PackSpec::Matrix &matrix : spec.matrices) {
    firstBlocks.push_back(launch.grid);
    launch.grid += llvm::divideCeil(getWords(matrix), kWordsPerBlock);
  }
  SmallVector<Type> types(2 * spec.matrices.size(), LLVM::LLVMPointerType::get(b.getContext()));
  auto function = mlir::gpu::GPUFuncOp::create(b, loc, spec.name, b.getFunctionType(types, {}));
  function->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({static_cast<int32_t>(kThreads), 1, 1}));
  function.setKnownGridSizeAttr(b.getDenseI32ArrayAttr({static_cast<int32_t>(launch.grid), 1, 1}));
  for (unsigned i = 0; i < types.size(); ++i) {
    function.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
    if (i % 2 == 0)
      function.setArgAttr(i, "llvm.readonly", b.getUnitAttr());
  }
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(&function.getBody().front());
  auto number = [&](Value id) { return arith::IndexCastUIOp::create(b, loc, b.getI32Type(), id).getResult(); };
  Value block = number(mlir::gpu::BlockIdOp::create(b, loc, mlir::gpu::Dimension::x));
  Value thread = number(mlir::gpu::ThreadIdOp::create(b, loc, mlir::gpu::Dimension::x));
  for (auto [i, matrix] : llvm::enumerate(spec.matrices)) {
    const PackSpec::Matrix &own = matrix;
    Value source = LLVM::AddrSpaceCastOp::create(b, loc, globalPointer, function.getArgument(2 * i));
    Value target = LLVM::AddrSpaceCastOp::create(b, loc, globalPointer, function.getArgument(2 * i + 1));
    Value mine = arith::SubIOp::create(b, loc, block, c(firstBlocks[i]));
    int64_t blocks = llvm::divideCeil(getWords(own), kWordsPerBlock);
    // Blocks of earlier matrices wrap around to large numbers.
    emitIf(less(mine, blocks), [&] {
      for (int64_t u = 0; u < kWordsPerThread; ++u) {
        Value word = add(add(mul(mine, kWordsPerBlock), thread), u * kThreads);
        emitIf(getWords(own) % kWordsPerBlock == 0 ? Value() : less(word, getWords(own)),
               [&] { copyWord(own, source, target, word); });
      }
    });
  }
  mlir::gpu::ReturnOp::create(b, loc);
  return launch;
}

LaunchShape fxgraph::gpu::emitPack(OpBuilder &builder, const PackSpec &spec) { return PackEmitter(builder, spec).run(); }
