// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/KernelSchedule.h"
#include "Kernel/ChooseBoxes.h"
#include "Kernel/ChooseRuns.h"
#include "Kernel/ChooseScans.h"
#include "Kernel/ChooseTiles.h"
#include "Kernel/KernelDims.h"
#include "fxgraph/Analysis/FusionOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace fxgraph;
using namespace fxgraph::gpu;

/// Elements that a thread may keep in registers, and a block: of 65536 registers, some compute.
static constexpr int64_t kKeptElements = 64, kKeptElementsOfBlock = 49152;
/// The same where blocks share a row: what they pass to each other costs less than rounds of registers through memory.
static constexpr int64_t kClusterElements = 48, kClusterElementsOfBlock = 32768;
/// Shared memory for what warps pass to each other.
static constexpr int64_t kSlotBytes = 32768;
/// Running sums across rows of so few elements need no other threads.
static constexpr int64_t kShortColumn = 8;
/// The same with the elements that threads exchange.
static constexpr int64_t kExchangeBytes = 45056;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

KernelUses::KernelUses(const KernelIR &ir) : live(ir.prims.size()), counts(ir.prims.size(), 0) {
  auto use = [&](unsigned prim) {
    live.set(prim);
    ++counts[prim];
  };
  for (const KernelStore &store : ir.stores)
    use(store.prim);
  for (size_t i = ir.prims.size(); i-- > 0;) {
    if (!live.test(i))
      continue;
    const Prim &prim = ir.prims[i];
    for (unsigned operand : prim.operands)
      use(operand);
    if (prim.kind == Prim::Kind::Load || prim.kind == Prim::Kind::Coordinate)
      ir.visitSymbols(prim.address, use);
    for (const RangeTest &test : prim.tests)
      ir.visitSymbols(test.expr, use);
  }
}

bool fxgraph::gpu::isContiguous(const KernelIR &ir, const IndexExpr &address, unsigned dim) {
  return ir.space.getStride(address, dim) == 1 && !ir.space.occursInside(address, dim);
}

int64_t fxgraph::gpu::getVolume(const KernelIR &ir, ArrayRef<unsigned> dims) {
  int64_t volume = 1;
  for (unsigned dim : dims)
    volume *= ir.space.getSize(dim);
  return volume;
}

std::optional<int64_t> fxgraph::gpu::getDenseStride(const KernelIR &ir, const IndexExpr &address,
                                                    ArrayRef<unsigned> dims) {
  std::optional<int64_t> stride;
  int64_t volume = 1;
  for (unsigned dim : llvm::reverse(dims)) {
    int64_t size = ir.space.getSize(dim), own = ir.space.getStride(address, dim);
    if (size == 1)
      continue;
    if (own == 0 || (stride && own != *stride * volume))
      return std::nullopt;
    if (!stride)
      stride = own;
    volume *= size;
  }
  return stride;
}

uint64_t fxgraph::gpu::getAlignment(const KernelIR &ir, const KernelArray &array, const IndexExpr &address, int dim,
                                    unsigned lanes) {
  uint64_t bytes = getMemoryBytes(array.elementType);
  uint64_t align = std::gcd<uint64_t>(array.align, static_cast<uint64_t>(std::abs(address.constant)) * bytes);
  for (const auto &[id, coefficient] : address.terms) {
    uint64_t step = std::abs(coefficient) * bytes;
    if (dim >= 0 && id == ir.space.getAtomOfDim(dim))
      step *= lanes;
    align = std::gcd(align, step);
  }
  return std::min<uint64_t>(align, kVectorBytes);
}

bool fxgraph::gpu::roundsResults(const KernelIR &ir) {
  return llvm::all_of(ir.stores, [&](const KernelStore &store) {
    Type type = ir.arrays[store.array].elementType;
    return type.isF16() || type.isBF16();
  });
}

bool fxgraph::gpu::haveWindows(const KernelIR &ir, const KernelUses &uses, unsigned dim) {
  SmallVector<unsigned> innerDims = ir.getInnerDims();
  for (const auto &[i, prim] : llvm::enumerate(ir.prims)) {
    if (prim.kind != Prim::Kind::Load || !uses.live.test(i))
      continue;
    int64_t own = ir.space.getStride(prim.address, dim);
    for (unsigned inner : innerDims) {
      int64_t other = ir.space.getStride(prim.address, inner);
      bool isMultiple = own != 0 && other != 0 && own % other == 0 && own / other < ir.space.getSize(inner);
      if (isMultiple || (ir.space.occursInside(prim.address, dim) && ir.space.occursInside(prim.address, inner)))
        return true;
    }
  }
  return false;
}

bool fxgraph::gpu::isRowStore(const KernelIR &ir, const KernelStore &store) {
  llvm::SmallBitVector dims = ir.space.getDims(store.address);
  return llvm::none_of(dims.set_bits(), [&](unsigned dim) { return ir.inner[dim]; });
}

bool fxgraph::gpu::isStoredAlongRows(const KernelIR &ir, const KernelStore &store) {
  SmallVector<unsigned> innerDims = ir.getInnerDims(), outerDims = ir.getOuterDims();
  return !isRowStore(ir, store) && isContiguous(ir, store.address, innerDims.back()) &&
         (outerDims.empty() || !isContiguous(ir, store.address, outerDims.back()));
}

static void forEachAccess(const KernelIR &ir, const KernelUses &uses,
                          function_ref<void(const KernelArray &, const IndexExpr &)> visit) {
  for (const auto &[i, prim] : llvm::enumerate(ir.prims))
    if (prim.kind == Prim::Kind::Load && uses.live.test(i))
      visit(ir.arrays[prim.array], prim.address);
  for (const KernelStore &store : ir.stores)
    visit(ir.arrays[store.array], store.address);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

std::optional<int64_t> fxgraph::gpu::getNearStep(const KernelIR &ir, const IndexExpr &address, unsigned dim) {
  int64_t step = 0;
  for (const auto &[id, coefficient] : address.terms) {
    const IndexSpace::Atom &atom = ir.space.getAtom(id);
    if (dim >= atom.dims.size() || !atom.dims.test(dim))
      continue;
    std::optional<int64_t> own = 1;
    if (atom.kind == IndexSpace::AtomKind::Symbol)
      return std::nullopt;
    if (atom.kind != IndexSpace::AtomKind::Dim)
      own = getNearStep(ir, atom.inner, dim);
    if (own && atom.kind == IndexSpace::AtomKind::FloorDiv)
      own = *own / atom.a;
    if (!own)
      return std::nullopt;
    step += coefficient * *own;
  }
  return std::abs(step);
}

/// What an element costs, in 32nds of a cycle of a multiprocessor, if the threads of a warp access `lanes` elements each
/// along a dimension: a cycle for each line of 128 bytes that an instruction touches, and a quarter for each of the
/// instructions that compute where.
static double getAccessCost(const KernelIR &ir, const KernelUses &uses, unsigned dim, unsigned lanes) {
  double cycles = 1 + ir.space.getNumDims();
  forEachAccess(ir, uses, [&](const KernelArray &array, const IndexExpr &address) {
    int64_t bytes = getMemoryBytes(array.elementType);
    if (!ir.space.getDims(address).test(dim) && !array.table) {
      cycles += 1;
      return;
    }
    auto lines = [&](int64_t step) { // Between neighbouring threads.
      return std::clamp<int64_t>(llvm::divideCeil(kWarpSize * step, 128), 1, kWarpSize);
    };
    if (isContiguous(ir, address, dim)) {
      int64_t width = std::min<int64_t>(getAlignment(ir, array, address, dim, lanes), lanes * bytes);
      cycles += static_cast<double>(lanes * bytes / width) * lines(lanes * bytes);
      return;
    }
    // Each element at an address of its own; where a dimension occurs inside, computing that takes instructions, too.
    constexpr double unknown = kWarpSize / 4, quotient = 1.5;
    bool occursInside = ir.space.occursInside(address, dim);
    std::optional<int64_t> step = getNearStep(ir, address, dim);
    if (!step || (*step == 0 && !occursInside))
      cycles += lanes * unknown;
    else
      cycles += lanes * (lines(lanes * *step * bytes) + (occursInside ? quotient : 0));
  });
  return cycles / lanes;
}

/// Lines of 128 bytes that neighbouring threads touch, of which each has the next index of a dimension: what lies behind the
/// dimension's end lies elsewhere.
static int64_t getLines(const KernelIR &ir, const KernelUses &uses, unsigned dim, int64_t threads) {
  int64_t run = std::min(threads, ir.space.getSize(dim)), lines = 0;
  forEachAccess(ir, uses, [&](const KernelArray &array, const IndexExpr &address) {
    if (!ir.space.getDims(address).test(dim)) {
      lines += 1;
      return;
    }
    int64_t stride = std::abs(address.getCoefficient(ir.space.getAtomOfDim(dim)));
    bool isKnown = stride > 0 && !ir.space.occursInside(address, dim);
    int64_t bytes = run * stride * getMemoryBytes(array.elementType);
    lines +=
        llvm::divideCeil(threads, run) * (isKnown ? std::clamp<int64_t>(llvm::divideCeil(bytes, 128), 1, run) : run);
  });
  return lines;
}

/// Elements of an access along a dimension: up to 16 bytes of the narrowest array that is contiguous there, as far as
/// addresses are multiples of that. `mayLeaveRest`: they need not divide the dimension.
static unsigned chooseLanes(const KernelIR &ir, const KernelUses &uses, unsigned dim, unsigned most,
                            bool mayLeaveRest = false) {
  if (static_cast<int>(dim) == ir.tableDim)
    return 1;
  // Positions are tracked one by one.
  for (const auto &[i, prim] : llvm::enumerate(ir.prims))
    if (prim.kind == Prim::Kind::Reduce && uses.live.test(i) &&
        (prim.reduce == ReduceKind::ArgMax || prim.reduce == ReduceKind::ArgMin))
      return 1;
  unsigned narrowest = 0;
  forEachAccess(ir, uses, [&](const KernelArray &array, const IndexExpr &address) {
    unsigned bytes = getMemoryBytes(array.elementType);
    if (isContiguous(ir, address, dim))
      narrowest = narrowest ? std::min(narrowest, bytes) : bytes;
  });
  if (!narrowest)
    return 1;
  unsigned best = 1;
  double least = getAccessCost(ir, uses, dim, 1);
  for (unsigned lanes = 2; lanes <= std::min<unsigned>(kVectorBytes / narrowest, most); lanes *= 2) {
    if (!mayLeaveRest && ir.space.getSize(dim) % lanes != 0)
      break;
    if (double cost = getAccessCost(ir, uses, dim, lanes); cost < least) {
      best = lanes;
      least = cost;
    }
  }
  return best;
}

/// Instructions that load `lanes` elements along the dimension of what is contiguous there: the most of any.
static int64_t getLoadsOfVector(const KernelIR &ir, const KernelUses &uses, unsigned dim, int64_t lanes) {
  int64_t most = 1;
  for (const auto &[i, prim] : llvm::enumerate(ir.prims)) {
    if (prim.kind != Prim::Kind::Load || !uses.live.test(i) || !isContiguous(ir, prim.address, dim))
      continue;
    const KernelArray &array = ir.arrays[prim.array];
    int64_t bytes = lanes * getMemoryBytes(array.elementType);
    most = std::max(most, bytes / std::min<int64_t>(bytes, getAlignment(ir, array, prim.address, dim, lanes)));
  }
  return most;
}

/// Bytes of the narrowest array that varies along the dimension.
static int64_t getNarrowest(const KernelIR &ir, const KernelUses &uses, unsigned dim) {
  int64_t narrowest = kVectorBytes;
  forEachAccess(ir, uses, [&](const KernelArray &array, const IndexExpr &address) {
    if (ir.space.getDims(address).test(dim))
      narrowest = std::min<int64_t>(narrowest, getMemoryBytes(array.elementType));
  });
  return narrowest;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// Bytes of a partial result.
static int64_t getSlotBytes(const KernelIR &ir, const Prim &prim) {
  int64_t bytes = 0;
  for (unsigned operand : prim.operands)
    bytes += getMemoryBytes(ir.prims[operand].type);
  return bytes;
}

/// The largest power of two that is no larger, at least 1.
static int64_t floorToPower(int64_t value) { return value < 1 ? 1 : llvm::bit_floor<uint64_t>(value); }

/// Positions along a dimension that so many steps are taken from.
static int64_t countSteps(int64_t size, int64_t unroll) { return llvm::divideCeil(size, unroll); }

int64_t KernelSchedule::getFlatVectors(const KernelIR &ir) const {
  int64_t vectors = ir.getOuterSize() / lanes;
  if (stepDim < 0)
    return vectors;
  int64_t size = ir.space.getSize(stepDim);
  return vectors / size * countSteps(size, unroll);
}

bool fxgraph::gpu::mayStepAlong(const KernelIR &ir, const KernelUses &uses, const KernelSchedule &schedule,
                                unsigned dim) {
  SmallVector<unsigned> dims = ir.getOuterDims();
  if (schedule.unroll == 1 || !llvm::is_contained(ArrayRef(dims).drop_back(), dim) ||
      static_cast<int>(dim) == ir.tableDim || ir.space.getSize(dim) < schedule.unroll || !ir.symbols.empty())
    return false;
  // Threads of a warp access tiles of what is read along another dimension than the last (getTiledDigits).
  bool mayStep = true;
  forEachAccess(ir, uses, [&](const KernelArray &, const IndexExpr &address) {
    mayStep &= !ir.space.occursInside(address, dim) && !isContiguous(ir, address, dim);
  });
  return mayStep;
}

int fxgraph::gpu::chooseStepDim(const KernelIR &ir, const KernelUses &uses, const KernelSchedule &schedule) {
  int best = -1;
  int64_t least = 0, behind = 1;
  SmallVector<unsigned> dims = ir.getOuterDims();
  for (unsigned dim : llvm::reverse(dims)) {
    int64_t size = ir.space.getSize(dim), run = behind;
    behind *= size;
    // A warp's accesses are long runs of memory still, and few elements are computed twice.
    if (run < kWarpSize * schedule.lanes || !mayStepAlong(ir, uses, schedule, dim) ||
        16 * countSteps(size, schedule.unroll) * schedule.unroll > 17 * size)
      continue;
    // What is the same for all vectors of a thread is loaded once.
    int64_t cost = size % schedule.unroll == 0 ? 0 : 1;
    forEachAccess(ir, uses, [&](const KernelArray &, const IndexExpr &address) {
      cost += ir.space.getDims(address).test(dim) ? 2 : 0;
    });
    for (const auto &[i, prim] : llvm::enumerate(ir.prims))
      for (const RangeTest &test : prim.tests)
        cost += uses.live.test(i) && ir.space.getDims(test.expr).test(dim) ? 2 : 0;
    if (best < 0 || cost < least) {
      best = dim;
      least = cost;
    }
  }
  return best;
}

/// Whether vectors that are neighbours along a dimension are faster than those a block apart, which write what is dense in
/// whole sectors: where computing where they lie takes longer than that (docs/Performance.md, "Neighbouring vectors").
static bool paysToStep(const KernelIR &ir, const KernelUses &uses, const KernelSchedule &schedule) {
  constexpr int64_t word = 4, longRow = 1024;
  for (const auto &[i, prim] : llvm::enumerate(ir.prims))
    if (uses.live.test(i) && !prim.tests.empty())
      return true;
  SmallVector<unsigned> dims = ir.getOuterDims();
  int64_t bytes = getNarrowest(ir, uses, dims.back()) * schedule.lanes;
  return dims.size() > 2 ? bytes < word : bytes >= word && ir.space.getSize(dims.back()) >= longRow;
}

static KernelSchedule chooseFlat(const KernelIR &ir, const KernelUses &uses, int64_t processors) {
  KernelSchedule schedule;
  SmallVector<unsigned> dims = ir.getOuterDims();
  int64_t size = ir.getOuterSize();
  if (!dims.empty()) {
    bool single = dims.size() == 1;
    unsigned lanes = chooseLanes(ir, uses, dims.back(), 8, single);
    schedule.lanes = single && size < 4 * lanes ? 1 : lanes;
    // Narrow accesses: several of them in flight, as long as there are threads enough, and code is short.
    int64_t bytes = getNarrowest(ir, uses, dims.back()) * schedule.lanes;
    int64_t vectors = size / schedule.lanes;
    int64_t code = static_cast<int64_t>(uses.live.count()) * schedule.lanes;
    schedule.unroll = floorToPower(std::min({kVectorBytes / bytes, vectors / (processors * kBusyThreads), 512 / code}));
    schedule.stepDim = chooseStepDim(ir, uses, schedule);
    if (schedule.stepDim >= 0 && !paysToStep(ir, uses, schedule))
      schedule.stepDim = -1;
    // Vectors of several results take a thread's registers.
    constexpr unsigned mostVectors = 4;
    if (schedule.stepDim < 0 && ir.stores.size() > 1)
      schedule.unroll = std::min(schedule.unroll, mostVectors);
  }
  int64_t vectors = size / schedule.lanes;
  schedule.block = vectors >= 128 ? 128 : std::max<int64_t>(kWarpSize, llvm::PowerOf2Ceil(vectors));
  return schedule;
}

std::optional<KernelIR> fxgraph::gpu::flattenRows(const KernelIR &ir, int64_t processors) {
  unsigned numDims = ir.space.getNumDims();
  KernelUses uses(ir);
  if (ir.phases != 0 || ir.tableDim >= 0 || numDims < 2 || !ir.symbols.empty() || chooseBoxes(ir, uses, processors))
    return std::nullopt;
  auto getCost = [&](const KernelIR &kernel) {
    unsigned last = kernel.space.getNumDims() - 1;
    unsigned lanes = chooseLanes(kernel, uses, last, 8, /*mayLeaveRest=*/last == 0);
    return getAccessCost(kernel, uses, last, lanes);
  };
  constexpr double gain = 0.8;
  double least = gain * getCost(ir);
  // Where a thread's vectors are neighbours along a dimension, what computes where is shared by all of them. What is left of
  // each access takes 1.4 cycles (docs/Performance.md, "Neighbouring vectors").
  if (KernelSchedule schedule = chooseFlat(ir, uses, processors); schedule.stepDim >= 0) {
    constexpr double access = 1.4;
    double where = 1 + numDims, all = getAccessCost(ir, uses, numDims - 1, schedule.lanes) * schedule.lanes;
    least = std::min(least, (where / schedule.unroll + access * (all - where)) / schedule.lanes);
  }
  std::optional<KernelIR> best;
  auto dims = llvm::to_vector(llvm::seq<unsigned>(0, numDims));
  for (unsigned first = numDims - 1; first-- > 0;) {
    if (!llvm::all_of(ir.stores, [&](const KernelStore &store) {
          return getDenseStride(ir, store.address, ArrayRef(dims).drop_front(first)) == 1;
        }))
      break;
    KernelIR flat = flattenDims(ir, first);
    if (double cost = getCost(flat); cost < least) {
      least = cost;
      best = std::move(flat);
    }
  }
  return best;
}

/// Accesses of `bytes` that a loop has in flight: 64 bytes of them, if the loop is long enough.
static unsigned getAhead(const KernelSchedule &schedule, int64_t bytes) {
  return schedule.kept ? 1 : floorToPower(std::min<int64_t>({64 / bytes, schedule.chunks / 2, 8}));
}

/// Rows that are longer than a block keeps in registers, or so few that most processors would be idle, are shared by the
/// blocks of a cluster.
static void chooseCluster(KernelSchedule &schedule, int64_t rows, int64_t vectors, int64_t processors) {
  auto fits = [&](int64_t cluster, int64_t threads) {
    int64_t elements = llvm::divideCeil(vectors, cluster * threads) * schedule.lanes;
    return elements <= kClusterElements && elements * threads <= kClusterElementsOfBlock;
  };
  auto set = [&](int64_t cluster, int64_t threads) {
    schedule.cluster = cluster;
    schedule.threads = threads;
    schedule.chunks = llvm::divideCeil(vectors, cluster * threads);
    schedule.kept = fits(cluster, threads);
  };
  for (int64_t cluster = 2; cluster <= kMostCluster && !schedule.kept; cluster *= 2)
    if (bool isEnough = fits(cluster, 512); isEnough || cluster == kMostCluster)
      set(cluster, isEnough ? 512 : 1024);
  // What they pass to each other takes some microseconds: more than a few more accesses of each thread.
  constexpr int64_t shortest = 1024, longestOfBlock = 8192;
  while (schedule.cluster < kMostCluster && 2 * rows * schedule.cluster <= processors && schedule.chunks > 2 &&
         vectors * schedule.lanes >= std::max(longestOfBlock, 2 * schedule.cluster * shortest))
    set(2 * schedule.cluster, schedule.threads);
}

static KernelSchedule chooseRows(const KernelIR &ir, const KernelUses &uses, DeviceShape device) {
  int64_t processors = device.processors;
  KernelSchedule schedule;
  schedule.kind = KernelSchedule::Kind::Rows;
  unsigned innermost = ir.getInnerDims().back();
  int64_t rows = ir.getOuterSize(), length = ir.getInnerSize();
  schedule.lanes = chooseLanes(ir, uses, innermost, 8);
  int64_t vectors = length / schedule.lanes;
  int64_t bytes = getNarrowest(ir, uses, innermost) * schedule.lanes;
  // Threads of a row, a power of two: a warp if each of its threads then has up to 64 bytes of it, else as many as have
  // 32 bytes each.
  int64_t &threads = schedule.threads;
  int64_t chunksOfWarp = llvm::divideCeil(vectors, kWarpSize);
  if (chunksOfWarp * bytes <= 4 * kVectorBytes && chunksOfWarp * schedule.lanes <= kKeptElements / 2) {
    threads = std::min<int64_t>(kWarpSize, llvm::PowerOf2Ceil(vectors));
    // Of narrow accesses a thread has some, as long as there are threads enough: what threads pass to each other is most of
    // the instructions of a short row.
    constexpr int64_t mostNarrow = 4;
    while (threads > 1 && bytes < kVectorBytes &&
           llvm::divideCeil(vectors, threads / 2) * schedule.lanes <= mostNarrow &&
           threads / 2 * bytes >= kVectorBytes && rows * threads / 2 >= processors * kBusyThreads)
      threads /= 2;
  } else {
    threads = std::clamp<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(vectors * bytes, 2 * kVectorBytes)), 128,
                                  rows < 2 * processors && vectors >= 1024 ? 1024 : 512);
  }
  // Few rows: more threads have fewer accesses each.
  bool isIdle = rows < processors || (chunksOfWarp > 4 && 4 * rows * kWarpSize <= processors * kBusyThreads);
  if (isIdle && vectors > kWarpSize && threads <= kWarpSize)
    threads = 128;
  // Every warp of a scan adds up the totals of the others.
  bool scans = ir.hasScans();
  if (scans)
    threads = std::min<int64_t>(threads, 256);
  schedule.chunks = llvm::divideCeil(vectors, threads);
  schedule.kept = schedule.chunks * schedule.lanes <= kKeptElements;
  if (!schedule.kept && threads < 1024 && rows < 4 * processors && !scans) {
    threads = 1024;
    schedule.chunks = llvm::divideCeil(vectors, threads);
  }
  if (device.hasClusters && !scans && threads > kWarpSize)
    chooseCluster(schedule, rows, vectors, processors);
  schedule.ahead = getAhead(schedule, bytes);
  // Threads with little to load take several rows; of vectors that begin anywhere they load the elements one by one.
  if (threads <= kWarpSize) {
    constexpr int64_t mostLoads = 8;
    schedule.unroll = floorToPower(
        std::min({2 * kVectorBytes / (bytes * schedule.chunks), rows * threads / (processors * kBusyThreads),
                  kKeptElements / (schedule.chunks * schedule.lanes), int64_t(4)}));
    int64_t loads = getLoadsOfVector(ir, uses, innermost, schedule.lanes);
    schedule.unroll = floorToPower(std::min<int64_t>(schedule.unroll, mostLoads / (schedule.chunks * loads)));
  }
  schedule.block = std::max<int64_t>(threads, 128);
  int64_t groups = llvm::divideCeil(rows, schedule.unroll);
  if (schedule.block / threads > groups)
    schedule.block = std::max<int64_t>(kWarpSize, llvm::PowerOf2Ceil(groups) * threads);
  return schedule;
}

static KernelSchedule chooseStrips(const KernelIR &ir, const KernelUses &uses, int64_t processors) {
  KernelSchedule schedule;
  schedule.kind = KernelSchedule::Kind::Strips;
  unsigned outermost = ir.getOuterDims().back();
  int64_t results = ir.getOuterSize(), length = ir.getInnerSize();
  schedule.lanes = chooseLanes(ir, uses, outermost, 8);
  int64_t bytes = getNarrowest(ir, uses, outermost);
  // Several passes over what does not fit into registers are slow, and so are few threads.
  bool isReadAgain =
      ir.phases > 1 || llvm::any_of(ir.stores, [&](const KernelStore &store) { return !isRowStore(ir, store); });
  // Threads that load the elements of a vector one by one are neighbours in less memory if they have one each.
  if (!isReadAgain && getLoadsOfVector(ir, uses, outermost, schedule.lanes) == schedule.lanes)
    schedule.lanes = 1;
  // Running sums in order: a thread for each column.
  if (ir.hasScans() && length > kShortColumn)
    while (schedule.lanes > 1 && 2 * results < schedule.lanes * processors * kBusyThreads)
      schedule.lanes /= 2;
  constexpr int64_t most = 1024;
  int64_t slotBytes = 0;
  for (const auto &[i, prim] : llvm::enumerate(ir.prims))
    if (prim.kind == Prim::Kind::Reduce && uses.live.test(i))
      slotBytes += getSlotBytes(ir, prim);
  auto plan = [&](unsigned lanes, int64_t stripBytes) {
    KernelSchedule plan = schedule;
    plan.lanes = lanes;
    int64_t vectors = results / lanes;
    int64_t width = std::clamp<int64_t>(stripBytes / (bytes * lanes), 1, kWarpSize);
    width = std::min<int64_t>(width, llvm::PowerOf2Ceil(vectors));
    // Threads of a result: as many as fill a device, with some elements each.
    int64_t wanted = llvm::divideCeil((processors * kBusyThreads), vectors);
    if (isReadAgain)
      wanted = std::max<int64_t>(wanted, llvm::divideCeil(length * lanes, kKeptElements / 2));
    plan.threads =
        std::min<int64_t>({static_cast<int64_t>(llvm::PowerOf2Ceil(wanted)), floorToPower(length / 4), most / width});
    if (ir.hasScans())
      plan.threads = 1; // Running sums in order.
    // Every warp has a slot of shared memory for each result.
    while (plan.threads > 1 &&
           slotBytes * width * lanes * llvm::divideCeil(plan.threads * width, kWarpSize) > kSlotBytes)
      plan.threads /= 2;
    plan.block = std::max(width * plan.threads, std::clamp<int64_t>(llvm::PowerOf2Ceil(vectors), kWarpSize, 128));
    plan.chunks = llvm::divideCeil(length, plan.threads);
    plan.kept = plan.chunks * lanes <= std::min(kKeptElements, kKeptElementsOfBlock / plan.block);
    plan.ahead = getAhead(plan, bytes * lanes);
    // Results that may not be there are written one by one.
    if (ir.hasScans() && plan.ahead == 8 && plan.chunks % 8 != 0 && plan.chunks % 4 == 0)
      plan.ahead = 4;
    return plan;
  };
  unsigned lanes = schedule.lanes;
  schedule = plan(lanes, 128);
  // Narrower strips: more threads a result, so that it stays in registers, and more blocks, or smaller ones, of which one
  // loads while another computes. Parts of a sector are worth it only for the number of blocks.
  auto isAlone = [&] {
    constexpr int64_t others = 34, registers = 65536;
    return schedule.kept && 2 * (schedule.chunks * schedule.lanes + others) * schedule.block > registers;
  };
  for (int64_t stripBytes = 64; stripBytes >= bytes; stripBytes /= 2) {
    int64_t strips = llvm::divideCeil(results / schedule.lanes, schedule.block / schedule.threads);
    bool isFilled = isReadAgain ? strips >= processors : 10 * strips >= 9 * processors;
    if (isFilled && (!isReadAgain || stripBytes < kSectorBytes || (schedule.kept && !isAlone())))
      break;
    KernelSchedule narrower = plan(std::clamp<int64_t>(stripBytes / bytes, 1, lanes), stripBytes);
    if (isFilled && schedule.kept && narrower.block >= schedule.block)
      break;
    schedule = narrower;
  }
  schedule.setExchanges(ir, kExchangeBytes);
  return schedule;
}

/// The nest of loops of windows and products.
static KernelSchedule chooseLoops(const KernelIR &ir, const KernelUses &uses, int64_t processors) {
  KernelSchedule schedule;
  schedule.kind = KernelSchedule::Kind::Loops;
  SmallVector<unsigned> dims = ir.getOuterDims();
  int64_t size = ir.getOuterSize();
  if (!dims.empty())
    schedule.lanes = chooseLanes(ir, uses, dims.back(), 4);
  // Rather more threads than wide ones.
  while (schedule.lanes > 1 && size / schedule.lanes < 32768)
    schedule.lanes /= 2;
  // Rows of windows in each thread, whose accesses are words: neighbouring threads access neighbouring ones.
  if (dims.size() > 1 && ir.getInnerSize() <= kMostWindowTerms && haveWindows(ir, uses, dims[dims.size() - 2])) {
    constexpr int64_t wordBytes = 4, mostRows = 8;
    schedule.lanes =
        std::min<int64_t>(schedule.lanes, std::max<int64_t>(1, wordBytes / getNarrowest(ir, uses, dims.back())));
    int64_t threads = size / schedule.lanes;
    schedule.unroll = floorToPower(
        std::min({mostRows, ir.space.getSize(dims[dims.size() - 2]), threads / (processors * kBusyThreads)}));
  }
  schedule.block = std::clamp<int64_t>(llvm::PowerOf2Ceil(size / schedule.lanes), kWarpSize, 128);
  return schedule;
}

/// Products whose operands are both dense along what is added up: a thread or some a result, vectors of terms.
static std::optional<KernelSchedule> chooseDots(const KernelIR &ir, const KernelUses &uses, int64_t processors) {
  SmallVector<unsigned> innerDims = ir.getInnerDims();
  if (innerDims.size() != 1 || ir.getInnerSize() <= 1)
    return std::nullopt;
  for (const auto &[i, prim] : llvm::enumerate(ir.prims))
    if (prim.kind == Prim::Kind::Load && uses.live.test(i) && ir.variesInside(prim) &&
        !isContiguous(ir, prim.address, innerDims[0]))
      return std::nullopt;
  KernelSchedule schedule;
  schedule.kind = KernelSchedule::Kind::Rows;
  schedule.lanes = chooseLanes(ir, uses, innerDims[0], 8);
  int64_t vectors = ir.getInnerSize() / schedule.lanes;
  schedule.threads = std::min({kWarpSize, floorToPower(vectors),
                               floorToPower(processors * kBusyThreads / std::max<int64_t>(ir.getOuterSize(), 1))});
  // Narrow accesses of one thread for each sum would each touch a line of their own.
  constexpr int64_t mostThreads = 8, fewestTerms = 10;
  int64_t width = getNarrowest(ir, uses, innerDims[0]) * schedule.lanes;
  if (width < kVectorBytes)
    schedule.threads = std::max(schedule.threads, std::min(mostThreads, floorToPower(vectors / fewestTerms)));
  // Neighbouring threads of a long row, with some accesses each, read whole lines at once (docs/Performance.md).
  constexpr int64_t longRow = 512, fewestAccesses = 4;
  if (vectors >= fewestAccesses * kWarpSize && ir.getInnerSize() >= longRow)
    schedule.threads = kWarpSize;
  schedule.chunks = llvm::divideCeil(vectors, schedule.threads);
  schedule.kept = schedule.chunks * schedule.lanes <= kKeptElements;
  schedule.ahead = getAhead(schedule, width);
  return schedule;
}

/// Few sums of many products, which lie anywhere: some threads share one. Neighbouring threads have neighbouring terms of
/// it, or, where those are further apart in memory, neighbouring results.
static std::optional<KernelSchedule> chooseSums(const KernelIR &ir, const KernelUses &uses, int64_t processors) {
  KernelSchedule schedule;
  schedule.kind = KernelSchedule::Kind::Rows;
  schedule.threads = getThreadsOfSum(ir.getOuterSize(), ir.getInnerSize(), processors * kBusyThreads);
  if (schedule.threads == 1)
    return std::nullopt;
  constexpr int64_t fewestNeighbours = 8, mostThreads = 1024;
  int64_t width = std::min(kWarpSize, mostThreads / schedule.threads);
  if (SmallVector<unsigned> dims = ir.getOuterDims();
      !dims.empty() && 2 * ir.space.getSize(dims.back()) >= fewestNeighbours && width >= fewestNeighbours) {
    int64_t ofSum = std::min(schedule.threads, kWarpSize);
    int64_t along = getLines(ir, uses, ir.getInnerDims().back(), ofSum) * (kWarpSize / ofSum);
    if (getLines(ir, uses, dims.back(), kWarpSize) < along)
      schedule.kind = KernelSchedule::Kind::Strips;
  }
  // Fewer threads that are neighbours only move apart what neighbouring results read.
  if (schedule.kind == KernelSchedule::Kind::Rows && schedule.threads < fewestNeighbours)
    return std::nullopt;
  // Windows are code, as long as the threads have something else to share: what is outside of a window's operand is so for
  // all channels.
  constexpr int64_t mostCode = 32, accesses = 4;
  int64_t window = 1;
  for (unsigned dim : llvm::reverse(ir.getInnerDims())) {
    window *= ir.space.getSize(dim);
    if (window > mostCode || ir.getInnerSize() / window < schedule.threads)
      break;
    schedule.window = window;
  }
  schedule.chunks = llvm::divideCeil(ir.getInnerSize() / schedule.window, schedule.threads);
  schedule.ahead = floorToPower(std::min(accesses / schedule.window, schedule.chunks));
  schedule.block = schedule.kind == KernelSchedule::Kind::Strips ? width * schedule.threads
                   : schedule.threads > kWarpSize                ? schedule.threads
                                                                 : 128;
  return schedule;
}

/// Rows of a few elements that begin anywhere: what threads of one exchange, and the narrow accesses that they write it with,
/// take longer than to read it by one thread each and to write it through shared memory. The more so, the more results of
/// all elements there are, the shorter rows are, and the more of them.
static bool areShortRows(const KernelIR &ir, const KernelUses &uses, int64_t processors) {
  unsigned innermost = ir.getInnerDims().back();
  int64_t length = ir.getInnerSize(), bytes = length * getNarrowest(ir, uses, innermost);
  if (length > kShortRow || ir.getOuterDims().empty() || ir.hasScans() || chooseLanes(ir, uses, innermost, 8) > 1)
    return false;
  int64_t results = llvm::count_if(ir.stores, [&](const KernelStore &store) { return isStoredAlongRows(ir, store); });
  if (results == 0)
    return bytes <= kSectorBytes;
  return results > 1 || (bytes <= 2 * kSectorBytes && 2 * ir.getOuterSize() >= processors * kBusyThreads);
}

/// Reductions along the dimension that most of what is read is denser along.
static bool areRows(const KernelIR &ir, const KernelUses &uses) {
  SmallVector<unsigned> innerDims = ir.getInnerDims(), outerDims = ir.getOuterDims();
  if (outerDims.empty())
    return true;
  auto getStride = [&](const IndexExpr &address, unsigned dim) {
    constexpr int64_t far = int64_t(1) << 40;
    int64_t stride = std::abs(ir.space.getUsualStride(address, dim).value_or(0));
    return stride == 0 ? far : stride;
  };
  int64_t alongInner = 0, alongOuter = 0;
  for (const auto &[i, prim] : llvm::enumerate(ir.prims)) {
    if (prim.kind != Prim::Kind::Load || !uses.live.test(i) || !ir.variesInside(prim))
      continue;
    int64_t inner = getStride(prim.address, innerDims.back()), outer = getStride(prim.address, outerDims.back());
    // What is read once for each row or column is small.
    int64_t elements = 1;
    for (unsigned dim : prim.dims.set_bits())
      elements *= ir.space.getSize(dim);
    (inner < outer ? alongInner : alongOuter) += inner == outer ? 0 : elements;
  }
  // As much of both: a thread has a short row whole, in few lines of memory.
  bool isShort = ir.getInnerSize() <= kShortRow && alongInner > 0;
  return alongInner > alongOuter || (alongInner == alongOuter && !isShort);
}

/// Neighbours along the dimension are in one sector.
static bool isNear(const KernelIR &ir, const KernelArray &array, const IndexExpr &address, unsigned dim) {
  int64_t stride = std::abs(ir.space.getStride(address, dim));
  return stride != 0 && !ir.space.occursInside(address, dim) &&
         stride * static_cast<int64_t>(getMemoryBytes(array.elementType)) < kSectorBytes;
}

/// Few long rows next to each other, of which a sector has elements of all: what reads them again for each of them fills more
/// processors, in clusters.
static bool areFewNeighbours(const KernelIR &ir, const KernelUses &uses, DeviceShape device) {
  constexpr int64_t shortest = 8192;
  unsigned inner = ir.getInnerDims().back();
  bool isAlong = device.hasClusters && !ir.hasScans() && ir.getInnerSize() > shortest &&
                 ir.getOuterSize() * kMostCluster <= device.processors;
  forEachAccess(ir, uses, [&](const KernelArray &array, const IndexExpr &address) {
    isAlong &= !ir.space.getDims(address).test(inner) || isNear(ir, array, address, inner);
  });
  return isAlong;
}

namespace {
/// How what varies along scanned rows lies: all of it contiguous along them, in the same sectors along them, or contiguous across
/// them.
struct ScanAccesses {
  ScanAccesses(const KernelIR &ir, const KernelUses &uses) {
    unsigned inner = ir.getInnerDims().back();
    areAcross = !ir.getOuterDims().empty();
    forEachAccess(ir, uses, [&](const KernelArray &array, const IndexExpr &address) {
      if (!ir.space.getDims(address).test(inner))
        return;
      areAlong &= isContiguous(ir, address, inner);
      areNear &= isNear(ir, array, address, inner);
      areAcross &= areAcross && isContiguous(ir, address, ir.getOuterDims().back());
    });
  }
  bool areAlong = true, areNear = true, areAcross = true;
};
} // namespace

/// Running sums that need no shared memory: rows of some accesses of a warp's threads, columns of a few elements, and so many
/// of them next to each other that each may be a thread's.
static bool areShortScans(const KernelIR &ir, const KernelUses &uses, const KernelSchedule &schedule,
                          int64_t processors) {
  constexpr int64_t manyNeighbours = 8192, mostOfWarp = 2, mostNearOfWarp = 4;
  ScanAccesses accesses(ir, uses);
  if (schedule.kind == KernelSchedule::Kind::Rows) {
    if (schedule.threads > kWarpSize)
      return schedule.chunks == 1 && (accesses.areAlong || accesses.areAcross);
    int64_t most = accesses.areAlong || accesses.areAcross ? mostOfWarp : accesses.areNear ? mostNearOfWarp : 0;
    return schedule.chunks <= most;
  }
  if (schedule.chunks <= kShortColumn)
    return accesses.areAlong || accesses.areAcross;
  return accesses.areAcross && ir.space.getSize(ir.getOuterDims().back()) >= manyNeighbours &&
         4 * ir.getOuterSize() >= schedule.lanes * processors * kBusyThreads;
}

KernelSchedule fxgraph::gpu::chooseSchedule(const KernelIR &ir, const KernelUses &uses, DeviceShape device) {
  int64_t processors = device.processors;
  if (ir.phases == 0) {
    std::optional<KernelSchedule> boxes = chooseBoxes(ir, uses, processors);
    return boxes ? *boxes : chooseFlat(ir, uses, processors);
  }
  if ((ir.prefersColumns || ir.getInnerSize() <= 1) && !ir.hasScans()) {
    std::optional<KernelSchedule> schedule = chooseDots(ir, uses, processors);
    if (!schedule)
      schedule = chooseSums(ir, uses, processors);
    if (!schedule)
      schedule = chooseLoops(ir, uses, processors);
    std::optional<KernelSchedule> tiles = chooseTiles(ir, uses, processors);
    return tiles && areTilesFaster(ir, uses, *tiles, processors, *schedule) ? *tiles : *schedule;
  }
  bool areNeighbours = !areRows(ir, uses);
  bool hasRows = areNeighbours ? areFewNeighbours(ir, uses, device) : !areShortRows(ir, uses, processors);
  KernelSchedule schedule = hasRows ? chooseRows(ir, uses, device) : chooseStrips(ir, uses, processors);
  // Of a cluster's blocks those with fewer threads wait less for each other.
  constexpr int64_t mostChunks = 16;
  if (hasRows && areNeighbours)
    for (; schedule.threads > 256 && 2 * schedule.chunks <= mostChunks; schedule.block = schedule.threads) {
      schedule.threads /= 2;
      schedule.chunks = llvm::divideCeil(ir.getInnerSize() / schedule.lanes, schedule.threads * schedule.cluster);
    }
  if (ir.hasScans())
    if (std::optional<KernelSchedule> runs = chooseScanRuns(ir, uses, processors))
      return *runs;
  if (ir.carries >= 0 || (ir.hasScans() && !areShortScans(ir, uses, schedule, processors)))
    if (std::optional<KernelSchedule> scans = chooseScans(ir, uses, processors, /*spread=*/ir.carries >= 0))
      return *scans;
  if (!hasRows)
    if (std::optional<KernelSchedule> runs = chooseRuns(ir, uses, schedule, processors))
      return *runs;
  return schedule;
}

std::optional<KernelSchedule> fxgraph::gpu::chooseSchedule(const KernelIR &ir, const KernelUses &uses,
                                                           DeviceShape device, KernelSchedule::Kind kind) {
  int64_t processors = device.processors;
  using Kind = KernelSchedule::Kind;
  bool isPointwise = kind == Kind::Flat || kind == Kind::Boxes, isLoop = ir.prefersColumns || ir.getInnerSize() <= 1;
  if (isPointwise != (ir.phases == 0))
    return std::nullopt;
  switch (kind) {
  case Kind::Flat:
    return chooseFlat(ir, uses, processors);
  case Kind::Boxes:
    return chooseBoxes(ir, uses, processors);
  case Kind::Rows:
    return isLoop && !ir.hasScans() ? chooseDots(ir, uses, processors) : chooseRows(ir, uses, device);
  case Kind::Strips:
    if (isLoop && !ir.hasScans()) {
      std::optional<KernelSchedule> sums = chooseSums(ir, uses, processors);
      return sums && sums->kind == Kind::Strips ? sums : std::nullopt;
    }
    return ir.getOuterDims().empty() ? std::nullopt : std::optional(chooseStrips(ir, uses, processors));
  case Kind::Scans:
    return chooseScans(ir, uses, processors, /*spread=*/ir.carries >= 0);
  case Kind::Loops:
    return isLoop && !ir.hasScans() ? std::optional(chooseLoops(ir, uses, processors)) : std::nullopt;
  case Kind::Tiles:
    return isLoop ? chooseTiles(ir, uses, processors) : std::nullopt;
  }
  return std::nullopt;
}

int64_t KernelSchedule::getScanBlocks(const KernelIR &ir) const {
  int64_t blocks = 1;
  for (unsigned dim : ir.getOuterDims())
    blocks *= llvm::divideCeil(ir.space.getSize(dim), box[dim]);
  return blocks;
}

int64_t KernelSchedule::getScanPieces(const KernelIR &ir) const {
  unsigned along = ir.getInnerDims().front();
  return llvm::divideCeil(ir.space.getSize(along), box[along]);
}

int64_t KernelSchedule::getScanGroup() const { return std::clamp<int64_t>(threads, 16, 256); }

int64_t KernelSchedule::getCarryWords(const KernelIR &ir) const {
  int64_t pieces = getScanPieces(ir);
  return (pieces + pieces / getScanGroup()) * getScanBlocks(ir) * (block / threads);
}

int64_t KernelSchedule::getScanSlots() const {
  int64_t width = block / threads, inWarp = std::min(threads, std::max<int64_t>(1, kWarpSize / width));
  return threads > inWarp ? threads / inWarp * width : 0;
}

BoxPath KernelSchedule::getPath(ArrayRef<Digit> digits) const {
  BoxPath path;
  for (const Digit &digit : digits)
    path.vectors *= digit.count;
  path.split = digits.size() - 1;
  while (path.split > 0 && path.below * digits[path.split].count <= block)
    path.below *= digits[path.split--].count;
  int64_t places = digits[path.split].count;
  path.apart = std::min(block / path.below, places);
  path.steps = llvm::divideCeil(places, path.apart) * (path.vectors / path.below / places);
  if (2 * path.steps * block > 3 * std::max(path.vectors, block)) {
    path.apart = 0;
    path.steps = llvm::divideCeil(path.vectors, block);
  }
  return path;
}

SmallVector<unsigned> KernelSchedule::getWindowDims(const KernelIR &ir) const {
  SmallVector<unsigned> dims = ir.getInnerDims();
  size_t first = dims.size();
  for (int64_t size = 1; size < window; size *= ir.space.getSize(dims[first]))
    --first;
  return llvm::to_vector(ArrayRef(dims).drop_front(first));
}

SmallVector<unsigned> KernelSchedule::getRest(const KernelIR &ir) const {
  SmallVector<unsigned> rest;
  for (unsigned dim = 0; dim < ir.space.getNumDims(); ++dim)
    if (!llvm::is_contained(across, dim) && !llvm::is_contained(along, dim))
      rest.push_back(dim);
  return rest;
}

int64_t KernelSchedule::getBoxes(const KernelIR &ir) const {
  return getVolume(ir, getRest(ir)) * llvm::divideCeil(getVolume(ir, across), box[0]) *
         llvm::divideCeil(getVolume(ir, along), box[1]);
}

int64_t KernelSchedule::getRowsBehind(const KernelIR &ir) const {
  return joinedResults ? (getVolume(ir, across) - box[0]) % (lanes / std::gcd<int64_t, int64_t>(box[1], lanes)) : 0;
}

SmallVector<Digit> KernelSchedule::getDigits(bool isRead) const {
  if (!isRead && joinedResults)
    return {{2, box[0] * box[1] / lanes, lanes}};
  if (!isRead && shiftedResults)
    return {{0, box[0], 1}, {1, box[1] / lanes - 1, lanes}};
  if (!isRead)
    return {{0, box[0], 1}, {1, static_cast<int64_t>(llvm::divideCeil(box[1], lanes)), lanes}};
  SmallVector<Digit> digits;
  if (neighbours < box[0])
    digits.push_back({0, box[0] / neighbours, neighbours});
  digits.push_back({1, box[1], 1});
  // A run may begin with any of a vector's elements.
  int64_t touched = neighbours + (ragged ? 2 * (readLanes - 1) : 0);
  digits.push_back({0, touched / readLanes, readLanes});
  return digits;
}

bool KernelSchedule::isAlignedAsResults(const KernelIR &ir, const KernelArray &array, const IndexExpr &address) const {
  int64_t count = lanes, bytes = count * getMemoryBytes(array.elementType);
  if (bytes > kVectorBytes || array.table || array.align % bytes != 0 || getDenseStride(ir, address, along) != 1)
    return false;
  const IndexExpr &first = ir.stores.front().address;
  auto isAligned = [&](const IndexExpr &lhs, const IndexExpr &rhs) {
    return llvm::all_of(lhs.terms, [&](const auto &term) {
      return ir.space.getAtom(term.first).kind == IndexSpace::AtomKind::Dim &&
             (term.second - rhs.getCoefficient(term.first)) % count == 0;
    });
  };
  return (address.constant - first.constant) % count == 0 && isAligned(address, first) && isAligned(first, address);
}

SmallVector<unsigned> KernelSchedule::getSides() const {
  SmallVector<unsigned> dims(across);
  dims.append(along);
  return dims;
}

bool KernelSchedule::isAlignedInBox(const KernelIR &ir, const KernelArray &array, const IndexExpr &address) const {
  int64_t count = lanes, bytes = count * getMemoryBytes(array.elementType);
  SmallVector<unsigned> sides = getSides();
  return bytes <= kVectorBytes && !array.table && array.align % bytes == 0 && address.constant % count == 0 &&
         getDenseStride(ir, address, sides) == 1 && llvm::all_of(address.terms, [&](const auto &term) {
           const IndexSpace::Atom &atom = ir.space.getAtom(term.first);
           return atom.kind == IndexSpace::AtomKind::Dim &&
                  (llvm::is_contained(sides, atom.number) || term.second % count == 0);
         });
}

SmallVector<Digit> KernelSchedule::getDigits(ArrayRef<unsigned> order, unsigned lanes) const {
  SmallVector<Digit> digits;
  for (unsigned dim : order)
    digits.push_back({dim, box[dim], 1});
  digits.back().count /= lanes;
  digits.back().step = lanes;
  return digits;
}

int64_t KernelSchedule::getTogether(unsigned side, int64_t lanes, int64_t bytes) const {
  if (strides[side] != 1)
    return 1;
  int64_t together = std::min(lanes, kVectorBytes / bytes);
  while (strides[1 - side] % together != 0)
    together /= 2;
  return together;
}

bool KernelSchedule::isVectorInBox(unsigned dim, unsigned lanes) const {
  if (lanes == 1 || strides[dim] != 1)
    return false;
  for (const auto &[other, stride] : llvm::enumerate(strides))
    if (other != dim && box[other] > 1 && stride % lanes != 0)
      return false;
  return true;
}

int64_t KernelSchedule::getReduceSlots() const {
  // A warp has added up what its threads have of the same result.
  int64_t width = kind == Kind::Strips || kind == Kind::Tiles ? block / threads : 1;
  int64_t results = kind == Kind::Tiles ? getTileSize() : lanes;
  return results * width * llvm::divideCeil(block, std::max(width, kWarpSize));
}

int64_t KernelSchedule::getTileSize() const {
  return std::accumulate(box.begin(), box.end(), int64_t(1), std::multiplies<int64_t>());
}

SmallVector<Digit> KernelSchedule::getTileDigits(const KernelIR &ir) const {
  SmallVector<Digit> digits;
  for (unsigned dim : ir.getOuterDims())
    digits.push_back({dim, static_cast<int64_t>(llvm::divideCeil(ir.space.getSize(dim), box[dim])), box[dim]});
  return digits;
}

bool KernelSchedule::setBlock(int64_t threadsOfBlock, bool mayWiden) {
  // Warps of a row pass their values to each other through slots of the block: one row then.
  if (mayWiden && kind == Kind::Rows && cluster == 1 && threads > kWarpSize && block < threadsOfBlock) {
    chunks = llvm::divideCeil(chunks * threads, threadsOfBlock);
    block = threads = threadsOfBlock;
    return true;
  }
  bool fits = kind == Kind::Flat || kind == Kind::Boxes || kind == Kind::Loops ||
              (block == threadsOfBlock && cluster == 1) || (kind == Kind::Rows && threads <= kWarpSize) ||
              (kind == Kind::Strips && block <= threadsOfBlock);
  if (fits)
    block = threadsOfBlock;
  return fits;
}

int64_t KernelSchedule::getSharedBytes(const KernelIR &ir) const {
  int64_t bytes = 0;
  if (kind == Kind::Boxes)
    for (unsigned load : staged)
      bytes += llvm::alignTo(extent * getMemoryBytes(ir.arrays[ir.prims[load].array].elementType), kVectorBytes);
  if (kind == Kind::Scans)
    for (const Prim &prim : ir.prims)
      if (prim.kind == Prim::Kind::Scan)
        bytes += llvm::alignTo((extent + (spread ? 2 : 1) * getScanSlots()) * getMemoryBytes(prim.type), kVectorBytes);
  if (threads > 1)
    for (const Prim &prim : ir.prims)
      if (prim.kind == Prim::Kind::Reduce)
        bytes += getSlotBytes(ir, prim) * (getReduceSlots() + (cluster > 1 ? cluster : 0));
  if (runResults) {
    auto add = [&](unsigned array) {
      bytes += llvm::alignTo(getRunExtent(ir) * getMemoryBytes(ir.arrays[array].elementType), kVectorBytes);
    };
    for (unsigned load : staged)
      add(ir.prims[load].array);
    for (const KernelStore &store : ir.stores)
      if (isInRun(ir, store) && !sharesRun(ir))
        add(store.array);
  }
  if (exchanges)
    for (const KernelStore &store : ir.stores)
      if (isStoredAlongRows(ir, store))
        bytes +=
            block / threads * lanes * (threads * exchanges + 1) * getMemoryBytes(ir.arrays[store.array].elementType);
  return bytes;
}

bool KernelSchedule::isInRun(const KernelIR &ir, const KernelStore &store) const {
  return !isRowStore(ir, store) && !ir.arrays[store.array].table && getDenseStride(ir, store.address, readOrder) == 1;
}

bool KernelSchedule::sharesRun(const KernelIR &ir) const {
  const KernelStore *only = nullptr;
  for (const KernelStore &store : ir.stores) {
    if (!isInRun(ir, store))
      continue;
    if (only)
      return false;
    only = &store;
  }
  return kept && only && staged.size() == 1 &&
         ir.arrays[only->array].elementType == ir.arrays[ir.prims[staged.front()].array].elementType;
}

void KernelSchedule::setExchanges(const KernelIR &ir, int64_t mostBytes) {
  exchanges = 0;
  int64_t narrowest = 0;
  for (const KernelStore &store : ir.stores)
    if (int64_t bytes = getMemoryBytes(ir.arrays[store.array].elementType); isStoredAlongRows(ir, store))
      narrowest = narrowest ? std::min(narrowest, bytes) : bytes;
  if (kind != Kind::Strips || !narrowest || ir.hasScans())
    return;
  // A sector of a row; where one access of the threads is less than that, all of a short row.
  int64_t accesses = kept ? chunks : ahead, sector = llvm::divideCeil(kSectorBytes, threads * narrowest);
  int64_t wanted = sector > 1 && threads * chunks * narrowest <= 8 * kSectorBytes ? accesses : sector;
  for (exchanges = std::min(wanted, accesses); exchanges > 0; exchanges /= 2)
    if (getSharedBytes(ir) <= mostBytes)
      break;
  if (exchanges < std::min(sector, chunks))
    exchanges = 0;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

mlir::DictionaryAttr KernelSchedule::toAttribute(MLIRContext *context) const {
  mlir::Builder builder(context);
  SmallVector<mlir::NamedAttribute> entries;
  auto add = [&](StringRef name, Attribute value) { entries.push_back(builder.getNamedAttr(name, value)); };
  auto addNumber = [&](StringRef name, int64_t value) { add(name, builder.getI64IntegerAttr(value)); };
  add("kind", builder.getStringAttr(names[static_cast<unsigned>(kind)]));
  addNumber("lanes", lanes);
  switch (kind) {
  case Kind::Flat:
    addNumber("unroll", unroll);
    if (stepDim >= 0)
      addNumber("steps_along", stepDim);
    break;
  case Kind::Boxes:
    addNumber("read_lanes", readLanes);
    if (ragged)
      add("ragged", builder.getUnitAttr());
    if (raggedResults)
      add("ragged_results", builder.getUnitAttr());
    if (shiftedResults)
      add("shifted_results", builder.getUnitAttr());
    if (joinedResults)
      add("joined_results", builder.getUnitAttr());
    add("box", builder.getDenseI64ArrayAttr(box));
    add("strides", builder.getDenseI64ArrayAttr(strides));
    add("across", builder.getDenseI64ArrayAttr(SmallVector<int64_t>(across.begin(), across.end())));
    add("along", builder.getDenseI64ArrayAttr(SmallVector<int64_t>(along.begin(), along.end())));
    break;
  case Kind::Scans:
    addNumber("read_lanes", readLanes);
    add("box", builder.getDenseI64ArrayAttr(box));
    add("strides", builder.getDenseI64ArrayAttr(strides));
    addNumber("threads", threads);
    addNumber("chunks", chunks);
    if (spread)
      add("spread", builder.getUnitAttr());
    break;
  case Kind::Rows:
  case Kind::Strips:
    addNumber("unroll", unroll);
    addNumber("threads", threads);
    if (cluster > 1)
      addNumber("cluster", cluster);
    addNumber("chunks", chunks);
    add("kept", builder.getBoolAttr(kept));
    addNumber("ahead", ahead);
    if (window > 1)
      addNumber("window", window);
    if (exchanges)
      addNumber("exchanges", exchanges);
    if (runResults) {
      addNumber("run", runResults);
      addNumber("read_lanes", readLanes);
      add("padding", builder.getDenseI64ArrayAttr({padEvery, padding}));
    }
    break;
  case Kind::Loops:
    if (unroll > 1)
      addNumber("unroll", unroll);
    break;
  case Kind::Tiles:
    add("box", builder.getDenseI64ArrayAttr(box));
    addNumber("threads", threads);
    addNumber("chunks", chunks);
    addNumber("ahead", ahead);
    addNumber("window", window);
    break;
  }
  return builder.getDictionaryAttr(entries);
}
