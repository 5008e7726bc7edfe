// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/InitAll.h"
#include "fxgraph/Conversion/Passes.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Pipelines/CPU.h"
#include "fxgraph/Pipelines/PostGrad.h"
#include "fxgraph/Pipelines/PreDispatch.h"
#include "fxgraph/Pipelines/PreGrad.h"
#include "fxgraph/Backend/GPU/GPU.h"
#include "fxgraph/Reference/Evaluation.h"
#include "fxgraph/Transforms/Algebra/Passes.h"
#include "fxgraph/Transforms/Attention/Passes.h"
#include "fxgraph/Transforms/ConvBN/Passes.h"
#include "fxgraph/Transforms/Decompose/Passes.h"
#include "fxgraph/Transforms/Distributed/Passes.h"
#include "fxgraph/Transforms/Driver/Passes.h"
#include "fxgraph/Transforms/Freezing/Passes.h"
#include "fxgraph/Transforms/GroupFusion/Passes.h"
#include "fxgraph/Transforms/JointGraph/Passes.h"
#include "fxgraph/Transforms/LinearPermute/Passes.h"
#include "fxgraph/Transforms/Matmul/Passes.h"
#include "fxgraph/Transforms/Mutation/Passes.h"
#include "fxgraph/Transforms/NoOp/Passes.h"
#include "fxgraph/Transforms/Normalize/Passes.h"
#include "fxgraph/Transforms/OneDNN/Passes.h"
#include "fxgraph/Transforms/PostGrad/Passes.h"
#include "fxgraph/Transforms/PreDispatch/Passes.h"
#include "fxgraph/Transforms/Quantization/Passes.h"
#include "fxgraph/Transforms/Report/Passes.h"
#include "fxgraph/Transforms/Sizes/Passes.h"
#include "fxgraph/Transforms/SplitCat/Passes.h"
#include "fxgraph/Transforms/UserPatterns/Passes.h"
#include "mlir/IR/DialectRegistry.h"

void fxgraph::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<FxGraphDialect>();
  registerReferenceEvaluation(registry);
  gpu::registerGPUDialects(registry);
}

void fxgraph::registerAllPasses() {
  registerFxGraphAlgebraPasses();
  registerFxGraphConvBNPasses();
  registerFxGraphConversionPasses();
  registerCPUPipeline();
  registerFxGraphDecomposePasses();
  registerFxGraphGroupFusionPasses();
  registerFxGraphLinearPermutePasses();
  registerFxGraphNoOpPasses();
  registerFxGraphNormalizePasses();
  registerFxGraphSizesPasses();
  registerFxGraphPreDispatchPasses();
  registerFxGraphQuantizationPasses();
  registerFxGraphReportPasses();
  registerFxGraphDriverPasses();
  registerFxGraphFreezingPasses();
  registerFxGraphSplitCatPasses();
  registerFxGraphJointGraphPasses();
  registerFxGraphAttentionPasses();
  registerFxGraphMatmulPasses();
  registerFxGraphPostGradPasses();
  registerFxGraphMutationPasses();
  registerFxGraphDistributedPasses();
  registerFxGraphOneDNNPasses();
  registerFxGraphUserPatternsPasses();
  gpu::registerGPUPasses();
  registerPreDispatchPipeline();
  registerPipelines();
  registerJointGraphPipeline();
  registerFreezingPipeline();
  registerPostGradPipeline();
}
