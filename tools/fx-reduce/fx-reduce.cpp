// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-reduce with the fxgraph dialect and its passes: shrinks a graph while a
// test script still says that it is interesting.

#include "ReductionPatterns.h"
#include "fxgraph/InitAll.h"
#include "fxgraph/Support/ToolDiagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"

using namespace fxgraph;

static bool reportError(const llvm::Twine &message) {
  llvm::errs() << "fx-reduce: error: " << message << "\n";
  return false;
}

/// mlir-reduce says nothing of an output that it cannot open, and ends with a crash
/// report for a test that it cannot run or that is not given. Without a reduction it
/// writes the graph as it is.
static bool checkArguments(int argc, char **argv) {
  bool reduces = false;
  for (int i = 1; i < argc; ++i) {
    StringRef argument = argv[i];
    if (!argument.consume_front("-")) {
      if (!llvm::sys::fs::exists(argument))
        return reportError("cannot open input file '" + argument + "': No such file or directory");
      continue;
    }
    argument = argument.ltrim('-');
    bool isAlone = argument == "o" && i + 1 < argc;
    if (isAlone || argument.starts_with("o=")) {
      StringRef output = isAlone ? StringRef(argv[++i]) : argument.drop_front(2);
      StringRef folder = llvm::sys::path::parent_path(output);
      if (!folder.empty() && !llvm::sys::fs::is_directory(folder))
        return reportError("cannot write '" + output + "': expected a folder but '" + folder + "' is none");
    }
    reduces |= argument.starts_with("pass-pipeline") || argument.starts_with("help") || argument.starts_with("version");
    if (!argument.starts_with("reduction-tree") && !argument.starts_with("opt-reduction-pass"))
      continue;
    reduces = true;
    size_t at = argument.find("test=");
    if (at == StringRef::npos)
      return reportError("expected test=PROGRAM among the options of --" +
                         argument.take_until([](char c) { return c == '='; }));
    StringRef test = argument.drop_front(at + 5).take_until([](char c) { return c == ' ' || c == '}'; });
    if (!llvm::sys::fs::can_execute(test))
      return reportError("expected test=PROGRAM, a path that can be run, but got '" + test + "'");
  }
  return reduces || reportError("expected --reduction-tree='traversal-mode=0 test=PROGRAM' or another reduction");
}

int main(int argc, char **argv) {
  if (!checkArguments(argc, argv))
    return 1;
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  fxgraph::registerAllDialects(registry);
  fxgraph::registerAllPasses();
  fxgraph::registerReductionPatterns(registry);
  mlir::MLIRContext context(registry);
  // The op is named and located; its text may hold megabytes of constants.
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  ToolDiagnosticHandler printer("fx-reduce", sources, &context);
  unsigned numErrors = 0;
  mlir::ScopedDiagnosticHandler counter(&context, [&](mlir::Diagnostic &diagnostic) {
    bool isError = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
    numErrors += isError;
    return failure(isError); // failure: the printer's turn
  });
  if (succeeded(mlir::mlirReduceMain(argc, argv, context)))
    return 0;
  if (numErrors == 0)
    reportError("the graph was not reduced: expected a test that exits with 1 for the input");
  return 1;
}
