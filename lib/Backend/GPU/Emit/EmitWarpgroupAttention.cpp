// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention with the matrix instructions of warp groups: each group of four warps has 64
// rows. While the scores of one block become probabilities, the product of the
// previous block's probabilities with its values runs (Shah et al., FlashAttention-3);
// all threads copy what the next turn needs.

#include "Emit/AttentionEmitter.h"
#include "Emit/WarpgroupMatrix.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace LLVM = mlir::LLVM;
namespace NVVM = mlir::NVVM;

namespace {

class WarpgroupAttentionEmitter : AttentionEmitter {
public:
  WarpgroupAttentionEmitter(OpBuilder &builder, const AttentionSpec &spec, const AttentionTiling &tiling)
      : AttentionEmitter(builder, spec, tiling.getRows(), tiling.keys, tiling.getThreads(), tiling.keys / 8),
        tiling(tiling), matrix(builder, spec.loc, spec.element), queryTile(bm, spec.width, true),
        keyTile(bn, spec.width, true), valueTile(bn, spec.valueWidth, true), kSteps(keyTile.chunks / 2),
        keyStart(queryTile.getBytes()), valueStart(keyStart + 2 * keyTile.getBytes()) {}
  LaunchShape run();

private:
  /// The state of a row tile between blocks.
  struct State {
    SmallVector<Value> out, maxima, sums, probabilities;
    SmallVector<Value> flatten() const;
    State unflatten(ValueRange values) const;
  };
  void copyBlock(const Copy &copy, Value block, int64_t start) {
    copyKeys(copy, mul(block, bn), add(mul(rem(block, 2), copy.tile.getBytes()), start));
  }
  /// Waits for all copies, of all threads.
  void awaitCopies(uint32_t pending);
  /// Before a product that uses the state's registers, which others have written.
  void fence(State &state);
  /// Starts the product of queries and keys.
  SmallVector<Value> startScores(Value block);
  /// Starts the product of probabilities and values, onto `state.out`.
  void startOutput(State &state, Value block);
  /// Scores to probabilities; returns the factors for earlier results.
  SmallVector<Value> applySoftmax(SmallVector<Value> acc, State &state, ArrayRef<Value> mask, Value block);
  void setProbabilities(State &state, ArrayRef<Value> scores);
  void store(State &state);

  AttentionTiling tiling;
  WarpgroupMatrix matrix;
  Tile queryTile, keyTile, valueTile;
  int64_t kSteps, keyStart, valueStart;
  Copy keyCopy, valueCopy;
  Value tileRow, queryDescriptor;
  SmallVector<Value> scores; ///< of the last applySoftmax, by slot
};

} // namespace

SmallVector<Value> WarpgroupAttentionEmitter::State::flatten() const {
  SmallVector<Value> values(out);
  values.append(maxima);
  values.append(sums);
  values.append(probabilities);
  return values;
}

WarpgroupAttentionEmitter::State WarpgroupAttentionEmitter::State::unflatten(ValueRange values) const {
  State state;
  auto take = [&](SmallVector<Value> &part, size_t count) {
    llvm::append_range(part, values.take_front(count));
    values = values.drop_front(count);
  };
  take(state.out, out.size());
  take(state.maxima, maxima.size());
  take(state.sums, sums.size());
  take(state.probabilities, probabilities.size());
  return state;
}

void WarpgroupAttentionEmitter::awaitCopies(uint32_t pending) {
  NVVM::CpAsyncWaitGroupOp::create(b, loc, pending);
  matrix.fenceShared();
  mlir::gpu::BarrierOp::create(b, loc);
}

void WarpgroupAttentionEmitter::fence(State &state) {
  SmallVector<Value> registers(state.out);
  registers.append(state.probabilities);
  matrix.fence(registers);
  llvm::copy(ArrayRef<Value>(registers).take_front(state.out.size()), state.out.begin());
  llvm::copy(ArrayRef<Value>(registers).drop_front(state.out.size()), state.probabilities.begin());
}

SmallVector<Value> WarpgroupAttentionEmitter::startScores(Value block) {
  Value start = add(mul(rem(block, 2), keyTile.getBytes()), keyStart);
  Value keys = matrix.describe(sharedAt(start), /*depthMajor=*/true, keyTile.getPanelBytes());
  SmallVector<Value> acc;
  for (int64_t ks = 0; ks < kSteps; ++ks) {
    int64_t panel = ks / 4, inPanel = ks % 4 * 32;
    acc = matrix.multiply(acc, matrix.advance(queryDescriptor, panel * queryTile.getPanelBytes() + inPanel),
                          matrix.advance(keys, panel * keyTile.getPanelBytes() + inPanel), bn, /*depthMajor=*/true);
  }
  matrix.commit();
  return acc;
}

void WarpgroupAttentionEmitter::startOutput(State &state, Value block) {
  Value start = add(mul(rem(block, 2), valueTile.getBytes()), valueStart);
  Value values = matrix.describe(sharedAt(start), /*depthMajor=*/false, valueTile.getPanelBytes());
  for (int64_t ks = 0; ks < bn / 16; ++ks)
    state.out = matrix.multiply(state.out, ArrayRef<Value>(state.probabilities).slice(4 * ks, 4),
                                matrix.advance(values, 16 * 128 * ks), spec.valueWidth, /*depthMajor=*/false);
  matrix.commit();
}

SmallVector<Value> WarpgroupAttentionEmitter::applySoftmax(SmallVector<Value> acc, State &state, ArrayRef<Value> mask,
                                                           Value block) {
  scores.clear();
  for (int64_t slot = 0; slot < 2; ++slot)
    for (int64_t t = 0; t < keyTiles; ++t)
      for (int64_t q = 0; q < 2; ++q)
        scores.push_back(acc[4 * t + 2 * slot + q]);
  maskScores(scores, mask, block, mul(block, bn));
  return updateSoftmax(scores, state.maxima, state.sums);
}

void WarpgroupAttentionEmitter::setProbabilities(State &state, ArrayRef<Value> scores) {
  state.probabilities.clear();
  for (int64_t t = 0; t < keyTiles; ++t)
    for (int64_t slot = 0; slot < 2; ++slot) {
      int64_t at = (slot * keyTiles + t) * 2;
      state.probabilities.push_back(pack(scores[at], scores[at + 1]));
    }
}

void WarpgroupAttentionEmitter::store(State &state) {
  Tile outTile(bm, spec.valueWidth);
  for (Value &sum : state.sums)
    for (unsigned offset : {1u, 2u})
      sum = math.add(sum, exchange(sum, offset));
  for (int64_t slot = 0; slot < 2; ++slot) {
    Value inverse = invert(state.sums[slot]);
    Value at = add(mul(add(tileRow, add(group, 8 * slot)), outTile.pitch), mul(quad, 4));
    for (int64_t t = 0; t < spec.valueWidth / 8; ++t) {
      Value pair =
          pack(math.mul(state.out[4 * t + 2 * slot], inverse), math.mul(state.out[4 * t + 2 * slot + 1], inverse));
      LLVM::StoreOp::create(b, loc, pair, sharedAt(add(at, 16 * t)), 4);
    }
  }
  mlir::gpu::BarrierOp::create(b, loc);
  storeTile(outTile);
}

LaunchShape WarpgroupAttentionEmitter::run() {
  OpBuilder::InsertionGuard restore(b);
  LaunchShape launch = open();
  function->setAttr(kAttentionTilingAttr, tiling.toAttribute(b.getContext()));
  launch.sharedBytes = std::max(valueStart + 2 * valueTile.getBytes(), Tile(bm, spec.valueWidth).getBytes());
  openDynamicShared(function, launch.sharedBytes);
  Value qBase = openOperand(0, spec.q, element);
  keyCopy = planCopy(openOperand(1, spec.k, element), spec.k.row, spec.width, keyTile);
  valueCopy = planCopy(openOperand(2, spec.v, element), spec.v.row, spec.valueWidth, valueTile);
  outBase = openOperand(getNumInputs(), spec.out, element);
  tileRow = mul(warp, 16);
  openSlots(add(row0, tileRow), 1);
  Value groupStart = mul(div(warp, 4), 64 * 128);
  queryDescriptor = matrix.describe(sharedAt(groupStart), /*depthMajor=*/true, queryTile.getPanelBytes());

  Value zero = c(0), one = c(1), count = countBlocks();
  copyQueries(qBase, queryTile, zero);
  copyBlock(keyCopy, zero, keyStart);
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
  copyBlock(valueCopy, zero, valueStart);
  emitIf(less(one, count), [&] { copyBlock(keyCopy, one, keyStart); });
  NVVM::CpAsyncCommitGroupOp::create(b, loc);

  State state;
  state.out.assign(spec.valueWidth / 2, f32(0));
  state.maxima.assign(2, f32(-infinity));
  state.sums.assign(2, f32(0));
  {
    SmallVector<Value> mask = loadMask(zero, zero);
    awaitCopies(1);
    matrix.fence({});
    SmallVector<Value> acc = startScores(zero);
    matrix.wait(0, acc);
    applySoftmax(acc, state, mask, zero);
    setProbabilities(state, scores);
  }
  auto loop = scf::ForOp::create(b, loc, one, count, one, state.flatten());
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(loop.getBody());
    Value block = loop.getInductionVar(), previous = arith::SubIOp::create(b, loc, block, one), next = add(block, 1);
    State turn = state.unflatten(loop.getRegionIterArgs());
    // Keys of this block and values of the previous one are there; everybody is done with those before them.
    awaitCopies(0);
    copyBlock(valueCopy, block, valueStart);
    emitIf(less(next, count), [&] { copyBlock(keyCopy, next, keyStart); });
    NVVM::CpAsyncCommitGroupOp::create(b, loc);
    SmallVector<Value> mask = loadMask(block, mul(block, bn));
    fence(turn);
    SmallVector<Value> acc = startScores(block);
    startOutput(turn, previous);
    matrix.wait(1, acc);
    SmallVector<Value> factors = applySoftmax(acc, turn, mask, block);
    matrix.wait(0, turn.out);
    for (size_t i = 0; i < turn.out.size(); ++i)
      turn.out[i] = math.mul(turn.out[i], factors[i / 2 % 2]);
    setProbabilities(turn, scores);
    scf::YieldOp::create(b, loc, turn.flatten());
  }
  state = state.unflatten(loop.getResults());
  awaitCopies(0);
  fence(state);
  startOutput(state, arith::SubIOp::create(b, loc, count, one));
  matrix.wait(0, state.out);
  // Results go where keys and values were.
  mlir::gpu::BarrierOp::create(b, loc);
  store(state);
  close();
  return launch;
}

LaunchShape fxgraph::gpu::emitWarpgroupAttention(OpBuilder &builder, const AttentionSpec &spec,
                                                 const AttentionTiling &tiling) {
  return WarpgroupAttentionEmitter(builder, spec, tiling).run();
}
