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
  PassList all(*settings);
  all.add("fxgraph-jointgraph-canonicalize-quant-mapping"); // canonicalize_aten_ir_passes
  all.add(options.customPrePass);
  if (options.patternMatcher) {
    // With mode=best these go in rounds, each kept only if the graph has no more ops than before.
    PassList rounds(*settings);
    auto add = [&](StringRef pass, StringRef passOptions = "") {
      PassList alone(*settings);
      alone.add(pass, passOptions);
      rounds.add(settings->best ? inRounds(1, alone.str()) : alone.str());
    };
    add("fxgraph-noop-remove");
    if (options.constantFolding)
      add("fxgraph-jointgraph-constant-fold-uniform-value");
    // early_patterns
    add("fxgraph-jointgraph-pointless-views");
    add("fxgraph-jointgraph-pointless-convert", "numerics=$n");
    // pass_patterns[0]
    if (options.shapePadding && !settings->best)
      add("fxgraph-matmul-pad-mm", padding);
    if (options.fuseAttention)
      add("fxgraph-attention-fuse", "numerics=$n");
    add("fxgraph-jointgraph-fix-iota-device");
    add("fxgraph-matmul-bmm-to-mm", "default-device=$d");
    // pass_patterns[1], behind attention, which it would hide
    add("fxgraph-jointgraph-scaled-softmax", "numerics=$n");
    if (settings->best)
      add("fxgraph-noop-cse");
    all.add(settings->best ? inRounds(options.maxRounds, rounds.str()) : rounds.str());
    // It saves time, not ops.
    if (options.shapePadding && settings->best)
      all.add("fxgraph-matmul-pad-mm", padding);
    if (!options.fallbackRandom)
      all.add("fxgraph-jointgraph-replace-random,fxgraph-jointgraph-fuse-seed-creation");
  }
  all.add(options.customPostPass);
  return all.str();
}

void fxgraph::registerJointGraphPipeline() {
  registerTextPipeline<JointGraphOptions>(
      "fxgraph-joint-graph", "PyTorch Inductor's joint-graph passes: uniform values, views, attention, softmax scaling",
      getJointGraphPipeline);
}
