// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/ChooseRuns.h"
#include "Kernel/ChooseBoxes.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace fxgraph;
using namespace fxgraph::gpu;

/// Shared memory of a block: several blocks must fit on a processor.
static constexpr int64_t kRunBytes = 24576;
/// A smaller kernel is over before its blocks wait for memory, and may be less than a vector.
static constexpr int64_t kFewestElements = 4096;
/// Elements of a result that a thread keeps in registers, and of a running sum, which has one thread.
static constexpr int64_t kThreadElements = 32, kScanElements = 48;
/// Threads of a block.
static constexpr int64_t kFewestThreads = 64, kUsualThreads = 128, kMostThreads = 512;

namespace {
class RunChooser {
public:
  RunChooser(const KernelIR &ir, const KernelUses &uses) : ir(ir), uses(uses) {}
  /// False: no kernel of this kind.
  bool open();
  std::optional<KernelSchedule> choose(int64_t processors);

  int64_t tail = 1;      ///< results that are neighbours in memory
  int64_t narrowest = 0; ///< bytes of an element of the run

private:
  bool splitOrder();
  void chooseLanes();
  std::optional<KernelSchedule> fill(int64_t width);
  void choosePadding();
  int64_t countConflicts() const;

  const KernelIR &ir;
  const KernelUses &uses;
  KernelSchedule schedule;
  SmallVector<std::pair<unsigned, const IndexExpr *>> accesses; ///< of the run: arrays
  int64_t length = 0, widest = 0, lanes = 1;
};
} // namespace

/// Results that are far apart in memory come first, then what is reduced, then neighbouring results, both as they are counted.
bool RunChooser::splitOrder() {
  SmallVector<unsigned> outer;
  size_t lastInner = 0, firstInner = schedule.readOrder.size(), count = 0;
  for (auto [i, dim] : llvm::enumerate(schedule.readOrder)) {
    if (!ir.inner[dim]) {
      outer.push_back(dim);
      continue;
    }
    firstInner = std::min(firstInner, i);
    lastInner = i;
    ++count;
  }
  if (count == 0 || lastInner - firstInner + 1 != count || ir.getOuterDims() != outer)
    return false;
  tail = getVolume(ir, ArrayRef(schedule.readOrder).drop_front(lastInner + 1));
  return true;
}

bool RunChooser::open() {
  if (ir.phases == 0 || (ir.hasScans() && ir.getInnerSize() > kScanElements) || ir.tableDim >= 0 || ir.carries >= 0 ||
      !ir.symbols.empty() || ir.emptyReduction || ir.getOuterDims().empty())
    return false;
  length = ir.getInnerSize();
  // In the order of the first of what has an element at each position.
  for (const auto &[i, prim] : llvm::enumerate(ir.prims)) {
    if (prim.kind != Prim::Kind::Load || !uses.live.test(i) || ir.arrays[prim.array].table)
      continue;
    if (schedule.readOrder.empty()) {
      std::optional<SmallVector<unsigned>> order = getOrder(ir, prim.address);
      if (!order || order->size() != ir.space.getNumDims())
        continue;
      schedule.readOrder = *order;
    }
    if (getDenseStride(ir, prim.address, schedule.readOrder) != 1)
      continue;
    schedule.staged.push_back(i);
    accesses.push_back({prim.array, &prim.address});
  }
  if (schedule.staged.empty() || !splitOrder())
    return false;
  for (const KernelStore &store : ir.stores) {
    if (schedule.isInRun(ir, store))
      accesses.push_back({store.array, &store.address});
    else if (!isRowStore(ir, store))
      return false;
  }
  chooseLanes();
  return lanes > 1 && ir.getOuterSize() * length >= kFewestElements;
}

/// Up to 16 bytes, as far as the arrays begin at multiples of them.
void RunChooser::chooseLanes() {
  for (auto [array, address] : accesses) {
    int64_t bytes = getMemoryBytes(ir.arrays[array].elementType);
    narrowest = narrowest ? std::min(narrowest, bytes) : bytes;
    widest = std::max(widest, bytes);
  }
  lanes = kVectorBytes / widest;
  auto fits = [&](const auto &access) {
    const KernelArray &array = ir.arrays[access.first];
    return access.second->constant % lanes == 0 && array.align % (lanes * getMemoryBytes(array.elementType)) == 0;
  };
  while (lanes > 1 && !llvm::all_of(accesses, fits))
    lanes /= 2;
}

/// Cycles in which the accesses of a warp's threads to single elements meet in banks of shared memory.
int64_t RunChooser::countConflicts() const {
  int64_t width = schedule.block / schedule.threads, cycles = 0;
  constexpr int64_t samples = 8;
  int64_t own = std::min(samples, schedule.chunks);
  for (int64_t i = 0; i < own; ++i) {
    std::array<llvm::SmallSet<int64_t, 4>, 32> words;
    for (int64_t thread = 0; thread < kWarpSize; ++thread) {
      int64_t result = std::min(thread % width, schedule.runResults - 1),
              element = std::min(thread / width + i * schedule.threads, length - 1);
      int64_t place = (result / tail * length + element) * tail + result % tail;
      int64_t word = schedule.getRunPlace(place) * widest / 4;
      words[word % 32].insert(word);
    }
    size_t most = 0;
    for (const auto &bank : words)
      most = std::max<size_t>(most, bank.size());
    cycles += most;
  }
  return cycles * schedule.chunks / own;
}

/// A vector left free behind the elements of neighbouring results, where threads then wait less for each other.
void RunChooser::choosePadding() {
  int64_t together = tail * length;
  if (together % lanes != 0 || together == schedule.runResults * length)
    return;
  int64_t without = countConflicts();
  schedule.padEvery = together;
  schedule.padding = lanes;
  if (countConflicts() >= without || schedule.getSharedBytes(ir) > kRunBytes)
    schedule.padEvery = schedule.padding = 0;
}

/// Blocks of so many results, or somewhat fewer; nullopt: many threads would have none, or there is no room.
std::optional<KernelSchedule> RunChooser::fill(int64_t width) {
  // Each block's run begins with a vector.
  int64_t unit = tail * (lanes / std::gcd(tail * length, lanes));
  schedule.runResults = width / unit * unit;
  schedule.block = width * schedule.threads;
  if (4 * schedule.runResults < 3 * width || schedule.block > kMostThreads)
    return std::nullopt;
  schedule.padEvery = schedule.padding = 0;
  if (schedule.getSharedBytes(ir) > kRunBytes)
    return std::nullopt;
  choosePadding();
  return schedule;
}

std::optional<KernelSchedule> RunChooser::choose(int64_t processors) {
  schedule.kind = KernelSchedule::Kind::Strips;
  schedule.kept = true;
  schedule.readLanes = lanes;
  schedule.threads = ir.hasScans() ? 1 : llvm::PowerOf2Ceil(llvm::divideCeil(length, kThreadElements));
  schedule.chunks = llvm::divideCeil(length, schedule.threads);
  std::optional<KernelSchedule> best;
  int64_t results = ir.getOuterSize();
  for (int64_t width = std::max<int64_t>(1, kUsualThreads / schedule.threads); width * schedule.threads <= kMostThreads;
       width *= 2)
    if ((best = fill(width)))
      break;
  if (!best && ir.hasScans())
    best = fill(kFewestThreads);
  // Blocks for all processors.
  while (best && best->block > kFewestThreads && results < 2 * processors * best->runResults) {
    std::optional<KernelSchedule> smaller = fill(best->block / best->threads / 2);
    if (!smaller)
      break;
    best = smaller;
  }
  return best;
}

std::optional<KernelSchedule> fxgraph::gpu::findRuns(const KernelIR &ir, const KernelUses &uses, int64_t processors) {
  RunChooser chooser(ir, uses);
  return chooser.open() ? chooser.choose(processors) : std::nullopt;
}

std::optional<KernelSchedule> fxgraph::gpu::chooseRuns(const KernelIR &ir, const KernelUses &uses,
                                                       const KernelSchedule &strips, int64_t processors) {
  RunChooser chooser(ir, uses);
  // Where few results are neighbours, the fewer the wider the accesses of threads are.
  int64_t run = strips.lanes > 1 ? kSectorBytes : 2 * kSectorBytes;
  if (!chooser.open() || chooser.tail * chooser.narrowest >= run)
    return std::nullopt;
  return chooser.choose(processors);
}

std::optional<KernelSchedule> fxgraph::gpu::chooseScanRuns(const KernelIR &ir, const KernelUses &uses,
                                                           int64_t processors) {
  RunChooser chooser(ir, uses);
  if (!chooser.open())
    return std::nullopt;
  // Accesses along rows as wide as they may be, or across them.
  constexpr int64_t narrow = 8;
  int64_t elements = chooser.tail;
  while (chooser.tail == 1 && elements * chooser.narrowest < narrow && ir.getInnerSize() % (2 * elements) == 0)
    elements *= 2;
  bool isNarrow = elements * chooser.narrowest < (chooser.tail == 1 ? narrow : kSectorBytes);
  return isNarrow ? chooser.choose(processors) : std::nullopt;
}
