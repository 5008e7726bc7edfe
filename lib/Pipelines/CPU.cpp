// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of passes from a graph to the LLVM dialect. Each can be run alone; the
// whole prints with --dump-pass-pipeline.
//
// Decomposition is optional and off: the lowering takes pre-grad ops as they are, and
// keeps more of them. `matmul` of permuted operands of rank 4 is one loop nest that
// reads them in place; as `bmm` of reshapes it would have to copy them.

#include "fxgraph/Pipelines/CPU.h"
#include "fxgraph/Conversion/Passes.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Transforms/Decompose/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

using namespace fxgraph;

int64_t fxgraph::getHostVectorBytes() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto has = [&](llvm::StringRef name) {
    auto it = features.find(name);
    return it != features.end() && it->second;
  };
  if (has("avx512f") && has("avx512vl") && has("avx512bw"))
    return 64;
  return has("avx2") && has("fma") ? 32 : 16;
}

void fxgraph::buildCPUPipeline(mlir::OpPassManager &pm, const CPUPipelineOptions &options) {
  if (options.decompose)
    pm.addNestedPass<mlir::func::FuncOp>(createDecomposePass());
  pm.addPass(createFxGraphCPUOrderArgumentsPass());
  // No CSE on tensors: initial values that became one would be copied again.
  pm.addPass(createFxGraphToLinalgPass());
  if (options.fuse)
    pm.addPass(createFxGraphCPUFusePass());
  pm.addPass(createFxGraphCPUEntryPass());
  pm.addPass(createFxGraphCPUPlacePass());
  pm.addPass(createFxGraphCPUBufferizePass());
  pm.addPass(mlir::createCSEPass());
  mlir::GreedyRewriteConfig blocks;
  blocks.setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Disabled); // One block each.
  pm.addPass(mlir::createCanonicalizerPass(blocks));
  FxGraphCPUOutlinePassOptions outline;
  outline.parallel = options.parallel;
  outline.vectorBytes = options.vectorBytes != 0 ? options.vectorBytes.getValue() : getHostVectorBytes();
  pm.addPass(createFxGraphCPUOutlinePass(outline));
  pm.addPass(createFxGraphCPUPlanMemoryPass());
  pm.addPass(createFxGraphCPUCutEntryPass());
  pm.addPass(createFxGraphCPUToLLVMPass());
}

void fxgraph::registerCPUPipeline() {
  mlir::PassPipelineRegistration<CPUPipelineOptions>(
      "fxgraph-to-llvm",
      "Lower a graph to the LLVM dialect for the CPU: linalg, fusion, buffers, kernels, one workspace.",
      buildCPUPipeline);
}
