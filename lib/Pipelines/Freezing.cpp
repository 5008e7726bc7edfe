// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order and options of the passes on a graph whose weights are known
// (torch/_inductor/fx_passes/freezing_patterns.py, freezing_passes). What is computed
// from weights alone is folded by fxgraph-freezing-split, behind this.

#include "AtenPipeline.h"

using namespace fxgraph;

FailureOr<std::string> fxgraph::getFreezingPipeline(const FreezingOptions &options, std::string &error) {
  FailureOr<AtenSettings> settings = readAtenSettings(options, error);
  if (failed(settings))
    return failure();
  PassList passes(*settings);
  passes.add(options.customPrePass);
  if (options.patternMatcher) {
    // Inductor folds constants and arithmetic in up to four rounds; the pass goes on by
    // itself until nothing matches.
    if (settings->best) // what Inductor's freezing does before its passes
      passes.add("fxgraph-noop-remove,fxgraph-noop-cse");
    passes.add("fxgraph-freezing-binary-folding",
               (options.linearBinaryFolding ? "enable-linear-binary-folding=true numerics=$n"
                                            : "enable-linear-binary-folding=false numerics=$n") +
                   std::string(options.assumeNonzeroDivisors ? " assume-nonzero-divisors=true" : ""));
    passes.add("fxgraph-freezing-matmul-concat", "default-device=$d numerics=$n");
    passes.add("fxgraph-noop-remove"); // unnecessary_dtype_convert
    if (settings->best) // numbers that have become biases, in the shapes and dtypes of those
      passes.add("fxgraph-jointgraph-constant-fold-uniform-value");
    if (options.packWeights) {
      passes.add("fxgraph-onednn-weight-only-int8", "numerics=$n");
      passes.add("fxgraph-onednn-quantized-views");
      passes.add("fxgraph-onednn-quantized-products", "default-device=$d numerics=$n");
      passes.add("fxgraph-onednn-pack-weights", "default-device=$d numerics=$n");
      passes.add("fxgraph-onednn-fuse-binary");
      passes.add("fxgraph-onednn-fuse-unary", "numerics=$n");
      passes.add("fxgraph-onednn-quantized-results");
    }
    if (settings->best && allows(settings->widest, NumericClass::ChangesPrecision))
      passes.add("fxgraph-convbn-fold");
  }
  passes.add(options.customPostPass);
  return passes.str();
}

void fxgraph::registerFreezingPipeline() {
  registerTextPipeline<FreezingOptions>(
      "fxgraph-freezing",
      "PyTorch Inductor's passes on a graph with known weights: arithmetic folded into them, products joined",
      getFreezingPipeline);
}
