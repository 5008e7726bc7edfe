// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Something that runs a graph: the reference interpreter, the CPU, a GPU.
//
// A target is a name and a factory. Its library offers one function
//
//   void fxgraph::registerCpuExecutor();     // lib/Target/CPU
//
// that calls registerExecutor("cpu", …), and fx-run calls that function before it
// parses the command line. The factory gets the module as the user wrote it,
// lowers a *clone* of it, and returns the object that runs the entry function. It
// reports what goes wrong as diagnostics, and what is missing on this machine (no
// GPU, no compiler) as an error too: there is no fallback to another target.
//
// Contract of Executor::run, the same for all targets:
//   * `inputs` are all arguments of the entry function in order, already checked
//     against its types; symbolic extents are whatever the tensors have.
//   * On success `outputs` holds one tensor per function result, in order, with the
//     result's element type; `mutated` one entry per argument that the graph
//     writes (fxgraph.copy_), ascending, with the argument's final value.
//   * It may be called again with other inputs, also with other symbolic extents.
//   * `inputs` are not written.

#ifndef FXGRAPH_TARGET_EXECUTOR_H
#define FXGRAPH_TARGET_EXECUTOR_H

#include "fxgraph/Reference/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include <functional>
#include <string>

namespace fxgraph {

/// Wall-clock seconds of single runs, without compilation and without moving the
/// inputs to the device.
struct BenchResult {
  std::vector<double> seconds;
  double getMedian() const;
  double getMin() const;
};

struct ExecutorOptions {
  /// Accumulate sums and products in f32 where the target lets one choose
  /// (interpreter: double is the default).
  bool accumulateF32 = false;
  /// Seed of random ops.
  uint64_t seed = 0;
  /// Further `key=value` settings of the target (`--target-option`).
  std::vector<std::pair<std::string, std::string>> settings;
};

class Executor {
public:
  virtual ~Executor();
  virtual LogicalResult run(ArrayRef<Tensor> inputs, SmallVectorImpl<Tensor> &outputs,
                            SmallVectorImpl<MutatedArgument> &mutated) = 0;
  /// Times `iterations` runs after a warm-up. By default around run().
  virtual FailureOr<BenchResult> bench(ArrayRef<Tensor> inputs, unsigned iterations);
};

using ExecutorFactory = std::function<FailureOr<std::unique_ptr<Executor>>(mlir::ModuleOp module, StringRef entry,
                                                                           const ExecutorOptions &options)>;

/// Makes a target known under this name; a second registration replaces the first.
void registerExecutor(StringRef target, ExecutorFactory factory);
/// Names of all known targets, sorted.
std::vector<std::string> getExecutorNames();
/// Error at the module if the target is not known, or if its factory says so.
FailureOr<std::unique_ptr<Executor>> createExecutor(StringRef target, mlir::ModuleOp module, StringRef entry,
                                                    const ExecutorOptions &options);

/// The target `ref`: the reference interpreter.
void registerReferenceExecutor();

} // namespace fxgraph

#endif // FXGRAPH_TARGET_EXECUTOR_H
