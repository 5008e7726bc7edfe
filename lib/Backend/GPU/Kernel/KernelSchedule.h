// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a generated kernel is spread over blocks, threads and registers: one value
// that is chosen from the kernel's addresses, printed with the kernel and obeyed by
// the emitters.

#ifndef FXGRAPH_LIB_BACKEND_GPU_KERNEL_KERNELSCHEDULE_H
#define FXGRAPH_LIB_BACKEND_GPU_KERNEL_KERNELSCHEDULE_H

#include "Kernel/KernelIR.h"
#include "llvm/ADT/BitVector.h"

namespace fxgraph::gpu {

/// What memory is read and written in at least, and what starts together.
constexpr int64_t kSectorBytes = 32, kWarpSize = 32;
/// The widest access of a thread.
constexpr int64_t kVectorBytes = 16;
/// Elements of a row that a thread may as well have whole.
constexpr int64_t kShortRow = 32;
/// Threads that a processor needs to keep its memory busy.
constexpr int64_t kBusyThreads = 1024;
/// Blocks of a cluster that every device with clusters can have.
constexpr int64_t kMostCluster = 8;

/// What schedules depend on of a device.
struct DeviceShape {
  int64_t processors = 132;
  bool hasClusters = false; ///< blocks can be clusters, which write each other's shared memory: from sm_90 on
};

/// A digit of a position: `count` places along a dimension (or a side of a box), `step` elements apart.
struct Digit {
  unsigned dim;
  int64_t count, step;
};

/// How the threads of a block go through the vectors of a box, whose numbers have a digit for each dimension or side.
/// Together they have all of the faster digits and some places of the one that is split, so that a thread's vectors differ
/// by what is known at compile time.
struct BoxPath {
  int64_t vectors = 1; ///< in the box
  int64_t steps = 1;   ///< vectors of a thread
  unsigned split = 0;  ///< digit that is split
  int64_t apart = 0;   ///< places of it between a thread's vectors; 0: too many threads would have no work so, and they
                       ///< are a block apart, in any digits
  int64_t below = 1;   ///< vectors that the faster digits count
};

struct KernelSchedule {
  enum class Kind {
    Flat,   ///< no reduction: a thread computes `unroll` vectors, `block` vectors apart
    Boxes,  ///< no reduction: a block computes a box of elements, which goes through shared memory from the order
            ///< in which operands lie to that of the results
    Rows,   ///< reductions along contiguous memory: `threads` neighbouring threads a row
    Strips, ///< reductions across contiguous memory: vectors of neighbouring results, `threads` threads each, which
            ///< are `block / threads` apart
    Loops,  ///< windows and products: a thread a (vector of) result(s), one loop
    Scans,  ///< running sums: a block brings boxes of what is added up to shared memory, in the order in which operands
            ///< lie, adds up, and writes in the order of the results
    Tiles   ///< windows and products: a thread computes a tile of results, so that what it loads serves several
  };
  Kind kind = Kind::Flat;
  unsigned lanes = 1; ///< elements of an access
  /// Flat: vectors of a thread, a block apart; Rows: neighbouring rows of a thread; Loops: neighbouring vectors of it along
  /// the last dimension but one, whose windows overlap.
  unsigned unroll = 1;
  /// Flat: the dimension along which a thread's vectors are neighbours, so that they differ by what is known at compile time;
  /// the last ones begin so early that all are inside. -1: they are a block apart.
  int stepDim = -1;
  int64_t block = 128; ///< threads of a block
  int64_t threads = 1; ///< of a block. Rows, Strips, Tiles: that share a result; Scans: that share a column of the box
  int64_t cluster = 1; ///< Rows: blocks that share a row
  int64_t chunks = 1;  ///< Rows, Strips, Tiles: accesses of each of them; Scans: boxes of a block
  bool kept = false;   ///< Rows, Strips: which stay in registers between passes
  unsigned ahead = 1;  ///< Rows, Strips that are not kept: accesses of a thread that are in flight
  /// Tiles, and Rows and Strips that are not kept: elements along the last reduced dimensions that are code; chunks, and
  /// threads of a result, count the others.
  int64_t window = 1;
  /// Strips: results of every element that are dense along their rows go through shared memory, so many accesses of a
  /// thread at once, so that neighbouring threads write neighbouring ones; 0: they do not.
  int64_t exchanges = 0;
  /// Strips: all elements of so many results of a block are one run of memory, of which `staged` loads and some stores are
  /// parts; it goes through shared memory, on its way in and out, in vectors of `readLanes`. There `padding` elements are left
  /// free behind every `padEvery`, those of results that are neighbours. 0: there is none.
  int64_t runResults = 0, padEvery = 0, padding = 0;
  /// Scans: the boxes of a column are blocks of their own.
  bool spread = false;
  /// Boxes: the fastest dimensions that operands lie along, and results. A box has two sides: row-major positions along
  /// `across`, of which so many neighbours lie together in memory, and along `along`; it has one index along the others.
  SmallVector<unsigned> across{}, along{};
  int64_t neighbours = 1;
  /// Boxes, Scans, Tiles: extent along each side or dimension (of a thread's tile); the prims (loads) that go through shared memory; dimensions as they lie in
  /// the memory of those, and of the results, the fastest last; elements of an access of the former; elements in shared
  /// memory from one index to the next along each of them, and in all.
  SmallVector<int64_t> box{};
  SmallVector<unsigned> staged{}, readOrder{}, writeOrder{};
  unsigned readLanes = 1;
  /// Boxes: runs of operands begin anywhere, and are read in vectors that lie where vectors may: the first and the last of
  /// a run have elements of others.
  bool ragged = false;
  /// Boxes: the same of results, runs of which are written from the first place on where a vector may lie; the vector that
  /// would go beyond the end of a run goes on at its beginning.
  bool raggedResults = false;
  /// Boxes: results' runs begin anywhere, and lie in shared memory as far behind where a vector may lie as they do in memory, so
  /// that both have the same vectors; what such a run has in front of the first and behind the last of them, as many elements as a
  /// vector, is written one by one, by other threads.
  bool shiftedResults = false;
  /// Boxes: all of a box's results are one run of memory, and lie in shared memory as they do there: vectors go on from one
  /// position across to the next.
  bool joinedResults = false;
  SmallVector<int64_t> strides{};
  int64_t extent = 0;

  /// Flat: what counts the threads' work, in vectors.
  int64_t getFlatVectors(const KernelIR &ir) const;
  /// Boxes: the other dimensions, and the number of boxes.
  SmallVector<unsigned> getRest(const KernelIR &ir) const;
  int64_t getBoxes(const KernelIR &ir) const;
  /// Rows behind the last box of joined results, which begins where a vector may lie.
  int64_t getRowsBehind(const KernelIR &ir) const;
  /// Boxes: what counts the vectors of a box, along its sides, in the order in which they are read, or written, and how the
  /// threads go through them.
  SmallVector<Digit> getDigits(bool isRead) const;
  BoxPath getPath(bool isRead) const { return getPath(getDigits(isRead)); }
  /// Boxes with ragged or shifted results: vectors of this memory may lie where those of the results may.
  bool isAlignedAsResults(const KernelIR &ir, const KernelArray &array, const IndexExpr &address) const;
  /// Boxes: dimensions of both sides, in the order of the results.
  SmallVector<unsigned> getSides() const;
  /// Boxes with joined results: vectors of this memory may lie where those of the results may.
  bool isAlignedInBox(const KernelIR &ir, const KernelArray &array, const IndexExpr &address) const;
  /// Boxes: elements of a vector along a side that are accessed together in shared memory.
  int64_t getTogether(unsigned side, int64_t lanes, int64_t bytes) const;
  /// Scans: the same along dimensions in this order.
  SmallVector<Digit> getDigits(ArrayRef<unsigned> order, unsigned lanes) const;
  BoxPath getPath(ArrayRef<Digit> digits) const;
  /// The elements of such an access are neighbours in shared memory, too, and 16-byte aligned there as far as they are many.
  bool isVectorInBox(unsigned dim, unsigned lanes) const;
  /// Scans that are spread: blocks next to each other, boxes of a column, those of a group, whose last one passes on all
  /// that is before the next group, and words of the array in which they do, for one running sum.
  int64_t getScanBlocks(const KernelIR &ir) const;
  int64_t getScanPieces(const KernelIR &ir) const;
  int64_t getScanGroup() const;
  int64_t getCarryWords(const KernelIR &ir) const;
  /// Scans: totals that the warps of a block pass to each other.
  int64_t getScanSlots() const;
  /// Rows, Strips, Tiles: partial results that the warps of a block pass to each other, of one reduction.
  int64_t getReduceSlots() const;
  /// Tiles: results of a thread, and what the others of a result are counted by: the tiles, in row-major order.
  int64_t getTileSize() const;
  SmallVector<Digit> getTileDigits(const KernelIR &ir) const;
  /// Rows, Strips, Tiles: the reduced dimensions that are code.
  SmallVector<unsigned> getWindowDims(const KernelIR &ir) const;
  /// Rows, Strips: that share a result.
  int64_t getThreadsOfResult() const { return threads * cluster; }
  /// Strips with runs: what writes an element at each position of the run, where an element lies in shared memory, and the
  /// elements of that.
  bool isInRun(const KernelIR &ir, const KernelStore &store) const;
  int64_t getRunPlace(int64_t element) const { return element + (padding ? element / padEvery * padding : 0); }
  int64_t getRunExtent(const KernelIR &ir) const { return getRunPlace(runResults * ir.getInnerSize() - 1) + 1; }
  /// The one load and store whose elements take turns in shared memory; false: there are more, or others.
  bool sharesRun(const KernelIR &ir) const;
  /// Strips: sets `exchanges` to what makes runs long enough and takes no more than so many bytes of shared memory.
  void setExchanges(const KernelIR &ir, int64_t mostBytes);
  /// Makes blocks this large; false if the schedule needs others. `mayWiden`: rows may have more threads.
  bool setBlock(int64_t threadsOfBlock, bool mayWiden);
  /// Bytes of shared memory, at most.
  int64_t getSharedBytes(const KernelIR &ir) const;
  mlir::DictionaryAttr toAttribute(MLIRContext *context) const;
  /// Of each kind, in order.
  static constexpr llvm::StringLiteral names[] = {"flat", "boxes", "rows", "strips", "loops", "scans", "tiles"};
};

/// Which values a kernel's stores need, and how often each is used.
struct KernelUses {
  explicit KernelUses(const KernelIR &ir);
  llvm::BitVector live;
  SmallVector<unsigned> counts;
};

/// Consecutive along the dimension.
bool isContiguous(const KernelIR &ir, const IndexExpr &address, unsigned dim);
/// Bytes (at most 16) that the address of `lanes` elements along a dimension is surely a multiple of. `dim` < 0: of one.
uint64_t getAlignment(const KernelIR &ir, const KernelArray &array, const IndexExpr &address, int dim, unsigned lanes);
/// Elements that a row-major position along these dimensions counts.
int64_t getVolume(const KernelIR &ir, ArrayRef<unsigned> dims);
/// How far apart neighbouring positions along these dimensions are, if it is the same for all of them, and not 0.
std::optional<int64_t> getDenseStride(const KernelIR &ir, const IndexExpr &address, ArrayRef<unsigned> dims);
/// Elements between what most neighbours along a dimension access: those that no quotient or remainder takes apart.
std::optional<int64_t> getNearStep(const KernelIR &ir, const IndexExpr &address, unsigned dim);
/// All that is stored is rounded to floats of 16 bits.
bool roundsResults(const KernelIR &ir);
/// Windows of results that are neighbours along a dimension have elements in common.
bool haveWindows(const KernelIR &ir, const KernelUses &uses, unsigned dim);
/// Terms of a window up to which they are code, not a loop.
constexpr int64_t kMostWindowTerms = 64;
/// Stored once for each row, not for each element.
bool isRowStore(const KernelIR &ir, const KernelStore &store);

/// Written densely along the rows and not across them.
bool isStoredAlongRows(const KernelIR &ir, const KernelStore &store);

/// Whether the vectors of a flat kernel's thread may be neighbours along the dimension.
bool mayStepAlong(const KernelIR &ir, const KernelUses &uses, const KernelSchedule &schedule, unsigned dim);
/// The best such dimension; -1: none.
int chooseStepDim(const KernelIR &ir, const KernelUses &uses, const KernelSchedule &schedule);

/// Without reductions: the kernel with some of its innermost dimensions as one, where rows begin anywhere and most memory is
/// dense across them: accesses are as wide as the whole of that allows. Nullopt where none are cheaper.
std::optional<KernelIR> flattenRows(const KernelIR &ir, int64_t processors);

KernelSchedule chooseSchedule(const KernelIR &ir, const KernelUses &uses, DeviceShape device);
/// The best one of a kind; nullopt: the kernel has none.
std::optional<KernelSchedule> chooseSchedule(const KernelIR &ir, const KernelUses &uses, DeviceShape device,
                                             KernelSchedule::Kind kind);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_KERNEL_KERNELSCHEDULE_H
