// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt with the fxgraph dialect, all its passes and pipelines, and MLIR's own.

#include "TestPasses.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/InitAll.h"
#include "fxgraph/Reference/RewriteVerifier.h"
#include "fxgraph/Support/Report.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/InitLLVM.h"

static llvm::cl::opt<std::string>
    reportFile("fxgraph-report", llvm::cl::value_desc("file"),
               llvm::cl::desc("Write counters and rewrites as JSON, and file.html for reading"));
static llvm::cl::opt<bool>
    verifyRewrites("fxgraph-verify-rewrites",
                   llvm::cl::desc("Check every rewrite with the reference interpreter on random arguments"));
#ifdef FXGRAPH_ASSERTS
static llvm::cl::list<std::string> debugTypes("fx-debug-only", llvm::cl::CommaSeparated,
                                              llvm::cl::desc("Print the debug log of these types"));
#endif

/// MLIR ignores a plugin that it cannot load, and goes on without: what it would have
/// brought is then missed one error later. The reason is said here, and it is the end.
static bool loadPlugins(int argc, char **argv) {
  auto check = [](llvm::StringRef option, llvm::Error error) {
    if (!error)
      return true;
    llvm::errs() << "fx-opt: error: --" << option << ": " << llvm::toString(std::move(error)) << "\n";
    return false;
  };
  for (int i = 1; i < argc; ++i) {
    auto [option, file] = llvm::StringRef(argv[i]).ltrim('-').split('=');
    bool isDialect = option == "load-dialect-plugin";
    if (!isDialect && option != "load-pass-plugin")
      continue;
    if (!llvm::StringRef(argv[i]).contains('=') && i + 1 < argc)
      file = argv[++i];
    if (!check(option, isDialect ? mlir::DialectPlugin::load(file.str()).takeError()
                                 : mlir::PassPlugin::load(file.str()).takeError()))
      return false;
  }
  return true;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  if (!loadPlugins(argc, argv))
    return EXIT_FAILURE;
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  fxgraph::registerAllDialects(registry);
  fxgraph::registerAllPasses();
  fxgraph::registerTestPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, "fxgraph optimizer driver\n", registry);

#ifdef FXGRAPH_ASSERTS
  // Stock tools of a release build of LLVM have no --debug-only.
  if (!debugTypes.empty()) {
    llvm::DebugFlag = true;
    llvm::SmallVector<const char *> types;
    for (const std::string &type : debugTypes)
      types.push_back(type.c_str());
    llvm::setCurrentDebugTypes(types.data(), types.size());
  }
#endif

  if (verifyRewrites.getNumOccurrences())
    registry.addExtension(+[](mlir::MLIRContext *context, fxgraph::FxGraphDialect *) {
      fxgraph::VerifyRewritesOptions::get(context).enabled = verifyRewrites;
    });

  // Contexts, of which --split-input-file has one for each part, end inside of MlirOptMain.
  fxgraph::Report::joinFiles();
  static bool reportLost = false;
  if (!reportFile.empty()) {
    // An empty report now: it is there if no graph ever comes, and a path that
    // cannot be written is known before a long run.
    std::string error;
    if (failed(fxgraph::Report().write(reportFile, error))) {
      llvm::errs() << "error: " << error << "\n";
      return EXIT_FAILURE;
    }
    registry.addExtension(+[](mlir::MLIRContext *context, fxgraph::FxGraphDialect *) {
      fxgraph::Report::get(context).writeAtEnd(reportFile, [](llvm::StringRef error) {
        llvm::errs() << "error: " << error << "\n";
        reportLost = true;
      });
    });
  }
  bool succeeded = mlir::succeeded(mlir::MlirOptMain(argc, argv, input, output, registry));
  return succeeded && !reportLost ? EXIT_SUCCESS : EXIT_FAILURE;
}
