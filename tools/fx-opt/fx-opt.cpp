// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt with the fxgraph dialect, all its passes and pipelines, and MLIR's own.
// Beyond mlir-opt's flags:
//   --fxgraph-report=FILE     counters and rewrites as JSON, and FILE.html
//   --fxgraph-verify-rewrites check every rewrite with the reference interpreter

#include "fxgraph/InitAll.h"
#include "fxgraph/Support/Report.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  fxgraph::registerAllDialects(registry);
  fxgraph::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "fxgraph optimizer driver\n", registry));
}
