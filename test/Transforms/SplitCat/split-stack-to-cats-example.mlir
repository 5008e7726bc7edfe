// RUN: fx-opt %s --fxgraph-splitcat-split-stack-to-cats | FileCheck %s

// A stack becomes a cat of what was split, with the dimension in two.
func.func @cats(%a: tensor<2x3xf32>, %x: tensor<2x6xf32>) -> tensor<3x2x3xf32> {
  %p:2 = fxgraph.split %x size 3 dim 1 : (tensor<2x6xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %s = fxgraph.stack %a, %p#0, %p#1 dim 0 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x2x3xf32>
  return %s : tensor<3x2x3xf32>
}

// CHECK-LABEL: func @cats
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<2x3xf32>, %[[X:[a-z0-9]+]]: tensor<2x6xf32>
// CHECK-NEXT: %[[C:.*]] = fxgraph.cat %[[A]], %[[X]] dim 1
// CHECK-NEXT: %[[R:.*]] = fxgraph.reshape %[[C]] shape [2, 3, 3]
// CHECK-NEXT: fxgraph.permute %[[R]] dims [1, 0, 2]
