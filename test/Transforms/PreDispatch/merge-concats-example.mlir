// RUN: fx-opt %s --fxgraph-predispatch-merge-concats | FileCheck %s

// CHECK-LABEL: func @nested
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<2x3xf32>, %[[B:[a-z0-9]+]]: tensor<4x3xf32>
// CHECK-NEXT: %[[C:.+]] = fxgraph.cat %[[A]], %[[B]], %[[A]], %[[A]] dim 0
// CHECK-NEXT: return %[[C]]
func.func @nested(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) -> tensor<10x3xf32> {
  %0 = fxgraph.cat %b, %a dim -2 : (tensor<4x3xf32>, tensor<2x3xf32>) -> tensor<6x3xf32>
  %1 = fxgraph.cat %a, %0, %a dim 0 : (tensor<2x3xf32>, tensor<6x3xf32>, tensor<2x3xf32>) -> tensor<10x3xf32>
  return %1 : tensor<10x3xf32>
}
