// RUN: fx-opt %s --fxgraph-noop-cse | FileCheck %s

func.func @twice(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = fxgraph.reshape %x shape [8, 4] : tensor<4x8xf32> -> tensor<8x4xf32>
  %1 = fxgraph.reshape %x shape [8, 4] : tensor<4x8xf32> -> tensor<8x4xf32>
  %2 = fxgraph.add %0, %y : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %3 = fxgraph.mul %1, %2 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}

// CHECK-LABEL: func @twice
// CHECK-NEXT: %[[R:.*]] = fxgraph.reshape
// CHECK-NEXT: %[[A:.*]] = fxgraph.add %[[R]],
// CHECK-NEXT: fxgraph.mul %[[R]], %[[A]]
