// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention with the matrix instructions of warp groups: each group of four warps has 64
// rows. While the scores of one block become probabilities, the product of the
// previous block's probabilities with its values runs (Shah et al., FlashAttention-3).
//
// Either all threads copy what the next turn needs, in step, or warps of their own do, and
// the groups of rows go at their own pace: a stage is full once all copying threads say so,
// and empty once each group does.

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
      : AttentionEmitter(builder, spec, tiling.getRows(), tiling.keys, tiling.getThreads(), tiling.keys / 8,
                         32 * tiling.copyWarps),
        tiling(tiling), matrix(builder, spec.loc, spec.element), queryTile(groupRows, spec.width, true),
        keyTile(bn, spec.width, true), valueTile(bn, spec.valueWidth, true), kSteps(keyTile.chunks / 2),
        outTile(groupRows, spec.valueWidth, true),
        groupBytes(std::max(queryTile.getBytes(), tiling.copyWarps ? outTile.getBytes() : 0)),
        keyStart(bm / groupRows * groupBytes), valueStart(keyStart + 2 * keyTile.getBytes()),
        barriersAt(valueStart + 2 * valueTile.getBytes()) {}
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
  /// First scores, with the keys that are there, to a state.
  State start(ArrayRef<Value> mask);
  /// Scores of a block beside the output of the one before it; `release` says that the keys have been read.
  void turn(State &state, Value block, function_ref<void()> release);

  // With warps that copy.
  enum Barrier { KeysFull, ValuesFull, KeysEmpty, ValuesEmpty };
  Value barrier(Barrier kind, Value block) { return sharedAt(add(mul(rem(block, 2), 8), barriersAt + 16 * kind)); }
  void wait(Barrier kind, Value block, Value parity) {
    constexpr int64_t ticks = 10000000;
    NVVM::MBarrierTryWaitParityOp::create(b, loc, barrier(kind, block), parity, c(ticks));
  }
  /// Waits until the block's keys or values are there.
  void awaitFull(Barrier kind, Value block) {
    wait(kind, block, rem(div(block, 2), 2));
    matrix.fenceShared();
  }
  /// Waits until what was there two blocks before has been read.
  void awaitEmpty(Barrier kind, Value block) { wait(kind, block, bitXor(rem(div(block, 2), 2), c(1))); }
  void arrive(Barrier kind, Value block) {
    NVVM::MBarrierArriveOp::create(b, loc, b.getI64Type(), barrier(kind, block), Value());
  }
  /// Waits for this thread's copies but for the last ones, and says that the block's are there.
  void publish(Barrier kind, Value block) {
    NVVM::CpAsyncWaitGroupOp::create(b, loc, 1);
    matrix.fenceShared();
    arrive(kind, block);
  }
  void copyAllQueries();
  void copyAll(Value count);
  void computeRows(Value count);
  void storeGroup(State &state);

  static constexpr int64_t groupRows = 64, groupThreads = 128;
  /// Registers of a thread at launch with warps that copy, of these and of the others later.
  static constexpr int32_t launchRegisters = 168, copyRegisters = 40, computeRegisters = 232;
  AttentionTiling tiling;
  WarpgroupMatrix matrix;
  Tile queryTile, keyTile, valueTile; ///< queries of one group
  int64_t kSteps;
  Tile outTile; ///< with warps that copy, results of one group, where its queries were
  int64_t groupBytes, keyStart, valueStart, barriersAt;
  Copy keyCopy, valueCopy;
  Value qBase, groupNumber, tileRow, queryDescriptor;
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

WarpgroupAttentionEmitter::State WarpgroupAttentionEmitter::start(ArrayRef<Value> mask) {
  State state;
  state.out.assign(spec.valueWidth / 2, f32(0));
  state.maxima.assign(2, f32(-infinity));
  state.sums.assign(2, f32(0));
  matrix.fence({});
  SmallVector<Value> acc = startScores(c(0));
  matrix.wait(0, acc);
  applySoftmax(acc, state, mask, c(0));
  setProbabilities(state, scores);
  return state;
}

void WarpgroupAttentionEmitter::turn(State &state, Value block, function_ref<void()> release) {
  SmallVector<Value> mask = loadMask(block, mul(block, bn));
  fence(state);
  SmallVector<Value> acc = startScores(block);
  startOutput(state, arith::SubIOp::create(b, loc, block, c(1)));
  matrix.wait(1, acc);
  release();
  SmallVector<Value> factors = applySoftmax(acc, state, mask, block);
  matrix.wait(0, state.out);
  for (size_t i = 0; i < state.out.size(); ++i)
    state.out[i] = math.mul(state.out[i], factors[i / 2 % 2]);
  setProbabilities(state, scores);
}

void WarpgroupAttentionEmitter::copyAllQueries() {
  Value tileStart = row0;
  for (int64_t i = 0; i < bm / groupRows; ++i) {
    row0 = add(tileStart, i * groupRows);
    copyQueries(qBase, queryTile, c(i * groupBytes));
  }
  row0 = tileStart;
}

/// The copying warps: keys go two blocks ahead of what is computed, values one.
void WarpgroupAttentionEmitter::copyAll(Value count) {
  NVVM::SetMaxRegisterOp::create(b, loc, copyRegisters, NVVM::SetMaxRegisterAction::decrease);
  Value zero = c(0), one = c(1);
  copyAllQueries();
  copyBlock(keyCopy, zero, keyStart);
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
  emitIf(less(one, count), [&] { copyBlock(keyCopy, one, keyStart); });
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
  publish(KeysFull, zero); // And the queries.
  auto loop = scf::ForOp::create(b, loc, zero, count, one);
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(loop.getBody());
    Value block = loop.getInductionVar(), next = add(block, 1), second = add(block, 2);
    awaitEmpty(ValuesEmpty, block);
    copyBlock(valueCopy, block, valueStart);
    NVVM::CpAsyncCommitGroupOp::create(b, loc);
    emitIf(less(next, count), [&] { publish(KeysFull, next); });
    emitIf(less(second, count), [&] {
      awaitEmpty(KeysEmpty, second);
      copyBlock(keyCopy, second, keyStart);
    });
    NVVM::CpAsyncCommitGroupOp::create(b, loc);
    publish(ValuesFull, block);
  }
}

/// One group's rows, at its own pace.
void WarpgroupAttentionEmitter::computeRows(Value count) {
  NVVM::SetMaxRegisterOp::create(b, loc, computeRegisters, NVVM::SetMaxRegisterAction::increase);
  Value zero = c(0), one = c(1), own = rem(tid, groupThreads);
  auto release = [&](Barrier kind, Value block) {
    emitIf(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, own, zero), [&] { arrive(kind, block); });
  };
  SmallVector<Value> mask = loadMask(zero, zero);
  awaitFull(KeysFull, zero);
  State state = start(mask);
  release(KeysEmpty, zero);
  auto loop = scf::ForOp::create(b, loc, one, count, one, state.flatten());
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(loop.getBody());
    Value block = loop.getInductionVar(), previous = arith::SubIOp::create(b, loc, block, one);
    State inside = state.unflatten(loop.getRegionIterArgs());
    awaitFull(KeysFull, block);
    awaitFull(ValuesFull, previous);
    turn(inside, block, [&] { release(KeysEmpty, block); });
    release(ValuesEmpty, previous);
    scf::YieldOp::create(b, loc, inside.flatten());
  }
  state = state.unflatten(loop.getResults());
  Value last = arith::SubIOp::create(b, loc, count, one);
  awaitFull(ValuesFull, last);
  fence(state);
  startOutput(state, last);
  matrix.wait(0, state.out);
  storeGroup(state);
}

/// Through shared memory, where the group's queries were.
void WarpgroupAttentionEmitter::storeGroup(State &state) {
  Value start = mul(groupNumber, groupBytes), row = add(mul(rem(warp, 4), 16), group);
  for (Value &sum : state.sums)
    for (unsigned offset : {1u, 2u})
      sum = math.add(sum, exchange(sum, offset));
  for (int64_t slot = 0; slot < 2; ++slot) {
    Value inverse = invert(state.sums[slot]), at = add(row, 8 * slot);
    for (int64_t t = 0; t < spec.valueWidth / 8; ++t) {
      Value pair =
          pack(math.mul(state.out[4 * t + 2 * slot], inverse), math.mul(state.out[4 * t + 2 * slot + 1], inverse));
      Value place = add(add(start, mul(quad, 4)), tileOffset(outTile, at, c(t)));
      LLVM::StoreOp::create(b, loc, pair, sharedAt(place), 4);
    }
  }
  NVVM::BarrierOp::create(b, loc, /*res=*/Type(), add(groupNumber, 1), c(groupThreads), NVVM::BarrierReductionAttr(),
                          Value());
  // From here on the group's threads and rows are all there is.
  tid = rem(tid, groupThreads);
  threads = copyThreads = groupThreads;
  bm = groupRows;
  auto words = mlir::VectorType::get({4}, b.getI32Type());
  storeRows([&](Value row, Value chunk) -> Value {
    return LLVM::LoadOp::create(b, loc, words, sharedAt(add(start, tileOffset(outTile, row, chunk))), 16);
  });
}

LaunchShape WarpgroupAttentionEmitter::run() {
  OpBuilder::InsertionGuard restore(b);
  LaunchShape launch = open();
  function->setAttr(kAttentionTilingAttr, tiling.toAttribute(b.getContext()));
  launch.sharedBytes = tiling.copyWarps ? barriersAt + 4 * 16
                                        : std::max(barriersAt, Tile(bm, spec.valueWidth).getBytes());
  openDynamicShared(function, launch.sharedBytes);
  qBase = openOperand(0, spec.q, element);
  keyCopy = planCopy(openOperand(1, spec.k, element), spec.k.row, spec.width, keyTile);
  valueCopy = planCopy(openOperand(2, spec.v, element), spec.v.row, spec.valueWidth, valueTile);
  outBase = openOperand(getNumInputs(), spec.out, element);
  Value zero = c(0), one = c(1), count = countBlocks();
  if (tiling.copyWarps)
    warp = arith::SubIOp::create(b, loc, warp, c(tiling.copyWarps));
  groupNumber = div(warp, 4);
  tileRow = mul(warp, 16);
  openSlots(add(row0, tileRow), 1);
  queryDescriptor =
      matrix.describe(sharedAt(mul(groupNumber, groupBytes)), /*depthMajor=*/true, queryTile.getPanelBytes());
  if (tiling.copyWarps) {
    // Without these setmaxnreg has no effect.
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), b.getI32IntegerAttr(1));
    function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(), b.getI32IntegerAttr(launchRegisters));
    emitIf(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, tid, zero), [&] {
      for (Barrier kind : {KeysFull, ValuesFull, KeysEmpty, ValuesEmpty})
        for (int64_t stage = 0; stage < 2; ++stage)
          NVVM::MBarrierInitOp::create(
              b, loc, barrier(kind, c(stage)),
              c(kind == KeysFull || kind == ValuesFull ? 32 * tiling.copyWarps : bm / groupRows), Value());
      NVVM::FenceMbarrierInitOp::create(b, loc);
    });
    mlir::gpu::BarrierOp::create(b, loc);
    auto roles = scf::IfOp::create(b, loc, less(tid, 32 * tiling.copyWarps), /*withElseRegion=*/true);
    b.setInsertionPointToStart(roles.thenBlock());
    copyAll(count);
    b.setInsertionPointToStart(roles.elseBlock());
    row0 = add(row0, mul(groupNumber, groupRows));
    computeRows(count);
    close();
    return launch;
  }

  copyAllQueries();
  copyBlock(keyCopy, zero, keyStart);
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
  copyBlock(valueCopy, zero, valueStart);
  emitIf(less(one, count), [&] { copyBlock(keyCopy, one, keyStart); });
  NVVM::CpAsyncCommitGroupOp::create(b, loc);

  SmallVector<Value> mask = loadMask(zero, zero);
  awaitCopies(1);
  State state = start(mask);
  auto loop = scf::ForOp::create(b, loc, one, count, one, state.flatten());
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(loop.getBody());
    Value block = loop.getInductionVar(), next = add(block, 1);
    State inside = state.unflatten(loop.getRegionIterArgs());
    // Keys of this block and values of the previous one are there; everybody is done with those before them.
    awaitCopies(0);
    copyBlock(valueCopy, block, valueStart);
    emitIf(less(next, count), [&] { copyBlock(keyCopy, next, keyStart); });
    NVVM::CpAsyncCommitGroupOp::create(b, loc);
    turn(inside, block, [] {});
    scf::YieldOp::create(b, loc, inside.flatten());
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
