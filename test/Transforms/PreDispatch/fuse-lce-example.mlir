// RUN: fx-opt %s --fxgraph-predispatch-fuse-lce | FileCheck %s

// CHECK-LABEL: func @two
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x6x4xf32>, %[[V:[a-z0-9]+]]: tensor<3x6xf32>, %[[W:[a-z0-9]+]]: tensor<1x6xf32>, %[[B:[a-z0-9]+]]: tensor<3xf32>, %[[C:[a-z0-9]+]]: tensor<1xf32>
// CHECK-NEXT: %[[VW:.+]] = fxgraph.cat %[[V]], %[[W]] dim 0
// CHECK-NEXT: %[[P:.+]] = fxgraph.matmul %[[VW]], %[[X]] : (tensor<4x6xf32>, tensor<2x6x4xf32>) -> tensor<2x4x4xf32>
// CHECK-NEXT: %[[BC:.+]] = fxgraph.cat %[[B]], %[[C]] dim 0
// CHECK-NEXT: %[[U:.+]] = fxgraph.unsqueeze %[[BC]] dim 1
// CHECK-NEXT: %[[A:.+]] = fxgraph.add %[[P]], %[[U]]
// CHECK-NEXT: %[[S:.+]]:2 = fxgraph.split_with_sizes %[[A]] sizes [3, 1] dim 1 : (tensor<2x4x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x1x4xf32>)
// CHECK-NEXT: fxgraph.relu %[[S]]#0
// CHECK-NEXT: fxgraph.neg %[[S]]#1
func.func @two(%x: tensor<2x6x4xf32>, %v: tensor<3x6xf32>, %w: tensor<1x6xf32>, %b: tensor<3xf32>, %c: tensor<1xf32>) -> (tensor<2x3x4xf32>, tensor<2x1x4xf32>) {
  %0 = fxgraph.lce %x, %v, %b : (tensor<2x6x4xf32>, tensor<3x6xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  %r = fxgraph.relu %0 : tensor<2x3x4xf32>
  %1 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %2 = fxgraph.linear %1, %w, %c : (tensor<2x4x6xf32>, tensor<1x6xf32>, tensor<1xf32>) -> tensor<2x4x1xf32>
  %3 = fxgraph.transpose %2 dims 1, 2 : (tensor<2x4x1xf32>) -> tensor<2x1x4xf32>
  %n = fxgraph.neg %3 : tensor<2x1x4xf32>
  return %r, %n : tensor<2x3x4xf32>, tensor<2x1x4xf32>
}
