// RUN: fx-opt %s --fxgraph-predispatch-dot-compress | FileCheck %s

// CHECK-LABEL: func @pairs
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x6x4xf32>, %[[W:[a-z0-9]+]]: tensor<6x3xf32>
// CHECK-NEXT: %[[R:.+]] = fxgraph.dot_compress %[[X]], %[[W]] : (tensor<2x6x4xf32>, tensor<6x3xf32>) -> tensor<2x6x3xf32>
// CHECK-NEXT: fxgraph.flatten %[[R]]
func.func @pairs(%x: tensor<2x6x4xf32>, %w: tensor<6x3xf32>) -> tensor<2x18xf32> {
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.matmul %0, %w : (tensor<2x4x6xf32>, tensor<6x3xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.matmul %x, %1 : (tensor<2x6x4xf32>, tensor<2x4x3xf32>) -> tensor<2x6x3xf32>
  %3 = fxgraph.flatten %2 dims 1 to 2 : (tensor<2x6x3xf32>) -> tensor<2x18xf32>
  return %3 : tensor<2x18xf32>
}
