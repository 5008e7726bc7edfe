// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/JoinedRows.h"
#include "Kernel/ChooseBoxes.h"
#include "Kernel/HostMemory.h"
#include "Kernel/KernelDims.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

/// Shared memory for the rows of a block, and what they are a multiple of, so that vectors of any type begin with a block.
static constexpr int64_t kMostBytes = 16384, kRowUnit = 16;

/// How many of the dimensions in front count rows of `width`, which the others lie along densely; nullopt: none do.
static std::optional<size_t> findRows(const KernelIR &kernel, const IndexExpr &address, int64_t width) {
  auto dims = llvm::to_vector(llvm::seq<unsigned>(0, kernel.space.getNumDims()));
  for (size_t count = dims.size(); count > 0; --count) {
    ArrayRef<unsigned> rows = ArrayRef(dims).take_front(count), columns = ArrayRef(dims).drop_front(count);
    if (getDenseStride(kernel, address, rows) == width && getDenseStride(kernel, address, columns).value_or(1) == 1)
      return count;
  }
  return std::nullopt;
}

std::optional<JoinedRows> fxgraph::gpu::matchJoinedRows(ArrayRef<KernelIR> kernels) {
  JoinedRows joined;
  Value root;
  SmallVector<int64_t> starts; // elements from the root
  if (kernels.size() < 2)
    return std::nullopt;
  for (const KernelIR &kernel : kernels) {
    if (kernel.stores.size() != 1 || kernel.phases != 0 || kernel.hasScans() || !kernel.getInnerDims().empty() ||
        kernel.tableDim >= 0 || !kernel.symbols.empty() || kernel.space.getNumDims() == 0)
      return std::nullopt;
    const KernelStore &store = kernel.stores.front();
    const KernelArray &array = kernel.arrays[store.array];
    if (array.table || !array.instances.empty() || llvm::any_of(store.address.terms, [&](const auto &term) {
          return kernel.space.getAtom(term.first).kind != IndexSpace::AtomKind::Dim;
        }))
      return std::nullopt;
    MemoryPlace place = resolveMemory(array.value);
    if (root && (place.root != root || array.elementType != joined.elementType))
      return std::nullopt;
    root = place.root;
    joined.elementType = array.elementType;
    starts.push_back(place.bytes / static_cast<int64_t>(getMemoryBytes(array.elementType)) + array.offset +
                     store.address.constant);
  }
  int64_t start = *llvm::min_element(starts);
  // Rows are as far from each other as the slowest dimensions say: of the first kernel that has any.
  for (const KernelIR &kernel : kernels) {
    const IndexExpr &address = kernel.stores.front().address;
    int64_t size = kernel.getOuterSize();
    std::optional<size_t> count;
    for (unsigned dim = 0; dim < kernel.space.getNumDims() && !count; ++dim) {
      int64_t width = joined.width ? joined.width : kernel.space.getStride(address, dim);
      if (width > 1)
        count = findRows(kernel, address, width);
      if (count)
        joined.width = width;
    }
    if (!count)
      return std::nullopt;
    int64_t rows = 1;
    for (unsigned dim = 0; dim < *count; ++dim)
      rows *= kernel.space.getSize(dim);
    if (joined.rows && rows != joined.rows)
      return std::nullopt;
    joined.rows = rows;
    joined.pieces.push_back({flattenDims(kernel, 0), starts[joined.pieces.size()] - start, size / rows});
  }
  // Each column once.
  SmallVector<const JoinedRows::Piece *> sorted;
  for (const JoinedRows::Piece &piece : joined.pieces)
    sorted.push_back(&piece);
  llvm::sort(sorted, [](const auto *lhs, const auto *rhs) { return lhs->column < rhs->column; });
  int64_t column = 0;
  for (const JoinedRows::Piece *piece : sorted) {
    if (piece->column != column)
      return std::nullopt;
    column += piece->width;
  }
  return column == joined.width ? std::optional(std::move(joined)) : std::nullopt;
}

bool fxgraph::gpu::readsAcross(const KernelIR &kernel, int64_t processors) {
  KernelUses uses(kernel);
  if (!chooseBoxes(kernel, uses, processors))
    return false;
  unsigned last = kernel.space.getNumDims() - 1;
  return llvm::any_of(llvm::enumerate(kernel.prims), [&](const auto &entry) {
    const Prim &prim = entry.value();
    return prim.kind == Prim::Kind::Load && uses.live[entry.index()] &&
           kernel.space.getStride(prim.address, last) * getMemoryBytes(kernel.arrays[prim.array].elementType) >=
               kSectorBytes;
  });
}

std::optional<std::string> fxgraph::gpu::checkRowsOfBlock(const JoinedRows &joined, int64_t rowsOfBlock) {
  int64_t bytes = joined.width * getMemoryBytes(joined.elementType);
  if (rowsOfBlock < kRowUnit || rowsOfBlock % kRowUnit != 0 || rowsOfBlock > joined.rows ||
      rowsOfBlock * bytes > kMostBytes)
    return "expected a multiple of " + std::to_string(kRowUnit) + " rows of " + std::to_string(bytes) +
           " bytes, up to " + std::to_string(kMostBytes) + " bytes and " + std::to_string(joined.rows) +
           " rows, but got " + std::to_string(rowsOfBlock);
  return std::nullopt;
}

int64_t fxgraph::gpu::chooseRowsOfBlock(const JoinedRows &joined, int64_t processors) {
  constexpr int64_t fewestBytes = int64_t(2) << 20, fewRows = 128, shortBlock = 4096, blocksOfProcessor = 8;
  int64_t bytes = getMemoryBytes(joined.elementType), mostRows = std::max(fewRows, shortBlock / (joined.width * bytes));
  // Whole sectors are as well written one piece after the other.
  bool cutsSectors = llvm::any_of(joined.pieces, [&](const JoinedRows::Piece &piece) {
    return piece.column * bytes % kSectorBytes != 0 || joined.width * bytes % kSectorBytes != 0;
  });
  if (!cutsSectors || joined.getBytes() < fewestBytes)
    return 0;
  int64_t rows = std::min(mostRows, kMostBytes / (joined.width * bytes)) / kRowUnit * kRowUnit;
  while (rows > kRowUnit && joined.rows / rows < blocksOfProcessor * processors)
    rows -= kRowUnit;
  return checkRowsOfBlock(joined, rows) ? 0 : rows;
}
