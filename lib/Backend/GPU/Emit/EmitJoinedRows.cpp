// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/EmitJoinedRows.h"
#include "Emit/KernelEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"
#include <array>

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

namespace fxgraph::gpu {
class JoinedRowsEmitter {
public:
  JoinedRowsEmitter(OpBuilder &builder, const JoinedRows &joined, int64_t rowsOfBlock)
      : b(builder), joined(joined), rowsOfBlock(rowsOfBlock), loc(joined.pieces.front().kernel.loc) {}
  FailureOr<LaunchShape> run(StringRef name);

private:
  static constexpr int64_t kThreads = 256;
  /// A piece in a block: what computes it, and of each of a thread's vectors the values and where they begin.
  struct Part {
    const JoinedRows::Piece *piece;
    KernelEmitter *emitter;
    int64_t lanes = 1;
    std::vector<Scope> scopes{};
    SmallVector<Value> starts{}, inBlock{};
  };
  bool mayLoad(const KernelIR &kernel, const KernelUses &uses, int64_t lanes) const;
  double getCost(const JoinedRows::Piece &piece, int64_t lanes) const;
  int64_t chooseLanes(const JoinedRows::Piece &piece, const KernelUses &uses, int64_t rows) const;
  LogicalResult load(Part &part, int64_t rows);
  LogicalResult keep(Part &part);
  LogicalResult emitBlock(int64_t rows);
  Value index(int64_t value) { return mlir::arith::ConstantIndexOp::create(b, loc, value); }

  OpBuilder &b;
  const JoinedRows &joined;
  int64_t rowsOfBlock;
  Location loc;
  std::vector<KernelUses> uses;
  std::vector<KernelSchedule> schedules;
  std::vector<std::unique_ptr<KernelEmitter>> emitters;
  Value kept, result, blockId; ///< kept: in shared memory
  uint64_t resultAlign = 1;
};
} // namespace fxgraph::gpu

/// All operands have vectors of so many elements.
bool JoinedRowsEmitter::mayLoad(const KernelIR &kernel, const KernelUses &uses, int64_t lanes) const {
  for (const auto &[i, prim] : llvm::enumerate(kernel.prims)) {
    if (prim.kind != Prim::Kind::Load || !uses.live.test(i) || !kernel.space.getDims(prim.address).test(0))
      continue;
    const KernelArray &array = kernel.arrays[prim.array];
    int64_t bytes = lanes * getMemoryBytes(array.elementType);
    if (bytes > kVectorBytes || !isContiguous(kernel, prim.address, 0) ||
        static_cast<int64_t>(getAlignment(kernel, array, prim.address, 0, lanes)) < bytes)
      return false;
  }
  return true;
}

/// Cycles of an element in a warp: of the access that loads its vector, and of those that keep it, where threads that use
/// different words of one bank wait for each other.
double JoinedRowsEmitter::getCost(const JoinedRows::Piece &piece, int64_t lanes) const {
  constexpr int64_t word = 4, banks = 32;
  int64_t bytes = getMemoryBytes(joined.elementType);
  double cycles = 1 + std::max(1.0, static_cast<double>(lanes * bytes) / word);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    std::array<llvm::SmallDenseSet<int64_t>, banks> words;
    for (int64_t thread = 0; thread < kWarpSize; ++thread) {
      int64_t position = thread * lanes + lane;
      int64_t place = position / piece.width * joined.width + position % piece.width;
      int64_t own = place * bytes / word;
      words[own % banks].insert(own);
    }
    size_t most = 0;
    for (const auto &bank : words)
      most = std::max<size_t>(most, bank.size());
    cycles += static_cast<double>(most);
  }
  return cycles / static_cast<double>(lanes);
}

/// The fewest cycles, as far as a thread has few vectors.
int64_t JoinedRowsEmitter::chooseLanes(const JoinedRows::Piece &piece, const KernelUses &uses, int64_t rows) const {
  constexpr int64_t mostVectors = 8;
  int64_t best = 1, elements = rows * piece.width;
  bool isFound = false;
  for (int64_t lanes = 8; lanes >= 1; lanes /= 2) {
    if (lanes > 1 && (elements % lanes != 0 || !mayLoad(piece.kernel, uses, lanes)))
      continue;
    if (isFound && (elements / lanes > mostVectors * kThreads || getCost(piece, lanes) >= getCost(piece, best)))
      continue;
    best = lanes;
    isFound = true;
  }
  return best;
}

/// What a thread computes its values from, of the first `rows` rows of the block.
LogicalResult JoinedRowsEmitter::load(Part &part, int64_t rows) {
  KernelEmitter &emitter = *part.emitter;
  int64_t elements = rows * part.piece->width, vectors = elements / part.lanes;
  int64_t steps = llvm::divideCeil(vectors, kThreads);
  part.scopes.resize(steps);
  for (int64_t i = 0; i < steps; ++i) {
    Scope &scope = part.scopes[i];
    Value at = emitter.addIndex(emitter.threadId, index(i * kThreads)), inBlock;
    if ((i + 1) * kThreads > vectors) {
      inBlock = emitter.isBelow(at, vectors);
      at = mlir::arith::MinUIOp::create(b, loc, at, index(vectors - 1));
    }
    Value start = emitter.mulIndex(at, part.lanes);
    scope.dims = {emitter.addIndex(emitter.mulIndex(blockId, rowsOfBlock * part.piece->width), start)};
    scope.lanes = part.lanes;
    scope.vectorDim = 0;
    part.starts.push_back(start);
    part.inBlock.push_back(inBlock);
    if (failed(emitter.compute(scope, emitter.getLoads())))
      return failure();
  }
  return success();
}

/// They go where they belong in the block's rows.
LogicalResult JoinedRowsEmitter::keep(Part &part) {
  KernelEmitter &emitter = *part.emitter;
  const JoinedRows::Piece &piece = *part.piece;
  unsigned target = piece.kernel.stores.front().prim;
  auto keepAll = [&](Scope &scope, Value start) {
    Value value = emitter.toMemory(scope.find(target), joined.elementType);
    auto placeOf = [&](Value position) {
      Value row = mlir::arith::DivUIOp::create(b, loc, position, index(piece.width)),
            column = mlir::arith::RemUIOp::create(b, loc, position, index(piece.width));
      return emitter.addIndex(emitter.addIndex(emitter.mulIndex(row, joined.width), column), index(piece.column));
    };
    Value first = placeOf(start);
    for (int64_t lane = 0; lane < part.lanes; ++lane) {
      Value place = first;
      if (lane > 0 && piece.width % part.lanes == 0)
        place = emitter.addIndex(first, index(lane));
      else if (lane > 0)
        place = placeOf(emitter.addIndex(start, index(lane)));
      memref::StoreOp::create(b, loc, emitter.getLane(value, lane), kept, place);
    }
    return success();
  };
  for (Scope &scope : part.scopes)
    if (failed(emitter.compute(scope, emitter.getTargets())))
      return failure();
  for (size_t i = 0; i < part.scopes.size(); ++i)
    if (failed(emitter.guarded(part.inBlock[i], [&] { return keepAll(part.scopes[i], part.starts[i]); })))
      return failure();
  return success();
}

LogicalResult JoinedRowsEmitter::emitBlock(int64_t rows) {
  bool isWhole = rows == rowsOfBlock;
  // The loads of all pieces are in flight together.
  std::vector<Part> parts;
  for (auto [i, piece] : llvm::enumerate(joined.pieces)) {
    Part &part = parts.emplace_back(Part{&piece, emitters[i].get()});
    if (isWhole)
      part.lanes = chooseLanes(piece, uses[i], rows);
    if (failed(load(part, rows)))
      return failure();
  }
  for (Part &part : parts)
    if (failed(keep(part)))
      return failure();
  mlir::gpu::BarrierOp::create(b, loc);
  KernelEmitter &emitter = *emitters.front();
  int64_t elements = rows * joined.width, bytes = getMemoryBytes(joined.elementType);
  int64_t lanes = isWhole ? std::min<int64_t>(kVectorBytes, resultAlign) / bytes : 1, vectors = elements / lanes;
  Value start = emitter.mulIndex(blockId, rowsOfBlock * joined.width);
  for (int64_t i = 0; i < static_cast<int64_t>(llvm::divideCeil(vectors, kThreads)); ++i) {
    Value at = emitter.addIndex(emitter.threadId, index(i * kThreads));
    Value inBlock = (i + 1) * kThreads > vectors ? emitter.isBelow(at, vectors) : Value();
    (void)emitter.guarded(inBlock, [&] {
      Value place = emitter.mulIndex(at, lanes), target = emitter.addIndex(start, place);
      Value value = emitter.loadFromBox(kept, BoxVector{place, lanes, lanes, 1});
      if (lanes == 1) {
        memref::StoreOp::create(b, loc, value, result, target);
        return success();
      }
      auto stored = vector::StoreOp::create(b, loc, value, result, target);
      stored.setAlignmentAttr(b.getI64IntegerAttr(lanes * bytes));
      return success();
    });
  }
  return success();
}

FailureOr<LaunchShape> JoinedRowsEmitter::run(StringRef name) {
  SmallVector<const KernelIR *> kernels;
  for (const JoinedRows::Piece &piece : joined.pieces) {
    kernels.push_back(&piece.kernel);
    uses.emplace_back(piece.kernel);
    schedules.emplace_back();
  }
  OpBuilder::InsertionGuard restore(b);
  mlir::gpu::GPUFuncOp function = KernelEmitter::createFunction(b, loc, name, kernels, kThreads);
  blockId = mlir::gpu::BlockIdOp::create(b, loc, mlir::gpu::Dimension::x);
  Value threadId = mlir::gpu::ThreadIdOp::create(b, loc, mlir::gpu::Dimension::x);
  Type element = getMemoryType(joined.elementType);
  unsigned next = 0;
  for (auto [i, piece] : llvm::enumerate(joined.pieces)) {
    auto &emitter = emitters.emplace_back(std::make_unique<KernelEmitter>(b, piece.kernel, uses[i], schedules[i]));
    emitter->function = function;
    emitter->threadId = threadId;
    emitter->bindArrays(next);
    if (piece.column == 0) { // From here on all of the result.
      const KernelStore &store = piece.kernel.stores.front();
      auto type = mlir::MemRefType::get({joined.rows * joined.width}, element);
      Value argument = function.getArgument(next + store.array);
      result = memref::ReinterpretCastOp::create(b, loc, type, argument, /*offset=*/store.address.constant,
                                                 ArrayRef<int64_t>{type.getDimSize(0)}, ArrayRef<int64_t>{1});
      const KernelArray &array = piece.kernel.arrays[store.array];
      resultAlign = std::gcd<uint64_t>(array.align, store.address.constant * getMemoryBytes(array.elementType));
      resultAlign = std::max<uint64_t>(resultAlign, getMemoryBytes(array.elementType));
    }
    next += piece.kernel.arrays.size();
  }
  kept = emitters.front()->addShared(rowsOfBlock * joined.width, element);
  int64_t whole = joined.rows / rowsOfBlock, rest = joined.rows % rowsOfBlock;
  if (rest) {
    auto choice = scf::IfOp::create(b, loc, emitters.front()->isBelow(blockId, whole), /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.elseBlock());
    if (failed(emitBlock(rest)))
      return failure();
    b.setInsertionPointToStart(choice.thenBlock());
  }
  if (failed(emitBlock(rowsOfBlock)))
    return failure();
  b.setInsertionPointToEnd(&function.getBody().front());
  mlir::gpu::ReturnOp::create(b, loc);
  LaunchShape launch{whole + (rest != 0), kThreads};
  setKnownGrid(function, launch.grid);
  function->setAttr("fxgraph.schedule",
                    b.getDictionaryAttr({b.getNamedAttr("kind", b.getStringAttr("joined rows")),
                                         b.getNamedAttr("rows", b.getI64IntegerAttr(rowsOfBlock))}));
  return launch;
}

FailureOr<LaunchShape> fxgraph::gpu::emitJoinedRows(OpBuilder &builder, StringRef name, const JoinedRows &joined,
                                                    int64_t rowsOfBlock) {
  return JoinedRowsEmitter(builder, joined, rowsOfBlock).run(name);
}
