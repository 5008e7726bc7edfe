// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_TRANSFORMS_REPORT_PASSES_TD
#define FXGRAPH_TRANSFORMS_REPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

def ReportPass : Pass<"fxgraph-write-report", "::mlir::ModuleOp"> {
  let summary = "Write the report of the passes so far, and record those after this one";
  let description = [{
    Counters under Inductor's names and one event for each rewrite that fired or
    was refused, as JSON to `file` and as a page for reading to `file`.html. In
    `fx-opt`, `--fxgraph-report=FILE` does the same for the whole run; this pass is
    for pipelines in a stock `mlir-opt`.

    The first such pass of a run turns the recording on: put it in front of the passes
    to record, and once more behind them. A file that cannot be written makes either
    fail, and with it the run. Without the second the file is written when the context
    ends, where an error can be printed but no longer fail the run.
  }];
  let options = [Option<"file", "file", "::fxgraph::OptionText", "", "Where the JSON goes">];
  let dependentDialects = ["::fxgraph::FxGraphDialect"];
}

#endif // FXGRAPH_TRANSFORMS_REPORT_PASSES_TD
