// RUN: fx-opt %s --fxgraph-predispatch-fuse-split-linear-add | FileCheck %s

// CHECK-LABEL: func @two_parts
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>, %[[V:[a-z0-9]+]]: tensor<6x3xf32>, %[[W:[a-z0-9]+]]: tensor<6x5xf32>, %[[B:[a-z0-9]+]]: tensor<6xf32>
// CHECK: %[[C:.+]] = fxgraph.cat %[[V]], %[[W]] dim 1 : (tensor<6x3xf32>, tensor<6x5xf32>) -> tensor<6x8xf32>
// CHECK-NEXT: %[[L:.+]] = fxgraph.linear %[[X]], %[[C]], %[[B]]
// CHECK-NEXT: return %[[L]]
func.func @two_parts(%x: tensor<4x8xf32>, %v: tensor<6x3xf32>, %w: tensor<6x5xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [3, 5] dim 1 : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x5xf32>)
  %0 = fxgraph.linear %p#0, %v : (tensor<4x3xf32>, tensor<6x3xf32>) -> tensor<4x6xf32>
  %1 = fxgraph.linear %p#1, %w, %b : (tensor<4x5xf32>, tensor<6x5xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  %2 = fxgraph.add %0, %1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}
