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
        tiling(tiling), matrix(builder, spec.loc, spec.element), queryTile(groupRows, 2 * spec.width, true),
        keyTile(bn, 2 * spec.width, true), valueTile(bn, 2 * spec.valueWidth, true), kSteps(keyTile.chunks / 2),
        outTile(groupRows, 2 * spec.valueWidth, true), groupBytes(queryTile.getBytes()),
        keyStart(bm / groupRows * groupBytes), valueStart(keyStart + 2 * keyTile.getBytes()),
        outStart(valueStart + 2 * valueTile.getBytes()), barriersAt(outStart + bm / groupRows * outTile.getBytes()) {
    chains = 4;
  }
  LaunchShape run();

private:
  /// The state of a row tile between blocks.
  struct State {
    SmallVector<Value> out, maxima, sums, probabilities;
    SmallVector<Value> flatten() const;
    State unflatten(ValueRange values) const;
  };
  /// `number`: of the block among all that this one has had, whose stage it takes.
  void copyBlock(const Copy &copy, Value block, Value number, int64_t start) {
    copyKeys(copy, mul(block, bn), add(mul(rem(number, 2), copy.tile.getBytes()), start));
  }
  /// Waits for all copies, of all threads.
  void awaitCopies(uint32_t pending);
  /// Before a product that uses the state's registers, which others have written.
  void fence(State &state);
  /// Starts the product of queries and keys.
  SmallVector<Value> startScores(Value number);
  /// Starts the product of probabilities and values, onto `state.out`.
  void startOutput(State &state, Value number);
  /// Scores to probabilities; returns the factors for earlier results.
  SmallVector<Value> applySoftmax(SmallVector<Value> acc, State &state, ArrayRef<Value> mask, Value block);
  void setProbabilities(State &state, ArrayRef<Value> scores);
  void store(State &state);
  /// First scores, with the keys that are there, to a state.
  State start(Value number, ArrayRef<Value> mask, function_ref<void()> started);
  /// Scores of a block beside the output of the one before it; calls `started` once both products are on their way, and
  /// `release` when the keys have been read.
  void turn(State &state, Value block, Value number, function_ref<void()> started, function_ref<void()> release);

  // With warps that copy.
  enum Barrier { KeysFull, ValuesFull, KeysEmpty, ValuesEmpty, QueriesEmpty, Turn };
  static constexpr int64_t numBarriers = 6; ///< two of each kind
  Value barrier(Barrier kind, Value number) { return sharedAt(add(mul(rem(number, 2), 8), barriersAt + 16 * kind)); }
  void wait(Barrier kind, Value block, Value parity) {
    constexpr int64_t ticks = 10000000;
    NVVM::MBarrierTryWaitParityOp::create(b, loc, barrier(kind, block), parity, c(ticks));
  }
  /// Waits until the block's keys or values are there.
  void awaitFull(Barrier kind, Value block) { wait(kind, block, rem(div(block, 2), 2)); }
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
  void openCopies();
  void runInRoles();
  void forTiles(function_ref<Value(Value, Value)> body);
  Value copyTile(Value tile, Value base);
  Value computeTile(Value base);
  void storeGroup(State &state);

  static constexpr int64_t groupRows = 64, groupThreads = 128;
  /// Registers of a thread at launch with warps that copy, of these and of the others later.
  static constexpr int32_t launchRegisters = 168, copyRegisters = 56, computeRegisters = 224;
  AttentionTiling tiling;
  WarpgroupMatrix matrix;
  Tile queryTile, keyTile, valueTile; ///< queries of one group
  int64_t kSteps;
  Tile outTile; ///< with warps that copy, results of one group
  int64_t groupBytes, keyStart, valueStart, outStart, barriersAt;
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

SmallVector<Value> WarpgroupAttentionEmitter::startScores(Value number) {
  Value start = add(mul(rem(number, 2), keyTile.getBytes()), keyStart);
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

void WarpgroupAttentionEmitter::startOutput(State &state, Value number) {
  Value start = add(mul(rem(number, 2), valueTile.getBytes()), valueStart);
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
  Tile outTile(bm, 2 * spec.valueWidth);
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

WarpgroupAttentionEmitter::State WarpgroupAttentionEmitter::start(Value number, ArrayRef<Value> mask,
                                                                  function_ref<void()> started) {
  State state;
  state.out.assign(spec.valueWidth / 2, f32(0));
  state.maxima.assign(2, f32(-infinity));
  state.sums.assign(2, f32(0));
  matrix.fence({});
  SmallVector<Value> acc = startScores(number);
  started();
  matrix.wait(0, acc);
  applySoftmax(acc, state, mask, c(0));
  setProbabilities(state, scores);
  return state;
}

void WarpgroupAttentionEmitter::turn(State &state, Value block, Value number, function_ref<void()> started,
                                     function_ref<void()> release) {
  SmallVector<Value> mask = loadMask(block, mul(block, bn));
  fence(state);
  SmallVector<Value> acc = startScores(number);
  startOutput(state, arith::SubIOp::create(b, loc, number, c(1)));
  started();
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

/// Walks over this block's tiles; `body` gets the number of the tile and of its first block of keys, among those of this
/// block, and returns how many blocks it has.
void WarpgroupAttentionEmitter::forTiles(function_ref<Value(Value, Value)> body) {
  Value zero = c(0), one = c(1);
  if (!tiling.blocks) {
    body(zero, zero);
    return;
  }
  auto loop = scf::ForOp::create(b, loc, tileNumber, c(getNumTiles()), c(std::min(tiling.blocks, getNumTiles())),
                                 ValueRange{zero, zero});
  OpBuilder::InsertionGuard inner(b);
  b.setInsertionPointToStart(loop.getBody());
  Value tile = loop.getRegionIterArg(0), base = loop.getRegionIterArg(1);
  locate(loop.getInductionVar());
  Value count = body(tile, base);
  scf::YieldOp::create(b, loc, ValueRange{add(tile, one), add(base, count)});
}

/// The copying warps: keys go two blocks ahead of what is computed, values one.
Value WarpgroupAttentionEmitter::copyTile(Value tile, Value base) {
  Value zero = c(0), one = c(1), count = countBlocks();
  openCopies();
  auto copyKeyBlock = [&](Value block) {
    Value number = add(base, block);
    awaitEmpty(KeysEmpty, number);
    copyBlock(keyCopy, block, number, keyStart);
  };
  wait(QueriesEmpty, zero, bitXor(rem(tile, 2), one));
  copyAllQueries();
  copyKeyBlock(zero);
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
  emitIf(less(one, count), [&] { copyKeyBlock(one); });
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
  publish(KeysFull, base); // And the queries.
  auto loop = scf::ForOp::create(b, loc, zero, count, one);
  OpBuilder::InsertionGuard inner(b);
  b.setInsertionPointToStart(loop.getBody());
  Value block = loop.getInductionVar(), number = add(base, block), next = add(block, 1), second = add(block, 2);
  awaitEmpty(ValuesEmpty, number);
  copyBlock(valueCopy, block, number, valueStart);
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
  emitIf(less(next, count), [&] { publish(KeysFull, add(base, next)); });
  emitIf(less(second, count), [&] { copyKeyBlock(second); });
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
  publish(ValuesFull, number);
  return count;
}

/// One group's rows of a tile, at its own pace.
Value WarpgroupAttentionEmitter::computeTile(Value base) {
  Value zero = c(0), one = c(1), count = countBlocks(), last = arith::SubIOp::create(b, loc, count, one);
  row0 = add(row0, mul(groupNumber, groupRows));
  outBase = openOperand(getNumInputs(), spec.out, element);
  openSlots(add(row0, mul(rem(warp, 4), 16)), 1);
  Value isLeader = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rem(tid, groupThreads), zero);
  auto release = [&](Barrier kind, Value number) { emitIf(isLeader, [&] { arrive(kind, number); }); };
  // With the keys of the last block, the queries have been read too.
  auto releaseKeys = [&](Value block) {
    release(KeysEmpty, add(base, block));
    Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, block, last);
    emitIf(both(isLeader, isLast), [&] { arrive(QueriesEmpty, zero); });
  };
  // The groups start their products in turn, so that one's softmax lies beside the other's products: by
  // themselves they end up doing the same at the same time.
  auto awaitTurn = [&](Value number) { wait(Turn, groupNumber, rem(add(add(number, groupNumber), one), 2)); };
  auto endTurn = [&] { emitIf(isLeader, [&] { arrive(Turn, add(groupNumber, 1)); }); };
  SmallVector<Value> mask = loadMask(zero, zero);
  awaitFull(KeysFull, base);
  awaitTurn(base);
  State state = start(base, mask, endTurn);
  releaseKeys(zero);
  auto loop = scf::ForOp::create(b, loc, one, count, one, state.flatten());
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(loop.getBody());
    Value block = loop.getInductionVar(), number = add(base, block),
          previous = arith::SubIOp::create(b, loc, number, one);
    State inside = state.unflatten(loop.getRegionIterArgs());
    awaitFull(KeysFull, number);
    awaitFull(ValuesFull, previous);
    awaitTurn(number);
    turn(inside, block, number, endTurn, [&] { releaseKeys(block); });
    release(ValuesEmpty, previous);
    scf::YieldOp::create(b, loc, inside.flatten());
  }
  state = state.unflatten(loop.getResults());
  Value end = add(base, last);
  awaitFull(ValuesFull, end);
  fence(state);
  startOutput(state, end);
  matrix.wait(0, state.out);
  release(ValuesEmpty, end);
  storeGroup(state);
  return count;
}

/// Through shared memory.
void WarpgroupAttentionEmitter::storeGroup(State &state) {
  Value start = add(mul(groupNumber, outTile.getBytes()), outStart), row = add(mul(rem(warp, 4), 16), group);
  auto synchronize = [&] {
    NVVM::BarrierOp::create(b, loc, /*res=*/Type(), add(groupNumber, 1), c(groupThreads), NVVM::BarrierReductionAttr(),
                            Value());
  };
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
  synchronize();
  // From here on the group's threads and rows are all there is.
  tid = rem(tid, groupThreads);
  threads = copyThreads = groupThreads;
  bm = groupRows;
  auto words = mlir::VectorType::get({4}, b.getI32Type());
  storeRows([&](Value row, Value chunk) -> Value {
    return LLVM::LoadOp::create(b, loc, words, sharedAt(add(start, tileOffset(outTile, row, chunk))), 16);
  });
  if (tiling.blocks) // Before the next tile's results.
    synchronize();
}

void WarpgroupAttentionEmitter::openCopies() {
  qBase = openOperand(0, spec.q, element);
  keyCopy = planCopy(openOperand(1, spec.k, element), spec.k.row, spec.width, keyTile);
  valueCopy = planCopy(openOperand(2, spec.v, element), spec.v.row, spec.valueWidth, valueTile);
}

void WarpgroupAttentionEmitter::runInRoles() {
  // Without these setmaxnreg has no effect.
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), b.getI32IntegerAttr(1));
  function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(), b.getI32IntegerAttr(launchRegisters));
  emitIf(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, tid, c(0)), [&] {
    for (Barrier kind : {KeysFull, ValuesFull, KeysEmpty, ValuesEmpty, QueriesEmpty, Turn})
      for (int64_t number = 0; number < 2; ++number) {
        bool isFull = kind == KeysFull || kind == ValuesFull;
        int64_t arrivals = isFull ? 32 * tiling.copyWarps : kind == Turn ? 1 : bm / groupRows;
        NVVM::MBarrierInitOp::create(b, loc, barrier(kind, c(number)), c(arrivals), Value());
      }
    NVVM::FenceMbarrierInitOp::create(b, loc);
  });
  mlir::gpu::BarrierOp::create(b, loc);
  auto roles = scf::IfOp::create(b, loc, less(tid, 32 * tiling.copyWarps), /*withElseRegion=*/true);
  b.setInsertionPointToStart(roles.thenBlock());
  // Each role finds the tiles for itself.
  Value first = tileNumber, firstRow = row0;
  SmallVector<Value> firstLeading = leading;
  NVVM::SetMaxRegisterOp::create(b, loc, copyRegisters, NVVM::SetMaxRegisterAction::decrease);
  forTiles([&](Value tile, Value base) { return copyTile(tile, base); });
  tileNumber = first;
  row0 = firstRow;
  leading = firstLeading;
  b.setInsertionPointToStart(roles.elseBlock());
  NVVM::SetMaxRegisterOp::create(b, loc, computeRegisters, NVVM::SetMaxRegisterAction::increase);
  forTiles([&](Value, Value base) { return computeTile(base); });
}

LaunchShape WarpgroupAttentionEmitter::run() {
  OpBuilder::InsertionGuard restore(b);
  LaunchShape launch = open(/*splits=*/1, tiling.blocks);
  function->setAttr(kAttentionTilingAttr, tiling.toAttribute(b.getContext()));
  launch.sharedBytes =
      tiling.copyWarps ? barriersAt + 16 * numBarriers : std::max(outStart, Tile(bm, 2 * spec.valueWidth).getBytes());
  openDynamicShared(function, launch.sharedBytes);
  if (tiling.copyWarps)
    warp = arith::SubIOp::create(b, loc, warp, c(tiling.copyWarps));
  groupNumber = div(warp, 4);
  queryDescriptor =
      matrix.describe(sharedAt(mul(groupNumber, groupBytes)), /*depthMajor=*/true, queryTile.getPanelBytes());
  if (tiling.copyWarps) {
    runInRoles();
    close();
    return launch;
  }
  Value zero = c(0), one = c(1), count = countBlocks();
  openCopies();
  outBase = openOperand(getNumInputs(), spec.out, element);
  tileRow = mul(warp, 16);
  openSlots(add(row0, tileRow), 1);
  copyAllQueries();
  copyBlock(keyCopy, zero, zero, keyStart);
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
  copyBlock(valueCopy, zero, zero, valueStart);
  emitIf(less(one, count), [&] { copyBlock(keyCopy, one, one, keyStart); });
  NVVM::CpAsyncCommitGroupOp::create(b, loc);

  SmallVector<Value> mask = loadMask(zero, zero);
  awaitCopies(1);
  State state = start(zero, mask, [] {});
  auto loop = scf::ForOp::create(b, loc, one, count, one, state.flatten());
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(loop.getBody());
    Value block = loop.getInductionVar(), next = add(block, 1);
    State inside = state.unflatten(loop.getRegionIterArgs());
    // Keys of this block and values of the previous one are there; everybody is done with those before them.
    awaitCopies(0);
    copyBlock(valueCopy, block, block, valueStart);
    emitIf(less(next, count), [&] { copyBlock(keyCopy, next, next, keyStart); });
    NVVM::CpAsyncCommitGroupOp::create(b, loc);
    turn(inside, block, block, [] {}, [] {});
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
