// RUN: fx-opt %s --fxgraph-predispatch-fuse-chunk-reshape-unsqueeze-concat | FileCheck %s

// CHECK-LABEL: func @heads
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x6x4xf32>
// CHECK-NEXT: %[[V:.+]] = fxgraph.reshape %[[X]] shape [2, 3, 8]
// CHECK-NEXT: %[[P:.+]] = fxgraph.permute %[[V]] dims [1, 0, 2] : (tensor<2x3x8xf32>) -> tensor<3x2x8xf32>
// CHECK-NEXT: fxgraph.relu %[[P]]
func.func @heads(%x: tensor<2x6x4xf32>) -> tensor<3x2x8xf32> {
  %p:3 = fxgraph.chunk %x chunks 3 dim 1 : (tensor<2x6x4xf32>) -> (tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>)
  %0 = fxgraph.reshape %p#0 shape [2, 8] : tensor<2x2x4xf32> -> tensor<2x8xf32>
  %1 = fxgraph.reshape %p#1 shape [2, 8] : tensor<2x2x4xf32> -> tensor<2x8xf32>
  %2 = fxgraph.reshape %p#2 shape [2, 8] : tensor<2x2x4xf32> -> tensor<2x8xf32>
  %u = fxgraph.unsqueeze %0 dim 0 : (tensor<2x8xf32>) -> tensor<1x2x8xf32>
  %v = fxgraph.unsqueeze %1 dim 0 : (tensor<2x8xf32>) -> tensor<1x2x8xf32>
  %w = fxgraph.unsqueeze %2 dim 0 : (tensor<2x8xf32>) -> tensor<1x2x8xf32>
  %c = fxgraph.cat %u, %v, %w dim 0 : (tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) -> tensor<3x2x8xf32>
  %r = fxgraph.relu %c : tensor<3x2x8xf32>
  return %r : tensor<3x2x8xf32>
}
