// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Reference/Grid.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace fxgraph;

namespace {
class GridTest : public ::testing::Test {
protected:
  GridTest() { context.loadDialect<FxGraphDialect, mlir::func::FuncDialect>(); }

  /// One function a rank, each of a body on %x: tensor<2xf32> that ends in %r.
  void parse(ArrayRef<StringRef> bodies) {
    std::string text;
    for (auto [rank, body] : llvm::enumerate(bodies))
      text += "func.func @rank" + std::to_string(rank) + "(%x: tensor<2xf32>) -> tensor<2xf32> {\n" + body.str() +
              "\nreturn %r : tensor<2xf32> }\n";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    functions = llvm::to_vector(module->getOps<mlir::func::FuncOp>());
  }

  FailureOr<SmallVector<Outcome>> run(ArrayRef<StringRef> groups = {}) {
    GridOptions options;
    options.numRanks = functions.size();
    std::string message;
    for (StringRef group : groups)
      EXPECT_TRUE(succeeded(options.parseGroup(group, message))) << message;
    SmallVector<SmallVector<Tensor>> arguments;
    for (size_t rank = 0; rank < functions.size(); ++rank) {
      Tensor tensor(mlir::Float32Type::get(&context), {2});
      tensor.mutableFloats()[0] = rank;
      tensor.mutableFloats()[1] = 10.0 * rank;
      arguments.push_back({tensor});
    }
    ProcessGrid grid(options);
    FailureOr<SmallVector<Outcome>> outcomes = grid.run(functions, arguments);
    error = grid.getError().message;
    return outcomes;
  }

  MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  SmallVector<mlir::func::FuncOp> functions;
  std::string error;
};

constexpr StringRef kSum = R"(
  %s = fxgraph.all_reduce %x op "sum" group "g" : (tensor<2xf32>) -> tensor<2xf32>
  %r = fxgraph.wait_tensor %s : (tensor<2xf32>) -> tensor<2xf32>)";
constexpr StringRef kMax = R"(
  %s = fxgraph.all_reduce %x op "max" group "g" : (tensor<2xf32>) -> tensor<2xf32>
  %r = fxgraph.wait_tensor %s : (tensor<2xf32>) -> tensor<2xf32>)";
constexpr StringRef kNothing = "%r = fxgraph.neg %x : tensor<2xf32>";
constexpr StringRef kTwice = R"(
  %s = fxgraph.all_reduce %x op "sum" group "g" : (tensor<2xf32>) -> tensor<2xf32>
  %r = fxgraph.all_reduce %s op "sum" group "g" : (tensor<2xf32>) -> tensor<2xf32>)";
constexpr StringRef kFirstThenSecond = R"(
  %s = fxgraph.all_reduce %x op "sum" group "a" : (tensor<2xf32>) -> tensor<2xf32>
  %r = fxgraph.all_reduce %s op "sum" group "b" : (tensor<2xf32>) -> tensor<2xf32>)";
constexpr StringRef kSecondThenFirst = R"(
  %s = fxgraph.all_reduce %x op "sum" group "b" : (tensor<2xf32>) -> tensor<2xf32>
  %r = fxgraph.all_reduce %s op "sum" group "a" : (tensor<2xf32>) -> tensor<2xf32>)";
} // namespace

TEST_F(GridTest, RanksWithOtherProgramsMeet) {
  parse({kSum, kSum, kNothing});
  FailureOr<SmallVector<Outcome>> outcomes = run({"g:0,1"});
  ASSERT_TRUE(succeeded(outcomes)) << error;
  EXPECT_EQ((*outcomes)[0].results[0].floats()[1], 10.0);
  EXPECT_EQ((*outcomes)[1].results[0].floats()[0], 1.0);
  EXPECT_EQ((*outcomes)[2].results[0].floats()[1], -20.0);
}

TEST_F(GridTest, AnotherCollectiveIsAnErrorThatNamesOpAndRank) {
  parse({kSum, kMax});
  EXPECT_TRUE(failed(run()));
  EXPECT_NE(error.find("rank 1: expected the collective that rank 0 starts in group 'g', 'fxgraph.all_reduce'"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("reduce_op = \"max\""), std::string::npos) << error;
}

TEST_F(GridTest, ARankThatHasEndedIsNotWaitedFor) {
  parse({kTwice, kSum});
  EXPECT_TRUE(failed(run()));
  EXPECT_NE(error.find("rank 0: 'fxgraph.all_reduce'"), std::string::npos) << error;
  EXPECT_NE(error.find("waits forever in group 'g' for rank 1, which has ended"), std::string::npos) << error;
}

TEST_F(GridTest, ACircleOfWaitsIsAnError) {
  parse({kFirstThenSecond, kSecondThenFirst});
  EXPECT_TRUE(failed(run()));
  EXPECT_NE(error.find("waits forever in group 'a' for rank 1, which waits at 'fxgraph.all_reduce' in group 'b'"),
            std::string::npos)
      << error;
}

TEST_F(GridTest, ARankOutsideOfTheGroupIsAnError) {
  parse({kSum, kSum, kSum});
  EXPECT_TRUE(failed(run({"g:0,1"})));
  EXPECT_NE(error.find("rank 2: 'fxgraph.all_reduce' op expected a rank of group 'g' but rank 2 is in no set of it"),
            std::string::npos)
      << error;
}

TEST_F(GridTest, GroupsAreRead) {
  auto parseError = [](StringRef text) {
    GridOptions options;
    options.numRanks = 4;
    std::string message;
    EXPECT_TRUE(failed(options.parseGroup(text, message))) << text.str();
    return message;
  };
  EXPECT_EQ(parseError("tp"), "expected a group <name>:<rank>,<rank>…;<rank>… but got 'tp'");
  EXPECT_EQ(parseError("tp:0,4"), "expected ranks between 0 and 3 in the group 'tp' but got '4'");
  EXPECT_EQ(parseError("tp:0,1;1"), "expected each rank once in the group 'tp' but got 1 twice");
  GridOptions options;
  options.numRanks = 4;
  std::string message;
  EXPECT_TRUE(succeeded(options.parseGroup("a:b:3,1;0", message)));
  EXPECT_EQ(options.groups["a:b"].front().front(), 3);
  EXPECT_TRUE(failed(options.parseGroup("a:b:2", message)));
  EXPECT_EQ(message, "expected each group once but got 'a:b' twice");
  EXPECT_TRUE(failed(options.parseRanks("0", message)));
  EXPECT_EQ(message, "expected ranks between 1 and 256 but got '0'");
}
