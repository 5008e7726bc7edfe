// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph whose extents vary, on a device whose code is for extents that are known: the
// first call with extents compiles the graph for them, later ones find it. What extents
// the graph takes (conditions, equal symbols) is checked by each. Numbers that are inputs
// are read before a run, which waits for what the device has been given.

#ifndef FXGRAPH_LIB_BACKEND_GPU_RUN_SPECIALIZEDEXECUTABLE_H
#define FXGRAPH_LIB_BACKEND_GPU_RUN_SPECIALIZEDEXECUTABLE_H

#include "Run/DeviceExecutable.h"
#include "fxgraph/Backend/Signature.h"
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace fxgraph::gpu {

/// Has a context of its own, so that calls compile while the module's is in use.
class SpecializedExecutable : public DeviceExecutable {
public:
  /// Whether the device has the ops of a function without calls whose extents are known.
  using Check = std::function<LogicalResult(mlir::func::FuncOp function)>;
  /// Compiles such a function.
  using Compile = std::function<FailureOr<std::unique_ptr<Executable>>(mlir::func::FuncOp function)>;

  /// Whether an extent of an argument varies, or numbers are arguments or results.
  static bool isNeeded(mlir::func::FuncOp function);
  /// Errors: the graph cannot be one function; what `check` says.
  static FailureOr<std::unique_ptr<Executable>> create(mlir::func::FuncOp function, bool isEmulated, Check check,
                                                       Compile compile);

  const FxGraphInfo &getInfo() const override { return signature.getInfo(); }
  /// The most that a specialisation needs so far.
  int64_t getWorkspaceBytes() const override;
  FxStatus run(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs, const FxRunOptions &options,
               std::string &error) override;
  std::vector<ProcessGroupInfo> getProcessGroups() const override;
  LogicalResult setProcessGroup(StringRef name, FxrtProcessGroup *group, std::string &error) override;
  FailureOr<BenchResult> bench(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs,
                               unsigned iterations, std::string &error) override;

private:
  struct Specialization {
    std::shared_ptr<Executable> executable;
    uint64_t lastUse = 0;
  };

  SpecializedExecutable(mlir::func::FuncOp function, bool isEmulated, Compile compile)
      : DeviceExecutable(isEmulated), signature(function), compile(std::move(compile)) {}
  /// The executable for these inputs, checked; null: `error` and `status` say why.
  std::shared_ptr<Executable> find(ArrayRef<FxTensorDesc> inputs, ArrayRef<FxTensorDesc> outputs, FxStatus &status,
                                   std::string &error);
  std::shared_ptr<Executable> specialize(ArrayRef<FxTensorDesc> inputs, ArrayRef<int64_t> numbers, std::string &error);

  Signature signature;
  Compile compile;
  std::unique_ptr<MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string entry;
  SmallVector<size_t> numberInputs;                               ///< inputs that are numbers, not tensors
  mutable std::mutex mutex;                                       ///< of all below, and of the context
  std::map<std::vector<int64_t>, Specialization> specializations; ///< by numbers and extents
  uint64_t uses = 0;
  struct DestroyGroup {
    void operator()(FxrtProcessGroup *group) const { fxrtProcessGroupDestroy(group); }
  };
  /// For all specialisations, by name.
  std::map<std::string, std::unique_ptr<FxrtProcessGroup, DestroyGroup>, std::less<>> groups;
};

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_RUN_SPECIALIZEDEXECUTABLE_H
