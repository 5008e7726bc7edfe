// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph that was compiled and can be run: by the reference interpreter, on the
// CPU, on a GPU, from a stored artefact. One interface, one description of tensors
// (Runtime/Tensor.h), one check of a call (Runtime/Arguments.h).
//
// A target is a name and a factory. Its library offers one function
//
//   void fxgraph::registerCPUTarget();     // lib/Backend/CPU
//
// that calls registerTarget("cpu", …). The factory gets the module as the user wrote
// it, lowers a *clone* of it, and returns the object that runs the entry function. It
// reports what goes wrong as diagnostics, and what is missing on this machine (no
// GPU, no compiler) as an error too: there is no fallback to another target.

#ifndef FXGRAPH_BACKEND_EXECUTABLE_H
#define FXGRAPH_BACKEND_EXECUTABLE_H

#include "fxgraph/Reference/Tensor.h"
#include "fxgraph/Runtime/FxGraphRuntime.h"
#include "fxgraph/Runtime/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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

/// A group of processes that a graph's collectives name.
struct ProcessGroupInfo {
  std::string name;
  uint64_t size; ///< 0: any
};

struct ExecutableOptions {
  /// Accumulate sums and products in f32 where the target lets one choose
  /// (interpreter: double is the default).
  bool accumulateF32 = false;
  /// Seed of random ops.
  uint64_t seed = 0;
  /// Further `key=value` settings of the target (`--target-option`).
  std::vector<std::pair<std::string, std::string>> settings;
};

class Executable {
public:
  virtual ~Executable();

  /// What the graph takes and gives; lives as long as the executable.
  virtual const FxGraphInfo &getInfo() const = 0;
  /// Bytes of memory for intermediate values in one run.
  virtual int64_t getWorkspaceBytes() const { return 0; }

  /// Runs the graph on all its arguments in order. The call is checked. Arguments that
  /// the graph writes are written, in place and only if the run succeeds. Outputs as
  /// FxRunOptions says; free with freeMemory what the executable allocated. On failure
  /// the text says why, and begins with the place of the op where one is to blame
  /// (describePlace). May be called by several threads at once unless needsContext(),
  /// and again with other extents.
  virtual FxStatus run(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs,
                       const FxRunOptions &options, std::string &error) = 0;

  /// True if a run uses the module's MLIRContext: then nobody else may at that time.
  virtual bool needsContext() const { return false; }

  //===--- Processes that the graph's collectives take part with, on a GPU -------------===//

  virtual std::vector<ProcessGroupInfo> getProcessGroups() const { return {}; }
  /// What the graph communicates with in the group of this name, before it runs.
  virtual LogicalResult setProcessGroup(StringRef name, FxrtProcessGroup *group, std::string &error);

  //===--- Memory that tensors of a run live in: the host's by default -----------------===//

  virtual bool isOnDevice() const { return false; }
  /// Null without memory.
  virtual void *allocateMemory(int64_t bytes);
  virtual void freeMemory(void *memory);
  virtual LogicalResult copyIn(void *memory, const void *host, int64_t bytes, std::string &error);
  virtual LogicalResult copyOut(void *host, const void *memory, int64_t bytes, std::string &error);

  /// Times `iterations` runs on tensors that are in place, after a warm-up.
  virtual FailureOr<BenchResult> bench(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs,
                                       unsigned iterations, std::string &error);
};

using TargetFactory =
    std::function<FailureOr<std::unique_ptr<Executable>>(mlir::func::FuncOp entry, const ExecutableOptions &options)>;

/// Makes a target known under this name; a second registration replaces the first.
void registerTarget(StringRef name, TargetFactory factory);
/// Names of all known targets, sorted.
std::vector<std::string> getTargetNames();
/// Compiles a function of the module. Error at the module if the target or the function
/// is not known, or what the factory says.
FailureOr<std::unique_ptr<Executable>> compileGraph(StringRef target, mlir::ModuleOp module, StringRef entry,
                                                    const ExecutableOptions &options);

/// The target `ref`: the reference interpreter.
void registerReferenceTarget();

//===----------------------------------------------------------------------===//
// Runs on tensors of the interpreter
//===----------------------------------------------------------------------===//

/// As many tensors as arguments, each of its argument's type, symbols bound
/// consistently; error at the function.
LogicalResult checkArguments(mlir::func::FuncOp function, ArrayRef<Tensor> arguments);

/// Runs on host tensors. `outputs` holds one tensor per function result, in order, with
/// the result's element type; `mutated` one entry per argument that the graph writes
/// (fxgraph.copy_), ascending, with the argument's final value. `inputs` are not
/// written. A grid of processes (target `ref`, setting `ranks`) takes and gives the
/// tensors of one rank after the other. Error at the op that failed, or at the function.
LogicalResult runOnTensors(Executable &executable, mlir::func::FuncOp function, ArrayRef<Tensor> inputs,
                           SmallVectorImpl<Tensor> &outputs, SmallVectorImpl<MutatedArgument> &mutated);
/// Times runs on host tensors; see Executable::bench.
FailureOr<BenchResult> benchOnTensors(Executable &executable, mlir::func::FuncOp function, ArrayRef<Tensor> inputs,
                                      unsigned iterations);

} // namespace fxgraph

#endif // FXGRAPH_BACKEND_EXECUTABLE_H
