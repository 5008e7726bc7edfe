// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Support/Report.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Transforms/Report/Passes.h"
#include "mlir/IR/BuiltinOps.h"

namespace fxgraph {
#define GEN_PASS_DEF_REPORTPASS
#include "fxgraph/Transforms/Report/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
struct ReportPass : public fxgraph::impl::ReportPassBase<ReportPass> {
  using Base::Base;

  void runOnOperation() override {
    if (file.empty()) {
      getOperation()->emitError("fxgraph-write-report: expected file=PATH but got none");
      return signalPassFailure();
    }
    // Before the first pass that is an empty report: a path that cannot be written is
    // known before the run.
    Report &report = Report::get(&getContext());
    report.writeAtEnd(file);
    std::string error;
    if (failed(report.writeSoFar(error))) {
      getOperation()->emitError("fxgraph-write-report: ") << error;
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
