// RUN: fx-opt %s --fxgraph-predispatch-normal-lce | FileCheck %s

// CHECK-LABEL: func @joined_features
// CHECK-SAME: %[[Y:[a-z0-9]+]]: tensor<2x2x4xf32>, %[[Z:[a-z0-9]+]]: tensor<2x4x4xf32>
// CHECK-NEXT: %[[C:.+]] = fxgraph.cat %[[Y]], %[[Z]] dim 1
// CHECK-NEXT: %[[R:.+]] = fxgraph.lce %[[C]], %{{.+}}, %{{.+}} : (tensor<2x6x4xf32>, tensor<3x6xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[R]]
func.func @joined_features(%y: tensor<2x2x4xf32>, %z: tensor<2x4x4xf32>, %w: tensor<3x6xf32>, %b: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %x = fxgraph.cat %y, %z dim 1 : (tensor<2x2x4xf32>, tensor<2x4x4xf32>) -> tensor<2x6x4xf32>
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.linear %0, %w, %b : (tensor<2x4x6xf32>, tensor<3x6xf32>, tensor<3xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.permute %1 dims [0, 2, 1] : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}
