// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registry of targets, and the benchmark loop that all of them share.

#include "fxgraph/Target/Executor.h"
#include "fxgraph/Analysis/CallGraph.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>

using namespace fxgraph;

namespace {
struct ExecutorRegistry {
  std::mutex mutex;
  std::map<std::string, ExecutorFactory> factories;
};
} // namespace

static ExecutorRegistry &getRegistry() {
  static ExecutorRegistry registry;
  return registry;
}

double BenchResult::getMedian() const {
  if (seconds.empty())
    return 0.0;
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
}

double BenchResult::getMin() const { return seconds.empty() ? 0.0 : *std::min_element(seconds.begin(), seconds.end()); }

Executor::~Executor() = default;

FailureOr<BenchResult> Executor::bench(ArrayRef<Tensor> inputs, unsigned iterations) {
  BenchResult result;
  // One run outside of the clock: it fills caches and allocates.
  for (unsigned i = 0; i <= iterations; ++i) {
    SmallVector<Tensor> outputs;
    SmallVector<MutatedArgument> mutated;
    auto begin = std::chrono::steady_clock::now();
    if (failed(run(inputs, outputs, mutated)))
      return failure();
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    if (i != 0)
      result.seconds.push_back(elapsed.count());
  }
  return result;
}

void fxgraph::registerExecutor(StringRef target, ExecutorFactory factory) {
  ExecutorRegistry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.factories[target.str()] = std::move(factory);
}

std::vector<std::string> fxgraph::getExecutorNames() {
  ExecutorRegistry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  std::vector<std::string> names;
  for (const auto &entry : registry.factories)
    names.push_back(entry.first);
  return names;
}

FailureOr<std::unique_ptr<Executor>> fxgraph::createExecutor(StringRef target, mlir::ModuleOp module, StringRef entry,
                                                             const ExecutorOptions &options) {
  ExecutorFactory factory;
  {
    ExecutorRegistry &registry = getRegistry();
    std::lock_guard<std::mutex> lock(registry.mutex);
    auto it = registry.factories.find(target.str());
    if (it != registry.factories.end())
      factory = it->second;
  }
  if (!factory) {
    mlir::emitError(module.getLoc()) << "expected a target among " << llvm::join(getExecutorNames(), ", ")
                                     << " but got '" << target << "'";
    return failure();
  }
  // No entry of this name: the target says so.
  if (auto function = module.lookupSymbol<mlir::func::FuncOp>(entry); function && failed(checkCalls(function)))
    return failure();
  return factory(module, entry, options);
}
