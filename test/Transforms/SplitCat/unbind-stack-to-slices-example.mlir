// RUN: fx-opt %s --fxgraph-splitcat-unbind-stack-to-slices="threshold-to-cat=2" | FileCheck %s

// Rows 1 and 2 of %x, stacked as columns behind %a.
func.func @slices(%a: tensor<4xf32>, %x: tensor<3x4xf32>) -> tensor<4x3xf32> {
  %u:3 = fxgraph.unbind %x dim 0 : (tensor<3x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %s = fxgraph.stack %a, %u#1, %u#2 dim 1 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  return %s : tensor<4x3xf32>
}

// CHECK-LABEL: func @slices
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4xf32>, %[[X:[a-z0-9]+]]: tensor<3x4xf32>
// CHECK-NEXT: %[[B:.*]] = fxgraph.unsqueeze %[[A]] dim 1
// CHECK-NEXT: %[[S:.*]] = fxgraph.slice %[[X]] dim 0 from 1 to 3
// CHECK-NEXT: %[[P:.*]] = fxgraph.permute %[[S]] dims [1, 0]
// CHECK-NEXT: fxgraph.cat %[[B]], %[[P]] dim 1
