// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pre-grad pipeline: Inductor's `pre_grad_passes` as a list of passes.

#ifndef FXGRAPH_PIPELINES_PREGRAD_H
#define FXGRAPH_PIPELINES_PREGRAD_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/MapVector.h"

namespace fxgraph {

/// One entry of `pre_grad_fusion_options`: a key and its options, in order.
struct FusionEntry {
  std::string name; ///< as Inductor spells it, e.g. "batch_linear"
  SmallVector<std::pair<std::string, std::string>> options;
};
using FusionOptions = SmallVector<FusionEntry>;

/// Parses `batch-linear{min-fuse-set-size=5 max-fuse-set-size=300},split-cat`.
/// Dashes and underscores are the same; a missing `_pass` at the end is added
/// where Inductor's name has it. Error: what is wrong with which entry.
FailureOr<FusionOptions> parseFusions(StringRef text, std::string &error);

/// Reads `pre_grad_fusion_options` (and `permute_fusion`, `freezing`, `numerics`)
/// from a YAML or JSON file.
struct PreGradConfig {
  std::optional<FusionOptions> fusions;
  std::optional<bool> permuteFusion, freezing;
  std::optional<std::string> numerics;
};
FailureOr<PreGradConfig> readPreGradConfig(StringRef file, std::string &error);

struct PreGradOptions : public mlir::PassPipelineOptions<PreGradOptions> {
  Option<std::string> fusions{
      *this, "fusions",
      llvm::cl::desc("Inductor's pre_grad_fusion_options: name{option=value …},… (default: all of "
                     "them, in our order)")};
  Option<std::string> config{*this, "config", llvm::cl::desc("YAML or JSON file with pre_grad_fusion_options")};
  Option<bool> permuteFusion{*this, "permute-fusion",
                             llvm::cl::desc("fuse linear and matmul with permutes (Inductor's permute_fusion)"),
                             llvm::cl::init(true)};
  Option<bool> freezing{*this, "freezing",
                        llvm::cl::desc("fold eval batch norms into convolutions (Inductor does so when freezing)"),
                        llvm::cl::init(true)};
  Option<std::string> numerics{
      *this, "numerics",
      llvm::cl::desc("exact: bit-equal rewrites only; relaxed: also those that reassociate sums "
                     "or change rounding"),
      llvm::cl::init("relaxed")};
  Option<int64_t> minFuseSetSize{*this, "min-fuse-set-size", llvm::cl::desc("smallest group that a batch fusion fuses"),
                                 llvm::cl::init(5)};
  Option<int64_t> maxFuseSetSize{*this, "max-fuse-set-size", llvm::cl::desc("largest group that a batch fusion fuses"),
                                 llvm::cl::init(300)};
  Option<int64_t> maxFuseSearchDepth{
      *this, "max-fuse-search-depth",
      llvm::cl::desc("Inductor's search depth; 0: unlimited, the whole graph in one sweep"), llvm::cl::init(0)};
  Option<std::string> report{*this, "report",
                             llvm::cl::desc("write counters and rewrites to this JSON file (and FILE.html)")};
};

/// The passes as text, to be run on each function: what will run, in order.
/// Error: what is wrong with the options.
FailureOr<std::string> getPreGradPipeline(const PreGradOptions &options, std::string &error);

/// Appends the pipeline; it runs on every function of a module.
LogicalResult buildPreGradPipeline(mlir::OpPassManager &pm, const PreGradOptions &options,
                                   function_ref<LogicalResult(const Twine &)> onError);

void registerPipelines();

} // namespace fxgraph

#endif // FXGRAPH_PIPELINES_PREGRAD_H
