// RUN: fx-opt %s --fxgraph-splitcat-move-view-after-cat-aten | FileCheck %s

// CHECK-LABEL: func.func @side_by_side
// CHECK-NEXT: %[[P:.+]] = fxgraph.permute %arg0 dims [1, 0, 2]
// CHECK-NEXT: %[[R:.+]] = fxgraph.reshape %[[P]] shape [4, 15]
// CHECK-NEXT: fxgraph.relu %[[R]]
func.func @side_by_side(%x: tensor<3x4x5xf32>) -> tensor<4x15xf32> {
  %p:3 = fxgraph.split_with_sizes %x sizes [1, 1, 1] dim 0 : (tensor<3x4x5xf32>) -> (tensor<1x4x5xf32>, tensor<1x4x5xf32>, tensor<1x4x5xf32>)
  %v0 = fxgraph.reshape %p#0 shape [4, 5] : tensor<1x4x5xf32> -> tensor<4x5xf32>
  %v1 = fxgraph.reshape %p#1 shape [4, 5] : tensor<1x4x5xf32> -> tensor<4x5xf32>
  %v2 = fxgraph.reshape %p#2 shape [4, 5] : tensor<1x4x5xf32> -> tensor<4x5xf32>
  %c = fxgraph.cat %v0, %v1, %v2 dim 1 : (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x15xf32>
  %r = fxgraph.relu %c : tensor<4x15xf32>
  return %r : tensor<4x15xf32>
}
