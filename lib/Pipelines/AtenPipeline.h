// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the pipelines behind autodiff share: a list of passes that is built as text, so
// that what runs can be printed, replayed and cut down, checks of the common options,
// and registration.

#ifndef FXGRAPH_LIB_PIPELINES_ATENPIPELINE_H
#define FXGRAPH_LIB_PIPELINES_ATENPIPELINE_H

#include "fxgraph/Pipelines/PostGrad.h"
#include "fxgraph/Support/PassText.h"
#include "fxgraph/Transforms/Utils/Numerics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

namespace fxgraph {

/// The common options, checked.
struct AtenSettings {
  NumericClass widest = NumericClass::Exact;
  bool best = false;
  std::string numerics, device;
};

/// The passes of a pipeline, in order.
class PassList {
public:
  explicit PassList(const AtenSettings &settings) : settings(settings) {}

  /// Adds a pass, or several with commas between, with `options` behind the last one's
  /// name; nothing if the text is empty or the rewrites need more than the pipeline's
  /// numerics. "$n" and "$d" in the options are the pipeline's numerics and device.
  void add(StringRef passes, StringRef options = "", NumericClass numerics = NumericClass::Exact);
  void add(StringRef passes, NumericClass numerics) { add(passes, "", numerics); }
  std::string str() const;

private:
  const AtenSettings &settings;
  SmallVector<std::string> texts;
};

/// The common options of a pipeline. Error: what was expected.
FailureOr<AtenSettings> readAtenSettings(StringRef mode, StringRef numerics, StringRef device, StringRef prePass,
                                         StringRef postPass, int64_t maxRounds, std::string &error);
template <typename Options>
FailureOr<AtenSettings> readAtenSettings(const AtenOptions<Options> &options, std::string &error) {
  return readAtenSettings(options.mode, options.numerics, options.defaultDevice, options.customPrePass,
                          options.customPostPass, options.maxRounds, error);
}

/// `passes` in rounds until the graph has no fewer ops.
std::string inRounds(int64_t count, StringRef passes);

/// Adds the passes of a pipeline to `pm`, whatever it is anchored on.
LogicalResult buildFromText(mlir::OpPassManager &pm, StringRef name, std::string text, StringRef report,
                            function_ref<LogicalResult(const Twine &)> onError);

/// Registers a pipeline of graph passes whose text `getText` gives.
template <typename Options>
void registerTextPipeline(StringRef name, StringRef description,
                          FailureOr<std::string> (*getText)(const Options &, std::string &)) {
  mlir::registerPassPipeline(
      name, description,
      [=](mlir::OpPassManager &pm, StringRef text, function_ref<LogicalResult(const Twine &)> onError) -> LogicalResult {
        Options options;
        if (failed(options.parseFromString(text)))
          return failure();
        std::string error;
        FailureOr<std::string> passes = getText(options, error);
        if (failed(passes))
          return onError(name + ": " + error);
        return buildFromText(pm, name, *passes, options.report, onError);
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> handler) { handler(Options()); });
}

} // namespace fxgraph

#endif // FXGRAPH_LIB_PIPELINES_ATENPIPELINE_H
