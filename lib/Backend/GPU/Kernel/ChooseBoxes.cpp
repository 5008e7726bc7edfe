// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/ChooseBoxes.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

/// Bytes of a run of memory that a box reads or writes, if there are so many, and elements.
static constexpr int64_t kLongRun = 128, kShortRun = kSectorBytes, kLongestRun = 64;
/// Elements of a box, and those that a thread has in flight; elements of a box of whole rows.
static constexpr int64_t kMostBoxElements = 80 * 80, kThreadElements = 8, kMostRowElements = 24576;
/// Elements between rows of it in shared memory.
static constexpr int64_t kMostPadding = 8;
/// Elements of an access.
static constexpr unsigned kMostBoxLanes = 8;
/// Shared memory of a block: several blocks must fit on a processor.
static constexpr int64_t kBoxBytes = 24576;
/// A smaller kernel is over before its blocks wait for memory.
static constexpr int64_t kFewElements = 4096;

std::optional<SmallVector<unsigned>> fxgraph::gpu::getOrder(const KernelIR &ir, const IndexExpr &address) {
  SmallVector<std::pair<int64_t, unsigned>> strides;
  for (const auto &[id, coefficient] : address.terms) {
    const IndexSpace::Atom &atom = ir.space.getAtom(id);
    if (atom.kind != IndexSpace::AtomKind::Dim)
      return std::nullopt;
    strides.push_back({std::abs(coefficient), atom.number}); // Backwards is as near as forwards.
  }
  llvm::stable_sort(strides, [](const auto &lhs, const auto &rhs) { return lhs.first > rhs.first; });
  return llvm::map_to_vector(strides, [](const auto &entry) { return entry.second; });
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

/// About `wanted` of the size: all of it, or less where the last box would do much again; a multiple of `unit` if the size
/// is one.
static int64_t getExtent(int64_t size, int64_t wanted, int64_t unit) {
  if (4 * size <= 5 * wanted)
    return size;
  unit = std::min<int64_t>(unit, size & -size);
  int64_t best = std::min<int64_t>(llvm::alignTo(wanted, unit), size);
  int64_t least = best * llvm::divideCeil(size, best);
  for (int64_t count = llvm::divideCeil(size, wanted), most = 2 * count; count <= most; ++count) {
    int64_t extent = std::min<int64_t>(llvm::alignTo(llvm::divideCeil(size, count), unit), size);
    int64_t total = extent * llvm::divideCeil(size, extent);
    if (12 * total < 11 * least) {
      best = extent;
      least = total;
    }
  }
  return best;
}

namespace {
class BoxChooser {
public:
  BoxChooser(const KernelIR &ir, const KernelUses &uses) : ir(ir), uses(uses) {}
  /// False: no kernel of this kind.
  bool open();
  /// Sides of about so many bytes of memory.
  void chooseBox(int64_t acrossBytes, int64_t alongBytes);
  /// Boxes have so many elements at least, or fewer where all are few.
  void setFewestElements(int64_t fewest) { fewestElements = fewest; }
  /// This box; false if it is none of the kernel.
  bool setBox(const GivenBox &given);
  std::optional<KernelSchedule> finish();
  /// A quarter of the elements.
  std::optional<KernelSchedule> shorten();
  /// The chosen box, of joined results, longer across: whole lines of what is read.
  std::optional<KernelSchedule> lengthenJoined(int64_t processors);
  /// Results take several elements to be a word.
  bool areNarrow() const {
    return llvm::all_of(
        ir.stores, [&](const KernelStore &store) { return getMemoryBytes(ir.arrays[store.array].elementType) < 4; });
  }
  int64_t getWidest() const { return widest; }
  bool hasWholeRows() const { return schedule.box[1] == getVolume(ir, schedule.along); }
  /// Whole rows of results that begin anywhere, which are one run of memory together.
  std::optional<KernelSchedule> joinRows(int64_t processors) const;
  /// Long runs of results that begin anywhere, most of which are whole vectors.
  std::optional<KernelSchedule> shiftRows(int64_t processors) const;
  /// Longer along results, whose runs begin within a sector, where much memory is accessed.
  std::optional<KernelSchedule> lengthenAlong();
  /// Whether as much as the results is read where they lie.
  bool readsWhereItWrites() const;

  KernelSchedule schedule;

private:
  /// As the address moves within an instance of a batched kernel.
  std::optional<SmallVector<unsigned>> getElementOrder(const IndexExpr &address) const;
  int64_t chooseSide(
      ArrayRef<unsigned> dims, int64_t wanted, SmallVectorImpl<unsigned> &side,
      function_ref<bool(int64_t)> isBetter = [](int64_t) { return true; }) const;
  bool areWholeSectors(int64_t size) const;
  ArrayRef<unsigned> getRunDims(ArrayRef<unsigned> dims) const;
  void countNeighbours();
  bool mayAccess(const KernelArray &array, const IndexExpr &address, bool isRead, unsigned lanes) const;
  void layOut(unsigned side, int64_t padding);
  int64_t countCycles(bool isRead) const;
  bool mayReadRagged(unsigned lanes) const;
  unsigned getRaggedLanes();
  bool mayJoin(unsigned lanes) const;
  bool mayShift(unsigned lanes) const;
  void chooseLanes();
  void chooseBlock();

  const KernelIR &ir;
  const KernelUses &uses;
  Shifts shifts = Shifts::Never;
  int64_t fewestElements = 1;                  ///< of a box, as far as there are so many
  int64_t bytes = 0, widest = 1;               ///< of an element of what goes through shared memory, in all and at most
  SmallVector<unsigned> acrossDims, alongDims; ///< that the sides may have, from the fastest on
  SmallVector<unsigned> run;           ///< of these, what operands lie along next to each other, the fastest first
  SmallVector<unsigned> neighbourDims; ///< of the box's side across, those that its neighbours lie along
};
} // namespace

std::optional<SmallVector<unsigned>> BoxChooser::getElementOrder(const IndexExpr &address) const {
  std::optional<SmallVector<unsigned>> order = getOrder(ir, address);
  if (order)
    llvm::erase_if(*order, [&](unsigned dim) { return static_cast<int>(dim) == ir.tableDim; });
  return order;
}

bool BoxChooser::open() {
  // The memory of a box comes from one place of a table.
  bool hasTables = ir.tableDim >= 0;
  unsigned last = ir.space.getNumDims() - 1;
  if (ir.space.getNumDims() < (hasTables ? 3 : 2) || static_cast<int>(last) == ir.tableDim ||
      ir.getOuterSize() < kFewElements)
    return false;
  schedule.kind = KernelSchedule::Kind::Boxes;
  SmallVector<unsigned> readOrder, writeOrder;
  for (const KernelStore &store : ir.stores) {
    std::optional<SmallVector<unsigned>> order = getElementOrder(store.address);
    if (!order || !isContiguous(ir, store.address, last) || order->size() + hasTables != ir.space.getNumDims())
      return false;
    if (writeOrder.empty())
      writeOrder = *order;
  }
  // A block has room for the largest box of so many bytes of an element.
  auto fits = [](int64_t bytes, int64_t widest) {
    int64_t side = 5 * std::min(kLongRun / widest, kLongestRun) / 4;
    return bytes * side * (side + kMostPadding) <= 2 * kBoxBytes;
  };
  // The operands that are read across: along the largest one's memory.
  struct Across {
    unsigned load;
    int64_t elements;
    SmallVector<unsigned> order;
  };
  SmallVector<Across> candidates;
  for (const auto &[i, prim] : llvm::enumerate(ir.prims)) {
    if (prim.kind != Prim::Kind::Load || !uses.live.test(i) || !ir.space.getDims(prim.address).test(last) ||
        isContiguous(ir, prim.address, last))
      continue;
    std::optional<SmallVector<unsigned>> order = getElementOrder(prim.address);
    if (!order || order->empty() || !isContiguous(ir, prim.address, order->back()))
      continue;
    int64_t elements = getVolume(ir, *order);
    candidates.push_back({static_cast<unsigned>(i), elements, std::move(*order)});
  }
  llvm::stable_sort(candidates, [](const Across &lhs, const Across &rhs) { return lhs.elements > rhs.elements; });
  for (const Across &own : candidates) {
    int64_t width = getMemoryBytes(ir.arrays[ir.prims[own.load].array].elementType);
    if (readOrder.empty())
      readOrder = own.order;
    else if (readOrder != own.order || !fits(bytes + width, std::max(widest, width)))
      continue;
    schedule.staged.push_back(own.load);
    bytes += width;
    widest = std::max(widest, width);
  }
  if (schedule.staged.empty())
    return false;
  // Results lie along what comes behind the dimension that operands lie along.
  alongDims.assign(std::next(llvm::find(writeOrder, readOrder.back())), writeOrder.end());
  auto drop = [&](SmallVector<unsigned> &order) {
    llvm::erase_if(order, [&](unsigned dim) { return llvm::is_contained(alongDims, dim); });
  };
  int64_t together = 1;
  for (unsigned dim : llvm::reverse(readOrder)) {
    if (together >= kLongestRun || llvm::is_contained(alongDims, dim))
      break;
    together *= ir.space.getSize(dim);
    run.push_back(dim);
  }
  // Where that is a run of the others in the order of the results, too, results are as dense along them as along these.
  drop(writeOrder);
  if (llvm::equal(run, llvm::reverse(ArrayRef(writeOrder).take_back(run.size())))) {
    acrossDims = writeOrder;
    return true;
  }
  for (unsigned dim : writeOrder)
    if (!llvm::is_contained(readOrder, dim))
      acrossDims.push_back(dim);
  drop(readOrder);
  llvm::append_range(acrossDims, readOrder);
  return true;
}

/// The fewest dimensions that a side can have that long without that boxes do much again; how long it is. `isBetter` of a
/// size: rather so many dimensions, if there are.
int64_t BoxChooser::chooseSide(ArrayRef<unsigned> dims, int64_t wanted, SmallVectorImpl<unsigned> &side,
                               function_ref<bool(int64_t)> isBetter) const {
  size_t chosen = 0;
  for (size_t count = 1; count <= dims.size(); ++count) {
    int64_t size = getVolume(ir, dims.take_back(count)), extent = getExtent(size, wanted, kSectorBytes / widest);
    bool isEven = 16 * static_cast<int64_t>(llvm::alignTo(size, extent)) <= 17 * size;
    if (count < dims.size() && (size < wanted || !isEven))
      continue;
    if (chosen && !isBetter(size))
      continue;
    chosen = count;
    if (isBetter(size))
      break;
  }
  ArrayRef<unsigned> own = dims.take_back(chosen);
  side.assign(own.begin(), own.end());
  return getExtent(getVolume(ir, own), wanted, kSectorBytes / widest);
}

/// Boxes along so many results begin with a sector of memory.
bool BoxChooser::areWholeSectors(int64_t size) const {
  return llvm::all_of(ir.stores, [&](const KernelStore &store) {
    return size * getMemoryBytes(ir.arrays[store.array].elementType) % kSectorBytes == 0;
  });
}

/// The last of these dimensions of a side that are the first of the run.
ArrayRef<unsigned> BoxChooser::getRunDims(ArrayRef<unsigned> dims) const {
  size_t count = 0;
  while (count < std::min(dims.size(), run.size()) && dims[dims.size() - 1 - count] == run[count])
    ++count;
  return dims.take_back(count);
}

void BoxChooser::countNeighbours() {
  ArrayRef<unsigned> whole = getRunDims(schedule.across);
  int64_t together = getVolume(ir, whole);
  bool areWhole = schedule.box[0] % together == 0;
  schedule.neighbours = areWhole ? together : schedule.box[0];
  neighbourDims = llvm::to_vector(areWhole ? whole : ArrayRef(schedule.across));
}

void BoxChooser::chooseBox(int64_t acrossBytes, int64_t alongBytes) {
  schedule.box.assign(2, 1);
  int64_t wanted = std::min(acrossBytes / widest, kLongestRun),
          wantedAlong = std::min(alongBytes / widest, kLongestRun);
  // Where one side is short, the other is longer.
  auto lengthen = [&](int64_t &side, int64_t other, ArrayRef<unsigned> otherDims) {
    side = std::max<int64_t>(side, llvm::divideCeil(fewestElements, std::min(other, getVolume(ir, otherDims))));
  };
  lengthen(wanted, wantedAlong, alongDims);
  lengthen(wantedAlong, wanted, acrossDims);
  schedule.box[0] = chooseSide(acrossDims, wanted, schedule.across);
  schedule.box[1] =
      chooseSide(alongDims, wantedAlong, schedule.along, [&](int64_t size) { return areWholeSectors(size); });
  countNeighbours();
  // Whole neighbours, if they are few.
  int64_t together = 1, size = getVolume(ir, schedule.across);
  for (unsigned dim : run)
    together *= llvm::is_contained(schedule.across, dim) ? ir.space.getSize(dim) : 1;
  if (together < wanted && schedule.neighbours != together) {
    schedule.box[0] = together * getExtent(size / together, std::max<int64_t>(1, wanted / together), 1);
    countNeighbours();
  }
  // So many whole rows that begin anywhere that vectors go on from one to the next (mayJoin).
  constexpr int64_t manyBoxes = 4;
  bool areParts = schedule.neighbours == schedule.box[0];
  if (int64_t row = schedule.box[1]; areParts && row == getVolume(ir, schedule.along) && row % kMostBoxLanes != 0 &&
                                     manyBoxes * schedule.box[0] <= size) {
    schedule.box[0] = llvm::alignTo(schedule.box[0], kMostBoxLanes);
    countNeighbours();
  }
}

bool BoxChooser::setBox(const GivenBox &given) {
  ArrayRef<int64_t> box = given.box;
  if (box.size() != 2 || box[0] < 1 || box[1] < 1 || box[0] > kMostRowElements || box[1] > kMostRowElements ||
      box[0] * box[1] > kMostRowElements)
    return false;
  auto setSide = [&](ArrayRef<unsigned> dims, ArrayRef<int64_t> given, int64_t extent,
                     SmallVectorImpl<unsigned> &side) {
    if (given.empty())
      chooseSide(dims, extent, side);
    else if (given.size() > dims.size() || !llvm::equal(given, dims.take_back(given.size())))
      return false;
    else
      side.assign(given.begin(), given.end());
    return extent <= getVolume(ir, side);
  };
  if (!setSide(acrossDims, given.across, box[0], schedule.across) ||
      !setSide(alongDims, given.along, box[1], schedule.along))
    return false;
  schedule.box.assign(box.begin(), box.end());
  shifts = given.shifts;
  countNeighbours();
  return true;
}

bool BoxChooser::mayAccess(const KernelArray &array, const IndexExpr &address, bool isRead, unsigned lanes) const {
  unsigned dim = isRead ? schedule.across.back() : schedule.along.back();
  int64_t extent = isRead ? schedule.neighbours : schedule.box[1], elementBytes = getMemoryBytes(array.elementType);
  return lanes * elementBytes <= kVectorBytes && ir.space.getSize(dim) % lanes == 0 && extent % lanes == 0 &&
         static_cast<int64_t>(getAlignment(ir, array, address, dim, lanes)) >= lanes * elementBytes;
}

/// Vectors that begin where vectors may, of memory of which a run begins anywhere, and that has no gaps.
bool BoxChooser::mayReadRagged(unsigned lanes) const {
  return llvm::all_of(schedule.staged, [&](unsigned load) {
    const Prim &prim = ir.prims[load];
    const KernelArray &array = ir.arrays[prim.array];
    uint64_t bytes = lanes * getMemoryBytes(array.elementType);
    return bytes <= kVectorBytes && array.align % bytes == 0 && !array.table &&
           getDenseStride(ir, prim.address, neighbourDims) == 1;
  });
}

/// So many elements of results that begin anywhere are written at once; 1: each by itself.
unsigned BoxChooser::getRaggedLanes() {
  constexpr int64_t accessBytes = 4, shortRun = 8;
  int64_t narrowest = accessBytes;
  for (const KernelStore &store : ir.stores)
    narrowest = std::min<int64_t>(narrowest, getMemoryBytes(ir.arrays[store.array].elementType));
  KernelSchedule ragged = schedule;
  ragged.lanes = accessBytes / narrowest;
  bool mayWrite = llvm::all_of(ir.stores, [&](const KernelStore &store) {
    return ragged.isAlignedAsResults(ir, ir.arrays[store.array], store.address);
  });
  return mayWrite && schedule.box[1] >= shortRun * ragged.lanes ? ragged.lanes : 1;
}

/// All results of a box are one run of memory, in which such vectors lie.
bool BoxChooser::mayJoin(unsigned lanes) const {
  int64_t run = schedule.box[1];
  KernelSchedule joined = schedule;
  joined.lanes = lanes;
  return run == getVolume(ir, schedule.along) && schedule.box[0] * run % lanes == 0 &&
         llvm::all_of(ir.stores, [&](const KernelStore &store) {
           return joined.isAlignedInBox(ir, ir.arrays[store.array], store.address);
         });
}

/// Runs of results, which are long enough, lie in shared memory as they do in memory: rows of it begin as much behind vectors.
bool BoxChooser::mayShift(unsigned lanes) const {
  constexpr int64_t fewestVectors = 4;
  KernelSchedule shifted = schedule;
  shifted.lanes = lanes;
  return schedule.box[1] % lanes == 0 && schedule.box[1] >= fewestVectors * lanes &&
         llvm::all_of(ir.stores, [&](const KernelStore &store) {
           std::optional<int64_t> apart = getDenseStride(ir, store.address, schedule.across);
           return shifted.isAlignedAsResults(ir, ir.arrays[store.array], store.address) &&
                  (schedule.box[0] == 1 || (apart && (schedule.strides[0] - *apart) % lanes == 0));
         });
}

/// Neighbours along a side are neighbours in shared memory, rows of which are `padding` elements longer.
void BoxChooser::layOut(unsigned side, int64_t padding) {
  schedule.strides.assign(2, 1);
  schedule.strides[1 - side] = schedule.box[side] + padding;
  schedule.extent = schedule.strides[1 - side] * schedule.box[1 - side];
}

/// Cycles of shared memory for a vector of each thread of the first warp: threads that use different words of one bank
/// wait for each other, as far as they are served at once.
int64_t BoxChooser::countCycles(bool isRead) const {
  unsigned side = isRead ? 0 : 1;
  int64_t lanes = isRead ? schedule.readLanes : schedule.lanes, cycles = 0;
  bool isRagged = isRead ? schedule.ragged : schedule.raggedResults;
  bool isJoined = !isRead && schedule.joinedResults;
  int64_t width = isJoined || (!isRead && schedule.shiftedResults) ? std::min(lanes, kVectorBytes / widest)
                  : isRagged                                       ? 1
                                                                   : schedule.getTogether(side, lanes, widest);
  int64_t atOnce = kWarpSize / std::max<int64_t>(1, width * widest / 4);
  SmallVector<Digit> digits = schedule.getDigits(isRead);
  for (int64_t lane = 0; lane < lanes; lane += width)
    for (int64_t first = 0; first < kWarpSize; first += atOnce) {
      std::array<llvm::SmallSet<int64_t, 4>, 32> words;
      for (int64_t thread = first; thread < first + atOnce; ++thread) {
        int64_t rest = thread, place = lane * schedule.strides[side];
        for (const Digit &digit : llvm::reverse(digits)) {
          place += rest % digit.count * digit.step * (isJoined ? 1 : schedule.strides[digit.dim]);
          rest /= digit.count;
        }
        for (int64_t word = place * widest / 4; word <= ((place + width) * widest - 1) / 4; ++word)
          words[word % 32].insert(word);
      }
      size_t most = 0;
      for (const auto &bank : words)
        most = std::max<size_t>(most, bank.size());
      cycles += most;
    }
  return cycles;
}

/// The widest accesses to memory, and the layout of shared memory that they then cost least in. Narrower ones where those
/// meet in its banks.
void BoxChooser::chooseLanes() {
  auto mayRead = [&](unsigned lanes) {
    return llvm::all_of(schedule.staged, [&](unsigned load) {
      const Prim &prim = ir.prims[load];
      return mayAccess(ir.arrays[prim.array], prim.address, /*isRead=*/true, lanes);
    });
  };
  auto mayWrite = [&](unsigned lanes) {
    return llvm::all_of(ir.stores, [&](const KernelStore &store) {
      return mayAccess(ir.arrays[store.array], store.address, /*isRead=*/false, lanes);
    });
  };
  // Of an element: an instruction that accesses memory is a cycle of a multiprocessor for 128 bytes, at least one.
  auto getCost = [&](int64_t lanes, bool isRead) {
    double cost = (std::max<double>(1, lanes * widest / 4.0) + countCycles(isRead)) / lanes;
    // What computes where an element lies is shared by those of a vector: of one run these are as many as a vector has room for.
    if (!isRead && (schedule.joinedResults || schedule.shiftedResults))
      cost -= 0.5 * (1 - 1.0 / lanes);
    // As many elements as a vector are written one by one.
    double single = static_cast<double>(lanes) / schedule.box[1];
    return !isRead && schedule.shiftedResults ? (1 - single) * cost + 4 * single : cost;
  };
  // Single elements: four of 16 bits, two of 32, at once.
  constexpr int64_t shortRun = 8;
  unsigned raggedLanes = widest == 4 ? 2 : 4;
  schedule.ragged =
      !mayRead(2) && widest <= 4 && schedule.neighbours >= shortRun * raggedLanes && mayReadRagged(raggedLanes);
  unsigned raggedResults = mayWrite(2) ? 1 : getRaggedLanes();
  KernelSchedule best;
  double least = std::numeric_limits<double>::max();
  for (unsigned side : {0u, 1u})
    for (int64_t padding = 0; padding <= kMostPadding; ++padding) {
      layOut(side, padding);
      if (schedule.extent * bytes > 2 * kBoxBytes)
        continue;
      KernelSchedule own = schedule;
      double reading = least, writing = least;
      for (schedule.readLanes = schedule.ragged ? raggedLanes : 1;
           schedule.readLanes <= kMostBoxLanes &&
           (schedule.ragged ? schedule.readLanes == raggedLanes : mayRead(schedule.readLanes));
           schedule.readLanes *= 2)
        if (double cost = getCost(schedule.readLanes, /*isRead=*/true); cost < reading) {
          reading = cost;
          own.readLanes = schedule.readLanes;
        }
      schedule.raggedResults = schedule.joinedResults = schedule.shiftedResults = false;
      auto tryWriting = [&] {
        if (shifts == Shifts::Only && !schedule.shiftedResults)
          return;
        if (double cost = getCost(schedule.lanes, /*isRead=*/false); cost < writing) {
          writing = cost;
          own.lanes = schedule.lanes;
          own.raggedResults = schedule.raggedResults;
          own.joinedResults = schedule.joinedResults;
          own.shiftedResults = schedule.shiftedResults;
        }
      };
      for (schedule.lanes = 1; schedule.lanes <= kMostBoxLanes && mayWrite(schedule.lanes); schedule.lanes *= 2)
        tryWriting();
      if (raggedResults > 1) {
        schedule.lanes = raggedResults;
        schedule.raggedResults = true;
        tryWriting();
        schedule.raggedResults = false;
      }
      schedule.shiftedResults = side == 1 && shifts != Shifts::Never && !mayWrite(4);
      for (schedule.lanes = 4; schedule.shiftedResults && schedule.lanes <= kMostBoxLanes && mayShift(schedule.lanes);
           schedule.lanes *= 2)
        tryWriting();
      schedule.shiftedResults = false;
      schedule.joinedResults = side == 1 && padding == 0;
      for (schedule.lanes = 2; schedule.joinedResults && schedule.lanes <= kMostBoxLanes && mayJoin(schedule.lanes);
           schedule.lanes *= 2)
        tryWriting();
      if (reading + writing < 0.99 * least) {
        least = reading + writing;
        best = own;
      }
    }
  schedule = best;
  if (schedule.shiftedResults)
    schedule.extent += schedule.lanes;
}

/// So many threads that few of them are idle, with some elements each.
void BoxChooser::chooseBlock() {
  int64_t elements = schedule.box[0] * schedule.box[1];
  int64_t most = elements > kMostBoxElements ? 512 : 256;
  int64_t wanted = std::clamp<int64_t>(llvm::PowerOf2Ceil(elements / kThreadElements), 128, most);
  int64_t fewest = 0, best = wanted;
  for (int64_t block :
       {wanted, wanted + 32, wanted - 32, wanted + 64, wanted - 64, wanted / 2, wanted + 96, wanted - 96}) {
    if (block < 64)
      continue;
    schedule.block = block;
    int64_t slots = 0;
    for (bool isRead : {true, false}) {
      BoxPath path = schedule.getPath(isRead);
      int64_t lanes = isRead ? schedule.readLanes : schedule.lanes;
      slots += block * path.steps * lanes * (path.apart ? 2 : 3);
    }
    if (fewest == 0 || 10 * slots < 9 * fewest) {
      fewest = slots;
      best = block;
    }
  }
  schedule.block = best;
}

bool BoxChooser::readsWhereItWrites() const {
  for (const auto &[i, prim] : llvm::enumerate(ir.prims))
    if (prim.kind == Prim::Kind::Load && uses.live.test(i) && !llvm::is_contained(schedule.staged, i) &&
        ir.space.getDims(prim.address).count() == ir.space.getNumDims())
      return true;
  return false;
}

std::optional<KernelSchedule> BoxChooser::finish() {
  chooseLanes();
  if (schedule.strides.empty())
    return std::nullopt;
  chooseBlock();
  return schedule;
}

namespace {
/// Bytes of memory, each of an access counted once.
struct Traffic {
  int64_t read = 0, written = 0;
};
} // namespace

static Traffic countBytes(const KernelIR &ir, const KernelUses &uses) {
  auto count = [&](const KernelArray &array, const IndexExpr &address) {
    int64_t bytes = getMemoryBytes(array.elementType);
    for (unsigned dim : ir.space.getDims(address).set_bits())
      bytes *= ir.space.getSize(dim);
    return bytes;
  };
  Traffic traffic;
  for (const auto &[i, prim] : llvm::enumerate(ir.prims))
    if (prim.kind == Prim::Kind::Load && uses.live.test(i))
      traffic.read += count(ir.arrays[prim.array], prim.address);
  for (const KernelStore &store : ir.stores)
    traffic.written += count(ir.arrays[store.array], store.address);
  return traffic;
}

std::optional<KernelSchedule> BoxChooser::shorten() {
  chooseBox(kShortRun, kLongRun);
  if (hasWholeRows())
    return finish();
  BoxChooser other = *this;
  // Longer along operands than along results, where operands have such runs; the contrary where results are most of it.
  Traffic traffic = countBytes(ir, uses);
  bool writesMost = 4 * traffic.written >= 3 * traffic.read;
  int64_t acrossElements = writesMost ? 16 : 48, alongElements = writesMost ? 128 : 32;
  SmallVectorImpl<int64_t> &box = other.schedule.box;
  box[0] = other.chooseSide(acrossDims, acrossElements, other.schedule.across);
  // Where one side is short, the other is longer.
  alongElements = std::max<int64_t>(alongElements, llvm::divideCeil(fewestElements, box[0]));
  box[1] = other.chooseSide(alongDims, alongElements, other.schedule.along,
                            [&](int64_t size) { return size >= 2 * alongElements; });
  other.countNeighbours();
  return getVolume(ir, getRunDims(other.schedule.across)) >= box[0] ? other.finish() : finish();
}

std::optional<KernelSchedule> BoxChooser::joinRows(int64_t processors) const {
  // Short sides across cost more than narrow writes, unless as much is read there; so do blocks for few processors
  // (docs/Performance.md, "Rows that begin anywhere").
  constexpr int64_t most = 64;
  int64_t fewest = readsWhereItWrites() ? 8 : 16, row = getVolume(ir, alongDims);
  for (int64_t wanted = most; wanted >= fewest; wanted /= 2) {
    BoxChooser other = *this;
    other.schedule.along.assign(alongDims.begin(), alongDims.end());
    int64_t extent = other.chooseSide(acrossDims, wanted, other.schedule.across);
    if (extent < fewest || extent * row > kMostRowElements || extent * row * bytes > 2 * kBoxBytes)
      continue;
    other.schedule.box = {extent, row};
    if (20 * other.schedule.getBoxes(ir) < 9 * processors)
      continue;
    other.countNeighbours();
    std::optional<KernelSchedule> joined = other.finish();
    if (joined && joined->joinedResults && !joined->ragged && joined->readLanes > 1)
      return joined;
  }
  return std::nullopt;
}

std::optional<KernelSchedule> BoxChooser::shiftRows(int64_t processors) const {
  // docs/Performance.md, "Rows that begin anywhere".
  struct Size {
    int64_t across, along, blocksOfProcessor;
  };
  constexpr Size sizes[] = {{64, 256, 3}, {32, 256, 1}, {32, 128, 1}};
  // Smaller kernels wait for more to compute, not for memory.
  constexpr int64_t fewestElements = int64_t(1) << 20, shortest = 64;
  constexpr int64_t shortestRun = 7, shortRun = 32, longestRun = 5 * kLongestRun / 4,
                    most = sizes[0].across * sizes[0].along;
  if (widest != 2 || ir.getOuterSize() < fewestElements)
    return std::nullopt;
  // What operands lie along next to each other, as far as results lie so, too.
  ArrayRef<unsigned> neighbours = getRunDims(acrossDims);
  int64_t together = getVolume(ir, neighbours), row = getVolume(ir, alongDims);
  bool isShort = together >= shortestRun && together < shortRun;
  for (const Size &size : sizes) {
    // Parts of a row with whole vectors, about as long as each other.
    int64_t along = llvm::alignTo(llvm::divideCeil(row, llvm::divideCeil(row, size.along)), kMostBoxLanes);
    if (along > row)
      along = llvm::alignTo(llvm::divideCeil(row, 2), kMostBoxLanes);
    BoxChooser other = *this;
    other.shifts = Shifts::Only;
    other.schedule.along.assign(alongDims.begin(), alongDims.end());
    int64_t extent = other.chooseSide(acrossDims, size.across, other.schedule.across);
    if (isShort) {
      other.schedule.across.assign(neighbours.begin(), neighbours.end());
      extent = together;
    }
    // Lines of such runs are read by one block.
    if (int64_t whole = getVolume(ir, other.schedule.across); whole <= longestRun)
      extent = whole;
    other.schedule.box = {extent, along};
    if (along > row || along < (isShort ? 2 * shortest : shortest) || extent * along > most ||
        extent * along * bytes > 2 * kBoxBytes || other.schedule.getBoxes(ir) < size.blocksOfProcessor * processors)
      continue;
    other.countNeighbours();
    std::optional<KernelSchedule> shifted = other.finish();
    // Long sides across are for what is read in vectors, and written once; none where vectors would meet in banks, other than of
    // short runs, which have none.
    bool isLong = size.across == sizes[0].across;
    if (shifted && (shifted->readLanes > 1 || isShort) && !(isLong && (shifted->ragged || ir.stores.size() > 1)))
      return shifted;
  }
  return std::nullopt;
}

std::optional<KernelSchedule> BoxChooser::lengthenAlong() {
  // What the second-level cache has room for is put together there (docs/Performance.md, "Rows that begin anywhere").
  constexpr int64_t fewestBytes = int64_t(40) << 20, acrossElements = 32, alongElements = 128;
  Traffic traffic = countBytes(ir, uses);
  if (widest < 2 || hasWholeRows() || areWholeSectors(getVolume(ir, schedule.along)) ||
      traffic.read + traffic.written < fewestBytes)
    return std::nullopt;
  BoxChooser other = *this;
  bool isWhole = schedule.box[0] == getVolume(ir, schedule.across);
  if (!isWhole || schedule.box[0] * alongElements > kMostBoxElements)
    other.schedule.box[0] = other.chooseSide(acrossDims, acrossElements, other.schedule.across);
  other.schedule.box[1] = other.chooseSide(alongDims, alongElements, other.schedule.along);
  if (int64_t elements = other.schedule.box[0] * other.schedule.box[1];
      elements > kMostBoxElements || elements * bytes > kBoxBytes)
    return std::nullopt;
  other.countNeighbours();
  return other.finish();
}

std::optional<KernelSchedule> BoxChooser::lengthenJoined(int64_t processors) {
  constexpr int64_t mostAcross = 256, mostBytes = 10240;
  KernelSchedule chosen = schedule;
  int64_t run = schedule.box[1], size = getVolume(ir, schedule.across);
  for (int64_t extent = mostAcross; extent > chosen.box[0]; extent /= 2) {
    schedule = chosen;
    schedule.box[0] = extent;
    if (extent > size || extent * run > kMostBoxElements || extent * run * bytes > mostBytes ||
        schedule.getBoxes(ir) < 2 * processors)
      continue;
    countNeighbours();
    if (std::optional<KernelSchedule> longer = finish(); longer && longer->joinedResults)
      return longer;
  }
  schedule = chosen;
  return chosen;
}

std::optional<KernelSchedule> fxgraph::gpu::chooseBoxes(const KernelIR &ir, const KernelUses &uses,
                                                        int64_t processors) {
  BoxChooser chooser(ir, uses);
  if (!chooser.open())
    return std::nullopt;
  constexpr int64_t fewestElements = 1024;
  chooser.setFewestElements(std::min(fewestElements, ir.getOuterSize() / (2 * processors)));
  auto finish = [&] {
    std::optional<KernelSchedule> chosen = chooser.finish();
    if (!chosen)
      return chosen;
    if (chosen->joinedResults)
      return chooser.lengthenJoined(processors);
    constexpr int64_t narrow = 8;
    if (chosen->raggedResults || (chooser.areNarrow() && chosen->lanes * chooser.getWidest() < narrow))
      for (std::optional<KernelSchedule> longer : {chooser.joinRows(processors), chooser.shiftRows(processors)})
        if (longer)
          return longer;
    if (!(chosen->raggedResults || (chosen->lanes == 1 && chooser.areNarrow())) || !chooser.readsWhereItWrites()) {
      std::optional<KernelSchedule> longer = chooser.lengthenAlong();
      return longer ? longer : chosen;
    }
    // What is read of runs that begin anywhere has two lines of the cache in flight for each that it needs: a quarter as much
    // at once (docs/Performance.md, "Rows that begin anywhere").
    std::optional<KernelSchedule> smaller = chooser.shorten();
    return smaller ? smaller : chosen;
  };
  // Blocks for all processors come first, then runs of memory.
  for (int64_t run = kLongRun; run >= kShortRun; run /= 2)
    for (int64_t across : {run, run / 2}) {
      if (across < kShortRun)
        break;
      chooser.chooseBox(across, run);
      if (chooser.schedule.getBoxes(ir) >= processors)
        return finish();
    }
  return finish();
}

std::optional<KernelSchedule> fxgraph::gpu::chooseBoxes(const KernelIR &ir, const KernelUses &uses,
                                                        const GivenBox &given) {
  BoxChooser chooser(ir, uses);
  return chooser.open() && chooser.setBox(given) ? chooser.finish() : std::nullopt;
}
