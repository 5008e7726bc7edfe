// RUN: fx-opt %s --fxgraph-splitcat-unbind-cat-to-view | FileCheck %s

// The rows of %x side by side, behind %a.
func.func @view(%a: tensor<5x1xf32>, %x: tensor<2x5x4xf32>) -> tensor<5x9xf32> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x5x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>)
  %c = fxgraph.cat %a, %u#0, %u#1 dim 1 : (tensor<5x1xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x9xf32>
  return %c : tensor<5x9xf32>
}

// CHECK-LABEL: func @view
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<5x1xf32>, %[[X:[a-z0-9]+]]: tensor<2x5x4xf32>
// CHECK-NEXT: %[[P:.*]] = fxgraph.permute %[[X]] dims [1, 0, 2]
// CHECK-NEXT: %[[R:.*]] = fxgraph.reshape %[[P]] shape [5, 8]
// CHECK-NEXT: fxgraph.cat %[[A]], %[[R]] dim 1
