// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the stages, for --fxgraph-to-gpu and for whoever compiles a graph.

#include "fxgraph/Backend/GPU/Pipeline.h"
#include "fxgraph/Analysis/CallGraph.h"
#include "fxgraph/Backend/GPU/GPU.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace fxgraph::gpu {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fxgraph/Backend/GPU/Passes.h.inc"
} // namespace fxgraph::gpu

using namespace fxgraph;
using namespace fxgraph::gpu;

void fxgraph::gpu::buildGPUStages(mlir::OpPassManager &pm, const GPUPipelineOptions &options) {
  mlir::OpPassManager &graph = pm.nest<mlir::func::FuncOp>();
  graph.addPass(createPrepareForGPUPass({options.entry, options.seed, options.chip}));
  if (!options.rowMajorResults)
    graph.addPass(createAssignLayoutsPass({options.entry}));
  graph.addPass(createFormKernelsPass({options.entry, options.libraries}));
  pm.addPass(createFuseKernelsPass({options.entry, options.chip, options.libraries, options.products, options.tf32}));
  mlir::OpPassManager &host = pm.nest<mlir::func::FuncOp>();
  host.addPass(createBatchKernelsPass({options.libraries, options.products}));
  host.addPass(createConfigureProductsPass({options.processors, options.productConfig}));
  host.addPass(createSpreadScansPass({options.processors}));
  host.addPass(createPlanMemoryPass());
  host.addPass(createConfigureKernelsPass({options.processors, options.nestConfig}));
  pm.addPass(createEmitKernelsPass());
  if (options.overlapLaunches)
    pm.addPass(createOverlapLaunchesPass());
  if (StringRef(options.format) == "ptx")
    pm.addPass(createSerializeKernelsPass());
}

void fxgraph::gpu::buildGPUPipeline(mlir::OpPassManager &pm, const GPUPipelineOptions &options) {
  pm.addPass(
      createCheckForGPUPass({options.entry, options.libraries, options.products, options.processors, options.format}));
  pm.addPass(mlir::createInlinerPass());
  buildGPUStages(pm, options);
}

FailureOr<GPUProgram> fxgraph::gpu::lowerToGPU(mlir::func::FuncOp function, const GPUOptions &options) {
  GPUProgram program;
  program.module = cloneWithCallees(function);
  if (failed(inlineCallees(*program.module, function.getName())))
    return failure();
  GPUPipelineOptions stages;
  stages.entry = function.getName().str();
  stages.chip = options.chip;
  stages.libraries = stringify(options.libraries).str();
  stages.products = stringify(options.products).str();
  stages.productConfig = options.productConfig;
  stages.nestConfig = options.nestConfig;
  stages.processors = options.processors;
  stages.seed = options.seed;
  stages.tf32 = options.allowTF32;
  stages.rowMajorResults = options.rowMajorResults;
  stages.overlapLaunches = options.overlapLaunches;
  mlir::PassManager pm(function.getContext(), mlir::ModuleOp::getOperationName());
  buildGPUStages(pm, stages);
  if (failed(pm.run(*program.module)))
    return failure();
  program.host = program.module->lookupSymbol<mlir::func::FuncOp>(function.getName());
  return std::move(program);
}

void fxgraph::gpu::registerGPUPasses() {
  registerFxGraphGPUPasses();
  mlir::PassPipelineRegistration<GPUPipelineOptions>(
      "fxgraph-to-gpu",
      "Turn a graph into GPU kernels and a host function that launches them: fusion, layouts, batches, one workspace.",
      buildGPUPipeline);
}
