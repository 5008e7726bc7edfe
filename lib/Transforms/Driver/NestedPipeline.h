// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pipeline that a pass holds as text in one of its options.

#ifndef FXGRAPH_LIB_TRANSFORMS_DRIVER_NESTEDPIPELINE_H
#define FXGRAPH_LIB_TRANSFORMS_DRIVER_NESTEDPIPELINE_H

#include "fxgraph/Support/PassText.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

namespace fxgraph {

class NestedPipeline {
public:
  /// Parses the text as passes on func.func. Failure with the error at `loc`.
  LogicalResult initialize(StringRef text, Location loc) {
    std::string error;
    if (succeeded(parse(text, error)))
      return success();
    return mlir::emitError(loc) << "expected a pipeline of passes on func.func but got '" << text << "': " << error;
  }

  /// Dialects that the passes may create. A text that does not parse has none: its
  /// error comes from initialize().
  void getDependentDialects(StringRef text, mlir::DialectRegistry &registry) const {
    NestedPipeline parsed;
    std::string error;
    if (succeeded(parsed.parse(text, error)))
      parsed.manager.getDependentDialects(registry);
  }

  mlir::OpPassManager &get() { return manager; }

private:
  LogicalResult parse(StringRef text, std::string &error) {
    manager = mlir::OpPassManager(mlir::func::FuncOp::getOperationName());
    return parsePassText(text, manager, error);
  }

  mlir::OpPassManager manager{mlir::func::FuncOp::getOperationName()};
};

/// A pass, generated as `Generated`, with such a pipeline in its option `pipelineText`.
template <typename Generated>
struct PassWithPipeline : public Generated {
  using Base = PassWithPipeline;
  using Generated::Generated;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    Generated::getDependentDialects(registry);
    pipeline.getDependentDialects(this->pipelineText, registry);
  }
  LogicalResult initialize(MLIRContext *context) override {
    Location loc = mlir::UnknownLoc::get(context);
    if (StringRef(this->pipelineText).trim().empty())
      return mlir::emitError(loc) << this->getArgument() << ": expected pipeline={PASSES} but got none";
    return pipeline.initialize(this->pipelineText, loc);
  }

  NestedPipeline pipeline;
};

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_DRIVER_NESTEDPIPELINE_H
