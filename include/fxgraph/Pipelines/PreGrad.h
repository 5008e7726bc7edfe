// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pre-grad pipeline: Inductor's `pre_grad_passes` as a list of passes.

#ifndef FXGRAPH_PIPELINES_PREGRAD_H
#define FXGRAPH_PIPELINES_PREGRAD_H

#include "fxgraph/Pipelines/FusionOptions.h"
#include "fxgraph/Support/OptionText.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

namespace fxgraph {

struct PreGradOptions : public mlir::PassPipelineOptions<PreGradOptions> {
  Option<OptionText> fusions{*this, "fusions",
                              llvm::cl::desc("Inductor's pre_grad_fusion_options: name{option=value …},… or none "
                                             "(default: all that are on by default, in our order)")};
  Option<OptionText> config{
      *this, "config",
      llvm::cl::desc("YAML or JSON file with pre_grad_fusion_options and the other settings of Inductor's config")};
  Option<OptionText> mode{
      *this, "mode",
      llvm::cl::desc("inductor: Inductor's order, each pass once; best: our order, in rounds until nothing changes, "
                     "only what the cost model says gains"),
      llvm::cl::init("inductor")};
  Option<OptionText> addPasses{*this, "add-passes", llvm::cl::desc("names of fusions to run as well: a,b")};
  Option<OptionText> removePasses{*this, "remove-passes", llvm::cl::desc("names of fusions not to run: a,b")};
  Option<bool> isPredispatch{
      *this, "is-predispatch",
      llvm::cl::desc("run the pre-dispatch list in place of the fusions (Inductor's is_predispatch); add-passes and "
                     "remove-passes then speak of that list"),
      llvm::cl::init(false)};
  Option<bool> permuteFusion{*this, "permute-fusion",
                             llvm::cl::desc("fuse linear and matmul with permutes (Inductor's permute_fusion)"),
                             llvm::cl::init(true)};
  Option<bool> freezing{*this, "freezing",
                        llvm::cl::desc("fold eval batch norms into convolutions (Inductor does so when freezing)"),
                        llvm::cl::init(true)};
  Option<bool> efficientConvBnEval{
      *this, "efficient-conv-bn-eval",
      llvm::cl::desc("scale convolution weights by eval batch norms in the graph, for weights that change (Inductor's "
                     "efficient_conv_bn_eval_fx_passes; not with freezing)"),
      llvm::cl::init(false)};
  Option<bool> gumbelMax{*this, "gumbel-max",
                         llvm::cl::desc("sample by argmax(logits - log e) instead of argmax(softmax / e)"),
                         llvm::cl::init(false)};
  Option<OptionText> customPass{
      *this, "custom-pass",
      llvm::cl::desc("passes on func.func to run after the fusions (Inductor's pre_grad_custom_pass), as text in "
                     "braces")};
  Option<OptionText> numerics{
      *this, "numerics",
      llvm::cl::desc("exact: bit-equal rewrites only; reassociate: also other summation orders; relaxed: also other "
                     "roundings"),
      llvm::cl::init("relaxed")};
  Option<int64_t> minFuseSetSize{*this, "min-fuse-set-size", llvm::cl::desc("smallest group that a batch fusion fuses"),
                                 llvm::cl::init(5)};
  Option<int64_t> maxFuseSetSize{*this, "max-fuse-set-size", llvm::cl::desc("largest group that a batch fusion fuses"),
                                 llvm::cl::init(300)};
  Option<int64_t> maxFuseSearchDepth{
      *this, "max-fuse-search-depth",
      llvm::cl::desc("Inductor's search depth; 0: unlimited, the whole graph in one sweep"), llvm::cl::init(0)};
  Option<int64_t> maxRounds{*this, "max-rounds", llvm::cl::desc("most rounds of mode=best"), llvm::cl::init(8)};
  Option<bool> numericCheck{
      *this, "numeric-check",
      llvm::cl::desc("compare the whole graph before and after on random inputs (fx_passes_numeric_check)"),
      llvm::cl::init(false)};
  Option<OptionText> precision{*this, "precision", llvm::cl::desc("tolerance of numeric-check"),
                                llvm::cl::init("1e-4")};
  Option<OptionText> iterations{*this, "num-iterations", llvm::cl::desc("comparisons of numeric-check"),
                                 llvm::cl::init("1")};
  Option<OptionText> report{*this, "report",
                             llvm::cl::desc("write counters and rewrites to this JSON file (and FILE.html)")};
};

/// The keys that `pre_grad_fusion_options` may hold, in the order in which the
/// default pipeline runs them.
ArrayRef<FusionKey> getPreGradKeys();

/// The passes as text, to be run on each function: what will run, in order.
/// Error: what is wrong with the options.
FailureOr<std::string> getPreGradPipeline(const PreGradOptions &options, std::string &error);

/// Appends the pipeline; it runs on every function of a module.
LogicalResult buildPreGradPipeline(mlir::OpPassManager &pm, const PreGradOptions &options,
                                   function_ref<LogicalResult(const Twine &)> onError);

void registerPipelines();

} // namespace fxgraph

#endif // FXGRAPH_PIPELINES_PREGRAD_H
