// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_LIB_BACKEND_GPU_RUN_EMULATEDGRID_H
#define FXGRAPH_LIB_BACKEND_GPU_RUN_EMULATEDGRID_H

#include "fxgraph/Backend/Executable.h"
#include "fxgraph/Reference/Grid.h"

namespace fxgraph::gpu {

/// A graph as a grid of processes, each of them a thread with an executable of its own, whose tensors follow each other
/// rank by rank; what the target `ref` is with the same settings. `processes` are emulated executables of one graph.
/// Returns null, with an error, if the groups do not fit.
std::unique_ptr<Executable> createEmulatedGrid(mlir::func::FuncOp function, const GridOptions &grid,
                                               std::vector<std::unique_ptr<Executable>> processes, std::string &error);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_RUN_EMULATEDGRID_H
