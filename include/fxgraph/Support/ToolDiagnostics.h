// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How fx-run and fx-translate print diagnostics.

#ifndef FXGRAPH_SUPPORT_TOOLDIAGNOSTICS_H
#define FXGRAPH_SUPPORT_TOOLDIAGNOSTICS_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/Diagnostics.h"

namespace fxgraph {

/// Prints as MLIR's tools do, with the line of the source. What has no place in a file
/// (a module that the text does not name has line 0) is printed as the tool's own
/// error instead of at a place that is none.
class ToolDiagnosticHandler : public mlir::SourceMgrDiagnosticHandler {
public:
  ToolDiagnosticHandler(StringRef tool, llvm::SourceMgr &sources, MLIRContext *context);

private:
  void print(mlir::Diagnostic &diagnostic);
  std::string tool;
};

} // namespace fxgraph

#endif // FXGRAPH_SUPPORT_TOOLDIAGNOSTICS_H
