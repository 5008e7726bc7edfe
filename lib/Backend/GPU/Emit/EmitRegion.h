// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph.kernel as launches. The body is bufferised onto the memory of the kernel's
// operands and results; what it computes in between gets workspace. Each loop nest is one
// launch, in order: a thread for each point of its parallel loops (grid-stride beyond the
// largest grid), reductions run in the thread, in a register.

#ifndef FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITREGION_H
#define FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITREGION_H

#include "Emit/EmitKernel.h"
#include "fxgraph/Dialect/IR/HostOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/OwningOpRef.h"

namespace fxgraph::gpu {

class RegionKernel {
public:
  /// Bufferises the kernel's body. The kernel is not changed.
  static FailureOr<RegionKernel> create(KernelOp kernel);

  /// One loop nest.
  struct Launch {
    mlir::linalg::GenericOp nest;
    /// Memory that it reads or writes: operands and results of the kernel, temporaries.
    llvm::SmallSetVector<Value, 4> memory;
  };
  /// Writes a fxgraph.kernel between memory and memory for each launch. `getMemory` gives the memory, as a type, of a
  /// value of the graph or of a temporary (the result of a memref.alloc).
  void writeLaunches(OpBuilder &builder, function_ref<Value(Value owner, mlir::MemRefType type)> getMemory) const;

private:
  LogicalResult bufferize();
  LogicalResult collectLaunches();
  /// The value of the graph whose memory it is; a temporary is its own.
  Value getOwner(Value memory) const;

  KernelOp kernel;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function; ///< on memory: the operands, then the results
  SmallVector<Launch> launches;
};

/// A kernel between memory and memory fails the run where an index is out of range.
bool checksIndices(KernelOp kernel);

/// Appends the function of a kernel between memory and memory: its arguments are the kernel's, then the word for
/// errors, if it checks, into which it writes `errorCode`.
FailureOr<LaunchShape> emitRegion(OpBuilder &builder, KernelOp kernel, StringRef name, int errorCode);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITREGION_H
