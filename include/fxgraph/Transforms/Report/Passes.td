// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_TRANSFORMS_REPORT_PASSES_TD
#define FXGRAPH_TRANSFORMS_REPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

def ReportPass : Pass<"fxgraph-write-report", "::mlir::ModuleOp"> {
  let summary = "Record what the passes after this one do, and write it when the context ends";
  let description = [{
    Counters under Inductor's names and one event for each rewrite that fired or
    was refused, as JSON to `file` and as a page for reading to `file`.html. In
    `fx-opt`, `--fxgraph-report=FILE` does the same for the whole run; this pass is
    for pipelines in a stock `mlir-opt`.
  }];
  let options = [Option<"file", "file", "std::string", "", "Where the JSON goes">];
  let dependentDialects = ["::fxgraph::FxGraphDialect"];
}

#endif // FXGRAPH_TRANSFORMS_REPORT_PASSES_TD
