// RUN: fx-opt %s --fxgraph-predispatch-stack-to-unsqueeze | FileCheck %s

// CHECK-LABEL: func @pair
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4x5xf32>, %[[B:[a-z0-9]+]]: tensor<4x5xf32>
// CHECK-NEXT: %[[U:.+]] = fxgraph.unsqueeze %[[A]] dim 1
// CHECK-NEXT: %[[V:.+]] = fxgraph.unsqueeze %[[B]] dim 1
// CHECK-NEXT: %[[C:.+]] = fxgraph.cat %[[U]], %[[V]] dim 1
// CHECK-NEXT: return %[[C]]
func.func @pair(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x2x5xf32> {
  %0 = fxgraph.stack %a, %b dim 1 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x2x5xf32>
  return %0 : tensor<4x2x5xf32>
}
