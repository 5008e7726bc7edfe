// RUN: fx-opt %s --fxgraph-splitcat-move-reshape-out-of-split-stack | FileCheck %s

// Each column of %x as a matrix, stacked behind %a: one copy of %x.
func.func @stack(%a: tensor<2x3xf32>, %x: tensor<6x2xf32>) -> tensor<3x2x3xf32> {
  %p:2 = fxgraph.split %x size 1 dim 1 : (tensor<6x2xf32>) -> (tensor<6x1xf32>, tensor<6x1xf32>)
  %r = fxgraph.reshape %p#0 shape [2, 3] : tensor<6x1xf32> -> tensor<2x3xf32>
  %s = fxgraph.reshape %p#1 shape [2, 3] : tensor<6x1xf32> -> tensor<2x3xf32>
  %t = fxgraph.stack %a, %r, %s dim 0 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x2x3xf32>
  return %t : tensor<3x2x3xf32>
}

// CHECK-LABEL: func @stack
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<2x3xf32>, %[[X:[a-z0-9]+]]: tensor<6x2xf32>
// CHECK-NEXT: %[[B:.*]] = fxgraph.unsqueeze %[[A]] dim 0
// CHECK-NEXT: %[[P:.*]] = fxgraph.permute %[[X]] dims [1, 0]
// CHECK-NEXT: %[[R:.*]] = fxgraph.reshape %[[P]] shape [2, 2, 3]
// CHECK-NEXT: fxgraph.cat %[[B]], %[[R]] dim 0
