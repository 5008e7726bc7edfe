// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the emitted kernels on the CPU, so that their values can be tested on
// machines without a GPU. Each gpu.func is compiled for the host with block and
// thread numbers as arguments. The threads of a block are fibers: a barrier or a
// shuffle switches to the next one until all have arrived, so that a kernel that
// relies on anything but barriers and shuffles shows it.

#ifndef FXGRAPH_LIB_BACKEND_GPU_RUN_EMULATOR_H
#define FXGRAPH_LIB_BACKEND_GPU_RUN_EMULATOR_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringMap.h"
#include <memory>

namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace fxgraph::gpu {

/// The memory that holds an address, as its first byte and the one behind its last; false: none does.
using FindMemory = bool (*)(uint64_t address, uint64_t *first, uint64_t *end);

class KernelEmulator {
public:
  /// Compiles all kernels of the module; the module is not changed. A kernel that then reads or writes global memory
  /// that `findMemory` does not know ends the process with an error that names it. Errors: an operation that has no
  /// host form.
  static FailureOr<std::unique_ptr<KernelEmulator>> create(mlir::gpu::GPUModuleOp module, FindMemory findMemory);
  ~KernelEmulator();

  std::vector<std::string> getKernelNames() const;
  /// Runs one launch. `arguments` are the addresses of the kernel's pointer
  /// parameters, as cuLaunchKernel takes them.
  void launch(StringRef name, const unsigned grid[3], const unsigned block[3], void **arguments) const;

private:
  KernelEmulator() = default;
  struct Kernel {
    void (*entry)(void **) = nullptr;
    unsigned numArguments = 0;
    SmallVector<bool> byValue;       ///< tables
    std::vector<size_t> sharedBytes; ///< of each shared buffer
    size_t dynamicSharedBytes = 0;
    unsigned cluster = 1; ///< blocks that write each other's shared memory
    bool synchronizes = false;
  };
  FindMemory findMemory = nullptr;
  std::unique_ptr<mlir::ExecutionEngine> engine;
  llvm::StringMap<Kernel> kernels;
};

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_RUN_EMULATOR_H
