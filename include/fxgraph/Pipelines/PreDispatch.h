// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pre-dispatch pipeline: Inductor's `_run_pre_dispatch_passes` as a list of passes.

#ifndef FXGRAPH_PIPELINES_PREDISPATCH_H
#define FXGRAPH_PIPELINES_PREDISPATCH_H

#include "fxgraph/Support/LLVM.h"
#include "fxgraph/Support/OptionText.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

namespace fxgraph {

struct PreDispatchOptions : public mlir::PassPipelineOptions<PreDispatchOptions> {
  Option<OptionText> add{*this, "add",
                          llvm::cl::desc("names of passes to run after the list: a,b (Inductor's add_passes); one of "
                                         "the list runs a second time")};
  Option<OptionText> remove{*this, "remove",
                             llvm::cl::desc("names of passes of the list not to run: a,b (Inductor's remove_passes); "
                                            "remove_noop is the last run of remove_noop_pass")};
  Option<OptionText> numerics{
      *this, "numerics",
      llvm::cl::desc("exact: bit-equal rewrites only; reassociate: also other summation orders; relaxed: also other "
                     "roundings"),
      llvm::cl::init("relaxed")};
  Option<bool> stabilizeRelu{*this, "stabilize-relu",
                             llvm::cl::desc("relu_nan_to_num also makes every relu give 0 for NaN: not "
                                            "value-preserving"),
                             llvm::cl::init(false)};
  Option<int64_t> minFuseSetSize{*this, "min-fuse-set-size", llvm::cl::desc("smallest group that a batch fusion fuses"),
                                 llvm::cl::init(5)};
  Option<int64_t> maxFuseSetSize{*this, "max-fuse-set-size", llvm::cl::desc("largest group that a batch fusion fuses"),
                                 llvm::cl::init(300)};
  Option<int64_t> maxFuseSearchDepth{
      *this, "max-fuse-search-depth",
      llvm::cl::desc("Inductor's search depth; 0: unlimited, the whole graph in one sweep"), llvm::cl::init(0)};
  Option<OptionText> report{*this, "report",
                             llvm::cl::desc("write counters and rewrites to this JSON file (and FILE.html)")};
};

/// The passes as text, to be run on each function: what will run, in order.
/// Error: what is wrong with the options.
FailureOr<std::string> getPreDispatchPipeline(const PreDispatchOptions &options, std::string &error);

/// Appends the pipeline; it runs on every function of a module.
LogicalResult buildPreDispatchPipeline(mlir::OpPassManager &pm, const PreDispatchOptions &options,
                                       function_ref<LogicalResult(const Twine &)> onError);

/// Registers --fxgraph-pre-dispatch.
void registerPreDispatchPipeline();

} // namespace fxgraph

#endif // FXGRAPH_PIPELINES_PREDISPATCH_H
