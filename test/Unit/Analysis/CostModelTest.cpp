// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of products: that of an op which stands for several is theirs together.

#include "fxgraph/Analysis/CostModel.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace fxgraph;

namespace {
/// Floating-point operations of the first op of a graph.
double countFlops(StringRef op) {
  MLIRContext context;
  context.loadDialect<FxGraphDialect, mlir::func::FuncDialect>();
  std::string text = ("func.func @main(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>, %c: tensor<5x6xf32>, "
                      "%d: tensor<6x5xf32>, %v: tensor<5xf32>, %i: tensor<3x4xi8>, %j: tensor<4x5xi8>, "
                      "%s: tensor<3x1xf32>, %e: tensor<3x6xf32>) { " +
                      op + " return }")
                         .str();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return -1;
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  return estimateCost(&function.front().front(), DeviceModel()).flops32;
}
} // namespace

TEST(CostModel, Products) {
  constexpr double ab = 2 * 3 * 4 * 5, bc = 2 * 4 * 5 * 6, abTimesC = 2 * 3 * 5 * 6, aTimesBc = 2 * 3 * 4 * 6;
  EXPECT_EQ(countFlops("%0 = fxgraph.mm %a, %b : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>"), ab);
  EXPECT_EQ(countFlops("%0 = fxgraph.mm_plus_mm %a, %b, %e, %d : (tensor<3x4xf32>, tensor<4x5xf32>, tensor<3x6xf32>, "
                       "tensor<6x5xf32>) -> tensor<3x5xf32>"),
            ab + 2 * 3 * 6 * 5);
  EXPECT_EQ(countFlops("%0 = fxgraph.addmm_activation %v, %a, %b : (tensor<5xf32>, tensor<3x4xf32>, tensor<4x5xf32>) "
                       "-> tensor<3x5xf32>"),
            ab);
  EXPECT_EQ(countFlops("%0 = fxgraph.int_mm_mul %i, %j, %s : (tensor<3x4xi8>, tensor<4x5xi8>, tensor<3x1xf32>) -> "
                       "tensor<3x5xf32>"),
            ab);
  EXPECT_DOUBLE_EQ(countFlops("%0:2 = fxgraph.grouped_mm (%a, %b) x (%b, %c) : (tensor<3x4xf32>, tensor<4x5xf32>, "
                              "tensor<4x5xf32>, tensor<5x6xf32>) -> (tensor<3x5xf32>, tensor<4x6xf32>)"),
                   ab + bc);
  StringRef body = " { ^bb0(%x: tensor<3x5xf32>): fxgraph.yield %x : tensor<3x5xf32> } ";
  StringRef rightBody = " { ^bb0(%x: tensor<4x6xf32>): fxgraph.yield %x : tensor<4x6xf32> } ";
  StringRef types = ": (tensor<3x4xf32>, tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>";
  EXPECT_DOUBLE_EQ(countFlops(("%0 = fxgraph.b2b_gemm %a, %b, %c left true" + body + types).str()), ab + abTimesC);
  EXPECT_DOUBLE_EQ(countFlops(("%0 = fxgraph.b2b_gemm %a, %b, %c left false" + rightBody + types).str()),
                   bc + aTimesBc);
}
