// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fxgraph-cpu-bufferize: empty tensors are replaced by the place where
// their value ends (a piece of a cat, a result), then one-shot bufferization.

#include "CPULowering.h"
#include "fxgraph/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/AllInterfaces.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"

namespace fxgraph {
#define GEN_PASS_DEF_FXGRAPHCPUBUFFERIZEPASS
#include "fxgraph/Conversion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;
using namespace mlir;

void fxgraph::registerCPULoweringInterfaces(DialectRegistry &registry) {
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(registry);
  cf::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerAllDialectInterfaceImplementations(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  vector::registerBufferizableOpInterfaceExternalModels(registry);
}

namespace {
struct FxGraphCPUBufferizePass : public fxgraph::impl::FxGraphCPUBufferizePassBase<FxGraphCPUBufferizePass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    FxGraphCPUBufferizePassBase::getDependentDialects(registry);
    registerCPULoweringInterfaces(registry);
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    bufferization::OneShotBufferizationOptions options;
    options.bufferAlignment = 64;
    // Views keep their layout: buffers of ours are row-major to begin with.
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      if (failed(bufferization::eliminateEmptyTensors(rewriter, function)))
        return signalPassFailure();
      bufferization::BufferizationState state;
      if (failed(bufferization::runOneShotBufferize(function, options, state)))
        return signalPassFailure();
      bufferization::hoistBuffersFromLoops(function);
    }
  }
};
} // namespace
