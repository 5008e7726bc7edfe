// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Support/ToolDiagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace fxgraph;

static StringRef getWord(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return "error";
  case mlir::DiagnosticSeverity::Warning:
    return "warning";
  case mlir::DiagnosticSeverity::Remark:
    return "remark";
  case mlir::DiagnosticSeverity::Note:
    return "note";
  }
  llvm_unreachable("all severities are listed");
}

ToolDiagnosticHandler::ToolDiagnosticHandler(StringRef tool, llvm::SourceMgr &sources, MLIRContext *context)
    : SourceMgrDiagnosticHandler(sources, context, llvm::errs()), tool(tool.str()) {
  setHandler([this](mlir::Diagnostic &diagnostic) { print(diagnostic); });
}

void ToolDiagnosticHandler::print(mlir::Diagnostic &diagnostic) {
  // What was printed so far comes first, also where both go to one file.
  llvm::outs().flush();
  auto place = diagnostic.getLocation()->findInstanceOf<mlir::FileLineColLoc>();
  if (place && place.getLine() != 0)
    return emitDiagnostic(diagnostic);
  llvm::errs() << tool << ": " << getWord(diagnostic.getSeverity()) << ": ";
  if (!place && !isa<mlir::UnknownLoc>(diagnostic.getLocation()))
    llvm::errs() << diagnostic.getLocation() << ": ";
  llvm::errs() << diagnostic << "\n";
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    print(note);
}
