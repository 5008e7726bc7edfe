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
    bool best = settings->best;
    // With mode=best passes go in rounds, each kept only if the graph has no more ops than before.
    auto add = [&](PassList &passes, StringRef pass, StringRef passOptions = "") {
      PassList alone(*settings);
      alone.add(pass, passOptions);
      passes.add(best ? inRounds(1, alone.str()) : alone.str());
    };
    auto addEarly = [&](PassList &passes) {
      add(passes, "fxgraph-noop-remove");
      if (options.constantFolding)
        add(passes, "fxgraph-jointgraph-constant-fold-uniform-value");
      // early_patterns
      add(passes, "fxgraph-jointgraph-pointless-views");
      add(passes, "fxgraph-jointgraph-pointless-convert", "numerics=$n");
      if (best) {
        // A piece of a `cat` that is one of its operands; Inductor has this behind autodiff's split alone.
        add(passes, "fxgraph-splitcat-cancel");
        add(passes, "fxgraph-noop-cse");
      }
    };
    PassList early(*settings), late(*settings);
    addEarly(early);
    all.add(best ? inRounds(options.maxRounds, early.str()) : early.str());
    // pass_patterns[0]. These two save time, whatever they do to the number of ops.
    if (options.shapePadding)
      all.add("fxgraph-matmul-pad-mm", padding);
    if (options.fuseAttention)
      all.add("fxgraph-attention-fuse", "numerics=$n");
    add(late, "fxgraph-jointgraph-fix-iota-device");
    add(late, "fxgraph-matmul-bmm-to-mm", "default-device=$d");
    // pass_patterns[1], behind attention, which it would hide
    add(late, "fxgraph-jointgraph-scaled-softmax", "numerics=$n");
    if (best)
      addEarly(late);
    all.add(best ? inRounds(options.maxRounds, late.str()) : late.str());
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
