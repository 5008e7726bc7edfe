// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How loop nests are spread over blocks, threads and registers: lowering_config, of
// what KernelSchedule.h says. What stands there already is kept where there is such a kernel.

#include "Stages/ConfigureKernels.h"
#include "Kernel/ChooseBoxes.h"
#include "Kernel/ChooseRuns.h"
#include "Kernel/ChooseScans.h"
#include "Kernel/ChooseTiles.h"
#include "Kernel/HostFunction.h"
#include "Kernel/JoinedRows.h"
#include "Kernel/NestIR.h"
#include "Stages/Stages.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
using Kind = KernelSchedule::Kind;

/// The most elements that a thread may be asked to keep in registers, and shared memory of a block.
static constexpr int64_t kMostKeptElements = 128, kMostSharedBytes = 48 << 10;
/// Threads of blocks that several nests share, and their shared memory in all.
static constexpr int64_t kLaunchBlock = 256, kLaunchSharedBytes = 40960;

namespace {
/// Reads the entries of one nest's configuration over the schedule that was chosen.
class ConfigReader {
public:
  ConfigReader(LoopNestOp nest, const KernelIR &ir, int64_t processors)
      : nest(nest), config(nest.getLoweringConfigAttr()), ir(ir), uses(ir) {
    auto chip = nest->getParentOfType<mlir::func::FuncOp>()->getAttrOfType<StringAttr>(kHostChipAttr);
    device = {processors, chip && hasClusters(chip.getValue())};
  }
  FailureOr<KernelSchedule> run();

private:
  InFlightDiagnostic refuse(StringRef entry) { return nest.emitOpError("lowering_config: expected ") << entry << ' '; }
  LogicalResult choose();
  LogicalResult readNumbers();
  LogicalResult readBoxes();
  LogicalResult readScans();
  LogicalResult readTiles();
  LogicalResult check();
  LogicalResult checkRest();
  bool has(StringRef entry) const { return config.contains(entry); }

  LoopNestOp nest;
  mlir::DictionaryAttr config;
  const KernelIR &ir;
  KernelUses uses;
  DeviceShape device;
  KernelSchedule schedule;
};
} // namespace

static mlir::DictionaryAttr toConfig(const KernelSchedule &schedule, MLIRContext *context) {
  mlir::NamedAttrList entries(schedule.toAttribute(context));
  entries.set("block", mlir::Builder(context).getI64IntegerAttr(schedule.block));
  return entries.getDictionary(context);
}

LogicalResult ConfigReader::choose() {
  schedule = chooseSchedule(ir, uses, device);
  Attribute kind = config ? config.get("kind") : Attribute();
  if (!kind)
    return success();
  auto text = dyn_cast<StringAttr>(kind);
  const auto *name = text ? llvm::find(KernelSchedule::names, text.getValue()) : std::end(KernelSchedule::names);
  if (name == std::end(KernelSchedule::names))
    return refuse("kind to be flat, boxes, rows, strips, loops, scans or tiles but got") << kind;
  auto given = static_cast<Kind>(name - std::begin(KernelSchedule::names));
  if (given == Kind::Strips && has("run")) {
    std::optional<KernelSchedule> runs = findRuns(ir, uses, device.processors);
    if (!runs)
      return refuse("a nest whose elements are one run of memory") << "but got run = " << config.get("run");
    schedule = *runs;
    return success();
  }
  // What a whole configuration does not say is not so.
  bool dropsRun = schedule.runResults && (has("threads") || has("block"));
  if (given == schedule.kind && !dropsRun)
    return success();
  std::optional<KernelSchedule> other = chooseSchedule(ir, uses, device, given);
  if (!other)
    return refuse("a kind of kernel that computes this nest but got") << kind;
  schedule = *other;
  return success();
}

LogicalResult ConfigReader::readNumbers() {
  int64_t lanes = schedule.lanes, unroll = schedule.unroll, ahead = schedule.ahead;
  std::pair<StringRef, int64_t *> numbers[] = {{"lanes", &lanes},
                                               {"unroll", &unroll},
                                               {"block", &schedule.block},
                                               {"threads", &schedule.threads},
                                               {"cluster", &schedule.cluster},
                                               {"ahead", &ahead}};
  for (auto [entry, field] : numbers) {
    Attribute value = config.get(entry);
    if (!value)
      continue;
    auto number = dyn_cast<IntegerAttr>(value);
    if (!number || number.getInt() < 1 || number.getInt() > 1024 || !llvm::isPowerOf2_64(number.getInt()))
      return refuse(entry) << "to be a power of two up to 1024 but got " << value;
    *field = number.getInt();
  }
  schedule.unroll = unroll;
  schedule.ahead = ahead;
  bool isReduction = schedule.kind == Kind::Rows || schedule.kind == Kind::Strips;
  schedule.lanes = lanes;
  if (schedule.kind == Kind::Flat) {
    auto steps = config.getAs<IntegerAttr>("steps_along");
    // What a whole configuration does not say is not so.
    bool isOwn = has("unroll") || has("lanes");
    if (steps && (steps.getInt() < 0 || steps.getInt() >= ir.space.getNumDims() ||
                  !mayStepAlong(ir, uses, schedule, steps.getInt())))
      return refuse("steps_along") << "to be a dimension that no address takes apart, other than those that memory is "
                                      "contiguous along, but got "
                                   << steps;
    if (steps)
      schedule.stepDim = steps.getInt();
    else if (isOwn)
      schedule.stepDim = -1;
  }
  if (!isReduction)
    return success();
  // What follows from the others.
  if (has("threads") && !has("cluster"))
    schedule.cluster = 1;
  if (!has("block"))
    schedule.block = schedule.kind == Kind::Rows && schedule.threads > kWarpSize
                         ? schedule.threads
                         : std::max(schedule.block, schedule.threads);
  int64_t length = ir.getInnerSize() / schedule.window / (schedule.kind == Kind::Rows ? lanes : 1);
  int64_t chunks = llvm::divideCeil(length, schedule.getThreadsOfResult());
  if (chunks != schedule.chunks) {
    schedule.chunks = chunks;
    schedule.kept &= chunks * lanes <= kMostKeptElements / 2;
  }
  if (auto kept = config.getAs<mlir::BoolAttr>("kept"))
    schedule.kept = kept.getValue();
  if (!schedule.kept && !has("unroll"))
    schedule.unroll = 1;
  if (schedule.kept && !has("ahead"))
    schedule.ahead = 1;
  if (schedule.exchanges)
    schedule.setExchanges(ir, kMostSharedBytes);
  return success();
}

/// Any box that a block has room for, and any number of warps that walk over it.
LogicalResult ConfigReader::readBoxes() {
  if (auto box = config.getAs<mlir::DenseI64ArrayAttr>("box")) {
    auto getDims = [&](StringRef side) {
      auto dims = config.getAs<mlir::DenseI64ArrayAttr>(side);
      return dims ? dims.asArrayRef() : ArrayRef<int64_t>();
    };
    // What a whole configuration does not say is not so.
    Shifts shifts = has("shifted_results") ? Shifts::Only : has("lanes") ? Shifts::Never : Shifts::Maybe;
    std::optional<KernelSchedule> given =
        chooseBoxes(ir, uses, {box.asArrayRef(), getDims("across"), getDims("along"), shifts});
    if (!given)
      return refuse("a box of two sides that a block has room for") << "but got " << config;
    schedule = *given;
  }
  Attribute value = config.get("block");
  if (!value)
    return success();
  auto number = dyn_cast<IntegerAttr>(value);
  if (!number || number.getInt() < kWarpSize || number.getInt() > 1024 || number.getInt() % kWarpSize != 0)
    return refuse("block") << "to be a multiple of " << kWarpSize << " up to 1024 but got " << value;
  schedule.block = number.getInt();
  return success();
}

/// Any box that a block has room for, and threads that divide its columns.
LogicalResult ConfigReader::readScans() {
  auto box = config.getAs<mlir::DenseI64ArrayAttr>("box");
  auto threads = config.getAs<IntegerAttr>("threads");
  if (!box && !threads)
    return success();
  std::optional<KernelSchedule> given = chooseScans(ir, uses, box ? box.asArrayRef() : ArrayRef<int64_t>(schedule.box),
                                                    threads ? threads.getInt() : schedule.threads, schedule.spread);
  if (!given)
    return refuse("a box and threads of a column that a block has room for") << "but got " << config;
  schedule = *given;
  if (!schedule.spread)
    return success();
  int64_t scans = llvm::count_if(ir.prims, [](const Prim &prim) { return prim.kind == Prim::Kind::Scan; });
  if (int64_t words = schedule.getCarryWords(ir) * scans; words > ir.arrays[ir.carries].extent)
    return refuse("boxes that pass on up to") << ir.arrays[ir.carries].extent << " words but got " << words;
  return success();
}

/// Any tile that a thread has registers for, threads that a block has room for, and terms that are code.
LogicalResult ConfigReader::readTiles() {
  auto box = config.getAs<mlir::DenseI64ArrayAttr>("box");
  auto threads = config.getAs<IntegerAttr>("threads"), window = config.getAs<IntegerAttr>("window");
  if (!box && !threads && !window)
    return success();
  auto getNumber = [](IntegerAttr number) { return number ? number.getInt() : 0; };
  std::optional<KernelSchedule> given =
      chooseTiles(ir, uses, device.processors, box ? box.asArrayRef() : ArrayRef<int64_t>(schedule.box),
                  getNumber(threads), getNumber(window));
  if (!given)
    return refuse(
               "a tile of up to 32 results, a power of two of up to 32 threads that share its terms, and a window of "
               "the last reduced dimensions")
           << "but got " << config;
  schedule = *given;
  return success();
}

LogicalResult ConfigReader::check() {
  // The dimension along which an access has neighbouring elements.
  bool isRows = schedule.kind == Kind::Rows;
  SmallVector<unsigned> dims = isRows ? ir.getInnerDims() : ir.getOuterDims();
  if (int64_t lanes = schedule.lanes; lanes > 1) {
    if (dims.empty() || lanes > 8)
      return refuse("lanes") << "to be up to " << (dims.empty() ? 1 : 8) << " but got " << lanes;
    int64_t size = ir.space.getSize(dims.back());
    bool mayLeaveRest = schedule.kind == Kind::Flat && dims.size() == 1;
    if (lanes > size || (!mayLeaveRest && size % lanes != 0))
      return refuse("lanes") << "to divide the " << size << " elements of a dimension but got " << lanes;
    bool isTracked = static_cast<int>(dims.back()) == ir.tableDim || llvm::any_of(ir.prims, [](const Prim &prim) {
                       return prim.kind == Prim::Kind::Reduce &&
                              (prim.reduce == ReduceKind::ArgMax || prim.reduce == ReduceKind::ArgMin);
                     });
    if (isTracked)
      return refuse("lanes") << "to be 1, elements are tracked one by one, but got " << lanes;
  }
  if (schedule.block < kWarpSize || schedule.block < schedule.threads)
    return refuse("block") << "to be at least " << std::max(kWarpSize, schedule.threads) << " threads but got "
                           << schedule.block;
  if (schedule.runResults > schedule.block / schedule.threads)
    return refuse("block") << "to have threads for the " << schedule.runResults << " results of a run but got "
                           << schedule.block;
  if (isRows && schedule.threads > kWarpSize && schedule.block != schedule.threads)
    return refuse("block") << "to be the " << schedule.threads << " threads of a row but got " << schedule.block;
  int64_t mostThreads = !ir.hasScans() ? 1024 : isRows ? 256 : 1;
  if (schedule.threads > mostThreads)
    return refuse("threads") << "to be up to " << mostThreads << " but got " << schedule.threads;
  bool mayCluster = device.hasClusters && isRows && schedule.threads > kWarpSize && !ir.hasScans();
  if (int64_t most = mayCluster ? kMostCluster : 1; schedule.cluster > most)
    return refuse("cluster") << "to be up to " << most << " but got " << schedule.cluster;
  bool hasRows = schedule.kind == Kind::Loops && dims.size() > 1 && ir.getInnerSize() <= kMostWindowTerms;
  int64_t mostUnrolled = schedule.kind == Kind::Flat ? 16
                         : hasRows                   ? std::min<int64_t>(8, ir.space.getSize(dims[dims.size() - 2]))
                         : isRows && schedule.threads <= kWarpSize && schedule.kept ? 4
                                                                                    : 1;
  if (schedule.unroll > mostUnrolled)
    return refuse("unroll") << "to be up to " << mostUnrolled << " but got " << schedule.unroll;
  int64_t mostAhead = schedule.kept ? 1 : 8;
  if (schedule.ahead > mostAhead)
    return refuse("ahead") << "to be up to " << mostAhead << " but got " << schedule.ahead;
  if (int64_t elements = schedule.chunks * schedule.lanes; schedule.kept && elements > kMostKeptElements)
    return refuse("kept") << "with up to " << kMostKeptElements << " elements of a thread but there are " << elements;
  if (int64_t bytes = schedule.getSharedBytes(ir); bytes > kMostSharedBytes)
    return refuse("a kernel") << "of up to " << kMostSharedBytes << " bytes of shared memory but it takes " << bytes;
  return success();
}

/// Entries that are no choice are what follows from the others, and all have names.
LogicalResult ConfigReader::checkRest() {
  mlir::DictionaryAttr known = toConfig(schedule, nest.getContext());
  for (mlir::NamedAttribute entry : config) {
    Attribute value = known.get(entry.getName());
    if (!value)
      return refuse("entries of a kernel of kind")
             << known.get("kind") << " but got " << entry.getName().getValue() << " = " << entry.getValue();
    if (value != entry.getValue())
      return refuse(entry.getName().getValue()) << "to be " << value << " but got " << entry.getValue();
  }
  return success();
}

FailureOr<KernelSchedule> ConfigReader::run() {
  if (failed(choose()))
    return failure();
  if (!config)
    return schedule;
  switch (schedule.kind) {
  case Kind::Boxes:
    if (failed(readBoxes()))
      return failure();
    break;
  case Kind::Scans:
    if (failed(readScans()))
      return failure();
    break;
  case Kind::Tiles:
    if (failed(readTiles()))
      return failure();
    break;
  default:
    if (failed(readNumbers()) || failed(check()))
      return failure();
  }
  if (failed(checkRest()))
    return failure();
  return schedule;
}

FailureOr<KernelSchedule> fxgraph::gpu::configureSchedule(LoopNestOp nest, const KernelIR &ir, int64_t processors) {
  return ConfigReader(nest, ir, processors).run();
}

//===----------------------------------------------------------------------===//
// The stage
//===----------------------------------------------------------------------===//

/// Configures the first nests, as many as find room in a launch: blocks have one size, and shared memory is theirs in
/// common. Returns how many.
static FailureOr<size_t> configureFirst(ArrayRef<LoopNestOp> nests, int64_t processors) {
  SmallVector<mlir::DictionaryAttr> configs;
  mlir::DictionaryAttr firstAlone; // it has a block of its own then
  int64_t bytes = 0;
  for (LoopNestOp nest : nests) {
    FailureOr<KernelIR> ir = readInstances(nest);
    if (failed(ir))
      return failure();
    FailureOr<KernelSchedule> schedule = configureSchedule(nest, *ir, processors);
    if (failed(schedule))
      return failure();
    if (!firstAlone)
      firstAlone = toConfig(*schedule, nest.getContext());
    bool isFixed = nest.getLoweringConfig() && nest.getLoweringConfig()->contains("block");
    bool fits =
        nests.size() > 1 && (isFixed ? schedule->block == kLaunchBlock
                                     : schedule->setBlock(kLaunchBlock, /*mayWiden=*/ir->getOuterSize() <= processors));
    bytes += fits ? schedule->getSharedBytes(*ir) : 0;
    if (!fits || bytes > kLaunchSharedBytes)
      break;
    configs.push_back(toConfig(*schedule, nest.getContext()));
  }
  if (configs.size() < 2)
    configs = {firstAlone};
  for (auto [i, config] : llvm::enumerate(configs))
    LoopNestOp(nests[i]).setLoweringConfigAttr(config);
  return configs.size();
}

/// Whether the nests of a launch, which are configured, are rows that its blocks put together.
static LogicalResult configureRows(LaunchOp launch, int64_t processors) {
  if (launch->hasAttr(kJoinedRowsAttr) || !launch.getBody().getOps<MatrixProductOp>().empty())
    return success();
  std::vector<KernelIR> kernels;
  for (LoopNestOp nest : launch.getBody().getOps<LoopNestOp>()) {
    // What goes through shared memory, or has a configuration of somebody else's, stays by itself.
    auto kind = nest.getLoweringConfig() ? nest.getLoweringConfig()->getAs<StringAttr>("kind") : StringAttr();
    if (nest.getInstances() != 1 || !kind || (kind.getValue() != "flat" && kind.getValue() != "boxes"))
      return success();
    FailureOr<KernelIR> kernel = readInstances(nest);
    if (failed(kernel))
      return failure();
    if (kind.getValue() == "boxes" && readsAcross(*kernel, processors))
      return success();
    kernels.push_back(std::move(*kernel));
  }
  std::optional<JoinedRows> joined = matchJoinedRows(kernels);
  if (int64_t rows = joined ? chooseRowsOfBlock(*joined, processors) : 0)
    launch->setAttr(kJoinedRowsAttr, OpBuilder(launch.getContext()).getI64IntegerAttr(rows));
  return success();
}

/// `kind=rows,threads=64,kept=false`, `kind=boxes,box=32x64` as entries of a configuration.
static FailureOr<mlir::DictionaryAttr> parseNestConfig(Location loc, StringRef text, MLIRContext *context) {
  mlir::Builder builder(context);
  mlir::NamedAttrList entries;
  SmallVector<StringRef> words;
  text.split(words, ',');
  for (StringRef word : words) {
    auto [name, value] = word.split('=');
    int64_t number = 0;
    SmallVector<StringRef> parts;
    value.split(parts, 'x');
    SmallVector<int64_t> numbers(parts.size());
    bool areNumbers =
        llvm::all_of_zip(parts, numbers, [](StringRef part, int64_t &to) { return !part.getAsInteger(10, to); });
    if (name.empty() || value.empty() || entries.get(name))
      return emitError(loc) << "nest-config: expected entries like kind=rows,threads=64, each once, but got '" << word
                            << "'";
    if (value == "true" || value == "false")
      entries.set(name, builder.getBoolAttr(value == "true"));
    else if (!value.getAsInteger(10, number))
      entries.set(name, builder.getI64IntegerAttr(number));
    else if (areNumbers)
      entries.set(name, builder.getDenseI64ArrayAttr(numbers));
    else
      entries.set(name, builder.getStringAttr(value));
  }
  return entries.getDictionary(context);
}

/// Gives a nest without a configuration these entries, if there is such a kernel.
static void offer(LoopNestOp nest, mlir::DictionaryAttr entries, int64_t processors) {
  if (nest.getLoweringConfig())
    return;
  mlir::ScopedDiagnosticHandler silence(nest.getContext(), [](mlir::Diagnostic &) { return success(); });
  nest.setLoweringConfigAttr(entries);
  FailureOr<KernelIR> ir = readInstances(nest);
  if (failed(ir) || failed(configureSchedule(nest, *ir, processors)))
    nest.removeLoweringConfigAttr();
}

static LogicalResult configureSteps(Block &steps, const GPUOptions &options) {
  OpBuilder builder(steps.getParent()->getContext());
  for (Operation &op : llvm::make_early_inc_range(steps)) {
    if (auto nest = dyn_cast<LoopNestOp>(op)) {
      if (failed(configureFirst(nest, options.processors)))
        return failure();
      continue;
    }
    auto launch = dyn_cast<LaunchOp>(op);
    if (!launch || !launch.getBody().getOps<MatrixProductOp>().empty())
      continue;
    auto all = llvm::to_vector(launch.getBody().getOps<LoopNestOp>());
    for (ArrayRef<LoopNestOp> rest(all); !rest.empty();) {
      FailureOr<size_t> count = configureFirst(rest, options.processors);
      if (failed(count))
        return failure();
      // Those that do not find room come in a launch of their own.
      if (*count != all.size()) {
        builder.setInsertionPoint(launch);
        Block *block = launch->getBlock();
        Block::iterator place = launch->getIterator();
        if (*count > 1) {
          auto part = LaunchOp::create(builder, launch.getLoc());
          block = builder.createBlock(&part.getBody());
          place = block->end();
        }
        for (LoopNestOp nest : rest.take_front(*count))
          nest->moveBefore(block, place);
      }
      rest = rest.drop_front(*count);
    }
    if (launch.getBody().front().empty())
      launch.erase();
  }
  return success();
}

/// Loops over rows that begin anywhere become one over all of their elements. What follows a product has the product's rows.
static LogicalResult flattenNests(mlir::func::FuncOp host, int64_t processors) {
  SmallVector<LoopNestOp> nests;
  host.walk([&](LoopNestOp nest) {
    bool followsProduct = !nest->getBlock()->getOps<MatrixProductOp>().empty() && isa<LaunchOp>(nest->getParentOp());
    if (nest.getInstances() == 1 && !followsProduct && !nest.getLoweringConfig() && !nest->hasAttr(kCarriesAttr))
      nests.push_back(nest);
  });
  for (LoopNestOp nest : nests) {
    FailureOr<KernelIR> ir = readNest(nest);
    if (failed(ir))
      return failure();
    std::optional<KernelIR> flat = flattenRows(*ir, processors);
    if (!flat)
      continue;
    OpBuilder builder(nest);
    SmallVector<StringRef> computes(nest.getComputes().getAsValueRange<StringAttr>());
    writeNest(builder, *flat, computes, nest.getMemory());
    nest.erase();
  }
  return success();
}

LogicalResult fxgraph::gpu::configureKernels(mlir::func::FuncOp host, const GPUOptions &options) {
  if (failed(flattenNests(host, options.processors)))
    return failure();
  if (!options.nestConfig.empty()) {
    FailureOr<mlir::DictionaryAttr> entries = parseNestConfig(host.getLoc(), options.nestConfig, host.getContext());
    if (failed(entries))
      return failure();
    host.walk([&](LoopNestOp nest) { offer(nest, *entries, options.processors); });
  }
  host->setAttr(kHostProcessorsAttr, OpBuilder(host.getContext()).getI64IntegerAttr(options.processors));
  if (failed(visitSteps(host, [&](Block &steps) { return configureSteps(steps, options); })))
    return failure();
  if (!options.nestConfig.empty())
    return success();
  mlir::WalkResult result = host.walk([&](LaunchOp launch) {
    return failed(configureRows(launch, options.processors)) ? mlir::WalkResult::interrupt()
                                                             : mlir::WalkResult::advance();
  });
  return mlir::failure(result.wasInterrupted());
}
