// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target `ref`: the interpreter behind the interface of all targets.

#include "fxgraph/Reference/Interpreter.h"
#include "fxgraph/Target/Executor.h"

using namespace fxgraph;

namespace {
class ReferenceExecutor : public Executor {
public:
  ReferenceExecutor(mlir::func::FuncOp function, const ExecutorOptions &options)
      : function(function), interpreter(getOptions(options)) {}

  LogicalResult run(ArrayRef<Tensor> inputs, SmallVectorImpl<Tensor> &outputs,
                    SmallVectorImpl<MutatedArgument> &mutated) override {
    FailureOr<Outcome> outcome = interpreter.run(function, inputs);
    if (failed(outcome)) {
      interpreter.getError().emit();
      return failure();
    }
    outputs = std::move(outcome->results);
    mutated = std::move(outcome->mutated);
    return success();
  }

private:
  static InterpreterOptions getOptions(const ExecutorOptions &options) {
    InterpreterOptions result;
    result.seed = options.seed;
    result.accumulateF32 = options.accumulateF32;
    return result;
  }
  mlir::func::FuncOp function;
  Interpreter interpreter;
};
} // namespace

void fxgraph::registerReferenceExecutor() {
  registerExecutor("ref",
                   [](mlir::ModuleOp module, StringRef entry,
                      const ExecutorOptions &options) -> FailureOr<std::unique_ptr<Executor>> {
                     if (!options.settings.empty())
                       return mlir::emitError(module.getLoc())
                              << "expected no setting, as the target ref has none, but got '"
                              << options.settings.front().first << "=" << options.settings.front().second << "'";
                     auto function = module.lookupSymbol<mlir::func::FuncOp>(entry);
                     if (!function)
                       return mlir::emitError(module.getLoc())
                              << "expected a function '" << entry << "' but the module has none of this name";
                     return std::unique_ptr<Executor>(std::make_unique<ReferenceExecutor>(function, options));
                   });
}
