// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order and options of the pre-dispatch passes (torch/_inductor/fx_passes/pre_grad.py,
// _run_pre_dispatch_passes; order in passes.md, section 7.1). In Inductor's open version
// most of the list is empty; docs/Passes/PreDispatch.md says what each name does here.
//
// Inductor ignores names that it does not know. Here they are errors.

#include "fxgraph/Pipelines/PreDispatch.h"
#include "fxgraph/Pipelines/FusionOptions.h"
#include "fxgraph/Pipelines/PreGrad.h"
#include "fxgraph/Support/PassText.h"
#include "fxgraph/Transforms/Utils/Numerics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace fxgraph;

namespace {
/// A name of the list, and what runs for it.
struct Step {
  StringRef name;
  /// Our passes, separated by commas; `$n` stands for the pipeline's numerics.
  StringRef passes;
};
} // namespace

static constexpr StringRef kFusions = "group_batch_fusion_passes", kRelu = "relu_nan_to_num";
static constexpr StringRef kNoop = "fxgraph-noop-remove{counter=remove_noop_pass}";
static constexpr StringRef kKwargs = "fxgraph-normalize{view-to-reshape=true count-synonyms=true "
                                     "counter=normalize_node_kwargs_pass}";

/// What runs unless it is removed, in order.
static const Step kList[] = {
    {"normalization_pass_aten", "fxgraph-normalize{counter=normalization_pass_aten}"},
    {"normalize_node_kwargs_pass", kKwargs},
    {"remove_noop_pass", kNoop},
    {kRelu, "fxgraph-predispatch-relu-nan-to-num"},
    {"fuse_chunk_reshape_concat_pass", "fxgraph-predispatch-fuse-chunk-reshape-concat"},
    {kFusions, ""},
    {"normalize_node_kwargs_pass", kKwargs},
    {"fuse_chunk_squeeze_cat_pass", "fxgraph-predispatch-fuse-chunk-squeeze-cat"},
    {"merge_concats_pass", "fxgraph-predispatch-merge-concats"},
    {"fuse_split_linear_add_pass", "fxgraph-predispatch-fuse-split-linear-add{numerics=$n}"},
    {"remove_reshape_pass", "fxgraph-predispatch-remove-reshape"},
    {"fuse_parallel_linear_pass", "fxgraph-group-fuse-parallel-linear{numerics=$n}"},
    {"remove_split_ops_pass", "fxgraph-predispatch-remove-split-ops"},
    {"stack_to_unsqueeze_pass", "fxgraph-predispatch-stack-to-unsqueeze"},
    {"fuse_chunk_reshape_unsqueeze_concat_pass", "fxgraph-predispatch-fuse-chunk-reshape-unsqueeze-concat"},
};

/// What runs only if it is added, in order; the last ones are names that Inductor has in
/// no list.
static const Step kOptional[] = {
    {"fuse_split_getitem_squeeze_cat", "fxgraph-predispatch-fuse-split-getitem-squeeze-cat"},
    {"use_triton_dot_compress", "fxgraph-predispatch-dot-compress"},
    {"use_triton_lce_replace_simple_LCE", "fxgraph-predispatch-simple-lce{numerics=$n}"},
    {"use_triton_lce_replace_normal_LCE", "fxgraph-predispatch-normal-lce{numerics=$n}"},
    {"use_matmul_fuse_lce_replace_first_LCE", "fxgraph-predispatch-fuse-lce{numerics=$n}"},
    {"use_matmul_lce_replace_normal_LCE", "fxgraph-predispatch-matmul-lce{numerics=$n}"},
    {"remove_split_ops", "fxgraph-predispatch-remove-split-ops"},
    {"merge_splits_pass_aten", "fxgraph-splitcat-merge-splits"},
    {"split_cat_pass_aten", "fxgraph-splitcat-cancel,fxgraph-splitcat-split-cat"},
    {"unbind_stack_pass_aten", "fxgraph-splitcat-stack-unbind-cancel"},
    {"merge_getitem_cat_pass_aten", "fxgraph-splitcat-merge-getitem-cat"},
    {"merge_stack_tahn_unbind_pass_aten", "fxgraph-splitcat-merge-stack-tanh-unbind"},
    {"mutate_cat_pass_aten", "fxgraph-splitcat-mutate-cat"},
    {"remove_split_with_size_one_pass_aten", "fxgraph-splitcat-remove-split-with-size-one"},
};

/// The last run of remove_noop_pass: a name for `remove` alone.
static constexpr StringRef kLastNoop = "remove_noop";

/// Dashes and underscores are the same. No `_pass` is added: remove_noop and
/// remove_noop_pass are two names.
static std::string spell(StringRef name) {
  std::string text = name.lower();
  llvm::replace(text, '-', '_');
  return text;
}

/// The names of `a,b`, each known. Error: what was expected.
static FailureOr<SmallVector<std::string>> parseNames(StringRef text, StringRef option, bool isRemove,
                                                      std::string &error) {
  SmallVector<StringRef> known;
  for (const Step &step : llvm::concat<const Step>(kList, kOptional))
    if (!llvm::is_contained(known, step.name))
      known.push_back(step.name);
  if (isRemove)
    known.push_back(kLastNoop);
  SmallVector<StringRef> names;
  text.split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  SmallVector<std::string> result;
  for (StringRef name : names) {
    if (llvm::none_of(known, [&](StringRef other) { return spell(other) == spell(name); })) {
      error = ("unknown pass '" + name + "' in " + option + ": expected one of " + llvm::join(known, ", ")).str();
      return failure();
    }
    result.push_back(spell(name));
  }
  return result;
}

/// The batch fusions that the pre-grad pipeline runs by default.
static std::string getFusions(const PreDispatchOptions &options, NumericClass widest) {
  SmallVector<std::string> passes;
  for (const FusionKey &key : getPreGradKeys())
    if (key.isBatchFusion && key.byDefault && allows(widest, key.numerics))
      passes.push_back(getPassText({&key, {}, {}}, options.numerics,
                                   {{"min-fuse-set-size", std::to_string(options.minFuseSetSize)},
                                    {"max-fuse-set-size", std::to_string(options.maxFuseSetSize)},
                                    {"max-fuse-search-depth", std::to_string(options.maxFuseSearchDepth)}}));
  return llvm::join(passes, ",");
}

FailureOr<std::string> fxgraph::getPreDispatchPipeline(const PreDispatchOptions &options, std::string &error) {
  std::optional<NumericClass> widest = parseNumerics(options.numerics);
  if (!widest) {
    error = "expected numerics to be exact, reassociate or relaxed but got '" + options.numerics + "'";
    return failure();
  }
  if (failed(checkFuseSet(options.minFuseSetSize, options.maxFuseSetSize, options.maxFuseSearchDepth, error)))
    return failure();
  auto added = parseNames(options.add, "add", /*isRemove=*/false, error);
  auto removed = failed(added) ? added : parseNames(options.remove, "remove", /*isRemove=*/true, error);
  if (failed(removed))
    return failure();
  SmallVector<std::string> passes;
  auto run = [&](const Step &step) {
    std::string text = step.passes.str();
    if (step.name == kFusions)
      text = getFusions(options, *widest);
    if (step.name == kRelu && options.stabilizeRelu)
      text += "{mode=stabilize}";
    if (size_t at = text.find("$n"); at != std::string::npos)
      text.replace(at, 2, options.numerics);
    if (!text.empty())
      passes.push_back(std::move(text));
  };
  // The list without what is removed; then, in the order of the list and not of `add`,
  // what is added, be it removed or not.
  for (const Step &step : kList)
    if (!llvm::is_contained(*removed, spell(step.name)))
      run(step);
  for (const Step &step : llvm::concat<const Step>(kList, kOptional))
    if (llvm::is_contained(*added, spell(step.name)))
      run(step);
  if (!llvm::is_contained(*removed, kLastNoop))
    passes.push_back(kNoop.str());
  return llvm::join(passes, ",");
}

LogicalResult fxgraph::buildPreDispatchPipeline(mlir::OpPassManager &pm, const PreDispatchOptions &options,
                                                function_ref<LogicalResult(const Twine &)> onError) {
  std::string error;
  FailureOr<std::string> passes = getPreDispatchPipeline(options, error);
  if (failed(passes))
    return onError("fxgraph-pre-dispatch: " + error);
  // All that there was may have been removed.
  std::string text = *passes;
  if (pm.getOpAnchorName() != mlir::func::FuncOp::getOperationName() && !text.empty())
    text = "func.func(" + text + ")";
  if (!options.report.empty())
    text = withReport(text, options.report);
  if (text.empty())
    return success();
  if (failed(parsePassText(text, pm, error)))
    return onError("fxgraph-pre-dispatch: " + error);
  return success();
}

void fxgraph::registerPreDispatchPipeline() {
  mlir::registerPassPipeline(
      "fxgraph-pre-dispatch", "PyTorch Inductor's pre-dispatch list: cats of reshaped pieces, no-ops, batch fusions",
      [](mlir::OpPassManager &pm, StringRef text, function_ref<LogicalResult(const Twine &)> onError) -> LogicalResult {
        PreDispatchOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        return buildPreDispatchPipeline(pm, options, onError);
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> handler) { handler(PreDispatchOptions()); });
}
