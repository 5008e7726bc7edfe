// RUN: fx-opt %s --fxgraph-splitcat-merge-stack-tanh-unbind | FileCheck %s

// What batch-tanh leaves between an unbind and a stack.
func.func @batched(%x: tensor<3x2xf32>) -> tensor<2x3xf32> {
  %p:2 = fxgraph.unbind %x dim 1 : (tensor<3x2xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %s = fxgraph.stack %p#0, %p#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %t = fxgraph.tanh %s : tensor<2x3xf32>
  %u:2 = fxgraph.unbind %t dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %r = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @batched
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<3x2xf32>
// CHECK-NEXT: %[[P:.*]] = fxgraph.permute %[[X]] dims [1, 0]
// CHECK-NEXT: %[[T:.*]] = fxgraph.tanh %[[P]]
// CHECK-NEXT: return %[[T]]
