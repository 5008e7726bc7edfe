// RUN: fx-opt %s --fxgraph-predispatch-fuse-chunk-squeeze-cat | FileCheck %s

// CHECK-LABEL: func @side_by_side
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<3x4x5xf32>
// CHECK-NEXT: %[[P:.+]] = fxgraph.permute %[[X]] dims [1, 0, 2] : (tensor<3x4x5xf32>) -> tensor<4x3x5xf32>
// CHECK-NEXT: %[[R:.+]] = fxgraph.reshape %[[P]] shape [4, 15]
// CHECK-NEXT: fxgraph.relu %[[R]]
func.func @side_by_side(%x: tensor<3x4x5xf32>) -> tensor<4x15xf32> {
  %p:3 = fxgraph.chunk %x chunks 3 dim 0 : (tensor<3x4x5xf32>) -> (tensor<1x4x5xf32>, tensor<1x4x5xf32>, tensor<1x4x5xf32>)
  %0 = fxgraph.squeeze %p#0 dims [0] : (tensor<1x4x5xf32>) -> tensor<4x5xf32>
  %1 = fxgraph.squeeze %p#1 dims [0] : (tensor<1x4x5xf32>) -> tensor<4x5xf32>
  %2 = fxgraph.squeeze %p#2 dims [0] : (tensor<1x4x5xf32>) -> tensor<4x5xf32>
  %c = fxgraph.cat %0, %1, %2 dim 1 : (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x15xf32>
  %r = fxgraph.relu %c : tensor<4x15xf32>
  return %r : tensor<4x15xf32>
}
