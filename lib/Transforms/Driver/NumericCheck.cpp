// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-numeric-check: the whole graph before and after some passes.
//
// Source: torch/_inductor/fx_passes/numeric_utils.py (rule and tolerance).

#include "NestedPipeline.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Reference/Compare.h"
#include "fxgraph/Reference/Communicator.h"
#include "fxgraph/Reference/Interpreter.h"
#include "fxgraph/Reference/RandomInputs.h"
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

private:
  FailureOr<Outcome> evaluate(mlir::func::FuncOp function, unsigned iteration, std::string &error) const;
  /// What differs; empty if nothing does.
  std::string compare(const Outcome &after, const Outcome &before) const;
};
} // namespace

FailureOr<Outcome> NumericCheckPass::evaluate(mlir::func::FuncOp function, unsigned iteration,
                                              std::string &error) const {
  // Extents that splits of towers divide more often than primes would.
  static constexpr int64_t extentOf[] = {4, 8, 6, 12, 1, 16};
  FixedExtents extents(extentOf[iteration % std::size(extentOf)]);
  SmallVector<Tensor> arguments;
  for (mlir::BlockArgument argument : function.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType())) {
      error = "an argument is not a tensor";
      return failure();
    }
    arguments.push_back(makeRandomArgument(argument, kSeed + iteration, extents));
  }
  EchoedProcesses others(kSeed + iteration);
  InterpreterOptions options;
  options.seed = kSeed;
  options.communicator = &others;
  Interpreter interpreter(options);
  FailureOr<Outcome> outcome = interpreter.run(function, arguments);
  if (failed(outcome))
    error = interpreter.getError().message;
  return outcome;
}

std::string NumericCheckPass::compare(const Outcome &after, const Outcome &before) const {
  Tolerance tolerance;
  tolerance.rtol = tolerance.atol = precision;
  auto describe = [&](const Twine &what, const Tensor &actual, const Tensor &expected) -> std::string {
    Comparison comparison = compareTensors(actual, expected, tolerance);
    if (comparison.isEqual())
      return "";
    return (what + ": " + describeMismatch(comparison, actual, expected)).str();
  };
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(after.results, before.results)))
    if (std::string text = describe("result #" + Twine(index), std::get<0>(pair), std::get<1>(pair)); !text.empty())
      return text;
  if (after.mutated.size() != before.mutated.size())
    return "other arguments are written";
  for (auto [actual, expected] : llvm::zip_equal(after.mutated, before.mutated)) {
    if (actual.argument != expected.argument)
      return "other arguments are written";
    std::string text = describe("written argument #" + Twine(actual.argument), actual.value, expected.value);
    if (!text.empty())
      return text;
  }
  return "";
}

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
  mlir::OwningOpRef<mlir::func::FuncOp> original(function.clone());
  if (failed(runPipeline(pipeline.get(), function)))
    return signalPassFailure();
  for (unsigned iteration = 0; iteration < iterations; ++iteration) {
    std::string error;
    FailureOr<Outcome> before = evaluate(*original, iteration, error);
    if (failed(before)) {
      function.emitWarning() << "not compared: the graph cannot be evaluated: " << error;
      continue;
    }
    FailureOr<Outcome> after = evaluate(function, iteration, error);
    std::string difference = failed(after) ? "it cannot be evaluated any more: " + error : compare(*after, *before);
    if (difference.empty())
      continue;
    auto diagnostic = onMismatch == "warn" ? function.emitWarning() : function.emitError();
    diagnostic << "the passes changed what the graph computes: " << difference << " (iteration " << iteration
               << ", seed " << kSeed + iteration << ")";
    if (onMismatch == "error")
      return signalPassFailure();
  }
}
