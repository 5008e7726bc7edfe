// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AtenPipeline.h"
#include "fxgraph/Support/DeviceTypes.h"

using namespace fxgraph;

static void replaceAll(std::string &text, StringRef what, StringRef with) {
  for (size_t at = text.find(what.str()); at != std::string::npos; at = text.find(what.str(), at + with.size()))
    text.replace(at, what.size(), with.str());
}

void PassList::add(StringRef passes, StringRef options, NumericClass numerics) {
  if (passes.empty() || !allows(settings.widest, numerics))
    return;
  std::string text = options.empty() ? passes.str() : (passes + "{" + options + "}").str();
  replaceAll(text, "$n", settings.numerics);
  replaceAll(text, "$d", settings.device);
  texts.push_back(std::move(text));
}

std::string PassList::str() const { return llvm::join(texts, ","); }

FailureOr<AtenSettings> fxgraph::readAtenSettings(StringRef mode, StringRef numerics, StringRef device,
                                                  StringRef prePass, StringRef postPass, int64_t maxRounds,
                                                  std::string &error) {
  AtenSettings settings;
  std::optional<NumericClass> widest = parseNumerics(numerics);
  if (!widest) {
    error = ("expected numerics to be exact, reassociate or relaxed but got '" + numerics + "'").str();
    return failure();
  }
  settings.widest = *widest;
  settings.numerics = numerics.str();
  if (mode != "inductor" && mode != "best") {
    error = ("expected mode=inductor or mode=best but got '" + mode + "'").str();
    return failure();
  }
  settings.best = mode == "best";
  if (!isDeviceType(device)) {
    error = ("expected default-device to be one of " + listDeviceTypes() + " but got '" + device + "'").str();
    return failure();
  }
  settings.device = device.str();
  if (failed(checkNumber("max-rounds", maxRounds, 1, error)))
    return failure();
  for (auto [name, text] : {std::pair<StringRef, StringRef>("custom-pre-pass", prePass), {"custom-post-pass", postPass}}) {
    mlir::OpPassManager custom(mlir::func::FuncOp::getOperationName());
    if (std::string reason; failed(parsePassText(text.str(), custom, reason))) {
      error = ("expected " + name + " to be passes on func.func but got '" + text + "': " + reason).str();
      return failure();
    }
  }
  return settings;
}

std::string fxgraph::inRounds(int64_t count, StringRef passes) {
  return ("fxgraph-fixpoint{max-rounds=" + Twine(count) + " pipeline=" + quoteOption(passes) + "}").str();
}

LogicalResult fxgraph::buildFromText(mlir::OpPassManager &pm, StringRef name, std::string text, StringRef report,
                                     function_ref<LogicalResult(const Twine &)> onError) {
  // Options may leave nothing.
  if (pm.getOpAnchorName() != mlir::func::FuncOp::getOperationName() && !text.empty())
    text = "func.func(" + text + ")";
  if (!report.empty())
    text = withReport(text, report);
  if (text.empty())
    return success();
  if (std::string error; failed(parsePassText(text, pm, error)))
    return onError(name + ": " + error);
  return success();
}
