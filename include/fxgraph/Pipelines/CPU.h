// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a graph to the LLVM dialect for the CPU (--fxgraph-to-llvm).

#ifndef FXGRAPH_PIPELINES_CPU_H
#define FXGRAPH_PIPELINES_CPU_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace fxgraph {

struct CPUPipelineOptions : public mlir::PassPipelineOptions<CPUPipelineOptions> {
  Option<bool> parallel{*this, "parallel", llvm::cl::desc("divide large loops among threads"), llvm::cl::init(true)};
  Option<int64_t> vectorBytes{
      *this, "vector-bytes",
      llvm::cl::desc("bytes of the vectors of tiled matrix products: 16, 32 or 64 (0: those of this machine)"),
      llvm::cl::init(0)};
  Option<bool> decompose{*this, "decompose", llvm::cl::desc("run fxgraph-decompose first"), llvm::cl::init(false)};
  Option<bool> fuse{*this, "fuse", llvm::cl::desc("fuse elementwise ops"), llvm::cl::init(true)};
};

/// Bytes of the widest vectors of this machine's processor.
int64_t getHostVectorBytes();

/// Appends the passes; they run on a module with one public graph.
void buildCPUPipeline(mlir::OpPassManager &pm, const CPUPipelineOptions &options);

/// Registers --fxgraph-to-llvm.
void registerCPUPipeline();

} // namespace fxgraph

#endif // FXGRAPH_PIPELINES_CPU_H
