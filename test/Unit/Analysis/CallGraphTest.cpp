// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a copy of an entry takes along of its module.

#include "fxgraph/Analysis/CallGraph.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace fxgraph;

namespace {
constexpr llvm::StringLiteral kModule = R"(
  module @program attributes {test.kept} {
    func.func @alone(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }
    func.func private @declared(tensor<2xf32>) -> tensor<2xf32>
    func.func private @last(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }
    func.func private @both(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = call @last(%x) : (tensor<2xf32>) -> tensor<2xf32>
      %1 = call @last(%0) : (tensor<2xf32>) -> tensor<2xf32>
      return %1 : tensor<2xf32>
    }
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = call @both(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    func.func @around(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = call @around(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    func.func @into_nothing(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = call @declared(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    module @no_function {}
  }
)";

class CloneWithCallees : public ::testing::Test {
protected:
  CloneWithCallees() {
    context.loadDialect<FxGraphDialect, mlir::func::FuncDialect>();
    context.allowUnregisteredDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(kModule, &context);
  }

  /// The symbols of the copy of an entry, in order.
  std::vector<std::string> copied(StringRef entry) {
    mlir::OwningOpRef<mlir::ModuleOp> copy = cloneWithCallees(module->lookupSymbol<mlir::func::FuncOp>(entry));
    EXPECT_TRUE(succeeded(mlir::verify(*copy)));
    EXPECT_EQ((*copy)->getDiscardableAttrDictionary(), (*module)->getDiscardableAttrDictionary());
    EXPECT_EQ(copy->getName(), module->getName());
    EXPECT_EQ(copy->getLoc(), module->getLoc());
    std::vector<std::string> names;
    for (Operation &op : *copy->getBody())
      names.push_back(cast<mlir::SymbolOpInterface>(op).getName().str());
    return names;
  }

  MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
using Names = std::vector<std::string>;
} // namespace

TEST_F(CloneWithCallees, WithoutCalls) { EXPECT_EQ(copied("alone"), (Names{"alone", "no_function"})); }

TEST_F(CloneWithCallees, CalleesOfCallees) { EXPECT_EQ(copied("main"), (Names{"last", "both", "main", "no_function"})); }

// Copies are made of what can be run; what cannot ends all the same.
TEST_F(CloneWithCallees, Recursion) { EXPECT_EQ(copied("around"), (Names{"around", "no_function"})); }

TEST_F(CloneWithCallees, Declarations) {
  EXPECT_EQ(copied("into_nothing"), (Names{"declared", "into_nothing", "no_function"}));
}

TEST_F(CloneWithCallees, TheCopyIsOnItsOwn) {
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  mlir::OwningOpRef<mlir::ModuleOp> copy = cloneWithCallees(main);
  module = nullptr;
  EXPECT_TRUE(succeeded(checkCalls(copy->lookupSymbol<mlir::func::FuncOp>("main"))));
}
