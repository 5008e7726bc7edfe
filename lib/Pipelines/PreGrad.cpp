// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order and options of the pre-grad passes (torch/_inductor/fx_passes/
// pre_grad.py; order in passes.md, section 2.2). The pipeline is built as text
// from a table, so that what runs can be printed, replayed and cut down.

#include "fxgraph/Pipelines/PreGrad.h"
#include "fxgraph/Support/Report.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

using namespace fxgraph;

namespace {
/// How a key of Inductor's option dictionary maps to a pass of ours.
struct Step {
  StringRef key;  ///< Inductor's name
  StringRef pass; ///< our pass
  bool isBatchFusion;
  enum Numerics { Exact, Relaxed } numerics; ///< Relaxed: only with numerics=relaxed
  bool byDefault = true;                     ///< part of the pipeline without a list of fusions
  bool takesNumerics = false;                ///< the pass decides op by op, by its option `numerics`
};
} // namespace

/// The keys, in the order in which the default pipeline runs them.
static const Step steps[] = {
    {"normalization_pass", "fxgraph-normalize", false, Step::Exact},
    {"batch_linear", "fxgraph-group-batch-linear", true, Step::Relaxed},
    {"batch_linear_lhs", "fxgraph-group-batch-linear-lhs", true, Step::Relaxed},
    {"batch_layernorm", "fxgraph-group-batch-layernorm", true, Step::Exact, true, true},
    {"batch_tanh", "fxgraph-group-batch-tanh", true, Step::Exact},
    {"batch_sigmoid", "fxgraph-group-batch-sigmoid", true, Step::Exact},
    {"batch_relu", "fxgraph-group-batch-relu", true, Step::Exact},
    // Cheap elementwise ops: a stack that does not cancel costs more than it saves.
    {"batch_detach", "fxgraph-group-batch-detach", true, Step::Exact, false},
    {"batch_nan_to_num", "fxgraph-group-batch-nan-to-num", true, Step::Exact, false},
    {"batch_clamp", "fxgraph-group-batch-clamp", true, Step::Exact, false},
    {"batch_dropout", "fxgraph-group-batch-dropout", true, Step::Exact, false},
    {"remove_split_with_size_one_pass", "fxgraph-splitcat-remove-split-with-size-one", false, Step::Exact},
    {"merge_getitem_cat_pass", "fxgraph-splitcat-merge-getitem-cat", false, Step::Exact},
    {"merge_splits_pass", "fxgraph-splitcat-merge-splits", false, Step::Exact},
    {"mutate_cat_pass", "fxgraph-splitcat-mutate-cat", false, Step::Exact},
    {"split_cat_pass", "fxgraph-splitcat-cancel", false, Step::Exact},
    {"unbind_stack_pass", "fxgraph-splitcat-stack-unbind-cancel", false, Step::Exact},
};

/// Options of the batch fusions that a key may carry.
static constexpr StringRef batchOptions[] = {"min-fuse-set-size", "max-fuse-set-size", "max-fuse-search-depth"};

static std::string withDashes(StringRef name) {
  std::string text = name.str();
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

/// The step that a user's spelling means, or null.
static const Step *findStep(StringRef name) {
  std::string wanted = withDashes(name);
  for (const Step &step : steps) {
    std::string key = withDashes(step.key);
    if (wanted == key || wanted + "-pass" == key)
      return &step;
  }
  return nullptr;
}

static std::string listKeys() {
  std::string text;
  for (const Step &step : steps)
    text += (text.empty() ? "" : ", ") + withDashes(step.key);
  return text;
}

/// Checks an entry and spells its name as Inductor does.
static LogicalResult checkEntry(FusionEntry &entry, std::string &error) {
  const Step *step = findStep(entry.name);
  if (!step) {
    error = "unknown fusion '" + entry.name + "': expected one of " + listKeys();
    return failure();
  }
  entry.name = step->key.str();
  for (auto &[option, value] : entry.options) {
    option = withDashes(option);
    if (!step->isBatchFusion || !llvm::is_contained(batchOptions, StringRef(option))) {
      error = "fusion '" + entry.name + "' has no option '" + option + "'";
      return failure();
    }
    int64_t number;
    if (StringRef(value).getAsInteger(10, number) || number < 0) {
      error = "expected a number >= 0 for '" + option + "' of '" + entry.name + "' but got '" + value + "'";
      return failure();
    }
  }
  return success();
}

FailureOr<FusionOptions> fxgraph::parseFusions(StringRef text, std::string &error) {
  FusionOptions fusions;
  text = text.trim();
  while (!text.empty()) {
    FusionEntry entry;
    size_t end = text.find_first_of(",{");
    entry.name = text.substr(0, end).trim().str();
    text = end == StringRef::npos ? "" : text.substr(end);
    if (text.consume_front("{")) {
      auto [inside, rest] = text.split('}');
      if (rest.empty() && text.find('}') == StringRef::npos) {
        error = "expected '}' after the options of '" + entry.name + "'";
        return failure();
      }
      SmallVector<StringRef> pairs;
      llvm::SplitString(inside, pairs);
      for (StringRef pair : pairs) {
        auto [key, value] = pair.split('=');
        if (value.empty()) {
          error = "expected option=value but got '" + pair.str() + "' in '" + entry.name + "'";
          return failure();
        }
        entry.options.emplace_back(key.str(), value.str());
      }
      text = rest.trim();
    }
    if (failed(checkEntry(entry, error)))
      return failure();
    fusions.push_back(std::move(entry));
    if (!text.empty() && !text.consume_front(",")) {
      error = "expected ',' between fusions but got '" + text.str() + "'";
      return failure();
    }
    text = text.trim();
  }
  return fusions;
}

//===----------------------------------------------------------------------===//
// YAML and JSON
//===----------------------------------------------------------------------===//

static std::string getScalar(llvm::yaml::Node *node) {
  auto *scalar = llvm::dyn_cast_or_null<llvm::yaml::ScalarNode>(node);
  if (!scalar)
    return {};
  SmallVector<char> storage;
  return scalar->getValue(storage).str();
}

static std::optional<bool> getBool(StringRef text) {
  return llvm::StringSwitch<std::optional<bool>>(text)
      .CasesLower({"true", "yes", "on"}, true)
      .CasesLower({"false", "no", "off"}, false)
      .Default(std::nullopt);
}

FailureOr<PreGradConfig> fxgraph::readPreGradConfig(StringRef file, std::string &error) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer) {
    error = "cannot read config '" + file.str() + "': " + buffer.getError().message();
    return failure();
  }
  llvm::SourceMgr sourceMgr;
  std::string syntaxError;
  sourceMgr.setDiagHandler(
      [](const llvm::SMDiagnostic &diag, void *text) {
        *static_cast<std::string *>(text) = "line " + std::to_string(diag.getLineNo()) + ": " + diag.getMessage().str();
      },
      &syntaxError);
  llvm::yaml::Stream stream((*buffer)->getBuffer(), sourceMgr);
  auto fail = [&](const Twine &message) {
    error = ("config '" + file + "': " + message).str();
    return failure();
  };
  auto document = stream.begin();
  auto *root =
      document == stream.end() ? nullptr : llvm::dyn_cast_or_null<llvm::yaml::MappingNode>(document->getRoot());
  if (!root)
    return fail(syntaxError.empty() ? Twine("expected a mapping at the top") : Twine(syntaxError));

  PreGradConfig config;
  for (llvm::yaml::KeyValueNode &entry : *root) {
    std::string key = getScalar(entry.getKey());
    if (key == "pre_grad_fusion_options") {
      auto *map = llvm::dyn_cast_or_null<llvm::yaml::MappingNode>(entry.getValue());
      if (!map)
        return fail("expected a mapping under pre_grad_fusion_options");
      config.fusions.emplace();
      for (llvm::yaml::KeyValueNode &fusion : *map) {
        FusionEntry parsed;
        parsed.name = getScalar(fusion.getKey());
        if (auto *options = llvm::dyn_cast_or_null<llvm::yaml::MappingNode>(fusion.getValue()))
          for (llvm::yaml::KeyValueNode &option : *options) {
            // Evaluated in this order: the stream can be read once.
            std::string name = getScalar(option.getKey());
            parsed.options.emplace_back(name, getScalar(option.getValue()));
          }
        if (failed(checkEntry(parsed, error)))
          return fail(Twine(std::string(error)));
        config.fusions->push_back(std::move(parsed));
      }
      continue;
    }
    std::string value = getScalar(entry.getValue());
    if (key == "permute_fusion" || key == "freezing") {
      std::optional<bool> flag = getBool(value);
      if (!flag)
        return fail("expected true or false for " + key + " but got '" + value + "'");
      (key == "freezing" ? config.freezing : config.permuteFusion) = flag;
    } else if (key == "numerics") {
      config.numerics = value;
    } else {
      return fail("unknown key '" + key + "': expected pre_grad_fusion_options, permute_fusion, freezing or numerics");
    }
  }
  if (stream.failed())
    return fail(Twine(syntaxError));
  return config;
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

FailureOr<std::string> fxgraph::getPreGradPipeline(const PreGradOptions &options, std::string &error) {
  PreGradConfig config;
  if (!options.config.empty()) {
    FailureOr<PreGradConfig> read = readPreGradConfig(options.config, error);
    if (failed(read))
      return failure();
    config = *read;
  }
  std::string numerics = config.numerics.value_or(options.numerics);
  if (numerics != "exact" && numerics != "relaxed") {
    error = "expected numerics=exact or numerics=relaxed but got '" + numerics + "'";
    return failure();
  }
  bool relaxed = numerics == "relaxed";

  FusionOptions fusions;
  bool isDefault = options.fusions.empty() && !config.fusions;
  if (config.fusions)
    fusions = *config.fusions;
  if (!options.fusions.empty()) {
    FailureOr<FusionOptions> parsed = parseFusions(options.fusions, error);
    if (failed(parsed))
      return failure();
    fusions = *parsed;
  }
  if (isDefault)
    for (const Step &step : steps)
      if (step.byDefault)
        fusions.push_back({step.key.str(), {}});

  SmallVector<std::string> passes;
  auto add = [&](StringRef pass, StringRef passOptions = "") {
    passes.push_back(pass.str() + (passOptions.empty() ? "" : ("{" + passOptions + "}").str()));
  };

  // Inductor's fuse_fx comes first: the batch fusions below would otherwise
  // take linears away from their permutes.
  if (config.permuteFusion.value_or(options.permuteFusion) && relaxed)
    add("fxgraph-linear-permute-fuse");
  if (config.freezing.value_or(options.freezing) && relaxed)
    add("fxgraph-convbn-fold");

  // normalization_pass is always first and runs once, wherever its key stands.
  auto isNormalization = [](const FusionEntry &entry) { return entry.name == "normalization_pass"; };
  if (llvm::any_of(fusions, isNormalization))
    add("fxgraph-normalize");
  // No-ops hide pieces of a split from the passes that look for them.
  if (isDefault)
    add("fxgraph-noop-remove");

  // All batch fusions in key order, then the rest in key order.
  for (bool batch : {true, false}) {
    for (const FusionEntry &entry : fusions) {
      const Step *step = findStep(entry.name);
      if (step->isBatchFusion != batch || isNormalization(entry))
        continue;
      if (step->numerics == Step::Relaxed && !relaxed)
        continue;
      std::string text;
      if (batch) {
        std::map<std::string, std::string> values = {
            {"min-fuse-set-size", std::to_string(options.minFuseSetSize)},
            {"max-fuse-set-size", std::to_string(options.maxFuseSetSize)},
            {"max-fuse-search-depth", std::to_string(options.maxFuseSearchDepth)}};
        for (const auto &[option, value] : entry.options)
          values[option] = value;
        for (StringRef option : batchOptions)
          text += (text.empty() ? "" : " ") + option.str() + "=" + values[option.str()];
        if (step->takesNumerics)
          text += " numerics=" + numerics;
      }
      // Our own pipeline also rewrites a stack whose pieces have other users, as
      // residual connections do; with Inductor's list it counts as Inductor does.
      StringRef otherUsers = isDefault ? "allow-other-users=true" : "";
      if (entry.name == "unbind_stack_pass")
        text = otherUsers.str();
      add(step->pass, text);
      // split_cat_pass is more than one pass here.
      if (entry.name == "split_cat_pass")
        add("fxgraph-splitcat-split-cat", otherUsers);
    }
  }
  if (isDefault)
    add("fxgraph-noop-remove");
  return llvm::join(passes, ",");
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
  // The report starts before the first pass and is written when the context ends.
  if (!options.report.empty())
    text = "fxgraph-write-report{file=" + options.report + "}," + text;
  llvm::raw_string_ostream os(error);
  if (failed(mlir::parsePassPipeline(text, pm, os)))
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
