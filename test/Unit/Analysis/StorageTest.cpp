// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ops say of themselves: whose storage a result may share, whether it keeps the
// row-major order, whether a run draws random numbers.

#include "fxgraph/Analysis/Storage.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace fxgraph;

namespace {
/// Words for the first op of a graph of %x : tensor<4x6xf32>.
std::string describe(StringRef op) {
  MLIRContext context;
  context.loadDialect<FxGraphDialect, mlir::func::FuncDialect>();
  std::string text = ("func.func @main(%x: tensor<4x6xf32>) { " + op + " return }").str();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return "not parsed";
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  Operation *first = &function.front().front();
  auto is = [&](Value value) { return value == function.getArgument(0); };
  std::string words = is(getViewSource(first, /*mayCopy=*/false))  ? "view"
                      : is(getViewSource(first, /*mayCopy=*/true)) ? "view or copy"
                                                                   : "own";
  return words + (isRowMajorView(first) ? ", row-major" : "") + (drawsRandomNumbers(first) ? ", random" : "");
}
} // namespace

TEST(Storage, Views) {
  EXPECT_EQ(describe("%0 = fxgraph.view %x shape [24] : tensor<4x6xf32> -> tensor<24xf32>"), "view, row-major");
  EXPECT_EQ(describe("%0 = fxgraph.reshape %x shape [24] : tensor<4x6xf32> -> tensor<24xf32>"), "view, row-major");
  EXPECT_EQ(describe("%0 = fxgraph.flatten %x dims 0 to 1 : (tensor<4x6xf32>) -> tensor<24xf32>"), "view, row-major");
  EXPECT_EQ(describe("%0 = fxgraph.unflatten %x dim 0 sizes [2, 2] : (tensor<4x6xf32>) -> tensor<2x2x6xf32>"),
            "view, row-major");
  EXPECT_EQ(describe("%0 = fxgraph.unsqueeze %x dim 0 : (tensor<4x6xf32>) -> tensor<1x4x6xf32>"), "view, row-major");
  EXPECT_EQ(describe("%0 = fxgraph.squeeze %x dims [0] : (tensor<4x6xf32>) -> tensor<4x6xf32>"), "view, row-major");
  EXPECT_EQ(describe("%0 = fxgraph.permute %x dims [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>"), "view");
  EXPECT_EQ(describe("%0 = fxgraph.expand %x shape [2, 4, 6] : tensor<4x6xf32> -> tensor<2x4x6xf32>"), "view");
  EXPECT_EQ(describe("%0 = fxgraph.slice %x dim 0 from 1 to 3 : (tensor<4x6xf32>) -> tensor<2x6xf32>"), "view");
  EXPECT_EQ(describe("%0 = fxgraph.select %x dim 0 at 1 : (tensor<4x6xf32>) -> tensor<6xf32>"), "view");
  EXPECT_EQ(describe("%0:2 = fxgraph.chunk %x chunks 2 dim 0 : "
                     "(tensor<4x6xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>)"),
            "view");
  EXPECT_EQ(describe("%0 = fxgraph.detach %x : tensor<4x6xf32>"), "view");
  EXPECT_EQ(describe("%0 = fxgraph.contiguous %x : tensor<4x6xf32>"), "view or copy");
}

TEST(Storage, Copies) {
  EXPECT_EQ(describe("%0 = fxgraph.flip %x dims [0] : (tensor<4x6xf32>) -> tensor<4x6xf32>"), "own");
  EXPECT_EQ(describe("%0 = fxgraph.roll %x by [1] dims [0] : (tensor<4x6xf32>) -> tensor<4x6xf32>"), "own");
  EXPECT_EQ(describe("%0 = fxgraph.repeat %x by [1, 1] : (tensor<4x6xf32>) -> tensor<4x6xf32>"), "own");
  EXPECT_EQ(describe("%0 = fxgraph.constant_pad_nd %x by [0, 0] : (tensor<4x6xf32>) -> tensor<4x6xf32>"), "own");
  EXPECT_EQ(describe("%0 = fxgraph.triu %x : (tensor<4x6xf32>) -> tensor<4x6xf32>"), "own");
  EXPECT_EQ(describe("%0 = fxgraph.tril %x : (tensor<4x6xf32>) -> tensor<4x6xf32>"), "own");
  EXPECT_EQ(describe("%0 = fxgraph.clone %x : tensor<4x6xf32>"), "own");
  EXPECT_EQ(describe("%0 = fxgraph.relu %x : tensor<4x6xf32>"), "own");
}

TEST(Storage, RandomNumbers) {
  EXPECT_EQ(describe("%0 = fxgraph.rand : tensor<2xf32>"), "own, random");
  EXPECT_EQ(describe("%0 = fxgraph.exponential : tensor<2xf32>"), "own, random");
  EXPECT_EQ(describe("%0 = fxgraph.dropout %x p 5.000000e-01 : tensor<4x6xf32>"), "own, random");
  EXPECT_EQ(describe("%0 = fxgraph.dropout %x p 5.000000e-01 training false : tensor<4x6xf32>"), "view");
  EXPECT_EQ(describe("%0 = fxgraph.dropout %x p 0.000000e+00 : tensor<4x6xf32>"), "view");
}
