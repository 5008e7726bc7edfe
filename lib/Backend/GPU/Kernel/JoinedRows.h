// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose results lie next to each other in the rows of one: pieces that are joined
// along an inner dimension.

#ifndef FXGRAPH_LIB_BACKEND_GPU_KERNEL_JOINEDROWS_H
#define FXGRAPH_LIB_BACKEND_GPU_KERNEL_JOINEDROWS_H

#include "Kernel/KernelSchedule.h"

namespace fxgraph::gpu {

/// On a fxgraph.launch: so many rows go through a block's shared memory; 0: each nest writes by itself.
inline constexpr llvm::StringLiteral kJoinedRowsAttr = "fxgraph.joined_rows";

struct JoinedRows {
  int64_t rows = 0, width = 0; ///< of the result
  Type elementType;            ///< as in the tensor type
  struct Piece {
    KernelIR kernel; ///< of one dimension: all of its rows
    int64_t column = 0, width = 0;
  };
  std::vector<Piece> pieces; ///< in the order of the kernels

  int64_t getBytes() const { return rows * width * static_cast<int64_t>(getMemoryBytes(elementType)); }
};

/// Nullopt: the kernels are not all of the columns of one result, each once, element by element.
std::optional<JoinedRows> matchJoinedRows(ArrayRef<KernelIR> kernels);

/// Whether neighbours of what a kernel writes are read from different sectors: what it needs is a box of both in shared memory.
bool readsAcross(const KernelIR &kernel, int64_t processors);

/// Why a block cannot have so many rows, or nothing.
std::optional<std::string> checkRowsOfBlock(const JoinedRows &joined, int64_t rowsOfBlock);
/// What measured fastest (docs/Performance.md); 0: each kernel by itself.
int64_t chooseRowsOfBlock(const JoinedRows &joined, int64_t processors);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_KERNEL_JOINEDROWS_H
