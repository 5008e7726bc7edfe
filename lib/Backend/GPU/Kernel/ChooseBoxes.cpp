// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/ChooseBoxes.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

/// Bytes of a run of memory that a box reads or writes, if there are so many.
static constexpr int64_t kLongRun = 128, kShortRun = kSectorBytes;
/// Elements of a box: at most so many that the loads of 256 threads are in flight together.
static constexpr int64_t kBoxElements = 2048, kFewestBoxElements = 512;
/// Shared memory of a block: several blocks must fit on a processor.
static constexpr int64_t kBoxBytes = 24576;
/// A smaller kernel is over before its blocks wait for memory.
static constexpr int64_t kFewElements = 4096;

std::optional<SmallVector<unsigned>> fxgraph::gpu::getOrder(const KernelIR &ir, const IndexExpr &address) {
  SmallVector<std::pair<int64_t, unsigned>> strides;
  for (const auto &[id, coefficient] : address.terms) {
    const IndexSpace::Atom &atom = ir.space.getAtom(id);
    if (atom.kind != IndexSpace::AtomKind::Dim || coefficient < 0)
      return std::nullopt;
    strides.push_back({coefficient, atom.number});
  }
  llvm::sort(strides, [](const auto &lhs, const auto &rhs) { return lhs.first > rhs.first; });
  SmallVector<unsigned> order;
  for (const auto &[stride, dim] : strides)
    order.push_back(dim);
  return order;
}

/// About `wanted` of the extent: all of it, or a power of two, so that the vectors of a thread differ in one index.
static int64_t getPart(int64_t extent, int64_t wanted) {
  return 4 * extent <= 5 * wanted ? extent : std::min<int64_t>(extent, llvm::PowerOf2Ceil(wanted));
}

void fxgraph::gpu::growBox(const KernelIR &ir, SmallVectorImpl<int64_t> &box, ArrayRef<unsigned> order,
                           int64_t elements) {
  int64_t run = 1;
  for (unsigned dim : llvm::reverse(order)) {
    int64_t &extent = box[dim], size = ir.space.getSize(dim);
    if (run * extent < elements)
      extent = std::max(extent, getPart(size, llvm::divideCeil(elements, run)));
    run *= extent;
    if (run >= elements || extent < size)
      return;
  }
}

namespace {
class BoxChooser {
public:
  explicit BoxChooser(KernelSchedule &schedule) : schedule(schedule) {}

  int64_t getVolume() const {
    int64_t volume = 1;
    for (int64_t extent : schedule.box)
      volume *= extent;
    return volume;
  }
  /// Lays the box out in shared memory in the order in which it is read, with `padding` elements between neighbours
  /// along the dimension that is written along.
  void layOut(int64_t padding) {
    schedule.strides.assign(schedule.box.size(), 0);
    int64_t stride = 1;
    for (unsigned dim : llvm::reverse(schedule.readOrder)) {
      if (dim == schedule.writeOrder.back())
        stride += padding;
      schedule.strides[dim] = stride;
      stride *= schedule.box[dim];
    }
    schedule.extent = stride;
  }
  /// Cycles in which the first warp reads or writes shared memory: threads that use different words of one bank wait for
  /// each other.
  int64_t countCycles(ArrayRef<unsigned> order, unsigned lanes, int64_t bytes) const {
    int64_t cycles = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      std::array<llvm::SmallSet<int64_t, 4>, 32> words;
      for (int64_t thread = 0; thread < kWarpSize; ++thread) {
        int64_t position = thread * lanes + lane, address = 0;
        for (unsigned dim : llvm::reverse(order)) {
          address += position % schedule.box[dim] * schedule.strides[dim];
          position /= schedule.box[dim];
        }
        int64_t word = address * bytes / 4;
        words[word % 32].insert(word);
      }
      size_t most = 0;
      for (const auto &bank : words)
        most = std::max<size_t>(most, bank.size());
      cycles += most;
    }
    return cycles;
  }

  /// Vectors of a thread that walks over the box along memory of this order (EmitBoxes.cpp).
  int64_t countSteps(ArrayRef<unsigned> order, unsigned lanes, int64_t block) const {
    int64_t vectors = getVolume() / lanes, below = vectors;
    for (unsigned dim : order) {
      int64_t count = schedule.box[dim] / (dim == order.back() ? lanes : 1);
      if (count == 1)
        continue;
      below /= count;
      int64_t apart = std::min(block / below, count);
      if (4 * apart * below >= 3 * std::min(block, vectors))
        return llvm::divideCeil(count, apart);
      break;
    }
    return llvm::divideCeil(vectors, block);
  }

private:
  KernelSchedule &schedule;
};
} // namespace

std::optional<KernelSchedule> fxgraph::gpu::chooseBoxes(const KernelIR &ir, const KernelUses &uses,
                                                        int64_t processors) {
  if (ir.tableDim >= 0 || ir.space.getNumDims() < 2 || ir.getOuterSize() < kFewElements)
    return std::nullopt;
  KernelSchedule schedule;
  schedule.kind = KernelSchedule::Kind::Boxes;
  schedule.block = 256;
  unsigned last = ir.space.getNumDims() - 1;
  for (const KernelStore &store : ir.stores) {
    std::optional<SmallVector<unsigned>> order = getOrder(ir, store.address);
    if (!order || !isContiguous(ir, store.address, last) || order->size() != ir.space.getNumDims())
      return std::nullopt;
    if (schedule.writeOrder.empty())
      schedule.writeOrder = *order;
  }
  // The operands that are read across: along the first one's memory.
  int64_t bytes = 0, widest = 1;
  for (const auto &[i, prim] : llvm::enumerate(ir.prims)) {
    if (prim.kind != Prim::Kind::Load || !uses.live.test(i) || !ir.space.getDims(prim.address).test(last) ||
        isContiguous(ir, prim.address, last))
      continue;
    std::optional<SmallVector<unsigned>> order = getOrder(ir, prim.address);
    if (!order || !isContiguous(ir, prim.address, order->back()))
      continue;
    int64_t width = getMemoryBytes(ir.arrays[prim.array].elementType);
    if (schedule.readOrder.empty())
      schedule.readOrder = *order;
    else if (schedule.readOrder != *order || bytes + width > kBoxBytes / kBoxElements)
      continue;
    schedule.staged.push_back(i);
    bytes += width;
    widest = std::max(widest, width);
  }
  if (schedule.staged.empty())
    return std::nullopt;

  schedule.box.assign(ir.space.getNumDims(), 1);
  BoxChooser chooser(schedule);
  int64_t vector = std::max<int64_t>(1, 4 / widest);
  // Blocks that fill all processors come first.
  int64_t elements = kBoxElements, run = kLongRun / widest, size = ir.getOuterSize();
  while (elements > kFewestBoxElements && size / elements < 4 * processors) {
    elements /= 2;
    run = std::max<int64_t>(run / 2, kShortRun / widest);
  }
  growBox(ir, schedule.box, schedule.writeOrder, run);
  growBox(ir, schedule.box, schedule.readOrder, run);
  // Then the shorter of both runs.
  for (int64_t longer = 2 * run; chooser.getVolume() * 2 <= elements && longer <= elements; longer *= 2) {
    growBox(ir, schedule.box, schedule.writeOrder, longer);
    if (chooser.getVolume() * 2 <= elements)
      growBox(ir, schedule.box, schedule.readOrder, longer);
  }
  // Words of 4 bytes on both sides; wider accesses would meet in the banks of shared memory.
  auto fits = [&](const KernelArray &array, const IndexExpr &address, unsigned dim, unsigned lanes) {
    return ir.space.getSize(dim) % lanes == 0 && schedule.box[dim] % lanes == 0 &&
           getAlignment(ir, array, address, dim, lanes) >= lanes * getMemoryBytes(array.elementType);
  };
  unsigned across = schedule.readOrder.back();
  auto mayRead = [&](unsigned lanes) {
    return llvm::all_of(schedule.staged, [&](unsigned load) {
      const Prim &prim = ir.prims[load];
      return fits(ir.arrays[prim.array], prim.address, across, lanes);
    });
  };
  auto mayWrite = [&](unsigned lanes) {
    return llvm::all_of(
        ir.stores, [&](const KernelStore &store) { return fits(ir.arrays[store.array], store.address, last, lanes); });
  };
  while (schedule.readLanes < vector && mayRead(schedule.readLanes * 2))
    schedule.readLanes *= 2;
  while (schedule.lanes < vector && mayWrite(schedule.lanes * 2))
    schedule.lanes *= 2;
  // The padding with the fewest conflicts.
  int64_t best = 0, least = std::numeric_limits<int64_t>::max();
  for (int64_t padding = 0; padding <= 8; ++padding) {
    chooser.layOut(padding);
    int64_t cycles = chooser.countCycles(schedule.readOrder, schedule.readLanes, widest) * schedule.lanes +
                     chooser.countCycles(schedule.writeOrder, schedule.lanes, widest) * schedule.readLanes;
    if (cycles < least && schedule.extent * bytes <= 2 * kBoxBytes) {
      least = cycles;
      best = padding;
    }
  }
  chooser.layOut(best);
  // Another number of threads where much fewer of them are idle.
  int64_t fewest = std::numeric_limits<int64_t>::max() / 8;
  for (int64_t block : {256, 288, 320, 192, 128, 64}) {
    int64_t slots = block * (chooser.countSteps(schedule.readOrder, schedule.readLanes, block) +
                             chooser.countSteps(schedule.writeOrder, schedule.lanes, block));
    if (5 * slots < 4 * fewest) {
      fewest = slots;
      schedule.block = block;
    }
  }
  if (schedule.extent * bytes > 2 * kBoxBytes)
    return std::nullopt;
  return schedule;
}
