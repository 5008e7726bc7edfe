// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a graph in another form:
//
//   fx-translate model.mlir --to=ptx --chip=sm_90a -o model.ptx
//   fx-translate model.mlir --to=gpu -o folder      (launch plan, image, constants)
//   fx-translate model.mlir --to=so -o model.so       (CPUArtifact.h)
//   fx-translate model.mlir --to=llvm --option=opt-level=0
//   fx-translate model.mlir --to=dot | dot -Tsvg -o model.svg
//
// `--to=help` lists the forms. Exit status 1 and no output file on any error.

#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/InitAllTargets.h"
#include "fxgraph/Support/ToolDiagnostics.h"
#include "fxgraph/Backend/Translation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace fxgraph;
namespace cl = llvm::cl;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::OptionCategory category("fx-translate");
  cl::opt<std::string> input(cl::Positional, cl::desc("<model.mlir | model.mlirbc | ->"), cl::init("-"),
                             cl::cat(category));
  cl::opt<std::string> to("to", cl::desc("Form to write; `help` lists all"), cl::Required, cl::cat(category));
  cl::opt<std::string> output("o", cl::desc("File, or folder, to write"), cl::value_desc("path"), cl::init("-"),
                              cl::cat(category));
  cl::opt<std::string> entry("entry", cl::desc("Function to translate"), cl::init("main"), cl::cat(category));
  cl::opt<std::string> chip("chip", cl::desc("Chip to compile for, as --option=chip=NAME"), cl::cat(category));
  cl::list<std::string> options("option", cl::desc("Setting of the form"), cl::value_desc("key=value"),
                                cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "writes an fxgraph model in another form\n");

  registerAllTranslations();

  if (to == "help") {
    for (const Translation &translation : getTranslations())
      llvm::outs() << translation.name << "\t" << translation.description << "\n";
    return 0;
  }
  auto found = llvm::find_if(getTranslations(), [&](const Translation &translation) { return translation.name == to; });
  if (found == getTranslations().end()) {
    llvm::errs() << "fx-translate: error: expected --to= one of";
    for (const Translation &translation : getTranslations())
      llvm::errs() << " " << translation.name;
    llvm::errs() << " but got '" << to << "'\n";
    return 1;
  }
  TranslationSettings settings;
  if (chip.getNumOccurrences())
    settings.push_back({"chip", chip});
  for (const std::string &option : options) {
    auto [key, value] = StringRef(option).split('=');
    if (key.empty() || value.empty()) {
      llvm::errs() << "fx-translate: error: expected --option=key=value but got '" << option << "'\n";
      return 1;
    }
    settings.push_back({key.str(), value.str()});
  }
  mlir::DialectRegistry registry;
  registry.insert<FxGraphDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect>();
  if (found->registerDialects)
    found->registerDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  // The op is named and located; its text may hold megabytes of constants.
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  ToolDiagnosticHandler handler("fx-translate", sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(input, sources, &context);
  if (!module)
    return 1;
  return failed(found->write(*module, entry, output, settings)) ? 1 : 0;
}
