// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host function of a compiled graph says in attributes: of its arguments,
// which are the graph's, then its results, then the workspace, and of itself.

#ifndef FXGRAPH_LIB_BACKEND_GPU_KERNEL_HOSTFUNCTION_H
#define FXGRAPH_LIB_BACKEND_GPU_KERNEL_HOSTFUNCTION_H

#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Dialect/IR/MemoryOrder.h"

namespace fxgraph::gpu {

/// Of an argument: its name in PyTorch.
inline constexpr StringRef kHostNameAttr = FxGraphDialect::kNameAttr;
/// Of an argument: a result of the graph.
inline constexpr StringRef kHostResultAttr = "fxgraph.result";
/// Of the last argument, once memory is planned: the workspace.
inline constexpr StringRef kHostWorkspaceAttr = "fxgraph.workspace";
/// Of an argument: the graph writes to it.
inline constexpr StringRef kHostWrittenAttr = "fxgraph.written";
/// Of the function: the chip that its kernels are for.
inline constexpr StringRef kHostChipAttr = "fxgraph.chip";
/// Of the function: multiprocessors of the device that its kernels are configured for.
inline constexpr StringRef kHostProcessorsAttr = "fxgraph.processors";
/// Of the function: where in the workspace kernels note that an index is out of range.
inline constexpr StringRef kHostErrorWordAttr = "fxgraph.error_word";
/// Of the function: products of f32 may use TF32.
inline constexpr StringRef kHostAllowTF32Attr = "fxgraph.allow_tf32";

/// Of a gpu.launch_func: the kernel may be launched once all blocks of the one before it have begun, and waits for its end.
inline constexpr StringRef kLaunchProgrammaticAttr = "fxgraph.programmatic";

/// The symbol of the literal with this number.
inline std::string getConstantName(unsigned number) { return "constant" + std::to_string(number); }

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_KERNEL_HOSTFUNCTION_H
