// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Pipelines/FusionOptions.h"
#include "fxgraph/Support/DeviceTypes.h"
#include "fxgraph/Support/Nesting.h"
#include "fxgraph/Support/OptionFile.h"
#include "fxgraph/Support/OptionText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"
#include <cmath>

using namespace fxgraph;

/// Most runs of a pass: far more than any graph needs.
static constexpr int64_t kMaxCounter = 1000;

namespace {
/// An option that some keys carry.
struct OptionInfo {
  StringRef name; ///< in kebab-case, as our passes call it
  unsigned group; ///< of FusionOption
  enum { Number, Flag, Real } kind; ///< >= 0 and whole, true or false, > 0
};
} // namespace

static constexpr OptionInfo optionInfos[] = {
    {"counter", FusionOption::Counter, OptionInfo::Number},
    {"threshold-to-cat", FusionOption::Threshold, OptionInfo::Number},
    {"allow-steps", FusionOption::Threshold, OptionInfo::Flag},
    {"min-fuse-set-size", FusionOption::FuseSet, OptionInfo::Number},
    {"max-fuse-set-size", FusionOption::FuseSet, OptionInfo::Number},
    {"max-fuse-search-depth", FusionOption::FuseSet, OptionInfo::Number},
    {"profitable-only", FusionOption::FuseSet, OptionInfo::Flag},
    {"freezing", FusionOption::FuseSet, OptionInfo::Flag},
    {"same-first-user", FusionOption::FirstUser, OptionInfo::Flag},
    {"allow-rng-reorder", FusionOption::Random, OptionInfo::Flag},
    {"fuse-nodes-with-same-parent", FusionOption::SameParent, OptionInfo::Flag},
    {"fuse-nodes-with-same-users", FusionOption::SameUsers, OptionInfo::Flag},
    {"max-output-width", FusionOption::CatLinear, OptionInfo::Number},
    {"floor-bytes", FusionOption::CatLinear, OptionInfo::Number},
    {"min-piece-width", FusionOption::CatLinear, OptionInfo::Number},
    {"max-parts", FusionOption::CatLinear, OptionInfo::Number},
    {"require-fbgemm", FusionOption::Fbgemm, OptionInfo::Flag},
    {"shape-broadcast-batch-linear", FusionOption::Broadcast, OptionInfo::Flag},
    {"max-fuse-tensor-size-group-linear", FusionOption::GroupLinear, OptionInfo::Number},
    {"min-first-dimension-decomposition", FusionOption::DecomposeMm, OptionInfo::Number},
    {"max-other-dimension-decomposition", FusionOption::DecomposeMm, OptionInfo::Number},
    {"cpu-max-first-dimension-decomposition", FusionOption::DecomposeMm, OptionInfo::Number},
    {"cpu-max-other-dimension-decomposition", FusionOption::DecomposeMm, OptionInfo::Number},
    {"skip-dynamic-shape-dim-check", FusionOption::DecomposeMm, OptionInfo::Flag},
    {"value", FusionOption::PadFactor, OptionInfo::Real},
    {"k-threshold-to-pad", FusionOption::PadThreshold, OptionInfo::Number},
};

static std::string withDashes(StringRef name) {
  std::string text = name.str();
  llvm::replace(text, '_', '-');
  return text;
}

static std::optional<bool> getBool(StringRef text) {
  return llvm::StringSwitch<std::optional<bool>>(text)
      .CasesLower({"true", "yes", "on", "1"}, true)
      .CasesLower({"false", "no", "off", "0"}, false)
      .Default(std::nullopt);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const FusionKey *fxgraph::findFusionKey(ArrayRef<FusionKey> table, StringRef name) {
  std::string wanted = withDashes(name);
  for (const FusionKey &key : table) {
    std::string known = withDashes(key.key);
    if (wanted == known || wanted + "-pass" == known)
      return &key;
  }
  return nullptr;
}

/// The options that a key takes, for error messages.
static std::string listOptions(const FusionKey &key) {
  std::string text;
  for (const OptionInfo &info : optionInfos)
    if (key.options & info.group)
      text += info.name.str() + ", ";
  return text + "devices";
}

LogicalResult fxgraph::addFusionEntry(ArrayRef<FusionKey> table, StringRef name,
                                      ArrayRef<std::pair<std::string, std::string>> options, FusionOptions &fusions,
                                      std::string &error) {
  FusionEntry entry;
  entry.key = findFusionKey(table, name);
  if (!entry.key) {
    error = "unknown fusion '" + name.str() + "': expected one of ";
    error += llvm::join(llvm::map_range(table, [](const FusionKey &key) { return withDashes(key.key); }), ", ");
    return failure();
  }
  // A dictionary has each key once.
  if (llvm::any_of(fusions, [&](const FusionEntry &other) { return other.key == entry.key; })) {
    error = "expected each fusion once but got '" + entry.key->key.str() + "' twice";
    return failure();
  }
  for (const auto &[given, value] : options) {
    std::string option = withDashes(given);
    if (option == "devices") {
      SmallVector<StringRef> devices;
      llvm::SplitString(value, devices, ", ");
      for (StringRef device : devices) {
        if (!isDeviceType(device)) {
          error = "expected device types among " + listDeviceTypes() + " for 'devices' of '" + entry.key->key.str() +
                  "' but got '" + device.str() + "'";
          return failure();
        }
        entry.devices.push_back(device.str());
      }
      continue;
    }
    auto *info = llvm::find_if(
        optionInfos, [&](const OptionInfo &info) { return info.name == option && (entry.key->options & info.group); });
    if (info == std::end(optionInfos)) {
      error =
          "fusion '" + entry.key->key.str() + "' has no option '" + option + "': expected " + listOptions(*entry.key);
      return failure();
    }
    std::string checked = value;
    int64_t number = 0;
    if (info->kind == OptionInfo::Real) {
      double real;
      if (StringRef(value).getAsDouble(real) || !std::isfinite(real) || real <= 0) {
        error = "expected a number > 0 for '" + option + "' of '" + entry.key->key.str() + "' but got '" + value + "'";
        return failure();
      }
    } else if (info->kind == OptionInfo::Flag) {
      std::optional<bool> flag = getBool(value);
      if (!flag) {
        error = "expected true or false for '" + option + "' of '" + entry.key->key.str() + "' but got '" + value + "'";
        return failure();
      }
      checked = *flag ? "true" : "false";
    } else if (StringRef(value).getAsInteger(10, number) || number < 0) {
      error = "expected a number >= 0 for '" + option + "' of '" + entry.key->key.str() + "' but got '" + value + "'";
      return failure();
    }
    if (number > std::numeric_limits<uint32_t>::max()) {
      error = "expected a number < 2^32 for '" + option + "' of '" + entry.key->key.str() + "' but got '" + value + "'";
      return failure();
    }
    if (option == "counter" && number > kMaxCounter) {
      error = "expected a counter <= " + std::to_string(kMaxCounter) + " for '" + entry.key->key.str() + "' but got '" +
              value + "'";
      return failure();
    }
    entry.options.emplace_back(option, checked);
  }
  fusions.push_back(std::move(entry));
  return success();
}

FailureOr<FusionOptions> fxgraph::parseFusions(ArrayRef<FusionKey> table, StringRef text, std::string &error) {
  FusionOptions fusions;
  text = text.trim();
  // An empty text cannot be told from an option that is not set.
  if (text == "none")
    return fusions;
  while (!text.empty()) {
    size_t end = text.find_first_of(",{");
    StringRef name = text.substr(0, end).trim();
    SmallVector<std::pair<std::string, std::string>> options;
    text = end == StringRef::npos ? "" : text.substr(end);
    if (text.consume_front("{")) {
      size_t close = text.find('}');
      if (close == StringRef::npos) {
        error = "expected '}' after the options of '" + name.str() + "'";
        return failure();
      }
      SmallVector<StringRef> pairs;
      llvm::SplitString(text.substr(0, close), pairs);
      for (StringRef pair : pairs) {
        auto [option, value] = pair.split('=');
        if (value.empty()) {
          error = "expected option=value but got '" + pair.str() + "' in '" + name.str() + "'";
          return failure();
        }
        options.emplace_back(option.str(), value.str());
      }
      text = text.substr(close + 1).trim();
    }
    if (failed(addFusionEntry(table, name, options, fusions, error)))
      return failure();
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

/// The text of a scalar; of a sequence, its items with commas between.
static std::string getText(llvm::yaml::Node *node) {
  SmallVector<char> storage;
  if (auto *scalar = llvm::dyn_cast_or_null<llvm::yaml::ScalarNode>(node))
    return scalar->getValue(storage).str();
  std::string text;
  if (auto *sequence = llvm::dyn_cast_or_null<llvm::yaml::SequenceNode>(node))
    for (llvm::yaml::Node &item : *sequence)
      text += (text.empty() ? "" : ",") + getText(&item);
  return text;
}

FailureOr<FusionConfig> fxgraph::readFusionConfig(ArrayRef<FusionKey> table, StringRef file, StringRef dictionary,
                                                  ArrayRef<StringRef> switches, ArrayRef<StringRef> texts,
                                                  std::string &error) {
  auto buffer = readOptionFile(file);
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
  if (!isShallow((*buffer)->getBuffer()))
    return fail("expected at most " + Twine(kMaxNesting) + " levels of brackets");
  auto document = stream.begin();
  auto *root =
      document == stream.end() ? nullptr : llvm::dyn_cast_or_null<llvm::yaml::MappingNode>(document->getRoot());
  if (!root)
    return fail(syntaxError.empty() ? Twine("expected a mapping at the top") : Twine(syntaxError));

  // The stream can be read once, in order: a key before its value.
  FusionConfig config;
  llvm::StringSet<> seen;
  for (llvm::yaml::KeyValueNode &entry : *root) {
    std::string key = getText(entry.getKey());
    if (!seen.insert(key).second)
      return fail("expected each key once but got " + Twine(key) + " twice");
    auto *map = llvm::dyn_cast_or_null<llvm::yaml::MappingNode>(entry.getValue());
    if (key == dictionary) {
      if (!map)
        return fail("expected a mapping under " + dictionary);
      config.fusions.emplace();
      for (llvm::yaml::KeyValueNode &fusion : *map) {
        std::string name = getText(fusion.getKey());
        SmallVector<std::pair<std::string, std::string>> options;
        llvm::yaml::Node *value = fusion.getValue();
        if (auto *inner = llvm::dyn_cast_or_null<llvm::yaml::MappingNode>(value)) {
          for (llvm::yaml::KeyValueNode &option : *inner) {
            std::string optionName = getText(option.getKey());
            options.emplace_back(optionName, getText(option.getValue()));
          }
        } else if (value && !llvm::isa<llvm::yaml::NullNode>(value)) {
          return fail("expected a mapping of options for '" + Twine(name) + "' but got '" + getText(value) + "'");
        }
        if (failed(addFusionEntry(table, name, options, *config.fusions, error)))
          return fail(Twine(std::string(error)));
      }
      continue;
    }
    if (key == "fx_passes_numeric_check") {
      if (!map)
        return fail("expected a mapping under fx_passes_numeric_check");
      for (llvm::yaml::KeyValueNode &option : *map) {
        std::string name = getText(option.getKey());
        std::string value = getText(option.getValue());
        if (name == "pre_grad") {
          config.numericCheck = getBool(value);
          if (!config.numericCheck)
            return fail("expected true or false for pre_grad in fx_passes_numeric_check but got '" + value + "'");
        } else if (name == "precision")
          config.precision = value;
        else if (name == "num_iterations")
          config.iterations = value;
        else if (name != "requires_optimizer")
          return fail("unknown key '" + Twine(name) +
                      "' in fx_passes_numeric_check: expected pre_grad, precision, num_iterations or "
                      "requires_optimizer");
      }
      continue;
    }
    std::string value = getText(entry.getValue());
    if (llvm::is_contained(switches, StringRef(key))) {
      std::optional<bool> flag = getBool(value);
      if (!flag)
        return fail("expected true or false for " + Twine(key) + " but got '" + value + "'");
      config.switches[key] = *flag;
    } else if (llvm::is_contained(texts, StringRef(key))) {
      config.texts[key] = value;
    } else {
      return fail("unknown key '" + Twine(key) + "': expected " + dictionary + ", fx_passes_numeric_check, " +
                  llvm::join(switches, ", ") + ", " + llvm::join(texts, ", "));
    }
  }
  if (stream.failed())
    return fail(Twine(syntaxError));
  return config;
}

LogicalResult fxgraph::checkNumber(StringRef option, int64_t value, int64_t least, std::string &error) {
  // The passes keep it in 32 bits.
  if (value >= least && value <= std::numeric_limits<uint32_t>::max())
    return success();
  error = "expected " + option.str() + " between " + std::to_string(least) + " and " +
          std::to_string(std::numeric_limits<uint32_t>::max()) + " but got " + std::to_string(value);
  return failure();
}

LogicalResult fxgraph::checkFuseSet(int64_t least, int64_t most, int64_t depth, std::string &error) {
  return success(succeeded(checkNumber("min-fuse-set-size", least, 2, error)) &&
                 succeeded(checkNumber("max-fuse-set-size", most, least, error)) &&
                 succeeded(checkNumber("max-fuse-search-depth", depth, 0, error)));
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string fxgraph::getPassText(const FusionEntry &entry, StringRef numerics,
                                 ArrayRef<std::pair<std::string, std::string>> common) {
  const FusionKey &key = *entry.key;
  std::string options;
  int64_t repeat = 1;
  auto add = [&](StringRef name, StringRef value) {
    options += (options.empty() ? "" : " ") + (name + "=" + value).str();
  };
  for (const auto &option : common) {
    auto *info = llvm::find_if(optionInfos, [&](const OptionInfo &info) { return info.name == option.first; });
    bool taken = info != std::end(optionInfos) && (key.options & info->group);
    if (taken && llvm::none_of(entry.options, [&](const auto &own) { return own.first == option.first; }))
      add(option.first, option.second);
  }
  for (const auto &[name, value] : entry.options) {
    if (name == "counter")
      (void)StringRef(value).getAsInteger(10, repeat);
    else
      add(name, value);
  }
  if (key.takesNumerics)
    add("numerics", numerics);

  // Options of the table stand in braces behind a pass; ours join them.
  std::string once;
  for (StringRef rest = key.passes; !rest.empty();) {
    size_t end = rest.find_first_of(",{");
    std::string text = rest.substr(0, end).str(), own = options;
    rest = end == StringRef::npos ? "" : rest.substr(end);
    if (rest.consume_front("{")) {
      auto [inside, behind] = rest.split('}');
      own = inside.str() + (own.empty() ? "" : " ") + own;
      rest = behind;
    }
    rest.consume_front(",");
    once += (once.empty() ? "" : ",") + text + (own.empty() ? "" : "{" + own + "}");
  }
  std::string text;
  for (int64_t i = 0; i < repeat; ++i)
    text += (text.empty() ? "" : ",") + once;
  if (text.empty() || entry.devices.empty())
    return text;
  return "fxgraph-on-devices{devices=" + llvm::join(entry.devices, ",") + " pipeline={" + text + "}}";
}

std::string fxgraph::withReport(StringRef passes, StringRef file) {
  std::string report = "fxgraph-write-report{file=" + quoteOption(file) + "}";
  return report + "," + (passes.empty() ? "" : passes.str() + ",") + report;
}
