// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/ChooseTiles.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace fxgraph;
using namespace fxgraph::gpu;

/// Results of a thread, and operations of a turn of its loop, at most; threads of a block, and its shared memory.
static constexpr int64_t kMostResults = 32, kMostCode = 512, kMostThreads = 512, kSharedBytes = 40960;
/// Cycles until a kernel's first loads are there, and to pass sums through shared memory.
static constexpr double kBegin = 3350, kExchange = 4000;

namespace {
/// What a term of a tile costs.
struct TermCost {
  double instructions = 0; ///< of a warp
  double loads = 0;        ///< among them
  double lines = 0;        ///< of the cache
};

class TileChooser {
public:
  TileChooser(const KernelIR &ir, const KernelUses &uses, int64_t processors)
      : ir(ir), uses(uses), processors(processors), outerDims(ir.getOuterDims()) {}
  bool isSum() const;
  bool fits(ArrayRef<int64_t> box) const;
  /// The schedule with this tile, so many threads for each and terms of a window that are code; nullopt where a block
  /// cannot have it.
  std::optional<KernelSchedule> make(ArrayRef<int64_t> box, int64_t threads, int64_t window) const;
  /// Cycles that it takes.
  double estimate(const KernelSchedule &schedule) const;
  std::optional<KernelSchedule> choose(ArrayRef<int64_t> box, int64_t threads, int64_t window) const;
  SmallVector<int64_t> getWindows() const;

private:
  int64_t getTiles(const KernelSchedule &schedule) const;
  double countLines(const IndexExpr &address, int64_t bytes, ArrayRef<int64_t> box) const;
  double countLoads(const Prim &load, const KernelSchedule &schedule) const;
  TermCost getTermCost(const KernelSchedule &schedule) const;

  const KernelIR &ir;
  const KernelUses &uses;
  int64_t processors;
  SmallVector<unsigned> outerDims;
};
} // namespace

/// Sums over the reduced dimensions, one result for each of the others.
bool TileChooser::isSum() const {
  if (ir.phases != 1 || ir.emptyReduction || ir.hasScans() || !ir.symbols.empty() || outerDims.empty() ||
      ir.getInnerSize() < 2 ||
      !llvm::all_of(ir.stores, [&](const KernelStore &store) { return isRowStore(ir, store); }))
    return false;
  return llvm::none_of(ir.prims, [](const Prim &prim) {
    return prim.kind == Prim::Kind::Reduce && (prim.reduce == ReduceKind::ArgMax || prim.reduce == ReduceKind::ArgMin);
  });
}

bool TileChooser::fits(ArrayRef<int64_t> box) const {
  if (box.size() != ir.space.getNumDims())
    return false;
  int64_t results = 1;
  for (auto [dim, extent] : llvm::enumerate(box)) {
    bool mayExtend = !ir.inner[dim] && static_cast<int>(dim) != ir.tableDim;
    if (extent < 1 || extent > (mayExtend ? ir.space.getSize(dim) : 1) || (results *= extent) > kMostResults)
      return false;
  }
  return true;
}

int64_t TileChooser::getTiles(const KernelSchedule &schedule) const {
  int64_t tiles = 1;
  for (const Digit &digit : schedule.getTileDigits(ir))
    tiles *= digit.count;
  return tiles;
}

/// Numbers of terms along the last reduced dimensions.
SmallVector<int64_t> TileChooser::getWindows() const {
  SmallVector<int64_t> windows = {1};
  for (unsigned dim : llvm::reverse(ir.getInnerDims()))
    if (int64_t size = ir.space.getSize(dim); size > 1)
      windows.push_back(windows.back() * size);
  return windows;
}

std::optional<KernelSchedule> TileChooser::make(ArrayRef<int64_t> box, int64_t threads, int64_t window) const {
  KernelSchedule schedule;
  schedule.kind = KernelSchedule::Kind::Tiles;
  schedule.box.assign(box.begin(), box.end());
  schedule.threads = threads;
  schedule.window = window;
  int64_t results = schedule.getTileSize(), tiles = getTiles(schedule), terms = ir.getInnerSize() / window;
  if (window * results > kMostCode || terms < threads)
    return std::nullopt;
  // Neighbouring tiles of a warp, as long as the block has room for them.
  constexpr int64_t fewestThreads = 128;
  int64_t width = std::min({std::max(kWarpSize, fewestThreads / threads), kMostThreads / threads,
                            static_cast<int64_t>(llvm::PowerOf2Ceil(tiles))});
  schedule.block = std::max(kWarpSize, width * threads);
  schedule.chunks = llvm::divideCeil(terms, threads);
  constexpr int64_t mostAhead = 4;
  schedule.ahead = llvm::bit_floor<uint64_t>(
      std::max<int64_t>(1, std::min({mostAhead / window, schedule.chunks, kMostCode / (window * results)})));
  if (schedule.getSharedBytes(ir) > kSharedBytes)
    return std::nullopt;
  return schedule;
}

/// Lines of 128 bytes that the threads of a warp touch, of which each has the next tile.
double TileChooser::countLines(const IndexExpr &address, int64_t bytes, ArrayRef<int64_t> box) const {
  constexpr int64_t line = 128;
  int64_t threads = kWarpSize;
  double lines = 1;
  for (unsigned dim : llvm::reverse(outerDims)) {
    int64_t run = std::min<int64_t>(threads, llvm::divideCeil(ir.space.getSize(dim), box[dim]));
    if (run <= 1)
      continue;
    std::optional<int64_t> stride = getNearStep(ir, address, dim);
    int64_t step = stride ? *stride * box[dim] * bytes : line;
    lines *= std::clamp<double>(static_cast<double>(run * step) / line, 1, run);
    threads /= run;
  }
  return lines;
}

/// How often a tile loads an operand for a term. Neighbouring results have parts of their windows in common, as far as those
/// are code.
double TileChooser::countLoads(const Prim &load, const KernelSchedule &schedule) const {
  SmallVector<unsigned> windowDims = schedule.getWindowDims(ir);
  double loads = 1;
  for (unsigned dim : load.dims.set_bits()) {
    int64_t extent = schedule.box[dim], step = getNearStep(ir, load.address, dim).value_or(0);
    loads *= static_cast<double>(extent);
    for (unsigned inner : windowDims) {
      int64_t other = getNearStep(ir, load.address, inner).value_or(0), size = ir.space.getSize(inner);
      if (extent == 1 || other == 0 || step % other != 0)
        continue;
      int64_t places = std::min(extent * size, (extent - 1) * (step / other) + size);
      loads *= static_cast<double>(places) / static_cast<double>(extent * size);
      break;
    }
  }
  return loads;
}

TermCost TileChooser::getTermCost(const KernelSchedule &schedule) const {
  // An address takes some instructions, one that is clamped (as those of a padded operand are) some more, with the test
  // of what lies there, and a term's place along each dimension that is no code.
  constexpr double load = 4, clamped = 6.5, place = 34;
  TermCost cost;
  cost.instructions = static_cast<double>(schedule.getTileSize()) +
                      place * static_cast<double>(ir.getInnerDims().size() - schedule.getWindowDims(ir).size()) /
                          static_cast<double>(schedule.window);
  for (size_t i = 0; i < ir.prims.size(); ++i) {
    const Prim &prim = ir.prims[i];
    if (!uses.live.test(i) || prim.kind != Prim::Kind::Load || !ir.variesInside(prim))
      continue;
    bool isClamped =
        llvm::any_of(ir.getInnerDims(), [&](unsigned dim) { return ir.space.occursInside(prim.address, dim); });
    double loads = countLoads(prim, schedule);
    cost.loads += loads;
    cost.instructions += loads * (load + (isClamped ? clamped : 0));
    cost.lines += loads * countLines(prim.address, getMemoryBytes(ir.arrays[prim.array].elementType), schedule.box);
  }
  return cost;
}

/// Fitted to 1,050 kernels of 18 drawn convolutions and products on an H200, of which it is off by 29 % (standard deviation of
/// the logarithm): what keeps multiprocessors busy, or how long a thread waits, and code, which is fetched from memory.
double TileChooser::estimate(const KernelSchedule &schedule) const {
  constexpr double perCycle = 4.5, perLine = 0.15, latency = 1.5, turn = 300, inFlight = 15, fetch = 4.3;
  constexpr double exchangeOfResult = 200;
  TermCost term = getTermCost(schedule);
  auto terms = static_cast<double>(schedule.chunks * schedule.window),
       code = static_cast<double>(schedule.window * schedule.ahead);
  double warps =
      static_cast<double>(getTiles(schedule) * schedule.threads) / static_cast<double>(kWarpSize * processors);
  double busy = std::max(1.0, warps) * terms * std::max(term.instructions / perCycle, term.lines * perLine);
  double turns = static_cast<double>(llvm::divideCeil(schedule.chunks, static_cast<int64_t>(schedule.ahead)));
  double waiting = terms * term.instructions * latency + turns * (turn + inFlight * term.loads * code);
  double exchanged =
      schedule.threads > 1 ? kExchange + exchangeOfResult * static_cast<double>(schedule.getTileSize()) : 0;
  return kBegin + std::cbrt(busy * busy * busy + waiting * waiting * waiting) + fetch * code * term.instructions +
         exchanged;
}

/// The best of those with these threads and window, where they are given.
std::optional<KernelSchedule> TileChooser::choose(ArrayRef<int64_t> box, int64_t threads, int64_t window) const {
  constexpr int64_t mostThreads = 32;
  std::optional<KernelSchedule> best;
  for (int64_t terms : getWindows())
    for (int64_t share = 1; share <= mostThreads; share *= 2) {
      if ((threads && share != threads) || (window && terms != window))
        continue;
      std::optional<KernelSchedule> schedule = make(box, share, terms);
      if (schedule && (!best || estimate(*schedule) < estimate(*best)))
        best = schedule;
    }
  return best;
}

std::optional<KernelSchedule> fxgraph::gpu::chooseTiles(const KernelIR &ir, const KernelUses &uses, int64_t processors,
                                                        ArrayRef<int64_t> box, int64_t threads, int64_t window) {
  TileChooser chooser(ir, uses, processors);
  return chooser.isSum() && chooser.fits(box) ? chooser.choose(box, threads, window) : std::nullopt;
}

bool fxgraph::gpu::areTilesFaster(const KernelIR &ir, const KernelUses &uses, const KernelSchedule &tiles,
                                  int64_t processors, const KernelSchedule &single) {
  // A thread for a result, or some, whose steps take as long as they wait for memory. Along rows of both operands a step is a
  // vector, but nothing that is loaded serves two results (docs/Performance.md).
  constexpr double step = 85, turns = 85, turnsOfRows = 300, turnsOfWarps = 130;
  constexpr int64_t atOnce = int64_t(1) << 18, halfVector = 4;
  bool areRows = single.kind == KernelSchedule::Kind::Rows && single.lanes > 1;
  // Long rows of 16 bits, which a warp reads line by line. Tiles of them touch as many lines as they have rows in each
  // term, and take 2.3 to 2.9 times what is estimated.
  bool areWarps = areRows && single.lanes > halfVector && single.threads == kWarpSize;
  constexpr double tilesOfLongRows = 2;
  int64_t steps = single.kind == KernelSchedule::Kind::Loops ? ir.getInnerSize() : single.chunks * single.window;
  double turn = areWarps ? turnsOfWarps : areRows ? turnsOfRows : turns;
  double others = kBegin + step * static_cast<double>(steps) +
                  turn * static_cast<double>(ir.getOuterSize() * ir.getInnerSize() / atOnce) +
                  (single.kind == KernelSchedule::Kind::Strips ? kExchange : 0);
  return (areWarps ? tilesOfLongRows : 1) * TileChooser(ir, uses, processors).estimate(tiles) < others;
}

std::optional<KernelSchedule> fxgraph::gpu::chooseTiles(const KernelIR &ir, const KernelUses &uses,
                                                        int64_t processors) {
  TileChooser chooser(ir, uses, processors);
  if (!chooser.isSum())
    return std::nullopt;
  std::optional<KernelSchedule> best;
  SmallVector<unsigned> dims = ir.getOuterDims();
  SmallVector<int64_t> box(ir.space.getNumDims(), 1);
  auto consider = [&] {
    if (!chooser.fits(box))
      return;
    std::optional<KernelSchedule> schedule = chooser.choose(box, /*threads=*/0, /*window=*/0);
    if (schedule && (!best || chooser.estimate(*schedule) < chooser.estimate(*best)))
      best = schedule;
  };
  constexpr int64_t extents[] = {2, 4, 8};
  for (size_t i = 0; i < dims.size(); ++i) {
    for (int64_t extent : extents) {
      box[dims[i]] = extent;
      consider();
      for (unsigned other : ArrayRef(dims).drop_front(i + 1)) {
        for (int64_t otherExtent : extents) {
          box[other] = otherExtent;
          consider();
        }
        box[other] = 1;
      }
    }
    box[dims[i]] = 1;
  }
  return best;
}
