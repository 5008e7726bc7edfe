//===- TensorCall.h - Calls with described tensors ---------------*- C++ -*-===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FXGRAPH_LIB_RUNTIME_TENSORCALL_H
#define FXGRAPH_LIB_RUNTIME_TENSORCALL_H

#include "LaunchPlan.h"
#include "fxgraph/Runtime/Tensor.h"

namespace fxgraph {
namespace runtime {

class LoadedGraph;

/// The tensors of a plan in the description that all targets share. The plan must
/// outlive it.
class PlanSignature {
public:
  explicit PlanSignature(const LaunchPlan &plan);
  PlanSignature(const PlanSignature &) = delete;
  PlanSignature &operator=(const PlanSignature &) = delete;

  const FxGraphInfo &getInfo() const { return info; }
  /// Throws FXRT_INVALID_ARGUMENT for tensors that the plan was not made for.
  void check(const FxTensorDesc *inputs, int inputCount, const FxTensorDesc *outputs, int outputCount) const;

private:
  const LaunchPlan &plan;
  std::vector<FxTensorInfo> inputs, outputs;
  FxGraphInfo info = {};
};

/// Checks and enqueues one call. Outputs without data, and the workspace, come from
/// options->allocate; without it the call allocates and, where it needs a workspace,
/// waits for the stream.
void runTensors(const LoadedGraph &graph, const FxTensorDesc *inputs, int inputCount,
                FxTensorDesc *outputs, int outputCount, const FxRunOptions *options);

} // namespace runtime
} // namespace fxgraph

#endif // FXGRAPH_LIB_RUNTIME_TENSORCALL_H
