// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order and options of the joint-graph passes (torch/_inductor/fx_passes/
// joint_graph.py, joint_graph_passes).

#include "AtenPipeline.h"
#include <cmath>

using namespace fxgraph;

FailureOr<std::string> fxgraph::getJointGraphPipeline(const JointGraphOptions &options, std::string &error) {
  FailureOr<AtenSettings> settings = readAtenSettings(options, error);
  if (failed(settings))
    return failure();
  double factor;
  if (StringRef(options.shapePaddingMultiplier).getAsDouble(factor) || !std::isfinite(factor) || factor <= 0) {
    error = "expected shape-padding-multiplier to be a number > 0 but got '" + options.shapePaddingMultiplier + "'";
    return failure();
  }
  if (failed(checkNumber("k-threshold-to-pad", options.kThresholdToPad, 0, error)))
    return failure();
  std::string padding = "default-device=$d numerics=$n shape-padding-multiplier=" + options.shapePaddingMultiplier +
                        " k-threshold-to-pad=" + std::to_string(options.kThresholdToPad) +
                        (options.forceShapePad ? " force-shape-pad=true" : "");
  auto list = [&]() {
    PassList passes(*settings);
    if (!options.patternMatcher)
      return passes.str();
    passes.add("fxgraph-noop-remove");
    if (options.constantFolding)
      passes.add("fxgraph-jointgraph-constant-fold-uniform-value");
    // early_patterns
    passes.add("fxgraph-jointgraph-pointless-views");
    passes.add("fxgraph-jointgraph-pointless-convert", "numerics=$n");
    // pass_patterns[0]
    if (options.shapePadding)
      passes.add("fxgraph-matmul-pad-mm", padding);
    if (options.fuseAttention)
      passes.add("fxgraph-attention-fuse", "numerics=$n");
    passes.add("fxgraph-jointgraph-fix-iota-device");
    passes.add("fxgraph-matmul-bmm-to-mm", "default-device=$d");
    // pass_patterns[1], behind attention, which it would hide
    passes.add("fxgraph-jointgraph-scaled-softmax", "numerics=$n");
    if (!options.fallbackRandom)
      passes.add("fxgraph-jointgraph-replace-random,fxgraph-jointgraph-fuse-seed-creation");
    return passes.str();
  };
  PassList all(*settings);
  all.add("fxgraph-jointgraph-canonicalize-quant-mapping"); // canonicalize_aten_ir_passes
  all.add(options.customPrePass);
  std::string passes = list();
  all.add(settings->best && !passes.empty() ? inRounds(options.maxRounds, passes + ",fxgraph-noop-cse") : passes);
  all.add(options.customPostPass);
  return all.str();
}

void fxgraph::registerJointGraphPipeline() {
  registerTextPipeline<JointGraphOptions>(
      "fxgraph-joint-graph", "PyTorch Inductor's joint-graph passes: uniform values, views, attention, softmax scaling",
      getJointGraphPipeline);
}
