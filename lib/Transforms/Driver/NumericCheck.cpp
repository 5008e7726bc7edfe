// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-numeric-check: the whole graph before and after some passes.
//
// Source: torch/_inductor/fx_passes/numeric_utils.py (rule and tolerance).

#include "NestedPipeline.h"
#include "fxgraph/Dialect/IR/Evaluation.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Support/NumberText.h"
#include "fxgraph/Transforms/Driver/Passes.h"
#include "mlir/IR/OwningOpRef.h"
#include <cmath>

namespace fxgraph {
#define GEN_PASS_DEF_NUMERICCHECKPASS
#include "fxgraph/Transforms/Driver/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

/// The seed of all draws, as Inductor has it.
static constexpr uint64_t kSeed = 1337;

namespace {
struct NumericCheckPass : public PassWithPipeline<impl::NumericCheckPassBase<NumericCheckPass>> {
  using Base::Base;

  void runOnOperation() override;
};
} // namespace

void NumericCheckPass::runOnOperation() {
  mlir::func::FuncOp function = getOperation();
  if (onMismatch != "error" && onMismatch != "warn") {
    function.emitError() << "fxgraph-numeric-check: expected on-mismatch to be error or warn but got " << onMismatch;
    return signalPassFailure();
  }
  if (iterations == 0) {
    function.emitError("fxgraph-numeric-check: expected iterations >= 1 but got 0");
    return signalPassFailure();
  }
  if (!std::isfinite(precision) || precision < 0) {
    function.emitError() << "fxgraph-numeric-check: expected a finite precision >= 0 but got "
                         << formatNumber(precision);
    return signalPassFailure();
  }
  const EvaluationInterface *evaluation = EvaluationInterface::get(&getContext());
  if (!evaluation) {
    function.emitError("fxgraph-numeric-check: expected an interpreter in the context but nobody has registered one");
    return signalPassFailure();
  }
  mlir::OwningOpRef<mlir::func::FuncOp> original(function.clone());
  if (failed(runPipeline(pipeline.get(), function)))
    return signalPassFailure();
  for (unsigned iteration = 0; iteration < iterations; ++iteration) {
    // Extents that splits of towers divide more often than primes would.
    static constexpr int64_t extents[] = {4, 8, 6, 12, 1, 16};
    EvaluationInterface::FunctionComparison comparison = evaluation->compare(
        *original, function, kSeed + iteration, kSeed, extents[iteration % std::size(extents)], precision);
    if (!comparison.ran) {
      function.emitWarning() << "not compared: the graph cannot be evaluated: " << comparison.difference;
      continue;
    }
    if (comparison.difference.empty())
      continue;
    auto diagnostic = onMismatch == "warn" ? function.emitWarning() : function.emitError();
    diagnostic << "the passes changed what the graph computes: " << comparison.difference << " (iteration " << iteration
               << ", seed " << kSeed + iteration << ")";
    if (onMismatch == "error")
      return signalPassFailure();
  }
}
