// RUN: fx-opt %s --fxgraph-splitcat-split-cat | FileCheck %s

// What a batch fusion makes of the five slices of one embedding.
func.func @tower(%x: tensor<16x20xf32>) -> tensor<5x16x4xf32> {
  %p:5 = fxgraph.split_with_sizes %x sizes [4, 4, 4, 4, 4] dim 1
      : (tensor<16x20xf32>) -> (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>)
  %s = fxgraph.stack %p#0, %p#1, %p#2, %p#3, %p#4 dim 0
      : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<5x16x4xf32>
  %t = fxgraph.tanh %s : tensor<5x16x4xf32>
  return %t : tensor<5x16x4xf32>
}

// CHECK-LABEL: func @tower
// CHECK-NEXT: %[[U:.*]] = fxgraph.reshape %{{.*}} shape [16, 5, 4]
// CHECK-NEXT: %[[M:.*]] = fxgraph.permute %[[U]] dims [1, 0, 2]
// CHECK-NEXT: %[[T:.*]] = fxgraph.tanh %[[M]]
// CHECK-NEXT: return %[[T]]
