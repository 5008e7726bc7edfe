// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph.kernel as launches. The body is bufferised onto the memory of the kernel's
// operands and results; what it computes in between gets workspace. Each loop nest is one
// launch, in order: a thread for each point of its parallel loops (grid-stride beyond the
// largest grid), reductions run in the thread, in a register.

#ifndef FXGRAPH_LIB_BACKEND_GPU_EMITREGION_H
#define FXGRAPH_LIB_BACKEND_GPU_EMITREGION_H

#include "EmitKernel.h"
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
    /// It fails the run where an index is out of range.
    bool checks = false;
  };
  ArrayRef<Launch> getLaunches() const { return launches; }
  /// Memory that lives inside of the kernel: results of memref.alloc.
  ArrayRef<Value> getTemporaries() const { return temporaries; }
  /// The value of the graph whose memory it is; a temporary is its own.
  Value getOwner(Value memory) const;

  /// Appends the launch's function: its arguments are its memory, then the word for errors, if
  /// it checks, into which it writes `errorCode`.
  LaunchShape emit(OpBuilder &builder, const Launch &launch, StringRef name, int errorCode) const;

private:
  LogicalResult bufferize();
  LogicalResult collectLaunches();

  KernelOp kernel;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function; ///< on memory: the operands, then the results
  SmallVector<Launch> launches;
  SmallVector<Value> temporaries;
};

/// Bytes of the elements of a row-major memref.
int64_t getMemoryBytes(mlir::MemRefType type);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_EMITREGION_H
