// RUN: fx-opt %s --fxgraph-predispatch-fuse-chunk-reshape-concat | FileCheck %s

// CHECK-LABEL: func @rows_side_by_side
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<6x4x5xf32>
// CHECK-NEXT: %[[V:.+]] = fxgraph.reshape %[[X]] shape [3, 8, 5]
// CHECK-NEXT: %[[P:.+]] = fxgraph.permute %[[V]] dims [1, 0, 2] : (tensor<3x8x5xf32>) -> tensor<8x3x5xf32>
// CHECK-NEXT: %[[R:.+]] = fxgraph.reshape %[[P]] shape [8, 15]
// CHECK-NEXT: fxgraph.relu %[[R]]
func.func @rows_side_by_side(%x: tensor<6x4x5xf32>) -> tensor<8x15xf32> {
  %p:3 = fxgraph.chunk %x chunks 3 dim 0 : (tensor<6x4x5xf32>) -> (tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  %0 = fxgraph.reshape %p#0 shape [8, 5] : tensor<2x4x5xf32> -> tensor<8x5xf32>
  %1 = fxgraph.reshape %p#1 shape [8, 5] : tensor<2x4x5xf32> -> tensor<8x5xf32>
  %2 = fxgraph.reshape %p#2 shape [8, 5] : tensor<2x4x5xf32> -> tensor<8x5xf32>
  %c = fxgraph.cat %0, %1, %2 dim 1 : (tensor<8x5xf32>, tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<8x15xf32>
  %r = fxgraph.relu %c : tensor<8x15xf32>
  return %r : tensor<8x15xf32>
}
