// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Reference/Interpreter.h"
#include "fxgraph/Backend/Executable.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/HostOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace fxgraph;

namespace {
class InterpreterTest : public ::testing::Test {
protected:
  InterpreterTest() { context.loadDialect<FxGraphDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect>(); }
  mlir::func::FuncOp parse(StringRef text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << "the test's module does not parse";
      return {};
    }
    return *module->getOps<mlir::func::FuncOp>().begin();
  }
  Tensor floats(ArrayRef<int64_t> shape, ArrayRef<double> values) {
    Tensor tensor(mlir::Float32Type::get(&context), shape);
    std::copy(values.begin(), values.end(), tensor.mutableFloats().begin());
    return tensor;
  }
  /// Error of a run that must fail.
  std::string runError(StringRef text, ArrayRef<Tensor> arguments) {
    Interpreter interpreter;
    EXPECT_TRUE(failed(interpreter.run(parse(text), arguments)));
    return interpreter.getError().message;
  }
  MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
} // namespace

template <typename... Ops>
static bool isOneOf(StringRef name) {
  return ((name == Ops::getOperationName()) || ...);
}
static bool isHostOp(StringRef name) {
  return isOneOf<
#define GET_OP_LIST
#include "fxgraph/Dialect/IR/HostOps.cpp.inc"
      >(name);
}

TEST_F(InterpreterTest, EveryOpOfTheDialectHasAnEvaluator) {
  unsigned count = 0;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != FxGraphDialect::getDialectNamespace())
      continue;
    // Terminators end a block; a group lives inside one rewrite alone; host functions are no graphs.
    if (name.hasTrait<mlir::OpTrait::IsTerminator>() || name.getStringRef() == "fxgraph.group" ||
        isHostOp(name.getStringRef()))
      continue;
    ++count;
    EXPECT_NE(EvaluatorRegistry::get().lookup(name.getStringRef()), nullptr)
        << name.getStringRef().str() << " has no evaluator";
  }
  EXPECT_GT(count, 140u);
}

TEST_F(InterpreterTest, LongChainsDoNotRecurse) {
  std::string text = "func.func @main(%v0: tensor<1xf32>) -> tensor<1xf32> {\n";
  constexpr int kLength = 100000;
  for (int i = 0; i < kLength; ++i)
    text += "%v" + std::to_string(i + 1) + " = fxgraph.neg %v" + std::to_string(i) + " : tensor<1xf32>\n";
  text += "return %v" + std::to_string(kLength) + " : tensor<1xf32> }";
  mlir::func::FuncOp function = parse(text);
  Interpreter interpreter;
  FailureOr<Outcome> outcome = interpreter.run(function, {floats({1}, {2.0})});
  ASSERT_TRUE(succeeded(outcome));
  EXPECT_EQ(outcome->results[0].floats()[0], 2.0);

  DenseMap<Value, Tensor> values{{function.getArgument(0), floats({1}, {3.0})}};
  Value root = function.getBody().front().getTerminator()->getOperand(0);
  ASSERT_TRUE(succeeded(interpreter.evaluateSlice({root}, values)));
  EXPECT_EQ(values[root].floats()[0], 3.0);
}

TEST_F(InterpreterTest, WritesDoNotChangeTheOldValue) {
  Interpreter interpreter;
  FailureOr<Outcome> outcome = interpreter.run(parse(R"(
    func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
      %n = fxgraph.neg %x : tensor<2xf32>
      fxgraph.copy_ %n into %x : tensor<2xf32>, tensor<2xf32>
      %s = fxgraph.add %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      fxgraph.copy_ %s into %x : tensor<2xf32>, tensor<2xf32>
      return %x : tensor<2xf32>
    })"),
                                               {floats({2}, {1, 2}), floats({2}, {10, 20})});
  ASSERT_TRUE(succeeded(outcome));
  EXPECT_EQ(outcome->results[0].floats().vec(), (std::vector<double>{1, 2}));
  ASSERT_EQ(outcome->mutated.size(), 1u);
  EXPECT_EQ(outcome->mutated[0].argument, 0u);
  EXPECT_EQ(outcome->mutated[0].value.floats().vec(), (std::vector<double>{11, 22}));
}

TEST_F(InterpreterTest, SymbolsAreChecked) {
  StringRef text = R"(
    func.func @main(%x: tensor<?xf32, #fxgraph.meta<dims = [s0]>>, %y: tensor<?xf32, #fxgraph.meta<dims = [s0]>>)
        -> tensor<?xf32, #fxgraph.meta<dims = [s0]>> {
      %s = fxgraph.add %x, %y : (tensor<?xf32, #fxgraph.meta<dims = [s0]>>, tensor<?xf32, #fxgraph.meta<dims = [s0]>>)
        -> tensor<?xf32, #fxgraph.meta<dims = [s0]>>
      return %s : tensor<?xf32, #fxgraph.meta<dims = [s0]>>
    })";
  Interpreter interpreter;
  EXPECT_TRUE(succeeded(interpreter.run(parse(text), {floats({2}, {1, 2}), floats({2}, {1, 2})})));
  EXPECT_TRUE(succeeded(interpreter.run(parse(text), {floats({0}, {}), floats({0}, {})})));
  EXPECT_EQ(runError(text, {floats({2}, {1, 2}), floats({1}, {1})}),
            "expected extent 2 for s0 in dim 0 of argument 1 but got 1");
}

TEST_F(InterpreterTest, ErrorsNameTheOp) {
  EXPECT_EQ(runError(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = fxgraph.opaque "aten.foo.default"(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    })",
                     {floats({2}, {1, 2})}),
            "'fxgraph.opaque' op cannot be run: the dialect does not model 'aten.foo.default'");
  EXPECT_EQ(runError(R"(
    func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %s = fxgraph.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      return %s : tensor<?xf32>
    })",
                     {floats({2}, {1, 2}), floats({3}, {1, 2, 3})}),
            "'fxgraph.add' op expected shapes that broadcast but got [3] beside extent 2 in dim 0");
  EXPECT_EQ(runError(R"(
    func.func @main(%x: tensor<?x3xf32>) -> tensor<3xf32> {
      %s = fxgraph.amax %x dims [0] : (tensor<?x3xf32>) -> tensor<3xf32>
      return %s : tensor<3xf32>
    })",
                     {floats({0, 3}, {})}),
            "'fxgraph.amax' op expected reduced dimensions of extent > 0 but got an empty one");
  EXPECT_EQ(runError("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }",
                     {floats({3}, {1, 2, 3})}),
            "expected argument 0 of type tensor<2xf32> but got tensor<3xf32>");
}

TEST_F(InterpreterTest, HugeTensorsAreErrors) {
  EXPECT_EQ(runError(R"(
    func.func @main(%x: tensor<1xf32>) -> tensor<4611686018427387904x4xf32> {
      %y = fxgraph.expand %x shape [4611686018427387904, 4] : tensor<1xf32> -> tensor<4611686018427387904x4xf32>
      return %y : tensor<4611686018427387904x4xf32>
    })",
                     {floats({1}, {1})}),
            "'fxgraph.expand' op expected at most 2147483648 elements but got shape [4611686018427387904, 4]");
  EXPECT_EQ(runError(R"(
    func.func @main(%x: tensor<1xf32>) -> tensor<?xf32> {
      %n = arith.constant 1000000000000 : index
      %y = fxgraph.full 1.0 sizes %n : tensor<?xf32>
      return %y : tensor<?xf32>
    })",
                     {floats({1}, {1})}),
            "'fxgraph.full' op expected at most 2147483648 elements but got shape [1000000000000]");
}

TEST_F(InterpreterTest, HugeStep) {
  Interpreter interpreter;
  FailureOr<Outcome> outcome = interpreter.run(parse(R"(
    func.func @main(%x: tensor<3xf32>) -> tensor<1xf32> {
      %y = fxgraph.slice %x dim 0 from 1 to 9223372036854775807 step 9223372036854775807 : (tensor<3xf32>) -> tensor<1xf32>
      return %y : tensor<1xf32>
    })"),
                                               {floats({3}, {1, 2, 3})});
  ASSERT_TRUE(succeeded(outcome));
  EXPECT_EQ(outcome->results[0].floats().vec(), (std::vector<double>{2}));
}

TEST_F(InterpreterTest, IntegerDivisionByZero) {
  Tensor zero(IntegerType::get(&context, 32), {1});
  EXPECT_EQ(runError(R"(
    func.func @main(%x: tensor<1xi32>) -> tensor<1xi32> {
      %s = fxgraph.div %x, %x rounding_mode "floor" : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
      return %s : tensor<1xi32>
    })",
                     {zero}),
            "'fxgraph.div' op divides an integer by zero");
}

TEST_F(InterpreterTest, CallsAndTheirErrors) {
  StringRef text = R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = func.call @callee(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
    func.func private @callee(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = fxgraph.neg %x : tensor<2xf32>
      return %y : tensor<2xf32>
    })";
  Interpreter interpreter;
  FailureOr<Outcome> outcome = interpreter.run(parse(text), {floats({2}, {1, 2})});
  ASSERT_TRUE(succeeded(outcome));
  EXPECT_EQ(outcome->results[0].floats().vec(), (std::vector<double>{-1, -2}));
  // Endless recursion is an error, not a crash.
  EXPECT_EQ(runError(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = func.call @main(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    })",
                     {floats({2}, {1, 2})}),
            "'func.call' op expected at most 256 nested calls");
}

TEST_F(InterpreterTest, RandomOpsDrawFromTheSeed) {
  mlir::func::FuncOp function = parse(R"(
    func.func @main() -> (tensor<1000xf32>, tensor<1000xf32>) {
      %a = fxgraph.rand : tensor<1000xf32>
      %b = fxgraph.rand : tensor<1000xf32>
      return %a, %b : tensor<1000xf32>, tensor<1000xf32>
    })");
  auto run = [&](uint64_t seed) {
    InterpreterOptions options;
    options.seed = seed;
    return *Interpreter(options).run(function, {});
  };
  Outcome first = run(1), again = run(1), other = run(2);
  EXPECT_EQ(first.results[0].floats(), again.results[0].floats());
  EXPECT_NE(first.results[0].floats(), first.results[1].floats());
  EXPECT_NE(first.results[0].floats(), other.results[0].floats());
  double sum = 0.0;
  for (double value : first.results[0].floats()) {
    EXPECT_GE(value, 0.0);
    EXPECT_LT(value, 1.0);
    sum += value;
  }
  EXPECT_NEAR(sum / 1000, 0.5, 0.05);
}

TEST_F(InterpreterTest, DropoutKeepsTheMean) {
  Interpreter interpreter;
  FailureOr<Outcome> outcome = interpreter.run(parse(R"(
    func.func @main(%x: tensor<4000xf32>) -> tensor<4000xf32> {
      %y = fxgraph.dropout %x p 0.25 : tensor<4000xf32>
      return %y : tensor<4000xf32>
    })"),
                                               {floats({4000}, std::vector<double>(4000, 3.0))});
  ASSERT_TRUE(succeeded(outcome));
  double sum = 0.0;
  for (double value : outcome->results[0].floats()) {
    EXPECT_TRUE(value == 0.0 || value == 4.0) << value;
    sum += value;
  }
  EXPECT_NEAR(sum / 4000, 3.0, 0.15);
}

TEST_F(InterpreterTest, AccumulatesAsAsked) {
  // 2^24 + 1 + 1: float loses both ones, double none.
  StringRef text = R"(
    func.func @main(%x: tensor<3xf32>) -> tensor<f32> {
      %y = fxgraph.sum %x : (tensor<3xf32>) -> tensor<f32>
      return %y : tensor<f32>
    })";
  mlir::func::FuncOp function = parse(text);
  Tensor x = floats({3}, {0x1p24, 1, 1});
  EXPECT_EQ(Interpreter().run(function, {x})->results[0].floats()[0], 0x1p24 + 2);
  InterpreterOptions narrow;
  narrow.accumulateF32 = true;
  EXPECT_EQ(Interpreter(narrow).run(function, {x})->results[0].floats()[0], 0x1p24);
}

TEST_F(InterpreterTest, TargetRegistry) {
  registerReferenceTarget();
  parse("func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> { return %x : tensor<1xf32> }");
  auto executable = compileGraph("ref", *module, "main", {});
  ASSERT_TRUE(succeeded(executable));
  SmallVector<Tensor> outputs;
  SmallVector<MutatedArgument> mutated;
  auto function = module->lookupSymbol<mlir::func::FuncOp>("main");
  ASSERT_TRUE(succeeded(runOnTensors(**executable, function, {floats({1}, {5})}, outputs, mutated)));
  EXPECT_EQ(outputs[0].floats()[0], 5.0);
  FailureOr<BenchResult> timing = benchOnTensors(**executable, function, {floats({1}, {5})}, 4);
  ASSERT_TRUE(succeeded(timing));
  EXPECT_EQ(timing->seconds.size(), 4u);

  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diag) { message = diag.str(); });
  EXPECT_TRUE(failed(compileGraph("npu", *module, "main", {})));
  EXPECT_EQ(message, "expected a target among ref but got 'npu'");
  EXPECT_TRUE(failed(compileGraph("ref", *module, "nothing", {})));
  EXPECT_EQ(message, "expected a function 'nothing' but the module has none of this name");
}
