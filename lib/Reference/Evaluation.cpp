// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter as what passes ask for (Dialect/IR/Evaluation.h).

#include "fxgraph/Reference/Evaluation.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Reference/Communicator.h"
#include "fxgraph/Reference/Compare.h"
#include "fxgraph/Reference/Interpreter.h"
#include "fxgraph/Reference/RandomInputs.h"
#include "fxgraph/Reference/RewriteVerifier.h"
#include "mlir/IR/DialectRegistry.h"
#include <mutex>

using namespace fxgraph;

static FailureOr<Outcome> evaluate(mlir::func::FuncOp function, uint64_t argumentSeed, uint64_t drawSeed,
                                   int64_t extent, std::string &error) {
  FixedExtents extents(extent);
  SmallVector<Tensor> arguments;
  for (mlir::BlockArgument argument : function.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType())) {
      error = "an argument is not a tensor";
      return failure();
    }
    arguments.push_back(makeRandomArgument(argument, argumentSeed, extents));
  }
  EchoedProcesses others(argumentSeed);
  InterpreterOptions options;
  options.seed = drawSeed;
  options.communicator = &others;
  Interpreter interpreter(options);
  FailureOr<Outcome> outcome = interpreter.run(function, arguments);
  if (failed(outcome))
    error = interpreter.getError().message;
  return outcome;
}

/// What differs; empty if nothing does.
static std::string describeDifference(const Outcome &after, const Outcome &before, double precision) {
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

static DenseElementsAttr toElements(const Tensor &tensor) {
  Type type = tensor.getElementType();
  auto shaped = RankedTensorType::get(tensor.getShape(), type);
  SmallVector<Attribute> elements;
  if (auto floating = dyn_cast<FloatType>(type))
    for (double value : tensor.floats())
      elements.push_back(FloatAttr::get(floating, value));
  else if (auto integer = dyn_cast<IntegerType>(type))
    for (int64_t value : tensor.ints())
      elements.push_back(
          IntegerAttr::get(integer, llvm::APInt(integer.getWidth(), value, /*isSigned=*/true, /*implicitTrunc=*/true)));
  return DenseElementsAttr::get(shaped, elements);
}

namespace {
class ReferenceEvaluation : public EvaluationInterface {
public:
  explicit ReferenceEvaluation(mlir::Dialect *dialect) : EvaluationInterface(dialect) {
    verifyRewrites.enabled = isVerificationInEnvironment();
  }

  std::unique_ptr<RewriteVerification> createRewriteVerification(mlir::FunctionOpInterface function,
                                                                 StringRef pass) const override {
    return RewriteVerifier::createIfEnabled(function, pass);
  }

  DenseElementsAttr evaluate(Value result, const DenseMap<Value, DenseElementsAttr> &values) const override {
    DenseMap<Value, Tensor> tensors;
    for (const auto &[value, elements] : values)
      tensors[value] = Tensor::fromElements(elements);
    Interpreter interpreter;
    if (isa<mlir::ComplexType>(cast<RankedTensorType>(result.getType()).getElementType()) ||
        failed(interpreter.evaluateSlice({result}, tensors)))
      return {};
    return toElements(tensors.lookup(result));
  }

  FunctionComparison compare(mlir::func::FuncOp before, mlir::func::FuncOp after, uint64_t argumentSeed,
                             uint64_t drawSeed, int64_t extent, double precision) const override {
    std::string error;
    FailureOr<Outcome> expected = ::evaluate(before, argumentSeed, drawSeed, extent, error);
    if (failed(expected))
      return {false, error};
    FailureOr<Outcome> actual = ::evaluate(after, argumentSeed, drawSeed, extent, error);
    return {true, failed(actual) ? "it cannot be evaluated any more: " + error
                                 : describeDifference(*actual, *expected, precision)};
  }

  VerifyRewritesOptions verifyRewrites;
};
} // namespace

VerifyRewritesOptions &VerifyRewritesOptions::get(MLIRContext *context) {
  static std::mutex creation;
  std::lock_guard<std::mutex> guard(creation);
  auto *dialect = context->getOrLoadDialect<FxGraphDialect>();
  if (!dialect->getRegisteredInterface<EvaluationInterface>())
    dialect->addInterfaces<ReferenceEvaluation>();
  // Nobody else implements the interface.
  return static_cast<ReferenceEvaluation *>(dialect->getRegisteredInterface<EvaluationInterface>())->verifyRewrites;
}

void fxgraph::registerReferenceEvaluation(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, FxGraphDialect *dialect) { dialect->addInterfaces<ReferenceEvaluation>(); });
}
