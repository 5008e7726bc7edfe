// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/ChooseScans.h"
#include "Kernel/ChooseBoxes.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

/// Shared memory of a block.
static constexpr int64_t kScanBytes = 40960;
/// Elements of a thread: of a box that is one of several of its columns, and of one that is all of them.
static constexpr int64_t kThreadElements = 16, kMostThreadElements = 24;
/// Threads of a block, if more are not the way to have columns in one piece, and columns of a block.
static constexpr int64_t kScanBlock = 256, kLargeScanBlock = 1024, kMostColumns = 256;
/// Elements of a box of short columns.
static constexpr int64_t kFewBoxElements = 2048;

namespace {
class ScanChooser {
public:
  ScanChooser(const KernelIR &ir, const KernelUses &uses, bool spread) : ir(ir), uses(uses), spread(spread) {}
  /// False: no kernel of this kind.
  bool open();
  void chooseColumns(int64_t processors);
  std::optional<KernelSchedule> chooseLength();
  std::optional<KernelSchedule> finish(int64_t threads);

  SmallVector<int64_t> box;

private:
  SmallVector<unsigned> completeOrder(const IndexExpr &address) const;
  int64_t count(function_ref<int64_t(unsigned)> of) const {
    int64_t product = 1;
    for (unsigned dim : ir.getOuterDims())
      product *= of(dim);
    return product;
  }
  int64_t getColumns() const {
    return count([&](unsigned dim) { return box[dim]; });
  }
  int64_t getBlocks() const {
    int64_t blocks = count([&](unsigned dim) { return llvm::divideCeil(ir.space.getSize(dim), box[dim]); });
    return spread ? blocks * std::max<int64_t>(1, getColumns() * length / (kScanBlock * kThreadElements)) : blocks;
  }
  int64_t getBytes(int64_t elements) const { return elements * elementBytes; }
  int64_t countCycles(const KernelSchedule &schedule, ArrayRef<unsigned> order, unsigned lanes) const;
  int64_t countScanCycles(const KernelSchedule &schedule) const;
  int64_t countInstructions(const KernelSchedule &schedule) const;
  int64_t countConflicts(function_ref<int64_t(int64_t)> getAddress) const;
  void layOut(KernelSchedule &schedule, int64_t padding) const;
  unsigned chooseLanes(const KernelSchedule &schedule, unsigned dim, bool isRead) const;

  const KernelIR &ir;
  const KernelUses &uses;
  bool spread;
  unsigned along = 0; ///< dimension of the running sums
  int64_t length = 0;
  SmallVector<unsigned> loads; ///< what the sums are of
  SmallVector<unsigned> readOrder, writeOrder;
  int64_t readBytes = 0, writeBytes = 0;
  int64_t elementBytes = 0; ///< in shared memory, of all sums
};
} // namespace

/// As the address moves; what it does not move along comes first.
SmallVector<unsigned> ScanChooser::completeOrder(const IndexExpr &address) const {
  SmallVector<unsigned> order, known;
  if (std::optional<SmallVector<unsigned>> found = getOrder(ir, address))
    known = *found;
  for (unsigned dim = 0; dim < ir.space.getNumDims(); ++dim)
    if (!llvm::is_contained(known, dim))
      order.push_back(dim);
  llvm::append_range(order, known);
  return order;
}

bool ScanChooser::open() {
  if (ir.phases != 1 || ir.tableDim >= 0 || ir.getInnerDims().size() != 1)
    return false;
  along = ir.getInnerDims().front();
  length = ir.space.getSize(along);
  llvm::BitVector needed(ir.prims.size());
  for (const auto &[i, prim] : llvm::enumerate(ir.prims)) {
    if (!uses.live.test(i))
      continue;
    if (prim.kind == Prim::Kind::Reduce)
      return false;
    if (prim.kind == Prim::Kind::Scan) {
      elementBytes += getMemoryBytes(prim.type);
      needed.set(prim.operands[0]);
    }
  }
  if (elementBytes == 0 || llvm::any_of(ir.stores, [&](const KernelStore &store) { return isRowStore(ir, store); }))
    return false;
  int64_t most = 0;
  for (size_t i = ir.prims.size(); i-- > 0;) {
    if (!needed.test(i))
      continue;
    const Prim &prim = ir.prims[i];
    for (unsigned operand : prim.operands)
      needed.set(operand);
    if (prim.kind != Prim::Kind::Load)
      continue;
    loads.push_back(i);
    int64_t elements = 1;
    for (unsigned dim : prim.dims.set_bits())
      elements *= ir.space.getSize(dim);
    if (elements > most) {
      most = elements;
      readOrder = completeOrder(prim.address);
      readBytes = getMemoryBytes(ir.arrays[prim.array].elementType);
    }
  }
  writeOrder = completeOrder(ir.stores.front().address);
  writeBytes = getMemoryBytes(ir.arrays[ir.stores.front().array].elementType);
  if (loads.empty()) {
    readOrder = writeOrder;
    readBytes = writeBytes;
  }
  return true;
}

/// Runs of memory on both sides as long as leaves all processors something to do, and at least a sector.
void ScanChooser::chooseColumns(int64_t processors) {
  for (int64_t run = 128; run >= kSectorBytes; run /= 2) {
    box.assign(ir.space.getNumDims(), 1);
    box[along] = std::min<int64_t>(length, 64);
    growBox(ir, box, readOrder, run / readBytes);
    growBox(ir, box, writeOrder, run / writeBytes);
    if (getBlocks() >= 2 * processors)
      break;
  }
  // Short columns: some more of them.
  for (int64_t columns = 2 * getColumns(); getColumns() * length < kFewBoxElements && columns <= kMostColumns;
       columns *= 2) {
    SmallVector<int64_t> before = box;
    SmallVector<unsigned> order;
    for (unsigned dim : writeOrder)
      if (dim != along)
        order.push_back(dim);
    growBox(ir, box, order, columns);
    if (getBlocks() < 4 * processors || getColumns() > kMostColumns) {
      box = before;
      break;
    }
  }
}

std::optional<KernelSchedule> ScanChooser::chooseLength() {
  int64_t columns = getColumns(), width = llvm::PowerOf2Ceil(columns);
  if (width > kLargeScanBlock)
    return std::nullopt;
  int64_t least = llvm::divideCeil(kWarpSize, width);
  int64_t threads = std::max(least, kScanBlock / width);
  threads = std::max<int64_t>(least, std::min<int64_t>(threads, llvm::PowerOf2Ceil(llvm::divideCeil(length, 4))));
  // All of a column at once, if that is possible and wanted.
  int64_t whole = threads;
  while (!spread && whole * kMostThreadElements < length && 2 * whole * width <= kLargeScanBlock)
    whole *= 2;
  bool isWhole = whole * kMostThreadElements >= length && getBytes(columns * (length + whole)) <= kScanBytes;
  if (isWhole)
    threads = whole;
  int64_t pieces = isWhole ? 1 : llvm::divideCeil(length, threads * kThreadElements);
  int64_t fewest = llvm::divideCeil(length, pieces * threads);
  // Neighbouring threads that are at different places of a column use different banks if they have an odd number of elements;
  // of an even one there are no more than needed, and maybe as many as the block has threads.
  bool mayBeOdd = width < kWarpSize && threads > 1;
  std::optional<KernelSchedule> best;
  for (bool isOdd : {true, false}) {
    if (isOdd && !mayBeOdd)
      continue;
    int64_t own = isOdd ? fewest | 1 : fewest;
    while (own > 2 && getBytes(columns * own * threads) > kScanBytes)
      own -= 1 + isOdd;
    box[along] = own * threads;
    std::optional<KernelSchedule> other = finish(threads);
    if (other && (!best || countInstructions(*other) < countInstructions(*best)))
      best = other;
  }
  if (best)
    box = best->box;
  return best;
}

/// Roughly, of a thread: accesses of the box as it is read and written, and of the elements that it adds up, as often as they
/// take cycles. Where vectors have no distance known at compile time, positions are computed.
int64_t ScanChooser::countInstructions(const KernelSchedule &schedule) const {
  constexpr int64_t computed = 3;
  int64_t count = 2 * (schedule.box[along] / schedule.threads) * countScanCycles(schedule);
  for (bool isRead : {true, false}) {
    ArrayRef<unsigned> order = isRead ? readOrder : writeOrder;
    unsigned lanes = isRead ? schedule.readLanes : schedule.lanes;
    BoxPath path = schedule.getPath(schedule.getDigits(order, lanes));
    count += path.steps * (path.apart ? 1 : computed) * countCycles(schedule, order, lanes);
  }
  return count;
}

/// Cycles in which a warp's accesses meet in banks.
int64_t ScanChooser::countConflicts(function_ref<int64_t(int64_t)> getAddress) const {
  std::array<llvm::SmallSet<int64_t, 4>, 32> words;
  for (int64_t thread = 0; thread < kWarpSize; ++thread) {
    int64_t word = getAddress(thread);
    words[word % 32].insert(word);
  }
  size_t most = 0;
  for (const auto &bank : words)
    most = std::max<size_t>(most, bank.size());
  return most;
}

int64_t ScanChooser::countCycles(const KernelSchedule &schedule, ArrayRef<unsigned> order, unsigned lanes) const {
  if (schedule.isVectorInBox(order.back(), lanes))
    return 1;
  int64_t cycles = countConflicts([&](int64_t thread) {
    int64_t position = thread * lanes, address = 0;
    for (unsigned dim : llvm::reverse(order)) {
      address += position % schedule.box[dim] * schedule.strides[dim];
      position /= schedule.box[dim];
    }
    return address;
  });
  return cycles;
}

int64_t ScanChooser::countScanCycles(const KernelSchedule &schedule) const {
  int64_t width = schedule.block / schedule.threads, own = schedule.box[along] / schedule.threads;
  return countConflicts([&](int64_t thread) {
    int64_t position = thread % width, address = thread / width * own * schedule.strides[along];
    for (unsigned dim : llvm::reverse(readOrder)) {
      if (dim == along)
        continue;
      address += position % schedule.box[dim] * schedule.strides[dim];
      position /= schedule.box[dim];
    }
    return address;
  });
}

/// In the order in which it is read, with `padding` elements behind each of its rows.
void ScanChooser::layOut(KernelSchedule &schedule, int64_t padding) const {
  schedule.strides.assign(box.size(), 0);
  int64_t stride = 1;
  bool isPadded = false;
  for (unsigned dim : llvm::reverse(readOrder)) {
    if (stride > 1 && !isPadded) {
      stride += padding;
      isPadded = true;
    }
    schedule.strides[dim] = stride;
    stride *= box[dim];
  }
  schedule.extent = stride;
}

/// Up to 16 bytes where a thread's elements are neighbours in shared memory too, else words of 4 bytes.
unsigned ScanChooser::chooseLanes(const KernelSchedule &schedule, unsigned dim, bool isRead) const {
  bool isTurned = readOrder.back() != writeOrder.back();
  auto fits = [&](const KernelArray &array, const IndexExpr &address, unsigned lanes) {
    // Threads that have neighbours one by one touch fewer lines of memory than those that have some each.
    if (!isContiguous(ir, address, dim))
      return ir.space.getStride(address, dim) == 0 || lanes == 1;
    int64_t bytes = lanes * getMemoryBytes(array.elementType);
    return bytes <= (isTurned ? 4 : kVectorBytes) &&
           static_cast<int64_t>(getAlignment(ir, array, address, dim, lanes)) >= bytes;
  };
  auto mayHave = [&](unsigned lanes) {
    if (ir.space.getSize(dim) % lanes != 0 || box[dim] % lanes != 0)
      return false;
    if (isRead)
      return llvm::all_of(
          loads, [&](unsigned load) { return fits(ir.arrays[ir.prims[load].array], ir.prims[load].address, lanes); });
    return llvm::all_of(ir.stores,
                        [&](const KernelStore &store) { return fits(ir.arrays[store.array], store.address, lanes); });
  };
  unsigned lanes = 1;
  while (lanes < 8 && mayHave(2 * lanes))
    lanes *= 2;
  return lanes;
}

std::optional<KernelSchedule> ScanChooser::finish(int64_t threads) {
  KernelSchedule schedule;
  schedule.kind = KernelSchedule::Kind::Scans;
  int64_t columns = getColumns(), width = llvm::PowerOf2Ceil(columns);
  schedule.threads = threads;
  schedule.block = width * threads;
  if (schedule.block < kWarpSize || schedule.block > kLargeScanBlock || box[along] % threads != 0 ||
      box[along] / threads > 2 * kMostThreadElements)
    return std::nullopt;
  schedule.box = box;
  schedule.staged = loads;
  schedule.readOrder = readOrder;
  schedule.writeOrder = writeOrder;
  schedule.spread = spread;
  schedule.chunks = spread ? 1 : llvm::divideCeil(length, box[along]);
  schedule.readLanes = chooseLanes(schedule, readOrder.back(), /*isRead=*/true);
  schedule.lanes = chooseLanes(schedule, writeOrder.back(), /*isRead=*/false);
  // The padding with the fewest conflicts.
  int64_t best = 0, least = std::numeric_limits<int64_t>::max();
  for (int64_t padding = 0; padding <= 8; ++padding) {
    layOut(schedule, padding);
    int64_t cycles = countCycles(schedule, readOrder, schedule.readLanes) +
                     countCycles(schedule, writeOrder, schedule.lanes) + 2 * countScanCycles(schedule);
    if (cycles < least && schedule.getSharedBytes(ir) <= (48 << 10)) {
      least = cycles;
      best = padding;
    }
  }
  layOut(schedule, best);
  return schedule.getSharedBytes(ir) <= (48 << 10) ? std::optional(schedule) : std::nullopt;
}

std::optional<KernelSchedule> fxgraph::gpu::chooseScans(const KernelIR &ir, const KernelUses &uses, int64_t processors,
                                                        bool spread) {
  ScanChooser chooser(ir, uses, spread);
  if (!chooser.open())
    return std::nullopt;
  chooser.chooseColumns(processors);
  return chooser.chooseLength();
}

std::optional<KernelSchedule> fxgraph::gpu::chooseScans(const KernelIR &ir, const KernelUses &uses,
                                                        ArrayRef<int64_t> box, int64_t threads, bool spread) {
  ScanChooser chooser(ir, uses, spread);
  if (!chooser.open() || box.size() != ir.space.getNumDims() ||
      llvm::any_of(box, [](int64_t extent) { return extent < 1; }))
    return std::nullopt;
  chooser.box.assign(box.begin(), box.end());
  return chooser.finish(threads);
}

bool fxgraph::gpu::shouldSpreadScans(const KernelIR &ir, const KernelUses &uses, int64_t processors) {
  // A word that blocks pass on is a sum and that it is there.
  for (const auto &[i, prim] : llvm::enumerate(ir.prims))
    if (prim.kind == Prim::Kind::Scan && uses.live.test(i) && !prim.type.isF32())
      return false;
  constexpr int64_t fewPieces = 3;
  std::optional<KernelSchedule> alone = chooseScans(ir, uses, processors, /*spread=*/false);
  return alone && alone->chunks >= fewPieces && alone->getScanBlocks(ir) < 2 * processors &&
         chooseScans(ir, uses, processors, /*spread=*/true);
}
