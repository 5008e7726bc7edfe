// RUN: fx-opt %s --fxgraph-linear-permute-fuse --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: fx-opt %s --fxgraph-predispatch-remove-reshape --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics -o /dev/null

// What a pattern makes is where the op stood that it starts from, as that of passes in C++.
// CHECK-LABEL: func @place
// CHECK: fxgraph.linear_transpose {{.*}} loc("root")
func.func @place(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>) -> tensor<2x5x3xf32> {
  %0 = fxgraph.linear %x, %w : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32> loc("inner")
  %1 = fxgraph.transpose %0 dims 1, 2 : (tensor<2x3x5xf32>) -> tensor<2x5x3xf32> loc("root")
  return %1 : tensor<2x5x3xf32>
}

// A pattern of a set goes by its own name.
func.func @names(%x: tensor<4x6xf32>) -> (tensor<3x8xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = fxgraph.reshape %x shape [24] : tensor<4x6xf32> -> tensor<24xf32>
  // expected-remark @below {{reshape-of-reshape}}
  %1 = fxgraph.reshape %0 shape [3, 8] : tensor<24xf32> -> tensor<3x8xf32>
  %2 = fxgraph.reshape %x shape [2, 12] : tensor<4x6xf32> -> tensor<2x12xf32>
  %3 = fxgraph.tanh %2 : tensor<2x12xf32>
  // expected-remark @below {{reshape-around-elementwise}}
  %4 = fxgraph.reshape %3 shape [4, 6] : tensor<2x12xf32> -> tensor<4x6xf32>
  // expected-remark @below {{reshape-back}}
  %5 = fxgraph.reshape %x shape [4, 6] : tensor<4x6xf32> -> tensor<4x6xf32>
  %6 = fxgraph.neg %5 : tensor<4x6xf32>
  return %1, %4, %6 : tensor<3x8xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}
