// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a graph to a host function and its kernels (--fxgraph-to-gpu).

#ifndef FXGRAPH_BACKEND_GPU_PIPELINE_H
#define FXGRAPH_BACKEND_GPU_PIPELINE_H

#include "fxgraph/Support/OptionText.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace fxgraph::gpu {

/// As the options of the stages (fxgraph/Backend/GPU/Passes.td), which check them.
struct GPUPipelineOptions : public mlir::PassPipelineOptions<GPUPipelineOptions> {
  Option<OptionText> entry{*this, "entry", llvm::cl::desc("graph to compile (default: the only function with a body)")};
  Option<OptionText> chip{*this, "chip", llvm::cl::desc("chip to compile for"), llvm::cl::init("sm_90a")};
  Option<OptionText> libraries{*this, "libraries", llvm::cl::desc("what may be library calls: none, cublaslt, all or always"),
                               llvm::cl::init("all")};
  Option<OptionText> products{
      *this, "products",
      llvm::cl::desc("which products kernels on warpgroup instructions compute: never, measured or all"),
      llvm::cl::init("measured")};
  Option<OptionText> productConfig{*this, "product-config",
                                   llvm::cl::desc("entries of the config of every such product: tile-n=256,stages=4")};
  Option<OptionText> nestConfig{
      *this, "nest-config", llvm::cl::desc("entries of the lowering_config of every loop nest: kind=rows,threads=64")};
  Option<OptionText> format{*this, "format", llvm::cl::desc("gpu (the gpu.module) or ptx (and its PTX)"),
                            llvm::cl::init("gpu")};
  Option<int64_t> processors{*this, "processors", llvm::cl::desc("multiprocessors of the device"), llvm::cl::init(132)};
  Option<uint64_t> seed{*this, "seed", llvm::cl::desc("of the random numbers that the graph draws"), llvm::cl::init(0)};
  Option<bool> tf32{*this, "tf32", llvm::cl::desc("products and convolutions of f32 may use TF32"),
                    llvm::cl::init(false)};
  Option<bool> rowMajorResults{
      *this, "row-major-results",
      llvm::cl::desc("results lie row-major, also where PyTorch's do not (no fxgraph-assign-layouts)"),
      llvm::cl::init(false)};
  Option<bool> overlapLaunches{
      *this, "overlap-launches",
      llvm::cl::desc("kernels are launched while the ones before them end (fxgraph-overlap-launches)"),
      llvm::cl::init(true)};
};

/// Appends the stages; they take a graph that is one function.
void buildGPUStages(mlir::OpPassManager &pm, const GPUPipelineOptions &options);

/// The same for a module whose graph calls functions.
void buildGPUPipeline(mlir::OpPassManager &pm, const GPUPipelineOptions &options);

} // namespace fxgraph::gpu

#endif // FXGRAPH_BACKEND_GPU_PIPELINE_H
