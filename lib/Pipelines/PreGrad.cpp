// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order and options of the pre-grad passes (torch/_inductor/fx_passes/
// pre_grad.py; order in passes.md, section 2.2). The pipeline is built as text
// from a table, so that what runs can be printed, replayed and cut down.

#include "fxgraph/Pipelines/PreGrad.h"
#include "fxgraph/Support/PassText.h"
#include "fxgraph/Transforms/Utils/Numerics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace fxgraph;

static constexpr NumericClass kReassociates = NumericClass::Reassociates;
static constexpr NumericClass kExact = NumericClass::Exact;

// What the rows below are made of.
static constexpr unsigned kLinear = FusionOption::FuseSet | FusionOption::SameUsers;
static constexpr unsigned kPointwise = FusionOption::FuseSet | FusionOption::SameParent;
static constexpr unsigned kMath = FusionOption::FuseSet | FusionOption::FirstUser;
static constexpr unsigned kPattern = FusionOption::Counter;
static constexpr unsigned kRuns = FusionOption::Counter | FusionOption::Threshold;

// Columns: key, passes, options, numerics, takesNumerics, isBatchFusion, byDefault.
static const FusionKey kKeys[] = {
    // Inductor ignores `counter` for it.
    {"normalization_pass", "fxgraph-normalize", FusionOption::None, kExact, false, false},
    {"batch_linear", "fxgraph-group-batch-linear", kLinear, kReassociates, true, true},
    {"batch_linear_lhs", "fxgraph-group-batch-linear-lhs", FusionOption::FuseSet, kReassociates, true, true},
    {"batch_layernorm", "fxgraph-group-batch-layernorm", kLinear, kExact, true, true},
    {"batch_tanh", "fxgraph-group-batch-tanh", kPointwise, kExact, false, true},
    {"batch_sigmoid", "fxgraph-group-batch-sigmoid", kPointwise, kExact, false, true},
    {"batch_relu", "fxgraph-group-batch-relu", kPointwise, kExact, false, true},
    // Cheap elementwise ops: a stack that does not cancel costs more than it saves.
    {"batch_detach", "fxgraph-group-batch-detach", kMath, kExact, false, true, false},
    {"batch_nan_to_num", "fxgraph-group-batch-nan-to-num", kMath, kExact, false, true, false},
    {"batch_clamp", "fxgraph-group-batch-clamp", kMath, kExact, false, true, false},
    {"batch_dropout", "fxgraph-group-batch-dropout", kMath | FusionOption::Random, kExact, false, true, false},
    // For huge cats alone (its floor-bytes), and the opposite of fuse_split_linear_add.
    {"cat_linear", "fxgraph-group-cat-linear", FusionOption::CatLinear, kReassociates, true, true, false},
    {"remove_split_with_size_one_pass", "fxgraph-splitcat-remove-split-with-size-one", kPattern},
    {"merge_getitem_cat_pass", "fxgraph-splitcat-merge-getitem-cat", kPattern},
    {"merge_stack_tahn_unbind_pass", "fxgraph-splitcat-merge-stack-tanh-unbind", kPattern},
    {"merge_splits_pass", "fxgraph-splitcat-merge-splits", kPattern},
    {"mutate_cat_pass", "fxgraph-splitcat-mutate-cat", kPattern},
    // split_cat_pass is more than one pass here.
    {"split_cat_pass", "fxgraph-splitcat-cancel,fxgraph-splitcat-split-cat", kPattern},
    {"unbind_stack_pass", "fxgraph-splitcat-stack-unbind-cancel", kPattern},
    {"split_cat_to_slices_pass", "fxgraph-splitcat-split-cat-to-slices", kRuns},
    {"unbind_cat_to_view_pass", "fxgraph-splitcat-unbind-cat-to-view", kRuns},
    {"split_stack_to_cats_pass", "fxgraph-splitcat-split-stack-to-cats", kRuns},
    {"unbind_stack_to_slices_pass", "fxgraph-splitcat-unbind-stack-to-slices", kRuns},
    {"move_reshape_out_of_split_stack_pass", "fxgraph-splitcat-move-reshape-out-of-split-stack", kRuns},
    // A product of rank 4 that only pays where it fuses with the addition behind it.
    {"einsum_to_pointwise_pass", "fxgraph-algebra-einsum-to-pointwise", kPattern, kReassociates, true, false, false},
};

ArrayRef<FusionKey> fxgraph::getPreGradKeys() { return kKeys; }

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

namespace {
/// The pipeline's options with those of the config file put in: the file wins.
struct Settings {
  FusionOptions fusions;
  bool isDefault = true; ///< no dictionary was given
  bool best = false;
  bool permuteFusion, freezing, efficientConvBnEval, gumbelMax, isPredispatch, numericCheck;
  std::string numerics, precision, iterations, add, remove;
  NumericClass widest = NumericClass::Exact;
};
} // namespace

static constexpr StringRef kSwitches[] = {"permute_fusion", "freezing", "efficient_conv_bn_eval_fx_passes",
                                          "is_predispatch"};
static constexpr StringRef kTexts[] = {"numerics", "mode", "add_pre_grad_passes", "remove_pre_grad_passes"};

/// The names in `a,b`, each a known key.
static FailureOr<SmallVector<const FusionKey *>> parseNames(StringRef text, StringRef option, std::string &error) {
  SmallVector<StringRef> names;
  llvm::SplitString(text, names, ", ");
  SmallVector<const FusionKey *> keys;
  for (StringRef name : names) {
    const FusionKey *key = findFusionKey(kKeys, name);
    if (!key) {
      FusionOptions ignored;
      (void)addFusionEntry(kKeys, name, {}, ignored, error);
      error = option.str() + ": " + error;
      return failure();
    }
    keys.push_back(key);
  }
  return keys;
}

static FailureOr<Settings> readSettings(const PreGradOptions &options, std::string &error) {
  FusionConfig config;
  if (!options.config.empty()) {
    FailureOr<FusionConfig> read =
        readFusionConfig(kKeys, options.config, "pre_grad_fusion_options", kSwitches, kTexts, error);
    if (failed(read))
      return failure();
    config = std::move(*read);
  }
  auto getSwitch = [&](StringRef name, bool otherwise) {
    auto it = config.switches.find(name.str());
    return it == config.switches.end() ? otherwise : it->second;
  };
  auto getText = [&](StringRef name, StringRef otherwise) {
    auto it = config.texts.find(name.str());
    return it == config.texts.end() ? otherwise.str() : it->second;
  };
  Settings settings;
  settings.permuteFusion = getSwitch("permute_fusion", options.permuteFusion);
  settings.freezing = getSwitch("freezing", options.freezing);
  settings.efficientConvBnEval = getSwitch("efficient_conv_bn_eval_fx_passes", options.efficientConvBnEval);
  settings.isPredispatch = getSwitch("is_predispatch", options.isPredispatch);
  settings.gumbelMax = options.gumbelMax;
  settings.numericCheck = config.numericCheck.value_or(options.numericCheck);
  settings.precision = config.precision.value_or(options.precision);
  settings.iterations = config.iterations.value_or(options.iterations);
  settings.add = getText("add_pre_grad_passes", options.addPasses);
  settings.remove = getText("remove_pre_grad_passes", options.removePasses);
  settings.numerics = getText("numerics", options.numerics);
  std::optional<NumericClass> widest = parseNumerics(settings.numerics);
  if (!widest) {
    error = "expected numerics to be exact, reassociate or relaxed but got '" + settings.numerics + "'";
    return failure();
  }
  settings.widest = *widest;
  std::string mode = getText("mode", options.mode);
  if (mode != "inductor" && mode != "best") {
    error = "expected mode=inductor or mode=best but got '" + mode + "'";
    return failure();
  }
  settings.best = mode == "best";

  if (failed(checkFuseSet(options.minFuseSetSize, options.maxFuseSetSize, options.maxFuseSearchDepth, error)) ||
      failed(checkNumber("max-rounds", options.maxRounds, 1, error)))
    return failure();
  double precision;
  if (StringRef(settings.precision).getAsDouble(precision) || !std::isfinite(precision) || precision < 0) {
    error = "expected precision to be a finite number >= 0 but got '" + settings.precision + "'";
    return failure();
  }
  uint32_t iterations;
  if (StringRef(settings.iterations).getAsInteger(10, iterations) || iterations == 0) {
    error = "expected num-iterations to be a whole number >= 1 but got '" + settings.iterations + "'";
    return failure();
  }
  mlir::OpPassManager custom(mlir::func::FuncOp::getOperationName());
  if (std::string reason; failed(parsePassText(options.customPass, custom, reason))) {
    error = "expected custom-pass to be passes on func.func but got '" + options.customPass + "': " + reason;
    return failure();
  }

  settings.isDefault = options.fusions.empty() && !config.fusions;
  if (config.fusions)
    settings.fusions = *config.fusions;
  if (!options.fusions.empty()) {
    FailureOr<FusionOptions> parsed = parseFusions(kKeys, options.fusions, error);
    if (failed(parsed))
      return failure();
    settings.fusions = *parsed;
  }
  if (settings.isDefault)
    for (const FusionKey &key : kKeys)
      if (key.byDefault)
        settings.fusions.push_back({&key, {}, {}});
  // With is_predispatch the names belong to the other list.
  if (settings.isPredispatch)
    return settings;
  auto added = parseNames(settings.add, "add-passes", error);
  auto removed = failed(added) ? added : parseNames(settings.remove, "remove-passes", error);
  if (failed(removed))
    return failure();
  llvm::erase_if(settings.fusions, [&](const FusionEntry &entry) { return llvm::is_contained(*removed, entry.key); });
  for (const FusionKey *key : *added)
    if (llvm::none_of(settings.fusions, [&](const FusionEntry &entry) { return entry.key == key; }))
      settings.fusions.push_back({key, {}, {}});
  return settings;
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

/// The passes of an entry, with the pipeline's options; none if they need more than
/// its numerics allows. `ours` is without the restraint that keeps Inductor's counts.
static std::string getText(const FusionEntry &entry, const Settings &settings, const PreGradOptions &options,
                           bool ours) {
  if (!allows(settings.widest, entry.key->numerics))
    return "";
  SmallVector<std::pair<std::string, std::string>> common = {
      {"min-fuse-set-size", std::to_string(options.minFuseSetSize)},
      {"max-fuse-set-size", std::to_string(options.maxFuseSetSize)},
      {"max-fuse-search-depth", std::to_string(options.maxFuseSearchDepth)}};
  FusionKey key = *entry.key;
  if (ours) {
    common.push_back({"allow-steps", "true"});
    if (key.key == "unbind_stack_pass")
      key.passes = "fxgraph-splitcat-stack-unbind-cancel{allow-other-users=true}";
    if (key.key == "split_cat_pass")
      key.passes = "fxgraph-splitcat-cancel,fxgraph-splitcat-split-cat{allow-other-users=true}";
  }
  if (settings.best) {
    common.push_back({"profitable-only", "true"});
    common.push_back({"freezing", settings.freezing ? "true" : "false"});
    common.push_back({"same-first-user", "false"});
  }
  return getPassText({&key, entry.options, entry.devices}, settings.numerics, common);
}

/// The passes of one run, in Inductor's order.
static std::string listPasses(const Settings &settings, const PreGradOptions &options) {
  SmallVector<std::string> passes;
  auto add = [&](StringRef text) {
    if (!text.empty())
      passes.push_back(text.str());
  };
  // Our own list also rewrites a stack whose pieces have other users, as residual
  // connections do, and takes every k-th piece; with Inductor's dictionary it counts as
  // Inductor does.
  bool ours = settings.isDefault;
  // Inductor folds one norm behind a convolution, we all of a row of them.
  std::string normChains = ours ? "" : "{norm-chains=false}";

  // One op for each operand of the cat instead of one for all: Inductor's choice, not
  // ours, unless they fuse with what makes the operands.
  if (!ours)
    add("fxgraph-splitcat-sink-cat-after-pointwise");
  // Inductor's fuse_fx comes first: the batch fusions below would otherwise take
  // linears away from their permutes.
  if (settings.permuteFusion && allows(settings.widest, kReassociates))
    add("fxgraph-linear-permute-fuse{numerics=" + settings.numerics + "}");
  if (settings.freezing && allows(settings.widest, NumericClass::ChangesPrecision))
    add("fxgraph-convbn-fold" + normChains);

  if (settings.isPredispatch) {
    std::string text = "fxgraph-pre-dispatch{numerics=" + settings.numerics +
                       " min-fuse-set-size=" + std::to_string(options.minFuseSetSize) +
                       " max-fuse-set-size=" + std::to_string(options.maxFuseSetSize) +
                       " max-fuse-search-depth=" + std::to_string(options.maxFuseSearchDepth);
    if (!settings.add.empty())
      text += " add=" + quoteOption(settings.add);
    if (!settings.remove.empty())
      text += " remove=" + quoteOption(settings.remove);
    add(text + "}");
  } else {
    // normalization_pass is always first and runs once, wherever its key stands.
    auto isNormalization = [](const FusionEntry &entry) { return entry.key->key == "normalization_pass"; };
    if (llvm::any_of(settings.fusions, isNormalization))
      add("fxgraph-normalize");
    // No-ops hide pieces of a split from the passes that look for them.
    if (ours)
      add("fxgraph-noop-remove");

    // All batch fusions in key order, then the rest in key order.
    for (bool batch : {true, false})
      for (const FusionEntry &entry : settings.fusions)
        if (entry.key->isBatchFusion == batch && !isNormalization(entry))
          add(getText(entry, settings, options, ours));
    if (ours)
      add("fxgraph-noop-remove");
  }
  if (settings.efficientConvBnEval && !settings.freezing && allows(settings.widest, NumericClass::ChangesPrecision))
    add("fxgraph-convbn-efficient-eval" + normChains);
  if (settings.gumbelMax && allows(settings.widest, NumericClass::ChangesPrecision))
    add("fxgraph-algebra-gumbel-max{numerics=" + settings.numerics + "}");
  add(options.customPass);
  add("fxgraph-quantization-lift-up");
  return llvm::join(passes, ",");
}

/// mode=best: rounds of passes that never add ops, and of all others one by one, each
/// with the former behind it and kept only if the graph has no more ops than before.
static std::string listBestPasses(const Settings &settings, const PreGradOptions &options) {
  std::string freezing = settings.freezing ? "true" : "false";
  auto rounds = [&](int64_t count, StringRef passes) {
    return ("fxgraph-fixpoint{max-rounds=" + Twine(count) + " freezing=" + freezing +
            " pipeline=" + quoteOption(passes) + "}")
        .str();
  };
  // Also where the dictionary lacks them: they cost nothing and let the others match.
  static constexpr StringRef kClean =
      "fxgraph-normalize,fxgraph-noop-remove,fxgraph-noop-cse,fxgraph-predispatch-remove-reshape,"
      "fxgraph-predispatch-merge-concats,fxgraph-predispatch-relu-nan-to-num,"
      "fxgraph-splitcat-remove-split-with-size-one,fxgraph-splitcat-merge-getitem-cat,"
      "fxgraph-splitcat-merge-splits,fxgraph-splitcat-mutate-cat,fxgraph-splitcat-cancel";
  SmallVector<std::string> passes = {kClean.str()};
  auto addGuarded = [&](const Twine &text) { passes.push_back(rounds(1, (text + "," + kClean).str())); };
  if (settings.permuteFusion && allows(settings.widest, kReassociates))
    addGuarded("fxgraph-linear-permute-fuse{numerics=" + settings.numerics + "}");
  if (settings.freezing && allows(settings.widest, NumericClass::ChangesPrecision))
    addGuarded("fxgraph-convbn-fold");
  addGuarded("fxgraph-predispatch-fuse-chunk-reshape-concat,fxgraph-predispatch-fuse-chunk-squeeze-cat,"
             "fxgraph-predispatch-fuse-chunk-reshape-unsqueeze-concat");
  addGuarded("fxgraph-predispatch-remove-split-ops");
  if (allows(settings.widest, kReassociates))
    addGuarded("fxgraph-predispatch-fuse-split-linear-add{numerics=" + settings.numerics + "}");
  // The stacks that a batch fusion makes go with the passes on splits, where that leaves
  // fewer ops: of pieces that are stacked twice they make more.
  static constexpr StringRef kSplits =
      "fxgraph-splitcat-cancel,fxgraph-splitcat-split-cat{allow-other-users=true},"
      "fxgraph-splitcat-stack-unbind-cancel{allow-other-users=true},fxgraph-splitcat-merge-stack-tanh-unbind,"
      "fxgraph-splitcat-split-stack-to-cats{allow-steps=true}";
  std::string splits = rounds(1, (kSplits + "," + kClean).str());
  for (bool batch : {false, true})
    for (const FusionEntry &entry : settings.fusions) {
      std::string text = entry.key->isBatchFusion == batch && entry.key->key != "normalization_pass"
                             ? getText(entry, settings, options, /*ours=*/true)
                             : "";
      if (!text.empty())
        addGuarded(batch ? text + "," + splits : text);
    }
  std::string all = rounds(options.maxRounds, llvm::join(passes, ","));
  if (!options.customPass.empty())
    all += "," + options.customPass;
  return all + ",fxgraph-quantization-lift-up";
}

FailureOr<std::string> fxgraph::getPreGradPipeline(const PreGradOptions &options, std::string &error) {
  FailureOr<Settings> settings = readSettings(options, error);
  if (failed(settings))
    return failure();
  std::string passes = settings->best ? listBestPasses(*settings, options) : listPasses(*settings, options);
  if (settings->numericCheck)
    passes = "fxgraph-numeric-check{precision=" + settings->precision + " iterations=" + settings->iterations +
             " pipeline=" + quoteOption(passes) + "}";
  return passes;
}

LogicalResult fxgraph::buildPreGradPipeline(mlir::OpPassManager &pm, const PreGradOptions &options,
                                            function_ref<LogicalResult(const Twine &)> onError) {
  std::string error;
  FailureOr<std::string> passes = getPreGradPipeline(options, error);
  if (failed(passes))
    return onError("fxgraph-pre-grad: " + error);
  std::string text = *passes;
  if (pm.getOpAnchorName() != mlir::func::FuncOp::getOperationName())
    text = "func.func(" + text + ")";
  if (!options.report.empty())
    text = withReport(text, options.report);
  if (failed(parsePassText(text, pm, error)))
    return onError("fxgraph-pre-grad: " + error);
  return success();
}

void fxgraph::registerPipelines() {
  mlir::registerPassPipeline(
      "fxgraph-pre-grad", "PyTorch Inductor's pre-grad passes: normalise, split/cat, permutes, conv-bn, batch fusions",
      [](mlir::OpPassManager &pm, StringRef text, function_ref<LogicalResult(const Twine &)> onError) -> LogicalResult {
        PreGradOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        return buildPreGradPipeline(pm, options, onError);
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> handler) { handler(PreGradOptions()); });
}
