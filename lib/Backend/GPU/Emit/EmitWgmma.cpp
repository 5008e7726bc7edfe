// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/EmitWgmma.h"
#include "Emit/TileEmitter.h"
#include "Emit/WarpgroupMatrix.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringExtras.h"
#include <functional>

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
namespace LLVM = mlir::LLVM;
namespace NVVM = mlir::NVVM;

/// Shared memory that a block of sm_90a may have, and what lies in it: rows of 128 bytes
/// (64 elements, one swizzle pattern), 64 of them a block of a tile.
static constexpr int64_t kSharedLimit = 232448, kRowBytes = 128, kBlockColumns = 64, kBlockBytes = 64 * kRowBytes;
static constexpr int64_t kWarpgroup = 128, kConsumers = 2, kThreads = kWarpgroup * (kConsumers + 1);
/// Blocks of the result that a warpgroup stages: one is filled while one is written.
static constexpr int64_t kStagedBlocks = 2;
/// Registers of a thread at launch, of the loading warpgroup and of the others later.
static constexpr int32_t kRegisters = 168, kLoadRegisters = 24, kMultiplyRegisters = 240;

//===----------------------------------------------------------------------===//
// Configurations
//===----------------------------------------------------------------------===//

std::string WgmmaConfig::print() const {
  std::string text = llvm::formatv("tile-n={0},stages={1},cluster={2},schedule={3},raster={4},blocks={5}", tileN,
                                   stages, cluster, pingpong ? "pingpong" : "cooperative", raster, blocks)
                         .str();
  return split == 1 ? text : text + ",split=" + std::to_string(split);
}

void WgmmaConfig::fitStages() {
  constexpr int64_t most = 8;
  for (stages = most; getSharedBytes() > kSharedLimit;)
    --stages;
}

std::optional<std::string> WgmmaConfig::update(StringRef text) {
  bool namesStages = false, namesSplit = false;
  for (StringRef item : llvm::split(text, ',')) {
    auto [name, value] = item.split('=');
    if (name == "schedule") {
      if (value != "pingpong" && value != "cooperative")
        return ("expected schedule=cooperative or schedule=pingpong but got '" + item + "'").str();
      pingpong = value == "pingpong";
      continue;
    }
    int64_t *field = llvm::StringSwitch<int64_t *>(name)
                         .Case("tile-n", &tileN)
                         .Case("stages", &stages)
                         .Case("cluster", &cluster)
                         .Case("raster", &raster)
                         .Case("blocks", &blocks)
                         .Case("split", &split)
                         .Default(nullptr);
    namesStages |= name == "stages";
    namesSplit |= name == "split";
    if (!field || value.getAsInteger(10, *field))
      return ("expected tile-n=, stages=, cluster=, schedule=, raster=, blocks= or split= but got '" + item + "'")
          .str();
  }
  if (!namesSplit && (cluster != 1 || pingpong))
    split = 1;
  if (!namesStages && tileN >= 1)
    fitStages();
  return check();
}

int64_t WgmmaConfig::getSharedBytes() const {
  int64_t stage = (tileM + tileN) * tileK * 2, staging = kConsumers * kStagedBlocks * kBlockBytes;
  // A full and an empty barrier for each stage, two of the order of the warpgroups.
  return stages * stage + staging + 16 * stages + 16;
}

std::optional<std::string> WgmmaConfig::check() const {
  if (tileN < kBlockColumns || tileN > 256 || tileN % kBlockColumns != 0)
    return "expected tile-n to be 64, 128, 192 or 256 but got " + std::to_string(tileN);
  if (pingpong && tileN > 128)
    return "expected tile-n of at most 128 with schedule=pingpong but got " + std::to_string(tileN);
  if (cluster != 1 && cluster != 2)
    return "expected cluster to be 1 or 2 but got " + std::to_string(cluster);
  if (cluster == 2 && tileN % (2 * kBlockColumns) != 0)
    return "expected tile-n to be 128 or 256 with cluster=2 but got " + std::to_string(tileN);
  if (split != 1 && split != 2 && split != 4 && split != 8)
    return "expected split to be 1, 2, 4 or 8 but got " + std::to_string(split);
  if (split != 1 && (cluster != 1 || pingpong))
    return "expected cluster=1 and schedule=cooperative with split=" + std::to_string(split);
  if (stages < 2 || getSharedBytes() > kSharedLimit)
    return "expected 2 to " +
           std::to_string((kSharedLimit - WgmmaConfig{tileN, 0}.getSharedBytes()) /
                          ((tileM + tileN) * tileK * 2 + 16)) +
           " stages but got " + std::to_string(stages);
  if (int64_t least = llvm::divideCeil(tileM * tileN * 4, (tileM + tileN) * tileK * 2); split != 1 && stages < least)
    return "expected at least " + std::to_string(least) + " stages with split=" + std::to_string(split) + " but got " +
           std::to_string(stages);
  if (raster < 1 || blocks < cluster)
    return "expected raster and blocks to be positive";
  return std::nullopt;
}

void WgmmaSpec::print(raw_ostream &os) const {
  os << element << ' ' << m << 'x' << n << 'x' << k << " batch " << batch << (isResultAligned ? " aligned" : "");
  for (const Matrix *matrix : {&a, &b, &d})
    os << " [" << matrix->ld << ',' << matrix->stride << (matrix->isTransposed ? ",transposed]" : "]");
  for (const Addend &addend : addends)
    os << " +" << addend.element << '[' << addend.ld << ',' << addend.stride << ',' << addend.align
       << (addend.isColumn ? ",column]" : "]");
  os << ' ' << config.print();
}

/// Of a product of few tiles, in units of 0.6 ns (13 products with a long K on an H200, docs/Performance.md): a block of K
/// takes what its copies and products wait for, or what all multiprocessors read together; and a cluster waits for all its
/// blocks twice, while the first one reads what each other has added up.
static double estimateTime(const WgmmaSpec &spec, int64_t tiles, int64_t tileN, int64_t split, int64_t processors) {
  constexpr double latency = 250, traffic = 0.0157, barriers = 2600, readsOfColumn = 21.5;
  double columns = static_cast<double>(tileN), blocks = static_cast<double>(std::min(tiles * split, processors));
  double turns = llvm::divideCeil(tiles * split, processors);
  double steps = llvm::divideCeil(llvm::divideCeil(spec.k, WgmmaConfig::tileK), split);
  double step = std::max(columns + latency, blocks * (columns + WgmmaConfig::tileM) * traffic);
  return turns * steps * step + (split == 1 ? 0 : barriers + readsOfColumn * columns * static_cast<double>(split - 1));
}

WgmmaConfig fxgraph::gpu::chooseWgmmaConfig(const WgmmaSpec &spec, bool hasEpilogue) {
  WgmmaConfig config;
  auto countTiles = [&](int64_t tileN) {
    return static_cast<int64_t>(llvm::divideCeil(spec.m, WgmmaConfig::tileM) * llvm::divideCeil(spec.n, tileN)) *
           spec.batch;
  };
  // The time of the busiest multiprocessor; narrow tiles read more for each product.
  auto cost = [&](int64_t tileN) {
    return static_cast<double>(llvm::divideCeil(countTiles(tileN), config.blocks)) * (static_cast<double>(tileN) + 16);
  };
  for (int64_t tileN : {192, 128, 64})
    if (cost(tileN) < cost(config.tileN))
      config.tileN = tileN;
  // Blocks of a cluster share a tile where that is clearly faster. Of large clusters not all multiprocessors have room for one.
  constexpr double worthwhile = 0.88;
  double best = worthwhile * estimateTime(spec, countTiles(config.tileN), config.tileN, 1, config.blocks);
  int64_t blocksK = llvm::divideCeil(spec.k, WgmmaConfig::tileK);
  for (int64_t tileN : {64, 128, 192, 256})
    for (int64_t split : {2, 4, 8}) {
      int64_t room = split == 2 ? config.blocks : config.blocks * 27 / 32, tiles = countTiles(tileN);
      double time = estimateTime(spec, tiles, tileN, split, config.blocks);
      if (tiles * split > room || split > blocksK || time >= best)
        continue;
      best = time;
      config.tileN = tileN;
      config.split = split;
    }
  // Taking turns hides epilogues, from some tiles for each block on; and where the card is
  // at its limit of power it is faster without them too.
  constexpr int64_t turn = 128, someTiles = 4, manyTiles = 30;
  if (countTiles(turn) >= (hasEpilogue ? someTiles : manyTiles) * config.blocks) {
    config.pingpong = true;
    config.tileN = turn;
  }
  config.fitStages();
  return config;
}

bool fxgraph::gpu::isTensorMapOperand(const WgmmaSpec::Matrix &matrix, int64_t offset) {
  // Strides are below 2^40 bytes.
  constexpr int64_t limit = int64_t(1) << 38;
  return matrix.ld > 0 && matrix.ld % 8 == 0 && matrix.stride % 8 == 0 && offset % 8 == 0 && matrix.ld < limit &&
         matrix.stride >= 0 && matrix.stride < limit;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace {

class WgmmaEmitter : TileEmitter {
public:
  WgmmaEmitter(OpBuilder &builder, const WgmmaSpec &spec)
      : TileEmitter(builder, spec.loc, spec.element), matrix(builder, spec.loc, spec.element), spec(spec),
        config(spec.config), halves(config.pingpong ? 2 : 1), stageA(WgmmaConfig::tileM * kRowBytes),
        stageBytes(stageA + config.tileN * kRowBytes), blocksK(llvm::divideCeil(spec.k, WgmmaConfig::tileK)),
        tilesM(llvm::divideCeil(spec.m, WgmmaConfig::tileM * config.cluster)),
        tilesN(llvm::divideCeil(spec.n, config.tileN)), numTiles(tilesM * tilesN * spec.batch),
        workers(config.split > 1 ? numTiles : std::min(numTiles, config.blocks / config.cluster)) {}
  WgmmaKernel run();

private:
  /// Where a tile lies: its first row (of this block of the cluster), its first column
  /// and its number in the batch.
  struct Tile {
    Value row, column, problem;
  };
  /// A place in the ring: the stage, and the parity of the round.
  struct Place {
    Value stage, parity;
  };

  TensorMap mapOf(const WgmmaSpec::Matrix &matrix, int64_t rows, int64_t columns, int64_t boxRows) const;
  void createFunction(const WgmmaKernel &kernel);
  void initialize();
  void load();
  void multiply();

  Tile locate(Value tile);
  Place advance(Place place);
  /// `count` stages further.
  Place skip(Place place, int64_t count);
  void copyBox(Value bytes, Value map, ArrayRef<Value> at, const WgmmaSpec::Matrix &matrix, const Tile &tile,
               Value barrier, bool isShared);
  SmallVector<Value> multiplyStage(Value stage, ArrayRef<Value> acc, Value accumulates);
  void release(Value stage, Value condition = Value());
  /// The blocks of K that this one adds up: the first, and behind the last.
  std::pair<Value, Value> getDepth();
  void synchronizeCluster();
  void finishSplit(const Tile &tile, ArrayRef<Value> sums);
  /// Of this warpgroup.
  Value getFirstRow(const Tile &tile) { return config.pingpong ? tile.row : add(tile.row, mul(group, 64)); }
  /// How far below and to the right a block of 64 x 64 results lies, of those that are staged one by one.
  std::pair<Value, Value> locateBlock(Value number);
  using Fetched = SmallVector<SmallVector<Value>>;
  bool loadsPairs(const WgmmaSpec::Addend &addend) const;
  int64_t getBlocks() const { return halves * config.tileN / kBlockColumns; }
  static constexpr int64_t kBytesAhead = 4;
  int64_t getAddendBytes() const;
  bool isEpilogueLoop() const;
  int64_t getQuartersAhead() const;
  Value loadAddend(unsigned number, Value row, Value column, const Tile &tile);
  /// A block is read and finished in quarters of 16 columns.
  static constexpr int64_t kQuarters = 4;
  Fetched fetch(Value number, const Tile &tile, int64_t firstQuarter = 0, int64_t quarters = kQuarters);
  void finishBlock(Value number, ArrayRef<Value> sums, function_ref<Fetched(int64_t)> getQuarter, const Tile &tile);
  void finish(const Tile &tile, ArrayRef<Value> sums, Fetched fetched);
  Value applyEpilogue(Value low, Value high, ArrayRef<Value> loaded);
  void storeRows(Value staged, Value row, Value column, const Tile &tile);

  Value full(Value stage) { return sharedAt(add(mul(stage, 8), barriersAt)); }
  Value empty(Value stage) { return sharedAt(add(mul(stage, 8), barriersAt + 8 * config.stages)); }
  Value order(Value group) { return sharedAt(add(mul(group, 8), barriersAt + 16 * config.stages)); }
  void wait(Value barrier, Value parity) {
    constexpr int64_t ticks = 10000000;
    NVVM::MBarrierTryWaitParityOp::create(b, loc, barrier, parity, c(ticks));
  }
  void arrive(Value barrier) { NVVM::MBarrierArriveOp::create(b, loc, b.getI64Type(), barrier, Value()); }
  Value equal(Value x, int64_t y) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, c(y)); }
  SmallVector<Value> loop(Value from, Value to, Value step, ArrayRef<Value> initial,
                          llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body, bool isRolled = false);

  WarpgroupMatrix matrix;
  const WgmmaSpec &spec;
  const WgmmaConfig &config;
  int64_t halves; ///< of 64 rows, that one warpgroup computes
  int64_t stageA, stageBytes, blocksK, tilesM, tilesN, numTiles, workers;
  int64_t stagingAt = 0, barriersAt = 0; ///< in shared memory
  mlir::gpu::GPUFuncOp function;
  Value tid, rank, worker, warpgroup;
  // Of the multiplying threads: number of the warpgroup, of the thread and the warp in it.
  Value group, thread, warp, lane, isLeader, sharedNumber;
  // Where a thread's first pair of sums lies in a block of 64 rows and columns.
  Value fragmentRow, fragmentColumn;
};

} // namespace

/// `isRolled`: LLVM leaves the loop as it is. What it waits for takes longer than its instructions, and copies of them
/// would be most of what is compiled.
SmallVector<Value> WgmmaEmitter::loop(Value from, Value to, Value step, ArrayRef<Value> initial,
                                      llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body, bool isRolled) {
  auto op = scf::ForOp::create(b, loc, from, to, step, initial);
  if (isRolled) {
    MLIRContext *context = b.getContext();
    auto unroll = LLVM::LoopUnrollAttr::get(context, /*disable=*/b.getBoolAttr(true), {}, {}, {}, {}, {}, {});
    op->setAttr("llvm.loop_annotation",
                LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}));
  }
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(op.getBody());
  SmallVector<Value> results = body(op.getInductionVar(), op.getRegionIterArgs());
  if (!initial.empty()) // Else the loop has a terminator.
    scf::YieldOp::create(b, loc, results);
  return SmallVector<Value>(op.getResults());
}

/// Boxes of 64 columns of a matrix as it is stored, with the batch as third dimension.
TensorMap WgmmaEmitter::mapOf(const WgmmaSpec::Matrix &matrix, int64_t rows, int64_t columns, int64_t boxRows) const {
  TensorMap map;
  map.dims = {columns, rows};
  map.strides = {matrix.ld * 2};
  map.box = {kBlockColumns, boxRows};
  if (matrix.stride != 0) {
    map.dims.push_back(spec.batch);
    map.strides.push_back(matrix.stride * 2);
    map.box.push_back(1);
  }
  return map;
}

void WgmmaEmitter::createFunction(const WgmmaKernel &kernel) {
  MLIRContext *context = b.getContext();
  SmallVector<Type> types(3 + spec.addends.size(), LLVM::LLVMPointerType::get(context));
  function = createKernelFunction(b, loc, spec.name, types, kThreads);
  setKnownGrid(function, kernel.launch.grid);
  function->setAttr("fxgraph.config", b.getStringAttr(config.print()));
  if (config.getClusterBlocks() > 1)
    function.setKnownClusterSizeAttr(b.getDenseI32ArrayAttr({static_cast<int32_t>(config.getClusterBlocks()), 1, 1}));
  // Without these setmaxnreg has no effect.
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), b.getI32IntegerAttr(1));
  function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(), b.getI32IntegerAttr(kRegisters));
  for (auto [i, map] : llvm::enumerate(SmallVector<bool>{true, true, kernel.d.has_value()})) {
    constexpr int64_t mapBytes = 128, mapAlign = 64; // CUtensorMap
    if (map)
      describeByValue(function, i, LLVM::LLVMArrayType::get(b.getI8Type(), mapBytes), mapAlign);
    else
      describePointer(function, i, /*isRead=*/false, /*align=*/0);
  }
  for (unsigned i = 3; i < types.size(); ++i)
    function.setArgAttr(i, "llvm.readonly", b.getUnitAttr());
}

WgmmaEmitter::Tile WgmmaEmitter::locate(Value tile) {
  Tile result;
  result.problem = c(0);
  if (spec.batch > 1) {
    result.problem = div(tile, tilesM * tilesN);
    tile = rem(tile, tilesM * tilesN);
  }
  // Groups of row tiles share their columns of B in the L2 cache; the last may be smaller.
  int64_t size = std::min(config.raster, tilesM);
  Value number = div(tile, size * tilesN), inside = rem(tile, size * tilesN), first = mul(number, size);
  Value row, column;
  if (tilesM % size == 0) {
    row = add(first, rem(inside, size));
    column = div(inside, size);
  } else {
    Value left = arith::SubIOp::create(b, loc, c(tilesM), first);
    Value height = clampTo(left, size);
    row = add(first, arith::RemUIOp::create(b, loc, inside, height).getResult());
    column = arith::DivUIOp::create(b, loc, inside, height);
  }
  if (config.cluster > 1)
    row = add(mul(row, config.cluster), rank);
  result.row = mul(row, WgmmaConfig::tileM);
  result.column = mul(column, config.tileN);
  return result;
}

WgmmaEmitter::Place WgmmaEmitter::advance(Place place) {
  Value isLast = equal(place.stage, config.stages - 1);
  return {math.select(isLast, c(0), add(place.stage, 1)),
          math.select(isLast, bitXor(place.parity, c(1)), place.parity)};
}

WgmmaEmitter::Place WgmmaEmitter::skip(Place place, int64_t count) {
  Value far = add(place.stage, count), rounds = div(far, config.stages);
  return {rem(far, config.stages), bitXor(place.parity, rem(rounds, 2))};
}

void WgmmaEmitter::initialize() {
  emitIf(equal(tid, 0), [&] {
    int64_t readers = (config.pingpong ? 1 : kConsumers) * config.cluster;
    for (int64_t i = 0; i < config.stages; ++i) {
      NVVM::MBarrierInitOp::create(b, loc, full(c(i)), c(1), Value());
      NVVM::MBarrierInitOp::create(b, loc, empty(c(i)), c(readers), Value());
    }
    if (config.pingpong)
      for (int64_t i = 0; i < kConsumers; ++i)
        NVVM::MBarrierInitOp::create(b, loc, order(c(i)), c(1), Value());
    NVVM::FenceMbarrierInitOp::create(b, loc);
  });
  if (config.cluster > 1)
    synchronizeCluster();
  else
    mlir::gpu::BarrierOp::create(b, loc);
}

/// By all threads of its blocks.
void WgmmaEmitter::synchronizeCluster() {
  NVVM::ClusterArriveOp::create(b, loc, b.getUnitAttr());
  NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
}

std::pair<Value, Value> WgmmaEmitter::getDepth() {
  if (config.split == 1)
    return {c(0), c(blocksK)};
  return {div(mul(rank, blocksK), config.split), div(mul(add(rank, 1), blocksK), config.split)};
}

void WgmmaEmitter::copyBox(Value bytes, Value map, ArrayRef<Value> at, const WgmmaSpec::Matrix &matrix,
                           const Tile &tile, Value barrier, bool isShared) {
  SmallVector<Value> coordinates(at);
  if (matrix.stride != 0)
    coordinates.push_back(tile.problem);
  Value target = LLVM::AddrSpaceCastOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), 7), sharedAt(bytes));
  Value mask;
  if (isShared)
    mask = math.integer(b.getI16Type(), (1 << config.cluster) - 1);
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(b, loc, target, map, coordinates, barrier, ValueRange(), mask,
                                                         /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE,
                                                         /*isCTAOnly=*/false, /*group=*/nullptr,
                                                         /*predicate=*/Value());
}

/// One thread walks over the blocks of K of all tiles and keeps the ring full.
void WgmmaEmitter::load() {
  NVVM::SetMaxRegisterOp::create(b, loc, kLoadRegisters, NVVM::SetMaxRegisterAction::decrease);
  Value mapA = function.getArgument(0), mapB = function.getArgument(1);
  bool isShared = config.cluster > 1;
  emitIf(equal(tid, 0), [&] {
    loop(worker, c(numTiles), c(workers), {c(0), c(1)}, [&](Value number, ValueRange outer) {
      Tile tile = locate(number);
      auto loadBlock = [&](Value block, ValueRange carried) {
        Place place{carried[0], carried[1]};
        wait(empty(place.stage), place.parity);
        Value barrier = full(place.stage), depth = mul(block, WgmmaConfig::tileK), base = mul(place.stage, stageBytes);
        NVVM::MBarrierArriveExpectTxOp::create(b, loc, /*res=*/Type(), barrier, c(stageBytes), NVVM::MemScopeKind::CTA,
                                               /*relaxed=*/false, /*predicate=*/Value());
        if (spec.a.isTransposed)
          for (int64_t i = 0; i < WgmmaConfig::tileM / kBlockColumns; ++i)
            copyBox(add(base, i * kBlockBytes), mapA, {add(tile.row, i * kBlockColumns), depth}, spec.a, tile, barrier,
                    false);
        else
          copyBox(base, mapA, {depth, tile.row}, spec.a, tile, barrier, false);
        // Each block of a cluster reads its part of B for both.
        Value to = add(base, stageA), column = tile.column;
        int64_t part = config.tileN / config.cluster;
        if (isShared) {
          to = add(to, mul(rank, part * kRowBytes));
          column = add(column, mul(rank, part));
        }
        if (spec.b.isTransposed)
          copyBox(to, mapB, {depth, column}, spec.b, tile, barrier, isShared);
        else
          for (int64_t i = 0; i < part / kBlockColumns; ++i)
            copyBox(add(to, i * kBlockBytes), mapB, {add(column, i * kBlockColumns), depth}, spec.b, tile, barrier,
                    isShared);
        Place next = advance(place);
        return SmallVector<Value>{next.stage, next.parity};
      };
      auto [first, end] = getDepth();
      return loop(first, end, c(1), {outer[0], outer[1]}, loadBlock, /*isRolled=*/true);
    });
  });
  if (config.split > 1)
    synchronizeCluster();
}

/// acc + the products of one stage, or these alone where `accumulates` is 0.
SmallVector<Value> WgmmaEmitter::multiplyStage(Value stage, ArrayRef<Value> acc, Value accumulates) {
  constexpr int64_t denseK = WarpgroupMatrix::getDescriptorFields(/*depthMajor=*/true, kBlockBytes);
  constexpr int64_t denseOther = WarpgroupMatrix::getDescriptorFields(/*depthMajor=*/false, kBlockBytes);
  // 16 of K further: 32 bytes in a row, or 16 rows.
  constexpr int64_t stepDense = 32, stepOther = 16 * kRowBytes;
  auto describe = [&](Value bytes, int64_t fields) -> Value {
    // In a cluster the address holds the block's rank above its 18 bits.
    Value units = arith::AndIOp::create(b, loc, div(bytes, 16), c(0x3fff));
    return arith::OrIOp::create(b, loc, wide(units), math.integer(b.getI64Type(), fields));
  };
  bool isDenseA = !spec.a.isTransposed, isDenseB = spec.b.isTransposed;
  Value base = add(sharedNumber, mul(stage, stageBytes));
  Value firstA = config.pingpong ? base : add(base, mul(group, kBlockBytes));
  SmallVector<Value> left;
  for (int64_t h = 0; h < halves; ++h)
    left.push_back(describe(add(firstA, h * kBlockBytes), isDenseA ? denseK : denseOther));
  Value right = describe(add(base, stageA), isDenseB ? denseK : denseOther);
  NVVM::WgmmaFenceAlignedOp::create(b, loc);
  WarpgroupMatrix::Steps steps{WgmmaConfig::tileK / 16, isDenseA ? stepDense : stepOther,
                               isDenseB ? stepDense : stepOther};
  SmallVector<Value> sums = matrix.multiply(acc, left, right, config.tileN, isDenseA, isDenseB, steps, accumulates);
  NVVM::WgmmaGroupSyncAlignedOp::create(b, loc);
  return sums;
}

/// Tells the loading threads of all blocks that write to it that a stage has been read.
void WgmmaEmitter::release(Value stage, Value condition) {
  auto with = [&](Value own) { return condition ? both(own, condition) : own; };
  if (config.cluster == 1)
    return emitIf(with(isLeader), [&] { arrive(empty(stage)); });
  emitIf(with(less(thread, config.cluster)), [&] {
    Value remote = NVVM::MapaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), 7), empty(stage), thread);
    // A release would wait for all memory, and the products have finished reading.
    NVVM::InlinePtxOp::create(b, loc, TypeRange(), ValueRange{remote}, ValueRange(),
                              "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];", Value());
  });
}

void WgmmaEmitter::multiply() {
  NVVM::SetMaxRegisterOp::create(b, loc, kMultiplyRegisters, NVVM::SetMaxRegisterAction::increase);
  group = add(warpgroup, c(-1));
  thread = rem(tid, kWarpgroup);
  warp = div(thread, 32);
  lane = rem(tid, 32);
  isLeader = equal(thread, 0);
  fragmentRow = add(mul(warp, 16), div(lane, 4));
  fragmentColumn = mul(rem(lane, 4), 2);
  sharedNumber = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), shared);
  Value zero = c(0), one = c(1), firstTile = worker, step = c(workers), turn = zero;
  Place start{zero, zero};
  if (config.pingpong) {
    // Warpgroup 1 begins with the second tile, after all stages of the first.
    Place second = skip(start, blocksK);
    Value isSecond = equal(group, 1);
    start = {math.select(isSecond, second.stage, zero), math.select(isSecond, second.parity, zero)};
    firstTile = add(worker, mul(group, workers));
    step = c(2 * workers);
    turn = bitXor(group, one);
  }
  size_t numSums = halves * config.tileN / 2;
  Value none = LLVM::UndefOp::create(b, loc, b.getF32Type());
  loop(firstTile, c(numTiles), step, {start.stage, start.parity, turn}, [&](Value number, ValueRange outer) {
    Tile tile = locate(number);
    // A wait reaches back by one round of the ring: the other warpgroup must have left its
    // products before this one looks at the ring.
    if (config.pingpong)
      wait(order(group), outer[2]);
    // The first block of K needs no accumulators set to zero, and no stage before it is to be released.
    SmallVector<Value> carried(numSums, none);
    carried.append({outer[0], outer[1], outer[0]});
    auto [firstBlock, endBlock] = getDepth();
    auto multiplyBlock = [&, firstBlock = firstBlock](Value block, ValueRange inner) {
      Place place{inner[numSums], inner[numSums + 1]};
      wait(full(place.stage), place.parity);
      SmallVector<Value> results =
          multiplyStage(place.stage, SmallVector<Value>(inner.take_front(numSums)), /*accumulates=*/
                        config.split == 1 ? block : arith::SubIOp::create(b, loc, block, firstBlock).getResult());
      NVVM::WgmmaWaitGroupSyncOp::create(b, loc, 1);
      release(inner[numSums + 2], arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, block, firstBlock));
      Place next = advance(place);
      results.append({next.stage, next.parity, place.stage});
      return results;
    };
    carried = loop(firstBlock, endBlock, one, carried, multiplyBlock, /*isRolled=*/true);
    if (config.pingpong)
      emitIf(isLeader, [&] { arrive(order(bitXor(group, one))); });
    // Beside the last products.
    Fetched fetched = config.split == 1 ? fetch(c(0), tile, 0, getQuartersAhead()) : Fetched();
    NVVM::WgmmaWaitGroupSyncOp::create(b, loc, 0);
    release(carried[numSums + 2]);
    ArrayRef<Value> sums = ArrayRef<Value>(carried).take_front(numSums);
    if (config.split == 1)
      finish(tile, sums, std::move(fetched));
    else
      finishSplit(tile, sums);
    Place after{carried[numSums], carried[numSums + 1]};
    if (config.pingpong)
      after = skip(after, blocksK);
    return SmallVector<Value>{after.stage, after.parity, bitXor(outer[2], one)};
  });
  if (spec.storesByTensorMap())
    emitIf(isLeader, [&] { NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, 0u, /*read=*/nullptr); });
}

/// The first block of the cluster adds what the others have added up of their parts of K, which lies where the ring was, and
/// finishes the tile.
void WgmmaEmitter::finishSplit(const Tile &tile, ArrayRef<Value> sums) {
  constexpr int64_t readersBarrier = 3, sumBytes = 4, step = kConsumers * kWarpgroup * sumBytes;
  // The other warpgroup may still read the ring.
  NVVM::BarrierOp::create(b, loc, /*res=*/Type(), c(readersBarrier), c(kConsumers * kWarpgroup),
                          NVVM::BarrierReductionAttr(), Value());
  Value place = mul(add(mul(group, kWarpgroup), thread), sumBytes);
  Value isFirst = equal(rank, 0), isOther = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, rank, c(0));
  emitIf(isOther, [&] {
    for (auto [i, sum] : llvm::enumerate(sums))
      LLVM::StoreOp::create(b, loc, sum, sharedAt(add(place, static_cast<int64_t>(i) * step)), sumBytes);
  });
  synchronizeCluster();
  emitIf(isFirst, [&] {
    auto clusterPointer = LLVM::LLVMPointerType::get(b.getContext(), 7);
    Fetched fetched = fetch(c(0), tile, 0, getQuartersAhead());
    SmallVector<Value> all = loop(
        c(1), c(config.split), c(1), sums,
        [&](Value other, ValueRange before) {
          Value there = NVVM::MapaOp::create(b, loc, clusterPointer, sharedAt(place), other);
          SmallVector<Value> added;
          for (auto [i, sum] : llvm::enumerate(before)) {
            Value at = LLVM::GEPOp::create(b, loc, clusterPointer, b.getI8Type(), there,
                                           ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i * step)});
            added.push_back(
                arith::AddFOp::create(b, loc, sum, LLVM::LoadOp::create(b, loc, b.getF32Type(), at, sumBytes)));
          }
          return added;
        },
        /*isRolled=*/true);
    finish(tile, all, std::move(fetched));
  });
}

/// Two neighbours of an addend; at an arbitrary place for what lies outside.
Value WgmmaEmitter::loadAddend(unsigned number, Value row, Value column, const Tile &tile) {
  const WgmmaSpec::Addend &addend = spec.addends[number];
  Value base = openBatched(function.getArgument(3 + number), addend.element, addend.stride, tile.problem);
  if (addend.ld != 0)
    base = pointerAt(base, addend.element, scaled(wide(clampTo(row, spec.m - 1)), addend.ld));
  auto at = [&](Value position) { return pointerAt(base, addend.element, wide(position)); };
  auto pair = mlir::VectorType::get({2}, addend.element);
  int64_t bytes = getMemoryBytes(addend.element);
  if (addend.isColumn) {
    Value one = LLVM::LoadOp::create(b, loc, addend.element, base, bytes);
    return vector::BroadcastOp::create(b, loc, pair, one);
  }
  if (loadsPairs(addend)) {
    Value position = spec.n % config.tileN == 0 ? column : clampTo(column, spec.n - 2);
    return LLVM::LoadOp::create(b, loc, pair, at(position), 2 * bytes);
  }
  SmallVector<Value> elements;
  for (int64_t j = 0; j < 2; ++j)
    elements.push_back(LLVM::LoadOp::create(b, loc, addend.element, at(clampTo(add(column, j), spec.n - 1)), bytes));
  return vector::FromElementsOp::create(b, loc, pair, elements);
}

bool WgmmaEmitter::loadsPairs(const WgmmaSpec::Addend &addend) const {
  return spec.n % 2 == 0 && addend.align >= 2 * getMemoryBytes(addend.element);
}

/// Of a thread, for two sums of a row and the two below them.
int64_t WgmmaEmitter::getAddendBytes() const {
  int64_t bytes = 0;
  for (const WgmmaSpec::Addend &addend : spec.addends)
    bytes += getMemoryBytes(addend.element) * (addend.isRow() ? 1 : 2);
  return bytes;
}

/// An epilogue of some dozen instructions for each sum is a loop, or most of the kernel would be its copies: the sums
/// of the next block move to where those of the first were. What is fetched ahead takes registers twice; of rows that
/// all tiles read, which are in a cache, large addends are fetched where they are needed, and of whole matrices there
/// is no loop.
bool WgmmaEmitter::isEpilogueLoop() const {
  return spec.epilogue && getBlocks() > 1 &&
         (getAddendBytes() <= kBytesAhead ||
          llvm::all_of(spec.addends, [](const WgmmaSpec::Addend &addend) { return addend.isRow(); }));
}

/// How much of what epilogues read is on its way at once. Of a matrix that is read element by element a block is 64
/// registers, which there are not beside the sums and what else is read.
int64_t WgmmaEmitter::getQuartersAhead() const {
  bool isSplit = llvm::any_of(spec.addends, [&](const WgmmaSpec::Addend &addend) {
    return addend.ld != 0 && !addend.isColumn && !loadsPairs(addend);
  });
  return isSplit && !isEpilogueLoop() ? 1 : kQuarters;
}

/// What the epilogue of the staged block with this number reads: for each pair of sums, an element of each addend.
WgmmaEmitter::Fetched WgmmaEmitter::fetch(Value number, const Tile &tile, int64_t firstQuarter, int64_t quarters) {
  Fetched loaded;
  if (spec.addends.empty())
    return loaded;
  auto [below, right] = locateBlock(number);
  Value row = add(add(getFirstRow(tile), fragmentRow), below), column = add(add(tile.column, fragmentColumn), right);
  SmallVector<Value> ofRows[2]; // What all columns of a row have in common.
  for (int64_t q = 0; q < 2; ++q)
    for (auto [i, addend] : llvm::enumerate(spec.addends))
      ofRows[q].push_back(addend.isColumn ? loadAddend(i, add(row, 8 * q), column, tile) : Value());
  for (int64_t j = 2 * firstQuarter; j < 2 * (firstQuarter + quarters); ++j)
    for (int64_t q = 0; q < 2; ++q) {
      SmallVector<Value> all(ofRows[q]);
      for (auto [i, value] : llvm::enumerate(all)) {
        if (spec.addends[i].isRow() && q == 1) // The same for both rows.
          value = loaded.back()[i];
        else if (!value)
          value = loadAddend(i, add(row, 8 * q), add(column, 8 * j), tile);
      }
      loaded.push_back(std::move(all));
    }
  return loaded;
}

/// Two neighbouring results in f32.
Value WgmmaEmitter::applyEpilogue(Value low, Value high, ArrayRef<Value> loaded) {
  auto pair = mlir::VectorType::get({2}, b.getF32Type());
  Value value = vector::FromElementsOp::create(b, loc, pair, ValueRange{low, high});
  if (!spec.epilogue)
    return value;
  SmallVector<Value> addends;
  for (Value addend : loaded)
    addends.push_back(math.convert(addend, b.getF32Type(), false, false));
  return spec.epilogue(b, value, addends);
}

/// The 16 staged rows of this warp to any address: 64 contiguous bytes at a time.
void WgmmaEmitter::storeRows(Value staged, Value row, Value column, const Tile &tile) {
  NVVM::SyncWarpOp::create(b, loc, c(-1));
  Value base = openBatched(function.getArgument(2), element, spec.d.stride, tile.problem);
  // Eight rows at once: what is loaded of one is there when the others are on their way. Addends that are fetched for
  // the next block leave no registers for that.
  constexpr int64_t rows = 16, columns = 32;
  bool isAhead = spec.addends.empty();
  int64_t together = isAhead ? 8 : 1;
  Value firstRow = mul(warp, rows);
  loop(c(0), c(rows), c(together), {}, [&](Value part, ValueRange) {
    SmallVector<std::function<void()>> stores;
    for (int64_t number = 0; number < together; ++number) {
      Value inside = add(firstRow, add(part, number)), matrixRow = add(row, inside);
      Value target = pointerAt(base, element, scaled(wide(matrixRow), spec.d.ld));
      Value rowOk = less(matrixRow, spec.m), key = isAhead ? c(number) : rem(inside, 8);
      for (int64_t left = 0; left < kBlockColumns; left += columns) {
        Value at = add(lane, left), matrixColumn = add(column, at), chunk = bitXor(div(at, 8), key);
        Value bytes = add(add(staged, mul(inside, kRowBytes)), add(mul(chunk, 16), mul(rem(at, 8), 2)));
        auto load = [=] { return LLVM::LoadOp::create(b, loc, b.getI16Type(), sharedAt(bytes), 2).getResult(); };
        Value ahead = isAhead ? load() : Value();
        stores.push_back([=] {
          emitIf(both(rowOk, less(matrixColumn, spec.n)),
                 [&] { LLVM::StoreOp::create(b, loc, ahead ? ahead : load(), globalAt(target, matrixColumn), 2); });
        });
      }
    }
    for (const std::function<void()> &store : stores)
      store();
    return SmallVector<Value>();
  });
  NVVM::SyncWarpOp::create(b, loc, c(-1));
}

std::pair<Value, Value> WgmmaEmitter::locateBlock(Value number) {
  int64_t perRow = config.tileN / kBlockColumns;
  return {mul(div(number, perRow), 64), mul(rem(number, perRow), kBlockColumns)};
}

/// One block through shared memory; `sums` are this thread's, as they lie in the accumulators.
void WgmmaEmitter::finishBlock(Value number, ArrayRef<Value> sums, function_ref<Fetched(int64_t)> getQuarter,
                               const Tile &tile) {
  Value barrier = add(group, 1);
  // Where the 16-byte row of this lane lies in a pair of 8x8 matrices.
  Value matrixRow = add(rem(lane, 8), mul(rem(div(lane, 8), 2), 8)), upper = div(lane, 16), key = rem(lane, 8);
  Value staging = add(mul(group, kStagedBlocks * kBlockBytes), c(stagingAt));
  Value staged = add(staging, mul(rem(number, kStagedBlocks), kBlockBytes));
  Value lineAt = mul(add(mul(warp, 16), matrixRow), kRowBytes);
  auto half2 = mlir::VectorType::get({2}, element);
  auto synchronize = [&] {
    NVVM::BarrierOp::create(b, loc, /*res=*/Type(), barrier, c(kWarpgroup), NVVM::BarrierReductionAttr(), Value());
  };
  bool byMap = spec.storesByTensorMap();
  auto [below, right] = locateBlock(number);
  Value top = add(getFirstRow(tile), below), left = add(tile.column, right);
  if (byMap) {
    emitIf(isLeader, [&] {
      NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, static_cast<uint32_t>(kStagedBlocks - 1), b.getUnitAttr());
    });
    synchronize();
  }
  for (int64_t u = 0; u < kQuarters; ++u) {
    SmallVector<Value> words;
    Fetched fetched = getQuarter(u);
    for (int64_t inside = 0; inside < 4; ++inside) { // Eight columns of two rows are two pairs.
      int64_t pair = 4 * u + inside;
      Value value = applyEpilogue(sums[2 * pair], sums[2 * pair + 1],
                                  fetched.empty() ? ArrayRef<Value>() : ArrayRef<Value>(fetched[inside]));
      Value rounded = arith::TruncFOp::create(b, loc, half2, value);
      words.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), rounded));
    }
    Value chunk = bitXor(add(upper, 2 * u), key);
    NVVM::StMatrixOp::create(b, loc, sharedAt(add(add(staged, lineAt), mul(chunk, 16))), words, NVVM::MMALayout::row,
                             NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8), NVVM::LdStMatrixEltType::B16);
  }
  if (!byMap)
    return storeRows(staged, top, left, tile);
  NVVM::FenceProxyOp::create(b, loc, NVVM::ProxyKind::async_shared,
                             NVVM::SharedSpaceAttr::get(b.getContext(), NVVM::SharedSpace::shared_cta));
  synchronize();
  emitIf(isLeader, [&] {
    SmallVector<Value> at = {left, top};
    if (spec.d.stride != 0)
      at.push_back(tile.problem);
    NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(b, loc, function.getArgument(2), sharedAt(staged), at,
                                                       /*l2CacheHint=*/Value(), NVVM::TMAStoreMode::TILE,
                                                       /*predicate=*/Value());
    NVVM::CpAsyncBulkCommitGroupOp::create(b, loc);
  });
}

/// 64 columns at a time, while what the epilogue reads of the next is fetched.
void WgmmaEmitter::finish(const Tile &tile, ArrayRef<Value> sums, Fetched fetched) {
  constexpr int64_t sumsOfBlock = kBlockColumns / 2;
  int64_t blocks = getBlocks();
  // The first block goes where the last one of the tile before lies, which may still be on its way to memory.
  if (blocks % kStagedBlocks != 0 && spec.storesByTensorMap())
    emitIf(isLeader, [&] { NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, 0u, b.getUnitAttr()); });
  auto getPart = [](const Fetched &all, int64_t quarter) {
    return all.empty() ? Fetched() : Fetched(ArrayRef<SmallVector<Value>>(all).slice(4 * quarter, 4));
  };
  if (!isEpilogueLoop()) {
    // The next part is on its way while one is finished.
    int64_t part = getQuartersAhead(), next = part, total = blocks * kQuarters;
    Fetched current, ahead = std::move(fetched);
    for (int64_t i = 0; i < blocks; ++i) {
      auto getQuarter = [&](int64_t quarter) {
        if (quarter % part == 0) {
          current = std::move(ahead);
          if (next < total)
            ahead = fetch(c(next / kQuarters), tile, next % kQuarters, part);
          next += part;
        }
        return getPart(current, quarter % part);
      };
      finishBlock(c(i), sums.slice(i * sumsOfBlock, sumsOfBlock), getQuarter, tile);
    }
    return;
  }
  Value none = LLVM::UndefOp::create(b, loc, b.getF32Type());
  SmallVector<Value> carried(sums);
  SmallVector<size_t> sizes;
  bool isAhead = getAddendBytes() <= kBytesAhead;
  if (isAhead)
    for (const SmallVector<Value> &values : fetched) {
      sizes.push_back(values.size());
      llvm::append_range(carried, values);
    }
  loop(c(0), c(blocks), c(1), carried, [&](Value number, ValueRange values) {
    SmallVector<Value> current(values.take_front(sums.size()));
    Fetched here, ahead;
    size_t next = sums.size();
    for (size_t size : sizes) {
      here.push_back(SmallVector<Value>(values.slice(next, size)));
      next += size;
    }
    if (isAhead)
      ahead = fetch(clampTo(add(number, 1), blocks - 1), tile);
    else
      here = fetch(number, tile);
    finishBlock(
        number, ArrayRef<Value>(current).take_front(sumsOfBlock),
        [&](int64_t quarter) { return getPart(here, quarter); }, tile);
    current.erase(current.begin(), current.begin() + sumsOfBlock);
    current.append(sumsOfBlock, none);
    for (const SmallVector<Value> &loaded : ahead)
      llvm::append_range(current, loaded);
    return current;
  });
}

WgmmaKernel WgmmaEmitter::run() {
  WgmmaKernel kernel;
  kernel.launch.grid = workers * config.getClusterBlocks();
  kernel.launch.block = kThreads;
  kernel.launch.sharedBytes = config.getSharedBytes();
  kernel.a = spec.a.isTransposed ? mapOf(spec.a, spec.k, spec.m, WgmmaConfig::tileK)
                                 : mapOf(spec.a, spec.m, spec.k, WgmmaConfig::tileM);
  kernel.b = spec.b.isTransposed ? mapOf(spec.b, spec.n, spec.k, config.tileN / config.cluster)
                                 : mapOf(spec.b, spec.k, spec.n, WgmmaConfig::tileK);
  if (spec.storesByTensorMap())
    kernel.d = mapOf(spec.d, spec.m, spec.n, kBlockColumns);
  stagingAt = config.stages * stageBytes;
  barriersAt = stagingAt + kConsumers * kStagedBlocks * kBlockBytes;

  createFunction(kernel);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(&function.getBody().front());
  openDynamicShared(function, kernel.launch.sharedBytes);
  tid = getThreadId();
  Value block = getBlockId();
  rank = rem(block, config.getClusterBlocks());
  worker = div(block, config.getClusterBlocks());
  initialize();
  warpgroup = div(tid, kWarpgroup);
  auto roles = scf::IfOp::create(b, loc, equal(warpgroup, 0), /*withElseRegion=*/true);
  b.setInsertionPointToStart(roles.thenBlock());
  load();
  b.setInsertionPointToStart(roles.elseBlock());
  multiply();
  b.setInsertionPointAfter(roles);
  if (config.getClusterBlocks() > 1)
    synchronizeCluster(); // A block stays until nobody writes into it, or reads from it, any more.
  mlir::gpu::ReturnOp::create(b, loc);
  return kernel;
}

WgmmaKernel fxgraph::gpu::emitWgmma(OpBuilder &builder, const WgmmaSpec &spec) {
  return WgmmaEmitter(builder, spec).run();
}
